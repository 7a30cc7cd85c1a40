"""``vcon_capabilities``, ``vcon_taxonomy``, ``vcon_aggregate`` and ``vcon_graph_shape``: what this server and its
corpus are like, computed at each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.vcon.contract_search import MAX_PAGE, MODES
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.items import FETCH_DEFAULT, GROUPS, LIGHTWEIGHT, SEARCH_DEFAULT
from gongmcp.vcon.parameters import DEFAULT_BYTES, MIN_BYTES, TAGS, filters_of, limit
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Anything, Count, Flag, Id, Label, Measure, Number, Time, Word, Words
from gongmcp.vcon.when import DATE

SHAPE_URI: Final = "vcon://v1/graph/shape"
SHAPE_VERSION: Final = "1.0.0"
SHAPE_ID: Final = "https://vcon.dev/mcp/shape-graph/1-0-0"
_NODES: Final = 200
_EDGES: Final = 400
_MOST_TAGS: Final = 20
_JOINT: Final = "analysis_type_with_attachment_purpose"

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
    return {
        "modes": [mode for mode in MODES if mode not in ("semantic", "hybrid")],
        "unavailable_modes": {"semantic": "PROVIDER_UNAVAILABLE"},
        "degraded_modes": {"hybrid": "by keywords alone"},
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


# --- taxonomy ------------------------------------------------------------------------------------------------


class Value(Row, kw_only=True):
    """A value of a tag that answers a question by itself."""

    value: Label
    tag: Label
    description: Word
    recommended_use: Word
    vcon_count: Count


class TagKey(Row, kw_only=True):
    """A tag key and how far it goes."""

    key: Label
    availability: Word
    description: Word | None = None
    vcon_count: Count
    distinct_values: Count


class Source(Row, kw_only=True):
    """Where to look for something."""

    need: Word
    source: Word


class Recipe(Row, kw_only=True):
    """How to answer a kind of question."""

    goal: Word
    recommendation: Word


class Cover(Row, kw_only=True):
    """How many of all vCons have something."""

    availability: Word
    vcon_count: Count
    coverage_pct: Measure


class Coverage(Row, kw_only=True):
    """Measured coverage of the two ways to an account."""

    vcons_total: Count
    account_source: Label
    account_attachment: Cover
    account_tag: Label | None = None
    account_tag_coverage: Cover | None = None


class Kind(Row, kw_only=True):
    """A type of analysis, and how many vCons have it."""

    type: Label
    vcon_count: Count


class TaxonomyItem(Row, kw_only=True):
    """What is known of this corpus."""

    dataset: Word
    portal_values: list[Value]
    common_tags: list[TagKey]
    preferred_sources: list[Source]
    query_recipes: list[Recipe]
    analysis_types: list[Kind]
    coverage: Coverage


class TaxonomyAnswer(Row, kw_only=True):
    """Answer of ``vcon_taxonomy``."""

    item: TaxonomyItem


@vcon_tool(
    "vcon_taxonomy",
    title="Vocabulary of this corpus",
    description=(
        "Dataset-specific guidance: tag values that answer questions by themselves, preferred sources, recipes, and "
        "the measured coverage of tag keys and analysis types."
    ),
    category="read",
    answer=TaxonomyAnswer,
    contract=True,
    into=READING,
)
def vcon_taxonomy(_arguments: dict[str, Any], scope: Scope) -> Row:
    """Tell the operator's hints and what is measured."""
    known, store, least = scope.taxonomy, scope.store, scope.policy.min_cell
    total = vcon_figures.totals(store)["vcons"]
    described = dict(known.tags)
    keys = [row for row in vcon_figures.tag_keys(store) if row["vcons"] >= least]
    missing = [key for key in described if all(row["tag_key"] != key for row in keys)]
    tag_keys = [
        TagKey(
            key=row["tag_key"],
            availability=_availability(row["vcons"], total),
            description=described.get(row["tag_key"]),
            vcon_count=row["vcons"],
            distinct_values=row["distinct_values"],
        )
        for row in keys[:_MOST_TAGS]
    ]
    tag_keys += [
        TagKey(key=key, availability="absent", description=described[key], vcon_count=0, distinct_values=0)
        for key in missing
    ]
    nodes = [row for row in vcon_shape.shape_nodes(store, limit=_MOST_TAGS) if row["kind"] == "analysis_type"]
    tag = known.account_tag
    return TaxonomyAnswer(
        item=TaxonomyItem(
            dataset=known.dataset,
            portal_values=[
                Value(
                    value=signal.value,
                    tag=signal.tag,
                    description=signal.description,
                    recommended_use=signal.use,
                    vcon_count=vcon_shape.tag_value_count(store, signal.tag, signal.value),
                )
                for signal in known.signals
            ],
            common_tags=tag_keys,
            preferred_sources=[Source(need=need, source=source) for need, source in known.sources],
            query_recipes=[Recipe(goal=goal, recommendation=how) for goal, how in known.recipes],
            analysis_types=[Kind(type=row["label"], vcon_count=row["vcons"]) for row in nodes if row["vcons"] >= least],
            coverage=Coverage(
                vcons_total=total,
                account_source=known.account,
                account_attachment=_cover(scope, vcon_shape.coverage(store, account=known.account), total),
                account_tag=tag or None,
                account_tag_coverage=_cover(scope, vcon_shape.coverage(store, tag=tag), total) if tag else None,
            ),
        )
    )


