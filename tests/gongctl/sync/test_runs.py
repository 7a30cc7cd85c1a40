"""``gongctl sync run``: its file, its plan, its exit codes, its lock; the pace that processes share."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongctl.gong.client import open_client
from gongctl.gong.credentials import Credentials, Secret, checked_base_url
from gongctl.gong.endpoints import USERS
from gongctl.gong.faults import NoAnswer, QuotaExhausted
from gongctl.gong.pace import Pace, Quota
from gongctl.gong.retry import Patience, retry_after
from gongctl.sync.config import CallsStep, read_run_config
from gongctl.sync.coverage import Window, finish_window, forget_coverage, gaps, plan_windows, save_window, settled
from gongctl.sync.status import sync_status
from gongctl.sync.times import DAY, HOUR, moment_of, seconds_of
from gongctl.tokens.jwks import fetch_keys
from gongmcp.errors import StartupRefusal
from tests.fake_gong.app import SECRET, Moods
from tests.fake_gong.data import made_up
from tests.gongctl.sync.world import Done, Gongctl, World, ids, one, world

Of = Callable[[World], Gongctl]
SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"

FILE = """
version: 1
db: c.db
api: {requests_per_second: 500, concurrency: 4}
steps:
  - {sync: users}
  - {sync: calls, preset: business, include: [highlights], from: 2026-11-01, look_back: 36h}
  - {sync: transcripts, limit: 500}
