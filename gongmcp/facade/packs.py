"""Packs: several answers put together for one question. Evidence, figures and limitations, never prose.

Each part is the answer of a tool, by the same handler: exposure, small cells, the evidence budget, the guard and the
lock hold for it as for a call of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from gongmcp.cancel import Cancel
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_filter import CohortArguments
from gongmcp.catalog.declaration import Arguments, Level, Tool
from gongmcp.catalog.facade_tools import Routed, routed
from gongmcp.catalog.operations import Operation, offered
from gongmcp.catalog.schema import input_schema
from gongmcp.catalog.theme_arguments import SpeakerRole, Theme
from gongmcp.errors import Unavailable
from gongmcp.exposure.fields import Field, Filters
from gongmcp.exposure.ledger import Place
from gongmcp.facade.pack_text import pack_text
from gongmcp.facade.repair import RepairableFault
from gongmcp.facade.route import ENVELOPE, Told, asked, move_rows, with_paths, wrapped
from gongmcp.facade.theme_words import subject_of
from gongmcp.render.answer import Answer
from gongmcp.render.wire import result_bytes

if TYPE_CHECKING:
    from gongmcp.handler import Outcome, ToolHandler

QUOTES: Final = 6
COUNTER: Final = 3
DIMENSIONS: Final = ("quarter", "industry", "persona", "won_lost")
GROUPS: Final = 8
THEMES: Final = 8

_CONTRAST: Final = '"not" OR "but" OR however OR although OR concern OR problem OR difficult OR decline OR despite'
_COUNTER_NOTE: Final = (
    "counter_evidence: the same theme beside a word of contrast or doubt; whether it speaks against is for the reader."
)
_SLOW: Final = Unavailable("The time limit for one call ran out.", "Narrow the dates or filters and call again.")
_NEW: Final = "new"
_FLAGS: Final = (
    *("include_account_names", "include_call_titles"),
    *("include_person_titles", "include_participant_emails"),
)
_YEAR: Final = {"from_date": "2026-01-01", "to_date": "2026-12-31"}

_Quotes = Annotated[int, msgspec.Meta(ge=1, le=12, description="Quotations at most.")]


class PackArguments(CohortArguments, kw_only=True):
    """Arguments that every pack takes. Without filter and token the cohort is made of the theme's words."""

    theme_query: Theme | None = None
    speaker_role: SpeakerRole = "external_or_unknown"
    limit: _Quotes = QUOTES
    include_call_ids: IncludeIds = False


class QuestionArguments(PackArguments, kw_only=True):
    """Arguments of ``question.answer`` and ``prospect.question.answer``."""

    question: Annotated[
        str,
        Filters(Field.SNIPPET),
        msgspec.Meta(min_length=1, max_length=512, description="In plain words; what is searched for is made of it."),
    ]


@dataclass(slots=True)
class _Pack:
    """A pack while it is put together."""

    handler: ToolHandler
    operation: Operation
    given: dict[str, Any]
    cancel: Cancel | None
    told: Told = field(default_factory=lambda: Told({}, ""))
    body: dict[str, Any] = field(default_factory=dict)
    limitations: list[str] = field(default_factory=list)
    head: dict[str, Any] = field(default_factory=dict)
    started: float = field(default_factory=lambda: time.monotonic())

    def ask(self, tool: str, arguments: Mapping[str, Any], moved: Mapping[str, Place] | None = None) -> dict[str, Any]:
        """Return the answer of *tool*, which is ``unavailable`` once the pack has taken as long as one call may.

        Raises ``RepairableFault`` where it is an error.
        """
        if time.monotonic() - self.started > self.handler.tool_timeout:
            self.head = {"as_of": "", **self.head, "status": "unavailable", "message": _SLOW.reason, "hint": _SLOW.hint}
            return self.head
        outcome: Outcome = self.handler.behind(ENVELOPE).call(tool, arguments, self.cancel)
        declared = self.handler.served()[tool]
        answer = asked(outcome, self.operation, self.given, declared)
        self.told.take(outcome, moved or {"": ("result",)})
        if not self.head or answer["status"] != "ok":
            self.head = {
                name: answer[name] for name in ("status", "as_of", "freshness", "message", "hint") if name in answer
            }
        return answer

    def is_cut_short(self) -> bool:
        """Whether a part could not be answered; the pack then says so and ends."""
        return bool(self.head) and self.head["status"] == "unavailable"

    def passed(self, *names: str) -> dict[str, Any]:
        """Return those of the arguments that were given, for a part."""
        return {name: self.given[name] for name in names if name in self.given}


