"""Which families of tools ``gongmcp`` serves: those of calls (``gong``, the default), those of vCons, or both.

vCon tools come by a preset of their own, with ``all-readonly``, or by name; never unasked.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gongmcp.catalog.presets import find_preset, parse_allowlist, under_preset
from gongmcp.errors import StartupRefusal
from gongmcp.refusals import refused

if TYPE_CHECKING:
    from gongmcp.exposure.policy import Policy

TOOLSETS: Final = ("gong", "vcon", "all")
EVERY: Final = "all-readonly"
"""The preset of the call tools that takes the vCon tools in, where they are served."""


@dataclass(frozen=True, slots=True)
class VconPreset:
    """A choice among the tools that read vCons, by a profile of ``gongmcp.vcon.catalogue``."""

    name: str
    profile: str
    purpose: str
    without: frozenset[str] = frozenset()

    def tools(self) -> frozenset[str]:
        """Return the names of its tools."""
        from gongmcp.vcon.catalogue import PROFILES, reading_tools

        profile = PROFILES[self.profile]
        return frozenset(
            name
            for name, tool in reading_tools().items()
            if tool.category in profile.categories and name not in profile.without
        )


PRESETS: Final = (
    VconPreset("vcon-readonly", "readonly", "Reading and searching vCons, and their schema."),
    VconPreset("vcon-public", "public", "The same without counts by group and vocabulary."),
    VconPreset("vcon-admin", "admin", "Reading, figures over the corpus, and the database."),
)
"""Presets of vCon tools; each implies the toolset ``vcon``."""


def vcon_preset(name: str) -> VconPreset | None:
    """Return the preset *name* (any case), None when it is none of vCon tools."""
    wanted = name.strip().lower()
    return next((preset for preset in PRESETS if preset.name == wanted), None)


def vcon_tools() -> frozenset[str]:
    """Return the names of all tools that read vCons."""
    from gongmcp.vcon.catalogue import reading_tools

    return frozenset(reading_tools())


def chosen_toolset(value: str) -> str:
    """Return *value* as one of ``TOOLSETS``.

    Raises:
        StartupRefusal: it is none.
    """
    wanted = value.strip().lower()
    if wanted not in TOOLSETS:
        raise StartupRefusal("There is no toolset of that name.", f"Toolsets: {', '.join(TOOLSETS)}.")
    return wanted


def chosen_tools(
    policy: Policy, toolset: str, *, preset: str = "", allowlist: str | Sequence[str] = "", locked: bool = False
) -> Policy:
    """Return *policy* with the tools of *preset* or *allowlist* under *toolset*, which is not ``gong``.

    Raises:
        StartupRefusal: nothing or something unknown is chosen, or there is a lock, for none covers vCon tools.
    """
    if locked:
        raise StartupRefusal("A lock covers no vCon tools.", "Start without --lock, or with --toolset gong.")
    if preset:
        return _of_preset(policy, toolset, preset)
    items = allowlist.split(",") if isinstance(allowlist, str) else allowlist
    names = [item.strip() for item in items if item.strip()]
    if not names:
        raise StartupRefusal(
            "vCon tools are served by choice only.",
            f"Give --tool-preset {', '.join(known.name for known in PRESETS)} or all-readonly, or --tool-allowlist.",
        )
    known = vcon_tools()
    vcons = frozenset(name for name in names if name in known)
    others = [name for name in names if name not in known]
    if toolset == "vcon" and others:
        near = difflib.get_close_matches(others[0], known, 1, 0.5)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise refused("allowlist_unknown", nearest=hint, names=", ".join(sorted(known)))
    return replace(policy, tools=vcons | (parse_allowlist(others) if others else frozenset()))


def _of_preset(policy: Policy, toolset: str, name: str) -> Policy:
    own = vcon_preset(name)
    if own is not None:
        return replace(policy, preset=own.name, tools=own.tools())
    if name.strip().lower().startswith("vcon-"):
        raise refused("preset_unknown", nearest="", names=", ".join(preset.name for preset in PRESETS))
    found = find_preset(name)
    chosen = under_preset(policy, found)
    if found.name != EVERY:
        if toolset == "vcon":
            names = ", ".join([*(preset.name for preset in PRESETS), EVERY])
            raise refused("preset_unknown", nearest=f"{found.name} has no vCon tools. ", names=names)
        return chosen
    calls = chosen.tools or frozenset()
    return replace(chosen, tools=vcon_tools() | (calls if toolset == "all" else frozenset()))
