"""A pane of long text."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from tui.widgets.lines import Lines
from tui.widgets.pane import Pane


class TextPane(Pane):
    """Lines of text, which are data: drawn as they are, never as markup."""

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        yield Lines()

    @property
    def body(self) -> Lines:
        """The lines."""
        return self.query_one(Lines)

    def show(self, lines: Sequence[str]) -> None:
        """Show *lines*."""
        self.body.show(lines)
