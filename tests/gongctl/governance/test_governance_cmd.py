"""``gongctl governance``: what it prints, its exit codes, its JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongmcp.errors import Exit
from tests.gongctl.governance.planted import BY_LIST, LIST, SPELLINGS, build, count_of, listed, served, write_list

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Governance = Callable[..., Done]


@pytest.fixture
def governance(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Governance:
    for name in ("GONGCTL_DB", "GONGMCP_AI_GOVERNANCE_CONFIG", "GONGCTL_RESTRICTED", "GONGCTL_ALLOW_SENSITIVE_EXPORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    build(tmp_path / "c.db", listed(tmp_path))
    write_list(tmp_path / "list.yaml")

    def call(command: str, *arguments: object, listed: bool = True, db: str = "c.db") -> Done:
        given = ["--ai-governance-config", "list.yaml"] if listed else []
        code = run(["governance", command, "--db", db, *given, *map(str, arguments)])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call


def checked(command: str, done: Done) -> Any:
    value = json.loads(done.out)
    schema = json.loads((SCHEMAS / f"governance-{command}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


def lines(done: Done) -> list[list[str]]:
    return [line.split() for line in done.out.splitlines()]


def test_scope(governance: Governance) -> None:
    done = governance("scope")
    assert done.code == Exit.OK
    assert ["scope.private_calls", "1"] in lines(done)
    assert ["restricted", "list", str(len(BY_LIST))] in lines(done)
    assert "Served: 3 of 13 calls; not served: 10." in done.out
    assert done.err == ""
    assert "marks as private" in governance("scope", "--explain").out
    value = checked("scope", governance("scope", "--json"))
    assert count_of(value["by_rule"], rule="scope.private_calls") == 1
    assert (value["served"], value["not_served"], value["restricted_list"]) == (3, 10, len(BY_LIST))
    assert value["call"] is None


def test_scope_of_a_settings_file_and_of_one_call(governance: Governance) -> None:
    Path("s.toml").write_text('[scope]\nlanguages = ["eng"]\n')
    done = governance("scope", "--config", "s.toml", "--explain", "9", "--json")
    value = checked("scope", done)
    assert value["call"]["scope"] == {"rule": "scope.languages", "says": "language must be one of: eng", "value": "deu"}
    assert value["call"]["served_now"] is True, "it was warmed under other settings"
    assert value["standing"]["settings_in_force"] is False
    assert value["next"] == ["gongctl cache warm --db c.db --config s.toml --ai-governance-config list.yaml"]
    shown = governance("scope", "--config", "s.toml", "--explain", "9")
    assert "Scope: scope.languages: language must be one of: eng; here it is 'deu'." in shown.out
    assert "under other settings" in shown.err


def test_scope_prints_no_name_of_the_list(governance: Governance) -> None:
    said = (governance("scope", "--explain", "5").out + governance("scope", "5", "--json").out).casefold()
    assert "restricted_list" in said
    assert not [spelling for spelling in SPELLINGS if spelling.casefold() in said]


def test_audit(governance: Governance) -> None:
    done = governance("audit")
    assert (done.code, done.err) == (Exit.OK, "")
    assert ["no_ai", "1", "Zebrafish", "Corporation", "6", "1", "1", "1", "1", "1", "1", "0"] in lines(done)
    assert f"Suppressed: {len(BY_LIST)} of 13 calls." in done.out
    value = checked("audit", governance("audit", "--json"))
    assert value["passed"] is True
    assert count_of(value["customers"], name="Quokka") == 3
    assert value["by_list"] == {"no_ai": 7, "notification_required": 2}


def test_audit_fails_on_a_customer_that_matches_nothing(governance: Governance) -> None:
    write_list(Path("list.yaml"), LIST + "      - name: Wombat\n        aliases: [Bilby]\n")
    behind = governance("audit", "--json")
    assert behind.code == Exit.CACHE
    value = checked("audit", behind)
    assert value["unmatched"] == [], "what was not judged is not called unmatched"
    assert value["next"] == ["gongctl cache warm --db c.db --ai-governance-config list.yaml"]
    assert "another list" in behind.err
    assert run(["cache", "warm", "--db", "c.db", "--ai-governance-config", "list.yaml"]) == Exit.OK
    done = governance("audit")
    assert done.code == Exit.FAILED
    assert "no call names notification_required, customer 2 (line 16) (Wombat)" in done.err
    value = checked("audit", governance("audit", "--json", "--allow-unmatched"))
    assert [entry["name"] for entry in value["unmatched"]] == ["Wombat"]
    assert governance("audit", "--allow-unmatched").code == Exit.OK


def test_audit_without_names(governance: Governance) -> None:
    write_list(Path("list.yaml"), LIST + "      - name: Wombat\n")
    run(["cache", "warm", "--db", "c.db", "--ai-governance-config", "list.yaml"])
    said = ""
    for arguments in (("--no-names",), ("--no-names", "--json")):
        done = governance("audit", *arguments)
        said += (done.out + done.err).casefold()
    assert "notification_required, customer 2" in said
    assert not [name for name in ("zebra", "quokka", "numbat", "wombat") if name in said]
    assert "wombat" in governance("audit").err.casefold(), "the control"


def test_explain(governance: Governance) -> None:
    value = checked("explain", governance("explain", "8", "--json"))
    assert value["scope"]["rule"] == "scope.private_calls"
    assert value["verdict"] == "restricted_list"
    (mention,) = value["mentions"]
    assert (mention["name"], mention["source"], mention["text"]) == ("Quokka", "transcript", "quokka")
    done = governance("explain", "8")
    assert "... A private word about [quokka] . ..." in done.out
    done = governance("explain", value["call_ref"])
    assert "Call 8 " in done.out
    assert "nobody of it is named" in governance("explain", "1").out
    assert governance("explain", "77").code == Exit.USAGE


def test_explain_says_when_the_cache_is_behind(governance: Governance) -> None:
    write_list(Path("list.yaml"), LIST + "      - name: Globex\n")
    done = governance("explain", "1")
    assert "The cache is behind: its verdict is served." in done.err
    assert "Next: gongctl cache warm --db c.db --ai-governance-config list.yaml" in done.err


def test_explain_draws_what_it_quotes_literally(governance: Governance) -> None:
    write_list(Path("list.yaml"), LIST + "      - name: Globex\n        notes: x\n")
    with closing(sqlite3.connect("c.db")) as connection:
        assert connection.execute("SELECT count(*) FROM raw_calls").fetchone() == (13,)
    assert "\x1b" not in governance("explain", "\x1b[31m").err


def test_block(governance: Governance) -> None:
    done = governance("block", "Globex", "--alias", "Globex Nine", "--domain", "globex.example", "--json")
    value = checked("block", done)
    assert (value["added"], value["finished"], value["calls_taken_out"], value["next"]) == (True, True, 1, [])
    assert "Globex Nine" in Path("list.yaml").read_text()
    assert served(Path("c.db")) == {"9", "11"}
    again = governance("block", "Globex")
    assert "looks for all of it already" in again.err
    assert "Taken out: 0 calls" in again.out
    refused = governance("block", "the")
    assert refused.code == Exit.USAGE
    assert "cannot be looked for" in refused.err


def test_block_under_other_settings_changes_nothing(governance: Governance) -> None:
    Path("s.toml").write_text('[scope]\nprivate_calls = "allow"\n')
    done = governance("block", "Globex", "--config", "s.toml")
    assert done.code == Exit.REFUSED
    assert "other settings" in done.err
    assert Path("list.yaml").read_text() == LIST


def test_block_without_a_model_adds_and_says_what_to_run(governance: Governance) -> None:
    with CacheWriter.open(Path("new.db"), create=True):
        pass
    done = governance("block", "Globex", db="new.db")
    assert done.code == Exit.OK
    assert "Globex" in Path("list.yaml").read_text()
    assert "Next: gongctl cache warm --db new.db --ai-governance-config list.yaml" in done.err


def test_export(governance: Governance) -> None:
    value = checked("export-filtered-db", governance("export-filtered-db", "--out", "new.db", "--json"))
    assert value["noted"] is True, "the certificate of a purge names it"
    assert value["copied"]["call"] == 3
    assert {"kind": "call", "reason": "restricted", "count": len(BY_LIST)} in value["left"]
    done = governance("export-filtered-db", "--out", "new.db")
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert "exists" in done.err
    done = governance("export-filtered-db", "--out", "new.db", "--overwrite")
    assert done.code == Exit.OK
    assert "Left out: user u2" in done.err
    assert "warmed for a server without a restricted list" in done.out


@pytest.mark.parametrize("out", ["c.db", "list.yaml"])
def test_export_replaces_none_of_its_sources(governance: Governance, out: str) -> None:
    before = Path(out).read_bytes()
    assert governance("export-filtered-db", "--out", out, "--overwrite").code == Exit.USAGE
    assert Path(out).read_bytes() == before


def test_census(governance: Governance) -> None:
    value = checked("census", governance("census", "--json", listed=False))
    assert value["calls"] == 13
    assert count_of(value["cells"], kind="email", field="party", language="eng", month="2026-03") == -1
    assert sum(cell["after"] for cell in value["cells"]) == 0
    assert sum(cell["before"] for cell in value["cells"]) > 10
    done = governance("census", "--out", "census.json", listed=False)
    assert (done.code, done.out) == (Exit.OK, "")
    assert Path("census.json").stat().st_mode & 0o777 == 0o600
    written = json.loads(Path("census.json").read_text())
    assert written["cells"] == value["cells"]
    assert checked("census", governance("census", "--json", "--no-names", listed=False))["names"] is None
    assert ["email", "party", "13", "0"] in lines(governance("census", listed=False))


@pytest.mark.parametrize("command", ["scope", "audit", "explain", "export-filtered-db", "census"])
def test_a_missing_cache_is_said(governance: Governance, command: str) -> None:
    extra = {"explain": ["1"], "export-filtered-db": ["--out", "new.db"]}.get(command, [])
    done = governance(command, *extra, db="missing.db", listed=command != "census")
    assert (done.code, done.out) == (Exit.CACHE, "")
    assert not Path("missing.db").exists()
