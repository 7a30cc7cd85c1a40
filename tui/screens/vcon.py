"""One vCon: parties, the timeline of its dialogs, analyses, attachments, tags, and what its validation found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui import keys
from tui.literal import literal
from tui.screens.dialog import Dialog
from tui.screens.paned import failure_words
from tui.screens.vcon_change import Changing
from tui.vcons import Element, VconChange, VconFinding, Vcons, VconView
from tui.widgets.flow import DOT, Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.lines import Lines
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes

_TIMELINE = ("#", "in time", "begins", "lasts", "type", "who", "text")
_CELLS = 12
"""Width of the timeline."""
_GONE = "The vCon is not there any more."


class OneVcon(Changing):
    """The parts of one vCon, each in a pane; enter reads an element whole."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.PANES,
        *keys.VCON,
        keys.VCON_CHANGE,
        keys.VCON_RELOAD,
        keys.HELP,
        keys.BACK,
        keys.QUIT,
    ]

    class Read(Message):
        """The vCon was read (None = it is gone), or it failed."""

        def __init__(self, view: VconView | None, failure: Content | None = None) -> None:
            super().__init__()
            self.view = view
            self.failure = failure

    def __init__(self, vcons: Vcons, uuid: str) -> None:
        super().__init__(vcons)
        self._uuid = uuid
        self._view: VconView | None = None
        self._dialogs = RowPane("Dialog", _TIMELINE, right=(3,), whole=(0, 1, 2, 4), spare=(2,), id="vcon-dialog")
        self._parties = RowPane("Parties", ("#", "name", "address", "role"), id="vcon-parties")
        heads = ("#", "type", "vendor", "product", "bytes", "text")
        self._analyses = RowPane("Analysis", heads, right=(4,), id="vcon-analysis")
        files = ("#", "purpose", "media type", "bytes", "text")
        self._attachments = RowPane("Files", files, right=(3,), id="vcon-attachments")
        self._tags = RowPane("Tags", ("key", "value"), id="vcon-tags")
        self._findings = RowPane("Findings", ("", "code", "path", "what"), id="vcon-findings")

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="vcon-head")
        yield Static(Content(""), classes="instead")
        yield Panes(
            [self._dialogs, self._parties, self._analyses, self._attachments, self._tags, self._findings],
            id="vcon-panes",
        )
        yield KeyLine()

    def on_mount(self) -> None:
        """Read the vCon."""
        self.say_instead("vCon", Content.styled("Reading …", "$quiet"))
        self.action_reload()

    def action_reload(self) -> None:
        """Read it again."""
        self.run_worker(self._read, thread=True, group="vcon", exclusive=True, exit_on_error=False)

    def _read(self) -> None:
        try:
            self.post_message(self.Read(self._vcons.vcon(self._uuid)))
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Read(None, failure_words(error)))

    def on_one_vcon_read(self, event: Read) -> None:
        """Show what was read."""
        event.stop()
        self._view = view = event.view
        if view is None:
            self.say_instead("vCon", event.failure or Content(_GONE))
            return
        self._show_head(view)
        for pane, elements, nothing in (
            (self._dialogs, view.dialogs, "It has no dialog."),
            (self._parties, view.parties, "It has no party."),
            (self._analyses, view.analyses, "It has no analysis."),
            (self._attachments, view.attachments, "It has no attachment."),
        ):
            removed = sum(bool(item.removed) for item in elements)
            pane.entitle(len(elements), f"{removed} taken out" if removed else "")
            make = _dialog_row if pane is self._dialogs else _element_row
            pane.show([make(item) for item in elements], Content(nothing))
        self._tags.entitle(len(view.tags))
        self._tags.show([_tag_row(*item) for item in view.tags], Content("It has no tag."))
        self._findings.entitle(len(view.findings), "core-03")
        clean = "The validation found nothing." if self._vcons.tools() else "What a cache serves is not validated."
        self._findings.show([_finding_row(item) for item in view.findings], Content(clean))
        self.offer([self._dialogs, self._parties, self._analyses, self._attachments, self._tags, self._findings])

    def _show_head(self, view: VconView) -> None:
        line = view.line
        wrong = sum(item.severity == "error" for item in view.findings)
        parts = [
            literal(line.subject or "without a subject", "$primary bold"),
            literal(line.uuid, "$quiet"),
            Content.assemble(
                ("changed " if view.updated_at else "made ", "$quiet"), literal(view.updated_at or line.created_at)
            ),
            Content.assemble(("syntax ", "$quiet"), literal(view.version or "not said")),
        ]
        if line.form != "plain":
            parts.append(literal(line.form, "$warning bold"))
        if wrong:
            parts.append(Content.styled(f"{wrong:,} error{'' if wrong == 1 else 's'}", "$error bold"))
        self.query_one(Flow).flow(parts, DOT)

    def _pointed(self) -> tuple[str, Element] | None:
        """Return the element under the cursor and what it is (party, dialog, analysis, attachment)."""
        view = self._view
        if view is None or not self.panes.display:
            return None
        held: Sequence[tuple[RowPane, str, tuple[Element, ...]]] = (
            (self._parties, "party", view.parties),
            (self._dialogs, "dialog", view.dialogs),
            (self._analyses, "analysis", view.analyses),
            (self._attachments, "attachment", view.attachments),
        )
        for pane, part, elements in held:
            if self.panes.current is pane and pane.at is not None:
                return part, elements[pane.at]
        return None

    def on_row_pane_pointed(self, event: RowPane.Pointed) -> None:
        """Read the element that was chosen."""
        event.stop()
        if event.chosen:
            self.action_read()

    def action_read(self) -> None:
        """Show all of the element under the cursor."""
        found = self._pointed()
        if found is None:
            return
        part, element = found
        if element.lines:
            self.app.push_screen(Reading(f"{part} {element.index}", element.lines))
        else:
            self.say(f"There is nothing to read in it{f': {element.removed}' if element.removed else ''}.")

    def action_change(self) -> None:
        """Change this vCon; a tool for an element begins with the one under the cursor."""
        if self._view is None:
            return
        found = self._pointed()
        at = {} if found is None else {"part": found[0], "index": found[1].index}
        self.change({"uuid": self._uuid, **at})

    def changed(self, change: VconChange) -> None:
        """Read it again."""
        self.action_reload()


