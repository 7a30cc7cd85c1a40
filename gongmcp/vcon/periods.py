"""Periods of growth: months, weeks, days in UTC, those without a vCon too; and what figures share."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.scope import Scope

MONTHS_BACK: Final[dict[str, Any]] = {"type": "integer", "minimum": 1, "maximum": 60, "default": 12}
YEAR: Final = 12


def told_apart(scope: Scope, rows: list[Any], column: str = "vcons") -> list[Any]:
    """Leave out groups that are too small to be told apart."""
    return [row for row in rows if row[column] >= scope.policy.min_cell]


def most_first(scope: Scope, rows: list[Any], labels: tuple[str, ...], column: str = "vcons") -> list[Any]:
    """Leave out groups that are too small to be told apart; the order of the others, which come most first, follows
    the counts as shown and then *labels*."""
    kept = told_apart(scope, rows, column)
    if scope.policy.min_cell == 1:
        return kept
    cells = SmallCells(scope.policy.min_cell)
    return sorted(kept, key=lambda row: (-cells.count(row[column]), *(str(row[label]) for label in labels)))


def share(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def _start(scope: Scope, months: int) -> int:
    """Return the first moment, in milliseconds, of the month *months* - 1 before that of the answer."""
    now = timestamp(scope)
    if now is None:
        return 0
    moment = dt.datetime.fromisoformat(now)
    year, month = divmod(moment.year * 12 + moment.month - months, 12)
    if year < 1:
        return 0
    return round(dt.datetime(year, month + 1, 1, tzinfo=dt.UTC).timestamp() * 1000)


def periods(scope: Scope, months: int, granularity: str) -> list[dict[str, Any]]:
    """Return the rows of each period, those without a vCon too.

    With small cells a period of few vCons is one without, so that the first and the last tell no single vCon; vCons are
    counted as they are shown, so that nothing made of them tells more.
    """
    cells = SmallCells(scope.policy.min_cell)
    rows = {
        row["period"]: {**row, "vcons": cells.count(row["vcons"])}
        for row in vcon_figures.growth(
            scope.store,
            period=granularity,  # type: ignore[arg-type]
            from_ms=_start(scope, months),
        )
        if row["vcons"] >= cells.least
    }
    if not rows:
        return []
    empty = dict.fromkeys(next(iter(rows.values())), 0)
    return [rows.get(name, {**empty, "period": name}) for name in _names(min(rows), max(rows), granularity)]


def _names(first: str, last: str, granularity: str) -> list[str]:
    if granularity == "monthly":
        year, month = map(int, first.split("-"))
        names = []
        while (name := f"{year:04}-{month:02}") <= last:
            names.append(name)
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        return names
    step = 7 if granularity == "weekly" else 1
    day = (
        dt.date.fromisocalendar(int(first[:4]), int(first[6:]), 1)
        if granularity == "weekly"
        else dt.date.fromisoformat(first)
    )
    names = []
    while (name := f"{day:%G-W%V}" if granularity == "weekly" else day.isoformat()) <= last:
        names.append(name)
        day += dt.timedelta(days=step)
    return names
