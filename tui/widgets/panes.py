"""Several panes: all at once where there is room, else one at a time under a row of their names.

Side by side or above each other, the one with the cursor can be given more room.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label

from tui.literal import literal
from tui.widgets.pane import Pane

_PARTS = 20
"""Parts into which keys divide the room of panes that stand beside or above each other."""
_FEWEST = 3
"""Parts that each of them keeps."""
_LOWEST = 8
"""Lines below which no pane is made lower."""


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
        self.update(literal(("▸ " if current else "  ") + heading))
        self.set_class(current, "-current")

    def cells(self, heading: str) -> int:
        """Return the cells that *heading* takes here."""
        return len("▸ ") + cell_len(heading) + self.gutter.width

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
        self._offered: list[Pane] = []
        self._shares: dict[str, list[int]] = {}

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
        if self._offered != list(panes):
            self._offered = list(panes)
            self._share({})
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

    def resize(self, step: int) -> bool:
        """Give the current pane more room (1) or less (-1): wider where panes stand beside it, else higher.

        False where it is the only one on show.
        """
        shown = [pane.region for pane in self._panes if pane.region.area]
        here = self.current.region
        beside = any(other.x != here.x and other.y < here.bottom and here.y < other.bottom for other in shown)
        above = any(other.y != here.y for other in shown)
        if not (beside or above):
            return False
        way = "columns" if beside else "rows"
        starts = sorted({region.x if beside else region.y for region in shown})
        end = max(region.right if beside else region.bottom for region in shown)
        shares = self._shares.get(way, [])
        if len(shares) != len(starts):
            lengths = [after - start for start, after in zip(starts, [*starts[1:], end], strict=True)]
            shares = [max(round(_PARTS * length / sum(lengths)), _FEWEST) for length in lengths]
        at = starts.index(here.x if beside else here.y)
        others = [number for number in range(len(shares)) if number != at]
        other = max(others, key=shares.__getitem__) if step > 0 else min(others, key=shares.__getitem__)
        gives = other if step > 0 else at
        least = max(pane.NARROWEST if beside else _LOWEST for pane in self._panes if _start(pane, way) == starts[gives])
        left = (end - starts[0]) * (shares[gives] - 1) // sum(shares)
        if shares[gives] > _FEWEST and left >= least:
            shares = [share + step * ((number == at) - (number == other)) for number, share in enumerate(shares)]
        self._share(self._shares | {way: shares})
        return True

    def _share(self, shares: dict[str, list[int]]) -> None:
        self._shares = shares
        styles = self.query_one(".pane-grid").styles
        styles.grid_columns = _fractions(shares.get("columns"))
        styles.grid_rows = _fractions(shares.get("rows"))

    def on_resize(self) -> None:
        """Name the panes anew, and give them the room of the layout again."""
        self._share({})
        self.call_after_refresh(self._mark)

    def _mark(self) -> None:
        tabs = list(self.query(PaneTab))
        if not tabs:  # the screen was left before its next refresh
            return
        names = self._names(tabs)
        single = sum(not pane.has_class("-off") for pane in self._panes) == 1
        self.query_one(".pane-tabs").set_class(single, "-single")
        for number, (pane, tab) in enumerate(zip(self._panes, tabs, strict=True)):
            pane.set_class(number == self._at, "-current")
            tab.mark(names[number] or "", number == self._at)
            tab.display = names[number] is not None

    def _names(self, tabs: Sequence[PaneTab]) -> list[str | None]:
        """Return what each tab says, None for one that is not shown: names and counts, else names, else the current
        one and how many there are, as there is room."""
        room = self.query_one(".pane-tabs").content_size.width
        offered = [number for number, pane in enumerate(self._panes) if not pane.has_class("-off")]
        for names in ([pane.heading for pane in self._panes], [pane.called for pane in self._panes]):
            taken = sum(tabs[number].cells(names[number]) for number in offered)
            if not room or taken - tabs[0].gutter.width <= room:
                return [name if number in offered else None for number, name in enumerate(names)]
        here = f"{self.current.heading} · {offered.index(self._at) + 1} of {len(offered)}"
        return [here if number == self._at else None for number in range(len(tabs))]


def _start(pane: Pane, way: str) -> int:
    return pane.region.x if way == "columns" else pane.region.y


def _fractions(shares: Sequence[int] | None) -> str | None:
    return " ".join(f"{share}fr" for share in shares) if shares else None
