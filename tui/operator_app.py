"""``OperatorApp``: what the apps of this package share: themes, widths, help, the palette."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen

from tui import keys, terminal
from tui.plain import PlainSigns
from tui.screens.help import OF_PREVIEWS, Help, live_keys
from tui.theme import DARK, THEMES

_WIDTHS = [(0, "-cramped"), (40, "-slim"), (72, "-narrow"), (96, "-medium"), (120, "-wide")]
_HEIGHTS = [(0, "-flat"), (12, "-short"), (30, "-tall")]


class OperatorApp(App[None]):
    """An app of one operator. *ascii* draws no lines, bars and arrows, but letters in their place."""

    CSS_PATH = "theme.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.APP]
    ABOUT: ClassVar[Sequence[str]] = OF_PREVIEWS
    """What help says first."""
    SIGNS: ClassVar[bool] = True
    """Whether the screens draw the signs that help explains."""
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(self, *, ascii: bool = False) -> None:  # noqa: A002
        super().__init__()
        self._plain = [PlainSigns()] if ascii else []
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name
        # Calm, and quick over slow lines: nothing slides or fades.
        self.animation_level = "none"

    @property
    def elsewhere(self) -> Sequence[Binding]:
        """Keys that lead from any screen to another one; none where there is only one."""
        return ()

    def on_mount(self) -> None:
        """Look now and then whether the terminal is still there."""
        if not self.is_headless:
            self.set_interval(terminal.LOOK_EVERY, self._leave_with_the_terminal)

    def _leave_with_the_terminal(self) -> None:
        if terminal.gone(sys.__stdin__.fileno() if sys.__stdin__ is not None else 0):
            self.exit(return_code=0)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what changes lines as they are drawn."""
        return [*super().get_line_filters(), *self._plain]

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer in the palette what the keys do here, and nothing that writes a file."""
        if not isinstance(screen, ModalScreen):
            own = [binding for binding in screen.BINDINGS if isinstance(binding, Binding)]
            for binding in [*own, *self.elsewhere, *keys.APP]:
                yield SystemCommand(
                    binding.tooltip,
                    f"Key: {self.get_key_display(binding)}",
                    self._doer(screen, binding.action),
                )

    def _doer(self, screen: Screen[Any], action: str) -> Callable[[], None]:
        def do() -> None:
            self.call_later(screen.run_action, action)

        return do

    def action_help(self) -> None:
        """Show the keys that are live where the cursor is."""
        if not isinstance(self.screen, Help):
            groups = live_keys(self.screen)
            self.push_screen(Help(groups, about=self.ABOUT, signs=self.SIGNS, standings=bool(self.elsewhere)))

    def action_toggle_theme(self) -> None:
        """Go on from dark to light to high contrast."""
        names = [theme.name for theme in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]
