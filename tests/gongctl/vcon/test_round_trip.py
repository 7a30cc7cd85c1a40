"""In and out: the bundled calls leave as valid vCons and come back as they were; a redacted one tells nothing more."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongctl.ingest import Record, read_paths
from gongctl.sample import directory
from gongctl.vcon.diff import differences
from gongctl.vcon.note import with_note, without_note
from gongctl.vcon.reading import vcons_of_store
from gongctl.vcon.redacted import LOST
from gongctl.vcon.validate import schema_of, validate
from gongmcp.errors import Exit
from tests.gongctl.vcon.conversations import plain, strange

Vcons = list[dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the sample and of two vCons, and its exports."""
    folder = tmp_path_factory.mktemp("trip")
    foreign = folder / "foreign.ndjson"
    foreign.write_text("".join(json.dumps(vcon) + "\n" for vcon in (plain(), strange())))
    with CacheWriter.open(folder / "gong.db", create=True) as writer:
        import_records(writer, read_paths([directory()]))
    assert run(["vcon", "import", str(foreign), "--db", str(folder / "gong.db")]) == Exit.OK
    with CacheWriter.open(folder / "gong.db") as writer:
        warm(writer)
    for name, flags in (("full", ["--unredacted"]), ("redacted", []), ("again", ["--unredacted"])):
        source = "store.db" if name == "again" else "gong.db"
        if name == "again":
            import_all(folder / "full.ndjson", folder / "store.db")
        out = str(folder / f"{name}.ndjson")
        assert run(["vcon", "export", "--all", *flags, "--db", str(folder / source), "--out", out]) == Exit.OK
    return folder


def import_all(path: Path, db: Path, *flags: str) -> None:
    assert run(["vcon", "import", str(path), "--db", str(db), *flags]) == Exit.OK


def lines(path: Path) -> Vcons:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_all_that_leaves_is_valid_by_the_schemas_of_the_ietf(folder: Path) -> None:
    full, redacted = lines(folder / "full.ndjson"), lines(folder / "redacted.ndjson")
    assert len(full) == 12
    assert len(redacted) == 11, "one call is private"
    for level in ("core-02", "core-03"):
        schema = Draft7Validator(schema_of(level))
        for vcon in (*full, *redacted):
            assert [str(error.json_path) for error in schema.iter_errors(vcon)] == []
            assert validate(vcon, level).valid


def test_bodies_of_json_are_written_as_text(folder: Path) -> None:
    parts = [
        part
        for vcon in lines(folder / "full.ndjson")
        for name in ("analysis", "attachments")
        for part in vcon.get(name, ())
    ]
    bodies = [part["body"] for part in parts if part.get("encoding") == "json"]
    assert len(bodies) > 30
    assert all(isinstance(body, str) and json.loads(body) is not None for body in bodies)


def test_an_unredacted_export_says_so(folder: Path) -> None:
    for vcon in lines(folder / "full.ndjson"):
        assert vcon["attachments"][-1]["purpose"] == "gongctl_export"
        assert json.loads(vcon["attachments"][-1]["body"])["redaction"] == "none"


def test_there_and_back_through_a_store_nothing_is_lost(folder: Path) -> None:
    def by_uuid(name: str) -> dict[str, Any]:
        return {vcon["uuid"]: vcon for vcon in lines(folder / name)}

    assert by_uuid("full.ndjson") == by_uuid("again.ndjson")
    kept = list(vcons_of_store(folder / "store.db"))
    assert plain() in kept
    assert strange() in kept


def raw_rows(db: Path) -> dict[str, Any]:
    connection = sqlite3.connect(db)
    return {
        "calls": dict(connection.execute("SELECT call_id, digest FROM raw_calls")),
        "transcripts": dict(connection.execute("SELECT call_id, digest FROM raw_transcripts")),
        "answers": dict(
            connection.execute("SELECT record_id, digest FROM raw_records WHERE kind = 'answered_scorecard'")
        ),
    }


