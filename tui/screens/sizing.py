"""Widths of the home screen's panes: those of the terminal's size, until keys give others."""

from __future__ import annotations

from textual.widget import Widget

from tui.screens.reviewing_screen import ReviewingScreen

_SHARES = range(2, 9)
"""Tenths that *AGENT SEES* may have of both panes."""
_SHARE = 6
_QUEUES = (18, 26, 38, 50)
"""Cells that the queue may have."""
_RAIL_FROM, _RAIL_BELOW = 80, 96
"""Widths at which the queue is a rail beside panes that stand above each other."""


class Sizing(ReviewingScreen):
    """What the home screen does about the room of its panes."""

    _share = _SHARE
    _queue: int | None = None

    def action_resize(self, step: int) -> None:
        """Make the pane with the cursor wider (1) or narrower (-1): higher or lower where panes stand above another."""
        if self.has_class("-slim"):
            self.say("One pane has the whole window here; s goes to the other one.")
        elif self.queue.has_focus_within:
            now = self._queue or self.queue.outer_size.width
            others = [width for width in _QUEUES if (width > now if step > 0 else width < now)]
            self._queue = (others[0] if step > 0 else others[-1]) if others else now
        else:
            share = self._share + (-step if self.withheld.has_focus_within else step)
            self._share = min(max(share, _SHARES[0]), _SHARES[-1])
        self.fit()

    def fit(self) -> None:
        """Give the panes their room."""
        width = self.size.width
        self.set_class(_RAIL_FROM <= width < _RAIL_BELOW, "-rail")
        slim, stacked = self.has_class("-slim"), self.has_class("-narrow")
        beside = not slim and (not stacked or self.has_class("-rail"))
        self.queue.styles.width = min(self._queue, width // 2) if self._queue is not None and beside else None
        moved = self._share != _SHARE and not slim
        shares: tuple[tuple[Widget, int], ...] = ((self.sees, self._share), (self.withheld, 10 - self._share))
        for pane, share in shares:
            pane.styles.width = f"{share}fr" if moved and not stacked else None
            pane.styles.height = f"{share}fr" if moved and stacked else None
