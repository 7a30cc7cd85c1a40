"""What SQLite tells of the tables of vCons: sizes, indexes, statistics, plans. Only of these tables, whatever else the
file holds. What SQLite does not keep (scans, dead rows, cache hits) has no function here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gongmcp.store.connection import ReadStore
from gongmcp.store.vcon_schema import VCON_INDEXES, VCON_TABLES

STATEMENTS: Final[Mapping[str, str]] = {
    "vcon_by_uuid": "SELECT * FROM vcons WHERE uuid = ''",
    "newest_vcons": "SELECT * FROM vcons ORDER BY created_ms DESC, vcon_no DESC LIMIT 25",
    "vcons_between": "SELECT * FROM vcons WHERE created_ms >= 0 AND created_ms < 1 ORDER BY created_ms DESC LIMIT 25",
    "vcons_with_tag": "SELECT vcon_no FROM vcon_tags WHERE tag_key = '' AND tag_value = ''",
    "keyword_search": "SELECT rowid FROM vcon_texts_fts WHERE vcon_texts_fts MATCH 'word' ORDER BY rowid DESC LIMIT 25",
    "party_by_address": "SELECT vcon_no FROM vcon_parties WHERE mailto_key = ''",
    "vcons_of_account": "SELECT vcon_no FROM vcon_accounts WHERE source = '' AND account_id = ''",
    "analyses_by_type": "SELECT analysis_type, count(*) FROM vcon_analyses GROUP BY analysis_type",
    "attachments_by_purpose": "SELECT purpose, count(*) FROM vcon_attachments GROUP BY purpose",
    "growth_by_month": "SELECT created_month, count(*) FROM vcons GROUP BY created_month",
}
"""The product's own statements, by name, with empty values where a search puts its own."""

PRETTY: Final = ("bytes", "kB", "MB", "GB", "TB")
_SHADOWS: Final = ("_data", "_idx", "_docsize", "_config")
_COMMENT: Final = re.compile(r"--[^\n]*")


@dataclass(frozen=True, slots=True)
class Index:
    """One index: *automatic* ones stand for a primary key or a unique column."""

    table: str
    name: str
    sql: str
    automatic: bool


@dataclass(frozen=True, slots=True)
class Column:
    """One column as it is declared."""

    name: str
    kind: str
    nullable: bool


def pretty(size: float) -> str:
    """Return *size* in bytes for people."""
    for unit in PRETTY[:-1]:
        if abs(size) < 1024:
            return f"{size:.0f} {unit}" if unit == PRETTY[0] else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {PRETTY[-1]}"


def tables(*, store: bool) -> tuple[str, ...]:
    """Return the tables of vCons; in a *store* with the one that holds them verbatim."""
    return (("raw_vcons",) if store else ()) + VCON_TABLES


def row_count(store: ReadStore, table: str) -> int:
    """Return how many rows *table*, one of ``tables``, has."""
    row = store.one(f"SELECT count(*) FROM {table}")
    return int(row[0]) if row else 0


def object_size(store: ReadStore, name: str) -> int:
    """Return the bytes of the pages of a table or index; of a full-text index those of its parts."""
    names = [name, *(name + shadow for shadow in _SHADOWS)] if name in VCON_INDEXES else [name]
    total = 0
    for part in names:
        row = store.one("SELECT pgsize FROM dbstat WHERE aggregate = 1 AND name = :name", {"name": part})
        total += int(row[0]) if row is not None and row[0] is not None else 0
    return total


def indexes(store: ReadStore, table: str) -> list[Index]:
    """Return the indexes of *table* by name."""
    rows = store.rows(
        "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = :table ORDER BY name",
        {"table": table},
    )
    return [Index(row["tbl_name"], row["name"], row["sql"] or "", row["sql"] is None) for row in rows]


def columns(store: ReadStore, table: str) -> list[Column]:
    """Return the columns of *table* in order."""
    row = store.one("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = :table", {"table": table})
    if row is None:
        return []
    text = _COMMENT.sub("", row["sql"])
    body = text[text.index("(") + 1 : text.rindex(")")]
    out = []
    for part in re.split(r",(?![^(]*\))", body):
        words = part.split()
        if len(words) > 1 and words[0] not in ("PRIMARY", "UNIQUE", "CHECK", "FOREIGN"):
            out.append(Column(words[0], words[1], "NOT NULL" not in part and "PRIMARY KEY" not in part))
    return out


def statistics(store: ReadStore) -> dict[str, str]:
    """Return what ``ANALYZE`` kept of each index; empty when it never ran."""
    if store.one("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'") is None:
        return {}
    return {row["idx"]: row["stat"] for row in store.rows("SELECT idx, stat FROM sqlite_stat1 WHERE idx IS NOT NULL")}


def plan(store: ReadStore, statement: str) -> list[str]:
    """Return the lines of the plan of a statement, inner ones indented. Nothing is run."""
    depth: dict[int, int] = {0: -1}
    lines = []
    for row in store.rows(f"EXPLAIN QUERY PLAN {statement}"):
        depth[row["id"]] = depth.get(row["parent"], -1) + 1
        lines.append("  " * depth[row["id"]] + row["detail"])
    return lines


def used_indexes(store: ReadStore) -> dict[str, list[str]]:
    """Return for each index of vCons the names of the product's own statements that use it."""
    found: dict[str, list[str]] = {}
    for name, statement in STATEMENTS.items():
        for line in plan(store, statement):
            if match := re.search(r"USING (?:COVERING )?INDEX (\w+)", line):
                found.setdefault(match[1], []).append(name)
    return found


def scanned_tables(store: ReadStore) -> dict[str, tuple[int, int]]:
    """Return for each table how many of the product's statements scan it and how many search it by an index."""
    found: dict[str, tuple[int, int]] = {}
    for statement in STATEMENTS.values():
        for line in plan(store, statement):
            match = re.match(r"\s*(SCAN|SEARCH) (\w+)", line)
            if match:
                scans, searches = found.get(match[2], (0, 0))
                scanned = match[1] == "SCAN" and "VIRTUAL TABLE" not in line and "USING" not in line
                found[match[2]] = (scans + scanned, searches + (not scanned))
    return found
