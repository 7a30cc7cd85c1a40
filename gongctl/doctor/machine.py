"""Looking at the machine: Python and SQLite, the settings in the environment, the clock."""

from __future__ import annotations

import datetime as dt
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from gongctl.clients.command_line import program
from gongctl.doctor.findings import Finding
from gongmcp import __version__
from gongmcp.errors import StartupRefusal
from gongmcp.settings import ServerSettings

_OLDEST_SQLITE: Final = (3, 38, 0)
_RELEASED: Final = dt.datetime(2025, 6, 1, tzinfo=dt.UTC)
"""No clock can be right that stands before the program was made."""


def environment(variables: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the interpreter, its SQLite, the server's command and the settings that *variables* make."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("environment", "python", "ok", f"Python {version}, gongctl {__version__}.")
    yield _sqlite()
    line = program()
    if len(line) == 1:
        yield Finding("environment", "server command", "ok", f"gongmcp is {line[0]}.")
    else:
        yield Finding(
            "environment",
            "server command",
            "warn",
            "The command gongmcp is neither beside this Python nor on the path; clients would start its module.",
            "Install the package with its commands, or put its bin folder on PATH.",
        )
    encoding = sys.getfilesystemencoding()
    if encoding.lower().replace("-", "") == "utf8":
        yield Finding("environment", "file names", "ok", "File names are UTF-8.")
    else:
        yield Finding(
            "environment", "file names", "warn", f"File names are {encoding}, not UTF-8.", "Set LANG to a UTF-8 locale."
        )
    try:
        ServerSettings.resolve({}, variables)
    except StartupRefusal as refusal:
        yield Finding("environment", "settings", "fail", refusal.message, refusal.hint)
    else:
        set_here = sorted(name for name in variables if name.startswith(("GONGMCP_", "GONGCTL_")))
        what = f"Set here: {', '.join(set_here)}." if set_here else "No variable of gongmcp or gongctl is set."
        yield Finding("environment", "settings", "ok", what)
    if variables.get("GONGCTL_DEBUG", "") not in {"", "0"}:
        yield Finding(
            "environment",
            "debugging",
            "warn",
            "GONGCTL_DEBUG is set: tracebacks may show text of calls.",
            "Unset it when you are done.",
        )


def clock(variables: Mapping[str, str]) -> Iterator[Finding]:
    """Look at whether this machine's clock can be right."""
    now = dt.datetime.now(dt.UTC)
    if now < _RELEASED:
        yield Finding(
            "clock",
            "system clock",
            "fail",
            f"The clock says {now:%Y-%m-%d %H:%M} UTC, which is before this program was made.",
            "Set the clock; sync asks for windows of time.",
        )
    else:
        yield Finding("clock", "system clock", "ok", f"It is {now:%Y-%m-%d %H:%M} UTC.")
    if variables.get("SOURCE_DATE_EPOCH"):
        yield Finding(
            "clock",
            "fixed time",
            "warn",
            "SOURCE_DATE_EPOCH is set: imports are dated with it, not with the time that it is.",
            "Unset it outside of tests and builds.",
        )


def _sqlite() -> Finding:
    found = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        return Finding(
            "environment", "sqlite", "fail", f"{found} is too old.", "Use a Python with SQLite 3.38 or newer."
        )
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='trigram')")
            connection.execute("CREATE TABLE s (x INTEGER) STRICT")
            connection.execute("SELECT json_each.value FROM json_each('[1]')").fetchone()
    except sqlite3.OperationalError as error:
        return Finding(
            "environment",
            "sqlite",
            "fail",
            f"{found} lacks what a cache needs ({error}).",
            "Use a Python whose SQLite has FTS5 and JSON.",
        )
    return Finding("environment", "sqlite", "ok", f"{found} with FTS5, trigrams, strict tables and JSON.")


def writable(folder: Path) -> bool:
    """Tell whether this user may write into *folder*."""
    return os.access(folder, os.W_OK | os.X_OK)
