"""Access tokens for agents that come over HTTP: what is kept of them, minting one, taking one back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui import keys
from tui.literal import literal
from tui.screens.confirm import Confirm
from tui.screens.mint_token import Minted, MintToken
from tui.screens.paned import PanedScreen, failure_words
from tui.tokens import KeptToken, Tokens
from tui.widgets.flow import Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes

_STANDINGS = {"valid": "$success bold", "expired": "$warning", "revoked": "$quiet"}


class AccessTokens(PanedScreen):
    """One pane of tokens under the name of their file. A token itself is shown once, when it is minted."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.TOKENS, keys.HELP, keys.BACK, keys.QUIT]

    class Read(Message):
        """The file was read, or it failed."""

        def __init__(self, kept: Sequence[KeptToken], failure: Content | None = None) -> None:
            super().__init__()
            self.kept = kept
            self.failure = failure

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._kept: list[KeptToken] = []
        heads = ("label", "standing", "until", "a minute", "narrowed to")
        self._pane = RowPane("Tokens", heads, right=(3,), whole=(1, 2), spare=(3,), id="tokens-list")

    def compose(self) -> ComposeResult:
        """Lay out the head over the pane."""
        yield self.too_small()
        yield Flow(id="tokens-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._pane], id="tokens-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Read the file."""
        self.say_instead("Access tokens", Content.styled("Reading …", "$quiet"))
        self.action_reload()

    def action_reload(self) -> None:
        """Read it again."""
        self.run_worker(self._read, thread=True, group="tokens", exclusive=True, exit_on_error=False)

    def _read(self) -> None:
        try:
            self.post_message(self.Read(self._tokens.kept()))
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Read((), failure_words(error)))

    def on_access_tokens_read(self, event: Read) -> None:
        """Show what was read."""
        event.stop()
        if event.failure is not None:
            self._kept = []
            self.say_instead("The tokens cannot be read", event.failure)
            return
        order = list(_STANDINGS)
        self._kept = sorted(event.kept, key=lambda item: order.index(item.standing))
        valid = sum(item.standing == "valid" for item in self._kept)
        self.query_one(Flow).flow(
            [
                Content.assemble(("access tokens ", "$quiet"), literal(self._tokens.file, "$primary bold")),
                Content(f"{valid} valid"),
            ]
        )
        self._pane.entitle(len(self._kept))
        self._pane.show([_row(item) for item in self._kept], Content("No token was minted yet: m mints one."))
        self.offer([self._pane])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to take back a token where one is under the cursor that is not taken back."""
        if action == "revoke":
            at = self._pane.at if self.is_mounted and self._kept else None
            return at is not None and at < len(self._kept) and self._kept[at].standing != "revoked"
        return super().check_action(action, parameters)

    def action_mint(self) -> None:
        """Ask what the token shall be, mint it, show it."""
        self.app.push_screen(MintToken(self._tokens), self._minted)

    def _minted(self, made: tuple[KeptToken, str] | None) -> None:
        if made is not None:
            self.app.push_screen(Minted(*made))
            self.action_reload()

    def action_revoke(self) -> None:
        """Ask, then take back the token under the cursor."""
        at = self._pane.at
        if at is None or at >= len(self._kept):
            self.say("There is no token to take back.")
            return
        item = self._kept[at]
        if item.standing == "revoked":
            self.say(f"{item.label} is revoked already.")
            return
        words = Content.assemble(
            "Take back ", literal(item.label, "bold"), literal(f" ({item.id})?", ""),
            "\nA running server refuses it from its next request on and ends its streams. It cannot be given again.",
        )  # fmt: skip
        self.app.push_screen(Confirm("Take a token back", words), lambda done: self._revoke(item, bool(done)))

    def _revoke(self, item: KeptToken, confirmed: bool) -> None:
        if confirmed:
            self.run_worker(lambda: self._take_back(item), thread=True, group="revoke", exit_on_error=False)

    def _take_back(self, item: KeptToken) -> None:
        try:
            self._tokens.revoke(item.id)
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Read((), failure_words(error)))
        else:
            self._read()


def _row(item: KeptToken) -> Row:
    rate = f"{item.rate} requests a minute" if item.rate else "its rate is the server's"
    return Row(
        (
            literal(item.label, "bold"),
            literal(item.standing, _STANDINGS[item.standing]),
            literal(item.until.partition(" ")[0] if item.until[0].isdigit() else item.until),
            literal(item.rate or "–"),
            literal(item.narrowed),
        ),
        literal(f"{item.label} ({item.id}): {item.standing}, until {item.until}, {rate}, narrowed to {item.narrowed}"),
        f"{item.label}\t{item.id}\t{item.standing}\t{item.until}\t{item.narrowed}",
    )
