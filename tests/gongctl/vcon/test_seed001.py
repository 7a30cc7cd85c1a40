"""The seed of the vCon tools, line by line, against live schemas and real answers: ``tests/seed001.yaml``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore
from gongctl.vcon.write_tools import all_tools
from gongmcp.cancel import Cancel
from gongmcp.errors import StartupRefusal, UnknownTool
from gongmcp.render.answer import Answer
from gongmcp.render.wire import result_bytes
from gongmcp.vcon.arguments import MAX_BYTES, checked
from gongmcp.vcon.catalogue import PROFILES, choose, reading_tools
from gongmcp.vcon.declaration import RATES
from gongmcp.vcon.faults import CODES, LEGACY
from gongmcp.vcon.handler import VconHandler
from gongmcp.vcon.rates import Rates
from tests.gongctl.vcon.corpus import FIRST, make_store, uuid_of

SEED: dict[str, Any] = YAML(typ="safe", pure=True).load(Path(__file__).parents[2] / "seed001.yaml")
TOOLS: dict[str, Any] = SEED["tools"]
DEPARTURES = {(row["tool"], row["item"]): row for row in SEED["departures"]}
NOWHERE = "0190a1b2-c3d4-8e5f-8a6b-ffffffffffff"

PART_CALLS: dict[str, dict[str, Any]] = {
    "add_party": {"party": {"name": "Guest Green"}},
    "add_dialog": {"dialog": {"type": "text", "parties": [0], "body": "Hello.", "encoding": "none"}},
    "add_analysis": {"analysis": {"type": "topics", "vendor": "example", "body": "money", "encoding": "none"}},
    "add_attachment": {
        "attachment": {"type": "note", "body": "A note.", "encoding": "none", "mediatype": "text/plain"}
    },
    "update_party": {"index": 1, "party": {"name": "Guest Green"}},
    "update_dialog": {"index": 0, "dialog": {"type": "text", "parties": [0], "body": "Bye.", "encoding": "none"}},
    "update_analysis": {
        "index": 1,
        "analysis": {"type": "topics", "vendor": "example", "body": "x", "encoding": "none"},
    },
    "update_attachment": {"index": 1, "attachment": {"type": "note", "body": "x", "encoding": "none"}},
    "remove_party": {"index": 1},
    "remove_dialog": {"index": 0},
    "remove_analysis": {"index": 1},
    "remove_attachment": {"index": 1},
    "manage_tag": {"action": "set", "key": "department", "value": "sales"},
    "remove_all_tags": {},
    "get_tags": {},
}
"""Arguments of the tools that take ``vcon_uuid``."""

CALLS: dict[str, dict[str, Any]] = {
    **{name: {"vcon_uuid": FIRST, **arguments} for name, arguments in PART_CALLS.items()},
    "vcon_fetch": {"id": FIRST, "include": ["core", "summary", "dealer", "tags", "counts"]},
    "vcon_search": {"limit": 2},
    "describe_response_shape": {"tool_name": "vcon_search"},
    "vcon_aggregate": {"tags": {"portal": "negative_experience"}},
    "create_vcon": {"vcon_data": {"vcon": "0.4.0", "parties": [{"name": "Agent Adams"}]}},
    "get_vcon": {"uuid": FIRST, "include_components": ["all"]},
    "update_vcon": {"uuid": FIRST, "updates": {"subject": "Resolved"}},
    "delete_vcon": {"uuid": FIRST, "confirm": True},
    "create_vcon_from_template": {
        "template_name": "phone_call",
        "parties": [{"name": "A. Adams"}, {"name": "C. Clark"}],
    },
    "search_vcons": {"subject": "invoice", "limit": 2},
    "search_vcons_content": {"query": "refund", "limit": 2},
    "search_vcons_hybrid": {"query": "refund", "limit": 2},
    "search_by_tags": {"tags": {"department": "support"}, "limit": 2, "return_full_vcons": True},
    "get_unique_tags": {"include_counts": True},
    "get_database_shape": {"include_columns": True},
    "analyze_query": {"query": "SELECT uuid FROM vcons", "analyze_mode": "explain_analyze"},
    "get_attachment_analytics": {"include_temporal_patterns": True},
    "get_tag_analytics": {"include_temporal_trends": True},
    "get_content_analytics": {"include_temporal_content": True},
    "get_smart_search_limits": {"query_type": "content", "estimated_result_size": "large"},
    "get_examples": {"example_type": "phone_call"},
}
"""Arguments with which each tool answers; a tool that is not here takes none."""

UNANSWERED = {"search_vcons_semantic"}
"""Tools that need vectors, of which there are none."""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("seed001") / "full.db", 8)


@pytest.fixture(scope="module")
def reader(full: Path) -> Iterator[VconHandler]:
    """All tools over the full store; nothing is written to it."""
    handler = VconHandler(full, all_tools(), choose(all_tools()), rates=Rates(clock=_Years()))
    yield handler
    handler.close()


@pytest.fixture
def server(full: Path, tmp_path: Path) -> Iterator[VconHandler]:
    """All tools over a store of its own."""
    handler = serving(shutil.copy(full, tmp_path / "own.db"))
    yield handler
    handler.close()


class _Years:
    """A clock in which an hour passes with every look, so that no rate is reached."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 3600
        return self.now