class Reading(Dialog[None]):
    """All lines of one element."""

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._heading = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        with Vertical(classes="dialog -large") as frame:
            frame.border_title = literal(self._heading)
            yield Lines()
        yield KeyLine()

    def on_mount(self) -> None:
        """Show them."""
        shown = self.query_one(Lines)
        shown.show(list(self._lines))
        shown.focus()


def _element_row(item: Element) -> Row:
    if item.removed:
        blank = [Content("") for _ in item.cells]
        told = literal(item.removed, "$warning")
        # Where there is the most room: the name of a party, the text of a dialog.
        blank[0 if item.span is None else -1] = told
        cells = (Content.styled(f"{item.index}", "$quiet"), *blank)
        return Row(cells, literal(f"{item.index}: {item.removed}", "$warning"), f"{item.index}\t{item.removed}")
    first, *rest = item.cells
    cells = (Content.styled(f"{item.index}", "$quiet"), literal(first, "bold"), *(literal(cell) for cell in rest))
    told = Content.styled("  ", "$quiet").join([literal(cell) for cell in item.cells if cell])
    return Row(cells, told, "\t".join((str(item.index), *item.cells)))


def _dialog_row(item: Element) -> Row:
    """Return the row of a dialog, with its place in the conversation drawn."""
    made = _element_row(item)
    number, *rest = made.cells
    drawn = Content.styled(_in_time(item.span), "$primary")
    return Row((number, drawn, *rest), made.detail, made.copied)


def _in_time(span: tuple[float, float] | None) -> str:
    if span is None:
        return ""
    first = min(int(span[0] * _CELLS), _CELLS - 1)
    last = min(max(int(span[1] * _CELLS + 0.5), first + 1), _CELLS)
    return "─" * first + "█" * (last - first) + "─" * (_CELLS - last)


def _tag_row(key: str, value: str) -> Row:
    return Row((literal(key, "bold"), literal(value)), literal(f"{key}: {value}"), f"{key}\t{value}")


def _finding_row(item: VconFinding) -> Row:
    error = item.severity == "error"
    colour = "$error bold" if error else "$warning"
    path = item.path or "/"
    told = Content.assemble(literal(item.code, colour), " ", literal(path, "bold"), "\n", literal(item.message))
    cells = (
        Content.styled("!" if error else "~", colour),
        literal(item.code, colour),
        literal(path),
        literal(item.message),
    )
    return Row(cells, told, "\t".join((item.severity, item.code, item.path, item.message)))
