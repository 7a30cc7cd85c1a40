"""Inputs that broke other products of this kind, case by case: MCP over stdio (7-13), SQLite and search (16-19).

``CASES`` says for each which tests hold it; those that are not in here stand where their subject is tested.
"""

from __future__ import annotations

import ast
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongmcp.catalog.presets import PRESETS
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.policy import DEFAULT_RESPONSE_BYTES
from gongmcp.handler import ToolHandler
from gongmcp.render.wire import result_bytes
from tests.gongmcp.conftest import MakeHandler, build_cache
from tests.gongmcp.stdio_process import ROOT, Server, environment

GONGMCP = [sys.executable, "-m", "gongmcp"]
HERE = "gongmcp/test_cases.py"

CASES: dict[str, list[tuple[str, str]]] = {
    "7 noise on standard output": [
        (
            "gongmcp/test_stdio.py",
            "test_nothing_but_utf8_protocol_is_on_standard_output_whatever_is_printed_and_whatever_the_locale",
        ),
        ("gongmcp/test_stdio.py", "test_empty_input_ends_it_and_nothing_printed_before_reached_the_client"),
    ],
    "8 another locale": [(HERE, "test_a_sentence_in_many_scripts_is_found_under_any_locale")],
    "9 much text in one answer": [
        (HERE, "test_long_titles_stay_in_the_budget_and_pages_yield_each_call_once"),
        (HERE, "test_a_long_transcript_is_served_in_bounded_answers"),
        ("gongmcp/test_contract.py", "test_following_the_cursor_yields_every_row_once"),
    ],
    "10 the dialect of schemas": [(HERE, "test_schemas_of_every_preset_are_plain")],
    "11 forms of limit": [
        (HERE, "test_whole_limits_in_any_form_give_the_same_bytes_and_others_are_refused"),
        ("gongmcp/test_arguments.py", "test_a_bad_limit_names_the_argument_and_its_range"),
    ],
    "12 names of arguments": [
        (HERE, "test_a_wrong_name_is_refused_with_the_nearest_and_meta_is_tolerated"),
        ("gongmcp/test_arguments.py", "test_an_unknown_name_is_refused_with_the_nearest_valid_one"),
    ],
    "13 ends of a process": [
        (HERE, "test_the_server_ends_with_its_input"),
        ("gongmcp/test_stdio.py", "test_calls_that_run_on_after_the_end_of_input_are_interrupted"),
        ("gongmcp/test_stdio.py", "test_a_parent_that_is_killed_takes_the_server_with_it"),
    ],
    "16 odd queries": [
        (HERE, "test_odd_queries_find_what_is_there_and_never_show_the_engine"),
        (HERE, "test_accents_do_not_matter"),
        (HERE, "test_queries_that_are_too_long_or_hold_nul_are_refused"),
    ],
    "17 a write-ahead log": [
        (HERE, "test_rows_in_the_log_are_served"),
        (HERE, "test_a_copy_without_its_log_opens_and_nothing_appears"),
        ("gongmcp/test_refusals.py", "test_a_left_over_log_in_a_read_only_folder_is_named"),
    ],
    "18 files that are no cache": [
        ("gongmcp/test_refusals.py", "test_a_cache_that_cannot_be_served_is_refused_and_left_alone"),
        ("gongmcp/test_refusals.py", "test_the_sentences_of_bad_files_can_be_told_apart"),
    ],
    "19 caches of other versions": [
        ("gongmcp/test_refusals.py", "test_a_cache_that_cannot_be_served_is_refused_and_left_alone"),
        ("gongmcp/test_refusals.py", "test_the_explicit_command_mends_a_lowered_copy"),
        ("gongctl/test_cache_cli.py", "test_status_works_on_an_older_schema_and_init_migrates_it"),
    ],
}


@pytest.mark.parametrize("case", list(CASES))
def test_every_case_has_its_tests(case: str) -> None:
    for file, name in CASES[case]:
        tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (file, name)


def call(number: int, title: str = "A call") -> dict[str, Any]:
    """Return a call as Gong's API delivers it."""
    day = f"2026-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}"
    return {"metaData": {"id": f"99{number:05d}", "title": title, "started": f"{day}T10:00:00Z", "duration": 600}}


