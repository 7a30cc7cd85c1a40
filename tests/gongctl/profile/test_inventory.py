"""The inventory of a real cache, and that reading it never walks over all values."""

from __future__ import annotations

import re
from pathlib import Path

from gongctl.cache.connection import reading
from gongctl.profile.inventory import MAX_SAMPLES, Inventory, read_inventory
from tests.gongctl.profile.conftest import BuildCache, inventory_of


def test_counts_labels_and_samples(salesforce_inventory: Inventory) -> None:
    types = {item.name: (item.objects, item.calls) for item in salesforce_inventory.object_types}
    assert types == {"Task": (72, 12), "OpportunityLineItem": (48, 12), "Account": (13, 13), "Opportunity": (12, 12)}
    assert salesforce_inventory.object_types[0].name == "Task"
    stage = salesforce_inventory.by_place["Opportunity", "StageName"]
    assert (stage.label, stage.populated, stage.objects, stage.distinct) == ("Stage", 12, 12, 5)
    assert stage.samples[0] == "Discovery"
    assert set(stage.samples) == {"Discovery", "Closed Won", "Closed Lost", "Negotiation/Review", "Qualification"}
    reason = salesforce_inventory.by_place["Opportunity", "X1__c"]
    assert (reason.label, reason.populated, reason.samples) == ("Closed Lost Reason", 2, ("Price",))


def test_a_field_that_only_the_schema_has_is_known_but_not_seen(salesforce_inventory: Inventory) -> None:
    unused = salesforce_inventory.by_place["Account", "Unused__c"]
    assert (unused.label, unused.objects, unused.samples) == ("Unused", 0, ())
    assert salesforce_inventory.of(["Account"], "Unused__c") == []
    assert len(salesforce_inventory.of(["Account", "Opportunity"], "Type")) == 2


def test_values_are_read_of_fields_that_are_looked_for(salesforce_inventory: Inventory) -> None:
    assert salesforce_inventory.by_place["Account", "Website"].samples == ()
    assert salesforce_inventory.by_place["Opportunity", "LeadSource"].samples == ("Event", "Web")


def test_samples_are_bounded(build_cache: BuildCache) -> None:
    calls = [[("Opportunity", f"o{n}", {"StageName": f"Stage {n}", "Amount": n})] for n in range(1, MAX_SAMPLES + 20)]
    inventory = inventory_of(build_cache(calls))
    for name in ("StageName", "Amount"):
        facts = inventory.by_place["Opportunity", name]
        assert (facts.distinct, len(facts.samples)) == (MAX_SAMPLES + 19, MAX_SAMPLES)


def test_an_empty_cache_has_an_empty_inventory(build_cache: BuildCache) -> None:
    assert inventory_of(build_cache([])) == Inventory((), ())


def test_no_query_scans_objects_or_values(salesforce: Path) -> None:
    statements: list[str] = []
    with reading(salesforce) as connection:
        connection.set_trace_callback(statements.append)
        read_inventory(connection)
        connection.set_trace_callback(None)
        plans = [
            str(row[3])
            for statement in statements
            if statement.startswith("SELECT")
            for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
        ]
    assert any("crm_values_object" in plan for plan in plans)  # the control: values were read, by their index
    assert not [plan for plan in plans if re.match(r"SCAN (v|crm_objects|crm_values|counters)\b", plan)]
