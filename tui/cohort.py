"""Counting a cohort while its filter is edited: through the handler alone, part by part, so that it can be stopped."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gongmcp.cancel import Cancel
from gongmcp.catalog.dimensions import PROFILE_CONCEPT, dimension_named
from gongmcp.errors import ToolFault, UnknownTool
from gongmcp.handler import Outcome
from tui.ports import Handler, ToolInfo

BUILD: Final = "build_call_cohort"
COUNTS: Final = "list_dimension_counts"
STATUS: Final = "get_sync_status"
PRESET: Final = "analyst-business-core"
"""The preset through which cohorts are counted where the one on show offers no cohort tools."""
PARTS: Final = 8
"""Stretches of time that a slow count goes through, the newest first."""
QUICK: Final = 0.25
"""Seconds that the first stretch may take for the rest to be counted in one go."""
MOST_VALUES: Final = 50
"""Values of a dimension that are asked for."""
STOPPED: Final = "stopped"
"""Why nothing more is known: the operator stopped it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of the filter in words: the calls that hold it, and those left with the ones before."""

    words: str
    calls: int
    left: int
    emptied: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """One value of a dimension: how many calls, and how many of them have a transcript."""

    value: str
    calls: int
    transcripts: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What is known of the cohort.

    *calls* is how many it has, or at least has where it is not *exact*: counting was stopped, or goes on (*parts_done*
    of *parts*). *whole* is True when the filter chooses nothing and every call is counted; *why* says why something is
    missing, in the handler's words. *more* is True when the dimension has more values than *groups*.
    """

    calls: int = 0
    exact: bool = False
    parts_done: int = 0
    parts: int = 0
    transcripts: int | None = None
    whole: bool = False
    name: str = ""
    conditions: tuple[Condition, ...] = ()
    limitations: tuple[str, ...] = ()
    dimension: str = ""
    groups: tuple[Group, ...] = ()
    more: bool = False
    why: tuple[str, ...] = ()


def counting_handler(handler: Handler) -> tuple[Handler, str] | None:
    """Return the handler that counts, and the name of its preset where it is another than that of *handler*.

    None when none offers the cohort tools. Everything but the choice of tools stays as it is under *handler*.
    """
    if _offers(handler):
        return handler, ""
    if PRESET in handler.presets():
        other = handler.with_policy(preset=PRESET)
        if _offers(other):
            return other, PRESET
    return None


def _offers(handler: Handler) -> bool:
    return {BUILD, COUNTS} <= {tool.name for tool in handler.tools()}


def takes_filter(tool: ToolInfo) -> bool:
    """Tell whether *tool* takes the filter of a cohort."""
    return bool(_filter_of(tool))


def _filter_of(tool: ToolInfo) -> Mapping[str, Any]:
    rule = tool.input_schema.get("properties", {}).get("filter", {})
    properties = rule.get("properties", {}) if isinstance(rule, Mapping) else {}
    return properties if "dimension_filters" in properties else {}


def filter_schema(tool: ToolInfo) -> dict[str, Any]:
    """Return the schema of the form: the conditions of the filter of *tool*, then the flags that some of them need."""
    properties = tool.input_schema.get("properties", {})
    flags = {name: rule for name, rule in properties.items() if name.startswith("include_")}
    return {"type": "object", "properties": {**_filter_of(tool), **flags}, "additionalProperties": False}


def arguments_of(form: Mapping[str, Any], tool: ToolInfo) -> dict[str, Any]:
    """Return what the form holds as arguments of *tool*; flags that it does not know are left out."""
    known = tool.input_schema.get("properties", {})
    flags = {name: value for name, value in form.items() if name.startswith("include_") and name in known}
    chosen = {name: value for name, value in form.items() if not name.startswith("include_")}
    return {"filter": chosen, **flags} if chosen else flags


