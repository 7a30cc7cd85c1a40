"""``gongctl cache``: create, warm and inspect a cache. The work is in ``gongctl.cache``."""

from __future__ import annotations

import signal
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from gongctl.cli.lazy import Deferred, LazyGroup
from gongctl.cli.operator_model import INTERRUPTED, SAID, asks_for_operator_model, settle_operator_model
from gongctl.cli.output import counted, emit_json, emit_text, note, table
from gongctl.cli.restricted import not_sensitive, sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.cache.migrations import Migration
    from gongctl.cache.status import CacheStatus
    from gongctl.semantic.build import VectorReport
    from gongmcp.settings import ServerSettings


class CacheGroup(LazyGroup):
    """The commands of ``gongctl cache``; those that remove and copy are loaded when run."""

    deferred: ClassVar[Mapping[str, Deferred]] = {
        "purge": Deferred("gongctl.cli.purge_cmd:app", "Remove calls for good, with a certificate."),
        "backup": Deferred("gongctl.cli.backup_cmd:backup_app", "Copy the cache to a new file, with its checksum."),
        "restore": Deferred("gongctl.cli.backup_cmd:restore_app", "Make a cache of a copy."),
        "verify": Deferred("gongctl.cli.backup_cmd:verify_app", "Say whether a cache or a copy is damaged."),
    }


app = typer.Typer(
    cls=CacheGroup,
    help="Create, warm and inspect a cache.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Db = Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Restricted = Annotated[
    Path | None,
    typer.Option(
        "--ai-governance-config",
        metavar="FILE",
        help="YAML file of restricted customers, as for gongmcp: calls that name one are not served.",
    ),
]
Masked = Annotated[
    str | None,
    typer.Option("--mask-participants", metavar="yes|no", help="Mask the names of each call's own parties."),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="The server's settings file; its [crm] part decides what is derived."
    ),
]


def _migrating(migration: Migration) -> None:
    note(f"Bringing the schema to version {migration.number}: {migration.summary}.")


