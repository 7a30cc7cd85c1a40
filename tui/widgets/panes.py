"""Several panes: all at once where there is room, else one at a time under a row of their names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label

from tui.widgets.pane import Pane


class PaneTab(Label):
    """The name of one pane; a click shows it."""

    class Clicked(Message):
        """The name of pane *number* was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, number: int) -> None:
        super().__init__(Content(""), classes="view-tab")
        self._number = number

    def mark(self, heading: str, current: bool) -> None:
        """Show *heading*, and whether its pane is the one on show: by a sign, not by colour alone."""
        self.update(Content(("▸ " if current else "  ") + heading))
        self.set_class(current, "-current")

    def on_click(self, event: events.Click) -> None:
        """Ask for the pane."""
        event.stop()
        self.post_message(self.Clicked(self._number))


class Panes(Vertical):
    """Lays *panes* out and knows which one is current: the one with the focus, or the only one on show."""

    def __init__(self, panes: Sequence[Pane], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._panes = list(panes)
        self._at = 0

    def compose(self) -> ComposeResult:
        """Lay out the names over the panes."""
        with Horizontal(classes="pane-tabs"):
            for number in range(len(self._panes)):
                yield PaneTab(number)
        with Container(classes="pane-grid"):
            yield from self._panes

    @property
    def current(self) -> Pane:
        """The pane on show, or the one that the keys go to."""
        return self._panes[self._at]

    def offer(self, panes: Collection[Pane]) -> None:
        """Offer only *panes*, of which there is at least one, and name them anew."""
        for pane in self._panes:
            pane.set_class(pane not in panes, "-off")
        if self.current not in panes:
            self._at = next(number for number, pane in enumerate(self._panes) if pane in panes)
        self._mark()

    def turn(self, step: int) -> None:
        """Go *step* panes on."""
        offered = [number for number, pane in enumerate(self._panes) if not pane.has_class("-off")]
        self._go(offered[(offered.index(self._at) + step) % len(offered)])

    def turn_to(self, pane: Pane) -> None:
        """Go to *pane*, which is one of those on offer."""
        self._go(self._panes.index(pane))

    def focus_current(self) -> None:
        """Put the cursor in the current pane, when it is laid out."""
        self.call_after_refresh(self.current.body.focus)

    def on_pane_tab_clicked(self, event: PaneTab.Clicked) -> None:
        """Show the pane whose name was clicked."""
        event.stop()
        self._go(event.number)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Make the pane that got the focus the current one."""
        for number, pane in enumerate(self._panes):
            if pane.has_focus_within and number != self._at:
                self._at = number
                self._mark()

    def _go(self, number: int) -> None:
        self._at = number
        self._mark()
        self.focus_current()

    def _mark(self) -> None:
        for number, (pane, tab) in enumerate(zip(self._panes, self.query(PaneTab), strict=True)):
            pane.set_class(number == self._at, "-current")
            tab.mark(pane.heading, number == self._at)
            tab.display = not pane.has_class("-off")
