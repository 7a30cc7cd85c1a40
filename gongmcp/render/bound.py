"""How much leaves at once: a byte budget on the whole answer, cut between rows, never inside one.

Text and structure are counted together, as the bytes that ``render.wire`` puts on the wire. A result
cut here says so and hands out a cursor, so that nothing is cut silently or lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from gongmcp.catalog.declaration import Tool
from gongmcp.exposure.cursor import Position
from gongmcp.exposure.engine import Disclosure
from gongmcp.exposure.ledger import Entry
from gongmcp.exposure.policy import Policy
from gongmcp.gather import Gathered
from gongmcp.render.answer import Answer
from gongmcp.render.text import render_answer, render_row
from gongmcp.render.wire import result_bytes

_CURSOR_BYTES = 400
"""Room kept for a short cursor in both channels while rows are fitted."""


def _size(tool: Tool, structured: dict[str, Any]) -> int:
    return len(result_bytes(Answer(render_answer(tool, structured), structured)))


def _json_size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def bound_rows(
    tool: Tool,
    policy: Policy,
    envelope: dict[str, Any],
    gathered: Gathered,
    notes: dict[str, Any],
    disclosure: Disclosure,
    given: Collection[str],
    seal: Callable[[Position], str],
) -> dict[str, Any]:
    """Return the structured answer of a row tool: the *gathered* rows that fit, and how to get the rest.

    *notes* are further columns of the envelope, disclosed; *given* names the arguments that the caller set; *seal*
    makes a cursor of a position.
    """
    rows = gathered.rows
    withheld = list(disclosure.withheld)

    def assemble(count: int) -> dict[str, Any]:
        by_bytes = count < len(rows)
        more = by_bytes or gathered.more
        standing = gathered.standing(count)
        out = dict(envelope)
        out["returned"] = count
        out["capped" if tool.cap_envelope else "truncated"] = more
        if more:
            out["cut_by"] = "bytes" if by_bytes else gathered.cut_by
            if tool.cap_envelope:
                out["suggested_refinements"] = _refinements(tool, given)
            if standing.position is not None:
                out["next_cursor"] = seal(standing.position)
        if standing.passed_over:
            out["evidence_held_back"] = standing.told(disclosure)
        if withheld:
            out["withheld_fields"] = withheld
        return {**out, **notes, "results": rows[:count]}

    empty = dict(assemble(0))
    longest = len(seal(gathered.end.position)) if gathered.more and gathered.end.position is not None else 0
    room = policy.max_response_bytes - _size(tool, empty) - max(_CURSOR_BYTES, 3 * longest)
    count = 0
    for row in rows:
        room -= _json_size(row) + _json_size(render_row(tool, count + 1, row)) + 2
        if room < 0:
            break
        count += 1
    structured = assemble(max(count, min(1, len(rows))))
    while structured["returned"] > 1 and _size(tool, structured) > policy.max_response_bytes:
        structured = assemble(structured["returned"] - 1)
    _drop_unsent(disclosure, structured["returned"])
    gathered.standing(structured["returned"]).note(disclosure.ledger)
    left_out = len(rows) - structured["returned"]
    if left_out or (gathered.more and gathered.cut_by == "limit"):
        rule = "bytes.max_response_bytes" if left_out else "limit"
        disclosure.ledger.add(
            Entry("capped", "row", rule, ("results",), count=max(left_out, 1)),
            f"One answer holds at most {policy.max_response_bytes} bytes."
            if left_out
            else f"More rows exist than the limit of {envelope.get('limit')}.",
        )
    return structured


def _drop_unsent(disclosure: Disclosure, sent: int) -> None:
    """Forget ledger entries of rows that were cut: the ledger speaks of the answer as sent."""
    disclosure.ledger.entries = [
        entry
        for entry in disclosure.ledger.entries
        if not (len(entry.place) > 1 and entry.place[0] == "results" and int(entry.place[1]) >= sent)
    ]


def _refinements(tool: Tool, given: Collection[str]) -> list[str]:
    sentences = [sentence for argument, sentence in tool.refinements if argument not in given]
    return sentences or ["Use more specific words or a narrower date range."]


def bound_object(
    tool: Tool, policy: Policy, head: dict[str, Any], body: dict[str, Any], disclosure: Disclosure
) -> dict[str, Any]:
    """Return the structured answer of an object tool; its lists lose items from the end until it fits."""
    withheld = {"withheld_fields": list(disclosure.withheld)} if disclosure.withheld else {}
    omitted: dict[str, int] = {}
    structured = {**head, **withheld, **body}
    while _size(tool, structured) > policy.max_response_bytes:
        lists = {name: value for name, value in body.items() if isinstance(value, list) and value}
        if not lists:
            break
        name = max(lists, key=lambda key: _json_size(lists[key]))
        body = {**body, name: lists[name][:-1]}
        omitted[name] = omitted.get(name, 0) + 1
        notice = {"truncated": True, "omitted": [{"field": key, "count": n} for key, n in omitted.items()]}
        structured = {**head, **withheld, **notice, **body}
    for name, count in omitted.items():
        kept = len(body[name])
        disclosure.ledger.entries = [
            entry
            for entry in disclosure.ledger.entries
            if not (len(entry.place) > 1 and entry.place[0] == name and int(entry.place[1]) >= kept)
        ]
        disclosure.ledger.add(
            Entry("capped", "item", "bytes.max_response_bytes", (name,), count=count),
            f"One answer holds at most {policy.max_response_bytes} bytes.",
        )
    return structured
