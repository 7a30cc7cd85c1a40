"""A cache for others: a new file that holds only what scope and restricted list leave, raw payloads included.

Nothing is copied and deleted again: the new file is written from the payloads that may be in it, then warmed. So
no page of it ever held anything else. It has the secret of its source, hence the same aliases, and neither
verdicts nor anything of the list.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from gongctl.cache.clock import utc_now
from gongctl.cache.connection import connect, reading
from gongctl.cache.deriver import decode_payload, texts_of_vcon
from gongctl.cache.lock import lock_path, writer_lock
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.governance.calls import CallPayloads, holds_vcons, secret_of, vcons_of
from gongctl.governance.explain import scope_reason
from gongctl.governance.judge import Judge, texts
from gongctl.profile.canonical import canonical_sha256
from gongctl.profile.model import Profile
from gongctl.profile.store import activate, want
from gongctl.profile.yaml_text import profile_yaml
from gongmcp.errors import StartupRefusal
from gongmcp.governance.restricted import RestrictedList
from gongmcp.store.model import ModelRules

_BATCH: Final = 100
_SIDECARS: Final = ("-wal", "-shm", "-journal", ".lock")
_ROW_FACTOR: Final = 12
"""Bytes of the finished file for a byte of compressed payload, the write-ahead log of its warm included."""
_FORGOTTEN: Final = ("verdicts", "list_terms", "rejudge", "judged_calls")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A record of the source that is not in the new file, or (*reduced*) not with all of its text."""

    kind: str
    record_id: str
    reduced: bool = False


@dataclass(slots=True)
class ExportReport:
    """What was copied and what was left, by kind; *left* says why: ``restricted``, a rule of the scope, or
    ``no_call`` (of a transcript, scorecard or vCon whose call is not in the file). *dropped* are single records.
    *left_behind* is how many half-written files of exports that were killed were removed."""

    copied: Counter[str] = field(default_factory=Counter)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: list[Dropped] = field(default_factory=list)
    active_profile: str | None = None
    file_bytes: int = 0
    left_behind: int = 0


class Stopped(Exception):
    """The operator asked to stop; no file was left."""


def check_target(source: Path, target: Path, others: Sequence[Path | None], *, overwrite: bool) -> None:
    """Refuse a *target* that is the source, lies over one of its sidecars or of *others*, or exists.

    Raises:
        StartupRefusal: it must not be written; nothing was.
    """
    resolved, origin = target.resolve(), source.resolve()
    taken = {origin, *(origin.with_name(origin.name + suffix) for suffix in _SIDECARS)}
    if resolved in taken or (target.exists() and source.exists() and target.samefile(source)):
        raise StartupRefusal(f"{target} is the cache itself, or a file of it.", "Name another file with --out.")
    if origin in {resolved.with_name(resolved.name + suffix) for suffix in _SIDECARS}:
        raise StartupRefusal(f"SQLite would take {source} for a part of {target}.", "Name another file with --out.")
    if any(other is not None and other.resolve() == resolved for other in others):
        raise StartupRefusal(f"{target} is a file that this command reads.", "Name another file with --out.")
    if not resolved.parent.is_dir():
        raise StartupRefusal(f"The folder {resolved.parent} does not exist.", "Create it, or name another file.")
    for suffix in _SIDECARS:
        beside = resolved.with_name(resolved.name + suffix)
        if beside.exists():
            raise StartupRefusal(
                f"{beside} lies beside the file to be written, and would be taken for a part of it.",
                "Close what has it open, remove it, or name another file with --out.",
            )
    if not resolved.exists() and not resolved.is_symlink():
        return
    if not overwrite:
        raise StartupRefusal(f"{target} exists.", "Name another file, or replace it with --overwrite.")
    connect(resolved, "ro").close()  # a file that is no cache is not replaced


