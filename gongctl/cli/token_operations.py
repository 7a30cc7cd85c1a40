"""What the operator can do with access tokens from the TUI: the file of ``gongctl token``, by the same functions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    from gongmcp.identity.access_tokens import TokenRecord
    from gongmcp.settings import ServerSettings
    from tui.tokens import KeptToken, TokenWish

_TEXTS: Final = ("from_date", "to_date")
"""Keys of a scope that hold one text and no list."""


class TokenFile:
    """The TUI's ``Tokens`` in the file at *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def file(self) -> str:
        """The path, as it was given."""
        return str(self._path)

    def kept(self) -> Sequence[KeptToken]:
        """Return what is kept of every token.

        Raises:
            StartupRefusal: the file cannot be used.
        """
        from gongctl.tokens.book import tokens

        return [_kept(record) for record in tokens(self._path)] if self._path.exists() else []

    def presets(self) -> Sequence[str]:
        """Return the names of the presets."""
        from gongmcp.catalog.presets import PRESETS

        return [preset.name for preset in PRESETS]

    def mint(self, wish: TokenWish) -> tuple[KeptToken, str]:
        """Mint a token.

        Raises:
            StartupRefusal: something that is wanted does not exist, or the file cannot be used.
        """
        from gongctl.tokens.asked import scope_of
        from gongctl.tokens.book import Wanted, mint, period

        scope = {key: value if key in _TEXTS else _words(value) for key, value in wish.scope.items()}
        wanted = Wanted(
            wish.label,
            period(wish.expires),
            wish.preset or None,
            per_minute=_rate(wish.rate),
            scope=scope_of(scope, ()),
        )
        record, token = mint(self._path, wanted)
        return _kept(record), token

    def revoke(self, id: str) -> KeptToken:  # noqa: A002
        """Take a token back.

        Raises:
            StartupRefusal: there is none of that id that is not revoked yet, or the file cannot be used.
        """
        from gongctl.tokens.book import revoke

        return _kept(revoke(self._path, id))


def token_file(named: Path | None, settings: ServerSettings) -> TokenFile | None:
    """Return the tokens of the file *named*, or else of the one that *settings* serve with; None without either."""
    served = settings.http.access_tokens if settings.http is not None else None
    path = named or served
    return None if path is None else TokenFile(path)


def _kept(record: TokenRecord) -> KeptToken:
    from gongctl.cli.token_cmd import narrowed_words
    from tui.tokens import KeptToken

    ends = record.expires
    until = "for ever" if ends is None else datetime.fromtimestamp(ends, UTC).strftime("%Y-%m-%d %H:%M UTC")
    rate = "" if record.per_minute is None else str(record.per_minute)
    return KeptToken(record.id, record.label, record.standing(time.time()), until, narrowed_words(record), rate)


def _rate(typed: str) -> int | None:
    if not typed:
        return None
    if not typed.isascii() or not typed.isdigit():
        raise StartupRefusal(
            "The rate must be a number of requests a minute.", "Leave it empty for the server's.", Exit.USAGE
        )
    return int(typed)


def _words(typed: str) -> list[Any]:
    return [word for part in typed.split(",") if (word := part.strip())]
