"""What the tools' queries cost, without a clock: SQLite VM steps on a cache and on one of ten times its size.

A tool that returns rows may not take more than 3 times the steps in the larger cache, beyond what it ranks
and returns more there; one that counts may take 12 times and may not look at segments at all. One that returns rows
and looks through calls by what it is (``LOOKS_THROUGH_CALLS``) may take 12 times and may not go through all segments.
"""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks import corpus
from benchmarks.build import import_corpus, warm_cache
from benchmarks.cases import (
    AGGREGATE_LEVELS,
    ARGUMENTS,
    LOOKS_THROUGH_CALLS,
    Case,
    cases,
    is_aggregate,
    own_arguments,
    query_words,
)
from benchmarks.cost import Bench, answered
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler
from gongmcp.store import connection as store_connection
from gongmcp.store.calls import CallFilter, find_call
from gongmcp.store.connection import MEASURED_STEPS, ReadStore, StorePool
from gongmcp.store.search_query import compile_query
from gongmcp.store.segments import RANK_WINDOW, search_segments

SMALL, LARGE = 10_000, 100_000
ROWS_GROW, AGGREGATES_GROW = 3.0, 12.0
COMMON_SHARE = 0.3
INDEX = {"segments_fts", "segments_fts_idx", "segments_fts_config", "segments_fts_data"}
"""What a search for words reads to find calls, without the segments themselves."""

LISTING = ToolHandler(Policy(), None)
# What a facade hands on is measured as the tools that answer.
MEASURED = [info for info in LISTING.tools() if not LISTING.served()[info.name].facade]
ALL_CASES = [case for info in MEASURED for case in cases(info, corpus.probe())]
LOOKING_CASES = [case for case in ALL_CASES if case.tool in LOOKS_THROUGH_CALLS]
ROW_CASES = [
    case for case in ALL_CASES if not is_aggregate(LISTING.tool(case.tool)) and case.tool not in LOOKS_THROUGH_CALLS
]
AGGREGATE_CASES = [case for case in ALL_CASES if is_aggregate(LISTING.tool(case.tool))]


@dataclass(frozen=True)
class Caches:
    """The same measurements on a small and on a large cache."""

    small: Bench
    large: Bench


