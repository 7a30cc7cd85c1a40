"""What of a new policy a running server may apply: that which is tighter. The rest waits for a restart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gongmcp.catalog.limits import Cap, LimitPolicy
from gongmcp.exposure.fields import Provenance
from gongmcp.exposure.policy import EvidenceLimits, Policy

_STRICTEST_FIRST = (Provenance.REDACTED, Provenance.ALIAS, Provenance.RAW)


@dataclass(frozen=True, slots=True)
class Tightening:
    """The *policy* to serve from now on, and what of the new one is *waiting* for a restart, in words."""

    policy: Policy
    waiting: tuple[str, ...] = ()


def tightened(old: Policy, new: Policy) -> Tightening:
    """Return *old* with what is tighter in *new*: no field of the result lets more leave than *old* does."""
    policy = replace(
        old,
        switches=old.switches | new.switches,
        provenance=min(old.provenance, new.provenance, key=_STRICTEST_FIRST.index),
        tools=_fewer(old.tools, new.tools),
        limits=LimitPolicy({cap: min(p.limits.limits(cap).ceiling for p in (old, new)) for cap in Cap}),
        max_response_bytes=min(old.max_response_bytes, new.max_response_bytes),
        # Counts rounded in two ways would tell more together than either.
        min_cell=new.min_cell if old.min_cell == 1 else old.min_cell,
        evidence=EvidenceLimits(
            min(old.evidence.per_answer, new.evidence.per_answer),
            min(old.evidence.segments, new.evidence.segments),
            min(old.evidence.percent, new.evidence.percent),
        ),
    )
    return Tightening(policy, tuple(name for name, of in _WORDS.items() if of(policy) != of(new)))


def _fewer(old: frozenset[str] | None, new: frozenset[str] | None) -> frozenset[str] | None:
    if old is None or new is None:
        return new if old is None else old
    return old & new


_WORDS: dict[str, Callable[[Policy], Any]] = {
    "fewer switches": lambda policy: policy.switches,
    "a wider provenance": lambda policy: policy.provenance,
    "more tools": lambda policy: policy.tools,
    "higher row ceilings": lambda policy: policy.limits.as_dict(),
    "longer answers": lambda policy: policy.max_response_bytes,
    "another smallest count": lambda policy: policy.min_cell,
    "a larger evidence budget": lambda policy: policy.evidence,
    "masking of participants": lambda policy: policy.mask_participants,
}
