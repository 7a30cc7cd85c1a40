"""The catalogue: every declared tool in its fixed order (prompt caches depend on it)."""

from __future__ import annotations

import importlib
from functools import cache

from gongmcp.catalog.declaration import Tool, declared

FAMILIES = ("status", "calls", "transcripts", "crm", "lifecycle", "facts")
"""Modules of this package that declare tools, in the order in which tools are listed."""


@cache
def catalog() -> dict[str, Tool]:
    """Return all tools by name, in catalogue order."""
    for family in FAMILIES:
        importlib.import_module(f"gongmcp.catalog.{family}")
    return dict(declared())
