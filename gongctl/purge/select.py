"""Which calls a purge takes: by age, id, participant or account, less those that are held.

All raw calls are looked at, also those that scope or list keep from agents. Nothing here is printed: ids, names
and addresses stay in the process.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from gongctl.cache.crm_context import as_text, crm_objects
from gongctl.cache.derive import parse_time
from gongctl.cache.deriver import decode_payload
from gongctl.governance.calls import secret_of
from gongctl.purge.policy import LegalHold
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.aliases import call_ref

By = Literal["age", "call", "participant", "account"]
_ALIAS: Final = "call_"
_ADDRESS_KEYS: Final = ("emailAddress", "trustedEmailAddress")


@dataclass(frozen=True, slots=True)
class Criteria:
    """What is to go: *by* says which of the others counts. *cutoff*: calls that began before that day, UTC."""

    by: By
    cutoff: dt.date | None = None
    calls: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()

    @property
    def values(self) -> int:
        """How many days, ids, addresses or names were given."""
        return max(len(self.calls) + len(self.participants) + len(self.accounts), 1)


@dataclass(slots=True)
class Selection:
    """What was found. *call_ids* are to go, in order; *unknown* were given as ids and are not in the cache.

    *held* calls match as well and are kept; *held_unknown* are held by an id that is not in the cache; *months* counts
    the calls to go by the month in which they began; *alike* counts calls of which an account's name holds a given
    name and is not it; *users* of Gong have a given address, and their records stay.
    """

    call_ids: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    held: int = 0
    held_unknown: int = 0
    months: Counter[str] = field(default_factory=Counter)
    alike: int = 0
    users: int = 0


def select(connection: sqlite3.Connection, criteria: Criteria, hold: LegalHold | None = None) -> Selection:
    """Return the calls of the cache behind *connection* that *criteria* name and *hold* does not.

    A call's day is that of its start, else of its schedule, else of its import. A transcript or an answered
    scorecard whose call was never imported counts as a call: its day is that of its import (the scorecard's own
    date when it has one), so it is older than what is taken.

    Raises:
        StartupRefusal: an alias (``call_...``) that no call of the cache has, asked for or held.
    """
    return _Selector(connection, criteria, hold or LegalHold()).run()


class _Selector:
    def __init__(self, connection: sqlite3.Connection, criteria: Criteria, hold: LegalHold) -> None:
        self._connection = connection
        self._criteria = criteria
        self._ids = frozenset(self._resolved(criteria.calls))
        self._held_ids = frozenset(self._resolved(hold.calls))
        self._people = self._person(criteria.participants)
        self._held_people = self._person(hold.participants)
        self._accounts = frozenset(map(folded, criteria.accounts))
        self._held_accounts = frozenset(map(folded, hold.accounts))
        self._found = Selection(users=len(self._people.users))

    def run(self) -> Selection:
        seen = set()
        for call_id, payload, imported_at in self._calls():
            seen.add(call_id)
            call = decode_payload(payload)
            began = self._began(call, imported_at)
            if not self._matches(call_id, call, began):
                continue
            if call_id in self._held_ids or self._is_held(call):
                self._found.held += 1
                continue
            self._found.call_ids.append(call_id)
            self._found.months[began.strftime("%Y-%m")] += 1
        for call_id, day in self._without_call():
            seen.add(call_id)
            if call_id in self._held_ids:
                self._found.held += int(self._matches(call_id, {}, day))
            elif self._matches(call_id, {}, day):
                self._found.call_ids.append(call_id)
                self._found.months[day.strftime("%Y-%m")] += 1
        self._found.unknown = sorted(self._ids - seen)
        self._found.held_unknown = sum(not self._is_here(call_id) for call_id in self._held_ids)
        self._found.call_ids.sort()
        return self._found

    def _calls(self) -> Iterator[tuple[str, bytes, str]]:
        """Yield the calls to look at: the ones that were named, else all."""
        if self._criteria.by == "call":
            for call_id in sorted(self._ids):
                yield from self._connection.execute(
                    "SELECT call_id, payload, imported_at FROM raw_calls WHERE call_id = ?", (call_id,)
                )
            return
        yield from self._connection.execute("SELECT call_id, payload, imported_at FROM raw_calls")

    def _without_call(self) -> Iterator[tuple[str, dt.datetime]]:
        """Yield the ids of which there is a transcript or an answered scorecard and no call, with their latest day."""
        days: dict[str, dt.datetime] = {}
        for call_id, imported_at in self._connection.execute(
            """SELECT call_id, imported_at FROM raw_transcripts
               WHERE call_id NOT IN (SELECT call_id FROM raw_calls)"""
        ):
            days[call_id] = _moment(imported_at)
        for call_id, payload, imported_at in self._connection.execute(
            """SELECT call_id, payload, imported_at FROM raw_records
               WHERE call_id IS NOT NULL AND call_id NOT IN (SELECT call_id FROM raw_calls)"""
        ):
            day = parse_time(decode_payload(payload).get("callStartTime")) or _moment(imported_at)
            days[call_id] = min(days.get(call_id, day), day)
        yield from days.items()

    def _matches(self, call_id: str, call: Mapping[str, Any], began: dt.datetime) -> bool:
        by = self._criteria.by
        if by == "age":
            return self._criteria.cutoff is not None and began.astimezone(dt.UTC).date() < self._criteria.cutoff
        if by == "call":
            return call_id in self._ids
        if by == "participant":
            return self._people.take_part(call)
        names = set(_account_names(call))
        if names & self._accounts:
            return True
        self._found.alike += any(f" {given} " in f" {name} " for name in names for given in self._accounts)
        return False

    def _is_held(self, call: Mapping[str, Any]) -> bool:
        return self._held_people.take_part(call) or bool(set(_account_names(call)) & self._held_accounts)

    def _is_here(self, call_id: str) -> bool:
        found = self._connection.execute(
            """SELECT 1 FROM raw_calls WHERE call_id = :id UNION SELECT 1 FROM raw_transcripts WHERE call_id = :id
               UNION SELECT 1 FROM raw_records WHERE call_id = :id""",
            {"id": call_id},
        )
        return found.fetchone() is not None

    @staticmethod
    def _began(call: Mapping[str, Any], imported_at: str) -> dt.datetime:
        meta = call.get("metaData")
        meta = meta if isinstance(meta, Mapping) else {}
        return parse_time(meta.get("started")) or parse_time(meta.get("scheduled")) or _moment(imported_at)

    def _resolved(self, references: Sequence[str]) -> Iterator[str]:
        """Yield the ids that *references* are or stand for."""
        aliases = {reference for reference in references if reference.startswith(_ALIAS)}
        yield from (reference for reference in references if reference not in aliases)
        if not aliases:
            return
        secret = secret_of(self._connection)
        known = {
            call_ref(secret, call_id): str(call_id)
            for (call_id,) in self._connection.execute(
                """SELECT call_id FROM raw_calls UNION SELECT call_id FROM raw_transcripts
                   UNION SELECT call_id FROM raw_records WHERE call_id IS NOT NULL"""
            )
        }
        if not aliases <= known.keys():
            raise StartupRefusal(
                "The cache has no call of that alias.", "Give the call's id, or an alias of this cache.", Exit.USAGE
            )
        yield from (known[alias] for alias in aliases)

    def _person(self, addresses: Sequence[str]) -> _People:
        wanted = frozenset(map(folded, addresses))
        users = set()
        if wanted:
            for record_id, payload in self._connection.execute(
                "SELECT record_id, payload FROM raw_records WHERE kind = 'user'"
            ):
                if wanted & set(_user_addresses(decode_payload(payload))):
                    users.add(str(record_id))
        return _People(wanted, frozenset(users))


@dataclass(frozen=True, slots=True)
class _People:
    """Participants by address, and by the ids of the Gong users who have such an address."""

    addresses: frozenset[str]
    users: frozenset[str]

    def take_part(self, call: Mapping[str, Any]) -> bool:
        """Tell whether one of them is a party of *call*, or its host."""
        if not self.addresses:
            return False
        meta = call.get("metaData")
        if isinstance(meta, Mapping) and as_text(meta.get("primaryUserId")) in self.users:
            return True
        parties = call.get("parties")
        return any(
            folded(as_text(party.get("emailAddress"))) in self.addresses or as_text(party.get("userId")) in self.users
            for party in (parties if isinstance(parties, list) else ())
            if isinstance(party, Mapping)
        )


def folded(text: str) -> str:
    """Return *text* for comparison: compatible forms, case and blanks do not count."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _account_names(call: Mapping[str, Any]) -> Iterator[str]:
    for item in crm_objects(call):
        if item.kind == "account":
            yield from (folded(name) for name in (item.name, item.get("name")[0]) if name)


def _user_addresses(user: Mapping[str, Any]) -> Iterable[str]:
    yield from (folded(as_text(user.get(key))) for key in _ADDRESS_KEYS if user.get(key))
    aliases = user.get("emailAliases")
    yield from (folded(as_text(alias)) for alias in (aliases if isinstance(aliases, list) else ()))


def _moment(imported_at: str) -> dt.datetime:
    return parse_time(imported_at) or dt.datetime.fromtimestamp(0, dt.UTC)
