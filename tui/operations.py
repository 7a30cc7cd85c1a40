"""What the operator can do from the TUI besides looking. ``gongctl`` passes it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ProfileFinding:
    """One thing found wrong with a profile. *severity* is error, warn or info; *line* is None when unknown."""

    severity: str
    code: str
    message: str
    path: str
    line: int | None


@dataclass(frozen=True, slots=True)
class MappedConcept:
    """One concept of a profile: *kind* is object, field or methodology; *stands_for* are CRM names."""

    kind: str
    name: str
    stands_for: str
    groupable: bool


@dataclass(frozen=True, slots=True)
class BucketCount:
    """Calls of a lifecycle bucket, in the order in which the buckets are tried."""

    bucket: str
    label: str
    calls: int


@dataclass(frozen=True, slots=True)
class UnmappedField:
    """A CRM field that no concept covers; *populated* is the share of objects where it is filled, 0 to 1."""

    object_type: str
    field_name: str
    populated: float


@dataclass(frozen=True, slots=True)
class ProfileView:
    """The active business profile: *facts* is fresh, stale or missing, *reason* says why in a sentence.

    *buckets* are counted over the calls that agents may see; empty while the facts are missing.
    """

    profile_id: str
    name: str
    imported: str
    facts: str
    reason: str
    concepts: tuple[MappedConcept, ...]
    unmapped: tuple[UnmappedField, ...]
    findings: tuple[ProfileFinding, ...]
    buckets: tuple[BucketCount, ...]


@dataclass(frozen=True, slots=True)
class BucketMove:
    """How many calls go from one bucket to another; *before* and *after* are equal for those that stay."""

    before: str
    after: str
    calls: int


@dataclass(frozen=True, slots=True)
class ProfileComparison:
    """A candidate file beside the active profile, or beside the builtin lifecycle when none is active.

    *valid* is False when the file has errors (*findings*): then there are no *moves*. *finished* is False when
    counting was stopped: the counts are of the calls looked at.
    """

    candidate: str
    against: str
    valid: bool
    same_meaning: bool
    findings: tuple[ProfileFinding, ...]
    moves: tuple[BucketMove, ...]
    calls: int
    finished: bool


class Operations(Protocol):
    """Operations on the cache. Each blocks and is run in a thread."""

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        """Build the serving read model and return one sentence on what was done.

        *progress* is told (calls done, calls in all); *should_stop* is asked between calls, and what
        was done until then is kept.
        """
        ...

    def profile(self) -> ProfileView | None:
        """Return the active business profile, None when there is none."""
        ...

    def compare_profile(
        self, path: str, progress: Callable[[int, int], None], should_stop: Callable[[], bool]
    ) -> ProfileComparison:
        """Judge the YAML file *path* and count how many calls it would move where. Changes nothing."""
        ...
