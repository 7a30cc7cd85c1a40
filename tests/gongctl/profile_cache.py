"""Synthetic calls with CRM context, a profile over them, and the same profile's answers worked out by hand.

Nothing here uses the classifier: ``bucket_of`` and ``value_of`` say in plain Python what the profile's YAML says.
"""

from __future__ import annotations

import getpass
import random
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gongctl.cache.connection import reading
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Kind, Place
from gongctl.profile.canonical import canonical_sha256
from gongctl.profile.document import read_profile
from gongctl.profile.findings import valid
from gongctl.profile.inventory import read_inventory
from gongctl.profile.store import ImportReport, import_profile
from gongctl.profile.validate import validate

SECRET = bytes(range(32))
CLOCK = "1780000000"

PROFILE = """\
version: 1
name: Company lifecycle
objects:
  deal: {object_types: [Opportunity, Deal]}
  account: {object_types: [Account, Company]}
fields:
  deal_stage: {object: deal, names: [StageName, dealstage], groupable: true}
  deal_type: {object: deal, names: [Type, dealtype], groupable: true}
  account_industry: {object: account, names: [Industry, industry], groupable: true}
  account_tier: {object: account, names: [Tier__c], groupable: true}
  deal_next_step: {object: deal, names: [NextStep]}
lifecycle:
  closed_won: {label: Won, order: 10, rules: [{field: deal_stage, op: in, values: [Closed Won, closedwon]}]}
  closed_lost: {label: Lost, order: 20, rules: [{field: deal_stage, op: in, values: [Closed Lost, closedlost]}]}
  renewal_desk:
    label: Renewal desk
    description: Renewals that are negotiated, or of which no stage is known
    order: 30
    rules:
      - all:
          - {field: deal_type, op: equals, value: Renewal}
          - any:
              - {field: deal_stage, op: iprefix, value: nego}
              - {field: deal_stage, op: is_empty}
  post_sales: {label: Post-sales, order: 40, rules: [{field: deal_type, op: in, values: [Renewal, Upsell]}]}
  cold_calls: {label: Cold calls, order: 45, rules: [{call: direction, op: equals, value: Outbound}]}
  open:
    label: Open
    order: 50
    rules: [{object: deal, field_name: StageName, op: is_set}, {field: deal_stage, op: is_set}]
  unknown: {label: Unknown, order: 999}
methodology:
  next_step: {description: What comes next, aliases: [follow-up], fields: [{object: deal, name: NextStep}]}
"""
BUCKETS = ("closed_won", "closed_lost", "renewal_desk", "post_sales", "cold_calls", "open", "unknown")

OTHER_PROFILE = PROFILE.replace("Company lifecycle", "Renewals first").replace("order: 40", "order: 5")
"""The same, but for sold and renewed deals coming first: another meaning."""

THIRD_PROFILE = OTHER_PROFILE.replace("Renewals first", "Tiers").replace("value: nego", "value: prop")
FOURTH_PROFILE = THIRD_PROFILE.replace("order: 45", "order: 1")

FORGET_RULES = "UPDATE read_model SET digest = 'of other rules', base = 'of other rules'"
"""A statement after which warm builds the read model from nothing."""

STAGES = ("Closed Won", "Closed Lost", "Negotiation", "negotiating", "Proposal", "Prospecting", "")
KINDS = ("Renewal", "Upsell", "New Business", "")
INDUSTRIES = ("Retail", "Media", "Logistics")
TIERS = ("Gold", "Silver", "")
WORDS = ("price", "renewal", "budget", "roadmap", "security", "the")


@dataclass(frozen=True)
class Made:
    """A call as it was made: what tests recount from."""

    call_id: str
    objects: tuple[tuple[str, str, dict[str, str]], ...]
    direction: str
    scope: str
    sentences: tuple[str, ...]

    def records(self) -> list[tuple[Kind, dict[str, Any]]]:
        """Return the call, and its transcript if it has one, as Gong's API gives them."""
        number = int(self.call_id)
        listed = [
            {"objectType": kind, "objectId": key, "fields": [{"name": n, "value": v} for n, v in fields.items()]}
            for kind, key, fields in self.objects
        ]
        call: dict[str, Any] = {
            "metaData": {
                "id": self.call_id,
                "title": f"Call {number}",
                "started": f"2026-{number % 12 + 1:02d}-{number % 28 + 1:02d}T10:{number % 60:02d}:00Z",
                "duration": 60 * (number % 50 + 1),
                "direction": self.direction,
                "scope": self.scope,
                "system": "Zoom",
            },
            "context": [{"system": "Salesforce", "objects": listed}],
        }
        found: list[tuple[Kind, dict[str, Any]]] = [("call", call)]
        if self.sentences:
            said = [{"start": n * 10, "end": n * 10 + 9, "text": text} for n, text in enumerate(self.sentences)]
            transcript = {"callId": self.call_id, "transcript": [{"speakerId": "5", "sentences": said}]}
            found.append(("transcript", transcript))
        return found


