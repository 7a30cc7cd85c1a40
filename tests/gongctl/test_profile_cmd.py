"""``gongctl profile``: what it prints, its exit codes, its JSON; and what it does with bad input."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gongctl.cli.root import run
from gongctl.profile.document import (
    BUCKET_KEYS,
    CALL_FIELDS,
    FIELD_KEYS,
    GROUP_KEYS,
    METHODOLOGY_KEYS,
    OBJECT_KEYS,
    OPERATORS,
    read_profile,
)
from gongctl.profile.findings import CODES
from gongctl.profile.schema import profile_json_schema
from gongmcp.errors import Exit
from tests.gongctl.profile_cache import CLOCK, OTHER_PROFILE, PROFILE, bucket_of, build, make_calls, opened, store

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
ROOT = Path(__file__).parents[2]
CALLS = make_calls(40)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Gongctl = Callable[..., Done]


@pytest.fixture
def gongctl(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gongctl:
    """Run a command in an empty folder that holds ``p.yaml``, ``other.yaml`` and the warm cache ``c.db``."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", CLOCK)
    monkeypatch.delenv("GONGCTL_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text(PROFILE, encoding="utf-8")
    Path("other.yaml").write_text(OTHER_PROFILE, encoding="utf-8")
    build(Path("c.db"), CALLS)

    def call(*arguments: object) -> Done:
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        assert "Traceback" not in captured.err + captured.out
        assert "Something unexpected" not in captured.err
        return Done(code, captured.out, captured.err)

    return call


def checked(name: str, done: Done) -> Any:
    value = json.loads(done.out)
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


def words(done: Done) -> list[list[str]]:
    return [line.split() for line in done.out.splitlines()]


# --- the way from nothing to a served profile ----------------------------------------------------------------


def test_discover_validate_import_warm_and_go_back(gongctl: Gongctl) -> None:
    found = gongctl("profile", "discover", "--db", "c.db", "--out", "found.yaml", "--name", "Found")
    assert found.code == Exit.OK
    assert found.out == ""
    assert "Next: gongctl profile validate found.yaml --db c.db" in found.err
    assert stat.S_IMODE(Path("found.yaml").stat().st_mode) == 0o600, "it holds values of the CRM"
    judged = gongctl("profile", "validate", "found.yaml", "--db", "c.db")
    assert (judged.code, "found.yaml is valid" in judged.out) == (Exit.OK, True)
    first = gongctl("profile", "import", "found.yaml", "--db", "c.db")
    assert first.code == Exit.OK
    assert "Imported Found as profile_1" in first.out
    assert "it is the active profile" in first.out
    assert "Next: gongctl cache warm --db c.db" in first.err
    status = gongctl("cache", "status", "--db", "c.db")
    assert "facts missing" in status.out
    assert "gongctl cache warm --db c.db" in status.err
    warmed = gongctl("cache", "warm", "--db", "c.db")
    assert f"facts of a new profile for {len(CALLS)} calls" in warmed.out
    second = gongctl("profile", "import", "p.yaml", "--db", "c.db", "--no-activate")
    assert "it is not active" in second.out
    assert second.err.splitlines()[-2:] == [
        "Next: gongctl cache warm --profile profile_2 --db c.db",
        "Next: gongctl profile activate profile_2 --db c.db",
    ]
    assert gongctl("cache", "warm", "--profile", "profile_2", "--db", "c.db").code == Exit.OK
    switched = gongctl("profile", "activate", "profile_2", "--db", "c.db")
    assert "its facts are complete" in switched.out
    assert switched.err == ""
    back = gongctl("profile", "activate", "profile_1", "--db", "c.db")
    assert (back.code, "Found (profile_1) is the active profile" in back.out) == (Exit.OK, True)
    assert gongctl("cache", "status", "--db", "c.db").err == ""


def test_discovery_goes_to_standard_output_and_overwrites_only_when_told(gongctl: Gongctl) -> None:
    printed = gongctl("profile", "discover", "--db", "c.db")
    assert printed.out.startswith("#")
    assert "deal_stage:" in printed.out
    taken = gongctl("profile", "discover", "--db", "c.db", "--out", "p.yaml")
    assert (taken.code, Path("p.yaml").read_text()) == (Exit.USAGE, PROFILE)
    assert "--force" in taken.err
    assert gongctl("profile", "discover", "--db", "c.db", "--out", "p.yaml", "--force").code == Exit.OK
    assert Path("p.yaml").read_text() == printed.out
    nowhere = gongctl("profile", "discover", "--db", "c.db", "--out", "no/folder.yaml")
    assert (nowhere.code, "cannot be written" in nowhere.err) == (Exit.FAILED, True)


def test_the_text_of_show_history_and_diff(gongctl: Gongctl) -> None:
    assert "No profile was imported." in gongctl("profile", "history", "--db", "c.db").out
    gongctl("profile", "import", "p.yaml", "--db", "c.db")
    shown = gongctl("profile", "show", "--db", "c.db")
    assert "Company lifecycle (profile_1), active, facts incomplete" in shown.out
    assert "from p.yaml" in shown.out
    assert ["renewal_desk", "30", "1", "Renewal", "desk"] in words(shown)
    assert gongctl("profile", "show", "--format", "yaml", "--db", "c.db").out == PROFILE
    history = gongctl("profile", "history", "--db", "c.db")
    assert history.out.splitlines()[1].startswith("active  profile_1  Company lifecycle")
    differs = gongctl("profile", "diff", "other.yaml", "--db", "c.db")
    assert "The two differ in meaning." in differs.out
    assert "~ post_sales" in differs.out
    assert "The two mean the same." in gongctl("profile", "diff", "p.yaml", "--from", "profile_1", "--db", "c.db").out
    assert "The two mean the same." in gongctl("profile", "diff", "p.yaml", "--from", "p.yaml").out


def test_what_to_run_next_keeps_the_rules_that_the_cache_was_warmed_with(gongctl: Gongctl) -> None:
    Path("names.yaml").write_text(json.dumps({"version": 1, "lists": {"no_ai": {"customers": [{"name": "Initech"}]}}}))
    Path("settings.toml").write_text("[scope]\nprivate_calls = 'allow'\n", encoding="utf-8")
    rules = ("--config", "settings.toml", "--ai-governance-config", "names.yaml")
    assert gongctl("cache", "warm", "--db", "c.db", *rules).code == Exit.OK
    done = gongctl("profile", "import", "p.yaml", "--db", "c.db")
    assert done.err == "Next: gongctl cache warm --db c.db --config FILE --ai-governance-config FILE\n"
    assert gongctl("cache", "warm", "--db", "c.db").code == Exit.REFUSED
    warmed = gongctl("cache", "warm", "--db", "c.db", *rules)
    assert "Redone: 0 of 0 calls" in warmed.out
    assert f"facts of a new profile for {len(CALLS)} calls" in warmed.out


# --- JSON ------------------------------------------------------------------------------------------------------


def test_the_json_of_every_command_is_as_its_schema_says(gongctl: Gongctl) -> None:
    db = ("--db", "c.db", "--json")
    judged = checked("profile-validate", gongctl("profile", "validate", "p.yaml", *db))
    assert (judged["valid"], judged["checked_against_cache"], judged["readiness"]) == (True, True, None)
    imported = checked("profile-import", gongctl("profile", "import", "p.yaml", *db))
    assert (imported["imported"], imported["activated"]) == (True, True)
    assert imported["next"] == ["gongctl cache warm --db c.db"]
    assert imported["profile"]["canonical_sha256"] == judged["canonical_sha256"]
    status = checked("cache-status", gongctl("cache", "status", *db))
    assert (status["profile"]["freshness"], status["freshness"]) == ("missing", "fresh")
    assert status["next"] == ["gongctl cache warm --db c.db"]
    warmed = checked("cache-warm", gongctl("cache", "warm", *db))
    assert (warmed["profile_calls"], warmed["looked_at"], warmed["next"]) == (len(CALLS), 0, [])
    status = checked("cache-status", gongctl("cache", "status", *db))
    assert (status["profile"]["freshness"], status["profile"]["calls"]) == ("fresh", len(CALLS))
    again = checked("profile-import", gongctl("profile", "import", "p.yaml", *db))
    assert (again["imported"], again["activated"], again["next"]) == (False, False, [])
    staged = checked("profile-import", gongctl("profile", "import", "other.yaml", "--no-activate", *db))
    assert (staged["activated"], staged["profile"]["is_active"]) == (False, False)
    shown = checked("profile-show", gongctl("profile", "show", *db))
    assert shown["content"]["name"] == "Company lifecycle"
    by_hash = gongctl("profile", "show", imported["profile"]["canonical_sha256"][:8], *db)
    assert checked("profile-show", by_hash) == shown
    history = checked("profile-history", gongctl("profile", "history", *db))
    assert [p["profile_id"] for p in history["profiles"]] == ["profile_2", "profile_1"]
    differs = checked("profile-diff", gongctl("profile", "diff", "profile_2", *db))
    assert (differs["same_meaning"], bool(differs["sections"])) == (False, True)
    switched = checked("profile-activate", gongctl("profile", "activate", "profile_2", *db))
    assert (switched["profile"]["is_active"], len(switched["next"])) == (True, 1)
    sample = checked("profile-explain", gongctl("profile", "explain", "--sample", "3", *db))
    assert len(sample["calls"]) == 3
    one = checked("profile-explain", gongctl("profile", "explain", "--call", "1", *db))
    assert one["calls"][0]["trace"]
    checked("profile-explain", gongctl("profile", "explain", "--profile", "builtin", "--call", "1", *db))
    checked("profile-explain", gongctl("profile", "explain", "--against", "p.yaml", *db))
    schema = checked("profile-schema", gongctl("profile", "schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    with opened(Path("c.db")) as writer:
        store(writer, make_calls(41)[40:])
    stale = checked("cache-status", gongctl("cache", "status", *db))
    assert (stale["freshness"], stale["profile"]["freshness"]) == ("stale", "missing")


def test_strict_validation_fails_on_what_is_missing_for_production(gongctl: Gongctl) -> None:
    done = gongctl("profile", "validate", "p.yaml", "--db", "c.db", "--strict", "--json")
    assert done.code == Exit.FAILED
    judged = checked("profile-validate", done)
    assert (judged["valid"], judged["passed"]) == (True, False)
    assert judged["readiness"]["blocking"] == ["Nothing says where the reason of a loss is recorded."]
    text = gongctl("profile", "validate", "p.yaml", "--db", "c.db", "--strict")
    assert "Not ready for production use:" in text.out
    ready = PROFILE + "  loss_reason: {fields: [{object: deal, name: NextStep}]}\n"
    Path("ready.yaml").write_text(ready)
    assert gongctl("profile", "validate", "ready.yaml", "--db", "c.db", "--strict").code == Exit.OK


# --- explain ---------------------------------------------------------------------------------------------------


def test_an_explanation_names_bucket_rule_field_and_value(gongctl: Gongctl) -> None:
    gongctl("profile", "import", "p.yaml", "--db", "c.db")
    by_id = {call.call_id: call for call in CALLS}
    done = gongctl("profile", "explain", "--sample", "40", "--db", "c.db", "--json")
    for item in checked("profile-explain", done)["calls"]:
        assert item["bucket"] == bucket_of(by_id[item["call_id"]])
        if item["bucket"] == "unknown":
            assert (item["rule"], item["confidence"]) == (None, "low")
        else:
            assert item["rule"].startswith(f"lifecycle.{item['bucket']}.rules[")
            assert item["evidence_fields"]
    won = next(call for call in CALLS if bucket_of(call) == "closed_won")
    text = gongctl("profile", "explain", "--call", won.call_id, "--db", "c.db")
    assert ["closed_won", "lifecycle.closed_won.rules[0]", "yes"] in [line[:3] for line in words(text)]
    assert "Closed Won" in text.out or "closedwon" in text.out


def test_before_and_after_are_those_that_the_tools_count(gongctl: Gongctl) -> None:
    gongctl("profile", "import", "p.yaml", "--db", "c.db")
    done = gongctl("profile", "explain", "--against", "other.yaml", "--db", "c.db", "--json")
    moves = checked("profile-explain", done)
    before = [bucket_of(call) for call in CALLS]
    after = [bucket_of(call, post_sales_first=True) for call in CALLS]
    assert moves["calls"] == len(CALLS)
    assert moves["moved"] == sum(a != b for a, b in zip(before, after, strict=True)) > 0
    assert {row["bucket"]: row["calls"] for row in moves["before"]} == {b: before.count(b) for b in set(before)}
    assert {row["bucket"]: row["calls"] for row in moves["after"]} == {b: after.count(b) for b in set(after)}
    pairs = list(zip(before, after, strict=True))
    assert {(m["before"], m["after"]): m["calls"] for m in moves["moves"]} == {p: pairs.count(p) for p in set(pairs)}
    text = gongctl("profile", "explain", "--against", "other.yaml", "--db", "c.db").out
    assert f"{moves['moved']} of {len(CALLS)} calls have another bucket." in text


def test_calls_that_are_not_served_are_not_counted(gongctl: Gongctl) -> None:
    gongctl("profile", "import", "p.yaml", "--db", "c.db")
    with opened(Path("c.db")) as writer:
        store(writer, make_calls(45)[40:])  # imported, not warmed
    done = gongctl("profile", "explain", "--against", "other.yaml", "--db", "c.db", "--json")
    assert checked("profile-explain", done)["calls"] == len(CALLS)


# --- refusals ----------------------------------------------------------------------------------------------------


def test_an_invalid_profile_is_told_with_its_lines_and_changes_nothing(gongctl: Gongctl) -> None:
    bad = PROFILE.replace("op: iprefix", "op: begins").replace(
        "field: deal_type, op: equals", "field: deal_typ, op: equals"
    )
    Path("bad.yaml").write_text(bad)
    before = Path("c.db").read_bytes()
    judged = gongctl("profile", "validate", "bad.yaml", "--db", "c.db")
    assert judged.code == Exit.FAILED
    assert "unsupported_rule_operator" in judged.out
    line = next(number for number, text in enumerate(bad.splitlines(), 1) if "begins" in text)
    assert [str(line), "error"] in [row[:2] for row in words(judged)]
    refused = gongctl("profile", "import", "bad.yaml", "--db", "c.db", "--json")
    assert refused.code == Exit.FAILED
    assert checked("profile-import", refused)["imported"] is False
    assert "nothing was imported" in refused.err
    assert Path("c.db").read_bytes() == before
    assert gongctl("profile", "diff", "bad.yaml", "--from", "p.yaml").code == Exit.FAILED
    assert gongctl("profile", "explain", "--profile", "bad.yaml", "--db", "c.db").code == Exit.FAILED


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "--db", "c.db"), Exit.FAILED, "No business profile is active."),
        (("show", "profile_9", "--db", "c.db"), Exit.USAGE, "none is imported"),
        (("activate", "nothing", "--db", "c.db"), Exit.USAGE, "has no profile nothing"),
        (("activate", "a" * 5000, "--db", "c.db"), Exit.USAGE, "has no profile"),
        (("diff", "a" * 5000, "--from", "p.yaml", "--db", "c.db"), Exit.USAGE, "has no profile"),
        (("diff", "profile_1", "--from", "p.yaml"), Exit.USAGE, "Give --db"),
        (("validate", "missing.yaml"), Exit.USAGE, "cannot be read"),
        (("validate", "."), Exit.USAGE, "Is a directory"),
        (("validate", "a" * 5000), Exit.USAGE, "cannot be read"),
        (("validate",), Exit.USAGE, "FILE"),
        (("import", "p.yaml"), Exit.USAGE, "--db"),
        (("import", "p.yaml", "--db", "missing.db"), Exit.CACHE, "There is no cache"),
        (("import", "p.yaml", "--db", "p.yaml"), Exit.CACHE, "not a SQLite database"),
        (("history", "--db", "."), Exit.CACHE, "is a folder"),
        (("explain", "--db", "c.db", "--profile", "profile_7"), Exit.USAGE, "The cache has no profile profile_7"),
        (("explain", "--profile", "builtin", "--call", "nobody", "--db", "c.db"), Exit.USAGE, "no such call"),
        (("explain", "--profile", "builtin", "--sample", "0", "--db", "c.db"), Exit.USAGE, "--sample"),
        (("show", "--format", "xml", "--db", "c.db"), Exit.USAGE, "xml"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_exit_code(
    gongctl: Gongctl, arguments: tuple[str, ...], code: Exit, said: str
) -> None:
    done = gongctl("profile", *arguments)
    assert done.code == code, done.err
    assert said in done.err
    assert done.out == ""


def test_a_hash_that_begins_two_profiles_is_refused(gongctl: Gongctl) -> None:
    gongctl("profile", "import", "p.yaml", "--db", "c.db")
    gongctl("profile", "import", "other.yaml", "--db", "c.db")
    with closing(sqlite3.connect("c.db")) as connection, connection:
        connection.execute("UPDATE profiles SET source_sha256 = 'abcdef' || substr(source_sha256, 7)")
    done = gongctl("profile", "activate", "abcdef", "--db", "c.db")
    assert done.code == Exit.USAGE
    assert "begins the hash of 2 profiles" in done.err
    assert gongctl("profile", "activate", "abcde", "--db", "c.db").code == Exit.USAGE


def test_a_cache_that_was_not_warmed_or_is_of_an_older_schema_says_what_to_run(gongctl: Gongctl) -> None:
    with opened(Path("cold.db")) as writer:
        store(writer, CALLS[:2])
    for command in (("discover",), ("validate", "p.yaml"), ("import", "p.yaml")):
        done = gongctl("profile", *command, "--db", "cold.db")
        assert (done.code, "gongctl cache warm --db cold.db" in done.err) == (Exit.CACHE, True)
    with closing(sqlite3.connect("c.db")) as connection, connection:
        connection.execute("PRAGMA user_version = 1")
        connection.execute("DROP TABLE profiles")
    for command in (("show",), ("history",), ("explain",), ("diff", "p.yaml"), ("discover",), ("import", "p.yaml")):
        done = gongctl("profile", *command, "--db", "c.db")
        assert (done.code, "gongctl cache init --db c.db" in done.err) == (Exit.CACHE, True), command


# --- hostile files --------------------------------------------------------------------------------------------------

HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "binary": bytes(range(256)) * 20,
    "utf-16": PROFILE.encode("utf-16"),
    "bomb": b"a: &a [x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n",
    "deep": b"[" * 50_000,
    "deep map": b"{a: " * 50_000,
    "many keys": b"".join(b"k%d: 1\n" % n for n in range(60_000)),
    "huge": b"version: 1\nname: '" + b"x" * 5_000_000 + b"'\n",
    "tag": b"!!python/object/apply:os.system ['true']\n",
    "two documents": PROFILE.encode() + b"---\n" + PROFILE.encode(),
    "escape": PROFILE.replace("Company lifecycle", '"\\e[31mred\\u202e"').encode(),
    "nul": b"version: 1\0\n",
    "surrogate": PROFILE.replace("Company lifecycle", '"\\uD800"').encode(),
    "list": b"- 1\n- 2\n",
    "number": b"1e999999999\n",
    "big number": PROFILE.replace("order: 10", "order: " + "9" * 5000).encode(),
    "long name": PROFILE.replace("renewal_desk", "r" * 100_000).encode(),
    "long pattern": PROFILE.replace("op: iprefix, value: nego", f"op: regex, value: '{'(a*)*' * 200}'").encode(),
    "look-around": PROFILE.replace("op: iprefix, value: nego", "op: regex, value: '(?=a)\\1'").encode(),
    "unclosed": b"version: [1\n",
    "tab": b"version:\t1\n\tname: x\n",
    "json": b'{"version": 1, "lifecycle": null}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_a_finding_and_changes_nothing(gongctl: Gongctl, name: str) -> None:
    Path("hostile.yaml").write_bytes(HOSTILE[name])
    before = Path("c.db").read_bytes()
    done = gongctl("profile", "validate", "hostile.yaml", "--db", "c.db", "--json")
    assert done.code == Exit.FAILED
    judged = checked("profile-validate", done)
    assert judged["valid"] is False
    assert any(item["severity"] == "error" for item in judged["findings"])
    text = gongctl("profile", "validate", "hostile.yaml", "--db", "c.db")
    assert not set("\x1b\u202e\0") & set(text.out + text.err)
    assert len(text.out) < 100_000
    assert gongctl("profile", "import", "hostile.yaml", "--db", "c.db").code == Exit.FAILED
    assert Path("c.db").read_bytes() == before


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_to_a_profile_is_answered(gongctl: Gongctl, data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 10**6))
    rng = random.Random(seed)
    damaged = bytearray(PROFILE.encode())
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(damaged))
        what = rng.randrange(3)
        if what == 0:
            damaged[at] = rng.randrange(256)
        elif what == 1:
            del damaged[at : at + rng.randrange(1, 40)]
        else:
            damaged[at:at] = bytes(rng.choices(b" \n:-[]{},'\"#&*!|>%@\\\t0aZ\xff", k=rng.randrange(1, 6)))
    Path("damaged.yaml").write_bytes(bytes(damaged))
    done = gongctl("profile", "validate", "damaged.yaml", "--db", "c.db", "--json")
    judged = checked("profile-validate", done)
    assert done.code == (Exit.OK if judged["valid"] else Exit.FAILED)