def pack_tool(operation: Operation) -> Tool:
    """Return a declaration of the pack *operation*, for its schema: it is no tool of the catalogue."""
    arguments, example = _SHAPES[operation.name][1:]
    return Tool(
        name=operation.name,
        title=operation.name,
        description=operation.summary,
        arguments=arguments,
        row=Routed,
        notes=None,
        many=False,
        cap=None,
        cap_envelope=False,
        cursor=False,
        level=Level.IDENTIFIED,
        presets=frozenset(),
        refinements=(),
        function=routed,
        examples=(example,),
    )


def pack(handler: ToolHandler, operation: Operation, given: Mapping[str, Any], cancel: Cancel | None) -> Told:
    """Return the pack of *operation*.

    Raises ``RepairableFault``.
    """
    tool = pack_tool(operation)
    checked = with_paths(handler, tool, input_schema(tool, handler.policy), given, operation.name)
    made = _Pack(handler, operation, checked, cancel)
    _SHAPES[operation.name][0](made)
    body = {**made.body, "limitations": list({line.partition(":")[0]: line for line in made.limitations}.values())}
    made.told.result = wrapped(operation, {**made.head, **body}, None)
    _fit(made.told, handler.policy.max_response_bytes)
    made.told.text = pack_text(operation, handler.served(), made.told.result)
    return made.told


def _question(made: _Pack) -> None:
    given = made.given
    subject = subject_of(given["question"])
    theme = given.get("theme_query") or subject.together
    if not theme:
        raise RepairableFault(
            "invalid_argument",
            "arguments.question holds no word that could be searched for.",
            "Give arguments.theme_query.",
            {"issue": "no_theme", "operation": made.operation.name, "arguments": {"theme_query": "pricing"}},
        )
    derived = "theme_query" not in given
    made.body["interpreted"] = {
        "theme_query": theme,
        "made_from": "question" if derived else "theme_query",
        **({"left_out": list(subject.left_out)} if derived and subject.left_out else {}),
    }
    cohort = _cohort(made, subject.either if derived else theme)
    if cohort is None:
        return
    found = _quotes(made, cohort, theme, "evidence", given.get("limit", QUOTES))
    if made.is_cut_short():
        return
    if not found and derived and len(subject.terms) > 1:
        theme = subject.either
        made.body["interpreted"] |= {"theme_query": theme, "widened": "no place holds all words; any of them is found"}
        found = _quotes(made, cohort, theme, "evidence", given.get("limit", QUOTES))
    _counter(made, cohort, theme, found)
    made.body["evidence_status"] = "evidence_found" if found else "no_evidence"
    made.body["follow_ups"] = _follow_ups(made, theme)


def _prospect(made: _Pack) -> None:
    chosen = made.given.get("filter") or {}
    if "cohort_token" not in made.given and "account_query" not in chosen:
        raise RepairableFault(
            "invalid_argument",
            "Missing required argument: arguments.filter.account_query.",
            "Name the account, with include_account_names true.",
            {
                "issue": "missing_account",
                "operation": made.operation.name,
                "arguments": {"filter": {"account_query": "Example"}, "include_account_names": True},
            },
        )
    _question(made)


