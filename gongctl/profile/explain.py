"""Why a call is in its bucket, and how many calls move where when another profile takes over.

Both read the raw payloads, so what they print is for the operator alone.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from gongctl.cache.crm_context import CrmObject
from gongctl.cache.deriver import decode_payload
from gongctl.cache.lifecycle import LifecycleRules, classify
from gongctl.cache.profile_facts import classified_parts
from gongctl.profile.model import Profile
from gongctl.profile.rules import Classifier, Step
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.store.crm_names import CrmNames

_BATCH: Final = 500
SAMPLE_CALLS: Final = 20
"""Calls that a sample holds unless told otherwise: the newest ones."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One call under one lifecycle. *rule_path* is the rule's place in the profile ('' = none, or builtin);
    *value* is what met the rule; *trace* is every rule that was tried, of a profile only."""

    call_id: str
    started_at: str
    bucket: str
    confidence: str
    reason: str
    rule_path: str
    evidence_fields: tuple[str, ...]
    value: str
    trace: tuple[Step, ...] = ()


@dataclass(slots=True)
class Moves:
    """How calls move between the buckets of two lifecycles: *moves* counts (before, after) pairs, the calls that
    stay included. *finished* is False when it was stopped before all *calls* were looked at."""

    calls: int = 0
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)
    finished: bool = False

    @property
    def moved(self) -> int:
        """How many calls have another bucket afterwards."""
        return sum(count for (before, after), count in self.moves.items() if before != after)

    def totals(self, side: int) -> dict[str, int]:
        """Return calls per bucket before (*side* 0) or after (1)."""
        found: Counter[str] = Counter()
        for pair, count in self.moves.items():
            found[pair[side]] += count
        return dict(found)


class Lens:
    """One lifecycle, made ready: a profile's, or the builtin one where *profile* is None."""

    def __init__(self, profile: Profile | None, names: CrmNames) -> None:
        self.profile = profile
        self._classifier = None if profile is None else Classifier(profile)
        self._rules = LifecycleRules.of(names)

    def order(self) -> list[str]:
        """Return the buckets in the order in which a profile tries them; none for the builtin lifecycle."""
        return [] if self.profile is None else [bucket.name for bucket in self.profile.ordered_buckets()]

    def bucket(self, objects: list[CrmObject], call: dict[str, str]) -> str:
        """Return the bucket of a call."""
        if self._classifier is not None:
            return self._classifier.classify(objects, call).bucket
        return classify(objects, call["system"], call["direction"], self._rules).bucket

    def explain(self, objects: list[CrmObject], call: dict[str, str], call_id: str, started_at: str) -> Explanation:
        """Return why a call is in its bucket."""
        if self._classifier is None:
            found = classify(objects, call["system"], call["direction"], self._rules)
            values = _values(objects, found.evidence)
            return Explanation(
                call_id, started_at, found.bucket, found.confidence, found.reason, "", found.evidence, values
            )
        verdict = self._classifier.classify(objects, call)
        return Explanation(
            call_id,
            started_at,
            verdict.bucket,
            verdict.confidence,
            verdict.reason,
            verdict.rule_path,
            verdict.evidence_fields,
            verdict.matched_value,
            tuple(self._classifier.trace(objects, call)),
        )


def _values(objects: list[CrmObject], evidence: tuple[str, ...]) -> str:
    """Return the values of ``Object.Field`` names, for the builtin lifecycle, which keeps none."""
    return "; ".join(
        value for item in objects for name, value in item.fields.items() if f"{item.object_type}.{name}" in evidence
    )


def explain_call(connection: sqlite3.Connection, reference: str, lens: Lens, names: CrmNames) -> Explanation:
    """Return the explanation of the call that *reference* names: a call id, or an alias of the served calls.

    Raises:
        StartupRefusal: no such call.
    """
    row = connection.execute(
        """SELECT c.call_id, coalesce(f.started_at, ''), c.payload FROM raw_calls AS c
           LEFT JOIN call_facts AS f ON f.call_id = c.call_id
           WHERE c.call_id = ? OR c.call_id = (SELECT call_id FROM call_facts WHERE call_ref = ?)""",
        (reference, reference),
    ).fetchone()
    if row is None:
        raise StartupRefusal(
            "The cache has no such call.", "Give a call id, or a call_ref that the tools show.", Exit.USAGE
        )
    objects, call = _read(row[2], names)
    return lens.explain(objects, call, row[0], row[1])


def explain_sample(connection: sqlite3.Connection, count: int, lens: Lens, names: CrmNames) -> list[Explanation]:
    """Return the explanations of the *count* newest served calls, newest first."""
    rows = connection.execute(
        """SELECT f.call_id, f.started_at, c.payload FROM call_facts AS f JOIN raw_calls AS c ON c.call_id = f.call_id
           ORDER BY f.call_no DESC LIMIT ?""",
        (count,),
    ).fetchall()
    return [lens.explain(*_read(payload, names), call_id, started_at) for call_id, started_at, payload in rows]


def compare(
    connection: sqlite3.Connection,
    before: Lens,
    after: Lens,
    names: CrmNames,
    *,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Moves:
    """Classify every served call both ways and count how they move: those that the tools count."""
    total = int(connection.execute("SELECT count(*) FROM call_facts").fetchone()[0])
    found = Moves()
    for batch in _batches(connection):
        if should_stop is not None and should_stop():
            return found
        for payload in batch:
            objects, call = _read(payload, names)
            found.moves[before.bucket(objects, call), after.bucket(objects, call)] += 1
        found.calls += len(batch)
        if progress is not None:
            progress(found.calls, total)
    found.finished = True
    return found


def _batches(connection: sqlite3.Connection) -> Iterator[list[bytes]]:
    last = ""
    while True:
        rows = connection.execute(
            """SELECT f.call_id, c.payload FROM call_facts AS f JOIN raw_calls AS c ON c.call_id = f.call_id
               WHERE f.call_id > ? ORDER BY f.call_id LIMIT ?""",
            (last, _BATCH),
        ).fetchall()
        if not rows:
            return
        yield [payload for _, payload in rows]
        last = rows[-1][0]


def _read(payload: bytes, names: CrmNames) -> tuple[list[CrmObject], dict[str, str]]:
    return classified_parts(decode_payload(payload), names)
