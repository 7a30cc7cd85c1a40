"""Proposing a profile from what a cache holds.

Evidence in names comes before frequency: candidates are ranked by the class of that evidence
(``gongctl.profile.sought``) and only within a class by how many objects fill them. So an unrelated object type or
field never wins by being frequent. What a name cannot tell is left to the author, and the comments say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gongctl.profile.document import MAX_NAME
from gongctl.profile.findings import cleaned
from gongctl.profile.identifying import identifying, squashed, words
from gongctl.profile.inventory import FieldFacts, Inventory, ObjectTypeFacts
from gongctl.profile.model import (
    ACCOUNT,
    DEAL,
    All,
    Bucket,
    Condition,
    Evidence,
    FieldConcept,
    FieldReference,
    MethodologyConcept,
    ObjectAlias,
    Profile,
    Rule,
)
from gongctl.profile.sought import (
    CONFIDENCE,
    HEURISTIC,
    KNOWN,
    NAMED,
    PART_OF_NAME,
    Shape,
    Sought,
    object_evidence,
    sought,
)
from gongctl.profile.validate import MANY_VALUES
from gongctl.profile.yaml_text import profile_yaml
from gongmcp.store.crm_names import CrmNames

EVIDENCE_VALUES: Final = 10
_VALUE_LENGTH: Final = 80
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d|1[0-9]{12}$")
_CLOSED_SIDE: Final = re.compile(r"(?:closed|deal)?(won|lost)")
_UNCLEAR: Final = frozenset(
    {"closed", "disqualified", "abandoned", "dead", "cancelled", "canceled", "declined", "omitted", "churned"}
)
_POST_SALES: Final = frozenset({"renewal", "renew", "upsell", "expansion", "upgrade", "existing", "existingbusiness"})
_STANDARD_POST_SALES: Final = ("Renewal", "Upsell", "Expansion", "Existing Business")
_METHODOLOGY: Final[dict[str, tuple[str, ...]]] = {
    "pain": ("pain",),
    "economic_buyer": ("economic", "buyer"),
    "champion": ("champion",),
    "decision_criteria": ("decision", "criteria"),
    "decision_process": ("decision", "process"),
    "competition": ("competitor",),
    "metrics": ("metrics",),
}
"""Concepts of sales methodologies by the words that their fields' names hold."""

_HEAD: Final = (
    "A proposed business profile. It was made from names and counts: read it before you import it.",
    "",
    "Check it with   gongctl profile validate FILE --db PATH",
    "and import it   gongctl profile import FILE --db PATH",
    "",
    "evidence and confidence are notes for you. They change nothing; the values in them come from your calls.",
    "groupable: true lets agents count calls by the values of a concept.",
)
_TEMPLATE: Final = (
    "Where your sales methodology is recorded: CRM fields, Gong trackers, scorecard questions. For example:",
    "  loss_reason:",
    "    aliases: [lost reason]",
    "    fields: [{object: deal, name: Loss_Reason__c}]",
    "  pain:",
    "    tracker_ids: ['1234567890']",
)

