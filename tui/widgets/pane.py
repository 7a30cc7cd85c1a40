"""A framed part of a screen with a heading, and the two kinds that are not text: rows and a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from gongmcp.render.visible import visible
from tui import keys
from tui.widgets.bars import Bar, Bars
from tui.widgets.columns import GAP, fitted
from tui.widgets.option_rows import OptionRows


class Pane(Vertical):
    """A pane called *name*; what it holds is counted in its heading."""

    NARROWEST: ClassVar = 24
    """Cells below which no key makes it narrower."""

    def __init__(self, name: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, classes="pane")
        self.called = name
        self.heading = name
        self.border_title = Content(name)

    @property
    def body(self) -> Widget:
        """What takes the focus."""
        raise NotImplementedError

    def entitle(self, count: int | None = None, remark: str = "") -> None:
        """Put *count* and *remark* behind the name."""
        self.heading = self.called if count is None else f"{self.called} {count:,}"
        self.border_title = Content(f"{self.heading}{f', {remark}' if remark else ''}")


_DETAIL = 4
"""Lines that the detail of a row may take; what is longer ends with an ellipsis."""


def _ended(line: Content, width: int) -> Content:
    return Content.assemble(line.rstrip().truncate(width - 1), "…")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a cell for each column, all that there is to say of it, and its texts as they are for the clipboard."""

    cells: tuple[Content, ...]
    detail: Content
    copied: str


class RowPane(Pane):
    """Rows in columns, cut to the width; the one under the cursor is told in full below."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.ROWS]

    class Pointed(Message):
        """The cursor of *pane* came to the row number *at*, or enter was pressed there (*chosen*)."""

        def __init__(self, pane: RowPane, at: int, *, chosen: bool = False) -> None:
            super().__init__()
            self.pane = pane
            self.at = at
            self.chosen = chosen

    def __init__(
        self,
        name: str,
        heads: Sequence[str],
        *,
        right: Sequence[int] = (),
        whole: Sequence[int] = (),
        spare: Sequence[int] = (),
        copies: bool = True,
        id: str,  # noqa: A002
    ) -> None:
        """*right* are the columns of numbers; they and those of *whole* are cut last.

        Columns of *spare* are left out, in this order, where there is no room: the detail of a row tells them, and the
        frame names them. Without *copies* no row goes to the clipboard.
        """
        super().__init__(name, id=id)
        self._copies = copies
        self._heads = list(heads)
        self._right = set(right)
        self._whole = {*right, *whole}
        self._spare = tuple(spare)
        self._rows: list[Row] = []

    def compose(self) -> ComposeResult:
        """Lay out the names of the columns over the rows over the detail."""
        yield Static(Content(""), classes="pane-empty")
        yield Static(Content(""), classes="pane-heads")
        yield OptionRows(compact=True, markup=False, classes="pane-rows")
        yield Static(Content(""), classes="pane-detail")

    @property
    def body(self) -> OptionList:
        """The list of rows."""
        return self.query_one(OptionList)

    @property
    def at(self) -> int | None:
        """Number of the row under the cursor; None without rows."""
        at = self.body.highlighted
        return at if at is not None and at < len(self._rows) else None

    @property
    def rows(self) -> list[Row]:
        """The rows on show."""
        return list(self._rows)

    def show(self, rows: Sequence[Row], empty: Content) -> None:
        """List *rows*; *empty* is said when there are none."""
        self._rows = list(rows)
        told = self.query_one(".pane-empty", Static)
        told.update(empty)
        told.display = not rows
        self.query_one(".pane-heads").display = bool(rows)
        self.query_one(".pane-detail").display = bool(rows)
        self.body.clear_options()
        self._fill()
        self.call_after_refresh(self._fill)  # once more when the list has its size

    def rename(self, heads: Sequence[str]) -> None:
        """Give the columns other names; the rows that go with them are shown next."""
        self._heads = list(heads)

    def point(self, at: int) -> None:
        """Put the cursor on the row number *at*."""
        self.body.highlighted = at

    def on_resize(self) -> None:
        """Cut the columns anew."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        if not self.query(OptionList):  # the screen was left before its next refresh
            return
        options = self.body
        at = options.highlighted or 0
        width = options.scrollable_content_region.width
        heads = tuple(Content.styled(head, "$quiet") for head in self._heads)
        lines = [row.cells for row in self._rows]
        natural = [max(cell.cell_length for cell in column) for column in zip(heads, *lines, strict=True)]
        widths = fitted(natural, width, self._whole, self._spare)
        missing = [self._heads[number] for number in self._spare if natural[number] and not widths[number]]
        self.border_subtitle = Content(f"only in the detail: {', '.join(missing)}" if missing and lines else "")
        with self.prevent(OptionList.OptionHighlighted):
            options.clear_options()
            options.add_options([Option(self._line(cells, widths)) for cells in lines])
            options.highlighted = min(at, len(lines) - 1) if lines else None
        self.query_one(".pane-heads", Static).update(self._line(heads, widths))
        self._tell()

    def _line(self, cells: Sequence[Content], widths: Sequence[int]) -> Content:
        drawn = []
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            if not width:
                continue
            cut = cell.truncate(width, ellipsis=True)
            blank = width - cut.cell_length
            drawn.append(cut.pad_left(blank) if number in self._right else cut.pad_right(blank))
        return Content(GAP).join(drawn)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell the row under the cursor in full."""
        event.stop()
        self._tell()
        self.post_message(self.Pointed(self, event.option_index))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Pass on that a row was chosen."""
        event.stop()
        self.post_message(self.Pointed(self, event.option_index, chosen=True))

    def _tell(self) -> None:
        at = self.at
        shown = self.query_one(".pane-detail", Static)
        told = Content("") if at is None else self._rows[at].detail
        width = shown.content_size.width
        lines = told.wrap(width) if width else []
        if len(lines) > _DETAIL:
            told = Content("\n").join([*lines[: _DETAIL - 1], _ended(lines[_DETAIL - 1], width)])
        shown.update(told)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer no copy of rows that must not outlive the screen."""
        return action != "copy_row" or self._copies

    def action_copy_row(self) -> None:
        """Copy the texts of the row under the cursor, exactly."""
        at = self.body.highlighted
        if at is None:
            self.notify(visible("There is nothing to copy."), markup=False, timeout=4)
            return
        self.app.copy_to_clipboard(self._rows[at].copied)
        self.notify(visible("Copied the row to the terminal's clipboard."), markup=False, timeout=4)


class ChartPane(Pane):
    """A bar chart, and a line about it."""

    def compose(self) -> ComposeResult:
        """Lay out the chart over its line."""
        yield Static(Content(""), classes="pane-empty")
        with VerticalScroll(classes="pane-chart"):
            yield Bars()
        yield Static(Content(""), classes="pane-detail")

    @property
    def body(self) -> VerticalScroll:
        """What scrolls."""
        return self.query_one(VerticalScroll)

    def show(self, bars: Sequence[Bar], remark: Content, empty: Content, *, of: int | None = None) -> None:
        """Draw *bars* with *remark* under them; *empty* is said when there are none; shares are of *of*."""
        told = self.query_one(".pane-empty", Static)
        told.update(empty)
        told.display = not bars
        detail = self.query_one(".pane-detail", Static)
        detail.update(remark)
        detail.display = bool(bars)
        self.query_one(Bars).show(bars, of)
