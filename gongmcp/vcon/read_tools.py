"""The older tools that read vCons: ``get_vcon`` and the four searches."""

from __future__ import annotations

from typing import Any, Final

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_read
from gongmcp.store import vcon_search as lookup
from gongmcp.vcon.contract_search import DEFAULT_THRESHOLD, DEFAULT_WEIGHT, hit_of, near_hits
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.items import documents
from gongmcp.vcon.meaning import FORMULA, asked_of, asked_or_not, by_both, by_meaning
from gongmcp.vcon.parameters import (
    EMBEDDING,
    MAX_LIMIT,
    QUERY,
    TAGS,
    TEXT,
    UUID,
    choice,
    filters_of,
    limit,
    query_of,
    switch,
)
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Count, Document, Flag, Id, Measure, Number, Snippet, Word
from gongmcp.vcon.when import DATE

PARTS: Final = ("parties", "dialog", "analysis", "attachments")
LIGHT: Final = ("parties",)

OFFSET: Final[dict[str, Any]] = {"type": "integer", "minimum": 0, "maximum": 1_000_000, "default": 0}


class GotVcon(Row, kw_only=True):
    """Answer of ``get_vcon``."""

    vcon: Document


@vcon_tool(
    "get_vcon",
    title="Get a vCon",
    description=(
        "Retrieve a vCon by UUID. Without include_components it brings the parties; bodies of a served cache are "
        "bounded excerpts."
    ),
    category="read",
    answer=GotVcon,
    properties={
        "uuid": UUID,
        "include_components": {"type": "array", "items": {"type": "string", "enum": [*PARTS, "all"]}},
        "include_metadata": switch(True, "False leaves subject, extensions and dates out."),
        "response_format": choice("full", "summary", "metadata"),
    },
    required=("uuid",),
    instead="vcon_fetch",
    example={"uuid": "123e4567-e89b-12d3-a456-426614174000"},
    into=READING,
)
def get_vcon(arguments: dict[str, Any], scope: Scope) -> Row:
    """Return one vCon with the arrays that were asked for."""
    header = vcon_read.header(scope.store, arguments["uuid"])
    if header is None:
        raise VconFault("NOT_FOUND", "No such vCon is here.")
    asked = arguments.get("include_components")
    if asked is None:
        form = arguments.get("response_format")
        asked = {"full": ["all"], "summary": ["parties", "analysis"]}.get(form or "", list(LIGHT))
    parts = [part for part in PARTS if part in asked or "all" in asked]
    vcon = documents(scope, [header], parts)[0]
    if not arguments["include_metadata"]:
        vcon = _without_metadata(vcon)
    return GotVcon(vcon=vcon)


def _without_metadata(vcon: Any) -> Any:
    if isinstance(vcon, Document):
        return Document(uuid=vcon.uuid, **{part: getattr(vcon, part) for part in PARTS})
    return {key: value for key, value in vcon.items() if key in ("vcon", "uuid", *PARTS)}


# --- by metadata ---------------------------------------------------------------------------------------------


class Vcons(Row, kw_only=True):
    """Answer of ``search_vcons``: *count* are those of this page, *total_count* all that match."""

    count: Number
    vcons: list[Document]
    has_more: Flag
    total_count: Count


@vcon_tool(
    "search_vcons",
    title="Search vCons by metadata",
    description="Basic search by subject, parties and dates, newest first, in pages of limit and offset.",
    category="read",
    answer=Vcons,
    rate="search",
    properties={
        "subject": {**TEXT, "description": "Part of the subject."},
        "party_name": {**TEXT, "description": "Part of a party's name."},
        "party_email": {**TEXT, "description": "Part of a party's address."},
        "party_tel": {**TEXT, "description": "Digits of a party's number."},
        "start_date": DATE,
        "end_date": DATE,
        "tags": TAGS,
        "limit": limit(50, MAX_LIMIT),
        "offset": OFFSET,
    },
    instead="vcon_search",
    example={"subject": "support", "start_date": "2025-10-01T00:00:00Z", "limit": 20},
    into=READING,
)
def search_vcons(arguments: dict[str, Any], scope: Scope) -> Row:
    """Find vCons by what is known of them."""
    filters, _ = filters_of(scope, arguments, arguments.get("tags", {}))
    wanted = arguments["limit"]
    rows = lookup.page(scope.store, filters, limit=wanted + 1, offset=arguments["offset"])
    return Vcons(
        count=min(len(rows), wanted),
        vcons=documents(scope, rows[:wanted], LIGHT),
        has_more=len(rows) > wanted,
        total_count=lookup.count(scope.store, filters),
    )