def form_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the form holds for *arguments* of a tool that takes a filter."""
    chosen = arguments.get("filter")
    flags = {name: value for name, value in arguments.items() if name.startswith("include_") and value is True}
    return {**chosen, **flags} if isinstance(chosen, Mapping) else {}


def dimensions_of(handler: Handler) -> list[str]:
    """Return the dimensions that *handler* counts by: aliases left out, concepts of the profile last."""
    tool = next(tool for tool in handler.tools() if tool.name == COUNTS)
    named = [str(name) for name in tool.input_schema["properties"]["dimension"].get("enum", ())]
    own = [n for n in named if n != PROFILE_CONCEPT and ((known := dimension_named(n)) is None or known.name == n)]
    if PROFILE_CONCEPT not in named:
        return own
    try:
        return own + [name for name in handler.complete(COUNTS, "concept") if name not in own]
    except (UnknownTool, ToolFault):
        return own


def values_of(form: Mapping[str, Any], dimension: str) -> list[str]:
    """Return the values of *dimension* that the filter takes in."""
    return [
        value
        for item in _conditions_of(form)
        if item.get("dimension") == dimension and item.get("operator", "in") in ("in", "equals")
        for value in item.get("values", ())
    ]


def _conditions_of(form: Mapping[str, Any]) -> list[dict[str, Any]]:
    held = form.get("dimension_filters", [])
    return [dict(item) for item in held if isinstance(item, Mapping)] if isinstance(held, list) else []


def with_value_turned(form: Mapping[str, Any], dimension: str, value: str) -> dict[str, Any]:
    """Return *form* with the condition that *dimension* is *value* put in, beside other values, or taken out again."""
    items = _conditions_of(form)
    ours = [item for item in items if item.get("dimension") == dimension and item.get("operator", "in") == "in"]
    held = list(values_of({"dimension_filters": ours}, dimension))
    values = [each for each in held if each != value] if value in held else [*held, value]
    kept = [item for item in items if item not in ours]
    if values:
        kept.append({"dimension": dimension, "values": values})
    out = {name: item for name, item in form.items() if name != "dimension_filters"}
    return {**out, "dimension_filters": kept} if kept else out


@dataclass(slots=True)
class Counting:
    """One round of counting, run in a thread: *form* under *handler*, grouped by *dimension*.

    *told* is given what is known so far; *clock* tells seconds. Throwing *cancel* interrupts the running query.
    """

    handler: Handler
    form: Mapping[str, Any]
    dimension: str
    cancel: Cancel
    told: Callable[[Counted], None]
    clock: Callable[[], float]
    known: Counted = field(default_factory=Counted)

    def run(self) -> Counted:
        """Return what was counted; not exact when it was stopped or refused."""
        self.known = Counted(dimension=self.dimension)
        if self._parts():
            self._whole()
        return self.known

    def _parts(self) -> bool:
        """Count stretch after stretch while that takes long; False when it was stopped or refused."""
        stretches = self._stretches()
        if len(stretches) < 2:
            return True
        self.known = replace(self.known, parts=len(stretches))
        for number, (first, last) in enumerate(stretches, 1):
            since = self.clock()
            answer = self._call(COUNTS, {**self.form, "from_date": first, "to_date": last}, limit=1)
            if answer is None:
                return False
            self.known = replace(self.known, calls=self.known.calls + answer["matched_call_count"], parts_done=number)
            self.told(self.known)
            if number == 1 and self.clock() - since < QUICK:
                break
        return True

    def _stretches(self) -> list[tuple[str, str]]:
        """Return the stretches of time, the newest first; none where the dates of the cache are not known, or a
        quarter is asked for, which is short."""
        if "quarter" in self.form or STATUS not in {tool.name for tool in self.handler.tools()}:
            return []
        status = self.handler.call(STATUS, {}, self.cancel).answer.structured or {}
        begin, end = status.get("first_call_date"), status.get("last_call_date")
        if not isinstance(begin, str) or not isinstance(end, str):
            return []
        try:
            first = dt.date.fromisoformat(max(begin, self.form.get("from_date", begin)))
            last = dt.date.fromisoformat(min(end, self.form.get("to_date", end)))
        except (TypeError, ValueError):
            return []  # the tool says what is wrong with the date
        days = (last - first).days + 1
        if days < PARTS:
            return []
        cuts = [first + dt.timedelta(days=days * at // PARTS) for at in range(PARTS + 1)]
        spans = [(cuts[at].isoformat(), (cuts[at + 1] - dt.timedelta(days=1)).isoformat()) for at in range(PARTS)]
        return spans[::-1]

    def _whole(self) -> None:
        """Count everything: the conditions one by one, what is known of the calls, and the values of the dimension."""
        chosen = [name for name in self.form if not name.startswith("include_")]
        built = self._call(BUILD, self.form) if chosen else {}
        if built is None:
            if self.known.why[:1] != ("invalid_argument",):
                return
        elif built:
            self._take_conditions(built)
        counted = self._call(COUNTS, self.form, limit=MOST_VALUES, **self._by())
        if counted is None:
            return
        groups = [
            Group(str(row["value"]), row["call_count"], row["transcript_count"])
            for row in counted.get("results", ())
            if {"value", "call_count", "transcript_count"} <= row.keys()
        ]
        self.known = replace(
            self.known,
            calls=counted["matched_call_count"],
            exact=True,
            whole=not chosen or built is None,
            groups=tuple(groups),
            more=bool(counted.get("truncated")),
        )

    def _by(self) -> dict[str, str]:
        if dimension_named(self.dimension) is not None:
            return {"dimension": self.dimension}
        return {"dimension": PROFILE_CONCEPT, "concept": self.dimension}

    def _take_conditions(self, built: Mapping[str, Any]) -> None:
        rows = built.get("results", ())
        words: Sequence[str] = built.get("normalized_filter") or [row["argument"] for row in rows]
        emptied = built.get("emptied_by")
        empty = (n for n, row in enumerate(rows) if row["argument"] == emptied and not row["left_count"])
        at = next(empty, -1)
        coverage = built["coverage"]
        self.known = replace(
            self.known,
            calls=coverage["call_count"],
            exact=True,
            transcripts=coverage["transcript_count"],
            name=built.get("cohort_id", ""),
            limitations=tuple(built.get("limitations", ())),
            conditions=tuple(
                Condition(text, row["call_count"], row["left_count"], number == at)
                for number, (row, text) in enumerate(zip(rows, words, strict=True))
            ),
        )

    def _call(self, name: str, form: Mapping[str, Any], **more: Any) -> dict[str, Any] | None:
        """Run a tool; None when it was stopped or refused, and then the reason is known."""
        tool = next(tool for tool in self.handler.tools() if tool.name == name)
        outcome: Outcome = self.handler.call(name, {**arguments_of(form, tool), **more}, self.cancel)
        found: dict[str, Any] | None = outcome.answer.structured
        if self.cancel.cancelled:
            self.known = replace(self.known, why=(STOPPED,))
            return None
        if found is None or found.get("status") != "ok":
            error = outcome.answer.error or {}
            told = (outcome.code, error.get("message", ""), error.get("hint", ""))
            self.known = replace(self.known, why=tuple(str(part) for part in told if part))
            return None
        return found
