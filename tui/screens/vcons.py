"""vCons: a list of them, newest first, page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Label, Static

from gongmcp.errors import StartupRefusal
from tui import keys
from tui.bench import Bench
from tui.literal import literal
from tui.messages import RunRequested
from tui.ports import ToolInfo
from tui.screens.paned import failure_words
from tui.screens.vcon import OneVcon
from tui.screens.vcon_change import Changing
from tui.vcons import VconChange, VconLine, VconPage, Vcons, VconView
from tui.widgets.flow import DOT, Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes
from tui.widgets.text_fields import Line

_COUNTED = "pdaf"
"""Initials of what a row counts; its detail has the words: parties, dialogs, analyses, files."""
_HEADS = ("begins", "subject", " ".join(_COUNTED), "")


class VconBrowser(Changing):
    """One page of vCons; enter opens one, ``/`` finds some."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.VCONS, keys.HELP, keys.BACK, keys.QUIT]

    class Read(Message):
        """Reading number *number* ended: with a page, or with what went wrong."""

        def __init__(self, number: int, page: VconPage | Content) -> None:
            super().__init__()
            self.number = number
            self.page = page

    def __init__(self, vcons: Vcons, *, home: bool = False) -> None:
        """*home* tells that nothing is under this screen."""
        super().__init__(vcons)
        self._home = home
        self._words = ""
        self._starts = [""]  # cursors of the pages up to the one on show
        self._number = 0
        self._page = VconPage((), 0, "")
        self._list = RowPane("vCons", _HEADS, right=(2,), whole=(0,), id="vcons-list")

    def compose(self) -> ComposeResult:
        """Lay out the head over the field over the list."""
        yield self.too_small()
        yield Flow(id="vcons-head")
        with Horizontal(id="vcons-line"):
            yield Label(Content.styled("find ", "$quiet"))
            yield Line(placeholder="part of a subject, address or uuid", id="vcons-find")
        yield Static(Content(""), classes="instead")
        yield Panes([self._list], id="vcons-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Read the first page."""
        self.say_instead("vCons", Content.styled("Reading …", "$quiet"))
        self._read()

    def action_reload(self) -> None:
        """Read the page again."""
        self._read()

    def _read(self) -> None:
        self._number += 1
        number, words, after = self._number, self._words, self._starts[-1]
        self.run_worker(lambda: self._fetch(number, words, after), thread=True, group="vcons", exit_on_error=False)

    def _fetch(self, number: int, words: str, after: str) -> None:
        try:
            self.post_message(self.Read(number, self._vcons.page(words, after)))
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Read(number, failure_words(error)))

    def on_vcon_browser_read(self, event: Read) -> None:
        """Show the page, unless another one is being read."""
        event.stop()
        if event.number != self._number:
            return
        line = self.query_one("#vcons-line")
        if isinstance(event.page, Content):
            self._page = VconPage((), 0, "")
            line.display = bool(self._words)  # other words may find some; without any there is nothing to find
            self.say_instead("The vCons cannot be read", event.page)
            self.refresh_bindings()
            return
        line.display = True
        self._page = event.page
        parts = [literal(self._vcons.name, "$primary bold"), Content(f"{event.page.total:,} vCons")]
        if self._words:
            parts.append(Content.assemble(("found by ", "$quiet"), literal(self._words, "bold")))
        if len(self._starts) > 1 or event.page.after:
            more = "" if event.page.after else ", the last"
            parts.append(Content(f"page {len(self._starts):,}{more}"))
        parts.append(Content.styled("enter opens", "$quiet"))
        self.query_one(Flow).flow(parts, DOT)
        self._list.entitle(len(event.page.lines))
        nothing = "No vCon is found by these words." if self._words else "There is no vCon here."
        digits = [len(str(max(column))) for column in zip(*map(_counts, event.page.lines), strict=True)] or [1] * 4
        heads = " ".join(initial.rjust(width) for initial, width in zip(_COUNTED, digits, strict=True))
        self._list.rename((*_HEADS[:2], heads, _HEADS[3]))
        self._list.show([_row(line, digits) for line in event.page.lines], Content(nothing))
        self.offer([self._list])
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer pages that there are, and a vCon to open or to find where there is one."""
        if action == "page":
            return bool(self._page.after) if parameters == (1,) else len(self._starts) > 1
        if action == "open":
            return bool(self._page.lines)
        if action == "find":
            return bool(self._page.lines or self._words)
        return super().check_action(action, parameters)

    def action_page(self, step: int) -> None:
        """Go one page on (1) or back (-1)."""
        if step > 0 and self._page.after:
            self._starts.append(self._page.after)
        elif step < 0 and len(self._starts) > 1:
            self._starts.pop()
        else:
            self.say("This is the last page." if step > 0 else "This is the first page.")
            return
        self._list.point(0)
        self._read()

    def action_find(self) -> None:
        """Go to the field."""
        self.query_one(Line).focus()

    def on_run_requested(self, event: RunRequested) -> None:
        """Find what was typed."""
        event.stop()
        self._words = self.query_one(Line).value.strip()
        self._starts = [""]
        self._read()
        self.panes.focus_current()

    @property
    def pointed(self) -> VconLine | None:
        """The vCon under the cursor."""
        at = self._list.at
        return None if at is None else self._page.lines[at]

    def on_row_pane_pointed(self, event: RowPane.Pointed) -> None:
        """Open the vCon that was chosen."""
        event.stop()
        if event.chosen:
            self.action_open()

    def action_open(self) -> None:
        """Open the vCon under the cursor."""
        line = self.pointed
        if line is not None:
            self.app.push_screen(OneVcon(self._vcons, line.uuid), lambda _closed: self._read())

    def action_change(self) -> None:
        """Change the vCon under the cursor, or make one."""
        line = self.pointed
        self.change({} if line is None else {"uuid": line.uuid})

    def changed(self, change: VconChange) -> None:
        """Read the page again."""
        self._read()

    def action_back(self) -> None:
        """Leave the field; else show all again; else go back."""
        if self.query_one(Line).has_focus:
            self.panes.focus_current()
        elif self._words:
            self.query_one(Line).value = ""
            self._words, self._starts = "", [""]
            self._read()
        elif not self._home:
            self.dismiss()


class NoVcons:
    """The vCons where none are looked at: restricted mode."""

    name = "vCons"

    def page(self, words: str, after: str) -> VconPage:
        """Refuse.

        Raises:
            StartupRefusal: always.
        """
        raise StartupRefusal("vCons are not looked at from here.", "gongctl vcon browse --db STORE opens a store.")

    def vcon(self, uuid: str) -> VconView | None:
        """Return nothing."""
        return None

    def tools(self) -> Sequence[ToolInfo]:
        """Return nothing."""
        return ()

    def preview(self, tool: str, arguments: Mapping[str, Any]) -> VconChange:
        """Refuse; there is no tool."""
        raise KeyError(tool)

    def apply(self, tool: str, arguments: Mapping[str, Any], previewed: VconChange) -> VconChange:
        """Refuse; there is no tool."""
        raise KeyError(tool)


def of_bench(bench: Bench) -> VconBrowser:
    """Return the list of the vCons of the cache on show."""
    return VconBrowser(bench.vcons if bench.vcons is not None else NoVcons())


def _counts(line: VconLine) -> tuple[int, ...]:
    return line.parties, line.dialogs, line.analyses, line.attachments


def _row(line: VconLine, digits: Sequence[int]) -> Row:
    """Return the row of *line*, its counts as wide as *digits* under each other."""
    begins = (line.started_at or line.created_at)[:16].replace("T", " ")
    counts = _counts(line)
    named = zip(("parties", "dialogs", "analyses", "files"), counts, strict=True)
    slots = f", {line.placeholders} taken out" if line.placeholders else ""
    told = Content.assemble(
        literal(line.subject or "without a subject", "bold"),
        "\n",
        literal(f"{line.uuid}  made {line.created_at}", "$quiet"),
        "\n",
        literal(", ".join(f"{name} {count:,}" for name, count in named) + slots),
    )
    cells = (
        literal(begins, "$quiet"),
        literal(line.subject, "bold"),
        Content(" ".join(f"{count:>{width}}" for count, width in zip(counts, digits, strict=True))),
        literal("" if line.form == "plain" else line.form, "$warning"),
    )
    return Row(cells, told, "\t".join((line.uuid, line.created_at, line.subject, line.form)))
