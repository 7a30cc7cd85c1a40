"""Warm with business profiles: incremental equals rebuilt, switching is instant, and nothing is ever half."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache import serving as serving_module
from gongctl.cache import warm as warm_module
from gongctl.cache.serving import ServingWriter
from gongctl.cache.status import cache_status
from gongctl.cache.verify import recount
from gongctl.cache.warm import KEPT_PROFILES, warm
from gongctl.cache.writer import CacheWriter
from gongctl.profile import store as store_module
from gongctl.profile.store import activate, history, want
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.governance.governed import govern, write_list
from tests.gongctl.profile_cache import (
    CLOCK,
    FORGET_RULES,
    FOURTH_PROFILE,
    OTHER_PROFILE,
    PROFILE,
    THIRD_PROFILE,
    Made,
    bucket_of,
    build,
    import_yaml,
    make,
    make_calls,
    opened,
    store,
)

CALLS = make_calls(40)
FACTS = ("profile_facts", "profile_values")
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warm in batches of seven calls, so that forty calls are several transactions."""
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 7)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", CLOCK)


def facts(connection: sqlite3.Connection, number: int | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """Return the facts, values and counters of all profiles, or those of profile *number* without its number."""
    if number is None:
        found = {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in FACTS}
        counted = "SELECT * FROM counters WHERE counter LIKE 'profile%' ORDER BY 1, 2, 3"
        return {**found, "counters": connection.execute(counted).fetchall()}
    rows = {
        table: [
            row[1:]
            for row in connection.execute(f"SELECT * FROM {table} WHERE profile_no = ? ORDER BY 2, 3", (number,))
        ]
        for table in FACTS
    }
    key = f"{number}\x1f"
    counters = [
        (counter, rest.removeprefix(key), *more)
        for counter, rest, *more in connection.execute("SELECT * FROM counters WHERE counter LIKE 'profile%'")
        if rest.startswith(key)
    ]
    return {**rows, "counters": sorted(counters)}


def buckets(connection: sqlite3.Connection, number: int) -> dict[str, str]:
    """Return the bucket of each call under profile *number*, by call id."""
    rows = connection.execute(
        "SELECT f.call_id, p.bucket FROM profile_facts p JOIN call_facts f USING (call_no) WHERE p.profile_no = ?",
        (number,),
    )
    return dict(rows.fetchall())


def rebuilt(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the facts of the same cache when its read model is built from nothing."""
    copy = path.with_name("rebuilt.db")
    shutil.copy(path, copy)
    with opened(copy) as writer:
        with writer.transaction():
            writer.connection.execute(FORGET_RULES)
        assert warm(writer).finished
        found = facts(writer.connection)
    copy.unlink()
    return found


def handler_over(path: Path) -> ToolHandler:
    return build_handler(ServerSettings.resolve({}, {}), path)


def summary(handler: ToolHandler) -> dict[str, int]:
    answer = handler.call("summarize_calls_by_lifecycle", {"lifecycle_source": "profile"}).answer.structured
    assert answer is not None
    return {row["bucket"]: row["call_count"] for row in answer["results"]}


# --- the same as a full build ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_any_sequence_of_imports_profiles_and_warms_ends_where_a_rebuild_ends(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path = build(tmp_path / "cache.db", CALLS[:15], PROFILE)
    profiles = (PROFILE, OTHER_PROFILE, THIRD_PROFILE, FOURTH_PROFILE)
    with opened(path) as writer:
        for _ in range(12):
            step = rng.randrange(5)
            if step == 0:
                import_yaml(writer, rng.choice(profiles), activate=rng.random() < 0.6)
            elif step == 1:
                activate(writer, rng.choice(history(writer.connection)).profile_id)
            elif step == 2:
                want(writer, rng.choice(history(writer.connection)).profile_id)
            else:
                store(writer, [make(rng.randrange(25), rng) for _ in range(rng.randrange(1, 6))])
            if rng.random() < 0.2:  # a call goes away
                call_id = str(rng.randrange(25))
                with writer.transaction():
                    writer.connection.execute("DELETE FROM raw_calls WHERE call_id = ?", (call_id,))
                    writer.connection.execute("INSERT OR IGNORE INTO dirty_calls VALUES (?)", (call_id,))
            warm(writer, should_stop=stop_after(rng.choice((0, 1, 2, 99))))
            assert recount(writer.connection) == []
        warm(writer)
        assert recount(writer.connection) == []
        incremental = facts(writer.connection)
        assert incremental["profile_facts"]
    assert incremental == rebuilt(path)


def test_the_recount_sees_every_kind_of_fault_in_a_profiles_facts(tmp_path: Path) -> None:
    """The control of the test above."""
    damages = {
        "counter profile_calls": "UPDATE counters SET value = value + 1 WHERE counter = 'profile_calls'",
        "counter profile_populated": "DELETE FROM counters WHERE counter = 'profile_populated'",
        "counter profile_": "UPDATE profile_facts SET bucket = 'open'",
        "without a call or a kept profile": "UPDATE profile_facts SET profile_no = 9",
        "profile values without facts": "DELETE FROM profile_facts WHERE call_no % 2",
        "said to be complete": "DELETE FROM profile_facts WHERE call_no = (SELECT max(call_no) FROM call_facts)",
        "another transcript status": "UPDATE profile_facts SET transcript_present = 1 - transcript_present",
    }
    with opened(build(tmp_path / "cache.db", CALLS, PROFILE)) as writer:
        assert recount(writer.connection) == []
        for fault, damage in damages.items():
            writer.connection.execute("SAVEPOINT damaged")
            writer.connection.execute(damage)
            assert any(fault in line for line in recount(writer.connection)), fault
            writer.connection.execute("ROLLBACK TO damaged")
            writer.connection.execute("RELEASE damaged")


def test_only_changed_calls_are_redone_under_a_profile(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    won = Made("3", (("Opportunity", "1", {"StageName": "Closed Won"}),), "Conference", "External", ())
    with opened(path) as writer:
        before = buckets(writer.connection, 1)
        assert before == {call.call_id: bucket_of(call) for call in CALLS}
        store(writer, CALLS)
        assert warm(writer).looked_at == 0
        store(writer, [won])
        report = warm(writer)
        assert (report.looked_at, report.redone, report.profile_calls) == (1, 1, 0)
        assert buckets(writer.connection, 1) == {**before, "3": "closed_won"}
        assert recount(writer.connection) == []


def steps_of_one_change(path: Path) -> int:
    """Change one call and return the SQLite VM instructions, in hundreds, that warming it takes."""
    counted = 0

    def count() -> None:
        nonlocal counted
        counted += 1

    objects = (("Opportunity", "1", {"StageName": "Closed Won"}),)
    with opened(path) as writer:
        store(writer, [Made("3", objects, "Conference", "External", ())])
        writer.connection.set_progress_handler(count, 100)
        assert warm(writer).redone == 1
        writer.connection.set_progress_handler(None, 0)
    return counted


def test_one_changed_call_costs_the_same_among_ten_times_as_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_module, "BATCH_CALLS", 200)
    small = build(tmp_path / "small.db", make_calls(200), PROFILE, OTHER_PROFILE)
    large = build(tmp_path / "large.db", make_calls(2_000), PROFILE, OTHER_PROFILE)
    assert steps_of_one_change(large) < 2 * steps_of_one_change(small)


# --- profiles side by side ---------------------------------------------------------------------------------------


def test_a_switch_to_a_new_profile_gives_every_call_its_facts_once(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    with opened(path) as writer:
        old = facts(writer.connection, 1)
        import_yaml(writer, OTHER_PROFILE)
        report = warm(writer)
        assert (report.looked_at, report.redone, report.profile_calls) == (0, 0, len(CALLS))
        assert buckets(writer.connection, 2) == {c.call_id: bucket_of(c, post_sales_first=True) for c in CALLS}
        assert facts(writer.connection, 1) == old
        assert recount(writer.connection) == []
        assert warm(writer).profile_calls == 0


def test_going_back_needs_no_warm(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE, OTHER_PROFILE)
    handler = handler_over(path)
    second = summary(handler)
    with opened(path) as writer:
        assert activate(writer, "profile_1").facts == "complete"
    first = summary(handler)
    assert first != second
    assert sum(first.values()) == sum(second.values()) == len(CALLS)
    with opened(path) as writer:
        activate(writer, "profile_2")
        assert warm(writer).profile_calls == 0
    assert summary(handler) == second
    assert cache_status(path).freshness == "fresh"


def test_a_staged_profile_is_warmed_beside_the_active_one_and_activated_without_a_gap(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    handler = handler_over(path)
    before = summary(handler)
    with opened(path) as writer:
        staged = import_yaml(writer, OTHER_PROFILE, activate=False)
        assert not staged.profile.is_active
        assert staged.profile.facts == "none"
        assert warm(writer).profile_calls == 0, "nobody asked for its facts"
        want(writer, staged.profile.profile_id)
        assert warm(writer).profile_calls == len(CALLS)
    assert summary(handler) == before
    with opened(path) as writer:
        activate(writer, "profile_2")
    assert summary(handler) != before


def test_facts_of_three_profiles_are_kept_and_the_active_one_is_always_among_them(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE, OTHER_PROFILE, THIRD_PROFILE)

    def kept() -> set[int]:
        with opened(path) as writer:
            numbers = {n for (n,) in writer.connection.execute("SELECT DISTINCT profile_no FROM profile_facts")}
            assert recount(writer.connection) == []
            return numbers

    assert KEPT_PROFILES == 3
    assert kept() == {1, 2, 3}
    with opened(path) as writer:
        activate(writer, "profile_1")
        import_yaml(writer, FOURTH_PROFILE, activate=False)
        want(writer, "profile_4")
        warm(writer)
    assert kept() == {1, 3, 4}, "the one that was wanted longest ago goes"
    with opened(path) as writer:
        for name in ("profile_2", "profile_3", "profile_4"):
            want(writer, name)
        warm(writer)
        assert [p.facts for p in history(writer.connection)] == ["complete", "complete", "none", "complete"]
    assert kept() == {1, 3, 4}
    with opened(path) as writer:
        assert activate(writer, "profile_2").facts == "incomplete"
    answer = handler_over(path).call("summarize_calls_by_lifecycle", {}).answer
    assert answer.error is not None
    assert answer.error["code"] == "profile_cache_stale"


def test_facts_made_by_other_rules_are_not_served_and_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gongctl.cache import status as status_module
    from gongmcp.store import profile as served_module

    path = build(tmp_path / "cache.db", CALLS, PROFILE, OTHER_PROFILE)
    for module in (served_module, warm_module, store_module, status_module):
        monkeypatch.setattr(module, "CLASSIFIER_VERSION", 2)
    answer = handler_over(path).call("summarize_calls_by_lifecycle", {}).answer
    assert answer.error is not None
    assert answer.error["code"] == "profile_cache_stale"
    status = cache_status(path)
    assert status.profile is not None
    assert (status.profile.freshness, len(status.next)) == ("missing", 1)
    with opened(path) as writer:
        assert warm(writer).profile_calls == 2 * len(CALLS)
        assert recount(writer.connection) == []
        assert warm(writer).profile_calls == 0
    assert sum(summary(handler_over(path)).values()) == len(CALLS)


def test_a_model_of_another_digest_takes_the_facts_with_it(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    with opened(path) as writer:
        before = facts(writer.connection)
        with writer.transaction():
            writer.connection.execute(FORGET_RULES)
        stopped = warm(writer, should_stop=lambda: True)
        assert not stopped.finished
        assert facts(writer.connection) == {"profile_facts": [], "profile_values": [], "counters": []}
        assert recount(writer.connection) == []
        assert writer.connection.execute("SELECT complete FROM profile_models").fetchall() == [(0,)]
        warm(writer)
        assert facts(writer.connection) == before


def test_a_call_that_a_restricted_list_takes_away_takes_its_facts_along_and_gets_them_back(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE, OTHER_PROFILE)
    names = write_list(tmp_path / "names.yaml", {"name": "Example 3 Inc"})
    of_it = {
        call.call_id for call in CALLS if any("Example 3" in text for *_, f in call.objects for text in f.values())
    }
    assert 0 < len(of_it) < len(CALLS)
    with opened(path) as writer:
        before = facts(writer.connection)
    govern(path, names)
    with opened(path) as writer:
        for number in (1, 2):
            assert set(buckets(writer.connection, number)) == {call.call_id for call in CALLS} - of_it
        assert recount(writer.connection) == []
    govern(path, None)
    with opened(path) as writer:
        assert facts(writer.connection) == before
        assert recount(writer.connection) == []


# --- interrupted, failed, killed ------------------------------------------------------------------------------------


def stop_after(batches: int) -> Callable[[], bool]:
    asked = iter([False] * batches)
    return lambda: next(asked, True)


def changed(path: Path) -> None:
    """Leave *path* with changed and new calls to warm, and with a profile whose facts are missing."""
    with opened(path) as writer:
        store(writer, [*make_calls(20, seed=2), *(make(number, random.Random(number)) for number in range(50, 60))])
        import_yaml(writer, OTHER_PROFILE)


@pytest.mark.parametrize("batches", [0, 1, 3, 5, 6, 7, 8])
def test_a_stopped_warm_is_taken_up_and_ends_the_same(tmp_path: Path, batches: int) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    changed(path)
    todo: list[tuple[int, int]] = []
    with opened(path) as writer:
        first = warm(writer, should_stop=stop_after(batches), progress=lambda *done: todo.append(done))
        assert not first.finished
        assert recount(writer.connection) == []
        assert all(done <= total for done, total in todo)
    assert cache_status(path).next, "something is left to do, and it says what"
    with opened(path) as writer:
        rest = warm(writer)
        assert rest.finished
        assert first.looked_at + rest.looked_at == 30
        assert first.profile_calls + rest.profile_calls >= 20, "calls that the import left alone"
        assert recount(writer.connection) == []
        found = facts(writer.connection)
    assert found == rebuilt(path)
    assert cache_status(path).next == []


@pytest.mark.parametrize("at", range(9))
def test_a_batch_of_facts_that_fails_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    changed(path)
    count: Callable[..., None] = ServingWriter.count
    calls = iter(range(1000))

    def failing(self: ServingWriter, delta: Any) -> None:
        count(self, delta)
        if next(calls) == at:  # all rows of a batch are written, nothing is committed
            raise RuntimeError("pulled the plug")

    with opened(path) as writer:
        with monkeypatch.context() as patched:
            patched.setattr(serving_module.ServingWriter, "count", failing)
            with pytest.raises(RuntimeError, match="plug"):
                warm(writer)
        assert recount(writer.connection) == []
        warm(writer)
        found = facts(writer.connection)
    assert found == rebuilt(path)


KILLED = """
import sys
from pathlib import Path
from gongctl.cache import warm as module
from gongctl.cache.writer import CacheWriter
module.BATCH_CALLS = 7
with CacheWriter.open(Path(sys.argv[1])) as writer:
    print("open", flush=True)
    module.warm(writer, progress=lambda done, total: print(done, flush=True))
"""


@pytest.mark.parametrize("seed", range(6))
def test_a_warm_killed_at_a_random_moment_leaves_the_old_facts_or_the_new_of_each_call(
    tmp_path: Path, seed: int
) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    with opened(path) as writer:
        old = {(number, call): b for number in (1,) for call, b in buckets(writer.connection, number).items()}
    changed(path)
    fresh = tmp_path / "fresh.db"
    shutil.copy(path, fresh)
    with opened(fresh) as writer:
        warm(writer)
        expected = facts(writer.connection)
        new = {(number, call): b for number in (1, 2) for call, b in buckets(writer.connection, number).items()}
    rng = random.Random(seed)
    killed = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert killed.stdout is not None
    for _ in range(rng.randrange(1, 12)):  # lines of progress until it is killed, and then a moment
        if not killed.stdout.readline():
            break
    time.sleep(rng.random() * 0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    with opened(path) as writer:
        assert recount(writer.connection) == []
        for number in (1, 2):
            for call, bucket in buckets(writer.connection, number).items():
                assert bucket in (old.get((number, call)), new[number, call])
        assert warm(writer).finished
        assert facts(writer.connection) == expected
        assert recount(writer.connection) == []


def test_a_reader_during_a_warm_sees_the_old_facts_or_the_new_and_never_half(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE, OTHER_PROFILE)
    with opened(path) as writer:
        activate(writer, "profile_1")
    before = summary(handler_over(path))
    objects = (
        ("Account", "1", {"Industry": "Retail", "Tier__c": "Gold"}),
        ("Opportunity", "1", {"StageName": "Closed Won", "Type": "New Business", "NextStep": "Call back"}),
    )
    won = [Made(call.call_id, objects, "Conference", "External", ()) for call in CALLS]
    seen: list[dict[str, int]] = []
    handler = handler_over(path)

    def look(done: int, total: int) -> None:
        seen.append(summary(handler))  # another connection, in the middle of the warm

    with opened(path) as writer:
        store(writer, won)
        warm(writer, progress=look)
    assert seen[0] == before
    assert seen[-1] == {"closed_won": len(CALLS)}
    assert all(sum(counts.values()) == len(CALLS) for counts in seen)
    assert len({json.dumps(counts, sort_keys=True) for counts in seen}) > 3, "call by call, batch by batch"
    with opened(path) as writer:
        import_yaml(writer, THIRD_PROFILE, activate=False)
        want(writer, "profile_3")
        seen.clear()
        warm(writer, progress=look)
    assert all(counts == {"closed_won": len(CALLS)} for counts in seen)
    assert len(seen) > 3


def test_readers_of_other_threads_never_see_half_of_a_profile_either(tmp_path: Path) -> None:
    """The active profile changes to and fro while readers ask: each answer is whole and of one profile."""
    path = build(tmp_path / "cache.db", CALLS, PROFILE, OTHER_PROFILE)
    with closing(sqlite3.connect(path)) as connection:
        by_bucket = "SELECT bucket, count(*) FROM profile_facts WHERE profile_no = ? GROUP BY 1"
        whole = {number: dict(connection.execute(by_bucket, (number,)).fetchall()) for number in (1, 2)}
    over, wrong, asked = threading.Event(), [], []
    handler = handler_over(path)

    def read() -> None:
        while not over.is_set():
            answer = handler.call("summarize_calls_by_lifecycle", {}).answer.structured
            if answer is None or answer["status"] != "ok":
                continue
            number = int(answer["profile"]["profile_id"].removeprefix("profile_"))
            counts = {row["bucket"]: row["call_count"] for row in answer["results"]}
            asked.append(number)
            if counts != whole[number]:
                wrong.append((number, counts))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for turn in range(12):
            with opened(path) as writer:
                activate(writer, f"profile_{turn % 2 + 1}")
            mark = len(asked)
            for _ in range(500):
                if len(asked) > mark + 1:
                    break
                time.sleep(0.01)
    finally:
        over.set()
        for reader in readers:
            reader.join()
    assert wrong == []
    assert set(asked) == {1, 2}


# --- import ------------------------------------------------------------------------------------------


def stored(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            row
            for table in ("profiles", "active_profile", "profile_models", "profile_facts")
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
        ]


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("known", [False, True])
def test_an_import_that_fails_in_the_middle_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, known: bool
) -> None:
    path = build(tmp_path / "cache.db", CALLS, OTHER_PROFILE, PROFILE)
    before = stored(path)
    text = f"{OTHER_PROFILE}# reformatted\n" if known else THIRD_PROFILE
    broken = ("served_document", "_want", "_active_number")[at]

    def fails(*_: Any) -> None:
        raise RuntimeError("pulled the plug")

    with opened(path) as writer, monkeypatch.context() as patched:
        patched.setattr(store_module, broken, fails)
        with pytest.raises(RuntimeError, match="plug"):
            import_yaml(writer, text)
    assert stored(path) == before
    with opened(path) as writer:
        assert import_yaml(writer, text).imported is not known


def test_the_same_meaning_in_other_words_renews_the_text_alone(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    other = "# a comment\n" + PROFILE.replace("Company lifecycle", "Renamed").replace(
        "account_tier: {object: account,",
        "account_tier: {confidence: 0.7, evidence: {values: [Gold]}, object: account,",
    )
    with opened(path) as writer:
        before = facts(writer.connection)
        report = import_yaml(writer, other, imported_by="somebody else")
        assert (report.imported, report.activated) == (False, False)
        (stored_now,) = history(writer.connection)
        assert stored_now.name == "Renamed"
        assert stored_now.facts == "complete"
        assert store_module.source_of(writer.connection, 1) == other
        assert warm(writer).profile_calls == 0
        assert facts(writer.connection) == before
    answer = handler_over(path).call("get_business_profile", {}).answer.structured
    assert answer is not None
    assert answer["name"] == "Renamed"


def test_what_is_remembered_of_imports(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS)
    with opened(path) as writer:
        first = import_yaml(writer, PROFILE, imported_by="dana", source_path="first.yaml").profile
        second = import_yaml(writer, OTHER_PROFILE, activate=False, imported_by="lee").profile
        assert (first.is_active, first.imported_by, first.source_path) == (True, "dana", "first.yaml")
        assert (second.is_active, second.activated_at) == (False, "")
        assert [p.profile_id for p in history(writer.connection)] == ["profile_2", "profile_1"]
        assert activate(writer, second.canonical_sha256[:8]).profile_id == "profile_2"
        assert activate(writer, first.source_sha256[:8].upper()).profile_id == "profile_1"
        assert [p.is_active for p in history(writer.connection)] == [False, True]
        generation = writer.generation
        activate(writer, "active")
        assert writer.generation == generation, "it is active already: nothing is written"


IMPORTING = """
import sys
from pathlib import Path
from tests.gongctl.profile_cache import OTHER_PROFILE, PROFILE, import_yaml, opened
from gongmcp.errors import StartupRefusal
while True:
    try:
        with opened(Path(sys.argv[1])) as writer:
            for _ in range(5):
                import_yaml(writer, {"1": PROFILE, "2": OTHER_PROFILE}[sys.argv[2]])
        break
    except StartupRefusal as refusal:
        assert "is writing the cache" in str(refusal), refusal
"""


def test_two_processes_that_import_at_once_take_turns(tmp_path: Path) -> None:
    path = build(tmp_path / "cache.db", CALLS)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", IMPORTING, str(path), which], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
        )
        for which in ("1", "2", "1")
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    with opened(path) as writer:
        found = history(writer.connection)
        assert len(found) == 2
        assert sum(p.is_active for p in found) == 1
        warm(writer)
        assert recount(writer.connection) == []


def test_a_change_of_the_read_models_rules_under_two_processes_gives_the_same_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large warm classifies in a second process: the same facts."""
    path = build(tmp_path / "cache.db", CALLS, PROFILE)
    with opened(path) as writer:
        expected = facts(writer.connection)
        with writer.transaction():
            writer.connection.execute(FORGET_RULES)
        monkeypatch.setattr(warm_module, "TWO_PROCESSES_FROM", 1)
        monkeypatch.setattr(os, "cpu_count", lambda: 2)
        assert warm(writer).redone == len(CALLS)
        assert facts(writer.connection) == expected
        assert isinstance(writer, CacheWriter)
