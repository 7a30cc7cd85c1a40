"""Writing the rows of vCons: the verbatim one and what is read of it. Every function wants an open transaction."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from gongctl.vcon import Vcon
from gongmcp.store.vcon_schema import PART_BITS, VCON_INDEXES, VCON_TABLES

if TYPE_CHECKING:
    from gongctl.vcon.project import Projection

_LEVEL: Final = 1
_INDEXED: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "vcons": ("vcons_fts", "vcon_no", ("subject_key",)),
    "vcon_parties": ("vcon_parties_fts", "party_no", ("name_key", "mailto_key", "tel_key")),
    "vcon_texts": ("vcon_texts_fts", "text_no", ("text",)),
}
"""Tables with a full-text index: its name, the table's key, what it indexes."""


def encode(vcon: Vcon) -> bytes:
    """Return *vcon* as JSON with its keys in their order."""
    return msgspec.json.encode(vcon)


def digest_of(data: bytes) -> bytes:
    """Return the digest by which two vCons are known to be the same."""
    return hashlib.blake2b(data, digest_size=16).digest()


def pack(data: bytes) -> bytes:
    """Return JSON as it is stored."""
    return zlib.compress(data, _LEVEL)


def unpack(payload: bytes) -> Vcon:
    """Return the vCon of a stored payload."""
    value: Vcon = msgspec.json.decode(zlib.decompress(payload))
    return value


def stored(connection: sqlite3.Connection, uuid: str) -> Vcon | None:
    """Return the vCon *uuid* verbatim, None when there is none."""
    row = connection.execute("SELECT payload FROM raw_vcons WHERE uuid = ?", (uuid.casefold(),)).fetchone()
    return None if row is None else unpack(row[0])


def write_raw(
    connection: sqlite3.Connection, uuid: str, data: bytes, *, now: str, generation: int, call_id: str | None = None
) -> None:
    """Store the verbatim JSON of *uuid*, in place of an earlier one."""
    connection.execute(
        """INSERT INTO raw_vcons (uuid, call_id, payload, digest, imported_at, generation) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (uuid) DO UPDATE SET call_id = excluded.call_id, payload = excluded.payload,
             digest = excluded.digest, generation = excluded.generation""",
        (uuid.casefold(), call_id, pack(data), digest_of(data), now, generation),
    )


def write_rows(connection: sqlite3.Connection, projections: Iterable[Projection]) -> None:
    """Store the rows of vCons, in place of earlier ones; a vCon keeps its number."""
    for item in projections:
        vectors = _vectors_that_hold(connection, item)
        number = forget(connection, [item.header["uuid"]]).get(item.header["uuid"])
        if number is None:
            number = connection.execute("SELECT coalesce(max(vcon_no), 0) + 1 FROM vcons").fetchone()[0]
        _insert(connection, "vcons", [{"vcon_no": number, **item.header}])
        first = number << PART_BITS
        for table, key, rows in (
            ("vcon_parties", "party_no", item.parties),
            ("vcon_dialogs", "dialog_no", item.dialogs),
            ("vcon_analyses", "analysis_no", item.analyses),
            ("vcon_attachments", "attachment_no", item.attachments),
        ):
            _insert(connection, table, [{key: first | row["idx"], "vcon_no": number, **row} for row in rows])
        _insert(
            connection,
            "vcon_tags",
            [{"vcon_no": number, "tag_key": key, "tag_value": value} for key, value in item.tags.items()],
        )
        _insert(
            connection,
            "vcon_accounts",
            [{"vcon_no": number, "source": source, **row} for source, row in item.accounts.items()],
        )
        _insert(
            connection,
            "vcon_texts",
            [
                {
                    "text_no": first | position,
                    "vcon_no": number,
                    "unit": text.unit,
                    "idx": text.idx,
                    "position": text.position,
                    "party": text.party,
                    "start_ms": text.start_ms,
                    "end_ms": text.end_ms,
                    "text": text.text,
                    "spans": text.spans,
                }
                for position, text in enumerate(item.texts)
            ],
        )
        connection.executemany("INSERT INTO vcon_vectors VALUES (?, ?, ?, ?, ?, ?, ?)", vectors)


def _vectors_that_hold(connection: sqlite3.Connection, item: Projection) -> list[tuple[object, ...]]:
    """Return the vectors of a stored vCon whose texts are the same as those of *item*."""
    stored = connection.execute(
        "SELECT * FROM vcon_vectors WHERE vcon_no = (SELECT vcon_no FROM vcons WHERE uuid = ?)", (item.header["uuid"],)
    ).fetchall()
    if not stored:
        return []
    texts = connection.execute(
        "SELECT unit, idx, position, party, text FROM vcon_texts WHERE vcon_no = ? ORDER BY text_no", (stored[0][0],)
    ).fetchall()
    same = [(text.unit, text.idx, text.position, text.party, text.text) for text in item.texts]
    return [tuple(row) for row in stored] if [tuple(row) for row in texts] == same else []


def forget(connection: sqlite3.Connection, uuids: Sequence[str]) -> dict[str, int]:
    """Remove the rows of *uuids* (not what is verbatim) and return the numbers that they had."""
    numbers = {}
    for uuid in uuids:
        row = connection.execute("SELECT vcon_no FROM vcons WHERE uuid = ?", (uuid,)).fetchone()
        if row is not None:
            numbers[uuid] = int(row[0])
            _remove(connection, int(row[0]))
    return numbers


def forget_of_calls(connection: sqlite3.Connection, call_ids: Iterable[str], but: Collection[str] = ()) -> None:
    """Remove the rows of the vCons that *call_ids* stand for, except those of the uuids *but*."""
    for call_id in call_ids:
        rows = connection.execute(
            "SELECT uuid, vcon_no FROM vcons WHERE call_id = ? AND call_id <> ''", (call_id,)
        ).fetchall()
        for uuid, number in rows:
            if uuid not in but:
                _remove(connection, int(number))


def clear(connection: sqlite3.Connection) -> None:
    """Remove the rows of all vCons (not what is verbatim)."""
    for index in VCON_INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
    for table in VCON_TABLES:
        connection.execute(f"DELETE FROM {table}")


def _remove(connection: sqlite3.Connection, number: int) -> None:
    for table, (index, key, columns) in _INDEXED.items():
        names = ", ".join(columns)
        connection.execute(
            f"""INSERT INTO {index} ({index}, rowid, {names})
                SELECT 'delete', {key}, {names} FROM {table} WHERE vcon_no = ?""",
            (number,),
        )
    for table in VCON_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE vcon_no = ?", (number,))


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    if not rows:
        return
    names = list(rows[0])
    connection.executemany(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})", rows
    )
    if table in _INDEXED:
        index, key, columns = _INDEXED[table]
        connection.executemany(
            f"INSERT INTO {index} (rowid, {', '.join(columns)}) VALUES"
            f" (:{key}, {', '.join(f':{name}' for name in columns)})",
            rows,
        )
