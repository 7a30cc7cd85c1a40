"""``sync calls``: the list of calls, window by window of start time, so that no call is lost.

A window is read page by page; after each page its rows and the cursor are stored together. An expired cursor starts
its window over, and a second time cuts it in two. Where the number of calls changes while a window is read, a page
may have lost one to the shift: the window is read once more, and if it changes again it stays unsettled, so that the
next run reads it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from gongctl.cache.removal import remove_calls, remove_transcripts
from gongctl.gong.client import Answer
from gongctl.gong.endpoints import CALLS
from gongctl.gong.faults import BadRequest
from gongctl.ingest.records import Record
from gongctl.sync.coverage import (
    Span,
    Window,
    beginning,
    drop_window,
    finish_window,
    forget_coverage,
    note_beginning,
    plan_windows,
    save_window,
)
from gongctl.sync.reconcile import take_out_gone
from gongctl.sync.report import StepReport
from gongctl.sync.selection import Selection
from gongctl.sync.session import RESTARTS, Cursors, Pages, Progress, Session, Step, run_workers, total_of
from gongctl.sync.times import DAY, HOUR, written
from gongmcp.errors import Exit, StartupRefusal

PrivateCalls = Literal["skip", "metadata", "all"]
PRIVATE: Final = ("skip", "metadata", "all")
"""Of calls marked as private: store nothing, no transcript, or everything."""

LOOK_BACK: Final = 3 * DAY
WINDOW: Final = 30 * DAY
_SHORTEST: Final = 2 * HOUR
"""A window that is not longer is not cut."""


@dataclass(frozen=True, slots=True)
class WantedCalls:
    """What ``sync calls`` is to list. Times are seconds since 1970; *from_at* None = from where it began before."""

    to_at: int
    from_at: int | None = None
    selection: Selection = field(default_factory=Selection)
    workspace: str = ""
    private: PrivateCalls = "metadata"
    look_back: int = LOOK_BACK
    window: int = WINDOW
    max_pages: int | None = None
    again: bool = False
    reconcile: bool = False
    max_gone: int | None = None

    def question(self, base_url: str) -> str:
        """Return what is asked apart from the time, as the coverage is kept by."""
        words = [f"calls of {base_url}: {self.selection}"]
        if self.workspace:
            words.append(f"workspace {self.workspace}")
        if self.private == "skip":
            words.append("without private ones")
        return ", ".join(words)


def first_moment(session: Session, wanted: WantedCalls) -> int:
    """Return where the listing begins.

    Raises:
        StartupRefusal: nothing was listed before and no beginning is given, or it lies behind the end.
    """
    if wanted.from_at is None:
        known = beginning(session.writer.connection, wanted.question(session.base_url))
        if known is None:
            raise StartupRefusal(
                "Calls were never listed this way, so the first day is needed.",
                "Give it with --from, such as --from 2025-01-01 or --from -365d; later runs know it.",
                Exit.USAGE,
            )
        return known
    if wanted.from_at >= wanted.to_at:
        raise StartupRefusal("The window of time ends before it begins.", "Compare --from and --to.", Exit.USAGE)
    return wanted.from_at


async def sync_calls(session: Session, wanted: WantedCalls, progress: Progress | None = None) -> StepReport:
    """List the calls that *wanted* names and store them; what is settled is passed over."""
    question = wanted.question(session.base_url)
    begin = first_moment(session, wanted)
    end = min(wanted.to_at, session.now)
    async with session.step("calls", question, Pages(wanted.max_pages)) as step:
        step.report.unit = "windows"
        step.report.from_at, step.report.to_at = written(begin), written(end)
        with session.writer.transaction():
            if wanted.again or wanted.reconcile:
                forget_coverage(session.writer.connection, question, (begin, end))
            note_beginning(session.writer.connection, question, begin, wanted.look_back)
        windows = plan_windows(
            session.writer.connection,
            question,
            (begin, end),
            look_back=wanted.look_back,
            length=wanted.window,
            now=session.now,
        )
        step.report.planned = len(windows)
        listing = _Listing(step, wanted, question, deque(windows), progress or (lambda done, total: None))
        await run_workers(min(session.concurrency, len(windows)), listing.work)
        listing.tell()
        if wanted.reconcile and step.pages.open:
            step.report.gone = await take_out_gone(
                step, (begin, end), listing.seen, wanted.workspace, wanted.max_gone, listing.confirm
            )
    return step.report


@dataclass(slots=True)
class _Listing:
    """The windows under way."""

    step: Step
    wanted: WantedCalls
    question: str
    windows: deque[Window]
    progress: Progress
    seen: set[str] = field(default_factory=set)
    _restarts: Counter[Span] = field(default_factory=Counter)
    _read_again: set[int] = field(default_factory=set)
    _unsteady: int = 0
    _short: int = 0
    _answered: bool = False

    async def work(self) -> None:
        """Read windows until there are no more, or no more pages may be asked for."""
        report = self.step.report
        while self.windows and self.step.pages.open:
            window = self.windows.popleft()
            try:
                finished = await self._read(window)
            except _CursorRefused as refused:
                self._start_over(refused.window)
                continue
            report.finished += finished
            self.progress(report.finished, report.planned)

    async def _read(self, window: Window) -> bool:
        """Read *window* from where it is to its end; False when the limit of pages came first."""
        cursors = Cursors(CALLS, window.cursor)
        while self.step.pages.take():
            try:
                answer = await self.step.ask(CALLS, body=self._body(window))
            except BadRequest as fault:
                if window.cursor:
                    raise _CursorRefused(window) from fault
                raise
            if answer.empty and window.cursor:
                raise _CursorRefused(window)
            records = self.step.records(CALLS, answer, window.pages + 1)
            window = window.after_page(
                cursor=cursors.after(answer),
                records=_count(answer),
                total=0 if answer.empty else total_of(answer),
                now=self.step.session.now,
            )
            if window.cursor:
                self._store(records, window, finished=False)
                continue
            if (window.changed or window.is_short) and window.from_at not in self._read_again:
                self._read_again.add(window.from_at)
                window, cursors = window.begun_anew(), Cursors(CALLS)
                self._store(records, window, finished=False)
                continue
            self._unsteady += window.changed
            self._short += window.is_short and not window.changed
            self._store(records, window, finished=True)
            return True
        return False

    def _body(self, window: Window) -> dict[str, Any]:
        rule = {"fromDateTime": written(window.from_at), "toDateTime": written(window.to_at)}
        if self.wanted.workspace:
            rule["workspaceId"] = self.wanted.workspace
        body: dict[str, Any] = {"filter": rule}
        if (selector := self.wanted.selection.selector()) is not None:
            body["contentSelector"] = selector
        if window.cursor:
            body["cursor"] = window.cursor
        return body

    def _store(self, records: Sequence[Record], window: Window, *, finished: bool) -> None:
        connection = self.step.session.writer.connection

        def also(generation: int) -> None:
            if finished:
                finish_window(connection, self.question, window, self.wanted.look_back)
            else:
                save_window(connection, self.question, window)

        self.confirm(records, also)
        self.step.report.pages += 1

    def confirm(self, records: Sequence[Record], also: Callable[[int], None] | None = None) -> None:
        """Store calls by the policy for private ones; *also* is called in the same transaction."""
        writer = self.step.session.writer
        self.seen.update(record.record_id for record in records)
        self._answered = self._answered or bool(records)
        private = [record.record_id for record in records if _is_private(record)]
        kept = records
        if private and self.wanted.private == "skip":
            kept = [record for record in records if not _is_private(record)]

        def with_rows(generation: int) -> None:
            if private and self.wanted.private == "skip":
                remove_calls(writer, generation, private)
            elif private and self.wanted.private == "metadata":
                remove_transcripts(writer, generation, private)
            if also is not None:
                also(generation)

        self.step.store(kept, with_rows)

    def _start_over(self, window: Window) -> None:
        """Put a window whose cursor was refused back: from its first page, and in two halves after the first time."""
        span = (window.from_at, window.to_at)
        self._restarts[span] += 1
        times = self._restarts[span]
        if times > RESTARTS:
            raise BadRequest(
                f"Gong refuses the cursors of one window again and again ({written(window.from_at)})",
                "Give a shorter --window, such as 1d.",
            )
        connection = self.step.session.writer.connection
        anew = [window.begun_anew()]
        length = window.to_at - window.from_at
        if times > 1 and length > _SHORTEST:
            middle = window.from_at + length // 2
            anew = [Window(window.from_at, middle), Window(middle, window.to_at)]
            self.step.report.planned += 1
        with self.step.session.writer.transaction():
            drop_window(connection, self.question, window)
        self.windows.extendleft(reversed(anew))

    def tell(self) -> None:
        """Say in the report what an operator should know."""
        notes = self.step.report.notes
        if self._unsteady:
            notes.append(f"{self._unsteady:,} windows changed while they were read; the next run reads them again.")
        if self._short:
            notes.append(f"In {self._short:,} windows Gong delivers fewer calls than it says there are.")
        if self.step.report.finished and not self._answered and not self.step.pages.refused:
            notes.append("Gong lists no call in this time. A key that may not see calls gets the same answer.")


class _CursorRefused(Exception):
    """Gong does not take the cursor of *window* any more."""

    def __init__(self, window: Window) -> None:
        super().__init__("a cursor was refused")
        self.window = window


def _count(answer: Answer) -> int:
    calls = answer.value.get(CALLS.container)
    return len(calls) if isinstance(calls, list) else 0


def _is_private(record: Record) -> bool:
    meta = record.payload.get("metaData")
    return isinstance(meta, dict) and meta.get("isPrivate") is True
