"""Sample sets: found by indexes alone, and made into arguments under which a tool shows the call."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gongctl.approval import coverage, sample_sets
from gongctl.approval.sample_sets import OF_CALLS, SampleCalls, arguments_for, find_calls
from gongmcp.catalog.registry import catalog
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from gongmcp.store.connection import MEASURED_STEPS, StorePool
from gongmcp.store.schema import MODEL_DDL
from tests.gongmcp.approval.later import NEW_LANGUAGE

CALLS = 200_000
OWN_INDEXES = {f"call_facts_{name}" for name in ("language", "length", "external", "bare", "day")}
QUERIES = (
    *(sample_sets.NEWEST, sample_sets.LONGEST, sample_sets.OUTSIDERS, sample_sets.BARE),
    *(sample_sets.LANGUAGES, sample_sets.IN_LANGUAGE),
)


def found(db: Path) -> SampleCalls:
    pool = StorePool(db)
    try:
        with pool.store_scope() as store:
            return find_calls(store)
    finally:
        pool.close()


def test_each_set_is_the_call_that_a_walk_over_all_finds(later_cache: Path) -> None:
    calls = found(later_cache)
    assert calls.calls.keys() == set(OF_CALLS)
    with closing(sqlite3.connect(later_cache)) as connection:
        rows = {
            ref: (number, chars, outside, accounts + opportunities, language)
            for ref, number, chars, outside, accounts, opportunities, language in connection.execute(
                "SELECT call_ref, call_no, text_chars, external_parties, account_count, opportunity_count, language"
                " FROM call_facts"
            )
        }
    assert rows[calls.calls["latest"].call_ref][0] == max(row[0] for row in rows.values())
    assert rows[calls.calls["largest"].call_ref][1] == max(row[1] for row in rows.values())
    assert rows[calls.calls["most_external"].call_ref][2] == max(row[2] for row in rows.values())
    assert rows[calls.calls["missing_fields"].call_ref][3] == 0
    assert rows[calls.calls["non_english"].call_ref][4] == NEW_LANGUAGE


def test_a_set_without_a_member_says_so(sample_cache: Path) -> None:
    calls = found(sample_cache)
    assert calls.why == {"non_english": "Every call is in English."}
    handler = build_handler(ServerSettings(), sample_cache)
    by_set = {item.set_name: item for item in arguments_for(handler, "list_scorecards", calls)}
    assert by_set["latest"].why == "The tool takes neither a call nor a day."
    assert by_set["pinned"].why
    assert by_set["example"].arguments == {}


@pytest.mark.parametrize("tool", list(catalog()))
def test_what_a_set_asks_shows_its_call(tool: str, sample_cache: Path) -> None:
    calls = found(sample_cache)
    handler = build_handler(ServerSettings.resolve({"provenance": "alias"}, {}), sample_cache)
    for item in arguments_for(handler, tool, calls):
        if item.arguments is None or item.set_name not in OF_CALLS:
            assert item.arguments is not None or item.why
            continue
        outcome = handler.call(tool, item.arguments)
        assert outcome.code == "ok", (item, outcome.answer.text)
        if outcome.rows and tool in ("search_calls", "get_call"):
            assert calls.calls[item.set_name].call_ref in outcome.answer.text


@pytest.fixture(scope="module")
def many_calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The facts of two hundred thousand calls, and nothing else."""
    path = tmp_path_factory.mktemp("many") / "many.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA synchronous = OFF;" + MODEL_DDL)
        columns = connection.execute("PRAGMA table_info(call_facts)").fetchall()
        indexes = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'call_facts' AND sql <> ''"
        ).fetchall()
        connection.executescript("".join(f"DROP INDEX {name};" for name, _ in indexes))
        given = {
            "call_no": f"n * {1 << 24}",
            "call_id": "'id' || n",
            "call_ref": "'call_' || n",
            "call_date": "date(n / 300 * 86400, 'unixepoch')",
            "text_chars": "(n * 7919) % 100003",
            "external_parties": "(n * 31) % 23",
            "language": "'lang' || (n % 40)",
            "account_count": "n % 2",
            "opportunity_count": "n % 3",
            "transcript_present": "n % 2",
        }
        values = [given.get(name, "0" if kind == "INTEGER" else "''") for _, name, kind, *_ in columns]
        connection.execute(
            f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {CALLS})"
            f" INSERT INTO call_facts SELECT {', '.join(values)} FROM c"
        )
        connection.executescript("".join(f"{sql};" for name, sql in indexes if name in OWN_INDEXES))
    return path


def steps(db: Path, sql: str) -> int:
    """Return how many VM instructions *sql* takes."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    with closing(sqlite3.connect(db)) as connection:
        connection.set_progress_handler(count, MEASURED_STEPS)
        connection.execute(sql, {"language": "lang7"} if ":language" in sql else {}).fetchall()
    return taken * MEASURED_STEPS


def test_no_set_is_found_by_a_walk_over_two_hundred_thousand_calls(many_calls: Path) -> None:
    for sql in QUERIES:
        assert steps(many_calls, sql) < 3_000, sql
    walked = sample_sets.LONGEST.replace("text_chars DESC", "text_chars + 0 DESC")
    assert steps(many_calls, walked) > CALLS, "what a walk takes is seen"


def test_coverage_by_day_reads_one_index(many_calls: Path) -> None:
    with closing(sqlite3.connect(many_calls)) as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {coverage.DAYS}")]
    assert plan == ["SCAN call_facts USING COVERING INDEX call_facts_day"]


def test_a_page_of_calls_is_found_by_its_key(many_calls: Path) -> None:
    page = "SELECT call_ref FROM call_facts WHERE call_no < {} ORDER BY call_no DESC LIMIT 500"
    middle, end = (steps(many_calls, page.format(number * (1 << 24))) for number in (CALLS // 2, CALLS))
    assert max(middle, end) < 10_000
    assert abs(middle - end) < 1_000, "a page costs the same wherever it is"
