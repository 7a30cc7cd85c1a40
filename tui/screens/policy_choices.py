"""Preset and provenance of the review on show, and the ways to the other screens over it."""

from __future__ import annotations

from collections.abc import Sequence

from gongmcp.errors import StartupRefusal
from gongmcp.exposure.fields import Provenance
from tui.governing import Governing
from tui.ports import count_of_tools
from tui.screens.choose import Choice, Choose
from tui.screens.governance import Governance
from tui.screens.preflight import PREVIEW_ONLY, PROVENANCES
from tui.screens.profile import BusinessProfile
from tui.screens.reviewing_screen import ReviewingScreen
from tui.screens.warm import Warm
from tui.widgets.policy_bar import choice_of_tools


class PolicyChoices(ReviewingScreen):
    """What decides which review is on show."""

    governed_by: Sequence[Governing] = ()

    def action_preset(self) -> None:
        """Choose which tools are reviewed."""
        bench = self.bench
        started = bench.started.policy
        choices = []
        if started.preset is None:
            count = len(bench.started.tools())
            choices.append(Choice("", choice_of_tools(started), f"{count} tools, as the server was configured"))
        for name in bench.started.presets():
            count = count_of_tools(bench.started.with_policy(preset=name))
            choices.append(Choice(name, name, f"{count} tool{'' if count == 1 else 's'}"))
        remark = "The lock that this review ends in is of the tools that you approve here."
        self.app.push_screen(Choose("Preset", choices, bench.preset, remark), self._set_preset)

    async def _set_preset(self, name: str | None) -> None:
        if name is None:
            return
        bench = self.bench
        provenance = bench.handler.policy.provenance.value
        try:
            bench.handler = bench.started.with_policy(preset=name or None, provenance=provenance)
        except StartupRefusal as refusal:
            self.say(refusal.message)
            return
        await self.begin()

    def action_provenance(self) -> None:
        """Choose what may identify the source of a quotation."""
        modes = [mode for mode in Provenance if mode is not Provenance.RAW or not self.bench.restricted]
        choices = [Choice(mode.value, mode.value, PROVENANCES[mode]) for mode in modes]
        current = self.bench.handler.policy.provenance.value
        self.app.push_screen(Choose("Provenance", choices, current, PREVIEW_ONLY), self._set_provenance)

    async def _set_provenance(self, mode: str | None) -> None:
        if mode is not None:
            self.bench.handler = self.bench.handler.with_policy(provenance=mode)
            await self.begin()

    def action_warm(self) -> None:
        """Build the read model, when the operator's door allows it."""
        if self.bench.operations is None:
            self.say("This review cannot warm the cache. Run: gongctl cache warm --db PATH")
        else:
            self.app.push_screen(Warm(self.bench.operations), self._warmed)

    async def _warmed(self, report: str | None) -> None:
        if report is not None:
            self.say(report)
            await self.begin()

    def action_profile(self) -> None:
        """Open the business profile, when the operator's door allows it."""
        if self.bench.operations is None:
            self.say("This review shows no profile. Run: gongctl profile show --db PATH")
            return
        self.action_cancel()
        self.app.push_screen(BusinessProfile(self.bench.operations))

    def action_governance(self) -> None:
        """Open governance, when the operator's door allows it."""
        bench = self.bench
        if bench.operations is None:
            self.say("This review shows no governance. Run: gongctl governance scope --db PATH")
            return
        self.action_cancel()
        self.app.push_screen(Governance(bench.operations, list(self.governed_by), restricted=bench.restricted))
