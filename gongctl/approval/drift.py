"""Every difference between a lock and what a server would serve now, samples and data looked at as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gongctl.approval.approve import data_shape, reviewed_handler
from gongctl.approval.samples import run_sample
from gongmcp.approval.digests import policy_parts
from gongmcp.approval.drift import (
    CHANGED,
    Drift,
    data_drift,
    model_drift,
    offer_drift,
    policy_drift,
    tool_drift,
    unapproved_tools,
)
from gongmcp.approval.enforce import locked_settings
from gongmcp.approval.lock import Lock, Sample
from gongmcp.catalog.registry import catalog
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings

_NAMED = 8
"""Members that the difference of a sample names."""


@dataclass(frozen=True, slots=True)
class Found:
    """What differs; *looked_at_data* is False when the cache has no read model of these settings."""

    drift: tuple[Drift, ...]
    looked_at_data: bool


def find_drift(settings: ServerSettings, db: Path, lock: Lock) -> Found:
    """Compare *lock* with what *settings* would serve of the cache *db*, as if no lock held it back.

    Raises:
        StartupRefusal: the cache cannot be read.
    """
    settings = locked_settings(replace(settings, lock=None), lock)
    now = policy_parts(settings)
    policy = replace(settings.policy, tools=frozenset(lock.tools) & catalog().keys())
    offering = ToolHandler(policy, None, rules=settings.model_rules())
    drift = [
        *model_drift(lock, now),
        *policy_drift(lock.policy, now),
        *tool_drift(lock, offering),
        *unapproved_tools(lock, settings.policy.tools or ()),
        *offer_drift(lock, offering),
    ]
    handler = build_handler(replace(settings, policy=policy), db)
    if not handler.has_model():
        return Found(tuple(drift), looked_at_data=False)
    drift += data_drift(lock.shape, data_shape(db))
    drift += _sample_drift(lock, reviewed_handler(handler, policy, lock.shape))
    return Found(tuple(drift), looked_at_data=True)


def _sample_drift(lock: Lock, handler: ToolHandler) -> Iterator[Drift]:
    offered = {tool.name for tool in handler.tools()}
    for name, tool in lock.tools.items():
        for number, sample in enumerate(tool.samples if name in offered else (), 1):
            now = run_sample(handler, name, sample.arguments)
            if now.digest != sample.digest:
                yield Drift("sample", f"{name} {number}", CHANGED, _difference(sample, now))


def _difference(approved: Sample, now: Sample) -> str:
    parts = [f"status {approved.status} → {now.status}"] if approved.status != now.status else []
    for word, old, new in (("shown", approved.shown, now.shown), ("withheld", approved.withheld, now.withheld)):
        for sign, names in (("+", set(new) - set(old)), ("-", set(old) - set(new))):
            listed = sorted(names)
            more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
            parts += [f"{word} {sign} {', '.join(listed[:_NAMED])}{more}"] if listed else []
    return "; ".join(parts) or "the digest in the lock is not that of what it lists"