def test_a_profile_is_read_from_standard_input_and_printed_in_utf8_whatever_the_locale(gongctl: Gongctl) -> None:
    text = PROFILE.replace("Company lifecycle", "Café")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}

    def command(*words: str, talk: str = "") -> subprocess.CompletedProcess[bytes]:
        full = [sys.executable, "-m", "gongctl", "profile", *words, "--db", "c.db"]
        return subprocess.run(full, input=talk.encode(), env=environment, capture_output=True, check=False)

    assert command("import", "-", talk=text).returncode == Exit.OK
    shown = command("show", "--format", "yaml")
    assert shown.stdout.decode("utf-8") == text
    assert gongctl("profile", "history", "--db", "c.db", "--json").code == Exit.OK


# --- docs/profiles.md ------------------------------------------------------------------------------------------------

GUIDE = (ROOT / "docs" / "profiles.md").read_text(encoding="utf-8")


def test_the_guide_lists_every_operator_finding_and_key() -> None:
    operators = re.findall(r"^\| `(\w+)` \| .* \| (?:holds|does not hold) \|$", GUIDE, re.MULTILINE)
    assert operators == list(OPERATORS)
    table = re.findall(r"^\| `(\w+)` \| (error|warn|info) \| (.+) \|$", GUIDE, re.MULTILINE)
    assert {code: (severity, text) for code, severity, text in table} == CODES
    assert [code for code, *_ in table] == list(CODES)
    for keys in (FIELD_KEYS, BUCKET_KEYS, METHODOLOGY_KEYS, OBJECT_KEYS, CALL_FIELDS, GROUP_KEYS):
        assert not [key for key in keys if f"`{key}" not in GUIDE]


def test_the_example_of_the_guide_is_a_profile(gongctl: Gongctl) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    Path("example.yaml").write_text(example, encoding="utf-8")
    done = gongctl("profile", "validate", "example.yaml", "--json")
    assert (done.code, checked("profile-validate", done)["findings"]) == (Exit.OK, [])
    document = read_profile(example)
    assert document.profile is not None
    jsonschema.Draft202012Validator(profile_json_schema()).validate(YAML(typ="safe", pure=True).load(example))
