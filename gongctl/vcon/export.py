"""vCons out of a cache or a store: all of it for the operator, or what the policy lets others see."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gongctl.cache.connection import reading
from gongctl.governance.calls import find_call, payloads_of, secret_of
from gongctl.vcon import Vcon
from gongctl.vcon.forms import form_of, open_form
from gongctl.vcon.from_call import vcon_of_call
from gongctl.vcon.note import with_note
from gongctl.vcon.reading import vcons_of_store
from gongctl.vcon.redacted import Redactor
from gongctl.vcon.rows import unpack
from gongctl.vcon.store import is_store
from gongctl.vcon.to_call import same_payloads
from gongctl.vcon.uuids import uuid_of_call
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.policy import Policy
from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import ReadStore, StorePool
from gongmcp.store.freshness import load_state


@dataclass(frozen=True, slots=True)
class Options:
    """What an export holds: *raw* payloads, a dialog of each turn (*text_dialogs*), *comments*; of a redacted one the
    *titles* and *ids* that the tools give on request."""

    raw: bool = True
    text_dialogs: bool = False
    comments: bool = False
    titles: bool = False
    ids: bool = False


def full_vcons(path: Path, references: Sequence[str] | None, options: Options) -> Iterator[Vcon]:
    """Yield the full vCons of the calls that *references* name (ids, aliases, uuids), or of all imported calls.

    Each carries the note that nothing was taken out. Of a store they are its vCons.

    Raises:
        StartupRefusal: there is no such call or vCon.
    """
    if is_store(path):
        yield from _of_store(path, references)
        return
    with reading(path) as connection:
        secret = secret_of(connection)
        for call_id in _call_ids(connection, references):
            yield from map(noted, _full(connection, secret, call_id, options))


def noted(vcon: Vcon) -> Vcon:
    """Return *vcon* with the note; a signed one as it is."""
    return vcon if form_of(vcon) == "signed" else with_note(vcon)


def redacted_vcons(
    path: Path,
    policy: Policy,
    model: str,
    references: Sequence[str] | None,
    wanted: CallFilter,
    options: Options,
) -> Iterator[Vcon]:
    """Yield the redacted vCons of the served calls that pass *wanted*, or that *references* name.

    *model* is the digest of the read model that belongs to the settings.

    Raises:
        ToolFault: the cache holds no read model of these settings.
        StartupRefusal: it serves no such call.
    """
    pool = StorePool(path, keep=1)
    try:
        with reading(path) as connection, pool.store_scope() as store:
            secret = secret_of(connection)
            state = load_state(store, model)
            redactor = Redactor(store, policy, secret, state.as_of, titles=options.titles, ids=options.ids)
            for facts in _served(store, references, wanted):
                full = _full(connection, secret, facts["call_id"], options)[0]
                plain = open_form(full).vcon if form_of(full) == "signed" else full
                yield redactor.of_call(facts, plain)
    finally:
        pool.close()


def served_ids(path: Path, wanted: CallFilter) -> list[str]:
    """Return the ids of the served calls that pass *wanted*."""
    pool = StorePool(path, keep=1)
    try:
        with pool.store_scope() as store:
            return [str(row["call_id"]) for row in _served(store, None, wanted)]
    finally:
        pool.close()


def _full(connection: sqlite3.Connection, secret: bytes, call_id: str, options: Options) -> list[Vcon]:
    """Return the vCons that stand for a call: those that were imported, verbatim, else the one that is made of it."""
    payloads = payloads_of(connection, call_id)
    imported = [
        unpack(payload)
        for (payload,) in connection.execute(
            "SELECT payload FROM raw_vcons WHERE call_id = ? ORDER BY uuid", (call_id,)
        )
    ]
    own = not call_id.startswith("vcon:")
    if imported and (not own or same_payloads(imported[0], payloads.call, payloads.transcript)):
        return imported
    answered = [item for item in payloads.answered if "answeredScorecardId" in item]
    uuid, created_at = uuid_of_call(secret, call_id), payloads.imported_at
    if imported:  # Gong delivered the call anew since: the vCon goes on under its name
        plain = open_form(imported[0]).vcon
        uuid, created_at = str(plain["uuid"]), str(plain.get("created_at") or created_at)
    return [
        vcon_of_call(
            payloads.call,
            payloads.transcript,
            answered,
            uuid=uuid,
            created_at=created_at,
            raw=options.raw,
            text_dialogs=options.text_dialogs,
            comments=options.comments,
        )
    ]


def _call_ids(connection: sqlite3.Connection, references: Sequence[str] | None) -> list[str]:
    if references is None:
        return [str(row[0]) for row in connection.execute("SELECT call_id FROM raw_calls ORDER BY call_id")]
    return [_call_id(connection, reference) for reference in references]


def _call_id(connection: sqlite3.Connection, reference: str) -> str:
    row = connection.execute("SELECT call_id FROM raw_vcons WHERE uuid = ?", (reference.casefold(),)).fetchone()
    return str(row[0]) if row is not None else find_call(connection, reference)


def _served(store: ReadStore, references: Sequence[str] | None, wanted: CallFilter) -> Iterator[sqlite3.Row]:
    if references is None:
        low, high = wanted.call_range()
        conditions, values = wanted.conditions("c")
        where = " AND ".join(["c.call_no BETWEEN :low AND :high", *conditions])
        yield from store.rows(
            f"SELECT c.* FROM call_facts AS c WHERE {where} ORDER BY c.call_no", values | {"low": low, "high": high}
        )
        return
    for reference in references:
        row = store.one(
            """SELECT * FROM call_facts WHERE call_id = :name OR call_ref = :name
               OR call_id = (SELECT call_id FROM vcons WHERE uuid = :uuid)""",
            {"name": reference, "uuid": reference.casefold()},
        )
        if row is None:  # not there, or not for others: the same word for both
            raise StartupRefusal(
                "No such call is served.", "Give a call id, an alias (call_...) or a uuid.", Exit.USAGE
            )
        yield row


def _of_store(path: Path, references: Sequence[str] | None) -> Iterator[Vcon]:
    wanted = None if references is None else {reference.casefold() for reference in references}
    for vcon in vcons_of_store(path):
        uuid = str(open_form(vcon).vcon["uuid"]).casefold()
        if wanted is None or uuid in wanted:
            if wanted is not None:
                wanted.discard(uuid)
            yield noted(vcon)
    if wanted:
        raise StartupRefusal("The store has no such vCon.", "Give the uuid of a vCon in it.", Exit.USAGE)


def as_line(vcon: Vcon) -> str:
    """Return *vcon* as JSON on one line."""
    return json.dumps(vcon, ensure_ascii=False, separators=(",", ":"))
