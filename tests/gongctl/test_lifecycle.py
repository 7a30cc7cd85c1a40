"""The builtin lifecycle rules, the chosen account and opportunity, and the backlog's priority."""

from __future__ import annotations

import pytest

from gongctl.cache.crm_context import CrmObject
from gongctl.cache.lifecycle import (
    Lifecycle,
    chosen_account,
    chosen_opportunity,
    classify,
    priority_score,
)

KINDS = {"Opportunity": "opportunity", "Deal": "opportunity", "Account": "account", "Company": "account"}


def crm(object_type: str, object_id: str = "1", **fields: str) -> CrmObject:
    return CrmObject(object_type, KINDS.get(object_type, "other"), object_id, "", dict(fields))


def opportunity(object_id: str = "1", **fields: str) -> CrmObject:
    return crm("Opportunity", object_id, **fields)


def account(object_id: str = "1", **fields: str) -> CrmObject:
    return crm("Account", object_id, **fields)


@pytest.mark.parametrize(
    ("objects", "bucket", "confidence", "evidence"),
    [
        # the rules in order
        ([opportunity(Type="Partnership", StageName="Closed Won")], "partner", "high", ["Opportunity.Type"]),
        ([account(Account_Type__c="Partner - Silver"), opportunity()], "partner", "high", ["Account.Account_Type__c"]),
        ([account(Account_Type__c="Technology Referral Partner")], "partner", "high", ["Account.Account_Type__c"]),
        ([opportunity(Type=" RENEWAL ", StageName="Closed Lost")], "renewal", "high", ["Opportunity.Type"]),
        ([opportunity(Type="Year 2 Increase")], "upsell_expansion", "high", ["Opportunity.Type"]),
        (
            [opportunity(Expansion_Bookings__c="0", One_Year_Upsell__c="1200")],
            "upsell_expansion",
            "high",
            ["Opportunity.One_Year_Upsell__c"],
        ),
        ([opportunity(StageName="Closed  won")], "closed_won_lost_review", "high", ["Opportunity.StageName"]),
        ([opportunity(StageName="SOW & Proposal")], "late_stage_sales", "high", ["Opportunity.StageName"]),
        ([opportunity(StageName="Crucible/Last Mile")], "late_stage_sales", "high", ["Opportunity.StageName"]),
        ([opportunity(StageName="Discovery")], "active_sales_pipeline", "medium", ["Opportunity"]),
        (
            [account(Account_Type__c="Customer - Direct")],
            "customer_success_account",
            "high",
            ["Account.Account_Type__c"],
        ),
        ([account(Account_Type__c="Prospect")], "unknown", "low", []),
        ([], "unknown", "low", []),
        # amounts that are none
        ([opportunity(Expansion_Bookings__c="0.00")], "active_sales_pipeline", "medium", ["Opportunity"]),
        ([opportunity(Expansion_Bookings__c="")], "active_sales_pipeline", "medium", ["Opportunity"]),
        # confidence is that of the rule that decided, whatever else is known
        ([opportunity(), account(Account_Type__c="Customer")], "active_sales_pipeline", "medium", ["Opportunity"]),
        # any attached object
        ([opportunity("1", Type="New"), opportunity("2", Type="Renewal")], "renewal", "high", ["Opportunity.Type"]),
        # Salesforce's own vocabulary
        ([opportunity(StageName="Negotiation/Review")], "late_stage_sales", "high", ["Opportunity.StageName"]),
        ([opportunity(StageName="Proposal/Price Quote")], "late_stage_sales", "high", ["Opportunity.StageName"]),
        ([opportunity(StageName="Needs Analysis")], "active_sales_pipeline", "medium", ["Opportunity"]),
        ([account(Type="Channel Partner / Reseller")], "partner", "high", ["Account.Type"]),
        ([account(Type="Customer - Channel")], "customer_success_account", "high", ["Account.Type"]),
        # HubSpot's
        ([crm("Deal", dealstage="closedlost")], "closed_won_lost_review", "high", ["Deal.dealstage"]),
        ([crm("Deal", dealstage="contractsent")], "late_stage_sales", "high", ["Deal.dealstage"]),
        ([crm("Deal", dealtype="existingbusiness", dealstage="x")], "upsell_expansion", "high", ["Deal.dealtype"]),
        ([crm("Deal", dealtype="newbusiness")], "active_sales_pipeline", "medium", ["Deal"]),
        ([crm("Company", lifecyclestage="customer")], "customer_success_account", "high", ["Company.lifecyclestage"]),
    ],
)
def test_the_first_rule_that_holds_decides(
    objects: list[CrmObject], bucket: str, confidence: str, evidence: list[str]
) -> None:
    found = classify(objects, "Zoom", "Conference")
    assert (found.bucket, found.confidence, list(found.evidence)) == (bucket, confidence, evidence)
    assert found.reason


