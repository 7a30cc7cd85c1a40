"""Calls over time as a plot of bars; the figures in words under it, for those who cannot see it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from tui.reviewing import CoverageDay
from tui.widgets.plotted_pane import PlottedPane

_MOST = 50
"""Bars side by side; a longer time is put together into bars of several days, days without calls included."""


class PlotPane(PlottedPane):
    """One plot with its summary."""

    EMPTY = "The cache holds no calls."

    def show(self, days: Sequence[CoverageDay]) -> None:
        """Draw *days*, which are in their order."""
        self.query_one(".pane-empty").display = not days
        self.body.display = bool(days)
        detail = self.query_one(".pane-detail", Static)
        detail.display = bool(days)
        if not days:
            return
        labels, with_transcript, without, step = binned(days)
        plot = self.body.plt
        plot.clear_data()
        calls = [having + lacking for having, lacking in zip(with_transcript, without, strict=True)]
        # Two signs, since a terminal may show no colours.
        for heights, marker, label in ((calls, "░", "calls"), (with_transcript, "█", "with transcript")):
            at = [number for number, height in enumerate(heights) if height]
            plot.scatter(at, [heights[number] for number in at], marker=marker, label=label, fillx=True)
        plot.xlim(-0.5, len(labels) - 0.5)
        named = sorted({0, len(labels) // 2, len(labels) - 1})
        plot.xticks([float(number) for number in named], [labels[number] for number in named])
        plot.ylim(0, max(calls))
        plot.yticks(sorted({0, max(calls) // 2, max(calls)}))
        self.body.refresh()
        each = "day" if step == 1 else f"{step} days"
        held = f"{sum(calls):,} calls, {sum(with_transcript):,} with transcript"
        detail.update(Content(f"{days[0].day} to {days[-1].day}: {held}; a bar is {each}"))


def binned(days: Sequence[CoverageDay]) -> tuple[list[str], list[int], list[int], int]:
    """Return first days, calls with and without transcript of at most ``_MOST`` bars, and the days of a bar."""
    first = dt.date.fromisoformat(days[0].day)
    length = (dt.date.fromisoformat(days[-1].day) - first).days + 1
    step = -(-length // _MOST)
    bars = -(-length // step)
    having, lacking = [0] * bars, [0] * bars
    for day in days:
        at = (dt.date.fromisoformat(day.day) - first).days // step
        having[at] += day.transcripts
        lacking[at] += day.calls - day.transcripts
    return [(first + dt.timedelta(days=at * step)).isoformat() for at in range(bars)], having, lacking, step
