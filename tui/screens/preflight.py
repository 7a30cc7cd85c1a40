"""The main screen: pick a tool, fill in its arguments, see what an agent receives and what it does not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from gongmcp.cancel import Cancel
from gongmcp.errors import StartupRefusal, ToolFault, UnknownTool
from gongmcp.exposure.fields import Provenance
from gongmcp.handler import Outcome
from gongmcp.settings import ServerSettings
from tui import keys
from tui.editor import is_at_hand
from tui.governing import governing
from tui.literal import literal, visible
from tui.messages import (
    CallEnded,
    DraftChanged,
    GovernanceCompared,
    OutsideCounted,
    RunRequested,
    ToolChosen,
    ToolHighlighted,
    WithheldPointed,
)
from tui.operations import Operations
from tui.ports import Handler, ToolInfo, count_of_tools
from tui.schema import hint
from tui.screens.choose import Choice, Choose
from tui.screens.governance import Governance
from tui.screens.profile import BusinessProfile
from tui.screens.warm import Warm
from tui.verdict import State, Verdict, judge
from tui.widgets.argument_form import ArgumentForm, Drafts
from tui.widgets.key_line import KeyLine
from tui.widgets.policy_bar import PolicyBar, choice_of_tools
from tui.widgets.receives import Receives
from tui.widgets.tool_head import ToolHead
from tui.widgets.tool_list import ToolList
from tui.widgets.verdict_bar import VerdictBar
from tui.widgets.withheld import Withheld

PREVIEW_ONLY = "For this preview only: the server keeps its own settings."
PROVENANCES = {
    Provenance.REDACTED: "Quotations carry neither ids nor references.",
    Provenance.ALIAS: "Quotations carry stable aliases (call_ref, speaker_ref), never ids.",
    Provenance.RAW: "Aliases, and each raw id whose include_* argument is set.",
}
_TICK = 0.1


@dataclass(frozen=True, slots=True)
class _Run:
    """The last run of one tool: what came back and what it means."""

    verdict: Verdict
    outcome: Outcome | None


class Preflight(Screen[None]):
    """Tools on the left, arguments above, the result in two panes below.

    On narrow terminals tools with arguments, and the result, are two pages; on slim ones each part is.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*keys.PREFLIGHT]

    def __init__(
        self,
        handler: Handler,
        operations: Operations | None,
        clock: Callable[[], float] = time.monotonic,
        *,
        settings: ServerSettings | None = None,
        restricted: bool = False,
    ) -> None:
        """Take what ``PreflightApp`` was given."""
        super().__init__()
        self._governing = governing(settings) if settings is not None else []
        self._restricted = restricted
        self._counting = 0
        self._outside = 0
        self._handler = handler
        self._started_with = handler
        self._operations = operations
        self._clock = clock
        self._tools: dict[str, ToolInfo] = {}
        self._tool: ToolInfo | None = None
        self._drafts: dict[str, Drafts] = {}
        self._runs: dict[str, _Run] = {}
        self._number = 0
        self._cancel: Cancel | None = None
        self._since = 0.0
        self._page = "tools"
        self.add_class("-page-tools")

    def compose(self) -> ComposeResult:
        """Lay out policy bar, tools, arguments, verdict, panes and keys."""
        yield Static(Content("This needs 40x12.\nq quits · ? helps"), id="too-small")
        yield PolicyBar(id="policy")
        with Horizontal(id="body"):
            yield ToolList(id="tools")
            with Vertical(id="work"):
                with Vertical(id="arguments"):
                    yield ToolHead(id="tool-head")
                    yield ArgumentForm(id="form")
                    yield Static(Content(""), id="field-help")
                with Vertical(id="result"):
                    yield VerdictBar(id="verdict")
                    with Horizontal(id="panes"):
                        yield Receives(id="receives")
                        yield Withheld(id="withheld")
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the screen from the handler."""
        self.query_one("#tools").border_title = Content("Tools")
        self.query_one("#arguments").border_title = Content("Arguments")
        self._explain()
        self._show_policy()
        self._count_outside()
        self._show_tools()
        self._tick = self.set_interval(_TICK, self._show_elapsed, pause=True)
        self.tool_list.options.focus()

    def on_unmount(self) -> None:
        """Let no query outlive the screen."""
        if self._cancel is not None:
            self._cancel.cancel()

    # Parts

    @property
    def tool_list(self) -> ToolList:
        """The list of tools."""
        return self.query_one(ToolList)

    @property
    def form(self) -> ArgumentForm:
        """The form of arguments."""
        return self.query_one(ArgumentForm)

    @property
    def receives(self) -> Receives:
        """What the agent receives."""
        return self.query_one(Receives)

    @property
    def withheld(self) -> Withheld:
        """What was withheld."""
        return self.query_one(Withheld)

    @property
    def tool(self) -> ToolInfo | None:
        """The tool on show; None when the policy offers none."""
        return self._tool

    @property
    def running(self) -> bool:
        """Whether a call is under way."""
        return self._cancel is not None

    # Policy

    def _show_policy(self) -> None:
        self._freshness = self._handler.freshness()
        self._draw_policy()

    def _draw_policy(self) -> None:
        self.query_one(PolicyBar).show(
            self._handler.policy,
            self._freshness,
            self._started_with.policy,
            self._governing,
            outside=self._outside,
            short=not self.has_class("-tall"),
        )

    def on_resize(self) -> None:
        """Say as much of the policy as there is room for, once it is known."""
        self.call_after_refresh(self._draw_policy)

    def _count_outside(self) -> None:
        """Count in a thread the calls that do not exist for agents; unknown counts as none."""
        operations = self._operations
        self._counting += 1
        if operations is None:
            return

        def count(number: int = self._counting) -> None:
            try:
                outside = operations.outside()
            except Exception:  # noqa: BLE001 - the governance screen (o) says what is wrong; here it is one line less
                outside = 0
            self.post_message(OutsideCounted(number, outside))

        self.run_worker(count, thread=True, group="outside", exit_on_error=False)

    def on_outside_counted(self, event: OutsideCounted) -> None:
        """Say how many calls are outside, unless they are being counted anew."""
        event.stop()
        if event.number == self._counting:
            self._outside = event.calls
            self._draw_policy()

    def _show_tools(self) -> None:
        tools = self._handler.tools()
        self._tools = {tool.name: tool for tool in tools}
        self.tool_list.border_title = Content(f"Tools ({len(tools)})")
        current = self._tool.name if self._tool is not None and self._tool.name in self._tools else None
        self._tool = None
        self.tool_list.show(tools, current)

    def _take(self, handler: Handler) -> None:
        """Go on under another policy: what was seen under the last one is no longer shown."""
        self.action_cancel()
        self._handler = handler
        self._runs.clear()
        self._show_policy()
        self._show_tools()
        if not self.has_class("-wide"):
            # The page on show may speak of a tool that is gone, and its focus may now be out of sight.
            self._to_tools()

    def action_preset(self) -> None:
        """Choose which tools exist."""
        policy = self._handler.policy
        started = self._started_with.policy
        choices = []
        if started.preset is None:
            count = len(self._started_with.tools())
            choices.append(Choice("", choice_of_tools(started), f"{count} tools, as the server was configured"))
        for name in self._handler.presets():
            count = count_of_tools(self._started_with.with_policy(preset=name))
            choices.append(Choice(name, name, f"{count} tool{'' if count == 1 else 's'}"))
        self.app.push_screen(Choose("Preset", choices, policy.preset or "", PREVIEW_ONLY), self._set_preset)

    def _set_preset(self, name: str | None) -> None:
        if name is None:
            return
        provenance = self._handler.policy.provenance.value
        try:
            self._take(self._started_with.with_policy(preset=name or None, provenance=provenance))
        except StartupRefusal as refusal:
            self._say(refusal.message)

    def action_provenance(self) -> None:
        """Choose what may identify the source of a quotation."""
        modes = [mode for mode in Provenance if mode is not Provenance.RAW or not self._restricted]
        choices = [Choice(mode.value, mode.value, PROVENANCES[mode]) for mode in modes]
        current = self._handler.policy.provenance.value
        self.app.push_screen(Choose("Provenance", choices, current, PREVIEW_ONLY), self._set_provenance)

    def _set_provenance(self, mode: str | None) -> None:
        if mode is not None:
            self._take(self._handler.with_policy(provenance=mode))

    # Tools and arguments

    async def on_tool_highlighted(self, event: ToolHighlighted) -> None:
        """Show the tool under the cursor with its drafts and its last run."""
        event.stop()
        if self._tool is not None and self._tool.name == event.name:
            return
        self.action_cancel()
        self._tool = tool = self._tools.get(event.name)
        if tool is None:
            return
        self.query_one(ToolHead).show(tool)
        self.query_one("#arguments").border_title = literal(tool.name)
        await self.form.load(tool, self._drafts.setdefault(tool.name, Drafts()), partial(self._complete, tool.name))
        self._show_run()

    def _complete(self, tool: str, argument: str, typed: str, given: dict[str, str]) -> list[str]:
        """Return what may be offered for an argument; nothing where policy or cache give none."""
        try:
            return self._handler.complete(tool, argument, typed, given={k: v for k, v in given.items() if v})
        except (UnknownTool, ToolFault):
            return []

    def on_tool_chosen(self, event: ToolChosen) -> None:
        """Go on to the arguments; a tool without any is run at once."""
        event.stop()
        if self._tool is not None and self._tool.name == event.name and not self.action_arguments():
            self.action_run()

    def action_arguments(self) -> bool:
        """Put the cursor in the form; False when the tool takes no arguments."""
        self._turn_page("arguments")
        return self.form.focus_first()

    def on_draft_changed(self, event: DraftChanged) -> None:
        """Say that the result on show belongs to other arguments."""
        event.stop()
        self._show_verdict("arguments changed since this run")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Explain the field that has the focus."""
        self._explain()

    def _explain(self) -> None:
        field = self.form.focused_field
        words = Content.styled("r runs · tab next · e JSON · u clears", "$quiet")
        if field is not None:
            extra = hint(field)
            parts = [literal(field.kind.value, "$quiet")]
            if field.description:
                parts.insert(0, literal(field.description))
            if extra:
                parts.append(literal(extra, "$quiet"))
            words = Content.styled(" · ", "$quiet").join(parts)
        self.query_one("#field-help", Static).update(words)

    async def action_json(self) -> None:
        """Turn the form into JSON or back."""
        problem = await self.form.toggle_json()
        if problem:
            self._say(problem)
        else:
            self.form.focus_first()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the editor where there is one."""
        return action != "editor" or is_at_hand(self.app)

    async def action_editor(self) -> None:
        """Edit the arguments as JSON in the operator's editor."""
        problem = await self.form.edit_outside()
        if problem:
            self._say(problem)

    async def action_reset(self) -> None:
        """Unset all arguments."""
        await self.form.clear()
        self._show_verdict("arguments changed since this run")

    # Running

    def on_run_requested(self, event: RunRequested) -> None:
        """Run from a field."""
        event.stop()
        self.action_run()

    def action_run(self) -> None:
        """Call the tool with the arguments of the form, in a thread."""
        if self._tool is None:
            return
        arguments = self.form.collect()
        if arguments is None:
            self._turn_page("arguments")
            self.form.focus_first()
            return
        self.action_cancel()
        self._number += 1
        self._cancel = Cancel()
        self._since = self._clock()
        self.query_one("#panes").add_class("-running")
        self._tick.resume()
        self._show_elapsed()
        self._turn_page("result")
        self.receives.turn_to(self.receives.view if self.receives.view != "definition" else "text")
        call = partial(self._call, self._number, self._handler, self._tool.name, arguments, self._cancel)
        self.run_worker(call, thread=True, group="call", exit_on_error=False)

    def _call(self, number: int, handler: Handler, name: str, arguments: dict[str, Any], cancel: Cancel) -> None:
        outcome: Outcome | None = None
        failure = ""
        try:
            outcome = handler.call(name, arguments, cancel)
        except UnknownTool:
            failure = "The active policy does not offer this tool."
        except Exception as error:  # noqa: BLE001 - a preview that breaks shows no content, only what broke
            failure = f"{type(error).__name__}. No content is shown; the log on stderr may say more."
        self.post_message(CallEnded(number, outcome, failure))
        if outcome is not None and self._operations is not None and not cancel.cancelled:
            try:
                taken = self._operations.ungoverned(name, arguments, handler.policy, outcome, cancel)
            except Exception:  # noqa: BLE001 - the answer stands without it, and the policy bar counts the calls
                return
            self.post_message(GovernanceCompared(number, name, taken))

    def on_governance_compared(self, event: GovernanceCompared) -> None:
        """Show with what was withheld what governance took, unless another call was begun meanwhile."""
        event.stop()
        run = self._runs.get(event.tool)
        if event.number != self._number or run is None or run.outcome is None or not event.ledger.entries:
            return
        ledger = run.outcome.ledger
        for entry in event.ledger.entries:
            ledger.add(entry, event.ledger.reasons[entry.rule])
        if self._tool is not None and self._tool.name == event.tool:
            self.withheld.show(ledger, is_error=run.outcome.answer.is_error)

    def on_call_ended(self, event: CallEnded) -> None:
        """Show what came back, unless it was cancelled meanwhile."""
        event.stop()
        if event.number != self._number or self._cancel is None or self._tool is None:
            return
        self._end()
        if event.outcome is not None:
            verdict = judge(event.outcome, self._handler.policy.max_response_bytes)
        else:
            verdict = Verdict(State.FAILED, message=event.failure, next="Choose another tool, or run it again (r).")
        self._runs[self._tool.name] = _Run(verdict, event.outcome)
        self._show_policy()
        self._show_run()
        self.receives.lines.focus() if self.receives.lines.display else self.withheld.options.focus()

    def action_cancel(self) -> None:
        """Interrupt the running call; its answer is not waited for."""
        if self._cancel is None or self._tool is None:
            return
        self._cancel.cancel()
        seconds = self._clock() - self._since
        self._end()
        if self._tool.name not in self._runs:
            stopped = Verdict(
                State.CANCELLED, (f"after {seconds:.1f} s",), "The query was interrupted; nothing came back."
            )
            self._runs[self._tool.name] = _Run(stopped, None)
        self._show_run()

    def _end(self) -> None:
        self._cancel = None
        self._tick.pause()
        self.query_one("#panes").remove_class("-running")

    def _show_elapsed(self) -> None:
        if self.running:
            self.query_one(VerdictBar).show_running(self._clock() - self._since)

    def _show_run(self) -> None:
        run = self._runs.get(self._tool.name) if self._tool is not None else None
        outcome = run.outcome if run is not None else None
        self.receives.show(self._tool, outcome)
        self.withheld.show(
            outcome.ledger if outcome is not None else None,
            is_error=outcome is not None and outcome.answer.is_error,
        )
        self._show_verdict()
        for pane in (self.receives, self.withheld):
            pane.set_class(outcome is not None and outcome.answer.is_error, "-error")

    def _show_verdict(self, remark: str = "") -> None:
        if self.running or self._tool is None:
            return
        run = self._runs.get(self._tool.name)
        self.query_one(VerdictBar).show(run.verdict if run is not None else None, remark if run is not None else "")

    # Looking

    def on_withheld_pointed(self, event: WithheldPointed) -> None:
        """Show the place in what the agent receives."""
        event.stop()
        run = self._runs.get(self._tool.name) if self._tool is not None else None
        if run is not None and run.outcome is not None:
            entry = run.outcome.ledger.entries[event.index]
            self.receives.lines.point_at(self.receives.shown.spot(entry, event.nth))

    def action_withheld(self, step: int) -> None:
        """Go to the next or previous withheld thing."""
        self._turn_page("result")
        if not self.withheld.step(step):
            self._say("Nothing was withheld here.")

    def action_view(self) -> None:
        """Show the next view of what the agent receives."""
        self._turn_page("result")
        self.receives.turn_to()
        self.withheld.point_again()

    def action_swap(self) -> None:
        """Go from one pane of the result to the other."""
        self._turn_page("result")
        to_withheld = not self.withheld.has_focus_within
        self.set_class(to_withheld, "-swapped")
        if self.has_class("-zoomed"):
            self.set_class(to_withheld, "-zoom-withheld")
        self.call_after_refresh(self._focus_pane, to_withheld)

    def _focus_pane(self, withheld: bool) -> None:
        pane: Widget = self.withheld.options if withheld else self.receives.lines
        pane.focus()

    def action_zoom(self) -> None:
        """Give one pane of the result the whole window, or take it back."""
        self._turn_page("result")
        self.set_class(self.withheld.has_focus_within, "-zoom-withheld")
        self.toggle_class("-zoomed")

    def action_copy(self) -> None:
        """Copy what the view on show holds, exactly."""
        text = self.receives.exact
        if not text:
            self._say("There is nothing to copy yet.")
            return
        self.app.copy_to_clipboard(text)
        self._say(f"Copied {len(text.encode()):,} bytes to the terminal's clipboard.")

    # Going about

    def _turn_page(self, page: str) -> None:
        if page == self._page:
            return
        self.remove_class(f"-page-{self._page}", update=False)
        # On wide terminals nothing depends on the page, and styling every widget anew would be felt.
        self.add_class(f"-page-{page}", update=not self.has_class("-wide"))
        self._page = page
        # By page, not by focus: a click must not move its own target away.
        self.query_one("#work").set_class(page == "result", "-reading")

    def action_search(self) -> None:
        """Put the cursor in the search field."""
        self._turn_page("tools")
        self.call_after_refresh(self.tool_list.search.focus)

    def action_back(self) -> None:
        """Cancel what runs; else leave search, zoom, result, form, in that order. Never quits."""
        search = self.tool_list.search
        if self.running:
            self.action_cancel()
        elif search.has_focus or (search.value and self.tool_list.has_focus_within):
            search.value = ""
            self.tool_list.options.focus()
        elif self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        elif self.query_one("#result").has_focus_within:
            if not self.action_arguments():
                self._to_tools()
        else:
            self._to_tools()

    def _to_tools(self) -> None:
        self._turn_page("tools")
        self.call_after_refresh(self.tool_list.options.focus)

    def action_warm(self) -> None:
        """Build the read model, when the operator's door allows it."""
        if self._operations is None:
            self._say("This preview cannot write. Run: gongctl cache warm --db PATH")
            return
        self.app.push_screen(Warm(self._operations), self._warmed)

    def _warmed(self, report: str | None) -> None:
        self._look_again()
        if report is not None:
            self._say(f"{report} Press r to run again.")

    def action_profile(self) -> None:
        """Open the business profile, when the operator's door allows it."""
        if self._operations is None:
            self._say("This preview shows no profile. Run: gongctl profile show --db PATH")
            return
        self.action_cancel()
        self.app.push_screen(BusinessProfile(self._operations), lambda _: self._look_again())

    def action_governance(self) -> None:
        """Open governance, when the operator's door allows it."""
        if self._operations is None:
            self._say("This preview shows no governance. Run: gongctl governance scope --db PATH")
            return
        self.action_cancel()
        screen = Governance(self._operations, self._governing, restricted=self._restricted)
        self.app.push_screen(screen, lambda _: self._look_again())

    def _look_again(self) -> None:
        """Show what another screen may have changed by a warm."""
        self._show_policy()
        self._count_outside()

    def action_quit(self) -> None:
        """Leave the TUI."""
        self.app.exit()

    def _say(self, message: str) -> None:
        self.notify(visible(message), markup=False, timeout=4)
