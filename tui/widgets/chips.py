"""A row of chips: all with their words, or all in short, or as many as there is room for."""

from __future__ import annotations

from textual.containers import Horizontal

from tui.widgets.chip import Chip


class Chips(Horizontal):
    """Lays chips side by side. One that does not fit whole is left out, and with it those after it."""

    def on_resize(self) -> None:
        """Fit anew."""
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        """Give each chip the words that there is room for."""
        room = self.content_size.width
        chips = list(self.query(Chip))
        if not room or not chips:
            return
        short = sum(chip.width(False) for chip in chips) > room
        left = room
        for chip in chips:
            chip.shorten(short)
            left -= chip.width(short)
            chip.display = left >= 0
