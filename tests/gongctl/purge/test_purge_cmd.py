"""``gongctl cache purge``: what it prints, its exit codes, its JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from gongctl.cli.root import run
from gongmcp.errors import Exit

from .calls import USERS, call_id, store, warmed, word, words
from .residue import residue

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "cache-purge.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "gong.db"
    store(path, range(6), *USERS)
    warmed(path)
    return path


@pytest.fixture
def cache(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(built, tmp_path / "gong.db"))


def checked(out: str) -> dict[str, object]:
    value: dict[str, object] = json.loads(out)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


def test_a_dry_run_then_the_purge_then_nothing(cache: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ["cache", "purge", "--db", str(cache), "--participant", f"{word(2, 'mail')}@example.com"]
    assert run(given) == Exit.OK
    said = capfd.readouterr()
    assert "Would remove: 1 calls, 1 transcripts, 4 segments, 1 answered scorecards" in said.out
    assert "--confirm" in said.err
    assert residue(cache, words([2])) == words([2])
    paper = tmp_path / "certificate.json"
    assert run([*given, "--confirm", "--certificate", str(paper)]) == Exit.OK
    said = capfd.readouterr()
    assert "Certificate of purge" in said.out
    assert "0 rows speak of these calls" in said.out
    assert residue(cache, words([2])) == set()
    value = checked(paper.read_text())
    assert value["checked"]["clean"] is True  # type: ignore[index]
    assert paper.stat().st_mode & 0o777 == 0o600
    assert run([*given, "--confirm", "--json"]) == Exit.OK
    assert checked(capfd.readouterr().out)["removed"]["calls"] == 0  # type: ignore[index]


def test_the_json_of_a_plan(cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["cache", "purge", "--db", str(cache), "--older-than", "2025-01-01", "--json"]) == Exit.OK
    value = checked(capfd.readouterr().out)
    assert value["months"] == [{"month": "2024-11", "calls": 2}, {"month": "2024-12", "calls": 2}]


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["--older-than", "yesterday"],
        ["--older-than", "2025-02-30"],
        ["--older-than", "2999-01-01"],
        ["--older-than", "2025-01-01", "--call", "1"],
        ["--call", "1", "--account", "A"],
        ["--call", " "],
        ["--participant", "dana"],
        ["--call", "call_0000000000000000"],
        ["--config", "nothing.yaml"],
        ["--config", "{aged}", "--older-than", "2025-01-01"],
        ["--config", "{aged}", "--call", "1"],
    ],
)
def test_wrong_usage_changes_nothing(cache: Path, capfd: pytest.CaptureFixture[str], given: list[str]) -> None:
    aged = cache.with_name("aged.yaml")
    aged.write_text("version: 1\nolder_than: 2025-01-01\n")
    code = run(["cache", "purge", "--db", str(cache), "--confirm", *(text.format(aged=aged) for text in given)])
    assert code == Exit.USAGE
    assert "gongctl: " in capfd.readouterr().err
    assert residue(cache, words(range(6))) == words(range(6))


def test_a_file_without_its_approval_is_refused_and_one_with_it_says_so(
    cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    policy = cache.with_name("policy.yaml")
    policy.write_text(f"version: 1\nolder_than: 2025-01-01\nlegal_hold:\n  calls: ['{call_id(0)}']\n")
    given = ["cache", "purge", "--db", str(cache), "--config", str(policy), "--confirm"]
    assert run(given) == Exit.REFUSED
    assert "reference" in capfd.readouterr().err
    with policy.open("a") as file:
        file.write(
            "approval:\n  reference: RET-7\n  approved_by: R. Officer\n  approved_at: 2025-06-30\n"
            "  data_owner: Revenue\n  backup_reference: none kept\n  legal_hold_reviewed: true\n"
        )
    assert run(given) == Exit.OK
    out = capfd.readouterr().out
    assert "Approved: RET-7, by R. Officer on 2025-06-30" in out
    assert "Kept by a legal hold: 1 calls" in out
    assert "Removed: 3 calls" in out
