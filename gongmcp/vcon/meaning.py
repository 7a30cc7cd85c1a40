"""Search of vCons by meaning, for the contract tool and the older ones alike."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, Any, Final

from gongmcp.errors import ToolFault
from gongmcp.semantic.calibrate import CHANCE
from gongmcp.semantic.model import MODEL, SemanticMissing, embedder
from gongmcp.semantic.quantised import Question, pack
from gongmcp.semantic.vcon_scan import NearVcon, Stored, near_vcons, stored_vectors
from gongmcp.semantic.windows import WINDOW_CHARACTERS, parts_of
from gongmcp.store import vcon_search as lookup
from gongmcp.store.ranking import words_outside_marks
from gongmcp.store.search_query import SearchQuery, Term, of_groups
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.scope import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMULA: Final = "semantic_weight x semantic + (1 - semantic_weight) x s / (1 + s), s = keyword score"


_FIRST_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a vector, and the name of the vectors that it is compared with."""

    vector: NDArray[np.float32]
    model: str


@dataclass(frozen=True, slots=True)
class Both:
    """One vCon of a hybrid search: *near* and *words* are None where it was not found in that way."""

    vcon_no: int
    score: float
    semantic: float
    keyword: float
    near: NearVcon | None
    words: lookup.Hit | None

    @property
    def key(self) -> tuple[float, int]:
        """By which the next page goes on."""
        return self.score, self.vcon_no


def asked_of(scope: Scope, arguments: Mapping[str, Any], what: str) -> Asked:
    """Return what ``embedding``, or else ``query``, of *arguments* asks for; *what* needs it, in words.

    Raises:
        VconFault: ``PROVIDER_UNAVAILABLE``: no vectors that it can be compared with, or no model for the query;
            ``INVALID_ARGUMENT``: a vector of zeros, a query without a word.
    """
    stored = stored_vectors(scope.store)
    given = arguments.get("embedding")
    if given:
        return _of_embedding(given, stored)
    if not any(item.model == MODEL for item in stored):
        raise unavailable(f"{what} needs vectors, and none of this server's own model are stored", stored)
    try:
        vector = embedder().embed([arguments["query"]])[0]
    except SemanticMissing as missing:
        raise unavailable(str(missing).rstrip("."), stored) from missing
    if not vector.any():
        raise VconFault("INVALID_ARGUMENT", "query holds no word whose meaning could be found.", argument="query")
    return Asked(vector, MODEL)


def asked_or_not(scope: Scope, arguments: Mapping[str, Any]) -> tuple[Asked | None, str | None]:
    """Return the question of a hybrid search as ``asked_of`` does; or None and why: then words alone decide.

    Raises:
        VconFault: an ``embedding`` that cannot be compared with anything.
    """
    try:
        return asked_of(scope, arguments, "Meaning"), None
    except VconFault as fault:
        if arguments.get("embedding"):
            raise
        return None, f"{fault.message.removesuffix('; use keywords.')}: scored by keywords alone"


def _of_embedding(given: Sequence[float], stored: Sequence[Stored]) -> Asked:
    fitting = [item for item in stored if item.dimensions == len(given) and item.model != MODEL]
    if not fitting:
        raise unavailable(
            f"No vectors of {len(given)} numbers are stored that embedding could be compared with", stored
        )
    import numpy as np

    vector = np.asarray(given, dtype=np.float32)
    if not np.isfinite(vector).all() or not vector.any():
        raise VconFault("INVALID_ARGUMENT", "embedding must hold finite numbers, not all zero.", argument="embedding")
    return Asked(vector, fitting[0].model)


def unavailable(sentence: str, stored: Sequence[Stored]) -> VconFault:
    """Return the fault that *sentence* tells, naming what is stored."""
    return VconFault(
        "PROVIDER_UNAVAILABLE",
        f"{sentence}; use keywords.",
        provider=MODEL if any(item.model == MODEL for item in stored) else None,
        stored_vectors=[{"model": item.model, "dimensions": item.dimensions} for item in stored],
    )


def by_meaning(scope: Scope, asked: Asked, filters: lookup.VconFilters, threshold: float) -> list[NearVcon]:
    """Return every vCon above *threshold*, best first.

    Raises:
        VconFault: too many vectors (``INVALID_ARGUMENT``).
    """
    try:
        return near_vcons(scope.store, asked.vector, asked.model, filters, threshold)
    except ToolFault as fault:
        raise VconFault("INVALID_ARGUMENT", fault.message, hint="Narrow it with filters or tags.") from fault


def by_both(
    scope: Scope, asked: Asked | None, query: SearchQuery, filters: lookup.VconFilters, weight: float
) -> tuple[list[Both], bool]:
    """Return every vCon that holds the words or is nearer in meaning than chance, best first, and whether these are all
    (as far as words go; ``lookup.Hits``)."""
    words = (
        lookup.keyword(scope.store, query.fts, filters, limit=lookup.RANKED)
        if query.fts is not None
        else lookup.Hits((), 0, total_is_exact=True)
    )
    near = {} if asked is None else {item.vcon_no: item for item in by_meaning(scope, asked, filters, CHANCE)}
    said = {hit.vcon_no: hit for hit in words.hits}
    found = []
    for number in near.keys() | said.keys():
        semantic = near[number].score if number in near else 0.0
        keyword = keyword_share(said[number].score) if number in said else 0.0
        score = round(weight * semantic + (1 - weight) * keyword, 6)
        found.append(Both(number, score, semantic, keyword, near.get(number), said.get(number)))
    return sorted(found, key=lambda item: item.key, reverse=True), words.total_is_exact


def keyword_share(score: float) -> float:
    """Return a keyword score as a share of one."""
    return score / (1 + score) if score > 0 else 0.0


def texts_of(scope: Scope, asked: Asked, item: NearVcon) -> list[tuple[float, sqlite3.Row]]:
    """Return a text of each of the nearest windows of a vCon with the window's score: of several the nearest one, where
    the model that made the vectors is at hand, else the first."""
    found: dict[int, tuple[float, sqlite3.Row]] = {}
    for score, first, last in item.windows:
        rows = scope.store.rows(
            "SELECT * FROM vcon_texts WHERE text_no BETWEEN :first AND :last ORDER BY text_no",
            {"first": first, "last": last},
        )
        if rows:
            row = rows[0] if len(rows) == 1 or asked.model != MODEL else _nearest(asked, rows)
            found.setdefault(row["text_no"], (score, row))
    return list(found.values())


def passage(asked: Asked, text: str) -> SearchQuery | None:
    """Return the search for the words with which the nearest passage of a long *text* begins, so that a snippet shows
    it; None for a short one, and where the model is not at hand."""
    if asked.model != MODEL or len(text) <= WINDOW_CHARACTERS:
        return None
    parts = parts_of(text)
    words = words_outside_marks(parts[_nearest_of(asked, parts)])
    first = tuple(takewhile(bool, dropwhile(lambda word: not word, words)))[:_FIRST_WORDS]
    return of_groups([[Term(first)]]) if first else None


def _nearest(asked: Asked, rows: Sequence[sqlite3.Row]) -> sqlite3.Row:
    return rows[_nearest_of(asked, [row["text"] for row in rows])]


def _nearest_of(asked: Asked, texts: Sequence[str]) -> int:
    packed = pack(embedder().embed(texts))
    likeness = Question(asked.vector).likeness(packed.vectors, packed.scales).tolist()
    return max(range(len(texts)), key=lambda at: (likeness[at], -at))
