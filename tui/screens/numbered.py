"""The screens that number keys open, by number. A screen takes the ``Bench`` and nothing else.

A new one is a line here and a key in ``tui.keys.SCREENS``. Home is ``1`` and always there; the others are opened
over it, one at a time, and closed by escape.
"""

from __future__ import annotations

from importlib import import_module

from textual.screen import Screen

from tui.bench import Bench

HOME = "1"

NUMBERED: dict[str, str] = {
    "2": "tui.screens.compare:Compare",
    "3": "tui.screens.policy:PolicyMatrix",
    "4": "tui.screens.cache:Cache",
    "5": "tui.screens.history:History",
    "6": "tui.screens.cohort:CohortBuilder",
    "7": "tui.screens.vcons:of_bench",
}
"""Module and what makes each screen over home, loaded when it is opened."""


def open_screen(number: str, bench: Bench) -> Screen[None]:
    """Return a new screen of *number*."""
    module, _, name = NUMBERED[number].partition(":")
    made: Screen[None] = getattr(import_module(module), name)(bench)
    return made
