"""Business questions: what is asked on the calls of a cohort, and what stands against a purchase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from gongmcp.analysis.clarity import QUESTION_SIGNS, asks, clarity
from gongmcp.analysis.near_duplicates import SeenTexts
from gongmcp.catalog.arguments import Cursor, Limit, Text
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_filter import CohortArguments, cohort_of
from gongmcp.catalog.cohort_rows import CohortNotes, Count, cohort_notes
from gongmcp.catalog.cohort_tools import PRESETS
from gongmcp.catalog.declaration import CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.theme_arguments import (
    WHOLE_YEAR,
    SpeakerRole,
    Spoken,
    TopicPackNames,
    packs_of,
    role_of,
    spoken_rows,
)
from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field, Filters, shown
from gongmcp.exposure.rows import Row
from gongmcp.store import samples
from gongmcp.store.ranking import Matcher, words_outside_marks
from gongmcp.store.search_query import SearchQuery, Term, of_groups
from gongmcp.store.segments import segment_rows
from gongmcp.store.themes import ThemeHit, spread_over_calls, theme_hits

Topics = Mapping[str, tuple[Term, ...]]

CANDIDATES = 1_500
"""Sentences of each kind that are looked at, spread over the calls."""

PER_CALL = 5
"""Sentences of one call in the answer, of each kind."""


class QuestionSearch(CohortArguments):
    """Arguments of ``extract_business_questions``."""

    kind: Annotated[
        Literal["questions", "objections", "both"],
        msgspec.Meta(description="questions are asked; objections are found by the words of topic packs."),
    ] = "both"
    topics: (
        Annotated[
            list[Annotated[Text, Filters(Field.ECHO)]],
            msgspec.Meta(description="Only of these topics, as topic_counts names them; all when omitted."),
        ]
        | None
    ) = None
    topic_packs: TopicPackNames | None = None
    speaker_role: SpeakerRole = "external_or_unknown"
    include_call_ids: IncludeIds = False
    limit: Limit = None
    cursor: Cursor = None


class BusinessQuestion(Spoken):
    """A question or an objection as it was said, and its topics."""

    kind: Annotated[str, shown(Field.CATEGORY)]
    topics: Annotated[list[str] | None, shown(Field.SETTING_NAME)]
    clarity: Annotated[float, shown(Field.MEASURE)]


class TopicCount(Row):
    """How many calls raise a topic, by questions and by objections."""

    topic: Annotated[str, shown(Field.SETTING_NAME)]
    question_call_count: Count
    objection_call_count: Count


class QuestionNotes(CohortNotes):
    """How many there are, in how many calls, and of which topics."""

    transcript_call_count: Count
    counted_call_count: Count
    asked_count: Count
    objection_count: Count
    topic_counts: list[TopicCount] | None


@dataclass(frozen=True, slots=True)
class _Found:
    """One sentence: its *kind*, where it stands, the topics that it is about."""

    kind: str
    hit: ThemeHit
    topics: tuple[str, ...]
    clarity: float
    words: tuple[str, ...]


@tool(
    "extract_business_questions",
    title="Questions and objections",
    description="Find the questions that buyers ask in a cohort, and their objections, with topics and how many "
    "calls raise each. Questions are sentences that ask, not keywords; one of each call before a second.",
    arguments=QuestionSearch,
    row=BusinessQuestion,
    notes=QuestionNotes,
    level=Level.IDENTIFIED,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    aliases=("extract_buyer_questions", "extract_objection_signals"),
    examples=(
        {**WHOLE_YEAR, "kind": "questions", "limit": 4},
        {**WHOLE_YEAR, "kind": "objections", "topics": ["risk"], "limit": 3},
        {"filter": {"industry": "tech"}},
    ),
)
def extract_business_questions(args: QuestionSearch, scope: CallScope) -> Rows[BusinessQuestion]:
    """Look through a sample of the cohort's calls."""
    cohort = cohort_of(args, scope)
    packs = packs_of(scope)
    asked_of, against = packs.topics("topics", args.topic_packs), packs.topics("objections", args.topic_packs)
    wanted = _wanted(args, asked_of, against)
    inside = samples.transcripts(scope.store, cohort.calls)
    chosen = samples.sample(inside, scope.state.secret)
    found: list[_Found] = []
    if args.kind in ("questions", "both"):
        found += _questions(scope, chosen, role_of(args), asked_of)
    if args.kind in ("objections", "both"):
        found += _objections(scope, chosen, role_of(args), against)
    if wanted is not None:
        found = [item for item in found if wanted & set(item.topics)]
    ordered = _ordered(found)
    start = int(scope.after[0]) if scope.after else 0
    page = ordered[start : start + scope.limit] if scope.limit else ordered[start:]
    queries = [_all_terms({topic: _of(item, asked_of, against)[topic] for topic in item.topics}) for item in page]
    columns, evidence = spoken_rows(scope, cohort.lifecycle, [item.hit for item in page], queries)
    rows = [
        BusinessQuestion(**row, kind=item.kind, topics=list(item.topics) or None, clarity=item.clarity)
        for row, item in zip(columns, page, strict=True)
    ]
    limits = [] if chosen.is_whole else [f"sampled: {len(chosen.calls)} of the calls were read, by a fixed order."]
    kinds = Counter(item.kind for item in found)
    notes = QuestionNotes(
        **cohort_notes(cohort, limits if not scope.cells.active else []),
        transcript_call_count=scope.cells.count(len(inside)),
        counted_call_count=scope.cells.count(len(chosen.calls)),
        asked_count=scope.cells.count(kinds["question"]),
        objection_count=scope.cells.count(kinds["objection"]),
        topic_counts=_topic_counts(scope, found) or None,
    )
    keys = [(start + at + 1,) for at in range(len(page))]
    return Rows(rows, start + len(page) < len(ordered), keys, notes, evidence=evidence)


