"""May a column leave? The rules in order; the first that says no decides and names itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gongmcp.catalog.dimensions import DIMENSION_ALIASES, DIMENSIONS
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
    return DIMENSIONS[DIMENSION_ALIASES.get(asked, asked)].field


def decide(expose: Expose | None, policy: Policy, arguments: Mapping[str, Any]) -> Decision:
    """Decide over one column from its declaration, *policy* and *arguments* alone, never from a value."""
    if expose is None:
        return Decision(False, Field.STATUS, "undeclared", "The column has no declared exposure.")
    field = field_of(expose, arguments)
    if expose.never:
        return Decision(False, field, f"never.{field.name.lower()}", f"{field.title}: shown by no setting.")
    for switch in sorted(policy.switches):
        if field in SWITCHES[switch]:
            return Decision(False, field, f"switch.{switch}", f"The policy switch {switch} is on.")
    if expose.exact and policy.min_cell > 1:
        return Decision(False, field, RULE, REASON)
    if field in LIMITED and arguments.get("field_profile") == "limited":
        return Decision(False, field, "field_profile.limited", "field_profile=limited hides what identifies.")
    if expose.modes is not None and policy.provenance not in expose.modes:
        modes = " or ".join(sorted(mode.value for mode in expose.modes))
        return Decision(
            False,
            field,
            f"provenance.{policy.provenance.value}",
            f"Provenance is {policy.provenance.value}; needs {modes}.",
        )
    if expose.opt_in is not None and arguments.get(expose.opt_in) is not True:
        return Decision(False, field, f"opt_in.{expose.opt_in}", f"Shown only with {expose.opt_in}=true.")
    return Decision(True, field)


def possible(expose: Expose | None, policy: Policy) -> bool:
    """True when some arguments can make the column leave under *policy* (for the output schema)."""
    if expose is None:
        return False
    if expose.by is not None:
        return True
    arguments = {expose.opt_in: True} if expose.opt_in else {}
    return decide(expose, policy, arguments).shown
