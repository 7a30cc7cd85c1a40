"""``Resolver``: the one place that decides whether a request has a client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gongmcp.identity.client import Client, Kind
from gongmcp.identity.signed_token import Forbidden

MAX_TOKEN_BYTES = 8192

NOBODY = Client(Kind.NOBODY, "", "nobody")
"""Every client of a server without tokens, on the loopback interface, for development."""


class Source(Protocol):
    """Where tokens are known."""

    def check(self) -> None:
        """Raise ``BadFile`` when it cannot be used as it is now."""

    def find(self, token: bytes) -> Client | None:
        """Return the client of *token*, None when it is not known here; raises ``Forbidden``."""


@dataclass(frozen=True, slots=True)
class Denied(Exception):
    """A request without a client. *reason* is one of ``gongmcp.protocol.observe.REASONS``; *genuine* when the token
    is and does not open this server."""

    reason: str
    genuine: bool = False


class Resolver:
    """Finds the client of a request by its ``Authorization`` headers, in the *sources* in turn.

    Without sources everybody is ``NOBODY``. No other header is looked at: no cookie, no address.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = tuple(sources)

    @property
    def is_open(self) -> bool:
        """Whether everybody is let in."""
        return not self._sources

    def check(self) -> None:
        """Raise ``BadFile`` unless every source can be used now."""
        for source in self._sources:
            source.check()

    def resolve(self, authorization: Sequence[bytes]) -> Client:
        """Return the client of a request with these ``Authorization`` headers.

        Raises:
            Denied: there is none.
        """
        if self.is_open:
            return NOBODY
        if not authorization:
            raise Denied("no_token")
        if len(authorization) > 1:
            raise Denied("bad_token")
        words = authorization[0].split()
        if len(words) != 2 or words[0].lower() != b"bearer" or len(words[1]) > MAX_TOKEN_BYTES:
            raise Denied("bad_token")
        try:
            # Every source is asked, so that the time does not tell which one knows a token.
            found = [client for source in self._sources if (client := source.find(words[1])) is not None]
        except Forbidden:
            raise Denied("forbidden", genuine=True) from None
        if not found:
            raise Denied("bad_token")
        return found[0]
