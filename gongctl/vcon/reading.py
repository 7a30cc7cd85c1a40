"""vCons in files and stores, as records of a cache or as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import connect
from gongctl.ingest.documents import values_in
from gongctl.ingest.files import Source
from gongctl.ingest.records import BadRecord, Place, Record, Rejected
from gongctl.vcon import Vcon
from gongctl.vcon.findings import Finding, VconRefused, errors
from gongctl.vcon.forms import Opened, open_form
from gongctl.vcon.note import without_note
from gongctl.vcon.rows import unpack
from gongctl.vcon.to_call import records_of_vcon
from gongctl.vcon.validate import Level, validate
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID

CONTAINER: Final = "vcons"
"""Key under which a file may hold an array of vCons."""


def vcons_in(source: Source, path: str) -> Iterator[tuple[Place, Any] | Rejected]:
    """Yield the JSON values of a file of vCons: one, JSON lines, an array, or an array under ``vcons``."""
    yield from values_in(source, path, (CONTAINER,))


def opened(value: Any, level: Level = "lenient") -> tuple[Opened, tuple[Finding, ...]]:
    """Return *value* opened, without the note that an unredacted export put into it, and its warnings.

    Raises:
        VconRefused: it is no vCon, encrypted, or invalid at *level* (``VC_INVALID``, with the findings).
    """
    found = open_form(value)
    if found.form == "plain":
        found = Opened("plain", without_note(found.vcon), found.findings)
    verdict = validate(found.vcon, level)
    wrong = errors(verdict.findings)
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise VconRefused("VC_INVALID", f"{wrong[0].code} at {wrong[0].path or '/'}: {wrong[0].message}{more}", wrong)
    return found, (*found.findings, *verdict.findings)


def records_in_vcons(source: Source, path: str, level: Level = "lenient") -> Iterator[Record | Rejected]:
    """Yield the records that a cache keeps of the vCons in a file; *path* is the name for places."""
    for item in vcons_in(source, path):
        if isinstance(item, Rejected):
            yield Rejected(item.place, item.reason, "vcon")
        else:
            yield from records_of(item[1], item[0], level)


def records_of(value: Any, place: Place, level: Level = "lenient") -> Iterator[Record | Rejected]:
    """Yield the records that a cache keeps of one vCon, or why it is not taken."""
    try:
        found, _ = opened(value, level)
        yield from records_of_vcon(found.vcon if found.form == "plain" else value, found.vcon, place)
    except (VconRefused, BadRecord) as error:
        yield Rejected(place, str(error), "vcon")


def records_in_store(path: Path, name: str) -> Iterator[Record | Rejected]:
    """Yield the records that a cache keeps of all vCons of a store."""
    for number, vcon in enumerate(vcons_of_store(path), 1):
        yield from records_of(vcon, Place(name, item=number))


def vcons_of_store(path: Path) -> Iterator[Vcon]:
    """Yield the vCons of a store verbatim, by uuid, all of one moment.

    Raises:
        StartupRefusal: it is no store.
    """
    connection = connect(path, "ro", VCON_APPLICATION_ID)
    try:
        connection.execute("PRAGMA query_only = ON")
        for (payload,) in connection.execute("SELECT payload FROM raw_vcons ORDER BY uuid"):
            yield unpack(payload)
    finally:
        connection.close()
