"""What the screens made of panes share."""

from __future__ import annotations

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from tui.literal import visible
from tui.widgets.panes import Panes


class PanedScreen(Screen[None]):
    """A screen with ``Panes`` that was opened over another one."""

    @property
    def panes(self) -> Panes:
        """The panes."""
        return self.query_one(Panes)

    def show_panes(self, shown: bool) -> None:
        """Show the panes or hide them, and with them the keys that turn them."""
        if self.panes.display != shown:
            self.panes.display = shown
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let no key turn what is not there."""
        return action != "turn" or (self.is_mounted and self.panes.display)

    def too_small(self) -> Static:
        """Return what stands there when the terminal has no room for anything else."""
        return Static(Content("This needs 40x12.\nesc goes back · q quits"), id="too-small")

    def action_turn(self, step: int) -> None:
        """Go to the next (1) or previous (-1) pane."""
        self.panes.turn(step)

    def action_back(self) -> None:
        """Go back to the screen before."""
        self.dismiss()

    def action_quit(self) -> None:
        """Leave the TUI."""
        self.app.exit()

    def say(self, message: str) -> None:
        """Tell *message*, which may hold text of data, for some seconds."""
        self.notify(visible(message), markup=False, timeout=4)
