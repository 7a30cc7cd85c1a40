"""Times as an operator writes them: days, moments, and spans back from today."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from gongctl.cache.clock import utc_now
from gongmcp.errors import Exit, StartupRefusal

MINUTE, HOUR, DAY, WEEK = 60, 3_600, 86_400, 604_800
_UNITS: Final = {"m": MINUTE, "h": HOUR, "d": DAY, "w": WEEK}
_SPAN: Final = re.compile(r"(\d{1,6})\s*([mhdw])", re.IGNORECASE)
_LONGEST: Final = 100 * 366 * DAY


def present() -> int:
    """Return the present in seconds since 1970, UTC; of the writers' clock, which can be fixed."""
    return int(datetime.fromisoformat(utc_now()).timestamp())


def seconds_of(text: str, name: str) -> int:
    """Return the seconds of a span such as ``90m``, ``36h``, ``3d`` or ``2w``.

    Raises:
        StartupRefusal: it is no span; *name* says where it stood.
    """
    found = _SPAN.fullmatch(text.strip())
    span = int(found[1]) * _UNITS[found[2].lower()] if found else 0
    if not found or span > _LONGEST:
        raise StartupRefusal(f"{name} is no span of time.", "Write 90m, 36h, 3d or 2w.", Exit.USAGE)
    return span


def moment_of(text: str, name: str, now: int) -> int:
    """Return the seconds since 1970 of a day or moment.

    ``2026-01-31`` is the beginning of that day in UTC; a moment has an offset or Z; ``now``, ``today``; ``-90d`` and
    ``-2w`` count back from the beginning of today, ``-36h`` and ``-90m`` from now.

    Raises:
        StartupRefusal: it is none of them; *name* says where it stood.
    """
    text = text.strip()
    today = now - now % DAY
    if text.lower() in ("now", "today"):
        return now if text.lower() == "now" else today
    if text.startswith("-"):
        span = seconds_of(text[1:], name)
        return (today if text[-1].lower() in "dw" else now) - span
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or (moment.tzinfo is None and len(text) > 10):
        raise StartupRefusal(
            f"{name} is no day and no moment.",
            "Write 2026-01-31, 2026-01-31T09:00:00Z, now, today, -90d, -2w or -36h.",
            Exit.USAGE,
        )
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp())


def written(seconds: int) -> str:
    """Return *seconds* since 1970 as ``2026-01-31T09:00:00Z``, as Gong's filters take it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day(seconds: int) -> str:
    """Return the day in UTC of *seconds* since 1970 as ``2026-01-31``."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def span(seconds: int) -> str:
    """Return a span in the largest unit that it is a whole number of: ``3d``, ``36h``, ``90m``."""
    for unit, length in (("d", DAY), ("h", HOUR), ("m", MINUTE)):
        if seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
