"""What value a business dimension has on a call, as an SQL expression over ``call_facts``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gongmcp.store.buckets import Lifecycle
from gongmcp.store.cohorts import Condition
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.facts import BUCKET
from gongmcp.store.schema import INDEX_BITS

PERSONAS: Final[dict[str, tuple[str, ...]]] = {
    "executive": ("ceo", "chief executive", "founder", "owner", "president", "chairman", "managing director"),
    "finance": ("cfo", "chief financial", "chief accounting", "finance", "controller", "treasurer", "accounting"),
    "technology": ("cio", "cto", "chief information", "chief technology", "it", "engineering", "engineer", "architect"),
    "security": ("ciso", "security", "compliance", "risk"),
    "operations": ("coo", "chief operating", "operations", "supply chain", "logistics", "manufacturing"),
    "procurement": ("procurement", "purchasing", "sourcing", "buyer", "category manager"),
    "product": ("product", "design", "research"),
    "marketing": ("cmo", "marketing", "communications", "brand", "investor relations"),
    "sales": ("cro", "sales", "revenue", "account executive", "account manager", "business development"),
    "customer_success": ("customer success", "customer experience", "support", "service"),
    "people": ("human resources", "hr", "people", "talent", "recruiting"),
    "legal": ("legal", "counsel", "attorney"),
}
"""Roles by words of a job title. A title belongs to the first that has one of its words, a call to the first role
of its people who are not internal."""

VOICEMAIL: Final = " OR ".join(
    f'"{phrase}"'
    for phrase in (
        *("leave a message", "leave your message", "leave me a message", "after the tone", "at the tone"),
        *("voice mail", "voicemail", "not available to take your call", "unable to take your call"),
        *("press one", "your call is important"),
    )
)
VOICEMAIL_SECONDS: Final = 120


def voicemail() -> Condition:
    """Return the expression that is 1 for a call that is likely a voicemail or a phone menu, else 0."""
    return Condition(
        f"({{c}}.duration_seconds <= {VOICEMAIL_SECONDS} AND {{c}}.call_no IN (SELECT rowid >> {INDEX_BITS}"
        " FROM segments_fts WHERE segments_fts MATCH :voicemail))",
        {"voicemail": VOICEMAIL},
    )


def persona() -> Condition:
    """Return the expression of a call's persona, '' where no external title is cached."""
    title = "' ' || replace(replace(replace(lower(t.job_title), ',', ' '), '/', ' '), '-', ' ') || ' '"
    ranks = []
    for rank, words in enumerate(PERSONAS.values()):
        found = " OR ".join(f"instr({title}, ' {word} ')" for word in words)
        ranks.append(f"WHEN {found} THEN {rank}")
    names = " ".join(f"WHEN {rank} THEN '{name}'" for rank, name in enumerate((*PERSONAS, "other")))
    return Condition(
        f"coalesce((SELECT CASE min(CASE {' '.join(ranks)} ELSE {len(PERSONAS)} END) {names} END FROM parties t"
        " WHERE t.call_no = {c}.call_no AND t.matched AND t.affiliation <> 'internal' AND t.job_title <> ''), '')"
    )


def loss_reason(names: CrmNames) -> Condition:
    """Return the expression of the loss reason of the call's opportunity, '' where none is cached."""
    fields = {f"loss_field_{at}": name.lower() for at, name in enumerate(names.fields("opportunity", "loss_reason"))}
    return Condition(
        "coalesce((SELECT v.value FROM crm_values v WHERE v.object_no = {c}.opportunity_no AND v.value <> ''"
        f" AND lower(v.field_name) IN ({', '.join(f':{name}' for name in fields) or 'NULL'})"
        " ORDER BY v.field_name LIMIT 1), '')",
        fields,
    )


def won_lost(lifecycle: Lifecycle) -> Condition:
    """Return the expression that is won, lost or open, '' without an opportunity: by the profile's closed buckets, else
    by the stage."""
    if lifecycle.profile is not None:
        return Condition(
            f"CASE {_BUCKET} WHEN 'closed_won' THEN 'won' WHEN 'closed_lost' THEN 'lost'"
            " ELSE CASE WHEN {c}.opportunity_stage = '' THEN '' ELSE 'open' END END",
            {"value_profile": lifecycle.profile_no},
        )
    return Condition(
        "CASE WHEN {c}.opportunity_stage = '' THEN ''"
        " WHEN replace(lower({c}.opportunity_stage), ' ', '') LIKE '%closedwon%' THEN 'won'"
        " WHEN replace(lower({c}.opportunity_stage), ' ', '') LIKE '%closedlost%' THEN 'lost' ELSE 'open' END"
    )


_BUCKET = "(SELECT f.bucket FROM profile_facts f WHERE f.profile_no = :value_profile AND f.call_no = {c}.call_no)"


def column_value(column: str, lifecycle: Lifecycle) -> Condition:
    """Return the expression of a column of ``call_facts``; the bucket is that of *lifecycle*."""
    if column == BUCKET and lifecycle.profile is not None:
        return Condition(_BUCKET, {"value_profile": lifecycle.profile_no})
    if column == "transcript_present":
        return Condition("CASE {c}.transcript_present WHEN 1 THEN 'present' ELSE 'missing' END")
    if column == "calendar_event_present":
        return Condition("CASE {c}.calendar_event_present WHEN 1 THEN 'calendar' ELSE 'no_calendar' END")
    return Condition(f"{{c}}.{column}")


def concept_value(concept: str, lifecycle: Lifecycle, parameter: str) -> Condition:
    """Return the expression of a field concept of the active profile, '' where it is blank."""
    return Condition(
        "coalesce((SELECT w.value FROM profile_values w WHERE w.profile_no = :value_profile"
        f" AND w.call_no = {{c}}.call_no AND w.concept = :{parameter}), '')",
        {"value_profile": lifecycle.profile_no, parameter: concept},
    )


@dataclass(frozen=True, slots=True)
class Computed:
    """A dimension that is no column: its expression under a lifecycle and the CRM's names."""

    value: Callable[[Lifecycle, CrmNames], Condition]


COMPUTED: Final[dict[str, Computed]] = {
    "persona": Computed(lambda lifecycle, names: persona()),
    "loss_reason": Computed(lambda lifecycle, names: loss_reason(names)),
    "won_lost": Computed(lambda lifecycle, names: won_lost(lifecycle)),
}
