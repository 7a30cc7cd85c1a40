"""Status tools: what the cache holds and how fresh it is."""

from __future__ import annotations

from typing import Annotated

from gongmcp.catalog.declaration import Arguments, CallScope, Level, tool
from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row
from gongmcp.store.status import date_range

Count = Annotated[int, shown(Field.MEASURE)]


class NoArguments(Arguments):
    """No arguments."""


class Attribution(Row):
    """How many calls carry which business context."""

    account_industry_call_count: Count
    opportunity_stage_call_count: Count
    lifecycle_classified_call_count: Count
    opportunity_call_count: Count
    account_call_count: Count


class SyncStatus(Row):
    """Counts over the calls that agents may see."""

    last_import_at: Annotated[str, shown(Field.TIME)]
    first_call_date: Annotated[str | None, shown(Field.TIME)]
    last_call_date: Annotated[str | None, shown(Field.TIME)]
    total_calls: Count
    total_transcripts: Count
    missing_transcripts: Count
    total_transcript_segments: Count
    total_embedded_crm_context_calls: Count
    total_embedded_crm_objects: Count
    total_embedded_crm_fields: Count
    total_users: Count
    total_gong_settings: Count
    total_scorecards: Count
    total_scorecard_activity: Count
    total_crm_integrations: Count
    total_crm_schema_objects: Count
    call_facts_attribution: Attribution
    tool_preset: Annotated[str | None, shown(Field.STATUS)]
    transcript_evidence_provenance: Annotated[str, shown(Field.STATUS)]
    policy_switches_enabled: Annotated[list[str], shown(Field.STATUS)]


@tool(
    "get_sync_status",
    title="Cache status",
    description="Counts of cached calls, transcripts and CRM context, the time of the last import, and freshness. "
    "Call it first: it says what the other tools can answer from. It names no call, person or customer.",
    arguments=NoArguments,
    row=SyncStatus,
    many=False,
    level=Level.STATUS,
    presets=("operator-smoke", "business-pilot", "analyst-core", "analyst-business-core", "analyst"),
)
def get_sync_status(args: NoArguments, scope: CallScope) -> SyncStatus:
    """Read the kept counters; nothing is counted at read time."""
    total = scope.store.total
    first, last = date_range(scope.store)
    return SyncStatus(
        last_import_at=scope.state.last_import_at,
        first_call_date=first,
        last_call_date=last,
        total_calls=total("calls"),
        total_transcripts=total("transcripts"),
        missing_transcripts=total("missing_transcripts"),
        total_transcript_segments=total("segments"),
        total_embedded_crm_context_calls=total("calls_with_crm"),
        total_embedded_crm_objects=total("crm_objects"),
        total_embedded_crm_fields=total("crm_fields"),
        total_users=total("users"),
        total_gong_settings=total("workspaces") + total("trackers") + total("scorecards"),
        total_scorecards=total("scorecards"),
        total_scorecard_activity=total("answered_scorecards"),
        total_crm_integrations=total("crm_integrations"),
        total_crm_schema_objects=total("crm_schemas"),
        call_facts_attribution=Attribution(
            account_industry_call_count=total("industry_calls"),
            opportunity_stage_call_count=total("stage_calls"),
            lifecycle_classified_call_count=total("classified_calls"),
            opportunity_call_count=total("opportunity_calls"),
            account_call_count=total("account_calls"),
        ),
        tool_preset=scope.policy.preset,
        transcript_evidence_provenance=scope.policy.provenance.value,
        policy_switches_enabled=sorted(scope.policy.switches),
    )
