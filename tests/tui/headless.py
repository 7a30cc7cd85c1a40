"""What headless apps need not do, for the time of the tests of this folder.

Textual makes every frame of a headless app, as for a terminal, and throws it away; and each app reads the same style
sheets anew. Here the frames between two looks are not made, and sheets are read once. What a scene shows is still
drawn: each screen when it is left and when the scene ends, and whole pictures whenever a test takes one. So a widget
that cannot be drawn still fails its test.
"""

from __future__ import annotations

from typing import Any

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

_rules: dict[object, list[RuleSet]] = {}
"""The rules of each sheet under each theme. Nothing changes them once they are read."""


def draw(app: App[Any]) -> None:
    """Draw the screen on top, all of it."""
    app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)


@pytest.fixture(autouse=True)
def less_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw what somebody looks at, and read style sheets once."""
    render, pop, read = Compositor.render_update, App.pop_screen, Stylesheet._parse_rules

    def render_update(self: Compositor, full: bool = False, **given: Any) -> Any:
        if full:
            return render(self, full=True, **given)
        self._dirty_regions.clear()
        return None

    def pop_screen(self: App[Any]) -> AwaitComplete:
        draw(self)
        return pop(self)

    def parse_rules(self: Stylesheet, css: str, **given: Any) -> list[RuleSet]:
        key = (css, *given.items(), frozenset(self._variables.items()))
        if key not in _rules:
            _rules[key] = read(self, css, **given)
        return _rules[key]

    monkeypatch.setattr(Compositor, "render_update", render_update)
    monkeypatch.setattr(App, "pop_screen", pop_screen)
    monkeypatch.setattr(Stylesheet, "_parse_rules", parse_rules)
