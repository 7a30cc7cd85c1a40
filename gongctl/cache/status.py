"""What a cache holds, how fresh its read model is, and what to run next. Reads kept counts only: O(1)."""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from gongctl.cache.connection import reading
from gongctl.cache.migrations import version_of
from gongmcp.store.model import ModelRules
from gongmcp.store.profile import CLASSIFIER_VERSION
from gongmcp.store.schema import SCHEMA_VERSION

Freshness = Literal["fresh", "stale", "missing"]

RAW_COUNTS: Final = {
    "call": "calls",
    "transcript": "transcripts",
    "segment": "segments",
    "waiting_transcript": "waiting_transcripts",
    "user": "users",
    "workspace": "workspaces",
    "tracker": "trackers",
    "scorecard": "scorecards",
    "answered_scorecard": "answered_scorecards",
    "crm_integration": "crm_integrations",
    "crm_schema": "crm_schemas",
}
"""The kept counts of the raw half and their names in reports, in the order of reports."""

_MODEL_COUNTS: Final = ("calls", "transcripts", "segments", "missing_transcripts")


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """The serving read model: its counts, and the time of the last import that it fully holds.

    *complete* is False while its first build is under way, *current* when it was built by other rules
    than this program's: the server serves neither. *governed*: it was made with a restricted list.
    """

    calls: int
    transcripts: int
    segments: int
    missing_transcripts: int
    as_of: str | None
    complete: bool
    current: bool
    governed: bool


@dataclass(frozen=True, slots=True)
class ProfileStatus:
    """The active business profile and its facts: ``fresh``, ``stale`` (newer data waits) or ``missing`` (not all
    calls have facts of it); *calls* is how many have."""

    profile_id: str
    name: str
    canonical_sha256: str
    freshness: Freshness
    calls: int
    reason: str


@dataclass(frozen=True, slots=True)
class CacheStatus:
    """State of a cache. *dirty_calls* is how many calls the next warm looks at; *next* are commands to run."""

    db: str
    file_bytes: int
    schema_version: int
    current_schema_version: int
    created_at: str | None
    last_import_at: str | None
    freshness: Freshness
    dirty_calls: int
    raw: dict[str, int]
    read_model: ModelStatus | None
    reason: str
    profile: ProfileStatus | None
    next: list[str] = field(default_factory=list)

    @property
    def migration_needed(self) -> bool:
        """Whether the file has an older schema than this program writes."""
        return self.schema_version < self.current_schema_version

    def as_json(self) -> dict[str, Any]:
        """Return the form that ``gongctl cache status --json`` prints."""
        return {**asdict(self), "migration_needed": self.migration_needed}


def cache_status(
    path: Path, *, rules: ModelRules | None = None, policy_files: Mapping[str, Path | None] = MappingProxyType({})
) -> CacheStatus:
    """Return the state of the cache at *path*, of whatever schema version, without writing to it.

    A read model counts as current when it was warmed by *rules* (None = the defaults); *policy_files* are the
    files that they came from, by flag, for the commands to run next.

    Raises:
        StartupRefusal: there is no cache that can be read.
    """
    with reading(path) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        meta = dict(connection.execute("SELECT key, value FROM meta")) if "meta" in tables else {}
        tallies = dict(connection.execute("SELECT name, value FROM tallies")) if "tallies" in tables else {}
        dirty = 0
        if "dirty_calls" in tables:
            dirty = connection.execute("SELECT count(*) FROM dirty_calls").fetchone()[0]
        model, freshness = _model(connection, tables, meta, rules or ModelRules())
        profile = _profile(connection, tables, freshness)
        version = version_of(connection)
    raw = {label: tallies.get(name, 0) for name, label in RAW_COUNTS.items()}
    return CacheStatus(
        db=str(path),
        file_bytes=path.stat().st_size,
        schema_version=version,
        current_schema_version=SCHEMA_VERSION,
        created_at=meta.get("created_at"),
        last_import_at=meta.get("last_import_at"),
        freshness=freshness,
        dirty_calls=dirty,
        raw=raw,
        read_model=model,
        reason=_reason(model, freshness),
        profile=profile,
        next=_next(
            path,
            version,
            raw,
            profile.freshness if profile and freshness == "fresh" else freshness,
            policy_files,
            governed=model is not None and model.governed,
        ),
    )


