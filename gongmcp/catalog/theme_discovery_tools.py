"""Theme discovery: the words that set a cohort apart from all other calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from gongmcp.analysis.log_likelihood import lift, log_likelihood
from gongmcp.analysis.ngrams import TermCounts, is_content, parts_of, spoken_words
from gongmcp.analysis.phrases import mostly_said_as
from gongmcp.analysis.stop_words import stop_words
from gongmcp.analysis.word_counts import WordCounts
from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.cohort_filter import CohortArguments, cohort_of
from gongmcp.catalog.cohort_rows import CohortNotes, Count, Rate, cohort_notes, ratio
from gongmcp.catalog.cohort_tools import PRESETS
from gongmcp.catalog.declaration import CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.theme_arguments import (
    SpeakerRole,
    role_of,
)
from gongmcp.exposure.fields import Field, exact, shown
from gongmcp.exposure.rows import Row
from gongmcp.store import samples, words
from gongmcp.store.calls import CallFilter


class ThemeDiscovery(CohortArguments):
    """Arguments of ``discover_themes_in_cohort``."""

    speaker_role: SpeakerRole = "any"
    limit: Limit = None
    cursor: Cursor = None


class FoundTheme(Row):
    """A word, or two or three in a row, that the cohort says more often than other calls."""

    theme: Annotated[str, shown(Field.SNIPPET)]
    mostly_said_as: Annotated[str | None, shown(Field.SNIPPET)]
    call_count: Count
    occurrence_count: Count
    background_call_count: Count
    call_share: Rate
    log_likelihood: Annotated[float | None, exact(Field.MEASURE)]
    lift: Annotated[float | None, exact(Field.MEASURE)]


class DiscoveryNotes(CohortNotes):
    """Over how many calls the words were counted, of the cohort and of the other calls; *counted_from*: texts, sampled
    where *sampled*, or the counts of single words that are kept of every call."""

    transcript_call_count: Count
    counted_call_count: Count
    background_call_count: Count
    sampled: Annotated[bool, shown(Field.STATUS)]
    counted_from: Annotated[str, shown(Field.STATUS)]


MAX_THEMES = 200
SURE = 10.83
"""G² from which on a difference is no chance, one time in a thousand aside."""
TEXTS, KEPT_COUNTS = "texts", "kept_counts"


@tool(
    "discover_themes_in_cohort",
    title="Themes of a cohort",
    description="Find the words and phrases that set a cohort apart from all other calls (log-likelihood), each said "
    "in at least two calls. Use it when no theme is known; then ask about one by its words.",
    arguments=ThemeDiscovery,
    row=FoundTheme,
    notes=DiscoveryNotes,
    level=Level.SNIPPET,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    examples=({"filter": {"industry": "tech"}, "limit": 5}, {"filter": {"quarter": "2026-Q1"}}),
)
def discover_themes_in_cohort(args: ThemeDiscovery, scope: CallScope) -> Rows[FoundTheme]:
    """Count terms in the cohort and in the other calls, and compare: in their texts where both sides are few enough to
    be read, else by the counts that are kept of every call, else in a sample of the texts."""
    cohort = cohort_of(args, scope)
    role = role_of(args)
    everything = samples.transcripts(scope.store, CallFilter(), scope.may_quote)
    inside = samples.transcripts(scope.store, cohort.calls, scope.may_quote)
    outside = {number: count for number, count in everything.items() if number not in inside}
    sides = _Sides(scope, role, inside, outside)
    spoken = samples.languages(scope.store, cohort.calls)
    stop = frozenset().union(*map(stop_words, spoken)) if spoken else stop_words()
    least = max(2, scope.cells.least)
    kept = not sides.are_whole and role is None and words.are_kept(scope.store, everything)
    found = _of_kept_counts(sides, stop, least) if kept else _of_texts(sides, stop, least)
    counted = scope.cells.count(len(inside if kept else sides.chosen.calls))
    background = sides.background(kept=kept)
    if scope.cells.active:
        found.sort(key=lambda row: (-scope.cells.count(row["calls"]), row["theme"]))
    rows = [
        FoundTheme(
            theme=row["theme"],
            mostly_said_as=row.get("phrase"),
            call_count=row["calls"],
            occurrence_count=row["count"],
            background_call_count=row["other_calls"],
            call_share=ratio(scope.cells.count(row["calls"]), counted),
            log_likelihood=row["g2"],
            lift=row["lift"],
        )
        for row in scope.cells.enough(found, "calls")
    ]
    sampled = not (kept or sides.are_whole)
    limits = []
    if not background:
        limits.append("no_background: too few calls are outside of the cohort; words are those said in most calls.")
    if counted < 10:
        limits.append("few_calls: words of fewer than 10 calls tell of these calls, not of a kind of calls.")
    if sampled:
        limits.append(
            f"sampled: words were counted in at most {samples.MAX_CALLS} calls and {samples.MAX_SEGMENTS} segments "
            "of each side, chosen by a fixed order."
        )
    if kept:
        limits.append(
            "single_words: in so many calls words are counted one by one, over all of them; mostly_said_as is from a "
            f"sample of at most {PHRASE_SEGMENTS} segments of the cohort."
        )
    notes = DiscoveryNotes(
        **cohort_notes(cohort, limits),
        transcript_call_count=scope.cells.count(len(inside)),
        counted_call_count=counted,
        background_call_count=background,
        sampled=sampled,
        counted_from=KEPT_COUNTS if kept else TEXTS,
    )
    return Rows.page(rows, scope, notes)


PHRASE_SEGMENTS = 10_000
"""Segments of the cohort in which phrases are looked for around words that were counted by themselves."""


class _Sides:
    """The calls of the cohort and the other calls, with their numbers of segments, and a sample of each."""

    def __init__(
        self, scope: CallScope, role: str | None, inside: Mapping[int, int], outside: Mapping[int, int]
    ) -> None:
        self.scope = scope
        self.role = role
        self.inside = inside
        self.outside = outside
        self.chosen = samples.sample(inside, scope.state.secret)
        self.others = samples.sample(outside, scope.state.secret)

    @property
    def are_whole(self) -> bool:
        """True when the samples are all calls."""
        return self.chosen.is_whole and self.others.is_whole

    def background(self, *, kept: bool) -> int:
        """Return how many other calls are compared with, as that may leave: so few that none is shown are none, since
        what is said of them would tell that there are some."""
        return self.scope.cells.count(len(self.outside if kept else self.others.calls))


def _of_texts(sides: _Sides, stop: frozenset[str], least: int) -> list[dict[str, Any]]:
    here = _counted(sides.scope, sides.chosen, sides.role, stop, least)
    kept = {term for term, calls in here.calls.items() if calls >= least}
    there = TermCounts()
    said = {word for term in kept for word in term.split()}
    read = sides.others.calls if sides.background(kept=False) else ()
    for _, texts in samples.texts(sides.scope.store, read, sides.role):
        there.add_call((spoken_words(text) for _, text in texts), said)
    return _ranked(here, there, kept)


def _of_kept_counts(sides: _Sides, stop: frozenset[str], least: int) -> list[dict[str, Any]]:
    """Compare single words over every call of both sides, and say in which phrase each is mostly said."""
    store = sides.scope.store
    here, there = WordCounts(), WordCounts()
    if sides.background(kept=True):
        if sides.scope.languages is None and not store.is_narrowed:
            # All served calls are the cohort and the others: the smaller side is read, the other one is what is left.
            everything = words.of_cache(store)
            if len(sides.inside) <= len(sides.outside):
                here = words.of_calls(store, sides.inside)
                there = everything.less(here)
            else:
                there = words.of_calls(store, sides.outside)
                here = everything.less(there)
        else:
            here, there = words.of_calls(store, sides.inside), words.of_calls(store, sides.outside)
    else:
        here = words.of_calls(store, sides.inside)
    kept = {word for word, calls in here.calls.items() if calls >= least and is_content(word, stop)}
    found = _ranked(here, there, kept)
    chosen = samples.sample(sides.inside, sides.scope.state.secret, segments_at_most=PHRASE_SEGMENTS)
    texts = (spoken_words(text) for _, said in samples.texts(store, chosen.calls) for _, text in said)
    phrases = mostly_said_as(texts, {row["theme"] for row in found}, kept)
    out, told = [], set()
    for row in found:
        phrase = phrases.get(row["theme"])
        if phrase is None or phrase not in told:
            out.append({**row, "phrase": phrase})
            told.add(phrase)
    return out


def _counted(
    scope: CallScope, chosen: samples.Sample, role: str | None, stop: frozenset[str], least: int
) -> TermCounts:
    """Count the terms of a sample whose words are said in *least* calls: others make no theme, and are many."""
    spread: Counter[str] = Counter()
    said = []
    for _, texts in samples.texts(scope.store, chosen.calls, role):
        segments = [spoken_words(text) for _, text in texts]
        spread.update({word for segment in segments for word in segment})
        said.append(segments)
    among = {word for word, calls in spread.items() if calls >= least and is_content(word, stop)}
    here = TermCounts()
    for call in said:
        here.add_call(call, among)
    return here


def _ranked(here: TermCounts | WordCounts, there: TermCounts | WordCounts, kept: set[str]) -> list[dict[str, Any]]:
    """Return the terms that are more frequent here than there, surest first; a part of a longer term that is seldom
    said without it is left out."""
    graded: list[dict[str, Any]] = []
    for term in kept:
        count, other = here.occurrences[term], there.occurrences[term]
        g2 = log_likelihood(count, here.words, other, there.words) if there.words else None
        if g2 is not None and g2 < SURE:
            continue
        graded.append(
            {
                "theme": term,
                "calls": here.calls[term],
                "count": count,
                "other_calls": there.calls[term],
                "g2": g2,
                "lift": lift(count, here.words, other, there.words) if there.words else None,
            }
        )
    graded.sort(key=lambda row: (-(row["g2"] or 0.0), -row["calls"], -row["count"], row["theme"]))
    within: Counter[str] = Counter()
    for row in graded:
        for part in parts_of(row["theme"]):
            within[part] = max(within[part], row["count"])
    return [row for row in graded if within[row["theme"]] < 0.7 * row["count"]][:MAX_THEMES]
