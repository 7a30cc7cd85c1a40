"""``PreflightApp``: the operator's view of the tool handler."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import ModalScreen, Screen

from gongmcp.settings import ServerSettings
from tui import keys, terminal
from tui.bench import Bench, MakePreview, make_preview
from tui.operations import Operations
from tui.plain import PlainSigns
from tui.ports import Handler
from tui.reviewing import Reviewing
from tui.screens.help import Help, live_keys
from tui.screens.numbered import HOME, NUMBERED, open_screen
from tui.screens.preflight import Preflight
from tui.screens.review import Review
from tui.theme import DARK, THEMES

_WIDTHS = [(0, "-cramped"), (40, "-slim"), (72, "-narrow"), (96, "-medium"), (120, "-wide")]
_HEIGHTS = [(0, "-flat"), (12, "-short"), (30, "-tall")]


class PreflightApp(App[None]):
    """Shows, for any tool and arguments, what an agent would receive and what was withheld.

    Args:
        handler: runs the tools; the TUI never redacts, caps or counts by itself.
        operations: what the operator may do besides looking; None = look only.
        clock: seconds, for how long a call has been running.
        settings: what *handler* was built from, to say which layer set what; None = that is not said.
        restricted: whether ``gongctl`` runs in restricted mode: no call is looked into, no id is shown.
        reviewing: samples, decisions and the lock; None = the app opens with the plain pre-flight screen.
        make: makes a preview (tests put their own).
        tool: the tool that a review begins with; '' = the riskiest that waits.
        ascii: draw no lines, bars and arrows, but letters in their place.
    """

    TITLE = "gongctl pre-flight"
    CSS_PATH = "theme.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.APP, *keys.SCREENS]
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(
        self,
        handler: Handler,
        operations: Operations | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        settings: ServerSettings | None = None,
        restricted: bool = False,
        reviewing: Reviewing | None = None,
        make: MakePreview = make_preview,
        tool: str = "",
        ascii: bool = False,  # noqa: A002
    ) -> None:
        super().__init__()
        self._plain = [PlainSigns()] if ascii else []
        self.bench: Bench | None = None
        if reviewing is not None:
            self.bench = Bench(
                handler,
                handler,
                reviewing,
                make,
                operations,
                settings,
                restricted=restricted,
                plain=ascii,
                clock=clock,
                tool=tool,
            )
        self._handler = handler
        self._operations = operations
        self._clock = clock
        self._settings = settings
        self._restricted = restricted
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name
        # Calm, and quick over slow lines: nothing slides or fades.
        self.animation_level = "none"

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

    def get_default_screen(self) -> Screen[None]:
        """Open with the review, or with the pre-flight screen where nothing can be approved."""
        if self.bench is not None:
            return Review(self.bench)
        return Preflight(
            self._handler, self._operations, self._clock, settings=self._settings, restricted=self._restricted
        )

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer in the palette what the keys do here, and nothing that writes a file."""
        if not isinstance(screen, ModalScreen):
            own = [binding for binding in screen.BINDINGS if isinstance(binding, Binding)]
            numbered = keys.SCREENS if self.bench is not None else []
            for binding in [*own, *numbered, *keys.APP]:
                yield SystemCommand(
                    binding.tooltip,
                    f"Key: {self.get_key_display(binding)}",
                    self._doer(screen, binding.action),
                )

    def _doer(self, screen: Screen[Any], action: str) -> Callable[[], None]:
        def do() -> None:
            self.call_later(screen.run_action, action)

        return do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let number keys be live only where there is a review, and never under a dialog."""
        if action != "show_screen":
            return True
        return self.bench is not None and not isinstance(self.screen, ModalScreen)

    def action_show_screen(self, number: str) -> None:
        """Go home (``1``), or show the screen of *number* over home in place of any other."""
        if self.bench is None or (number != HOME and number not in NUMBERED):
            return
        while len(self.screen_stack) > 1:
            self.pop_screen()
        if number != HOME:
            self.push_screen(open_screen(number, self.bench))

    def action_help(self) -> None:
        """Show the keys that are live where the cursor is."""
        if not isinstance(self.screen, Help):
            self.push_screen(Help(live_keys(self.screen), standings=self.bench is not None))

    def action_toggle_theme(self) -> None:
        """Go on from dark to light to high contrast."""
        names = [theme.name for theme in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]
