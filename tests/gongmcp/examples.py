"""Arguments for each tool that return something on the bundled sample, and some that do not."""

from __future__ import annotations

from typing import Any

from gongmcp.catalog.registry import catalog

CULP = "5815783068569111023"
"""A call of the sample with an account, an opportunity and a transcript."""

EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "get_sync_status": [{}],
    "search_calls": [
        {"limit": 3},
        {"scope": "External", "include_call_ids": True, "include_call_titles": True},
        {"crm_object_type": "Opportunity"},
        {"from_date": "2026-03-01", "to_date": "2026-03-31"},
        {"system": "No such system"},
    ],
    "get_call": [
        {"call_id": CULP},
        {"call_id": CULP, "include_call_titles": True},
        {"call_ref": "call_0000000000000000"},
    ],
    "missing_transcripts": [{}, {"include_call_ids": True, "include_call_titles": True}, {"scope": "Unknown"}],
    "search_transcript_segments": [
        {"query": '"free cash flow"', "limit": 3},
        {"query": "guidance OR outlook", "scope": "External"},
        {"query": "revenue", "include_call_ids": True, "include_speaker_ids": True},
        {"query": "zebrafish"},
        {"query": "???"},
    ],
    "search_transcripts_by_call_facts": [
        {"query": '"free cash flow"', "limit": 3},
        {"query": "guidance", "from_date": "2026-02-01", "to_date": "2026-06-30"},
        {"query": "zebrafish"},
    ],
    "search_transcripts_by_crm_context": [
        {"query": "revenue", "object_type": "Account", "limit": 3},
        {"query": "revenue", "object_type": "Deal"},
        {"query": "revenue", "object_type": "Account", "object_id": "no such object"},
    ],
    "list_crm_object_types": [{}],
    "summarize_calls_by_lifecycle": [{}, {"bucket": "renewal"}],
    "rank_transcript_backlog": [{}, {"bucket": "renewal"}, {"include_call_ids": True, "include_call_titles": True}],
    "summarize_call_facts": [{}, {"group_by": "industry"}, {"group_by": "month", "limit": 2}, {"group_by": "Stage"}],
}
EXAMPLES |= {
    "search_transcript_quotes_with_attribution": [
        {"query": '"free cash flow"', "limit": 3},
        {
            "query": "revenue",
            "account_query": "culp",
            "include_account_names": True,
            "include_opportunity_names": True,
            "include_call_titles": True,
            "include_call_ids": True,
            "limit": 2,
        },
        {"query": "guidance OR outlook", "speaker_role": "external", "opportunity_stage": "closed"},
        {"query": "revenue", "field_profile": "limited", "include_call_titles": True},
        {"query": "revenue", "transcript_status": "missing"},
        {"query": "revenue", "account_query": "culp"},
    ],
    "list_crm_fields": [{"object_type": "Opportunity"}, {"object_type": "Deal", "limit": 2}, {"object_type": "No"}],
    "search_crm_field_values": [
        {"object_type": "Account", "field_name": "Industry", "value_query": "tech"},
        {
            "object_type": "Opportunity",
            "field_name": "StageName",
            "value_query": "Closed",
            "include_value_snippets": True,
            "include_call_ids": True,
        },
        {"object_type": "Opportunity", "field_name": "StageName", "value_query": "zz"},
    ],
    "analyze_late_stage_crm_signals": [{}, {"late_stage_values": ["Closed Won"], "include_stage_proxies": True}],
    "opportunities_missing_transcripts": [{}, {"stage_values": ["Nowhere"]}],
    "opportunity_call_summary": [{}, {"limit": 2}, {"stage_values": ["Closed Won"]}],
    "crm_field_population_matrix": [
        {"object_type": "Opportunity"},
        {"object_type": "Account", "group_by_field": "Industry", "limit": 3},
        {"object_type": "Account", "group_by_field": "Website"},
    ],
    "list_scorecards": [{}, {"active_only": True}],
    "get_scorecard": [{"scorecard_id": "4427356522223849518"}, {"scorecard_id": "1"}],
    "summarize_scorecard_activity": [{}, {"limit": 1}],
    "list_crm_integrations": [{}],
    "list_cached_crm_schema_objects": [{}, {"integration_id": "none"}],
    "list_cached_crm_schema_fields": [{"object_type": "Opportunity"}, {"object_type": "ACCOUNT", "limit": 2}],
    "list_gong_settings": [{}, {"kind": "trackers"}],
    "get_business_profile": [{}],
    "list_business_concepts": [{}],
    "list_unmapped_crm_fields": [{}],
    "list_lifecycle_buckets": [{}],
    "search_calls_by_lifecycle": [{}, {"bucket": "renewal", "include_call_ids": True, "include_call_titles": True}],
    "compare_lifecycle_crm_fields": [
        {"bucket_a": "renewal", "bucket_b": "closed_won_lost_review", "object_type": "Opportunity"},
        {"bucket_a": "renewal", "bucket_b": "renewal", "object_type": "Opportunity"},
    ],
}
EXAMPLES |= {name: [*map(dict, tool.examples)] for name, tool in catalog().items() if name not in EXAMPLES}
