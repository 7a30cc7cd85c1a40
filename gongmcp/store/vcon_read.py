"""Reading one vCon, from a store as it is or from a cache as it may be served (``gongmcp.store.vcon_schema``).

Rows have the columns of the tables; nothing is decided here about what leaves.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from typing import Any

import msgspec

from gongmcp.store.connection import ReadStore

_IDS = "SELECT value FROM json_each(:numbers)"


def normal_uuid(uuid: str) -> str:
    """Return *uuid* as vCons are stored under it."""
    return uuid.strip().casefold()


def header(store: ReadStore, uuid: str) -> sqlite3.Row | None:
    """Return the row of ``vcons`` for *uuid* (in any case); None when there is none."""
    return store.one("SELECT * FROM vcons WHERE uuid = :uuid", {"uuid": normal_uuid(uuid)})


def headers(store: ReadStore, numbers: Sequence[int]) -> dict[int, sqlite3.Row]:
    """Return the rows of ``vcons`` for *numbers* by number; one that is gone is missing."""
    rows = store.rows(f"SELECT * FROM vcons WHERE vcon_no IN ({_IDS})", _numbers(numbers))
    return {row["vcon_no"]: row for row in rows}


def parties(store: ReadStore, numbers: Sequence[int]) -> dict[int, list[sqlite3.Row]]:
    """Return the rows of ``vcon_parties`` of each of *numbers*, by index; placeholders are among them."""
    return _of_each(store, "vcon_parties", numbers)


def dialogs(store: ReadStore, numbers: Sequence[int]) -> dict[int, list[sqlite3.Row]]:
    """Return the rows of ``vcon_dialogs`` of each of *numbers*, by index; placeholders are among them."""
    return _of_each(store, "vcon_dialogs", numbers)


def analyses(store: ReadStore, numbers: Sequence[int]) -> dict[int, list[sqlite3.Row]]:
    """Return the rows of ``vcon_analyses`` of each of *numbers*, by index."""
    return _of_each(store, "vcon_analyses", numbers)


def attachments(store: ReadStore, numbers: Sequence[int]) -> dict[int, list[sqlite3.Row]]:
    """Return the rows of ``vcon_attachments`` of each of *numbers*, by index."""
    return _of_each(store, "vcon_attachments", numbers)


def tags(store: ReadStore, numbers: Sequence[int]) -> dict[int, dict[str, str]]:
    """Return the tags of each of *numbers*, keys in order."""
    found: dict[int, dict[str, str]] = {number: {} for number in numbers}
    for row in store.rows(
        f"SELECT vcon_no, tag_key, tag_value FROM vcon_tags WHERE vcon_no IN ({_IDS}) ORDER BY vcon_no, tag_key",
        _numbers(numbers),
    ):
        found[row["vcon_no"]][row["tag_key"]] = row["tag_value"]
    return found


def accounts(store: ReadStore, numbers: Sequence[int], source: str) -> dict[int, sqlite3.Row]:
    """Return the row of ``vcon_accounts`` under *source* (``strolid_dealer``) of each of *numbers* that has one."""
    rows = store.rows(
        f"SELECT * FROM vcon_accounts WHERE source = :source AND vcon_no IN ({_IDS})",
        _numbers(numbers) | {"source": source},
    )
    return {row["vcon_no"]: row for row in rows}


def texts(
    store: ReadStore, vcon_no: int, *, unit: str = "", idx: int | None = None, offset: int = 0, limit: int = 100
) -> list[sqlite3.Row]:
    """Return rows of ``vcon_texts`` of one vCon in order: of one *unit* and element *idx*, or of all."""
    return store.rows(
        """SELECT * FROM vcon_texts WHERE vcon_no = :vcon_no AND (:unit = '' OR unit = :unit)
             AND (:idx IS NULL OR idx = :idx)
           ORDER BY text_no LIMIT :limit OFFSET :offset""",
        {"vcon_no": vcon_no, "unit": unit, "idx": idx, "limit": limit, "offset": offset},
    )


def summaries(store: ReadStore, numbers: Sequence[int]) -> dict[int, list[sqlite3.Row]]:
    """Return the summaries of each of *numbers*: rows of ``vcon_analyses`` whose type is ``summary``, with ``text`` and
    ``spans`` of their decoded body (null where it has none)."""
    rows = store.rows(
        f"""SELECT a.*, t.text, t.spans FROM vcon_analyses AS a LEFT JOIN vcon_texts AS t
              ON t.vcon_no = a.vcon_no AND t.unit = 'analysis' AND t.idx = a.idx AND t.position = 0
            WHERE a.analysis_type = 'summary' AND a.vcon_no IN ({_IDS}) ORDER BY a.vcon_no, a.idx""",
        _numbers(numbers),
    )
    return _grouped(rows, numbers)


def document(store: ReadStore, uuid: str) -> dict[str, Any] | None:
    """Return the vCon *uuid* verbatim, None when there is none. In a store alone: a cache denies it.

    Of a signed one it is the JWS; ``gongctl.vcon.forms`` opens it.
    """
    row = store.one("SELECT payload FROM raw_vcons WHERE uuid = :uuid", {"uuid": normal_uuid(uuid)})
    if row is None:
        return None
    value: dict[str, Any] = msgspec.json.decode(zlib.decompress(row["payload"]))
    return value


def removals(store: ReadStore, uuid: str) -> list[sqlite3.Row]:
    """Return who took which party or dialog out of *uuid*, when and why. In a store alone."""
    return store.rows("SELECT * FROM vcon_removals WHERE uuid = :uuid ORDER BY part, idx", {"uuid": normal_uuid(uuid)})


def _of_each(store: ReadStore, table: str, numbers: Sequence[int]) -> dict[int, list[sqlite3.Row]]:
    rows = store.rows(f"SELECT * FROM {table} WHERE vcon_no IN ({_IDS}) ORDER BY vcon_no, idx", _numbers(numbers))
    return _grouped(rows, numbers)


def _grouped(rows: Sequence[sqlite3.Row], numbers: Sequence[int]) -> dict[int, list[sqlite3.Row]]:
    found: dict[int, list[sqlite3.Row]] = {number: [] for number in numbers}
    for row in rows:
        found[row["vcon_no"]].append(row)
    return found


def _numbers(numbers: Sequence[int]) -> dict[str, Any]:
    return {"numbers": msgspec.json.encode(list(numbers)).decode()}
