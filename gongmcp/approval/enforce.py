"""What a server under a lock may serve: the approved tools that are unchanged, under no looser policy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gongmcp.approval.digests import policy_parts
from gongmcp.approval.drift import (
    Drift,
    model_drift,
    offer_drift,
    policy_drift,
    tool_drift,
    unapproved_tools,
)
from gongmcp.approval.gate import Gate
from gongmcp.approval.lock import ApprovedPolicy, Lock, read_lock
from gongmcp.catalog.limits import Cap, LimitPolicy
from gongmcp.catalog.presets import find_preset, under_preset
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.fields import Provenance
from gongmcp.exposure.policy import EvidenceLimits, Policy
from gongmcp.handler import ToolHandler
from gongmcp.refusals import refused
from gongmcp.settings import ServerSettings

_SAID = 6
"""Differences that a refusal names; ``gongctl mcp drift`` lists all."""


@dataclass(frozen=True, slots=True)
class UnderLock:
    """What is left to serve.

    Attributes:
        policy: the policy of the server, with the tools that are served.
        gate: withholds what appeared in the data; None = nothing is withheld.
        prompts, resources: those that are unchanged, by name and by address.
        says_instructions: whether the instructions are those that were approved.
        drift: what differs from the lock.
    """

    policy: Policy
    gate: Gate | None
    prompts: frozenset[str]
    resources: frozenset[str]
    says_instructions: bool
    drift: tuple[Drift, ...] = ()


def under_lock(settings: ServerSettings, path: Path) -> UnderLock:
    """Return what *settings* may serve under the lock at *path*.

    With ``lock_mode`` ``refuse`` any difference of the policy refuses the start. With ``warn`` a looser policy is
    brought back to the approved one. What the read model is made by, and a restricted list that is gone, cannot be
    brought back and refuse in either mode.

    Raises:
        StartupRefusal: the lock cannot be read (exit 2); the policy differs or nothing is left (exit 5).
    """
    lock = read_lock(path)
    settings = locked_settings(settings, lock)
    now = policy_parts(settings)
    fatal = [*model_drift(lock, now)]
    policy = [*policy_drift(lock.policy, now)]
    if lock.policy.governed and not now.governed:
        fatal += [drift for drift in policy if drift.name == "restricted_list"]
    if fatal or (policy and settings.lock_mode == "refuse"):
        raise refused("lock_policy", file=path.name, changes=said(dict.fromkeys([*fatal, *policy])))
    approved = replace(stricter(settings.policy, lock.policy), tools=frozenset(lock.tools) & catalog().keys())
    every = ToolHandler(approved, None, rules=settings.model_rules())
    changed = [*tool_drift(lock, every)]
    offers = [*offer_drift(lock, every)]
    chosen = settings.policy.tools
    unapproved = [] if chosen is None else [*unapproved_tools(lock, chosen)]
    left = lock.tools.keys() - {drift.name for drift in changed}
    if chosen is not None:
        left &= chosen
    if not left:
        changes = said([*changed, *unapproved]) or "it approves none"
        raise refused("lock_nothing_left", file=path.name, changes=changes)
    drifted = {(drift.kind, drift.name) for drift in offers}
    return UnderLock(
        policy=replace(approved, tools=frozenset(left)),
        gate=Gate(lock.shape),
        prompts=frozenset(name for name in lock.prompts if ("prompt", name) not in drifted),
        resources=frozenset(uri for uri in lock.resources if ("resource", uri) not in drifted),
        says_instructions=("instructions", "instructions") not in drifted,
        drift=(*policy, *changed, *unapproved, *offers),
    )


def locked_settings(settings: ServerSettings, lock: Lock) -> ServerSettings:
    """Return *settings* with the preset of *lock* where they choose no tools themselves: its switches belong to it."""
    if settings.policy.tools is not None or lock.preset is None:
        return settings
    policy = under_preset(settings.policy, find_preset(lock.preset))
    return replace(settings, policy=replace(policy, tools=None))


def stricter(policy: Policy, approved: ApprovedPolicy) -> Policy:
    """Return *policy* with whatever is looser in it than *approved* brought back."""
    provenance = policy.provenance
    if provenance is not Provenance.REDACTED:
        provenance = Provenance(approved.provenance)
    limits = {cap: policy.limits.limits(cap).ceiling for cap in Cap}
    now = policy.evidence
    return replace(
        policy,
        provenance=provenance,
        switches=policy.switches | frozenset(approved.switches),
        limits=LimitPolicy(
            {cap: min(rows, approved.ceilings.get(cap.value.key, rows)) for cap, rows in limits.items()}
        ),
        max_response_bytes=min(policy.max_response_bytes, approved.max_response_bytes),
        min_cell=max(policy.min_cell, approved.min_cell),
        evidence=EvidenceLimits(
            per_answer=min(now.per_answer, approved.evidence.get("per_answer", now.per_answer)),
            segments=min(now.segments, approved.evidence.get("segments", now.segments)),
            percent=min(now.percent, approved.evidence.get("percent", now.percent)),
        ),
    )


def said(drift: Iterable[Drift]) -> str:
    """Return the first few differences in words."""
    sentences = [one.sentence() for one in drift]
    more = len(sentences) - _SAID
    return "; ".join(sentences[:_SAID]) + (f"; and {more} more" if more > 0 else "")
