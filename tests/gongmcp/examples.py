"""Arguments for each tool that return something on the bundled sample, and some that do not."""

from __future__ import annotations

from typing import Any

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