def _wanted(args: QuestionSearch, asked_of: Topics, against: Topics) -> set[str] | None:
    """Return the topics that are asked for, None for all; raises ``ToolFault("invalid_argument")`` for one unknown."""
    if args.topics is None:
        return None
    known = {
        **(asked_of if args.kind != "objections" else {}),
        **(against if args.kind != "questions" else {}),
    }
    wanted = {topic.strip().lower().replace(" ", "_") for topic in args.topics}
    if not wanted <= known.keys():
        raise ToolFault(
            "invalid_argument", "topics names a topic that no pack has.", f"Use some of: {', '.join(sorted(known))}."
        )
    return wanted


def _questions(scope: CallScope, chosen: samples.Sample, role: str | None, topics: Topics) -> list[_Found]:
    hits = []
    texts: dict[int, str] = {}
    for _, said in samples.texts(scope.store, chosen.calls, role, holding=QUESTION_SIGNS[:3]):
        for number, text in said:
            if asks(text):
                hits.append(ThemeHit(number, (number,)))
                texts[number] = text
    return [
        _found("question", hit, texts[hit.at], topics)
        for hit in spread_over_calls(hits, scope.state.secret, CANDIDATES)
    ]


def _objections(scope: CallScope, chosen: samples.Sample, role: str | None, topics: Topics) -> list[_Found]:
    query = _all_terms(topics)
    if query is None:
        return []
    hits = theme_hits(scope.store, query, set(chosen.calls), role)
    kept = spread_over_calls(hits, scope.state.secret, CANDIDATES)
    texts = {row.segment_no: row.text for row in segment_rows(scope.store, [hit.at for hit in kept])}
    # A match inside the mark of something masked is none.
    made = [_found("objection", hit, texts[hit.at], topics) for hit in kept]
    return [item for item in made if item.topics]


def _found(kind: str, hit: ThemeHit, text: str, topics: Topics) -> _Found:
    words = words_outside_marks(text)
    about = tuple(topic for topic, terms in topics.items() if Matcher(of_groups([terms])).hits(words))
    return _Found(kind, hit, about, clarity(text, words), tuple(words))


def _of(item: _Found, asked_of: Topics, against: Topics) -> Topics:
    return asked_of if item.kind == "question" else against


def _all_terms(topics: Topics) -> SearchQuery | None:
    terms = dict.fromkeys(term for terms in topics.values() for term in terms)
    return of_groups([tuple(terms)]) if terms else None


def _ordered(found: list[_Found]) -> list[_Found]:
    """Return what is shown: clear ones first, of each call one before a second, nothing twice."""
    seen = SeenTexts()
    nth: Counter[tuple[int, str]] = Counter()
    ranked = []
    for item in sorted(found, key=lambda item: (-bool(item.topics), -item.clarity, -item.hit.at)):
        if not seen.is_new(item.words):
            continue
        of = (item.hit.call_no, item.kind)
        nth[of] += 1
        if nth[of] <= PER_CALL:
            ranked.append((nth[of], item))
    return [item for _, item in sorted(ranked, key=lambda pair: pair[0])]


def _topic_counts(scope: CallScope, found: list[_Found]) -> list[TopicCount]:
    calls: dict[str, dict[str, set[int]]] = {}
    for item in found:
        for topic in item.topics:
            calls.setdefault(topic, {}).setdefault(item.kind, set()).add(item.hit.call_no)
    counted = [
        {"topic": topic, "asked": len(of.get("question", ())), "against": len(of.get("objection", ()))}
        for topic, of in calls.items()
    ]
    kept = [
        {**row, "asked": scope.cells.count(row["asked"]), "against": scope.cells.count(row["against"])}
        for row in scope.cells.enough(counted, "asked", "against")
    ]
    kept.sort(key=lambda row: (-row["asked"] - row["against"], row["topic"]))
    return [
        TopicCount(topic=row["topic"], question_call_count=row["asked"], objection_call_count=row["against"])
        for row in kept
    ]
