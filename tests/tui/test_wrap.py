"""Wrapping loses nothing and never goes over the width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.wrap import Row, wrap_lines

texts = st.text(alphabet=st.sampled_from("ab  {}価é-"), max_size=120)


@given(st.lists(texts, max_size=5), st.integers(min_value=8, max_value=40))
def test_rows_cover_every_line_within_the_width(lines: list[str], width: int) -> None:
    rows = wrap_lines(lines, width)
    for number, line in enumerate(lines):
        own = [row for row in rows if row.line == number]
        assert "".join(line[row.start : row.end] for row in own) == line
        # A blank at the end of a row may stand over the edge; nothing that can be seen does.
        assert all(row.indent + cell_len(line[row.start : row.end].rstrip(" ")) <= width for row in own)


def test_words_stay_whole_and_continuations_hang() -> None:
    assert wrap_lines(["  one two three"], 10) == [Row(0, 0, 10, 0), Row(0, 10, 15, 4)]


def test_a_long_word_is_cut() -> None:
    assert [row.end for row in wrap_lines(["x" * 25], 10)] == [10, 18, 25]
