"""Lines of an answer, and the place of each thing that was withheld."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gongmcp.exposure.ledger import Entry
from tui.answer import Spot, json_view, margin, text_view

ANSWER = {
    "status": "ok",
    "results": [
        {"call_group": 1, "snippet": "write to {redacted:email} or {redacted:email}"},
        {"call_group": 2, "parties": [{"role": "host"}, {}]},
    ],
}


def test_json_lines_are_the_object() -> None:
    view = json_view(ANSWER)
    assert "\n".join(view.lines) == json.dumps(ANSWER, indent=2)
    assert view.lines[view.at["results", 1, "parties", 0, "role"]].strip() == '"role": "host"'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_any_object_survives_as_lines(value: Any) -> None:
    view = json_view(value)
    assert json.loads("\n".join(view.lines)) == value
    assert all("\n" not in line for line in view.lines)


def test_a_mark_is_found_by_its_count_within_its_value() -> None:
    view = json_view(ANSWER)
    entry = Entry("redacted", "email", "mask.email", ("results", 0, "snippet"))
    line = view.at["results", 0, "snippet"]
    first, second, third = (view.spot(entry, nth) for nth in range(3))
    assert first is not None
    assert second is not None
    assert (
        view.lines[line][first.start : first.end] == view.lines[line][second.start : second.end] == "{redacted:email}"
    )
    assert first.start < second.start
    assert third == Spot(line)


def test_a_left_out_field_points_at_the_object_that_lost_it() -> None:
    view = json_view(ANSWER)
    assert view.spot(Entry("omitted", "call_id", "r", ("results", 1, "call_id"))) == Spot(view.at["results", 1])
    assert view.spot(Entry("omitted", "x", "r", ("gone", 3))) == Spot(0)


TEXT = """Search: 2 rows. As of 2026-03-02.
1. call_group 1 · started 2021-05-01
   > snippet: 2. not a row, said {redacted:email}
   parties: 1
     - role host
2. call_group 2
   > snippet: more
Withheld (not absent): call_id."""


def test_rows_and_columns_are_found_in_the_text() -> None:
    view = text_view(TEXT)
    assert view.at["results", 0] == 1
    assert view.at["results", 0, "snippet"] == 2
    assert view.at["results", 1] == 5
    entry = Entry("redacted", "email", "mask.email", ("results", 0, "snippet"))
    spot = view.spot(entry)
    assert spot is not None
    assert view.lines[2][spot.start : spot.end] == "{redacted:email}"


def test_only_the_next_number_opens_a_row() -> None:
    view = text_view("head\n7. no\n1. yes\n1. no\n2. yes")
    assert {place: line for place, line in view.at.items() if place} == {("results", 0): 2, ("results", 1): 4}


def test_the_margin_names_the_action_and_says_when_there_are_several() -> None:
    view = json_view(ANSWER)
    row = view.at["results", 0]
    signs = margin(
        view,
        [
            Entry("omitted", "call_id", "r", ("results", 0, "call_id")),
            Entry("omitted", "title", "r", ("results", 0, "title")),
            Entry("redacted", "email", "m", ("results", 0, "snippet")),
            Entry("cut", "snippet", "c", ("results", 0, "snippet")),
            Entry("something new", "x", "y", ("results", 1, "call_group")),
        ],
    )
    assert signs == {row: "-", view.at["results", 0, "snippet"]: "±", view.at["results", 1, "call_group"]: "?"}
