"""Read and write the JSON of one record: exact numbers, plain reasons, one canonical form."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

import msgspec

from gongctl.ingest.records import BadRecord

_DECODER: Final = msgspec.json.Decoder()
_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def decode(data: bytes) -> Any:
    """Return the JSON value in *data*. Integers of any size are exact; the last of equal keys counts.

    Half a surrogate pair, as a program that cuts text in UTF-16 leaves it, becomes U+FFFD.

    Raises:
        BadRecord: it is no JSON; the message says why without showing any of it.
    """
    try:
        return _DECODER.decode(data)
    except RecursionError as error:
        raise BadRecord("it is nested too deeply") from error
    except (msgspec.MsgspecError, UnicodeError):
        return _decode_slowly(data)


def _decode_slowly(data: bytes) -> Any:
    """Read what the fast parser refused: to mend half surrogates, or to say what is wrong."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRecord(f"it holds bytes that are not UTF-8 (at byte {error.start + 1})") from error
    try:
        return _mended(json.loads(text, parse_constant=_no_constant))
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            raise BadRecord("it ends in the middle of a value (cut off?)") from error
        raise BadRecord(f"it is not JSON (at character {error.pos + 1})") from error
    except RecursionError as error:
        raise BadRecord("it is nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise BadRecord("it holds a number that is too long") from error


def _no_constant(name: str) -> NoReturn:
    raise BadRecord(f"it holds {name}, which is not JSON")


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        raise BadRecord("it holds a number that is out of range")
    return value


def canonical(value: Any) -> bytes:
    """Return *value* as JSON with sorted keys and no blanks: equal content gives equal bytes.

    Raises:
        BadRecord: it is nested too deeply.
    """
    try:
        return _ENCODER.encode(value)
    except RecursionError as error:
        raise BadRecord("it is nested too deeply") from error
