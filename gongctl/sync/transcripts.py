"""``sync transcripts``: the transcripts of calls that have none yet, asked for by their ids.

Who waits longest comes first: a new call since it was stored, an old one since it was due again. A call without a
transcript is asked for again after an hour, then after two, four and so on to a week, and given up after
``MOST_ATTEMPTS``; so it costs little and never stands in the way of others. What became of each call is kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from gongctl.cache.upsert import unpack
from gongctl.gong.endpoints import TRANSCRIPTS
from gongctl.gong.faults import BadRequest
from gongctl.ingest.records import Record
from gongctl.sync.calls import PrivateCalls
from gongctl.sync.report import StepReport
from gongctl.sync.session import RESTARTS, Cursors, Pages, Progress, Session, Step, run_workers
from gongctl.sync.times import HOUR, WEEK

BATCH: Final = 100
"""Calls of one request: as many as a page of the answer holds."""
MOST_ATTEMPTS: Final = 12
"""After so many attempts a call is given up: five weeks after the first."""


_DUE: Final = """FROM raw_calls AS c
    LEFT JOIN raw_transcripts AS t ON t.call_id = c.call_id
    LEFT JOIN sync_transcripts AS s ON s.call_id = c.call_id
    WHERE (t.call_id IS NULL OR s.outcome = 'empty')
      AND (s.call_id IS NULL OR s.outcome IN ('private', 'stored') OR :again
           OR (s.outcome IN ('pending', 'empty') AND s.next_ask_at <= :now))"""


@dataclass(frozen=True, slots=True)
class WantedTranscripts:
    """How many transcripts are asked for, at most, and whether those of private calls are; *again* asks for those
    that were given up, or are not due, too."""

    limit: int | None = None
    private: PrivateCalls = "metadata"
    max_pages: int | None = None
    again: bool = False


def next_wait(attempts: int) -> int:
    """Return the seconds from the last of *attempts* to the next one."""
    return int(min(HOUR * 2 ** (attempts - 1), WEEK))


async def sync_transcripts(session: Session, wanted: WantedTranscripts, progress: Progress | None = None) -> StepReport:
    """Ask for the transcripts that are due, and store what comes."""
    async with session.step("transcripts", "", Pages(wanted.max_pages)) as step:
        step.report.unit = "calls"
        step.report.transcripts = dict.fromkeys(("stored", "empty", "pending", "given_up", "private"), 0)
        _settle_imported(session)
        due, private = due_calls(session, wanted)
        step.report.transcripts["private"] = private
        step.report.planned = len(due)
        batches = deque(due[start : start + BATCH] for start in range(0, len(due), BATCH))
        asking = _Asking(step, batches, progress or (lambda done, total: None))
        await run_workers(min(session.concurrency, len(batches)), asking.work)
    return step.report


def _settle_imported(session: Session) -> None:
    """Note as stored what came otherwise meanwhile, from a file say."""
    with session.writer.transaction():
        session.writer.connection.execute(
            """UPDATE sync_transcripts SET outcome = 'stored' WHERE outcome IN ('pending', 'given_up', 'private')
               AND call_id IN (SELECT call_id FROM raw_transcripts)"""
        )


def count_due(connection: sqlite3.Connection, now: int, *, again: bool = False) -> int:
    """Return how many calls there are to ask for, private ones among them."""
    return int(connection.execute(f"SELECT count(*) {_DUE}", {"now": now, "again": again}).fetchone()[0])


def due_calls(session: Session, wanted: WantedTranscripts) -> tuple[list[str], int]:
    """Return the calls to ask for, the longest waiting first, and how many private ones are passed over."""
    connection = session.writer.connection
    rows = connection.execute(
        f"""SELECT c.call_id {_DUE}
            ORDER BY coalesce(nullif(s.next_ask_at, 0), CAST(strftime('%s', c.imported_at) AS INTEGER)), c.call_id""",
        {"now": session.now, "again": wanted.again},
    ).fetchall()
    due: list[str] = []
    private: list[str] = []
    for (call_id,) in rows:
        if wanted.limit is not None and len(due) >= wanted.limit:
            break
        if wanted.private != "all" and _is_private(session, call_id):
            private.append(call_id)
        else:
            due.append(call_id)
    with session.writer.transaction():
        connection.executemany(
            """INSERT INTO sync_transcripts (call_id, outcome, attempts, first_asked_at, asked_at, next_ask_at)
               VALUES (?, 'private', 0, 0, 0, 0) ON CONFLICT (call_id) DO UPDATE SET outcome = 'private'
               WHERE outcome != 'private'""",
            [(call_id,) for call_id in private],
        )
    return due, len(private)


def _is_private(session: Session, call_id: str) -> bool:
    row = session.writer.connection.execute("SELECT payload FROM raw_calls WHERE call_id = ?", (call_id,)).fetchone()
    meta = unpack(row[0]).get("metaData") if row is not None else None
    return isinstance(meta, dict) and meta.get("isPrivate") is True


@dataclass(slots=True)
class _Asking:
    """The batches under way."""

    step: Step
    batches: deque[list[str]]
    progress: Progress

    async def work(self) -> None:
        """Ask for batches until there are no more, or no more pages may be asked for."""
        while self.batches and self.step.pages.open:
            batch = self.batches.popleft()
            if await self._ask_for(batch):
                report = self.step.report
                report.finished += len(batch)
                self.progress(report.finished, report.planned)

    async def _ask_for(self, batch: list[str]) -> bool:
        """Ask for *batch* through all pages of the answer; False when the limit of pages came first."""
        cursors = Cursors(TRANSCRIPTS)
        missing = set(batch)
        body: dict[str, Any] = {"filter": {"callIds": batch}}
        page = 0
        restarts = 0
        while self.step.pages.take():
            page += 1
            try:
                answer = await self.step.ask(TRANSCRIPTS, body=body)
            except BadRequest:
                if "cursor" not in body or restarts == RESTARTS:
                    raise
                restarts, cursors = restarts + 1, Cursors(TRANSCRIPTS)
                body = {"filter": body["filter"]}
                continue
            asked = [r for r in self.step.records(TRANSCRIPTS, answer, page) if r.record_id in missing]
            missing -= {record.record_id for record in asked}
            cursor = cursors.after(answer)
            self._store(asked, missing if not cursor else ())
            if not cursor:
                return True
            body["cursor"] = cursor
        return False

    def _store(self, records: Sequence[Record], absent: Sequence[str] | set[str] | tuple[()]) -> None:
        """Store *records*, and note of them and of *absent* what became of asking."""
        session = self.step.session
        outcomes = {record.record_id: "stored" if record.segments else "empty" for record in records}
        outcomes |= dict.fromkeys(absent, "pending")
        door = session.door
        counts = dict.fromkeys(("stored", "empty", "pending", "given_up"), 0)

        def also(generation: int) -> None:
            left = {key: value for key, value in outcomes.items() if door is None or key not in door.calls}
            for outcome in self._note(left).values():
                counts[outcome] += 1

        self.step.store(records, also)
        self.step.report.pages += 1
        for outcome, count in counts.items():
            self.step.report.transcripts[outcome] += count

    def _note(self, outcomes: dict[str, str]) -> dict[str, str]:
        """Write the outcome of each call; one that never comes is given up. Wants an open transaction."""
        connection = self.step.session.writer.connection
        now = self.step.session.now
        before = dict(
            connection.execute(
                "SELECT call_id, attempts FROM sync_transcripts WHERE call_id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(outcomes)),),
            )
        )
        noted: dict[str, str] = {}
        for call_id, outcome in outcomes.items():
            attempts = before.get(call_id, 0) + 1
            gives_up = outcome in ("pending", "empty") and attempts >= MOST_ATTEMPTS
            noted[call_id] = "given_up" if gives_up else outcome
            connection.execute(
                """INSERT INTO sync_transcripts (call_id, outcome, attempts, first_asked_at, asked_at, next_ask_at)
                   VALUES (:call, :outcome, :attempts, :now, :now, :next) ON CONFLICT (call_id) DO UPDATE
                   SET outcome = excluded.outcome, attempts = excluded.attempts, asked_at = excluded.asked_at,
                       first_asked_at = iif(attempts = 0, excluded.first_asked_at, first_asked_at),
                       next_ask_at = excluded.next_ask_at""",
                {
                    "call": call_id,
                    "outcome": noted[call_id],
                    "attempts": attempts,
                    "now": now,
                    "next": now + next_wait(attempts),
                },
            )
        return noted
