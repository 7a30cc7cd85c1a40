"""Which part of the time has been listed for good, and which windows were begun and not finished.

A call shows up in Gong's API hours or days after it began, after calls that began later. So a stretch of time is
*settled* only when it was listed at least the look-back after its end; everything younger is listed again by the
next run. A *question* is what is asked apart from the time: who asks for more asks another question, and lists anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

OLDEST_CURSOR: Final = 3_600
"""Seconds after which a window that was begun starts over."""

Span = tuple[int, int]
"""From (inclusive) and to (exclusive), seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time to list, and how far that is (columns of ``sync_windows``)."""

    from_at: int
    to_at: int
    listed_at: int = 0
    cursor: str = ""
    pages: int = 0
    records: int = 0
    total: int | None = None
    changed: bool = False

    def begun_anew(self) -> Window:
        """Return the window as it was before its first page."""
        return Window(self.from_at, self.to_at)

    def after_page(self, *, cursor: str, records: int, total: int | None, now: int) -> Window:
        """Return the window after one more page of *records*, that said *total* of all pages."""
        return replace(
            self,
            listed_at=self.listed_at if self.pages else now,
            cursor=cursor,
            pages=self.pages + 1,
            records=self.records + records,
            total=total,
            changed=self.changed or (self.pages > 0 and total != self.total),
        )

    @property
    def is_short(self) -> bool:
        """Whether fewer records came than Gong said there are."""
        return self.total is not None and self.records < self.total


def settled(connection: sqlite3.Connection, question: str, look_back: int) -> list[Span]:
    """Return what need not be listed again, in order. A stretch that was settled with a shorter look-back gives up
    the difference at its end."""
    rows = connection.execute(
        "SELECT from_at, to_at, look_back FROM sync_coverage WHERE question = ? ORDER BY from_at", (question,)
    )
    spans = ((start, end - max(look_back - kept, 0)) for start, end, kept in rows)
    return [(start, end) for start, end in spans if start < end]


def beginning(connection: sqlite3.Connection, question: str) -> int | None:
    """Return from when on *question* was ever listed; None when it never was."""
    row = connection.execute("SELECT min(from_at) FROM sync_coverage WHERE question = ?", (question,)).fetchone()
    return None if row[0] is None else int(row[0])


def note_beginning(connection: sqlite3.Connection, question: str, begin: int, look_back: int) -> None:
    """Remember that *question* is listed from *begin* on, before anything is settled; wants an open transaction."""
    known = beginning(connection, question)
    if known is None or begin < known:
        _insert(connection, question, (begin, begin), look_back)


def begun_windows(connection: sqlite3.Connection, question: str) -> list[Window]:
    """Return the windows that were begun and not finished, in order."""
    rows = connection.execute(
        """SELECT from_at, to_at, listed_at, cursor, pages, records, total, changed
           FROM sync_windows WHERE question = ? ORDER BY from_at""",
        (question,),
    )
    return [
        Window(start, end, listed_at, cursor, pages, records, total, bool(changed))
        for start, end, listed_at, cursor, pages, records, total, changed in rows
    ]


def gaps(wanted: Span, taken: Iterable[Span]) -> Iterator[Span]:
    """Yield the parts of *wanted* that none of *taken* holds, in order."""
    at, end = wanted
    for start, stop in sorted(taken):
        if start > at:
            yield at, min(start, end)
        at = max(at, stop)
        if at >= end:
            return
    if at < end:
        yield at, end


def plan_windows(
    connection: sqlite3.Connection, question: str, wanted: Span, *, look_back: int, length: int, now: int
) -> list[Window]:
    """Return the windows to list in *wanted*: those begun first, then the rest, the oldest first.

    A begun window counts when it lies in *wanted*; others are left for the run that wants them. One that was begun
    long ago starts over, because the life of a cursor is not known. *length* is the longest a new window is, in
    seconds.
    """
    begun = [
        window if now - window.listed_at <= OLDEST_CURSOR else window.begun_anew()
        for window in begun_windows(connection, question)
        if wanted[0] <= window.from_at and window.to_at <= wanted[1]
    ]
    taken = settled(connection, question, look_back) + [(window.from_at, window.to_at) for window in begun]
    fresh = [
        Window(at, min(at + length, end)) for start, end in gaps(wanted, taken) for at in range(start, end, length)
    ]
    return begun + fresh


def save_window(connection: sqlite3.Connection, question: str, window: Window) -> None:
    """Keep how far *window* is; wants the transaction that stores the page's rows."""
    connection.execute(
        """INSERT INTO sync_windows (question, from_at, to_at, listed_at, cursor, pages, records, total, changed)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (question, from_at) DO UPDATE
           SET to_at = excluded.to_at, listed_at = excluded.listed_at, cursor = excluded.cursor, pages = excluded.pages,
               records = excluded.records, total = excluded.total, changed = excluded.changed""",
        (
            *(question, window.from_at, window.to_at, window.listed_at, window.cursor),
            *(window.pages, window.records, window.total, int(window.changed)),
        ),
    )


def drop_window(connection: sqlite3.Connection, question: str, window: Window) -> None:
    """Forget that *window* was begun; wants an open transaction."""
    connection.execute("DELETE FROM sync_windows WHERE question = ? AND from_at = ?", (question, window.from_at))


def finish_window(connection: sqlite3.Connection, question: str, window: Window, look_back: int) -> None:
    """Note that *window* is listed: what of it is old enough is settled. Wants the last page's transaction."""
    drop_window(connection, question, window)
    end = min(window.to_at, window.listed_at - look_back)
    if window.from_at < end and not window.changed:
        _settle(connection, question, (window.from_at, end), look_back)


def forget_coverage(connection: sqlite3.Connection, question: str, span: Span) -> None:
    """Make everything in *span* due to be listed again; wants an open transaction."""
    start, end = span
    connection.execute(
        "DELETE FROM sync_windows WHERE question = ? AND from_at < ? AND to_at > ?", (question, end, start)
    )
    rows = connection.execute(
        """DELETE FROM sync_coverage WHERE question = ? AND from_at < ? AND to_at > ?
           RETURNING from_at, to_at, look_back""",
        (question, end, start),
    ).fetchall()
    for from_at, to_at, look_back in rows:
        for left in gaps((from_at, to_at), [span]):
            _insert(connection, question, left, look_back)


def _settle(connection: sqlite3.Connection, question: str, span: Span, look_back: int) -> None:
    """Add *span*, joined with what it overlaps or touches; of joined stretches the shortest look-back counts only
    where it was the one at the end."""
    start, end = span
    rows = connection.execute(
        """DELETE FROM sync_coverage WHERE question = ? AND from_at <= ? AND to_at >= ?
           RETURNING from_at, to_at, look_back""",
        (question, end, start),
    ).fetchall()
    last = max([(end, look_back), *((to_at, kept) for _, to_at, kept in rows)])
    _insert(connection, question, (min([start, *(row[0] for row in rows)]), last[0]), last[1])


def _insert(connection: sqlite3.Connection, question: str, span: Span, look_back: int) -> None:
    connection.execute(
        "INSERT INTO sync_coverage (question, from_at, to_at, look_back) VALUES (?, ?, ?, ?)",
        (question, *span, look_back),
    )
