"""Sample sets: which calls an operator looks at, found by indexes, and what a tool is asked so that it shows them.

One lucky example proves nothing. A set is a kind of call at which policy is likely to fail: the latest, the longest,
the one with most outsiders, one without CRM, one in another language; besides them the calls that the operator
pinned, and the tool's own examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gongctl.approval.samples import Arguments, own_samples
from gongmcp.handler import ToolHandler
from gongmcp.store.connection import ReadStore

LATEST, LARGEST, EXTERNAL = "latest", "largest", "most_external"
MISSING, FOREIGN, PINNED, EXAMPLE = "missing_fields", "non_english", "pinned", "example"

OF_CALLS: Final = (LATEST, LARGEST, EXTERNAL, MISSING, FOREIGN)
"""The sets that are a call each."""

SETS: Final = (*OF_CALLS, PINNED, EXAMPLE)
"""Every set, in the order in which they are listed."""

COMMON_WORDS: Final = "the OR and OR de OR und OR et OR que OR la OR die"
"""What is searched for in a call of another language: words of no meaning: none of the call's own is written."""

_COLUMNS: Final = "call_ref, call_date, text_chars, external_parties"
_MAX_LANGUAGES: Final = 1_000

NEWEST: Final = f"SELECT {_COLUMNS} FROM call_facts ORDER BY call_no DESC LIMIT 1"
LONGEST: Final = f"SELECT {_COLUMNS} FROM call_facts ORDER BY text_chars DESC, call_no DESC LIMIT 1"
OUTSIDERS: Final = f"SELECT {_COLUMNS} FROM call_facts ORDER BY external_parties DESC, call_no DESC LIMIT 1"
BARE: Final = (
    f"SELECT {_COLUMNS} FROM call_facts WHERE account_count = 0 AND opportunity_count = 0 ORDER BY call_no DESC LIMIT 1"
)
IN_LANGUAGE: Final = f"SELECT {_COLUMNS} FROM call_facts WHERE language = :language ORDER BY call_no DESC LIMIT 1"
LANGUAGES: Final = f"""
    WITH RECURSIVE found (language) AS (
      SELECT min(language) FROM call_facts
      UNION ALL
      SELECT (SELECT min(language) FROM call_facts WHERE language > found.language)
      FROM found WHERE found.language IS NOT NULL)
    SELECT language FROM found WHERE language IS NOT NULL LIMIT {_MAX_LANGUAGES}"""


@dataclass(frozen=True, slots=True)
class SampleCall:
    """The call of a set: its alias and day (UTC)."""

    call_ref: str
    day: str


@dataclass(frozen=True, slots=True)
class SampleCalls:
    """The call of each set, and for a set without one the reason in words."""

    calls: Mapping[str, SampleCall] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sampled:
    """What a tool is asked for one set: *arguments*, or None and *why* there is nothing to ask."""

    set_name: str
    arguments: Arguments | None
    why: str = ""


def find_calls(store: ReadStore) -> SampleCalls:
    """Return the calls of the sets. Each is the first entry of an index: no call is looked at besides."""
    calls: dict[str, SampleCall] = {}
    why: dict[str, str] = {}
    for name, find in _FINDERS.items():
        found = find(store)
        if isinstance(found, str):
            why[name] = found
        else:
            calls[name] = found
    return SampleCalls(calls, why)


def _first(store: ReadStore, sql: str, needs: str = "", parameters: dict[str, Any] | None = None) -> SampleCall | None:
    row = store.one(sql, parameters)
    if row is None or (needs and not row[needs]):
        return None
    return SampleCall(row["call_ref"], row["call_date"])


def _foreign(store: ReadStore) -> SampleCall | str:
    languages = [row[0] for row in store.rows(LANGUAGES)]
    other = next((name for name in languages if name and not name.casefold().startswith("en")), None)
    if other is not None:
        return _first(store, IN_LANGUAGE, parameters={"language": other}) or "That call is gone."
    return "Every call is in English." if any(languages) else "No call tells its language."


_FINDERS: Final[Mapping[str, Callable[[ReadStore], SampleCall | str]]] = {
    LATEST: lambda store: _first(store, NEWEST) or "The cache serves no call.",
    LARGEST: lambda store: _first(store, LONGEST, "text_chars") or "No call has a transcript.",
    EXTERNAL: lambda store: _first(store, OUTSIDERS, "external_parties") or "No call has an external party.",
    MISSING: lambda store: _first(store, BARE) or "Every call has an account or an opportunity.",
    FOREIGN: _foreign,
}


def arguments_for(
    handler: ToolHandler, tool: str, calls: SampleCalls, pinned: Sequence[Mapping[str, Any]] = ()
) -> Iterator[Sampled]:
    """Yield what *tool* is asked for each set; *handler* gives its schema and what must be given besides."""
    examples = own_samples(handler, tool)
    schema = handler.tool(tool).input_schema
    for name in OF_CALLS:
        if name not in calls.calls:
            yield Sampled(name, None, calls.why.get(name, ""))
        elif (given := _about(schema, name, calls.calls[name], examples)) is not None:
            yield Sampled(name, given)
        else:
            yield Sampled(name, None, "The tool takes neither a call nor a day.")
    if not pinned:
        yield Sampled(PINNED, None, "No call of this tool is pinned.")
    yield from (Sampled(PINNED, dict(given)) for given in pinned)
    if not examples:
        yield Sampled(EXAMPLE, None, "Nothing can be offered for what the tool needs.")
    yield from (Sampled(EXAMPLE, given) for given in examples)


def _about(
    schema: Mapping[str, Any], set_name: str, call: SampleCall, examples: Sequence[Arguments]
) -> Arguments | None:
    """Return arguments under which a tool of this *schema* shows *call*, with everything that can be opted into."""
    known = schema["properties"]
    given: Arguments = {}
    for name in schema.get("required", ()):
        if name == "query" and set_name == FOREIGN:
            given[name] = COMMON_WORDS
        elif examples and name in examples[0]:
            given[name] = examples[0][name]
        else:
            return None
    if "call_ref" in known:
        given["call_ref"] = call.call_ref
    elif {"from_date", "to_date"} <= known.keys():
        given |= {"from_date": call.day, "to_date": call.day}
    else:
        return None
    return given | {name: True for name in known if name.startswith("include_")}
