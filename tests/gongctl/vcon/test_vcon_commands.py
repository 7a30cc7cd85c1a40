"""``gongctl vcon``: edits are shown first, files are checked, signatures verified; nothing is done by halves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from joserfc.jwk import RSAKey

from gongctl.cli.root import run
from gongmcp.errors import Exit
from tests.gongctl.vcon.conversations import UUID, plain
from tests.gongctl.vcon.test_forms import signed


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.json").write_text(json.dumps(plain(), indent=2))
    assert run(["vcon", "import", "v.json", "--db", "s.db"]) == Exit.OK
    return tmp_path / "s.db"


def show(capfd: pytest.CaptureFixture[str]) -> Any:
    capfd.readouterr()
    assert run(["vcon", "show", UUID, "--db", "s.db"]) == Exit.OK
    return json.loads(capfd.readouterr().out)


EDITS = [
    ["update", UUID, '{"subject": "new"}'],
    ["add", "party", UUID, '{"name": "Cem"}'],
    ["replace", "dialog", UUID, "0", '{"type": "text", "body": "x"}'],
    ["remove", "analysis", UUID, "0"],
    ["tag", UUID, "a=b"],
    ["untag", UUID, "--key", "department"],
    ["untag", UUID, "--all"],
    ["create", '{"uuid": "%s", "parties": [{"name": "A"}]}' % UUID, "--replace"],  # noqa: UP031 - braces
]


@pytest.mark.parametrize("line", EDITS, ids=lambda line: f"{line[0]}-{line[-1][:6]}")
def test_an_edit_is_shown_and_then_done(db: Path, line: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["vcon", *line, "--db", "s.db"]) == Exit.OK
    tried = capfd.readouterr()
    assert "--apply" in tried.err
    assert tried.out.startswith(("+", "-", "~"))
    assert show(capfd) == plain()
    assert run(["vcon", *line, "--db", "s.db", "--apply"]) == Exit.OK
    assert "Done" in capfd.readouterr().out
    assert show(capfd) != plain()


def test_deleting(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["vcon", "delete", UUID, "--db", "s.db"]) == Exit.OK
    assert show(capfd) == plain()
    assert run(["vcon", "delete", UUID, "--db", "s.db", "--apply"]) == Exit.OK
    assert run(["vcon", "show", UUID, "--db", "s.db"]) == Exit.USAGE
    assert run(["vcon", "delete", UUID, "--db", "s.db", "--apply"]) == Exit.FAILED


def test_a_dry_run_leaves_no_file(tmp_path: Path) -> None:
    assert run(["vcon", "create", '{"parties": [{"name": "A"}]}', "--db", str(tmp_path / "n.db")]) == Exit.OK
    assert list(tmp_path.iterdir()) == []


def test_what_is_refused_says_why(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for line, code, said in (
        (["tag", UUID, "a:b=c"], Exit.USAGE, "VC_TAG_SYNTAX"),
        (["remove", "party", UUID, "9"], Exit.USAGE, "VC_INDEX_RANGE"),
        (["update", UUID, '{"subject": "x"}', "--if-updated-at", "2020-01-01T00:00:00Z"], Exit.FAILED, "VC_CONFLICT"),
        (["update", UUID, '{"subject": "x"}', "--merge-strategy", "mix"], Exit.USAGE, "VC_ARGUMENT"),
        (["update", UUID, "[1]"], Exit.USAGE, "not a JSON object"),
        (["add", "smell", UUID, "{}"], Exit.USAGE, "PART"),
        (["add", "party", "x", "{}"], Exit.USAGE, "VC_UUID_FORMAT"),
    ):
        assert run(["vcon", *line, "--db", "s.db", "--apply"]) == code
        assert said in capfd.readouterr().err
    assert show(capfd) == plain()


def test_a_cache_is_not_edited(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "v.json").write_text(json.dumps(plain()))
    assert run(["vcon", "import", str(tmp_path / "v.json"), "--db", str(tmp_path / "c.db"), "--cache"]) == Exit.OK
    assert run(["vcon", "tag", UUID, "a=b", "--db", str(tmp_path / "c.db"), "--apply"]) == Exit.CACHE
    assert "no vCon store" in capfd.readouterr().err
    assert run(["vcon", "show", UUID, "--db", str(tmp_path / "c.db")]) == Exit.OK
    assert json.loads(capfd.readouterr().out) == plain()


def test_validating(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad.ndjson").write_text(
        json.dumps(plain(subject=7)) + "\n" + json.dumps({"ciphertext": "", "recipients": []})
    )
    assert run(["vcon", "validate", "v.json", "--level", "CORE-02"]) == Exit.OK
    assert run(["vcon", "validate", "bad.ndjson", "v.json", "--json"]) == Exit.FAILED
    found = json.loads(capfd.readouterr().out.split("\n", 1)[1])
    assert [item["valid"] for item in found] == [False, False, True]
    assert "/subject" in {finding["path"] for finding in found[0]["findings"]}
    assert "encrypted" in found[1]["reason"]
    assert run(["vcon", "validate", "v.json", "--level", "x"]) == Exit.USAGE


def test_comparing(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["vcon", "diff", "v.json", UUID, "--db", "s.db"]) == Exit.OK
    assert run(["vcon", "tag", UUID, "a=b", "--db", "s.db", "--apply"]) == Exit.OK
    capfd.readouterr()
    assert run(["vcon", "diff", "v.json", UUID, "--db", "s.db", "--json"]) == Exit.FAILED
    found = json.loads(capfd.readouterr().out)
    assert {(item["kind"], item["path"]) for item in found} == {
        ("changed", "/attachments/0/body"), ("added", "/updated_at")
    }  # fmt: skip
    assert run(["vcon", "diff", "v.json", "missing"]) == Exit.USAGE


def test_verifying(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    key = RSAKey.generate_key(2048)
    Path("key.pem").write_bytes(key.as_pem(private=False))
    value = signed(plain(), key)
    Path("signed.json").write_text(json.dumps(value))
    assert run(["vcon", "verify", "signed.json", "--key", "key.pem"]) == Exit.OK
    value["payload"] = value["payload"][:-4] + "AAAA"
    Path("signed.json").write_text(json.dumps(value))
    assert run(["vcon", "verify", "signed.json", "--key", "key.pem"]) == Exit.FAILED
    assert run(["vcon", "verify", "v.json", "--key", "key.pem"]) == Exit.FAILED
    assert run(["vcon", "verify", "v.json", "--key", "missing.pem"]) == Exit.USAGE
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("flags", [[], ["--all", "--call", UUID], ["--all", "--from-date", "2026-01-01"]])
def test_an_export_says_which(db: Path, flags: list[str]) -> None:
    assert run(["vcon", "export", "--unredacted", *flags, "--db", "s.db"]) == Exit.USAGE


def test_a_store_has_nothing_that_is_redacted(db: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["vcon", "export", "--all", "--db", "s.db"]) == Exit.USAGE
    assert capfd.readouterr().out == ""
