"""The filtered export of a cache with vCons: only those whose call stays are in the file, and verbatim."""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.verify import recount
from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongctl.governance.export import ExportReport, export_filtered
from gongmcp.errors import Exit
from gongmcp.governance.scope import Scope
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.governance.planted import listed, rules_with, spelt_in

PLANTED = ("quokka", "zebra rockets", "numbat & sons")


def uuid_of(number: int) -> str:
    return f"0190a1b2-c3d4-8e5f-8a6b-{number:012d}"


def vcon(number: int, **more: Any) -> dict[str, Any]:
    made = {
        "vcon": "0.4.0",
        "uuid": uuid_of(number),
        "created_at": f"2026-03-{number:02d}T10:00:00Z",
        "subject": f"Conversation {number}",
        "parties": [{"name": "Robin Example", "mailto": "robin@example.org"}],
        "dialog": [{"type": "text", "start": f"2026-03-{number:02d}T09:00:00Z", "parties": [0], "body": "The price.",
                    "encoding": "none", "mediatype": "text/plain"}],
        "unknown_key": {"kept": number},
    }  # fmt: skip
    return made | more


def attached(body: str, encoding: str) -> dict[str, Any]:
    slot = {"purpose": "note", "start": "2026-03-01T09:00:00Z", "party": 0, "dialog": 0}
    return {"attachments": [{**slot, "encoding": encoding, "body": body}]}


VCONS = [
    vcon(1),
    vcon(2, parties=[{"name": "Pat of Quokka"}]),
    vcon(3, **attached('["\\u0051uokka"]', "json")),
    vcon(4, **attached("Zebra Rockets again", "none")),
    vcon(5, analysis=[{"type": "x", "vendor": "Numbat & Sons", "dialog": 0, "encoding": "none", "body": "x"}]),
    vcon(6),
    vcon(7, x_account="Quokka"),
    vcon(8, **attached(base64.urlsafe_b64encode(b"\x00picture").decode(), "base64url")),
]
STAYING = {uuid_of(number) for number in (1, 6, 8)}


@pytest.fixture(scope="module")
def warmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vcons")
    file, path = folder / "vcons.json", folder / "source.db"
    file.write_text(json.dumps({"vcons": VCONS}))
    assert run(["vcon", "import", str(file), "--db", str(path), "--cache"]) == Exit.OK
    assert run(["cache", "warm", "--db", str(path)]) == Exit.OK
    return path


@pytest.fixture
def source(warmed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(warmed, tmp_path / "source.db"))


def export(
    source: Path, tmp_path: Path, text: str | None = None, scope: Scope | None = None
) -> tuple[Path, ExportReport]:
    restricted = listed(tmp_path) if text is None else listed(tmp_path, text)
    target = tmp_path / "new.db"
    return target, export_filtered(source, target, rules_with(restricted, scope), restricted, overwrite=True)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def test_only_vcons_that_stay_are_copied_and_they_are_verbatim(source: Path, tmp_path: Path) -> None:
    target, report = export(source, tmp_path)
    sql = "SELECT uuid, call_id, payload, digest, imported_at FROM raw_vcons ORDER BY uuid"
    kept = rows(target, sql)
    assert {row[0] for row in kept} == STAYING
    assert kept == [row for row in rows(source, sql) if row[0] in STAYING]
    assert {uuid for (uuid,) in rows(target, "SELECT uuid FROM vcons")} == STAYING
    assert rows(target, "SELECT call_id FROM raw_calls ORDER BY 1") == [(f"vcon:{uuid}",) for uuid in sorted(STAYING)]
    assert (report.copied["vcon"], report.left["vcon", "restricted"]) == (3, 5)
    assert report.left["call", "restricted"] == 5
    with CacheWriter.open(target) as writer:
        assert recount(writer.connection) == []


def test_no_name_that_stood_in_a_vcon_is_anywhere_in_the_file(source: Path, tmp_path: Path) -> None:
    target, _ = export(source, tmp_path)
    assert spelt_in(target, PLANTED) == set()
    for uuid in {item["uuid"] for item in VCONS} - STAYING:
        assert spelt_in(target, [uuid, uuid.replace("-", "")]) == set()
    # The controls: the source has them, and so has a file that was made by a list of somebody else.
    assert spelt_in(source, PLANTED) == set(PLANTED)
    other, report = export(source, tmp_path, "version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Nobody Inc\n")
    assert spelt_in(other, PLANTED) == set(PLANTED)
    assert report.copied["vcon"] == len(VCONS)


def test_the_scope_takes_vcons_with_their_calls(source: Path, tmp_path: Path) -> None:
    scope = Scope(from_date="2026-03-05")
    target, report = export(source, tmp_path, scope=scope)
    assert {uuid for (uuid,) in rows(target, "SELECT uuid FROM raw_vcons")} == {uuid_of(6), uuid_of(8)}
    assert report.left["vcon", "scope.from_date"] == 1


def test_a_vcon_without_a_call_is_left(source: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(source)) as connection, connection:
        connection.execute("UPDATE raw_vcons SET call_id = 'gone' WHERE uuid = ?", (uuid_of(1),))
        connection.execute("UPDATE raw_vcons SET call_id = NULL WHERE uuid = ?", (uuid_of(6),))
    target, report = export(source, tmp_path)
    assert {uuid for (uuid,) in rows(target, "SELECT uuid FROM raw_vcons")} == {uuid_of(8)}
    assert report.left["vcon", "no_call"] == 2


def test_the_file_serves_them(source: Path, tmp_path: Path) -> None:
    target, _ = export(source, tmp_path)
    handler = build_handler(ServerSettings.resolve({"tool_preset": "vcon-readonly"}, {}), target)
    found = handler.call("vcon_search", {}).answer.structured
    assert found is not None
    assert {item["id"] for item in found["items"]} == STAYING
