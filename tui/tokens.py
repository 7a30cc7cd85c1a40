"""What the screen of access tokens needs from below. ``gongctl`` passes it in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class KeptToken:
    """What is kept of one token, which is not the token. *standing* is valid, expired or revoked, *until* a day or
    ``for ever``; *narrowed* says what it gets less than the server serves, *rate* its requests a minute ('' = as the
    server)."""

    id: str
    label: str
    standing: str
    until: str
    narrowed: str
    rate: str


@dataclass(frozen=True, slots=True)
class TokenWish:
    """A token as it was asked for, each part as it was typed and '' where nothing was: *expires* as ``90d`` or
    ``never``; *scope* by key of the ``[scope]`` table, values of a list with commas between them."""

    label: str
    expires: str
    preset: str = ""
    rate: str = ""
    scope: Mapping[str, str] = field(default_factory=dict)


class Tokens(Protocol):
    """The file of access tokens. Each method blocks, is run in a thread, and raises ``StartupRefusal`` when it cannot
    do what it is asked for."""

    @property
    def file(self) -> str:
        """The name of the file, as the operator gave it."""
        ...

    def kept(self) -> Sequence[KeptToken]:
        """Return what is kept of every token; nothing when there is no file yet."""
        ...

    def presets(self) -> Sequence[str]:
        """Return the presets that a token may be narrowed to."""
        ...

    def mint(self, wish: TokenWish) -> tuple[KeptToken, str]:
        """Add a token; returns what is kept of it and the token itself, which is nowhere else."""
        ...

    def revoke(self, id: str) -> KeptToken:  # noqa: A002
        """Take the token of that id back."""
        ...
