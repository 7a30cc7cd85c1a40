"""What the tools' queries cost under a business profile, in SQLite VM steps: as ``test_vm_steps``, with its caches."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks import corpus
from benchmarks.build import warm_cache
from benchmarks.cases import Case, is_aggregate, query_words
from benchmarks.cost import Bench
from benchmarks.profiles import import_yaml
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler
from gongmcp.store.connection import StorePool
from gongmcp.store.segments import RANK_WINDOW
from tests.gongctl import test_vm_steps
from tests.gongctl.test_vm_steps import AGGREGATES_GROW, ROWS_GROW, Caches, tables_read

cache_files = test_vm_steps.cache_files

LISTING = ToolHandler(Policy(), None)
FIRST, LAST = corpus.probe().month
BUCKETS = ("contract", "unknown")
"""A common one and one of few calls; the larger corpus has about ten times as many calls of each."""
OTHERS = ("get_business_profile", "get_call", "get_sync_status", "list_", "summarize_scorecard_activity")
"""Tools that read of the profile, or show its buckets, without asking which lifecycle."""
SCOPES = {"all": {}, "month": {"from_date": FIRST, "to_date": LAST}}


def cases() -> Iterator[Case]:
    """Yield the cases of every tool that answers under a profile: without a bucket, with a common and a rare one."""
    for info in LISTING.tools():
        properties = info.input_schema["properties"]
        if "lifecycle_source" not in properties and not info.name.startswith(OTHERS):
            continue
        if {"call_ref", "call_refs"} & set(info.input_schema.get("required", ())):
            continue  # asked about calls of its own choice by alias, which every cache has others of
        own: list[dict[str, str]] = [{}]
        for argument in ("bucket", "lifecycle_bucket"):
            own += [{argument: bucket} for bucket in BUCKETS if argument in properties]
        if info.name == "compare_lifecycle_crm_fields":
            own = [{"bucket_a": "open", "bucket_b": "closed_won", "object_type": "Opportunity"}]
        if info.name == "summarize_call_facts":
            own += [{"group_by": name} for name in ("industry", "opportunity_stage", "month")]
            own += [{"group_by": "profile_concept", "concept": "account_type"}]
        if info.name == "list_crm_fields":
            own = [{"object_type": "Opportunity"}]
        if info.name == "get_call":
            own = [{"call_id": corpus.probe().call_id}]
        words = query_words(corpus.probe()) if "query" in properties else {"": ""}
        for number, arguments in enumerate(own):
            for word, text in words.items():
                for scope, dates in SCOPES.items():
                    # As in benchmarks.cases: filters are of interest where they have much to leave out.
                    if set(dates) <= set(properties) and not (number and dates):
                        asked = {**arguments, **({"query": text} if word else {}), **dates}
                        yield Case(info.name, word, scope, ",".join(arguments.values()), asked)


CASES = list(cases())
ROWS = [case for case in CASES if not is_aggregate(LISTING.tool(case.tool))]
AGGREGATES = [case for case in CASES if is_aggregate(LISTING.tool(case.tool))]


@pytest.fixture(scope="session")
def profile_files(cache_files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The small and the large cache with a profile and its facts."""
    folder = tmp_path_factory.mktemp("profile-steps")
    made = []
    for cache in cache_files:
        copy = folder / cache.name
        shutil.copy(cache, copy)
        import_yaml(copy)
        warm_cache(copy)
        made.append(copy)
    return made[0], made[1]


@pytest.fixture(scope="session")
def profile_caches(profile_files: tuple[Path, Path]) -> Iterator[Caches]:
    with closing(StorePool(profile_files[0])) as small, closing(StorePool(profile_files[1])) as large:
        yield Caches(Bench(small), Bench(large))


def test_the_cases_cover_every_tool_that_answers_by_lifecycle() -> None:
    lifecycle = {info.name for info in LISTING.tools() if "lifecycle_source" in info.input_schema["properties"]}
    assert lifecycle <= {case.tool for case in CASES}
    assert len(lifecycle) >= 10


@pytest.mark.parametrize("case", ROWS, ids=lambda case: case.name)
def test_rows_under_a_profile_cost_the_same_in_a_larger_cache(profile_caches: Caches, case: Case) -> None:
    small, large = profile_caches.small.cost(case), profile_caches.large.cost(case)
    assert large.work <= max(RANK_WINDOW, 500)
    assert large.growth_beyond_work(small) <= ROWS_GROW, (small, large)


@pytest.mark.parametrize("case", AGGREGATES, ids=lambda case: case.name)
def test_aggregates_under_a_profile_grow_with_the_calls_at_most_and_never_look_at_segments(
    profile_caches: Caches, profile_files: tuple[Path, Path], case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = profile_caches.small.cost(case), profile_caches.large.cost(case)
    assert large.growth_from(small) <= AGGREGATES_GROW, (small, large)
    assert not [table for table in tables_read(profile_files[1], case, monkeypatch) if table.startswith("segments")]


def test_the_measure_sees_that_a_profiles_facts_are_read(
    profile_files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the cases are answered by the profile and not by the builtin lifecycle."""
    for tool in ("summarize_calls_by_lifecycle", "rank_transcript_backlog", "search_calls_by_lifecycle"):
        case = next(case for case in CASES if case.tool == tool)
        assert "profile_facts" in tables_read(profile_files[0], case, monkeypatch)
