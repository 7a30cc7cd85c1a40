"""What a profile means, beside a cache and without one; readiness for --strict."""

from __future__ import annotations

import pytest

from gongctl.profile.document import read_profile
from gongctl.profile.findings import CODES, Finding, valid
from gongctl.profile.identifying import identifying
from gongctl.profile.inventory import FieldFacts, Inventory, ObjectTypeFacts
from gongctl.profile.validate import readiness, validate

GOOD = """\
version: 1
name: Good
objects:
  deal: {object_types: [Opportunity]}
fields:
  stage: {object: deal, names: [StageName], groupable: true}
lifecycle:
  open: {rules: [{field: stage, op: is_set}]}
  closed_won: {rules: [{field: stage, op: equals, value: Won}]}
  closed_lost: {rules: [{object: deal, field_name: Lost__c, op: is_set}]}
  post_sales: {rules: [{field: stage, op: regex, value: '(?i)renew'}]}
  unknown: {}
methodology:
  loss_reason: {fields: [{object: deal, name: Lost__c}]}
"""
SEEN = Inventory(
    (ObjectTypeFacts("Opportunity", 10, 9), ObjectTypeFacts("Account", 5, 5)),
    (
        FieldFacts("Opportunity", "StageName", "Stage", 10, 10, 4),
        FieldFacts("Opportunity", "Lost__c", "", 2, 10, 2),
        FieldFacts("Opportunity", "Blank__c", "", 0, 10, 0),
        FieldFacts("Opportunity", "Region__c", "Owner's e-mail", 10, 10, 3),
        FieldFacts("Opportunity", "Masked__c", "", 10, 10, 3, ("{redacted:phone}", "x")),
        FieldFacts("Opportunity", "Wide__c", "", 10, 10, 900),
        FieldFacts("Opportunity", "Schema__c", "Only the schema has it"),
    ),
)


def found(text: str, inventory: Inventory | None = None) -> list[Finding]:
    return list(validate(read_profile(text), inventory))


def codes(text: str, inventory: Inventory | None = None) -> list[tuple[str, str, int | None]]:
    return [(item.code, item.path, item.line) for item in found(text, inventory)]


