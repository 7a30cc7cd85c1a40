"""Writing the rows that are served of a call: removing the old ones, adding the new ones, keeping counts.

The counters are kept by exact differences: what the stored rows of a call contribute is taken off, what
its new rows contribute is added, in the transaction that changes the rows.

Numbers. A call keeps its number while the second of its start and its preferred number stay; a new one
takes the next free number from its preferred one on. Only two calls of the same second that prefer the
same of 4,096 numbers meet; which of them comes first is then a matter of which was warmed first.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gongctl.cache.derive import MAX_SECOND, ServingCall
from gongctl.cache.profile_facts import ProfileFacts
from gongctl.cache.word_rows import WordDelta
from gongctl.vcon import rows as vcon_rows
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import INDEX_BITS, TIE_BITS, first_segment, last_segment

US: Final = "\x1f"
"""Between the parts of a counter's key."""

MAX_CALL_NO: Final = (MAX_SECOND << TIE_BITS) | ((1 << TIE_BITS) - 1)

CounterKey = tuple[str, str, str]
"""(counter, key, detail) of ``counters``."""


def object_no(call_no: int, position: int) -> int:
    """Return the number of the CRM object at *position* of a call: ordered like the calls."""
    return (call_no << INDEX_BITS) | position


@dataclass(frozen=True, slots=True)
class _Object:
    """What the counters need of a CRM object: type, id, and (field name, masked value) pairs."""

    object_type: str
    object_id: str
    values: Sequence[tuple[str, str]]


def value_digest(value: str) -> str:
    """Return what stands for a value in the counters, which must not hold it a second time."""
    return hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(slots=True)
class _Tally:
    """What one call contributes to the counters; *group_fields* are those that matrices group by."""

    group_fields: frozenset[str]
    counts: Counter[CounterKey] = field(default_factory=Counter)

    def call(self, facts: Mapping[str, object], has_crm: bool, answered: int) -> None:
        segments, present = facts["segment_count"], facts["transcript_present"]
        self._total("calls")
        self._total("transcripts" if present else "missing_transcripts")
        self._total("segments", int(str(segments)))
        self._total("calls_with_crm", int(has_crm))
        self._total("answered_scorecards", answered)
        self._total("industry_calls", int(bool(facts["account_industry"])))
        self._total("stage_calls", int(bool(facts["opportunity_stage"])))
        self._total("classified_calls", int(facts["lifecycle_bucket"] != "unknown"))
        self._total("opportunity_calls", int(bool(facts["opportunity_count"])))
        self._total("account_calls", int(bool(facts["account_count"])))

    def objects(self, objects: Sequence[_Object], bucket: str, profile_buckets: Mapping[int, str]) -> None:
        """Add the call's objects and their fields; *bucket* is its builtin lifecycle bucket, *profile_buckets* are
        those of the profiles of which facts are kept."""
        count = self.counts
        # What counts calls: a call with two objects of a type counts once.
        once: set[CounterKey] = set()
        for item in objects:
            of = item.object_type
            count["object_type", of, "objects"] += 1
            once |= {("object_type", of, "calls"), ("lifecycle_calls", of + US + bucket, "")}
            if item.object_id:
                count["object_id", of, item.object_id] += 1
            self._total("crm_objects")
            self._total("crm_fields", len(item.values))
            filled = [name for name, value in item.values if value]
            for name, value in item.values:
                count["crm_field", of, name] += 1
                once.add(("crm_field_calls", of, name))
                if value:
                    count["crm_field_populated", of, name] += 1
                    count["crm_field_chars", of, name] += len(value)
                    count["crm_field_length", of + US + name, str(len(value))] += 1
                    count["crm_value", of + US + name, value_digest(value)] += 1
                    once.add(("lifecycle_populated", of + US + bucket, name))
                if name in self.group_fields:
                    group = of + US + name
                    count["matrix_objects", group, value] += 1
                    once.add(("matrix_calls", group, value))
                    for other in filled:
                        count["matrix_populated", group + US + value, other] += 1
                        once.add(("matrix_populated_calls", group + US + value, other))
        for key in once:
            count[key] += 1
        self.buckets(objects, profile_buckets)

    def buckets(self, objects: Sequence[_Object], profile_buckets: Mapping[int, str]) -> None:
        """Add which of the call's fields are filled, under its bucket of each profile."""
        once: set[CounterKey] = set()
        for item in objects:
            for profile_no, bucket in profile_buckets.items():
                key = f"{profile_no}{US}{item.object_type}{US}{bucket}"
                once.add(("profile_calls", key, ""))
                once.update(("profile_populated", key, name) for name, value in item.values if value)
        for counter in once:
            self.counts[counter] += 1

    def _total(self, key: str, count: int = 1) -> None:
        if count:
            self.counts["total", key, ""] += count


