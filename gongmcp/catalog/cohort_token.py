"""Cohort tokens: a filter that was understood once, sealed so that a later call names it in one argument.

Nothing is kept: the token holds the filter itself, encrypted and signed with a key of the cache (AES-SIV), so that it
tells nothing to who sees it and cannot be made by hand. It is opened before anything is decided: what it holds passes
the same gates as a filter that was typed.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args, get_origin, get_type_hints

import msgspec

from gongmcp.catalog.filters import refuse_withheld
from gongmcp.errors import ToolFault

if TYPE_CHECKING:
    from gongmcp.catalog.arguments import ValidArguments
    from gongmcp.catalog.declaration import Arguments, Tool
    from gongmcp.exposure.policy import Policy

MAX_TOKEN: Final = 8192
"""Most characters of a token: that of the largest filter that the schema takes is shorter."""

_DOMAIN: Final = b"gongmcp.cohort"


@dataclass(frozen=True, slots=True)
class TokenFor:
    """Marks an argument that holds a token in the place of the object argument *filter*."""

    filter: str


def seal(secret: bytes, chosen: Mapping[str, Any]) -> str:
    """Return the token of the normalised filter *chosen*."""
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # loaded only where a cohort is built

    sealed = AESSIV(_key(secret)).encrypt(msgspec.msgpack.encode(chosen), [_DOMAIN])
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def unseal(secret: bytes, token: str, argument: str = "cohort_token") -> dict[str, Any]:
    """Return the filter that *token* was made of; raises ``ToolFault("invalid_argument")`` for any other text."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    try:
        sealed = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        opened = msgspec.msgpack.decode(AESSIV(_key(secret)).decrypt(sealed, [_DOMAIN]), type=dict[str, Any])
    except (InvalidTag, ValueError, TypeError, msgspec.DecodeError):
        raise ToolFault(
            "invalid_argument",
            f"{argument} is no token of this cache.",
            "Give the filter itself, or the cohort_token that build_call_cohort returned.",
        ) from None
    return opened


def cohort_id(secret: bytes, chosen: Mapping[str, Any]) -> str:
    """Return the name of the normalised filter *chosen*: ``cohort_`` and 16 hexadecimal digits, the same every time."""
    canonical = json.dumps(chosen, sort_keys=True, separators=(",", ":")).encode()
    return "cohort_" + hashlib.blake2b(canonical, key=secret[:64], digest_size=8, person=_DOMAIN).hexdigest()


def _key(secret: bytes) -> bytes:
    return hashlib.blake2b(secret, digest_size=64, person=_DOMAIN).digest()


@cache
def tokens_of(model: type[Arguments]) -> Mapping[str, TokenFor]:
    """Return the arguments of *model* that hold tokens, by name."""
    hints = get_type_hints(model, include_extras=True)
    return {
        field.name: mark
        for field in msgspec.structs.fields(model)
        for mark in _marks(hints[field.name])
        if isinstance(mark, TokenFor)
    }


def _marks(hint: Any) -> list[Any]:
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        return [*_marks(inner), *marks]
    return [mark for arm in get_args(hint) for mark in _marks(arm)]


def opened(tool: Tool, policy: Policy, valid: ValidArguments, secret: bytes) -> ValidArguments:
    """Return *valid* with the filters that its tokens hold in their place; as it is when it has none.

    Raises ``ToolFault``: ``invalid_argument`` for a bad token or one beside a filter, ``refused_by_policy`` where the
    filter looks for what would not be shown.
    """
    given = {name: mark.filter for name, mark in tokens_of(tool.arguments).items() if name in valid.plain}
    if not given:
        return valid
    plain = dict(valid.plain)
    for name, of in given.items():
        if of in plain:
            raise ToolFault("invalid_argument", f"{name} and {of} say the same.", f"Give one of them: {name} or {of}.")
        plain[of] = unseal(secret, plain.pop(name), name)
    refuse_withheld(tool, policy, plain)
    try:
        model = msgspec.convert(plain, tool.arguments)
    except msgspec.ValidationError:
        raise ToolFault(
            "invalid_argument", "The token was made by another version.", "Give the filter itself."
        ) from None
    for name in tool.arguments.__struct_fields__:
        if name in ("limit", "cursor"):
            setattr(model, name, getattr(valid.model, name))
    return replace(valid, model=model, plain=plain)
