"""Running the samples of a tool: each one can be stopped, and the worst case comes first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from gongctl.approval.sample_sets import Sampled
from gongmcp.cancel import Cancel
from gongmcp.handler import ToolHandler
from gongmcp.preview.make import preview as make_preview
from gongmcp.settings import ServerSettings
from tui.reviewing import SampleRun

_LOOK_SECONDS: Final = 0.05


def run_sampled(
    handler: ToolHandler, tool: str, item: Sampled, settings: ServerSettings, should_stop: Callable[[], bool]
) -> SampleRun:
    """Run one sample; *should_stop* is looked at meanwhile, and a running query is interrupted."""
    if item.arguments is None:
        return SampleRun(item.set_name, {}, None, item.why)
    cancel, done = Cancel(), threading.Event()

    def watch() -> None:
        while not done.wait(_LOOK_SECONDS):
            if should_stop():
                cancel.cancel()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        made = make_preview(handler, tool, item.arguments, settings, cancel)
    finally:
        done.set()
        watcher.join()
    return SampleRun(item.set_name, item.arguments, made)


def worst_first(run: SampleRun) -> tuple[int, int, int]:
    """Order runs: a closed gate first, then by size and by what was withheld; sets without a member last."""
    if run.preview is None:
        return 2, 0, 0
    return int(run.preview.approvable), -len(run.preview.wire), -len(run.preview.outcome.ledger.entries)
