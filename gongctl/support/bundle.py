"""A folder of files that tells how an installation is, without anything of customers.

What goes in is chosen field by field from closed lists: counts, sizes, versions, statuses, times of this program. No
payload is read, no text of a call, no id, title, name or address, no path, no value of a setting that is free text.
``manifest.json`` says what is in and what is not.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gongctl.cache.clock import utc_now
from gongctl.cache.connection import reading
from gongctl.cache.soundness import count_faults, index_faults
from gongctl.cache.status import CacheStatus, cache_status
from gongctl.clients.command_line import FILES
from gongctl.doctor.findings import Finding
from gongmcp import __version__
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.settings import SETTINGS, ServerSettings
from gongmcp.store.model import ModelRules
from gongmcp.store.schema import SCHEMA_VERSION

IN: Final = {
    "manifest.json": "this list, with the size and SHA-256 of each file",
    "program.json": "versions of gongctl, Python, SQLite and the libraries; the kind of system",
    "settings.json": "which settings are set and where (flag, variable, file); values of closed lists and numbers only",
    "cache.json": "counts, sizes, schema, freshness, dates of imports; how many calls a month",
    "doctor.json": "areas, checks and statuses of gongctl doctor, without their messages",
    "tools.json": "names of the tools that are offered, and what their definitions cost",
}
NOT_IN: Final = (
    "payloads, transcripts, titles, names, addresses, phone numbers, CRM values, scorecard answers",
    "ids and aliases of calls, people and CRM objects",
    "the restricted list, business profiles, the lock, audit logs, configurations of clients",
    "paths, names of hosts and users, variables of the environment other than whether ours are set",
    "keys, tokens and secrets",
)
_LIBRARIES: Final = ("mcp", "msgspec", "sqlite-utils", "textual", "typer", "rich", "ruamel.yaml", "cryptography")
_TOLD: Final = frozenset({"tool_preset", "provenance", "policy_switches", "mask_participants", "lock_mode"})
"""Settings of which the value may be told besides numbers: it is of a closed list."""


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a bundle: its name, size and SHA-256."""

    name: str
    file_bytes: int
    sha256: str


def write_bundle(
    out: Path,
    db: Path | None,
    settings: ServerSettings,
    findings: Iterable[Finding],
    tools: Iterable[Mapping[str, Any]],
) -> list[BundleFile]:
    """Write the bundle into the folder *out*, which must be empty or missing; return its files.

    *settings* are those in force, *findings* those of ``gongctl doctor``, *tools* the figures of
    ``gongctl mcp tools --stats``.

    Raises:
        StartupRefusal: the folder is not empty or cannot be written, or *db* is no cache.
    """
    contents: dict[str, Any] = {
        "program.json": _program(),
        "settings.json": _settings(settings),
        "doctor.json": [{"area": f.area, "check": _check(f), "status": f.status} for f in findings],
        "tools.json": list(tools),
    }
    if db is not None:
        contents["cache.json"] = _cache(db, settings.model_rules())
    with _whole_or_nothing(out):
        return _written(out, contents)


def _written(out: Path, contents: Mapping[str, Any]) -> list[BundleFile]:
    files = [_write(out, name, contents[name]) for name in sorted(contents)]
    manifest = {
        "version": 1,
        "made_at": utc_now(),
        "contains_customer_data": False,
        "in": [{"file": name, "holds": IN[name]} for name in IN if name in contents or name == "manifest.json"],
        "not_in": list(NOT_IN),
        "files": [{"file": f.name, "file_bytes": f.file_bytes, "sha256": f.sha256} for f in files],
    }
    return [_write(out, "manifest.json", manifest), *files]


