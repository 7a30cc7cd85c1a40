"""Discovery on caches of two CRMs: names before frequency, clean YAML, and nothing that gives somebody away."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl.cache.crm_context import CrmObject
from gongctl.profile.discover import Proposal, discover, stage_side, to_yaml
from gongctl.profile.document import read_profile
from gongctl.profile.findings import Finding
from gongctl.profile.inventory import FieldFacts, Inventory, ObjectTypeFacts
from gongctl.profile.model import Profile
from gongctl.profile.rules import Classifier
from gongctl.profile.validate import readiness, validate


def mapped(profile: Profile) -> dict[str, tuple[str, ...]]:
    return {concept.name: concept.names for concept in profile.fields}


def judged(proposal: Proposal, inventory: Inventory) -> tuple[Finding, ...]:
    document = read_profile(to_yaml(proposal))
    assert document.profile == proposal.profile
    return validate(document, inventory)


def fields(of: str, **counts: tuple[int, int]) -> tuple[FieldFacts, ...]:
    """Return fields of an object type by name: (populated, distinct)."""
    return tuple(FieldFacts(of, name, "", filled, filled, distinct) for name, (filled, distinct) in counts.items())


def test_salesforce(salesforce_inventory: Inventory) -> None:
    proposal = discover(salesforce_inventory, "Example")
    profile = proposal.profile
    assert [(alias.name, alias.object_types) for alias in profile.objects] == [
        ("deal", ("Opportunity",)),
        ("account", ("Account",)),
    ]
    assert mapped(profile) == {
        "deal_stage": ("StageName",),
        "deal_type": ("Type",),
        "deal_amount": ("Amount",),
        "deal_close_date": ("CloseDate",),
        "deal_owner": ("OwnerId",),
        "deal_forecast_category": ("ForecastCategoryName",),
        "deal_lead_source": ("LeadSource",),
        "deal_loss_reason": ("X1__c",),
        "account_type": ("Type",),
        "account_industry": ("Industry",),
    }
    assert {concept.name for concept in profile.fields if concept.groupable} == {
        *("deal_stage", "deal_type", "deal_forecast_category", "deal_lead_source", "account_type", "account_industry")
    }
    assert [concept.name for concept in profile.methodology] == ["loss_reason", "pain"]
    assert judged(proposal, salesforce_inventory) == ()
    assert readiness(profile).passed


def test_hubspot(hubspot_inventory: Inventory) -> None:
    proposal = discover(hubspot_inventory, "Example")
    assert [(alias.name, alias.object_types) for alias in proposal.profile.objects] == [
        ("deal", ("Deal",)),
        ("account", ("COMPANY",)),
    ]
    assert mapped(proposal.profile) == {
        "deal_stage": ("dealstage",),
        "deal_type": ("dealtype",),
        "deal_amount": ("amount",),
        "deal_close_date": ("closedate",),
        "deal_owner": ("hubspot_owner_id",),
        "deal_lead_source": ("hs_analytics_source",),
        "deal_loss_reason": ("closed_lost_reason",),
        "account_lifecycle": ("lifecyclestage",),
        "account_industry": ("industry",),
    }
    assert judged(proposal, hubspot_inventory) == ()
    assert "1048576" in " ".join(proposal.notes["lifecycle"])


@pytest.mark.parametrize(
    ("stage", "kind", "account", "bucket"),
    [
        ("Closed Won", "Renewal", "Customer - Direct", "closed_won"),
        ("Closed Lost", "New Business", "Prospect", "closed_lost"),
        ("Negotiation/Review", "Renewal", "Prospect", "post_sales"),
        ("Discovery", "Existing Customer - Upgrade", "Prospect", "post_sales"),
        ("Discovery", "New Business", "Customer - Direct", "open"),
        ("", "", "Customer - Direct", "post_sales"),
        ("", "", "Prospect", "unknown"),
    ],
)
def test_the_proposed_buckets_of_salesforce(
    salesforce_inventory: Inventory, stage: str, kind: str, account: str, bucket: str
) -> None:
    classifier = Classifier(discover(salesforce_inventory, "Example").profile)
    objects = [CrmObject("Account", "account", "1", "", {"Type": account})]
    if stage:
        objects.append(CrmObject("Opportunity", "opportunity", "1", "", {"StageName": stage, "Type": kind}))
    assert classifier.classify(objects, {}).bucket == bucket


@pytest.mark.parametrize(
    ("stage", "kind", "bucket"),
    [
        ("closedwon", "newbusiness", "closed_won"),
        ("closedlost", "existingbusiness", "closed_lost"),
        ("contractsent", "existingbusiness", "post_sales"),
        ("contractsent", "newbusiness", "open"),
        ("1048576", "newbusiness", "unknown"),
    ],
)
def test_the_proposed_buckets_of_hubspot(hubspot_inventory: Inventory, stage: str, kind: str, bucket: str) -> None:
    classifier = Classifier(discover(hubspot_inventory, "Example").profile)
    deal = CrmObject("Deal", "opportunity", "1", "", {"dealstage": stage, "dealtype": kind})
    assert classifier.classify([deal], {}).bucket == bucket


def test_a_name_beats_any_frequency() -> None:
    inventory = Inventory(
        (
            ObjectTypeFacts("Task", 10**6, 10**5),
            ObjectTypeFacts("OpportunityHistory", 10**5, 10**4),
            ObjectTypeFacts("Opportunity", 1, 1),
        ),
        (
            *fields("Opportunity", Sub_Stage_Count__c=(10**6, 9), Stage_Detail__c=(10**5, 4), StageName=(1, 1)),
            *fields("Opportunity", Record_Type__c=(10**6, 3), Type=(1, 1), Value__c=(10**5, 9), Amount=(1, 1)),
            *fields("Task", dealstage=(10**6, 5)),
        ),
    )
    profile = discover(inventory, "Example").profile
    assert [alias.object_types for alias in profile.objects] == [("Opportunity",)]
    assert mapped(profile) == {"deal_stage": ("StageName",), "deal_type": ("Type",), "deal_amount": ("Amount",)}


def test_within_a_class_the_more_populated_comes_first() -> None:
    inventory = Inventory(
        (ObjectTypeFacts("Account", 100, 100),),
        fields("Account", Account_Type__c=(10, 3), Type=(90, 3)),
    )
    assert mapped(discover(inventory, "Example").profile) == {"account_type": ("Type", "Account_Type__c")}


def test_spellings_of_one_type_are_one_alias() -> None:
    types = (ObjectTypeFacts("Deal", 5, 5), ObjectTypeFacts("Opportunity", 9, 9), ObjectTypeFacts("DealSplit", 99, 9))
    (alias,) = discover(Inventory(types, ()), "Example").profile.objects
    assert alias.object_types == ("Opportunity", "Deal")


def test_a_custom_object_is_proposed_with_less_confidence() -> None:
    (alias,) = discover(Inventory((ObjectTypeFacts("Enterprise_Deal__c", 5, 5),), ()), "Example").profile.objects
    assert alias.object_types == ("Enterprise_Deal__c",)
    assert alias.confidence == 0.85


def test_values_that_may_name_somebody_are_no_evidence_and_no_groups() -> None:
    inventory = Inventory(
        (ObjectTypeFacts("Opportunity", 10, 10),),
        (
            FieldFacts("Opportunity", "OwnerId", "", 9, 9, 2, ("005secret",)),
            FieldFacts("Opportunity", "Type", "", 9, 9, 2, ("{redacted:email}", "New")),
            FieldFacts("Opportunity", "StageName", "", 9, 9, 400, ("Open",)),
        ),
    )
    proposal = discover(inventory, "Example")
    text = to_yaml(proposal)
    assert "Open" in text  # the control: other values are there
    assert "secret" not in text
    assert "redacted" not in text
    assert not [concept.name for concept in proposal.profile.fields if concept.groupable]


def test_an_empty_cache_gives_a_profile_to_fill_in() -> None:
    empty = Inventory((), ())
    proposal = discover(empty, "Example")
    severities = {item.severity for item in judged(proposal, empty)}
    assert severities == {"warn"}
    assert "tracker_ids" in to_yaml(proposal)


@pytest.mark.parametrize(
    ("stage", "side"),
    [
        ("Closed Won", "won"),
        ("closedwon", "won"),
        ("6 - Won", "won"),
        ("Deal won", "won"),
        ("closedlost", "lost"),
        ("Closed/Lost", "lost"),
        ("Closed Lost - No Decision", "lost"),
        ("Lost", "lost"),
        ("Not won yet", "open"),
        ("Wonderful", "open"),
        ("Negotiation", "open"),
        ("contractsent", "open"),
        ("Closed", "unclear"),
        ("Disqualified", "unclear"),
        ("1048576", "unclear"),
    ],
)
def test_sides_of_a_close(stage: str, side: str) -> None:
    assert stage_side(stage) == side


NAMES = st.text(min_size=1, max_size=8)
ODD_STAGES = st.sampled_from(["Won", "Lost", "true", "01", "~", "- a", "# x", "a: b"])
STAGES = st.lists(st.one_of(NAMES, ODD_STAGES), max_size=4)


@settings(max_examples=150, deadline=None)
@given(
    STAGES,
    st.lists(NAMES, max_size=3, unique=True),
    st.text(string.printable, max_size=12),
    st.text(max_size=12),
)
def test_whatever_the_cache_holds_the_yaml_is_read_back(
    stages: list[str], types: list[str], label: str, name: str
) -> None:
    inventory = Inventory(
        (ObjectTypeFacts("Opportunity", 1, 1), *(ObjectTypeFacts(f"{item} deal", 1, 1) for item in types)),
        (
            FieldFacts("Opportunity", "StageName", label, 1, 1, len(stages), tuple(stages)),
            *(FieldFacts("Opportunity", f"{item} stage", label, 1, 1, 1, (item,)) for item in types),
        ),
    )
    document = read_profile(to_yaml(discover(inventory, name or "x")))
    assert document.draft is not None, document.findings
    assert not [item for item in document.findings if item.code != "missing_name"]
    assert [item for item in validate(document, inventory) if item.severity == "error"] == []
