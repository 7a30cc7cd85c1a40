"""The catalogue: every declared tool in its fixed order (prompt caches depend on it)."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

from gongmcp import catalog as package
from gongmcp.catalog.declaration import Tool, declared

FAMILIES = (
    *("status", "calls", "transcripts", "quotes", "lifecycle", "facts"),
    *("crm", "crm_fields", "pipeline", "scorecards", "crm_schema", "profile"),
    *("cohort_tools", "business_question_tools", "call_drilldown_tools", "cohort_quality_tools", "facade_tools"),
    *("highlight_tools", "quote_pack_tools", "theme_discovery_tools", "theme_tools"),
)
"""Modules of this package that declare tools, in the order in which tools are listed."""

ADDED = "_tools"
"""How the names of further such modules end. Their tools are listed after those of ``FAMILIES``, modules by name."""


def _modules() -> Iterator[str]:
    yield from FAMILIES
    found = {module.name for module in pkgutil.iter_modules(package.__path__) if module.name.endswith(ADDED)}
    yield from sorted(found.difference(FAMILIES))


@cache
def catalog() -> dict[str, Tool]:
    """Return all tools by name, in catalogue order: by module, whichever was imported first, then as written."""
    modules = {f"{package.__name__}.{name}": number for number, name in enumerate(_modules())}
    for module in modules:
        importlib.import_module(module)
    return dict(sorted(declared().items(), key=lambda item: modules.get(item[1].function.__module__, len(modules))))


@cache
def aliases() -> dict[str, str]:
    """Return the tool's own name for each further name that a tool answers to.

    Raises ``ValueError`` when a declaration claims a name that is taken.
    """
    found: dict[str, str] = {}
    for tool in catalog().values():
        for alias in tool.aliases:
            if alias in found or alias in catalog():
                raise ValueError(f"the alias {alias} of {tool.name} is taken")
            found[alias] = tool.name
    return found


def canonical(name: str) -> str:
    """Return the tool's own name when *name* is an alias, else *name* as it is."""
    return aliases().get(name, name)
