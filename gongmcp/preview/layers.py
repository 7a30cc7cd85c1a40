"""Which layer a decision came from: the setting behind the rule of a ledger entry, and where that setting was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.limits import Cap
from gongmcp.effective import effective
from gongmcp.exposure.ledger import Entry
from gongmcp.exposure.policy import Policy
from gongmcp.preview.model import EffectiveSetting
from gongmcp.settings import SETTINGS, ServerSettings

DECLARATION: Final = "declaration"
PREVIEW: Final = "preview"
_WORDS: Final = {"env": "environment"}
_OF_ARGUMENTS: Final = ("opt_in.", "field_profile.")
_OF_SETTINGS: Final = {
    "min_cell": "min_cell",
    "bytes.max_response_bytes": "max_response_bytes",
    "evidence.per_answer": "evidence_per_answer",
    "mask.person": "mask_participants",
    "governance.guard": "ai_governance_config",
}
_OF_THE_DOOR: Final = ("http.", "audit.", "server.", "review.")
"""Settings that decide how clients reach the server and what it keeps, and nothing of an answer."""
_SESSION: Final = ("evidence_segments", "evidence_percent")


class Layers:
    """The layers of *settings* where *policy* is in force, for one call of *tool* with *arguments*.

    *policy* may differ from that of the settings: another preset was chosen for this preview, or a lock is kept to.
    """

    def __init__(self, settings: ServerSettings, policy: Policy, tool: Tool, arguments: Mapping[str, Any]) -> None:
        self._settings = settings
        self._policy = policy
        self._tool = tool
        self._arguments = arguments
        self._other = "lock" if settings.lock is not None else PREVIEW

    def of(self, entry: Entry) -> str:
        """Return the layer that decided over what *entry* names."""
        rule = entry.rule
        if rule.startswith(_OF_ARGUMENTS):
            return "argument"
        if rule == "approval.lock":
            return "lock"
        if rule.startswith("switch."):
            return self._switch(rule.partition(".")[2])
        if rule.startswith("provenance."):
            return self._setting("provenance")
        if rule == "limit":
            return self._limit()
        if rule == "evidence.session":
            given = (self._setting(name) for name in _SESSION)
            return next((layer for layer in given if layer != "default"), "default")
        if rule in _OF_SETTINGS:
            return self._setting(_OF_SETTINGS[rule])
        return "cache" if rule.startswith("mask.") else DECLARATION

    def settings(self) -> tuple[EffectiveSetting, ...]:
        """Return the settings that decide over this tool's answers, in the order of the settings file."""
        found = effective(replace(self._settings, policy=self._policy))
        names = {setting.key: setting.name for setting in SETTINGS}
        ceilings = {f"max_{cap.setting}" for cap in Cap if cap is not self._tool.cap}
        return tuple(
            EffectiveSetting(item.key, _printed(item.value), self._word(names.get(item.key), item.source))
            for item in found
            if not item.key.startswith(_OF_THE_DOOR)
            if item.is_set or (item.key in names and names[item.key] not in ceilings)
        )

    def _word(self, name: str | None, source: str) -> str:
        if name == "policy_switches" and self._policy.switches == self._policy.preset_switches != frozenset():
            return self._setting("tool_preset")
        if name is not None:
            return self._setting(name)
        return _WORDS.get(source, source)

    def _setting(self, name: str) -> str:
        if self._differs(name):
            return self._other
        source = self._settings.sources[name]
        return _WORDS.get(source, source)

    def _differs(self, name: str) -> bool:
        mine, given = self._policy, self._settings.policy
        if name == "tool_preset":
            return mine.preset != given.preset
        if name == "tool_allowlist":
            return mine.preset is None and mine.tools != given.tools
        if name == "provenance":
            return mine.provenance is not given.provenance
        if name == "policy_switches":
            own, theirs = mine.switches - mine.preset_switches, given.switches - given.preset_switches
            return own != theirs
        if name == "min_cell":
            return mine.min_cell != given.min_cell
        if name == "max_response_bytes":
            return mine.max_response_bytes != given.max_response_bytes
        if name.startswith("evidence_"):
            attribute = name.removeprefix("evidence_")
            return bool(getattr(mine.evidence, attribute) != getattr(given.evidence, attribute))
        cap = next((cap for cap in Cap if f"max_{cap.setting}" == name), None)
        return cap is not None and mine.limits.limits(cap) != given.limits.limits(cap)

    def _switch(self, name: str) -> str:
        return self._setting("tool_preset" if name in self._policy.preset_switches else "policy_switches")

    def _limit(self) -> str:
        """Return what bounds the rows: the caller's own limit, or the ceiling that lowered it or the default."""
        limits = self._tool.limits(self._policy)
        asked = self._arguments.get("limit")
        if limits is None or self._tool.cap is None:
            return DECLARATION
        if isinstance(asked, int) and asked <= limits.ceiling:
            return "argument"
        if asked is None and limits.default < limits.ceiling:
            return DECLARATION
        return self._setting(f"max_{self._tool.cap.setting}")


def _printed(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
