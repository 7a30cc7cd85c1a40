"""Tokens that an issuer signed (OpenID Connect): checked against a file of its public keys, without a connection."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gongmcp.errors import StartupRefusal
from gongmcp.governance.scope import Scope, narrower_scope
from gongmcp.identity.client import Client, Kind
from gongmcp.identity.jwks import ALGORITHMS, BadKeySet, public_keys
from gongmcp.identity.narrowing import Narrowing
from gongmcp.identity.watched_file import BadFile, WatchedFile, read_public

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

LEEWAY: Final = 30
"""Seconds by which two clocks may differ."""

_CLAIMS: Final = {"preset": "gongmcp_preset", "tools": "gongmcp_tools", "switches": "gongmcp_switches",
                  "profile": "gongmcp_vcon_profile", "categories": "gongmcp_vcon_categories"}  # fmt: skip
_SCOPE_CLAIM: Final = "gongmcp_scope"


class Forbidden(Exception):
    """The token is genuine and does not open this server."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """Whose tokens are accepted: by the *issuer* of that name, for *audience*, signed by one of *algorithms*, and with
    *scope* among their scopes when it is given."""

    issuer: str
    audience: str
    algorithms: tuple[str, ...] = (ALGORITHMS[0],)
    scope: str | None = None


class SignedTokens:
    """The tokens of one issuer."""

    def __init__(self, issuer: Issuer, keys: Path) -> None:
        self._issuer = issuer
        self._keys = WatchedFile(keys, _key_set, read_public)

    def check(self) -> None:
        """Raise ``BadFile`` unless the file of keys is good now."""
        self._keys.require()

    def find(self, token: bytes) -> Client | None:
        """Return the client of *token*, None when it is not genuine, not for this server or not valid now.

        Raises:
            Forbidden: it is all that, and lacks the scope, narrows the surface to what does not exist, or says what
                it narrows in a form that is not known.
        """
        if token.count(b".") != 2:
            return None
        from joserfc import jwt
        from joserfc.errors import JoseError

        keys = self._keys.current()
        if keys is None:
            return None
        rules = jwt.JWTClaimsRegistry(
            leeway=LEEWAY,
            iss={"essential": True, "value": self._issuer.issuer},
            aud={"essential": True, "value": self._issuer.audience},
            exp={"essential": True},
            sub={"essential": True},
        )
        try:
            signed = jwt.decode(token, keys, algorithms=self._issuer.algorithms)
            rules.validate(signed.claims)
        except (JoseError, ValueError, TypeError, RecursionError):
            return None
        return self._client(signed.claims)

    def _client(self, claims: Mapping[str, Any]) -> Client:
        if self._issuer.scope is not None and self._issuer.scope not in _words(claims, "scope", "scp"):
            raise Forbidden
        for name in _CLAIMS.values():
            # A narrowing that is not understood would be wider than meant if it were passed over.
            if not isinstance(claims.get(name, ""), str | list):
                raise Forbidden
        preset = claims.get(_CLAIMS["preset"])
        tools = _words(claims, _CLAIMS["tools"]) if _CLAIMS["tools"] in claims else None
        narrowing = Narrowing(
            preset if preset is None else str(preset),
            tools if tools is None else frozenset(tools),
            frozenset(_words(claims, _CLAIMS["switches"])),
            _scope(claims),
            str(claims[_CLAIMS["profile"]]) if _CLAIMS["profile"] in claims else None,
            frozenset(_words(claims, _CLAIMS["categories"])) if _CLAIMS["categories"] in claims else None,
        )
        if narrowing.problem():
            raise Forbidden
        # The subject may be somebody's address: what stands in logs is its digest.
        whose = f"{self._issuer.issuer}\n{claims['sub']}".encode("utf-8", "surrogatepass")
        subject = hashlib.blake2s(whose, digest_size=8).hexdigest()
        return Client(Kind.SIGNED_TOKEN, f"oidc:{subject}", f"oidc:{subject}", narrowing)


def _scope(claims: Mapping[str, Any]) -> Scope | None:
    if _SCOPE_CLAIM not in claims:
        return None
    try:
        return narrower_scope(claims[_SCOPE_CLAIM])
    except StartupRefusal:
        raise Forbidden from None


def _words(claims: Mapping[str, Any], *names: str) -> list[str]:
    """Return the words of the first claim there is: a list, or a text with blanks between them."""
    for name in names:
        value = claims.get(name)
        if isinstance(value, str):
            return value.split()
        if isinstance(value, list):
            return [str(item) for item in value]
    return []


def _key_set(document: bytes) -> KeySet:
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    try:
        return KeySet.import_key_set({"keys": public_keys(document)})
    except BadKeySet as bad:
        raise BadFile(str(bad)) from None
    except (JoseError, ValueError, TypeError, KeyError):
        raise BadFile("it holds a key that cannot be read") from None