"""


def checked(name: str, done: Done) -> Any:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(done.json)
    return done.json


def test_a_run_warms_at_its_end_and_its_json_has_its_schema(home: Path, gongctl_of: Of) -> None:
    (home / "run.yaml").write_text(FILE)
    with world(made_up(12, first=datetime(2026, 11, 2, tzinfo=UTC), days=20), home) as there:
        gongctl = gongctl_of(there)
        plan = checked("sync-plan", gongctl("sync", "run", "--config", "run.yaml", "--dry-run", "--json"))
        assert (plan["requests"], plan["at_least"], there.fake.seen) == (2, True, [])
        value = checked("sync", gongctl("sync", "run", "--config", "run.yaml", "--json"))
        assert (value["ok"], value["freshness"], value["warm"]["redone"]) == (True, "fresh", 12)
        assert one(home / "c.db", "SELECT count(*) FROM call_facts") == 12
        status = checked("sync-status", gongctl("sync", "status", "--db", "c.db", "--waiting", "2", "--json"))
        assert status["transcripts"]["stored"] == 12
        assert set(status["last_success"]) == {"users", "calls", "transcripts"}
        again = checked("sync-plan", gongctl("sync", "run", "--config", "run.yaml", "--dry-run", "--json"))
        assert again["used_today"] == len(there.fake.seen)
        assert next(step for step in again["steps"] if step["step"] == "calls")["requests"] == 1
        checked("auth-check", gongctl("auth", "check", "--json"))
        for command in (("sync", "status", "--db", "c.db"), ("sync", "run", "--config", "run.yaml", "--dry-run")):
            assert gongctl(*command).code == 0


def test_a_governed_run_serves_what_the_list_permits(home: Path, gongctl_of: Of) -> None:
    (home / "list.yaml").write_text("version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Zebrafish Holdings\n")
    (home / "run.yaml").write_text(FILE + "governance_config: list.yaml\n")
    made = made_up(6, first=datetime(2026, 11, 2, tzinfo=UTC), days=2)
    made.calls[2]["metaData"]["title"] = "Zebrafish Holdings"
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        done = gongctl("sync", "run", "--config", "run.yaml", "--json")
        assert done.code == 0, done.err
        assert (done.json["freshness"], done.json["next"]) == ("fresh", [])
        assert sum(step["records"]["restricted_calls"] for step in done.json["steps"]) == 1
        assert len(ids(home / "c.db", "call_facts")) == 5
        (home / "run.yaml").write_text(FILE)
        ungoverned = gongctl("sync", "run", "--config", "run.yaml", "--json")
        assert ungoverned.code == 1, "a cache that was served by a list is not warmed without it"
        assert "restricted list" in ungoverned.json["warm_refused"]


@pytest.mark.parametrize("key", ["governance_config", "server_config"])
def test_a_plan_names_a_file_that_the_run_would_miss(home: Path, gongctl_of: Of, key: str) -> None:
    (home / "run.yaml").write_text(FILE + f"{key}: nowhere.yaml\n")
    with world(made_up(1, first=datetime(2026, 11, 2, tzinfo=UTC), days=2), home) as there:
        done = gongctl_of(there)("sync", "run", "--config", "run.yaml", "--dry-run")
        assert (done.code, done.out, there.fake.seen) == (2, "", [])
        assert "nowhere.yaml" in done.err


def test_a_plan_without_credentials_says_that_the_run_needs_them(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in os.environ if name.startswith("GONG")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(home)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    (home / "run.yaml").write_text(FILE)
    assert run(["sync", "run", "--config", "run.yaml", "--dry-run"]) == 0
    told = capfd.readouterr()
    assert "Nothing was asked." in told.out
    assert "no credentials" in told.err


def test_a_step_that_is_refused_keeps_no_other_from_running(home: Path, gongctl_of: Of) -> None:
    (home / "run.yaml").write_text(FILE)
    moods = Moods(scopes=frozenset({"/v2/calls/extensive", "/v2/calls/transcript"}))
    with world(made_up(3, first=datetime(2026, 11, 2, tzinfo=UTC), days=2), home, moods) as there:
        done = gongctl_of(there)("sync", "run", "--config", "run.yaml", "--json")
        assert done.code == 1
        assert [step["outcome"] for step in done.json["steps"]] == ["failed", "done", "done"]
        assert "api:users:read" in done.err
        assert done.json["freshness"] == "fresh"


def test_toml_says_the_same_as_yaml(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(FILE)
    (tmp_path / "run.toml").write_text(
        'version = 1\ndb = "c.db"\n[api]\nrequests_per_second = 500\nconcurrency = 4\n'
        '[[steps]]\nsync = "users"\n[[steps]]\nsync = "calls"\npreset = "business"\ninclude = ["highlights"]\n'
        'from = 2026-11-01\nlook_back = "36h"\n[[steps]]\nsync = "transcripts"\nlimit = 500\n'
    )
    read = read_run_config(tmp_path / "run.yaml")
    assert read == read_run_config(tmp_path / "run.toml")
    assert read.db == str(tmp_path / "c.db")
    assert isinstance(read.steps[1], CallsStep)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 2\nsteps: [{sync: users}]", "version"),
        ("version: 1\nsteps: []", "steps"),
        ("version: 1\nsteps: [{sync: emails}]", "steps[0]"),
        ("version: 1\nsteps: [{sync: calls}]", "preset"),
        ("version: 1\nsteps: [{sync: calls, preset: everything}]", "preset"),
        ("version: 1\nsteps: [{sync: calls, preset: all, form: -90d}]", "form"),
        ("version: 1\nsteps: [{sync: calls, preset: all, from: yesterday}]", "steps[1].from"),
        ("version: 1\nsteps: [{sync: calls, preset: all, from: -90d, look_back: 3}]", "look_back"),
        ("version: 1\nsteps: [{sync: users, max_pages: 0}]", "max_pages"),
        ("version: 1\napi: {requests_per_second: -1}\nsteps: [{sync: users}]", "requests_per_second"),
        ("version: 1\nsteps: &a [*a]", "not YAML"),
        ("a: [", "run.yaml:"),
        ("- users", "run.yaml"),
        ("!!python/object:os.system x", "run.yaml"),
    ],
)
def test_a_wrong_file_is_refused_by_the_place(text: str, said: str, home: Path, gongctl_of: Of) -> None:
    (home / "run.yaml").write_text(text)
    with world(made_up(1), home) as there:
        done = gongctl_of(there)("sync", "run", "--config", "run.yaml", "--db", "c.db")
        assert done.code == 2
        assert said in done.err
        assert "Traceback" not in done.err
        assert not (home / "c.db").exists()
        assert not there.fake.seen


def test_one_run_at_a_time(home: Path, gongctl_of: Of) -> None:
    with world(made_up(2), home) as there:
        gongctl = gongctl_of(there)
        with CacheWriter.open(home / "c.db", create=True):
            done = gongctl("sync", "users", "--db", "c.db")
        assert done.code == 1
        assert "Another gongctl" in done.err
        assert not there.fake.seen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_stops_soon_and_keeps_what_it_read(number: signal.Signals, home: Path, gongctl_of: Of) -> None:
    made = made_up(20, first=datetime(2026, 11, 2, tzinfo=UTC), days=4)
    with world(made, home, Moods(page_size=2, slow=0.1)) as there:
        first = ("sync", "calls", "--db", "c.db", "--preset", "minimal", "--from", "2026-11-01", "--window", "30d")
        child = there.fork(*first)
        while len(there.fake.seen) < 3:
            time.sleep(0.005)
        os.kill(child, number)
        begun = time.monotonic()
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 130
        assert time.monotonic() - begun < 10
        there.fake.moods.slow = 0.0
        assert 0 < len(ids(home / "c.db")) < 20
        assert one(home / "c.db", "SELECT outcome FROM sync_runs") == "interrupted"
        assert gongctl_of(there)(*first).code == 0
        assert len(ids(home / "c.db")) == 20


def test_a_wait_that_gong_asks_for_can_be_stopped(home: Path) -> None:
    with world(made_up(1), home) as there:
        there.fake.script = [(429, {"retry-after": "100"})]
        child = there.fork("sync", "users", "--db", "c.db")
        while not there.fake.seen:
            time.sleep(0.005)
        time.sleep(0.1)
        os.kill(child, signal.SIGINT)
        begun = time.monotonic()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
        assert time.monotonic() - begun < 10


# --- the pace


ASKING = """
import asyncio, sys
from pathlib import Path
from gongctl.gong.pace import Pace, Quota

