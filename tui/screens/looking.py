"""What the home screen does with the preview on show: lenses, reasons, places, finding, copying, one look behind."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Mapping
from functools import partial

from textual.content import Content

from gongmcp.cancel import Cancel
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.ledger import Ledger
from gongmcp.preview.exempt import exemption
from gongmcp.preview.model import Lens, Preview
from tui.finding import Bad, Path, Words
from tui.literal import literal
from tui.messages import GovernanceCompared, RunRequested, WithheldPointed
from tui.operations import Operations
from tui.screens.confirm import Confirm
from tui.screens.cost import Cost
from tui.screens.export import Export
from tui.screens.reveal import Reveal
from tui.screens.reviewing_screen import ReviewingScreen
from tui.screens.segment import Segment
from tui.seen import Manner, withheld
from tui.widgets.find_line import FindLine
from tui.widgets.sees import Sees


class Looking(ReviewingScreen):
    """*AGENT SEES* and *WITHHELD*, linked both ways.

    Attributes:
        span_of: number of the span of each entry of the ledger on show; what governance took has none.
        withheld_count: how many things were withheld, what governance took included.
    """

    span_of: Mapping[int, int] = {}
    withheld_count: int = 0
    _compared = 0
    _second: Cancel | None = None

    def show_withheld(self, preview: Preview | None) -> None:
        """List what was withheld from *preview*; what governance took from it follows when that is known."""
        self._compared += 1
        if self._second is not None:
            self._second.cancel()
            self._second = None
        self.span_of = {} if preview is None else {span.entry: number for number, span in withheld(preview)}
        self.withheld_count = 0 if preview is None else sum(span.count for _, span in withheld(preview))
        self._list(preview, None if preview is None else preview.outcome.ledger)
        operations = self.bench.operations
        if preview is not None and operations is not None:
            self._second = Cancel()
            compare = partial(self._compare, self._compared, preview, operations, self._second)
            self.run_worker(compare, thread=True, group="governance", exit_on_error=False)

    def _list(self, preview: Preview | None, ledger: Ledger | None) -> None:
        layers = {} if preview is None else {span.entry: span.layer for _, span in withheld(preview)}
        is_error = preview is not None and preview.outcome.answer.is_error
        self.withheld.show(ledger, is_error=is_error, layers=layers)
        self.withheld.border_title = Content(f"WITHHELD  {self.withheld_count:,}")

    def _compare(self, number: int, preview: Preview, operations: Operations, cancel: Cancel) -> None:
        try:
            taken = operations.ungoverned(
                preview.tool, dict(preview.arguments), self.bench.handler.policy, preview.outcome, cancel
            )
        except Exception:  # noqa: BLE001 - the answer stands without it; the governance screen (o) says what is wrong
            return
        self.post_message(GovernanceCompared(number, preview.tool, taken))

    def on_governance_compared(self, event: GovernanceCompared) -> None:
        """List also what governance took, unless something else is on show by now."""
        event.stop()
        preview = self.preview
        if event.number != self._compared or preview is None or not event.ledger.entries:
            return
        joined = Ledger()
        for ledger in (preview.outcome.ledger, event.ledger):
            for entry in ledger.entries:
                joined.add(entry, ledger.reasons[entry.rule])
        pointed = self.withheld.pointed
        self.withheld_count += sum(entry.count for entry in event.ledger.entries)
        self._list(preview, joined)
        if pointed is not None:
            self.withheld.select(pointed)
        self.show_head()

    def on_withheld_pointed(self, event: WithheldPointed) -> None:
        """Show the place in what the agent sees."""
        event.stop()
        self.sees.point_at(self.span_of.get(event.index))

    def on_sees_pointed(self, event: Sees.Pointed) -> None:
        """Show the reason for what is missing in the row under the cursor."""
        event.stop()
        if event.spans and self.preview is not None:
            self.withheld.select(self.preview.spans[event.spans[0]].entry)

    def action_withheld(self, step: int) -> None:
        """Go to the next or previous withheld thing."""
        self.turn_page("work")
        if not self.withheld.step(step):
            self.say("Nothing was withheld here.")

    def action_lens(self) -> None:
        """Look through the next lens."""
        lenses = list(Lens)
        lens = lenses[(lenses.index(self.sees.lens) + 1) % len(lenses)]
        self._turn(lens, None)

    def action_view(self) -> None:
        """Show the next view."""
        manners = list(Manner)
        self._turn(None, manners[(manners.index(self.sees.manner) + 1) % len(manners)])

    def action_view_as(self, name: str) -> None:
        """Show the view *name*."""
        self._turn(None, Manner[name])

    def _turn(self, lens: Lens | None, manner: Manner | None) -> None:
        self.turn_page("work")
        self.sees.turn(lens, manner)
        self.show_head()
        self.withheld.point_again()

    def _pointed(self) -> int | None:
        """Return the number of the span that is pointed at."""
        entry = self.withheld.pointed
        number = None if entry is None else self.span_of.get(entry)
        if number is None:
            self.say("Point at something withheld first: n goes to the next one.")
        return number

    def action_detail(self) -> None:
        """Say all that is known of what is pointed at."""
        number, preview, look = self._pointed(), self.preview, self.look
        if number is not None and preview is not None and look is not None:
            self.app.push_screen(Segment(preview, preview.spans[number], look.samples or ()))

    def action_reveal(self) -> None:
        """Ask whether the value is really to be shown."""
        number, preview = self._pointed(), self.preview
        if number is None or preview is None:
            return
        if self.bench.restricted:
            self.say("In restricted mode nothing is revealed.")
            return
        span = preview.spans[number]
        words = Content("\n").join([
            literal(f"{span.state} {span.kind} at /{'/'.join(map(str, span.place))}", "bold"),
            literal(f"by {span.rule}: {span.reason}"),
            Content(""),
            Content("This one value is shown for a short time. It is not copied and not kept."),
            Content("The audit log says that you looked, and not what you saw."),
        ])  # fmt: skip
        self.app.push_screen(Confirm("Reveal one withheld value?", words), partial(self._reveal, preview, number))

    async def _reveal(self, preview: Preview, number: int, yes: bool | None) -> None:
        if not yes:
            return
        try:
            revealed = await asyncio.to_thread(self.bench.reviewing.reveal, preview, number)
        except StartupRefusal as refusal:
            self.say(f"{refusal.message} {refusal.hint}".strip())
            return
        if revealed is None:
            self.say("There is no value behind this: nothing was taken out that can be shown.")
        else:
            place = "/" + "/".join(map(str, preview.spans[number].place))
            self.app.push_screen(Reveal(revealed, place))

    async def action_exempt_draft(self) -> None:
        """Draft the settings that would let what is pointed at through; nothing is applied."""
        number, preview = self._pointed(), self.preview
        if number is None or preview is None:
            return
        bench = self.bench
        made = await self.ask(exemption, preview, preview.spans[number], bench.handler.policy, bench.settings)
        if made is not None:
            self.app.push_screen(Export("A draft: nothing is applied", "exempt.draft.toml", made.text()))

    def action_cost(self) -> None:
        """Show what definitions and answer cost."""
        self.app.push_screen(Cost(self.queue.items, self.preview))

    def action_find(self) -> None:
        """Ask for words to find."""
        self.turn_page("work")
        self.query_one(FindLine).open()

    def on_run_requested(self, event: RunRequested) -> None:
        """Find what was typed; what cannot be found says so beside the field, which keeps the cursor."""
        event.stop()
        if self._find(1):
            self.sees.lines.focus()

    def action_find_next(self, step: int) -> None:
        """Go to the next or previous place of what was typed."""
        if not self.query_one(FindLine).value:
            self.action_find()
        elif not self._find(step):
            self.query_one(FindLine).open()

    def _find(self, step: int) -> bool:
        field = self.query_one(FindLine)
        sought = field.wanted
        found = False
        if isinstance(sought, Words):
            found = self.sees.lines.find(sought, step)
        elif isinstance(sought, Path):
            found = self.sees.jump(sought, step)
            self.show_head()
        field.say("" if found or isinstance(sought, Bad) else "not found")
        return found

    def action_swap(self) -> None:
        """Go from one pane to the other."""
        self.turn_page("work")
        to_withheld = not self.withheld.has_focus_within
        self.set_class(to_withheld, "-swapped")
        if self.has_class("-zoomed"):
            self.set_class(to_withheld, "-zoom-withheld")
        pane = self.withheld.options if to_withheld else self.sees.lines
        self.call_after_refresh(pane.focus)

    def action_zoom(self) -> None:
        """Give one pane the whole window, or take it back."""
        self.turn_page("work")
        self.set_class(self.withheld.has_focus_within, "-zoom-withheld")
        self.toggle_class("-zoomed")

    def action_copy(self) -> None:
        """Copy, to the byte, what the lens hands on; from the list of what was withheld, its row."""
        row = self.withheld.row_text if self.withheld.has_focus_within else ""
        text = row or self.sees.exact
        if text:
            self.app.copy_to_clipboard(text)
            self.say(f"Copied {len(text.encode()):,} bytes to the terminal's clipboard.")
        else:
            self.say("There is nothing to copy yet.")

    def action_command(self) -> None:
        """Copy the command that prints the same."""
        look = self.look
        if look is None:
            return
        words = [
            "gongctl",
            "mcp",
            "call",
            self.bench.tool,
            "--args",
            json.dumps(dict(look.arguments), ensure_ascii=False),
        ]
        if self.bench.preset:
            words += ["--tool-preset", self.bench.preset]
        words += ["--transcript-evidence-provenance", self.bench.handler.policy.provenance.value]
        words += ["--explain", "--text"]
        self.app.copy_to_clipboard(shlex.join(words))
        self.say("Copied the command; it takes the cache from GONGCTL_DB.")
