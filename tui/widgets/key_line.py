"""The keys of the screen, in one line at its bottom: one widget, drawn anew when other keys are live."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from tui.literal import literal


@dataclass(frozen=True, slots=True)
class _Key:
    """One key of the line, and the cells from *start* to *end* that it takes."""

    key: str
    tooltip: str
    drawn: Content
    start: int

    @property
    def end(self) -> int:
        return self.start + self.drawn.cell_length


class KeyLine(Widget):
    """Shows the bindings that are to be shown, each with its word; a click is its key.

    A key that does not fit in whole is left out, and with it those after it: ``?`` tells of all.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        background: $footer-background;
        text-wrap: nowrap;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._live: list[tuple[Binding, bool]] = []

    def on_mount(self) -> None:
        """Follow what is live."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def on_unmount(self) -> None:
        """Follow no longer."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _changed(self, screen: Screen[object]) -> None:
        if not self.app.app_focus or screen is not self.screen:
            return
        shown: dict[str, tuple[Binding, bool]] = {}
        for _, binding, enabled, _ in screen.active_bindings.values():
            if binding.show:
                shown.setdefault(binding.action, (binding, enabled))
        live = list(shown.values())
        if live != self._live:
            self._live = live
            self.refresh()

    def _keys(self) -> list[_Key]:
        """Return the keys for which there is room."""
        keys: list[_Key] = []
        start = 0
        for binding, enabled in self._live:
            dim = "" if enabled else " dim"
            drawn = Content.assemble(
                literal(f" {self.app.get_key_display(binding)} ", f"$footer-key-foreground bold{dim}"),
                literal(f"{binding.description} ", f"$footer-description-foreground{dim}"),
            )
            key = _Key(binding.key, binding.tooltip, drawn, start)
            if key.end - 1 > self.size.width:
                break
            keys.append(key)
            start = key.end
        return keys

    def render(self) -> Content:
        """Draw the keys one after the other."""
        return Content("").join([key.drawn for key in self._keys()])

    def _key_at(self, x: int) -> _Key | None:
        return next((key for key in self._keys() if key.start <= x < key.end), None)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell what the key under the mouse does."""
        key = self._key_at(event.x)
        self.tooltip = literal("" if key is None else key.tooltip)

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        key = self._key_at(event.x)
        if key is not None:
            self.app.simulate_key(key.key)
