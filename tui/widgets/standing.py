"""How the tool under the cursor stands, and why it is as risky as it is: in as many words as there is room for."""

from __future__ import annotations

from textual.content import Content

from tui.literal import literal
from tui.reviewing import QueueItem
from tui.widgets.flow import DOT, Flow, packed
from tui.widgets.queue import STANDINGS


class StandingLine(Flow):
    """Standing, what has drifted, and the risk with its reasons; reasons for which there is no room are counted."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._item: QueueItem | None = None
        self._most = 2

    def show(self, item: QueueItem | None, *, most: int) -> None:
        """Draw *item* on *most* lines at the most."""
        self._item, self._most = item, most
        self._pack()

    def _pack(self) -> None:
        item, room = self._item, self.content_size.width
        if item is None:
            self.update(Content(""))
            return
        head = Content.assemble((f"{item.standing.value} ", "bold"), STANDINGS[item.standing])
        drift = [literal(f"drift: {words}", "$error") for words in item.drift]
        counts = range(len(item.reasons), -1, -1)
        risks = [literal(f"risk {item.risk}{': ' if n else ''}{'; '.join(item.reasons[:n])}") for n in counts]
        # As much as fits: fewer reasons, the last one first; then no risk; then less of what has drifted.
        forms = [[*drift, risk] for risk in risks] + [drift[:kept] for kept in range(len(drift), -1, -1)]
        lines, more = [head], list[Content]()
        for left_out, form in enumerate(forms):
            more = [Content.styled(f"+{left_out}, see 3", "$quiet")] if left_out else []
            lines = packed([head, *form, *more], DOT, room)
            if len(lines) <= self._most and all(line.cell_length <= room for line in lines):
                break
        else:
            word = Content.assemble((f"{item.standing.value} ", "bold"), item.standing.name.lower())
            lines = packed([word, *more], DOT, room)
        self.update(Content("\n").join(lines))