def test_a_good_profile_has_no_findings() -> None:
    assert found(GOOD) == []
    assert found(GOOD, SEEN) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("  unknown: {}\n", "", ("missing_lifecycle_bucket", "lifecycle", 7)),
        ("unknown: {}", "Unknown: {rules: [{field: stage, op: is_set}]}",
         ("unknown_has_rules", "lifecycle.unknown.rules", 12)),
        ("open: {rules: [{field: stage, op: is_set}]}", "open: {}", ("lifecycle_no_rules", "lifecycle.open", 8)),
        ("object: deal, names", "names", ("field_missing_object", "fields.stage", 6)),
        ("object: deal, names", "object: dael, names", ("unknown_object_alias", "fields.stage.object", 6)),
        ("names: [StageName], groupable: true", "names: []", ("field_no_names", "fields.stage", 6)),
        ("[Opportunity]", "[]", ("empty_object_alias", "objects.deal", 4)),
        ("[Opportunity]}", "[Opportunity], confidence: 0.5}", ("low_confidence_mapping", "objects.deal.confidence", 4)),
        ("{field: stage, op: is_set}", "{field: stages, op: is_set}",
         ("unknown_field_concept", "lifecycle.open.rules[0].field", 8)),
        ("{object: deal, field_name", "{object: deals, field_name",
         ("unknown_object_alias", "lifecycle.closed_lost.rules[0].object", 10)),
        ("op: equals, value: Won", "op: equals", ("rule_missing_value", "lifecycle.closed_won.rules[0]", 9)),
        ("op: is_set}]}\n  closed_won", "op: is_set, value: x}]}\n  closed_won",
         ("rule_value_ignored", "lifecycle.open.rules[0]", 8)),
        ("value: '(?i)renew'", "values: [a, b]", ("regex_value_count", "lifecycle.post_sales.rules[0]", 11)),
        ("value: '(?i)renew'", "values: []", ("regex_value_count", "lifecycle.post_sales.rules[0]", 11)),
        ("(?i)renew", "é" * 129, ("regex_too_long", "lifecycle.post_sales.rules[0]", 11)),
        ("(?i)renew", "(a", ("regex_invalid", "lifecycle.post_sales.rules[0]", 11)),
        ("(?i)renew", "(a)\\1", ("regex_invalid", "lifecycle.post_sales.rules[0]", 11)),
        ("{field: stage, op: is_set}", "{all: [{any: [{field: stage, op: in}]}]}",
         ("rule_missing_value", "lifecycle.open.rules[0].all[0].any[0]", 8)),
        ("[{object: deal, name: Lost__c}]", "[]", ("methodology_no_mapping", "methodology.loss_reason", 14)),
        ("[{object: deal, name: Lost__c}]", "[{object: x, name: Lost__c}]",
         ("unknown_object_alias", "methodology.loss_reason.fields[0].object", 14)),
        ("names: [StageName]", "names: [StageName, OwnerId]",
         ("groupable_identifying", "fields.stage.names[1]", 6)),
    ],
)  # fmt: skip
def test_findings_without_a_cache(before: str, after: str, expected: tuple[str, str, int]) -> None:
    changed = GOOD.replace(before, after)
    assert changed != GOOD
    assert codes(changed) == [expected]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("[Opportunity]", "[Opportunity, Deal]", [("object_type_not_seen", "objects.deal.object_types[1]", 4)]),
        ("[StageName]", "[StageName, Stage]", [("field_name_not_seen", "fields.stage.names[1]", 6)]),
        ("[StageName]", "[Stage]", [("field_mapping_not_seen", "fields.stage", 6)]),
        ("[StageName]", "[Schema__c]", [("field_mapping_not_seen", "fields.stage", 6)]),
        ("[StageName]", "[Blank__c]", [("field_without_values", "fields.stage", 6)]),
        ("[StageName]", "[Region__c]", [("groupable_identifying", "fields.stage.names[0]", 6)]),
        ("[StageName]", "[Masked__c]", [("groupable_identifying", "fields.stage.names[0]", 6)]),
        ("[StageName]", "[Wide__c]", [("groupable_many_values", "fields.stage.names[0]", 6)]),
        ("name: Lost__c}", "name: Other__c}",
         [("methodology_field_not_seen", "methodology.loss_reason.fields[0].name", 14)]),
        ("field_name: Lost__c", "field_name: Other__c",
         [("rule_field_not_seen", "lifecycle.closed_lost.rules[0].field_name", 10)]),
    ],
)  # fmt: skip
def test_findings_beside_a_cache(before: str, after: str, expected: list[tuple[str, str, int]]) -> None:
    changed = GOOD.replace(before, after)
    assert changed != GOOD
    assert codes(changed, SEEN) == expected


def test_an_alias_of_which_nothing_was_seen() -> None:
    seen = {code for code, _, _ in codes(GOOD.replace("[Opportunity]", "[Chance]"), SEEN)}
    assert {"object_type_not_seen", "object_alias_no_seen_types", "field_mapping_not_seen"} <= seen


def test_an_empty_cache_says_what_to_do() -> None:
    messages = [item.message for item in found(GOOD, Inventory((), ())) if item.severity == "error"]
    assert messages
    assert all("warm" in message for message in messages)


def test_the_schema_is_mentioned_when_only_it_has_the_field() -> None:
    (item,) = found(GOOD.replace("[StageName]", "[Schema__c]"), SEEN)
    assert "schema has it" in item.message


def test_a_back_reference_is_explained() -> None:
    (item,) = found(GOOD.replace("(?i)renew", "(a)\\1"))
    assert "back-references" in item.message


