"""All that is known of one withheld thing: what, by which rule, set where, how often, and what stands around it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from gongmcp.preview.model import Preview, Span
from tui.answer import WORDS
from tui.causes import cause_of
from tui.literal import literal
from tui.reviewing import SampleRun
from tui.screens.dialog import Dialog
from tui.seen import withheld
from tui.widgets.key_line import KeyLine

_AROUND = 80
"""Characters of the text that are shown on either side."""


class Segment(Dialog[None]):
    """Shows one span of a preview."""

    def __init__(self, preview: Preview, span: Span, samples: Sequence[SampleRun]) -> None:
        super().__init__()
        self._preview = preview
        self._span = span
        self._samples = samples

    @property
    def span(self) -> Span:
        """The span that is told of."""
        return self._span

    def compose(self) -> ComposeResult:
        """Lay out the facts in one column."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = literal(f"{self._span.state} {self._span.kind.replace('_', ' ')}".strip())
            with VerticalScroll():
                yield Static(self._words())
        yield KeyLine()

    def on_mount(self) -> None:
        """Let the keys scroll it."""
        self.query_one(VerticalScroll).focus()

    def _words(self) -> Content:
        span = self._span
        here = sum(other.count for _, other in withheld(self._preview) if other.rule == span.rule)
        others = [run for run in self._samples if run.preview is not None and run.preview is not self._preview]
        elsewhere = sum(any(s.rule == span.rule for _, s in withheld(run.preview)) for run in others if run.preview)
        facts = [
            ("what", WORDS.get(span.state, span.state) + (f", {span.count:,} of them" if span.count != 1 else "")),
            ("kind", span.kind or "none"),
            ("why", span.reason),
            ("cause", cause_of(span.rule)),
            ("rule", span.rule),
            ("set by", span.layer),
            ("place", "/" + "/".join(str(part) for part in span.place)),
            ("in this answer", f"{here:,} by this rule"),
            ("elsewhere", f"in {elsewhere} of {len(others)} other samples"),
            *self._extents(),
        ]
        return Content("\n").join(
            [Content.assemble((f"{name:<16}", "$quiet"), literal(words)) for name, words in facts if words]
        )

    def _extents(self) -> list[tuple[str, str]]:
        span, text = self._span, self._preview.outcome.answer.text
        found = []
        if span.wire is not None:
            found.append(("on the wire", f"bytes {span.wire.start:,} to {span.wire.end:,}"))
        around = span.text or span.near_text
        if around is not None:
            start = around.start if span.text is not None else max(around.end - _AROUND, around.start)
            shown = " ".join(text[max(0, start - _AROUND) : around.end + _AROUND].split())
            found.append(("around it", f"… {shown} …"))
        return found
