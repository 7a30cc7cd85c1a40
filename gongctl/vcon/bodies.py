"""Bodies: how they are encoded, what text is in them, and their hashes."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from gongctl.ingest.decode import decode
from gongctl.ingest.records import BadRecord

ENCODINGS: Final = ("none", "base64url", "json")
_HASHES: Final = {"sha512": hashlib.sha512, "sha384": hashlib.sha384, "sha256": hashlib.sha256}
_BINARY: Final = ("audio/", "video/", "image/", "application/pdf", "application/zip", "application/octet-stream")
_JSON_TYPES: Final = ("application/json", "text/json")
_MAX_DEPTH: Final = 64


class NoBody(Exception):
    """There is no body, or not in the encoding that it says."""


def encoding_of(part: Mapping[str, Any]) -> str:
    """Return the encoding of *part*'s body; where it says none, it is told by what the body is ('' = no body)."""
    if part.get("body") is None:
        return ""
    said = part.get("encoding")
    if isinstance(said, str) and said:
        return said
    if not isinstance(part["body"], str) or str(part.get("mediatype", "")).startswith(_JSON_TYPES):
        return "json"
    return "none"


def json_of(part: Mapping[str, Any]) -> Any:
    """Return the JSON value of *part*'s body, which stands as a text or, as of core-03, as the value itself.

    Raises:
        NoBody: it has no such body, or the text is not JSON.
    """
    if encoding_of(part) != "json":
        raise NoBody
    body = part["body"]
    if not isinstance(body, str):
        return body
    try:
        return decode(body.encode("utf-8", "surrogatepass"))
    except BadRecord as error:
        raise NoBody from error


def json_body(value: Any) -> dict[str, str]:
    """Return ``body`` and ``encoding`` that hold *value*: as a text, which every draft's schema accepts."""
    return {"encoding": "json", "body": json.dumps(value, ensure_ascii=False, separators=(",", ":"))}


def bytes_of(part: Mapping[str, Any]) -> bytes:
    """Return the bytes of *part*'s body, as its content hash is about them.

    Raises:
        NoBody: it has none, or no valid base64url.
    """
    body = part.get("body")
    if body is None:
        raise NoBody
    if not isinstance(body, str):
        return msgspec.json.encode(body)
    if encoding_of(part) != "base64url":
        return body.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body.rstrip("=") + "=" * (-len(body.rstrip("=")) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise NoBody from error


def size_of(part: Mapping[str, Any]) -> int:
    """Return how many bytes *part*'s body has as it stands there."""
    body = part.get("body")
    if body is None:
        return 0
    return len(body.encode("utf-8", "surrogatepass")) if isinstance(body, str) else len(msgspec.json.encode(body))


def content_hash(data: bytes) -> str:
    """Return the token ``sha512-…`` of *data*."""
    return "sha512-" + base64.urlsafe_b64encode(hashlib.sha512(data).digest()).decode().rstrip("=")


def hash_tokens(part: Mapping[str, Any]) -> list[str]:
    """Return the tokens of *part*'s ``content_hash``, one or a list of them."""
    said = part.get("content_hash")
    return [token for token in (said if isinstance(said, list) else [said]) if isinstance(token, str)]


def is_hash(token: str) -> bool:
    """Tell whether *token* has the form of a content hash that can be checked."""
    name, _, digest = token.partition("-")
    return name in _HASHES and len(digest) == -(-_HASHES[name]().digest_size * 4 // 3)


def hash_matches(data: bytes, token: str) -> bool:
    """Tell whether *token* is the content hash of *data*; False for one that cannot be checked."""
    name, _, digest = token.partition("-")
    if name not in _HASHES:
        return False
    made = base64.urlsafe_b64encode(_HASHES[name](data).digest()).decode().rstrip("=")
    return made == digest.rstrip("=")


def plain_text(part: Mapping[str, Any]) -> str:
    """Return what can be read in *part*'s body: the text, or the texts inside of JSON; '' for none, and for binary."""
    encoding = encoding_of(part)
    if encoding == "json":
        try:
            return "\n".join(leaves(json_of(part)))
        except NoBody:
            return str(part["body"])
    if encoding != "none" or str(part.get("mediatype", "")).startswith(_BINARY):
        return ""
    return str(part["body"])


def leaves(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a JSON *value* in order, without the keys."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif depth > _MAX_DEPTH:
        yield str(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from leaves(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, depth + 1)
