"""Small warmed caches in the shapes of Salesforce and HubSpot, made of synthetic calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.connection import reading
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Kind, Place
from gongctl.profile.inventory import Inventory, read_inventory

SECRET = bytes(range(32))
Object = tuple[str, str, dict[str, Any]]
"""(type, id, fields) of a CRM object."""
Schema = dict[str, list[tuple[str, str]]]
"""(name, label) of the fields of each object type."""

BuildCache = Callable[..., Path]


@pytest.fixture(scope="session")
def build_cache(tmp_path_factory: pytest.TempPathFactory) -> BuildCache:
    """Return what makes a warmed cache of calls, each given as its CRM objects, and a CRM schema."""

    def build(calls: Sequence[Sequence[Object]], schema: Schema | None = None, system: str = "Salesforce") -> Path:
        path = tmp_path_factory.mktemp("cache") / "profile.db"
        items: list[tuple[Kind, dict[str, Any]]] = [
            (
                "call",
                {
                    "metaData": {
                        "id": str(number),
                        "started": f"2026-03-{number % 28 + 1:02d}T10:00:00Z",
                        "title": "A call",
                        "duration": 600,
                    },
                    "context": [{"system": system, "objects": [_payload(item) for item in objects]}],
                },
            )
            for number, objects in enumerate(calls, 1)
        ]
        if schema:
            selected = {
                of: [{"uniqueName": name, "label": label, "type": "STRING"} for name, label in fields]
                for of, fields in schema.items()
            }
            items.append(("crm_schema", {"integrationId": "1", "objectTypeToSelectedFields": selected}))
        with CacheWriter.open(path, create=True, secret=SECRET) as writer:
            records = [record for kind, value in items for record in records_of(kind, value, Place("test"))]
            import_records(writer, records)
            warm(writer)
        return path

    return build


def _payload(item: Object) -> dict[str, Any]:
    of, number, fields = item
    pairs = [{"name": name, "value": value} for name, value in fields.items()]
    return {"objectType": of, "objectId": number, "fields": pairs}


def inventory_of(path: Path) -> Inventory:
    """Return the inventory of the cache at *path*."""
    with reading(path) as connection:
        return read_inventory(connection)


SALESFORCE_SCHEMA: Schema = {
    "ACCOUNT": [("Name", "Account Name"), ("Type", "Account Type"), ("Unused__c", "Unused")],
    "DEAL": [("StageName", "Stage"), ("X1__c", "Closed Lost Reason")],
}


@pytest.fixture(scope="session")
def salesforce(build_cache: BuildCache) -> Path:
    """Twelve calls with accounts and opportunities, and many more objects of an unrelated type."""
    stages = ["Discovery", "Closed Won", "Closed Lost", "Negotiation/Review", "Discovery", "Qualification"]
    kinds = ["New Business", "Renewal", "New Business", "Renewal", "Existing Customer - Upgrade", "New Business"]
    calls: list[list[Object]] = []
    for number in range(12):
        account = {
            "Name": f"Example {number} Inc",
            "Industry": ["Software", "Retail"][number % 2],
            "Type": ["Customer - Direct", "Prospect"][number % 2],
            "Website": f"https://www{number}.example.com",
            "OwnerId": f"005{number}",
        }
        deal = {
            "Name": f"Example {number} deal",
            "StageName": stages[number % 6],
            "Amount": 1000 * number + 5,
            "CloseDate": f"2026-04-{number + 1:02d}",
            "CreatedDate": "2025-01-01T00:00:00Z",
            "Type": kinds[number % 6],
            "OwnerId": f"005{number % 3}",
            "ForecastCategoryName": "Pipeline",
            "LeadSource": ["Web", "Event"][number % 2],
            "X1__c": "Price" if stages[number % 6] == "Closed Lost" else "",
            "Pain_Points__c": "Slow reports",
            "Stage_Entered_Date__c": "2026-01-01",
            "Probability": 50,
        }
        # Frequent and unrelated: neither may win by its numbers.
        tasks: list[Object] = [
            ("Task", f"t{number}-{n}", {"Subject": "Call", "Value": "1", "Phase": "x"}) for n in range(6)
        ]
        lines: list[Object] = [("OpportunityLineItem", f"l{number}-{n}", {"StageName": "Line"}) for n in range(4)]
        calls.append([("Account", f"a{number}", account), ("Opportunity", f"o{number}", deal), *tasks, *lines])
    calls.append([("Account", "a99", {"Name": "Example", "Type": "Customer - Direct"})])
    return build_cache(calls, SALESFORCE_SCHEMA)


@pytest.fixture(scope="session")
def hubspot(build_cache: BuildCache) -> Path:
    """Calls with companies and deals of HubSpot, with internal stage ids, and its many derived properties."""
    stages = ["appointmentscheduled", "contractsent", "closedwon", "closedlost", "1048576"]
    calls: list[list[Object]] = []
    for number in range(10):
        company = {
            "name": f"Example {number} GmbH",
            "domain": f"example{number}.org",
            "industry": ["COMPUTER_SOFTWARE", "RETAIL"][number % 2],
            "lifecyclestage": ["customer", "opportunity", "lead"][number % 3],
            "hubspot_owner_id": f"77{number}",
        }
        deal = {
            "dealname": f"Example {number} deal",
            "dealstage": stages[number % 5],
            "amount": str(500 * number),
            "closedate": f"2026-04-{number + 1:02d}T00:00:00Z",
            "createdate": "2025-01-01T00:00:00Z",
            "dealtype": ["newbusiness", "existingbusiness"][number % 2],
            "hubspot_owner_id": f"77{number % 3}",
            "closed_lost_reason": "Too dear" if stages[number % 5] == "closedlost" else None,
            "hs_deal_stage_probability": "0.4",
            "hs_date_entered_closedwon": "2026-01-01",
            "hs_analytics_source": "DIRECT_TRAFFIC",
        }
        calls.append([("COMPANY", f"c{number}", company), ("Deal", f"d{number}", deal)])
    return build_cache(calls, system="HubSpot")


@pytest.fixture(scope="session")
def salesforce_inventory(salesforce: Path) -> Inventory:
    """The inventory of ``salesforce``."""
    return inventory_of(salesforce)


@pytest.fixture(scope="session")
def hubspot_inventory(hubspot: Path) -> Inventory:
    """The inventory of ``hubspot``."""
    return inventory_of(hubspot)
