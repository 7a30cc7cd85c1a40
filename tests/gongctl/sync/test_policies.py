"""What sync must not store or show: private calls, restricted customers, sensitive presets, credentials, gone calls."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gongctl.gong.credentials import Credentials, Secret, find_credentials, read_env_file
from gongmcp.errors import StartupRefusal
from tests.fake_gong.app import KEY, SECRET, Moods
from tests.fake_gong.data import Company, made_up, made_up_call, made_up_transcript
from tests.gongctl.sync.world import Gongctl, World, ids, one, world

Of = Callable[[World], Gongctl]
FROM = ("--from", "2026-03-01", "--to", "2026-03-31")


def day(number: int) -> datetime:
    return datetime(2026, 3, number, 12, tzinfo=UTC)


def pair(*, private: bool = True) -> Company:
    made = Company(calls=[made_up_call("1", day(2)), made_up_call("2", day(3), isPrivate=private)])
    made.transcripts = {identity: made_up_transcript(identity) for identity in ("1", "2")}
    return made


def steps(gongctl: Gongctl, *more: object, preset: str = "business") -> None:
    listed = gongctl("sync", "calls", "--db", "c.db", "--preset", preset, *FROM, *more)
    assert listed.code == 0, listed.err
    asked = gongctl("sync", "transcripts", "--db", "c.db", *more)
    assert asked.code == 0, asked.err


# --- private calls


@pytest.mark.parametrize(
    ("policy", "calls", "transcripts"),
    [("skip", {"1"}, {"1"}), ("metadata", {"1", "2"}, {"1"}), ("all", {"1", "2"}, {"1", "2"})],
)
def test_private_calls_by_policy(
    policy: str, calls: set[str], transcripts: set[str], home: Path, gongctl_of: Of
) -> None:
    with world(pair(), home) as there:
        steps(gongctl_of(there), "--private-calls", policy)
        assert (ids(home / "c.db"), ids(home / "c.db", "raw_transcripts")) == (calls, transcripts)
        if policy != "all":
            assert not [
                item for item in there.fake.asked("/v2/calls/transcript") if "2" in item.body["filter"]["callIds"]
            ]


def test_a_call_that_becomes_private_loses_its_transcript_and_gets_it_back(home: Path, gongctl_of: Of) -> None:
    made = pair(private=False)
    with world(made, home) as there:
        there.now = day(4)
        gongctl = gongctl_of(there)
        for private, expected in ((False, {"1", "2"}), (True, {"1"}), (False, {"1", "2"})):
            made.calls[1]["metaData"]["isPrivate"] = private
            steps(gongctl)
            assert ids(home / "c.db", "raw_transcripts") == expected


# --- the restricted list


LIST = """
version: 1
lists:
  no_ai:
    customers:
      - name: Zebrafish Holdings
