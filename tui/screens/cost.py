"""What it costs: the definitions of the tools, this answer by lens and by part, against the lines at which hosts balk.

Bytes are measured. Tokens are estimates, named as such and given as a range.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from gongmcp.preview.lens import TOKENS_BY
from gongmcp.preview.model import Preview, Size
from tui.literal import literal
from tui.reviewing import QueueItem
from tui.screens.dialog import Dialog
from tui.widgets.bars import Bar, Bars
from tui.widgets.key_line import KeyLine

WARN, HARD = 10_000, 25_000
"""Tokens of one answer at which a well-known host warns, and at which it refuses the answer."""


class Cost(Dialog[None]):
    """Shows sizes of the queue and of *preview*."""

    def __init__(self, items: Sequence[QueueItem], preview: Preview | None) -> None:
        super().__init__()
        self._items = items
        self._preview = preview

    def compose(self) -> ComposeResult:
        """Lay out one chart under the other."""
        with Vertical(classes="dialog -help") as frame:
            frame.border_title = Content("Cost")
            with VerticalScroll():
                if self._preview is not None:
                    yield Static(Content.styled("This answer, by lens", "$primary bold"))
                    yield Static(self._lenses(self._preview))
                    yield Static(Content.styled("\nThe structured answer, bytes by part", "$primary bold"))
                    yield Bars(id="cost-parts")
                total = sum(item.definition_tokens for item in self._items)
                heading = f"\nDefinitions, est. tokens by tool: {total:,} in every session"
                yield Static(literal(heading.strip(), "$primary bold"), id="cost-heading")
                yield Bars(id="cost-definitions")
                yield Static(Content.styled(f"Tokens are estimates ({TOKENS_BY}); bytes are measured.", "$quiet"))
        yield KeyLine()

    def on_mount(self) -> None:
        """Draw the charts."""
        items = sorted(self._items, key=lambda item: -item.definition_tokens)
        self.query_one("#cost-definitions", Bars).show(
            [Bar(literal(item.tool), item.definition_tokens) for item in items]
        )
        if self._preview is not None:
            parts = sorted(_parts(self._preview).items(), key=lambda part: -part[1])
            self.query_one("#cost-parts", Bars).show([Bar(literal(name), count) for name, count in parts])
        self.query_one(VerticalScroll).focus()

    def _lenses(self, preview: Preview) -> Content:
        rows = []
        for lens, size in preview.sizes.items():
            figures = f"{lens.value:<12}{size.bytes:>10,} bytes   est. {size.tokens_low:,}–{size.tokens_high:,} tokens"
            rows.append(Content.assemble(literal(figures), "  ", _line(size)))
        return Content("\n").join(rows)


def _line(size: Size) -> Content:
    """Say which line the upper end of the range crosses."""
    if size.tokens_high >= HARD:
        return Content.styled(f"OVER {HARD:,}: hosts refuse it", "$error bold")
    if size.tokens_high >= WARN:
        return Content.styled(f"over {WARN:,}: hosts warn", "$warning bold")
    return Content.styled(f"under {WARN:,}", "$success")


def _parts(preview: Preview) -> dict[str, int]:
    """Return the bytes between the first and the last value of each top-level member."""
    extents: dict[str, tuple[int, int]] = {}
    for span in preview.spans:
        if span.state == "kept" and span.wire is not None and span.place:
            name = str(span.place[0])
            start, end = extents.get(name, (span.wire.start, span.wire.end))
            extents[name] = (min(start, span.wire.start), max(end, span.wire.end))
    return {name: end - start for name, (start, end) in extents.items()}
