"""The builtin lifecycle: which stage of a customer's life a call belongs to, and why.

A list of rules is tried from top to bottom; the first that any attached object meets decides bucket,
confidence, reason and evidence together. The rules name no company: the values that make a renewal or a
late stage are data (``gongmcp/data/crm.toml``), which holds three vocabularies:

* the tenant's that this product's bucket names come from (``Account_Type__c``, "SOW & Proposal");
* Salesforce's standard picklists. "Proposal/Price Quote" (75 % by default) and "Negotiation/Review" (90 %)
  are late stages: they name the same work as the tenant's "SOW & Proposal" and "Contract Review". The
  opportunity types "Existing Customer - Upgrade", "Expansion" and their like are expansions, and the
  account types "Technology Partner", "Channel Partner / Reseller" and the like are partners;
* HubSpot's default pipeline by internal name and by label. "Contract sent" (90 %) and "Decision maker
  bought-in" (80 %) are late; the deal type ``existingbusiness`` is an expansion.

Comparisons ignore case, surrounding blanks, and how many blanks stand between words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gongctl.cache.crm_context import CrmObject
from gongmcp.store.crm_names import CrmNames

PARTNER: Final = "partner"
RENEWAL: Final = "renewal"
EXPANSION: Final = "upsell_expansion"
CLOSED: Final = "closed_won_lost_review"
LATE: Final = "late_stage_sales"
ACTIVE: Final = "active_sales_pipeline"
CUSTOMER: Final = "customer_success_account"
OUTBOUND: Final = "outbound_prospecting"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class LifecycleRules:
    """The values that the rules look for, in lower case; prefixes match the beginning of a value."""

    partner_opportunity_types: frozenset[str]
    partner_account_prefixes: tuple[str, ...]
    renewal_types: frozenset[str]
    expansion_types: frozenset[str]
    closed_stages: frozenset[str]
    late_stages: frozenset[str]
    customer_account_prefixes: tuple[str, ...]
    outbound_systems: frozenset[str]

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, names: CrmNames) -> LifecycleRules:
        """Return the rules that the names in force make."""
        values = names.lifecycle
        closed = frozenset(normal(value) for value in values["closed_stages"])
        return cls(
            partner_opportunity_types=frozenset(values["partner_opportunity_types"]),
            partner_account_prefixes=tuple(values["partner_account_prefixes"]),
            renewal_types=frozenset(values["renewal_types"]),
            expansion_types=frozenset(values["expansion_types"]),
            closed_stages=closed,
            late_stages=frozenset(normal(value) for value in names.late_stages) - closed,
            customer_account_prefixes=tuple(values["customer_account_prefixes"]),
            outbound_systems=frozenset(values["outbound_systems"]),
        )


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The bucket of a call, with the confidence (high, medium, low) of the rule that decided, its reason
    in words (never a value of the data) and the ``Object.Field`` names that it read."""

    bucket: str
    confidence: str
    reason: str
    evidence: tuple[str, ...]


def normal(value: str) -> str:
    """Return *value* as it is compared: lower case, blanks trimmed and single."""
    return " ".join(value.casefold().split())


def classify(
    objects: Sequence[CrmObject], system: str, direction: str, rules: LifecycleRules | None = None
) -> Lifecycle:
    """Return the lifecycle of a call with these attached *objects*, recording *system* and *direction*."""
    rules = rules or LifecycleRules.of(CrmNames.default())
    opportunities = [item for item in objects if item.kind == "opportunity"]
    accounts = [item for item in objects if item.kind == "account"]
    checks: tuple[tuple[str, Sequence[CrmObject], str, Callable[[str], bool], str], ...] = (
        (
            PARTNER,
            opportunities,
            "type",
            rules.partner_opportunity_types.__contains__,
            "opportunity type is a partnership",
        ),
        (PARTNER, accounts, "type", _starts(rules.partner_account_prefixes), "account type is a partner"),
        (RENEWAL, opportunities, "type", rules.renewal_types.__contains__, "opportunity type is a renewal"),
        (EXPANSION, opportunities, "type", rules.expansion_types.__contains__, "opportunity type is an expansion"),
        (EXPANSION, opportunities, "expansion", _is_amount, "expansion booking is populated"),
        (CLOSED, opportunities, "stage", rules.closed_stages.__contains__, "opportunity is closed"),
        (LATE, opportunities, "stage", rules.late_stages.__contains__, "opportunity is in a late stage"),
    )
    for bucket, candidates, attribute, holds, reason in checks:
        evidence = _evidence(candidates, attribute, holds)
        if evidence:
            return Lifecycle(bucket, "high", reason, evidence)
    if opportunities:
        return Lifecycle(ACTIVE, "medium", "opportunity is attached", _unique(o.object_type for o in opportunities))
    evidence = _evidence(accounts, "type", _starts(rules.customer_account_prefixes))
    if evidence:
        return Lifecycle(CUSTOMER, "high", "account type is a customer", evidence)
    if normal(system) in rules.outbound_systems and normal(direction) == "outbound":
        return Lifecycle(
            OUTBOUND, "medium", "outbound call of a dialer, no opportunity", ("call.system", "call.direction")
        )
    return Lifecycle(UNKNOWN, "low", "no lifecycle signal", ())


