"""``sync scorecards``: the answered scorecards, day by day of their review.

They are listed by the day of the review, not of the call: a review of an old call shows up when it is made. Gong
takes days in the company's time zone, which is not known here; so a day more is asked for on either side.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Final, Literal

from gongctl.gong.endpoints import ANSWERED
from gongctl.gong.faults import BadRequest
from gongctl.sync.coverage import Window, beginning, finish_window, forget_coverage, note_beginning, plan_windows
from gongctl.sync.report import StepReport
from gongctl.sync.session import RESTARTS, Cursors, Pages, Progress, Session, Step, run_workers
from gongctl.sync.times import DAY, day, written
from gongmcp.errors import Exit, StartupRefusal

ReviewMethod = Literal["BOTH", "AUTOMATIC", "MANUAL"]
REVIEW_METHODS: Final = ("BOTH", "AUTOMATIC", "MANUAL")
LOOK_BACK: Final = 7 * DAY
WINDOW: Final = 30 * DAY


@dataclass(frozen=True, slots=True)
class WantedScorecards:
    """Which reviews are to be listed; times are seconds since 1970, taken as whole days."""

    to_at: int
    from_at: int | None = None
    method: ReviewMethod = "BOTH"
    look_back: int = LOOK_BACK
    max_pages: int | None = None
    again: bool = False

    def question(self, base_url: str) -> str:
        """Return what is asked apart from the time."""
        return f"answered scorecards of {base_url}: {self.method}"


async def sync_scorecards(session: Session, wanted: WantedScorecards, progress: Progress | None = None) -> StepReport:
    """List the answered scorecards of reviews that *wanted* names, and store them."""
    question = wanted.question(session.base_url)
    connection = session.writer.connection
    begin, end = _days(session, wanted, question)
    async with session.step("scorecards", question, Pages(wanted.max_pages)) as step:
        step.report.unit = "windows"
        step.report.from_at, step.report.to_at = written(begin), written(end)
        with session.writer.transaction():
            if wanted.again:
                forget_coverage(connection, question, (begin, end))
            note_beginning(connection, question, begin, wanted.look_back)
        windows = deque(
            plan_windows(connection, question, (begin, end), look_back=wanted.look_back, length=WINDOW, now=session.now)
        )
        step.report.planned = len(windows)

        async def work() -> None:
            while windows and step.pages.open:
                finished = await _read(step, wanted, question, windows.popleft())
                step.report.finished += finished
                if progress is not None:
                    progress(step.report.finished, step.report.planned)

        await run_workers(min(session.concurrency, len(windows)), work)
    return step.report


def _days(session: Session, wanted: WantedScorecards, question: str) -> tuple[int, int]:
    """Return the first moment and the end of the listing, both at the beginning of a day in UTC."""
    end = min(wanted.to_at, session.now)
    end = end if end % DAY == 0 else end - end % DAY + DAY
    begin = wanted.from_at
    if begin is None:
        begin = beginning(session.writer.connection, question)
        if begin is None:
            raise StartupRefusal(
                "Scorecards were never listed this way, so the first day is needed.",
                "Give it with --from, such as --from 2025-01-01 or --from -365d; later runs know it.",
                Exit.USAGE,
            )
    begin -= begin % DAY
    if begin >= end:
        raise StartupRefusal("The window of time ends before it begins.", "Compare --from and --to.", Exit.USAGE)
    return begin, end


async def _read(step: Step, wanted: WantedScorecards, question: str, window: Window) -> bool:
    """Read one window to its end; False when the limit of pages came first, and it is read again from its beginning."""
    rule = {"reviewFromDate": day(window.from_at - DAY), "reviewToDate": day(window.to_at + DAY)}
    body: dict[str, Any] = {"filter": rule | {"reviewMethod": wanted.method}}
    cursors = Cursors(ANSWERED)
    listed = Window(window.from_at, window.to_at, listed_at=step.session.now)
    connection = step.session.writer.connection
    page = 0
    restarts = 0
    while step.pages.take():
        try:
            answer = await step.ask(ANSWERED, body=body)
        except BadRequest:
            if "cursor" not in body or restarts == RESTARTS:
                raise
            restarts, cursors, page = restarts + 1, Cursors(ANSWERED), 0
            body.pop("cursor")
            continue
        page += 1
        records = step.records(ANSWERED, answer, page)
        cursor = cursors.after(answer)

        def also(generation: int, last: bool = not cursor) -> None:
            if last:
                finish_window(connection, question, listed, wanted.look_back)

        step.store(records, also)
        step.report.pages += 1
        if not cursor:
            return True
        body["cursor"] = cursor
    return False
