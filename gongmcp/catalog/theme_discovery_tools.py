"""Theme discovery: the words that set a cohort apart from all other calls."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from gongmcp.analysis.log_likelihood import lift, log_likelihood
from gongmcp.analysis.ngrams import TermCounts, is_content, is_part_of, spoken_words
from gongmcp.analysis.stop_words import stop_words
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
from gongmcp.store import samples
from gongmcp.store.calls import CallFilter


class ThemeDiscovery(CohortArguments):
    """Arguments of ``discover_themes_in_cohort``."""

    speaker_role: SpeakerRole = "any"
    limit: Limit = None
    cursor: Cursor = None


class FoundTheme(Row):
    """A word, or two or three in a row, that the cohort says more often than other calls."""

    theme: Annotated[str, shown(Field.SNIPPET)]
    call_count: Count
    occurrence_count: Count
    background_call_count: Count
    call_share: Rate
    log_likelihood: Annotated[float | None, exact(Field.MEASURE)]
    lift: Annotated[float | None, exact(Field.MEASURE)]


class DiscoveryNotes(CohortNotes):
    """Over how many calls the words were counted, of the cohort and of the other calls."""

    transcript_call_count: Count
    counted_call_count: Count
    background_call_count: Count
    sampled: Annotated[bool, shown(Field.STATUS)]


MAX_THEMES = 200
SURE = 10.83
"""G² from which on a difference is no chance, one time in a thousand aside."""


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
    """Count terms in a sample of the cohort and in one of the other calls, and compare."""
    cohort = cohort_of(args, scope)
    secret, role = scope.state.secret, role_of(args)
    everything = samples.transcripts(scope.store, CallFilter(), scope.may_quote)
    inside = samples.transcripts(scope.store, cohort.calls, scope.may_quote)
    outside = {number: count for number, count in everything.items() if number not in inside}
    chosen, others = samples.sample(inside, secret), samples.sample(outside, secret)
    spoken = samples.languages(scope.store, cohort.calls)
    stop = frozenset().union(*map(stop_words, spoken)) if spoken else stop_words()
    least = max(2, scope.cells.least)
    here = _counted(scope, chosen, role, stop, least)
    kept = {term for term, calls in here.calls.items() if calls >= least}
    counted, background = scope.cells.count(len(chosen.calls)), scope.cells.count(len(others.calls))
    there = TermCounts()
    words = {word for term in kept for word in term.split()}
    # So few other calls that none is shown are none: what is said of them would tell that there are some.
    for _, texts in samples.texts(scope.store, others.calls if background else (), role):
        there.add_call((spoken_words(text) for _, text in texts), words)
    found = _ranked(here, there, kept)
    if scope.cells.active:
        found.sort(key=lambda row: (-scope.cells.count(row["calls"]), row["theme"]))
    rows = [
        FoundTheme(
            theme=row["theme"],
            call_count=row["calls"],
            occurrence_count=row["count"],
            background_call_count=row["other_calls"],
            call_share=ratio(scope.cells.count(row["calls"]), counted),
            log_likelihood=row["g2"],
            lift=row["lift"],
        )
        for row in scope.cells.enough(found, "calls")
    ]
    limits = []
    if not background:
        limits.append("no_background: too few calls are outside of the cohort; words are those said in most calls.")
    if counted < 10:
        limits.append("few_calls: words of fewer than 10 calls tell of these calls, not of a kind of calls.")
    if not (chosen.is_whole and others.is_whole):
        limits.append(
            f"sampled: words were counted in at most {samples.MAX_CALLS} calls and {samples.MAX_SEGMENTS} segments "
            "of each side, chosen by a fixed order."
        )
    notes = DiscoveryNotes(
        **cohort_notes(cohort, limits),
        transcript_call_count=scope.cells.count(len(inside)),
        counted_call_count=counted,
        background_call_count=background,
        sampled=not (chosen.is_whole and others.is_whole),
    )
    return Rows.page(rows, scope, notes)


def _counted(
    scope: CallScope, chosen: samples.Sample, role: str | None, stop: frozenset[str], least: int
) -> TermCounts:
    """Count the terms of a sample whose words are said in *least* calls: others make no theme, and are many."""
    spread: Counter[str] = Counter()
    said = []
    for _, texts in samples.texts(scope.store, chosen.calls, role):
        words = [spoken_words(text) for _, text in texts]
        spread.update({word for segment in words for word in segment})
        said.append(words)
    among = {word for word, calls in spread.items() if calls >= least and is_content(word, stop)}
    here = TermCounts()
    for call in said:
        here.add_call(call, among)
    return here


def _ranked(here: TermCounts, there: TermCounts, kept: set[str]) -> list[dict[str, Any]]:
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
    out: list[dict[str, Any]] = []
    for row in graded[: 4 * MAX_THEMES]:
        covered = any(
            is_part_of(row["theme"], longer["theme"]) and longer["count"] >= 0.7 * row["count"] for longer in graded
        )
        if not covered:
            out.append(row)
    return out[:MAX_THEMES]
