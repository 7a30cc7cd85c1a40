"""``gongctl cache backup``, ``restore`` and ``verify``. The work is in ``gongctl.cache``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from gongctl.cli.copied import noted
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, note
from gongctl.cli.restricted import not_sensitive, sensitive
from gongmcp.errors import Exit

_SETTINGS: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False, "add_completion": False}

backup_app = typer.Typer(**_SETTINGS)
restore_app = typer.Typer(**_SETTINGS)
verify_app = typer.Typer(**_SETTINGS)

Db = Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@backup_app.command("backup", cls=LightCommand)
@sensitive("every call as Gong delivered it")
def backup_cache(
    db: Db,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The copy; must not exist.")],
    as_json: Json = False,
) -> None:
    """Copy the cache to a new file with its checksum, also while it is served. Nothing is ever written over.

    The cache notes the copy, so that the certificate of a later purge names it.
    """
    from gongctl.cache.backup import back_up, checksum_path
    from gongctl.cli.progress import items_progress

    with items_progress("Copying pages") as progress:
        made = back_up(db, out, progress=progress)
    in_cache = noted(db, "backup", out)
    if as_json:
        emit_json(
            {
                "db": str(db),
                "copy": str(made.path),
                "file_bytes": made.file_bytes,
                "sha256": made.sha256,
                "calls": made.calls,
                "noted": in_cache,
            }
        )
        return
    emit_text(
        f"Copied {db} to {made.path}: {made.calls:,} calls, {made.file_bytes / 1e6:,.1f} MB, SHA-256 in "
        f"{checksum_path(made.path)}."
    )


@restore_app.command("restore", cls=LightCommand)
@sensitive("every call as Gong delivered it")
def restore_cache(
    backup: Annotated[Path, typer.Argument(metavar="BACKUP", help="The copy.")],
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="The cache to make; must not exist.")],
    purged_since: Annotated[
        Path | None,
        typer.Option(
            "--purged-since", metavar="CACHE", help="The cache as it was last: what was purged from it goes here too."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a cache of a copy. Its checksum must be right, and nothing is ever written over.

    A copy holds calls that were purged after it was made. Give the cache as it was last with --purged-since, and
    they are purged from the new one as well.
    """
    from gongctl.cache.backup import buried_since, checksum_matches, restore
    from gongctl.cli.progress import items_progress

    checked = checksum_matches(backup) is not None
    with items_progress("Copying pages") as progress:
        made = restore(backup, db, progress=progress)
    purged = 0
    if purged_since is not None:
        purged = _purge_again(db, buried_since(purged_since, db))
    if as_json:
        emit_json(
            {
                "db": str(made.path),
                "file_bytes": db.stat().st_size,
                "calls": made.calls - purged,
                "checksum_checked": checked,
                "purged_again": purged,
            }
        )
    else:
        emit_text(f"Made the cache {made.path}: {made.calls - purged:,} calls, {db.stat().st_size / 1e6:,.1f} MB.")
        if purged:
            emit_text(f"Purged again: {purged:,} calls.")
    if not checked:
        note(f"There is no checksum beside {backup}: only its pages were checked.")
    if purged_since is None:
        note("Calls that were purged after the copy was made are here again; --purged-since CACHE removes them.")
    note(f"Next: gongctl cache status --db {shlex.quote(str(db))}")


def _purge_again(db: Path, call_ids: list[str]) -> int:
    """Purge *call_ids*, which the present cache keeps out, from the restored one."""
    if not call_ids:
        return 0
    from gongctl.purge.run import purge
    from gongctl.purge.select import Criteria

    return purge(db, Criteria("call", calls=tuple(call_ids))).removed.calls


@verify_app.command("verify", cls=LightCommand)
@not_sensitive
def verify_cache(
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="A cache, or a copy of one.")],
    as_json: Json = False,
) -> None:
    """Read every page and payload of a cache or a copy and say what is damaged. Changes nothing.

    The checksum beside a copy is checked too. Exit code 4 when anything is wrong.
    """
    from gongctl.cache.backup import checksum_matches
    from gongctl.cache.soundness import faults_of
    from gongctl.cli.progress import items_progress

    matches = checksum_matches(db)
    with items_progress("Reading payloads") as progress:
        faults = faults_of(db, progress=progress)
    if matches is False:
        faults.insert(0, "the checksum beside it differs")
    if as_json:
        emit_json({"db": str(db), "sound": not faults, "checksum_checked": matches is not None, "faults": faults})
    elif faults:
        for fault in faults:
            emit_text(f"{fault[:1].upper()}{fault[1:]}.")
    else:
        emit_text(f"{db} is sound" + ("; its checksum is right." if matches else "."))
    if faults:
        note("Restore a copy, or build the cache anew: gongctl cache restore, gongctl import.")
        raise SystemExit(int(Exit.CACHE))
