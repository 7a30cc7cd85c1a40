"""Presets and allowlists: which tools a server offers."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.operations import DISCOVER, WORKBENCH, offered
from gongmcp.catalog.registry import aliases, canonical, catalog
from gongmcp.refusals import refused

if TYPE_CHECKING:
    from gongmcp.exposure.policy import Policy

GOVERNANCE = "governance-search"
"""The preset for a first server beside a restricted list: calls and evidence, without counts over many calls."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named choice of tools; which ones is said by each tool's own declaration.

    *switches* are turned on with it, whatever else is set.
    """

    name: str
    purpose: str
    recommended_for: str
    aliases: tuple[str, ...] = ()
    switches: frozenset[str] = frozenset()

    def tools(self) -> list[str]:
        """Return the names of its tools, in catalogue order."""
        return [tool.name for tool in catalog().values() if self.name in tool.presets]

    @property
    def governance_compatible(self) -> bool:
        """True when each of its tools can be served beside a restricted list.

        Every tool can: what the list takes away is not in the read model, and no tool sees anything else
        (``gongmcp.store.connection``).
        """
        return True

    def describe(self) -> dict[str, Any]:
        """Return what there is to say of it, for scripts."""
        names = self.tools()
        return {
            "name": self.name,
            "aliases": list(self.aliases),
            "purpose": self.purpose,
            "recommended_for": self.recommended_for,
            "tools": names,
            "tool_count": len(names),
            "switches": sorted(self.switches),
            "governance_compatible": self.governance_compatible,
            "listed_count": sum(self.name != WORKBENCH or catalog()[name].facade for name in names),
        }


PRESETS: tuple[Preset, ...] = (
    Preset(
        "operator-smoke",
        "Five tools that show whether a cache answers: status, calls, evidence, one call, backlog.",
        "an operator who checks a new cache",
    ),
    Preset(
        "business-pilot",
        "Counts, and which calls lack a transcript, by alias: no title, person, customer or quotation leaves.",
        "a first pilot with business users",
        ("strict-business-pilot",),
        switches=frozenset({"hide_call_titles", "hide_raw_call_ids"}),
    ),
    Preset(
        WORKBENCH,
        "Six tools that hand whole business questions on to the analysis tools, which it allows and does not list.",
        "an agent that answers business questions in few calls",
        ("analyst-facade", "facade-analyst"),
    ),
    Preset(
        "analyst-core",
        "Inventories, settings, lifecycle views, backlog and transcript search, without field values or names.",
        "an analyst who gets to know the data",
        ("postgres-analyst-core",),
    ),
    Preset(
        "analyst-business-core",
        "What analyst-core has, and excerpts by call facts and attributed quotations.",
        "an analyst who answers business questions from evidence",
        ("postgres-analyst-business-core",),
    ),
    Preset(
        "analyst",
        "Pipeline, lifecycle and CRM comparisons, scorecards, field lookup and attributed quotations.",
        "an analyst who works on pipeline and CRM questions",
        ("analyst-expansion",),
    ),
    Preset(
        GOVERNANCE,
        "Calls and evidence, without counts over many calls.",
        "a first server whose calls are partly withheld by a restricted list",
    ),
    Preset(
        "redacted-all-readonly",
        "Every read-only tool, for a server whose cache was reduced before it was copied there.",
        "a laboratory over a reduced cache",
        ("redacted-all", "redacted-search-lab"),
    ),
    Preset(
        "broad-public-redacted",
        "Every read-only tool, and no raw call id in any answer.",
        "many readers over a reduced cache",
        switches=frozenset({"hide_raw_call_ids"}),
    ),
    Preset("all-readonly", "Every read-only tool.", "an operator's own assistant", ("all", "all-tools")),
)


def find_preset(name: str) -> Preset:
    """Return the preset called *name* (its name or an alias, any case).

    Raises ``StartupRefusal`` that lists what exists.
    """
    wanted = name.strip().lower()
    usable = ", ".join(preset.name for preset in PRESETS)
    for preset in PRESETS:
        if wanted == preset.name or wanted in preset.aliases:
            return preset
    known = [name for preset in PRESETS for name in (preset.name, *preset.aliases)]
    raise refused("preset_unknown", nearest=nearest(wanted, known), names=usable)


def under_preset(policy: Policy, preset: Preset) -> Policy:
    """Return *policy* with the tools and switches of *preset* in place of those of its former preset."""
    own = policy.switches - policy.preset_switches
    return replace(
        policy,
        preset=preset.name,
        tools=frozenset(preset.tools()),
        switches=own | preset.switches,
        preset_switches=preset.switches - own,
    )


def allowed_tools(policy: Policy) -> dict[str, Tool]:
    """Return the tools that *policy* allows, in catalogue order; a facade's tool that has no operation is none."""
    allowed = {name: tool for name, tool in catalog().items() if policy.tools is None or name in policy.tools}
    return {
        name: tool
        for name, tool in allowed.items()
        if not tool.facade or name == DISCOVER or offered(policy, allowed, name)
    }


def listed_tools(policy: Policy, allowed: Mapping[str, Tool]) -> list[str]:
    """Return the names of those of *allowed* that clients are shown: under the preset of the facade its tools alone."""
    if policy.preset != WORKBENCH:
        return list(allowed)
    return [name for name, tool in allowed.items() if tool.facade]


def parse_allowlist(text: str | Sequence[str]) -> frozenset[str]:
    """Return the tools, by their own names, that a comma list (or a sequence of names or aliases) allows.

    Raises ``StartupRefusal`` for an unknown name or a list without any name.
    """
    items = text.split(",") if isinstance(text, str) else list(text)
    names = [canonical(item.strip()) for item in items if item.strip()]
    if not names:
        raise refused("allowlist_empty", names=", ".join(catalog()))
    for name in names:
        if name not in catalog():
            near = nearest(name, [*catalog(), *aliases()])
            raise refused("allowlist_unknown", nearest=near, names=", ".join(catalog()))
    return frozenset(names)


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a sentence that names the one of *known* that *name* is most like; "" when none is like it."""
    near = difflib.get_close_matches(name, known, 1, 0.5)
    return f"Did you mean {near[0]}? " if near else ""
