"""A pane with one plot, a sentence in its place where there is nothing to draw, and words under it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static
from textual_plotext import PlotextPlot

from tui.widgets.pane import Pane


class PlottedPane(Pane):
    """Lays out plot and words; what is drawn is its subclasses'. *EMPTY* is said where there is nothing."""

    EMPTY: ClassVar = ""

    def compose(self) -> ComposeResult:
        """Lay out the plot over the words."""
        yield Static(Content(self.EMPTY), classes="pane-empty")
        plot = PlotextPlot(classes="pane-plot")
        plot.can_focus = True
        yield plot
        yield Static(Content(""), classes="pane-detail")

    @property
    def body(self) -> PlotextPlot:
        """The plot."""
        return self.query_one(PlotextPlot)
