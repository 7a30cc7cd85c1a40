"""Dates of vCon tools: intervals with an open end, in UTC. A day as an end means the end of that day."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gongmcp.vcon.faults import VconFault

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

DATE: Final[dict[str, Any]] = {
    "type": "string",
    "maxLength": 40,
    "description": "ISO 8601 date or time; without a zone it is UTC.",
}


@dataclass(frozen=True, slots=True)
class Interval:
    """Milliseconds since 1970, *start* inclusive and *end* exclusive; None = open."""

    start: int | None = None
    end: int | None = None

    def as_dict(self) -> dict[str, str]:
        """Return it as an answer repeats it."""
        return {
            name: text_of(moment)
            for name, moment in (("from", self.start), ("to_exclusive", self.end))
            if moment is not None
        }


def interval(arguments: Mapping[str, Any], start: str, end: str) -> Interval:
    """Return the interval between the arguments named *start* and *end*.

    Raises:
        VconFault: one is no date, or they stand the wrong way round.
    """
    first = _moment(start, arguments[start], last=False) if arguments.get(start) else None
    last = _moment(end, arguments[end], last=True) if arguments.get(end) else None
    if first is not None and last is not None and first >= last:
        raise VconFault("INVALID_ARGUMENT", f"{start} is not before {end}.", argument=start)
    return Interval(first, last)


def text_of(moment: int) -> str:
    """Return a moment as RFC 3339."""
    text = (_EPOCH + dt.timedelta(milliseconds=moment)).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z").replace(".000Z", "Z")


def _moment(name: str, value: str, *, last: bool) -> int:
    try:
        parsed = dt.datetime.fromisoformat(value)
        if _DAY.fullmatch(value) and last:
            parsed += dt.timedelta(days=1)
    except (ValueError, OverflowError):
        raise VconFault("INVALID_ARGUMENT", f"{name} is no ISO 8601 date or time.", argument=name) from None
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=dt.UTC)
    return round((parsed - _EPOCH).total_seconds() * 1000)
