"""Each gate passes on what the server sends, and closes on the fault that it is there for."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from gongmcp.catalog.registry import catalog
from gongmcp.exposure.ledger import Entry
from gongmcp.handler import Outcome, ToolHandler
from gongmcp.preview.gates import NAMES
from gongmcp.preview.make import preview
from gongmcp.preview.model import Preview
from gongmcp.preview.residual import residual
from gongmcp.render.answer import Answer
from gongmcp.render.text import render_answer
from gongmcp.render.wire import result_bytes
from tests.gongmcp.conftest import MakeHandler
from tests.gongmcp.preview.conftest import Previews

TOOL, ARGUMENTS = "search_transcript_segments", {"query": "revenue", "limit": 3}
Change = Callable[[dict[str, Any]], None]


class Tampered:
    """A handler whose answers were changed behind the engine."""

    def __init__(self, handler: ToolHandler, change: Change, *, text_too: bool = True, fresh: str = "fresh") -> None:
        self._handler, self._change, self._text_too, self._fresh = handler, change, text_too, fresh
        self.policy, self.tool = handler.policy, handler.tool

    def call(self, name: str, arguments: Mapping[str, Any], cancel: object = None) -> Outcome:
        outcome = self._handler.call(name, arguments)
        structured = copy.deepcopy(outcome.answer.structured)
        assert structured is not None
        self._change(structured)
        text = render_answer(catalog()[name], structured) if self._text_too else outcome.answer.text
        answer = Answer(text, structured)
        return replace(outcome, answer=answer, bytes=len(result_bytes(answer)))

    def freshness(self) -> dict[str, Any]:
        return {**self._handler.freshness(), "freshness": self._fresh}


def closed(made: Preview) -> list[str]:
    return [gate.name for gate in made.gates if not gate.passed]


def tampered(handler: ToolHandler, change: Change, **how: Any) -> Preview:
    return preview(cast(ToolHandler, Tampered(handler, change, **how)), TOOL, ARGUMENTS)


def test_what_the_server_sends_passes(previews: Previews) -> None:
    passed = 0
    for made in previews():
        assert tuple(gate.name for gate in made.gates) == NAMES
        allowed = {"arguments", "answer"} if made.outcome.answer.is_error else set()
        assert set(closed(made)) <= allowed, [gate for gate in made.gates if not gate.passed]
        assert made.approvable is not made.outcome.answer.is_error
        passed += made.approvable
    assert passed > len(catalog())


CHANGES: dict[str, tuple[str, Change, bool]] = {
    "a member that the schema does not know": ("schema", lambda it: it.update(more=1), True),
    "a value of another type": ("schema", lambda it: it["results"][0].update(segment_index="one"), True),
    "a row that the text lacks": ("channels", lambda it: it["results"][0].update(snippet="other words"), False),
    "a mask in one channel alone": (
        "channels",
        lambda it: it["results"][1].update(snippet=it["results"][1]["snippet"] + " {redacted:email}"),
        False,
    ),
    "an address": ("residual", lambda it: it["results"][0].update(snippet="mail sam@example.com today"), True),
    "a card": ("residual", lambda it: it["results"][0].update(snippet="card 4111 1111 1111 1111 it is"), True),
    "an answer over its cap": ("cap", lambda it: it["results"][0].update(snippet="long " * 12_000), True),
    "an id that is withheld": ("withheld", lambda it: it["results"][0].update(call_id="1"), True),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_gate_closes_on_its_fault(name: str, handler: ToolHandler) -> None:
    gate, change, text_too = CHANGES[name]
    made = tampered(handler, change, text_too=text_too)
    assert gate in closed(made), made.gates
    assert not made.approvable


@pytest.mark.parametrize(
    ("tool", "operation", "rows", "column"),
    [
        ("gong_get_evidence", "evidence.quote_pack.build", "results", "snippet"),
        ("gong_analyze", "theme_intelligence_report", "evidence", "snippet"),
    ],
)
def test_the_gates_look_at_the_rows_behind_the_facade(
    tool: str, operation: str, rows: str, column: str, handler: ToolHandler
) -> None:
    def change(structured: dict[str, Any]) -> None:
        structured["result"][rows][0][column] = "mail sam@example.com today"

    (arguments,) = [item for item in catalog()[tool].examples if item.get("operation") == operation]
    assert closed(preview(handler, tool, arguments)) == []
    one = cast(ToolHandler, Tampered(handler, change, text_too=False))
    assert {"channels", "residual"} <= set(closed(preview(one, tool, arguments)))


def test_a_withheld_column_in_the_text_alone_is_seen(handler: ToolHandler) -> None:
    outcome = handler.call(TOOL, ARGUMENTS)
    (first, *_) = [entry for entry in outcome.ledger.entries if entry.action == "omitted" and len(entry.place) == 3]
    name = first.place[-1]
    text = outcome.answer.text.replace("\n1. ", f"\n1. {name} 17 · ", 1)
    assert text != outcome.answer.text
    answer = replace(outcome.answer, text=text)
    changed = replace(outcome, answer=answer, bytes=len(result_bytes(answer)))
    one = Tampered(handler, lambda it: None)
    one.call = lambda *_: changed  # type: ignore[method-assign]
    assert "withheld" in closed(preview(cast(ToolHandler, one), TOOL, ARGUMENTS))


def test_a_mask_that_is_missing_is_seen(handler: ToolHandler) -> None:
    outcome = handler.call(TOOL, ARGUMENTS)
    outcome.ledger.add(Entry("redacted", "email", "mask.email", ("results", 0, "snippet"), 0, 5), "It is masked.")
    one = Tampered(handler, lambda it: None)
    one.call = lambda *_: outcome  # type: ignore[method-assign]
    assert "withheld" in closed(preview(cast(ToolHandler, one), TOOL, ARGUMENTS))


def test_a_stale_model_bad_arguments_and_figures_that_differ(handler: ToolHandler) -> None:
    assert closed(tampered(handler, lambda it: None, fresh="stale")) == ["fresh"]
    bad = preview(handler, TOOL, {"query": "revenue", "limit": 0})
    assert closed(bad) == ["arguments"]
    assert "limit" in bad.gates[0].detail
    refused = preview(handler, "search_transcript_quotes_with_attribution", {"query": "a", "account_query": "b"})
    assert closed(refused) == ["answer"]
    one = Tampered(handler, lambda it: None)
    outcome = replace(handler.call(TOOL, ARGUMENTS), bytes=1)
    one.call = lambda *_: outcome  # type: ignore[method-assign]
    assert closed(preview(cast(ToolHandler, one), TOOL, ARGUMENTS)) == ["wire"]


def test_the_digest_binds_definition_arguments_policy_and_bytes(make_handler: MakeHandler) -> None:
    handler = make_handler()
    made = preview(handler, TOOL, ARGUMENTS)
    assert made.digest == preview(make_handler(), TOOL, ARGUMENTS).digest
    others = [
        preview(handler, TOOL, {**ARGUMENTS, "limit": 2}),
        preview(make_handler(provenance="alias"), TOOL, ARGUMENTS),
        preview(make_handler(evidence_per_answer="2"), TOOL, ARGUMENTS),
        tampered(handler, lambda it: it["results"][0].update(snippet="other")),
    ]
    assert len({made.digest, *(other.digest for other in others)}) == 1 + len(others)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("write to sam@example.com", ["email"]),
        ("4111-1111-1111-1111 it was", ["card"]),
        ("to DE89 3704 0044 0532 0130 00 please", ["iban"]),
        ("call +1 202 555 0187 now", ["phone"]),
        ("5815783068569111023", []),
        ("the 4111111111111112 is none", []),
        ("revenue of 1 250 000 in 2025, plus 12%", []),
        ("[@click=app.quit]x[/] @ a.test", []),
        ("{redacted:email} and {redacted:card}", []),
    ],
)
def test_the_second_look_knows_written_forms(text: str, kinds: list[str]) -> None:
    assert list(residual(text)) == kinds
