"""The file of access tokens: minting, listing, taking back. What is kept of a token is its salt and digest."""

from __future__ import annotations

import base64
import os
import re
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from gongctl.file_lock import alone_with
from gongmcp.catalog.presets import find_preset, nearest, parse_allowlist
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.fields import SWITCHES
from gongmcp.governance.scope import narrower_scope
from gongmcp.identity.access_tokens import PREFIX, TokenBook, TokenRecord, read_book, secret_digest
from gongmcp.identity.watched_file import BadFile, read_private
from gongmcp.vcon.catalogue import known_categories, known_profile

LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_PER_MINUTE: Final = 100_000
_PERIOD: Final = re.compile(r"([1-9][0-9]{0,4})([hdw])")
_SECONDS: Final = {"h": 3600, "d": 86400, "w": 7 * 86400}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a new token shall be: its *label*, for how many *seconds* (None = for ever), what it gets less than the
    server serves (*scope* in the words of a settings file's ``[scope]`` table), and its rate."""

    label: str
    seconds: int | None
    preset: str | None = None
    allowlist: Sequence[str] | None = None
    switches: Sequence[str] = ()
    per_minute: int | None = None
    scope: Mapping[str, Any] | None = None
    profile: str | None = None
    categories: Sequence[str] | None = None


def period(text: str) -> int | None:
    """Return the seconds of ``90d``, ``12h`` or ``2w``; None for ``never``.

    Raises:
        StartupRefusal: it is none of them.
    """
    if text.strip().lower() == "never":
        return None
    match = _PERIOD.fullmatch(text.strip().lower())
    if match is None:
        raise StartupRefusal(
            "The life of a token must be a number of hours, days or weeks, or never.", "For example --expires 90d."
        )
    return int(match[1]) * _SECONDS[match[2]]


def mint(path: Path, wanted: Wanted, *, clock: Callable[[], float] = time.time) -> tuple[TokenRecord, str]:
    """Add a token to the file at *path*, made if it is not there; returns what is kept of it and the token itself,
    which is nowhere else.

    Raises:
        StartupRefusal: something that is wanted does not exist, or the file cannot be used.
    """
    fields = _checked(wanted)
    now = int(clock())
    with _writing(path) as book:
        if any(record.label == wanted.label and record.standing(now) == "valid" for record in book.tokens):
            raise StartupRefusal(
                f"A valid token is called {wanted.label} already.", "Revoke it first, or take another label."
            )
        secret = secrets.token_urlsafe(32)
        salt = secrets.token_bytes(16)
        record = TokenRecord(
            id=base64.b32encode(secrets.token_bytes(7))[:10].decode().lower(),
            label=wanted.label,
            salt=salt.hex(),
            digest=secret_digest(secret.encode(), salt).hex(),
            created=now,
            expires=None if wanted.seconds is None else now + wanted.seconds,
            **fields,
        )
        _write(path, TokenBook(tokens=(*book.tokens, record)))
    return record, f"{PREFIX}{record.id}_{secret}"


def tokens(path: Path) -> tuple[TokenRecord, ...]:
    """Return what is kept of every token of the file.

    Raises:
        StartupRefusal: the file cannot be used.
    """
    if not path.exists():
        raise StartupRefusal(f"{path} does not exist.", "Mint a token: gongctl token mint.", Exit.USAGE)
    return _read(path).tokens


def revoke(path: Path, name: str, *, clock: Callable[[], float] = time.time) -> TokenRecord:
    """Take back the token of that id or label; a server refuses it from its next request on.

    Raises:
        StartupRefusal: there is no valid one of that name, or the file cannot be used.
    """
    now = int(clock())
    tokens(path)
    with _writing(path) as book:
        # A label may be that of an expired token as well: the one that still opens the server is meant.
        for record in sorted(book.tokens, key=lambda record: record.standing(now) != "valid"):
            if name in (record.id, record.label) and record.revoked is None:
                taken = msgspec.structs.replace(record, revoked=now)
                kept = tuple(taken if other is record else other for other in book.tokens)
                _write(path, TokenBook(tokens=kept))
                return taken
    known = [record.label for record in book.tokens if record.revoked is None]
    raise StartupRefusal(
        f"No token of {path.name} has that id or label and is not revoked yet.",
        f"{nearest(name, known)}gongctl token list shows them.",
        Exit.USAGE,
    )


def _checked(wanted: Wanted) -> dict[str, Any]:
    if not LABEL.fullmatch(wanted.label):
        raise StartupRefusal(
            "A label is a short word of letters, digits, dots, dashes and underscores.", "It stands in logs."
        )
    preset = None if wanted.preset is None else find_preset(wanted.preset).name
    allowlist = None if wanted.allowlist is None else tuple(sorted(parse_allowlist(list(wanted.allowlist))))
    switches = tuple(sorted({name.strip().lower() for name in wanted.switches if name.strip()}))
    for name in switches:
        if name not in SWITCHES:
            raise StartupRefusal(
                "A policy switch of that name does not exist.",
                f"{nearest(name, list(SWITCHES))}Switches: {', '.join(SWITCHES)}.",
            )
    scope = None if wanted.scope is None else dict(wanted.scope)
    if scope is not None:
        narrower_scope(scope)
    if wanted.per_minute is not None and not 1 <= wanted.per_minute <= MAX_PER_MINUTE:
        raise StartupRefusal(f"The rate must be from 1 to {MAX_PER_MINUTE} requests a minute.")
    profile = None if wanted.profile is None else known_profile(wanted.profile)
    categories = None if wanted.categories is None else tuple(sorted(known_categories(wanted.categories)))
    narrowed = {"preset": preset, "allowlist": allowlist, "switches": switches, "scope": scope}
    narrowed |= {"profile": profile, "categories": categories}
    return {**narrowed, "per_minute": wanted.per_minute}


@contextmanager
def _writing(path: Path) -> Iterator[TokenBook]:
    """Hold the file against another writer, and give what is in it."""
    with ExitStack() as held:
        try:
            held.enter_context(alone_with(path))
        except OSError as error:
            raise _unwritable(path, error) from None
        yield _read(path) if path.exists() else TokenBook()


def _read(path: Path) -> TokenBook:
    try:
        return read_book(read_private(path))
    except BadFile as bad:
        raise StartupRefusal(f"{path.name}: {bad}.", "Mend it or name another file.", Exit.USAGE) from None


def _write(path: Path, book: TokenBook) -> None:
    data = msgspec.json.format(msgspec.json.encode(book), indent=2) + b"\n"
    try:
        handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(made).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(made).unlink()
            raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> StartupRefusal:
    return StartupRefusal(f"{path.name} cannot be written: {error.strerror}.", "Name another file.", Exit.FAILED)