# --- by words ------------------------------------------------------------------------------------------------


class ContentHit(Row, kw_only=True):
    """One vCon and its best hit."""

    vcon_id: Id
    content_type: Word | None = None
    content_index: Number | None = None
    relevance_score: Measure
    snippet: Snippet | None = None
    snippet_withheld: Word | None = None
    matches: Number
    vcon: Document | None = None


class ContentHits(Row, kw_only=True):
    """Answer of ``search_vcons_content``: one row per vCon, the best first."""

    count: Number
    results: list[ContentHit]
    has_more: Flag
    total_count: Count
    total_is_exact: Flag


_PAGED: Final = {"tags": TAGS, "start_date": DATE, "end_date": DATE}


@vcon_tool(
    "search_vcons_content",
    title="Search vCons by words",
    description="Full-text keyword search across subject, dialog, analysis, attachments and parties.",
    category="read",
    answer=ContentHits,
    rate="search",
    properties={
        "query": QUERY,
        **_PAGED,
        "limit": limit(50, MAX_LIMIT),
        "offset": OFFSET,
        "include_snippets": switch(True),
        "response_format": choice("snippets", "metadata", "ids_only"),
    },
    required=("query",),
    instead="vcon_search",
    example={"query": "billing issue refund", "tags": {"department": "support"}, "limit": 25},
    into=READING,
)
def search_vcons_content(arguments: dict[str, Any], scope: Scope) -> Row:
    """Find vCons by words."""
    query = query_of(arguments["query"])
    filters, _ = filters_of(scope, arguments, arguments.get("tags", {}))
    if query.fts is None:
        return ContentHits(count=0, results=[], has_more=False, total_count=0, total_is_exact=True)
    wanted, form = arguments["limit"], arguments.get("response_format")
    show = arguments["include_snippets"] and form in (None, "snippets")
    hits = lookup.keyword(scope.store, query.fts, filters, limit=wanted + 1, offset=arguments["offset"])
    headers = vcon_read.headers(scope.store, [hit.vcon_no for hit in hits.hits[:wanted]])
    results = []
    for hit in hits.hits[:wanted]:
        header = headers[hit.vcon_no]
        row = ContentHit(vcon_id=header["uuid"], relevance_score=hit.score, matches=hit.matches)
        best = lookup.matching_texts(scope.store, query.fts, hit.vcon_no, limit=1)
        if best:
            found = hit_of(scope, header, best[0], query, float(best[0]["score"]), show=show)
            row.content_type, row.content_index = found.content_type, found.content_index
            row.snippet, row.snippet_withheld = found.snippet, found.snippet_withheld
        if form == "metadata":
            row.vcon = documents(scope, [header], ())[0]
        results.append(row)
    return ContentHits(
        count=len(results),
        results=results,
        has_more=len(hits.hits) > wanted,
        total_count=hits.total,
        total_is_exact=hits.total_is_exact and scope.policy.min_cell == 1,
    )


# --- by meaning ----------------------------------------------------------------------------------------------


class DialogExcerpt(Row, kw_only=True):
    """A passage that is near in meaning."""

    dialog_index: Number
    text: Snippet
    relevance: Measure


class MatchedContent(Row, kw_only=True):
    """What of a vCon is near in meaning."""

    subject: Snippet | None = None
    dialog_excerpts: list[DialogExcerpt] | None = None


class SemanticHit(Row, kw_only=True):
    """One vCon that is near in meaning."""

    vcon_id: Id
    similarity_score: Measure
    matched_content: MatchedContent
    vcon: Document | None = None


class SemanticHits(Row, kw_only=True):
    """Answer of ``search_vcons_semantic``."""

    count: Number
    results: list[SemanticHit]


