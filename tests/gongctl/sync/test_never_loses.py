"""Traps of Gong's API in which syncs lose calls: late calls, cursors, empty answers, quotas, shifting pages."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.fake_gong.app import FakeGong, Moods
from tests.fake_gong.data import Company, made_up, made_up_call, made_up_transcript
from tests.gongctl.sync.world import Gongctl, World, ids, one, world

Of = Callable[[World], Gongctl]
CALLS = "/v2/calls/extensive"
TRANSCRIPTS = "/v2/calls/transcript"


def moment(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


def company(*calls: tuple[str, datetime], transcripts: bool = True) -> Company:
    made = Company(calls=[made_up_call(identity, begun) for identity, begun in calls])
    if transcripts:
        made.transcripts = {identity: made_up_transcript(identity) for identity, _ in calls}
    made.sort()
    return made


def listing(gongctl: Gongctl, *more: object, preset: str = "minimal") -> Any:
    done = gongctl("sync", "calls", "--db", "c.db", "--preset", preset, "--json", *more)
    assert done.code == 0, done.err
    return done.json["steps"][0]


# --- cursors (field case A01)


def test_the_cursor_goes_into_the_body_and_each_call_is_stored_once(home: Path, gongctl_of: Of) -> None:
    calls = [(str(number), moment(2, number)) for number in range(5)]
    with world(company(*calls), home, Moods(page_size=2)) as there:
        step = listing(gongctl_of(there), "--from", "2026-03-01", "--to", "2026-03-05")
        assert (step["records"]["new"], step["pages"]) == (5, 3)
        bodies = [item.body for item in there.fake.asked(CALLS)]
        assert [bool(body.get("cursor")) for body in bodies] == [False, True, True]
        assert {item.query for item in there.fake.asked(CALLS)} == {""}
        assert len({json.dumps(body["filter"]) for body in bodies}) == 1, "everything else unchanged"


def test_a_cursor_that_does_not_advance_ends_the_run(home: Path, gongctl_of: Of) -> None:
    calls = [(str(number), moment(2, number)) for number in range(5)]
    with world(company(*calls), home, Moods(page_size=2)) as there:

        def always_page_one(items: list[Any], cursor: str | None, request: Any) -> Any:
            return items[:2], {"totalRecords": 5, "currentPageSize": 2, "currentPageNumber": 0, "cursor": "c2"}

        there.fake._page = always_page_one  # type: ignore[method-assign]
        done = gongctl_of(there)("sync", "calls", "--db", "c.db", "--preset", "minimal", "--from", "2026-03-01")
        assert done.code == 1
        assert "not advancing" in done.err
        assert max(sum(item.body["filter"] == rule for item in there.fake.seen) for rule in _rules(there.fake)) <= 3


def _rules(fake: FakeGong) -> list[Any]:
    return [item.body["filter"] for item in fake.seen]


def test_cursors_that_expire_at_once_still_lead_to_the_end(home: Path, gongctl_of: Of) -> None:
    made = made_up(60, first=moment(1, 0), days=5)
    with world(made, home, Moods(page_size=4, cursor_life=0)) as there:
        step = listing(gongctl_of(there), "--from", "2026-03-01", "--to", "2026-03-08")
        assert len(ids(home / "c.db")) == 60
        assert step["planned"] > 1, "the window was cut"
        assert one(home / "c.db", "SELECT count(*) FROM sync_windows") == 0


# --- empty answers (A02)


def test_an_empty_window_is_a_success_and_a_wrong_base_url_is_none(home: Path, gongctl_of: Of) -> None:
    with world(company(("1", moment(2)), ("2", moment(3))), home) as there:
        gongctl = gongctl_of(there)
        listing(gongctl, "--from", "2026-03-01", "--to", "2026-03-08")
        empty = listing(gongctl, "--from", "2026-04-01", "--to", "2026-04-08")
        assert (empty["outcome"], empty["records"]["new"]) == ("done", 0)
        assert "A key that may not see calls" in empty["notes"][0]
        assert ids(home / "c.db") == {"1", "2"}
        there.environ["GONG_BASE_URL"] = f"{there.url}/wrong"
        wrong = gongctl("sync", "calls", "--db", "c.db", "--preset", "minimal", "--from", "2026-05-01")
        assert wrong.code == 1
        assert "GONG_BASE_URL" in wrong.err
        assert ids(home / "c.db") == {"1", "2"}
        assert (
            one(home / "c.db", "SELECT count(*) FROM sync_coverage WHERE from_at < to_at AND question LIKE '%wrong%'")
            == 0
        )


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (404, {"requestId": "r1", "errors": ["Not Found"]}),
        (404, {"errors": "No calls found"}),
        (200, {"ok": True}),
        (200, []),
        (302, {"requestId": "r1"}),
    ],
)
def test_what_is_no_answer_of_the_api_settles_nothing(
    status: int, answer: Any, home: Path, gongctl_of: Of, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world(company(("1", moment(2))), home) as there:
        monkeypatch.setattr(FakeGong, "_answer", lambda *_: (status, answer, {}))
        done = gongctl_of(there)("sync", "calls", "--db", "c.db", "--preset", "minimal", "--from", "2026-03-01")
        assert done.code == 1
        assert "base URL" in done.err
        assert one(home / "c.db", "SELECT count(*) FROM sync_coverage WHERE from_at < to_at") == 0


def test_the_other_words_of_an_empty_result_are_understood(
    home: Path, gongctl_of: Of, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fake_gong.app.NO_CALLS", "no calls in range")
    with world(company(), home) as there:
        assert listing(gongctl_of(there), "--from", "2026-03-01")["outcome"] == "done"


# --- late calls and late transcripts (A03)


def test_late_calls_and_transcripts_come_with_an_ordinary_run(home: Path, gongctl_of: Of) -> None:
    made = company(("K", moment(9)), ("L", moment(9, 13)), ("M", moment(8)))
    made.transcribed = {"K": moment(11), "L": moment(28)}
    made.appears = {"M": moment(11)}
    with world(made, home) as there:
        gongctl = gongctl_of(there)

        def run(day: int) -> Any:
            there.now = moment(day)
            begin = ("--from", "2026-03-01") if day == 10 else ()
            listing(gongctl, *begin)
            done = gongctl("sync", "transcripts", "--db", "c.db", "--json")
            assert done.code == 0
            return gongctl("sync", "status", "--db", "c.db", "--waiting", "5", "--json").json

        first = run(10)
        assert ids(home / "c.db") == {"K", "L"}
        assert (first["transcripts"]["stored"], first["transcripts"]["pending"]) == (0, 2)
        second = run(12)
        assert ids(home / "c.db") == {"K", "L", "M"}
        assert ids(home / "c.db", "raw_transcripts") == {"K", "M"}
        (waiting,) = second["waiting"]
        assert (waiting["call_id"], waiting["outcome"], waiting["attempts"], waiting["days"]) == (
            "L",
            "pending",
            2,
            2.0,
        )


def test_a_transcript_that_never_comes_is_given_up_and_blocks_nobody(home: Path, gongctl_of: Of) -> None:
    made = company(("L", moment(1)), ("N", moment(2)))
    del made.transcripts["L"]
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        there.now = moment(3)
        listing(gongctl, "--from", "2026-03-01")
        waits = [0, 1, 1, 2, 4, 8, 16, 32, 64, 128, 168, 168, 168, 168]
        asked = []
        for number, hours in enumerate(waits):
            there.now += timedelta(hours=hours)
            done = gongctl("sync", "transcripts", "--db", "c.db", "--limit", "1", "--json")
            assert done.code == 0
            asked.append(done.json["steps"][0]["planned"])
            if number == 1:
                assert ids(home / "c.db", "raw_transcripts") == {"N"}, "L does not stand in its way"
        assert asked == [1] * 13 + [0], "twelve times for one, once for the other"
        status = gongctl("sync", "status", "--db", "c.db", "--json").json["transcripts"]
        assert (status["stored"], status["pending"], status["given_up"]) == (1, 0, 1)
        made.transcripts["L"] = made_up_transcript("L")
        assert gongctl("sync", "transcripts", "--db", "c.db", "--again").code == 0
        assert ids(home / "c.db", "raw_transcripts") == {"L", "N"}


@pytest.mark.parametrize("late", [36, 71])
def test_the_look_back_catches_calls_that_surface_late(late: int, home: Path, gongctl_of: Of) -> None:
    made = made_up(60, first=moment(1, 0), days=5)
    made.appears = {
        call["metaData"]["id"]: datetime.fromisoformat(call["metaData"]["started"]) + timedelta(hours=late)
        for number, call in enumerate(made.calls)
        if number % 3 == 0
    }
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        begin: tuple[object, ...] = ("--from", "2026-03-01")
        for hours in range(20, 24 * 9, 33):
            there.now = moment(1, 0) + timedelta(hours=hours)
            listing(gongctl, *begin)
            begin = ()
        assert len(ids(home / "c.db")) == 60


def test_a_call_that_changes_is_upserted(home: Path, gongctl_of: Of) -> None:
    made = company(("1", moment(9)))
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        there.now = moment(10)
        assert listing(gongctl, "--from", "2026-03-01", preset="business")["records"]["new"] == 1
        made.calls[0]["context"][0]["objects"][0]["fields"][0]["value"] = "Acme Two"
        there.now = moment(11)
        assert listing(gongctl, preset="business")["records"]["changed"] == 1


def test_pages_that_shift_under_the_listing_are_read_again(home: Path, gongctl_of: Of) -> None:
    made = made_up(10, first=moment(1, 0), days=1)
    with world(made, home, Moods(page_size=4)) as there:

        def delete_one(fake: FakeGong, number: int) -> None:
            if number == 2:  # the calls of page two move up by one: one would be lost
                del made.calls[0]

        there.fake.before_answer = delete_one
        listing(gongctl_of(there), "--from", "2026-03-01", "--to", "2026-03-03")
        assert {call["metaData"]["id"] for call in made.calls} <= ids(home / "c.db")
        assert len(there.fake.asked(CALLS)) > 3


def test_a_window_that_never_stands_still_is_left_to_the_next_run(home: Path, gongctl_of: Of) -> None:
    made = made_up(40, first=moment(1, 0), days=1)
    with world(made, home, Moods(page_size=8)) as there:

        def delete_one(fake: FakeGong, number: int) -> None:
            del made.calls[-1]

        there.fake.before_answer = delete_one
        gongctl = gongctl_of(there)
        step = listing(gongctl, "--from", "2026-03-01", "--to", "2026-03-03")
        assert "1 windows changed while they were read" in step["notes"][0]
        assert one(home / "c.db", "SELECT count(*) FROM sync_coverage WHERE from_at < to_at") == 0
        there.fake.before_answer = None
        assert listing(gongctl)["notes"] == []
        assert {call["metaData"]["id"] for call in made.calls} <= ids(home / "c.db")
        assert one(home / "c.db", "SELECT count(*) FROM sync_coverage WHERE from_at < to_at") == 1


def test_fewer_calls_than_gong_says_are_read_twice_and_told(
    home: Path, gongctl_of: Of, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = FakeGong._page

    def boasting(self: FakeGong, *arguments: Any) -> Any:
        items, records = page(self, *arguments)
        return items, records | {"totalRecords": records["totalRecords"] + 1}

    monkeypatch.setattr(FakeGong, "_page", boasting)
    with world(made_up(5, first=moment(1, 0), days=1), home, Moods(page_size=3)) as there:
        step = listing(gongctl_of(there), "--from", "2026-03-01", "--to", "2026-03-03")
        assert "fewer calls than it says" in step["notes"][0]
        assert (step["records"]["new"], step["pages"]) == (5, 4)


# --- odd records (A08, A10)


def test_ids_keep_every_digit_and_zero(home: Path, gongctl_of: Of) -> None:
    made = company(("12345678901234567890", moment(2)), ("00712345", moment(3)), ("9007199254740993", moment(4)))
    made.calls[2]["metaData"]["id"] = 9007199254740993
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        listing(gongctl, "--from", "2026-03-01", "--to", "2026-03-10")
        assert gongctl("sync", "transcripts", "--db", "c.db").code == 0
        wanted = {"12345678901234567890", "00712345", "9007199254740993"}
        assert (ids(home / "c.db"), ids(home / "c.db", "raw_transcripts")) == (wanted, wanted)


def test_speakers_that_are_nobody_break_nothing_and_a_bad_record_is_told(home: Path, gongctl_of: Of) -> None:
    made = company(("1", moment(2)), ("2", moment(3)))
    del made.calls[0]["parties"]
    (monologue,) = made.transcripts["1"]["transcript"]
    made.transcripts["1"]["transcript"] = [monologue | {"speakerId": speaker} for speaker in (None, "999", "11")]
    made.calls[1]["parties"] = "none"
    with world(made, home) as there:
        gongctl = gongctl_of(there)
        call = ("sync", "calls", "--db", "c.db", "--preset", "business", "--from", "2026-03-01", "--to", "2026-03-10")
        done = gongctl(*call)
        assert done.code == 1, "a record that cannot be stored is a call that is missing"
        assert 'Rejected POST /v2/calls/extensive page 1 item 2: "parties" is no array.' in done.err
        assert gongctl("sync", "transcripts", "--db", "c.db").code == 0
        assert gongctl("cache", "warm", "--db", "c.db").code == 0
        assert one(home / "c.db", "SELECT count(DISTINCT speaker_no) FROM segments") == 3


# --- limits of pages, quota, waits (A06)


def test_max_pages_says_that_it_is_partial_and_the_next_run_goes_on(home: Path, gongctl_of: Of) -> None:
    made = made_up(20, first=moment(1, 0), days=3)
    with world(made, home, Moods(page_size=4)) as there:
        gongctl = gongctl_of(there)
        first = ("sync", "calls", "--db", "c.db", "--preset", "minimal", "--from", "2026-03-01", "--to", "2026-03-05")
        done = gongctl(*first, "--max-pages", "2", "--json")
        assert done.code == 1
        assert done.json["steps"][0]["outcome"] == "partial"
        assert "there is more" in done.err
        assert len(ids(home / "c.db")) == 8
        asked = len(there.fake.asked(CALLS))
        assert gongctl(*first).code == 0
        assert len(ids(home / "c.db")) == 20
        assert len(there.fake.asked(CALLS)) - asked == 3, "it goes on with page three"


def test_waits_that_gong_asks_for(home: Path, gongctl_of: Of, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gongctl.gong.retry.Patience.back_off", lambda self, attempt: 0.2)
    with world(company(("1", moment(2))), home) as there:
        gongctl = gongctl_of(there)
        at = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)
        there.fake.script = [(429, {"retry-after": "1"}), (429, {"retry-after": at}), (429, {})]
        listing(gongctl, "--from", "2026-03-01", "--to", "2026-03-05")
        times = [item.at for item in there.fake.seen]
        gaps = [later - earlier for earlier, later in pairwise(times)]
        assert len(gaps) == 3
        assert gaps[0] >= 0.99
        assert sum(gaps[:2]) >= 1.9, "the moment that the second one names, in whole seconds"
        assert gaps[2] >= 0.19


def test_a_quota_that_is_gone_ends_the_run_at_once_with_what_was_read(home: Path, gongctl_of: Of) -> None:
    made = made_up(8, first=moment(1, 0), days=1)
    with world(made, home, Moods(page_size=4)) as there:
        gongctl = gongctl_of(there)
        there.fake.script = [(200, {}), (429, {"retry-after": "86400"})]
        first = ("sync", "calls", "--db", "c.db", "--preset", "minimal", "--from", "2026-03-01", "--to", "2026-03-05")
        begun = time.monotonic()
        done = gongctl(*first)
        assert done.code == 1
        assert time.monotonic() - begun < 5
        assert "quota is used up" in done.err
        assert len(ids(home / "c.db")) == 4
        assert gongctl(*first).code == 0
        assert len(ids(home / "c.db")) == 8


def test_the_days_quota_is_kept_over_all_runs(home: Path, gongctl_of: Of) -> None:
    with world(made_up(30, first=moment(1, 0), days=20), home) as there:
        gongctl = gongctl_of(there)
        there.environ["GONGCTL_GONG_DAILY_QUOTA"] = "3"
        listing(gongctl, "--from", "2026-03-01", "--to", "2026-03-08")
        done = gongctl("sync", "calls", "--db", "c.db", "--preset", "minimal", "--from", "2026-03-01", "--window", "1d")
        assert done.code == 1
        assert "quota of 3 requests" in done.err
        assert len(there.fake.seen) == 3
        other = gongctl("sync", "users", "--db", "other.db")
        assert other.code == 1
        assert len(there.fake.seen) == 3, "another cache has the same quota"


def test_answers_that_fail_in_between_are_asked_for_again_and_in_vain_end_the_run(
    home: Path, gongctl_of: Of, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gongctl.gong.retry.Patience.back_off", lambda self, attempt: 0.001)
    with world(company(("1", moment(2))), home) as there:
        gongctl = gongctl_of(there)
        there.fake.script = [(503, {}), (500, {}), (502, {})]
        listing(gongctl, "--from", "2026-03-01", "--to", "2026-03-05")
        there.fake.script = [(500, {})] * 8
        done = gongctl("sync", "users", "--db", "c.db")
        assert done.code == 1
        assert "in 8 attempts" in done.err
        outcomes = one(home / "c.db", "SELECT group_concat(outcome) FROM sync_runs")
        assert outcomes == "done,failed"
        assert one(home / "c.db", "SELECT count(*) FROM sync_requests WHERE status = 500") == 9
