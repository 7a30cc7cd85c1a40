"""Hostile text arrives quoted and inert, whatever tool it leaves by; and what was taken out of it is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gongmcp.catalog.registry import catalog
from gongmcp.exposure.clean import clean
from gongmcp.handler import Outcome, ToolHandler
from gongmcp.render import text
from gongmcp.render.visible import UNSAFE
from tests.gongmcp.conftest import MakeHandler, build_cache
from tests.gongmcp.hostile import HOSTILE, NEVER_SHOWN, PLACES, WORD, call_id, write_files

NUMBERS = range(len(HOSTILE))
MARKER = re.compile("(" + "|".join(PLACES.values()) + ")([0-9]{2})")
LINE_ENDS = re.compile("[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
"""Whatever some reader takes for the end of a line."""

EVERYTHING = {"provenance": "raw", "max_response_bytes": str(4 * 1024 * 1024)}
INVISIBLE_SPOKEN = [number for number, hostile in enumerate(HOSTILE) if clean(hostile)[1]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    return build_cache(folder / "hostile.db", write_files(folder))


def calls(handler: ToolHandler) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (tool, arguments) of calls that reach every planted text, as an agent would find its way to it."""
    listed = handler.call("list_crm_object_types", {}).answer.structured
    fields = handler.call("list_crm_fields", {"object_type": "Account", "limit": 200}).answer.structured
    assert listed is not None
    assert fields is not None
    types = [row["object_type"] for row in listed["results"]]
    names = [row["field_name"] for row in fields["results"]]
    own: dict[str, list[dict[str, Any]]] = {
        "get_call": [{"call_id": call_id(number)} for number in NUMBERS],
        "get_scorecard": [{"scorecard_id": f"8{number:02d}"} for number in NUMBERS],
        "search_transcript_segments": [{"query": WORD}],
        "search_transcripts_by_call_facts": [{"query": WORD}],
        "search_transcripts_by_crm_context": [
            {"query": WORD, "object_type": name} for name in ("Account", *types[-3:])
        ],
        "search_transcript_quotes_with_attribution": [{"query": WORD}],
        "summarize_call_facts": [
            {"group_by": name} for name in ("system", "direction", "industry", "opportunity_stage")
        ],
        "list_crm_fields": [{"object_type": name} for name in types],
        "search_crm_field_values": [
            {"object_type": "Account", "field_name": name, "value_query": WORD} for name in names
        ],
        "crm_field_population_matrix": [{"object_type": "Opportunity"}, {"object_type": "Account"}],
        "compare_lifecycle_crm_fields": [
            {"bucket_a": "active_sales_pipeline", "bucket_b": "renewal", "object_type": "Account"}
        ],
    }
    for name, tool in catalog().items():
        accepted = tool.arguments.__struct_fields__
        flags = {flag: True for flag in accepted if flag.startswith("include_")}
        more = {"limit": 200} if "limit" in accepted else {}
        for arguments in own.get(name, [{}]):
            yield name, {**arguments, **flags, **more}


