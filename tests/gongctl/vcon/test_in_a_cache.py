"""vCons in a cache: read like calls, masked like calls, governed and purged with the call that stands for them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.soundness import faults_of
from gongctl.cli.root import run
from gongmcp.errors import Exit
from gongmcp.store import vcon_read, vcon_search
from gongmcp.store.connection import StorePool
from gongmcp.store.vcon_schema import VCON_TABLES
from gongmcp.store.vcon_search import VconFilters
from tests.gongctl.vcon.conversations import OTHER, UUID, plain, strange

LIST = """
version: 1
lists:
  no_ai:
    customers: [{name: Wunderbar Logistics}]
"""


def a_cache(folder: Path, *vcons: dict[str, Any], warm: tuple[str, ...] | None = ()) -> Path:
    file, db = folder / "vcons.json", folder / "c.db"
    file.write_text(json.dumps({"vcons": list(vcons)}, indent=1))
    assert run(["vcon", "import", str(file), "--db", str(db), "--cache"]) == Exit.OK
    if warm is not None:
        assert run(["cache", "warm", "--db", str(db), *warm]) == Exit.OK
    return db


def one(db: Path, sql: str) -> Any:
    connection = sqlite3.connect(db)
    try:
        return connection.execute(sql).fetchone()
    finally:
        connection.close()


def every_text(db: Path) -> str:
    connection = sqlite3.connect(db)
    tables = (*VCON_TABLES, "call_facts", "segments", "parties")
    try:
        return "\n".join(str(row) for table in tables for row in connection.execute(f"SELECT * FROM {table}"))
    finally:
        connection.close()


def test_a_vcon_is_read_like_a_call(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    db = a_cache(tmp_path, plain())
    facts = one(db, "SELECT call_id, title, system, started_at, duration_seconds, segment_count FROM call_facts")
    assert facts == (f"vcon:{UUID}", "Late delivery", "vcon", "2026-03-01T09:00:00Z", 360, 3)
    connection = sqlite3.connect(db)
    segments = connection.execute("SELECT speaker_no, start_ms, text FROM segments ORDER BY segment_no").fetchall()
    connection.close()
    assert segments == [
        (1, 0, "My parcel never arrived. Write to {redacted:email} please."),
        (2, 301500, "We will refund the invoice."),
        (1, 303000, "Thank you kindly."),
    ]
    capfd.readouterr()
    call = ["mcp", "call", "search_transcript_segments", "--set", "query=refund", "--db", str(db)]
    assert run(call) == Exit.OK
    assert "We will «refund» the invoice" in capfd.readouterr().out
    assert faults_of(db) == []


def test_a_page_over_lines_a_store_and_json_lines_are_detected(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "pretty.txt").write_text(json.dumps(plain(), indent=4))
    (tmp_path / "in" / "lines.dat").write_text(json.dumps(strange()) + "\n")
    assert run(["import", "auto", str(tmp_path / "in"), "--db", str(tmp_path / "c.db")]) == Exit.OK
    assert one(tmp_path / "c.db", "SELECT count(*) FROM raw_vcons") == (2,)
    assert run(["vcon", "import", str(tmp_path / "in"), "--db", str(tmp_path / "s.db")]) == Exit.OK
    assert run(["import", "auto", str(tmp_path / "s.db"), "--db", str(tmp_path / "d.db")]) == Exit.OK
    rows = "SELECT group_concat(hex(digest)) FROM (SELECT digest FROM raw_vcons ORDER BY uuid)"
    assert one(tmp_path / "c.db", rows) == one(tmp_path / "d.db", rows)


def test_what_a_cache_serves_names_nobody(tmp_path: Path) -> None:
    vcon = plain()
    vcon["attachments"] += [
        {"purpose": "note", "encoding": "none", "body": "secret-attachment", "filename": "secret-file.txt"},
        {"purpose": "gong_call_metadata", "encoding": "json", "body": '{"id": "4711004711", "name": "x"}'},
        {"purpose": "strolid_dealer", "encoding": "json",
         "body": '{"id": 7, "name": "Fast Cars", "outboundPhoneNumber": "+1-555-0199"}'},
    ]  # fmt: skip
    vcon["attachments"][0]["body"] = '["gong_call_id:4711004711","mail:bo@example.org","portal:bad"]'
    vcon["analysis"].append({"type": "entities", "vendor": "Example", "encoding": "none", "body": "secret-entity"})
    served = every_text(a_cache(tmp_path, vcon))
    secrets = ("ann@example.com", "bo@example.org", "Ann Example", "Bo Sample", "555-0100", "555-0199", "4711004711",
               "secret-attachment", "secret-file", "secret-entity", "UklGRg")  # fmt: skip
    assert [text for text in secrets if text in served] == []
    assert all(text in served for text in ("Fast Cars", "portal", "A parcel of Wunderbar", "customer", "Late delivery"))
    # The control: in a store all of it is there.
    (tmp_path / "v.json").write_text(json.dumps(vcon))
    assert run(["vcon", "import", str(tmp_path / "v.json"), "--db", str(tmp_path / "s.db")]) == Exit.OK
    there = every_text(tmp_path / "s.db")
    assert [text for text in secrets if text not in there] == ["UklGRg"]


def test_names_of_the_own_parties_are_masked_where_that_is_asked_for(tmp_path: Path) -> None:
    vcon = plain(subject="Ann Example calls")
    vcon["analysis"][0]["body"] = "Ann Example wants a refund."
    assert "Ann Example wants" in every_text(a_cache(tmp_path, vcon))
    assert run(["cache", "warm", "--db", str(tmp_path / "c.db"), "--mask-participants", "yes"]) == Exit.OK
    served = every_text(tmp_path / "c.db")
    assert "Ann Example" not in served
    assert "{redacted:person-1} wants a refund." in served


@pytest.mark.parametrize("where", ["analysis", "tag", "attachment", "json"])
def test_a_restricted_customer_is_found_wherever_it_stands(tmp_path: Path, where: str) -> None:
    vcon = plain()
    vcon["analysis"][0]["body"] = "A parcel is late."
    if where == "analysis":
        vcon["analysis"][0]["body"] = "A parcel of Wunderbar Logistics is late."
    elif where == "tag":
        vcon["attachments"][0]["body"] = {"Wunderbar Logistics": "yes"}
    elif where == "attachment":
        vcon["attachments"].append({"purpose": "note", "encoding": "none", "body": "for Wunderbar Logistics"})
    else:
        body = json.dumps({"segments": [{"text": "we ship for W\u00fcnderbar Logistics"}]}).replace("\u00fc", "u")
        vcon["analysis"][1]["body"] = body.replace("W", "\\u0057")
    (tmp_path / "list.yaml").write_text(LIST)
    db = a_cache(
        tmp_path, vcon, strange() | {"analysis": []}, warm=("--ai-governance-config", str(tmp_path / "list.yaml"))
    )
    assert one(db, "SELECT group_concat(uuid) FROM vcons") == (OTHER,)
    assert one(db, "SELECT group_concat(call_id) FROM call_facts") == (f"vcon:{OTHER}",)
    assert run(["cache", "warm", "--db", str(db), "--no-governance-exclusions"]) == Exit.OK
    assert one(db, "SELECT count(*) FROM vcons") == (2,), "the control: without the list it is served"


def test_a_list_that_becomes_stricter_takes_the_rows_away(tmp_path: Path) -> None:
    db = a_cache(tmp_path, plain(), strange() | {"analysis": []})
    assert one(db, "SELECT count(*) FROM vcons") == (2,)
    (tmp_path / "list.yaml").write_text(LIST)
    assert run(["cache", "warm", "--db", str(db), "--ai-governance-config", str(tmp_path / "list.yaml")]) == Exit.OK
    assert one(db, "SELECT group_concat(uuid) FROM vcons") == (OTHER,)
    assert "Wunderbar" not in every_text(db)
    out = tmp_path / "out"
    command = ["vcon", "export", "--db", str(db), "--ai-governance-config", str(tmp_path / "list.yaml")]
    assert run([*command, "--all", "--out", str(out)]) == Exit.OK
    assert [json.loads(line)["redacted"]["uuid"] for line in out.read_text().splitlines()] == [OTHER]
    assert run([*command, "--call", UUID]) == run([*command, "--call", "vcon:none"]) == Exit.USAGE


def test_a_purge_takes_all_of_it_and_it_stays_away(tmp_path: Path) -> None:
    db = a_cache(tmp_path, plain(), strange() | {"analysis": []})
    assert run(["cache", "purge", "--call", f"vcon:{UUID}", "--confirm", "--db", str(db)]) == Exit.OK
    assert b"Wunderbar" not in db.read_bytes()
    assert one(db, "SELECT group_concat(uuid) FROM raw_vcons") == (OTHER,)
    assert one(db, "SELECT group_concat(uuid) FROM vcons") == (OTHER,)
    assert faults_of(db) == []
    a_cache(tmp_path, plain())
    assert one(db, "SELECT group_concat(uuid) FROM raw_vcons") == (OTHER,)


def test_a_changed_vcon_is_warmed_again(tmp_path: Path) -> None:
    db = a_cache(tmp_path, plain(), strange())
    numbers = one(db, "SELECT group_concat(vcon_no) FROM (SELECT vcon_no FROM vcons ORDER BY uuid)")
    vcon = plain(subject="Other")
    vcon["dialog"][0]["body"] = "It came after all."
    a_cache(tmp_path, vcon)
    assert one(db, "SELECT title FROM call_facts WHERE title <> 'Late delivery'") == ("Other",)
    served = every_text(db)
    assert "It came after all." in served
    assert "parcel never" not in served
    assert one(db, "SELECT group_concat(vcon_no) FROM (SELECT vcon_no FROM vcons ORDER BY uuid)") == numbers
    assert faults_of(db) == []


def test_the_server_reads_the_rows_and_not_what_is_verbatim(tmp_path: Path) -> None:
    pool = StorePool(a_cache(tmp_path, plain()))
    try:
        with pool.store_scope() as store:
            assert vcon_search.count(store, VconFilters(subject="late")) == 1
            assert vcon_search.count(store, VconFilters(party_name="Ann Example")) == 0
            assert vcon_read.header(store, UUID) is not None
            for read in (vcon_read.document, vcon_read.removals):
                with pytest.raises(sqlite3.DatabaseError):
                    read(store, UUID)
    finally:
        pool.close()


@pytest.mark.parametrize(
    ("vcon", "reason"),
    [
        (plain(critical=["acme"]), "VC_CRITICAL_UNSUPPORTED"),
        ({"ciphertext": "x", "recipients": []}, "encrypted"),
        (plain(uuid="none"), "VC_UUID_FORMAT"),
    ],
)
@pytest.mark.parametrize("kind", [["--cache"], []])
def test_what_cannot_be_taken_is_said_with_its_place(
    tmp_path: Path, vcon: dict[str, Any], reason: str, kind: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "v.ndjson").write_text(json.dumps(plain()) + "\n" + json.dumps(vcon) + "\n")
    assert run(["vcon", "import", str(tmp_path / "v.ndjson"), "--db", str(tmp_path / "x.db"), *kind]) == Exit.FAILED
    said = capfd.readouterr().err
    assert "v.ndjson:2" in said
    assert reason in said
    assert one(tmp_path / "x.db", "SELECT count(*) FROM raw_vcons") == (1,)
