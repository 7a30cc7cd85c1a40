"""Items on one line, or on as many as the width asks for; a line never breaks inside an item."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

BAR = Content.styled(" │ ", "$line")
DOT = Content.styled(" · ", "$quiet")


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
        lines: list[Content] = []
        for item in self._items:
            if lines and lines[-1].cell_length + self._joint.cell_length + item.cell_length <= self.content_size.width:
                lines[-1] = Content.assemble(lines[-1], self._joint, item)
            else:
                lines.append(item)
        if self._tail is not None:
            lines.append(self._tail)
        self.update(Content("\n").join(lines))
