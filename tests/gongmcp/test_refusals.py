"""Every refusal to start: what it says, how it ends, and that the file it is about stays as it was."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import string
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from gongmcp.approval.digests import digest, policy_parts
from gongmcp.approval.lock import LOCK_VERSION, Lock, lock_text
from gongmcp.approval.shape import Shape
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.kinds import MASKING_VERSION
from gongmcp.governance.scope import narrower_scope
from gongmcp.refusals import REFUSALS, refused
from gongmcp.settings import ServerSettings
from gongmcp.store.cache_file import declared_columns
from gongmcp.store.schema import MODEL_DDL, RAW_DDL, SCHEMA_VERSION
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID
from tests.gongmcp.http.test_http_settings import HTTP_CASES, HTTP_STARTED

ROOT = Path(__file__).parents[2]
DRIFTED = {"lock_policy", "lock_nothing_left"}
"""Refusals of a server that would not serve what was approved."""


def started(*arguments: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the real server with nothing on its input, in *cwd*, without settings but *environ*."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GONGMCP_", "GONGCTL_"))}
    return subprocess.run(
        [sys.executable, "-m", "gongmcp", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=kept | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | environ,
    )


def says(name: str, done: subprocess.CompletedProcess[str]) -> bool:
    """Return whether *done* is the refusal *name*: its sentence with anything in the braces, hint, exit code."""
    row = REFUSALS[name]
    if done.returncode != row.exit or done.stdout:
        return False
    first, *rest = done.stderr.splitlines()
    if len(rest) != bool(row.hint):
        return False
    return _fits(f"gongmcp: {row.message}", first) and (not rest or _fits(f"hint: {row.hint}", rest[0]))


def _fits(template: str, text: str) -> bool:
    for literal, *_ in string.Formatter().parse(template):
        if literal not in text:
            return False
        text = text[text.index(literal) + len(literal) :]
    return True


# Command line, environment, settings file

LOCK = Lock(
    lock_version=LOCK_VERSION,
    approved_at="2026-06-01T00:00:00Z",
    approved_by="nobody",
    preset=None,
    masking_version=0,
    policy=policy_parts(ServerSettings()),
    instructions=digest(""),
    prompts={},
    resources={},
    tools={},
    shape=Shape(),
)
"""A lock that approves nothing, written under another masking."""

TOML = {
    "no_toml.toml": "[tools",
    "unknown.toml": "[tools]\nprest = 'all'",
    "type.toml": "[limits]\nsearch_results = 'x'",
    "db.toml": "[server]\ndb = 'x.db'",
    "later.toml": "[server]\ntransport = 'sse'",
    "list.yaml": "version: 1\nlists: {no_ai: {customers: [{name: Zyxomatic}]}}",
    "list_without.yaml": "version: 1\nlists: {}",
    "transport.toml": "[server]\ntransport = 'pigeon'",
    "reveal.toml": "[review]\nreveal = 'sometimes'",
    "other.json": "{}",
    "newer.json": '{"lock_version": 2}',
    "masked_otherwise.json": lock_text(LOCK),
    "open_to_all.jsonl": "",
    "without_sdk/opentelemetry/sdk/__init__.py": "raise ImportError",
    "empty.json": lock_text(msgspec.structs.replace(LOCK, masking_version=MASKING_VERSION)),
}
SETTINGS_CASES: list[tuple[str, list[str], dict[str, str]]] = [
    ("usage", ["--db", "x.db", "--no-such-flag"], {}),
    ("usage", ["--db", "x.db", "more"], {}),
    ("usage", ["--db", "x.db", "--json"], {}),
    ("usage", ["--db"], {}),
    ("no_cache_given", [], {}),
    ("no_cache_given", ["--db", ""], {}),
    ("preset_unknown", ["--db", "x.db", "--tool-preset", "nobody"], {}),
    ("preset_unknown", ["--db", "x.db", "--tool-preset", ""], {}),
    ("preset_unknown", ["--db", "x.db"], {"GONGMCP_TOOL_PRESET": "nobody"}),
    ("allowlist_empty", ["--db", "x.db", "--tool-allowlist", " , "], {}),
    ("allowlist_unknown", ["--db", "x.db", "--tool-allowlist", "get_call,nobody"], {}),
    ("two_tool_choices", ["--db", "x.db", "--tool-preset", "all", "--tool-allowlist", "get_call"], {}),
    ("two_tool_choices", ["--db", "x.db"], {"GONGMCP_TOOL_PRESET": "all", "GONGMCP_TOOL_ALLOWLIST": "get_call"}),
    ("provenance_unknown", ["--db", "x.db", "--transcript-evidence-provenance", "open"], {}),
    ("switch_unknown", ["--db", "x.db"], {"GONGMCP_POLICY_SWITCHES": "hide_everything"}),
    ("not_a_count", ["--db", "x.db"], {"GONGMCP_MAX_SEARCH_RESULTS": "many"}),
    ("not_a_count", ["--db", "x.db", "--max-crm-fields", "0"], {}),
    ("response_bytes", ["--db", "x.db", "--max-response-bytes", "12"], {}),
    ("tool_timeout", ["--db", "x.db", "--tool-timeout", "0"], {}),
    ("tool_timeout", ["--db", "x.db"], {"GONGMCP_TOOL_TIMEOUT": "soon"}),
    ("environment_unknown", ["--db", "x.db"], {"GONGMCP_POLICY_SWITCH": "hide_call_titles"}),
    ("not_a_truth", ["--db", "x.db"], {"GONGMCP_MASK_PARTICIPANTS": "perhaps"}),
    ("evidence_percent", ["--db", "x.db", "--evidence-percent", "101"], {}),
    ("restricted_list", ["--db", "x.db"], {"GONGMCP_AI_GOVERNANCE_CONFIG": "list_without.yaml"}),
    ("topic_packs", ["--db", "x.db", "--business-topic-packs-config", "no_packs.yaml"], {}),
    ("governance_needs_tools", ["--db", "x.db", "--ai-governance-config", "list.yaml"], {}),
    ("lock_mode", ["--db", "x.db", "--lock", "empty.json", "--lock-mode", "relax"], {}),
    ("lock_mode_alone", ["--db", "x.db"], {"GONGMCP_LOCK_MODE": "warn"}),
    ("lock_unreadable", ["--db", "x.db", "--lock", "none.json"], {}),
    ("lock_invalid", ["--db", "x.db", "--lock", "other.json"], {}),
    ("lock_invalid", ["--db", "x.db"], {"GONGMCP_LOCK": "no_toml.toml"}),
    ("lock_version", ["--db", "x.db", "--lock", "newer.json"], {}),
    ("lock_policy", ["--db", "x.db", "--lock", "masked_otherwise.json", "--lock-mode", "warn"], {}),
    ("lock_nothing_left", ["--db", "x.db", "--lock", "empty.json"], {}),
    ("audit_alone", ["--db", "x.db", "--audit-arguments", "key"], {}),
    ("audit_alone", ["--db", "x.db"], {"GONGMCP_AUDIT_MAX_BYTES": "1000000"}),
    ("audit_bytes", ["--db", "x.db", "--audit", "a.jsonl", "--audit-max-bytes", "1000"], {}),
    ("audit_unwritable", ["--db", "x.db", "--audit", "no/such/folder/a.jsonl"], {}),
    ("audit_unwritable", ["--db", "x.db"], {"GONGMCP_AUDIT": "."}),
    ("audit_unwritable", ["--db", "x.db", "--audit", "open_to_all.jsonl"], {}),
    ("audit_key", ["--db", "x.db", "--audit", "a.jsonl", "--audit-arguments", "none.key"], {}),
    ("audit_key", ["--db", "x.db", "--audit", "a.jsonl", "--audit-arguments", "other.json"], {}),
    ("otel_missing", ["--db", "x.db", "--otel-file", "spans.jsonl"], {"PYTHONPATH": f"without_sdk{os.pathsep}{ROOT}"}),
    ("otel_unwritable", ["--db", "x.db", "--otel-file", "no/such/folder/spans.jsonl"], {}),
    ("file_unreadable", ["--db", "x.db", "--config", "none.toml"], {}),
    ("file_not_toml", ["--db", "x.db", "--config", "no_toml.toml"], {}),
    ("file_unknown_key", ["--db", "x.db", "--config", "unknown.toml"], {}),
    ("file_wrong_type", ["--db", "x.db", "--config", "type.toml"], {}),
    ("file_names_the_cache", ["--db", "x.db", "--config", "db.toml"], {}),
    ("file_later", ["--db", "x.db", "--config", "later.toml"], {}),
    ("file_transport", ["--db", "x.db", "--config", "transport.toml"], {}),
    ("file_reveal", ["--db", "x.db", "--config", "reveal.toml"], {}),
]


@pytest.mark.parametrize(("name", "arguments", "environ"), SETTINGS_CASES)
def test_settings_are_refused_before_the_cache_is_looked_at(
    name: str, arguments: list[str], environ: dict[str, str], tmp_path: Path
) -> None:
    for file, text in TOML.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
        (tmp_path / file).chmod(0o644)
    done = started(*arguments, cwd=tmp_path, **environ)
    assert says(name, done), done
    assert REFUSALS[name].exit is (Exit.DRIFT if name in DRIFTED else Exit.USAGE)
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == TOML.keys()


# The cache file

Spoil = Callable[[Path], None]


def _sql(*statements: str) -> Spoil:
    def spoil(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    return spoil


def _foreign(path: Path) -> None:
    path.unlink()
    _sql("CREATE TABLE notes (text TEXT)")(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:4096] = bytes(4096 - 100)  # the root page of the list of tables
    path.write_bytes(data)


def _truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:64])


def _bytes(data: bytes) -> Spoil:
    def spoil(path: Path) -> None:
        path.write_bytes(data)

    return spoil


def _unreadable(path: Path) -> None:
    # A loop of links cannot be read by anybody, whoever runs the tests; permissions do not stop root.
    path.unlink()
    path.symlink_to(path.name)


CACHE_CASES: list[tuple[str, str, Spoil]] = [
    ("cache_missing", "missing", Path.unlink),
    ("cache_no_file", "a folder", _folder),
    ("cache_empty", "0 bytes", _bytes(b"")),
    ("cache_no_database", "text", _bytes(b"call notes\n" * 50)),
    ("cache_foreign", "another application's", _foreign),
    ("cache_is_vcon_store", "a vCon store", _sql(f"PRAGMA application_id = {VCON_APPLICATION_ID}")),
    ("cache_truncated", "half of it", _truncated),
    ("cache_truncated", "a few bytes", _short),
    ("cache_damaged", "a page of zeros", _damaged),
    ("cache_older", "version lowered by one", _sql(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")),
    ("cache_older", "version 0", _sql("PRAGMA user_version = 0")),
    ("cache_newer", "version raised by one", _sql(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")),
    ("cache_incomplete", "a column removed", _sql("ALTER TABLE segments DROP COLUMN end_ms")),
    ("cache_incomplete", "another column removed", _sql("ALTER TABLE parties DROP COLUMN job_title")),
    ("cache_incomplete", "a table removed", _sql("DROP TABLE counters")),
    (
        "cache_governed",
        "a read model of a restricted list",
        _sql("UPDATE read_model SET digest = 'x', restricted = 'y'"),
    ),
    ("cache_not_warmed", "no read model", _sql("DELETE FROM read_model")),
    ("cache_not_warmed", "a read model half built", _sql("UPDATE read_model SET complete = 0")),
    ("cache_not_warmed", "a read model of other rules", _sql("UPDATE read_model SET digest = 'other'")),
]


def state(folder: Path) -> dict[str, str]:
    """Return what is in *folder*: names and digests."""
    return {
        path.name: "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }


@pytest.mark.parametrize(
    ("name", "spoil"), [(name, spoil) for name, _, spoil in CACHE_CASES], ids=[c[1] for c in CACHE_CASES]
)
def test_a_cache_that_cannot_be_served_is_refused_and_left_alone(
    name: str, spoil: Spoil, tmp_path: Path, sample_cache: Path
) -> None:
    db = tmp_path / "secret-customer" / "cache.db"
    db.parent.mkdir()
    shutil.copy(sample_cache, db)
    spoil(db)
    before = state(db.parent)
    done = started("--db", str(db), cwd=tmp_path)
    assert says(name, done), done
    assert done.returncode == Exit.CACHE
    assert state(db.parent) == before, "nothing is created and no byte changes"
    assert str(tmp_path) not in done.stderr
    assert "secret-customer" not in done.stderr


def test_a_cache_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    db = tmp_path / "cache.db"
    db.touch()
    _unreadable(db)
    done = started("--db", str(db), cwd=tmp_path)
    assert done.returncode == Exit.CACHE
    assert says("cache_missing", done) or says("cache_unreadable", done), done


def test_a_left_over_log_in_a_read_only_folder_is_named(sample_cache: Path, tmp_path: Path) -> None:
    from gongmcp.errors import StartupRefusal
    from gongmcp.store.cache_file import check_cache_file

    def refusing(_path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    with pytest.raises(StartupRefusal) as caught:
        check_cache_file(sample_cache, refusing)
    assert caught.value.name == "cache_log_left"
    assert caught.value.exit_code is Exit.CACHE


def test_the_sentences_of_bad_files_can_be_told_apart() -> None:
    named = [name for name in REFUSALS if name.startswith("cache_")]
    assert len({REFUSALS[name].message for name in named}) == len(named)


def test_the_explicit_command_mends_a_lowered_copy(sample_cache: Path, tmp_path: Path) -> None:
    db = tmp_path / "cache.db"
    shutil.copy(sample_cache, db)
    _sql(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")(db)
    refusal = started("--db", "cache.db", cwd=tmp_path)
    assert "Run: gongctl cache init --db DB." in refusal.stderr
    command = [sys.executable, "-m", "gongctl", "cache", "init", "--db", "cache.db"]
    mended = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, check=False
    )
    assert mended.returncode == 0, mended.stderr
    served = started("--db", "cache.db", cwd=tmp_path)
    assert served.returncode == 0, served.stderr


def test_the_control_starts(sample_cache: Path, tmp_path: Path) -> None:
    """Without anything wrong the same command lines serve: the refusals above come from what was spoilt."""
    db = tmp_path / "cache.db"
    shutil.copy(sample_cache, db)
    before = state(tmp_path)
    done = started("--db", "cache.db", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert state(tmp_path) == before


# The list itself

UNREACHABLE_BY_ROOT = {"cache_unreadable", "cache_log_left"}
"""Tested above without a process, or by whichever of two sentences the system gives."""
OF_A_TOKEN = {"scope_of_token"}
"""No start of a server says it: a token of that kind is not valid, and is not minted."""


@pytest.mark.parametrize("table", [{}, {"calls": ["1"]}, "external"], ids=str)
def test_a_scope_of_a_token_that_is_not_known(table: object) -> None:
    with pytest.raises(StartupRefusal) as caught:
        narrower_scope(table)
    assert caught.value.name == "scope_of_token"
    assert "deny_languages" in caught.value.hint


def test_every_refusal_has_its_case() -> None:
    tested = {name for name, *_ in SETTINGS_CASES} | {name for name, *_ in CACHE_CASES} | UNREACHABLE_BY_ROOT
    tested |= {name for name, *_ in HTTP_CASES} | HTTP_STARTED | OF_A_TOKEN
    assert tested == REFUSALS.keys()


def test_every_sentence_is_one() -> None:
    for name, row in REFUSALS.items():
        if name == "usage":
            continue
        assert row.message.endswith("."), name
        assert row.exit in (Exit.USAGE, Exit.CACHE, Exit.DRIFT), name
        assert (row.exit is Exit.DRIFT) == (name in DRIFTED), name
        assert (row.exit is Exit.CACHE) == name.startswith("cache_"), name


def test_details_that_a_sentence_needs_must_be_given() -> None:
    with pytest.raises(KeyError):
        refused("preset_unknown")
    with pytest.raises(KeyError):
        refused("nobody")


def test_the_declared_columns_are_those_that_sqlite_makes() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(RAW_DDL + MODEL_DDL)
        listed = connection.execute("SELECT name FROM pragma_table_list WHERE type IN ('table', 'virtual')")
        tables = [row[0] for row in listed if not row[0].startswith("sqlite_")]
        made = {
            table: {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
            for table in tables
        }
    assert declared_columns() == made