def _report(made: _Pack) -> None:
    theme = made.given["theme_query"]
    made.body["interpreted"] = {"theme_query": theme, "made_from": "theme_query"}
    cohort = _cohort(made, theme)
    if cohort is None:
        return
    made.body["compared"] = {}
    for dimension in DIMENSIONS:
        try:
            answer = made.ask(
                "summarize_themes_by_dimension",
                {**cohort, "theme_query": theme, "dimension": dimension, "limit": GROUPS, "stemming": True}
                | made.passed("speaker_role"),
                {"results": ("result", "compared", dimension)},
            )
        except RepairableFault as fault:
            if fault.code not in ("refused_by_policy", "invalid_argument"):
                raise
            made.limitations.append(f"{dimension}: this dimension is not shown here.")
            continue
        if made.is_cut_short():
            return
        made.body["base_share"] = answer.get("base_share")
        made.body["compared"][dimension] = answer["results"]
    found = _quotes(made, cohort, theme, "evidence", made.given.get("limit", QUOTES))
    _counter(made, cohort, theme, found)
    made.body["evidence_status"] = "evidence_found" if found else "no_evidence"
    made.body["follow_ups"] = _follow_ups(made, theme)


def _discovery(made: _Pack) -> None:
    cohort = _cohort(made, made.given.get("theme_query", ""))
    if cohort is None:
        return
    answer = made.ask(
        "discover_themes_in_cohort",
        {**cohort, "limit": THEMES} | made.passed("speaker_role"),
        {"results": ("result", "themes")},
    )
    if made.is_cut_short():
        return
    made.body["themes"] = answer["results"]
    made.limitations += [line for line in answer.get("limitations") or () if line not in made.limitations]
    made.body["evidence"] = []
    for row in answer["results"][:3]:
        kept = made.body["evidence"]
        found = _quotes(made, cohort, f'"{row["theme"]}"', "evidence", 2, behind=len(kept), stemming=False)
        made.body["evidence"] = [*kept, *({"theme": row["theme"], **quote} for quote in found)]
        if made.is_cut_short():
            return
    made.body["evidence_status"] = "evidence_found" if made.body["evidence"] else "no_evidence"
    if answer["results"]:
        made.body["follow_ups"] = _follow_ups(made, f'"{answer["results"][0]["theme"]}"')


def _cohort(made: _Pack, words: str) -> dict[str, Any] | None:
    """Build the cohort, and put scope and coverage into the pack; returns what parts take, None without any call."""
    chosen = made.passed("filter", "cohort_token")
    if not chosen:
        if not words:
            raise RepairableFault(
                "invalid_argument",
                "Missing required argument: arguments.filter.",
                "Say which calls: a filter, or the cohort_token of analyze.cohort.build.",
                {"issue": "missing_filter", "operation": made.operation.name, "arguments": {"filter": dict(_YEAR)}},
            )
        chosen = {"filter": {"query": words}}
        made.limitations.append("no_filter: the calls are those that say these words; give a filter to choose others.")
    answer = made.ask("build_call_cohort", chosen | made.passed(*_FLAGS), {"results": ("result", "conditions")})
    if made.is_cut_short():
        return None
    made.body["scope"] = {
        name: answer[name] for name in ("normalized_filter", "cohort_id", "cohort_token") if name in answer
    }
    made.body["coverage"] = answer.get("coverage", {})
    made.limitations += answer.get("limitations") or ()
    if answer.get("emptied_by") is not None:
        made.body["evidence_status"] = "empty_cohort"
        made.body["emptied_by"] = answer["emptied_by"]
        made.body["conditions"] = answer["results"]
        return None
    return {"cohort_token": answer["cohort_token"]} | made.passed(*_FLAGS)


def _quotes(
    made: _Pack,
    cohort: Mapping[str, Any],
    theme: str,
    name: str,
    limit: int,
    *,
    behind: int = 0,
    stemming: bool = True,
) -> list[dict[str, Any]]:
    """Return the best quotations of *theme*, which stand in the pack's list *name* behind *behind* others."""
    answer = made.ask(
        "build_quote_pack",
        {**cohort, "theme_query": theme, "limit": limit, "stemming": stemming}
        | made.passed("speaker_role", *(flag for flag in ("include_call_ids",) if made.given.get(flag))),
        {"results": ("result", _NEW)},
    )
    found: list[dict[str, Any]] = answer.get("results", [])
    move_rows(made.told.ledger, _NEW, name, {number: behind + number for number in range(len(found))})
    if name == "evidence":
        made.body["evidence"] = found
        made.body["found"] = {
            key: answer[key]
            for key in ("transcript_call_count", "theme_call_count", "hit_count", "evidence_held_back")
            if key in answer
        }
        if answer.get("withheld_fields"):
            made.body["withheld_fields"] = answer["withheld_fields"]
    return found


