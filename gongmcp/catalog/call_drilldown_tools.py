"""One call looked at closely: its facts, who spoke how much, and what it says about a theme."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from gongmcp.analysis.theme_query import theme_query
from gongmcp.catalog.arguments import CallRef, Cursor, Limit
from gongmcp.catalog.calls import IncludeIds, IncludeTitles
from gongmcp.catalog.cohort_tools import PRESETS
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.catalog.theme_arguments import (
    SpeakerRole,
    Spoken,
    Theme,
    TopicPackNames,
    packs_of,
    role_of,
    spoken_rows,
)
from gongmcp.exposure.fields import Field, Filters, shown
from gongmcp.exposure.rows import Row
from gongmcp.store.buckets import lifecycle_at_hand
from gongmcp.store.calls import find_call
from gongmcp.store.schema import first_segment, last_segment
from gongmcp.store.talk import talk_shares
from gongmcp.store.themes import ThemeHit, theme_hits


class Drilldown(Arguments):
    """Arguments of ``get_call_drilldown``."""

    call_ref: Annotated[CallRef, Filters(Field.CALL_REF), msgspec.Meta(description="call_ref of another answer.")]
    theme_query: Theme | None = None
    stemming: Annotated[bool, msgspec.Meta(description="Also find other forms of the words.")] = False
    topic_packs: TopicPackNames | None = None
    speaker_role: SpeakerRole = "any"
    include_call_ids: IncludeIds = False
    include_call_titles: IncludeTitles = False
    include_account_names: Annotated[bool, msgspec.Meta(description="Also show account names.")] = False
    limit: Limit = None
    cursor: Cursor = None


class Talk(Row):
    """How much of the call was said by people of one role."""

    speaker_role: Annotated[str, shown(Field.CATEGORY)]
    speakers: Annotated[int, shown(Field.MEASURE)]
    segment_count: Annotated[int, shown(Field.MEASURE)]
    talk_share: Annotated[float | None, shown(Field.MEASURE)]


class DrilldownNotes(Row):
    """The call, and whether there was something to show: ready, no_theme, no_match, no_transcript, call_not_found."""

    drilldown_status: Annotated[str, shown(Field.STATUS)]
    call_date: Annotated[str | None, shown(Field.TIME)]
    duration_seconds: Annotated[int | None, shown(Field.MEASURE)]
    lifecycle_bucket: Annotated[str | None, shown(Field.CATEGORY)]
    account_industry: Annotated[str | None, shown(Field.LABEL)]
    opportunity_stage: Annotated[str | None, shown(Field.LABEL)]
    segment_count: Annotated[int | None, shown(Field.MEASURE)]
    places: Annotated[int | None, shown(Field.MEASURE)]
    theme_understood: Annotated[str | None, shown(Field.ECHO)]
    talk: list[Talk] | None


_NOTHING: dict[str, Any] = dict.fromkeys(
    name for name in DrilldownNotes.__struct_fields__ if name != "drilldown_status"
)


class CallExcerpt(Spoken):
    """One place of the call that speaks of the theme, with its neighbouring sentences."""


@tool(
    "get_call_drilldown",
    title="Call drilldown",
    description="Look into one call: facts, who spoke how much, and what it says about a theme, in excerpts with their "
    "neighbours. Without a theme no words are shown; never the whole transcript.",
    arguments=Drilldown,
    row=CallExcerpt,
    notes=DrilldownNotes,
    level=Level.IDENTIFIED,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    aliases=("call_drilldown",),
    examples=({"call_ref": "call_3026b7eea13cc036", "theme_query": "supply chain", "limit": 3},),
)
def get_call_drilldown(args: Drilldown, scope: CallScope) -> Rows[CallExcerpt]:
    """Find the theme in the call and show each place with the sentence before and behind it."""
    call = find_call(scope.store, args.call_ref, by_id=False)
    if call is None or not scope.may_quote(call["language"]):
        return Rows([], notes=DrilldownNotes(drilldown_status="call_not_found", **_NOTHING))
    number = int(call["call_no"])
    query = None
    if args.theme_query is not None:
        topics = packs_of(scope).topics("topics", args.topic_packs)
        query = theme_query(args.theme_query, topics, stemmed=args.stemming)
    found = theme_hits(scope.store, query, {number}, role_of(args)) if query is not None else []
    found.sort(key=lambda hit: hit.at)
    left = [hit for hit in found if scope.after is None or hit.at > int(scope.after[0])]
    page = left[: scope.limit] if scope.limit else left
    lifecycle = lifecycle_at_hand(scope.store, "auto")
    last = first_segment(number) + call["segment_count"] - 1
    columns, evidence = spoken_rows(scope, lifecycle, [_with_neighbours(hit, number, last) for hit in page], query)
    status = "ready"
    if not call["transcript_present"]:
        status = "no_transcript"
    elif query is None:
        status = "no_theme"
    elif not found:
        status = "no_match"
    (bucket,) = lifecycle.shown(scope.store, [(number, call["lifecycle_bucket"])]).values()
    notes = DrilldownNotes(
        drilldown_status=status,
        call_date=call["call_date"],
        duration_seconds=call["duration_seconds"],
        lifecycle_bucket=bucket,
        account_industry=call["account_industry"] or None,
        opportunity_stage=call["opportunity_stage"] or None,
        segment_count=call["segment_count"],
        places=len(found) if query is not None else None,
        theme_understood=query.understood or None if query is not None else None,
        talk=[Talk(**row) for row in talk_shares(scope.store, number)] or None,
    )
    rows = [CallExcerpt(**row) for row in columns]
    return Rows(rows, len(left) > len(page), [(hit.at,) for hit in page], notes, evidence=evidence)


def _with_neighbours(hit: ThemeHit, call_no: int, last: int) -> ThemeHit:
    first = first_segment(call_no)
    beside = (hit.segments[0] - 1, *hit.segments, hit.segments[-1] + 1)
    return ThemeHit(hit.at, tuple(number for number in beside if first <= number <= min(last, last_segment(call_no))))
