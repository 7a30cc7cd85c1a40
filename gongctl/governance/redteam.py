"""Redteam: a deterministic adversary against the real stdio server, over a cache with planted secrets.

The secrets are planted in a copy of the operator's cache, or in a cache of nothing else; the list in force is the
operator's with the planted customer added. Each attack has a server of its own and its share of the budget. What it
wins is told without a value, together with the rule that should have stopped it.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import reading
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.governance.attacks import counting, guessing, meaning, planted, spelling
from gongctl.governance.attacks.arena import Arena, Tried
from gongctl.ingest import read_paths
from gongctl.semantic.build import build_vectors
from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import RestrictedList, read_restricted_list
from gongmcp.governance.terms import Kind
from gongmcp.semantic.model import is_installed
from gongmcp.settings import POLICY_SETTINGS, ServerSettings

BUDGET: Final = 2000


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack, and the rule that should stop it."""

    name: str
    rule: str
    run: Callable[[Arena], Tried]


ATTACKS: Final[tuple[Attack, ...]] = (
    Attack(
        "counts", "suppressed calls are not in the read model that figures are made of", counting.differences_of_counts
    ),
    Attack("prefixes", "what is masked or withheld is not indexed", spelling.prefixes),
    Attack(
        "filters",
        "a filter over what is withheld is refused; a restricted name is like any unknown one",
        spelling.filters,
    ),
    Attack("completions", "completions come from what is served and shown", spelling.completions),
    Attack("ids", "a suppressed call is as unknown as one that never was", guessing.ids),
    Attack("cursors", "cursors are sealed and fit one question", guessing.cursors),
    Attack("errors", "errors name no value that is withheld, no path and no SQL", guessing.errors),
    Attack("reconstruction", "the evidence budget of a session", spelling.reconstruction),
    Attack("unicode", "a restricted name is like any unknown one, however it is written", spelling.unicode_variants),
    Attack("timing", "judging happens at warm, not when a question comes", counting.timing),
    Attack("meaning", "vectors are made of what is served, masked as it is", meaning.near_by_meaning),
    Attack("harvest", "exposure classes, masking and the last look at what leaves", spelling.harvest),
)
"""In the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class AttackReport:
    """What one attack did: tries, what it won, a figure, why it was not tried."""

    attack: str
    tries: int
    won: tuple[str, ...]
    rule: str
    note: str
    skipped: str
    seconds: float


@dataclass(slots=True)
class RedteamReport:
    """What the adversary won in all. *secrets* are the kinds that the policy keeps, which it looked for."""

    preset: str
    restricted_names: int
    secrets: tuple[str, ...] = ()
    attacks: list[AttackReport] = field(default_factory=list)

    @property
    def wins(self) -> int:
        """How many things were won."""
        return sum(len(attack.won) for attack in self.attacks)

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "preset": self.preset,
            "restricted_names": self.restricted_names,
            "secrets": list(self.secrets),
            "tries": sum(attack.tries for attack in self.attacks),
            "wins": self.wins,
            "attacks": [asdict(attack) | {"won": list(attack.won)} for attack in self.attacks],
        }


def redteam(
    flags: Mapping[str, Any],
    settings: ServerSettings,
    db: Path | None = None,
    *,
    budget: int = BUDGET,
    server: Sequence[str] = (sys.executable, "-m", "gongmcp"),
    attacks: Sequence[Attack] = ATTACKS,
    guarded: bool = True,
) -> RedteamReport:
    """Play the adversary against the server that *flags* start, *budget* tries in all.

    *settings* are what the flags resolve to. *server* and *guarded* are for the controls of the tests: another
    server, and a cache that is warmed without the list.

    Raises:
        StartupRefusal: the cache cannot be copied or warmed, or the server does not start.
    """
    with tempfile.TemporaryDirectory(prefix="gongctl-redteam-") as name:
        folder = Path(name)
        listed = write_list(folder / "list.yaml", settings.restricted)
        restricted = read_restricted_list(listed)
        given = {**flags, "ai_governance_config": str(listed)}
        cache = plant(db, folder, settings, restricted if guarded else None)
        if not guarded:
            del given["ai_governance_config"]
        names = list(dict.fromkeys(entry.name for entry in restricted.entries))
        arena = Arena(
            [*server, "--db", str(cache), *_arguments(given)],
            [planted.CUSTOMER, *(name for name in names if name != planted.CUSTOMER)],
            Matcher(restricted),
            max(budget // len(attacks), 10),
        )
        arena.settle()
        report = RedteamReport(settings.policy.preset or "", len(names), tuple(secret.kind for secret in arena.secrets))
        for attack in attacks:
            started = time.perf_counter()
            tried = attack.run(arena)
            report.attacks.append(
                AttackReport(
                    attack.name,
                    tried.tries,
                    tuple(tried.won),
                    attack.rule,
                    tried.note,
                    tried.skipped,
                    round(time.perf_counter() - started, 3),
                )
            )
        return report


def plant(db: Path | None, folder: Path, settings: ServerSettings, restricted: RestrictedList | None) -> Path:
    """Make a cache in *folder* that holds the planted calls, and those of *db*; warm it for *restricted*."""
    cache = folder / "cache.db"
    if db is not None:
        with reading(db) as source, closing(sqlite3.connect(cache)) as target:
            source.backup(target)
    files = []
    for number, document in enumerate(planted.documents()):
        file = folder / f"planted{number}.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        files.append(file)
    with CacheWriter.open(cache, create=True) as writer:
        import_records(writer, read_paths(files))
        digest = restricted.digest if restricted is not None else ""
        warm(
            writer,
            rules=replace(settings.model_rules(), restricted=digest),
            restricted=restricted,
            ungoverned=restricted is None,
        )
        if is_installed() and (db is None or _has_vectors(writer.connection)):
            build_vectors(writer)
    return cache


def _has_vectors(connection: sqlite3.Connection) -> bool:
    """Tell whether the operator's cache has vectors: where it has none, agents cannot search by meaning either."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM segment_vectors)").fetchone()[0])


def write_list(path: Path, restricted: RestrictedList | None) -> Path:
    """Write the list *restricted* with the planted customer added (JSON is YAML); readable by its owner alone."""
    lists: dict[str, dict[str, list[dict[str, Any]]]] = {"no_ai": {"customers": list(planted.customers())}}
    for entry in restricted.entries if restricted is not None else ():
        customer: dict[str, Any] = {"name": entry.name}
        for term in entry.terms:
            if term.kind is not Kind.NAME:
                customer.setdefault(term.kind.value, []).append(term.text)
        lists.setdefault(entry.list, {"customers": []})["customers"].append(customer)
    path.touch(mode=0o600)
    path.write_text(json.dumps({"version": 1, "lists": lists}), encoding="utf-8")
    return path


def _arguments(flags: Mapping[str, Any]) -> list[str]:
    """Return the flags of the server; ``config`` is the settings file."""
    out = ["--config", str(flags["config"])] if flags.get("config") else []
    for setting in POLICY_SETTINGS:
        if flags.get(setting.name) is not None:
            out += [setting.flag, str(flags[setting.name])]
    return out
