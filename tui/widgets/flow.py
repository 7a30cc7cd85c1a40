"""Items on one line, or on as many as the width asks for; a line never breaks inside an item."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

BAR = Content.styled(" │ ", "$line")
DOT = Content.styled(" · ", "$quiet")


def packed(items: Sequence[Content], joint: Content, room: int) -> list[Content]:
    """Return *items* on as few lines of *room* cells as keep their order."""
    lines: list[Content] = []
    for item in items:
        if lines and lines[-1].cell_length + joint.cell_length + item.cell_length <= room:
            lines[-1] = Content.assemble(lines[-1], joint, item)
        else:
            lines.append(item)
    return lines


class Flow(Static):
    """Packs items into lines and packs them anew when the width changes; *tail* follows on lines of its own."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._items: list[Content] = []
        self._joint = BAR
        self._tail: Content | None = None

    def flow(self, items: Sequence[Content], joint: Content = BAR, tail: Content | None = None) -> None:
        """Show *items* with *joint* between them, and *tail* under them."""
        self._items, self._joint, self._tail = list(items), joint, tail
        self._pack()

    def on_resize(self) -> None:
        """Pack again; after the layout that is under way, which would not look at the height once more."""
        self.call_after_refresh(self._pack)

    def _pack(self) -> None:
        lines = packed(self._items, self._joint, self.content_size.width)
        if self._tail is not None:
            lines.append(self._tail)
        self.update(Content("\n").join(lines))
