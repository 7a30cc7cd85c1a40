"""One token in a file: the simplest way to let one client in, with a second file while the token is changed."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from typing import Final

from gongmcp.identity.client import Client, Kind
from gongmcp.identity.watched_file import BadFile, WatchedFile

MIN_BYTES: Final = 32
MIN_DIFFERENT: Final = 10
"""Different characters of which a token has at least so many; any that was drawn at random has more."""


def token_of(text: bytes) -> bytes:
    """Return the digest of the token that *text* is, blanks around it left out.

    Raises:
        BadFile: it is no token, or one that could be guessed.
    """
    token = text.strip()
    if not token:
        raise BadFile("it holds no token")
    if len(token) < MIN_BYTES or len(set(token)) < MIN_DIFFERENT:
        raise BadFile(f"the token is weak: it needs {MIN_BYTES} random characters")
    if not all(0x21 <= sign <= 0x7E for sign in token):
        raise BadFile("the token holds blanks or characters that are not ASCII")
    return digest(token)


def digest(token: bytes) -> bytes:
    """Return what is kept of a token, for comparison in constant time."""
    return hashlib.sha256(token).digest()


class TokenFiles:
    """The token of *current*, and while it is changed also that of *previous*. Both are one client."""

    def __init__(self, current: Path, previous: Path | None = None) -> None:
        self._files = [("current", WatchedFile(current, token_of))]
        if previous is not None:
            self._files.append(("previous", WatchedFile(previous, token_of)))

    def check(self) -> None:
        """Raise ``BadFile`` unless every file holds a good token now."""
        for _, file in self._files:
            file.require()

    def find(self, token: bytes) -> Client | None:
        """Return the client of *token*, None when it is another."""
        given = digest(token)
        found = None
        for label, file in self._files:
            kept = file.current()
            if kept is not None and hmac.compare_digest(kept, given):
                found = found or Client(Kind.TOKEN_FILE, label, "token-file")
        return found


class GivenToken:
    """A token that the environment gave; it does not change while the server runs."""

    def __init__(self, token: str) -> None:
        self._digest = token_of(token.encode())

    def check(self) -> None:
        """Nothing can have changed."""

    def find(self, token: bytes) -> Client | None:
        """Return the client of *token*, None when it is another."""
        if hmac.compare_digest(self._digest, digest(token)):
            return Client(Kind.TOKEN_FILE, "current", "token-file")
        return None
