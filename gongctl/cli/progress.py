"""Progress bars on stderr: items or bytes, rate, time left. Silent where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""


def _ignore(done: int, total: int) -> None:
    """Stand in for a progress bar where nobody would see it."""


@contextmanager
def bytes_progress(label: str) -> Iterator[Progress]:
    """Show how many bytes of all are done while the block runs."""
    with _progress(label, in_bytes=True) as progress:
        yield progress


@contextmanager
def items_progress(label: str) -> Iterator[Progress]:
    """Show how many items of all are done while the block runs."""
    with _progress(label, in_bytes=False) as progress:
        yield progress


@contextmanager
def _progress(label: str, *, in_bytes: bool) -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield _ignore
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Rate(ProgressColumn):
        """Items a second, from the second update on: before it there is no speed."""

        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f}/s")

    measure: list[ProgressColumn] = (
        [DownloadColumn(), TransferSpeedColumn()] if in_bytes else [MofNCompleteColumn(), Rate()]
    )
    columns = [TextColumn("{task.description}"), BarColumn(), *measure, TimeRemainingColumn()]
    with Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
