"""A pane that is left before it was drawn."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tui.screens.review import Review
from tui.widgets.pane import RowPane
from tui.widgets.withheld import Withheld


def test_a_pane_that_is_left_before_its_next_refresh_is_filled_no_more(theatre: Any) -> None:
    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        pane = RowPane("Runs", ("a", "b"), id="left")
        await screen.mount(pane)
        await pane.remove_children()
        pane.on_resize()
        await pilot.pause()
        await pane.remove()
        withheld = Withheld(id="left-too")
        await screen.mount(withheld)
        await withheld.remove_children()
        withheld.on_resize()
        await pilot.pause()
        await withheld.remove()

    stage = theatre.Stage()
    theatre.review(stage, theatre.Reviewing(stage), scene)