@vcon_tool(
    "search_vcons_semantic",
    title="Search vCons by meaning",
    description="Semantic search with embeddings, by vectors that were made beforehand; without any it says so.",
    category="read",
    answer=SemanticHits,
    rate="search",
    properties={
        "query": {**TEXT, "description": "A question in plain words."},
        "embedding": EMBEDDING,
        "threshold": {"type": "number", "minimum": 0, "maximum": 1, "default": DEFAULT_THRESHOLD},
        "tags": TAGS,
        "limit": limit(20, MAX_LIMIT),
    },
    instead="vcon_search",
    example={"query": "customer frustrated about late delivery", "threshold": 0.75},
    into=READING,
)
def search_vcons_semantic(arguments: dict[str, Any], scope: Scope) -> Row:
    """Find vCons by meaning."""
    if not arguments.get("query") and not arguments.get("embedding"):
        raise VconFault("INVALID_ARGUMENT", "query or embedding is needed.", argument="query")
    filters, _ = filters_of(scope, {}, arguments.get("tags", {}))
    asked = asked_of(scope, arguments, "Semantic search")
    kept = by_meaning(scope, asked, filters, arguments["threshold"])[: arguments["limit"]]
    headers = vcon_read.headers(scope.store, [item.vcon_no for item in kept])
    results = []
    for item in kept:
        header = headers[item.vcon_no]
        hits = [hit for hit in near_hits(scope, header, asked, item) if hit.snippet is not None]
        subject = next((hit.snippet for hit in hits if hit.content_type == "subject"), None)
        excerpts = [
            DialogExcerpt(dialog_index=hit.content_index or 0, text=hit.snippet, relevance=hit.relevance_score)
            for hit in hits
            if hit.content_type == "dialog" and hit.snippet is not None
        ]
        content = MatchedContent(subject=subject, dialog_excerpts=excerpts or None)
        results.append(SemanticHit(vcon_id=header["uuid"], similarity_score=item.score, matched_content=content))
    return SemanticHits(count=len(results), results=results)


class HybridHit(Row, kw_only=True):
    """One vCon with both scores and their sum."""

    vcon_id: Id
    combined_score: Measure
    keyword_score: Measure
    semantic_score: Measure
    vcon: Document | None = None


class HybridHits(Row, kw_only=True):
    """Answer of ``search_vcons_hybrid``; *degraded* = no semantic part."""

    count: Number
    results: list[HybridHit]
    has_more: Flag
    degraded: Flag
    degraded_reason: Word | None = None
    formula: Word


@vcon_tool(
    "search_vcons_hybrid",
    title="Search vCons by words and meaning",
    description=(
        "Combined keyword and semantic search: semantic_weight x semantic + (1 - semantic_weight) x keyword. Without "
        "vectors it answers by keywords and says degraded."
    ),
    category="read",
    answer=HybridHits,
    rate="search",
    properties={
        "query": QUERY,
        "semantic_weight": {"type": "number", "minimum": 0, "maximum": 1, "default": DEFAULT_WEIGHT},
        **_PAGED,
        "limit": limit(30, MAX_LIMIT),
        "offset": OFFSET,
    },
    required=("query",),
    instead="vcon_search",
    example={"query": "pricing discussion discount", "semantic_weight": 0.5},
    into=READING,
)
def search_vcons_hybrid(arguments: dict[str, Any], scope: Scope) -> Row:
    """Find vCons by words and by meaning."""
    query = query_of(arguments["query"])
    filters, _ = filters_of(scope, arguments, arguments.get("tags", {}))
    asked, reason = asked_or_not(scope, arguments)
    both, _ = by_both(scope, asked, query, filters, arguments["semantic_weight"])
    start = arguments["offset"]
    kept = both[start : start + arguments["limit"]]
    headers = vcon_read.headers(scope.store, [item.vcon_no for item in kept])
    results = [
        HybridHit(
            vcon_id=headers[item.vcon_no]["uuid"],
            combined_score=item.score,
            keyword_score=item.keyword,
            semantic_score=item.semantic,
        )
        for item in kept
    ]
    return HybridHits(
        count=len(results),
        results=results,
        has_more=len(both) > start + len(kept),
        degraded=asked is None,
        degraded_reason=reason,
        formula=FORMULA,
    )
