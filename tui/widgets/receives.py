"""What the agent receives: the text, the structure, the bytes on the wire, and the tool's definition."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label, Static

from gongmcp.handler import Outcome
from gongmcp.render.answer import Answer
from gongmcp.render.wire import result_bytes, result_object
from tui.answer import View, json_view, margin, text_view
from tui.ports import ToolInfo
from tui.widgets.lines import Lines

VIEWS = {"text": "Text", "json": "JSON", "wire": "Wire", "definition": "Definition"}
"""Ways to look at it, in the order in which a key turns through them."""

_EMPTY = (
    "Nothing has been run.\n\nFill in the arguments and press enter. Exactly what an agent would be given"
    " appears here: text, structure and wire bytes."
)


class ViewTab(Label):
    """The name of one view; a click shows it."""

    class Clicked(Message):
        """A view was clicked."""

        def __init__(self, view: str) -> None:
            super().__init__()
            self.view = view

    def __init__(self, view: str) -> None:
        super().__init__(Content(VIEWS[view]), classes="view-tab")
        self.view = view

    def mark(self, current: bool) -> None:
        """Show whether this is the view that is shown: by a sign, not by colour alone."""
        self.update(Content(("▸ " if current else "  ") + VIEWS[self.view]))
        self.set_class(current, "-current")

    def on_click(self, event: events.Click) -> None:
        """Ask for this view."""
        event.stop()
        self.post_message(self.Clicked(self.view))


class Receives(Vertical):
    """The left pane of a result."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.border_title = Content("What the agent receives")
        self._view = "text"
        self._tool: ToolInfo | None = None
        self._outcome: Outcome | None = None
        self._makers: dict[str, Callable[[], View]] = {}
        self._views: dict[str, View] = {}

    def compose(self) -> ComposeResult:
        """Lay out the names of the views over the lines."""
        with Horizontal(id="view-tabs"):
            for view in VIEWS:
                yield ViewTab(view)
        yield Static(Content(_EMPTY), id="receives-empty")
        yield Lines(id="receives-lines")

    @property
    def lines(self) -> Lines:
        """The lines on show."""
        return self.query_one(Lines)

    @property
    def view(self) -> str:
        """Which view is on show."""
        return self._view

    @property
    def shown(self) -> View:
        """The view on show, with its places."""
        if self._view not in self._views:
            self._views[self._view] = self._makers.get(self._view, View)()
        return self._views[self._view]

    @property
    def exact(self) -> str:
        """What the view on show holds, undrawn: for the clipboard."""
        return "\n".join(self.shown.lines)

    def show(self, tool: ToolInfo | None, outcome: Outcome | None) -> None:
        """Show what *tool* gave; without *outcome* there is only its definition."""
        self._tool, self._outcome = tool, outcome
        self._views = {}
        self._makers = {}
        if outcome is not None:
            answer = outcome.answer
            whole = answer.structured if answer.structured is not None else result_object(answer)
            # Made when they are looked at: a long answer costs only the view on show.
            self._makers["text"] = partial(text_view, answer.text)
            self._makers["json"] = partial(json_view, whole)
            self._makers["wire"] = partial(_wire_view, answer)
        if tool is not None:
            self._makers["definition"] = partial(_definition_view, tool)
        self._draw()

    def turn_to(self, view: str | None = None) -> None:
        """Show *view*, or the next one."""
        names = list(VIEWS)
        self._view = view or names[(names.index(self._view) + 1) % len(names)]
        self._draw()

    def on_view_tab_clicked(self, event: ViewTab.Clicked) -> None:
        """Show the view that was clicked."""
        event.stop()
        self.turn_to(event.view)

    def _draw(self) -> None:
        for tab in self.query(ViewTab):
            tab.mark(tab.view == self._view)
        known = self._view in self._makers
        self.query_one("#receives-empty").display = not known
        self.lines.display = known
        if known:
            entries = self._outcome.ledger.entries if self._outcome is not None else []
            signs = {} if self._view == "definition" else margin(self.shown, entries)
            self.lines.show(self.shown.lines, signs=signs, json=self._view in ("json", "definition"))


def _wire_view(answer: Answer) -> View:
    return View([result_bytes(answer).decode()])


def _definition_view(tool: ToolInfo) -> View:
    return json_view(tool.wire())
