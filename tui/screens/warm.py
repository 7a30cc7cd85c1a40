"""Warming the cache: progress, stop, and what was done."""

from __future__ import annotations

import time
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import ProgressBar, Static
from textual.worker import get_current_worker

from gongmcp.errors import StartupRefusal
from tui.literal import literal
from tui.operations import Operations
from tui.screens.dialog import Dialog
from tui.widgets.key_line import KeyLine

_PACE = 0.05
"""Seconds between two reports of progress."""


class Warm(Dialog[str]):
    """Runs ``Operations.warm`` in a thread; gives the sentence on what was done."""

    @dataclass
    class Progress(Message):
        """So many calls are done."""

        done: int
        total: int

    @dataclass
    class Ended(Message):
        """Warming ended: with a sentence, or with what went wrong."""

        report: str
        failed: bool

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self._stop = False
        self._ended = False
        self._report: str | None = None
        self._done = 0
        self._total = 0
        self._told = 0.0

    def compose(self) -> ComposeResult:
        """Lay out the words over the bar."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = Content("Warming the cache")
            yield Static(Content("Preparing the read model that agents are served from …"), id="warm-words")
            yield ProgressBar(show_eta=False, id="warm-bar")
            yield Static(Content.styled("esc stops; what is done until then is kept.", "$quiet"), id="warm-hint")
        yield KeyLine()

    def on_mount(self) -> None:
        """Start."""
        self.run_worker(self._warm, thread=True, group="warm", exit_on_error=False)

    def _warm(self) -> None:
        worker = get_current_worker()
        try:
            report = self._operations.warm(self._tell, lambda: self._stop or worker.is_cancelled)
        except StartupRefusal as refusal:
            self.post_message(self.Ended(f"{refusal.message} {refusal.hint}".strip(), failed=True))
        except Exception as error:  # noqa: BLE001 - an operation's failure is shown, whatever it is
            self.post_message(self.Ended(f"{type(error).__name__}: {error}", failed=True))
        else:
            self.post_message(self.Ended(report, failed=False))

    def _tell(self, done: int, total: int) -> None:
        """Pass progress on, but no faster than a screen can show it."""
        now = time.monotonic()
        if now - self._told >= _PACE or done >= total:
            self._told = now
            self.post_message(self.Progress(done, total))

    def on_warm_progress(self, event: Progress) -> None:
        """Move the bar."""
        self._done, self._total = event.done, event.total
        self.query_one(ProgressBar).update(total=event.total or None, progress=event.done)
        self.query_one("#warm-words", Static).update(Content(f"{event.done:,} of {event.total:,} calls"))

    def on_warm_ended(self, event: Ended) -> None:
        """Close with the report; that it failed, or was stopped, stays on screen until it is read."""
        self._ended = True
        if event.failed:
            self._say(literal(f"It failed. {event.report}", "$error"), "esc closes. gongctl cache status says more.")
        elif self._stop and (not self._total or self._done < self._total):
            self._report = event.report
            where = f"at {self._done:,} of {self._total:,} calls" if self._total else "before the first call"
            told = literal(f"Stopped {where}. {event.report}", "$warning")
            self._say(told, "What is done is kept: w goes on from there. esc closes.")
        else:
            self.dismiss(event.report)

    def _say(self, words: Content, hint: str) -> None:
        self.query_one("#warm-words", Static).update(words)
        self.query_one("#warm-hint", Static).update(Content(hint))

    def action_close(self) -> None:
        """Ask the operation to stop; close when it has."""
        if self._ended:
            self.dismiss(self._report)
            return
        self._stop = True
        self.query_one("#warm-hint", Static).update(Content("Stopping after the call in hand …"))
