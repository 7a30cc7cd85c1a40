"""What the agent sees: a preview through one lens, readable or to the byte, with a cursor that knows its reasons."""

from __future__ import annotations

from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from gongmcp.preview.lens import lens_text
from gongmcp.preview.model import Lens, Preview
from tui.answer import Spot, json_view
from tui.finding import Path
from tui.literal import literal
from tui.seen import Manner, Seen, see
from tui.widgets.chip import Chip
from tui.widgets.cursor_lines import CursorLines
from tui.wording import fitting, thousands

_FRAME = 6
"""Cells of the frame that no title takes."""
_LARGE = 100_000
"""Bytes from which on the lines are made in a thread."""

_BEFORE = "Nothing is on show yet."


class Sees(Vertical):
    """The pane *AGENT SEES*."""

    class Pointed(Message):
        """The cursor came to a row to which these withheld spans belong (their numbers; may be none)."""

        def __init__(self, spans: list[int]) -> None:
            super().__init__()
            self.spans = spans

    class Drawn(Message):
        """The lines of drawing number *number* are made."""

        def __init__(self, number: int, seen: Seen) -> None:
            super().__init__()
            self.number = number
            self.seen = seen

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.border_title = Content("AGENT SEES")
        self._preview: Preview | None = None
        self._definition: dict[str, Any] | None = None
        self._lens = Lens.CONTENT
        self._manner = Manner.READ
        self._seen = Seen()
        self._number = 0
        self._wanted: int | None = None
        self._sought: tuple[Path, int] | None = None
        self._being_made = False

    def compose(self) -> ComposeResult:
        """Lay out the names of the views over the lines."""
        with Horizontal(id="sees-tabs"):
            for manner in Manner:
                yield Chip(f"view_as('{manner.name}')", id=f"manner-{manner.name.lower()}")
        yield Static(Content(_BEFORE), id="sees-empty")
        yield CursorLines(id="sees-lines")

    @property
    def lines(self) -> CursorLines:
        """The lines."""
        return self.query_one(CursorLines)

    @property
    def lens(self) -> Lens:
        """The lens on show."""
        return self._lens

    @property
    def manner(self) -> Manner:
        """The manner on show."""
        return self._manner

    @property
    def seen(self) -> Seen:
        """The lines on show, with their places."""
        return self._seen

    @property
    def exact(self) -> str:
        """What the lens hands on, to the byte; in the view of the definition, that."""
        if self._manner is Manner.DEFINITION:
            return "\n".join(self._seen.lines)
        return "" if self._preview is None else lens_text(self._preview.outcome.answer, self._lens)

    def show(self, preview: Preview | None, definition: dict[str, Any] | None, instead: Content | None = None) -> None:
        """Show *preview*; without one *instead*. *definition* is the wire form of the tool."""
        self._preview, self._definition = preview, definition
        self._wanted = None
        self.query_one("#sees-empty", Static).update(instead or Content(_BEFORE))
        self._draw()

    def turn(self, lens: Lens | None = None, manner: Manner | None = None) -> None:
        """Show another lens or manner."""
        self._lens, self._manner = lens or self._lens, manner or self._manner
        self._draw()

    def point_at(self, span: int | None) -> None:
        """Highlight span number *span* and go there; as soon as the lines are made."""
        self._wanted = span
        if span is not None and span in self._seen.spots:
            self.lines.point_at(self._seen.spots[span])

    def jump(self, path: Path, step: int) -> bool:
        """Go to the next (1) or previous (-1) member that *path* names, round the end; False where there is none.

        The readable structure is what has members: where the text or the bytes alone are on show, it is turned to.
        Of lines that are still being made, the member is gone to when they are there.
        """
        if not self._seen.at and self._preview is not None and self._preview.outcome.answer.structured is not None:
            lens = self._lens if self._lens is not Lens.CONTENT else Lens.STRUCTURED
            self.turn(lens, Manner.READ)
        if self._being_made:
            self._sought = (path, step)
            return True
        lines = self._seen.lines_of(path)
        here = self.lines.line
        ahead = [line for line in lines if (line > here if step > 0 else line < here)]
        if ahead or lines:
            self.lines.point_at(Spot((ahead or lines)[0 if step > 0 else -1]))
        return bool(lines)

    def on_resize(self) -> None:
        """Say in the frame what there is room for."""
        self._title()

    def _draw(self) -> None:
        for manner in Manner:
            words = Content.styled(manner.value, "$primary bold" if manner is self._manner else "$quiet")
            sign = ">" if manner is self._manner else " "
            self.query_one(f"#manner-{manner.name.lower()}", Chip).say(sign, words)
        self._number += 1
        self._seen = Seen()
        self._sought = None
        self._title()
        definition = self._manner is Manner.DEFINITION
        known = self._definition is not None if definition else self._preview is not None
        self.query_one("#sees-empty").display = not known
        self.lines.display = known
        if not known:
            return
        if definition:
            self._drawn(Seen(json_view(self._definition).lines, json=True))
        elif self._preview is not None and len(self._preview.wire) < _LARGE:
            self._drawn(see(self._preview, self._lens, self._manner))
        elif self._preview is not None:
            self._being_made = True
            self.lines.show(["…"])
            make = partial(self._make, self._number, self._preview, self._lens, self._manner)
            self.run_worker(make, thread=True, group="sees", exclusive=True, exit_on_error=False)

    def _make(self, number: int, preview: Preview, lens: Lens, manner: Manner) -> None:
        self.post_message(self.Drawn(number, see(preview, lens, manner)))

    def on_sees_drawn(self, event: Drawn) -> None:
        """Show the lines, unless something else is to be shown by now."""
        event.stop()
        if event.number == self._number:
            self._drawn(event.seen)

    def _drawn(self, seen: Seen) -> None:
        self._seen = seen
        self._being_made = False
        self.lines.show(seen.lines, signs=seen.signs, json=seen.json)
        self.point_at(self._wanted)
        if self._sought is not None:
            self.jump(*self._sought)

    def _title(self) -> None:
        if self._preview is None or self._manner is Manner.DEFINITION:
            self.border_title = Content("AGENT SEES")
            return
        size = self._preview.sizes[self._lens]
        of, low, high = f"AGENT SEES  {self._lens.value}", size.tokens_low, size.tokens_high
        few = f"est. {thousands(low, high)} tokens"
        wordings = (
            f"{of}  {size.bytes:,} bytes  est. {low:,}–{high:,} tokens",
            f"{of}  {size.bytes:,} bytes  {few}",
            f"{of}  {few}",
            of,
        )
        self.border_title = literal(fitting(wordings, self.outer_size.width - _FRAME))

    def on_cursor_lines_row_reached(self, event: CursorLines.RowReached) -> None:
        """Tell which reasons belong to the row."""
        event.stop()
        spans = self._seen.spans_at(event.line, event.start, event.end)
        self.lines.mark(self._seen.spots[spans[0]] if spans else None)
        self.post_message(self.Pointed(spans))
