"""``vcon_graph_shape``: what vCons hold, and what occurs together."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.periods import most_first
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Count, Flag, Id, Label, Time, Word, Words

SHAPE_URI: Final = "vcon://v1/graph/shape"
SHAPE_VERSION: Final = "1.0.0"
SHAPE_ID: Final = "https://vcon.dev/mcp/shape-graph/1-0-0"
_NODES: Final = 200
_EDGES: Final = 400
_JOINT: Final = "analysis_type_with_attachment_purpose"


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
    store = scope.store
    found = vcon_shape.shape_nodes(store, limit=_NODES + 1)
    rows = sorted(most_first(scope, found, ("label",)), key=lambda row: str(row["kind"]))
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
        for row in most_first(scope, vcon_figures.joint_counts(store, limit=_EDGES), ("analysis_type", "purpose"))
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
