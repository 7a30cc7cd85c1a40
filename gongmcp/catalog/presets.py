"""Presets and allowlists: which tools a server offers."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gongmcp.catalog.registry import aliases, canonical, catalog
from gongmcp.refusals import refused

if TYPE_CHECKING:
    from gongmcp.exposure.policy import Policy

GOVERNANCE = "governance-search"
"""The preset for a first server beside a restricted list: calls and evidence, without counts over many calls."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named choice of tools; which ones is said by each tool's own declaration.

    *switches* are turned on with it, whatever else is set. A *pending* preset is known by name
    only: its tools arrive with a later release, and until then it refuses to start.
    """

    name: str
    purpose: str
    recommended_for: str
    aliases: tuple[str, ...] = ()
    switches: frozenset[str] = frozenset()
    pending: bool = False

    def tools(self) -> list[str]:
        """Return the names of its tools, in catalogue order."""
        return [tool.name for tool in catalog().values() if self.name in tool.presets]

    @property
    def governance_compatible(self) -> bool:
        """True when each of its tools can be served beside a restricted list.

        Every tool can: what the list takes away is not in the read model, and no tool sees anything else
        (``gongmcp.store.connection``). A preset whose tools are not there yet cannot be chosen at all.
        """
        return not self.pending

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
            "available": not self.pending,
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
        "business-workbench",
        "A few tools that route whole business questions; arrives with a later release.",
        "business users, once it is there",
        ("analyst-facade", "facade-analyst"),
        pending=True,
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

    Raises ``StartupRefusal`` that lists what exists, also for a preset whose tools are not there yet.
    """
    wanted = name.strip().lower()
    usable = ", ".join(preset.name for preset in PRESETS if not preset.pending)
    for preset in PRESETS:
        if wanted == preset.name or wanted in preset.aliases:
            if preset.pending:
                raise refused("preset_pending", preset=preset.name, names=usable)
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