def make(number: int, rng: random.Random) -> Made:
    """Return call *number* with random CRM context."""
    objects: list[tuple[str, str, dict[str, str]]] = []
    hubspot = rng.random() < 0.3
    if rng.random() < 0.8:
        fields = {"industry" if hubspot else "Industry": rng.choice(INDUSTRIES), "Name": f"Example {number % 7} Inc"}
        if not hubspot:
            fields["Tier__c"] = rng.choice(TIERS)
        objects.append(("Company" if hubspot else "Account", str(number % 7), fields))
    for deal in range(rng.choice((0, 1, 1, 1, 2))):
        stage, kind = rng.choice(STAGES), rng.choice(KINDS)
        if hubspot:
            fields = {"dealstage": stage.lower().replace(" ", ""), "dealtype": kind}
        else:
            fields = {"StageName": stage, "Type": kind, "NextStep": rng.choice(("Call back", ""))}
        objects.append(("Deal" if hubspot else "Opportunity", f"{number % 11}-{deal}", fields))
    said = tuple(" ".join(rng.choices(WORDS, k=5)) for _ in range(rng.choice((0, 2, 3))))
    return Made(
        str(number), tuple(objects), rng.choice(("Outbound", "Conference")), rng.choice(("External", "Internal")), said
    )


def make_calls(count: int, seed: int = 1) -> list[Made]:
    """Return *count* calls."""
    rng = random.Random(seed)
    return [make(number, rng) for number in range(count)]


# --- the profile by hand ----------------------------------------------------------------------------

_FIELDS = {
    "deal_stage": (("Opportunity", "Deal"), ("StageName", "dealstage")),
    "deal_type": (("Opportunity", "Deal"), ("Type", "dealtype")),
    "account_industry": (("Account", "Company"), ("Industry", "industry")),
    "account_tier": (("Account", "Company"), ("Tier__c",)),
}


def value_of(concept: str, call: Made) -> str:
    """Return the value of a field concept on a call, '' for none."""
    types, names = _FIELDS[concept]
    for kind, _, fields in sorted(call.objects, key=lambda item: f"{item[0]}:{item[1]}"):
        for name in names:
            if kind in types and fields.get(name, "").strip():
                return fields[name]
    return ""


def bucket_of(call: Made, *, post_sales_first: bool = False) -> str:
    """Return the bucket of a call under ``PROFILE``, or under ``OTHER_PROFILE``."""
    stage, kind = value_of("deal_stage", call), value_of("deal_type", call)
    if post_sales_first and kind in ("Renewal", "Upsell"):
        return "post_sales"
    if stage in ("Closed Won", "closedwon"):
        return "closed_won"
    if stage in ("Closed Lost", "closedlost"):
        return "closed_lost"
    if kind == "Renewal" and (not stage or stage.lower().startswith("nego")):
        return "renewal_desk"
    if kind in ("Renewal", "Upsell"):
        return "post_sales"
    if call.direction == "Outbound":
        return "cold_calls"
    return "open" if stage else "unknown"


# --- caches -----------------------------------------------------------------------------------------


def opened(path: Path) -> AbstractContextManager[CacheWriter]:
    """Open the cache at *path* for writing, made with a fixed secret if it is missing."""
    return CacheWriter.open(path, create=True, secret=SECRET)


def store(writer: CacheWriter, calls: Iterable[Made]) -> None:
    """Import *calls*."""
    items = [item for call in calls for item in call.records()]
    import_records(writer, [record for kind, value in items for record in records_of(kind, value, Place("test"))])


def import_yaml(
    writer: CacheWriter,
    text: str = PROFILE,
    *,
    activate: bool = True,
    source_path: str = "profile.yaml",
    imported_by: str = "",
) -> ImportReport:
    """Read, judge and import a profile, as the command does."""
    document = read_profile(text, source_path)
    with reading(writer.path) as connection:
        findings = validate(document, read_inventory(connection))
    assert document.profile is not None, document.findings
    assert valid(findings), findings
    return import_profile(
        writer,
        document.profile,
        canonical_sha256=canonical_sha256(document.profile),
        source=text,
        source_sha256=document.source_sha256,
        source_path=source_path,
        findings=[item.as_json() for item in findings if item.severity == "warn"],
        imported_by=imported_by or getpass.getuser(),
        activate=activate,
    )


def build(path: Path, calls: Sequence[Made], *profiles: str) -> Path:
    """Make a warm cache of *calls* with the *profiles*, the last of them active."""
    with opened(path) as writer:
        store(writer, calls)
        warm(writer)
        for text in profiles:
            import_yaml(writer, text)
        if profiles:
            warm(writer)
    return path
