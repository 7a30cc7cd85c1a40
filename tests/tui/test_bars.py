"""The bar chart: lines as wide as they may be, bars in proportion, figures never cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.literal import literal
from tui.widgets.bars import Bar, bar, chart, share

COUNTS = st.integers(min_value=0, max_value=10**9)


def cells(drawn: str) -> int:
    """Length of a bar in eighths of a cell."""
    return sum(" ▏▎▍▌▋▊▉█".index(character) for character in drawn)


@given(COUNTS, COUNTS, st.integers(min_value=1, max_value=200))
def test_a_bar_is_in_proportion(count: int, more: int, room: int) -> None:
    most = count + more
    drawn = bar(count, most, room)
    assert len(drawn) <= room
    assert (drawn == "") == (count == 0)
    if count:
        assert abs(cells(drawn) - room * 8 * count / most) <= 1


@given(COUNTS, COUNTS)
def test_a_share_is_never_rounded_to_nothing_or_all(count: int, more: int) -> None:
    told = share(count, count + more)
    if count + more == 0:
        assert told == "-"
    else:
        assert (told == "0.0%") == (count == 0)
        assert (told == "100.0%") == (more == 0)


@given(
    st.lists(st.tuples(st.text(max_size=40), COUNTS), min_size=1, max_size=12),
    st.integers(min_value=30, max_value=160),
)
def test_lines_fit_and_end_with_their_figures(rows: list[tuple[str, int]], width: int) -> None:
    lines = chart([Bar(literal(name), count) for name, count in rows], width).split("\n")
    total = sum(count for _, count in rows)
    assert len(lines) == len(rows)
    for line, (_, count) in zip(lines, rows, strict=True):
        assert line.cell_length <= width
        assert line.plain.split()[-2:] == [f"{count:,}", share(count, total)]


def test_an_empty_chart_is_empty() -> None:
    assert chart([], 80).plain == ""


@pytest.mark.parametrize("width", [0, 5, 20])
def test_without_room_for_bars_the_figures_stay(width: int) -> None:
    lines = chart([Bar(literal("open"), 12), Bar(literal("won"), 3)], width).plain.split("\n")
    assert [line.split()[-2] for line in lines] == ["12", "3"]


@pytest.mark.parametrize(("count", "cells"), [(100, 10), (50, 5), (10, 1), (0, 0)])
def test_a_bar_of_a_given_whole_is_as_long_as_its_share(count: int, cells: int) -> None:
    line = chart([Bar(literal("rule"), count)], width=len("rule") + 2 + 10 + 2 + len("100  100.0%"), of=100).plain
    assert abs(line.count("█") - cells) <= 1
    assert ("█" in line or "▏" in line) == bool(count)