class ServingWriter:
    """Replaces the served rows of calls. Every method wants an open transaction."""

    def __init__(self, connection: sqlite3.Connection, names: CrmNames | None = None) -> None:
        self._connection = connection
        self._names = names or CrmNames.default()
        self._group_fields = frozenset(self._names.matrix_group_fields)

    # --- public ---

    def replace(self, calls: Sequence[ServingCall], removed: Iterable[str] = ()) -> None:
        """Make the served rows those of *calls*, and none of the calls with the ids *removed*.

        The order of *calls* is free. A call that is not served yet is added.
        """
        delta: Counter[CounterKey] = Counter()
        stored = self._numbers([*(call.call_id for call in calls), *removed])
        removed_ids = set(removed)
        opportunities = self._opportunities_of(stored.values())
        said = WordDelta(self._connection)
        numbers = {
            call.call_id: stored[call.call_id]
            for call in calls
            if call.call_id in stored and _keeps(stored[call.call_id], call)
        }
        same_segments = {
            call.call_id
            for call in calls
            if call.call_id in numbers and self._segments_equal(numbers[call.call_id], call)
        }
        for call_id, number in sorted(stored.items(), key=lambda item: item[1]):
            delta.subtract(self._stored_tally(number))
            with_segments = call_id in removed_ids or call_id not in same_segments
            if with_segments:
                said.forget(number)
            self._forget(number, with_segments=with_segments)
        taken = set(numbers.values())
        for call in sorted(calls, key=lambda call: (call.second, call.tie, call.call_id)):
            if call.call_id not in numbers:
                numbers[call.call_id] = self._free_number((call.second << TIE_BITS) | call.tie, taken)
                taken.add(numbers[call.call_id])
        # Ascending rowids: the full-text index writes a segment of its own for each step back.
        ordered = sorted(calls, key=lambda call: numbers[call.call_id])
        for call in ordered:
            delta.update(self._tally(call))
        self._insert([(numbers[call.call_id], call) for call in ordered], same_segments)
        for call in ordered:
            if call.segments and call.call_id not in same_segments:
                said.add(numbers[call.call_id], [text for _, _, _, _, text, _ in call.segments])
        said.write()
        self._replace_vcons(ordered, removed_ids)
        self.count(delta)
        opportunities |= self._opportunities_of(numbers.values())
        self._retell_opportunities(opportunities)

    def clear(self) -> None:
        """Remove every served row and every counter."""
        execute = self._connection.execute
        execute("INSERT INTO segments_fts (segments_fts) VALUES ('delete-all')")
        execute("INSERT INTO crm_values_fts (crm_values_fts) VALUES ('delete-all')")
        for table in (
            *("segments", "segment_vectors", "crm_values", "crm_objects", "parties", "call_facts", "counters"),
            *("opportunities", "answered_scorecards", "highlights", "profile_facts", "profile_values"),
            *("call_words", "cache_words"),
        ):
            execute(f"DELETE FROM {table}")
        vcon_rows.clear(self._connection)
        execute("UPDATE profile_models SET complete = 0")

    def add_profile_facts(self, facts: Sequence[tuple[int, ProfileFacts]]) -> None:
        """Add the facts of one profile to calls, by number, that have none of it."""
        delta: Counter[CounterKey] = Counter()
        for number, item in facts:
            tally = _Tally(self._group_fields)
            tally.buckets(self._stored_objects(number), {item.profile_no: item.bucket})
            delta.update(tally.counts)
        self._insert_profile_facts(facts)
        self.count(delta)

    def drop_profile(self, profile_no: int) -> None:
        """Remove the facts and counters of a profile."""
        execute = self._connection.execute
        for table in ("profile_facts", "profile_values"):
            execute(f"DELETE FROM {table} WHERE profile_no = ?", (profile_no,))
        execute(
            "DELETE FROM counters WHERE counter IN ('profile_calls', 'profile_populated') AND key >= ? AND key < ?",
            (f"{profile_no}{US}", f"{profile_no}\x20"),
        )

    def count(self, delta: Mapping[CounterKey, int]) -> None:
        """Add *delta* to the counters; one that falls to zero is deleted."""
        changes = {key: value for key, value in delta.items() if value}
        distinct: Counter[CounterKey] = Counter()
        for key, value in changes.items():
            if key[0] in ("object_id", "crm_value"):
                before = self._value(key)
                change = int(before + value > 0) - int(before > 0)
                if key[0] == "object_id":
                    distinct["object_type", key[1], "distinct_object_ids"] += change
                else:
                    of, name = key[1].split(US, 1)
                    distinct["crm_field_distinct", of, name] += change
        changes.update({key: value for key, value in distinct.items() if value})
        self._connection.executemany(
            """INSERT INTO counters (counter, key, detail, value) VALUES (?, ?, ?, ?)
               ON CONFLICT (counter, key, detail) DO UPDATE SET value = value + excluded.value""",
            [(*key, value) for key, value in changes.items()],
        )
        self._connection.executemany(
            "DELETE FROM counters WHERE counter = ? AND key = ? AND detail = ? AND value = 0",
            [key for key, value in changes.items() if value < 0],
        )

    def take_over_totals(self, totals: Mapping[str, int]) -> None:
        """Set the totals that are no sums over calls: users, and what settings are served."""
        self.count({("total", name, ""): value - self._value(("total", name, "")) for name, value in totals.items()})

    # --- reading what is there ---

    def _value(self, key: CounterKey) -> int:
        row = self._connection.execute(
            "SELECT value FROM counters WHERE counter = ? AND key = ? AND detail = ?", key
        ).fetchone()
        return int(row[0]) if row else 0

    def _numbers(self, call_ids: Iterable[str]) -> dict[str, int]:
        numbers = {}
        for call_id in call_ids:
            row = self._connection.execute("SELECT call_no FROM call_facts WHERE call_id = ?", (call_id,)).fetchone()
            if row:
                numbers[call_id] = int(row[0])
        return numbers

    def _stored_tally(self, call_no: int) -> Counter[CounterKey]:
        tally = _Tally(self._group_fields)
        cursor = self._connection.execute("SELECT * FROM call_facts WHERE call_no = ?", (call_no,))
        facts = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
        objects = self._stored_objects(call_no)
        buckets = dict(
            self._connection.execute(
                # CROSS JOIN: without statistics SQLite would read the facts of all calls and look up their profiles.
                """SELECT m.profile_no, p.bucket FROM profile_models m
                   CROSS JOIN profile_facts p ON p.profile_no = m.profile_no AND p.call_no = ?""",
                (call_no,),
            )
        )
        answered = self._connection.execute(
            "SELECT count(*) FROM answered_scorecards WHERE call_no = ?", (call_no,)
        ).fetchone()[0]
        tally.call(facts, bool(objects), answered)
        tally.objects(objects, facts["lifecycle_bucket"], buckets)
        return tally.counts

    def _stored_objects(self, call_no: int) -> list[_Object]:
        objects = self._connection.execute(
            "SELECT object_no, object_type, object_id FROM crm_objects WHERE call_no = ?", (call_no,)
        ).fetchall()
        values: dict[int, list[tuple[str, str]]] = {number: [] for number, _, _ in objects}
        for number, name, value in self._connection.execute(
            "SELECT object_no, field_name, value FROM crm_values WHERE value_no BETWEEN ? AND ?",
            (first_segment(call_no), last_segment(call_no)),
        ):
            values[number].append((name, value))
        return [_Object(of, key, values[number]) for number, of, key in objects]

    def _tally(self, call: ServingCall) -> Counter[CounterKey]:
        tally = _Tally(self._group_fields)
        tally.call(call.facts, bool(call.objects), len({answer.answered_id for answer in call.answers}))
        tally.objects(
            [
                _Object(item.object_type, item.object_id, [(name, value) for name, value, _ in item.values])
                for item in call.objects
            ],
            str(call.facts["lifecycle_bucket"]),
            {item.profile_no: item.bucket for item in call.profiles},
        )
        return tally.counts

    def _opportunities_of(self, numbers: Iterable[int]) -> set[tuple[str, str]]:
        """Return (type, id) of the opportunities attached to the calls *numbers*."""
        found: set[tuple[str, str]] = set()
        for number in numbers:
            found.update(
                self._connection.execute(
                    """SELECT object_type, object_id FROM crm_objects
                       WHERE call_no = ? AND kind = 'opportunity' AND object_id <> ''""",
                    (number,),
                )
            )
        return found

    def _retell_opportunities(self, keys: Iterable[tuple[str, str]]) -> None:
        """Make the rows of ``opportunities`` for *keys* say what their calls say now."""
        for object_type, object_id in sorted(keys):
            key = (object_type, object_id)
            self._connection.execute("DELETE FROM opportunities WHERE object_type = ? AND object_id = ?", key)
            self._connection.execute(
                f"""INSERT INTO opportunities
                    SELECT o.object_type, o.object_id, max(o.object_ref), '', '', count(*), sum(f.transcript_present),
                           count(*) - sum(f.transcript_present), sum(f.duration_seconds), max(f.call_no)
                    FROM ({_ATTACHED}) o JOIN call_facts f ON f.call_no = o.call_no
                    GROUP BY o.object_type, o.object_id""",
                key,
            )
            for column, attribute in (("stage", "stage"), ("opportunity_type", "type")):
                names = self._names.fields("opportunity", attribute)
                self._connection.execute(
                    f"""UPDATE opportunities SET {column} = coalesce((
                            SELECT v.value FROM crm_objects o JOIN crm_values v ON v.object_no = o.object_no
                            JOIN json_each(?) n ON lower(n.value) = lower(v.field_name)
                            WHERE o.object_type = opportunities.object_type AND o.object_id = opportunities.object_id
                              AND o.call_no = opportunities.latest_call_no AND v.value <> ''
                            ORDER BY n.key LIMIT 1), '')
                        WHERE object_type = ? AND object_id = ?""",
                    (json.dumps(names), *key),
                )

    def _segments_equal(self, call_no: int, call: ServingCall) -> bool:
        first = first_segment(call_no)
        rows = self._connection.execute(
            """SELECT segment_no - ?, speaker_no, start_ms, end_ms, text, spans FROM segments
               WHERE segment_no BETWEEN ? AND ? ORDER BY segment_no""",
            (first, first, last_segment(call_no)),
        ).fetchall()
        return rows == list(call.segments)

    def _free_number(self, wanted: int, taken: set[int]) -> int:
        """Return the first free number from *wanted* on, wrapping at the end. Numbers *taken* are not free."""
        number = wanted
        while True:
            occupied = self._connection.execute(
                "SELECT call_no FROM call_facts WHERE call_no >= ? ORDER BY call_no", (number,)
            )
            for (other,) in occupied:
                while number < other and number in taken:
                    number += 1
                if number < other:
                    break
                number = max(number, other + 1)
            while number in taken:
                number += 1
            if number <= MAX_CALL_NO:
                return number
            number = 0

    # --- writing ---

    def _replace_vcons(self, calls: Sequence[ServingCall], removed: Iterable[str]) -> None:
        """Make the rows of vCons those of *calls*, and none of the calls *removed*."""
        if self._connection.execute("SELECT 1 FROM vcons LIMIT 1").fetchone() is not None:
            kept = {item.header["uuid"] for call in calls for item in call.vcons}
            vcon_rows.forget_of_calls(self._connection, [*removed, *(call.call_id for call in calls)], kept)
        vcon_rows.write_rows(self._connection, [item for call in calls for item in call.vcons])

    def _forget(self, call_no: int, *, with_segments: bool) -> None:
        execute = self._connection.execute
        if with_segments:
            span = (first_segment(call_no), last_segment(call_no))
            # The index keeps no text of its own: what is taken off must be the very text that was added.
            execute(
                """INSERT INTO segments_fts (segments_fts, rowid, text)
                   SELECT 'delete', segment_no, text FROM segments
                   WHERE segment_no BETWEEN ? AND ? ORDER BY segment_no""",
                span,
            )
            execute("DELETE FROM segments WHERE segment_no BETWEEN ? AND ?", span)
            execute("DELETE FROM segment_vectors WHERE call_no = ?", (call_no,))
        values = (first_segment(call_no), last_segment(call_no))
        execute(
            """INSERT INTO crm_values_fts (crm_values_fts, rowid, value)
               SELECT 'delete', value_no, value FROM crm_values WHERE value_no BETWEEN ? AND ? ORDER BY value_no""",
            values,
        )
        execute("DELETE FROM crm_values WHERE value_no BETWEEN ? AND ?", values)
        for table in ("crm_objects", "parties", "answered_scorecards", "highlights", "call_facts"):
            execute(f"DELETE FROM {table} WHERE call_no = ?", (call_no,))
        for table in ("profile_facts", "profile_values"):
            execute(
                f"DELETE FROM {table} WHERE profile_no IN (SELECT profile_no FROM profile_models) AND call_no = ?",
                (call_no,),
            )

    def _insert(self, calls: Sequence[tuple[int, ServingCall]], same_segments: set[str]) -> None:
        if not calls:
            return
        many = self._connection.executemany
        columns = ("call_no", "account_no", "opportunity_no", *calls[0][1].facts)
        many(
            f"INSERT INTO call_facts ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            (
                (number, _number_of(number, call.account), _number_of(number, call.opportunity), *call.facts.values())
                for number, call in calls
            ),
        )
        many(
            """INSERT INTO parties
                 (call_no, party_no, speaker_id, speaker_ref, affiliation, job_title, matched, email_key)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                (number, p.party_no, p.speaker_id, p.speaker_ref, p.affiliation, p.job_title, p.matched, p.email_key)
                for number, call in calls
                for p in call.parties
            ),
        )
        many(
            """INSERT INTO crm_objects (object_no, call_no, position, object_type, kind, object_id, object_ref,
                                        name, name_spans, field_count, populated_field_count)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                (
                    object_no(number, o.position),
                    number,
                    *(o.position, o.object_type, o.kind, o.object_id, o.object_ref, o.name, o.name_spans),
                    len(o.values),
                    o.populated,
                )
                for number, call in calls
                for o in call.objects
            ),
        )
        values = [
            (first_segment(number) + running, object_no(number, item.position), item.object_type, *value)
            for number, call in calls
            for running, (item, value) in enumerate((item, value) for item in call.objects for value in item.values)
        ]
        many(
            """INSERT INTO crm_values (value_no, object_no, object_type, field_name, value, value_spans)
               VALUES (?, ?, ?, ?, ?, ?)""",
            values,
        )
        many("INSERT INTO crm_values_fts (rowid, value) VALUES (?, ?)", ((row[0], row[4]) for row in values))
        many(
            """INSERT OR REPLACE INTO answered_scorecards
                 (answered_id, call_no, scorecard_id, scorecard_name, review_method,
                  review_time, reviewed_user, overall_score, answer_score_sum, answer_score_count)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                (
                    a.answered_id,
                    number,
                    *(a.scorecard_id, a.scorecard_name, a.review_method, a.review_time, a.reviewed_user),
                    *(a.overall_score, a.answer_score_sum, a.answer_score_count),
                )
                for number, call in calls
                for a in call.answers
            ),
        )
        many(
            """INSERT INTO highlights (call_no, position, kind, heading, text, text_spans)
               VALUES (?, ?, ?, ?, ?, ?)""",
            (
                (number, h.position, h.kind, h.heading, h.text, h.text_spans)
                for number, call in calls
                for h in call.highlights
            ),
        )
        self._insert_profile_facts([(number, item) for number, call in calls for item in call.profiles])
        self._insert_segments([(number, call) for number, call in calls if call.call_id not in same_segments])

    def _insert_profile_facts(self, facts: Sequence[tuple[int, ProfileFacts]]) -> None:
        self._connection.executemany(
            """INSERT INTO profile_facts
                 (profile_no, call_no, bucket, confidence, reason, evidence_fields, priority_score,
                  transcript_present, account_count, opportunity_count)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                (
                    *(p.profile_no, number, p.bucket, p.confidence, p.reason, p.evidence_fields, p.priority_score),
                    *(p.transcript_present, p.account_count, p.opportunity_count),
                )
                for number, p in facts
            ),
        )
        self._connection.executemany(
            "INSERT INTO profile_values (profile_no, call_no, concept, value) VALUES (?, ?, ?, ?)",
            ((p.profile_no, number, concept, value) for number, p in facts for concept, value in p.values),
        )

    def _insert_segments(self, calls: Sequence[tuple[int, ServingCall]]) -> None:
        many = self._connection.executemany
        many(
            "INSERT INTO segments (segment_no, speaker_no, start_ms, end_ms, text, spans) VALUES (?, ?, ?, ?, ?, ?)",
            (
                (first + index, *rest)
                for number, call in calls
                for first in (first_segment(number),)
                for index, *rest in call.segments
            ),
        )
        many(
            "INSERT INTO segments_fts (rowid, text) VALUES (?, ?)",
            (
                (first + segment[0], segment[4])
                for number, call in calls
                for first in (first_segment(number),)
                for segment in call.segments
            ),
        )


def _keeps(number: int, call: ServingCall) -> bool:
    """Tell whether a call with this stored *number* still begins in the second that the number says."""
    return number >> TIE_BITS == call.second


def _number_of(call_no: int, position: int | None) -> int:
    return 0 if position is None else object_no(call_no, position)


_ATTACHED: Final = """SELECT DISTINCT object_type, object_id, object_ref, call_no FROM crm_objects
                      WHERE object_type = ? AND object_id = ?"""