def export_filtered(
    source: Path,
    target: Path,
    rules: ModelRules,
    restricted: RestrictedList,
    *,
    overwrite: bool = False,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> ExportReport:
    """Write what *rules* (of the server, with the list) and *restricted* leave of *source* into a new cache *target*.

    The file is built beside its place and moved there when it is whole.

    Raises:
        StartupRefusal: a file cannot be used; see ``check_target``.
        Stopped: *should_stop* said so.
    """
    check_target(source, target, (), overwrite=overwrite)
    left_behind = _remove_left_behind(target.resolve())
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.resolve().parent)
    os.close(handle)
    made = Path(name)
    made.unlink()  # CacheWriter makes it, under a name that nobody else has
    try:
        with reading(source) as connection:
            report = _Export(connection, rules, restricted, progress, should_stop or (lambda: False)).into(made)
        report.left_behind = left_behind
        report.file_bytes = made.stat().st_size
        made.replace(target.resolve())
        return report
    finally:
        for path in (made, *(made.with_name(made.name + suffix) for suffix in ("-wal", "-shm", "-journal"))):
            path.unlink(missing_ok=True)
        lock_path(made).unlink(missing_ok=True)


def _remove_left_behind(target: Path) -> int:
    """Remove the half-written files that killed exports to *target* left, with what SQLite keeps beside them."""
    begins, ends = f".{target.name}.", ".new"
    found = [file for file in target.parent.iterdir() if file.name.startswith(begins) and file.name.endswith(ends)]
    removed = 0
    for half in found:
        try:
            with writer_lock(half):  # an export that is at work holds it
                for path in (half, *(half.with_name(half.name + suffix) for suffix in ("-wal", "-shm", "-journal"))):
                    path.unlink(missing_ok=True)
        except StartupRefusal:
            continue
        removed += 1
    return removed