def test_what_follows_from_a_fault_is_left_out() -> None:
    # The rule's misspelt key is the fault; that the rule then looks at nothing is not told a second time.
    misspelt = found(GOOD.replace("{field: stage, op: equals", "{field: stage, opp: equals"))
    assert {item.code for item in misspelt} == {"unknown_key", "unsupported_rule_operator"}
    broken = found(GOOD.replace("deal: {object_types: [Opportunity]}", "deal: {object_types: Opportunity}"))
    assert [item.code for item in broken] == ["wrong_type"]


def test_a_document_that_is_none_has_its_own_findings_only() -> None:
    assert [item.code for item in found("- x")] == ["profile_nil"]


def test_empty_sections_are_warned_of() -> None:
    seen = [item.code for item in found("version: 1\nname: x\n")]
    assert seen.count("missing_lifecycle_bucket") == 5
    assert {"no_objects", "no_fields"} <= set(seen)
    assert not valid(found("version: 1\nname: x\n"))
    assert set(seen) <= set(CODES)


# --- fields that identify ---


@pytest.mark.parametrize(
    "name",
    ["Name", "dealname", "FirstName", "OwnerId", "hubspot_owner_id", "AccountId", "hs_object_id", "Email__c",
     "MobilePhone",
     "Website", "domain", "BillingStreet", "Description", "NextStep", "Primary_Contact__c", "Sales_Rep__c",
     "LinkedIn_URL__c"],
)  # fmt: skip
def test_fields_that_identify(name: str) -> None:
    assert identifying(name)


@pytest.mark.parametrize(
    "name",
    ["StageName", "dealstage", "Type", "Account_Type__c", "Industry", "ForecastCategoryName", "LeadSource",
     "Revenue_Range_f__c",
     "lifecyclestage", "Region__c", "Contact_Type__c", "Owner_Role__c", "Segment__c", "Loss_Reason__c", "Paid__c"],
)  # fmt: skip
def test_fields_that_do_not_identify(name: str) -> None:
    assert not identifying(name)


def test_a_label_counts_where_the_name_says_nothing() -> None:
    assert identifying("X1__c", "Account Owner")
    assert not identifying("X1__c", "Account Tier")
    assert not identifying("StageName", "Name of the stage")


# --- readiness ---


def ready(text: str) -> list[str]:
    profile = read_profile(text).profile
    assert profile is not None
    return list(readiness(profile).blocking)


def test_a_good_profile_is_ready() -> None:
    assert ready(GOOD) == []


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("names: [StageName]", "names: [CreatedDate, createdate]", ["creation"]),
        ("  unknown: {}\n", "", ["unknown is missing"]),
        ("[{object: deal, name: Lost__c}]", "[]", ["No methodology", "reason of a loss"]),
        ("  loss_reason:", "  pain:", ["reason of a loss"]),
    ],
)
def test_what_blocks(before: str, after: str, words: list[str]) -> None:
    changed = GOOD.replace(before, after)
    assert changed != GOOD
    blocking = ready(changed)
    assert len(blocking) == len(words)
    assert all(word in sentence for word, sentence in zip(words, blocking, strict=True))


def test_a_loss_reason_may_be_an_alias_or_a_field_concept() -> None:
    assert ready(GOOD.replace("loss_reason: {", "why: {aliases: [Lost reason], ")) == []
    field = GOOD.replace("lifecycle:", "  loss_reason: {object: deal, names: [Lost__c]}\nlifecycle:")
    assert ready(field.replace("  loss_reason: {fields", "  pain: {fields")) == []


def test_the_checklist_is_json() -> None:
    profile = read_profile(GOOD).profile
    assert profile is not None
    findings = [Finding("warn", "low_confidence_mapping", "x")]
    told = readiness(profile, findings).as_json()
    assert told["passed"] is True
    assert told["checklist"]["suspect_findings"] == ("low_confidence_mapping",)
