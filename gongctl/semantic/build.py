"""Vectors of what is served: of masked segments of calls, and of the texts of vCons, for those that have none.

A call or vCon loses its vectors in the transaction that changes or removes its texts (``gongctl.cache.serving``,
``gongctl.vcon.rows``), so what lacks vectors is what is to be done: nothing has to be remembered, and a build that was
stopped goes on with the rest.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from gongmcp.errors import Exit, StartupRefusal
from gongmcp.semantic.model import DIMENSIONS, MODEL, Embedder, SemanticMissing, embedder, is_installed
from gongmcp.semantic.quantised import pack
from gongmcp.semantic.windows import Spoken, pack_places, windows
from gongmcp.store.schema import MAX_SEGMENTS, first_segment, last_segment
from gongmcp.store.vcon_schema import MAX_PARTS

_BATCH_CHARACTERS: Final = 300_000
"""Text whose vectors are made and written in one transaction."""
_BATCH_ITEMS: Final = 500

Progress = Callable[[int, int], None]
"""Called with what is done and what there is to do."""


class Writing(Protocol):
    """An open cache or vCon store, as ``CacheWriter`` and ``VconStore`` are."""

    @property
    def connection(self) -> sqlite3.Connection: ...

    def transaction(self) -> AbstractContextManager[int]: ...


@dataclass(slots=True)
class VectorReport:
    """What a build did, committed work only: calls and vCons that were given vectors, how many, their bytes.

    *finished* is False when it was stopped.
    """

    calls: int = 0
    vcons: int = 0
    vectors: int = 0
    vector_bytes: int = 0
    seconds: float = 0.0
    finished: bool = False


def require_model() -> Embedder:
    """Return the model.

    Raises:
        StartupRefusal: the extra is not installed.
    """
    try:
        return embedder()
    except SemanticMissing as missing:
        raise StartupRefusal(str(missing), "", Exit.USAGE, "semantic_unavailable") from missing


def build_vectors(
    writer: Writing,
    *,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    model: Embedder | None = None,
) -> VectorReport:
    """Give vectors to every served call and every vCon that has text and none; what was made by another version of the
    model is made anew.

    *progress* is called after each transaction, *should_stop* asked before it.

    Raises:
        StartupRefusal: the extra is not installed, or the file cannot be written.
    """
    model = model or require_model()
    report = VectorReport()
    started = time.perf_counter()
    connection = writer.connection
    with writer.transaction():
        connection.execute("DELETE FROM segment_vectors WHERE model <> ?", (MODEL,))
        connection.execute(
            "DELETE FROM vcon_vectors WHERE model <> ? AND model LIKE ?", (MODEL, MODEL.split("/")[0] + "/%")
        )
    todo = pending_calls(connection) + pending_vcons(connection)
    report.finished = True
    for batch in _batches(connection):
        if should_stop is not None and should_stop():
            report.finished = False
            break
        # Texts are read in the transaction that writes their vectors: a store has other writers.
        with writer.transaction():
            rows = [
                (item.is_vcon, (item.number, MODEL, *_vectors(connection, model, item)))
                for item in batch
                if _is_there(connection, item)
            ]
            calls = [row for is_vcon, row in rows if not is_vcon]
            vcons = [row for is_vcon, row in rows if is_vcon]
            connection.executemany(
                """INSERT OR REPLACE INTO segment_vectors (call_no, model, window_count, windows, scales, vectors)
                   VALUES (?, ?, ?, ?, ?, ?)""",
                calls,
            )
            connection.executemany(_INSERT_VCON, vcons)
        report.calls += len(calls)
        report.vcons += len(vcons)
        report.vectors += sum(row[2] for _, row in rows)
        report.vector_bytes += sum(len(blob) for _, row in rows for blob in row[3:])
        if progress is not None:
            progress(report.calls + report.vcons, todo)
    report.seconds = time.perf_counter() - started
    return report


def keeps_vectors(connection: sqlite3.Connection) -> bool:
    """Tell whether a store was given vectors of the model that comes with the program, which is at hand."""
    found = connection.execute("SELECT 1 FROM vcon_vectors WHERE model = ? LIMIT 1", (MODEL,)).fetchone()
    return found is not None and is_installed()


def renew_vcon(connection: sqlite3.Connection, uuid: str) -> None:
    """Give vectors to the vCon *uuid* if it has none; in the transaction that changed it."""
    row = connection.execute(
        f"SELECT f.vcon_no FROM {_VCONS} AND f.uuid = :uuid", {"model": MODEL, "uuid": uuid.casefold()}
    ).fetchone()
    if row is not None:
        made = (row[0], MODEL, *_vectors(connection, embedder(), _Item(row[0], is_vcon=True)))
        connection.execute(_INSERT_VCON, made)


def pending_calls(connection: sqlite3.Connection) -> int:
    """Return how many served calls with a transcript have no vectors."""
    return int(connection.execute(f"SELECT count(*) FROM {_CALLS}", {"model": MODEL}).fetchone()[0])


def pending_vcons(connection: sqlite3.Connection) -> int:
    """Return how many vCons with a text have no vectors of the model that comes with the program."""
    return int(connection.execute(f"SELECT count(*) FROM {_VCONS}", {"model": MODEL}).fetchone()[0])


def vectors_of(model: Embedder, spoken: Iterable[Spoken]) -> tuple[int, bytes, bytes, bytes]:
    """Return number, places, scales and vectors of the windows of texts, as the tables of vectors have them."""
    cut = list(windows(spoken))
    packed = pack(model.embed([window.text for window in cut]))
    return packed.count, pack_places(cut), packed.scales, packed.vectors


_CALLS: Final = """call_facts AS f WHERE f.segment_count > 0 AND NOT EXISTS (
    SELECT 1 FROM segment_vectors AS v WHERE v.call_no = f.call_no AND v.model = :model)"""
_VCONS: Final = """vcons AS f WHERE EXISTS (
    SELECT 1 FROM vcon_texts AS t WHERE t.vcon_no = f.vcon_no AND t.unit <> 'party') AND NOT EXISTS (
    SELECT 1 FROM vcon_vectors AS v WHERE v.vcon_no = f.vcon_no AND v.model = :model)"""


_INSERT_VCON: Final = f"""INSERT OR REPLACE INTO vcon_vectors
      (vcon_no, model, dimensions, window_count, windows, scales, vectors)
    VALUES (?, ?, {DIMENSIONS}, ?, ?, ?, ?)"""


@dataclass(frozen=True, slots=True)
class _Item:
    number: int
    is_vcon: bool


def _batches(connection: sqlite3.Connection) -> Iterator[list[_Item]]:
    calls = f"SELECT f.call_no, f.text_chars FROM {_CALLS} AND f.call_no > :last ORDER BY f.call_no LIMIT :most"
    vcons = f"SELECT f.vcon_no, f.size_bytes FROM {_VCONS} AND f.vcon_no > :last ORDER BY f.vcon_no LIMIT :most"
    for sql, is_vcon in ((calls, False), (vcons, True)):
        last = -1
        while True:
            batch: list[_Item] = []
            characters = 0
            rows = connection.execute(sql, {"model": MODEL, "last": last, "most": _BATCH_ITEMS})
            for number, size in rows:
                if batch and characters + size > _BATCH_CHARACTERS:
                    break
                batch.append(_Item(number, is_vcon))
                characters += size
            rows.close()
            if not batch:
                break
            yield batch
            last = batch[-1].number


def _is_there(connection: sqlite3.Connection, item: _Item) -> bool:
    table, number = ("vcons", "vcon_no") if item.is_vcon else ("call_facts", "call_no")
    return connection.execute(f"SELECT 1 FROM {table} WHERE {number} = ?", (item.number,)).fetchone() is not None


def _vectors(connection: sqlite3.Connection, model: Embedder, item: _Item) -> tuple[int, bytes, bytes, bytes]:
    if item.is_vcon:
        # Names of parties have no meaning of their own, and who is looked for by name is looked for by words.
        texts = connection.execute(
            """SELECT text_no & ?, json_array(unit, idx, party), text FROM vcon_texts
               WHERE vcon_no = ? AND unit <> 'party' ORDER BY text_no""",
            (MAX_PARTS - 1, item.number),
        )
    else:
        texts = connection.execute(
            """SELECT segment_no & ?, speaker_no, text FROM segments
               WHERE segment_no BETWEEN ? AND ? ORDER BY segment_no""",
            (MAX_SEGMENTS - 1, first_segment(item.number), last_segment(item.number)),
        )
    return vectors_of(model, texts)