def _counter(made: _Pack, cohort: Mapping[str, Any], theme: str, found: list[dict[str, Any]]) -> None:
    """Add quotations of the theme beside words of contrast, without those that are evidence already."""
    if not found or made.is_cut_short():
        return
    contrast = f"{theme} {_CONTRAST}"
    if len(contrast) > 160:
        made.limitations.append("no_counter_evidence: the theme is too long to be searched with words of contrast.")
        return
    taken = {_spot(row) for row in found}
    kept = made.body["evidence"], made.body["found"]
    rows = _quotes(made, cohort, contrast, "counter_evidence", COUNTER + 2)
    made.body["evidence"], made.body["found"] = kept
    new = [at for at, row in enumerate(rows) if _spot(row) not in taken][:COUNTER]
    made.body["counter_evidence"] = [rows[at] for at in new]
    move_rows(made.told.ledger, "counter_evidence", "counter_evidence", {at: place for place, at in enumerate(new)})
    made.limitations.append(_COUNTER_NOTE)


def _spot(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return where *row* was said, in what every policy shows: a call's group is another one in each answer."""
    return tuple(row.get(name) for name in ("call_date", "start_ms", "segment_index"))


def _follow_ups(made: _Pack, theme: str) -> list[dict[str, Any]]:
    names = {operation.name for operation in offered(made.handler.policy, made.handler.served())}
    first = next((row["call_ref"] for row in made.body.get("evidence", ()) if "call_ref" in row), None)
    steps: list[tuple[str, dict[str, Any], str]] = [
        ("analyze.themes.compare", {"theme_query": theme, "dimension": "quarter"}, "by time or another dimension"),
        ("evidence.quotes.search", {"theme_query": theme}, "every place, newest first"),
    ]
    if first is not None:
        steps.append(("evidence.call_drilldown", {"call_ref": first, "theme_query": theme}, "more of one call"))
    return [
        {"operation": name, "arguments": arguments, "why": why}
        | ({} if "call_ref" in arguments else {"add": "cohort_token of scope"})
        for name, arguments, why in steps
        if name in names
    ]


def _fit(told: Told, most: int) -> None:
    """Take rows from the end of the pack's lists until it fits into *most* bytes with a text of the same size."""
    result: dict[str, Any] = told.result["result"]
    left_out: dict[str, int] = {}
    # The text is a little shorter than the structure; both are counted.
    while 2 * len(result_bytes(Answer("", told.result))) > most:
        name = next((key for key in ("counter_evidence", "evidence", "themes", "conditions") if result.get(key)), None)
        if name is None:
            break
        result[name] = result[name][:-1]
        left_out[name] = left_out.get(name, 0) + 1
        result["omitted"] = [{"field": key, "count": count} for key, count in left_out.items()]
    for name in left_out:
        move_rows(told.ledger, name, name, {at: at for at in range(len(result[name]))})


class ReportArguments(PackArguments, kw_only=True):
    """Arguments of ``theme_intelligence_report``."""

    theme_query: Theme


_Shape = tuple[Callable[[_Pack], None], type[Arguments], Mapping[str, Any]]

_SHAPES: Final[Mapping[str, _Shape]] = {
    "question.answer": (
        _question,
        QuestionArguments,
        {"question": "What do customers say about pricing?", "filter": {**_YEAR}},
    ),
    "prospect.question.answer": (
        _prospect,
        QuestionArguments,
        {
            "question": "What worries them about the timeline?",
            "filter": {"account_query": "Example"},
            "include_account_names": True,
        },
    ),
    "theme_intelligence_report": (_report, ReportArguments, {"theme_query": "pricing", "filter": {**_YEAR}}),
    "analyze.discovery_summary": (_discovery, PackArguments, {"filter": {"quarter": "2026-Q1"}}),
}
"""How each pack is made, what it takes, an example."""
