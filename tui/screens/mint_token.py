"""Minting an access token: what it shall be, and the token itself, shown once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Label, Static

from tui import keys
from tui.literal import literal
from tui.messages import RunRequested
from tui.screens.dialog import Dialog
from tui.screens.paned import failure_words
from tui.tokens import KeptToken, Tokens, TokenWish
from tui.widgets.key_line import KeyLine
from tui.widgets.text_fields import Line

_FIELDS = (
    ("label", "label", "", "a short word; stands in the audit log"),
    ("expires", "expires", "90d", "12h, 90d, 2w or never"),
    ("preset", "preset", "", "no tool beyond its tools; empty: as the server"),
    ("rate", "requests a minute", "", "empty: as the server"),
)
_SCOPE = (
    ("from_date", "first day", "YYYY-MM-DD, UTC"),
    ("to_date", "last day", "YYYY-MM-DD, UTC"),
    ("languages", "languages", "as Gong names them: eng, deu"),
    ("purposes", "purposes", "of calls, commas between them"),
    ("workspaces", "workspaces", "ids, commas between them"),
    ("scopes", "call scopes", "External, Internal, Unknown"),
    ("primary_users", "primary users", "ids, commas between them"),
    ("lifecycle_buckets", "lifecycle buckets", "builtin ones, commas between them"),
)


class MintToken(Dialog[tuple[KeptToken, str]]):
    """A form. Gives what is kept of the new token and the token; what is refused stays in the form with the reason."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens

    def compose(self) -> ComposeResult:
        """Lay out the fields over the words."""
        with Vertical(classes="dialog -form") as frame:
            frame.border_title = Content("Mint an access token")
            with VerticalScroll(id="mint-fields", can_focus=False):
                for key, name, value, hint in _FIELDS:
                    presets = SuggestFromList(self._tokens.presets(), case_sensitive=False) if key == "preset" else None
                    with Horizontal(classes="mint-line"):
                        yield Label(Content.styled(f"{name:<18}", "$quiet"), classes="mint-name")
                        yield Line(value=value, placeholder=hint, suggester=presets, id=f"mint-{key}")
                yield Static(Content("No call but those with (empty: all that the server serves)"), id="mint-calls")
                for key, name, hint in _SCOPE:
                    with Horizontal(classes="mint-line"):
                        yield Label(Content.styled(f"{name:<18}", "$quiet"), classes="mint-name")
                        yield Line(placeholder=hint, id=f"mint-{key}")
            yield Static(self._hint(), id="mint-words", classes="dialog-remark")
        yield KeyLine()

    def _hint(self) -> Content:
        name = Path(self._tokens.file).name
        return literal(f"enter mints it into {name} · tab next field · esc mints nothing", "$quiet")

    def on_mount(self) -> None:
        """Begin with the label."""
        self.query_one("#mint-label", Line).focus()

    def _typed(self, key: str) -> str:
        return self.query_one(f"#mint-{key}", Line).value.strip()

    async def on_run_requested(self, event: RunRequested) -> None:
        """Mint."""
        event.stop()
        scope = {key: typed for key, _, _ in _SCOPE if (typed := self._typed(key))}
        label, expires, preset, rate = (self._typed(key) for key, *_ in _FIELDS)
        wish = TokenWish(label, expires, preset, rate, scope)
        try:
            made = await asyncio.to_thread(self._tokens.mint, wish)
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.query_one("#mint-words", Static).update(failure_words(error))
        else:
            self.dismiss(made)

    def action_back(self) -> None:
        """Close and mint nothing."""
        self.dismiss(None)


class Minted(Dialog[None]):
    """Shows a new token. It is kept nowhere but in the widget that draws it, and goes with it."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.MINTED]

    def __init__(self, kept: KeptToken, token: str) -> None:
        super().__init__()
        self._kept = kept
        self._token = token

    def compose(self) -> ComposeResult:
        """Lay out the token over what is kept of it."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = literal(f"The token of {self._kept.label}")
            yield Static(literal(self._token, "bold"), id="minted-token")
            told = f"Id {self._kept.id}, until {self._kept.until}, narrowed to {self._kept.narrowed}."
            yield Static(literal(told), classes="dialog-remark")
            words = "This is the only time that it is shown. y copies it to the terminal's clipboard · esc closes"
            yield Static(Content.styled(words, "$warning"), classes="dialog-remark")
        yield KeyLine()

    def action_copy(self) -> None:
        """Copy the token, because the operator said so."""
        self.app.copy_to_clipboard(self._token)
        self.notify("Copied the token to the terminal's clipboard.", markup=False)

    def on_unmount(self) -> None:
        """Forget it; so does the app, which has a copy of what it put into the clipboard."""
        if self.app.clipboard == self._token:
            self.app._clipboard = ""
        self._token = ""
