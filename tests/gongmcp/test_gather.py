"""The walk of pages over rows of many calls: each row once, and no page short that could be filled."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gongmcp.catalog.declaration import Rows, Tool
from gongmcp.catalog.registry import catalog
from gongmcp.errors import ToolFault
from gongmcp.exposure.cursor import MAX_HELD, Key, Position
from gongmcp.exposure.engine import Disclosure
from gongmcp.exposure.evidence import AnswerBudget, Evidence, EvidenceSession
from gongmcp.exposure.ledger import Ledger
from gongmcp.exposure.policy import EvidenceLimits, Policy
from gongmcp.exposure.text import MaskedText
from gongmcp.gather import MAX_REFILLS, Gathered, PassedOver, Standing, gather

TOOL: Tool = catalog()["search_transcript_segments"]
OPEN = EvidenceLimits(per_answer=100_000, segments=100_000, percent=100)

Sent = tuple[int, int]


def row(call: int, segment: int) -> Any:
    return TOOL.row(
        call_group=call,
        call_ref=f"call_{call}",
        call_id=str(call),
        speaker_ref=None,
        speaker_id=None,
        segment_index=segment,
        start_ms=0,
        end_ms=1,
        similarity=None,
        snippet=MaskedText("word", ()),
    )


class Corpus:
    """Matches of *calls*, one call a match, best first; it reads pages as a store does and counts what it reads."""

    def __init__(self, calls: list[int], chunk: int = 2_000) -> None:
        self.rows = [(call, at) for at, call in enumerate(calls)]
        self.sizes = Counter(calls)
        self.chunk = chunk
        self.read = 0
        self.asked = 0

    def ask(self, after: Key | None, count: int) -> Rows[Any]:
        self.asked += 1
        first = 0 if after is None else int(after[0]) + 1
        last = min(len(self.rows), first + min(count or self.chunk, self.chunk))
        self.read += last - first
        taken = self.rows[first:last]
        return Rows(
            [row(*item) for item in taken],
            last < len(self.rows),
            [(at,) for _, at in taken],
            evidence=[Evidence(f"call_{call}", {at: 4}, self.sizes[call], 4 * self.sizes[call]) for call, at in taken],
        )


def page(
    corpus: Corpus, start: Position | None, limit: int, limits: EvidenceLimits, session: EvidenceSession
) -> Gathered:
    """Gather one page, and count all of it as sent."""
    budget = AnswerBudget(limits, session)
    found = gather(TOOL, corpus.ask, start, limit, Disclosure(Policy(), {}, Ledger()), None, budget)
    assert session.spend([item for item in found.evidence if item is not None], budget.basis())
    return found


def sent(found: Gathered, corpus: Corpus, count: int) -> list[Sent]:
    cells = [next(iter(item.segments)) for item in found.evidence[:count] if item is not None]
    return [corpus.rows[at] for at in cells]


CALLS = st.lists(st.integers(0, 5), max_size=120)
RUNS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 60)), max_size=12).map(
    lambda runs: [call for call, length in runs for _ in range(length)]
)


@settings(deadline=None, max_examples=25)
@given(
    calls=CALLS | RUNS,
    limit=st.integers(1, 30),
    share=st.integers(1, 13),
    chunk=st.sampled_from([1, 7, 2_000]),
    cuts=st.lists(st.integers(1, 30), max_size=4),
)
@example(calls=[0] * 50 + [1] * 50, limit=20, share=12, chunk=2_000, cuts=[])
@example(calls=[0] * 177 + [1], limit=2, share=1, chunk=7, cuts=[])
def test_pages_hold_each_row_once_and_are_full_while_rows_exist(
    calls: list[int], limit: int, share: int, chunk: int, cuts: list[int]
) -> None:
    """*cuts*: so many rows of the first pages fit into the bytes of an answer.

    A page is short only at its end of reads (``MAX_REFILLS``); what it did not reach comes with its cursor.
    """
    corpus = Corpus(calls, chunk)
    limits = EvidenceLimits(per_answer=share, segments=100_000, percent=100)
    seen: list[Sent] = []
    start: Position | None = None
    for number in range(10_000):
        corpus.asked = 0
        found = page(corpus, start, limit, limits, EvidenceSession())
        read_enough = corpus.asked > MAX_REFILLS
        assert corpus.asked <= MAX_REFILLS + 1
        count = min(len(found.rows), cuts[number]) if number < len(cuts) else len(found.rows)
        taken = sent(found, corpus, count)
        by_call = Counter(call for call, _ in taken)
        assert max(by_call.values(), default=0) <= share
        seen += taken
        left = Counter(calls) - Counter(call for call, _ in seen)
        standing = found.standing(count)
        if count == len(found.rows) and not read_enough:
            could = sum(
                min(n, share) if call not in by_call else min(n, share - by_call[call]) for call, n in left.items()
            )
            assert len(taken) == min(limit, len(taken) + could), "the page is short though rows could have filled it"
        for told in standing.passed_over:
            assert not told.used_up
            assert 0 < told.count <= left[told.call]
        if not found.more and count == len(found.rows):
            break
        assert count, "a page without rows before the end"
        start = Position.of(standing.position.plain()) if standing.position is not None else None
    assert sorted(seen) == sorted(corpus.rows)


@settings(deadline=None, max_examples=60)
@given(calls=CALLS | RUNS, limit=st.integers(1, 30), share=st.integers(1, 13), budget=st.integers(1, 25))
def test_in_a_session_each_row_is_sent_or_counted_once(calls: list[int], limit: int, share: int, budget: int) -> None:
    corpus, session = Corpus(calls), EvidenceSession()
    limits = EvidenceLimits(per_answer=share, segments=budget, percent=0)
    seen: list[Sent] = []
    used_up: Counter[int] = Counter()
    start: Position | None = None
    while True:
        try:
            found = page(corpus, start, limit, limits, session)
        except ToolFault as fault:
            named = sum(map(int, re.findall(r"(\d+) more", fault.message)))
            break
        seen += sent(found, corpus, len(found.rows))
        used_up.update({told.call: told.count for told in found.end.passed_over if told.used_up})
        if not found.more:
            named = 0
            break
        start = found.end.position
    assert len(seen) == len(set(seen))
    assert Counter(call for call, _ in seen) == {call: min(n, budget) for call, n in Counter(calls).items()}
    assert used_up.total() + named == len(calls) - len(seen)


def test_what_waits_is_counted_though_it_is_not_read_again() -> None:
    corpus = Corpus([0] * 1_000 + list(range(1, 200)))
    limits = EvidenceLimits(per_answer=12, segments=100_000, percent=100)
    first = page(corpus, None, 20, limits, EvidenceSession())
    assert [told.count for told in first.end.passed_over] == [988]
    corpus.read = 0
    second = page(corpus, first.end.position, 20, limits, EvidenceSession())
    assert [told.count for told in second.end.passed_over] == [976]
    assert corpus.read <= 400, "the rows of the call that waits were read again"
    assert len(second.rows) == 20


def test_a_cursor_remembers_so_many_calls_and_a_page_then_ends_early() -> None:
    calls = [call for call in range(MAX_HELD + 5) for _ in range(3)]
    corpus = Corpus(calls)
    limits = EvidenceLimits(per_answer=1, segments=100_000, percent=100)
    seen: list[Sent] = []
    start: Position | None = None
    while True:
        found = page(corpus, start, 1_000, limits, EvidenceSession())
        seen += sent(found, corpus, len(found.rows))
        assert found.end.position is not None
        assert len(found.end.position.held) <= MAX_HELD
        if not found.more:
            break
        start = found.end.position
    assert sorted(seen) == sorted(corpus.rows)


def test_control_without_the_share_one_page_holds_everything() -> None:
    corpus = Corpus([0] * 50 + [1] * 50)
    found = page(corpus, None, 1_000, OPEN, EvidenceSession())
    assert len(found.rows) == 100
    assert found.end == Standing(Position((99,)))


def test_a_search_that_finds_used_up_calls_alone_is_refused() -> None:
    corpus, session = Corpus([0] * 30), EvidenceSession()
    limits = EvidenceLimits(per_answer=12, segments=2, percent=0)
    first = page(corpus, None, 20, limits, session)
    assert (len(first.rows), first.end.passed_over) == (2, (PassedOver(0, 28, used_up=True),))
    with pytest.raises(ToolFault, match="27 more"):
        page(corpus, Position((2,)), 20, limits, session)
