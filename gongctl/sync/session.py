"""One step at work: the client that asks, the writer that stores, the row in the log of runs.

Everything that a page brings is stored in one transaction: its rows, how far the step is, the answers' request ids,
and what the restricted list makes of it. So a process that is killed has done whole pages.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from gongctl.cache.clock import utc_now
from gongctl.cache.upsert import REJECTED_KEPT, store_records
from gongctl.cache.writer import CacheWriter
from gongctl.gong.client import Answer, Exchange, GongClient
from gongctl.gong.endpoints import Endpoint
from gongctl.gong.faults import CursorStuck, NoAnswer, NotGong, QuotaExhausted
from gongctl.ingest.documents import records_in_answer
from gongctl.ingest.records import Place, Record, Rejected
from gongctl.sync.governed import Door
from gongctl.sync.report import Outcome, StepReport
from gongctl.sync.times import present
from gongmcp.errors import StartupRefusal

REQUESTS_KEPT: Final = 20_000
"""Requests in the log, the newest ones."""

RESTARTS: Final = 6
"""How often one listing is started over in a run because its cursor is refused."""

Progress = Callable[[int, int], None]
Also = Callable[[int], None]


@dataclass(slots=True)
class Pages:
    """How many more pages may be asked for; *left* None = all. *refused*: one more was wanted; *stopped*: the quota
    is used up."""

    left: int | None = None
    refused: bool = False
    stopped: bool = False

    def take(self) -> bool:
        """Take one page; False when there is none left."""
        if self.left is not None and self.left <= 0:
            self.refused = True
        if not self.open:
            return False
        if self.left is not None:
            self.left -= 1
        return True

    @property
    def open(self) -> bool:
        """Whether further pages may be taken, as far as is known."""
        return not (self.refused or self.stopped)


@dataclass(slots=True)
class Session:
    """What the steps of a run share. *concurrency* is how many requests are under way at once, at most."""

    writer: CacheWriter
    client: GongClient
    base_url: str
    door: Door | None = None
    concurrency: int = 3
    now: int = field(default_factory=present)
    reported: list[StepReport] = field(default_factory=list)
    """A report for each step that was begun."""

    @asynccontextmanager
    async def step(self, name: str, question: str = "", pages: Pages | None = None) -> AsyncIterator[Step]:
        """Run the block as one step: its report ends with what became of it, and the log of runs says so.

        A fault of Gong's, a full disk and the like end the step and are told in its report; an interruption is told
        and goes on.
        """
        step = Step(self, StepReport(name, question), pages or Pages())
        self.reported.append(step.report)
        started = time.perf_counter()
        step.begin()
        before = self.client.requests
        outcome: Outcome = "failed"
        try:
            yield step
            outcome = "partial" if step.pages.refused else "done"
            if step.pages.refused:
                step.report.reason = "The limit of pages was reached; there is more."
                step.report.hint = "Run the same command again: it goes on there."
        except QuotaExhausted as fault:
            outcome = "partial"
            step.report.reason, step.report.hint, step.report.ends_run = fault.message, fault.hint, True
        except (NoAnswer, NotGong) as fault:
            step.report.reason, step.report.hint, step.report.ends_run = fault.message, fault.hint, True
        except StartupRefusal as refusal:
            step.report.reason, step.report.hint = refusal.message, refusal.hint
        except (asyncio.CancelledError, KeyboardInterrupt):
            outcome = "interrupted"
            step.report.reason = "It was stopped."
            raise
        finally:
            step.report.requests = self.client.requests - before
            step.report.seconds = time.perf_counter() - started
            step.end(outcome)


class Step:
    """A step under way; ``Session.step`` makes it."""

    def __init__(self, session: Session, report: StepReport, pages: Pages) -> None:
        self.session = session
        self.report = report
        self.pages = pages
        self._run_no = 0

    def begin(self) -> None:
        """Write the row of the run; what is still said to be running was killed."""
        writer = self.session.writer
        with writer.transaction():
            writer.connection.execute(
                "UPDATE sync_runs SET outcome = 'killed', reason = 'The process ended.' WHERE outcome = 'running'"
            )
            self._run_no = writer.connection.execute(
                """INSERT INTO sync_runs
                     (step, question, started_at, ended_at, outcome, requests, pages, records, changed, reason)
                   VALUES (?, ?, ?, '', 'running', 0, 0, 0, 0, '') RETURNING run_no""",
                (self.report.step, self.report.question, utc_now()),
            ).fetchone()[0]

    def end(self, outcome: Outcome) -> None:
        """Write what became of the run."""
        report, writer = self.report, self.session.writer
        report.outcome = outcome
        with writer.transaction():
            self._log(self.session.client.drain())
            writer.connection.execute(
                """UPDATE sync_runs SET ended_at = ?, outcome = ?, requests = ?, pages = ?, records = ?, changed = ?,
                     reason = ? WHERE run_no = ?""",
                (
                    *(utc_now(), outcome, report.requests, report.pages, report.records, report.changed),
                    *(report.reason, self._run_no),
                ),
            )
            writer.connection.execute(
                "DELETE FROM sync_requests WHERE request_no <= (SELECT max(request_no) FROM sync_requests) - ?",
                (REQUESTS_KEPT,),
            )
            if outcome == "done" and report.records:
                writer.set_meta("last_import_at", utc_now())

    async def ask(self, endpoint: Endpoint, **request: Any) -> Answer:
        """Return the client's answer; where the quota is used up, no further page is asked for."""
        try:
            return await self.session.client.ask(endpoint, **request)
        except QuotaExhausted:
            self.pages.stopped = True
            raise

    def records(self, endpoint: Endpoint, answer: Answer, page: int) -> list[Record]:
        """Return the records of *answer*; what cannot be stored is noted as rejected, by its place."""
        if answer.empty:
            return []
        place = Place(str(endpoint), page=page)
        found: list[Record] = []
        for item in records_in_answer(answer.value, place):
            if isinstance(item, Record):
                found.append(item)
            else:
                self._reject(item)
        return found

    def _reject(self, item: Rejected) -> None:
        stored = self.report.stored
        if item.kind is None:
            stored.unknown_rejected += 1
        else:
            stored.kinds[item.kind].rejected += 1
        if len(stored.rejected) < REJECTED_KEPT:
            stored.rejected.append(item)

    def store(self, records: Sequence[Record], also: Also | None = None) -> None:
        """Store *records*, the log of requests and what *also* writes in one transaction."""
        writer, door = self.session.writer, self.session.door
        permitted: Sequence[Record] = records
        if door is not None:
            permitted = door.permitted(writer, records)
        exchanges = self.session.client.drain()
        closed = 0

        def with_rows(generation: int) -> None:
            nonlocal closed
            self._log(exchanges)
            if door is not None:
                closed = door.close_behind(writer, generation)
            if also is not None:
                also(generation)

        store_records(writer, permitted, self.report.stored, also=with_rows)
        self.report.restricted += closed
        if door is not None:
            self.report.withheld += door.records
            door.records = 0
            door.calls.clear()

    def _log(self, exchanges: Sequence[Exchange]) -> None:
        self.session.writer.connection.executemany(
            """INSERT INTO sync_requests (run_no, at, endpoint, status, request_id, milliseconds)
               VALUES (?, ?, ?, ?, ?, ?)""",
            [
                (self._run_no, item.at, item.endpoint, item.status, item.request_id, item.milliseconds)
                for item in exchanges
            ],
        )


