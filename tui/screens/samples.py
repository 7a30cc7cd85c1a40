"""The samples of a tool: which sets were run, what they disclose and whether their gates are passed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from gongmcp.preview.model import Lens
from tui import keys
from tui.literal import literal, visible
from tui.reviewing import SampleRun
from tui.screens.dialog import Dialog
from tui.seen import withheld
from tui.widgets.key_line import KeyLine
from tui.widgets.option_rows import OptionRows

_HEAD = f"{'set':<16}{'bytes':>8}  {'withheld':>8}  gates"


class Samples(Dialog[int]):
    """Gives the number of the sample to show. *pin* keeps the arguments of a sample for good."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.SAMPLE_DIALOG, *keys.ROWS]

    def __init__(self, samples: Sequence[SampleRun], chosen: int, pin: Callable[[SampleRun], str]) -> None:
        super().__init__()
        self._samples = samples
        self._chosen = chosen
        self._pin = pin

    def compose(self) -> ComposeResult:
        """Lay out a row a sample, worst first, over what the one under the cursor asks."""
        with Vertical(classes="dialog") as frame:
            frame.border_title = Content("Samples, worst first")
            yield Static(Content.styled(_HEAD, "$quiet"))
            yield OptionRows(*(_option(run) for run in self._samples), markup=False, compact=True)
            yield Static(Content(""), classes="dialog-remark")
        yield KeyLine()

    def on_mount(self) -> None:
        """Put the cursor on the sample on show."""
        options = self.query_one(OptionList)
        options.highlighted = self._chosen if self._chosen >= 0 else None
        options.focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the sample asks."""
        event.stop()
        run = self._samples[event.option_index]
        words = literal("asks " + json.dumps(dict(run.arguments), ensure_ascii=False), "$quiet")
        self.query_one(".dialog-remark", Static).update(words)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give the sample."""
        event.stop()
        self.dismiss(event.option_index)

    def action_pin(self) -> None:
        """Pin the sample under the cursor."""
        highlighted = self.query_one(OptionList).highlighted
        if highlighted is not None and self._samples[highlighted].preview is not None:
            self.notify(visible(self._pin(self._samples[highlighted])), markup=False, timeout=4)

    def action_copy_row(self) -> None:
        """Copy the row under the cursor, with what the sample asks."""
        highlighted = self.query_one(OptionList).highlighted
        if highlighted is not None:
            run = self._samples[highlighted]
            words = str(self.query_one(OptionList).options[highlighted].prompt).split()
            self.app.copy_to_clipboard("\t".join([*words, json.dumps(dict(run.arguments), ensure_ascii=False)]))
            self.notify("Copied the row.", markup=False, timeout=4)


def _option(run: SampleRun) -> Option:
    name = run.set_name.replace("_", " ")
    if run.preview is None:
        return Option(Content.assemble(literal(f"{name:<16}"), literal(run.why, "$quiet")), disabled=True)
    preview = run.preview
    failing = [gate.name for gate in preview.gates if not gate.passed]
    figures = f"{preview.sizes[Lens.WIRE].bytes:>8,}  {sum(span.count for _, span in withheld(preview)):>8,}  "
    gates = literal(f"FAILS {', '.join(failing)}", "$error bold") if failing else Content.styled("ok", "$success")
    return Option(Content.assemble(literal(f"{name:<16}"), literal(figures), gates))
