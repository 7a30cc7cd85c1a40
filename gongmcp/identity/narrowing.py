"""What a token gets less than the server serves. A narrowing never gives more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gongmcp.exposure.fields import SWITCHES

if TYPE_CHECKING:
    from gongmcp.exposure.policy import Policy


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a token says: a *preset*, an *allowlist* of tools, policy *switches*; each takes away alone.

    None and empty take nothing away.
    """

    preset: str | None = None
    allowlist: frozenset[str] | None = None
    switches: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self.preset is not None or self.allowlist is not None or bool(self.switches)

    def problem(self) -> str:
        """Say what of it does not exist in this version, '' when all does."""
        from gongmcp.catalog.presets import find_preset, parse_allowlist
        from gongmcp.errors import StartupRefusal

        try:
            if self.preset is not None:
                find_preset(self.preset)
            if self.allowlist is not None:
                parse_allowlist(sorted(self.allowlist))
        except StartupRefusal as refusal:
            return refusal.message
        unknown = self.switches - SWITCHES.keys()
        return "A policy switch of that name does not exist." if unknown else ""

    def of(self, policy: Policy) -> Policy:
        """Return what is left of *policy*: the tools in all of them, the switches of any of them.

        Raises:
            StartupRefusal: a preset or tool does not exist in this version.
        """
        from gongmcp.catalog.presets import find_preset, parse_allowlist
        from gongmcp.catalog.registry import catalog

        tools = frozenset(catalog()) if policy.tools is None else policy.tools
        switches = policy.switches | self.switches
        preset = policy.preset
        if self.preset is not None:
            chosen = find_preset(self.preset)
            tools &= frozenset(chosen.tools())
            switches |= chosen.switches
            preset = chosen.name
        if self.allowlist is not None:
            tools &= parse_allowlist(sorted(self.allowlist))
        return replace(policy, tools=tools, switches=switches, preset=preset)
