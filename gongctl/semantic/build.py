"""Vectors of what is served of calls: made of the masked segments, for the calls that have none.

A call loses its vectors in the transaction that changes or removes its segments (``gongctl.cache.serving``), so what
lacks vectors is what is to be done: nothing has to be remembered, and a build that was stopped goes on with the rest.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from gongctl.cache.writer import CacheWriter
from gongmcp.semantic.model import MODEL, Embedder
from gongmcp.semantic.quantised import pack
from gongmcp.semantic.windows import pack_places, text_of, windows
from gongmcp.store.schema import MAX_SEGMENTS, first_segment, last_segment

_BATCH_CHARACTERS: Final = 1_000_000
"""Text whose vectors are made and written in one transaction."""


@dataclass(slots=True)
class VectorReport:
    """What a build did, committed work only: calls and vCons, vectors, bytes of them, seconds."""

    calls: int = 0
    vcons: int = 0
    vectors: int = 0
    vector_bytes: int = 0
    seconds: float = 0.0
    finished: bool = False


def build_call_vectors(
    writer: CacheWriter,
    model: Embedder,
    report: VectorReport,
    *,
    progress: Callable[[int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> bool:
    """Give vectors to every served call that has a transcript and none; returns False when it was stopped.

    *progress* is called with the calls done, after each transaction.
    """
    started = time.perf_counter()
    connection = writer.connection
    try:
        _drop_other_models(writer)
        for batch in _batches(connection):
            if should_stop is not None and should_stop():
                return False
            made = [(call_no, *_vectors(connection, model, call_no)) for call_no in batch]
            with writer.transaction():
                connection.executemany(
                    """INSERT OR REPLACE INTO segment_vectors (call_no, model, window_count, windows, scales, vectors)
                       VALUES (?, ?, ?, ?, ?, ?)""",
                    [(number, MODEL, count, *blobs) for number, count, *blobs in made],
                )
            report.calls += len(made)
            report.vectors += sum(count for _, count, *_ in made)
            report.vector_bytes += sum(len(blob) for _, _, *blobs in made for blob in blobs)
            if progress is not None:
                progress(report.calls)
        return True
    finally:
        report.seconds += time.perf_counter() - started


def pending_calls(connection: sqlite3.Connection) -> int:
    """Return how many served calls with a transcript have no vectors of the model in use."""
    return int(connection.execute(f"SELECT count(*) FROM {_PENDING}", {"model": MODEL}).fetchone()[0])


_PENDING: Final = """call_facts AS f WHERE f.segment_count > 0 AND NOT EXISTS (
    SELECT 1 FROM segment_vectors AS v WHERE v.call_no = f.call_no AND v.model = :model)"""


def _drop_other_models(writer: CacheWriter) -> None:
    with writer.transaction():
        writer.connection.execute("DELETE FROM segment_vectors WHERE model <> ?", (MODEL,))


def _batches(connection: sqlite3.Connection) -> Iterator[list[int]]:
    last = -1
    while True:
        batch: list[int] = []
        characters = 0
        rows = connection.execute(
            f"SELECT f.call_no, f.text_chars FROM {_PENDING} AND f.call_no > :last ORDER BY f.call_no LIMIT 500",
            {"model": MODEL, "last": last},
        )
        for call_no, size in rows:
            if batch and characters + size > _BATCH_CHARACTERS:
                break
            batch.append(call_no)
            characters += size
        rows.close()
        if not batch:
            return
        yield batch
        last = batch[-1]


def _vectors(connection: sqlite3.Connection, model: Embedder, call_no: int) -> tuple[int, bytes, bytes, bytes]:
    """Return number, places, scales and vectors of the windows of one call."""
    spoken = connection.execute(
        "SELECT segment_no & ?, speaker_no, text FROM segments WHERE segment_no BETWEEN ? AND ? ORDER BY segment_no",
        (MAX_SEGMENTS - 1, first_segment(call_no), last_segment(call_no)),
    )
    cut = list(windows(spoken))
    packed = pack(model.embed([text_of(window) for window in cut]))
    return packed.count, pack_places((w[0][0], w[-1][0]) for w in cut), packed.scales, packed.vectors
