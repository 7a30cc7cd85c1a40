"""What the screens made of panes share."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from gongmcp.errors import StartupRefusal
from tui.literal import literal, visible
from tui.widgets.flow import Flow
from tui.widgets.pane import Pane
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
        return action not in ("turn", "resize") or (self.is_mounted and self.panes.display)

    def too_small(self) -> Static:
        """Return what stands there when the terminal has no room for anything else."""
        return Static(Content("This needs 40x12.\nesc goes back · q quits"), id="too-small")

    def action_turn(self, step: int) -> None:
        """Go to the next (1) or previous (-1) pane."""
        self.panes.turn(step)

    def action_resize(self, step: int) -> None:
        """Make the pane with the cursor wider (1) or narrower (-1), higher or lower where panes stand above it."""
        if not self.panes.resize(step):
            self.say("One pane has the whole window here; t goes to the next one.")

    def action_back(self) -> None:
        """Go back to the screen before."""
        self.dismiss()

    def action_quit(self) -> None:
        """Leave the TUI."""
        self.app.exit()

    def say_instead(self, title: str, words: Content) -> None:
        """Say *words* where the panes would be, under the head *title*."""
        self.query_one(Flow).flow([Content.styled(title, "$primary bold")])
        instead = self.query_one(".instead", Static)
        instead.update(words)
        instead.display = True
        self.show_panes(False)

    def offer(self, panes: Sequence[Pane]) -> None:
        """Show *panes*, which are filled, in the place of words."""
        self.query_one(".instead").display = False
        was_hidden = not self.panes.display
        self.show_panes(True)
        self.panes.offer(panes)
        if was_hidden:
            self.panes.focus_current()

    def say(self, message: str) -> None:
        """Tell *message*, which may hold text of data, for some seconds."""
        self.notify(visible(message), markup=False, timeout=4)


def failure_words(error: Exception) -> Content:
    """Return what to say of an operation that failed: a refusal with its hint, or whatever it was."""
    if isinstance(error, StartupRefusal):
        lines = [literal(error.message, "$error bold")]
        if error.hint:
            lines.append(literal(error.hint))
        return Content("\n").join(lines)
    told = literal(f"{type(error).__name__}: {error}", "$error bold")
    return Content("\n").join([told, Content("gongctl cache status --db DB says more about the cache.")])
