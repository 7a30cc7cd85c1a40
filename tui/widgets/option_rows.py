"""A list of options of which the row under the cursor is told without colour too, and stays in view."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widgets import OptionList

_KEYS_COME_HERE: Final = Style(reverse=True, bold=True)
_KEYS_GO_ELSEWHERE: Final = Style(underline=True)


class OptionRows(OptionList):
    """Turns the row under the cursor round where there are no colours, and underlines it while the keys go elsewhere.

    It scrolls to that row when it is laid out anew: a detail under it may have taken its place.
    """

    def on_resize(self, event: events.Resize) -> None:
        """Keep the cursor in view."""
        self.call_after_refresh(self.scroll_to_highlight)

    def render_line(self, y: int) -> Strip:
        """Draw a line of an option."""
        strip = super().render_line(y)
        if not self.app.no_color or self.highlighted is None:
            return strip
        return Strip([self._marked(segment) for segment in strip], strip.cell_length)

    def _marked(self, segment: Segment) -> Segment:
        style = segment.style
        if style is None or style.meta.get("option") != self.highlighted:
            return segment
        if not self.has_focus:
            return Segment(segment.text, style + _KEYS_GO_ELSEWHERE)
        # Without the shades of its parts: turned round they would be a bar of patches.
        return Segment(segment.text, _KEYS_COME_HERE + Style(meta=style.meta))
