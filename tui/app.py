"""``PreflightApp``: the operator's view of the tool handler."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen

from gongmcp.settings import ServerSettings
from tui import keys
from tui.bench import Bench, MakePreview, make_preview
from tui.operations import Operations
from tui.operator_app import OperatorApp
from tui.ports import Handler
from tui.reviewing import Reviewing
from tui.screens.numbered import HOME, NUMBERED, open_screen
from tui.screens.preflight import Preflight
from tui.screens.review import Review
from tui.tokens import Tokens
from tui.vcons import Vcons


class PreflightApp(OperatorApp):
    """Shows, for any tool and arguments, what an agent would receive and what was withheld.

    Args:
        handler: runs the tools; the TUI never redacts, caps or counts by itself.
        operations: what the operator may do besides looking; None = look only.
        clock: seconds, for how long a call has been running.
        settings: what *handler* was built from, to say which layer set what; None = that is not said.
        restricted: whether ``gongctl`` runs in restricted mode: no call is looked into, no id is shown.
        reviewing: samples, decisions and the lock; None = the app opens with the plain pre-flight screen.
        vcons: the vCons of the cache as they are served; None = they are not looked at.
        tokens: the file of access tokens; None = none was named.
        make: makes a preview (tests put their own).
        tool: the tool that a review begins with; '' = the riskiest that waits.
        ascii: draw no lines, bars and arrows, but letters in their place.
    """

    TITLE = "gongctl pre-flight"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.SCREENS, *keys.TO_TOKENS]

    def __init__(
        self,
        handler: Handler,
        operations: Operations | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        settings: ServerSettings | None = None,
        restricted: bool = False,
        reviewing: Reviewing | None = None,
        vcons: Vcons | None = None,
        tokens: Tokens | None = None,
        make: MakePreview = make_preview,
        tool: str = "",
        ascii: bool = False,  # noqa: A002
    ) -> None:
        super().__init__(ascii=ascii)
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
                vcons=vcons,
            )
        self._handler = handler
        self._operations = operations
        self._clock = clock
        self._settings = settings
        self._restricted = restricted
        self._tokens = tokens

    def get_default_screen(self) -> Screen[None]:
        """Open with the review, or with the pre-flight screen where nothing can be approved."""
        if self.bench is not None:
            return Review(self.bench)
        return Preflight(
            self._handler, self._operations, self._clock, settings=self._settings, restricted=self._restricted
        )

    @property
    def elsewhere(self) -> Sequence[Binding]:
        """The number keys, where there is a review."""
        return keys.SCREENS if self.bench is not None else ()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let number keys be live only where there is a review, and they and the tokens never under a dialog."""
        if action == "tokens":
            return not isinstance(self.screen, ModalScreen)
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

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer the access tokens too."""
        yield from super().get_system_commands(screen)
        if not isinstance(screen, ModalScreen):
            for binding in keys.TO_TOKENS:
                yield SystemCommand(binding.tooltip, f"Key: {self.get_key_display(binding)}", self.action_tokens)

    def action_tokens(self) -> None:
        """Show the access tokens over the screen that is on show, once."""
        from tui.screens.tokens import AccessTokens

        if self._tokens is None:
            words = "No file of access tokens is named. Open with --access-tokens FILE, or set GONGMCP_ACCESS_TOKENS."
            self.notify(words, markup=False, timeout=8)
        elif not isinstance(self.screen, AccessTokens):
            self.push_screen(AccessTokens(self._tokens))
