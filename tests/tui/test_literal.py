"""Text from data is never markup, never an action, never an escape sequence: in any widget, on any screen."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Select, TextArea

import tui
from gongmcp.exposure.ledger import Entry
from gongmcp.render.visible import visible
from tui.literal import literal, literal_block, literal_text
from tui.reviewing import ExportTarget
from tui.screens.preflight import Preflight
from tui.screens.review import Review
from tui.widgets.field_row import FieldRow


def evil(place: str) -> str:
    """A hostile text that can be told from others by *place*."""
    markup = f"[red]{place}[/] [@click=app.quit]go[/] [REDACTED] <inaudible>"
    return f"{markup} \x1b[2J\x1b]0;t\x07\x9b \u202e\u2066\u200b\U000e0041"


def drawn(place: str) -> str:
    """How it must look."""
    return visible(evil(place))


def test_the_glyphs() -> None:
    assert drawn("x") == (
        "[red]x[/] [@click=app.quit]go[/] [REDACTED] <inaudible> ␛[2J␛]0;t␇‹U+009B› ‹U+202E›‹U+2066›‹U+200B›‹U+E0041›"
    )


def test_literal_content_is_the_text_and_has_no_actions() -> None:
    for content in (literal(evil("x")), literal_block(evil("x"))):
        assert content.plain == drawn("x")
        assert content.spans == []
    assert literal_text(evil("x")).plain == drawn("x")
    assert literal("a\nb").plain == "a␊b"
    assert literal_block("a\nb").plain == "a\nb"


def screen_text(pilot: Pilot[None]) -> str:
    """All cells on the screen as lines; fails when one of them would be acted on."""
    lines = []
    for strip in pilot.app.screen._compositor.render_strips():
        for segment in strip:
            assert segment.text == visible(segment.text), f"raw control characters: {segment.text!r}"
            action = segment.style.meta.get("@click", "") if segment.style is not None else ""
            assert "quit" not in str(action)
        lines.append(strip.text)
    return "\n".join(lines)


def hostile_tool(theatre: Any) -> Any:
    return theatre.Tool(
        evil("name"),
        evil("title"),
        evil("description"),
        evil("level"),
        theatre.arguments(
            **{
                evil("argument"): {"type": "string", "description": evil("help"), "default": evil("default")},
                "choice": {"type": "string", "enum": [evil("option")], "default": evil("option")},
                "text": {"type": "string", "pattern": evil("pattern")},
                "items": {"type": "array", "items": {"type": "string", "enum": [evil("item")]}},
                "raw": {"$ref": evil("ref"), "default": {evil("key"): 1}},
            }
        ),
    )


def hostile_outcome(theatre: Any) -> Any:
    place = ("results", 0, evil("column"))
    return theatre.outcome(
        {"status": "ok", "results": [{evil("field"): evil("value")}]},
        f"head\n1. {evil('text')}\n   > {evil('quote')}",
        [(Entry(evil("action"), evil("kind"), evil("rule"), place), evil("reason"))],
    )


SIZE = (240, 60)


def test_tools_forms_and_answers_are_literal(theatre: Any) -> None:
    tool = hostile_tool(theatre)
    stage = theatre.Stage(all_tools=[tool], replies={tool.name: lambda _a, _c: hostile_outcome(theatre)})
    stage.state.update(freshness=evil("freshness"), as_of=evil("as of"))

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        first = screen_text(pilot)
        assert drawn("title") in first
        for place in ("name", "description", "level", "argument", "default"):  # cut or wrapped in their columns
            assert f"[red]{place}[/]" in first
        await pilot.press("enter")
        assert drawn("help") in screen_text(pilot)
        fields = {row.field.name: row for row in screen.query(FieldRow)}
        fields["choice"].query_one(Select).focus()
        await pilot.press("enter")
        assert "[red]option[/]" in screen_text(pilot)
        await pilot.press("down", "enter")
        assert "[red]option[/]" in screen_text(pilot)
        fields["items"].query_one(TextArea).text = "not one of them"
        fields["text"].control.focus()
        await pilot.press("x", "f5")
        assert stage.calls == []
        assert drawn("pattern") in screen_text(pilot)
        fields["text"].control.focus()
        await pilot.press("backspace")
        fields["items"].query_one(TextArea).text = ""
        await pilot.press("f5")
        await theatre.settle(pilot)
        assert len(stage.calls) == 1
        await pilot.press("n")
        result = screen_text(pilot)
        for place in ("text", "quote"):
            assert "[red]" + place + "[/] [@click=app.quit]go[/] [REDACTED] <inaudible>" in result
        assert "[red]action[/]" in result
        assert "[red]reason[/]" in result
        assert "[red]column[/]" in result
        await pilot.press("t")
        assert "[red]value[/]" in screen_text(pilot)
        assert r"\u001b[2J" in screen.receives.lines.text
        await pilot.press("t")
        assert "[red]value[/]" in screen_text(pilot)
        await pilot.press("t")
        assert "[red]title[/]" in screen_text(pilot)
        await pilot.press("e")
        assert "[red]option[/]" in screen_text(pilot)
        await pilot.press("escape", "u")
        screen.query_one("#json-editor", TextArea).text = '{"[red]odd[/]": 1}'
        await pilot.pause()
        await pilot.press("e")
        await pilot.pause()
        assert "The form cannot hold [red]odd[/]" in screen_text(pilot)

    theatre.play(stage, scene, size=SIZE)


def test_errors_are_literal(theatre: Any) -> None:
    fault = theatre.fault(evil("code"), evil("message"), evil("hint"))
    stage = theatre.Stage(replies={"search_calls": lambda _a, _c: fault})

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("down", "r")
        await theatre.settle(pilot)
        text = screen_text(pilot)
        for place in ("code", "message", "hint"):
            assert drawn(place) in text

    theatre.play(stage, scene, size=SIZE)


def test_dialogs_are_literal(theatre: Any) -> None:
    class Hostile(theatre.Stage):  # type: ignore[misc, name-defined]
        def presets(self) -> list[str]:
            return [evil("preset")]

    class Operations:
        failing = False

        def warm(self, progress: Any, should_stop: Any) -> str:
            if self.failing:
                raise OSError(evil("failure"))
            return evil("report")

    operations = Operations()

    async def scene(screen: Preflight, pilot: Pilot[None]) -> None:
        await pilot.press("P")
        assert "[red]preset[/] [@click=app.quit]go[/]" in screen_text(pilot)
        await pilot.press("down", "enter")
        await pilot.pause()
        assert drawn("preset") in screen_text(pilot)
        await pilot.press("w")
        await theatre.settle(pilot)
        assert "[red]report[/]" in screen_text(pilot)
        operations.failing = True
        await pilot.press("w")
        await theatre.settle(pilot)
        assert "[red]failure[/] [@click=app.quit]go[/]" in screen_text(pilot)

    theatre.play(Hostile(), scene, size=SIZE, operations=operations)


@pytest.mark.parametrize("size", [SIZE, (60, 20)])
def test_the_review_is_literal(theatre: Any, size: tuple[int, int]) -> None:
    tool = replace(hostile_tool(theatre), level="snippet")
    stage = theatre.Stage(all_tools=[tool], replies={tool.name: lambda _a, _c: hostile_outcome(theatre)})
    stage.failing["channels"] = evil("gate")

    class Reviewing(theatre.Reviewing):  # type: ignore[misc, name-defined]
        def queue(self, preset: str) -> Any:
            return [replace(item, reasons=(evil("risk"),), drift=(evil("drift"),)) for item in super().queue(preset)]

        def samples(self, *given: Any) -> Any:
            runs = super().samples(*given)
            return [*(replace(run, set_name=evil("set")) for run in runs[:-1]), replace(runs[-1], why=evil("why"))]

        def change(self) -> Any:
            return replace(super().change(), path=evil("path"), diff=evil("diff"), added=(evil("added"),))

        def exports(self) -> Any:
            return [ExportTarget(evil("target"), evil("export"))]

        def export(self, target: str) -> Any:
            return evil("file").replace("/", ""), evil("content")

    async def scene(screen: Review, pilot: Pilot[None]) -> None:
        shown = screen_text(pilot)
        if size == SIZE:
            for place in ("name", "text", "gate", "risk", "drift", "reason", "set"):
                assert f"[red]{place}[/]" in shown or place == "reason", place
        steps = {
            ("enter", "n"): "reason", ("d",): "kind", ("escape", "x"): "set", ("escape", "L"): "diff",
            ("escape", "escape", "O"): "target", ("enter",): "content", ("escape", "k"): "name",
            ("escape", "a"): "title", ("escape", "escape", "R"): "rule", ("enter",) * 2: "value",
        }  # fmt: skip
        for presses, place in steps.items():
            await pilot.press(*presses[:1])
            await theatre.settle(pilot)
            await pilot.press(*presses[1:])
            await theatre.settle(pilot)
            shown = screen_text(pilot)
            assert f"[red]{place}[/]" in shown or size != SIZE, place

    reviewing = Reviewing(stage, value=evil("value"))
    theatre.review(stage, reviewing, scene, size=size)


SOURCES = sorted(Path(tui.__file__).parent.rglob("*.py"))
MARKUP_ARGUMENTS = {"Static": 0, "Label": 0, "Button": 0, "Option": 0, "update": 0, "OptionList": 0}


def _calls(path: Path) -> list[tuple[int, str, ast.Call]]:
    out = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            out.append((node.lineno, name, node))
    return out


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_string_reaches_a_widget_that_parses_markup(path: Path) -> None:
    wrong = []
    for line, name, call in _calls(path):
        words = {keyword.arg: keyword.value for keyword in call.keywords}
        if name in {"from_markup", "escape", "render_str"}:
            wrong.append((line, name))
        if name in {"notify", "OptionList"} and not _is_false(words.get("markup")):
            wrong.append((line, f"{name} without markup=False"))
        if name == "Select" and not isinstance(words.get("prompt"), ast.Constant):
            wrong.append((line, "Select with a prompt that is not fixed"))
        if name in MARKUP_ARGUMENTS and call.args and isinstance(call.args[0], ast.Constant | ast.JoinedStr):
            wrong.append((line, f"{name} of a plain string"))
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Attribute) and t.attr in {"border_title", "border_subtitle", "tooltip"}
            for t in node.targets
        ):
            good = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") in {"Content", "literal"}
            if not good:
                wrong.append((node.lineno, "a title that is not content"))
    assert wrong == []


def _is_false(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is False
