"""Fetching an issuer's public keys into a file, so that the server itself need not open a connection."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from gongmcp.errors import Exit, StartupRefusal
from gongmcp.identity.jwks import MAX_BYTES, BadKeySet, public_keys

if TYPE_CHECKING:
    import httpx2

SECONDS: Final = 20.0
"""How long one answer may take."""

_DISCOVERY: Final = "/.well-known/openid-configuration"
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class FetchedKeys:
    """What was fetched: from where, and the public keys."""

    url: str
    keys: tuple[dict[str, Any], ...]

    def ids(self) -> list[str]:
        """Return the ids of the keys, '' for one without."""
        return [str(key.get("kid", "")) for key in self.keys]

    def document(self) -> bytes:
        """Return the key set as a JSON file."""
        return (json.dumps({"keys": list(self.keys)}, indent=2, sort_keys=True) + "\n").encode()


def fetch_keys(*, issuer: str | None = None, url: str | None = None) -> FetchedKeys:
    """Fetch the keys of *issuer*, found by OpenID discovery, or those at *url*; public ones for signatures alone.

    Raises:
        StartupRefusal: an address is not https, did not answer, or answered with something else.
    """
    import httpx2

    with httpx2.Client(timeout=SECONDS) as client:
        if url is None:
            assert issuer is not None
            url = _discovered(client, issuer)
        try:
            return FetchedKeys(url, tuple(public_keys(_get(client, url))))
        except BadKeySet as bad:
            raise _refusal(url, f"what it sent is no key set: {bad}") from None


def _discovered(client: httpx2.Client, issuer: str) -> str:
    address = issuer.rstrip("/") + _DISCOVERY
    try:
        found: Any = json.loads(_get(client, address))
    except (ValueError, RecursionError):
        raise _refusal(address, "what it sent is not JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("jwks_uri"), str):
        raise _refusal(address, "it names no jwks_uri")
    if found.get("issuer") != issuer:
        raise _refusal(address, "it speaks for another issuer; the name must be the same to the letter")
    return str(found["jwks_uri"])


def _get(client: httpx2.Client, url: str) -> bytes:
    import httpx2

    scheme, host = _place(url)
    if scheme != "https" and not (scheme == "http" and host in _LOOPBACK):
        raise _refusal(url, "only https is fetched")
    try:
        with client.stream("GET", url, headers={"Accept": "application/json"}) as answer:
            if answer.status_code != 200:
                raise _refusal(url, f"it answered {answer.status_code}")
            body = bytearray()
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > MAX_BYTES:
                    raise _refusal(url, f"it sent more than {MAX_BYTES} bytes")
            return bytes(body)
    except httpx2.HTTPError as error:
        raise _refusal(url, f"it did not answer ({type(error).__name__})") from None
    except httpx2.InvalidURL:
        raise _refusal(url, "it is no address") from None


def _place(url: str) -> tuple[str, str]:
    """Return scheme and host of *url*, '' for what it lacks."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.hostname or ""


def _refusal(url: str, problem: str) -> StartupRefusal:
    host = _place(url)[1] or "the address"
    return StartupRefusal(f"The keys were not fetched from {host}: {problem}.", "The file is unchanged.", Exit.FAILED)
