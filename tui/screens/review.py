"""The home screen of a review: the queue, what the agent sees, what was withheld and why, and the gates."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import threading
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from gongmcp.cancel import Cancel
from gongmcp.errors import StartupRefusal, ToolFault, UnknownTool
from gongmcp.preview.model import Preview
from tui import keys
from tui.bench import Bench
from tui.governing import governing
from tui.literal import literal
from tui.looks import OWN, Look
from tui.review_messages import CacheLooked, CallWanted, FilterGiven, PreviewMade, SamplesMade, SamplesTold
from tui.reviewing import HistoryItem, SampleRun
from tui.screens.arguments import Arguments
from tui.screens.deciding import Deciding
from tui.screens.looking import Looking
from tui.screens.paned import failure_words
from tui.screens.policy_choices import PolicyChoices
from tui.screens.samples import Samples
from tui.screens.sizing import Sizing
from tui.seen import withheld
from tui.verdict import judge
from tui.widgets.argument_form import drafts_of
from tui.widgets.chip import Chip
from tui.widgets.chips import Chips
from tui.widgets.find_line import FindLine
from tui.widgets.flow import Flow
from tui.widgets.gate_bar import GateBar
from tui.widgets.key_line import KeyLine
from tui.widgets.policy_bar import PolicyBar
from tui.widgets.queue import Queue
from tui.widgets.sees import Sees
from tui.widgets.standing import StandingLine
from tui.widgets.verdict_bar import VerdictBar
from tui.widgets.withheld import Withheld

_LOOK_EVERY = 2.0
"""Seconds between two looks whether the cache has changed under the preview."""
_TICK = 0.1
_CHANNELS = "channels"
"""The gate that fails where text and structure tell different facts."""


class Review(PolicyChoices, Looking, Deciding, Sizing):
    """Queue on the left; what the agent sees and what was withheld beside each other, linked both ways.

    On narrow and slim terminals the queue is one page and the rest another.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*keys.REVIEW]

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench
        self.governed_by = governing(bench.settings) if bench.settings is not None else []
        self._looks: dict[str, Look] = {}
        self._tool = bench.tool
        self._sampling = ""
        self._round = 0
        self._stop = threading.Event()
        self._cancel: Cancel | None = None
        self._run = 0
        self._since = 0.0
        self._page = "queue"
        self.add_class("-page-queue")

    def compose(self) -> ComposeResult:
        """Lay out policy, queue, head, panes, gates and the line that spells out how the tool stands."""
        yield Static(Content("This needs 40x12.\nq quits · ? helps"), id="too-small")
        yield PolicyBar(id="policy")
        with Horizontal(id="review-body"):
            yield Queue(id="queue")
            with Vertical(id="review-work"):
                yield Flow(id="review-head")
                with Chips(id="review-chips"):
                    yield Chip("arguments", id="chip-arguments")
                    yield Chip("samples", id="chip-samples")
                    yield Chip("swap", id="chip-swap")
                    yield Chip("lens", id="chip-lens")
                    yield Chip("cost", id="chip-cost")
                yield Flow(id="review-banner")
                yield VerdictBar(id="verdict")
                with Horizontal(id="panes"):
                    yield Sees(id="sees")
                    yield Withheld(id="withheld")
                yield FindLine(id="find")
                yield GateBar(id="gates")
        yield StandingLine(id="standing")
        yield KeyLine()

    async def on_mount(self) -> None:
        """Read the queue and begin with its riskiest tool."""
        self.withheld.border_title = Content("WITHHELD")
        self._tick = self.set_interval(_TICK, self._show_elapsed, pause=True)
        self.set_interval(_LOOK_EVERY, self._look_at_the_cache)
        self.queue.options.focus()
        await self.begin()

    async def begin(self) -> None:
        """Start anew: nothing seen so far holds under the policy, or the cache, that is now in force."""
        self._stop_all()
        self._looks.clear()
        self.behind = ""
        self.draw_policy()
        try:
            items = await asyncio.to_thread(self.bench.reviewing.queue, self.bench.preset)
        except Exception as error:  # noqa: BLE001 - a cache that cannot be read is said, with the next step
            self.queue.show([], none="It could not be read.")
            self._tool = ""
            self._show()
            self.sees.show(None, None, failure_words(error))
            return
        self.queue.show(items, self._tool)
        self._tool = self.queue.item.tool if self.queue.item is not None else ""
        self._show()
        self._sample(self._tool)

    def on_unmount(self) -> None:
        """Let no query outlive the screen."""
        self._stop_all()

    def _stop_all(self) -> None:
        self._stop.set()
        self._sampling = ""
        if self._cancel is not None:
            self._cancel.cancel()
            self._cancel = None
            self._tick.pause()

    # Parts

    @property
    def look(self) -> Look | None:
        """What was looked at of the tool under the cursor."""
        return self._looks.setdefault(self._tool, Look()) if self._tool else None

    def draw_policy(self) -> None:
        """Draw the policy bar."""
        short = not self.has_class("-tall")
        bar = self.query_one(PolicyBar)
        handler, started = self.bench.handler, self.bench.started
        settings = () if short else self.governed_by
        bar.show(handler.policy, handler.freshness(), started.policy, settings, short=short, plain=self.bench.plain)

    def on_resize(self) -> None:
        """Say as much as there is room for, and give each pane its own."""
        self.fit()
        self.call_after_refresh(self.draw_policy)
        self.call_after_refresh(self._show_gates)
        self.call_after_refresh(self.show_head)

    def on_screen_resume(self) -> None:
        """Show what another screen may have changed."""
        if self.is_mounted and self._tool:
            self.draw_policy()

    # Tools and samples

    def on_queue_reached(self, event: Queue.Reached) -> None:
        """Show the tool under the cursor."""
        event.stop()
        self.reach(event.tool)

    def reach(self, tool: str) -> None:
        """Show *tool*; run its samples, if they were not."""
        self.action_cancel()
        self._tool = tool
        self._show()
        self._sample(tool)

    def on_queue_chosen(self, event: Queue.Chosen) -> None:
        """Go on to what the agent sees."""
        event.stop()
        self.turn_page("work")
        self.call_after_refresh(self.sees.lines.focus)

    def on_call_wanted(self, event: CallWanted) -> None:
        """Run what another screen asks for, if this preset has the tool."""
        event.stop()
        if event.tool not in {item.tool for item in self.queue.items}:
            self.say(f"This preset does not offer {event.tool}. P chooses another one.")
            return
        self.queue.show(self.queue.items, event.tool)
        self.reach(event.tool)
        self._start(dict(event.arguments))

    def on_filter_given(self, event: FilterGiven) -> None:
        """Run a tool with the filter of the cohort builder; ask for what else it needs."""
        info = next((tool for tool in self.bench.handler.tools() if tool.name == event.tool), None)
        if info is None or not set(info.input_schema.get("required", ())) - event.arguments.keys():
            self.on_call_wanted(event)
            return
        event.stop()
        self.queue.show(self.queue.items, event.tool)
        self.reach(event.tool)
        if self.look is not None:
            self.look.drafts = drafts_of(info, event.arguments)
            self.action_arguments()

    def _sample(self, tool: str) -> None:
        if not tool or self._looks.setdefault(tool, Look()).samples is not None or self._sampling == tool:
            return
        self._stop.set()
        self._stop = threading.Event()
        self._round += 1
        self._sampling = tool
        work = partial(self._run_samples, self._round, tool, self.bench.preset, self._stop)
        self.run_worker(work, thread=True, group="samples", exit_on_error=False)
        self.show_head()

    def _run_samples(self, number: int, tool: str, preset: str, stop: threading.Event) -> None:
        def told(done: int, total: int) -> None:
            self.post_message(SamplesTold(number, done, total))

        runs: list[SampleRun] = []
        failure: Content | None = None
        try:
            runs = list(self.bench.reviewing.samples(preset, tool, told, stop.is_set))
        except Exception as error:  # noqa: BLE001 - samples that break show no content, only what broke
            failure = failure_words(error)
        self.post_message(SamplesMade(number, tool, runs, failure))

    def on_samples_told(self, event: SamplesTold) -> None:
        """Say how many samples are done."""
        event.stop()
        if event.number == self._round and self._sampling == self._tool:
            words = Content(f"samples, {event.done} of {event.total} run")
            self.query_one("#chip-samples", Chip).say("x", words, Content(f"{event.done} of {event.total} run"))
            self.query_one(Chips).fit()

    def on_samples_made(self, event: SamplesMade) -> None:
        """Show the worst sample, and go on with the next tool that waits."""
        event.stop()
        if event.number != self._round:
            return
        self._sampling = ""
        look = self._looks.setdefault(event.tool, Look())
        if event.failure is not None:
            look.failure = event.failure.plain
        else:
            look.take_samples(event.runs)
        if event.tool == self._tool:
            self._show()
        if event.failure is None:
            names = [item.tool for item in self.queue.items]
            after = names[names.index(self._tool) + 1 :] if self._tool in names else []
            self._sample(next((n for n in after if self._looks.get(n, Look()).samples is None), ""))

    def show_sample(self, number: int) -> None:
        """Show sample *number* of the tool."""
        if self.look is not None:
            self.look.chosen = number
            self._show()

    def action_samples(self) -> None:
        """Choose among the samples."""
        look = self.look
        if look is None or look.samples is None:
            self.say("The samples are still being run." if self._sampling else "No samples were run.")
            return
        self.app.push_screen(Samples(look.samples, look.chosen, self._pin), self._chosen)

    def _chosen(self, number: int | None) -> None:
        if number is not None:
            self.show_sample(number)

    def _pin(self, run: SampleRun) -> str:
        try:
            self.bench.reviewing.pin(self._tool, run.arguments)
        except StartupRefusal as refusal:
            return refusal.message
        return "Pinned: it is run with the samples of this tool from now on."

    # Own runs

    def action_arguments(self) -> None:
        """Ask for arguments of the operator's own."""
        look = self.look
        info = next((tool for tool in self.bench.handler.tools() if tool.name == self._tool), None)
        if look is None or info is None:
            self.say("The policy on show does not offer this tool.")
            return
        screen = Arguments(info, look.drafts, partial(self._complete, self._tool))
        self.app.push_screen(screen, self._run_with)

    def _complete(self, tool: str, argument: str, typed: str, given: dict[str, str]) -> list[str]:
        try:
            return self.bench.handler.complete(tool, argument, typed, given={k: v for k, v in given.items() if v})
        except (UnknownTool, ToolFault):
            return []

    def _run_with(self, arguments: dict[str, Any] | None) -> None:
        if arguments is not None:
            self._start(arguments)

    async def action_run(self) -> None:
        """Run again what is on show; all of it, when the cache has changed."""
        look = self.look
        if self.behind or look is None:
            await self.begin()
        elif look.preview is not None:
            self._start(dict(look.arguments))
        elif look.samples is None:
            look.failure = ""
            self._sample(self._tool)
        else:
            self.action_arguments()

    def _start(self, arguments: dict[str, Any]) -> None:
        self.action_cancel()
        self._run += 1
        self._cancel = Cancel()
        self._since = self.bench.clock()
        self.query_one("#panes").add_class("-running")
        self._tick.resume()
        self._show_elapsed()
        self.turn_page("work")
        call = partial(self._call, self._run, self._tool, arguments, self._cancel)
        self.run_worker(call, thread=True, group="call", exit_on_error=False)

    def _call(self, number: int, tool: str, arguments: dict[str, Any], cancel: Cancel) -> None:
        bench = self.bench
        try:
            made = bench.make(bench.handler, tool, arguments, bench.settings, cancel)
        except UnknownTool:
            self.post_message(PreviewMade(number, tool, None, "The policy on show does not offer this tool."))
            return
        except Exception as error:  # noqa: BLE001 - a preview that breaks shows no content, only what broke
            told = f"{type(error).__name__}. No content is shown; the log on stderr may say more."
            self.post_message(PreviewMade(number, tool, None, told))
            return
        if not cancel.cancelled:
            self._remember(made)
        self.post_message(PreviewMade(number, tool, made, ""))

    def _remember(self, made: Preview) -> None:
        outcome = made.outcome
        item = HistoryItem(
            at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            tool=made.tool,
            arguments=made.arguments,
            preset=self.bench.preset,
            digest=made.digest,
            bytes=outcome.bytes,
            withheld=sum(span.count for _, span in withheld(made)),
            status=str((outcome.answer.structured or outcome.answer.error or {}).get("status", "error")),
            decision="",
            milliseconds=outcome.milliseconds,
        )
        try:
            self.bench.reviewing.remember(item)
        except (StartupRefusal, OSError) as error:
            self.app.call_from_thread(self.say, f"The run is not in the history: {error}")

    def on_preview_made(self, event: PreviewMade) -> None:
        """Show the own run, unless it was cancelled meanwhile."""
        event.stop()
        if event.number != self._run or self._cancel is None:
            return
        self._end()
        look = self._looks.setdefault(event.tool, Look())
        look.failure, look.own, look.chosen = event.failure, event.preview, OWN
        self.draw_policy()
        self._show()
        if event.tool == self._tool:
            (self.sees.lines if self.sees.lines.display else self.withheld.options).focus()

    def action_cancel(self) -> None:
        """Interrupt the running call; its answer is not waited for."""
        if self._cancel is not None:
            self._cancel.cancel()
            self._end()
            self._show_verdict()

    def _end(self) -> None:
        self._cancel = None
        self._tick.pause()
        self.query_one("#panes").remove_class("-running")

    def _show_elapsed(self) -> None:
        if self._cancel is not None:
            self.query_one(VerdictBar).show_running(self.bench.clock() - self._since)

    # Showing

    def _show(self) -> None:
        look, preview = self.look, self.preview
        bench = self.bench
        bench.tool, bench.preview = self._tool, preview
        bench.arguments = look.arguments if look is not None else {}
        info = next((tool for tool in bench.handler.tools() if tool.name == self._tool), None)
        self.sees.show(preview, None if info is None else info.wire(), self._instead(look))
        self.show_withheld(preview)
        self.show_head()
        self._show_verdict()
        self._show_gates()
        self._show_banner()

    def _instead(self, look: Look | None) -> Content:
        if look is None:
            return Content("This preset has no tools.\n\nP chooses another one.")
        if look.failure:
            return Content("\n\n").join([literal(look.failure, "$error"), Content("r tries again.")])
        if look.samples is None:
            return Content("The samples are being run.\n\na runs the tool with arguments of your own.")
        return Content("No sample set has a member here (x says why).\n\na runs the tool with arguments of your own.")

    def show_head(self) -> None:
        look = self.look
        head: list[Content] = []
        samples = brief = "samples"
        if look is not None:
            arguments = json.dumps(dict(look.arguments), ensure_ascii=False)
            head = [literal(self._tool, "bold"), literal(arguments, "$quiet")]
            samples, brief = look.sample_words(), look.sample_words(brief=True)
            if self._sampling == self._tool:
                samples, brief = "samples are being run", "running"
        self.query_one("#review-head", Flow).flow(head, Content("  "))
        for name, key, words, short in (
            ("arguments", "a", "arguments", "args"),
            ("samples", "x", samples, brief),
            ("lens", "l", f"lens: {self.sees.lens.value}", self.sees.lens.value),
            ("swap", "s", f"{self.withheld_count:,} withheld", f"{self.withheld_count:,} withheld"),
            ("cost", "k", "cost", "cost"),
        ):
            self.query_one(f"#chip-{name}", Chip).say(key, literal(words), literal(short))
        self.query_one(Chips).fit()
        self.query_one(StandingLine).show(self.queue.item, most=1 if self.has_class("-short") else 2)

    def _show_verdict(self) -> None:
        bar, preview = self.query_one(VerdictBar), self.preview
        bar.display = preview is not None
        if preview is not None and self._cancel is None:
            bar.show(judge(preview.outcome, self.bench.handler.policy.max_response_bytes))

    def _show_gates(self) -> None:
        gates = self.preview.gates if self.preview is not None else ()
        self.query_one(GateBar).show(gates, short=not self.has_class("-wide"))

    def _show_banner(self) -> None:
        told = [literal(self.behind, "$warning bold")] if self.behind else []
        apart = [g for g in self.preview.gates if g.name == _CHANNELS and not g.passed] if self.preview else []
        told += [literal(f"Text and structure disagree: {gate.detail}", "$error bold") for gate in apart]
        banner = self.query_one("#review-banner", Flow)
        banner.display = bool(told)
        banner.flow(told)

    # The cache under the preview

    def _look_at_the_cache(self) -> None:
        preview = self.preview
        if preview is not None and self.is_current:
            look = partial(self._look_again, preview)
            self.run_worker(look, thread=True, group="freshness", exclusive=True, exit_on_error=False)

    def _look_again(self, preview: Preview) -> None:
        self.post_message(CacheLooked(preview, self.bench.handler.freshness()))

    def on_cache_looked(self, event: CacheLooked) -> None:
        """Say that what is on show is older than the cache; it is never swapped by itself."""
        event.stop()
        if event.preview is not self.preview:
            return
        before, now = event.preview.freshness, event.now
        if dict(before) == dict(now):
            return
        if now.get("freshness") == "stale":
            behind = "The cache holds newer data than is served. w warms it, then r runs this again."
        else:
            behind = "The cache has changed since this preview was made. r runs it again, samples and all."
        if behind != self.behind:
            self.behind = behind
            self._show_banner()
            self.draw_policy()

    # Going about

    def turn_page(self, page: str) -> None:
        """Show the page ``queue`` or ``work``, where there is no room for both."""
        if page != self._page:
            self.remove_class(f"-page-{self._page}", update=False)
            self.add_class(f"-page-{page}")
            self._page = page

    def action_back(self) -> None:
        """Cancel what runs; else leave finding, zoom, panes, in that order. Never quits."""
        find = self.query_one(FindLine)
        if self._cancel is not None:
            self.action_cancel()
        elif find.display:
            find.close()
            self.sees.lines.focus()
        elif self.has_class("-zoomed"):
            self.remove_class("-zoomed")
        else:
            self.turn_page("queue")
            self.call_after_refresh(self.queue.options.focus)

    def action_quit(self) -> None:
        """Leave the TUI."""
        self.app.exit()
