"""Drift: what differs between a lock and what would be served now, each difference by kind and name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gongmcp.approval.digests import instructions_digest, prompt_digests, resource_digests, tool_digest
from gongmcp.approval.lock import ApprovedPolicy, Lock
from gongmcp.approval.shape import Shape, appeared
from gongmcp.errors import UnknownTool
from gongmcp.exposure.kinds import MASKING_VERSION
from gongmcp.render.visible import visible

if TYPE_CHECKING:
    from gongmcp.handler import ToolHandler

LOOSENED: Final = "loosened"
TIGHTENED: Final = "tightened"
CHANGED: Final = "changed"
APPEARED: Final = "appeared"
GONE: Final = "gone"

_SHOWN: Final = 200
"""Characters of a name in a sentence."""


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference.

    Attributes:
        kind: ``tool``, ``policy``, ``read_model``, ``instructions``, ``prompt``, ``resource``, ``sample``, or
            ``data.`` and what of the data.
        name: which one.
        change: ``loosened``, ``tightened``, ``changed``, ``appeared`` or ``gone``.
        detail: what it was and is, '' where a digest is all that is known.
    """

    kind: str
    name: str
    change: str
    detail: str = ""

    def sentence(self) -> str:
        """Return it in words, safe to print: a name may come from a lock that somebody else wrote."""
        name, detail = visible(self.name[:_SHOWN]), visible(self.detail[:_SHOWN])
        return f"{self.kind} {name} {self.change}" + (f" ({detail})" if detail else "")

    def as_dict(self) -> dict[str, str]:
        """Return it for JSON."""
        return {"kind": self.kind, "name": self.name, "change": self.change, "detail": self.detail}


def policy_drift(approved: ApprovedPolicy, now: ApprovedPolicy) -> Iterator[Drift]:
    """Yield what differs in the policy; whatever cannot be told to be stricter counts as loosened."""
    if approved.provenance != now.provenance:
        # Alias shows references that raw does not, and the reverse: only redacted shows less than either.
        yield _policy("provenance", approved.provenance, now.provenance, stricter=now.provenance == "redacted")
    for switch in sorted({*approved.switches} ^ {*now.switches}):
        is_on = switch in now.switches
        yield _policy(f"switches.{switch}", _on(not is_on), _on(is_on), stricter=is_on)
    yield from _bounds("limits", approved.ceilings, now.ceilings)
    yield from _bounds("evidence", approved.evidence, now.evidence)
    if approved.max_response_bytes != now.max_response_bytes:
        before, after = approved.max_response_bytes, now.max_response_bytes
        yield _policy("max_response_bytes", before, after, stricter=after < before)
    if approved.min_cell != now.min_cell:
        yield _policy("min_cell", approved.min_cell, now.min_cell, stricter=now.min_cell > approved.min_cell)
    if approved.governed != now.governed:
        yield _policy("restricted_list", _on(approved.governed), _on(now.governed), stricter=now.governed)
    if approved.mask_participants != now.mask_participants:
        old, new = _on(approved.mask_participants), _on(now.mask_participants)
        yield _policy("mask_participants", old, new, stricter=now.mask_participants)


def _bounds(where: str, approved: Mapping[Any, int], now: Mapping[Any, int]) -> Iterator[Drift]:
    for name, new in now.items():
        old = approved.get(name)
        if old != new:
            yield _policy(
                f"{where}.{name}", "none" if old is None else old, new, stricter=old is not None and new < old
            )


def _policy(name: str, old: object, new: object, *, stricter: bool) -> Drift:
    return Drift("policy", name, TIGHTENED if stricter else LOOSENED, f"{old} → {new}")


def _on(is_on: bool) -> str:
    return "on" if is_on else "off"


def model_drift(lock: Lock, now: ApprovedPolicy) -> Iterator[Drift]:
    """Yield what differs in what the read model is made by: nothing in the server can bring that back."""
    if lock.masking_version != MASKING_VERSION:
        yield Drift("read_model", "masking_version", CHANGED, f"{lock.masking_version} → {MASKING_VERSION}")
    elif lock.policy.rules != now.rules:
        yield Drift("read_model", "rules", CHANGED, "scope, CRM names, masking or schema")


def tool_drift(lock: Lock, handler: ToolHandler) -> Iterator[Drift]:
    """Yield the approved tools that *handler* offers in another form or not at all."""
    for name, approved in lock.tools.items():
        try:
            now = tool_digest(handler.tool(name))
        except UnknownTool:
            yield Drift("tool", name, GONE)
            continue
        if now != approved.digest:
            yield Drift("tool", name, CHANGED)


def unapproved_tools(lock: Lock, chosen: Collection[str]) -> Iterator[Drift]:
    """Yield the tools that were *chosen* and are not approved."""
    for name in sorted(set(chosen) - lock.tools.keys()):
        yield Drift("tool", name, APPEARED, "not approved")


def offer_drift(lock: Lock, handler: ToolHandler) -> Iterator[Drift]:
    """Yield what differs in instructions, prompts and resources; *handler* offers every approved tool."""
    if lock.instructions != instructions_digest(handler):
        yield Drift("instructions", "instructions", CHANGED)
    yield from _digests("prompt", lock.prompts, prompt_digests(handler))
    yield from _digests("resource", lock.resources, resource_digests(handler))


def _digests(kind: str, approved: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Drift]:
    for name in dict.fromkeys([*approved, *now]):
        if approved.get(name) != now.get(name):
            yield Drift(kind, name, APPEARED if name not in approved else GONE if name not in now else CHANGED)


def data_drift(approved: Shape, now: Shape) -> Iterator[Drift]:
    """Yield what the data holds now and did not at approval."""
    for kind, name in appeared(approved, now):
        yield Drift(f"data.{kind}", name or "none", APPEARED)
