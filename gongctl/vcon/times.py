"""Times of vCons: RFC 3339 with a zone, and milliseconds since 1970."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from gongctl.cache.derive import parse_time

_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
)


def is_rfc3339(value: object) -> bool:
    """Tell whether *value* is a moment as RFC 3339 writes it: a date that exists, a time, a zone."""
    if not isinstance(value, str):
        return False
    match = _RFC3339.fullmatch(value)
    if match is None:
        return False
    year, month, day, hour, minute, second = map(int, match.groups())
    try:
        dt.datetime(year, month, day, hour, minute, min(second, 59))  # noqa: DTZ001 - only whether it exists
    except ValueError:
        return False
    return second <= 60


def milliseconds(value: object) -> int | None:
    """Return a moment as milliseconds since 1970, None when *value* is none; other forms than RFC 3339 are read too."""
    moment = parse_time(value)
    return None if moment is None else round(moment.timestamp() * 1000)


def rfc3339(value: object) -> str | None:
    """Return *value* as RFC 3339: as it is if it is so, else in UTC; None when it is no moment."""
    if isinstance(value, str) and is_rfc3339(value):
        return value
    moment = parse_time(value)
    if moment is None:
        return None
    text = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")
    return text.replace("+00:00", "Z")


def month_of(moment_ms: int) -> str:
    """Return YYYY-MM of a moment, in UTC."""
    return dt.datetime.fromtimestamp(moment_ms / 1000, dt.UTC).strftime("%Y-%m")
