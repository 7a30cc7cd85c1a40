"""Every key has an id and words, and help is made from the live ones."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

from textual.binding import Binding
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widgets import Static

import tui
from tui import keys
from tui.screens.help import Help, live_keys
from tui.screens.preflight import Preflight

ALL = [binding for group in keys.REGISTRY.values() for binding in group]


def test_ids_are_unique_and_words_are_given() -> None:
    ids = [binding.id for binding in ALL]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    assert all(binding.description and binding.tooltip for binding in ALL)


def test_no_key_needs_control_and_a_letter() -> None:
    assert [binding for binding in ALL if re.search(r"ctrl\+|alt\+|super\+", binding.key)] == []


def test_no_key_is_bound_twice_on_the_screen() -> None:
    pressed = [key for binding in [*keys.APP, *keys.PREFLIGHT] for key in binding.key.split(",")]
    assert len(set(pressed)) == len(pressed)


def test_every_class_takes_its_bindings_from_the_registry() -> None:
    known = {id(binding) for binding in ALL}
    seen: set[int] = set()
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        for thing in vars(importlib.import_module(module.name)).values():
            if isinstance(thing, type) and issubclass(thing, DOMNode) and thing.__module__.startswith("tui."):
                own = vars(thing).get("BINDINGS", [])
                assert all(isinstance(binding, Binding) and id(binding) in known for binding in own)
                seen |= {id(binding) for binding in own}
    assert seen == known


def test_help_lists_every_live_key(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        groups = dict(live_keys(screen))
        assert ("r f5", "Run the tool (enter does it from a field)") in groups["This screen"]
        assert ("T", "Dark, light or high contrast") in groups["Everywhere"]
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, Help)
        shown = str(pilot.app.screen.query_one(Static).visual)
        for binding in [*keys.PREFLIGHT, *keys.APP]:
            if binding is keys.EDITOR:  # it needs a real terminal
                continue
            assert binding.tooltip in shown
        await pilot.press("escape", "enter", "f1")
        in_field = str(pilot.app.screen.query_one(Static).visual)
        assert "Leave the field" in in_field
        assert "Choose the preset" not in in_field

    theatre.play(theatre.Stage(), scene)


def test_a_key_can_be_given_to_another_id(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        pilot.app.set_keymap({"quit": "Q"})
        await pilot.press("q")
        await pilot.pause()
        assert pilot.app.return_code is None
        await pilot.press("Q")
        await pilot.pause()
        assert pilot.app.return_code is not None

    theatre.play(theatre.Stage(), scene)


def test_the_palette_offers_what_the_keys_do_and_no_file_writing(theatre: Any) -> None:
    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        titles = {command.title for command in pilot.app.get_system_commands(screen)}
        assert titles == {binding.tooltip for binding in [*keys.PREFLIGHT, *keys.APP, *keys.TO_TOKENS]}

    theatre.play(theatre.Stage(), scene)
