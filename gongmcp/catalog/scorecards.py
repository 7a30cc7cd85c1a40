"""Scorecard tools: what is asked of reviewers, and aggregates of how calls were scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from gongmcp.catalog.arguments import Cursor, Limit
from gongmcp.catalog.declaration import Arguments, CallScope, Level, NotFound, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.exposure.fields import Field, Filters, exact, never, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store import scorecards as store
from gongmcp.store.buckets import lifecycle_at_hand

Count = Annotated[int, shown(Field.COUNT)]
Score = Annotated[float | None, exact(Field.MEASURE)]


class ScorecardList(Arguments):
    """Arguments of ``list_scorecards``."""

    active_only: Annotated[bool, msgspec.Meta(description="Leave out scorecards that are switched off.")] = False
    limit: Limit = None
    cursor: Cursor = None


class ScorecardRow(Row):
    """One scorecard."""

    scorecard_id: Annotated[str, shown(Field.SETTING_ID)]
    name: Annotated[MaskedText, shown(Field.SETTING_NAME)]
    active: Annotated[bool, shown(Field.STATUS)]
    review_method: Annotated[str | None, shown(Field.LABEL)]
    workspace_id: Annotated[str | None, shown(Field.SETTING_ID)]
    question_count: Annotated[int, shown(Field.MEASURE)]
    source_created_at: Annotated[str | None, shown(Field.TIME)]
    source_updated_at: Annotated[str | None, shown(Field.TIME)]
    cached_updated_at: Annotated[str | None, shown(Field.TIME)]


@tool(
    "list_scorecards",
    title="Scorecards",
    description="List the scorecards that calls are reviewed with, active ones first. Use it to find a scorecard_id "
    "for get_scorecard; summarize_scorecard_activity says how calls were scored.",
    arguments=ScorecardList,
    row=ScorecardRow,
    level=Level.METADATA,
    cap=Cap.INVENTORY_RESULTS,
    cursor=True,
    presets=("analyst-core", "analyst-business-core", "analyst"),
)
def list_scorecards(args: ScorecardList, scope: CallScope) -> Rows[ScorecardRow]:
    """List scorecards, active first, then by name."""
    return Rows.page([_scorecard(row) for row in store.scorecards(scope.store, active_only=args.active_only)], scope)


def _scorecard(row: store.Record) -> ScorecardRow:
    return ScorecardRow(
        scorecard_id=row["scorecard_id"],
        name=store.masked(row, "name"),
        active=bool(row["active"]),
        review_method=row["review_method"] or None,
        workspace_id=row["workspace_id"] or None,
        question_count=row["question_count"],
        source_created_at=row["created_at"] or None,
        source_updated_at=row["updated_at"] or None,
        cached_updated_at=row["cached_at"] or None,
    )


class OneScorecard(Arguments):
    """Which scorecard ``get_scorecard`` shows."""

    scorecard_id: Annotated[
        str,
        Filters(Field.SETTING_ID),
        msgspec.Meta(min_length=1, max_length=64, description="Id as list_scorecards gives it."),
    ]


class Question(Row):
    """One question of a scorecard."""

    question_id: Annotated[str | None, shown(Field.SETTING_ID)]
    question_text: Annotated[MaskedText, shown(Field.SETTING_TEXT)]
    question_type: Annotated[str | None, shown(Field.LABEL)]
    is_overall: Annotated[bool, shown(Field.STATUS)]
    min_range: Annotated[int | None, shown(Field.MEASURE)]
    max_range: Annotated[int | None, shown(Field.MEASURE)]
    answer_guide: Annotated[MaskedText | None, shown(Field.SETTING_TEXT)]
    options: Annotated[list[str] | None, shown(Field.SETTING_NAME)]


class ScorecardDetail(ScorecardRow):
    """One scorecard with its questions."""

    questions: list[Question]


@tool(
    "get_scorecard",
    title="One scorecard",
    description="Show one scorecard with its questions, ranges, guides and answer options: what reviewers are asked, "
    "not what they answered.",
    arguments=OneScorecard,
    row=ScorecardDetail,
    many=False,
    level=Level.METADATA,
    presets=("analyst-core", "analyst-business-core", "analyst"),
)
def get_scorecard(args: OneScorecard, scope: CallScope) -> ScorecardDetail | NotFound:
    """Look one scorecard up by its id."""
    row = store.scorecard(scope.store, args.scorecard_id)
    if row is None:
        return NotFound("No such scorecard is cached.")
    questions = [
        Question(
            question_id=item["question_id"] or None,
            question_text=store.masked(item, "question_text", "text_spans"),
            question_type=item["question_type"] or None,
            is_overall=bool(item["is_overall"]),
            min_range=item["min_range"],
            max_range=item["max_range"],
            answer_guide=store.masked(item, "answer_guide", "guide_spans") if item["answer_guide"] else None,
            options=store.options(item) or None,
        )
        for item in store.questions(scope.store, args.scorecard_id)
    ]
    head = _scorecard(row)
    return ScorecardDetail(questions=questions, **{name: getattr(head, name) for name in head.__struct_fields__})


class ActivitySummary(Arguments):
    """Arguments of ``summarize_scorecard_activity``."""

    limit: Limit = None


class ActivityGroup(Row):
    """Aggregates of one group of answered scorecards; ids, answers and titles leave under no setting."""

    group_by: Annotated[str, shown(Field.CATEGORY)]
    group_value: Annotated[str, shown(Field.SETTING_NAME)]
    answered_scorecard_count: Count
    distinct_call_count: Count | None
    reviewed_user_count: Count | None
    manual_count: Count
    automatic_count: Count
    transcript_count: Count
    missing_transcript_count: Count
    average_overall_score: Score
    average_answer_score: Score
    latest_review_time: Annotated[str | None, exact(Field.TIME)]
    scorecard_id: Annotated[str | None, never(Field.SETTING_ID)]


class Activity(Row):
    """Aggregates over the answered scorecards of the calls that agents may see."""

    total_answered_scorecards: Count
    distinct_scorecards: Count
    distinct_calls: Count
    reviewed_user_count: Count
    manual_count: Count
    automatic_count: Count
    transcript_count: Count
    missing_transcript_count: Count
    average_overall_score: Score
    average_answer_score: Score
    latest_review_time: Annotated[str | None, exact(Field.TIME)]
    by_scorecard: list[ActivityGroup]
    by_review_method: list[ActivityGroup]
    lifecycle_source: Annotated[str, shown(Field.CATEGORY)]
    by_lifecycle: list[ActivityGroup]
    by_transcript_status: list[ActivityGroup]


@tool(
    "summarize_scorecard_activity",
    title="Scorecard activity",
    description="Aggregate answered scorecards: counts and average scores, overall and by scorecard, review method, "
    "lifecycle and transcript status. Aggregates only: no call, user, answer text or title. Scores of 0 do not count.",
    arguments=ActivitySummary,
    row=Activity,
    many=False,
    level=Level.AGGREGATE,
    cap=Cap.CALL_FACT_GROUPS,
    presets=("analyst-core", "analyst-business-core"),
)
def summarize_scorecard_activity(args: ActivitySummary, scope: CallScope) -> Activity:
    """Group answered scorecards four ways; ``limit`` applies to each list."""
    lifecycle = lifecycle_at_hand(scope.store, "auto")
    found = {
        name: scope.cells.groups(
            map(dict, store.activity(scope.store, name, lifecycle.profile_no)),
            "value",
            ("answered", "calls"),
            add=("manual", "automatic", "transcripts"),
            once=("users",),
        )
        for name in ("scorecard", "review_method", "lifecycle", "transcript_status")
    }
    total = _total(scope, found["transcript_status"])
    lists = {f"by_{name}": [_group(name, row) for row in rows[: scope.limit]] for name, rows in found.items()}
    return Activity(
        total_answered_scorecards=total["answered"],
        distinct_scorecards=total["scorecards"],
        distinct_calls=total["calls"],
        reviewed_user_count=total["users"],
        manual_count=total["manual"],
        automatic_count=total["automatic"],
        transcript_count=total["transcripts"],
        missing_transcript_count=total["answered"] - total["transcripts"],
        average_overall_score=total["overall"],
        average_answer_score=total["answer_score"],
        latest_review_time=total["latest"] or None,
        lifecycle_source=lifecycle.source,
        **lists,
    )


def _total(scope: CallScope, groups: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the totals: with coarsened counts the sums of *groups*, which every answered scorecard is in once."""
    total = dict(store.activity(scope.store, "total")[0])
    if scope.cells.active:
        sums = {name: sum(row[name] for row in groups) for name in ("answered", "manual", "automatic", "transcripts")}
        most = sums["answered"]
        distinct = {name: min(scope.cells.count(total[name]), most) for name in ("calls", "scorecards", "users")}
        total |= sums | distinct
    return total


def _group(name: str, row: Mapping[str, Any]) -> ActivityGroup:
    return ActivityGroup(
        group_by=name,
        group_value=str(row["value"]) or store.BLANK,
        answered_scorecard_count=row["answered"],
        distinct_call_count=row["calls"],
        reviewed_user_count=row["users"],
        manual_count=row["manual"],
        automatic_count=row["automatic"],
        transcript_count=row["transcripts"],
        missing_transcript_count=row["answered"] - row["transcripts"],
        average_overall_score=row["overall"],
        average_answer_score=row["answer_score"],
        latest_review_time=row["latest"] or None,
        scorecard_id=row["scorecard_id"] or None,
    )
