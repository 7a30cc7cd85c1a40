"""The policy in force, in a few lines: tools, provenance, size of an answer, state of the cache, what governs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content

from gongmcp.exposure.policy import Policy
from tui.governing import Governing, in_short
from tui.literal import literal
from tui.verdict import size
from tui.widgets.flow import Flow


class PolicyBar(Flow):
    """What decides an answer. A star marks what was changed here and holds for this preview only.

    On short terminals the governing settings that are at their default share one item.
    """

    def show(
        self,
        policy: Policy,
        freshness: Mapping[str, Any],
        started: Policy,
        settings: Sequence[Governing] = (),
        *,
        outside: int = 0,
        short: bool = False,
        plain: bool = False,
    ) -> None:
        """Draw *policy*; *started* is the one that the TUI was opened with.

        *outside* is how many calls of the cache do not exist for agents, 0 = not known or none; *plain* takes words
        for signs that not every terminal has.
        """
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
        items.append(_item("answer", f"{'max' if plain else '≤'} {size(policy.max_response_bytes)}"))
        items += _cache(freshness)
        told = _outside(outside)
        if short and told is not None:
            items.append(told)  # before what a small terminal may cut off
        if settings:
            items += _governing(in_short(settings), short)
        if changed:
            items.append(Content.styled("* in this preview only", "$warning"))
        self.flow(items, tail=None if short else told)


def _governing(settings: Sequence[Governing], short: bool) -> list[Content]:
    items = []
    for item in settings:
        if item.layer != "default":
            items.append(Content.assemble(_item(item.name, item.value), (f" ({item.layer})", "$warning")))
        elif not short:
            items.append(Content.assemble(_item(item.name, item.value), (" (default)", "$quiet")))
    defaults = ", ".join(item.name for item in settings if item.layer == "default")
    if short and defaults:
        items.append(Content.assemble(("default ", "$quiet"), literal(defaults)))
    return items


def _outside(count: int) -> Content | None:
    if not count:
        return None
    told = f"{count:,} call{'' if count == 1 else 's'} of the cache {'is' if count == 1 else 'are'} outside this policy"
    return Content.assemble((told, "$warning"), (", o says by which rule", "$quiet"))


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
