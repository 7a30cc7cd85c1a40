"""Putting this server into a client's configuration file, and giving back what was there before.

The first change leaves a copy of the file beside it (``NAME.before-SERVER``), or an empty mark that there was none
(``NAME.none-before-SERVER``). Uninstalling gives those bytes back when nobody has changed the file since; else it takes
out the one entry and leaves the rest as it is now.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gongctl.clients.edit import command_of, server_entry, with_server, without_server
from gongctl.clients.known import Client
from gongctl.clients.snippets import DEFAULT_NAME
from gongmcp.errors import Exit, StartupRefusal

MAX_BYTES: Final = 16 << 20
Change = Literal["created", "added", "replaced", "unchanged", "restored", "removed_file", "taken_out", "absent"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file: *change*, the file, and the copy of what was there before (None = there is none)."""

    change: Change
    path: Path
    copy: Path | None
    after: bytes


def install(
    client: Client, path: Path, command_line: Sequence[str], *, name: str = DEFAULT_NAME, dry_run: bool = False
) -> Outcome:
    """Make the client whose configuration lies at *path* start this server by *command_line*.

    A second time with the same command line changes nothing. Links are followed, permissions kept, and the file is
    replaced in one step. With *dry_run* nothing is written.

    Raises:
        StartupRefusal: the file cannot be read, changed safely or written; it is as it was.
    """
    place = _real(client, path)
    before = _read(client, place)
    after = with_server(client, before or b"", name, command_line)
    if after == before:
        return Outcome("unchanged", place, _copy_of(place, name), after)
    known = before is not None and server_entry(client, before, name) is not None
    change: Change = "created" if before is None else "replaced" if known else "added"
    if dry_run:
        return Outcome(change, place, _copy_of(place, name), after)
    # What stood there before the first change counts: a later one must not take its place.
    if not known or _copy_of(place, name) is None:
        _keep(client, place, name, before)
    _replace(client, place, before, after)
    return Outcome(change, place, _copy_of(place, name), after)


def uninstall(client: Client, path: Path, *, name: str = DEFAULT_NAME, dry_run: bool = False) -> Outcome:
    """Give the client's configuration the bytes back that it had before ``install``.

    When the file was changed since, only the entry is taken out, or the one that was there before is put back.

    Raises:
        StartupRefusal: the file cannot be read, changed safely or written; it is as it was.
    """
    place = _real(client, path)
    present = _read(client, place)
    copy = _copy_of(place, name)
    found = command_of(client, present, name) if present is not None else None
    if present is None or (found is None and copy is None):
        return Outcome("absent", place, copy, present or b"")
    former = _read(client, copy) if copy is not None and copy == before_path(place, name) else None
    unchanged = copy is not None and found is not None and with_server(client, former or b"", name, found[0]) == present
    change: Change
    if unchanged and former is not None:
        change, after = "restored", former
    elif unchanged:
        change, after = "removed_file", b""
    else:
        entry_before = server_entry(client, former, name) if former is not None else None
        change, after = "taken_out", without_server(client, present, name, entry_before)
    if not dry_run:
        if change == "removed_file":
            _remove(client, place)
        elif after != present:
            _replace(client, place, present, after)
        if copy is not None:
            _remove(client, copy)
    return Outcome(change, place, copy, after)


def before_path(place: Path, name: str) -> Path:
    """Return where the copy lies of what *place* held before the server *name* was put in."""
    return place.with_name(f"{place.name}.before-{name}")


def none_before_path(place: Path, name: str) -> Path:
    """Return the mark that there was no file at *place* before the server *name* was put in."""
    return place.with_name(f"{place.name}.none-before-{name}")


def _copy_of(place: Path, name: str) -> Path | None:
    return next((path for path in (before_path(place, name), none_before_path(place, name)) if path.exists()), None)


def _real(client: Client, path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise _refused(client, path, "the links at its place go round in a circle") from error


def _read(client: Client, place: Path) -> bytes | None:
    try:
        if not place.exists():
            return None
        if not place.is_file():
            raise _refused(client, place, "it is no regular file")
        data = place.read_bytes()
    except OSError as error:
        raise _refused(client, place, f"it cannot be read ({error.strerror})") from error
    if len(data) > MAX_BYTES:
        raise _refused(client, place, f"it is larger than {MAX_BYTES >> 20} MiB")
    return data


def _keep(client: Client, place: Path, name: str, before: bytes | None) -> None:
    """Keep what was there, with the permissions that it had: such files may hold keys of other servers."""
    if (copy := _copy_of(place, name)) is not None:  # of an installation that was undone by hand
        _remove(client, copy)
    if before is None:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _refused(client, place, f"its folder cannot be made ({error.strerror})") from error
        _write(client, none_before_path(place, name), b"")
    else:
        _write(client, before_path(place, name), before, like=place)


def _replace(client: Client, place: Path, before: bytes | None, after: bytes) -> None:
    """Write *after* where *before* was read: clients write their configurations, too."""
    if _read(client, place) != before:
        raise _refused(client, place, "it was changed meanwhile; run this again")
    _write(client, place, after)


def _remove(client: Client, file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise _refused(client, file, f"it cannot be removed ({error.strerror})") from error


def _write(client: Client, place: Path, data: bytes, *, like: Path | None = None) -> None:
    """Write *data* to *place* in one step, with the permissions of *like* (else of what is there, else 0600)."""
    model = like if like is not None else place
    try:
        mode = stat.S_IMODE(model.stat().st_mode) if model.exists() else 0o600
        handle, made = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(made).chmod(mode)
            Path(made).replace(place)
        except BaseException:
            with suppress(OSError):
                Path(made).unlink()
            raise
    except OSError as error:
        raise _refused(client, place, f"it cannot be written ({error.strerror})") from error


def _refused(client: Client, place: Path, problem: str) -> StartupRefusal:
    return StartupRefusal(
        f"The configuration of {client.title} at {place} was not changed: {problem}.",
        "Correct that, or name another file with --file.",
        Exit.FAILED,
    )
