"""``AuditRecord``: one line of the audit log, and its form as JSON.

A line holds figures, names from closed lists, keyed digests, and what the operator (token label) or the client
(its name and version) says of itself. It holds no argument, no id and no word of an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from gongmcp.store.schema import MAX_SEGMENTS

VERSION: Final = 1
"""Version of the form of a line; a reader passes over lines of a newer one and counts them."""

_SAID_CHARS: Final = 64


class ShownCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an answer showed of one call.

    Attributes:
        call: keyed digest of the call (``AuditDigests.call``).
        segments: how many segments of its transcript; 0 for rows that tell of the call and quote nothing.
        at: which ones, as ranges of their positions: ``"4-6,9"``. Without the cache they say nothing; with it they
            tell a segment that was shown twice from two segments.
    """

    call: str
    segments: int = 0
    at: str = ""


class AuditRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request that was answered, or several alike that the HTTP door refused, as it stands in the log.

    Attributes:
        v: version of the form.
        time: when it came: UTC, milliseconds, ``Z``.
        transport: ``stdio`` or ``http``.
        session: a short digest of whose evidence budget the answer counted against: of a process, or of a token.
        token: label of the token, ``""`` where there is none (stdio).
        client, protocol: name and version of the client as it gave them, and the protocol version; cleaned and cut.
            ``UNKNOWN`` over HTTP where a request does not say which program sends it.
        method: method of the protocol; ``""`` for what reached no handler.
        tool: name of the tool, address of the resource or name of the prompt, from our own lists; ``""`` where the
            request names none of them.
        arguments: keyed digest of the arguments, ``""`` while no cache was there to key it.
        outcome: ``ok``, ``not_found``, ``unavailable``, a code of ``gongmcp.errors.ERRORS``, an unknown name
            (``unknown_tool``, ...), or why the HTTP door refused it.
        count: of how many requests the record speaks; more than one only for refused ones.
        rows, bytes: of the answer as sent; rows of a completion are its values.
        withheld: things withheld or cut, by rule.
        ms: milliseconds until the answer was ready.
        cancelled: whether the client had given the request up by then.
        policy, preset: digest of the policy that answered, and its preset.
        cache: which cache's secret keys the digests (``AuditDigests.cache``).
        generation: state of the read model that answered; 0 = none did.
        calls: every call of which something left.
        sealed: the arguments, encrypted, where the operator asked for them.
    """

    v: int = VERSION
    time: str
    transport: str
    session: str = ""
    token: str = ""
    client: str = ""
    protocol: str = ""
    method: str = ""
    tool: str = ""
    arguments: str = ""
    outcome: str
    count: int = 1
    rows: int = 0
    bytes: int = 0
    withheld: Mapping[str, int] = {}
    ms: float = 0.0
    cancelled: bool = False
    policy: str = ""
    preset: str = ""
    cache: str = ""
    generation: int = 0
    calls: tuple[ShownCall, ...] = ()
    sealed: str = ""

    @property
    def refused(self) -> bool:
        """Whether nothing was answered: every outcome but a result, an empty one and a snag that passes."""
        return self.outcome not in ANSWERED


UNKNOWN: Final = "unknown"
"""The client of a request over HTTP under a version with a handshake: the greeting was another request, which belongs
to no session, and several programs may share a token. Whoever greeted last would be a guess."""

ANSWERED: Final = frozenset({"ok", "not_found", "unavailable"})
"""Outcomes of requests that were answered as asked."""


class _Versioned(msgspec.Struct):
    v: int = VERSION


class NewerLine(Exception):
    """A line of a version that this program does not know."""


_ENCODER: Final = msgspec.json.Encoder()
_VERSION_OF: Final = msgspec.json.Decoder(_Versioned)
_DECODER: Final = msgspec.json.Decoder(AuditRecord)


def encode(record: AuditRecord) -> bytes:
    """Return the line of *record*, without its end."""
    return _ENCODER.encode(record)


def decode(line: bytes) -> AuditRecord:
    """Return the record of a *line*.

    Raises:
        NewerLine: it has a version that this program does not know.
        msgspec.MsgspecError: it is no record (torn, or not of this program).
    """
    try:
        if _VERSION_OF.decode(line).v > VERSION:
            raise NewerLine
        return _DECODER.decode(line)
    except RecursionError:
        raise msgspec.ValidationError("it is nested too deeply") from None


def said(text: object) -> str:
    """Return what a client said of itself as it may stand in the log: one short word of harmless characters."""
    return re.sub(r"[^\w.+/@() -]", "?", str(text), flags=re.ASCII)[:_SAID_CHARS] if text else ""


def ranges(positions: Iterable[int]) -> str:
    """Return *positions* as ranges in order: ``{9, 4, 5, 6}`` is ``"4-6,9"``."""
    parts: list[tuple[int, int]] = []
    for position in sorted(set(positions)):
        if parts and parts[-1][1] == position - 1:
            parts[-1] = (parts[-1][0], position)
        else:
            parts.append((position, position))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def positions(text: str) -> set[int]:
    """Return the positions that ``ranges`` wrote; raises ``ValueError`` for any other text."""
    found: set[int] = set()
    for part in text.split(",") if text else ():
        first, dash, last = part.partition("-")
        end = int(last if dash else first)
        if end >= MAX_SEGMENTS:
            raise ValueError
        found.update(range(int(first), end + 1))
    return found
