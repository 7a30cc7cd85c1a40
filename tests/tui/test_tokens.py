"""The screen of access tokens: minted and shown once, taken back after a question, and nothing of data acted on."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Static

from gongmcp.errors import StartupRefusal
from tests.tui.test_literal import evil, screen_text
from tui.app import PreflightApp
from tui.screens.confirm import Confirm
from tui.screens.mint_token import Minted, MintToken
from tui.screens.preflight import Preflight
from tui.screens.tokens import AccessTokens
from tui.tokens import KeptToken, TokenWish
from tui.widgets.text_fields import Line

WIDE, NARROW = (140, 40), (44, 20)
SECRET = "gmcp_pat_abcdefghij_" + "S3cret-" * 6 + "x"
KEPT = (
    KeptToken("aaaaaaaaaa", "team-a", "valid", "2027-03-01 09:30 UTC", "analyst-core; calls with languages eng", "60"),
    KeptToken("bbbbbbbbbb", "old", "expired", "2026-01-01 09:30 UTC", "nothing", ""),
    KeptToken("cccccccccc", "gone", "revoked", "for ever", "hide_call_titles", ""),
)


@dataclass
class Book:
    """Tokens that are made up; what is an exception is raised."""

    file: str = "tokens.json"
    items: list[KeptToken] = field(default_factory=lambda: list(KEPT))
    wishes: list[TokenWish] = field(default_factory=list)
    refusal: Exception | None = None

    def kept(self) -> Sequence[KeptToken]:
        if self.refusal is not None:
            raise self.refusal
        return list(self.items)

    def presets(self) -> Sequence[str]:
        return ("operator-smoke", "analyst-core")

    def mint(self, wish: TokenWish) -> tuple[KeptToken, str]:
        if " " in wish.label or not wish.label:
            raise StartupRefusal("A label is a short word.", "It stands in logs.")
        self.wishes.append(wish)
        made = KeptToken("dddddddddd", wish.label, "valid", "2027-03-01 09:30 UTC", wish.preset or "nothing", wish.rate)
        self.items.append(made)
        return made, SECRET

    def revoke(self, id: str) -> KeptToken:  # noqa: A002
        at = next(number for number, item in enumerate(self.items) if item.id == id)
        self.items[at] = replace(self.items[at], standing="revoked")
        return self.items[at]


def app_over(theatre: Any, book: Book | None) -> PreflightApp:
    return PreflightApp(theatre.Stage(), clock=lambda: 0.0, tokens=book)


@pytest.fixture
def opened(theatre: Any) -> Callable[..., Any]:
    """Open the app over a book and press ``K``."""

    async def run(scene: Any, book: Book | None, size: tuple[int, int] = WIDE, key: str = "K") -> None:
        app = app_over(theatre, book)
        async with app.run_test(size=size, notifications=True) as pilot:
            await theatre.settle(pilot)
            await pilot.press(key)
            await theatre.settle(pilot)
            await scene(pilot)

    return run


async def fill(pilot: Pilot[None], **values: str) -> None:
    for key, value in values.items():
        pilot.app.screen.query_one(f"#mint-{key}", Line).value = value
    await pilot.press("enter")


async def test_a_token_is_minted_as_asked_for_shown_once_and_never_kept(theatre: Any, opened: Any) -> None:
    book = Book()

    async def scene(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app.screen, AccessTokens)
        assert "1 valid" in screen_text(pilot)
        await pilot.press("m")
        await fill(
            pilot, label="reports", expires="12h", preset="operator-smoke", rate="5", from_date="2026-01-01",
            languages="eng, deu",
        )  # fmt: skip
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, Minted)
        assert SECRET in screen_text(pilot)
        assert pilot.app.clipboard == ""
        await pilot.press("y")
        assert pilot.app.clipboard == SECRET
        await pilot.press("escape")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, AccessTokens)
        assert "2 valid" in screen_text(pilot)
        assert "reports" in screen_text(pilot)
        assert SECRET not in screen_text(pilot)
        assert pilot.app.clipboard == ""
        assert all(screen._token == "" for screen in gc.get_objects() if type(screen) is Minted)
        for screen in pilot.app.screen_stack:
            assert all(SECRET not in str(widget.visual) for widget in screen.query(Static))
        book.refusal = StartupRefusal("tokens.json: it is no file of access tokens.", "Mend it.")
        await pilot.press("r")
        await theatre.settle(pilot)
        assert "tokens.json: it is no file of access tokens." in screen_text(pilot)

    await opened(scene, book)
    scope = {"from_date": "2026-01-01", "languages": "eng, deu"}
    assert book.wishes == [TokenWish("reports", "12h", "operator-smoke", "5", scope)]


async def test_what_is_refused_stays_in_the_form_with_the_reason(theatre: Any, opened: Any) -> None:
    book = Book()

    async def scene(pilot: Pilot[None]) -> None:
        await pilot.press("m")
        await fill(pilot, label="two words", languages="eng")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, MintToken)
        assert "A label is a short word." in screen_text(pilot)
        assert pilot.app.screen.query_one("#mint-languages", Line).value == "eng"
        await pilot.press("escape")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, AccessTokens)

    await opened(scene, book, NARROW)
    assert book.wishes == []


async def test_a_token_is_taken_back_after_a_question_and_its_label_is_never_markup(theatre: Any, opened: Any) -> None:
    book = Book(items=[replace(KEPT[0], label=evil("label"), narrowed=evil("narrowed")), *KEPT[1:]])

    async def scene(pilot: Pilot[None]) -> None:
        assert "[red]label[/]" in screen_text(pilot)
        await pilot.press("d")
        assert isinstance(pilot.app.screen, Confirm)
        assert "[red]label[/]" in screen_text(pilot)
        await pilot.press("escape")
        await theatre.settle(pilot)
        assert book.items[0].standing == "valid"
        await pilot.press("d", "enter")
        await theatre.settle(pilot)
        assert "0 valid" in screen_text(pilot)
        await pilot.press("home", "down", "d")
        assert isinstance(pilot.app.screen, AccessTokens), "what is revoked is not asked about"

    await opened(scene, book)
    assert [item.standing for item in book.items] == ["revoked", "expired", "revoked"]


async def test_without_a_file_the_way_to_name_one_is_told(opened: Any) -> None:
    async def scene(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app.screen, Preflight)
        assert any("--access-tokens" in note.message for note in pilot.app._notifications)

    await opened(scene, None)


async def test_the_palette_leads_there_and_a_dialog_does_not(theatre: Any, opened: Any) -> None:
    async def scene(pilot: Pilot[None]) -> None:
        titles = [command.title for command in pilot.app.get_system_commands(pilot.app.screen)]
        assert "Access tokens of agents over HTTP: list, mint, take back" in titles
        await pilot.press("K", "m")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, MintToken)
        pilot.app.set_focus(None)
        await pilot.press("K")
        await theatre.settle(pilot)
        assert isinstance(pilot.app.screen, MintToken)
        assert not list(pilot.app.get_system_commands(pilot.app.screen))
        assert not isinstance(pilot.app.screen, CommandPalette)

    await opened(scene, Book(), key="z")


@pytest.mark.parametrize(("size", "presses"), [(WIDE, ("K",)), (NARROW, ("K", "m"))], ids=["list", "mint"])
def test_a_picture(theatre: Any, snap_compare: Any, size: tuple[int, int], presses: tuple[str, ...]) -> None:
    hostile = replace(KEPT[1], label="[red][@click=app.quit]x[/]", standing="valid")
    book = Book(items=[*KEPT, replace(hostile, id="eeeeeeeeee")])

    async def before(pilot: Pilot[None]) -> None:
        for press in presses:
            await pilot.press(press)
            await theatre.settle(pilot)

    assert snap_compare(app_over(theatre, book), terminal_size=size, run_before=before)
