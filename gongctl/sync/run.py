"""Running steps: opening the cache and the client, stopping when asked to, warming at the end."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gongctl.cache.writer import CacheWriter
from gongctl.gong.client import open_client
from gongctl.gong.credentials import Credentials
from gongctl.gong.pace import Pace, Quota, Used
from gongctl.gong.retry import Patience
from gongctl.sync.governed import Door, lift_former, sweep
from gongctl.sync.report import StepReport
from gongctl.sync.session import Progress, Session
from gongmcp.governance.restricted import RestrictedList

if TYPE_CHECKING:
    from gongctl.cache.migrations import Migration
    from gongctl.cache.warm import WarmReport

Work = Callable[[Session, Progress], Awaitable[StepReport]]
Shown = Callable[[str], AbstractContextManager[Progress]]
"""Shows the progress of what has the given label while a block runs."""


@dataclass(slots=True)
class Ran:
    """What a run did: a report for each step that was begun, and what the warm at the end did, if it was."""

    steps: list[StepReport] = field(default_factory=list)
    swept: int = 0
    interrupted: bool = False
    used: Used | None = None
    warm: WarmReport | None = None
    warm_refused: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether everything was done."""
        warmed = not self.warm_refused and (self.warm is None or self.warm.finished)
        return not self.interrupted and warmed and all(step.ok for step in self.steps)


@dataclass(frozen=True, slots=True)
class Setting:
    """With what a run works."""

    db: Path
    credentials: Credentials
    quota: Quota = field(default_factory=Quota)
    patience: Patience = field(default_factory=Patience)
    concurrency: int = 3
    restricted: RestrictedList | None = None
    again: bool = False
    migrating: Callable[[Migration], None] | None = None


def run_work(
    setting: Setting,
    work: Sequence[tuple[str, Work]],
    shown: Shown,
    *,
    then: Callable[[CacheWriter, Ran], None] | None = None,
) -> Ran:
    """Run *work*, steps with the labels of their progress, in order, and *then* while the cache is still held.

    A step that failed does not keep the next ones from running, unless nothing more can be asked of Gong. Ctrl-C and
    SIGTERM stop the run; what was stored stays.

    Raises:
        StartupRefusal: the cache cannot be written, or a step is asked for what makes no sense.
    """
    started = time.perf_counter()
    ran = Ran()
    pace = Pace(setting.credentials.account, setting.quota)
    with CacheWriter.open(setting.db, create=True, migrating=setting.migrating) as writer:
        if setting.restricted is not None:
            if setting.again:
                lift_former(writer, setting.restricted.digest)
            with shown("Judging what is stored") as progress:
                ran.swept = sweep(writer, setting.restricted, progress)
        try:
            asyncio.run(_run(setting, writer, pace, work, shown, ran))
        except (asyncio.CancelledError, KeyboardInterrupt):
            ran.interrupted = True
        ran.used = pace.used()
        if then is not None and not ran.interrupted:
            then(writer, ran)
    ran.seconds = time.perf_counter() - started
    return ran


async def _run(
    setting: Setting, writer: CacheWriter, pace: Pace, work: Sequence[tuple[str, Work]], shown: Shown, ran: Ran
) -> None:
    stop_when_told()
    async with open_client(setting.credentials, pace, setting.patience) as client:
        session = Session(
            writer,
            client,
            setting.credentials.base_url,
            Door.of(setting.restricted),
            setting.concurrency,
            reported=ran.steps,
        )
        for label, step in work:
            with shown(label) as progress:
                report = await step(session, progress)
            if report.ends_run:
                return


def stop_when_told() -> None:
    """Make SIGTERM, which schedulers send, stop the task under way as Ctrl-C does."""
    task: asyncio.Task[Any] | None = asyncio.current_task()
    if task is not None and threading.current_thread() is threading.main_thread():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