def _program() -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, version

    libraries: dict[str, str | None] = {}
    for name in _LIBRARIES:
        try:
            libraries[name] = version(name)
        except PackageNotFoundError:
            libraries[name] = None
    return {
        "gongctl": __version__,
        "schema_version": SCHEMA_VERSION,
        "python": ".".join(map(str, sys.version_info[:3])),
        "implementation": platform.python_implementation(),
        "sqlite": sqlite3.sqlite_version,
        "system": platform.system(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "libraries": libraries,
    }


def _settings(settings: ServerSettings) -> dict[str, Any]:
    """Tell which settings are set and where; the value only where it says nothing of its own."""
    told = {}
    for setting in SETTINGS:
        source = settings.sources.get(setting.name, "default")
        if source == "default":
            continue
        value = str(settings.layers[setting.name][0].value)
        plain = setting.name in _TOLD or (value.isdecimal() and not setting.server_only and setting.name not in FILES)
        told[setting.name] = {"source": source, "value": value if plain else None}
    return {
        "set": told,
        "restricted_list": settings.restricted is not None,
        "restricted_entries": len(settings.restricted.entries) if settings.restricted is not None else 0,
    }


def _cache(db: Path, rules: ModelRules) -> dict[str, Any]:
    status = cache_status(db, rules=rules)
    told = _status(status)
    if status.migration_needed:
        return told
    with reading(db) as connection:
        months = connection.execute(
            "SELECT call_month, count(*), sum(transcript_present) FROM call_facts GROUP BY call_month ORDER BY 1"
        ).fetchall()
        told |= {
            "months": [{"month": month, "calls": calls, "transcripts": there} for month, calls, there in months],
            "suppressed_calls": connection.execute("SELECT count(*) FROM verdicts WHERE suppressed = 1").fetchone()[0],
            "tombstones": dict(connection.execute("SELECT reason, count(*) FROM tombstones GROUP BY reason")),
            "profiles": connection.execute("SELECT count(*) FROM profiles").fetchone()[0],
            "pages": connection.execute("PRAGMA page_count").fetchone()[0],
            "free_pages": connection.execute("PRAGMA freelist_count").fetchone()[0],
            "faults": len(index_faults(connection)) + len(count_faults(connection)),
            "sync": [
                {"step": step, "outcome": outcome, "runs": runs}
                for step, outcome, runs in connection.execute(
                    "SELECT step, outcome, count(*) FROM sync_runs GROUP BY step, outcome ORDER BY step, outcome"
                )
            ],
        }
    return told


def _status(status: CacheStatus) -> dict[str, Any]:
    model, profile = status.read_model, status.profile
    return {
        "file_bytes": status.file_bytes,
        "schema_version": status.schema_version,
        "created_at": status.created_at,
        "last_import_at": status.last_import_at,
        "freshness": status.freshness,
        "dirty_calls": status.dirty_calls,
        "imported": status.raw,
        "served": None
        if model is None
        else {
            "calls": model.calls,
            "transcripts": model.transcripts,
            "segments": model.segments,
            "as_of": model.as_of,
            "complete": model.complete,
            "current": model.current,
            "governed": model.governed,
        },
        "profile_freshness": profile.freshness if profile is not None else None,
    }


def _check(finding: Finding) -> str:
    """Return the check's name; a client's server has a name that its user chose."""
    return finding.check.split(" ")[0] if finding.area == "clients" else finding.check


@contextmanager
def _whole_or_nothing(out: Path) -> Iterator[None]:
    """Give an empty folder *out*, and empty it again where what is written there does not come to its end."""
    _prepare(out)
    try:
        yield
    except BaseException:
        for file in out.iterdir():
            file.unlink()
        raise


def _prepare(out: Path) -> None:
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise StartupRefusal(f"{out} is no empty folder.", "Name a new folder with --out.", Exit.USAGE)
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartupRefusal(f"{out} cannot be made: {error.strerror}.", "Name another folder.", Exit.FAILED) from error


def _write(out: Path, name: str, content: Any) -> BundleFile:
    data = (json.dumps(content, indent=2, ensure_ascii=True, sort_keys=name != "manifest.json") + "\n").encode()
    try:
        handle = os.open(out / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError as error:
        raise StartupRefusal(f"{out / name} cannot be written: {error.strerror}.", "", Exit.FAILED) from error
    return BundleFile(name, len(data), hashlib.sha256(data).hexdigest())