def serving(path: Path | str, **settings: Any) -> VconHandler:
    from contextlib import contextmanager

    @contextmanager
    def writing() -> Iterator[VconService]:
        with VconStore.open(Path(path)) as store:
            yield VconService(store, "test")

    tools = all_tools()
    given = {"rates": Rates(clock=_Years()), **settings}
    return VconHandler(Path(path), tools, given.pop("choice", choose(tools)), writing=writing, **given)


def ask(handler: VconHandler, name: str, arguments: dict[str, Any] | None = None) -> Answer:
    answer = handler.answer(name, arguments, Cancel())
    assert answer.structured is not None
    schema = next(info.output_schema for info in handler.tools() if info.name == name)
    jsonschema.Draft202012Validator(schema).validate(answer.structured)
    with pytest.raises(ValueError):
        json.loads(answer.text)
    return answer


def body(handler: VconHandler, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    answer = ask(handler, name, arguments)
    assert answer.structured is not None
    assert not answer.is_error, answer.text
    return answer.structured


def code_of(answer: Answer) -> str:
    assert answer.structured is not None
    error = answer.structured["error"]
    return str(error["code"] if isinstance(error, dict) else answer.structured["code"])


# --- the catalogue -------------------------------------------------------------------------------------------


def test_there_are_the_46_tools() -> None:
    assert set(all_tools()) == set(TOOLS)
    assert len(TOOLS) == 46


@pytest.mark.parametrize("name", TOOLS)
def test_category(name: str) -> None:
    assert all_tools()[name].category == TOOLS[name]["category"]


@pytest.mark.parametrize("name", TOOLS)
def test_parameters_are_as_the_seed_says(name: str) -> None:
    for path, wanted in TOOLS[name]["params"].items():
        departs = (name, f"params.{path}") in DEPARTURES
        different = _differences(all_tools()[name].input_schema(verbatim=True), path, wanted)
        assert bool(different) == departs, (path, wanted["line"], different)


def _differences(schema: dict[str, Any], path: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what the parameter at *path* has other than the seed says of it."""
    parent, required = schema, False
    for step in path.split("."):
        if step == "*":
            return {} if parent.get("additionalProperties", True) is not False else {"*": False}
        if step not in parent["properties"]:
            return {"name": step}
        required = step in parent.get("required", ())
        parent = parent["properties"][step]
    found = {
        "required": required,
        "default": parent.get("default"),
        "enum": parent.get("enum"),
        "maximum": parent.get("maximum"),
        "items": parent.get("minItems") if parent.get("minItems") == parent.get("maxItems") else None,
    }
    if "holds" in wanted and not set(wanted["holds"]) <= set(parent["items"]["enum"]):
        return {"holds": parent["items"]["enum"]}
    return {key: value for key, value in found.items() if key in wanted and _plain(value) != _plain(wanted[key])}


def _plain(value: Any) -> Any:
    return set(value) if isinstance(value, list) else value


def _schema_at(schema: dict[str, Any], path: str) -> dict[str, Any] | None:
    found: Any = schema
    for step in path.split("."):
        plain = step.removesuffix("[]")
        properties = found.get("properties", {})
        if plain == "*":
            other = found.get("additionalProperties")
            found = other if isinstance(other, dict) else next(iter(properties.values()), None)
        elif plain in properties:
            found = properties[plain]
        else:
            return None
        if step.endswith("[]"):
            found = found.get("items")
        if found is None:
            return None
    return found if isinstance(found, dict) else {}


@pytest.mark.parametrize("name", TOOLS)
def test_the_schema_of_an_answer_has_the_seeds_keys(name: str, reader: VconHandler) -> None:
    schema = next(info.output_schema for info in reader.tools() if info.name == name)
    assert schema["required"] == [all_tools()[name].flag]
    for path in TOOLS[name]["response"]:
        there = _schema_at(schema, path) is not None
        assert there == ((name, f"response.{path}") not in DEPARTURES), path


def _holds(value: Any, path: list[str]) -> bool:
    """Tell whether *path* stands in *value*; an empty list has nothing to show and counts."""
    if not path:
        return True
    step, rest = path[0].removesuffix("[]"), path[1:]
    if step == "*":
        return all(_holds(item, rest) for item in value.values())
    if not isinstance(value, dict) or step not in value:
        return False
    inner = value[step]
    if path[0].endswith("[]"):
        return all(_holds(item, rest) for item in inner)
    return _holds(inner, rest)


@pytest.mark.parametrize("name", sorted(set(TOOLS) - UNANSWERED))
def test_a_real_answer_has_the_seeds_keys(name: str, reader: VconHandler, request: pytest.FixtureRequest) -> None:
    handler = request.getfixturevalue("server") if all_tools()[name].writes else reader
    found = body(handler, name, CALLS.get(name))
    optional = {path for path, rule in TOOLS[name]["response"].items() if rule.get("optional")}
    either = {"key", "value", "exists"} if name == "get_tags" else set()
    for path in TOOLS[name]["response"]:
        below = any(path.startswith((f"{part}.", f"{part}[]")) for part in optional)
        if path in optional or below or path in either or (name, f"response.{path}") in DEPARTURES:
            continue
        assert _holds(found, path.split(".")), path


def test_no_departure_is_about_nothing() -> None:
    for row in SEED["departures"]:
        where, _, path = row["item"].partition(".")
        assert TOOLS[row["tool"]][where][path]["line"] == row["line"]
        assert row["reason"]


# --- four cases of each tool ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TOOLS)
def test_invalid_arguments_are_refused_by_name(name: str, reader: VconHandler) -> None:
    answer = ask(reader, name, {**CALLS.get(name, {}), "no_such_argument": 1})
    assert answer.is_error
    assert code_of(answer) == ("INVALID_ARGUMENT" if all_tools()[name].contract else "VALIDATION_ERROR")
    assert "no_such_argument" in answer.text


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VconHandler]:
    handler = serving(make_store(tmp_path_factory.mktemp("seed001") / "empty.db", 0))
    yield handler
    handler.close()


@pytest.mark.parametrize("name", sorted(set(TOOLS) - UNANSWERED - {"create_vcon", "create_vcon_from_template"}))
def test_an_empty_store_has_an_answer_for_everything(name: str, empty: VconHandler) -> None:
    answer = ask(empty, name, CALLS.get(name))
    assert answer.structured is not None
    about_one = {"id", "uuid", "vcon_uuid"} & CALLS.get(name, {}).keys()
    if about_one:
        assert code_of(answer) == "NOT_FOUND"
        assert not answer.is_error, "looked for and not there is no error of MCP"
        assert answer.structured[all_tools()[name].flag] is False
    else:
        assert answer.structured[all_tools()[name].flag] is True


@pytest.mark.parametrize("name", sorted(name for name in TOOLS if name not in UNANSWERED))
def test_too_large_is_said_and_never_cut(name: str, full: Path, tmp_path: Path) -> None:
    tool = all_tools()[name]
    small = serving(shutil.copy(full, tmp_path / "own.db") if tool.writes else full, max_response_bytes=1024)
    if tool.writes:  # what was done is never called a failure: the copy of the vCon is left out, and named
        answer = ask(small, name, CALLS[name])
        assert answer.structured is not None
        assert answer.structured["success"] is True
        whole = len(result_bytes(ask(serving(shutil.copy(full, tmp_path / "b.db")), name, CALLS[name])))
        assert ("left_out" in answer.structured) == (whole > 1024)
        huge = ask(small, name, {**CALLS[name], "if_updated_at": "x" * MAX_BYTES})
        assert code_of(huge) == "VALIDATION_ERROR"
        return
    arguments = {**CALLS.get(name, {})}
    whole_size = len(result_bytes(ask(serving(full), name, arguments)))
    answer = ask(small, name, arguments)
    assert answer.structured is not None
    if whole_size <= 1024:
        assert answer.structured[tool.flag] is True
        return
    error = answer.structured["error"] if tool.contract else answer.structured["details"]
    assert code_of(answer) == ("RESPONSE_TOO_LARGE" if tool.contract else "VALIDATION_ERROR")
    assert answer.is_error
    assert error["max_response_bytes"] == 1024 < error["approximate_bytes"]
    assert abs(error["approximate_bytes"] - whole_size) < 64
    assert error["largest_groups"][0]["bytes"] > 0


def test_vectors_are_missing_and_that_is_said(reader: VconHandler) -> None:
    legacy = ask(reader, "search_vcons_semantic", {"query": "an upset customer"})
    assert legacy.is_error
    assert code_of(legacy) == "DATABASE_ERROR"
    assert legacy.structured is not None
    assert legacy.structured["details"]["reason"] == "PROVIDER_UNAVAILABLE"
    newer = ask(reader, "vcon_search", {"mode": "semantic", "embedding": [0.1] * 384})
    assert code_of(newer) == "PROVIDER_UNAVAILABLE"
    assert code_of(ask(reader, "search_vcons_semantic", {"embedding": [0.1]})) == "VALIDATION_ERROR"


# --- profiles, codes, rates ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEED["profiles"])
def test_a_profile_has_the_seeds_categories(name: str, full: Path) -> None:
    wanted = SEED["profiles"][name]
    assert set(PROFILES[name].categories) == set(wanted["categories"])
    offered = choose(all_tools(), profile=name).of(all_tools())
    assert set(offered) == {
        tool for tool, row in TOOLS.items() if row["category"] in wanted["categories"] and tool not in wanted["without"]
    }
    handler = VconHandler(full, all_tools(), choose(all_tools(), profile=name))
    prompts = {prompt.name for prompt in handler.prompts()}
    assert ("daily_activity_report" in prompts) == ("analytics" in wanted["categories"])
    absent = next((tool for tool in TOOLS if tool not in offered), None)
    if absent is not None:
        with pytest.raises(UnknownTool):
            handler.answer(absent, {}, Cancel())
    assert ("Corpus:" in handler.tools()[0].description) == (name == "public")


def test_with_nothing_set_all_is_on_and_what_is_set_is_obeyed() -> None:
    tools = all_tools()
    assert set(choose(tools).of(tools)) == set(tools)
    only = choose(tools, enabled="read,write,schema").of(tools)
    assert {tool.category for tool in only.values()} == {"read", "write", "schema"}
    less = choose(tools, disabled="analytics,infra").of(tools)
    assert set(less) == set(only)
    gone = choose(tools, profile="full", without="delete_vcon,analyze_query").of(tools)
    assert set(tools) - set(gone) == {"delete_vcon", "analyze_query"}
    stronger = choose(tools, profile="readonly", enabled="write").of(tools)
    assert {tool.category for tool in stronger.values()} == {"read", "schema"}


@pytest.mark.parametrize(
    "settings",
    [
        {"profile": "readnoly"},
        {"enabled": "reed"},
        {"disabled": "Infra"},
        {"without": "delete_vcn"},
        {"disabled": "read,write,schema,analytics,infra"},
    ],
)
def test_a_misspelt_name_refuses_to_start(settings: dict[str, str]) -> None:
    with pytest.raises(StartupRefusal):
        choose(all_tools(), **settings)


def test_the_seeds_codes_are_those_that_are_used() -> None:
    assert set(SEED["codes"]) - {"RESPONSE_TOO_LARGE"} == set(LEGACY)
    assert "RESPONSE_TOO_LARGE" in CODES


def test_the_seeds_rates_hold_for_each_client(full: Path) -> None:
    assert {name: row["per_minute"] for name, row in SEED["rates"].items()} == RATES

    class Clock:
        now = 0.0

        def __call__(self) -> float:
            return self.now

    clock = Clock()
    handler = VconHandler(full, all_tools(), choose(all_tools()), rates=Rates(clock))
    for _ in range(100):
        assert not handler.answer("search_by_tags", {"tags": {"no": "such"}}, Cancel()).is_error
    answer = handler.answer("search_by_tags", {"tags": {"no": "such"}}, Cancel())
    assert code_of(answer) == "RATE_LIMIT_EXCEEDED"
    assert answer.structured is not None
    assert answer.structured["details"]["retry_after_seconds"] == 60
    assert not handler.answer("get_tags", {"vcon_uuid": FIRST}, Cancel()).is_error, "other kinds go on"
    clock.now = 60.0
    assert not handler.answer("search_by_tags", {"tags": {"no": "such"}}, Cancel()).is_error


def test_pages_by_limit_offset_and_has_more(reader: VconHandler) -> None:
    assert all_tools()["search_vcons"].properties["limit"]["maximum"] == SEED["paging"]["max_limit"]
    seen: list[str] = []
    offset = 0
    while True:
        found = body(reader, "search_vcons", {"limit": 3, "offset": offset})
        seen += [vcon["uuid"] for vcon in found["vcons"]]
        offset += 3
        if not found["has_more"]:
            break
    assert sorted(seen) == [uuid_of(number) for number in range(1, 9)]


def test_only_tools_that_write_say_so(reader: VconHandler) -> None:
    for info in reader.tools():
        writes = TOOLS[info.name]["category"] == "write"
        assert info.annotations["readOnlyHint"] is not writes
        if info.annotations["destructiveHint"]:
            assert writes
    assert all_tools()["delete_vcon"].destructive


def test_the_page_lists_the_tools_as_they_are() -> None:
    page = (Path(__file__).parents[3] / "docs" / "vcon-tools.md").read_text(encoding="utf-8")
    for tool in all_tools().values():
        row = f"| `{tool.name}` | {tool.category} | {tool.rate} |"
        assert row in page
        if tool.instead:
            assert f"| `{tool.name}` | `{tool.instead.split()[0]}`" in page
    for name, profile in PROFILES.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |") and "read" in line]
        assert all(category in row for category in profile.categories)


@pytest.mark.parametrize("verbatim", [True, False])
def test_published_examples_fit_their_schema_and_older_tools_name_the_newer(verbatim: bool) -> None:
    tools = all_tools() if verbatim else reading_tools()
    for tool in tools.values():
        schema = tool.input_schema(verbatim=verbatim)
        jsonschema.Draft202012Validator.check_schema(schema)
        for example in schema.get("examples", ()):
            jsonschema.Draft202012Validator(schema).validate(example)
            checked(schema, example)
        if not tool.contract and not tool.writes:
            assert tool.instead.split()[0] in tools
            assert tool.text().endswith(f"Prefer {tool.instead} in new clients.")
    assert sum("examples" in tool.input_schema(verbatim=verbatim) for tool in tools.values()) > 10