@pytest.mark.parametrize("through", ["file", "store"])
def test_there_and_back_through_a_cache_nothing_is_lost(folder: Path, tmp_path: Path, through: str) -> None:
    db = tmp_path / "back.db"
    if through == "file":
        import_all(folder / "full.ndjson", db, "--cache")
    else:
        assert run(["import", "auto", str(folder / "store.db"), "--db", str(db)]) == Exit.OK
    assert raw_rows(db) == raw_rows(folder / "gong.db")
    before = sqlite3.connect(db).execute("SELECT uuid, digest FROM raw_vcons ORDER BY 1").fetchall()
    import_all(folder / "full.ndjson", db)
    assert sqlite3.connect(db).execute("SELECT uuid, digest FROM raw_vcons ORDER BY 1").fetchall() == before
    out = tmp_path / "out.ndjson"
    assert run(["vcon", "export", "--all", "--unredacted", "--db", str(db), "--out", str(out)]) == Exit.OK
    assert sorted(out.read_text().splitlines()) == sorted((folder / "full.ndjson").read_text().splitlines())


def test_without_the_payloads_it_is_another_call(folder: Path, tmp_path: Path) -> None:
    out, db = tmp_path / "out.ndjson", tmp_path / "c.db"
    assert (
        run(["vcon", "export", "--all", "--unredacted", "--no-raw", "--db", str(folder / "gong.db"), "--out", str(out)])
        == 0
    )
    import_all(out, db, "--cache")
    assert all(call_id.startswith("vcon:") for call_id in raw_rows(db)["calls"])


def test_a_payload_that_was_altered_is_not_restored(folder: Path, tmp_path: Path) -> None:
    vcon = lines(folder / "full.ndjson")[0]
    (raw,) = (item for item in vcon["attachments"] if item["purpose"] == "gong_raw")
    raw["body"] = raw["body"].replace('"isPrivate":false', '"isPrivate":true')
    (tmp_path / "v.json").write_text(json.dumps(vcon, indent=2))
    assert run(["vcon", "import", str(tmp_path / "v.json"), "--db", str(tmp_path / "c.db"), "--cache"]) == Exit.OK
    assert list(raw_rows(tmp_path / "c.db")["calls"]) == [f"vcon:{vcon['uuid']}"]


def pattern_of(path: str, counts: dict[str, int]) -> str | None:
    """Return the most exact pattern of LOST that speaks of *path*."""

    def fits(pattern: str) -> bool:
        steps, given = pattern.split("/")[1:], path.split("/")[1:]
        if len(steps) > len(given):
            return False
        return all(
            step == part or step == "*" or (step == "-" and int(part) >= counts[given[0]])
            for step, part in zip(steps, given, strict=False)
        )

    def exactness(pattern: str) -> tuple[int, int]:
        return pattern.count("/"), -pattern.count("*")

    return max((pattern for pattern, _ in LOST if fits(pattern)), key=exactness, default=None)


def test_the_difference_is_exactly_the_declared_list(folder: Path) -> None:
    full = {vcon["uuid"]: without_note(vcon) for vcon in lines(folder / "full.ndjson")}
    used: set[str] = set()
    for vcon in lines(folder / "redacted.ndjson"):
        whole = full[vcon["redacted"]["uuid"]]
        counts = {name: len(whole.get(name, ())) for name in ("parties", "dialog", "analysis", "attachments")}
        for name in ("parties", "dialog", "analysis"):
            assert len(vcon.get(name, ())) == counts[name], "indexes mean the same"
        for item in differences(whole, vcon):
            pattern = pattern_of(item.path, counts)
            assert pattern is not None, item.path
            used.add(pattern)
    assert used == {pattern for pattern, _ in LOST}


def test_a_redacted_one_tells_nothing_that_the_tools_would_not(folder: Path) -> None:
    sought: set[str] = set()
    for record in read_paths([directory()]):
        if not isinstance(record, Record) or record.kind != "call":
            continue
        meta, parties = record.payload["metaData"], record.payload["parties"]
        sought |= {str(meta[key]) for key in ("id", "title", "started", "workspaceId", "url")}
        sought |= {str(p[key]) for p in parties for key in ("emailAddress", "speakerId", "userId")}
        sought |= {str(item["objectId"]) for part in record.payload["context"] for item in part["objects"]}
    sought |= {"Ann Example", "ann@example.com", "555-0100", "UklGRg", "vip", "Contract of", "A" * 86}
    sought -= {"None", ""}
    full, redacted = (folder / "full.ndjson").read_text(), (folder / "redacted.ndjson").read_text()
    assert {text for text in sought if text in redacted} == set()
    assert len({text for text in sought if text in full}) > len(sought) * 0.9, "the control: they are there"
    assert re.search(r"\{redacted:email\}", redacted)


