"""Rules of ``docs/rules.md`` that are about the whole: each over the real commands and a real cache."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client

from gongmcp.catalog.dimensions import DIMENSION_ALIASES, DIMENSIONS, PROFILE_CONCEPT
from gongmcp.catalog.registry import catalog
from gongmcp.handler import Outcome, ToolHandler, build_handler
from gongmcp.protocol.server import create_mcp_server
from gongmcp.settings import ServerSettings
from gongmcp.store.connection import StorePool
from tests.docs.conftest import from_scripts

ROOT = Path(__file__).resolve().parents[2]
CALL = "1737110886633599187"
"""A call of the sample with a transcript, an account and an opportunity."""

QUESTIONS: dict[str, dict[str, Any]] = {
    **{name: dict(tool.examples[0]) for name, tool in catalog().items() if tool.examples},
    **from_scripts("docgen.catalogue").read_examples(),
}
"""The example arguments of the tools, as the documents have them."""

READS_NO_CACHE = "gong_discover_capabilities"
"""The one tool that tells of the server alone: it answers without a cache and says nothing of freshness."""


def handler_over(db: Path | None, **settings: str) -> ToolHandler:
    return build_handler(ServerSettings.resolve(settings, {}), db)


def ask_everything(handler: ToolHandler) -> dict[str, Outcome]:
    return {tool.name: handler.call(tool.name, QUESTIONS.get(tool.name)) for tool in handler.tools()}


def without_profile(outcome: Outcome) -> bool:
    """Tell whether the tool only says that it needs a business profile, of which the sample has none."""
    return outcome.answer.error is not None and outcome.answer.error["code"] == "profile_missing"


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("GONGCTL_", "GONGMCP_"))}


def gongmcp(*words: str, talk: str = "", prelude: str = "") -> subprocess.CompletedProcess[str]:
    """Run the server command with *talk* on its input, *prelude* executed before its start."""
    start = f"{prelude}\nimport sys\nfrom gongmcp.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", start, *words]
    return subprocess.run(command, input=talk, env=clean_environment(), capture_output=True, text=True, check=False)


def conversation(handler: ToolHandler) -> str:
    """Return the messages of a client that greets, lists the tools and calls each of them."""
    greeting = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "rules", "version": "1"}}
    calls = [("tools/call", {"name": tool.name, "arguments": QUESTIONS.get(tool.name, {})}) for tool in handler.tools()]
    requests = [("initialize", greeting), ("tools/list", {}), *calls]
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(requests)
    ]
    messages.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    return "".join(json.dumps(message) + "\n" for message in messages)


WATCH = """
import sys
def watch(event, arguments):
    if event.startswith("socket.") and event not in {"socket.__new__", "socket.gethostname"}:
        print("NETWORK", event, file=sys.__stderr__, flush=True)
