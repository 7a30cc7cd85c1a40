"""May a column leave? The rules in order; the first that says no decides and names itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gongmcp.catalog.dimensions import dimension_named
from gongmcp.exposure.fields import SWITCHES, Expose, Field
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.small_cells import REASON, RULE

LIMITED = frozenset(
    {
        *(Field.CALL_ID, Field.CALL_TITLE, Field.SPEAKER_ID, Field.SPEAKER_REF),
        *(Field.ACCOUNT_NAME, Field.OPPORTUNITY_NAME, Field.CRM_OBJECT_ID, Field.CRM_OBJECT_NAME),
        *(Field.PERSON_NAME, Field.PERSON_TITLE, Field.EMAIL),
    }
)
"""Classes that the argument ``field_profile=limited`` hides; its other values never replace a flag."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a column leaves; if not, the id of the deciding rule and the reason in one sentence."""

    shown: bool
    field: Field
    rule: str = ""
    reason: str = ""


def field_of(expose: Expose, arguments: Mapping[str, Any]) -> Field:
    """Return the class of a column: its own, or that of the dimension the caller asked for."""
    if expose.by is None:
        return expose.field
    asked = arguments.get(expose.by, "lifecycle")
    dimension = dimension_named(asked)
    assert dimension is not None  # the argument is one of an enumeration
    return dimension.field


@dataclass(frozen=True, slots=True)
class Asked:
    """What a rule looks at: a column's declaration and class, the policy, and the caller's arguments."""

    expose: Expose
    field: Field
    policy: Policy
    arguments: Mapping[str, Any]


def _never(asked: Asked) -> Decision | None:
    if not asked.expose.never:
        return None
    return Decision(
        False, asked.field, f"never.{asked.field.name.lower()}", f"{asked.field.title}: shown by no setting."
    )


def _switch(asked: Asked) -> Decision | None:
    for switch in sorted(asked.policy.switches):
        if asked.field in SWITCHES[switch]:
            return Decision(False, asked.field, f"switch.{switch}", f"The policy switch {switch} is on.")
    return None


def _small_cells(asked: Asked) -> Decision | None:
    if asked.expose.exact and asked.policy.min_cell > 1:
        return Decision(False, asked.field, RULE, REASON)
    return None


def _field_profile(asked: Asked) -> Decision | None:
    if asked.field in LIMITED and asked.arguments.get("field_profile") == "limited":
        reason = "field_profile=limited hides what identifies."
        return Decision(False, asked.field, "field_profile.limited", reason)
    return None


def _provenance(asked: Asked) -> Decision | None:
    modes, mode = asked.expose.modes, asked.policy.provenance
    if modes is None or mode in modes:
        return None
    needed = " or ".join(sorted(item.value for item in modes))
    return Decision(False, asked.field, f"provenance.{mode.value}", f"Provenance is {mode.value}; needs {needed}.")


def _opt_in(asked: Asked) -> Decision | None:
    flag = asked.expose.opt_in
    if flag is None or asked.arguments.get(flag) is True:
        return None
    return Decision(False, asked.field, f"opt_in.{flag}", f"Shown only with {flag}=true.")


RULES: Final[Mapping[str, Callable[[Asked], Decision | None]]] = {
    "declaration": _never,
    "policy switches": _switch,
    "small cells": _small_cells,
    "field_profile": _field_profile,
    "provenance": _provenance,
    "opt-in argument": _opt_in,
}
"""The rules by name, in the order in which they are asked. A rule that has nothing against it says None."""


def decide(expose: Expose | None, policy: Policy, arguments: Mapping[str, Any]) -> Decision:
    """Decide over one column from its declaration, *policy* and *arguments* alone, never from a value."""
    if expose is None:
        return Decision(False, Field.STATUS, "undeclared", "The column has no declared exposure.")
    asked = Asked(expose, field_of(expose, arguments), policy, arguments)
    for rule in RULES.values():
        if (found := rule(asked)) is not None:
            return found
    return Decision(True, asked.field)


def why(expose: Expose, policy: Policy, arguments: Mapping[str, Any]) -> list[tuple[str, Decision | None]]:
    """Return what each rule says of a column, in order; the first decision decides, None = nothing against it."""
    asked = Asked(expose, field_of(expose, arguments), policy, arguments)
    return [(name, rule(asked)) for name, rule in RULES.items()]


def possible(expose: Expose | None, policy: Policy) -> bool:
    """True when some arguments can make the column leave under *policy* (for the output schema)."""
    if expose is None:
        return False
    if expose.by is not None:
        return True
    arguments = {expose.opt_in: True} if expose.opt_in else {}
    return decide(expose, policy, arguments).shown