def escaped(outcome: Outcome) -> list[str]:
    """Return what is wrong with an answer: lines with a planted text that are no quotation, and characters that
    nobody sees or that a terminal acts on, in either channel."""
    answer = outcome.answer
    found = [
        f"unquoted: {line!r}"
        for line in LINE_ENDS.split(answer.text)
        if MARKER.search(line) and not line.lstrip().startswith("> ")
    ]
    for string in [answer.text, *strings(answer.structured)]:
        found += [f"alive: {match!r}" for match in UNSAFE.findall(string) if match not in "\n\t"]
        found += [f"alive: {match!r}" for match in re.findall("[\ufe0f\U000e0100-\U000e01ef]", string)]
    return found


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(string for item in value.values() for string in strings(item))]
    if isinstance(value, list):
        return [string for item in value for string in strings(item)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("provenance", ["redacted", "alias", "raw"])
def test_hostile_text_arrives_quoted_and_inert(cache: Path, make_handler: MakeHandler, provenance: str) -> None:
    handler = make_handler(cache, **{**EVERYTHING, "provenance": provenance})
    arrived: set[tuple[str, int]] = set()
    for name, arguments in calls(handler):
        outcome = handler.call(name, arguments)
        assert escaped(outcome) == [], (name, arguments)
        in_text = {(place, int(number)) for place, number in MARKER.findall(outcome.answer.text)}
        in_structure = {
            (place, int(number))
            for string in strings(outcome.answer.structured)
            for place, number in MARKER.findall(string)
        }
        assert in_text == in_structure, name
        arrived |= in_text
    for place, marker in PLACES.items():
        missing = {number for number in NUMBERS if (marker, number) not in arrived}
        if place in NEVER_SHOWN:
            assert len(missing) == len(HOSTILE), place
        else:
            assert missing <= ({1} if place in ("spoken", "object name") else set()), place


def test_a_caller_cannot_put_lines_into_an_answer_by_what_it_asks_for(cache: Path, make_handler: MakeHandler) -> None:
    """What is looked for in vain is repeated, quoted and inert, on both channels."""
    handler = make_handler(cache)
    for number, hostile in enumerate(HOSTILE):
        asked = hostile.format(m=f"{PLACES['system']}{number:02d}").replace("\x00", "")
        for name, arguments in (
            ("search_calls", {"system": "x" + asked}),
            ("search_transcript_segments", {"query": WORD, "system": "x" + asked}),
            ("opportunity_call_summary", {"stage_values": ["x" + asked]}),
        ):
            outcome = handler.call(name, arguments)
            assert outcome.answer.structured is not None, outcome.answer.text
            assert outcome.answer.structured["returned"] == 0
            assert MARKER.search(outcome.answer.text)
            assert escaped(outcome) == []
            removed = [entry for entry in outcome.ledger.entries if entry.action == "removed"]
            assert bool(removed) == bool(clean(asked)[1])


@pytest.mark.parametrize(
    ("name", "arguments", "column", "marker"),
    [
        ("search_calls", {"include_call_titles": True}, "title", PLACES["title"]),
        ("search_transcript_segments", {"query": WORD}, "snippet", PLACES["spoken"]),
        (
            "search_crm_field_values",
            {"object_type": "Account", "field_name": "Industry", "value_query": "QZIN", "include_value_snippets": True},
            "value_snippet",
            PLACES["industry"],
        ),
        ("list_gong_settings", {"kind": "trackers"}, "name", PLACES["tracker"]),
        ("list_scorecards", {}, "name", PLACES["scorecard"]),
    ],
)
def test_what_was_removed_is_counted(
    cache: Path, make_handler: MakeHandler, name: str, arguments: dict[str, Any], column: str, marker: str
) -> None:
    outcome = make_handler(cache, **EVERYTHING).call(name, {**arguments, "limit": 100})
    assert outcome.answer.structured is not None
    counted = {
        entry.place[1] for entry in outcome.ledger.entries if entry.action == "removed" and entry.place[2] == column
    }
    expected = set()
    for position, row in enumerate(outcome.answer.structured["results"]):
        found = re.search(f"{marker}([0-9]{{2}})", row.get(column, ""))
        assert found is not None, row
        if int(found[1]) in INVISIBLE_SPOKEN:
            expected.add(position)
    assert expected
    assert counted == expected


def test_control_without_the_quotation_the_lines_are_found(
    cache: Path, make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "_quote", lambda name, value, indent: [f"{indent}{name}: {value}"])
    handler = make_handler(cache, **EVERYTHING)
    unquoted = {name for name, arguments in calls(handler) if escaped(handler.call(name, arguments))}
    assert {"search_calls", "search_transcript_segments", "get_scorecard", "list_crm_object_types"} <= unquoted


def test_control_without_cleaning_the_characters_are_found(
    cache: Path, make_handler: MakeHandler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts are cleaned when they are masked or imported, and what is left when they leave: both off, they live."""
    everywhere = ("gongctl.cache.derive", "gongctl.cache.settings_rows", "gongmcp.exposure.engine")
    for module in everywhere:
        monkeypatch.setattr(f"{module}.clean", lambda string: (string, 0))
    monkeypatch.setattr("gongctl.cache.derive._crm_name", lambda string: string)  # names are masked, which cleans too
    handler = make_handler(build_cache(tmp_path / "uncleaned.db", write_files(tmp_path)), **EVERYTHING)
    assert any(line.startswith("alive") for line in escaped(handler.call("search_calls", {"system": "x\u202e\x1b[2J"})))
    listed = handler.call("list_crm_object_types", {})
    assert any(line.startswith("alive") for line in escaped(listed))
    assert any(line.startswith("unquoted") for line in escaped(listed)), "a return or a separator ends the quotation"
