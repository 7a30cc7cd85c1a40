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
    """What a token says: a *preset*, an *allowlist* of tools, policy *switches*, of which calls (*scope*, made by
    ``narrower_scope``), a *profile* and *categories* of vCon tools; each takes away alone.

    None and empty take nothing away. A profile or categories leave no tool over calls, and what is said of calls leaves
    none of ``gongctl vcon serve``.
    """

    preset: str | None = None
    allowlist: frozenset[str] | None = None
    switches: frozenset[str] = frozenset()
    scope: Scope | None = None
    profile: str | None = None
    categories: frozenset[str] | None = None

    def __bool__(self) -> bool:
        return self != Narrowing()

    @property
    def names_vcon_tools(self) -> bool:
        """Whether it says which vCon tools there are."""
        return self.profile is not None or self.categories is not None

    @property
    def is_about_calls(self) -> bool:
        """Whether it takes away by what is known of calls alone."""
        return self.preset is not None or bool(self.switches) or self.scope is not None

    def problem(self) -> str:
        """Say what of it does not exist in this version, '' when all does."""
        from gongmcp.catalog.presets import find_preset, parse_allowlist
        from gongmcp.errors import StartupRefusal
        from gongmcp.vcon.catalogue import known_categories, known_profile

        try:
            if self.preset is not None:
                find_preset(self.preset)
            if self.allowlist is not None:
                parse_allowlist(sorted(self.allowlist))
            if self.profile is not None:
                known_profile(self.profile)
            if self.categories is not None:
                known_categories(sorted(self.categories))
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
        if self.names_vcon_tools:
            from gongmcp.vcon.catalogue import choose, reading_tools

            known = reading_tools()
            tools &= frozenset(choose(known).narrowed(self.profile, self.categories).of(known))
        return replace(policy, tools=tools, switches=switches, preset=preset, scope=self.scope)