@pytest.fixture(scope="session")
def cache_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The two caches, built once for all processes of a run."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    small, large = (folder / f"vm-steps-{segments}.db" for segments in (SMALL, LARGE))
    with (folder / "vm-steps.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for cache, segments in ((small, SMALL), (large, LARGE)):
            if not cache.exists():
                unfinished = cache.with_suffix(".part")
                import_corpus(corpus.write(folder / f"vm-steps-corpus-{segments}", segments), unfinished)
                warm_cache(unfinished)
                unfinished.rename(cache)
    return small, large


@pytest.fixture(scope="session")
def caches(cache_files: tuple[Path, Path]) -> Iterator[Caches]:
    with closing(StorePool(cache_files[0])) as small, closing(StorePool(cache_files[1])) as large:
        yield Caches(Bench(small), Bench(large))


def steps_and_matches(pool: StorePool, word: str, call_id: str) -> tuple[int, int]:
    """Search for *word* in one call and return the steps and the matches."""
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += MEASURED_STEPS

    with pool.store_scope() as store:
        call = find_call(store, call_id)
        assert call is not None
    pool.on_steps = count
    try:
        with pool.store_scope() as store:
            page = search_segments(store, compile_query(word), CallFilter(call_no=call["call_no"]), 20)
    finally:
        pool.on_steps = None
    return counted, page.ranked_over


def test_every_tool_has_arguments_to_be_measured_with() -> None:
    assert set(ARGUMENTS) <= set(catalog())
    for name in catalog():
        own_arguments(name)


def test_a_tool_is_left_out_only_where_it_needs_a_profile(caches: Caches) -> None:
    for name in (name for name, own in ARGUMENTS.items() if not own):
        error = caches.small.handler.call(name, {}).answer.error
        assert error is not None, name
        assert error["code"] == "profile_missing", name


def test_the_most_common_word_is_common_and_the_rare_one_rare(cache_files: tuple[Path, Path]) -> None:
    words = query_words(corpus.probe())
    for cache, segments in zip(cache_files, (SMALL, LARGE), strict=True):
        with closing(sqlite3.connect(cache)) as connection:
            assert connection.execute("SELECT count(*) FROM segments").fetchone() == (segments,)
            found = {
                name: connection.execute(
                    "SELECT count(*) FROM segments_fts WHERE segments_fts MATCH ?", (word,)
                ).fetchone()[0]
                for name, word in words.items()
            }
        assert found["common"] >= COMMON_SHARE * segments
        assert 0.01 * segments < found["median"] < 0.05 * segments
        assert found["rare"] == 3


@pytest.mark.parametrize("case", ROW_CASES, ids=lambda case: case.name)
def test_rows_cost_the_same_in_a_larger_cache(caches: Caches, case: Case) -> None:
    small, large = caches.small.cost(case), caches.large.cost(case)
    assert large.work <= max(RANK_WINDOW, 500)
    assert large.growth_beyond_work(small) <= ROWS_GROW, (small, large)


@pytest.mark.parametrize("case", LOOKING_CASES, ids=lambda case: case.name)
def test_what_looks_through_calls_grows_with_them_at_most_and_reads_a_bounded_sample_of_segments(
    caches: Caches, cache_files: tuple[Path, Path], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = caches.small.cost(case), caches.large.cost(case)
    assert large.growth_beyond_work(small) <= AGGREGATES_GROW, (small, large)
    assert not segments_scanned(cache_files[1], case, monkeypatch)


@pytest.mark.parametrize("case", AGGREGATE_CASES, ids=lambda case: case.name)
def test_aggregates_grow_with_the_calls_at_most_and_never_look_at_segments(
    caches: Caches, cache_files: tuple[Path, Path], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = caches.small.cost(case), caches.large.cost(case)
    assert large.growth_from(small) <= AGGREGATES_GROW, (small, large)
    read = {table for table in tables_read(cache_files[1], case, monkeypatch) if table.startswith("segments")}
    assert not read - (INDEX if asks_for_words(case) else set())


def asks_for_words(case: Case) -> bool:
    """Tell whether the cohort of *case* is the calls in which something is said: the index is asked for it."""
    wanted = case.arguments.get("filter")
    return isinstance(wanted, Mapping) and "query" in wanted


def segments_scanned(cache: Path, case: Case, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the statements of a case that go through all segments, as SQLite plans them."""
    found = []
    connect = StorePool._open

    def watched(pool: StorePool) -> sqlite3.Connection:
        connection = connect(pool)
        connection.set_trace_callback(said.append)
        return connection

    said: list[str] = []
    monkeypatch.setattr(StorePool, "_open", watched)
    with closing(StorePool(cache)) as pool:
        answered(Bench(pool).handler.call(case.tool, case.arguments), case)
        with pool.store_scope() as store:
            for statement in sorted({text for text in said if re.search(r"\bsegments\b", text)}):
                names = {"segments", *re.findall(r"\bsegments (?:AS )?(\w+)", statement)}
                plan = [row["detail"].split() for row in store.rows(f"EXPLAIN QUERY PLAN {statement}")]
                found += [statement for step in plan if step[0] == "SCAN" and step[1] in names]
    return found


def tables_read(cache: Path, case: Case, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the tables of which the queries of a case read anything, as SQLite's authorizer is asked."""
    tables: set[str] = set()
    authorize = store_connection._authorize

    def recording(action: int, first: str | None, second: str | None, db: str | None, trigger: str | None) -> int:
        if action == sqlite3.SQLITE_READ and first is not None:
            tables.add(first)
        return authorize(action, first, second, db, trigger)

    monkeypatch.setattr(store_connection, "_authorize", recording)
    with closing(StorePool(cache)) as pool:
        answered(Bench(pool).handler.call(case.tool, case.arguments), case)
    return tables


@pytest.mark.parametrize("name", ["common", "median", "rare"])
def test_a_search_in_one_call_costs_the_same_in_a_larger_cache(caches: Caches, name: str) -> None:
    word = query_words(corpus.probe())[name]
    small, matches = steps_and_matches(caches.small.pool, word, corpus.probe().call_id)
    large, same_matches = steps_and_matches(caches.large.pool, word, corpus.probe().call_id)
    assert matches == same_matches > 0
    assert large <= ROWS_GROW * small


def test_the_measure_sees_a_query_that_reads_all_segments(
    caches: Caches, cache_files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what every test above forbids is seen by what they measure with."""

    def linear(store: ReadStore, digest: str) -> object:
        store.rows("SELECT count(*) FROM segments WHERE text LIKE '%nobody says this%'")
        return load_state(store, digest)

    from gongmcp import handler

    load_state = handler.load_state
    monkeypatch.setattr(handler, "load_state", linear)
    case = next(case for case in AGGREGATE_CASES if LISTING.tool(case.tool).level in AGGREGATE_LEVELS)
    small, large = caches.small.cost(case), caches.large.cost(case)
    assert large.growth_beyond_work(small) > ROWS_GROW
    assert "segments" in tables_read(cache_files[1], case, monkeypatch)
    assert segments_scanned(cache_files[1], case, monkeypatch)
