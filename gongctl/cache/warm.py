"""Warm: bring the serving read model up to date with the raw half, call by call.

``import`` notes in ``dirty_calls`` which calls it changed. Warm takes them in batches; one transaction
removes and writes the rows of a batch, adjusts the counters and the index, and takes the calls off the
list. So a warm that is stopped or killed at any moment has done whole batches, and the next one goes on
with the rest; what is served is always the old state of a call or the new one.

A model of another digest (another masking, a newer program) holds text that was not judged by the rules
in force: it is emptied at once, and every call becomes dirty.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from gongctl.cache.deriver import Derived, Deriver, RawCall, Rules, decode_payload, open_deriver, open_derivers
from gongctl.cache.profile_facts import CallTraits, KeptProfile, ProfileFacts, facts_of_payload
from gongctl.cache.serving import ServingWriter
from gongctl.cache.settings_rows import count_users, write_settings
from gongctl.cache.writer import CacheWriter
from gongctl.governance.judge import Judge
from gongctl.governance.verdicts import Verdict, VerdictWriter, queue
from gongctl.profile.store import kept_profiles
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.kinds import MASKING_VERSION
from gongmcp.governance.restricted import RestrictedList
from gongmcp.store.model import ModelRules
from gongmcp.store.profile import CLASSIFIER_VERSION
from gongmcp.store.vcon_schema import VCON_INDEXES

BATCH_CALLS: Final = 200
BATCH_SEGMENTS: Final = 40_000
"""A batch ends at whichever comes first; it is held in memory and is one transaction (about a second)."""
TWO_PROCESSES_FROM: Final = 100_000
"""Segments to mask from which on a second process is worth its start."""
_INDEX_BUFFER: Final = 16 << 20
"""Bytes of the full-text index that a transaction gathers before it writes them: a batch fits."""
_MERGED_PAGES: Final = 1_000
"""Pages of the full-text index that one transaction merges (4 MB, a tenth of a second)."""
_ROW_FACTOR: Final = 12
"""Bytes that warm writes (rows, index, log) for a byte of compressed payload: 8 measured on real calls."""


CLEANED_UP_TO: Final = 2_000_000
"""Served segments up to which a warm that removed calls also takes their words out of the full-text indexes for good
(some seconds); in a larger cache that waits for the next large build, or for a purge."""
_INDEXES: Final = ("segments_fts", "crm_values_fts", *VCON_INDEXES)
KEPT_PROFILES: Final = 3
"""Profiles of which facts are kept: the active one and those that were active or asked for last."""
REJUDGE_TARGET: Final = "rejudge_target"
"""Key of ``meta``: the digest of the model that the calls in ``rejudge`` are judged for; '' = none."""
MANY_TO_JUDGE: Final = 400
"""Calls to be judged again from which on further processes are worth their start."""
MAX_LINEAGE: Final = 1_000
"""How many lists, each stricter than the one before, a running server can be behind."""
_PARTS: Final = ("judge", "decode", "derive", "wait", "write", "merge", "profiles", "finish")


@dataclass(slots=True)
class WarmReport:
    """What a warm did. Counts hold committed work only.

    *looked_at* calls were dirty; *redone* were written anew; *removed* are served no more because their
    raw call is gone; *segments* were written with the redone calls. *finished* is False when it was
    stopped. *suppressed* are, of those looked at, the ones that scope or list take from agents; *judged_again* were
    looked at because the list has changed. *profile_calls* were given facts of a profile that had none of them yet.

    *parts* are seconds: ``judge`` (by a changed list), ``decode`` and ``derive`` (facts and masking) where they
    were done, in a large build beside ``write`` (rows, index, counters), ``merge`` (of the index, after a large
    build), ``profiles`` (facts of new profiles) and ``finish``; ``wait`` is for the second process.
    """

    looked_at: int = 0
    redone: int = 0
    removed: int = 0
    segments: int = 0
    suppressed: int = 0
    judged_again: int = 0
    profile_calls: int = 0
    seconds: float = 0.0
    finished: bool = False
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_PARTS, 0.0))

    @property
    def done(self) -> int:
        """How many steps of work were done, of whatever kind."""
        return self.looked_at + self.judged_again + self.profile_calls


def warm(
    writer: CacheWriter,
    *,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    rules: ModelRules | None = None,
    restricted: RestrictedList | None = None,
    ungoverned: bool = False,
) -> WarmReport:
    """Bring the read model of the cache behind *writer* up to date and report what was done.

    *progress* is called with the calls done and the calls to do, after each batch; *should_stop* is asked
    between batches. Work that was interrupted is taken up by the next warm. *rules* decide what
    is served, the defaults unless the operator's settings say otherwise; *restricted* is the list whose digest they
    hold. *ungoverned* allows a model without a list where the one before had one.

    Raises:
        StartupRefusal: too little disk space, the cache is held by another program, or a list was in force and none
            is given.
    """
    run = _Run(writer, rules or ModelRules(), restricted)
    started = time.perf_counter()
    try:
        run.begin(ungoverned=ungoverned)
        todo = run.dirty_count() + run.judging_count() + run.profile_count()
        if progress is not None:
            progress(0, todo)
        for _ in run.batches(should_stop or (lambda: False)):
            if progress is not None:
                progress(min(run.report.done, todo), todo)
    finally:
        run.report.seconds = time.perf_counter() - started
    return run.report


_Payload = tuple[bytes, CallTraits]


class _Run:
    def __init__(self, writer: CacheWriter, rules: ModelRules, restricted: RestrictedList | None) -> None:
        self.report = WarmReport()
        self._writer = writer
        self._model = rules
        self._connection = writer.connection
        self._serving = ServingWriter(writer.connection, rules.names)
        self._verdicts = VerdictWriter(writer.connection, writer.secret, restricted)
        self._segments = 0
        judge = None if restricted is None else Judge(restricted)
        masked = rules.mask_participants
        self._rules = Rules(writer.secret, rules.names, (), rules.scope, judge, mask_participants=masked)

    def begin(self, *, ungoverned: bool = False) -> None:
        """Start a new model where there is none of the rules in force, or turn to a changed list; check the space."""
        row = self._connection.execute("SELECT digest, base, restricted FROM read_model WHERE id = 1").fetchone()
        if row is not None and row[2] and not self._model.restricted and not ungoverned:
            raise StartupRefusal(
                "The cache was last warmed with a restricted list, and none is given.",
                "Give it: --ai-governance-config FILE. To serve every call of the scope: --no-governance-exclusions.",
                Exit.REFUSED,
            )
        same_list = row is not None and row[2] == self._model.restricted
        if row is None or row[1] != self._model.base or (same_list and row[0] != self._model.digest):
            self._start_model()
        elif row[0] != self._model.digest:
            self._turn_to_list(had_list=bool(row[2]))
        elif self._writer.meta(REJUDGE_TARGET):
            with self._writer.transaction():
                self._connection.execute("DELETE FROM rejudge")
                self._writer.set_meta(REJUDGE_TARGET, "")
        self._settle_profiles()
        size, self._segments = self._connection.execute(
            """SELECT coalesce(sum(length(c.payload)), 0) + coalesce(sum(length(t.payload)), 0),
                      coalesce(sum(t.segment_count), 0)
               FROM dirty_calls AS d JOIN raw_calls AS c ON c.call_id = d.call_id
               LEFT JOIN raw_transcripts AS t ON t.call_id = d.call_id"""
        ).fetchone()
        if size:
            self._writer.require_space(size * _ROW_FACTOR, "Warming")

    def _start_model(self) -> None:
        with self._writer.transaction() as generation:
            self._serving.clear()
            self._verdicts.start_over()
            self._connection.execute("INSERT OR IGNORE INTO dirty_calls SELECT call_id FROM raw_calls")
            self._connection.execute(
                """INSERT OR REPLACE INTO read_model
                     (id, digest, masking_version, generation, data_generation, as_of, complete,
                      base, restricted, tightened_from)
                   VALUES (1, ?, ?, ?, 0, '', 0, ?, ?, '[]')""",
                (self._model.digest, MASKING_VERSION, generation, self._model.base, self._model.restricted),
            )
            self._writer.set_meta(REJUDGE_TARGET, "")

    def _turn_to_list(self, *, had_list: bool) -> None:
        """Find the calls that a changed list concerns.

        Those that a stricter list may take away are judged while the model of the list before is served, and
        taken out as they are found. What a looser list gives back must not be seen by a server of the list before:
        so the model is at once one of the new list, and complete again when all of it is there.
        """
        if self._verdicts.is_stricter():
            if self._writer.meta(REJUDGE_TARGET) != self._model.digest:
                with self._writer.transaction():
                    self._connection.execute("DELETE FROM rejudge")
                    if had_list:
                        queue(self._connection, "rejudge", self._verdicts.concerned())
                    else:
                        self._connection.execute("INSERT INTO rejudge SELECT call_id FROM raw_calls")
                    self._writer.set_meta(REJUDGE_TARGET, self._model.digest)
            return
        with self._writer.transaction() as generation:
            queue(self._connection, "dirty_calls", self._verdicts.suppressed_by_list())
            queue(self._connection, "dirty_calls", self._verdicts.concerned())
            self._verdicts.take_over_terms()
            self._connection.execute(
                """UPDATE read_model SET digest = ?, restricted = ?, tightened_from = '[]', complete = 0, generation = ?
                   WHERE id = 1""",
                (self._model.digest, self._model.restricted, generation),
            )
            self._writer.set_meta(REJUDGE_TARGET, "")

    def judging_count(self) -> int:
        """Return how many calls are to be judged by a stricter list."""
        return int(self._connection.execute("SELECT count(*) FROM rejudge").fetchone()[0])

    def _judge_again(self, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Take out what a stricter list names, batch by batch, then make the model one of that list."""
        if self._writer.meta(REJUDGE_TARGET) != self._model.digest:
            return
        with self._timed("judge"):
            for batch, verdicts in self._judged_batches():
                named = [verdict.call_id for verdict in verdicts if verdict.suppressed]
                ids = json.dumps([raw.call_id for raw in batch])
                with self._writer.transaction() as generation:
                    removed = self._served(named)
                    self._serving.replace((), removed)
                    self._verdicts.store([self._or_scope(verdict) for verdict in verdicts])
                    self._connection.execute(
                        "DELETE FROM rejudge WHERE call_id IN (SELECT value FROM json_each(?))", (ids,)
                    )
                    if removed:
                        self._connection.execute("UPDATE read_model SET generation = ? WHERE id = 1", (generation,))
                self.report.judged_again += len(batch)
                self.report.removed += len(removed)
                yield
                if should_stop():
                    return
            with self._writer.transaction() as generation:
                row = self._connection.execute("SELECT digest, tightened_from FROM read_model WHERE id = 1").fetchone()
                self._verdicts.take_over_terms()
                self._write_settings()
                self._connection.execute(
                    "UPDATE read_model SET digest = ?, restricted = ?, tightened_from = ?, generation = ? WHERE id = 1",
                    (
                        self._model.digest,
                        self._model.restricted,
                        json.dumps([*json.loads(row[1]), row[0]][-MAX_LINEAGE:]),
                        generation,
                    ),
                )
                self._writer.set_meta(REJUDGE_TARGET, "")

    def _or_scope(self, verdict: Verdict) -> Verdict:
        """Keep the verdict of the scope on a call that the list does not name."""
        row = self._connection.execute(
            "SELECT rule FROM verdicts WHERE call_id = ? AND suppressed = 1", (verdict.call_id,)
        ).fetchone()
        return verdict if row is None or verdict.suppressed else replace(verdict, rule=row[0])

    def _judged_batches(self) -> Iterator[tuple[list[RawCall], Sequence[Verdict]]]:
        """Yield the batches of ``rejudge`` with the list's verdicts, in order; many calls are judged on all cores."""
        processes = (os.cpu_count() or 1) if self.judging_count() > MANY_TO_JUDGE else 0
        with open_derivers(replace(self._rules, only_judge=True), processes) as derivers:
            waiting: list[tuple[list[RawCall], Deriver]] = []
            free = list(derivers)
            last = ""
            while True:
                while free and (batch := self._next_to_judge(last)):
                    deriver = free.pop()
                    deriver.submit(batch)
                    waiting.append((batch, deriver))
                    last = batch[-1].call_id
                if not waiting:
                    return
                batch, deriver = waiting.pop(0)
                verdicts = deriver.result().verdicts
                free.append(deriver)
                yield batch, verdicts

    def _next_to_judge(self, after: str) -> list[RawCall]:
        return self._raw_calls(
            """SELECT r.call_id, c.payload, c.imported_at, t.payload, coalesce(t.segment_count, 0)
               FROM rejudge AS r LEFT JOIN raw_calls AS c ON c.call_id = r.call_id
               LEFT JOIN raw_transcripts AS t ON t.call_id = r.call_id
               WHERE r.call_id > ? ORDER BY r.call_id LIMIT ?""",
            (after, BATCH_CALLS),
        )

    def _settle_profiles(self) -> None:
        """Let go of profiles that nobody wants any more, and of facts that other rules made."""
        active = self._connection.execute("SELECT profile_no FROM active_profile").fetchone()
        models = self._connection.execute(
            "SELECT profile_no, classifier FROM profile_models ORDER BY profile_no IS NOT ?, wanted DESC",
            (active[0] if active else None,),
        ).fetchall()
        for position, (number, classifier) in enumerate(models):
            if position >= KEPT_PROFILES:
                with self._writer.transaction():
                    self._serving.drop_profile(number)
                    self._connection.execute("DELETE FROM profile_models WHERE profile_no = ?", (number,))
            elif classifier != CLASSIFIER_VERSION:
                with self._writer.transaction():
                    self._serving.drop_profile(number)
                    self._connection.execute(
                        "UPDATE profile_models SET classifier = ?, complete = 0 WHERE profile_no = ?",
                        (CLASSIFIER_VERSION, number),
                    )
        self._rules = replace(self._rules, profiles=kept_profiles(self._connection))

    def profile_count(self) -> int:
        """Return how many calls lack facts of a kept profile, counted once for each."""
        row = self._connection.execute(
            """SELECT coalesce(sum((SELECT count(*) FROM call_facts)
                 - (SELECT count(*) FROM profile_facts AS p WHERE p.profile_no = m.profile_no)), 0)
               FROM profile_models AS m WHERE m.complete = 0"""
        ).fetchone()
        return max(int(row[0]), 0)

    def dirty_count(self) -> int:
        """Return how many calls there are to look at."""
        return int(self._connection.execute("SELECT count(*) FROM dirty_calls").fetchone()[0])

    def batches(self, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Warm batch after batch, each in one transaction, and finish; ends early when asked to stop."""
        large = self._segments >= TWO_PROCESSES_FROM
        if large:
            self._widen_index_buffer()
        beside = large and (os.cpu_count() or 1) > 1
        yield from self._judge_again(should_stop)
        if self._writer.meta(REJUDGE_TARGET):  # stopped before all were judged
            return
        with open_deriver(self._rules, second_process=beside) as deriver:
            batch = self._next("")
            if batch:
                deriver.submit(batch)
            while batch:
                if should_stop():
                    return
                asked = time.perf_counter()
                derived = deriver.result()
                self.report.parts["wait"] += time.perf_counter() - asked if beside else 0.0
                self.report.parts["decode"] += derived.decode_seconds
                self.report.parts["derive"] += derived.derive_seconds
                following = self._next(batch[-1].call_id)
                if following:
                    deriver.submit(following)
                with self._timed("write"):
                    self._write(batch, derived)
                yield
                batch = following
        if should_stop():
            return
        self.finish()
        for kept in self._rules.profiles:
            yield from self._complete(kept, should_stop)
            if should_stop():
                return
        if large or (self.report.removed and self._served_segments() <= CLEANED_UP_TO):
            for index in _INDEXES:
                self._merge_index(index, should_stop)
        self._connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
        self.report.finished = True

    def _complete(self, kept: KeptProfile, should_stop: Callable[[], bool]) -> Iterator[None]:
        """Give facts of *kept* to every call that has none, in batches, and say so when all have them."""
        number = kept.profile_no
        if self._connection.execute("SELECT complete FROM profile_models WHERE profile_no = ?", (number,)).fetchone()[
            0
        ]:
            return
        with self._timed("profiles"):
            last = -1
            while batch := self._without_facts(number, last):
                if should_stop():
                    return
                last = batch[-1][0]
                with self._writer.transaction():
                    self._serving.add_profile_facts([(call_no, self._facts(kept, row)) for call_no, row in batch])
                self.report.profile_calls += len(batch)
                yield
            with self._writer.transaction() as generation:
                self._connection.execute("UPDATE profile_models SET complete = 1 WHERE profile_no = ?", (number,))
                self._connection.execute("UPDATE read_model SET generation = ? WHERE id = 1", (generation,))

    def _without_facts(self, profile_no: int, after: int) -> list[tuple[int, _Payload]]:
        rows = self._connection.execute(
            """SELECT f.call_no, c.payload, f.scope, f.direction, f.duration_seconds, f.transcript_present
               FROM call_facts AS f JOIN raw_calls AS c ON c.call_id = f.call_id
               WHERE f.call_no > ? AND NOT EXISTS (
                 SELECT 1 FROM profile_facts AS p WHERE p.profile_no = ? AND p.call_no = f.call_no)
               ORDER BY f.call_no LIMIT ?""",
            (after, profile_no, BATCH_CALLS),
        )
        return [(number, (payload, CallTraits(*traits))) for number, payload, *traits in rows]

    def _facts(self, kept: KeptProfile, stored: _Payload) -> ProfileFacts:
        payload, traits = stored
        return facts_of_payload([kept], decode_payload(payload), traits, self._rules.names)[0]

    def _write(self, batch: Sequence[RawCall], derived: Derived) -> None:
        """Replace the served rows of *batch* and take it off the list, in one transaction."""
        gone = [raw.call_id for raw in batch if raw.call is None]
        taken = [verdict.call_id for verdict in derived.verdicts if verdict.suppressed]
        with self._writer.transaction() as generation:
            # A transcript that waits for its call is dirty too: there is nothing to serve of it, and its
            # call will be dirty when it comes.
            removed = self._served([*gone, *taken])
            self._serving.replace(derived.calls, removed)
            self._verdicts.store(derived.verdicts, gone)
            self._connection.executemany("DELETE FROM dirty_calls WHERE call_id = ?", [(raw.call_id,) for raw in batch])
            self._connection.execute("UPDATE read_model SET generation = ? WHERE id = 1", (generation,))
        self.report.looked_at += len(batch)
        self.report.redone += len(derived.calls)
        self.report.removed += len(removed)
        self.report.suppressed += len(taken)
        self.report.segments += sum(len(call.segments) for call in derived.calls)

    def _widen_index_buffer(self) -> None:
        stored = self._connection.execute("SELECT v FROM segments_fts_config WHERE k = 'hashsize'").fetchone()
        if stored is None or stored[0] != _INDEX_BUFFER:
            with self._writer.transaction():
                self._connection.execute(
                    "INSERT INTO segments_fts (segments_fts, rank) VALUES ('hashsize', ?)", (_INDEX_BUFFER,)
                )

    def _served_segments(self) -> int:
        row = self._connection.execute(
            "SELECT value FROM counters WHERE counter = 'total' AND key = 'segments' AND detail = ''"
        ).fetchone()
        return 0 if row is None else int(row[0])

    def _merge_index(self, index: str, should_stop: Callable[[], bool]) -> None:
        """Make one piece of the pieces that the batches wrote into a full-text index, step by step.

        A search looks into each piece. In the twenty that a build leaves, a search in one call takes five
        times as long. And an index notes what was taken off: the words of a removed call are gone when all is one
        piece. It changes nothing that is served: stopped, it is left to the next large build.
        """
        pages = -_MERGED_PAGES  # negative: begins with all pieces; positive: goes on
        with self._timed("merge"):
            while not should_stop():
                before = self._connection.total_changes
                with self._writer.transaction():
                    self._connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))
                    merged = self._connection.total_changes - before
                if merged < 2:  # as the documentation of FTS5 says that it is done
                    break
                pages = _MERGED_PAGES

    def finish(self) -> None:
        """Say that the model holds all that was imported, if that is news."""
        with self._timed("finish"):
            data_generation = int(self._writer.meta("data_generation") or 0)
            as_of = self._writer.meta("last_import_at") or ""
            held = self._connection.execute(
                "SELECT data_generation, as_of, complete FROM read_model WHERE id = 1"
            ).fetchone()
            if self.report.looked_at or held != (data_generation, as_of, 1):
                with self._writer.transaction() as generation:
                    self._write_settings()
                    self._connection.execute(
                        """UPDATE read_model SET generation = ?, data_generation = ?, as_of = ?, complete = 1
                           WHERE id = 1""",
                        (generation, data_generation, as_of),
                    )
            # No ANALYZE: without statistics every cache has the same query plans, those that were measured.

    def _write_settings(self) -> None:
        settings = write_settings(self._connection, self._rules.judge)
        self._serving.take_over_totals(settings | {"users": count_users(self._connection, self._rules.judge)})

    def _next(self, after: str) -> list[RawCall]:
        """Read the payloads of the next dirty calls behind the id *after*."""
        return self._raw_calls(
            """SELECT d.call_id, c.payload, c.imported_at, t.payload, coalesce(t.segment_count, 0)
               FROM dirty_calls AS d LEFT JOIN raw_calls AS c ON c.call_id = d.call_id
               LEFT JOIN raw_transcripts AS t ON t.call_id = d.call_id
               WHERE d.call_id > ? ORDER BY d.call_id LIMIT ?""",
            (after, BATCH_CALLS),
        )

    def _raw_calls(self, sql: str, parameters: tuple[str | int, ...]) -> list[RawCall]:
        """Read a batch: rows of id, call, time of import, transcript, segments; it ends before too many segments."""
        rows = self._connection.execute(sql, parameters)
        batch: list[RawCall] = []
        segments = 0
        for call_id, call, imported_at, transcript, count in rows:
            segments += count
            if batch and segments > BATCH_SEGMENTS:
                break
            answered, vcons = self._answered(call_id), self._vcons(call_id)
            batch.append(RawCall(call_id, call, imported_at or "", transcript, answered, vcons))
        rows.close()
        return batch

    def _answered(self, call_id: str) -> tuple[bytes, ...]:
        """Read the payloads of the scorecards that were answered for a call."""
        rows = self._connection.execute(
            "SELECT payload FROM raw_records WHERE call_id = ? ORDER BY record_id", (call_id,)
        )
        return tuple(payload for (payload,) in rows)

    def _vcons(self, call_id: str) -> tuple[bytes, ...]:
        """Read the vCons that a call stands for."""
        rows = self._connection.execute("SELECT payload FROM raw_vcons WHERE call_id = ? ORDER BY uuid", (call_id,))
        return tuple(payload for (payload,) in rows)

    def _served(self, call_ids: list[str]) -> list[str]:
        if not call_ids:
            return []
        rows = self._connection.execute(
            "SELECT call_id FROM call_facts WHERE call_id IN (SELECT value FROM json_each(?))", (json.dumps(call_ids),)
        )
        return [call_id for (call_id,) in rows]

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.report.parts[part] += time.perf_counter() - started
