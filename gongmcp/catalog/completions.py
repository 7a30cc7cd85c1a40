"""Completions: which values an argument may take, of visible calls only and never a withheld one.

A value is offered only where some allowed tool shows values of its kind by itself: each kind names the
columns in which they stand, and the policy decides over those columns as it does in an answer. So a
completion tells nothing that a tool would not. Only tools that range over all visible calls count: one that
lists some calls is no reason to offer the values of all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from gongmcp.catalog.arguments import MAX_TEXT, unknown_argument
from gongmcp.catalog.crm_classes import concept_classes, group_classes_of
from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.filters import withheld_arguments
from gongmcp.catalog.registry import catalog
from gongmcp.errors import ToolFault
from gongmcp.exposure.clean import clean
from gongmcp.exposure.decisions import decide
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import Expose, Field
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row, hints, strip
from gongmcp.store import suggestions
from gongmcp.store.buckets import lifecycle_at_hand
from gongmcp.store.connection import ReadStore
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.profile import active_profile

MAX_VALUES = 100
"""Most values of one completion."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer shows such values: a *column* (``outer.inner`` for one of nested rows) of *tool* when it
    is called with *arguments* among others."""

    tool: str
    column: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a kind's query may use: what was typed, the arguments already given (none is relied on), the policy."""

    store: ReadStore
    names: CrmNames
    prefix: str
    given: Mapping[str, str]
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of values: their class, where answers show them, and the query.

    *of_calls*: they are what calls carry, so a rare one tells of a small group and ``min_cell`` withholds them all.
    """

    field: Field
    shown_in: tuple[Place, ...]
    query: Callable[[Asked], list[str]]
    of_calls: bool = False


def _places(column: str, *tools: str) -> tuple[Place, ...]:
    return tuple(Place(tool, column) for tool in tools)


def _group(dimension: str) -> Place:
    return Place("summarize_call_facts", "group_value", {"group_by": dimension})


def _grouping_fields(asked: Asked) -> list[str]:
    wanted, of = asked.prefix.casefold(), asked.given.get("object_type", "")
    return [
        name
        for name in asked.names.matrix_group_fields
        if name.casefold().startswith(wanted) and not asked.policy.hides(group_classes_of(of, name, asked.names))
    ][:MAX_VALUES]


def _buckets(asked: Asked) -> tuple[str, ...]:
    try:
        return lifecycle_at_hand(asked.store, asked.given.get("lifecycle_source", "auto")).order()
    except ToolFault:  # a profile that is not there, or whose facts are not
        return ()


def _concepts(asked: Asked) -> list[str]:
    profile = active_profile(asked.store)
    if profile is None:
        return []
    names = profile.groupable()
    return [name for name in names if not asked.policy.hides(concept_classes(profile, name, asked.names))]


EVIDENCE_BY_FACTS = "search_transcripts_by_call_facts"
QUOTES = "search_transcript_quotes_with_attribution"

KINDS: dict[str, Kind] = {
    "object_type": Kind(
        Field.CRM_TYPE,
        (*_places("object_type", "list_crm_object_types"), *_places("crm_objects.object_type", "get_call")),
        lambda asked: suggestions.object_types(asked.store, asked.prefix, MAX_VALUES),
        of_calls=True,
    ),
    "field_name": Kind(
        Field.CRM_TYPE,
        (
            *_places("field_name", "list_crm_fields", "crm_field_population_matrix", "compare_lifecycle_crm_fields"),
            *_places("crm_objects.field_names", "get_call"),
        ),
        lambda asked: suggestions.field_names(asked.store, asked.given.get("object_type"), asked.prefix, MAX_VALUES),
        of_calls=True,
    ),
    "grouping_field": Kind(Field.CRM_TYPE, _places("group_by_field", "crm_field_population_matrix"), _grouping_fields),
    "schema_type": Kind(
        Field.CRM_TYPE,
        _places("object_type", "list_cached_crm_schema_objects", "list_cached_crm_schema_fields"),
        lambda asked: suggestions.schema_types(asked.store, asked.prefix, MAX_VALUES),
    ),
    "integration": Kind(
        Field.SETTING_ID,
        _places("integration_id", "list_crm_integrations"),
        lambda asked: suggestions.integrations(asked.store, asked.prefix, MAX_VALUES),
    ),
    "scorecard": Kind(
        Field.SETTING_ID,
        _places("scorecard_id", "list_scorecards"),
        lambda asked: suggestions.scorecards(asked.store, asked.prefix, MAX_VALUES),
    ),
    "call": Kind(
        Field.CALL_REF,
        _places("call_ref", "search_calls", "search_calls_by_lifecycle"),
        lambda asked: suggestions.call_refs(asked.store, asked.prefix, MAX_VALUES),
    ),
    "system": Kind(
        Field.LABEL,
        (_group("system"), *_places("system", "get_call", EVIDENCE_BY_FACTS)),
        lambda asked: suggestions.indexed(asked.store, "system", asked.prefix, MAX_VALUES),
        of_calls=True,
    ),
    "direction": Kind(
        Field.LABEL,
        (_group("direction"), *_places("direction", "get_call", EVIDENCE_BY_FACTS)),
        lambda asked: suggestions.indexed(asked.store, "direction", asked.prefix, MAX_VALUES),
        of_calls=True,
    ),
    "stage": Kind(
        Field.LABEL,
        (
            _group("opportunity_stage"),
            *_places("stage", "opportunity_call_summary"),
            *_places("opportunity_stage", QUOTES),
        ),
        lambda asked: suggestions.recent(asked.store, "opportunity_stage", asked.prefix, MAX_VALUES),
        of_calls=True,
    ),
    "bucket": Kind(
        Field.CATEGORY,
        (
            *_places("bucket", "list_lifecycle_buckets", "summarize_calls_by_lifecycle", "search_calls_by_lifecycle"),
            *_places("bucket", "rank_transcript_backlog"),
            *_places("lifecycle_bucket", "get_call", EVIDENCE_BY_FACTS, QUOTES),
            _group("lifecycle"),
        ),
        lambda asked: [name for name in _buckets(asked) if name.startswith(asked.prefix.casefold())][:MAX_VALUES],
    ),
    "concept": Kind(
        Field.SETTING_NAME,
        _places("name", "list_business_concepts"),
        lambda asked: [name for name in _concepts(asked) if name.startswith(asked.prefix.casefold())][:MAX_VALUES],
    ),
    "industry": Kind(
        Field.LABEL,
        (_group("industry"), *_places("account_industry", QUOTES)),
        lambda asked: suggestions.recent(asked.store, "account_industry", asked.prefix, MAX_VALUES),
        of_calls=True,
    ),
}
"""Kinds of values, by name."""

ARGUMENTS: dict[str, str] = {
    "object_type": "object_type",
    "crm_object_type": "object_type",
    "field_name": "field_name",
    "stage_field": "field_name",
    "group_by_field": "grouping_field",
    "integration_id": "integration",
    "scorecard_id": "scorecard",
    "call_ref": "call",
    "call_id": "call",  # takes an alias too; ids are never offered
    "system": "system",
    "direction": "direction",
    "opportunity_stage": "stage",
    "stage_values": "stage",
    "late_stage_values": "stage",
    "industry": "industry",
    "bucket": "bucket",
    "bucket_a": "bucket",
    "bucket_b": "bucket",
    "lifecycle_bucket": "bucket",
    "concept": "concept",
}
"""The kind of an argument's values, by the argument's name in any tool. Enumerations are in the schema."""

ARGUMENTS_OF_ONE_TOOL: dict[tuple[str, str], str] = {
    ("list_cached_crm_schema_fields", "object_type"): "schema_type",
}
"""Where the same name means something else."""


@dataclass(frozen=True, slots=True)
class Completion:
    """How one argument is completed: *fixed* values of its schema, or a *kind* that the store is asked for.

    Neither: nothing is offered (free text, dates, withheld values).
    """

    fixed: tuple[str, ...] = ()
    kind: Kind | None = None

    def matching(self, prefix: str) -> list[str]:
        """Return the fixed values that begin with *prefix*, any case."""
        wanted = prefix.casefold()
        return [value for value in self.fixed if value.casefold().startswith(wanted)][:MAX_VALUES]

    def ask(self, asked: Asked) -> list[str]:
        """Return the values of the kind that begin with what was typed.

        A value that an answer would have to change (invisible characters, over-long text) is left out:
        changed, it would be no argument that finds anything.
        """
        if (
            self.kind is None
            or len(asked.prefix) > MAX_TEXT
            or not all(map(_plain, (asked.prefix, *asked.given.values())))
        ):
            return []
        longest = self.kind.field.max_chars or MAX_TEXT
        return [value for value in self.kind.query(asked) if len(value) <= longest and _plain(value)]


def _plain(value: str) -> bool:
    return not clean(value)[1] and "\n" not in value and "\t" not in value


def completion(
    tool: Tool, argument: str, schema: Mapping[str, Any], policy: Policy, allowed: Collection[str]
) -> Completion:
    """Return how *argument* of *tool*, whose published input schema is *schema*, is completed under *policy*
    where the tools *allowed* may be called.

    Raises ``ToolFault("invalid_argument")`` when the tool has no such argument.
    """
    properties: Mapping[str, Any] = schema["properties"]
    if argument in withheld_arguments(tool, policy):
        return Completion()
    if argument not in properties:
        raise unknown_argument(argument, list(properties))
    rule = properties[argument]
    if rule["type"] == "array":
        rule = rule["items"]
    if rule["type"] == "boolean":
        return Completion(("true", "false"))
    if "enum" in rule:
        return Completion(tuple(rule["enum"]))
    name = ARGUMENTS_OF_ONE_TOOL.get((tool.name, argument), ARGUMENTS.get(argument))
    if name is None or not is_shown(KINDS[name], policy, allowed):
        return Completion()
    return Completion(kind=KINDS[name])


def is_shown(kind: Kind, policy: Policy, allowed: Collection[str]) -> bool:
    """True when an answer of an allowed tool shows such values under *policy*, without any flag."""
    if kind.of_calls and policy.min_cell > 1:
        return False
    return any(
        place.tool in allowed and decide(expose_at(place), policy, place.arguments).shown for place in kind.shown_in
    )


def expose_at(place: Place) -> Expose | None:
    """Return the declared exposure of the column at *place*; raises ``KeyError`` when there is no such column."""
    tool = catalog()[place.tool]
    outer, _, inner = place.column.rpartition(".")
    for model in filter(None, (tool.row, tool.notes)):
        if outer and outer in model.__struct_fields__:
            model = _nested(model, outer)
        for name, expose, _ in columns(model):
            if name == inner:
                return expose
    raise KeyError(place)


def _nested(model: type[Row], column: str) -> type[Row]:
    hint, _ = strip(hints(model)[column])
    inner: type[Row] = strip(hint.__args__[0])[0]
    return inner
