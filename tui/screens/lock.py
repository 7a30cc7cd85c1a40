"""Writing the lock: what it changes comes first, and nothing is written before it was shown."""

from __future__ import annotations

import getpass

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Label, Static

from tui.literal import literal
from tui.messages import RunRequested
from tui.reviewing import LockChange
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine
from tui.widgets.lines import Lines
from tui.widgets.text_fields import Line


def operator() -> str:
    """Return the name that the machine knows the operator by; '' when it knows none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


class WriteLock(Dialog[str]):
    """Gives the name under which the lock is to be written."""

    def __init__(self, change: LockChange, undecided: int) -> None:
        super().__init__()
        self._change = change
        self._undecided = undecided

    def compose(self) -> ComposeResult:
        """Lay out the tools, the difference of the file, and the field of the name."""
        change = self._change
        with Vertical(classes="dialog -large") as frame:
            frame.border_title = Content("Write the lock and the review record")
            yield Static(literal(change.path, "bold"))
            yield Static(self._tools())
            yield Lines(id="lock-diff")
            with Horizontal(classes="dialog-line"):
                yield Label(Content.styled("reviewed by ", "$quiet"))
                yield Line(value=operator(), id="lock-by")
            yield Static(Content.styled("enter writes it · esc writes nothing", "$quiet"), classes="dialog-remark")
        yield KeyLine()

    def _tools(self) -> Content:
        parts = [
            Content.assemble((f"{sign} ", "$warning bold"), literal(", ".join(names)))
            for sign, names in (("+", self._change.added), ("-", self._change.removed))
            if names
        ]
        if not self._change.diff:
            parts.append(Content("The file would stay as it is."))
        if self._undecided:
            one = self._undecided == 1
            waits = "tool of the queue waits for a decision: it is" if one else "tools wait for a decision: they are"
            words = f"{self._undecided} {waits} not in the lock and not served."
            parts.append(Content.styled(words, "$warning"))
        return Content("\n").join(parts)

    def on_mount(self) -> None:
        """Show the difference; enter is at hand."""
        self.query_one(Lines).show(self._change.diff.split("\n"))
        self.query_one(Line).focus()

    def on_run_requested(self, event: RunRequested) -> None:
        """Write."""
        event.stop()
        by = self.query_one(Line).value.strip()
        if by:
            self.dismiss(by)
        else:
            self.notify("Give the name of whoever reviewed.", markup=False)

    def action_back(self) -> None:
        """Close and write nothing."""
        self.dismiss(None)
