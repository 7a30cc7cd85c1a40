"""One call of a vCon tool: arguments in, an answer out, whatever happens; never larger than was asked for."""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gongmcp.errors import ToolFault, Unavailable
from gongmcp.render.answer import Answer
from gongmcp.render.wire import json_bytes, result_bytes
from gongmcp.vcon.arguments import checked
from gongmcp.vcon.declaration import VconTool
from gongmcp.vcon.faults import QUIET, VconFault
from gongmcp.vcon.guarded import LISTS, guarded
from gongmcp.vcon.items import GROUP_KEYS
from gongmcp.vcon.prose import prose
from gongmcp.vcon.scope import Scope

if TYPE_CHECKING:
    from gongmcp.governance.guard import Guard

log = logging.getLogger("gongmcp")

_FAILED: Final[Mapping[str, str]] = {
    "vcon_fetch": "FETCH_FAILED",
    "vcon_search": "SEARCH_FAILED",
    "vcon_aggregate": "AGGREGATE_FAILED",
    "vcon_graph_shape": "SHAPE_GRAPH_FAILED",
}
_HOUSE: Final[Mapping[str, str]] = {
    "INVALID_ARGUMENT": "invalid_argument",
    "INVALID_CURSOR": "invalid_cursor",
    "RESPONSE_TOO_LARGE": "invalid_argument",
    "UNSUPPORTED_FILTER": "refused_by_policy",
    "PERMISSION_DENIED": "refused_by_policy",
    "CONFLICT": "invalid_argument",
}
"""Codes of the family and what they are in the closed list of the server; any other is ``internal_error``."""


class Overtaken(Exception):
    """Another call of the session was shown more of the same conversations meanwhile."""


@dataclass(frozen=True, slots=True)
class Ran:
    """An answer, with what the operator's doors may know: the *code* ('' = all was well) and how many *rows* left."""

    answer: Answer
    code: str = ""
    rows: int = 0


def arguments_of(tool: VconTool, arguments: Any, *, verbatim: bool) -> dict[str, Any]:
    """Return the arguments of *tool*, checked. Raises ``VconFault``."""
    return checked(tool.input_schema(verbatim=verbatim), arguments)


def run(tool: VconTool, valid: dict[str, Any], scope: Scope, *, most: int, guard: Guard | None = None) -> Ran:
    """Run *tool* with checked arguments; an answer of more than *most* bytes is a fault, as is one of more than the
    caller asked for.

    Raises:
        VconFault, Unavailable, Overtaken, or whatever breaks: ``failed`` makes answers of them.
    """
    if "max_response_bytes" in valid:
        most = valid["max_response_bytes"] = min(valid["max_response_bytes"], most)
    row = tool.function(valid, scope)
    body = scope.shown(row)
    if guard is not None:
        body = guarded(guard, body, valid)
    structured: dict[str, Any] = {tool.flag: True}
    if not scope.verbatim and scope.disclosure is not None:
        scope.disclosure.name_withheld(tool.answer)
        structured |= {"as_of": scope.as_of} if scope.as_of else {}
    structured |= body
    if scope.disclosure is not None and scope.disclosure.withheld:
        structured["withheld_fields"] = list(scope.disclosure.withheld)
    answer = _measured(tool, structured)
    size = len(result_bytes(answer))
    if size > most and tool.writes:
        # It is done: saying that it failed would be false. What was stored can be read.
        left_out = [name for name, value in structured.items() if isinstance(value, dict)]
        kept = {name: value for name, value in structured.items() if name not in left_out}
        return Ran(_measured(tool, {**kept, "left_out": left_out}), "", 1)
    if size > most:
        raise _too_large(tool, structured, size, most)
    rows = next((len(structured[name]) for name in LISTS if isinstance(structured.get(name), list)), 1)
    return Ran(answer, "", rows)


def _measured(tool: VconTool, structured: dict[str, Any]) -> Answer:
    """Return the answer, which says its own size where it has a place for it."""
    meta = structured.get("meta")
    if isinstance(meta, dict):
        meta["approximate_bytes"] = 0
        meta["approximate_bytes"] = len(result_bytes(Answer(prose(tool, structured), structured)))
    return Answer(prose(tool, structured), structured)


def _size(tool: VconTool, structured: dict[str, Any]) -> int:
    return len(result_bytes(Answer(prose(tool, structured), structured)))


def _too_large(tool: VconTool, structured: dict[str, Any], size: int, most: int) -> VconFault:
    details: dict[str, Any] = {"approximate_bytes": size, "max_response_bytes": most}
    details["largest_groups"] = _groups(structured)
    listed = next((name for name in LISTS if isinstance(structured.get(name), list)), None)
    advice = ["Ask for fewer include groups." if tool.contract else "Ask for less.", "Narrow the filters."]
    if listed is not None:
        details["fits_limit"] = _fitting(tool, structured, listed, most)
        advice.insert(0, f"Call with limit {details['fits_limit']}." if details["fits_limit"] else "No item fits.")
    details["suggestions"] = advice
    return VconFault("RESPONSE_TOO_LARGE", f"The answer has {size} bytes; at most {most} may be sent.", **details)


def _groups(structured: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the bytes of each include group, or else of each member, the largest first."""
    items = structured.get("items") or ([structured["item"]] if isinstance(structured.get("item"), dict) else [])
    sizes: dict[str, int] = {}
    if items and isinstance(items[0], dict) and "id" in items[0]:
        for item in items:
            for group, keys in GROUP_KEYS.items():
                held = {key: item[key] for key in keys if key in item}
                if held:
                    sizes[group] = sizes.get(group, 0) + len(json_bytes(held))
    else:
        sizes = {name: len(json_bytes(value)) for name, value in structured.items() if isinstance(value, dict | list)}
    ordered = sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"group": name, "bytes": size} for name, size in ordered]


def _fitting(tool: VconTool, structured: dict[str, Any], listed: str, most: int) -> int:
    """Return how many items fit, by halving."""
    items = structured[listed]
    low, high = 0, len(items)
    while low < high:
        middle = (low + high + 1) // 2
        if _size(tool, {**structured, listed: items[:middle]}) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def failed(tool: VconTool, error: Exception) -> Ran:
    """Return the answer to what went wrong; of what was not expected, a reference to the log alone."""
    if isinstance(error, VconFault):
        fault = error
    elif isinstance(error, Unavailable):
        code = _FAILED.get(tool.name, "DATABASE_ERROR") if tool.contract else "DATABASE_ERROR"
        fault = VconFault(code, f"{error.reason} {error.hint}", retryable=True)
    elif isinstance(error, Overtaken):
        fault = VconFault("DATABASE_ERROR", "Several calls at once ask for the same conversations.", retryable=True)
    elif isinstance(error, ToolFault):
        fault = VconFault("DATABASE_ERROR", error.message, hint=error.hint)
    else:
        reference = secrets.token_hex(4)
        trail = "".join(traceback.format_tb(error.__traceback__)).rstrip()
        log.error("internal error %s in %s: %s\n%s", reference, tool.name, type(error).__qualname__, trail)
        code = _FAILED.get(tool.name, "DATABASE_ERROR") if tool.contract else "DATABASE_ERROR"
        fault = VconFault(code, f"Something unexpected happened (reference {reference}).")
    structured = fault.contract() if tool.contract else fault.legacy()
    quiet = fault.code in QUIET
    house = _HOUSE.get(fault.code, "internal_error")
    shown = None if quiet else {"code": house, "message": fault.message, "hint": str(fault.details.get("hint", ""))}
    return Ran(Answer(prose(tool, structured), structured, not quiet, shown), fault.code)
