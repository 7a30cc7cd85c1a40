"""Browsing vCons, and changing them after looking at the difference: real stores under the screens."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, TextArea

from gongctl.cli.root import run
from gongctl.vcon import browse
from gongctl.vcon.browse import BrowsedVcons, open_store
from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore
from gongmcp.errors import Exit
from tests.tui.headless import draw
from tests.tui.test_literal import drawn, evil, screen_text
from tui.keys import APP, VCONS
from tui.screens.arguments import Arguments
from tui.screens.choose import Choose
from tui.screens.help import Help
from tui.screens.review import Review
from tui.screens.vcon import OneVcon, Reading
from tui.screens.vcon_change import ChangePreview, Refusal
from tui.screens.vcons import VconBrowser
from tui.vcon_app import VconApp
from tui.widgets.lines import Lines

UUID = "0190a1b2-c3d4-8e5f-8a6b-000000000001"
WIDE, SLIM = (140, 45), (60, 20)
Scene = Callable[[Pilot[None]], Awaitable[None]]


def vcon(number: int = 1, **more: Any) -> dict[str, Any]:
    start = "2026-12-01T09:00:00Z"
    text = {"type": "text", "mediatype": "text/plain", "encoding": "none"}
    slot = {"start": start, "party": 0, "dialog": 0, "encoding": "json"}
    made: dict[str, Any] = {
        "vcon": "0.4.0",
        "uuid": f"{UUID[:-3]}{number:03d}",
        "created_at": f"2026-12-{number:02d}T10:00:00Z",
        "subject": f"About invoice {number}",
        "parties": [{"name": "Agent Adams"}, {}, {"name": "Caller Cole", "tel": "+15550101"}],
        "dialog": [
            {**text, "start": start, "duration": 30, "parties": [0], "body": "Good morning, how can I help?"},
            {**text, "start": "2026-12-01T09:00:40Z", "duration": 60, "parties": 2, "body": "It is wrong.\nTwice."},
            {"type": "recording", "start": "2026-12-01T09:02:00Z", "duration": 120, "parties": [0, 2]},
        ],
        "analysis": [
            {"type": "summary", "vendor": "example", "dialog": 0, "encoding": "none", "body": "A wrong invoice."},
            {"type": "transcript", "vendor": "example", "dialog": 2, "encoding": "json",
             "body": json.dumps({"segments": [{"party": 2, "start_ms": 1500, "text": "So it is."}]})},
        ],
        "attachments": [
            {**slot, "purpose": "tags", "body": '["queue:billing"]'},
            {**slot, "purpose": "order", "body": '{"number": 7}', "party": 9},
        ],
    }  # fmt: skip
    return made | more


def store_of(folder: Path, *vcons: dict[str, Any]) -> Path:
    path = folder / "vcon.db"
    with VconStore.open(path, create=True) as store, store.transaction() as generation:
        for item in vcons:
            store.put(item, generation)
        sql = "INSERT INTO vcon_removals VALUES (?, 'party', 1, '2026-12-01T11:00:00Z', 'operator', 'asked for it')"
        store.connection.execute(sql, (UUID,))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store_of(tmp_path_factory.mktemp("store"), vcon())


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "vcon.db"))


async def settle(pilot: Pilot[None]) -> None:
    for _ in range(2):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await settle(pilot)


def play(path: Path, scene: Scene, size: tuple[int, int] = WIDE) -> None:
    async def run_it() -> None:
        vcons = open_store(path)
        app = VconApp(vcons)
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            await scene(pilot)
            draw(app)
        vcons.close()

    asyncio.run(run_it())


async def choose(pilot: Pilot[None], tool: str) -> Arguments:
    """Choose a write tool by its name."""
    await press(pilot, "c")
    dialog = pilot.app.screen
    assert isinstance(dialog, Choose)
    dialog.query_one(OptionList).highlighted = [choice.name for choice in dialog._choices].index(tool)
    await press(pilot, "enter")
    screen = pilot.app.screen
    assert isinstance(screen, Arguments)
    return screen


async def fill(pilot: Pilot[None], **arguments: Any) -> None:
    """Write the arguments as JSON, and ask for the difference."""
    form = pilot.app.screen
    assert isinstance(form, Arguments)
    if not form.query("#json-editor"):
        await form.action_json()
    form.query_one("#json-editor", TextArea).text = json.dumps(arguments)
    await press(pilot, "f5")


def stored(path: Path) -> dict[str, Any] | None:
    with VconStore.open(path) as store:
        return store.get(UUID)


# --- looking -------------------------------------------------------------------------------------------------


def test_one_vcon_is_shown_part_by_part_and_keys_are_told(path: Path) -> None:
    async def scene(pilot: Pilot[None]) -> None:
        assert "About invoice 1" in screen_text(pilot)
        await press(pilot, "enter")
        shown = screen_text(pilot)
        for words in (
            "█", "2026-12-01 09:00", "0:30", "Good morning, how can I help?", "It is wrong. Twice.",
            "Caller Cole", "+15550101", "removed 2026-12-01 11:00 by operator: asked",
            "summary", "A wrong invoice.", "order", "queue", "billing",
            "VC_INDEX_RANGE", "/attachments/1/party", "1 error",
        ):  # fmt: skip
            assert words in shown, words
        await press(pilot, "down", "enter")
        assert isinstance(pilot.app.screen, Reading)
        assert "0:40  Caller Cole: It is wrong." in screen_text(pilot)
        await press(pilot, "escape", "right", "right", "down", "enter")
        assert "0:01  Caller Cole: So it is." in screen_text(pilot)
        await press(pilot, "escape", "right", "down", "enter")
        assert '"number": 7' in screen_text(pilot)
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, VconBrowser)
        titles = {command.title for command in pilot.app.get_system_commands(pilot.app.screen)}
        assert {binding.tooltip for binding in [*VCONS, *APP]} <= titles
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, Help)
        shown = screen_text(pilot)
        assert "nothing is written before it is confirmed" in shown
        assert "Signs in the margin" not in shown

    play(path, scene)


def test_pages_follow_a_key_and_words_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse, "PAGE", 3)
    path = store_of(tmp_path, *(vcon(number) for number in range(1, 9)))

    def listed(pilot: Pilot[None]) -> list[str]:
        screen = pilot.app.screen
        assert isinstance(screen, VconBrowser)
        return [line.subject[-1] for line in screen._page.lines]

    async def scene(pilot: Pilot[None]) -> None:
        assert listed(pilot) == ["8", "7", "6"]
        await press(pilot, "n")
        with VconStore.open(path) as store, store.transaction() as generation:
            store.put(vcon(20), generation)  # one more, before the page on show
        assert listed(pilot) == ["5", "4", "3"]
        await press(pilot, "n", "n")
        assert listed(pilot) == ["2", "1"]
        assert "Next page" not in screen_text(pilot)  # a key that leads nowhere is not offered
        await press(pilot, "p", "p", "p")
        assert listed(pilot) == ["0", "8", "7"]
        for words, found in (("INVOICE 3", ["3"]), (UUID, ["1"]), ("c@example.org", [])):
            await press(pilot, "slash")
            pilot.app.screen.query_one(Input).value = words
            await press(pilot, "enter")
            assert listed(pilot) == found, words
        assert "No vCon is found" in screen_text(pilot)
        await press(pilot, "escape")
        assert listed(pilot) == ["0", "8", "7"]
        await press(pilot, "escape")  # nothing is under this screen
        assert isinstance(pilot.app.screen, VconBrowser)

    play(path, scene)


# --- changing ------------------------------------------------------------------------------------------------


def test_a_change_is_shown_and_done_only_when_it_is_confirmed(path: Path) -> None:
    before = stored(path)

    async def scene(pilot: Pilot[None]) -> None:
        await press(pilot, "enter", "right", "down", "down")  # the party at index 2
        form = await choose(pilot, "remove_party")
        given = {row.field.name: row.draft for row in form.form.rows}
        assert (given["vcon_uuid"], given["index"]) == (UUID, "2")
        await press(pilot, "f5")
        assert isinstance(pilot.app.screen, ChangePreview)
        told = pilot.app.screen.query_one(Lines).text
        assert "/parties/2/name" in told
        assert '"Caller Cole"' in told
        assert "2 removed" in screen_text(pilot)
        assert stored(path) == before
        await press(pilot, "escape")
        assert stored(path) == before
        await choose(pilot, "remove_party")
        await press(pilot, "f5", "enter")
        after = stored(path) or {}
        assert after["parties"] == [{"name": "Agent Adams"}, {}, {}]
        assert isinstance(pilot.app.screen, OneVcon)
        assert "Done: remove_party" in screen_text(pilot)
        assert "Parties 3, 2 taken out" in screen_text(pilot)

    play(path, scene)


def test_what_is_refused_is_told_and_can_be_mended_and_a_change_meanwhile_is_kept(path: Path) -> None:
    async def scene(pilot: Pilot[None]) -> None:
        await choose(pilot, "add_dialog")
        await fill(pilot, vcon_uuid=UUID, dialog={"type": "text", "parties": [7], "body": "Yes."})
        assert isinstance(pilot.app.screen, Refusal), screen_text(pilot)
        assert "VC_INDEX_RANGE /dialog/3/parties/0" in screen_text(pilot)
        await press(pilot, "escape")
        again = pilot.app.screen
        assert isinstance(again, Arguments)  # what was typed is still there
        assert "Yes." in again.query_one("#json-editor", TextArea).text
        await fill(pilot, vcon_uuid=UUID, dialog={"type": "text", "parties": [2], "body": "Yes."})
        assert isinstance(pilot.app.screen, ChangePreview)
        with VconStore.open(path) as store:  # somebody else is faster
            VconService(store).update(UUID, {"subject": "Theirs"})
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, Refusal)
        assert "changed since" in screen_text(pilot)
        assert [item.get("body") for item in (stored(path) or {})["dialog"]].count("Yes.") == 0

    play(path, scene)


def test_every_tool_that_writes_can_be_previewed_and_writes_nothing(path: Path) -> None:
    vcons = open_store(path)
    before = stored(path)
    element = {"party": {"name": "x"}, "dialog": {"type": "text", "body": "x", "parties": [0]}}
    element |= {"analysis": {"type": "x", "vendor": "x", "body": "x"}, "attachment": {"purpose": "x", "body": "x"}}
    arguments: dict[str, dict[str, Any]] = {
        "create_vcon": {"vcon_data": {"parties": [{"name": "x"}]}},
        "create_vcon_from_template": {"template_name": "phone_call", "parties": [{"name": "x"}, {"name": "y"}]},
        "update_vcon": {"uuid": UUID, "updates": {"subject": "x"}},
        "delete_vcon": {"uuid": UUID, "confirm": True},
        "manage_tag": {"vcon_uuid": UUID, "action": "set", "key": "x", "value": "y"},
        "remove_all_tags": {"vcon_uuid": UUID},
    }
    for part, given in element.items():
        arguments[f"add_{part}"] = {"vcon_uuid": UUID, part: given}
        arguments[f"update_{part}"] = {"vcon_uuid": UUID, "index": 0, part: given}
        arguments[f"remove_{part}"] = {"vcon_uuid": UUID, "index": 0}
    assert arguments.keys() == {tool.name for tool in vcons.tools()}
    for tool, given in arguments.items():
        change = vcons.preview(tool, given)
        assert change.differences, tool
        assert not change.applied
    assert stored(path) == before
    with VconStore.open(path) as store:
        assert len(list(store.uuids())) == 1
    for tool in ("create_vcon", "manage_tag", "delete_vcon"):  # the control: applied, they write
        previewed = vcons.preview(tool, arguments[tool])
        assert vcons.apply(tool, arguments[tool], previewed).applied
    with VconStore.open(path) as store:
        assert UUID not in list(store.uuids())
        assert len(list(store.uuids())) == 1
    vcons.close()


# --- hostile text --------------------------------------------------------------------------------------------


def test_what_vcons_say_is_inert(tmp_path: Path) -> None:
    slot = {"start": "2026-12-01T09:00:00Z", "party": 0, "dialog": 0, "encoding": "none"}
    path = store_of(
        tmp_path,
        vcon(
            subject=evil("subject"),
            parties=[{"name": evil("name"), "role": evil("role")}],
            dialog=[{"type": "text", "start": "2026-12-01T09:00:00Z", "parties": [0], "mediatype": evil("media"),
                     "encoding": "none", "body": evil("said")}],
            analysis=[{"type": evil("type"), "vendor": evil("vendor"), "encoding": "none", "body": evil("body")}],
            attachments=[{**slot, "purpose": evil("purpose"), "body": evil("file")},
                         {**slot, "purpose": "tags", "encoding": "json", "body": json.dumps([evil("tag") + ":v"])}],
            **{evil("key"): 1},
        ),
    )  # fmt: skip

    async def scene(pilot: Pilot[None]) -> None:
        assert drawn("subject") in screen_text(pilot)
        await press(pilot, "enter")
        shown = screen_text(pilot)
        for place in ("name", "said", "type", "vendor", "purpose", "tag"):
            assert f"[red]{place}[/]" in shown, place
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, Reading)
        assert "[red]said[/]" in screen_text(pilot)
        await press(pilot, "escape", "right", "enter")
        screen_text(pilot)
        await press(pilot, "escape")
        await choose(pilot, "remove_party")
        await press(pilot, "f5")
        assert isinstance(pilot.app.screen, ChangePreview)
        assert "[red]name[/]" in screen_text(pilot)
        await press(pilot, "enter")
        assert pilot.app.return_code is None
        screen_text(pilot)

    play(path, scene, (240, 60))


# --- pictures ------------------------------------------------------------------------------------------------

PICTURES: dict[str, tuple[tuple[int, int], Sequence[str]]] = {
    "list": (WIDE, ()),
    "one": (WIDE, ("enter",)),
    "one-slim": (SLIM, ("enter", "right")),
    "difference": (WIDE, ("enter",)),
    "difference-slim": (SLIM, ("enter",)),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture(name: str, path: Path, snap_compare: Callable[..., bool]) -> None:
    size, keys = PICTURES[name]
    vcons = open_store(path)

    async def before(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await press(pilot, *keys)
        if name.startswith("difference"):
            change = vcons.preview("add_party", {"vcon_uuid": UUID, "party": {"name": "Second Caller"}})
            fixed = [item for item in change.differences if item.path != "/updated_at"]
            await pilot.app.push_screen(ChangePreview(replace(change, differences=tuple(fixed))))
        await settle(pilot)

    assert snap_compare(VconApp(vcons), terminal_size=size, run_before=before)
    vcons.close()


# --- where it is opened --------------------------------------------------------------------------------------


def test_a_cache_is_looked_at_as_it_is_served_and_not_changed(theatre: Any, tmp_path: Path) -> None:
    file, db = tmp_path / "vcons.json", tmp_path / "cache.db"
    file.write_text(json.dumps(vcon(attachments=[])))
    assert run(["vcon", "import", str(file), "--db", str(db), "--cache"]) == Exit.OK
    assert run(["cache", "warm", "--db", str(db)]) == Exit.OK
    vcons = BrowsedVcons(db)

    async def scene(home: Review, pilot: Pilot[None]) -> None:
        await press(pilot, "7")
        assert isinstance(pilot.app.screen, VconBrowser)
        assert "About invoice 1" in screen_text(pilot)
        await press(pilot, "enter")
        shown = screen_text(pilot)
        assert "It is wrong." in shown
        assert "Cole" not in shown
        assert "+1555" not in shown
        assert "Change" not in screen_text(pilot).splitlines()[-1]  # nothing of a cache is changed from here
        await press(pilot, "c")
        assert isinstance(pilot.app.screen, OneVcon)
        await press(pilot, "1")
        assert pilot.app.screen is home

    stage = theatre.Stage()
    theatre.review(stage, theatre.Reviewing(stage), scene, vcons=vcons)
    vcons.close()


def test_without_vcons_the_screen_says_so(theatre: Any) -> None:
    async def scene(home: Review, pilot: Pilot[None]) -> None:
        await press(pilot, "7")
        assert "gongctl vcon browse" in screen_text(pilot)

    stage = theatre.Stage()
    theatre.review(stage, theatre.Reviewing(stage), scene, size=SLIM)


def test_the_command_opens_stores_alone_and_wants_a_terminal(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["vcon", "browse", "--db", str(path)]) == Exit.USAGE
    assert "needs a terminal" in capsys.readouterr().err
    assert run(["vcon", "browse", "--db", str(tmp_path / "none.db")]) == Exit.CACHE
    assert run(["--restricted", "vcon", "browse", "--db", str(path)]) == Exit.REFUSED
