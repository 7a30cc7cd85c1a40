"""Status tools: what the cache holds and how fresh it is."""

from __future__ import annotations

from typing import Annotated

from gongmcp.catalog.declaration import Arguments, CallScope, Level, tool
from gongmcp.exposure.fields import Field, exact, shown
from gongmcp.exposure.rows import Row
from gongmcp.store.freshness import WARM_COMMAND
from gongmcp.store.profile import readiness
from gongmcp.store.status import date_range

Count = Annotated[int, shown(Field.COUNT)]


class NoArguments(Arguments):
    """No arguments."""


class Attribution(Row):
    """How many calls carry which business context."""

    account_industry_call_count: Count
    opportunity_stage_call_count: Count
    lifecycle_classified_call_count: Count
    opportunity_call_count: Count
    account_call_count: Count


class ProfileReadiness(Row):
    """Whether profile-aware tools can answer, why not, and what the operator runs. The profile is not named."""

    status: Annotated[str, shown(Field.CATEGORY)]
    cache_status: Annotated[str, shown(Field.CATEGORY)]
    detail: Annotated[str, shown(Field.STATUS)]
    next: Annotated[str | None, shown(Field.STATUS)]
    unavailable_concepts: Annotated[list[str] | None, shown(Field.SETTING_NAME)]


class SyncStatus(Row):
    """Counts over the calls that agents may see."""

    freshness_reason: Annotated[str, shown(Field.STATUS)]
    repair: Annotated[str | None, shown(Field.STATUS)]
    last_import_at: Annotated[str, shown(Field.TIME)]
    first_call_date: Annotated[str | None, exact(Field.TIME)]
    last_call_date: Annotated[str | None, exact(Field.TIME)]
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
    profile_readiness: ProfileReadiness
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
    cells = scope.cells

    def total(name: str) -> int:
        return cells.count(scope.store.total(name))

    calls, transcripts = total("calls"), total("transcripts")
    first, last = date_range(scope.store) if calls else (None, None)
    profile = readiness(scope.store, stale=scope.state.stale)
    return SyncStatus(
        freshness_reason="Newer data was imported and waits to be warmed; answers are of as_of."
        if scope.state.stale
        else "Nothing newer was imported than what is served.",
        repair=WARM_COMMAND if scope.state.stale else None,
        last_import_at=scope.state.last_import_at,
        first_call_date=first,
        last_call_date=last,
        total_calls=calls,
        total_transcripts=transcripts,
        missing_transcripts=calls - transcripts,
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
        profile_readiness=ProfileReadiness(
            status=profile.status,
            cache_status=profile.cache_status,
            detail=profile.detail,
            next=profile.next or None,
            unavailable_concepts=list(profile.unavailable_concepts) or None,
        ),
        tool_preset=scope.policy.preset,
        transcript_evidence_provenance=scope.policy.provenance.value,
        policy_switches_enabled=sorted(scope.policy.switches),
    )
