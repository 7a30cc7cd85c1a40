"""What discovery looks for: the objects and fields of a CRM by their names, whichever CRM it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from gongctl.profile.identifying import squashed, words
from gongctl.profile.model import ACCOUNT, DEAL
from gongmcp.store.crm_names import CrmNames, kind_of

KNOWN: Final = 5
NAMED: Final = 4
LABELLED: Final = 3
PART_OF_NAME: Final = 2
PART_OF_LABEL: Final = 1
NOTHING: Final = 0
"""Classes of evidence in a name, the best first. However often a field is filled, it does not change its class."""

HEURISTIC: Final = {
    KNOWN: "a name that a CRM gives to it",
    NAMED: "its name, spelled otherwise",
    LABELLED: "its label",
    PART_OF_NAME: "a word of its name",
    PART_OF_LABEL: "a word of its label",
}
CONFIDENCE: Final = {KNOWN: 0.9, NAMED: 0.85, LABELLED: 0.8, PART_OF_NAME: 0.65, PART_OF_LABEL: 0.6}

Shape = Literal["category", "number", "date", "text"]

_ABOUT_ANOTHER: Final = frozenset(
    {
        *("date", "entered", "exited", "time", "duration", "days", "probability", "previous", "prior"),
        *("old", "last", "history", "latest", "first", "next", "changed", "modified", "count", "number"),
        *("id", "created", "pushed", "forecasted", "expected", "pipeline", "sub"),
    }
)
"""Words of a name that tell of something about the thing sought and not of the thing: ``hs_date_entered_closedwon``."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A field concept: the names that CRMs give to it, words that hint at it, and what its values look like.

    *groupable*: it is a safe category, whose values may be labels of groups where they are few.
    """

    concept: str
    alias: str
    known: tuple[str, ...]
    spelled: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    shape: Shape = "category"
    groupable: bool = False

    def evidence(self, name: str, label: str) -> int:
        """Return the class of evidence that a field of this *name* and *label* is what is sought."""
        if name.strip().casefold() in {known.casefold() for known in self.known}:
            return KNOWN
        spellings = {squashed(text) for text in (*self.known, *self.spelled)}
        if squashed(name) in spellings:
            return NAMED
        if label and squashed(label) in {squashed(text) for text in (*self.labels, *self.spelled)}:
            return LABELLED
        for found, evidence in ((words(name), PART_OF_NAME), (words(label), PART_OF_LABEL)):
            if not set(self.hints).isdisjoint(found) and _ABOUT_ANOTHER.isdisjoint(found):
                return evidence
        return NOTHING


@cache
def sought() -> tuple[Sought, ...]:
    """Return every field concept that discovery looks for, in the order in which a profile lists them."""
    names = CrmNames.default()
    deal = {key: names.fields("opportunity", key) for key in ("stage", "type", "close_date", "forecast_category")}
    reason = names.fields("opportunity", "loss_reason")
    source = names.fields("opportunity", "lead_source")
    return (
        Sought(
            *("deal_stage", DEAL, deal["stage"], ("stage", "deal_stage", "opportunity_stage", "sales_stage")),
            labels=("Stage", "Deal Stage"),
            hints=("stage", "phase"),
            groupable=True,
        ),
        Sought(
            *("deal_type", DEAL, deal["type"], ("deal_type", "opportunity_type")),
            labels=("Type", "Deal Type", "Opportunity Type"),
            hints=("type",),
            groupable=True,
        ),
        Sought(
            *(
                "deal_amount",
                DEAL,
                ("Amount", "amount"),
                ("deal_amount", "contract_value", "value", "arr", "acv", "tcv"),
            ),
            labels=("Amount", "Deal Amount"),
            hints=("amount", "arr", "acv", "tcv", "value"),
            shape="number",
        ),
        Sought(
            *("deal_close_date", DEAL, deal["close_date"], ("close_date", "contract_date", "expected_close_date")),
            labels=("Close Date",),
            hints=("closedate",),
            shape="date",
        ),
        Sought(
            *(
                "deal_owner",
                DEAL,
                ("OwnerId", "hubspot_owner_id"),
                ("owner", "owner_id", "deal_owner", "sales_rep", "ae"),
            ),
            labels=("Owner", "Owner ID", "Deal Owner", "Opportunity Owner"),
            hints=("owner", "salesrep"),
            shape="text",
        ),
        Sought(
            *("deal_forecast_category", DEAL, deal["forecast_category"], ("forecast_category",)),
            labels=("Forecast Category",),
            groupable=True,
        ),
        Sought("deal_lead_source", DEAL, source, ("lead_source",), ("Lead Source",), groupable=True),
        Sought(
            *("deal_loss_reason", DEAL, reason, ("loss_reason", "lost_reason", "reason_lost", "closed_lost_reason")),
            labels=("Loss Reason", "Lost Reason", "Closed Lost Reason"),
            shape="text",
        ),
        Sought(
            "account_type",
            ACCOUNT,
            tuple(name for name in names.fields("account", "type") if squashed(name) != "lifecyclestage"),
            ("account_type", "customer_status", "company_type"),
            ("Type", "Account Type", "Customer Status"),
            ("type",),
            groupable=True,
        ),
        Sought(
            "account_lifecycle",
            ACCOUNT,
            ("lifecyclestage",),
            ("lifecycle_stage",),
            ("Lifecycle Stage",),
            groupable=True,
        ),
        Sought(
            *("account_industry", ACCOUNT, names.fields("account", "industry"), ("industry", "vertical", "segment")),
            labels=("Industry", "Vertical"),
            hints=("industry", "vertical"),
            groupable=True,
        ),
        Sought(
            *(
                "account_revenue_range",
                ACCOUNT,
                names.fields("account", "revenue_range"),
                ("revenue_range", "revenue_band"),
            ),
            labels=("Revenue Range", "Annual Revenue Range"),
            groupable=True,
        ),
    )


def looked_for(name: str, label: str) -> bool:
    """Tell whether a field of this *name* or *label* is a candidate for any concept."""
    return any(item.evidence(name, label) for item in sought())


_ALIAS_KINDS: Final = {DEAL: "opportunity", ACCOUNT: "account"}
_ALIAS_WORDS: Final = {DEAL: ("opportunity", "deal"), ACCOUNT: ("account", "company")}


def object_evidence(alias: str, object_type: str) -> int:
    """Return the class of evidence that *object_type* is what the *alias* (deal, account) stands for."""
    if kind_of(object_type) == _ALIAS_KINDS[alias]:
        return KNOWN
    parts = words(object_type)
    if parts and parts[-1] in _ALIAS_WORDS[alias]:
        return NAMED  # Enterprise_Opportunity__c; but not OpportunityLineItem
    return PART_OF_NAME if any(word in squashed(object_type) for word in _ALIAS_WORDS[alias]) else NOTHING