def _availability(found: int, total: int) -> str:
    return "absent" if not found else "preferred" if found * 2 >= total else "sparse"


def _cover(scope: Scope, found: int, total: int) -> Cover:
    cells = SmallCells(scope.policy.min_cell)
    low, of = cells.count(found), cells.count(total)
    return Cover(
        availability=_availability(low, of), vcon_count=low, coverage_pct=round(100 * low / of, 2) if of else 0.0
    )


# --- aggregate -----------------------------------------------------------------------------------------------


class Group(Row, kw_only=True):
    """One group: *rate* is filtered of baseline."""

    dealer_id: Label | None = None
    dealer_name: Label | None = None
    team_id: Label | None = None
    team_name: Label | None = None
    group_value: Label | None = None
    filtered_count: Count
    baseline_count: Count
    rate: Measure


class Rollup(Row, kw_only=True):
    """Groups, the highest rate first."""

    group_by: Label
    rows: list[Group]
    vcons_total: Count
    vcons_with_group: Count | None = None
    truncated: Flag
    interval: Anything = None


class Aggregate(Row, kw_only=True):
    """Answer of ``vcon_aggregate``."""

    item: Rollup


@vcon_tool(
    "vcon_aggregate",
    title="Share of vCons by group",
    description=(
        "Server-side rollup for rate questions: which groups have the highest share of vCons with the given tags. "
        "group_by is dealer (the account attachment), tag:<key>, analysis_type, attachment_purpose, dialog_type, "
        "month, party_domain or party_role. filtered_count of baseline_count is rate."
    ),
    category="read",
    answer=Aggregate,
    contract=True,
    rate="search",
    properties={
        "group_by": {"type": "string", "minLength": 1, "maxLength": 300, "default": "dealer"},
        "tags": {**TAGS, "default": {}},
        "filters": {
            "type": "object",
            "properties": {
                name: dict(DATE) for name in ("start_date", "end_date", "conversation_from", "conversation_to")
            },
            "additionalProperties": False,
        },
        "having": {
            "type": "object",
            "properties": {"min_count": {"type": "integer", "minimum": 1, "default": 1}},
            "additionalProperties": False,
        },
        "limit": limit(20, 500),
    },
    example={"group_by": "dealer", "tags": {"portal": "negative_experience"}},
    into=READING,
)
def vcon_aggregate(arguments: dict[str, Any], scope: Scope) -> Row:
    """Count groups of vCons and those of them that have tags."""
    asked = arguments["group_by"]
    by = "account" if asked == "dealer" else asked
    if by not in vcon_figures.GROUPS and not (by.startswith("tag:") and by != "tag:"):
        valid = ["dealer", *(name for name in vcon_figures.GROUPS if name != "account"), "tag:<key>"]
        raise VconFault("INVALID_ARGUMENT", "group_by is none of the groups.", argument="group_by", valid_values=valid)
    if by == "party_domain" and not scope.verbatim:
        raise VconFault("UNSUPPORTED_FILTER", "The policy of this server withholds addresses.", filters=["group_by"])
    filters, understood = filters_of(scope, arguments.get("filters", {}), {})
    wanted = arguments["limit"]
    rows = vcon_figures.groups(
        scope.store,
        by,
        tags=tuple(sorted(arguments["tags"].items())),
        filters=filters,
        min_count=max(arguments.get("having", {}).get("min_count", 1), scope.policy.min_cell),
        limit=wanted + 1,
        source=scope.taxonomy.account,
    )
    cells = SmallCells(scope.policy.min_cell)
    groups = [_group(by, dict(row), cells) for row in rows[:wanted]]
    covered = None
    if by == "account":
        covered = vcon_shape.coverage(scope.store, account=scope.taxonomy.account)
    elif by.startswith("tag:"):
        covered = vcon_shape.coverage(scope.store, tag=by.removeprefix("tag:"))
    return Aggregate(
        item=Rollup(
            group_by=asked,
            rows=groups,
            vcons_total=vcon_figures.totals(scope.store)["vcons"],
            vcons_with_group=covered,
            truncated=len(rows) > wanted,
            interval=understood or None,
        )
    )