@pytest.mark.parametrize(
    ("flags", "shown", "hidden"),
    [
        (["--include-call-titles"], ['"subject":'], ["gong_call_ref"]),
        (["--include-call-titles", "--policy-switches", "hide_call_titles"], [], ['"subject":']),
        (["--transcript-evidence-provenance", "alias"], ["gong_call_ref:call_"], ["gong_call_id"]),
        (["--transcript-evidence-provenance", "alias", "--include-call-ids"], [], ["gong_call_id"]),
        (["--transcript-evidence-provenance", "raw", "--include-call-ids"], ["gong_call_id:"], []),
        (["--include-call-ids"], [], ["gong_call_id", "gong_call_ref"]),
    ],
)
def test_the_policy_decides(
    folder: Path, flags: list[str], shown: list[str], hidden: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["vcon", "export", "--system", "Google Meet", "--db", str(folder / "gong.db"), *flags]
    assert run(command) == Exit.OK
    out = capfd.readouterr().out
    assert len(out.splitlines()) >= 2
    assert all(text in out for text in shown)
    assert not any(text in out for text in hidden)


def test_another_policy_gives_another_vcon(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    uuids = set()
    for flags in ([], ["--include-call-titles"], ["--transcript-evidence-provenance", "alias"]):
        assert run(["vcon", "export", "--system", "vcon", "--db", str(folder / "gong.db"), *flags]) == Exit.OK
        uuids |= {json.loads(line)["uuid"] for line in capfd.readouterr().out.splitlines()}
    assert len(uuids) == 6


def test_text_dialogs_are_another_way_of_saying_it(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ndjson"
    command = [
        "vcon",
        "export",
        "--unredacted",
        "--text-dialogs",
        "--system",
        "Google Meet",
        "--db",
        str(folder / "gong.db"),
    ]
    assert run([*command, "--out", str(out)]) == Exit.OK
    for vcon in lines(out):
        assert validate(vcon, "core-02").valid
        assert {item["type"] for item in vcon["dialog"]} == {"recording", "text"}
        assert "transcript" not in {item["type"] for item in vcon.get("analysis", ())}


@pytest.mark.parametrize("make", [plain, strange])
@pytest.mark.parametrize("drop", [(), ("attachments",), ("created_at",)])
def test_the_note_is_taken_off_as_it_was_put_on(make: Any, drop: tuple[str, ...]) -> None:
    vcon = {key: value for key, value in make().items() if key not in drop}
    assert without_note(with_note(vcon)) == vcon
    assert without_note(vcon) == vcon


def test_what_somebody_added_to_our_vcon_does_not_leave_with_the_call(folder: Path, tmp_path: Path) -> None:
    vcon = next(v for v in lines(folder / "full.ndjson") if "analysis" in v and v["uuid"] != plain()["uuid"])
    vcon["analysis"].append({"type": "Secret type", "vendor": "Secret", "product": "Secret", "dialog": 0})
    vcon["dialog"].append({"type": "Secret dialog", "start": vcon["created_at"], "parties": "Secret", "body": "Secret"})
    vcon["parties"].append({"name": "Secret", "role": "Secret"})
    (tmp_path / "v.json").write_text(json.dumps(vcon))
    db, out = tmp_path / "c.db", tmp_path / "out"
    import_all(tmp_path / "v.json", db, "--cache")
    assert run(["cache", "warm", "--db", str(db)]) == Exit.OK
    assert run(["vcon", "export", "--all", "--db", str(db), "--out", str(out)]) == Exit.OK
    (redacted,) = lines(out)
    assert "Secret" not in out.read_text()
    assert [len(redacted[name]) for name in ("analysis", "dialog", "parties")] == [
        len(vcon[name]) for name in ("analysis", "dialog", "parties")
    ]
    assert validate(redacted, "core-02").valid