def _evidence(objects: Iterable[CrmObject], attribute: str, holds: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the ``Object.Field`` names of *attribute* whose value *holds*."""
    found = []
    for item in objects:
        value, name = _holding(item, attribute, holds)
        if value:
            found.append(f"{item.object_type}.{name}")
    return _unique(found)


def _holding(item: CrmObject, attribute: str, holds: Callable[[str], bool]) -> tuple[str, str]:
    if attribute != "expansion":
        value, name = item.get(attribute)
        return (value, name) if value and holds(normal(value)) else ("", "")
    # Two fields, and an amount in either counts: the first populated one may be zero.
    for field_name in ("Expansion_Bookings__c", "One_Year_Upsell__c"):
        value, name = item.first((field_name,))
        if value and holds(normal(value)):
            return value, name
    return "", ""


def _starts(prefixes: tuple[str, ...]) -> Callable[[str], bool]:
    return lambda value: value.startswith(prefixes)


def _is_amount(value: str) -> bool:
    """Tell whether *value* is anything but nothing: a text, or a number that is not zero."""
    try:
        return float(value) != 0
    except ValueError:
        return bool(value)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


# --- the chosen account and opportunity ------------------------------------------------------------


def chosen_account(objects: Iterable[CrmObject], rules: LifecycleRules | None = None) -> CrmObject | None:
    """Return the account that a call's account facts are read from, all of them from this one.

    Customers first, then partners, then any with a type; among equals the lowest ``Type:id``.
    """
    values = rules or LifecycleRules.of(CrmNames.default())

    def rank(item: CrmObject) -> int:
        kind = normal(item.get("type")[0])
        if kind.startswith(values.customer_account_prefixes):
            return 0
        if kind.startswith(values.partner_account_prefixes):
            return 1
        return 2 if kind else 3

    return _lowest((item for item in objects if item.kind == "account"), rank)


def chosen_opportunity(objects: Iterable[CrmObject], rules: LifecycleRules | None = None) -> CrmObject | None:
    """Return the opportunity that a call's opportunity facts are read from, all of them from this one.

    Partnership, renewal, expansion, closed, late stage, any stage, the rest; among equals the lowest
    ``Type:id``. The order is that of the lifecycle rules, so the facts show what decided the bucket.
    """
    values = rules or LifecycleRules.of(CrmNames.default())

    def rank(item: CrmObject) -> int:
        kind = normal(item.get("type")[0])
        stage = normal(item.get("stage")[0])
        steps = (
            kind in values.partner_opportunity_types,
            kind in values.renewal_types,
            kind in values.expansion_types or bool(_holding(item, "expansion", _is_amount)[0]),
            stage in values.closed_stages,
            stage in values.late_stages,
            bool(stage),
            True,
        )
        return steps.index(True)

    return _lowest((item for item in objects if item.kind == "opportunity"), rank)


def _lowest(objects: Iterable[CrmObject], rank: Callable[[CrmObject], int]) -> CrmObject | None:
    return min(objects, key=lambda item: (rank(item), f"{item.object_type}:{item.object_id}"), default=None)


# --- priority of the transcript backlog -------------------------------------------------------------

_BASE: Final = {
    LATE: 100,
    RENEWAL: 95,
    EXPANSION: 90,
    CLOSED: 85,
    CUSTOMER: 75,
    ACTIVE: 70,
    PARTNER: 60,
    OUTBOUND: 20,
}
CONFIDENCE_POINTS: Final = {"high": 20, "medium": 10}


def priority_score(lifecycle: Lifecycle, scope: str, direction: str, seconds: int, opportunities: int) -> int:
    """Return how much a missing transcript of such a call is missed: the sum of points, more is sooner.

    *seconds* is the call's duration; 0 means that it is not known and gives no points either way.
    """
    base = _BASE.get(lifecycle.bucket, 10) + CONFIDENCE_POINTS.get(lifecycle.confidence, 0)
    return base + circumstance_points(scope, direction, seconds, opportunities)


def circumstance_points(scope: str, direction: str, seconds: int, opportunities: int) -> int:
    """Return the points that a call's scope, direction, length and attached opportunities give."""
    conference = normal(direction) == "conference"
    score = (25 if scope == "External" else 0) + (20 if conference else 0) + (10 if opportunities else 0)
    if seconds >= 1800:
        return score + 20
    if seconds >= 600:
        return score + 10
    return score - 20 if 1 <= seconds < 300 and not conference else score
