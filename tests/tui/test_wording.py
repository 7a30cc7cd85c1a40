"""Whole wordings in place of cut ones, and columns that are left out rather than cut to stumps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.widgets.columns import GAP, fitted
from tui.wording import fitting, middle_out, thousands


def taken(widths: list[int]) -> int:
    shown = [width for width in widths if width]
    return sum(shown) + len(GAP) * (len(shown) - 1)


def test_the_wordiest_that_fits_is_said() -> None:
    wordings = ("Queue  0 of 5 decided", "Queue  0 of 5", "Queue 0/5")
    assert [fitting(wordings, room) for room in (21, 20, 13, 12, 3)] == [
        *wordings[:1],
        *wordings[1:2] * 2,
        *["Queue 0/5"] * 2,
    ]


def test_a_range_in_thousands_is_rounded_outwards() -> None:
    assert thousands(640, 960) == "640–960"
    assert thousands(1_071, 1_607) == "1.0–1.7k"
    assert thousands(8_120, 12_180) == "8–13k"


def test_names_of_a_family_stay_apart() -> None:
    names = ("search_transcript_segments", "search_transcripts_by_filters")
    short = [middle_out(name, 13) for name in names]
    assert short == ["search…gments", "search…ilters"]
    assert middle_out("get_call", 13) == "get_call"


def test_a_time_is_whole_and_what_is_asked_least_goes_first() -> None:
    natural = [16, 26, 40, 14, 6, 6, 8, 2]
    widths = fitted(natural, 76, whole=(0, 4, 5, 6, 7), spare=(7, 5, 3, 4))
    assert (widths[0], widths[6]) == (16, 8)
    assert [number for number, width in enumerate(widths) if not width] == [5, 7]
    assert taken(widths) <= 76
    assert fitted(natural, 200, whole=(0,), spare=(7,)) == natural


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(10, 120))
def test_columns_fit_where_they_can(natural: list[int], room: int) -> None:
    widths = fitted(natural, room, whole=(0,), spare=tuple(range(len(natural)))[1:])
    assert all(width <= before for width, before in zip(widths, natural, strict=True))
    assert taken(widths) <= room or taken(widths) <= 6 * len(natural) + len(GAP) * len(natural)