def cache_of(folder: Path, calls: list[dict[str, Any]], sentences: list[str] | None = None) -> Path:
    """Return a warmed cache of *calls*, the first of which says *sentences*."""
    said = [{"start": 1000 * n, "end": 1000 * n + 900, "text": text} for n, text in enumerate(sentences or [])]
    transcript = {"callId": calls[0]["metaData"]["id"], "transcript": [{"speakerId": "1", "sentences": said}]}
    files = {"calls.json": {"calls": calls}, "transcripts.json": {"callTranscripts": [transcript]}}
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    return build_cache(folder / "cache.db", [folder / name for name in files])


def pages(handler: ToolHandler, tool: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the structured answers of *tool*, following ``next_cursor`` to the end; each within the budget."""
    cursor: dict[str, Any] = {}
    while True:
        answer = handler.call(tool, arguments | cursor).answer
        assert answer.structured is not None, answer.text
        assert len(result_bytes(answer)) <= handler.policy.max_response_bytes
        yield answer.structured
        if "next_cursor" not in answer.structured:
            return
        cursor = {"cursor": answer.structured["next_cursor"]}


# 8


SPOKEN = "Zürich 東京 🙂"


def test_a_sentence_in_many_scripts_is_found_under_any_locale(tmp_path: Path) -> None:
    db = cache_of(tmp_path, [call(1)], [f"We met in {SPOKEN} last year."])
    env = {"PYTHONIOENCODING": "cp932", "LC_ALL": "C", "PYTHONUTF8": "0"}
    with Server("--db", str(db), command=GONGMCP, env=env) as server:
        server.send(server.call(1, "search_transcript_segments", query=SPOKEN))
        result = server.answer(1)["result"]
        server.hang_up()
        assert server.end()[0] == 0
        raw = server.out.all()
    assert result["structuredContent"]["returned"] == 1
    assert "Zürich" in raw.decode("utf-8")
    assert "東京" in raw.decode("utf-8")
    assert b"\r" not in raw
    assert raw.endswith(b"\n")


# 9


@pytest.fixture(scope="module")
def long_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 calls with titles of 2,000 characters; the first one says 3,000 sentences."""
    calls = [call(number, f"Title {number:03d} " + "long " * 400) for number in range(400)]
    return cache_of(
        tmp_path_factory.mktemp("long"), calls, [f"pricing sentence {n} " + "word " * 40 for n in range(3000)]
    )


def test_long_titles_stay_in_the_budget_and_pages_yield_each_call_once(
    long_cache: Path, make_handler: MakeHandler
) -> None:
    handler = make_handler(long_cache)
    found: list[str] = []
    for page in pages(handler, "search_calls", {"limit": 500, "include_call_ids": True, "include_call_titles": True}):
        assert page["limit_clamped"] == {"requested": 500, "effective": 100}
        assert page["returned"] == len(page["results"]) > 0
        assert page["capped"] is ("next_cursor" in page)
        found += [row["call_id"] for row in page["results"]]
    assert sorted(found) == [f"99{number:05d}" for number in range(400)]
    assert handler.policy.max_response_bytes == DEFAULT_RESPONSE_BYTES < 25_000 * 4


def test_a_long_transcript_is_served_in_bounded_answers(long_cache: Path, make_handler: MakeHandler) -> None:
    handler = make_handler(long_cache)
    first = handler.call("search_transcript_segments", {"query": "pricing", "limit": 500})
    assert first.answer.structured is not None
    assert first.answer.structured["capped"] is True
    assert first.answer.structured["returned"] <= 100
    assert first.bytes <= DEFAULT_RESPONSE_BYTES
    assert first.tokens < 25_000


# 10


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_schemas_of_every_preset_are_plain(preset: str, make_handler: MakeHandler) -> None:
    infos = make_handler(tool_preset=preset).tools()
    assert infos
    for info in infos:
        for schema in (info.input_schema, info.output_schema):
            assert schema["type"] == "object"
            assert schema["additionalProperties"] is False
            _plain(schema)


def _plain(schema: dict[str, Any]) -> None:
    assert not {"$ref", "$defs", "anyOf", "oneOf", "allOf", "$schema"} & schema.keys()
    assert schema["type"] in ("object", "array", "string", "integer", "number", "boolean")
    if schema["type"] == "array":
        _plain(schema["items"])
    for inner in schema.get("properties", {}).values():
        _plain(inner)


# 11, 12


def test_whole_limits_in_any_form_give_the_same_bytes_and_others_are_refused(handler: ToolHandler) -> None:
    same = {result_bytes(handler.answer("search_calls", {"limit": limit})) for limit in (10, "10", 10.0)}
    assert len(same) == 1
    for limit in (0.5, "12px", "", True, -1, 1e99, "99999999999999999999"):
        answer = handler.answer("search_calls", {"limit": limit})
        assert answer.is_error
        assert "limit" in answer.text
        assert "1 to 1000" in answer.text
    assert result_bytes(handler.answer("search_calls", {"limit": 10})) in same


def test_a_wrong_name_is_refused_with_the_nearest_and_meta_is_tolerated(handler: ToolHandler) -> None:
    for arguments, wrong, nearest in (
        ({"from": "2025-01-01"}, "from", "from_date"),
        ({"from_date": "2025-01-01", "limt": 5}, "limt", "limit"),
    ):
        answer = handler.answer("search_calls", arguments)
        assert answer.is_error
        assert f"'{wrong}'" in answer.text
        assert f"Did you mean {nearest}?" in answer.text
    assert not handler.answer("search_calls", {"_meta": {"progressToken": 1}}).is_error


# 13


def test_the_server_ends_with_its_input(sample_cache: Path) -> None:
    done = subprocess.run(
        [*GONGMCP, "--db", str(sample_cache)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(),
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr


# 16


@pytest.fixture(scope="module")
def odd_handler(tmp_path_factory: pytest.TempPathFactory, make_handler: MakeHandler) -> ToolHandler:
    sentences = [
        "I don't know.",
        "Send an e-mail.",
        "It is written in C++ here.",
        "The key foo:bar is set.",
        "So naïve.",
    ]
    return make_handler(cache_of(tmp_path_factory.mktemp("odd"), [call(1)], sentences))


@pytest.mark.parametrize(
    ("query", "found"),
    [("don't", "don't"), ("e-mail", "e-mail"), ("C++", "C++"), ("foo:bar", "foo:bar")]
    + [
        (query, "")
        for query in ('"', 'say "hello', "AND", "a OR", "NOT x", "NEAR(", "price*", "price?", "50%", "^start")
    ]
    + [("{x}", "")],
)
def test_odd_queries_find_what_is_there_and_never_show_the_engine(
    odd_handler: ToolHandler, query: str, found: str
) -> None:
    for name, tool in catalog().items():
        if "query" not in tool.arguments.__struct_fields__:
            continue
        more = {"object_type": "Account"} if "object_type" in tool.arguments.__struct_fields__ else {}
        answer = odd_handler.answer(name, {"query": query, **more})
        assert answer.structured is not None, answer.text
        assert answer.structured["status"] == "ok"
        assert not [
            word for word in ("fts5", "syntax error", "sqlite", "no such column") if word in answer.text.lower()
        ]
    rows = odd_handler.answer("search_transcript_segments", {"query": query}).structured
    assert rows is not None
    if found:
        assert [found in row["snippet"].replace("«", "").replace("»", "") for row in rows["results"]] == [True]


def test_accents_do_not_matter(odd_handler: ToolHandler) -> None:
    for query in ("naïve", "naive", "NAÏVE"):
        assert odd_handler.call("search_transcript_segments", {"query": query}).rows == 1


@pytest.mark.parametrize("query", ["a\x00b", "y " * 2500, "y" * 5000])
def test_queries_that_are_too_long_or_hold_nul_are_refused(odd_handler: ToolHandler, query: str) -> None:
    answer = odd_handler.answer("search_transcript_segments", {"query": query})
    assert answer.error is not None
    assert answer.error["code"] == "invalid_argument"
    assert "query" in answer.text


# 17


def test_rows_in_the_log_are_served(sample_cache: Path, tmp_path: Path, make_handler: MakeHandler) -> None:
    db = tmp_path / "t.db"
    shutil.copy(sample_cache, db)
    with closing(sqlite3.connect(db)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("UPDATE call_facts SET title = 'Only in the log', title_spans = NULL")
        writer.commit()
        assert (tmp_path / "t.db-wal").stat().st_size > 0
        before = db.read_bytes()
        rows = make_handler(db).answer("search_calls", {"include_call_titles": True}).structured
        assert rows is not None
        assert {row["title"] for row in rows["results"]} == {"Only in the log"}
        assert db.read_bytes() == before


def test_a_copy_without_its_log_opens_and_nothing_appears(
    sample_cache: Path, tmp_path: Path, make_handler: MakeHandler
) -> None:
    shutil.copy(sample_cache, tmp_path / "t.db")
    before = (tmp_path / "t.db").read_bytes()
    handler = make_handler(tmp_path / "t.db")
    assert handler.call("search_calls", {}).rows == 9
    assert [path.name for path in tmp_path.iterdir()] == ["t.db"]
    assert (tmp_path / "t.db").read_bytes() == before