Side = Literal["won", "lost", "open", "unclear"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed *profile* and the comments (*notes*, by place) that say why and what to look at."""

    profile: Profile
    notes: Mapping[str, Sequence[str]]


def discover(inventory: Inventory, name: str) -> Proposal:
    """Return a profile called *name* for the objects and fields of *inventory*."""
    finder = _Finder(inventory)
    objects = [alias for alias in (finder.alias(DEAL), finder.alias(ACCOUNT)) if alias is not None]
    fields = finder.concepts(objects)
    lifecycle = finder.lifecycle()
    methodology = finder.methodology(objects)
    return Proposal(
        Profile(
            version=1,
            name=cleaned(name.strip(), MAX_NAME),
            objects=tuple(objects),
            fields=tuple(fields),
            lifecycle=tuple(lifecycle),
            methodology=tuple(methodology),
        ),
        {"": _HEAD, **finder.notes},
    )


def to_yaml(proposal: Proposal) -> str:
    """Return the proposal as commented YAML."""
    return profile_yaml(proposal.profile, proposal.notes)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A field as a candidate for a concept; its facts are those of all object types of the alias together."""

    name: str
    label: str
    evidence: int
    populated: int
    objects: int
    distinct: int
    samples: tuple[str, ...]

    @property
    def safe(self) -> bool:
        """Whether its values may be labels of groups."""
        return not identifying(self.name, self.label) and len(self.samples) == len(_unmasked(self.samples))

    def looks_like(self, shape: Shape) -> bool:
        """Tell whether its values look like those of a field of this *shape*."""
        if shape == "category":
            return self.distinct <= MANY_VALUES and self.safe
        if shape == "text":
            return True
        fits = [value for value in self.samples if (_number(value) if shape == "number" else _DATE.match(value))]
        return len(fits) * 5 >= len(self.samples) * 4


class _Finder:
    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self._found: dict[str, list[_Candidate]] = {}
        self.notes: dict[str, list[str]] = {}

    # --- objects ---

    def alias(self, name: str) -> ObjectAlias | None:
        """Return the object types that *name* (deal, account) stands for; None when there is none."""
        ranked = sorted(
            ((object_evidence(name, item.name), item) for item in self._inventory.object_types if _storable(item.name)),
            key=lambda pair: (-pair[0], -pair[1].objects, pair[1].name),
        )
        ranked = [pair for pair in ranked if pair[0]]
        if not ranked:
            self._note("objects", f"No object type looks like {'an account' if name == ACCOUNT else 'a deal'}.")
            return None
        best = ranked[0][0]
        # Names that a CRM gives are the same thing in several spellings or CRMs; of others, one is a guess enough.
        chosen = [item for evidence, item in ranked if evidence == best]
        chosen = chosen if best == KNOWN else chosen[:1]
        others = [item for _, item in ranked if item not in chosen]
        path = f"objects.{name}"
        for item in chosen:
            self._note(path, f"{item.name}: {item.objects:,} objects on {item.calls:,} calls")
        if best == PART_OF_NAME:
            self._note(path, "Only a part of the name says so: check it.")
        if others:
            self._note(path, f"also similar: {_listed(item.name for item in others)}")
        return ObjectAlias(
            name=name,
            object_types=tuple(item.name for item in chosen),
            confidence=CONFIDENCE[best],
            evidence=Evidence(
                source="object types of calls",
                matched_heuristic=HEURISTIC[best],
                sample_size=_objects(chosen),
                distinct_value_count=len(chosen),
            ),
        )

    # --- fields ---

    def concepts(self, aliases: Sequence[ObjectAlias]) -> list[FieldConcept]:
        """Return the field concepts for which the objects of *aliases* have a field."""
        found = []
        taken: set[tuple[str, str]] = set()
        fields = {alias.name: self._fields(alias) for alias in aliases}
        for item in sought():
            ranked = [
                candidate
                for candidate in self._ranked(item, fields.get(item.alias, {}))
                if (item.alias, candidate.name) not in taken
            ]
            if not ranked:
                continue
            best = ranked[0].evidence
            chosen = [candidate for candidate in ranked if candidate.evidence == best]
            chosen = chosen if best == KNOWN else chosen[:1]
            taken |= {(item.alias, candidate.name) for candidate in chosen}
            self._found[item.concept] = chosen
            found.append(self._concept(item, chosen, [other for other in ranked if other not in chosen]))
        return found

    def _fields(self, alias: ObjectAlias) -> dict[str, list[FieldFacts]]:
        by_name: dict[str, list[FieldFacts]] = {}
        for facts in self._inventory.fields:
            if facts.object_type in alias.object_types and facts.populated and _storable(facts.name):
                by_name.setdefault(facts.name, []).append(facts)
        return by_name

    @staticmethod
    def _ranked(item: Sought, fields: Mapping[str, Sequence[FieldFacts]]) -> list[_Candidate]:
        candidates = []
        for name, facts in fields.items():
            evidence = max(item.evidence(name, one.label) for one in facts)
            if evidence:
                candidate = _Candidate(
                    name=name,
                    label=next((one.label for one in facts if one.label), ""),
                    evidence=evidence,
                    populated=sum(one.populated for one in facts),
                    objects=sum(one.objects for one in facts),
                    distinct=max(one.distinct for one in facts),
                    samples=tuple(dict.fromkeys(value for one in facts for value in one.samples)),
                )
                if evidence >= NAMED or candidate.looks_like(item.shape):
                    candidates.append(candidate)
        return sorted(candidates, key=lambda found: (-found.evidence, -found.populated, found.name))

    def _concept(self, item: Sought, chosen: Sequence[_Candidate], others: Sequence[_Candidate]) -> FieldConcept:
        path = f"fields.{item.concept}"
        for one in chosen:
            counts = f"filled on {one.populated:,} of {one.objects:,} objects, distinct values: {one.distinct:,}"
            self._note(path, f"{one.name}{f' ({one.label})' if one.label else ''}: {counts}")
        if len(chosen) > 1:
            self._note(path, "The first that is not blank counts.")
        if others:
            self._note(path, f"also similar: {_listed(other.name for other in others)}")
        safe = all(one.safe for one in chosen)
        few = all(one.distinct <= MANY_VALUES for one in chosen)
        if item.groupable and not (safe and few):
            why = "it has many values" if safe else "its values may name somebody"
            self._note(path, f"Not groupable: {why}.")
        values = [value for one in chosen if one.safe for value in _unmasked(one.samples)]
        return FieldConcept(
            name=item.concept,
            object=item.alias,
            names=tuple(one.name for one in chosen),
            groupable=item.groupable and safe and few,
            confidence=CONFIDENCE[chosen[0].evidence],
            evidence=Evidence(
                source="fields of calls' CRM objects",
                matched_heuristic=HEURISTIC[chosen[0].evidence],
                sample_size=sum(one.populated for one in chosen),
                distinct_value_count=max(one.distinct for one in chosen),
                values=_quoted(values),
            ),
        )

    # --- lifecycle ---

    def lifecycle(self) -> list[Bucket]:
        """Return the required buckets with the rules that the values seen suggest."""
        sides: dict[Side, list[str]] = {"won": [], "lost": [], "open": [], "unclear": []}
        for value in self._values("deal_stage"):
            sides[stage_side(value)].append(value)
        post_sales = self._post_sales()
        if sides["unclear"]:
            self._note("lifecycle", f"Stages that no bucket takes, for you to place: {_listed(sides['unclear'], 20)}")
        if any(one.distinct > len(one.samples) for one in self._found.get("deal_stage", ())):
            self._note("lifecycle", "There are more stages than were looked at: the rarest are missing here.")
        self._note(
            "lifecycle.post_sales",
            "Tried before open, so that a renewal or an expansion whose stage is still open counts as post-sales;",
            "won and lost ones are in the buckets above. Exchange the order numbers to have it otherwise.",
        )
        return [
            Bucket(name="closed_won", label="Closed won", order=10, rules=self._stage_rules("won", sides["won"])),
            Bucket(name="closed_lost", label="Closed lost", order=20, rules=self._stage_rules("lost", sides["lost"])),
            Bucket(name="post_sales", label="Post-sales", order=30, rules=post_sales),
            Bucket(name="open", label="Open pipeline", order=40, rules=self._stage_rules("open", sides["open"])),
            Bucket(name="unknown", label="Unknown", order=999),
        ]

    def _stage_rules(self, side: Literal["won", "lost", "open"], values: Sequence[str]) -> tuple[Rule, ...]:
        bucket = {"won": "closed_won", "lost": "closed_lost", "open": "open"}[side]
        if "deal_stage" not in self._found:
            self._note(f"lifecycle.{bucket}", "No field with stages was found: write the rules for this bucket.")
            return ()
        if values:
            return (Condition(op="in", field="deal_stage", values=tuple(values)),)
        if side == "open":
            self._note("lifecycle.open", "No open stage was seen: every stage that is not taken above counts.")
            return (Condition(op="is_set", field="deal_stage"),)
        names = {squashed(one.name) for one in self._found["deal_stage"]}
        standard = f"closed{side}" if "dealstage" in names else f"Closed {side.capitalize()}"
        self._note(f"lifecycle.{bucket}", "Not seen yet; this is the standard value.")
        return (Condition(op="in", field="deal_stage", values=(standard,)),)

    def _post_sales(self) -> tuple[Rule, ...]:
        rules: list[Rule] = []
        kinds = [value for value in self._values("deal_type") if _is_post_sales(value)]
        if kinds:
            rules.append(Condition(op="in", field="deal_type", values=tuple(kinds)))
        customer: list[Condition] = []
        if any(value.casefold().startswith("customer") for value in self._values("account_type")):
            customer.append(Condition(op="iprefix", field="account_type", values=("customer",)))
        lifecycle = [v for v in self._values("account_lifecycle") if squashed(v) in ("customer", "evangelist")]
        if lifecycle:
            customer.append(Condition(op="in", field="account_lifecycle", values=tuple(lifecycle)))
        for condition in customer:
            if "deal_stage" in self._found:
                # A customer can have an open deal of another kind: then the deal's stage tells more.
                rules.append(All(rules=(condition, Condition(op="is_empty", field="deal_stage"))))
            else:
                rules.append(condition)
        if not rules and "deal_type" in self._found:
            self._note("lifecycle.post_sales", "None of these types was seen yet.")
            rules.append(Condition(op="in", field="deal_type", values=_STANDARD_POST_SALES))
        elif not rules and "account_type" in self._found:
            self._note("lifecycle.post_sales", "No such account was seen yet.")
            rules.append(Condition(op="iprefix", field="account_type", values=("customer",)))
        if not rules:
            self._note("lifecycle.post_sales", "No field with types of deals or accounts was found: write the rules.")
        return tuple(rules)

    def _values(self, concept: str) -> list[str]:
        """Return the values seen of a concept that a rule can compare with, most frequent first."""
        samples = [value.strip() for one in self._found.get(concept, ()) for value in _unmasked(one.samples)]
        return [value for value in dict.fromkeys(samples) if _storable(value)]

    # --- methodology ---

    def methodology(self, aliases: Sequence[ObjectAlias]) -> list[MethodologyConcept]:
        """Return the methodology concepts whose fields were found."""
        found = []
        reasons = self._found.get("deal_loss_reason", ())
        if reasons:
            found.append(
                MethodologyConcept(
                    name="loss_reason",
                    description="Why a deal was lost",
                    aliases=("lost reason",),
                    fields=tuple(FieldReference(object=DEAL, name=one.name) for one in reasons),
                )
            )
        else:
            self._note("methodology", "No field with the reason of a loss was found. Without one, --strict refuses.")
        deal = next((alias for alias in aliases if alias.name == DEAL), None)
        fields = sorted(self._fields(deal)) if deal else ()
        for name, wanted in _METHODOLOGY.items():
            of = [field for field in fields if set(wanted) <= set(words(field))]
            if of:
                references = tuple(FieldReference(object=DEAL, name=field) for field in of[:3])
                found.append(MethodologyConcept(name=name, fields=references))
        if not found:
            self._note("methodology", *_TEMPLATE)
        return found

    def _note(self, path: str, *lines: str) -> None:
        self.notes.setdefault(path, []).extend(lines)


def stage_side(stage: str) -> Side:
    """Return which side of a close a stage is on, by its label or by HubSpot's internal id.

    ``unclear``: closed in a way that is neither won nor lost, or a number (the id of a stage in a custom pipeline).
    """
    parts = words(stage)
    squash = squashed(stage)
    negated = "not" in parts
    for side in ("won", "lost"):
        if not negated and (side in parts or f"closed{side}" in squash):
            return "won" if side == "won" else "lost"
    match = _CLOSED_SIDE.fullmatch(squash)
    if match and not negated:
        return "won" if match[1] == "won" else "lost"
    if squash.isdecimal() or not _UNCLEAR.isdisjoint(parts):
        return "unclear"
    return "open"


def _is_post_sales(kind: str) -> bool:
    known = CrmNames.default().lifecycle
    text = " ".join(kind.casefold().split())
    if text in (*known["renewal_types"], *known["expansion_types"]):
        return True
    parts = words(kind)
    return not _POST_SALES.isdisjoint(parts) and "new" not in parts


def _objects(items: Iterable[ObjectTypeFacts]) -> int:
    return sum(item.objects for item in items)


def _unmasked(values: Iterable[str]) -> list[str]:
    return [value for value in values if "{redacted:" not in value]


def _storable(value: str) -> bool:
    """Tell whether *value* can stand in a profile as it is: a profile trims texts and holds no control characters."""
    return value != "" and value == value.strip() and all(char.isprintable() for char in value)


def _quoted(values: Iterable[str]) -> tuple[str, ...]:
    """Return the first values that are short enough to be shown as evidence."""
    stripped = (value.strip() for value in values)
    fitting = [value for value in dict.fromkeys(stripped) if _storable(value) and len(value) <= _VALUE_LENGTH]
    return tuple(fitting[:EVIDENCE_VALUES])


def _listed(names: Iterable[str], most: int = 3) -> str:
    found = list(names)
    return ", ".join(found[:most]) + (", ..." if len(found) > most else "")


def _number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
