"""What search by meaning finds that words do not: on questions that were written before they were measured.

    python -m benchmarks.semantic                      quality on the sample
    python -m benchmarks.semantic --scan 1000000       time of one search over so many vectors

Each ``paraphrase`` of ``semantic_questions.json`` says in other words what somebody said of the bundled sample, and
names the segments that answer it; each ``name`` is a name or a term, answered by the segments that hold it. Compared
are the modes of ``search_transcript_segments``; words are tried as they are typed (all must occur) and any of them. A
place counts when what it shows is one of the named segments.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gongctl import sample
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths
from gongctl.semantic.build import build_vectors
from gongmcp.analysis.stop_words import stop_words
from gongmcp.semantic.model import DIMENSIONS, MODEL, embedder
from gongmcp.semantic.scan import nearest
from gongmcp.semantic.search import find_places, shown_at
from gongmcp.store.calls import CallFilter
from gongmcp.store.connection import ReadStore, StorePool
from gongmcp.store.schema import first_segment
from gongmcp.store.search_query import compile_query, of_groups
from gongmcp.store.segments import search_segments

QUESTIONS: Final = Path(__file__).with_name("semantic_questions.json")
FIRST: Final = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """What one way of searching came to: share of questions answered among the first, and the mean of 1 / rank."""

    recall: float
    mrr: float
    found_nothing: int
    milliseconds: float


Search = Callable[[ReadStore, str], Sequence[Sequence[int]]]
"""Returns places, best first: the segments that each shows."""


def by_words(store: ReadStore, question: str) -> list[list[int]]:
    """Return the segments that hold every word."""
    page = search_segments(store, compile_query(question), CallFilter(), FIRST)
    return [[row.segment_no] for row in page.rows]


def by_any_word(store: ReadStore, question: str) -> list[list[int]]:
    """Return the segments that hold any word that is no stop word."""
    query = compile_query(question)
    terms = [term for group in query.groups for term in group if not set(term.tokens) <= stop_words()]
    page = search_segments(store, of_groups([terms]), CallFilter(), FIRST)
    return [[row.segment_no] for row in page.rows]


def _mode(mode: Any) -> Search:
    def search(store: ReadStore, question: str) -> list[list[int]]:
        places, vector = find_places(store, question, compile_query(question), CallFilter(), mode)
        return [[place.at] for place in shown_at(store, places.page(FIRST, None)[0], vector)]

    return search


WAYS: Final[dict[str, Search]] = {
    "keyword, all words": by_words,
    "keyword, any word": by_any_word,
    "semantic": _mode("semantic"),
    "hybrid": _mode("hybrid"),
}


def measure(store: ReadStore, search: Search, questions: Sequence[dict[str, Any]]) -> Figure:
    """Return the figures of *search* over *questions*."""
    found, reciprocal, nothing = 0, 0.0, 0
    started = time.perf_counter()
    for item in questions:
        row = store.one("SELECT call_no FROM call_facts WHERE call_id = :id", {"id": item["call"]})
        assert row is not None, item
        base = first_segment(row["call_no"])
        right = {base + n for first, last in item["segments"] for n in range(first, last + 1)}
        places = search(store, item["question"])[:FIRST]
        nothing += not places
        rank = next((rank for rank, place in enumerate(places, 1) if right & set(place)), None)
        if rank is not None:
            found += 1
            reciprocal += 1 / rank
    spent = (time.perf_counter() - started) / len(questions) * 1000
    return Figure(found / len(questions), reciprocal / len(questions), nothing, spent)


def quality(folder: Path) -> None:
    """Build the sample's vectors, ask every question in every way, print a table."""
    questions = json.loads(QUESTIONS.read_text())
    path = folder / "sample.db"
    with CacheWriter.open(path, create=True) as writer:
        import_records(writer, read_paths(sample.files()))
        warm(writer)
        built = build_vectors(writer)
        segments = writer.connection.execute("SELECT count(*) FROM segments").fetchone()[0]
    print(
        f"{built.vectors:,} vectors of {segments:,} segments, {built.vector_bytes:,} bytes "
        f"({built.vector_bytes / segments:.0f} a segment), {built.vectors / built.seconds:,.0f} vectors a second"
    )
    with StorePool(path).store_scope() as store:
        for kind in ("paraphrase", "name"):
            asked = [item for item in questions if item["kind"] == kind]
            print(f"{len(asked)} of kind {kind} | recall@{FIRST} | MRR@{FIRST} | found nothing | ms a question")
            for name, search in WAYS.items():
                figure = measure(store, search, asked)
                print(
                    f"{name:20} | {figure.recall:.2f} | {figure.mrr:.2f} | {figure.found_nothing} | "
                    f"{figure.milliseconds:.1f}"
                )


PER_CALL: Final = 400
"""Vectors of a call of an hour or so."""


def scan(folder: Path, count: int) -> None:
    """Time one search over *count* vectors of invented calls."""
    import numpy as np

    path = folder / "large.db"
    with CacheWriter.open(path, create=True) as writer:
        import_records(writer, read_paths(sample.files()))
        warm(writer)
        connection = writer.connection
        columns = [row[1] for row in connection.execute("PRAGMA table_info(call_facts)")]
        rest = ", ".join(columns[3:])
        vectors = np.random.default_rng(1).integers(-127, 128, PER_CALL * DIMENSIONS, dtype=np.int8).tobytes()
        scales = np.full(PER_CALL, 1 / 127 / 9, dtype="<f4").tobytes()
        places = np.repeat(np.arange(PER_CALL, dtype="<u4"), 2).tobytes()
        with writer.transaction():
            for number in range(count // PER_CALL):
                connection.execute(
                    f"INSERT INTO call_facts ({', '.join(columns[:3])}, {rest}) SELECT call_no + ?, ?, ?, {rest}"
                    " FROM call_facts ORDER BY call_no LIMIT 1",
                    (number + 1, f"c{number}", f"r{number}"),
                )
            connection.execute(
                "INSERT INTO segment_vectors SELECT call_no, ?, ?, ?, ?, ? FROM call_facts",
                (MODEL, PER_CALL, places, scales, vectors),
            )
            connection.execute("UPDATE call_facts SET segment_count = ?", (PER_CALL,))
    print(f"{path.stat().st_size / 1e6:,.0f} MB")
    vector = embedder().embed(["a question in plain words"])[0]
    for label in ("cold", "warm", "warm"):
        with StorePool(path).store_scope() as store:
            started = time.perf_counter()
            found = nearest(store, vector, CallFilter(), 2_000)
            print(f"{label}: {len(found):,} nearest of {count:,} in {time.perf_counter() - started:.2f} s")


def main() -> None:
    """Measure in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scan", type=int, metavar="N", help="time one search over N vectors")
    asked = parser.parse_args()
    embedder()
    with tempfile.TemporaryDirectory() as folder:
        if asked.scan:
            scan(Path(folder), asked.scan)
        else:
            quality(Path(folder))


if __name__ == "__main__":
    main()
