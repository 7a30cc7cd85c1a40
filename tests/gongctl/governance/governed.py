"""Caches that are served with a restricted list, and everything that a client or a log gets of them."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gongctl.cache.warm import WarmReport, warm
from gongctl.cache.writer import CacheWriter
from gongmcp.governance.guard import Guard
from gongmcp.governance.restricted import RestrictedList, read_restricted_list
from gongmcp.handler import Outcome, ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from gongmcp.store.connection import StorePool
from gongmcp.store.model import ModelRules
from tests.gongctl.governance.plain_recount import core, mentions
from tests.gongmcp.generated import Generator, Values

UNLIMITED = {"evidence_per_answer": "100000", "evidence_segments": "100000", "evidence_percent": "100"}
ECHOES = frozenset(
    {
        *("searched", "query_understood", "theme_understood", "call_refs_not_found"),
        *("normalized_filter", "normalized_filter_a", "normalized_filter_b"),
    }
)


def domain(name: str) -> str:
    """Return the domain that the data sets give a company."""
    return "-".join(name.lower().split()) + ".example"


def write_list(path: Path, *customers: Mapping[str, Any]) -> Path:
    """Write a restricted list of *customers* (JSON is YAML)."""
    path.write_text(json.dumps({"version": 1, "lists": {"no_ai": {"customers": list(customers)}}}), encoding="utf-8")
    return path


def govern(cache: Path, restricted: Path | None, **warmed: Any) -> WarmReport:
    """Warm *cache* for the list in the file *restricted*, or for none."""
    settings = settings_for(restricted)
    with CacheWriter.open(cache) as writer:
        return warm(
            writer,
            rules=settings.model_rules(),
            restricted=settings.restricted,
            ungoverned=restricted is None,
            **warmed,
        )


def settings_for(restricted: Path | None, **flags: str) -> ServerSettings:
    """Return settings with the list and without an evidence budget."""
    given = {} if restricted is None else {"ai_governance_config": str(restricted)}
    return ServerSettings.resolve({**UNLIMITED, **given, **flags}, {})


def governed_handler(cache: Path, restricted: Path | None, **flags: str) -> ToolHandler:
    """Return a handler as the server makes it."""
    return build_handler(settings_for(restricted, **flags), cache)


def half_governed_handler(cache: Path, model: Path | None, guard: Path | None, **flags: str) -> ToolHandler:
    """Return a handler over the model made with the list *model* whose guard looks for the list *guard*."""
    settings = settings_for(model, **flags)
    looked_for: RestrictedList | None = read_restricted_list(guard) if guard is not None else None
    return ToolHandler(
        settings.policy,
        StorePool(cache),
        rules=settings.model_rules(),
        guard=Guard(looked_for) if looked_for is not None else None,
    )


def copy_cache(cache: Path, target: Path) -> Path:
    """Copy a closed cache."""
    shutil.copy(cache, target)
    return target


def served(cache: Path) -> set[str]:
    """Return the ids of the calls in the read model of *cache*."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as connection:
        return {call_id for (call_id,) in connection.execute("SELECT call_id FROM call_facts")}


def argument_sets(name: str, handler: ToolHandler, values: Values, count: int) -> Iterator[dict[str, Any]]:
    """Yield *count* sets of arguments of the tool *name*: valid ones, every eighth a near miss."""
    generator = Generator(name, handler.tool(name).input_schema, values)
    for number in range(count):
        yield generator.wrong() if number % 8 == 7 else generator.valid()


def naming_sets(name: str, handler: ToolHandler, *spellings: str) -> Iterator[dict[str, Any]]:
    """Yield sets of arguments that hold each of *spellings*, in each argument of the tool that takes text."""
    schema = handler.tool(name).input_schema
    required = {key: "Account" if key == "object_type" else "name" for key in schema.get("required", ())}
    required |= {key: "renewal" for key in required if key.startswith("bucket")}
    for argument, rule in schema["properties"].items():
        free = "enum" not in rule and "pattern" not in rule
        for spelling in spellings:
            if free and rule.get("type") == "string":
                yield {**required, argument: spelling}
            elif rule.get("type") == "array":
                yield {**required, argument: [spelling]}


def spellings(company: str) -> tuple[str, ...]:
    """Return ways of writing *company*."""
    return (company, core(company), company.upper() + "'s", domain(company))


def strings(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def leaks(outcome: Outcome, company: str, own_words: Mapping[str, Any] | None = None) -> bool:
    """Tell whether an answer names *company* or its domain.

    *own_words* are arguments that name it: what repeats them, in the echo fields, is passed over.
    """
    answer = outcome.answer
    told = answer.structured or {}
    if own_words is None:
        texts = [*strings(told), answer.text, json.dumps(answer.error or {})]
    else:
        of_data = {key: item for key, item in told.items() if key not in ECHOES and item != own_words.get(key, outcome)}
        texts = [*strings(of_data)]
    site = domain(company)
    return any(site in text.lower() or mentions(company, text) for text in texts)


@dataclass
class Probed:
    """What a run over every tool brought."""

    calls: int = 0
    with_rows: int = 0
    found: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of calls that returned rows."""
        return self.with_rows / self.calls


def probe(handler: ToolHandler, company: str, values: Values, count: int) -> Probed:
    """Run every tool with *count* generated sets of arguments and those that name *company*."""
    out = Probed()
    for info in handler.tools():
        for arguments in argument_sets(info.name, handler, values, count):
            outcome = handler.call(info.name, dict(arguments))
            out.calls += 1
            out.with_rows += outcome.rows > 0
            named = mentions(company, json.dumps(arguments, default=str))
            if leaks(outcome, company, arguments if named else None):
                out.found.append((info.name, arguments))
        for arguments in naming_sets(info.name, handler, *spellings(company)):
            if leaks(handler.call(info.name, dict(arguments)), company, arguments):
                out.found.append((info.name, arguments))
    return out


@contextmanager
def logged() -> Iterator[list[str]]:
    """Collect what the server's logger says, at every level."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    log, keep = logging.getLogger("gongmcp"), Keep(logging.DEBUG)
    before = log.level
    log.addHandler(keep)
    log.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        log.removeHandler(keep)
        log.setLevel(before)


def values_of(cache: Path) -> Values:
    """Return what the read model of *cache* holds, to ask about."""
    return Values.of(cache)


def rules_of(restricted: Path | None) -> ModelRules:
    """Return the rules of the model that is served with the list *restricted*."""
    return settings_for(restricted).model_rules()


def customers(names: Sequence[str]) -> list[dict[str, Any]]:
    """Return entries of the list for *names*, each with its domain."""
    return [{"name": name, "domains": [domain(name)]} for name in names]
