"""The operator's model: what would be served without scope and restricted list, in a file that only gongctl opens.

It lies beside the cache (``gong.db.operator``, mode 0600), holds a read model of every call and no payloads, and
bears another application id: ``gongmcp`` refuses it as no cache. An operator's preview runs a call in it a second
time, to tell what governance took from the answer. It is made and renewed by warm, on request alone.

It is built by the same warm as the model of the cache, over the cache's raw half: the raw tables of its connection
are views of the cache, which is attached read-only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from gongctl.cache.connection import file_uri
from gongctl.cache.lock import lock_path
from gongctl.cache.serving import ServingWriter
from gongctl.cache.warm import WarmReport, warm
from gongctl.cache.writer import CacheWriter
from gongmcp.governance.scope import Scope
from gongmcp.store.model import ModelRules

OPERATOR_APPLICATION_ID: Final = 0x474F4E4F
"""``PRAGMA application_id`` of an operator's model: the bytes of "GONO"."""

SYNCED: Final = "source_generation"
"""Key of ``meta``: the generation of the cache up to which changed calls are on the model's list."""

_VIEWS: Final = ("raw_calls", "raw_transcripts", "raw_records", "raw_vcons")
_TAKEN_OVER: Final = ("profiles", "active_profile")
_META: Final = ("secret", "data_generation", "last_import_at")


def operator_path(db: Path) -> Path:
    """Return where the operator's model of the cache *db* lies."""
    real = db.resolve()
    return real.with_name(real.name + ".operator")


def open_rules(rules: ModelRules) -> ModelRules:
    """Return *rules* without scope and restricted list: every call, masked the same."""
    return replace(rules, scope=Scope(private_calls=True), restricted="")


def remove_operator_model(db: Path) -> bool:
    """Remove the operator's model of *db*; tells whether there was one."""
    path = operator_path(db)
    existed = path.exists()
    for name in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal"))):
        name.unlink(missing_ok=True)
    lock_path(path).unlink(missing_ok=True)
    return existed


def warm_operator_model(
    source: CacheWriter,
    rules: ModelRules,
    *,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> WarmReport:
    """Bring the operator's model of the cache behind *source* up to date; *rules* are the server's.

    Only what changed in the cache is redone. It can be stopped, and goes on with the next run.

    Raises:
        StartupRefusal: too little disk space, or the file cannot be written.
    """
    path = operator_path(source.path)
    with (
        CacheWriter.open(path, create=True, application=OPERATOR_APPLICATION_ID) as writer,
        _attached(writer, source),
    ):
        _follow(writer, source, rules)
        return warm(writer, progress=progress, should_stop=should_stop, rules=open_rules(rules))


@contextmanager
def _attached(writer: CacheWriter, source: CacheWriter) -> Iterator[None]:
    execute = writer.connection.execute
    execute("ATTACH DATABASE ? AS source", (file_uri(source.path, "ro"),))
    try:
        for table in _VIEWS:
            # Unqualified names mean the temporary views first, also in the statements of warm.
            execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM source.{table}")
        yield
    finally:
        for table in _VIEWS:
            execute(f"DROP VIEW IF EXISTS temp.{table}")
        execute("DETACH DATABASE source")  # closing changes the journal mode of all that is attached


def _follow(writer: CacheWriter, source: CacheWriter, rules: ModelRules) -> None:
    """Put the calls that changed in the cache on the model's list, and take its profiles over."""
    with writer.transaction():
        execute = writer.connection.execute
        since = int(writer.meta(SYNCED) or 0)
        news = writer.meta(SYNCED) is None or writer.meta("data_generation") != source.meta("data_generation")
        for changed in _VIEWS if news else ():
            execute(
                f"INSERT OR IGNORE INTO dirty_calls SELECT call_id FROM {changed}"
                " WHERE generation > ? AND call_id IS NOT NULL",
                (since,),
            )
        # What was removed from the cache left no generation behind.
        execute(
            """INSERT OR IGNORE INTO dirty_calls SELECT call_id FROM call_facts AS f
               WHERE NOT EXISTS (SELECT 1 FROM raw_calls AS c WHERE c.call_id = f.call_id)
               OR (transcript_present = 1
                   AND NOT EXISTS (SELECT 1 FROM raw_transcripts AS t WHERE t.call_id = f.call_id))"""
        )
        execute(
            """INSERT OR IGNORE INTO dirty_calls
               SELECT f.call_id FROM answered_scorecards AS a JOIN call_facts AS f ON f.call_no = a.call_no
               WHERE NOT EXISTS (
                 SELECT 1 FROM raw_records AS r WHERE r.kind = 'answered_scorecard' AND r.record_id = a.answered_id)"""
        )
        for table in _TAKEN_OVER:
            execute(f"DELETE FROM main.{table}")
            execute(f"INSERT INTO main.{table} SELECT * FROM source.{table}")
        gone = execute(
            "SELECT profile_no FROM main.profile_models EXCEPT SELECT profile_no FROM source.profile_models"
        ).fetchall()
        for (number,) in gone:
            ServingWriter(writer.connection, rules.names).drop_profile(number)
            execute("DELETE FROM main.profile_models WHERE profile_no = ?", (number,))
        execute(
            """INSERT OR IGNORE INTO main.profile_models (profile_no, canonical_sha256, classifier, wanted, complete)
               SELECT profile_no, canonical_sha256, classifier, wanted, 0 FROM source.profile_models"""
        )
        for key in _META:
            value = source.meta(key)
            if value is not None:
                writer.set_meta(key, value)
        writer.set_meta(SYNCED, str(source.generation))