@app.command("init")
@not_sensitive
def init(
    db: Db,
    secret_file: Annotated[
        Path | None,
        typer.Option("--secret-file", help="File (mode 0600) whose content keys the aliases; made when it is missing."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Create an empty cache, or bring an existing one to the current schema.

    The aliases of a cache (call_..., speaker_...) are keyed with a secret of its own, random unless
    --secret-file fixes it.
    """
    from gongctl.cache.secret import read_secret_file
    from gongctl.cache.status import cache_status
    from gongctl.cache.writer import CacheWriter

    existed = db.exists()
    secret = read_secret_file(secret_file) if secret_file is not None else None
    with CacheWriter.open(db, create=True, secret=secret, migrating=_migrating) as writer:
        migrated = [migration.number for migration in writer.migrated]
    status = cache_status(db)
    if as_json:
        emit_json(
            {
                "db": status.db,
                "created": not existed,
                "migrations": migrated,
                "schema_version": status.schema_version,
                "next": status.next,
            }
        )
        return
    if not existed:
        emit_text(f"Created the cache {db} (schema version {status.schema_version}).")
    elif migrated:
        emit_text(f"The cache {db} is now at schema version {status.schema_version}.")
    else:
        emit_text(f"The cache {db} exists and is at schema version {status.schema_version} already.")
    _print_next(status)


@dataclass(frozen=True, slots=True)
class ModelPolicy:
    """What decides which read model is built and served: the server's settings, and the files they came from."""

    settings: ServerSettings
    files: Mapping[str, Path | None]


def model_policy(config: Path | None, restricted: Path | None = None, masked: str | None = None) -> ModelPolicy:
    """Return the settings that *config*, the restricted list and this process's environment make, as for gongmcp.

    Raises:
        StartupRefusal: as ``gongmcp`` would refuse to start.
    """
    import os

    from gongmcp.settings import ServerSettings
    from gongmcp.settings_file import read_settings_file

    file = read_settings_file(config) if config is not None else None
    flags = {"ai_governance_config": restricted, "mask_participants": masked}
    settings = ServerSettings.resolve(flags, os.environ, file)
    return ModelPolicy(settings, {"--config": config, "--ai-governance-config": settings.restricted_path})


@app.command("warm")
@sensitive(
    "a read model of every call, in a file beside the cache",
    case="with --operator-model",
    when=asks_for_operator_model,
)
def warm_cache(
    db: Db,
    config: Config = None,
    restricted: Restricted = None,
    mask_participants: Masked = None,
    no_governance_exclusions: Annotated[
        bool,
        typer.Option(
            "--no-governance-exclusions",
            help="Serve without a restricted list although the cache was last warmed with one.",
        ),
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="PROFILE",
            help="Make facts of this imported profile too (id or beginning of its hash), so that activating it "
            "needs no wait. The active one's are made in any case.",
        ),
    ] = None,
    operator_model: Annotated[
        bool | None,
        typer.Option(
            "--operator-model/--no-operator-model",
            help="Also make a model without scope and restricted list, beside the cache, that gongctl alone opens: "
            "previews then say what governance took. Once made it is renewed, until --no-operator-model removes it.",
            show_default=False,
        ),
    ] = None,
    semantic: Annotated[
        bool,
        typer.Option(
            "--semantic",
            help="Then give vectors to the calls and vCons that have none, for search by meaning (needs the extra "
            "gongctl[semantic]; nothing is downloaded).",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Build or renew the read model that agents are served from, and the business profile's facts.

    Only what changed is redone. It can be stopped with Ctrl-C and run again: what is done stays done.
    """
    from gongctl.cache.status import cache_status
    from gongctl.cache.warm import warm
    from gongctl.cache.writer import CacheWriter
    from gongctl.cli.progress import items_progress

    policy = model_policy(config, restricted, mask_participants)
    rules = policy.settings.model_rules()
    if semantic:
        from gongctl.semantic.build import require_model

        require_model()
    vectors: VectorReport | None = None
    with (
        CacheWriter.open(db, migrating=_migrating) as writer,
        interruptible() as stop,
        items_progress("Warming") as progress,
    ):
        if profile is not None:
            from gongctl.profile.store import want

            want(writer, profile)
        report = warm(
            writer,
            progress=progress,
            should_stop=stop,
            rules=rules,
            restricted=policy.settings.restricted,
            ungoverned=no_governance_exclusions,
        )
        beside = settle_operator_model(writer, rules, operator_model, stop) if report.finished else ""
        if semantic and report.finished and beside != INTERRUPTED:
            from gongctl.semantic.build import build_vectors

            with items_progress("Vectors") as vector_progress:
                vectors = build_vectors(writer, progress=vector_progress, should_stop=stop)
    status = cache_status(db, rules=rules, policy_files=policy.files)
    interrupted = not report.finished
    if as_json:
        emit_json(
            {
                "db": status.db,
                "operator_model": beside or "unchanged",
                "interrupted": interrupted,
                "looked_at": report.looked_at,
                "redone": report.redone,
                "removed": report.removed,
                "suppressed": report.suppressed,
                "judged_again": report.judged_again,
                "segments": report.segments,
                "profile_calls": report.profile_calls,
                "vectors": None if vectors is None else _vectors_as_json(vectors),
                "freshness": status.freshness,
                "dirty_calls": status.dirty_calls,
                "next": status.next,
                "seconds": round(report.seconds, 4),
                "parts": {name: round(seconds, 4) for name, seconds in report.parts.items()},
            }
        )
    else:
        emit_text(
            f"Redone: {report.redone:,} of {counted(report.looked_at, 'call')} looked at, "
            + counted(report.segments, "segment")
            + (f"; outside scope or restricted: {report.suppressed:,}" if report.suppressed else "")
            + (f"; judged again: {report.judged_again:,}" if report.judged_again else "")
            + (f"; removed: {report.removed:,}" if report.removed else "")
            + (f"; facts of a new profile for {counted(report.profile_calls, 'call')}" if report.profile_calls else "")
            + f". The read model is {status.freshness}."
        )
        if vectors is not None:
            emit_text(
                f"Vectors: {vectors.vectors:,} for {counted(vectors.calls, 'call')} and "
                f"{counted(vectors.vcons, 'vCon')}, {vectors.vector_bytes / 1_000_000:,.1f} MB."
            )
        if beside in SAID:
            emit_text(SAID[beside])
        if not interrupted:
            _print_next(status)
    if beside == INTERRUPTED:
        note("Interrupted: the operator's model is not complete. Run the same command again to go on.")
        raise SystemExit(int(Exit.INTERRUPTED))
    if vectors is not None and not vectors.finished:
        note("Interrupted: some calls have no vectors yet. Run the same command again to go on.")
        raise SystemExit(int(Exit.INTERRUPTED))
    if interrupted:
        left = (
            f"{counted(status.dirty_calls, 'call is', 'calls are')} left"
            if status.dirty_calls
            else "the profile's facts are not complete"
        )
        note(f"Interrupted: {left}. Run the same command again to go on.")
        raise SystemExit(int(Exit.INTERRUPTED))


def _vectors_as_json(report: VectorReport) -> dict[str, object]:
    return {
        "finished": report.finished,
        "calls": report.calls,
        "vcons": report.vcons,
        "vectors": report.vectors,
        "bytes": report.vector_bytes,
        "seconds": round(report.seconds, 4),
    }


class StopWish:
    """Whether the operator asked to stop. Callable, as ``warm`` wants it."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    def ask(self, number: int, frame: types.FrameType | None) -> None:
        """Handle Ctrl-C: the first one lets the call under way be finished, the second one does not."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def interruptible() -> Iterator[StopWish]:
    """Turn Ctrl-C into a wish to stop while the block runs."""
    stop = StopWish()
    before = signal.signal(signal.SIGINT, stop.ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@app.command("status")
@not_sensitive
def status_of_cache(
    db: Db,
    config: Config = None,
    restricted: Restricted = None,
    mask_participants: Masked = None,
    as_json: Json = False,
) -> None:
    """Show what the cache holds, how fresh its read model is, and what to run. Changes nothing."""
    from gongctl.cache.status import cache_status

    policy = model_policy(config, restricted, mask_participants)
    status = cache_status(db, rules=policy.settings.model_rules(), policy_files=policy.files)
    if as_json:
        emit_json(status.as_json())
        return
    emit_text(f"Cache {status.db}: {status.file_bytes / 1e6:,.1f} MB, created {status.created_at or 'unknown'}.")
    if status.migration_needed:
        emit_text(
            f"Its schema is at version {status.schema_version} of {status.current_schema_version}; "
            "gongctl cache init (or warm) brings it up to date."
        )
    emit_text(f"Last import: {status.last_import_at or 'none yet'}.")
    model = status.read_model
    detail = ""
    if model is not None and not model.current:
        detail = " (built by other rules than this version's)"
    elif model is not None and not model.complete:
        detail = " (its first build is not finished)"
    elif model is not None and model.as_of is not None:
        detail = f", as of {model.as_of}"
    waiting = f"; {counted(status.dirty_calls, 'call')} to look at" if status.dirty_calls else ""
    emit_text(f"Read model: {status.freshness}{detail}{waiting}.")
    held = status.profile
    if held is not None:
        emit_text(
            f"Business profile: {held.name} ({held.profile_id}, {held.canonical_sha256[:12]}), facts {held.freshness}: "
            f"{counted(held.calls, 'call')}. {held.reason}"
        )
    emit_text("")
    served = {name: getattr(model, name) for name in ("calls", "transcripts", "segments")} if model is not None else {}
    table(
        ("", "imported", "served"),
        [
            (label.replace("_", " "), f"{count:,}", f"{served[label]:,}" if label in served else "")
            for label, count in status.raw.items()
            if count or label in ("calls", "transcripts", "segments", "users")
        ],
    )
    _print_next(status)


@app.command("inventory")
@not_sensitive
def inventory_of_cache(db: Db, as_json: Json = False) -> None:
    """Show what sensitive data the cache holds, by kind and month. Counts and sizes only, no values."""
    from gongctl.cache.inventory import cache_inventory

    inventory = cache_inventory(db)
    if as_json:
        emit_json(inventory.as_json())
        return
    others = ", readable by other users of this machine" if inventory.readable_by_others else ""
    emit_text(f"Cache {inventory.db}: {inventory.file_bytes / 1e6:,.1f} MB, mode {inventory.mode}{others}.\n")
    table(
        ("imported", "records", "kB", "holds"),
        [
            (row.kind.replace("_", " "), f"{row.records:,}", f"{row.payload_bytes / 1e3:,.1f}", row.what)
            for row in inventory.kinds
            if row.records
        ],
    )
    if inventory.months:
        emit_text("")
        table(
            ("served, by month", "calls", "transcripts", "segments"),
            [(row.month, f"{row.calls:,}", f"{row.transcripts:,}", f"{row.segments:,}") for row in inventory.months],
        )
    if inventory.calls_not_in_months:
        missing = counted(inventory.calls_not_in_months, "imported call is", "imported calls are")
        emit_text(f"\n{missing} not in the read model.")
    if inventory.object_types:
        emit_text("")
        table(
            ("CRM object type", "objects", "calls"),
            [(row.object_type, f"{row.objects:,}", f"{row.calls:,}") for row in inventory.object_types],
        )


def _print_next(status: CacheStatus) -> None:
    for command in status.next:
        note(f"Next: {command}")
