"""Counts by a business dimension as a plot: bars that lie, one a value; bars that stand where the values are times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content
from textual.widgets import Static
from textual_plotext import PlotextPlot

from gongmcp.render.visible import visible
from tui.cohort import Group
from tui.widgets.plotted_pane import PlottedPane

TIMES: Final = frozenset({"month", "quarter"})
"""Dimensions whose values stand in the order of time."""
_LONGEST: Final = 24
"""Characters of a value beside its bar."""
_AROUND: Final = 3
"""Lines and columns that frame and figures take of the plot."""


class DimensionPlot(PlottedPane):
    """Draws as many values as there is room for, those with most calls, and says how many it leaves out."""

    def __init__(self, name: str, *, id: str) -> None:  # noqa: A002
        super().__init__(name, id=id)
        self._dimension = ""
        self._groups: list[Group] = []
        self._more = False

    def show(self, dimension: str, groups: Sequence[Group], empty: Content, *, more: bool = False) -> None:
        """Draw *groups* of *dimension*, most calls first; *more*: it has further values; *empty* is said of none."""
        self._dimension, self._groups, self._more = dimension, list(groups), more
        told = self.query_one(".pane-empty", Static)
        told.update(empty)
        told.display = not groups
        self.body.display = self.query_one(".pane-detail").display = bool(groups)
        self._draw()
        self.call_after_refresh(self._draw)  # once more when the plot has its size

    def on_resize(self) -> None:
        """Draw as many bars as there is room for now."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        if not self._groups or not self.query(PlotextPlot):  # the second: the screen was left before its next refresh
            return
        upright = self._dimension in TIMES
        size = self.body.size
        room = max(1, (size.width // 4 if upright else size.height - _AROUND))
        shown = self._groups[:room]
        if upright:
            shown = sorted(shown, key=lambda group: group.value)
        plot = self.body.plt
        plot.clear_figure()
        names, calls = [_short(group.value) for group in shown], [group.calls for group in shown]
        most = max(*calls, 1)
        ticks = [float(number) for number in sorted({0, most // 2, most})]
        at = [float(number) for number in range(len(shown))]
        # One sign for calls without a transcript and one for those with, since a terminal may show no colours.
        heard = [group.transcripts for group in shown]
        for heights, marker in ((calls, "░"), (heard, "█")):
            bars = heights if upright else heights[::-1]
            plot.bar(at, bars, orientation="vertical" if upright else "horizontal", marker=marker, width=0.5)
        if upright:
            named = sorted({0, len(at) // 2, len(at) - 1})
            plot.xticks([at[number] for number in named], [names[number] for number in named])
            plot.ylim(0, most)
            plot.yticks(ticks)
        else:
            plot.yticks(at, names[::-1])
            plot.xlim(0, most)
            plot.xticks(ticks)
        self.body.refresh()
        left_out = len(self._groups) - len(shown)
        further = f"; {left_out:,} values more in the list" if left_out else ""
        unlisted = "; the dimension has further values" if self._more else ""
        self.query_one(".pane-detail", Static).update(
            Content.styled(f"░ calls, █ with a transcript; most {most:,}{further}{unlisted}", "$quiet")
        )


def _short(value: str) -> str:
    seen = visible(value)
    return seen if len(seen) <= _LONGEST else seen[: _LONGEST - 1] + "…"