sys.addaudithook(watch)
"""


def test_the_server_opens_no_connection(sample_db: Path) -> None:
    done = gongmcp("--db", str(sample_db), talk=conversation(handler_over(sample_db)), prelude=WATCH)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 2 + len(catalog())
    failed = [answer["result"] for answer in answers if "error" in answer or answer["result"].get("isError")]
    assert all(result["content"][0]["text"].startswith("profile_missing") for result in failed)
    assert len(failed) <= 3
    assert "NETWORK" not in done.stderr


def test_the_watch_over_connections_sees_one() -> None:
    tries = (
        WATCH + "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 9), 0.01)\nexcept OSError:\n    pass"
    )
    assert "NETWORK socket.connect" in gongmcp("--version", prelude=tries).stderr


def test_the_import_contracts_hold() -> None:
    """The server imports no writer, no terminal library, no HTTP client and nothing of the upper floors."""
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_cache_is_the_same_after_every_tool(sample_db: Path, tmp_path: Path) -> None:
    db = tmp_path / "cache.db"
    shutil.copy(sample_db, db)
    before = hashlib.sha256(db.read_bytes()).hexdigest()
    done = gongmcp("--db", str(db), talk=conversation(handler_over(None)))
    assert len(done.stdout.splitlines()) == 2 + len(catalog())
    ask_everything(handler_over(db, provenance="raw"))
    assert hashlib.sha256(db.read_bytes()).hexdigest() == before
    assert [path.name for path in tmp_path.iterdir()] == ["cache.db"]


def test_there_is_one_way_to_the_database() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "gongmcp").rglob("*.py")}
    opening = {path.name for path, text in sources.items() if re.search(r"sqlite3\.connect\(", text)}
    assert opening == {"connection.py", "state_file.py"}, "the cache by one, the server's own state by the other"
    assert sources[ROOT / "gongmcp" / "store" / "connection.py"].count("sqlite3.connect(") == 1
    writing = r"\b(?:INSERT INTO|DELETE FROM|UPDATE \w+ SET|DROP TABLE|REPLACE INTO)\b"
    assert {path.name for path, text in sources.items() if re.search(writing, text)} <= {"state_file.py"}


def test_the_server_refuses_to_start_without_a_cache(tmp_path: Path) -> None:
    bare = gongmcp()
    assert (bare.returncode, bare.stdout) == (2, "")
    assert "--db" in bare.stderr
    missing = gongmcp("--db", str(tmp_path / "none.db"))
    assert (missing.returncode, missing.stdout) == (4, "")
    assert not (tmp_path / "none.db").exists()


def test_without_a_choice_the_whole_catalogue_is_served(sample_db: Path) -> None:
    assert [tool.name for tool in handler_over(None).tools()] == list(catalog())
    done = gongmcp("--db", str(sample_db))
    assert f"all {len(catalog())} tools are exposed" in done.stderr
    chosen = gongmcp("--db", str(sample_db), "--tool-preset", "operator-smoke")
    assert "are exposed" not in chosen.stderr


def test_schemas_follow_the_active_settings() -> None:
    few = handler_over(None, tool_allowlist="get_call,search_transcript_segments", max_search_results="7")
    assert [tool.name for tool in few.tools()] == ["get_call", "search_transcript_segments"]
    limit = few.tool("search_transcript_segments").input_schema["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"]) == (1, 7)
    columns = few.tool("search_transcript_segments").output_schema["properties"]["results"]["items"]["properties"]
    assert not columns.keys() & {"call_id", "call_ref", "speaker_id", "speaker_ref"}
    raw = handler_over(None, provenance="raw").tool("search_transcript_segments").output_schema
    assert columns.keys() < raw["properties"]["results"]["items"]["properties"].keys()


def test_only_a_cut_answer_of_a_high_volume_tool_carries_the_envelope(sample_db: Path) -> None:
    handler = handler_over(sample_db, evidence_per_answer="1000", evidence_segments="1000")
    seen = {"capped": 0, "whole": 0, "truncated": 0}
    for name, tool in catalog().items():
        if not tool.many or "limit" not in tool.arguments.__struct_fields__:
            continue
        for limit in (1, 100):
            outcome = handler.call(name, QUESTIONS.get(name, {}) | {"limit": limit})
            if without_profile(outcome):
                continue
            answer = outcome.answer.structured
            assert answer is not None
            if not tool.cap_envelope:
                assert "capped" not in answer
                assert "suggested_refinements" not in answer
                seen["truncated"] += answer["truncated"]
            elif answer["capped"]:
                assert answer["returned"] == limit or answer["cut_by"] == "evidence"
                assert answer["suggested_refinements"]
                seen["capped"] += 1
            else:
                assert "suggested_refinements" not in answer
                seen["whole"] += 1
    assert all(seen.values()), seen


HOSTILE = (
    "x' UNION SELECT payload FROM raw_calls --",
    '" OR 1=1; DROP TABLE call_facts; --',
    "../../etc/passwd",
    "file:///etc/passwd",
    "https://api.gong.io/v2/calls",
)


@pytest.mark.parametrize("name", list(catalog()))
def test_no_argument_is_a_statement_a_path_or_an_address(sample_db: Path, name: str) -> None:
    handler = handler_over(sample_db)
    properties = handler.tool(name).input_schema["properties"]
    beyond = {"sql", "statement", "path", "file", "url", "payload", "raw", "command"}
    assert not [key for key in properties if beyond & set(key.split("_"))]
    free = [key for key, rule in properties.items() if rule["type"] == "string" and "enum" not in rule]
    for argument in free:
        for text in HOSTILE:
            answer = handler.call(name, QUESTIONS.get(name, {}) | {argument: text}).answer
            assert answer.error is None or answer.error["code"] != "internal_error"
            assert "metaData" not in answer.text
            assert "root:" not in answer.text


def test_evidence_has_no_identity_unless_the_mode_and_the_flag_say_so(sample_db: Path) -> None:
    flags = {"query": "revenue", "include_call_ids": True, "include_speaker_ids": True}
    refs, ids = {"call_ref", "speaker_ref"}, {"call_id", "speaker_id"}
    expected = {
        ("redacted", False): set(),
        ("redacted", True): set(),
        ("alias", False): refs,
        ("alias", True): refs,
        ("raw", False): refs,
        ("raw", True): refs | ids,
    }
    for (mode, asked), identity in expected.items():
        arguments = flags if asked else {"query": "revenue"}
        answer = handler_over(sample_db, provenance=mode).call("search_transcript_segments", arguments).answer
        assert answer.structured is not None
        rows = answer.structured["results"]
        assert rows
        assert {key for row in rows for key in row} & (refs | ids) == identity, (mode, asked)


def test_an_alias_stays_and_is_taken_for_the_id(sample_db: Path) -> None:
    first, second = handler_over(sample_db, provenance="alias"), handler_over(sample_db, provenance="alias")
    by_id = first.call("get_call", {"call_id": CALL}).answer.structured
    assert by_id is not None
    assert re.fullmatch("call_[0-9a-f]{16}", by_id["call_ref"])
    assert second.call("get_call", {"call_ref": by_id["call_ref"]}).answer.structured == by_id


def test_get_call_names_crm_fields_and_shows_no_value(sample_db: Path) -> None:
    with sqlite3.connect(sample_db) as connection:
        held = connection.execute(
            "SELECT v.field_name, v.value FROM crm_values v JOIN crm_objects o USING (object_no)"
            " JOIN call_facts f USING (call_no) WHERE f.call_id = ? AND length(v.value) > 8",
            (CALL,),
        ).fetchall()
    assert len(held) > 3
    flags = {"include_call_ids": True, "include_call_titles": True}
    answer = handler_over(sample_db, provenance="raw").call("get_call", {"call_id": CALL} | flags).answer
    assert answer.structured is not None
    objects = json.dumps(answer.structured["crm_objects"], ensure_ascii=False)
    for name, value in held:
        assert name in objects
        assert value not in objects


MODES = ("redacted", "alias", "raw")


def results(db: Path, name: str, mode: str, **arguments: Any) -> list[dict[str, Any]]:
    """Return the rows of one call, of which there must be some."""
    answer = handler_over(db, provenance=mode).call(name, arguments).answer
    assert answer.structured is not None, answer.text
    rows: list[dict[str, Any]] = answer.structured["results"]
    assert rows
    return rows


@pytest.mark.parametrize("mode", MODES)
def test_evidence_by_call_facts_has_bounded_excerpts_and_no_identity(sample_db: Path, mode: str) -> None:
    name = "search_transcripts_by_call_facts"
    refs = {"call_ref", "speaker_ref"} if mode == "alias" else set()
    for row in results(sample_db, name, mode, query="revenue", scope="External", limit=100):
        assert not row.keys() & {"call_id", "title", "speaker_id"}
        assert row.keys() & {"call_ref", "speaker_ref"} == refs
        excerpt = row["context_excerpt"]
        assert 1 <= len(excerpt) <= 3
        assert sum(map(len, excerpt)) <= 1500
        assert any("«" in part for part in excerpt)


@pytest.mark.parametrize("mode", MODES)
def test_attributed_quotes_show_each_identity_by_its_own_flag_only(sample_db: Path, mode: str) -> None:
    opened = {
        "include_call_ids": {"call_id"},
        "include_call_titles": {"title"},
        "include_account_names": {"account_name", "account_website"},
        "include_opportunity_names": {"opportunity_name", "opportunity_close_date", "opportunity_probability"},
    }
    guarded = set().union(*opened.values())
    name = "search_transcript_quotes_with_attribution"
    for flag, columns in ({"limit": set()} | opened).items():
        given: dict[str, Any] = {"limit": 100} | ({} if flag == "limit" else {flag: True})
        rows = results(sample_db, name, mode, query="revenue", **given)
        assert {key for row in rows for key in row} & guarded == columns, flag


def test_attributed_quotes_refuse_calls_without_a_transcript(sample_db: Path) -> None:
    arguments = {"query": "revenue", "transcript_status": "missing"}
    refused = handler_over(sample_db).call("search_transcript_quotes_with_attribution", arguments).answer
    assert refused.error is not None
    assert refused.error["code"] == "invalid_argument"


def test_titles_of_people_are_reported_and_never_shown(sample_db: Path, tmp_path: Path) -> None:
    db = tmp_path / "cache.db"
    shutil.copy(sample_db, db)
    name = "search_transcript_quotes_with_attribution"
    with_titles = results(db, name, "raw", query="revenue", limit=100)
    assert "available" in {row["person_title_status"] for row in with_titles}
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE parties SET job_title = ''")
    without = results(db, name, "raw", query="revenue", limit=100)
    assert {row["person_title_status"] for row in without} == {"unavailable_missing_from_cache"}
    assert not {key for row in (*with_titles, *without) for key in row} & {"person_title", "job_title"}


def test_values_of_crm_fields_are_shown_by_flag_and_objects_never(sample_db: Path) -> None:
    asked = {"object_type": "Opportunity", "field_name": "StageName", "value_query": "closed"}
    never, guarded = {"object_id", "object_name"}, {"call_id", "title", "value_snippet"}
    opened: dict[str, set[str]] = {
        "": set(),
        "include_call_ids": {"call_id"},
        "include_value_snippets": {"title", "value_snippet"},
    }
    for mode in MODES:
        for flag, columns in opened.items():
            rows = results(sample_db, "search_crm_field_values", mode, **asked, **({flag: True} if flag else {}))
            keys = {key for row in rows for key in row}
            assert not keys & never
            assert keys & guarded == columns, flag


def test_scorecard_activity_is_aggregates_only(sample_db: Path) -> None:
    with sqlite3.connect(sample_db) as connection:
        calls = [row[0] for row in connection.execute("SELECT call_id FROM call_facts")]
    assert len(calls) == 9, "the private call is not served"
    for mode in MODES:
        answer = handler_over(sample_db, provenance=mode).call("summarize_scorecard_activity", {}).answer
        assert answer.structured is not None
        assert answer.structured["total_answered_scorecards"] == 10
        assert not re.search(r"_id\b|\btitle\b|answer_text|snippet|@", answer.text.partition("Withheld")[0])
        assert not [call for call in calls if call in answer.text]


def test_groups_are_safe_dimensions_only(sample_db: Path) -> None:
    handler = handler_over(sample_db)
    offered = handler.tool("summarize_call_facts").input_schema["properties"]["group_by"]["enum"]
    assert set(offered) == DIMENSIONS.keys() | DIMENSION_ALIASES.keys()
    for name in offered:
        outcome = handler.call("summarize_call_facts", {"group_by": name})
        assert outcome.answer.structured is not None or (name == PROFILE_CONCEPT and without_profile(outcome))
    for column in ("title", "call_id", "primary_user_id", "Opportunity.Amount"):
        refused = handler.call("summarize_call_facts", {"group_by": column}).answer
        assert refused.error is not None
        assert refused.error["code"] == "invalid_argument"


@pytest.mark.parametrize("name", ["summarize_calls_by_lifecycle", "rank_transcript_backlog", "summarize_call_facts"])
def test_a_lifecycle_answer_names_its_source(sample_db: Path, name: str) -> None:
    handler = handler_over(sample_db)
    answer = handler.call(name, {}).answer.structured
    assert answer is not None
    assert answer["lifecycle_source"] == "builtin"
    refused = handler.call(name, {"lifecycle_source": "profile"}).answer
    assert refused.error is not None
    assert refused.error["code"] == "profile_missing"


def test_an_unknown_mode_is_refused_and_not_replaced(sample_db: Path) -> None:
    refused = handler_over(sample_db).call("search_calls", {"transcript_status": "perhaps"}).answer
    assert refused.error is not None
    assert refused.error["code"] == "invalid_argument"


def test_nothing_found_is_an_answer_and_echoes_no_id(sample_db: Path) -> None:
    handler = handler_over(sample_db)
    none = handler.call("get_call", {"call_id": "8888888888888888888"}).answer
    assert none.structured is not None
    assert (none.structured["status"], none.is_error) == ("not_found", False)
    assert "8888888888888888888" not in none.text + json.dumps(none.structured)
    empty = handler.call("search_transcript_segments", {"query": "zyzzyva"}).answer.structured
    assert empty is not None
    assert (empty["status"], empty["results"]) == ("ok", [])
    assert empty["searched"]["calls_in_range"] == 9


def test_a_call_beyond_its_deadline_is_unavailable_and_no_error(sample_db: Path) -> None:
    handler = ToolHandler(ServerSettings().policy, StorePool(sample_db), tool_timeout=0.0)
    late = handler.call("search_transcript_segments", {"query": "the OR of OR and"}).answer
    assert late.structured is not None
    assert (late.structured["status"], late.is_error) == ("unavailable", False)


def test_a_cache_without_a_read_model_is_not_ready(tmp_path: Path) -> None:
    from gongctl.cache.writer import CacheWriter

    db = tmp_path / "empty.db"
    with CacheWriter.open(db, create=True):
        pass
    for handler in (handler_over(db), handler_over(None)):
        outcomes = ask_everything(handler)
        assert outcomes.pop(READS_NO_CACHE).answer.error is None
        for name, outcome in outcomes.items():
            assert outcome.answer.error is not None, name
            assert outcome.answer.error["code"] == "cache_not_ready", name


def test_a_stale_cache_is_said_and_not_mended(sample_db: Path, tmp_path: Path) -> None:
    db = tmp_path / "cache.db"
    shutil.copy(sample_db, db)
    page = tmp_path / "late.json"
    page.write_text(json.dumps({"calls": [{"metaData": {"id": "77", "started": "2026-02-01T10:00:00Z"}}]}), "utf-8")
    command = [sys.executable, "-m", "gongctl", "import", "gong", str(page), "--db", str(db)]
    subprocess.run(command, env=clean_environment(), capture_output=True, check=True)
    before = db.read_bytes()
    for name, outcome in ask_everything(handler_over(db)).items():
        if without_profile(outcome) or name == READS_NO_CACHE:
            continue
        assert outcome.answer.structured is not None, name
        assert outcome.answer.structured["freshness"] == "stale", name
    assert db.read_bytes() == before


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_resources_are_json_and_tools_text_is_not(sample_db: Path, mode: Literal["legacy", "auto"]) -> None:
    handler = handler_over(sample_db)
    async with Client(create_mcp_server(lambda: handler), mode=mode) as client:
        resources = (await client.list_resources()).resources
        assert resources
        for resource in resources:
            (body,) = (await client.read_resource(str(resource.uri))).contents
            assert isinstance(json.loads(body.text), dict | list)
        for name in ("get_sync_status", "search_calls"):
            (part,) = (await client.call_tool(name, {})).content
            with pytest.raises(ValueError):
                json.loads(part.text)