def _model(
    connection: sqlite3.Connection, tables: set[str], meta: dict[str, str], rules: ModelRules
) -> tuple[ModelStatus | None, Freshness]:
    if not {"read_model", "counters"} <= tables:
        return None, "missing"
    if "tightened_from" not in {column[1] for column in connection.execute("PRAGMA table_info(read_model)")}:
        return None, "missing"  # of an older schema
    row = connection.execute(
        "SELECT digest, data_generation, as_of, complete, tightened_from, restricted FROM read_model WHERE id = 1"
    ).fetchone()
    if row is None:
        return None, "missing"
    digest, held, as_of, complete, tightened_from, restricted = row
    totals = dict(connection.execute("SELECT key, value FROM counters WHERE counter = 'total' AND detail = ''"))
    model = ModelStatus(
        **{name: totals.get(name, 0) for name in _MODEL_COUNTS},
        as_of=as_of or None,
        complete=bool(complete),
        current=digest == rules.digest or (bool(rules.restricted) and rules.digest in json.loads(tightened_from)),
        governed=bool(restricted),
    )
    if not (model.complete and model.current):
        return model, "missing"
    return model, "stale" if int(meta.get("data_generation", "0")) > held else "fresh"


def _reason(model: ModelStatus | None, freshness: Freshness) -> str:
    if freshness == "fresh":
        return "Nothing newer was imported than what is served."
    if freshness == "stale":
        return "Data was imported after the read model was built."
    if model is None:
        return "No read model was built."
    if not model.current and model.governed:
        return "It was built with another restricted list, or other settings, than those given."
    if not model.current:
        return "It was built by other rules than those in force."
    return "Its first build is not finished."


def _profile(connection: sqlite3.Connection, tables: set[str], freshness: Freshness) -> ProfileStatus | None:
    if not {"active_profile", "profile_models"} <= tables:
        return None
    row = connection.execute(
        """SELECT a.profile_no, a.profile_id, a.name, a.canonical_sha256, m.complete, m.classifier
           FROM active_profile AS a LEFT JOIN profile_models AS m
             ON m.profile_no = a.profile_no AND m.canonical_sha256 = a.canonical_sha256"""
    ).fetchone()
    if row is None:
        return None
    number, profile_id, name, digest, complete, classifier = row
    counted = "SELECT count(*) FROM profile_facts WHERE profile_no = :number"
    if complete:  # every served call has its facts
        counted = "SELECT value FROM counters WHERE counter = 'total' AND key = 'calls'"
    calls = (connection.execute(counted, {"number": number}).fetchone() or (0,))[0]
    state: Freshness = "missing"
    reason = "Not every call has facts of this profile."
    if freshness != "missing" and complete and classifier == CLASSIFIER_VERSION:
        state = freshness
        reason = "Up to date." if freshness == "fresh" else "Data was imported after the facts were made."
    elif complete and classifier != CLASSIFIER_VERSION:
        reason = "Its facts were made by another version's rules."
    return ProfileStatus(profile_id, name, digest, state, calls, reason)


def _next(
    path: Path,
    version: int,
    raw: dict[str, int],
    freshness: Freshness,
    policy_files: Mapping[str, Path | None],
    *,
    governed: bool,
) -> list[str]:
    db = shlex.quote(str(path))
    if version < SCHEMA_VERSION:
        return [f"gongctl cache init --db {db}"]
    if not raw["calls"] and freshness == "missing":
        return [f"gongctl import gong PATH --db {db}"]
    flags = "".join(f" {flag} {shlex.quote(str(file))}" for flag, file in policy_files.items() if file is not None)
    if governed and not policy_files.get("--ai-governance-config"):
        flags += " --ai-governance-config FILE"  # without its list a governed cache is not warmed
    return [] if freshness == "fresh" else [f"gongctl cache warm --db {db}{flags}"]
