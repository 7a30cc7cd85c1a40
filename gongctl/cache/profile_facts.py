"""A call's facts under a business profile: what warm keeps beside the builtin ones. Pure: no database, no clock.

Facts are kept for a few profiles at a time, so that going back to the one before needs no new build.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

from gongctl.cache.crm_context import CrmObject, as_text, crm_objects
from gongctl.cache.lifecycle import CONFIDENCE_POINTS, circumstance_points
from gongctl.profile.model import Profile
from gongmcp.exposure.masking import mask

if TYPE_CHECKING:
    from gongctl.profile.rules import Classifier
    from gongmcp.store.crm_names import CrmNames

_CLOSING: Final = frozenset({"closed_won", "closed_lost", "post_sales"})


@dataclass(frozen=True)
class KeptProfile:
    """A profile of which facts are kept, under the number *profile_no*; cheap to send to another process."""

    profile_no: int
    profile: Profile

    @cached_property
    def classifier(self) -> Classifier:
        """The compiled rules."""
        from gongctl.profile.rules import Classifier

        return Classifier(self.profile)

    def __getstate__(self) -> dict[str, Any]:
        return {"profile_no": self.profile_no, "profile": self.profile}


@dataclass(frozen=True, slots=True)
class CallTraits:
    """What priority depends on besides the lifecycle. *seconds* is the call's duration, 0 = not known."""

    scope: str
    direction: str
    seconds: int
    transcript_present: int


@dataclass(frozen=True, slots=True)
class ProfileFacts:
    """The facts of one call under the profile *profile_no*.

    *evidence_fields* is a JSON array of ``Object.Field`` names, *values* are (field concept, masked value) pairs
    of the concepts that are not blank.
    """

    profile_no: int
    bucket: str
    confidence: str
    reason: str
    evidence_fields: str
    priority_score: int
    transcript_present: int
    account_count: int
    opportunity_count: int
    values: tuple[tuple[str, str], ...]


def traits_of(facts: Mapping[str, object]) -> CallTraits:
    """Return the traits that the columns of ``call_facts`` say."""
    return CallTraits(
        str(facts["scope"]),
        str(facts["direction"]),
        int(str(facts["duration_seconds"])),
        int(str(facts["transcript_present"])),
    )


def call_fields(call: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts of a call that a rule may test (``call: system``), as delivered."""
    return {
        name: as_text(call.get(name) if meta.get(name) is None else meta.get(name))
        for name in ("system", "direction", "scope", "purpose")
    }


def facts_of(
    profiles: Iterable[KeptProfile], objects: Sequence[CrmObject], call: Mapping[str, str], traits: CallTraits
) -> tuple[ProfileFacts, ...]:
    """Return the facts of a call with these attached *objects* and fields (``call_fields``) under each profile."""
    return tuple(_facts(kept, objects, call, traits) for kept in profiles)


def facts_of_payload(
    profiles: Sequence[KeptProfile], payload: Mapping[str, Any], traits: CallTraits, names: CrmNames
) -> tuple[ProfileFacts, ...]:
    """Return the same from the stored payload of a call."""
    objects, call = classified_parts(payload, names)
    return facts_of(profiles, objects, call, traits)


def classified_parts(payload: Mapping[str, Any], names: CrmNames) -> tuple[list[CrmObject], dict[str, str]]:
    """Return what a lifecycle looks at in the stored payload of a call: its objects, and its own fields."""
    nested = payload.get("metaData")
    meta: Mapping[str, Any] = nested if isinstance(nested, Mapping) else payload
    if not any(key in payload for key in ("parties", "context")):
        payload = {**meta, **payload}  # a flat call that an import put under metaData as a whole
    return crm_objects(payload, names), call_fields(payload, meta)


def _facts(
    kept: KeptProfile, objects: Sequence[CrmObject], call: Mapping[str, str], traits: CallTraits
) -> ProfileFacts:
    classifier = kept.classifier
    verdict = classifier.classify(objects, call)
    opportunities = classifier.opportunity_count(objects)
    return ProfileFacts(
        kept.profile_no,
        verdict.bucket,
        verdict.confidence,
        verdict.reason,
        json.dumps([_name(name) for name in verdict.evidence_fields]),
        profile_priority(
            _rank(kept.profile, verdict.bucket), verdict.bucket, verdict.confidence, traits, opportunities
        ),
        traits.transcript_present,
        classifier.account_count(objects),
        opportunities,
        tuple(
            (concept, masked)
            for concept, (value, _) in classifier.concept_values(objects).items()
            if (masked := mask(value).value.strip())
        ),
    )


@lru_cache(maxsize=4096)
def _name(text: str) -> str:
    return mask(text).value.strip()


def _rank(profile: Profile, bucket: str) -> int:
    return next((item.order for item in profile.lifecycle if item.name == bucket), 0)


def profile_priority(order: int, bucket: str, confidence: str, traits: CallTraits, opportunities: int) -> int:
    """Return how much a missing transcript of such a call is missed, in points.

    As the builtin score (``gongctl.cache.lifecycle.priority_score``), with a base from the bucket's *order*:
    100 less the order and not below 0, and 50 more for what is won, lost or sold.
    """
    base = max(100 - order, 0) + (50 if bucket in _CLOSING else 0) + CONFIDENCE_POINTS.get(confidence, 0)
    return base + circumstance_points(traits.scope, traits.direction, traits.seconds, opportunities)
