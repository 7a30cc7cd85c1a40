"""Comparing two lists of tools: every difference is found, and none that widens is called harmless."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from gongmcp.catalog.presets import PRESETS
from gongmcp.compare.calls import seen_under
from gongmcp.compare.surface import LOOSENED, REWORDED, TIGHTENED, compare_surfaces
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.fields import SWITCHES
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings

Info = dict[str, Any]


def listed(**flags: str) -> list[Info]:
    infos = [tool.info() for tool in build_handler(ServerSettings.resolve(flags, {})).tools()]
    plain: list[Info] = json.loads(json.dumps(infos))
    return plain


TOOL: Info = {
    "name": "find",
    "title": "Find",
    "description": "Finds.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 10},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 5},
            "include_ids": {"type": "boolean", "default": False},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["x"]}, "maxItems": 3},
            "day": {"type": "string", "format": "date"},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": ["ok"]},
            "results": {
                "type": "array",
                "items": {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False},
            },
        },
        "required": ["status"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    "limits": {"default": 2, "ceiling": 5, "hard": 10},
    "exposure": "metadata",
    "presets": ["all-readonly"],
    "aliases": [],
    "schema_version": "1",
}
ROW = "outputSchema.properties.results.items.properties"
ARGUMENTS = "inputSchema.properties"
GONE = object()

EDITS: list[tuple[str, Any, str, str]] = [
    # (what is edited, its new value, where the change is reported, the direction)
    (f"{ARGUMENTS}.limit.maximum", 6, "inputSchema.limit.maximum", LOOSENED),
    (f"{ARGUMENTS}.limit.maximum", 4, "inputSchema.limit.maximum", TIGHTENED),
    (f"{ARGUMENTS}.limit.maximum", GONE, "inputSchema.limit.maximum", LOOSENED),
    (f"{ARGUMENTS}.limit.minimum", 0, "inputSchema.limit.minimum", LOOSENED),
    (f"{ARGUMENTS}.limit.type", "number", "inputSchema.limit.type", LOOSENED),
    (f"{ARGUMENTS}.query.maxLength", 11, "inputSchema.query.maxLength", LOOSENED),
    (f"{ARGUMENTS}.query.minLength", GONE, "inputSchema.query.minLength", LOOSENED),
    (f"{ARGUMENTS}.query.minLength", 2, "inputSchema.query.minLength", TIGHTENED),
    (f"{ARGUMENTS}.query.type", "integer", "inputSchema.query.type", LOOSENED),
    (f"{ARGUMENTS}.query.pattern", "^a", "inputSchema.query.pattern", TIGHTENED),
    (f"{ARGUMENTS}.kind.enum", ["a", "b", "c"], "inputSchema.kind.enum", LOOSENED),
    (f"{ARGUMENTS}.kind.enum", ["a"], "inputSchema.kind.enum", TIGHTENED),
    (f"{ARGUMENTS}.kind.enum", GONE, "inputSchema.kind.enum", LOOSENED),
    (f"{ARGUMENTS}.query.enum", ["a"], "inputSchema.query.enum", TIGHTENED),
    (f"{ARGUMENTS}.tags.items.enum", ["x", "y"], "inputSchema.tags[].enum", LOOSENED),
    (f"{ARGUMENTS}.tags.maxItems", 4, "inputSchema.tags.maxItems", LOOSENED),
    (f"{ARGUMENTS}.day.format", GONE, "inputSchema.day.format", LOOSENED),
    (f"{ARGUMENTS}.include_ids.default", True, "inputSchema.include_ids.default", LOOSENED),
    (f"{ARGUMENTS}.include_names", {"type": "boolean"}, "inputSchema.include_names", LOOSENED),
    (f"{ARGUMENTS}.include_ids", GONE, "inputSchema.include_ids", TIGHTENED),
    (f"{ARGUMENTS}.query.description", "Words.", "inputSchema.query.description", REWORDED),
    ("inputSchema.required", ["query", "kind"], "inputSchema.kind.required", TIGHTENED),
    ("inputSchema.required", [], "inputSchema.query.required", LOOSENED),
    ("inputSchema.additionalProperties", True, "inputSchema.additionalProperties", LOOSENED),
    (f"{ROW}.call_id", {"type": "string"}, "outputSchema.results[].call_id", LOOSENED),
    (f"{ROW}.text", GONE, "outputSchema.results[].text", TIGHTENED),
    ("outputSchema.properties.status.enum", ["ok", "more"], "outputSchema.status.enum", LOOSENED),
    ("outputSchema", GONE, "outputSchema.type", LOOSENED),
    ("limits.ceiling", 6, "limits.ceiling", LOOSENED),
    ("limits.hard", 9, "limits.hard", TIGHTENED),
    ("limits.default", 3, "limits.default", LOOSENED),
    ("limits", None, "limits.ceiling", LOOSENED),
    ("exposure", "snippet", "exposure", LOOSENED),
    ("exposure", "status", "exposure", TIGHTENED),
    ("exposure", "everything", "exposure", LOOSENED),
    ("annotations.readOnlyHint", False, "annotations.readOnlyHint", LOOSENED),
    ("annotations.destructiveHint", True, "annotations.destructiveHint", LOOSENED),
    ("annotations.openWorldHint", GONE, "annotations.openWorldHint", LOOSENED),
    ("annotations.idempotentHint", False, "annotations.idempotentHint", REWORDED),
    ("description", "Finds more.", "description", REWORDED),
    ("presets", [], "presets", REWORDED),
]


def edited(tool: Info, path: str, value: Any) -> Info:
    out = copy.deepcopy(tool)
    *folders, last = path.split(".")
    place = out
    for name in folders:
        place = place[name]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return out


@pytest.mark.parametrize(("path", "value", "where", "direction"), EDITS)
def test_each_edit_is_found_with_its_direction(path: str, value: Any, where: str, direction: str) -> None:
    diff = compare_surfaces([TOOL], [edited(TOOL, path, value)])
    found = {change.where: change.direction for change in diff.changed["find"]}
    assert found[where] == direction, found
    assert diff.looser is (LOOSENED in found.values())


@pytest.mark.parametrize(("path", "value", "where", "direction"), EDITS)
def test_the_way_back_is_the_opposite(path: str, value: Any, where: str, direction: str) -> None:
    back = compare_surfaces([edited(TOOL, path, value)], [TOOL])
    found = {change.where: change.direction for change in back.changed["find"]}
    if direction == TIGHTENED:
        assert found[where] == LOOSENED, found
        assert back.looser
    elif direction == REWORDED:
        assert found[where] == REWORDED
    else:
        assert found[where] in (TIGHTENED, LOOSENED)


def test_what_is_the_same_differs_in_nothing() -> None:
    diff = compare_surfaces(listed(), listed())
    assert diff.as_dict() == {"looser": False, "added": [], "removed": [], "changed": []}


def test_a_new_tool_is_looser_and_a_missing_one_is_not() -> None:
    small, large = listed(tool_preset="business-pilot"), listed()
    more = compare_surfaces(small, large)
    assert more.looser
    assert set(more.added) == {tool["name"] for tool in large} - {tool["name"] for tool in small}
    less = compare_surfaces(large, small)
    assert (less.looser, less.added) == (False, ())
    assert set(less.removed) == set(more.added)


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_never_loosens_and_its_absence_does(switch: str) -> None:
    plain, hidden = listed(), listed(policy_switches=switch)
    assert not compare_surfaces(plain, hidden).looser
    # A switch whose classes no tool shows changes nothing either way.
    assert compare_surfaces(hidden, plain).looser is (plain != hidden)


def test_alias_mode_loosens() -> None:
    diff = compare_surfaces(listed(), listed(provenance="alias"))
    assert diff.looser
    assert any(change.where.endswith("call_ref") for change in diff.changed["search_transcript_segments"])


def test_mcps_own_list_can_be_compared_with_ours() -> None:
    handler = build_handler(ServerSettings.resolve({}, {}))
    wire = json.loads(json.dumps([tool.wire() for tool in handler.tools()]))
    assert compare_surfaces(wire, listed()).as_dict()["changed"] == []


def test_what_a_call_shows_under_two_presets(handler: ToolHandler, make_handler: Callable[..., ToolHandler]) -> None:
    arguments = {"include_call_ids": True, "limit": 2}
    open_, public = (
        seen_under(handler, preset, "search_calls", arguments) for preset in ("all", "broad-public-redacted")
    )
    assert (open_.preset, open_.offered, open_.status, open_.rows) == ("all-readonly", True, "ok", 2)
    assert "results[].call_id" in open_.shown
    assert "results[].call_id" not in public.shown
    assert "call_id" in public.withheld
    served = make_handler(tool_preset="broad-public-redacted").call("search_calls", arguments)
    assert (public.bytes, public.tokens) == (served.bytes, served.tokens)


def test_a_call_that_a_preset_lacks_or_refuses_is_said(handler: ToolHandler) -> None:
    absent = seen_under(handler, "business-pilot", "search_calls", {})
    assert (absent.offered, absent.status, absent.shown, absent.bytes) == (False, "", (), 0)
    bad = seen_under(handler, "operator-smoke", "search_calls", {"limit": 0})
    assert (bad.status, bad.error, bad.rows) == ("error", "invalid_argument", 0)
    with pytest.raises(StartupRefusal):
        seen_under(handler, "no-such-preset", "search_calls", {})


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_an_alias_sees_what_its_tool_sees(preset: str, handler: ToolHandler) -> None:
    names = ("prioritize_transcripts_by_lifecycle", "rank_transcript_backlog")
    first, second = (seen_under(handler, preset, name, {"limit": 1}) for name in names)
    assert first == second
