"""Scope: which calls exist for agents at all, by facts of the call. Compiled into what warm serves.

The default leaves private calls out. A ``[scope]`` table of the settings file allows or denies by fact; a call
must pass every rule. Part of the read model's digest: a server of another scope does not serve that model. A token
may say more of the same; then the calls are left out when they are read (``gongmcp.store.narrowed``).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from gongmcp.errors import StartupRefusal
from gongmcp.refusals import refused

PRIVATE: Final = "scope.private_calls"
FROM_DATE: Final = "scope.from_date"
TO_DATE: Final = "scope.to_date"

FACTS: Final[dict[str, str]] = {
    "workspaces": "workspace_id",
    "scopes": "scope",
    "languages": "language",
    "purposes": "purpose",
    "primary_users": "primary_user_id",
    "lifecycle_buckets": "lifecycle_bucket",
}
"""Keys of the table that hold lists (each also as ``deny_<key>``), and the column of ``call_facts`` they are about."""


SCOPES: Final = ("External", "Internal", "Unknown")


@dataclass(frozen=True, slots=True)
class Scope:
    """Which calls are served.

    *allow* and *deny* hold (key of ``FACTS``, values in lower case); *from_date* and *to_date* are inclusive UTC
    days, '' = open. *private_calls*: whether calls that Gong marks as private are served.
    """

    private_calls: bool = False
    allow: tuple[tuple[str, frozenset[str]], ...] = ()
    deny: tuple[tuple[str, frozenset[str]], ...] = ()
    from_date: str = ""
    to_date: str = ""

    @classmethod
    def load(cls, table: Mapping[str, Any]) -> Scope:
        """Return the scope that a checked ``[scope]`` *table* asks for."""

        def lists(prefix: str) -> tuple[tuple[str, frozenset[str]], ...]:
            return tuple(
                (key, frozenset(str(value).strip().casefold() for value in table[prefix + key]))
                for key in FACTS
                if prefix + key in table
            )

        return cls(
            table.get("private_calls") == "allow",
            lists(""),
            lists("deny_"),
            str(table.get("from_date", "")),
            str(table.get("to_date", "")),
        )

    def excludes(self, facts: Mapping[str, Any]) -> str | None:
        """Return the rule that leaves a call with these ``call_facts`` out, None when it is served."""
        if facts["is_private"] and not self.private_calls:
            return PRIVATE
        for key, values in self.allow:
            if str(facts[FACTS[key]]).casefold() not in values:
                return f"scope.{key}"
        for key, values in self.deny:
            if str(facts[FACTS[key]]).casefold() in values:
                return f"scope.deny_{key}"
        if self.from_date and str(facts["call_date"]) < self.from_date:
            return FROM_DATE
        if self.to_date and str(facts["call_date"]) > self.to_date:
            return TO_DATE
        return None

    def canonical(self) -> list[Any]:
        """Return what it says as plain values, for the read model's digest."""
        return [
            self.private_calls,
            [[key, sorted(values)] for key, values in self.allow],
            [[key, sorted(values)] for key, values in self.deny],
            self.from_date,
            self.to_date,
        ]


def check_scope(table: Mapping[str, Any], place: Callable[[str], str]) -> None:
    """Refuse what can be no scope: days and words that do not exist; *place* gives the place of a key.

    Raises ``StartupRefusal`` (exit 2).
    """
    for key in ("from_date", "to_date"):
        if key in table:
            try:
                day = dt.date.fromisoformat(str(table[key]))
            except ValueError:
                raise _bad(place(key), key, "a day as YYYY-MM-DD") from None
            if day.isoformat() != table[key]:
                raise _bad(place(key), key, "a day as YYYY-MM-DD")
    if "from_date" in table and "to_date" in table and table["from_date"] > table["to_date"]:
        raise _bad(place("to_date"), "to_date", "not before from_date")
    from gongmcp.store.buckets import BUILTIN_ORDER  # a start without such a table does not pay for it

    # Another word would serve nothing, or deny nothing.
    for key, words in (("scopes", SCOPES), ("lifecycle_buckets", BUILTIN_ORDER)):
        for name in (key, f"deny_{key}"):
            if not {str(value).strip().casefold() for value in table.get(name, ())} <= {
                word.casefold() for word in words
            }:
                raise _bad(place(name), name, f"of {', '.join(words)}")
    if table.get("private_calls", "deny") not in ("allow", "deny"):
        raise _bad(place("private_calls"), "private_calls", '"allow" or "deny"')


MAX_VALUES: Final = 100
"""Most values of one list in a token."""

MAX_LENGTH: Final = 200
"""Most characters of one of them."""

KEYS: Final = ("private_calls", *FACTS, *(f"deny_{key}" for key in FACTS), "from_date", "to_date")
"""What a scope may say."""


def narrower_scope(table: object) -> Scope:
    """Return what a token says of calls, in the words of the ``[scope]`` table: a scope that only takes away.

    What it does not say leaves the calls as they are served; ``private_calls`` can be ``deny`` only.

    Raises:
        StartupRefusal: it says nothing, something that is not known, or that more may be seen. A narrowing that is
            not understood would be wider than meant if it were passed over.
    """
    place = "a token"
    if not isinstance(table, Mapping) or not table or not table.keys() <= set(KEYS):
        raise refused("scope_of_token", keys=", ".join(KEYS))
    for key, value in table.items():
        if key.removeprefix("deny_") not in FACTS:
            if not isinstance(value, str):
                raise _bad(place, key, "a text")
        elif not _is_list(value):
            raise _bad(place, key, f"a list of up to {MAX_VALUES} short texts, none of them blank")
    if table.get("private_calls", "deny") != "deny":
        raise _bad(place, "private_calls", '"deny": a token narrows what is served and never widens it')
    check_scope(table, lambda _key: place)
    return replace(Scope.load(table), private_calls="private_calls" not in table)


def _is_list(value: object) -> bool:
    return (
        isinstance(value, list | tuple)
        and 0 < len(value) <= MAX_VALUES
        and all(
            isinstance(item, str) and item.strip() and item.isprintable() and len(item) <= MAX_LENGTH for item in value
        )
    )


def _bad(place: str, key: str, kind: str) -> StartupRefusal:
    return refused("file_wrong_type", place=place, key=f"scope.{key}", kind=kind)
