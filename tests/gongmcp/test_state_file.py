"""The state file: budgets and rates that outlive a restart and are shared by processes."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gongmcp.errors import StartupRefusal, Unavailable
from gongmcp.exposure.evidence import Evidence
from gongmcp.state_file import APPLICATION_ID, StateFile
from tests.gongmcp.stdio_process import ROOT

DAY = 86400.0


class Clock:
    def __init__(self) -> None:
        self.now = 20_000 * DAY

    def __call__(self) -> float:
        return self.now


def shows(call: str, *segments: int) -> Evidence:
    return Evidence(call, dict.fromkeys(segments, 10), 100, 1000)


def test_what_was_seen_is_kept_by_client_and_day(tmp_path: Path) -> None:
    clock = Clock()
    state = StateFile(tmp_path / "s", clock=clock)
    assert state.spend("a", [shows("x", 1, 2), shows("y", 5)], {"x": 0, "y": 0})
    assert state.seen("a", "x") == {1: 10, 2: 10}
    assert state.seen("b", "x") == {}
    state.close()
    again = StateFile(tmp_path / "s", clock=clock)
    assert again.seen("a", "x") == {1: 10, 2: 10}, "a restart gives no second budget"
    clock.now += DAY
    assert again.seen("a", "x") == {}
    again.close()
    with sqlite3.connect(tmp_path / "s") as left:
        assert left.execute("SELECT count(*) FROM seen").fetchone() == (0,), "yesterday is forgotten"
    left.close()


def test_two_calls_at_once_do_not_spend_one_budget_twice(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "s")
    assert state.spend("a", [shows("x", 1)], {"x": 0})
    assert not state.spend("a", [shows("x", 2), shows("y", 1)], {"x": 0, "y": 0})
    assert state.seen("a", "y") == {}, "all of it or nothing"
    assert state.spend("a", [shows("x", 2)], {"x": 1})
    won: list[bool] = []
    threads = [
        threading.Thread(target=lambda n=n: won.append(state.spend("b", [shows("x", n)], {"x": 0}))) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]
    state.close()


def test_a_rate_lets_a_few_through_and_then_one_at_a_time() -> None:
    clock = Clock()
    state = StateFile(None, clock=clock)
    assert [state.wait_of("a", 60) for _ in range(15)] == [0.0] * 15
    wait = state.wait_of("a", 60)
    assert wait == pytest.approx(1.0)
    assert state.wait_of("b", 60) == 0.0
    clock.now += wait
    assert state.wait_of("a", 60) == 0.0
    assert state.wait_of("a", 60) > 0
    clock.now -= 3600
    assert state.wait_of("a", 60) <= 1.0, "a clock that was set back locks nobody out for an hour"
    state.close()


def test_a_slow_rate_still_lets_one_through() -> None:
    clock = Clock()
    state = StateFile(None, clock=clock)
    assert state.wait_of("a", 1) == 0.0
    assert state.wait_of("a", 1) == pytest.approx(60.0)
    state.close()


def test_processes_share_it(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "s")
    program = (
        "import sys; from pathlib import Path; from gongmcp.state_file import StateFile\n"
        "s = StateFile(Path(sys.argv[1])); print(sum(s.wait_of('a', 40) == 0 for _ in range(30)))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "s")]
    others = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    passed = [int(other.communicate(timeout=60)[0]) for other in others]
    assert 10 <= sum(passed) <= 14, "ten are saved up; a few more come due while they ask"
    state.close()


def test_it_is_private_and_no_other_database_is_taken(tmp_path: Path) -> None:
    StateFile(tmp_path / "s").close()
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE t(x)")
    other.close()
    (tmp_path / "other").chmod(0o600)
    before = (tmp_path / "other").read_bytes()
    (tmp_path / "link").symlink_to(tmp_path / "s")
    (tmp_path / "open").touch(0o644)
    for name in ("other", "link", "open", "no/such/folder"):
        with pytest.raises(StartupRefusal):
            StateFile(tmp_path / name)
    assert (tmp_path / "other").read_bytes() == before


def test_a_state_that_cannot_be_asked_is_not_an_empty_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gongmcp.state_file.BUSY_SECONDS", 0.01)
    state = StateFile(tmp_path / "s")
    holder = sqlite3.connect(tmp_path / "s", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    for ask in (lambda: state.seen("a", "x"), lambda: state.wait_of("a", 1), lambda: state.spend("a", [], {})):
        with pytest.raises(Unavailable):
            ask()
    holder.rollback()
    assert state.seen("a", "x") == {}
    holder.close()
    state.close()


def test_a_state_of_another_form_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s") as other:
        other.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        other.execute("CREATE TABLE seen(client TEXT)")
    other.close()
    (tmp_path / "s").chmod(0o600)
    with pytest.raises(StartupRefusal):
        StateFile(tmp_path / "s")


FULL = """
import resource, sys
from gongmcp.errors import Unavailable
from gongmcp.exposure.evidence import Evidence
from gongmcp.state_file import StateFile
from pathlib import Path
path = Path(sys.argv[1])
state = StateFile(path)
most = path.with_name(path.name + "-wal").stat().st_size + 9000
resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
denied, number = 0, 0
while denied < 3:
    number += 1
    assert number < 500
    try:
        state.spend("a", [Evidence(f"call_{number}", dict.fromkeys(range(50), 10), 100, 1000)], {f"call_{number}": 0})
    except Unavailable:
        denied += 1
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert state.spend("a", [Evidence("later", {1: 10}, 100, 1000)], {"later": 0})
print("later", state.seen("a", "later"))
"""


def test_a_full_disk_refuses_until_there_is_room_and_says_so_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "s")], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "later {1: 10}\n", done.stderr
    assert done.stderr.count("the state file cannot be asked") == 1


def test_servers_that_start_at_once_share_a_new_file(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from gongmcp.state_file import StateFile; StateFile(Path(sys.argv[1]))"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "s")], cwd=ROOT) for _ in range(4)]
    assert [other.wait(60) for other in started] == [0] * 4


def test_a_file_that_was_moved_away_gives_nobody_a_second_budget(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "s")
    assert state.spend("a", [shows("x", 1)], {"x": 0})
    (tmp_path / "s").rename(tmp_path / "kept")
    with pytest.raises(Unavailable):
        state.seen("a", "x")
    (tmp_path / "kept").replace(tmp_path / "s")
    assert state.seen("a", "x") == {1: 10}
    state.close()
