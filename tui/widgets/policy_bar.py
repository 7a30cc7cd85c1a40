"""The policy in force, in one line: tools, provenance, size of an answer, state of the cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.content import Content

from gongmcp.exposure.policy import Policy
from tui.literal import literal
from tui.verdict import size
from tui.widgets.flow import Flow


class PolicyBar(Flow):
    """What decides an answer. A star marks what was changed here and holds for this preview only."""

    def show(self, policy: Policy, freshness: Mapping[str, Any], started: Policy) -> None:
        """Draw *policy*; *started* is the one that the TUI was opened with."""
        changed = False
        items = [Content.styled("gongctl", "$primary bold")]
        for name, value, differs in (
            ("preset", choice_of_tools(policy), policy.tools != started.tools),
            ("provenance", policy.provenance.value, policy.provenance != started.provenance),
        ):
            items.append(_item(name, value, "*" if differs else ""))
            changed = changed or differs
        if policy.switches:
            items.append(_item("switches", ", ".join(sorted(policy.switches))))
        items.append(_item("answer", f"≤ {size(policy.max_response_bytes)}"))
        items += _cache(freshness)
        if changed:
            items.append(Content.styled("* in this preview only", "$warning"))
        self.flow(items)


def choice_of_tools(policy: Policy) -> str:
    """Name the choice of tools: the preset, an allowlist, or everything."""
    if policy.preset is not None:
        return policy.preset
    return "full catalogue" if policy.tools is None else "allowlist"


def _item(name: str, value: str, mark: str = "") -> Content:
    return Content.assemble((f"{name} ", "$quiet"), literal(value), (mark, "$warning bold"))


def _cache(freshness: Mapping[str, Any]) -> list[Content]:
    state = str(freshness.get("freshness", "missing"))
    if state == "missing":
        return [Content.assemble(("cache ", "$quiet"), ("missing", "$error bold"), (", w warms it", "$quiet"))]
    colour = "$success" if state == "fresh" else "$warning bold"
    as_of = str(freshness.get("as_of", "")).replace("T", " ").removesuffix("Z")[:16]
    advice = ", w warms it" if state == "stale" else ""
    return [
        Content.assemble(("cache ", "$quiet"), literal(state, colour), literal(f" as of {as_of}"), (advice, "$quiet")),
        literal(f"{freshness.get('calls', 0):,} calls, {freshness.get('transcripts', 0):,} transcripts"),
    ]
