"""Leak tests: planted values leave under no default answer, and every guard has its control.

A control runs the same calls with one guard switched off and must find leaks; without it a test that
looks in the wrong place would stay green.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gongmcp.catalog.registry import catalog
from gongmcp.exposure import engine
from gongmcp.exposure.decisions import Decision, field_of
from gongmcp.exposure.fields import SWITCHES
from gongmcp.handler import ToolHandler
from gongmcp.render.wire import result_bytes
from tests.gongmcp.canary import CALL_IDS, PLANTED, SHOWN, write_files
from tests.gongmcp.conftest import MakeHandler, build_cache

PROBES: dict[str, list[dict[str, Any]]] = {
    "search_calls": [{}, {"crm_object_type": "Account", "crm_object_id": "CANARYACCID0"}, {"limit": 1}],
    "get_call": [{"call_id": CALL_IDS[0]}, {"call_id": CALL_IDS[2]}],
    "missing_transcripts": [{}],
    "search_transcript_segments": [{"query": "pricing"}, {"query": "CANARYSENTENCE"}, {"query": "redacted"}],
    "summarize_call_facts": [{"group_by": name} for name in ("industry", "stage", "system", "month", "lifecycle")],
    "search_transcripts_by_call_facts": [{"query": "pricing"}],
    "search_transcripts_by_crm_context": [{"query": "pricing", "object_type": "Account"}],
    "search_transcript_quotes_with_attribution": [{"query": "pricing"}],
    "search_crm_field_values": [{"object_type": "Account", "field_name": "Industry", "value_query": "canary"}],
    "list_crm_fields": [{"object_type": name} for name in ("Account", "Opportunity", "CANARYTYPE")],
    "crm_field_population_matrix": [{"object_type": "Opportunity"}, {"object_type": "Account"}],
    "compare_lifecycle_crm_fields": [
        {"bucket_a": "active_sales_pipeline", "bucket_b": "renewal", "object_type": "Opportunity"}
    ],
    "get_scorecard": [{"scorecard_id": "960000000000000001"}],
}
"""Arguments that make each tool return planted rows; a tool without an entry is called without arguments."""

WRONG: list[dict[str, Any]] = [{"limit": 0}, {"nonsense": "x"}, {"cursor": "AAAA"}, {"from_date": "soon"}]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canary")
    return build_cache(folder / "canary.db", write_files(folder))


def outputs(handler: ToolHandler) -> Iterator[tuple[str, str]]:
    """Yield (tool, everything that leaves) for every probe and every wrong call of every tool."""
    for name in catalog():
        for arguments in [*PROBES.get(name, [{}]), *WRONG]:
            answer = handler.call(name, dict(arguments)).answer
            yield name, result_bytes(answer).decode() + json.dumps(answer.error) + answer.text


def leaks(handler: ToolHandler, planted: dict[str, str]) -> set[str]:
    """Return the planted columns found in some output."""
    found: set[str] = set()
    for _, text in outputs(handler):
        found |= {column for column, value in planted.items() if value in text}
    return found


def test_nothing_planted_leaves_by_default(
    cache: Path, make_handler: MakeHandler, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        handler = make_handler(cache)
        assert leaks(handler, PLANTED) == set()
        assert not [value for value in PLANTED.values() if value in handler.instructions()]
    assert not [value for value in PLANTED.values() if value in caplog.text]


def test_control_the_probes_reach_what_is_shown(cache: Path, make_handler: MakeHandler) -> None:
    assert leaks(make_handler(cache), SHOWN) == SHOWN.keys()


def test_control_without_the_engine_the_same_probes_leak(
    cache: Path, make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "decide", lambda expose, policy, args: Decision(True, field_of(expose, args)))
    assert {"call_id", "call_title", "speaker_id", "account_id", "account_name"} <= leaks(make_handler(cache), PLANTED)


def test_control_without_masking_spoken_addresses_leak(
    tmp_path: Path, make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gongctl.cache import derive

    monkeypatch.setattr(derive, "find_spans", lambda sentences: None)
    cache = build_cache(tmp_path / "unmasked.db", write_files(tmp_path))
    assert {"spoken_email", "spoken_phone"} <= leaks(make_handler(cache), PLANTED)


@pytest.mark.parametrize("provenance", ["redacted", "alias", "raw"])
def test_with_every_switch_on_no_flag_shows_what_switches_hide(
    cache: Path, make_handler: MakeHandler, provenance: str
) -> None:
    handler = make_handler(cache, provenance=provenance, policy_switches=",".join(SWITCHES))
    found: set[str] = set()
    for name, tool in catalog().items():
        flags = {field: True for field in tool.arguments.__struct_fields__ if field.startswith("include_")}
        for arguments in PROBES.get(name, [{}]):
            answer = handler.call(name, {**arguments, **flags}).answer
            found |= {column for column, value in PLANTED.items() if value in result_bytes(answer).decode()}
    assert found == set()


def test_control_without_switches_the_flags_do_show(cache: Path, make_handler: MakeHandler) -> None:
    handler = make_handler(cache, provenance="raw")
    found: set[str] = set()
    for name, tool in catalog().items():
        flags = {field: True for field in tool.arguments.__struct_fields__ if field.startswith("include_")}
        for arguments in PROBES.get(name, [{}]):
            answer = handler.call(name, {**arguments, **flags}).answer
            found |= {column for column, value in PLANTED.items() if value in result_bytes(answer).decode()}
    assert {"call_id", "call_title", "speaker_id"} <= found


def test_the_reader_cannot_see_the_raw_half(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gongmcp.store import connection
    from gongmcp.store.schema import RAW_TABLES

    for table in sorted(RAW_TABLES):
        with (
            connection.StorePool(cache).store_scope() as store,
            pytest.raises(Exception, match=r"prohibited|not auth|constructor failed"),
        ):
            store.rows(f"SELECT * FROM {table}")
    monkeypatch.setattr(connection, "RAW_TABLES", frozenset())
    with connection.StorePool(cache).store_scope() as store:  # control: without the guard the raw half is readable
        assert store.rows("SELECT payload FROM raw_calls")


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH 'x.db' AS x",
        "DELETE FROM call_facts",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = WAL",
        "VACUUM INTO 'copy.db'",
        "CREATE TABLE t (a)",
        "UPDATE meta SET value = 'x'",
        "COMMIT",
    ],
)
def test_the_reader_cannot_write_or_reach_out(cache: Path, sql: str, tmp_path: Path, monkeypatch: Any) -> None:
    from gongmcp.store.connection import StorePool

    monkeypatch.chdir(tmp_path)
    before = cache.read_bytes()
    with StorePool(cache).store_scope() as store, pytest.raises(Exception, match=r"not authorized|attached|VACUUM"):
        store.rows(sql)
    assert cache.read_bytes() == before
    assert not list(tmp_path.iterdir())


def test_the_log_of_an_unexpected_fault_quotes_nothing(
    cache: Path, make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*_: Any) -> None:
        raise ValueError(PLANTED["call_title"])

    monkeypatch.setattr("gongmcp.handler.render_answer", breaks)
    with caplog.at_level(logging.INFO):
        answer = make_handler(cache).call("search_calls", {}).answer
    assert answer.error is not None
    assert answer.error["code"] == "internal_error"
    reference = answer.error["message"].split("reference ")[1].rstrip(").")
    assert reference in caplog.text
    assert "breaks" in caplog.text, "the operator finds the place"
    assert PLANTED["call_title"] not in caplog.text + answer.text
