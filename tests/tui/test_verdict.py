"""What a run means, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tui.verdict import State, judge, size


def test_a_good_answer(theatre: Any) -> None:
    verdict = judge(theatre.found(), 48 * 1024)
    assert verdict.state is State.OK
    assert verdict.figures == ("3 rows, more exist", "2,148 bytes, 4% of 48 KiB", "est. 540 tokens")
    assert (verdict.message, verdict.next) == ("", "")
    assert judge(replace(theatre.found(), milliseconds=2345.6), 1).figures[-1] == "2.3 s"


def test_an_empty_answer_says_where_it_looked(theatre: Any) -> None:
    verdict = judge(theatre.empty(), 48 * 1024)
    assert verdict.state is State.EMPTY
    assert verdict.message == "Succeeded with 0 rows; 10 calls in range of the filters."
    assert verdict.next


def test_rows_without_content(theatre: Any) -> None:
    verdict = judge(theatre.all_withheld(), 48 * 1024)
    assert verdict.state is State.WITHHELD
    assert "2 rows" in verdict.message
    assert "(v)" in verdict.next


def test_rows_that_keep_something_are_not_all_withheld(theatre: Any) -> None:
    found = theatre.found()
    assert found.ledger.entries
    assert judge(found, 1).state is State.OK


@pytest.mark.parametrize("code", ["invalid_argument", "refused_by_policy", "internal_error", "not in the list"])
def test_a_tool_error_names_its_code_and_the_next_step(theatre: Any, code: str) -> None:
    verdict = judge(theatre.fault(code, "No.", "Do this."), 48 * 1024)
    assert verdict.state is State.ERROR
    assert verdict.figures[0] == code
    assert (verdict.message, verdict.next) == ("No.", "Do this.")


def test_a_missing_cache_points_to_warm(theatre: Any) -> None:
    verdict = judge(theatre.fault("cache_not_ready", "No read model."), 48 * 1024)
    assert "w" in verdict.next
    assert "gongctl cache warm" in verdict.next


@pytest.mark.parametrize(("status", "state"), [("not_found", State.NOT_FOUND), ("unavailable", State.UNAVAILABLE)])
def test_a_snag_is_told_as_it_is(theatre: Any, status: str, state: State) -> None:
    outcome = theatre.outcome({"status": status, "message": "Why.", "hint": "What now."}, "text")
    verdict = judge(outcome, 48 * 1024)
    assert (verdict.state, verdict.message, verdict.next) == (state, "Why.", "What now.")


def test_a_stale_answer_is_good_and_says_so(theatre: Any) -> None:
    found = theatre.found()
    stale = replace(found, answer=replace(found.answer, structured={**found.answer.structured, "freshness": "stale"}))
    verdict = judge(stale, 48 * 1024)
    assert verdict.state is State.OK
    assert "w" in verdict.next


def test_sizes() -> None:
    assert [size(n) for n in (0, 1023, 1024, 1536, 48 * 1024, 3 * 1024 * 1024)] == [
        "0 B", "1023 B", "1 KiB", "1.5 KiB", "48 KiB", "3 MiB",
    ]  # fmt: skip
