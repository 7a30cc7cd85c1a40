"""The field of the words to find; there only while it is used."""

from __future__ import annotations

from tui.widgets.text_fields import Line


class FindLine(Line):
    """Enter finds, escape closes."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(placeholder="words to find in what the agent sees; f next, F previous", id=id)
        self.display = False

    def open(self) -> None:
        """Show the field and go there."""
        self.display = True
        self.focus()

    def close(self) -> None:
        """Hide the field; the words stay."""
        self.display = False
