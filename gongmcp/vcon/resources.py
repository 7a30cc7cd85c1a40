"""Resources under ``vcon://v1/``: lists of vCons, one vCon and its parts, what there is to discover.

Each stands for a tool and exists where that tool is offered. Those whose whole content is what people said are
offered over a store alone.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from gongmcp.render.offers import ResourceInfo
from gongmcp.store import vcon_read, vcon_shape
from gongmcp.store import vcon_search as lookup
from gongmcp.vcon import cursor as cursors
from gongmcp.vcon.contract_graph import vcon_graph_shape
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.items import documents
from gongmcp.vcon.periods import most_first
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import plain
from gongmcp.vcon.tag_tools import TagsAnswer, cleaned
from gongmcp.vcon.when import interval

PREFIX: Final = "vcon://v1/"
_PARTS: Final = ("parties", "dialog", "analysis", "attachments")
_LISTED: Final = "vcons/ids"

Variables = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class VconResource:
    """One resource, or a template of them. *tool* must be offered; *whole* = it shows bodies as they are."""

    path: str
    title: str
    tool: str
    make: Callable[[Scope, Variables], dict[str, Any]]
    whole: bool = False

    @property
    def uri(self) -> str:
        """Its address."""
        return PREFIX + self.path

    @property
    def is_template(self) -> bool:
        """Whether its address has variables."""
        return "{" in self.path

    def exists(self, offered: Collection[str], *, verbatim: bool) -> bool:
        """Tell whether it is offered."""
        return self.tool in offered and (verbatim or not self.whole)

    def info(self) -> ResourceInfo:
        """Return how it is listed."""
        return ResourceInfo(self.uri, self.path.replace("{", "").replace("}", ""), self.title, f"{self.title}.")

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the variables of *uri*, None when it is another address."""
        if not uri.startswith(PREFIX):
            return None
        steps, wanted = uri.removeprefix(PREFIX).split("/"), self.path.split("/")
        if len(steps) != len(wanted):
            return None
        found: dict[str, str] = {}
        for step, want in zip(steps, wanted, strict=True):
            if want.startswith("{"):
                try:
                    found[want[1:-1]] = unquote(step, errors="strict")
                except UnicodeDecodeError:
                    return None
                if not found[want[1:-1]]:
                    return None
            elif step != want:
                return None
        return found


def _number(variables: Variables, default: int, most: int) -> int:
    text = variables.get("n", str(default))
    # Nothing longer is read: of thousands of digits Python makes no number.
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
        raise VconFault("INVALID_ARGUMENT", f"The number is from 1 to {most}.", argument="n")
    return int(text)


def _newest(scope: Scope, wanted: int) -> list[sqlite3.Row]:
    return lookup.page(scope.store, lookup.VconFilters(), limit=wanted)


def _identified(scope: Scope, row: sqlite3.Row) -> dict[str, Any]:
    shown: dict[str, Any] = scope.leaves(documents(scope, [row], ())[0])
    return {key: shown[key] for key in ("uuid", "created_at", "subject") if key in shown}


def _recent(scope: Scope, variables: Variables) -> dict[str, Any]:
    wanted = _number(variables, 10, 100)
    rows = _newest(scope, wanted)
    found = [scope.leaves(vcon) for vcon in documents(scope, rows, _PARTS if scope.verbatim else ("parties",))]
    return {"count": len(found), "limit": wanted, "vcons": found}


def _recent_ids(scope: Scope, variables: Variables) -> dict[str, Any]:
    wanted = _number(variables, 10, 100)
    found = [_identified(scope, row) for row in _newest(scope, wanted)]
    return {"count": len(found), "limit": wanted, "vcons": found}


def _ids(scope: Scope, variables: Variables) -> dict[str, Any]:
    wanted = _number(variables, 100, 1000)
    bound = cursors.binding(scope, _LISTED, {}, ranked=False)
    after: tuple[int, int] | None = None
    filters = lookup.VconFilters()
    if mark := variables.get("after"):
        if mark[:4].isdigit() and mark[4:5] == "-":
            before = interval({"after": mark}, "after", "none").start
            filters = lookup.VconFilters(created_to=before)
        else:
            key = cursors.opened(scope, mark, bound)
            assert key is not None
            after = int(key[0]), int(key[1])
    rows = lookup.page(scope.store, filters, limit=wanted + 1, after=after)
    more, rows = len(rows) > wanted, rows[:wanted]
    return {
        "count": len(rows),
        "limit": wanted,
        "has_more": more,
        "next_cursor": cursors.sealed(scope, (rows[-1]["sort_ms"], rows[-1]["vcon_no"]), bound) if more else None,
        "vcons": [_identified(scope, row) for row in rows],
    }


def _header(scope: Scope, variables: Variables) -> sqlite3.Row:
    row = vcon_read.header(scope.store, variables["uuid"])
    if row is None:
        raise VconFault("NOT_FOUND", "No such vCon is here.")
    return row


def _one(*parts: str) -> Callable[[Scope, Variables], dict[str, Any]]:
    def make(scope: Scope, variables: Variables) -> dict[str, Any]:
        out: dict[str, Any] = scope.leaves(documents(scope, [_header(scope, variables)], parts)[0])
        return out

    return make


def _part(name: str) -> Callable[[Scope, Variables], dict[str, Any]]:
    def make(scope: Scope, variables: Variables) -> dict[str, Any]:
        return {name: _one(name)(scope, variables).get(name, [])}

    return make


