"""What a token gets less than the server serves. A narrowing never gives more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gongmcp.exposure.fields import SWITCHES
from gongmcp.governance.scope import Scope

if TYPE_CHECKING:
    from gongmcp.exposure.policy import Policy


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a token says: a *preset*, an *allowlist* of tools, policy *switches*, and of which calls (*scope*, made by
    ``narrower_scope``); each takes away alone.

    None and empty take nothing away.
    """

    preset: str | None = None
    allowlist: frozenset[str] | None = None
    switches: frozenset[str] = frozenset()
    scope: Scope | None = None

    def __bool__(self) -> bool:
        return self != Narrowing()

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
        """Return what is left of *policy*: the tools in all of them, the switches of any of them, its calls in scope.

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
        return replace(policy, tools=tools, switches=switches, preset=preset, scope=self.scope)