class _Export:
    """One export; *connection* is the source's."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        rules: ModelRules,
        restricted: RestrictedList,
        progress: Progress | None,
        should_stop: Callable[[], bool],
    ) -> None:
        self._source = connection
        self._rules = rules
        self._judge = Judge(restricted)
        self._secret = secret_of(connection)
        self._progress = progress
        self._should_stop = should_stop
        self.report = ExportReport()

    def into(self, path: Path) -> ExportReport:
        """Write the new cache at *path*, which must not exist."""
        with CacheWriter.open(path, create=True) as writer:
            size = self._source.execute(
                """SELECT (SELECT coalesce(sum(length(payload)), 0) FROM raw_calls)
                        + (SELECT coalesce(sum(length(payload)), 0) FROM raw_transcripts)"""
            ).fetchone()[0]
            if holds_vcons(self._source):
                size += self._source.execute("SELECT coalesce(sum(length(payload)), 0) FROM raw_vcons").fetchone()[0]
            writer.require_space(size * _ROW_FACTOR, "The export")
            with writer.transaction():
                writer.set_meta("secret", self._secret.hex())
            self._calls(writer)
            self._records(writer)
            self._profiles(writer)
            self._finish(writer)
        return self.report

    def _calls(self, writer: CacheWriter) -> None:
        total = int(self._source.execute("SELECT count(*) FROM raw_calls").fetchone()[0])
        done, last = 0, ""
        while batch := self._source.execute(
            """SELECT c.call_id, c.payload, c.digest, c.imported_at, t.payload, t.digest, t.segment_count, t.imported_at
               FROM raw_calls AS c LEFT JOIN raw_transcripts AS t ON t.call_id = c.call_id
               WHERE c.call_id > ? ORDER BY c.call_id LIMIT ?""",
            (last, _BATCH),
        ).fetchall():
            self._stop_if_asked()
            last = batch[-1][0]
            with writer.transaction() as generation:
                for row in batch:
                    self._call(writer.connection, generation, row)
            done += len(batch)
            if self._progress is not None:
                self._progress(done, total)
        waiting = self._source.execute(
            """SELECT count(*) FROM raw_transcripts AS t
               WHERE NOT EXISTS (SELECT 1 FROM raw_calls AS c WHERE c.call_id = t.call_id)"""
        ).fetchone()[0]
        self._leave("transcript", "no_call", waiting)
        answers = self._source.execute(
            """SELECT count(*) FROM raw_records AS r WHERE call_id IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM raw_calls AS c WHERE c.call_id = r.call_id)"""
        ).fetchone()[0]
        self._leave("answered_scorecard", "no_call", answers)
        if holds_vcons(self._source):
            alone = self._source.execute(
                """SELECT count(*) FROM raw_vcons AS v
                   WHERE NOT EXISTS (SELECT 1 FROM raw_calls AS c WHERE c.call_id = v.call_id)"""
            ).fetchone()[0]
            self._leave("vcon", "no_call", alone)

    def _call(self, target: sqlite3.Connection, generation: int, row: tuple[Any, ...]) -> None:
        call_id, call, digest, imported_at, transcript, transcript_digest, segments, transcript_at = row
        answers = self._source.execute(
            "SELECT kind, record_id, payload, digest, call_id, imported_at FROM raw_records"
            " WHERE call_id = ? ORDER BY record_id",
            (call_id,),
        ).fetchall()
        vcons = vcons_of(self._source, call_id)
        payloads = CallPayloads(
            call_id,
            decode_payload(call),
            None if transcript is None else decode_payload(transcript),
            [*(decode_payload(answer[2]) for answer in answers), *(texts_of_vcon(item[2]) for item in vcons)],
            imported_at,
        )
        reason = self._reason(payloads)
        if reason is not None:
            self._leave("call", reason)
            self._leave("transcript", reason, int(transcript is not None))
            self._leave("segment", reason, segments or 0)
            self._leave("answered_scorecard", reason, len(answers))
            self._leave("vcon", reason, len(vcons))
            return
        target.execute(
            "INSERT INTO raw_calls (call_id, payload, digest, imported_at, generation) VALUES (?, ?, ?, ?, ?)",
            (call_id, call, digest, imported_at, generation),
        )
        target.execute("INSERT INTO dirty_calls (call_id) VALUES (?)", (call_id,))
        self.report.copied["call"] += 1
        if transcript is not None:
            target.execute(
                """INSERT INTO raw_transcripts (call_id, payload, digest, segment_count, imported_at, generation)
                   VALUES (?, ?, ?, ?, ?, ?)""",
                (call_id, transcript, transcript_digest, segments, transcript_at, generation),
            )
            self.report.copied["transcript"] += 1
            self.report.copied["segment"] += segments
        self._insert_records(target, generation, answers)
        target.executemany(
            "INSERT INTO raw_vcons (uuid, call_id, payload, digest, imported_at, generation) VALUES (?, ?, ?, ?, ?, ?)",
            [(*item, generation) for item in vcons],
        )
        if vcons:
            self.report.copied["vcon"] += len(vcons)

    def _reason(self, payloads: CallPayloads) -> str | None:
        """Return why a call is left: ``restricted`` or the rule of the scope; None when it is copied."""
        if self._judge.matcher.hits(payloads.call_id):
            return "restricted"
        if self._judge.find(payloads.call, payloads.transcript, payloads.answered) is not None:
            return "restricted"
        outside = scope_reason(payloads, self._secret, self._rules.scope, self._rules.names)
        return None if outside is None else outside.rule

    def _records(self, writer: CacheWriter) -> None:
        """Copy the records that belong to no call: users, workspaces, settings, CRM schemas."""
        rows = self._source.execute(
            """SELECT kind, record_id, payload, digest, call_id, imported_at FROM raw_records
               WHERE call_id IS NULL ORDER BY kind, record_id"""
        )
        while batch := rows.fetchmany(_BATCH):
            self._stop_if_asked()
            kept = []
            for row in batch:
                if row[0] == "answered_scorecard":
                    self._leave(row[0], "no_call")
                elif self._names(row[1], *(text for _, text in texts(decode_payload(row[2]), None))):
                    self._leave(row[0], "restricted")
                    self.report.dropped.append(Dropped(row[0], row[1]))
                else:
                    kept.append(row)
            with writer.transaction() as generation:
                self._insert_records(writer.connection, generation, kept)

    def _insert_records(self, target: sqlite3.Connection, generation: int, rows: Sequence[tuple[Any, ...]]) -> None:
        target.executemany(
            """INSERT INTO raw_records (kind, record_id, payload, digest, call_id, imported_at, generation)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            [(*row, generation) for row in rows],
        )
        self.report.copied.update(row[0] for row in rows)

    def _names(self, *looked_at: str) -> bool:
        return any(text and self._judge.matcher.hits(text) for text in looked_at)

    def _profiles(self, writer: CacheWriter) -> None:
        """Copy the business profiles: as they are, reduced to what they mean, or not at all."""
        cursor = self._source.execute("SELECT * FROM profiles ORDER BY profile_no")
        columns = [column[0] for column in cursor.description]
        wanted = {number for (number,) in self._source.execute("SELECT profile_no FROM profile_models")}
        active = self._source.execute("SELECT profile_no FROM active_profile WHERE id = 1").fetchone()
        for values in cursor.fetchall():
            row = self._permitted_profile(dict(zip(columns, values, strict=True)))
            if row is None:
                continue
            with writer.transaction():
                writer.connection.execute(
                    f"INSERT INTO profiles ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())
                )
            self.report.copied["profile"] += 1
            if row["profile_no"] in wanted:
                want(writer, row["profile_id"])
            if active is not None and active[0] == row["profile_no"]:
                activate(writer, row["profile_id"])
                with writer.transaction():
                    writer.connection.execute(
                        "UPDATE profiles SET activated_at = ? WHERE profile_no = ?",
                        (row["activated_at"], row["profile_no"]),
                    )
                self.report.active_profile = row["profile_id"]

    def _permitted_profile(self, row: dict[str, Any]) -> dict[str, Any] | None:
        as_stored = [value for value in row.values() if isinstance(value, str)]
        if not self._names(*as_stored, *_strings(msgspec.json.decode(row["content"]))):
            return row
        profile = _meaning_alone(Profile.from_json(row["content"]))
        meant = _strings(profile.plain())
        if self._names(row["profile_id"], *meant):
            self._leave("profile", "restricted")
            self.report.dropped.append(Dropped("profile", row["profile_id"]))
            return None
        self.report.dropped.append(Dropped("profile", row["profile_id"], reduced=True))
        # What is said about the file would be about another text now; its meaning has the hash that it had.
        if canonical_sha256(profile) != row["canonical_sha256"]:
            raise RuntimeError("a reduced profile means something else")
        return row | {
            "content": profile.to_json(),
            "source": profile_yaml(profile),
            "source_path": "",
            "imported_by": "",
            "findings": "[]",
        }

    def _finish(self, writer: CacheWriter) -> None:
        """Keep the counts, say how old the data is, warm, and forget the verdicts that warm made."""
        as_of = self._source.execute("SELECT value FROM meta WHERE key = 'last_import_at'").fetchone()
        with writer.transaction() as generation:
            writer.connection.executemany(
                """INSERT INTO tallies (name, value) VALUES (?, ?)
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value""",
                [(kind, count) for kind, count in self.report.copied.items() if kind != "profile"],
            )
            writer.set_meta("data_generation", str(generation))
            writer.set_meta("last_import_at", as_of[0] if as_of else utc_now())
        # Warmed without the list: the file holds none of its calls, and shall hold nothing of the list itself.
        rules = replace(self._rules, restricted="")
        report = warm(writer, progress=self._progress, should_stop=self._should_stop, rules=rules)
        if not report.finished:
            raise Stopped
        with writer.transaction():
            for table in _FORGOTTEN:
                writer.connection.execute(f"DELETE FROM {table}")

    def _leave(self, kind: str, reason: str, count: int = 1) -> None:
        if count:
            self.report.left[kind, reason] += count

    def _stop_if_asked(self) -> None:
        if self._should_stop():
            raise Stopped


def _meaning_alone(profile: Profile) -> Profile:
    """Return *profile* without its notes: evidence, labels and descriptions. It classifies every call alike."""
    replaced = msgspec.structs.replace
    return replaced(
        profile,
        name="Profile",
        objects=tuple(replaced(item, evidence=None) for item in profile.objects),
        fields=tuple(replaced(item, evidence=None) for item in profile.fields),
        lifecycle=tuple(replaced(item, evidence=None, label="", description="") for item in profile.lifecycle),
        methodology=tuple(replaced(item, description="") for item in profile.methodology),
    )


def _strings(node: object) -> Iterator[str]:
    """Yield every text in JSON values, keys included."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield str(key)
            yield from _strings(value)
    elif isinstance(node, list | tuple):
        for item in node:
            yield from _strings(item)
