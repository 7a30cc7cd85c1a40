"""Whether a file is a cache that this program can serve; each thing that can be wrong has its own refusal."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

from gongmcp.refusals import refused
from gongmcp.store.schema import APPLICATION_ID, MODEL_DDL, RAW_DDL, SCHEMA_VERSION
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_CONSTRAINTS = frozenset({"PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT"})


@cache
def declared_columns() -> dict[str, frozenset[str]]:
    """Return the columns of each table that the schema declares, read from its own text."""
    script = re.sub(r"--[^\n]*", "", RAW_DDL + MODEL_DDL)
    tables = {}
    for name, rest in re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)[^(]*\(((?:[^;'\"]|'[^']*'|\"[^\"]*\")*);", script):
        parts = [part.strip() for part in _at_top_level(rest)]
        named = [part.split()[0] for part in parts if part and "=" not in part.partition("(")[0]]
        tables[name] = frozenset(word for word in named if word not in _CONSTRAINTS)
    return tables


def _at_top_level(body: str) -> list[str]:
    """Split at the commas outside inner brackets, up to the bracket that ends the table."""
    parts, part, depth = [], "", 0
    for sign in body:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += sign
    return [*parts, part]


def check_cache_file(
    path: Path, connect: Callable[[Path], sqlite3.Connection], application: int = APPLICATION_ID
) -> None:
    """Refuse a cache that is missing, no file, empty, foreign, older, newer, truncated or damaged.

    *connect* opens the file read-only; *application* is the id that it must bear. Nothing is written or created.
    """
    _check_header(path)
    try:
        with closing(connect(path)) as connection:
            found_application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if found_application != application:
                store = application == APPLICATION_ID and found_application == VCON_APPLICATION_ID
                raise refused("cache_is_vcon_store" if store else "cache_foreign")
            if version > SCHEMA_VERSION:
                raise refused("cache_newer", found=version, known=SCHEMA_VERSION)
            if version < SCHEMA_VERSION:
                raise refused("cache_older", found=version, known=SCHEMA_VERSION)
            for table, columns in declared_columns().items():
                found = connection.execute("SELECT name FROM pragma_table_info(:table)", {"table": table})
                if not columns <= {row[0] for row in found}:
                    raise refused("cache_incomplete")
    except sqlite3.DatabaseError as error:
        if "readonly" in str(error) or "unable to open" in str(error):
            raise refused("cache_log_left") from error
        raise refused("cache_damaged") from error


def _check_header(path: Path) -> None:
    try:
        if not path.exists():
            raise refused("cache_missing")
        if not path.is_file():
            raise refused("cache_no_file")
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
        length = path.stat().st_size
    except OSError as error:
        raise refused("cache_unreadable", reason=error.strerror) from error
    if not header:
        raise refused("cache_empty")
    if not header.startswith(_MAGIC):
        raise refused("cache_no_database")
    if length < _promised_bytes(header) and not Path(f"{path}-wal").exists():
        raise refused("cache_truncated")


def _promised_bytes(header: bytes) -> int:
    """Return how long the file is by its own header (https://sqlite.org/fileformat.html#the_database_header)."""
    if len(header) < _HEADER_BYTES:
        return _HEADER_BYTES
    if header[24:28] != header[92:96]:  # an old SQLite wrote last: the count of pages is not valid
        return 0
    size = int.from_bytes(header[16:18], "big")
    return int.from_bytes(header[28:32], "big") * (65536 if size == 1 else size)
