"""What a cohort can be filtered and counted by: dimensions, concepts of the profile, numbers and dates of a call.

A value is compared only where a column of its class would be shown: by the same rules, from policy and flags alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from gongmcp.catalog.crm_classes import concept_classes, refuse_hidden
from gongmcp.catalog.declaration import CallScope
from gongmcp.catalog.dimensions import ANALYSIS, PROFILE_CONCEPT, Dimension, dimension_named
from gongmcp.errors import ToolFault
from gongmcp.exposure.decisions import decide
from gongmcp.exposure.fields import Expose, Field
from gongmcp.store.buckets import Lifecycle
from gongmcp.store.cohorts import Condition
from gongmcp.store.dimension_values import COMPUTED, column_value, concept_value, voicemail
from gongmcp.store.profile import normal_name

Kind = Literal["text", "number", "date", "flag", "email"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a call: its name, the SQL expression, what kind of value it is."""

    name: str
    expression: Condition
    kind: Kind = "text"


NUMBERS: Final = ("duration_seconds", "opportunity_count", "account_count", "parties_count", "external_parties")
FILTERS_ONLY: Final = (*NUMBERS, "call_date", "likely_voicemail", "account_name", "participant_email")
"""What calls can be filtered by and not counted by."""


def value_of(name: str, args: Any, scope: CallScope, lifecycle: Lifecycle, argument: str, at: int = 0) -> Value:
    """Return the value called *name* that a filter's condition number *at* compares.

    Raises ``ToolFault``: ``invalid_argument`` for a name that nothing has, ``refused_by_policy`` where values of its
    class are not shown under *args* and the policy.
    """
    if name in NUMBERS:
        return Value(name, Condition(f"{{c}}.{name}"), "number")
    if name == "call_date":
        return Value(name, Condition("{c}.call_date"), "date")
    if name == "likely_voicemail":
        return Value(name, voicemail(), "flag")
    if name == "account_name":
        _refuse_class(Field.ACCOUNT_NAME, args, scope, argument, needs="include_account_names")
        sql = "coalesce((SELECT a.name FROM crm_objects a WHERE a.object_no = {c}.account_no), '')"
        return Value(name, Condition(sql))
    if name == "participant_email":
        _refuse_class(Field.EMAIL, args, scope, argument, needs="include_participant_emails")
        return Value(name, Condition(""), "email")
    dimension = dimension_named(name)
    if dimension is not None and dimension.name != PROFILE_CONCEPT:
        return dimension_value(dimension, args, scope, lifecycle, argument, at)
    return concept_named(name, scope, lifecycle, argument, at)


def dimension_value(
    dimension: Dimension, args: Any, scope: CallScope, lifecycle: Lifecycle, argument: str, at: int = 0
) -> Value:
    """Return the value of *dimension*: under a profile that of its own concept of the same meaning, if it has one."""
    _refuse_class(dimension.field, args, scope, argument)
    groupable = lifecycle.profile.groupable() if lifecycle.profile is not None else []
    if dimension.concept is not None and dimension.concept in groupable:
        value = concept_named(dimension.concept, scope, lifecycle, argument, at)
        return Value(dimension.name, value.expression)
    if dimension.name in COMPUTED:
        return Value(dimension.name, COMPUTED[dimension.name].value(lifecycle, scope.names))
    return Value(dimension.name, column_value(dimension.column, lifecycle))


def concept_named(name: str, scope: CallScope, lifecycle: Lifecycle, argument: str, at: int = 0) -> Value:
    """Return the value of the groupable field concept *name* of the profile that answers; raises as ``value_of``."""
    groupable = lifecycle.profile.groupable() if lifecycle.profile is not None else []
    concept = normal_name(name)
    if lifecycle.profile is None or concept not in groupable:
        known = [dimension for dimension in ANALYSIS if dimension != PROFILE_CONCEPT]
        concepts = f" Concepts of the profile: {', '.join(groupable)}." if groupable else ""
        raise ToolFault(
            "invalid_argument",
            f"{argument} names no dimension.",
            f"Use one of: {', '.join([*known, *FILTERS_ONLY])}.{concepts}",
        )
    refuse_hidden(scope, concept_classes(lifecycle.profile, concept, scope.names), argument)
    return Value(concept, concept_value(concept, lifecycle, f"concept_{at}"))


def _refuse_class(field: Field, args: Any, scope: CallScope, argument: str, needs: str | None = None) -> None:
    flags = {needs: True} if needs is not None and getattr(args, needs, False) else {}
    decision = decide(Expose(field, opt_in=needs), scope.policy, flags)
    if not decision.shown:
        raise ToolFault(
            "refused_by_policy",
            f"{argument} looks for a value that is not shown under these arguments and policy: {field.title}.",
            decision.reason,
        )
