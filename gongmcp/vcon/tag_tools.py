"""The older tools about tags: ``get_tags``, ``search_by_tags``, ``get_unique_tags``."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Annotated, Any, Final

from gongmcp.exposure.clean import clean
from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures, vcon_read
from gongmcp.store import vcon_search as lookup
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.items import documents
from gongmcp.vcon.parameters import (
    TAGS,
    TEXT,
    UUID,
    filters_of,
    limit,
    switch,
)
from gongmcp.vcon.read_tools import LIGHT, OFFSET, PARTS
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Count, Document, Flag, Id, Label, Labels, Number, TagMap, Word
from gongmcp.vcon.tag_figures import values_in_order

_FULL_BY_DEFAULT: Final = 20


class TagsAnswer(Row, kw_only=True):
    """Answer of ``get_tags``: one tag when *key* was given, else all."""

    vcon_uuid: Id | None = None
    key: Label | None = None
    value: Annotated[Any, shown(Field.LABEL)] = None
    exists: Flag | None = None
    tags: TagMap | None = None
    count: Number | None = None


@vcon_tool(
    "get_tags",
    title="Get tags",
    description="Retrieve the tags of a vCon; with key one of them, with default_value where it is not there.",
    category="read",
    answer=TagsAnswer,
    properties={
        "vcon_uuid": UUID,
        "key": {"type": "string", "minLength": 1, "maxLength": 256},
        "default_value": {"description": "A string, number, truth value or null; used when key is given."},
    },
    required=("vcon_uuid",),
    instead='vcon_fetch with include ["core","tags"]',
    example={"vcon_uuid": "123e4567-e89b-12d3-a456-426614174000", "key": "department"},
    into=READING,
)
def get_tags(arguments: dict[str, Any], scope: Scope) -> Row:
    """Return one tag or all of one vCon."""
    header = vcon_read.header(scope.store, arguments["vcon_uuid"])
    if header is None:
        raise VconFault("NOT_FOUND", "No such vCon is here.")
    found = vcon_read.tags(scope.store, [header["vcon_no"]])[header["vcon_no"]]
    default = arguments.get("default_value")
    if isinstance(default, list | dict):
        raise VconFault(
            "INVALID_ARGUMENT", "default_value is a string, number, truth value or null.", argument="default_value"
        )
    if key := arguments.get("key"):
        return TagsAnswer(key=key, value=found.get(key, default), exists=key in found)
    return TagsAnswer(vcon_uuid=header["uuid"], tags=cleaned(found), count=len(found))


def cleaned(tags: Mapping[str, str]) -> dict[str, str]:
    """Return *tags* with keys that hold no invisible characters; the engine looks at values alone."""
    return {clean(key)[0]: value for key, value in tags.items()}


class ByTags(Row, kw_only=True):
    """Answer of ``search_by_tags``."""

    count: Number
    tags_searched: Annotated[dict[str, str], shown(Field.ECHO)]
    vcon_uuids: Annotated[list[str], shown(Field.CALL_REF)]
    vcons: list[Document] | None = None
    has_more: Flag
    total_count: Count
    message: Word | None = None


@vcon_tool(
    "search_by_tags",
    title="Find vCons by tags",
    description="Find vCons by tags, all of which must match exactly.",
    category="read",
    answer=ByTags,
    rate="search",
    properties={
        "tags": {**TAGS, "minProperties": 1},
        "limit": limit(50, 100),
        "offset": OFFSET,
        "return_full_vcons": {
            "type": "boolean",
            "description": f"Left out: true for up to {_FULL_BY_DEFAULT} matches, else false.",
        },
        "max_full_vcons": limit(20, 50),
    },
    required=("tags",),
    instead="vcon_search",
    example={"tags": {"department": "support", "priority": "high", "status": "open"}, "limit": 25},
    into=READING,
)
def search_by_tags(arguments: dict[str, Any], scope: Scope) -> Row:
    """Find vCons by exact tags."""
    filters, _ = filters_of(scope, {}, arguments["tags"])
    wanted = arguments["limit"]
    rows = lookup.page(scope.store, filters, limit=wanted + 1, offset=arguments["offset"])
    kept: list[sqlite3.Row] = rows[:wanted]
    full = arguments.get("return_full_vcons")
    if full is None:
        full = len(kept) <= _FULL_BY_DEFAULT
    most = arguments["max_full_vcons"]
    message = None
    if not full and kept:
        message = "Only uuids are listed; return_full_vcons true brings the vCons."
    elif full and len(kept) > most:
        message = f"The first {most} vCons are here in full; uuids lists all."
    return ByTags(
        count=len(kept),
        tags_searched=arguments["tags"],
        vcon_uuids=[row["uuid"] for row in kept],
        vcons=documents(scope, kept[:most], PARTS if scope.verbatim else LIGHT) if full else None,
        has_more=len(rows) > wanted,
        total_count=lookup.count(scope.store, filters),
        message=message,
    )


class UniqueTags(Row, kw_only=True):
    """Answer of ``get_unique_tags``."""

    unique_keys: Labels
    unique_key_count: Count
    tags_by_key: Annotated[dict[str, list[str]], shown(Field.LABEL)]
    counts_per_value: Annotated[dict[str, dict[str, int]] | None, shown(Field.MEASURE)] = None  # coarse already
    total_vcons_with_tags: Count


@vcon_tool(
    "get_unique_tags",
    title="Tags of all vCons",
    description="Discover all tag keys and values of the corpus, with counts when they are asked for.",
    category="read",
    answer=UniqueTags,
    properties={
        "include_counts": switch(False),
        "key_filter": {**TEXT, "description": "Part of a key, whatever the case."},
        "min_count": {"type": "integer", "minimum": 1, "default": 1},
    },
    instead="vcon_taxonomy",
    example={"include_counts": True, "key_filter": "department"},
    into=READING,
)
def get_unique_tags(arguments: dict[str, Any], scope: Scope) -> Row:
    """List keys and values of tags."""
    cells = SmallCells(scope.policy.min_cell)
    least = cells.at_least(arguments["min_count"])
    found = vcon_figures.tag_values(scope.store, key_filter=arguments.get("key_filter", ""), min_count=least)
    rows = values_in_order(scope, found)
    by_key: dict[str, list[str]] = {}
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        key, value = clean(row["tag_key"])[0], clean(row["tag_value"])[0]
        by_key.setdefault(key, []).append(value)
        counts.setdefault(key, {})[value] = cells.count(row["count"])
    return UniqueTags(
        unique_keys=list(by_key),
        unique_key_count=len(by_key),
        tags_by_key=by_key,
        counts_per_value=counts if arguments["include_counts"] else None,
        total_vcons_with_tags=vcon_figures.tagged(scope.store),
    )
