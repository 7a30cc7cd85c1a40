"""What the operator can do from the TUI besides looking. ``gongctl`` passes it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from gongmcp.cancel import Cancel
from gongmcp.exposure.ledger import Ledger
from gongmcp.exposure.policy import Policy
from gongmcp.handler import Outcome


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


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many calls a rule takes from agents. *rule* is ``scope.private_calls``, ... or the list's customer as the
    operator's file writes it; *where* counts the calls by the place that named it (title, party, crm, ...)."""

    rule: str
    calls: int
    where: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class GovernanceView:
    """What scope and restricted list do to the cache.

    *list_name* is the file's name, '' without one; *unmatched* are customers that no call names; *state* is fresh,
    stale or missing for the model of this scope and list, *reason* says why and *next* what to run.
    """

    list_name: str
    customers: int
    state: str
    reason: str
    next: str
    calls: int
    served: int
    scope: tuple[RuleCount, ...]
    restricted: tuple[RuleCount, ...]
    unmatched: tuple[str, ...]

    @property
    def outside(self) -> int:
        """How many calls of the cache do not exist for agents."""
        return self.calls - self.served


@dataclass(frozen=True, slots=True)
class CallVerdict:
    """Why one call is served or not: *rule* as in ``RuleCount`` ('' = served), *source* where it was found, *excerpt*
    the words around what named the customer. For the operator's eyes alone."""

    call_id: str
    served: bool
    rule: str
    source: str
    excerpt: str


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

    def outside(self) -> int:
        """Return how many calls of the cache do not exist for agents; 0 when that is not known. Kept counts: quick."""
        ...

    def ungoverned(
        self, tool: str, arguments: dict[str, Any], policy: Policy, outcome: Outcome, cancel: Cancel
    ) -> Ledger:
        """Return, as entries of a ledger, what governance took from *outcome*, by running its call a second time.

        Empty when nothing was taken, and when there is no operator's model of this state of the cache.
        """
        ...

    def governance(self) -> GovernanceView:
        """Return what scope and restricted list take from agents."""
        ...

    def call_verdict(self, reference: str) -> CallVerdict | None:
        """Return why the call *reference* (id or alias) is served or not; None when the cache has no such call."""
        ...
