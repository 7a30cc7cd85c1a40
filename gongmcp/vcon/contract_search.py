"""``vcon_search`` and ``vcon_fetch``: one envelope, include groups, cursors, budgets."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final, TypeVar

from gongmcp.exposure.rows import Row
from gongmcp.semantic.vcon_scan import NearVcon
from gongmcp.store import vcon_read
from gongmcp.store import vcon_search as lookup
from gongmcp.store.search_query import SearchQuery
from gongmcp.vcon import cursor as cursors
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.items import FETCH_DEFAULT, GROUPS, SEARCH_DEFAULT, excerpt, items
from gongmcp.vcon.meaning import (
    FORMULA,
    Asked,
    Both,
    asked_of,
    asked_or_not,
    by_both,
    by_meaning,
    passage,
    texts_of,
)
from gongmcp.vcon.parameters import (
    BUDGET,
    EMBEDDING,
    FILTERS,
    QUERY,
    TAGS,
    UUID,
    choice,
    filters_of,
    limit,
    query_of,
)
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Anything, Count, Flag, Found, Hit, Item, Number, Word, Words

MODES: Final = ("metadata", "keyword", "semantic", "hybrid")
DEFAULT_THRESHOLD: Final = 0.7
DEFAULT_WEIGHT: Final = 0.6
MAX_PAGE: Final = 100
_HITS: Final = 3

K = TypeVar("K", NearVcon, Both)

INCLUDE: Final[dict[str, Any]] = {
    "type": "array",
    "items": {"type": "string", "enum": list(GROUPS)},
    "maxItems": 100,
    "description": "Groups of fields; id is always there.",
}


class Meta(Row, kw_only=True):
    """What an answer says of itself."""

    include: Words | None = None
    mode: Word | None = None
    approximate_bytes: Number | None = None
    max_response_bytes: Number | None = None
    limit: Number | None = None
    short_page_reason: Word | None = None
    interval: Anything = None
    degraded: Flag | None = None
    degraded_reason: Word | None = None
    score: Word | None = None
    notes: Words | None = None


class Page(Row, kw_only=True):
    """Where a list stands: *total* counts all vCons that match, exactly or at least."""

    count: Number
    total: Count | None = None
    total_is_exact: Flag | None = None
    next_cursor: Word | None = None


class Search(Row, kw_only=True):
    """Answer of ``vcon_search``."""

    items: list[Item]
    page: Page
    meta: Meta


class Fetch(Row, kw_only=True):
    """Answer of ``vcon_fetch``."""

    item: Item
    meta: Meta


def included(arguments: dict[str, Any], default: Sequence[str]) -> list[str]:
    """Return the groups that were asked for; an empty list stands for the *default*. ``core`` is always among them."""
    asked = arguments.get("include") or default
    return [group for group in GROUPS if group in asked or group == "core"]


@vcon_tool(
    "vcon_search",
    title="Search vCons",
    description=(
        "Unified metadata, keyword, semantic and hybrid search with one stable response shape: items, page and meta. "
        "Every filter holds in every mode or is refused by name. Pages by page.next_cursor; dates are UTC, a day as an "
        "end counts whole. Too large an answer is RESPONSE_TOO_LARGE with what would fit, never a cut one."
    ),
    category="read",
    answer=Search,
    contract=True,
    rate="search",
    properties={
        "mode": choice(*MODES, default="metadata"),
        "query": QUERY,
        "embedding": EMBEDDING,
        "tags": TAGS,
        "filters": FILTERS,
        "include": INCLUDE,
        "limit": limit(25, MAX_PAGE),
        "cursor": {"type": "string", "minLength": 1, "maxLength": 2048},
        "max_response_bytes": BUDGET,
        "threshold": {"type": "number", "minimum": 0, "maximum": 1, "default": DEFAULT_THRESHOLD},
        "semantic_weight": {"type": "number", "minimum": 0, "maximum": 1, "default": DEFAULT_WEIGHT},
    },
    example={"mode": "metadata", "limit": 5},
    into=READING,
)
def vcon_search(arguments: dict[str, Any], scope: Scope) -> Row:
    """Search in one of four modes."""
    mode = arguments["mode"]
    _check_mode(mode, arguments)
    filters, understood = filters_of(scope, arguments.get("filters", {}), arguments.get("tags", {}))
    groups = included(arguments, SEARCH_DEFAULT)
    meta = Meta(
        include=groups,
        mode=mode,
        limit=arguments["limit"],
        max_response_bytes=arguments["max_response_bytes"],
        interval=understood or None,
    )
    if mode == "metadata":
        return _by_metadata(arguments, scope, filters, groups, meta)
    if mode == "semantic":
        return _by_meaning(arguments, scope, filters, groups, meta)
    query = query_of(arguments["query"])
    meta.notes = list(query.notes) or None
    if mode == "hybrid":
        return _by_both(arguments, scope, filters, groups, meta, query)
    meta.score = "-bm25, higher is better, not 0..1"
    return _by_keyword(arguments, scope, filters, groups, meta, query)


def _check_mode(mode: str, arguments: dict[str, Any]) -> None:
    if arguments.get("embedding") is not None and mode in ("metadata", "keyword"):
        raise VconFault("INVALID_ARGUMENT", "embedding belongs to the modes semantic and hybrid.", argument="embedding")
    if mode == "semantic" and not arguments.get("query") and not arguments.get("embedding"):
        raise VconFault("INVALID_ARGUMENT", "mode semantic needs query or embedding.", argument="query")
    if mode == "metadata" and arguments.get("query"):
        raise VconFault("INVALID_ARGUMENT", "mode metadata takes no query; use mode keyword.", argument="query")
    if mode in ("keyword", "hybrid") and not arguments.get("query"):
        raise VconFault("INVALID_ARGUMENT", f"mode {mode} needs query.", argument="query")
    if mode != "semantic" and arguments["threshold"] != DEFAULT_THRESHOLD:
        raise VconFault("INVALID_ARGUMENT", f"threshold has no effect in mode {mode}.", argument="threshold")
    if mode != "hybrid" and arguments["semantic_weight"] != DEFAULT_WEIGHT:
        raise VconFault("INVALID_ARGUMENT", "semantic_weight belongs to mode hybrid.", argument="semantic_weight")


def _by_metadata(
    arguments: dict[str, Any], scope: Scope, filters: lookup.VconFilters, groups: list[str], meta: Meta
) -> Search:
    bound = cursors.binding(scope, "vcon_search", arguments, ranked=False)
    key = cursors.opened(scope, arguments.get("cursor"), bound)
    after = None if key is None else (int(key[0]), int(key[1]))
    wanted = arguments["limit"]
    rows = lookup.page(scope.store, filters, limit=wanted + 1, after=after)
    more, rows = len(rows) > wanted, rows[:wanted]
    found = {int(row["vcon_no"]): Found(mode="metadata") for row in rows}
    page = Page(
        count=len(rows),
        total=lookup.count(scope.store, filters),
        total_is_exact=scope.policy.min_cell == 1,
        next_cursor=cursors.sealed(scope, (rows[-1]["sort_ms"], rows[-1]["vcon_no"]), bound) if more else None,
    )
    if not more:
        meta.short_page_reason = "end_of_results"
    return Search(items=items(scope, rows, groups, found), page=page, meta=meta)


def _by_keyword(
    arguments: dict[str, Any],
    scope: Scope,
    filters: lookup.VconFilters,
    groups: list[str],
    meta: Meta,
    query: SearchQuery,
) -> Search:
    bound = cursors.binding(scope, "vcon_search", arguments, ranked=True)
    key = cursors.opened(scope, arguments.get("cursor"), bound)
    after = None if key is None else (float(key[0]), int(key[1]))
    wanted = arguments["limit"]
    if query.fts is None:
        meta.short_page_reason = "end_of_results"
        return Search(items=[], page=Page(count=0, total=0, total_is_exact=True), meta=meta)
    hits = lookup.keyword(scope.store, query.fts, filters, limit=wanted + 1, after=after)
    more, kept = len(hits.hits) > wanted, hits.hits[:wanted]
    headers = vcon_read.headers(scope.store, [hit.vcon_no for hit in kept])
    found = {hit.vcon_no: _found(scope, headers[hit.vcon_no], hit, query) for hit in kept}
    page = Page(
        count=len(kept),
        total=hits.total,
        total_is_exact=hits.total_is_exact and scope.policy.min_cell == 1,
        next_cursor=cursors.sealed(scope, kept[-1].key, bound) if more else None,
    )
    if not more:
        meta.short_page_reason = "end_of_results" if hits.total_is_exact else "end_of_ranked_texts"
    return Search(items=items(scope, [headers[hit.vcon_no] for hit in kept], groups, found), page=page, meta=meta)


def _by_meaning(
    arguments: dict[str, Any], scope: Scope, filters: lookup.VconFilters, groups: list[str], meta: Meta
) -> Search:
    asked = asked_of(scope, arguments, "mode semantic")
    meta.score = f"0..1, calibrated for {asked.model}; more than threshold {arguments['threshold']}"
    near = by_meaning(scope, asked, filters, arguments["threshold"])
    kept, cursor = _page_of(scope, arguments, near)
    headers = vcon_read.headers(scope.store, [item.vcon_no for item in kept])
    found = {
        item.vcon_no: _found_of(
            "semantic", item.score, near_hits(scope, headers[item.vcon_no], asked, item), matches=None
        )
        for item in kept
    }
    return _ranked(scope, [headers[item.vcon_no] for item in kept], groups, found, meta, len(near), cursor)


def _by_both(
    arguments: dict[str, Any],
    scope: Scope,
    filters: lookup.VconFilters,
    groups: list[str],
    meta: Meta,
    query: SearchQuery,
) -> Search:
    asked, meta.degraded_reason = asked_or_not(scope, arguments)
    meta.degraded = True if asked is None else None
    meta.score = f"{FORMULA}; weight {arguments['semantic_weight']}"
    both, exact = by_both(scope, asked, query, filters, arguments["semantic_weight"])
    kept, cursor = _page_of(scope, arguments, both)
    headers = vcon_read.headers(scope.store, [item.vcon_no for item in kept])
    found = {}
    for item in kept:
        header = headers[item.vcon_no]
        hits = word_hits(scope, header, item.words, query) if item.words is not None else []
        if item.near is not None and asked is not None and len(hits) < _HITS:
            seen = {(hit.content_type, hit.content_index, hit.position) for hit in hits}
            further = near_hits(scope, header, asked, item.near)
            hits += [hit for hit in further if (hit.content_type, hit.content_index, hit.position) not in seen]
        matches = item.words.matches if item.words is not None else None
        found[item.vcon_no] = _found_of("hybrid", item.score, hits[:_HITS], matches=matches)
    rows = [headers[item.vcon_no] for item in kept]
    return _ranked(scope, rows, groups, found, meta, len(both), cursor, exact=exact)


def _page_of(scope: Scope, arguments: dict[str, Any], ranked: Sequence[K]) -> tuple[list[K], str | None]:
    """Return the page of *ranked* that is asked for, and the cursor behind it."""
    bound = cursors.binding(scope, "vcon_search", arguments, ranked=True)
    key = cursors.opened(scope, arguments.get("cursor"), bound)
    after = None if key is None else (float(key[0]), int(key[1]))
    left = [item for item in ranked if after is None or item.key < after]
    kept = left[: arguments["limit"]]
    return kept, cursors.sealed(scope, kept[-1].key, bound) if len(left) > len(kept) else None


def _ranked(
    scope: Scope,
    rows: Sequence[sqlite3.Row],
    groups: list[str],
    found: dict[int, Found],
    meta: Meta,
    total: int,
    cursor: str | None,
    *,
    exact: bool = True,
) -> Search:
    if cursor is None:
        meta.short_page_reason = "end_of_results" if exact else "end_of_ranked_texts"
    page = Page(count=len(rows), total=total, total_is_exact=exact and scope.policy.min_cell == 1, next_cursor=cursor)
    return Search(items=items(scope, rows, groups, found), page=page, meta=meta)


def _found(scope: Scope, header: sqlite3.Row, hit: lookup.Hit, query: SearchQuery) -> Found:
    return _found_of("keyword", hit.score, word_hits(scope, header, hit, query), matches=hit.matches)


def _found_of(mode: str, score: float, hits: Sequence[Hit], *, matches: int | None) -> Found:
    best = hits[0] if hits else None
    return Found(
        mode=mode,
        content_type=best.content_type if best else None,
        content_index=best.content_index if best else None,
        relevance_score=score,
        snippet=best.snippet if best else None,
        matches=matches,
        hits=list(hits[1:]) or None,
    )


def word_hits(scope: Scope, header: sqlite3.Row, hit: lookup.Hit, query: SearchQuery) -> list[Hit]:
    """Return where the words of *query* stand in a vCon, the best first."""
    assert query.fts is not None
    rows = lookup.matching_texts(scope.store, query.fts, hit.vcon_no, limit=_HITS)
    return [hit_of(scope, header, row, query, float(row["score"])) for row in rows]


def near_hits(scope: Scope, header: sqlite3.Row, asked: Asked, item: NearVcon) -> list[Hit]:
    """Return where a vCon is nearest to what was *asked*, the nearest first."""
    return [
        hit_of(scope, header, row, passage(asked, row["text"]), score)
        for score, row in texts_of(scope, asked, item)[:_HITS]
    ]


def hit_of(
    scope: Scope,
    header: sqlite3.Row,
    row: sqlite3.Row,
    query: SearchQuery | None,
    score: float,
    *,
    show: bool = True,
) -> Hit:
    """Return where a text was found, with a snippet of it around *query* unless not to *show* one."""
    piece, withheld = excerpt(scope, header, row, query) if show else (None, None)
    return Hit(
        content_type=row["unit"],
        content_index=None if row["unit"] == "subject" else row["idx"],
        position=row["position"] or None,
        start_ms=row["start_ms"],
        end_ms=row["end_ms"],
        relevance_score=score,
        snippet=piece,
        snippet_withheld=withheld,
    )


@vcon_tool(
    "vcon_fetch",
    title="Fetch one vCon",
    description=(
        "Single-record fetch with one stable response shape: item.id and the include groups that were asked for. "
        'A light pattern is include ["core","summary","dealer"]. Too large an answer is RESPONSE_TOO_LARGE.'
    ),
    category="read",
    answer=Fetch,
    contract=True,
    properties={"id": UUID, "include": INCLUDE, "max_response_bytes": BUDGET},
    required=("id",),
    example={"id": "0190a1b2-c3d4-8e5f-8a6b-7c8d9e0f1a2b"},
    into=READING,
)
def vcon_fetch(arguments: dict[str, Any], scope: Scope) -> Row:
    """Return one vCon."""
    header = vcon_read.header(scope.store, arguments["id"])
    if header is None:
        raise VconFault("NOT_FOUND", "No such vCon is here.")
    groups = included(arguments, FETCH_DEFAULT)
    meta = Meta(include=groups, max_response_bytes=arguments["max_response_bytes"])
    return Fetch(item=items(scope, [header], groups)[0], meta=meta)
