"""What a candidate file would change: how many calls go from which bucket to which, before anything is imported."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, OptionList, ProgressBar
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from gongmcp.errors import StartupRefusal
from tui import keys
from tui.findings import HEADS, RIGHT, finding_rows, tally
from tui.literal import literal
from tui.messages import RunRequested
from tui.operations import BucketMove, Operations, ProfileComparison
from tui.paths import candidates
from tui.screens.paned import PanedScreen
from tui.screens.warm import Warm
from tui.widgets.bars import share
from tui.widgets.completing import Completing
from tui.widgets.flow import DOT, Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.option_rows import OptionRows
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes
from tui.widgets.text_fields import Line

_PACE = 0.05
"""Seconds between two reports of progress."""


class PathLine(Line):
    """Takes the path of the candidate file; the right arrow takes the path on offer, down goes on to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.PATH]

    class FilesWanted(Message):
        """The list of files was asked for."""

    def __init__(self) -> None:
        suggester = Completing(candidates)
        super().__init__(placeholder="path of a YAML file", suggester=suggester, id="compare-path", classes="control")

    def action_to_files(self) -> None:
        """Go on to the list."""
        self.post_message(self.FilesWanted())


class CompareProfile(PanedScreen):
    """Choose a file, then see the comparison; one of the two is on show. Nothing is imported here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.COMPARE,
        *keys.PANES,
        keys.HELP,
        keys.WARM,
        keys.BACK,
        keys.QUIT,
    ]

    class Found(Message):
        """Paths that *typed* may go on to."""

        def __init__(self, typed: str, paths: list[str]) -> None:
            super().__init__()
            self.typed = typed
            self.paths = paths

    class Progress(Message):
        """So many calls are done."""

        def __init__(self, done: int, total: int) -> None:
            super().__init__()
            self.done = done
            self.total = total

    class Ended(Message):
        """The comparison ended: with a result, or with what went wrong and what to do."""

        def __init__(self, path: str, result: ProfileComparison | None, failure: str = "", hint: str = "") -> None:
            super().__init__()
            self.path = path
            self.result = result
            self.failure = failure
            self.hint = hint

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self._comparing = False
        self._stopping = False
        self._told = 0.0
        self._paths: list[str] = []
        self._compared = False
        heads = ("bucket", "before", "after", "change")
        self._totals = RowPane("Before and after", heads, right=(1, 2, 3), id="compare-totals")
        self._moves = RowPane("Moves", ("from", "to", "calls", "share"), right=(2, 3), id="compare-moves")
        self._findings = RowPane("Findings", HEADS, right=RIGHT, id="compare-findings")

    def compose(self) -> ComposeResult:
        """Lay out the path over what came of it."""
        yield self.too_small()
        with Horizontal(id="compare-line"):
            yield Label(Content.styled("Candidate", "$primary bold"), id="compare-label")
            yield PathLine()
        yield Flow(id="compare-verdict")
        yield ProgressBar(show_eta=False, id="compare-bar")
        yield OptionRows(compact=True, markup=False, id="compare-files")
        yield Panes([self._totals, self._moves, self._findings], id="compare-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Ask for a file."""
        self.query_one("#compare-files").border_title = Content("Files and folders")
        self.query_one(ProgressBar).display = False
        self._choose()

    def on_unmount(self) -> None:
        """Let no comparison outlive the screen."""
        self._stopping = True

    @property
    def path(self) -> PathLine:
        """The field of the path."""
        return self.query_one(PathLine)

    @property
    def files(self) -> OptionList:
        """The list of files and folders."""
        return self.query_one("#compare-files", OptionList)

    # Choosing

    def _choose(self) -> None:
        self._lay_out(choosing=True)
        if not self._compared:
            words = "Type a path, or go down to the list; enter compares. Nothing is imported."
            self.query_one(Flow).flow([Content(words)])
        self._look(self.path.value)
        self.path.focus()

    def _lay_out(self, *, choosing: bool) -> None:
        self.files.display = choosing
        self.show_panes(not choosing)

    def _look(self, typed: str) -> None:
        def look() -> None:
            self.post_message(self.Found(typed, candidates(typed)))

        self.run_worker(look, thread=True, group="files", exit_on_error=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer the paths that go on from what was typed."""
        event.stop()
        if not self._comparing:
            self._lay_out(choosing=True)
            self._look(event.value)

    def on_compare_profile_found(self, event: Found) -> None:
        """List the paths."""
        event.stop()
        if event.typed != self.path.value:
            return
        if self.files.option_count and event.paths == self._paths:
            return
        self._paths = event.paths
        self.files.clear_options()
        if event.paths:
            self.files.add_options([Option(literal(path)) for path in event.paths])
        else:
            nothing = Content.styled("No YAML file or folder begins so.", "$quiet")
            self.files.add_option(Option(nothing, disabled=True))

    def on_path_line_files_wanted(self, event: PathLine.FilesWanted) -> None:
        """Go on to the list."""
        event.stop()
        if self._paths and self.files.display:
            self.files.highlighted = 0
            self.files.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Compare with the file that was chosen, or look into the folder."""
        event.stop()
        if event.option_list is not self.files:
            return
        path = self._paths[event.option_index]
        with self.prevent(Input.Changed):
            self.path.value = path
        self.path.cursor_position = len(path)
        if path.endswith("/"):
            self._look(path)
            self.path.focus()
        else:
            self.action_run()

    def action_path(self) -> None:
        """Go to the path."""
        if not self._comparing:
            self._choose()

    # Comparing

    def on_run_requested(self, event: RunRequested) -> None:
        """Compare from the field."""
        event.stop()
        self.action_run()

    def action_run(self) -> None:
        """Compare with the file of the path, in a thread."""
        if self._comparing:
            self.say("A comparison runs already; esc stops it.")
            return
        path = self.path.value.strip()
        if not path:
            self.say("Type the path of a YAML file first.")
            self._choose()
            return
        self._comparing, self._stopping, self._told = True, False, 0.0
        bar = self.query_one(ProgressBar)
        bar.update(total=None, progress=0)
        bar.display = True
        self.files.display = False
        self.show_panes(False)
        self._show_running(Content("reading the file"))
        self.set_focus(None)
        self.run_worker(lambda: self._compare(path), thread=True, group="compare", exit_on_error=False)

    def _compare(self, path: str) -> None:
        worker = get_current_worker()
        try:
            result = self._operations.compare_profile(path, self._tell, lambda: self._stopping or worker.is_cancelled)
        except StartupRefusal as refusal:
            self.post_message(self.Ended(path, None, refusal.message, refusal.hint))
        except Exception as error:  # noqa: BLE001 - an operation's failure is shown, whatever it is
            self.post_message(self.Ended(path, None, f"{type(error).__name__}: {error}"))
        else:
            self.post_message(self.Ended(path, result))

    def _tell(self, done: int, total: int) -> None:
        """Pass progress on, but no faster than a screen can show it."""
        now = time.monotonic()
        if now - self._told >= _PACE or done >= total:
            self._told = now
            self.post_message(self.Progress(done, total))

    def on_compare_profile_progress(self, event: Progress) -> None:
        """Move the bar."""
        event.stop()
        if self._comparing and not self._stopping:
            self.query_one(ProgressBar).update(total=event.total or None, progress=event.done)
            self._show_running(Content(f"{event.done:,} of {event.total:,} calls"))

    def _show_running(self, words: Content) -> None:
        hint = Content.styled("esc stops", "$quiet")
        self.query_one(Flow).flow([Content.assemble(("COMPARING", "$primary bold"), "  ", words), hint], DOT)

    def on_compare_profile_ended(self, event: Ended) -> None:
        """Show what came of it."""
        event.stop()
        self._comparing = False
        self.query_one(ProgressBar).display = False
        self._compared = True
        if event.result is None:
            tail = [literal(event.failure)]
            if event.hint:
                tail.append(Content.assemble(("Next: ", "bold"), literal(event.hint)))
            self.query_one(Flow).flow([Content.styled("FAILED", "$error bold")], DOT, Content("\n").join(tail))
            self._choose()
            return
        self._show(event.path, event.result)

    def _show(self, path: str, result: ProfileComparison) -> None:
        self._findings.entitle(len(result.findings), "of the candidate")
        self._findings.show(finding_rows(result.findings), Content("Nothing was found wrong with the candidate."))
        moved = [move for move in result.moves if move.before != move.after]
        totals = _totals(result.moves)
        self._totals.entitle(len(totals))
        self._totals.show(totals, Content("No call was counted."))
        self._moves.entitle(len(moved))
        self._moves.show(
            [_move(move, result.calls) for move in sorted(moved, key=lambda item: -item.calls)],
            Content("No call moves to another bucket."),
        )
        self._show_verdict(path, result, sum(move.calls for move in moved))
        self._lay_out(choosing=False)
        self.panes.offer([self._totals, self._moves, self._findings] if result.valid else [self._findings])
        self.panes.focus_current()

    def _show_verdict(self, path: str, result: ProfileComparison, moved: int) -> None:
        names = [
            literal(result.candidate, "bold"),
            Content.assemble(("against ", "$quiet"), literal(result.against, "bold")),
        ]
        tail: Content | None = None
        if not result.valid:
            state = Content.styled("INVALID", "$error bold")
            figures = [Content(tally(result.findings))]
            tail = Content.assemble("It could not be imported as it is. ", ("Next: ", "bold"), "correct the errors.")
        elif not result.finished:
            state = Content.styled("STOPPED", "$warning bold")
            figures = [Content(f"{moved:,} of the {result.calls:,} calls looked at would move")]
            tail = Content.assemble("The rest was not counted. ", ("Next: ", "bold"), "r counts from the beginning.")
        else:
            state = Content.styled("COMPARED", "$success bold")
            figures = [Content(f"{moved:,} of {result.calls:,} calls would move")]
            command = f"gongctl profile import {shlex.quote(path)} --db DB"
            tail = Content.assemble(("Next: ", "bold"), literal(command))
            if result.same_meaning:
                tail = Content("Both mean the same: an import would change nothing that is answered.")
        self.query_one(Flow).flow([state, *figures, *names], DOT, tail)

    # Going about

    def action_back(self) -> None:
        """Stop what runs; else leave the choice for the comparison on show before; else go back."""
        if self._comparing:
            self._stopping = True
            self._show_running(Content("stopping"))
        elif self.files.has_focus:
            self.path.focus()
        else:
            self.dismiss()

    def action_warm(self) -> None:
        """Warm the cache, when nothing is being compared."""
        if self._comparing:
            self.say("A comparison runs; esc stops it.")
            return
        self.app.push_screen(Warm(self._operations), lambda report: self.say(report) if report is not None else None)


def _totals(moves: tuple[BucketMove, ...]) -> list[Row]:
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for move in moves:
        before[move.before] += move.calls
        after[move.after] += move.calls
    return [_total(bucket, before[bucket], after[bucket]) for bucket in dict.fromkeys([*before, *after])]


def _total(bucket: str, before: int, after: int) -> Row:
    change = f"{after - before:+,}" if after != before else "same"
    return Row(
        (
            literal(bucket, "bold"),
            Content(f"{before:,}"),
            Content(f"{after:,}"),
            Content.styled(change, "$quiet" if after == before else "$warning bold"),
        ),
        Content.assemble(literal(bucket, "bold"), f"  calls before {before:,}, after {after:,}"),
        "\t".join((bucket, str(before), str(after))),
    )


def _move(move: BucketMove, calls: int) -> Row:
    part = share(move.calls, calls)
    return Row(
        (
            literal(move.before, "bold"),
            Content.assemble("→ ", literal(move.after, "bold")),
            Content(f"{move.calls:,}"),
            Content.styled(part, "$quiet"),
        ),
        Content.assemble(
            *("from ", literal(move.before, "bold"), " to ", literal(move.after, "bold")),
            f"  calls {move.calls:,}, {part} of all",
        ),
        "\t".join((move.before, move.after, str(move.calls))),
    )
