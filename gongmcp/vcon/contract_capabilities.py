"""``vcon_capabilities``: what this server can do now, computed from what it serves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.semantic.model import MODEL, is_installed
from gongmcp.semantic.vcon_scan import stored_vectors
from gongmcp.store import vcon_figures
from gongmcp.vcon.contract_graph import SHAPE_ID, SHAPE_URI
from gongmcp.vcon.contract_search import MAX_PAGE, MODES
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.items import FETCH_DEFAULT, GROUPS, LIGHTWEIGHT, SEARCH_DEFAULT
from gongmcp.vcon.parameters import DEFAULT_BYTES, MIN_BYTES
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Anything, Count, Number, Time, Word, Words

REPLACED: Final[Mapping[str, str]] = {
    "get_vcon": "vcon_fetch",
    "search_vcons": "vcon_search with mode metadata",
    "search_vcons_content": "vcon_search with mode keyword",
    "search_vcons_semantic": "vcon_search with mode semantic",
    "search_vcons_hybrid": "vcon_search with mode hybrid",
    "search_by_tags": "vcon_search with mode metadata and tags",
}
"""Older tools and what to use instead."""


class Corpus(Row, kw_only=True):
    """How much there is, and of when."""

    vcons: Count
    as_of: Time | None = None
    generation: Number
    bodies: Word


class Capability(Row, kw_only=True):
    """What this server can do now."""

    tools: Words
    corpus: Corpus
    shape_graph: Anything = None
    response_budgeting: Anything = None
    fetch: Anything = None
    search: Anything = None
    pagination: Anything = None
    taxonomy_hints: Anything = None
    migration: Anything = None


class Capabilities(Row, kw_only=True):
    """Answer of ``vcon_capabilities``."""

    item: Capability


@vcon_tool(
    "vcon_capabilities",
    title="What this vCon server can do",
    description=(
        "Use first: which tools, include groups and search modes there are now, byte budgets, cursors, and what "
        "replaces the older tools. Computed from what is really served."
    ),
    category="read",
    answer=Capabilities,
    contract=True,
    into=READING,
)
def vcon_capabilities(_arguments: dict[str, Any], scope: Scope) -> Row:
    """Tell what is served now."""
    here = scope.tools
    items: dict[str, Any] = {}
    if "vcon_graph_shape" in here:
        items["shape_graph"] = {
            "resource_uri": SHAPE_URI,
            "tool": "vcon_graph_shape",
            "json_schema_id": SHAPE_ID,
            "description": "Analysis types, attachment purposes and tag keys of the corpus, and which occur together.",
        }
    if "vcon_fetch" in here:
        items["fetch"] = {
            "identifier_field": "id",
            "default_include": list(FETCH_DEFAULT),
            "supported_include": list(GROUPS),
            "recommended_lightweight_include": list(LIGHTWEIGHT),
        }
    if "vcon_search" in here:
        items["search"] = _search_capability(scope)
        items["pagination"] = {
            "strategy": "opaque cursor",
            "request_field": "cursor",
            "response_field": "page.next_cursor",
            "semantics": "Keyset, bound to the query; keyword pages end with the next change of the corpus.",
            "total_semantics": "All vCons that match; exact where page.total_is_exact is true, else at least so many.",
        }
    signals = [f"tags.{signal.tag}={signal.value}" for signal in scope.taxonomy.signals]
    return Capabilities(
        item=Capability(
            tools=list(here),
            corpus=Corpus(
                vcons=vcon_figures.totals(scope.store)["vcons"],
                as_of=scope.as_of or None,
                generation=scope.generation,
                bodies="verbatim" if scope.verbatim else "bounded excerpts",
            ),
            response_budgeting={
                "default_max_response_bytes": min(DEFAULT_BYTES, scope.policy.max_response_bytes),
                "minimum_max_response_bytes": MIN_BYTES,
                "maximum_max_response_bytes": scope.policy.max_response_bytes,
                "failure_code": "RESPONSE_TOO_LARGE",
                "notes": ["Measured on the bytes of the result as sent.", "Nothing is cut."],
            },
            taxonomy_hints={
                "preferred_bad_call_signals": signals,
                "preferred_dealer_source": f"attachment:{scope.taxonomy.account}",
            },
            migration={old: new for old, new in REPLACED.items() if old in here and new.split()[0] in here},
            **items,
        )
    )


def _search_capability(scope: Scope) -> dict[str, Any]:
    hidden = [] if scope.verbatim else ["party_name", "party_email", "party_tel"]
    stored, cells = stored_vectors(scope.store), SmallCells(scope.policy.min_cell)
    by_query = is_installed() and any(item.model == MODEL for item in stored)
    lacking: dict[str, Any] = {
        "unavailable_modes": {"semantic": "PROVIDER_UNAVAILABLE"},
        "degraded_modes": {"hybrid": "by keywords alone"},
    }
    return {
        "modes": [mode for mode in MODES if by_query or mode not in ("semantic", "hybrid")],
        **({} if by_query else lacking),
        "stored_vectors": [
            {"model": item.model, "dimensions": item.dimensions, "vcons": cells.count(item.vcons)} for item in stored
        ],
        "default_mode": "metadata",
        "default_include": list(SEARCH_DEFAULT),
        "supported_include": list(GROUPS),
        "default_limit": 25,
        "max_limit": MAX_PAGE,
        "unsupported_filters": hidden,
        "recommended_patterns": [
            "tags and filters first, words second",
            'include ["core","summary","dealer"] for lists, vcon_fetch for one',
        ],
    }
