"""The business profile: what it maps, what it leaves out, what is wrong with it, and where the calls are."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui import keys
from tui.findings import HEADS, RIGHT, finding_rows, tally
from tui.literal import literal
from tui.operations import BucketCount, MappedConcept, Operations, ProfileView, UnmappedField
from tui.screens.compare_profile import CompareProfile
from tui.screens.paned import PanedScreen, failure_words
from tui.screens.warm import Warm
from tui.widgets.bars import Bar
from tui.widgets.flow import DOT, Flow
from tui.widgets.key_line import KeyLine
from tui.widgets.pane import ChartPane, Row, RowPane
from tui.widgets.panes import Panes

_FACTS = {"fresh": "$success bold", "stale": "$warning bold", "missing": "$error bold"}
_NO_PROFILE = (
    ("No business profile is active. Calls are put into the builtin lifecycle buckets.", "bold"),
    ("", ""),
    ("To make one of the company's own CRM:", ""),
    ("gongctl profile discover --db DB --out profile.yaml", "$secondary"),
    ("gongctl profile validate profile.yaml --db DB", "$secondary"),
    ("gongctl profile import profile.yaml --db DB", "$secondary"),
    ("", ""),
    ("c shows how many calls a file would move before it is imported.", "$quiet"),
)


class BusinessProfile(PanedScreen):
    """Four panes under one line on the profile and its facts. It reads in a thread and again after a warm."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.PANES,
        *keys.PROFILE,
        keys.HELP,
        keys.WARM,
        keys.BACK,
        keys.QUIT,
    ]

    class Read(Message):
        """Reading number *number* ended: with a profile, with none, or with what went wrong."""

        def __init__(self, number: int, view: ProfileView | None, failure: Content | None = None) -> None:
            super().__init__()
            self.number = number
            self.view = view
            self.failure = failure

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self._number = 0
        self._buckets = ChartPane("Buckets", id="profile-buckets")
        self._concepts = RowPane("Concepts", ("kind", "concept", "stands for", "groups"), id="profile-concepts")
        self._findings = RowPane("Findings", HEADS, right=RIGHT, id="profile-findings")
        self._unmapped = RowPane("Unmapped", ("object", "field", "filled"), right=(2,), id="profile-unmapped")

    def compose(self) -> ComposeResult:
        """Lay out the head over the panes."""
        yield self.too_small()
        yield Flow(id="profile-head")
        yield Static(Content(""), classes="instead")
        yield Panes([self._buckets, self._concepts, self._findings, self._unmapped], id="profile-panes")
        yield KeyLine()

    def on_mount(self) -> None:
        """Read the profile."""
        self.say_instead("Business profile", Content.styled("Reading …", "$quiet"))
        self._read()

    def action_reload(self) -> None:
        """Read the profile again."""
        self._read()

    def _read(self) -> None:
        self._number += 1
        number = self._number
        self.run_worker(lambda: self._fetch(number), thread=True, group="profile", exit_on_error=False)

    def _fetch(self, number: int) -> None:
        try:
            view = self._operations.profile()
        except Exception as error:  # noqa: BLE001 - an operation's failure is shown, whatever it is
            self.post_message(self.Read(number, None, failure_words(error)))
        else:
            self.post_message(self.Read(number, view))

    def on_business_profile_read(self, event: Read) -> None:
        """Show what was read, unless it is being read anew."""
        event.stop()
        if event.number != self._number:
            return
        if event.failure is not None:
            self.say_instead("The profile cannot be read", event.failure)
        elif event.view is None:
            lines = [Content.styled(text, style) for text, style in _NO_PROFILE]
            self.say_instead("Business profile: none", Content("\n").join(lines))
        else:
            self._show(event.view)

    def _show(self, view: ProfileView) -> None:
        self._show_head(view)
        self._show_buckets(view)
        self._concepts.entitle(len(view.concepts), "mapped")
        self._concepts.show([_concept(item) for item in view.concepts], Content("The profile names no concept."))
        self._findings.entitle(len(view.findings))
        self._findings.show(finding_rows(view.findings), Content("Nothing was found wrong with this profile."))
        self._unmapped.entitle(len(view.unmapped), "no concept covers them")
        nothing = "Every CRM field of the cache is covered by a concept, or none is warmed yet."
        self._unmapped.show([_unmapped(item) for item in view.unmapped], Content(nothing))
        self.offer([self._buckets, self._concepts, self._findings, self._unmapped])

    def _show_head(self, view: ProfileView) -> None:
        facts = literal(view.facts, _FACTS.get(view.facts, "bold"))
        tail = literal(view.reason)
        if view.facts != "fresh":
            tail = Content.assemble(tail, (" Next: ", "bold"), "w warms the cache.")
        self.query_one(Flow).flow(
            [
                literal(view.name or "(no name)", "$primary bold"),
                literal(view.profile_id),
                Content.assemble(("imported ", "$quiet"), literal(_moment(view.imported))),
                Content.assemble(("facts ", "$quiet"), facts),
                Content(tally(view.findings)),
            ],
            tail=tail,
        )

    def _show_buckets(self, view: ProfileView) -> None:
        calls = sum(item.calls for item in view.buckets)
        remarks = [Content(f"calls that agents may see: {calls:,}"), Content("in the order they are tried")]
        if view.facts == "stale":
            remarks.insert(1, Content.styled("as of the last warm", "$warning"))
        missing = view.facts == "missing"
        self._buckets.entitle(None if missing else len(view.buckets), "not counted" if missing else "")
        self._buckets.show(
            [Bar(_bucket(item), item.calls) for item in view.buckets],
            DOT.join(remarks),
            Content(
                "There are no facts of this profile yet, so no call is counted.\nw warms the cache."
                if missing
                else "The profile has no buckets."
            ),
        )

    def action_compare(self) -> None:
        """Compare with a candidate file."""
        self.app.push_screen(CompareProfile(self._operations))

    def action_warm(self) -> None:
        """Warm the cache, then read the profile again."""
        self.app.push_screen(Warm(self._operations), self._warmed)

    def _warmed(self, report: str | None) -> None:
        self._read()
        if report is not None:
            self.say(report)


def _moment(time: str) -> str:
    return time.replace("T", " ").removesuffix("Z")[:16]


def _bucket(item: BucketCount) -> Content:
    label = item.label if item.label and item.label != item.bucket else ""
    return Content.assemble(literal(item.bucket, "bold"), literal(f"  {label}" if label else "", "$quiet"))


def _concept(item: MappedConcept) -> Row:
    groups = "groups" if item.groupable else ""
    nothing = "nothing: it is mapped to no field"
    told = literal(item.stands_for) if item.stands_for else Content.styled(nothing, "$warning")
    head = Content.assemble((literal(item.name, "bold")), "  ", literal(item.kind, "$quiet"))
    if item.groupable:
        head = Content.assemble(head, ("  agents may count calls by its values", "$quiet"))
    return Row(
        (literal(item.kind, "$quiet"), literal(item.name, "bold"), told, Content.styled(groups, "$quiet")),
        Content("\n").join([head, Content.assemble(("stands for ", "$quiet"), told)]),
        "\t".join((item.kind, item.name, item.stands_for, groups)),
    )


def _unmapped(item: UnmappedField) -> Row:
    filled = f"{100 * item.populated:.0f}%"
    return Row(
        (literal(item.object_type, "$quiet"), literal(item.field_name, "bold"), Content(filled)),
        Content.assemble(
            literal(item.object_type), ".", literal(item.field_name, "bold"), f"  filled on {filled} of the objects"
        ),
        "\t".join((item.object_type, item.field_name, filled)),
    )