async def main():
    pace = Pace("shared", Quota(rate=40), Path(sys.argv[1]))
    for _ in range(12):
        await pace.turn()

asyncio.run(main())
"""


def test_processes_share_one_pace(tmp_path: Path) -> None:
    begun = time.monotonic()
    command = [sys.executable, "-c", ASKING, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert time.monotonic() - begun >= 35 / 40, "36 turns at 40 a second"
    assert Pace("shared", Quota(), tmp_path).used().requests == 36


async def test_turns_are_apart_and_the_days_quota_ends_them(tmp_path: Path) -> None:
    pace = Pace("a", Quota(rate=50, daily=6), tmp_path)
    moments = []
    for _ in range(6):
        await pace.turn()
        moments.append(time.monotonic())
    assert moments[-1] - moments[0] >= 5 / 50
    with pytest.raises(QuotaExhausted, match="quota of 6 requests"):
        await pace.turn()
    assert Pace("b", Quota(), tmp_path).used().requests == 0, "of another account"


async def test_a_wait_that_gong_asks_for_holds_everybody(tmp_path: Path) -> None:
    Pace("a", Quota(rate=50), tmp_path).hold(0.3)
    begun = time.monotonic()
    waiting = asyncio.create_task(Pace("a", Quota(rate=50), tmp_path).turn())
    await waiting
    assert time.monotonic() - begun >= 0.29


@pytest.mark.parametrize("text", ["", "{", "[]", '{"next": 1e300, "day": "2000-01-01", "used": 99999}', "\x00" * 128])
async def test_a_state_that_makes_no_sense_starts_over(text: str, tmp_path: Path) -> None:
    (tmp_path / "gong-a.json").write_text(text)
    pace = Pace("a", Quota(rate=1000), tmp_path)
    await asyncio.wait_for(pace.turn(), 1)
    assert pace.used().requests == 1


async def test_an_answer_that_is_too_slow_is_given_up(home: Path) -> None:
    with world(made_up(1), home, Moods(slow=0.5)) as there:
        credentials = Credentials("Bearer", "", Secret(SECRET), there.url, "environment")
        patience = Patience(attempts=2, first_wait=0.01, timeout=0.1)
        async with open_client(credentials, Pace("a", Quota(rate=1000), home), patience) as client:
            with pytest.raises(NoAnswer, match=r"in 2 attempts: nothing came for 0\.1 seconds"):
                await client.ask(USERS)
        assert [item.status for item in client.drain()] == [0, 0]


def test_retry_after_and_back_off() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert retry_after("2") == 2
    assert retry_after("Sun, 01 Mar 2026 00:00:03 GMT", now) == 3
    assert retry_after("Sat, 28 Feb 2026 00:00:00 GMT", now) == 0
    assert [retry_after(text) for text in (None, "", "soon", "-3", "1.5")] == [None] * 5
    waits = [Patience().back_off(attempt) for attempt in (1, 2, 3, 20)]
    for wait, most in zip(waits, (1, 2, 4, 30), strict=True):
        assert most / 2 <= wait <= most


# --- times and coverage


def test_times_as_an_operator_writes_them() -> None:
    now = int(datetime(2026, 3, 10, 15, 30, tzinfo=UTC).timestamp())
    today = int(datetime(2026, 3, 10, tzinfo=UTC).timestamp())
    assert moment_of("2026-03-10", "--from", now) == today
    assert moment_of("2026-03-10T02:00:00+02:00", "--from", now) == today
    assert [moment_of(text, "x", now) for text in ("now", "today", "-2d", "-1w")] == [
        now,
        today,
        today - 2 * DAY,
        today - 7 * DAY,
    ]
    assert moment_of("-36h", "x", now) == now - 36 * HOUR
    assert seconds_of("90m", "x") == 5400
    for wrong in ("2026-13-01", "2026-03-10T02:00:00", "90", "-3y", "", "10.3.2026"):
        with pytest.raises(StartupRefusal, match="--from"):
            moment_of(wrong, "--from", now)


def test_gaps() -> None:
    assert list(gaps((0, 10), [])) == [(0, 10)]
    assert list(gaps((0, 10), [(2, 4), (4, 6), (9, 20)])) == [(0, 2), (6, 9)]
    assert list(gaps((0, 10), [(-5, 20)])) == []


def test_what_is_settled_is_not_planned_again_and_a_longer_look_back_takes_some_back(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "c.db", create=True) as writer, writer.transaction():
        connection = writer.connection
        for start in (0, 100, 300):
            finish_window(connection, "q", Window(start, start + 100, listed_at=450), look_back=20)
        assert settled(connection, "q", 20) == [(0, 200), (300, 400)]
        assert settled(connection, "q", 50) == [(0, 170), (300, 370)]
        finish_window(connection, "q", Window(200, 300, listed_at=310), look_back=20)
        assert settled(connection, "q", 20) == [(0, 290), (300, 400)], "listed too early for its end"
        finish_window(connection, "q", Window(400, 500, listed_at=900, changed=True), look_back=20)
        save_window(connection, "q", Window(410, 450, listed_at=900, cursor="c", pages=1))
        planned = plan_windows(connection, "q", (0, 500), look_back=20, length=60, now=1000)
        assert [(window.from_at, window.to_at, window.cursor) for window in planned] == [
            (410, 450, "c"),
            (290, 300, ""),
            (400, 410, ""),
            (450, 500, ""),
        ]
        (old, *_) = plan_windows(connection, "q", (0, 500), look_back=20, length=60, now=90_000)
        assert (old.from_at, old.cursor) == (410, ""), "no cursor is used for long"
        forget_coverage(connection, "q", (50, 350))
        assert settled(connection, "q", 20) == [(0, 50), (350, 400)]
        assert settled(connection, "other", 20) == []


def test_look_back_is_longer_than_a_day_by_default() -> None:
    step = CallsStep(preset="minimal")
    assert timedelta(seconds=seconds_of(step.look_back, "x")) > timedelta(hours=36)


@pytest.mark.parametrize(
    "state",
    [
        b"x" * 200,
        b'{"next": 0, "day": "x", "used": Infinity}',
        b"[" * 4096,
        b'{"next": ' + b"9" * 4000 + b', "day": "", "used": 1}',
        b'{"next": NaN, "day": 1, "used": 1e400}',
        b"\xff\x00",
        b"null",
    ],
    ids=range(7),
)
def test_a_state_of_the_quota_that_is_none_begins_anew(state: bytes, tmp_path: Path) -> None:
    (tmp_path / "gong-a.json").write_bytes(state)
    pace = Pace("a", Quota(), tmp_path)
    assert pace.used().requests == 0
    asyncio.run(pace.turn())
    assert pace.used().requests == 1


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_where_the_quota_cannot_be_counted_nothing_is_asked(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "gong-a.json"
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    pace = Pace("a", Quota(), tmp_path)
    with pytest.raises(StartupRefusal):
        asyncio.run(pace.turn())


@pytest.mark.parametrize("asked", ["Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "x", "-5", "\x00", "1e9"])
def test_a_wait_that_is_none_is_not_kept(asked: str) -> None:
    assert retry_after(asked) is None


@pytest.mark.parametrize(
    "url", ["https://a b", "https://\ud800", "https://a\u202e.test", "https://a/\x00", "https://a\x1b"]
)
def test_an_address_with_odd_signs_is_none(url: str) -> None:
    with pytest.raises(StartupRefusal) as refused:
        checked_base_url(url)
    assert refused.value.message.isprintable()


@pytest.mark.parametrize(
    "line",
    ['db: "a\\0b"', "db: ~no-such-user/x", 'db: "\\U99999999"', 'db: "\\ud800"', "db: !!int x", "1: 2", "<<: [1]"],
)
def test_odd_yaml_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(f"version: 1\nsteps:\n- sync: users\n{line}\n")
    with pytest.raises(StartupRefusal):
        read_run_config(tmp_path / "run.yaml")


@pytest.mark.parametrize(
    ("name", "value"),
    [("HTTPS_PROXY", "foo://proxy.test"), ("HTTPS_PROXY", "http://[::"), ("SSL_CERT_FILE", "/no/such/file")],
)
def test_a_proxy_or_certificates_that_cannot_be_used(
    name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    credentials = Credentials("Bearer", "", Secret("x" * 40), "https://gong.test", "environment")

    async def opened() -> None:
        async with open_client(credentials, Pace("a", Quota(), tmp_path)):
            pass

    with pytest.raises(StartupRefusal) as refused:
        asyncio.run(opened())
    assert value not in refused.value.message


@pytest.mark.parametrize("url", ["https://[", "http://[::1", "https://", "file:///etc/hosts", "http://\u2100.test", ""])
def test_keys_are_fetched_from_no_odd_address(url: str) -> None:
    with pytest.raises(StartupRefusal):
        fetch_keys(url=url)


def test_status_of_a_link_that_goes_round_is_refused(tmp_path: Path) -> None:
    (tmp_path / "round.db").symlink_to("round.db")
    with pytest.raises(StartupRefusal):
        sync_status(tmp_path / "round.db")
