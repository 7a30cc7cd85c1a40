"""Samples: the calls that an operator looks at before a tool is approved, and what they disclose in structure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gongmcp.approval.digests import digest
from gongmcp.approval.lock import Sample
from gongmcp.catalog.registry import catalog
from gongmcp.errors import Exit, StartupRefusal, ToolFault
from gongmcp.handler import Outcome, ToolHandler
from gongmcp.preview.structure import structure

Arguments = dict[str, Any]

_TYPED: Final = {"query": "the", "value_query": "a"}
"""What a person would type, where nothing can be offered."""

_NAMED: Final = ("call_ref", "scorecard_id")
"""Arguments without which a tool of one object has nothing to show, though its schema does not require them."""

_FORM: Final = """It is one JSON object: {"NAME OF A TOOL": [{"argument": …}, …], …}."""


def read_sample_sets(files: Sequence[Path]) -> dict[str, list[Arguments]]:
    """Return the arguments that *files* give for each tool.

    Raises:
        StartupRefusal: a file cannot be read, or has another form.
    """
    found: dict[str, list[Arguments]] = {}
    for file in files:
        for name, sets in _object(file).items():
            if name not in catalog():
                raise StartupRefusal(f"{file.name} names a tool that does not exist: {name!r}.", _FORM)
            if not isinstance(sets, list) or not sets or not all(isinstance(item, dict) for item in sets):
                raise StartupRefusal(f"{file.name}: {name} must have a list of objects of arguments.", _FORM)
            found.setdefault(name, []).extend(sets)
    return found


def _object(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise StartupRefusal(f"The samples {file.name} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise StartupRefusal(f"The samples {file.name} are not UTF-8 text.") from None
    except (ValueError, RecursionError):
        raise StartupRefusal(f"The samples {file.name} are no JSON.", _FORM) from None
    if not isinstance(value, dict):
        raise StartupRefusal(f"The samples {file.name} are no JSON object.", _FORM)
    return value


def own_samples(handler: ToolHandler, name: str) -> list[Arguments]:
    """Return the samples of a tool by itself: its examples; without any, the plainest call and the most open one.

    What must be given is taken from what *handler* offers as completions. Empty where nothing can be offered.
    """
    if examples := catalog()[name].examples:
        return [dict(example) for example in examples]
    schema = handler.tool(name).input_schema
    plain: Arguments = {}
    wanted = [*schema.get("required", []), *(item for item in _NAMED if not catalog()[name].many)]
    for argument in wanted:
        if argument not in schema["properties"]:
            continue
        value = _offered(handler, name, argument, plain)
        if value is None:
            return []
        plain[argument] = value
    flags = {item: True for item, rule in schema["properties"].items() if item.startswith("include_")}
    return [plain, plain | flags] if flags else [plain]


def _offered(handler: ToolHandler, name: str, argument: str, given: Mapping[str, Any]) -> str | None:
    if argument in _TYPED:
        return _TYPED[argument]
    try:
        values = handler.complete(name, argument, given={key: str(value) for key, value in given.items()})
    except ToolFault:
        return None
    return next((value for value in values if value not in given.values()), None)


def run_sample(handler: ToolHandler, name: str, arguments: Mapping[str, Any], set_name: str = "example") -> Sample:
    """Call tool *name* and return what it discloses in structure, as ``sample_of`` takes it down.

    Raises:
        StartupRefusal: (exit 1) it could not be answered, so that nothing was looked at.
    """
    return sample_of(name, arguments, handler.call(name, arguments), set_name)


def sample_of(name: str, arguments: Mapping[str, Any], outcome: Outcome, set_name: str = "example") -> Sample:
    """Return what *outcome* discloses in structure: which members, and what is withheld by which rule.

    Raises:
        StartupRefusal: (exit 1) it could not be answered, so that nothing was looked at.
    """
    found = structure(outcome)
    if found.status in ("unavailable", "internal_error"):
        hint = "Narrow it, or try again when the cache is not being written."
        raise StartupRefusal(f"A sample of {name} was not answered ({found.status}).", hint, Exit.FAILED)
    shown, withheld = list(found.shown), list(found.withheld)
    return Sample(
        arguments=dict(arguments),
        digest=digest([found.status, shown, withheld]),
        status=found.status,
        shown=shown,
        withheld=withheld,
        set_name=set_name,
    )
