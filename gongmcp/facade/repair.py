"""What to do about a call of the facade that was refused, as an object beside the error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gongmcp.catalog.operations import DISCOVER, OPERATIONS
from gongmcp.errors import ToolFault

_ISSUES: Final = {
    "use_filter_dimension_filters": "Conditions are written filter.dimension_filters, not filters.",
    "dimension_filters_belong_under_filter": "dimension_filters stands inside filter.",
    "use_values_array": "A condition takes values, an array of texts, not value.",
    "values_must_be_texts": "values holds texts: numbers and true or false are written in quotation marks.",
    "filter_beside_arguments": "What an operation takes stands inside arguments.",
    "missing_filter": "Say which calls: a filter, or the cohort_token of analyze.cohort.build.",
}
_OF_CONDITIONS: Final = (
    *("use_filter_dimension_filters", "dimension_filters_belong_under_filter"),
    *("use_values_array", "values_must_be_texts"),
)
_CALL_NAMES: Final = frozenset({"call_id", "call_ref", "call_refs"})
_CONDITION: Final = {"dimension": "industry", "operator": "in", "values": ["Technology"]}


class RepairableFault(ToolFault):
    """A tool error with a *repair*: what the issue is, which operation and what arguments would do."""

    def __init__(self, code: str, message: str, hint: str, repair: Mapping[str, Any]) -> None:
        super().__init__(code, message, hint)
        self.repair = dict(repair)


def repairable(
    error: Mapping[str, Any], operation: str | None, given: Any, examples: Sequence[Mapping[str, Any]]
) -> RepairableFault:
    """Return the fault of *error* (code, message, hint) with what would do instead.

    *given* are the arguments that were sent; no value of them is repeated. *examples* are arguments of *operation*.
    """
    issue = _issue(error, given)
    repair: dict[str, Any] = {"issue": issue or error["code"]}
    if operation is not None:
        repair["operation"] = operation
        repair["describe"] = {"tool": DISCOVER, "arguments": {"operation": operation}}
    else:
        repair["describe"] = {"tool": DISCOVER, "arguments": {}}
    if issue in _OF_CONDITIONS:
        repair["arguments"] = {"filter": {"dimension_filters": [_CONDITION]}}
    elif error["code"] == "invalid_argument":
        # An example that names calls names those of the bundled sample, which a list may withhold.
        usable = (example for example in examples if not _CALL_NAMES & example.keys())
        if (example := next(usable, None)) is not None:
            repair["arguments"] = dict(example)
    hint = " ".join(dict.fromkeys(filter(None, (_ISSUES.get(issue, ""), str(error["hint"])))))
    return RepairableFault(error["code"], error["message"], hint, repair)


def no_operation(given: Mapping[str, Any], facade: str, names: Sequence[str]) -> RepairableFault | None:
    """Return the fault of a call that names no operation of the tool *facade*, None when it names one of *names*."""
    asked = given.get("operation")
    if asked is None:
        message, issue = "Missing required argument: operation.", "missing_operation"
    elif not isinstance(asked, str) or asked.strip().casefold() in (name.casefold() for name in names):
        return None
    else:
        owner = OPERATIONS.get(asked.strip().lower())
        if owner is None or owner.facade == facade:
            return None
        message, issue = f"The operation belongs to {owner.facade}.", "operation_of_another_tool"
        return RepairableFault(
            "invalid_argument", message, f"Call {owner.facade} with it.", {"issue": issue, "tool": owner.facade}
        )
    return RepairableFault(
        "invalid_argument",
        message,
        f"operation is one of: {', '.join(names)}.",
        {"issue": issue, "operations": list(names), "describe": {"tool": DISCOVER, "arguments": {}}},
    )


def _issue(error: Mapping[str, Any], given: Any) -> str:
    if error["code"] != "invalid_argument" or not isinstance(given, Mapping):
        return ""
    if "filters" in given:
        return "use_filter_dimension_filters"
    if "dimension_filters" in given:
        return "dimension_filters_belong_under_filter"
    chosen = given.get("filter")
    conditions = chosen.get("dimension_filters") if isinstance(chosen, Mapping) else None
    for item in conditions if isinstance(conditions, list) else ():
        if isinstance(item, Mapping) and "value" in item:
            return "use_values_array"
        values = item.get("values") if isinstance(item, Mapping) else None
        if isinstance(values, list) and any(not isinstance(value, str) for value in values):
            return "values_must_be_texts"
    if chosen is None and "cohort_token" not in given and "chooses too little" in error["message"]:
        return "missing_filter"
    return ""
