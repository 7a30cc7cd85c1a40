"""Help, made from the bindings that are live where it was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.app import App, ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from tui.answer import SIGNS, WORDS
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine
from tui.widgets.queue import STANDINGS

OF_PREVIEWS = (
    "Choose a tool. One pane shows exactly what an agent would receive,",
    "another accounts for everything that is missing from it.",
)
"""What help says first in the apps that preview answers."""
_LIVE_WITHOUT_ID = {"tab": "Next field or pane", "shift+tab": "Field or pane before"}


def live_keys(screen: Screen[object]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return (where, [(keys, words)]) of the bindings that are live on *screen* now, the nearest first."""
    groups: dict[str, dict[str, list[str]]] = {}
    for key, (node, binding, enabled, _tooltip) in screen.active_bindings.items():
        words = _LIVE_WITHOUT_ID.get(key) or ((binding.tooltip or binding.description) if binding.id else "")
        if not enabled or not words:
            continue
        where = "This screen" if node is screen else "Everywhere" if isinstance(node, App) else "Here"
        shown = screen.app.get_key_display(binding)
        names = groups.setdefault(where, {}).setdefault(words, [])
        if shown not in names:
            names.append(shown)
    order = ("Here", "This screen", "Everywhere")
    return [(w, [(" ".join(k), words) for words, k in groups[w].items()]) for w in order if w in groups]


class Help(Dialog[None]):
    """Shows *about*, the live keys and what the *signs* mean; *standings*: those of a review's queue too."""

    def __init__(
        self,
        groups: Iterable[tuple[str, list[tuple[str, str]]]],
        *,
        about: Sequence[str] = OF_PREVIEWS,
        signs: bool = True,
        standings: bool = False,
    ) -> None:
        super().__init__()
        self._about = about
        self._signs = signs
        self._standings = standings
        self._groups = list(groups)

    def compose(self) -> ComposeResult:
        """Lay out the groups in one scrolling column."""
        with Vertical(classes="dialog -help") as frame:
            frame.border_title = Content("Help")
            with VerticalScroll():
                yield Static(self._content())
        yield KeyLine()

    def _content(self) -> Content:
        lines = [Content(line) for line in self._about]
        for where, rows in self._groups:
            lines += [Content(""), Content.styled(where, "$primary bold")]
            lines += [Content.assemble((f"  {keys:<16}", "bold"), words) for keys, words in rows]
        if not self._signs:
            return Content("\n").join(lines)
        lines += [Content(""), Content.styled("Signs in the margin", "$primary bold")]
        lines += [
            Content.assemble((f"  {SIGNS[action]:<16}", "$warning bold"), f"{action}: {words}")
            for action, words in WORDS.items()
        ]
        lines.append(Content.assemble((f"  {'» or >>':<16}", "$warning bold"), "the place that is pointed at"))
        if self._standings:
            lines += [Content(""), Content.styled("Signs in the queue", "$primary bold")]
            lines += [Content.assemble((f"  {s.value:<16}", "$warning bold"), words) for s, words in STANDINGS.items()]
        return Content("\n").join(lines)

    def on_mount(self) -> None:
        """Let the keys scroll the text."""
        self.query_one(VerticalScroll).focus()