def _kinds(part: str, column: str, named: str, only: str = "") -> Callable[[Scope, Variables], dict[str, Any]]:
    """Make the elements of *part* whose *column* is *only*, or else what the address says."""

    def make(scope: Scope, variables: Variables) -> dict[str, Any]:
        wanted = only or variables[column]
        found = [item for item in _one(part)(scope, variables).get(part, []) if item.get(column) == wanted]
        return {"count": len(found), **({} if only else {column: wanted}), named: found}

    return make


def _tags(scope: Scope, variables: Variables) -> dict[str, Any]:
    number = _header(scope, variables)["vcon_no"]
    found = vcon_read.tags(scope.store, [number])[number]
    return {"tags": found} if scope.verbatim else scope.shown(TagsAnswer(tags=cleaned(found)))


def _discovery(kinds: Collection[str], named: str) -> Callable[[Scope, Variables], dict[str, Any]]:
    def make(scope: Scope, _variables: Variables) -> dict[str, Any]:
        found = [
            {"value": row["label"], "count": row["vcons"] - row["vcons"] % scope.policy.min_cell}
            for row in most_first(scope, vcon_shape.shape_nodes(scope.store, limit=1000), ("label",))
            if row["kind"] in kinds
        ]
        return {"count": len(found), named: found}

    return make


def _graph(scope: Scope, _variables: Variables) -> dict[str, Any]:
    graph: dict[str, Any] = scope.shown(vcon_graph_shape({}, scope))["item"]
    return graph


_UUID: Final = "vcons/{uuid}"

RESOURCES: Final[tuple[VconResource, ...]] = (
    VconResource("vcons/recent", "The ten newest vCons", "get_vcon", _recent),
    VconResource("vcons/recent/{n}", "The newest vCons", "get_vcon", _recent),
    VconResource("vcons/recent/ids", "Ids of the ten newest vCons", "search_vcons", _recent_ids),
    VconResource("vcons/recent/ids/{n}", "Ids of the newest vCons", "search_vcons", _recent_ids),
    VconResource("vcons/ids", "Ids of vCons, newest first", "search_vcons", _ids),
    VconResource("vcons/ids/{n}", "Ids of so many vCons", "search_vcons", _ids),
    VconResource("vcons/ids/{n}/after/{after}", "Ids behind a cursor or before a moment", "search_vcons", _ids),
    VconResource(_UUID, "One vCon", "get_vcon", _one(*_PARTS), whole=True),
    VconResource(f"{_UUID}/metadata", "One vCon without its arrays", "get_vcon", _one()),
    VconResource(f"{_UUID}/parties", "Parties of a vCon", "get_vcon", _part("parties")),
    VconResource(f"{_UUID}/dialog", "Dialogs of a vCon", "get_vcon", _part("dialog"), whole=True),
    VconResource(f"{_UUID}/analysis", "Analyses of a vCon", "get_vcon", _part("analysis"), whole=True),
    VconResource(f"{_UUID}/attachments", "Attachments of a vCon", "get_vcon", _part("attachments"), whole=True),
    VconResource(
        f"{_UUID}/attachments/type/{{type}}",
        "Attachments of a type",
        "get_vcon",
        _kinds("attachments", "type", "attachments"),
        whole=True,
    ),
    VconResource(
        f"{_UUID}/attachments/purpose/{{purpose}}",
        "Attachments of a purpose",
        "get_vcon",
        _kinds("attachments", "purpose", "attachments"),
        whole=True,
    ),
    VconResource(
        f"{_UUID}/analysis/type/{{type}}",
        "Analyses of a type",
        "get_vcon",
        _kinds("analysis", "type", "analysis"),
        whole=True,
    ),
    VconResource(
        f"{_UUID}/transcript",
        "Transcripts of a vCon",
        "get_vcon",
        _kinds("analysis", "type", "transcripts", "transcript"),
        whole=True,
    ),
    VconResource(
        f"{_UUID}/summary",
        "Summaries of a vCon",
        "get_vcon",
        _kinds("analysis", "type", "summaries", "summary"),
        whole=True,
    ),
    VconResource(f"{_UUID}/tags", "Tags of a vCon", "get_tags", _tags),
    VconResource(
        "discovery/attachments/types",
        "Older types of attachments",
        "vcon_graph_shape",
        _discovery(("attachment_type_legacy",), "attachment_types"),
    ),
    VconResource(
        "discovery/attachments/purposes",
        "Purposes of attachments",
        "vcon_graph_shape",
        _discovery(("attachment_purpose",), "attachment_purposes"),
    ),
    VconResource(
        "discovery/analysis/types",
        "Types of analyses",
        "vcon_graph_shape",
        _discovery(("analysis_type",), "analysis_types"),
    ),
    VconResource("graph/shape", "Shape graph of the corpus", "vcon_graph_shape", _graph),
)
"""All resources in the order in which they are listed."""


def find(uri: str) -> tuple[VconResource, dict[str, str]] | None:
    """Return the resource at *uri* and its variables; a fixed address goes before a template."""
    for resource in sorted(RESOURCES, key=lambda item: item.is_template):
        found = resource.match(uri)
        if found is not None:
            return resource, found
    return None


def text_of(body: Mapping[str, Any]) -> str:
    """Return the JSON of a resource."""
    return json.dumps(plain(dict(body)), ensure_ascii=False, separators=(",", ":"))