"""


def named_in(place: str) -> Company:
    made = pair(private=False)
    if place == "title":
        made.calls[1]["metaData"]["title"] = "Zebrafish Holdings renewal"
    elif place == "crm":
        made.calls[1]["context"][0]["objects"][0]["fields"][0]["value"] = "Zebrafish Holdings"
    elif place == "transcript":
        made.transcripts["2"] = made_up_transcript("2", "We met Zebrafish Holdings.")
    made.answered = [{"answeredScorecardId": 5, "callId": 2, "reviewTime": "2026-03-04T09:00:00Z", "answers": []}]
    return made


@pytest.mark.parametrize("place", ["title", "crm", "transcript"])
def test_calls_of_a_restricted_customer_leave_a_keyed_digest_alone(place: str, home: Path, gongctl_of: Of) -> None:
    made = named_in(place)
    for item in (*made.calls, *made.transcripts.values()):  # an id that can be looked for in the file
        if "metaData" in item and item["metaData"]["id"] == "2":
            item["metaData"]["id"] = "CANARY77"
    made.transcripts["CANARY77"] = made.transcripts.pop("2") | {"callId": "CANARY77"}
    made.answered[0]["callId"] = "CANARY77"
    (home / "list.yaml").write_text(LIST)
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        steps(gongctl, "--governance-config", "list.yaml")
        assert gongctl("sync", "scorecards", "--db", "c.db", *FROM, "--governance-config", "list.yaml").code == 0
        steps(gongctl)  # without the list: the tombstone keeps it out
        assert gongctl("sync", "scorecards", "--db", "c.db", *FROM, "--again").code == 0
        assert ids(home / "c.db") == {"1"}
        assert one(home / "c.db", "SELECT count(*) FROM tombstones WHERE reason = 'restricted'") == 1
        assert one(home / "c.db", "SELECT count(*) FROM raw_records WHERE call_id IS NOT NULL") == 0
        assert b"CANARY77" not in (home / "c.db").read_bytes()


def test_without_the_list_the_same_calls_are_stored(home: Path, gongctl_of: Of) -> None:
    with world(named_in("title"), home) as there:
        steps(gongctl_of(there))
        assert ids(home / "c.db") == {"1", "2"}, "the control: it is the list that keeps the call out"


def test_a_list_that_comes_later_takes_out_what_is_stored_and_a_looser_one_gives_it_back(
    home: Path, gongctl_of: Of
) -> None:
    (home / "list.yaml").write_text(LIST)
    (home / "other.yaml").write_text(LIST.replace("Zebrafish", "Quagga"))
    with world(named_in("transcript"), home) as there:
        gongctl = gongctl_of(there)
        steps(gongctl)
        assert ids(home / "c.db") == {"1", "2"}
        steps(gongctl, "--governance-config", "list.yaml")
        assert ids(home / "c.db") == {"1"}
        steps(gongctl, "--governance-config", "other.yaml")
        assert ids(home / "c.db") == {"1"}
        steps(gongctl, "--governance-config", "other.yaml", "--again")
        assert ids(home / "c.db", "raw_transcripts") == {"1", "2"}


# --- presets and restricted mode


def test_presets_ask_for_what_they_say(home: Path, gongctl_of: Of) -> None:
    with world(pair(), home) as there:
        gongctl = gongctl_of(there)
        held: dict[str, list[str]] = {}
        for preset, more in (("minimal", ()), ("business", ()), ("all", ()), ("minimal", ("--include", "parties"))):
            name = preset + "".join(more[1:])
            done = gongctl("sync", "calls", "--db", f"{name}.db", "--preset", preset, *FROM, *more)
            assert done.code == 0, done.err
            from gongctl.cache.upsert import unpack

            held[name] = sorted(unpack(one(home / f"{name}.db", "SELECT payload FROM raw_calls WHERE call_id = '1'")))
        assert held == {
            "minimal": ["metaData"],
            "business": ["context", "metaData", "parties"],
            "all": ["content", "context", "interaction", "metaData", "parties"],
            "minimalparties": ["metaData", "parties"],
        }


def test_restricted_mode_blocks_what_stores_more_than_metadata(home: Path, gongctl_of: Of) -> None:
    (home / "run.yaml").write_text("version: 1\ndb: c.db\nsteps: [{sync: users}, {sync: transcripts}]\n")
    (home / "tame.yaml").write_text("version: 1\ndb: c.db\nwarm: false\nsteps: [{sync: workspaces}]\n")
    with world(pair(), home) as there:
        gongctl = gongctl_of(there)
        calls = ("sync", "calls", "--db", "c.db", *FROM, "--preset")
        for blocked in (
            (*calls, "business"),
            (*calls, "minimal", "--include", "parties"),
            ("sync", "transcripts", "--db", "c.db"),
            ("sync", "run", "--config", "run.yaml"),
            ("sync", "status", "--db", "c.db", "--waiting", "3"),
        ):
            done = gongctl("--restricted", *blocked)
            assert done.code == 3, blocked
            assert not there.fake.seen, "before anything runs"
        assert gongctl("--restricted", *calls, "minimal").code == 0
        assert gongctl("--restricted", "sync", "run", "--config", "tame.yaml").code == 0
        assert gongctl("--restricted", *calls, "business", "--allow-sensitive-export").code == 0


# --- gone calls


def test_reconcile_takes_out_what_gong_has_no_more(home: Path, gongctl_of: Of) -> None:
    made = made_up(30, first=day(1), days=20)
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        steps(gongctl)
        gone = {made.calls.pop(3)["metaData"]["id"], made.calls.pop(7)["metaData"]["id"]}
        made.calls[5]["metaData"]["started"] = "2026-04-20T10:00:00Z"  # moved out of the time: not gone
        steps_before = ids(home / "c.db")
        done = gongctl("sync", "calls", "--db", "c.db", "--preset", "business", *FROM, "--reconcile", "--json")
        assert done.code == 0, done.err
        assert done.json["steps"][0]["records"]["gone_calls"] == 2
        assert ids(home / "c.db") == steps_before - gone
        assert ids(home / "c.db", "raw_transcripts") == steps_before - gone
        assert one(home / "c.db", "SELECT count(*) FROM tombstones WHERE reason = 'gone'") == 2


def test_reconcile_under_a_lost_permission_takes_out_nothing(home: Path, gongctl_of: Of) -> None:
    made = made_up(30, first=day(1), days=20)
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        steps(gongctl)
        made.calls.clear()
        done = gongctl("sync", "calls", "--db", "c.db", "--preset", "business", *FROM, "--reconcile")
        assert done.code == 1
        assert "--max-gone 30" in done.err
        assert len(ids(home / "c.db")) == 30


# --- credentials


def test_no_secret_is_shown_by_whatever_goes_wrong(
    home: Path, gongctl_of: Of, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    canaries = ("CANARYSECRET", "CANARYTOKEN")
    with world(pair(), home) as there:
        gongctl = gongctl_of(there)
        texts = []
        for variables in (
            {"GONG_ACCESS_KEY_SECRET": canaries[0]},
            {"GONG_ACCESS_KEY": "", "GONG_ACCESS_KEY_SECRET": "", "GONG_ACCESS_TOKEN": canaries[1]},
            {"GONG_ACCESS_KEY_SECRET": canaries[0], "GONG_ACCESS_TOKEN": canaries[1]},
            {"GONG_ACCESS_KEY_SECRET": f"{canaries[0]} \x07"},
            {"GONG_ACCESS_KEY_SECRET": canaries[0], "GONG_BASE_URL": "http://gong.example"},
            {"GONG_ACCESS_KEY_SECRET": canaries[0], "GONG_BASE_URL": f"https://u:{canaries[1]}@gong.example"},
            {"GONG_ACCESS_KEY_SECRET": canaries[0], "GONG_BASE_URL": "http://127.0.0.1:1", "GONGCTL_DEBUG": "1"},
        ):
            there.environ = dict(variables)
            monkeypatch.setattr("gongctl.gong.retry.Patience.back_off", lambda self, attempt: 0.0)
            for command in (("auth", "check"), ("sync", "users", "--db", "c.db")):
                done = gongctl(*command)
                assert done.code in (1, 2), (variables, done)
                texts.append(done.out + done.err)
            monkeypatch.delenv("GONGCTL_DEBUG", raising=False)
        everything = "".join(texts) + caplog.text + str(list(home.rglob("*")))
        for file in home.rglob("*"):
            if file.is_file():
                everything += file.read_bytes().decode("latin-1")
        assert not any(canary in everything for canary in canaries)
        assert "lacks the scope" in everything or "login credentials are invalid" in everything
        assert "are both set" in everything
        assert "not https" in everything


def test_a_secret_is_stars_in_every_form() -> None:
    secret = Secret("CANARY")
    made = Credentials("Basic", "key", secret, "https://gong.example", "environment")
    for text in (str(secret), repr(secret), f"{secret}", f"{secret!r:>20}", repr(made), str([secret]), f"{vars}"):
        assert "CANARY" not in text
    with pytest.raises(TypeError):
        json.dumps(secret)
    assert secret.reveal() == "CANARY"


def test_credentials_come_from_environment_then_file_then_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry: dict[str, str] = {}
    monkeypatch.setattr("keyring.get_password", lambda service, name: entry.get(name))
    (tmp_path / ".env").write_text(
        "# of Gong\nexport GONG_ACCESS_KEY=filekey\nGONG_ACCESS_KEY_SECRET='file secret'\n"
        "GONG_BASE_URL=https://eu.gong.example/ # region\nPATH=/evil\n".replace("file secret", "filesecret")
    )
    entry["gong-api"] = json.dumps({"GONG_ACCESS_TOKEN": "ringtoken", "GONG_BASE_URL": "https://ring.example"})
    assert set(read_env_file(tmp_path)) == {"GONG_ACCESS_KEY", "GONG_ACCESS_KEY_SECRET", "GONG_BASE_URL"}

    def found(environ: dict[str, str], folder: Path = tmp_path) -> tuple[Any, ...]:
        made = find_credentials({"HOME": "/", **environ}, folder=folder)
        return made.scheme, made.key, made.secret.reveal(), made.base_url, made.source

    assert found({}) == ("Basic", "filekey", "filesecret", "https://eu.gong.example", ".env")
    assert found({"GONG_ACCESS_KEY": "envkey"})[1:3] == ("envkey", "filesecret")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert found({}, empty) == ("Bearer", "", "ringtoken", "https://ring.example", "keyring")
    assert found({"GONG_ACCESS_TOKEN": "t"}, empty)[4] == "environment"
    with pytest.raises(StartupRefusal, match="both set"):
        found({"GONG_ACCESS_TOKEN": "t"})
    entry.clear()
    with pytest.raises(StartupRefusal, match="no credentials"):
        found({}, empty)


def test_a_login_is_kept_used_and_forgotten(home: Path, gongctl_of: Of, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    held: dict[str, str] = {}
    monkeypatch.setattr("keyring.get_password", lambda service, name: held.get(name))
    monkeypatch.setattr("keyring.set_password", lambda service, name, value: held.__setitem__(name, value))
    monkeypatch.setattr("keyring.delete_password", lambda service, name: held.__delitem__(name))
    with world(pair(), home) as there:
        gongctl = gongctl_of(there)
        there.environ = {"GONG_ACCESS_KEY": "", "GONG_ACCESS_KEY_SECRET": ""}
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n{SECRET}\n"))
        done = gongctl("auth", "login", "--stdin", "--base-url", there.url)
        assert (done.code, SECRET in done.out + done.err) == (0, False)
        checked = gongctl("auth", "check", "--json")
        assert (checked.code, checked.json["source"]) == (0, "keyring")
        assert gongctl("auth", "logout").code == 0
        assert gongctl("auth", "check").code == 2


def test_check_names_the_scope_that_is_missing(home: Path, gongctl_of: Of) -> None:
    with world(pair(), home, Moods(scopes=frozenset({"/v2/users", "/v2/calls/extensive"}))) as there:
        gongctl = gongctl_of(there)
        done = gongctl("auth", "check", "--json")
        assert done.code == 1
        allowed = {item["scope"]: item["allowed"] for item in done.json["endpoints"]}
        assert [scope for scope, may in allowed.items() if may] == ["api:calls:read:extensive", "api:users:read"]
        refused = gongctl("sync", "transcripts", "--db", "c.db")
        assert refused.code == 0, "nothing is due, so nothing is asked"
        steps_done = gongctl("sync", "calls", "--db", "c.db", "--preset", "minimal", *FROM)
        assert steps_done.code == 0
        refused = gongctl("sync", "transcripts", "--db", "c.db")
        assert refused.code == 1
        assert "api:calls:read:transcript" in refused.err
        assert "req0" in refused.err, "the request id"


def test_the_log_of_requests_keeps_ids_and_nothing_else(home: Path, gongctl_of: Of) -> None:
    with world(pair(), home) as there:
        steps(gongctl_of(there))
        connection = sqlite3.connect(home / "c.db")
        logged = connection.execute("SELECT endpoint, status, request_id FROM sync_requests").fetchall()
        connection.close()
        assert {row[0] for row in logged} == {"POST /v2/calls/extensive", "POST /v2/calls/transcript"}
        assert len({row[2] for row in logged}) == len(logged) == len(there.fake.seen)
