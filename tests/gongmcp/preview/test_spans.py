"""The preview is the wire, and every range in it points at what it says."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from gongmcp.facade.pack_text import ROWS
from gongmcp.preview.lens import disagreements, lens_bytes, lens_text
from gongmcp.preview.model import Lens, Preview, Range
from gongmcp.render.text import scalar
from gongmcp.render.wire import result_bytes
from tests.gongmcp.preview.conftest import Previews

POLICIES = [
    {},
    {"provenance": "raw"},
    {"tool_preset": "business-pilot", "min_cell": "3"},
    {"max_response_bytes": "16384"},
]
NOT_IN_TEXT = {"status", "freshness", "limit", "capped", "truncated", "cut_by", "evidence_held_back"}
"""Members of the envelope that the text says in other words or not at all."""


def is_said_otherwise(place: tuple[str | int, ...], structured: dict[str, Any]) -> bool:
    """Whether the text need not repeat the value at *place*. A row of a pack of the facade it repeats."""
    if "result" not in structured:
        return place[0] in NOT_IN_TEXT
    if "routed_tool" in structured and place[0] == "result":
        return place[1] in NOT_IN_TEXT
    if place[0] == "result":
        return place[1] not in {*ROWS, "compared"}
    return place[0] in {*NOT_IN_TEXT, "as_of", "message", "hint"}


def at(value: Any, place: tuple[str | int, ...]) -> Any:
    for part in place:
        value = value[part]
    return value


def piece(channel: Any, where: Range) -> Any:
    return channel[where.start : where.end]


def check(made: Preview, seen: Counter[str]) -> None:
    answer = made.outcome.answer
    assert made.wire == result_bytes(answer)
    if answer.structured is None:
        (only,) = made.spans
        assert only.wire is not None
        assert json.loads(piece(made.wire, only.wire)) == answer.text
        return
    kept = [span for span in made.spans if span.state == "kept"]
    for span in kept:
        value = at(answer.structured, span.place)
        assert span.wire is not None
        assert json.loads(piece(made.wire, span.wire)) == value
        if span.text is None:
            assert is_said_otherwise(span.place, answer.structured) or value == [], (made.tool, span)
        else:
            shown, plain = piece(answer.text, span.text), scalar(value)
            quoted = (plain.replace("\n", "\n" + " " * indent + "> ") for indent in range(16))
            assert shown == plain or shown in quoted or value == [], (made.tool, span)
    wires = [span.wire for span in kept if span.wire is not None]
    assert all(a.end <= b.start for a, b in pairwise(wires)), "in the order of the wire"
    entries = [span for span in made.spans if span.state != "kept"]
    assert sorted(span.entry for span in entries) == list(range(len(made.outcome.ledger.entries)))
    for span in entries:
        seen[span.state] += 1
        entry = made.outcome.ledger.entries[span.entry]
        assert (span.state, span.kind, span.rule, span.place) == (entry.action, entry.kind, entry.rule, entry.place)
        assert span.reason
        assert span.layer
        if span.state == "redacted":
            mark = f"{{redacted:{entry.kind}}}"
            assert span.wire is not None
            assert span.text is not None
            assert piece(made.wire, span.wire).decode() == mark
            assert piece(answer.text, span.text) == mark
        elif span.rule == "text.max_chars":
            assert span.wire is not None
            assert "{cut:" in piece(made.wire, span.wire).decode()
        elif span.state == "omitted" and span.near is not None:
            assert span.wire is None
            around = json.loads(piece(made.wire, span.near))
            assert span.place[-1] not in around
        if len(span.place) > 1 and span.place[0] == "results":
            assert (span.wire or span.near) is not None
            assert (span.text or span.near_text) is not None
    redacted = [span.wire for span in entries if span.state == "redacted"]
    assert len(redacted) == len(set(redacted)), "each mark is pointed at once"


@pytest.mark.parametrize("flags", POLICIES, ids=str)
def test_every_range_points_at_what_it_says(flags: dict[str, str], previews: Previews) -> None:
    seen: Counter[str] = Counter()
    for made in previews(**flags):
        check(made, seen)
    expected = {"rounded", "merged"} if "min_cell" in flags else {"capped", "redacted", "cut", "removed"}
    assert {"omitted", *expected} <= seen.keys()


def test_a_range_that_is_off_by_one_would_be_noticed(previews: Previews) -> None:
    made = next(item for item in previews() if any(span.state == "redacted" for span in item.spans))
    span = next(span for span in made.spans if span.state == "redacted")
    assert span.wire is not None
    assert piece(made.wire, Range(span.wire.start + 1, span.wire.end)).decode() != f"{{redacted:{span.kind}}}"


def test_lenses_show_parts_of_the_wire_and_measure_them(previews: Previews) -> None:
    for made in previews():
        answer = made.outcome.answer
        assert lens_bytes(answer, Lens.WIRE) == made.wire
        assert lens_text(answer, Lens.CONTENT) == answer.text
        if answer.structured is not None:
            assert json.loads(lens_bytes(answer, Lens.STRUCTURED)) == answer.structured
            assert lens_bytes(answer, Lens.STRUCTURED) in made.wire
        for lens, size in made.sizes.items():
            shown = lens_bytes(answer, lens)
            assert (size.bytes, size.characters) == (len(shown), len(shown.decode()))
            assert 0 < size.tokens_low < size.tokens_high
        assert made.sizes[Lens.WIRE].tokens_low < made.outcome.tokens < made.sizes[Lens.WIRE].tokens_high
        assert disagreements(made) == ()
