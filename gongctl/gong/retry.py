"""How long to wait before a request is made again, and when to give up."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

RETRIED: Final = frozenset({429, 500, 502, 503, 504})
"""Statuses after which the same request is made again."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How patient a client is.

    Attributes:
        attempts: how often one request is made at most.
        first_wait: seconds before the second attempt, at most; doubled for each further one.
        longest_wait: seconds of one back-off at most.
        longest_asked: seconds that Gong may ask for in Retry-After; for longer ones the run ends instead.
        timeout: seconds without a byte after which an answer is given up.
    """

    attempts: int = 8
    first_wait: float = 1.0
    longest_wait: float = 30.0
    longest_asked: float = 120.0
    timeout: float = 60.0

    def back_off(self, attempt: int) -> float:
        """Return seconds to wait after *attempt* (from 1) failed: random, so that clients do not come back at once."""
        most = min(self.first_wait * 2.0 ** (attempt - 1), self.longest_wait)
        return random.uniform(most / 2, most)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a Retry-After header asks for: a number or a date; None when it asks for nothing."""
    text = (value or "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - (now or datetime.now(UTC))).total_seconds(), 0.0)
