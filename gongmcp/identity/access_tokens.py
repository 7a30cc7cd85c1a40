"""Access tokens that the operator mints: ``gmcp_pat_ID_SECRET``, and the file of what is kept of them.

The file holds no token: of each a salt and a digest. ``gongctl token`` writes it, the server reads it again when it
changes. The secret is 256 random bits, so a plain digest is as good as a slow one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from pathlib import Path
from typing import Any, Final

import msgspec

from gongmcp.errors import StartupRefusal
from gongmcp.governance.scope import narrower_scope
from gongmcp.identity.client import Client, Kind
from gongmcp.identity.narrowing import Narrowing
from gongmcp.identity.watched_file import BadFile, WatchedFile

PREFIX: Final = "gmcp_pat_"
VERSION: Final = 1
_TOKEN: Final = re.compile(rb"gmcp_pat_([a-z2-7]{10})_([A-Za-z0-9_-]{43})")
_NO_SALT: Final = bytes(16)
_ID: Final = re.compile("[a-z2-7]{10}")
_SALT: Final = re.compile("[0-9a-f]{32}")
_DIGEST: Final = re.compile("[0-9a-f]{64}")


class TokenRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is kept of one token.

    Attributes:
        id: the part of it that is no secret.
        label: the operator's name for it; it stands in logs.
        salt, digest: hexadecimal; see ``secret_digest``.
        created, expires: seconds since 1970; *expires* None = never.
        preset, allowlist, switches: what it gets less than the server serves.
        scope: of which calls, in the words of a settings file's ``[scope]`` table.
        profile, categories: which vCon tools, of those of ``gongctl vcon serve``.
        per_minute: requests in a minute, None = the server's own rate.
        revoked: when it was taken back, seconds since 1970.
    """

    id: str
    label: str
    salt: str
    digest: str
    created: int
    expires: int | None = None
    preset: str | None = None
    allowlist: tuple[str, ...] | None = None
    switches: tuple[str, ...] = ()
    scope: dict[str, Any] | None = None
    profile: str | None = None
    categories: tuple[str, ...] | None = None
    per_minute: int | None = None
    revoked: int | None = None

    def problem(self) -> str:
        """Say why no token can be told by this record, '' when one can."""
        if _ID.fullmatch(self.id) is None:
            return "its id is none"
        if _SALT.fullmatch(self.salt) is None or _DIGEST.fullmatch(self.digest) is None:
            return "its salt or digest is none"
        if not self.label.strip() or not self.label.isprintable():
            return "its label is blank or holds signs that are not printed"
        if self.per_minute is not None and self.per_minute < 1:
            return "its rate is not above zero"
        try:
            if self.scope is not None:
                narrower_scope(self.scope)
        except StartupRefusal as refusal:
            return f"its scope: {refusal.message}"
        return self.client().narrowing.problem()

    def standing(self, now: float) -> str:
        """Return ``valid``, ``expired`` or ``revoked``."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and now >= self.expires else "valid"

    def client(self) -> Client:
        """Return the client that it stands for; of a record without a ``problem``."""
        allowlist = frozenset(self.allowlist) if self.allowlist is not None else None
        scope = narrower_scope(self.scope) if self.scope is not None else None
        categories = frozenset(self.categories) if self.categories is not None else None
        narrowing = Narrowing(self.preset, allowlist, frozenset(self.switches), scope, self.profile, categories)
        return Client(Kind.ACCESS_TOKEN, self.label, f"pat:{self.id}", narrowing, self.per_minute)


class TokenBook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of tokens."""

    version: int = VERSION
    tokens: tuple[TokenRecord, ...] = ()


_DECODER: Final = msgspec.json.Decoder(TokenBook)


def read_book(text: bytes) -> TokenBook:
    """Return the tokens of a file's content.

    Raises:
        BadFile: it is none, of another version, or holds a token that cannot be what it was minted as.
    """
    try:
        book = _DECODER.decode(text)
    except msgspec.MsgspecError:
        raise BadFile("it is no file of access tokens") from None
    if book.version != VERSION:
        raise BadFile(f"it has version {book.version}; this program knows {VERSION}")
    known: set[str] = set()
    for number, record in enumerate(book.tokens, 1):
        if problem := record.problem():
            # A token that names what does not exist would be wider than meant if it were passed over.
            raise BadFile(f"its token {number} cannot be used: {problem}")
        if record.id in known:
            # One of the two may have been revoked.
            raise BadFile(f"its token {number} has the id of another")
        known.add(record.id)
    return book


def secret_digest(secret: bytes, salt: bytes) -> bytes:
    """Return the digest of a token's secret under *salt*."""
    return hashlib.blake2b(secret, digest_size=32, salt=salt).digest()


class AccessTokens:
    """The tokens of one file."""

    def __init__(self, path: Path) -> None:
        self._file = WatchedFile(path, lambda text: {record.id: record for record in read_book(text).tokens})

    def check(self) -> None:
        """Raise ``BadFile`` unless the file is good now."""
        self._file.require()

    def find(self, token: bytes) -> Client | None:
        """Return the client of *token*; None when it is none of these, was revoked or has expired."""
        match = _TOKEN.fullmatch(token)
        if match is None:
            return None
        records = self._file.current() or {}
        record = records.get(match[1].decode())
        salt = bytes.fromhex(record.salt) if record is not None else _NO_SALT
        kept = bytes.fromhex(record.digest) if record is not None else bytes(32)
        same = hmac.compare_digest(secret_digest(match[2], salt), kept)
        if record is None or not same or record.standing(time.time()) != "valid":
            return None
        return record.client()
