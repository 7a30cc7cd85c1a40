"""``vcon_search`` and ``vcon_fetch``: one envelope, include groups, cursors, budgets."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_read
from gongmcp.store import vcon_search as lookup
from gongmcp.store.search_query import SearchQuery
from gongmcp.vcon import cursor as cursors
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.items import FETCH_DEFAULT, GROUPS, SEARCH_DEFAULT, excerpt, items
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
    no_provider,
    query_of,
)
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Anything, Count, Flag, Found, Hit, Item, Number, Word, Words

MODES: Final = ("metadata", "keyword", "semantic", "hybrid")
DEFAULT_THRESHOLD: Final = 0.7
DEFAULT_WEIGHT: Final = 0.6
MAX_PAGE: Final = 100
_HITS: Final = 3

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
    query = query_of(arguments["query"])
    meta.notes = list(query.notes) or None
    if mode == "hybrid":
        meta.degraded, meta.degraded_reason = True, "no provider of vectors: scored by keywords alone"
        meta.score = f"(1 - semantic_weight) x s / (1 + s), s = keyword score; weight {arguments['semantic_weight']}"
    else:
        meta.score = "-bm25, higher is better, not 0..1"
    return _by_keyword(arguments, scope, filters, groups, meta, query)


def _check_mode(mode: str, arguments: dict[str, Any]) -> None:
    if mode == "semantic" or arguments.get("embedding") is not None:
        if mode in ("metadata", "keyword"):
            raise VconFault(
                "INVALID_ARGUMENT", "embedding belongs to the modes semantic and hybrid.", argument="embedding"
            )
        if mode == "semantic" and not arguments.get("query") and not arguments.get("embedding"):
            raise VconFault("INVALID_ARGUMENT", "mode semantic needs query or embedding.", argument="query")
        raise no_provider(f"mode {mode}" if mode == "semantic" else "embedding")
    if mode == "metadata" and arguments.get("query"):
        raise VconFault("INVALID_ARGUMENT", "mode metadata takes no query; use mode keyword.", argument="query")
    if mode in ("keyword", "hybrid") and not arguments.get("query"):
        raise VconFault("INVALID_ARGUMENT", f"mode {mode} needs query.", argument="query")
    if arguments["threshold"] != DEFAULT_THRESHOLD:
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
    mode, weight = arguments["mode"], arguments["semantic_weight"]
    found = {hit.vcon_no: _found(scope, headers[hit.vcon_no], hit, query, mode, weight) for hit in kept}
    page = Page(
        count=len(kept),
        total=hits.total,
        total_is_exact=hits.total_is_exact and scope.policy.min_cell == 1,
        next_cursor=cursors.sealed(scope, kept[-1].key, bound) if more else None,
    )
    if not more:
        meta.short_page_reason = "end_of_results" if hits.total_is_exact else "end_of_ranked_texts"
    return Search(items=items(scope, [headers[hit.vcon_no] for hit in kept], groups, found), page=page, meta=meta)


def _found(scope: Scope, header: sqlite3.Row, hit: lookup.Hit, query: SearchQuery, mode: str, weight: float) -> Found:
    assert query.fts is not None
    rows = lookup.matching_texts(scope.store, query.fts, hit.vcon_no, limit=_HITS)
    found = [hit_of(scope, header, row, query) for row in rows]
    best = found[0] if found else None
    score = (1 - weight) * keyword_share(hit.score) if mode == "hybrid" else hit.score
    return Found(
        mode=mode,
        content_type=best.content_type if best else None,
        content_index=best.content_index if best else None,
        relevance_score=score,
        snippet=best.snippet if best else None,
        matches=hit.matches,
        hits=found[1:] or None,
    )


def keyword_share(score: float) -> float:
    """Return a keyword score as a share of one."""
    return score / (1 + score) if score > 0 else 0.0


def hit_of(scope: Scope, header: sqlite3.Row, row: sqlite3.Row, query: SearchQuery, *, show: bool = True) -> Hit:
    """Return where a text was found, with a snippet of it unless not to *show* one."""
    piece, withheld = excerpt(scope, header, row, query) if show else (None, None)
    return Hit(
        content_type=row["unit"],
        content_index=None if row["unit"] == "subject" else row["idx"],
        position=row["position"] or None,
        start_ms=row["start_ms"],
        end_ms=row["end_ms"],
        relevance_score=float(row["score"]),
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
