"""An issuer's public keys, as a JSON Web Key Set (RFC 7517) that lies in a file."""

from __future__ import annotations

import json
from typing import Any, Final

MAX_BYTES: Final = 256 * 1024
"""Longest key set that is read."""

PUBLIC_TYPES: Final = frozenset({"RSA", "EC", "OKP"})
"""Kinds of keys that a signature can be checked with and not made."""

ALGORITHMS: Final = ("RS256", "PS256", "ES256", "ES384", "Ed25519")
"""Signatures that can be chosen. None of them is made with a shared secret."""

_PRIVATE: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


class BadKeySet(ValueError):
    """A document that is no usable set of public keys; the text says why and holds nothing of a key."""


def public_keys(document: bytes) -> list[dict[str, Any]]:
    """Return the signing keys of a key set, private members left out.

    Raises:
        BadKeySet: it is no key set, or holds no public key for signatures.
    """
    if len(document) > MAX_BYTES:
        raise BadKeySet(f"it is longer than {MAX_BYTES} bytes")
    try:
        parsed = json.loads(document)
    except (ValueError, RecursionError):
        raise BadKeySet("it is not JSON") from None
    keys = parsed.get("keys") if isinstance(parsed, dict) else None
    if not isinstance(keys, list) or not all(isinstance(key, dict) for key in keys):
        raise BadKeySet('it has no list "keys"')
    # A symmetric key in a public file would let whoever reads the file sign.
    found = [
        {name: value for name, value in key.items() if name not in _PRIVATE}
        for key in keys
        # As text: a document may say a list there, which no set can be asked for.
        if str(key.get("kty")) in PUBLIC_TYPES and key.get("use", "sig") == "sig"
    ]
    if not found:
        raise BadKeySet("it holds no public key for signatures")
    return found
