"""The cohort builder: a filter with live counts, why it is empty, and its calls by dimension; given to the review."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from gongmcp.cancel import Cancel
from gongmcp.errors import StartupRefusal, ToolFault, UnknownTool
from tui import cohort, keys
from tui.bench import Bench
from tui.cohort import Condition, Counted, Counting, Group
from tui.literal import literal
from tui.messages import DraftChanged, RunRequested
from tui.ports import Handler, ToolInfo
from tui.review_messages import FilterGiven
from tui.screens.choose import Choice, Choose
from tui.screens.paned import PanedScreen, failure_words
from tui.widgets.bars import share
from tui.widgets.dimension_plot import DimensionPlot
from tui.widgets.filter_pane import FilterPane
from tui.widgets.flow import Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import Row, RowPane
from tui.widgets.panes import Panes

DEBOUNCE = 0.4
"""Seconds without a change before the filter is counted."""
_WRONG = "wrong"
"""Why nothing is known: the filter as it is written is none."""
_NONE = "No preset of this server offers tools that count cohorts."


class CohortBuilder(PanedScreen):
    """Form, conditions, plot and values. Every count comes from the handler; nothing is counted here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.PANES, *keys.COHORT, keys.ARGUMENTS, keys.JSON, keys.RESET, keys.HELP, keys.BACK, keys.QUIT,
    ]  # fmt: skip

    class Told(Message):
        """Round *number* knows so much; *done* when it ended, with *failure* when it broke."""

        def __init__(self, number: int, known: Counted, *, done: bool = False, failure: Content | None = None) -> None:
            super().__init__()
            self.number = number
            self.known = known
            self.done = done
            self.failure = failure

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._number = 0
        self._cancel: Cancel | None = None
        self._wait: Timer | None = None
        self._dimension = ""
        self._known = Counted()
        self._counting: tuple[Handler, str] | None = None
        self._filter = FilterPane("Filter", id="cohort-filter")
        self._conditions = RowPane("Conditions", ("condition", "calls", "left"), right=(1, 2), id="cohort-conditions")
        self._plot = DimensionPlot("Plot", id="cohort-plot")
        heads = ("", "value", "calls", "share", "with transcript")
        self._values = RowPane("Values", heads, right=(2, 3, 4), id="cohort-values")

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="cohort-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._filter, self._conditions, self._plot, self._values], id="cohort-panes")
        yield KeyLine()

    async def on_mount(self) -> None:
        """Find who counts, fill the form and count."""
        self._counting = cohort.counting_handler(self._bench.handler)
        if self._counting is None:
            self.say_instead("Cohort", Content(_NONE))
            return
        handler = self._counting[0]
        drafts, given = self._bench.cohort, cohort.form_of(self._bench.arguments)
        await self._filter.load(cohort.filter_schema(self._builder), drafts, self._complete)
        if given and not drafts.fields and not drafts.as_json:
            await self._filter.body.fill(given)
        self._dimension = cohort.dimensions_of(handler)[0]
        self._show()
        self.offer([self._filter, self._conditions, self._plot, self._values])
        self._count()

    def on_unmount(self) -> None:
        """Let no query outlive the screen."""
        self._stop()

    @property
    def _builder(self) -> ToolInfo:
        assert self._counting is not None
        return next(tool for tool in self._counting[0].tools() if tool.name == cohort.BUILD)

    def _complete(self, argument: str, typed: str, given: dict[str, str]) -> list[str]:
        for tool in self._bench.handler.tools():
            if argument in tool.input_schema.get("properties", {}):
                try:
                    return self._bench.handler.complete(tool.name, argument, typed)
                except (UnknownTool, ToolFault):
                    return []
        return []

    # Counting

    def on_draft_changed(self, event: DraftChanged) -> None:
        """Count when nothing has been typed for a while; what still runs counts another filter."""
        event.stop()
        self._stop()
        self._number += 1
        self._known = Counted(dimension=self._dimension)
        self._wait = self.set_timer(DEBOUNCE, self._count)
        self._show_head()

    def on_run_requested(self, event: RunRequested) -> None:
        """Count at once."""
        event.stop()
        self.action_count()

    def action_count(self) -> None:
        """Count, or count again."""
        if self._counting is not None:
            self._count()

    def _stop(self) -> None:
        if self._wait is not None:
            self._wait.stop()
            self._wait = None
        if self._cancel is not None:
            self._cancel.cancel()
            self._cancel = None

    def _count(self) -> None:
        self._stop()
        form, problem = self._filter.body.held(), self._filter.body.problem
        if self._counting is None:
            return
        self._number += 1
        if form is None or problem:  # a filter without what is wrong in it would be another one
            self._known = Counted(dimension=self._dimension, why=(_WRONG, problem))
            self._show()
            return
        self._cancel = Cancel()
        self._known = Counted(dimension=self._dimension)
        self._show_head()
        told = partial(self._tell, self._number)
        clock = self._bench.clock
        counting = Counting(self._counting[0], form, self._dimension, self._cancel, told, clock)
        self.run_worker(partial(self._run, self._number, counting), thread=True, group="cohort", exit_on_error=False)

    def _tell(self, number: int, known: Counted) -> None:
        self.post_message(self.Told(number, known))

    def _run(self, number: int, counting: Counting) -> None:
        try:
            known = counting.run()
        except Exception as error:  # noqa: BLE001 - whatever failed is shown
            self.post_message(self.Told(number, counting.known, done=True, failure=failure_words(error)))
        else:
            self.post_message(self.Told(number, known, done=True))

    def on_cohort_builder_told(self, event: Told) -> None:
        """Show what is known, unless another filter is being counted."""
        event.stop()
        if event.number != self._number:
            return
        self._known = event.known
        if event.done:
            self._cancel = None
            self._show(event.failure)
        else:
            self._show_head()

    # Showing

    def _show(self, failure: Content | None = None) -> None:
        known = self._known
        self._show_head(failure)
        self._conditions.entitle(len(known.conditions))
        nothing = "Every call is counted: the filter chooses nothing yet." if known.whole else "Not counted."
        self._conditions.show([_condition_row(item) for item in known.conditions], Content(nothing))
        for pane in (self._plot, self._values):
            pane.entitle(len(known.groups), f"by {self._dimension}")
        empty = Content("No call is left." if known.exact else "Not counted.")
        self._plot.show(known.dimension, known.groups, empty, more=known.more)
        chosen = {value.casefold() for value in cohort.values_of(self._filter.body.held() or {}, self._dimension)}
        rows = [_value_row(item, known.calls, item.value.casefold() in chosen) for item in known.groups]
        self._values.show(rows, empty)

    def _show_head(self, failure: Content | None = None) -> None:
        known, running = self._known, self._cancel is not None or self._wait is not None
        sign = "" if known.exact else ">= " if self._bench.plain else "≥ "
        count = f"{sign}{known.calls:,} call{'' if known.exact and known.calls == 1 else 's'}"
        if not (known.exact or known.calls):
            count = "… calls" if running else "not counted"
        items = [
            Content.styled("Cohort", "$primary bold"),
            Content.styled(count, "bold" if known.exact else "$warning bold"),
        ]
        if running:
            at = f", {known.parts_done} of {known.parts} stretches of time" if known.parts else ""
            items.append(Content.styled(f"counting{at} · esc stops", "$quiet"))
        elif known.transcripts is not None:
            items.append(Content(f"{known.transcripts:,} with a transcript"))
        if known.name:
            items.append(literal(known.name, "$quiet"))
        if self._counting is not None and self._counting[1]:
            items.append(Content.assemble(("counted by preset ", "$quiet"), literal(self._counting[1])))
        self.query_one(Flow).flow(items, tail=failure or self._remark(running=running))

    def _remark(self, *, running: bool) -> Content | None:
        known = self._known
        emptied = next((item for item in known.conditions if item.emptied), None)
        if emptied is not None:
            alone = f" {emptied.calls:,} calls hold it alone." if emptied.calls else " No call holds it."
            return Content.assemble(("Emptied by ", "$warning bold"), literal(emptied.words, "bold"), alone)
        if known.why == (cohort.STOPPED,):
            least = "there are at least so many" if known.calls else "nothing is known yet"
            return Content.styled(f"Stopped: {least}. r counts again.", "$warning")
        if known.why[:1] == (_WRONG,):
            return literal(f"Not counted: {known.why[1]}", "$error")
        if known.why:
            style = "$quiet" if known.whole else "$error"
            return Content("\n").join([literal(line, style) for line in known.why[1:3]])
        if known.limitations and not running:
            return Content.styled(" · ", "$quiet").join(
                [literal(line.partition(":")[0].replace("_", " "), "$quiet") for line in known.limitations]
            )
        return None

    # Editing

    def action_arguments(self) -> None:
        """Go to the first field of the form."""
        if self.panes.display:
            self.panes.turn_to(self._filter)
            self.call_after_refresh(self._filter.body.focus_first)

    async def action_json(self) -> None:
        """Turn the form into JSON or back."""
        problem = await self._filter.body.toggle_json()
        if problem:
            self.say(problem)

    async def action_reset(self) -> None:
        """Take every condition out."""
        await self._filter.body.clear()
        self._count()

    def action_dimension(self) -> None:
        """Choose what the calls are counted by."""
        if self._counting is not None:
            names = cohort.dimensions_of(self._counting[0])
            choices = [Choice(name, name, "") for name in names]
            self.app.push_screen(Choose("Count by", choices, self._dimension, "Bars and values"), self._turn_dimension)

    def _turn_dimension(self, name: str | None) -> None:
        if name is not None:
            self._dimension = name
            self._count()

    def on_row_pane_pointed(self, event: RowPane.Pointed) -> None:
        """Put the chosen value into the filter, or take it out."""
        event.stop()
        if event.chosen and event.pane is self._values:
            self.run_worker(self._turn_value(event.at), exit_on_error=False)

    async def action_value(self) -> None:
        """Put the value under the cursor into the filter, or take it out."""
        if self._values.body.has_focus and self._values.at is not None:
            await self._turn_value(self._values.at)

    async def _turn_value(self, at: int) -> None:
        form, groups = self._filter.body.held(), self._known.groups
        if form is None or at >= len(groups):
            self.say("Correct the JSON of the filter first.")
            return
        await self._filter.body.fill(cohort.with_value_turned(form, self._dimension, groups[at].value))
        self._count()

    # Giving

    def _arguments(self) -> dict[str, Any] | None:
        """Return the filter as the form has it; None after what is wrong with it was shown."""
        form = self._filter.body.collect() if self._counting is not None else None
        if form is None:
            self._filter.body.focus_first()
        elif not form:
            self.say("The filter chooses nothing yet.")
            return None
        return form

    def _for_a_tool(self, title: str, then: Any) -> None:
        form = self._arguments()
        if form is None:
            return
        tools = [tool for tool in self._bench.handler.tools() if cohort.takes_filter(tool)]
        under_review = next((tool for tool in tools if tool.name == self._bench.tool), None)
        if under_review is not None:
            then(form, under_review)
        elif tools:
            by = {tool.name: tool for tool in tools}
            choices = [Choice(tool.name, tool.name, tool.title) for tool in tools]
            remark = "The tool under review takes no filter." if self._bench.tool else ""
            self.app.push_screen(
                Choose(title, choices, "", remark), lambda name: then(form, by[name]) if name is not None else None
            )
        else:
            self.say(f"No tool of this preset takes a filter. {cohort.PRESET} has some: P on the review screen.")

    def action_give(self) -> None:
        """Give the filter to the tool under review, or to one that is chosen, and go there."""
        self._for_a_tool("Give the filter to", self._give)

    def _give(self, form: Mapping[str, Any], tool: ToolInfo) -> None:
        self._stop()
        home = self.app.screen_stack[0]
        self.dismiss()
        home.post_message(FilterGiven(tool.name, cohort.arguments_of(form, tool)))

    def action_pin(self) -> None:
        """Keep the filter as a sample."""
        self._for_a_tool("Keep the filter as a sample of", self._pin)

    def _pin(self, form: Mapping[str, Any], tool: ToolInfo) -> None:
        missing = sorted(set(tool.input_schema.get("required", ())) - {"filter"})
        if missing:
            self.say(f"{tool.name} needs {', '.join(missing)} too: g goes on there, x and p pin what was run.")
            return
        try:
            self._bench.reviewing.pin(tool.name, cohort.arguments_of(form, tool))
        except (StartupRefusal, OSError) as error:
            self.say(str(error))
        else:
            self.say(f"Pinned as a sample of {tool.name}.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what a filter is needed for where there is one."""
        needs = ("give", "dimension", "pin", "count", "value", "arguments", "json", "reset")
        return (action not in needs or self._counting is not None) and super().check_action(action, parameters)

    def action_back(self) -> None:
        """Stop counting; else leave the field; else go back."""
        focused = self.focused
        if self._filter.body.focused_field is not None or (focused is not None and focused.id == "json-editor"):
            self._filter.body.focus()
        elif self._cancel is not None:
            self._cancel.cancel()
        else:
            self._stop()
            self.dismiss()


def _condition_row(item: Condition) -> Row:
    style = "$warning bold" if item.emptied else ""
    sign = "!! " if item.emptied else ""
    told = literal(f"{sign}{item.words}", style or "bold")
    return Row(
        (told, Content(f"{item.calls:,}"), Content.styled(f"{item.left:,}", style)),
        Content.assemble(told, f": {item.calls:,} calls hold it, {item.left:,} with those before"),
        f"{item.words}\t{item.calls}\t{item.left}",
    )


def _value_row(item: Group, total: int, chosen: bool) -> Row:
    figures = (f"{item.calls:,}", share(item.calls, total), f"{item.transcripts:,}")
    return Row(
        (Content("+" if chosen else " "), literal(item.value, "bold" if chosen else ""), *map(Content, figures)),
        Content.assemble(
            literal(item.value, "bold"),
            "  in the filter: enter takes it out" if chosen else "  enter puts it into the filter",
        ),
        "\t".join((item.value, *figures)),
    )
