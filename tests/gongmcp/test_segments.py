"""The ranked search: what it finds, in which order, page by page, and at which cost."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongmcp.errors import ToolFault
from gongmcp.exposure.text import Span
from gongmcp.store import ranking, segments
from gongmcp.store.calls import CallFilter
from gongmcp.store.ranking import MAX_SCORE, Matcher
from gongmcp.store.schema import MODEL_DDL, TIE_BITS, first_segment
from gongmcp.store.search_query import SearchQuery, compile_query
from gongmcp.store.segments import MAX_NEIGHBOURS, RANK_WINDOW, SegmentPage, SegmentRow, excerpt, search_segments

JANUARY = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Call:
    """A call of a made-up read model: its start in hours after the year's, its facts and sentences."""

    hour: int
    sentences: tuple[str, ...]
    system: str = "Zoom"
    scope: str = "External"
    bucket: str = "renewal"

    @property
    def call_no(self) -> int:
        return int((JANUARY + dt.timedelta(hours=self.hour)).timestamp()) << TIE_BITS


class Model:
    """An SQLite read model in memory that counts the VM steps of its queries."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript(MODEL_DDL)
        kinds = {row["name"]: row["type"] for row in self.connection.execute("PRAGMA table_info(call_facts)")}
        self.steps = 0
        for call in calls:
            started = JANUARY + dt.timedelta(hours=call.hour)
            facts: dict[str, Any] = {name: 0 if kind == "INTEGER" else "" for name, kind in kinds.items()}
            facts |= {
                "call_no": call.call_no,
                "call_id": f"id{call.hour}",
                "call_ref": f"call_{call.hour:016x}",
                "started_at": started.isoformat(),
                "call_date": started.strftime("%Y-%m-%d"),
                "call_month": started.strftime("%Y-%m"),
                "duration_seconds": 60,
                "lifecycle_bucket": call.bucket,
                "system": call.system,
                "scope": call.scope,
                "direction": "Conference",
                "transcript_present": 1,
                "title_spans": None,
            }
            self.connection.execute(
                f"INSERT INTO call_facts ({', '.join(facts)}) VALUES ({', '.join('?' * len(facts))})",
                list(facts.values()),
            )
            rows = [
                (first_segment(call.call_no) + n, n % 3, n * 1000, n * 1000 + 900, text, None)
                for n, text in enumerate(call.sentences)
            ]
            self.connection.executemany("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?)", rows)
            self.connection.executemany(
                "INSERT INTO segments_fts (rowid, text) VALUES (?, ?)", [(row[0], row[4]) for row in rows]
            )
            self.connection.executemany(
                "INSERT INTO parties VALUES (?, ?, ?, ?, 'external', '', 1, '')",
                [(call.call_no, n, f"s{call.hour}-{n}", f"speaker_{call.hour:08x}{n:08x}") for n in (1, 2)],
            )
        self.connection.execute("INSERT INTO segments_fts (segments_fts) VALUES ('optimize')")

    def _step(self) -> None:
        self.steps += 1

    def rows(self, sql: str, parameters: dict[str, Any] | None = None) -> list[sqlite3.Row]:
        self.connection.set_progress_handler(self._step, 1)
        try:
            return self.connection.execute(sql, parameters or {}).fetchall()
        finally:
            self.connection.set_progress_handler(None, 1)

    def one(self, sql: str, parameters: dict[str, Any] | None = None) -> sqlite3.Row | None:
        rows = self.rows(sql, parameters)
        return rows[0] if rows else None


def search(model: Model, text: str, calls: CallFilter | None = None, limit: int = 20, **more: Any) -> SegmentPage:
    return search_segments(model, compile_query(text), calls or CallFilter(), limit, **more)


def texts(page: SegmentPage) -> list[str]:
    return [row.text for row in page.rows]


def follow(
    model: Model, query: SearchQuery, calls: CallFilter, limit: int, window: int
) -> tuple[list[SegmentPage], list[SegmentRow]]:
    """Return all pages of a search, and their rows."""
    pages: list[SegmentPage] = []
    after: tuple[int, ...] | None = None
    while True:
        pages.append(search_segments(model, query, calls, limit, after, window=window))
        if not pages[-1].more:
            return pages, [row for page in pages for row in page.rows]
        after = pages[-1].keys[-1]
        assert len(pages) < 500


# -- what a row holds -----------------------------------------------------------------------------------


def test_a_row_holds_segment_speaker_and_facts() -> None:
    model = Model([Call(5, ("Hello there.", "The price is {redacted:phone} now."), system="Teams")])
    model.connection.execute("UPDATE segments SET spans = 'phone:13:12' WHERE spans IS NULL AND text LIKE 'The%'")
    page = search(model, "price")
    number = first_segment(Call(5, ()).call_no) + 1
    assert page == SegmentPage(
        rows=(
            SegmentRow(
                segment_no=number,
                call_no=Call(5, ()).call_no,
                call_id="id5",
                call_ref="call_0000000000000005",
                speaker_id="s5-1",
                speaker_ref="speaker_0000000500000001",
                segment_index=1,
                start_ms=1000,
                end_ms=1900,
                started_at="2026-01-01T05:00:00+00:00",
                call_date="2026-01-01",
                call_month="2026-01",
                duration_seconds=60,
                segment_count=0,
                text_chars=0,
                lifecycle_bucket="renewal",
                scope="External",
                system="Teams",
                direction="Conference",
                text="The price is {redacted:phone} now.",
                spans=(Span("phone", 13, 12),),
            ),
        ),
        keys=page.keys,
        more=False,
        ranked_over=1,
        older=False,
    )


def test_an_unknown_speaker_is_none() -> None:
    page = search(Model([Call(1, ("price",))]), "price")
    assert (page.rows[0].speaker_id, page.rows[0].speaker_ref) == (None, None)


def test_nothing_searchable_finds_nothing_without_a_query() -> None:
    model = Model([Call(1, ("price",))])
    assert search(model, "???") == SegmentPage()
    assert model.steps == 0


# -- order ----------------------------------------------------------------------------------------------


def test_better_matches_come_first_whatever_their_age() -> None:
    model = Model(
        [
            Call(1, ("And the cash that we generate from that flow of work is free of any charge to us.",)),
            Call(2, ("We talked about the flow of free and restricted cash at some length before.",)),
            Call(3, ("Our free cash flow was strong and we expect that to go on.",)),
            Call(4, ("So cash, free of debt, is what the flow gives us in a year like this one.",)),
        ]
    )
    found = texts(search(model, "free cash flow"))
    assert found[0].startswith("Our free cash flow")
    assert found[-1].startswith("And the cash")


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("price discount", "one more year and the discount price now", "one price more year and the discount now"),
        ("discount price", "one more year and the discount price now", "one more year and the price discount now"),
        ("price OR discount", "one more year and the price or discount", "one more year and the price or nothing"),
        ("price", "one more year and the price or nothing", "price"),
        ("price", "one more year and the price or nothing", "one more year and the price or nothing " + "uh " * 60),
    ],
    ids=["nearer", "in order", "more alternatives", "too short", "too long"],
)
def test_what_makes_a_match_better(query: str, better: str, worse: str) -> None:
    assert texts(search(Model([Call(1, (better,)), Call(2, (worse,))]), query)) == [better, worse]


def test_equal_matches_come_newest_first() -> None:
    model = Model([Call(hour, (f"the price is {hour} now and then it is gone",)) for hour in (3, 1, 2)])
    assert [row.call_id for row in search(model, "price").rows] == ["id3", "id2", "id1"]


def test_a_match_only_inside_a_mark_comes_last() -> None:
    model = Model(
        [Call(1, ("we sent an email to them about it",)), Call(2, ("write to {redacted:email} and we answer",))]
    )
    page = search(model, "email")
    assert [row.call_id for row in page.rows] == ["id1", "id2"]
    assert page.keys[1][1] == 0


def test_a_phrase_over_a_mark_is_no_match_of_its_text() -> None:
    score = Matcher(compile_query('"call now"')).score
    assert score("please call {redacted:phone} now or later today") == 0
    assert score("please call now or later today {redacted:phone}") > 0


def test_a_score_depends_on_text_and_query_alone() -> None:
    alone = Model([Call(1, ("the price is right for us",))])
    crowd = Model(
        [Call(hour, ("the price is right for us", "price price", "the right price")) for hour in range(1, 30)]
    )
    score = search(alone, "price right").keys[0][1]
    assert score in {key[1] for key in search(crowd, "price right", limit=100).keys}
    assert score == Matcher(compile_query("price right")).score("the price is right for us")


@pytest.mark.parametrize(
    "text", ["price", "the price, the price", "uh " * 50 + "price", "{redacted:price}", "prices", ""]
)
def test_the_short_way_for_one_word_comes_to_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short = Matcher(compile_query("price")).score(text)
    monkeypatch.setattr(ranking, "_one_word", lambda query: None)
    assert Matcher(compile_query("price")).score(text) == short


@settings(deadline=None)
@given(st.text(max_size=60), st.lists(st.sampled_from(["a", "b", '"a b"', "a*", "OR"]), min_size=1, max_size=5))
def test_scores_stay_in_their_range(noise: str, query: list[str]) -> None:
    matcher = Matcher(compile_query(" ".join(query)))
    for text in (noise, "a", f"a b {noise} a", f"{noise} b {{redacted:email}} a b"):
        assert 0 <= matcher.score(text) <= MAX_SCORE


# -- pages ----------------------------------------------------------------------------------------------

words = st.sampled_from(["price", "cash", "flow", "free", "the", "discount"])
sentence = st.lists(words, min_size=1, max_size=5).map(" ".join)
some_calls = st.lists(
    st.builds(
        Call,
        hour=st.integers(0, 24 * 90),
        sentences=st.lists(sentence, max_size=6).map(tuple),
        system=st.sampled_from(["Zoom", "Teams"]),
        scope=st.sampled_from(["External", "Internal", "Unknown"]),
    ),
    max_size=10,
    unique_by=lambda call: call.hour,
)
filters = st.sampled_from(
    [
        CallFilter(),
        CallFilter(system="Zoom"),
        CallFilter(system="Teams", scope="Internal"),
        CallFilter(from_date="2026-01-20", to_date="2026-02-20"),
        CallFilter(to_date="2026-02-10", scope="External"),
        CallFilter(transcript_status="missing"),
        CallFilter(from_date="2026-03-01", to_date="2026-01-01"),
    ]
)
some_queries = st.sampled_from(["price", "cash flow", '"free cash" OR discount', "pri*", "the -price", "dis* the"])


def fits(call: Call, calls: CallFilter) -> bool:
    day = (JANUARY + dt.timedelta(hours=call.hour)).strftime("%Y-%m-%d")
    return (
        (calls.system or call.system) == call.system
        and (calls.scope or call.scope) == call.scope
        and (calls.from_date or day) <= day <= (calls.to_date or day)
        and calls.transcript_status != "missing"
        and calls.call_no in (None, call.call_no)
    )


@pytest.mark.parametrize(
    ("few", "span", "costs"),
    [(500, 2000, 200), (500, 2, 10**6), (2, 2, 1), (500, 1, 1), (1, 1, 0), (500, 1, 0)],
    ids=["as it is", "looking", "some by call", "dense by call", "one by call", "by call"],
)
def test_following_pages_yields_every_match_once(
    few: int, span: int, costs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "FEW_CALLS", few)
    monkeypatch.setattr(segments, "FEW_CALLS_BY_BEGINNING", few)
    monkeypatch.setattr(segments, "RANK_WINDOW", span)
    monkeypatch.setattr(segments, "CALL_COSTS", costs)
    check_paging()


@settings(max_examples=60, deadline=None)
@given(some_calls, filters, some_queries, st.integers(1, 5), st.integers(1, 7))
def check_paging(made: list[Call], calls: CallFilter, text: str, limit: int, window: int) -> None:
    model = Model(made)
    query = compile_query(text)
    assert query.fts is not None
    allowed = {call.call_no for call in made if fits(call, calls)}
    expected = [
        row[0]
        for row in model.connection.execute(
            "SELECT rowid FROM segments_fts WHERE segments_fts MATCH ? ORDER BY rowid DESC", (query.fts,)
        )
        if row[0] >> 19 in allowed
    ]
    pages, rows = follow(model, query, calls, limit, window)
    assert sorted((row.segment_no for row in rows), reverse=True) == expected
    assert all(len(page.rows) <= limit and len(page.keys) == len(page.rows) for page in pages)
    assert all(page.rows for page in pages) or not expected
    # Window by window from new to old, by score and then age inside a window.
    text_of = {first_segment(call.call_no) + n: spoken for call in made for n, spoken in enumerate(call.sentences)}
    score = Matcher(query).score
    windows = [expected[at : at + window] for at in range(0, len(expected), window)]
    assert [row.segment_no for row in rows] == [
        number for part in windows for number in sorted(part, key=lambda n: (score(text_of[n]), n), reverse=True)
    ]
    assert pages[0].ranked_over == min(window, len(expected))
    assert pages[0].older == (len(expected) > window)


said_at_length = st.sampled_from(
    (
        "price",
        "price " + "of the next year " * 2,
        "the price " + "and cash " * 4,
        "cash",
        "{redacted:price} " + "a " * 9,
    )
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.lists(said_at_length, max_size=6)), max_size=6),
    st.sampled_from(("price", "the price", "price OR cash", "the -cash", "cash")),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(1, 3),
)
def test_a_page_that_is_full_of_the_highest_score_is_the_one_that_ranking_all_gives(
    said: list[tuple[int, list[str]]], text: str, limit: int, window: int, ahead: int
) -> None:
    model = Model([Call(hour, tuple(spoken)) for hour, spoken in dict(said).items()])
    query = compile_query(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "FEWEST_AHEAD", ahead)
        looked_ahead = follow(model, query, CallFilter(), limit, window)
        patch.setattr(segments, "_few", lambda *_: 0)
        assert looked_ahead == follow(model, query, CallFilter(), limit, window)


def test_a_page_of_a_common_word_does_not_rank_the_window() -> None:
    spoken = ("the price of the next year is what we ask for",) * 50
    model = Model([Call(hour, spoken) for hour in range(20)])
    page, read = rows_read(model, "price")
    assert (page.ranked_over, page.older, page.more) == (1000, False, True)
    assert read < 2 * segments.FEWEST_AHEAD
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_few", lambda *_: 0)
        assert rows_read(model, "price") == (page, 1000 + 5)


def rows_read(model: Model, text: str) -> tuple[SegmentPage, int]:
    """Return a page of five and how many rows were read for it."""
    read = 0

    class Counting(Model):
        def __init__(self) -> None:
            self.connection = model.connection
            self.steps = 0

        def rows(self, sql: str, parameters: dict[str, Any] | None = None) -> list[sqlite3.Row]:
            nonlocal read
            found = super().rows(sql, parameters)
            read += len(found)
            return found

    return search(Counting(), text, limit=5), read


def test_a_page_continues_behind_any_of_its_rows() -> None:
    model = Model([Call(hour, ("the price is right", f"price {hour}", "pricing and price")) for hour in range(9)])
    query = compile_query("price")
    _, rows = follow(model, query, CallFilter(), 100, 10)
    for limit in (1, 4, 10):
        first = search_segments(model, query, CallFilter(), limit, window=10)
        for number, key in enumerate(first.keys):
            behind = search_segments(model, query, CallFilter(), 100, key, window=10)
            assert behind.rows[:1] == tuple(rows[number + 1 : number + 2])


def test_more_is_exact_at_the_end_of_a_window() -> None:
    model = Model([Call(hour, ("price",)) for hour in range(4)])
    for window, limit, more in ((4, 4, False), (4, 3, True), (3, 3, True), (2, 4, True), (5, 4, False)):
        page = search(model, "price", limit=limit, window=window)
        assert (page.more, len(page.rows)) == (more, min(window, limit, 4))


@pytest.mark.parametrize(
    "change",
    [
        lambda key: key[:2],
        lambda key: (*key, 1),
        lambda key: (str(key[0]), *key[1:]),
        lambda key: (key[0], True, key[2]),
        lambda key: (key[0], key[1], key[0] + 1),
        lambda key: (1 << 63, key[1], key[2]),
        lambda key: (key[0], key[1], 5),
        lambda key: (key[0], 1.5, key[2]),
    ],
)
def test_a_key_of_another_search_is_refused(change: Callable[[tuple[int, ...]], tuple[Any, ...]]) -> None:
    model = Model([Call(1, ("price",)), Call(2, ("price",))])
    january = CallFilter(from_date="2026-01-01", to_date="2026-01-31")
    key = search(model, "price", january, limit=1).keys[0]
    assert len(search(model, "price", january, after=key).rows) == 1
    with pytest.raises(ToolFault) as caught:
        search(model, "price", january, after=change(key))
    assert caught.value.code == "invalid_cursor"


def test_a_page_longer_than_one_batch_of_details_keeps_its_order() -> None:
    model = Model([Call(hour, tuple(f"price {n}" for n in range(300))) for hour in range(4)])
    page = search(model, "price", limit=1000)
    assert len({row.segment_no for row in page.rows}) == 1000
    assert [key[2] for key in page.keys] == [row.segment_no for row in page.rows]


def test_one_call_is_searched_alone() -> None:
    calls = [Call(hour, ("price one", "price two")) for hour in (1, 2, 3)]
    page = search(Model(calls), "price", CallFilter(call_no=calls[1].call_no))
    assert {row.call_id for row in page.rows} == {"id2"}
    assert page.ranked_over == 2


def test_a_filter_of_many_calls_and_one_of_few_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model([Call(hour, ("price", "cash"), system="Zoom" if hour % 3 else "Teams") for hour in range(60)])
    found = []
    monkeypatch.setattr(segments, "RANK_WINDOW", 5)
    for costs in (0, 10**6):
        monkeypatch.setattr(segments, "CALL_COSTS", costs)
        found.append(search(model, "price", CallFilter(system="Teams"), limit=7, window=11))
    assert found[0] == found[1]
    assert found[0].ranked_over == 11


# -- neighbours -----------------------------------------------------------------------------------------


def test_an_excerpt_holds_the_segment_and_its_neighbours_in_the_call() -> None:
    calls = [Call(1, tuple("abcdefghijklm")), Call(2, tuple("nopq"))]
    model = Model(calls)

    def around(call: Call, index: int, *neighbours: int) -> str:
        return "".join(row.text for row in excerpt(model, call.call_no, index, *neighbours))

    assert around(calls[0], 4) == "def"
    assert around(calls[0], 4, 0, 2) == "efg"
    assert around(calls[0], 0, 3, 1) == "ab"
    assert around(calls[0], 12, 1, 3) == "lm"
    assert around(calls[1], 0) == "no"
    assert around(calls[0], 6, 1000, 1000) == "bcdefghijkl"
    assert len(around(calls[0], 6, 1000, 1000)) == 2 * MAX_NEIGHBOURS + 1
    assert around(calls[0], 6, -1, -1) == "g"


@pytest.mark.parametrize("index", [13, -1, 1 << 19, 1 << 40])
def test_an_excerpt_of_no_segment_is_empty(index: int) -> None:
    calls = [Call(1, tuple("abcdefghijklm")), Call(2, tuple("nopq"))]
    assert excerpt(Model(calls), calls[0].call_no, index) == ()


# -- cost -----------------------------------------------------------------------------------------------

FILLER = ["we", "think", "that", "margin", "quarter", "growth", "and", "so", "our", "team", "plan", "year"]
SMALL, LARGE = 10_000, 100_000


@cache
def big(count: int) -> Model:
    """A read model of *count* segments, in calls of 50, nine a day.

    "the" is in half of them, "guidance" in one of 25, "zebra" in one of the newest and "quagga" in one of
    the oldest call. Every 40th call is by Teams and in a bucket of its own.
    """
    pick = random.Random(7)
    calls = []
    for number in range(count // 50):
        spoken = []
        for at in range(50):
            text = pick.choices(FILLER, k=3)
            text += ["the"] * (at % 2) + ["guidance"] * (pick.random() < 0.04)
            text += ["zebra"] * (at == 5 and number == count // 50 - 1) + ["quagga"] * (at == 5 and number == 0)
            spoken.append(" ".join(text))
        teams = number % 40 == 0
        calls.append(
            Call(
                number * 24 // 9,
                tuple(spoken),
                system="Teams" if teams else "Zoom",
                scope="Internal" if number % 2 else "External",
                bucket="expansion" if teams else "renewal",
            )
        )
    return Model(calls)


def cost(count: int, text: str, calls: CallFilter) -> tuple[int, SegmentPage]:
    """Return how many VM steps a search over *count* segments takes, and what it found."""
    model = big(count)
    model.steps = 0
    page = search(model, text, calls, limit=5)
    return model.steps, page


def test_cost_follows_what_is_ranked_and_not_the_size_of_the_corpus() -> None:
    # One test, because the two models are dear: a worker that has them runs it all.
    weeks = CallFilter(from_date="2026-01-03", to_date="2026-01-16")
    call = CallFilter(call_no=Call(24 * 10 // 9, ()).call_no)
    queries = ["the", "guidance", "zebra", "quagga", '"the guidance"', "the -guidance", "guid*"]
    for calls in (CallFilter(), weeks, call):
        for text in queries:
            small, page = cost(SMALL, text, calls)
            large, larger = cost(LARGE, text, calls)
            for steps, found in ((small, page), (large, larger)):
                assert steps <= 200 + 12 * found.ranked_over + 60 * len(found.rows), (calls, text)
            if page.ranked_over == larger.ranked_over:  # always but for a word that fills no window yet
                assert large <= 3 * small, (calls, text)
    assert cost(LARGE, "the", CallFilter())[1].ranked_over == RANK_WINDOW

    half = CallFilter(scope="External")
    few = CallFilter(lifecycle_bucket="expansion")
    for text in queries:
        # Half of the calls: twice as many matches are looked at, after a look at the newest 500 calls and at how
        # far the matches reach.
        steps, found = cost(LARGE, text, half)
        assert steps <= 7_000 + 40 * found.ranked_over, text
        # One call of 40, 50 in all: call by call, or by looking at up to 60 matches for each of them, after a look at
        # how far 2,000 matches reach. By looking at all, it would be 50,000 matches of "the".
        steps, found = cost(LARGE, text, few)
        if not text.endswith("*"):
            assert steps <= 9_000 + 50 * max(90, 14 * segments.CALL_COSTS) + 20 * found.ranked_over, text
        if text == "the":
            assert steps <= 9_000 + 50 * 90 + 20 * found.ranked_over


def test_a_beginning_is_looked_up_once_however_many_calls_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model([Call(hour, ("guidance",), system="Teams") for hour in range(30)])
    asked: list[str] = []
    answer = model.rows

    def listen(sql: str, parameters: dict[str, Any] | None = None) -> list[sqlite3.Row]:
        asked.append(sql)
        return answer(sql, parameters)

    monkeypatch.setattr(model, "rows", listen)
    page = search(model, "guid*", CallFilter(system="Teams"), limit=50)
    assert len(page.rows) == 30
    assert sum("MATCH" in sql for sql in asked) == 1