class Cursors:
    """Reads the cursor of each page of one listing and refuses one that came before.

    Raises:
        CursorStuck: from ``after``: paging would go round in a circle.
    """

    def __init__(self, endpoint: Endpoint, sent: str = "") -> None:
        self._endpoint = endpoint
        self._seen = {sent} if sent else set()

    def after(self, answer: Answer) -> str:
        """Return the cursor of the page after *answer*, '' after the last one."""
        records = answer.value.get("records")
        cursor = records.get("cursor") if isinstance(records, dict) else None
        if not isinstance(cursor, str) or not cursor:
            return ""
        if cursor in self._seen:
            raise CursorStuck(
                f"The cursor is not advancing: {self._endpoint} gave one that it gave before",
                "Run the same command again; if it stays so, tell Gong's support the request id.",
                request_id=answer.request_id,
            )
        self._seen.add(cursor)
        return cursor


def total_of(answer: Answer) -> int | None:
    """Return how many records Gong says there are on all pages; None when it does not say."""
    records = answer.value.get("records")
    total = records.get("totalRecords") if isinstance(records, dict) else None
    return total if isinstance(total, int) and not isinstance(total, bool) else None


async def run_workers(count: int, work: Callable[[], Awaitable[None]]) -> None:
    """Run *work* *count* times at once; when one fails the others are stopped and its fault is raised.

    Where the quota is used up the others store what they are about to receive: it is paid for.
    """
    tasks = [asyncio.ensure_future(work()) for _ in range(count)]
    try:
        await asyncio.gather(*tasks)
    except QuotaExhausted:
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