def _group(by: str, row: dict[str, Any], cells: SmallCells) -> Group:
    filtered, baseline = cells.count(row["filtered_count"]), cells.count(row["baseline_count"])
    out = Group(filtered_count=filtered, baseline_count=baseline, rate=filtered / baseline if baseline else 0.0)
    if by == "account":
        out.dealer_id, out.dealer_name = row["group_key"], row["group_label"] or None
        out.team_id, out.team_name = row["team_id"] or None, row["team_name"] or None
    else:
        out.group_value = row["group_key"]
    return out


# --- graph of shapes -----------------------------------------------------------------------------------------


class Node(Row, kw_only=True):
    """A kind of thing that vCons hold."""

    id: Id
    kind: Word
    label: Label
    vcon_count: Count
    distinct_values: Count | None = None


class Edge(Row, kw_only=True):
    """Two of them in the same vCons."""

    id: Id
    kind: Word
    source: Id
    target: Id
    joint_vcon_count: Count


class CorpusNotes(Row, kw_only=True):
    """How the graph was counted."""

    vcons_total: Count
    notes: Words


class Graph(Row, kw_only=True):
    """The shape graph."""

    schema_version: Word
    generated_at: Time | None = None
    corpus: CorpusNotes
    nodes: list[Node]
    edges: list[Edge]
    truncated: Flag


class GraphAnswer(Row, kw_only=True):
    """Answer of ``vcon_graph_shape``."""

    item: Graph


@vcon_tool(
    "vcon_graph_shape",
    title="Shape of the corpus",
    description=(
        "The shape graph of the corpus: analysis types, attachment purposes, older attachment types and tag keys as "
        f"nodes, joint occurrence as edges. The same as the resource {SHAPE_URI}."
    ),
    category="read",
    answer=GraphAnswer,
    contract=True,
    into=READING,
)
def vcon_graph_shape(_arguments: dict[str, Any], scope: Scope) -> Row:
    """Count what vCons hold."""
    store, least = scope.store, scope.policy.min_cell
    rows = [row for row in vcon_shape.shape_nodes(store, limit=_NODES + 1) if row["vcons"] >= least]
    cut = [row for row in rows if sum(other["kind"] == row["kind"] for other in rows) > _NODES]
    kinds = dict.fromkeys(row["kind"] for row in rows)
    last = {kind: [row for row in rows if row["kind"] == kind][:_NODES] for kind in kinds}
    values = vcon_shape.tag_cardinality(store)
    nodes = [
        Node(
            id=_node(row["kind"], row["label"]),
            kind=row["kind"],
            label=row["label"],
            vcon_count=row["vcons"],
            distinct_values=values.get(row["label"]) if row["kind"] == "tag_key" else None,
        )
        for kept in last.values()
        for row in kept
    ]
    edges = [
        Edge(
            id=f"edge:{_JOINT}:{quote(row['analysis_type'], '')}:{quote(row['purpose'], '')}",
            kind=_JOINT,
            source=_node("analysis_type", row["analysis_type"]),
            target=_node("attachment_purpose", row["purpose"]),
            joint_vcon_count=row["vcons"],
        )
        for row in vcon_figures.joint_counts(store, limit=_EDGES)
        if row["vcons"] >= least
    ]
    return GraphAnswer(
        item=Graph(
            schema_version=SHAPE_VERSION,
            generated_at=scope.as_of or None,
            corpus=CorpusNotes(
                vcons_total=vcon_figures.totals(store)["vcons"], notes=["Counts are of distinct vCons."]
            ),
            nodes=nodes,
            edges=edges,
            truncated=bool(cut) or len(edges) >= _EDGES,
        )
    )


def _node(kind: str, label: str) -> str:
    return f"{kind}:{quote(label, '')}"