def test_outbound_prospecting_needs_a_dialer_and_no_opportunity() -> None:
    dialed = classify([], " Upload  API ", "Outbound")
    assert (dialed.bucket, dialed.confidence) == ("outbound_prospecting", "medium")
    assert dialed.evidence == ("call.system", "call.direction")
    assert classify([], "Upload API", "Inbound").bucket == "unknown"
    assert classify([], "Zoom", "Outbound").bucket == "unknown"
    assert classify([opportunity()], "Upload API", "Outbound").bucket == "active_sales_pipeline"
    assert classify([account(Type="Customer")], "Upload API", "Outbound").bucket == "customer_success_account"


def test_no_reason_and_no_evidence_holds_a_value_of_the_data() -> None:
    found = classify([opportunity(StageName="Closed Won", Name="Canary")], "Canary", "Canary")
    assert "anary" not in found.reason + "".join(found.evidence)


def test_facts_come_from_the_account_that_matters_most() -> None:
    accounts = [
        account("4"),
        account("3", Account_Type__c="Prospect"),
        account("2", Account_Type__c="Partner"),
        account("1", Account_Type__c="Customer"),
    ]
    for expected in ("1", "2", "3", "4"):
        chosen = chosen_account(accounts)
        assert chosen is not None
        assert chosen.object_id == expected
        accounts.remove(chosen)
    assert chosen_account([opportunity()]) is None


def test_facts_come_from_the_opportunity_that_decided() -> None:
    opportunities = [
        opportunity("7"),
        opportunity("6", StageName="Discovery"),
        opportunity("5", StageName="Contract Review"),
        opportunity("4", StageName="Closed Lost"),
        opportunity("3", Type="Upsell"),
        opportunity("2", Type="Renewal"),
        opportunity("1", Type="Partnership"),
    ]
    for expected in "1234567":
        chosen = chosen_opportunity(opportunities)
        assert chosen is not None
        assert chosen.object_id == expected
        opportunities.remove(chosen)


def test_among_equals_the_lowest_key_is_chosen_whatever_the_order() -> None:
    pair = [opportunity("b", StageName="Discovery"), opportunity("a", StageName="Qualification")]
    for opportunities in (pair, pair[::-1]):
        chosen = chosen_opportunity(opportunities)
        assert chosen is not None
        assert chosen.object_id == "a"


@pytest.mark.parametrize(
    ("bucket", "confidence", "scope", "direction", "seconds", "opportunities", "score"),
    [
        ("late_stage_sales", "high", "External", "Conference", 3600, 1, 100 + 20 + 25 + 20 + 20 + 10),
        ("renewal", "high", "Internal", "Inbound", 1799, 0, 95 + 20 + 10),
        ("upsell_expansion", "medium", "Unknown", "Inbound", 599, 0, 90 + 10),
        ("closed_won_lost_review", "high", "Unknown", "Outbound", 299, 0, 85 + 20 - 20),
        ("customer_success_account", "high", "Unknown", "Conference", 1, 0, 75 + 20 + 20),
        ("active_sales_pipeline", "medium", "Unknown", "", 0, 2, 70 + 10 + 10),
        ("partner", "high", "Unknown", "", 300, 0, 60 + 20),
        ("outbound_prospecting", "medium", "Unknown", "Outbound", 1, 0, 20 + 10 - 20),
        ("unknown", "low", "Unknown", "", 1800, 0, 10 + 20),
        ("a_bucket_of_a_profile", "low", "Unknown", "", 600, 0, 10 + 10),
    ],
)
def test_priority_is_the_sum_of_its_points(
    bucket: str, confidence: str, scope: str, direction: str, seconds: int, opportunities: int, score: int
) -> None:
    lifecycle = Lifecycle(bucket, confidence, "", ())
    assert priority_score(lifecycle, scope, direction, seconds, opportunities) == score
