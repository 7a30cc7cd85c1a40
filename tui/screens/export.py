"""What can be taken away from a review: the text is shown first, then copied or written to a new file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from tui import keys
from tui.literal import literal, visible
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine
from tui.widgets.lines import Lines


class Export(Dialog[None]):
    """Shows *text*; *name* is the file that it would be written to, in the working folder."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.TEXT_DIALOG]

    def __init__(self, title: str, name: str, text: str) -> None:
        super().__init__()
        self._heading = title
        self._file = name
        self._text = text

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with Vertical(classes="dialog -large") as frame:
            frame.border_title = literal(self._heading)
            yield Lines(id="export-text")
            yield Static(literal(f"y copies · w writes {self._file} · esc closes", "$quiet"), classes="dialog-remark")
        yield KeyLine()

    def on_mount(self) -> None:
        """Show the text."""
        lines = self.query_one(Lines)
        lines.show(self._text.split("\n"))
        lines.focus()

    def action_copy(self) -> None:
        """Copy the text."""
        self.app.copy_to_clipboard(self._text)
        self.notify(f"Copied {len(self._text.encode()):,} bytes to the terminal's clipboard.", markup=False)

    def action_write(self) -> None:
        """Write a new file; one that is there stays as it is."""
        path = Path(self._file).name
        try:
            with Path(path).open("x", encoding="utf-8", newline="\n") as file:
                file.write(self._text)
        except FileExistsError:
            words = f"{path} is there already and was left as it is. y copies the text."
        except OSError as error:
            words = f"{path} could not be written: {error.strerror}."
        else:
            words = f"Written: {path}"
        self.notify(visible(words), markup=False)
