"""What the TUI learns of governance through ``CacheOperations``, on the bundled sample."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gongctl.cli import tui_cmd
from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.operations import CacheOperations
from gongctl.cli.root import run
from gongctl.governance import report
from gongctl.governance.calls import CallPayloads, payloads_of, secret_of
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.aliases import call_ref
from gongmcp.settings import ServerSettings
from tests.gongctl.governance.governed import write_list
from tests.gongctl.governance.plain_recount import mentions
from tui.app import PreflightApp

UNSEEN = {"name": "Zephyrine Quillworks"}


def unseen(done: int, total: int) -> None:
    """Look at no progress."""


def never() -> bool:
    """Never stop."""
    return False


def payload_texts(db: Path) -> dict[str, str]:
    """The stored payloads of each call as one text."""
    from gongctl.cache.deriver import decode_payload

    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute(
            "SELECT c.call_id, c.payload, t.payload FROM raw_calls AS c"
            " LEFT JOIN raw_transcripts AS t ON t.call_id = c.call_id"
        ).fetchall()
    return {
        call_id: " ".join(json.dumps(decode_payload(part), ensure_ascii=False) for part in parts if part is not None)
        for call_id, *parts in rows
    }


def company(db: Path) -> str:
    """A company whose name a few calls of the sample hold, but not all."""
    with closing(sqlite3.connect(db)) as connection:
        names = [
            name
            for (name,) in connection.execute(
                "SELECT DISTINCT name FROM crm_objects WHERE object_type = 'Account' AND name <> '' ORDER BY name"
            )
        ]
    texts = payload_texts(db)
    return next(name for name in names if 0 < sum(mentions(name, text) for text in texts.values()) < len(texts))


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("governed") / "sample.db"
    build_sample(path)
    return path


@pytest.fixture(scope="module")
def name(db: Path) -> str:
    return company(db)


@pytest.fixture(scope="module")
def listed(db: Path, name: str) -> Path:
    return write_list(db.with_name("list.yaml"), UNSEEN, {"name": name})


@pytest.fixture(scope="module")
def settings(listed: Path) -> ServerSettings:
    return ServerSettings.resolve({"ai_governance_config": str(listed)}, {})


@pytest.fixture(scope="module")
def warmed(db: Path, settings: ServerSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same cache, warmed with the list."""
    path = tmp_path_factory.mktemp("warmed") / "sample.db"
    with closing(sqlite3.connect(db)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    CacheOperations(path, settings).warm(unseen, never)
    return path


def test_without_a_list_the_scope_alone_is_counted(db: Path) -> None:
    view = CacheOperations(db).governance()
    assert (view.list_name, view.customers, view.state, view.next) == ("", 0, "fresh", "")
    assert view.restricted == view.unmatched == ()
    assert [item.rule for item in view.scope] == ["scope.private_calls"]
    assert view.outside == sum(item.calls for item in view.scope)


def test_a_list_that_was_not_judged_counts_nothing_and_says_what_to_run(
    db: Path, listed: Path, settings: ServerSettings
) -> None:
    view = CacheOperations(db, settings, config=Path("my settings.toml")).governance()
    assert (view.list_name, view.customers, view.state) == ("list.yaml", 2, "missing")
    assert view.served == 0
    assert view.calls > 0
    assert view.scope == view.restricted == view.unmatched == ()
    command = f"gongctl cache warm --db {db} --config 'my settings.toml' --ai-governance-config {listed}"
    assert view.next == command


def test_the_judged_list_is_counted_by_customer_and_place(warmed: Path, settings: ServerSettings, name: str) -> None:
    view = CacheOperations(warmed, settings).governance()
    naming = {call_id for call_id, text in payload_texts(warmed).items() if mentions(name, text)}
    counts = {item.rule: item for item in view.restricted}
    assert (view.state, set(counts)) == ("fresh", {name, UNSEEN["name"]})
    assert counts[name].calls == len(naming)
    assert counts[name].where
    assert all(0 < count <= len(naming) for _, count in counts[name].where)
    assert view.unmatched == (UNSEEN["name"],)
    with closing(sqlite3.connect(warmed)) as connection:
        assert view.served == connection.execute("SELECT count(*) FROM call_facts").fetchone()[0]


def test_a_call_is_found_by_id_and_by_alias_and_quoted(warmed: Path, settings: ServerSettings, name: str) -> None:
    operations = CacheOperations(warmed, settings)
    texts = payload_texts(warmed)
    out = next(call_id for call_id, text in sorted(texts.items()) if mentions(name, text))
    with closing(sqlite3.connect(warmed)) as connection:
        alias = call_ref(secret_of(connection), out)
        served = connection.execute("SELECT call_id FROM call_facts LIMIT 1").fetchone()[0]
    verdict = operations.call_verdict(out)
    assert verdict == operations.call_verdict(alias)
    assert verdict is not None
    assert (verdict.call_id, verdict.served, verdict.rule) == (out, False, name)
    assert verdict.source
    assert "[" in verdict.excerpt
    kept = operations.call_verdict(served)
    assert kept is not None
    assert (kept.served, kept.rule, kept.source, kept.excerpt) == (True, "", "", "")
    assert operations.call_verdict("call_nobody") is None


def test_a_tightened_file_is_the_list_that_counts(warmed: Path, listed: Path, settings: ServerSettings) -> None:
    operations = CacheOperations(warmed, settings)
    before = listed.read_text(encoding="utf-8")
    try:
        write_list(listed, *json.loads(before)["lists"]["no_ai"]["customers"], {"name": "Another Quillworks"})
        assert (operations.governance().customers, operations.governance().state) == (3, "missing")
    finally:
        listed.write_text(before, encoding="utf-8")
    assert operations.governance().state == "fresh"


def test_the_suppressed_calls_are_read_once_until_the_cache_changes(
    warmed: Path, settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def payloads(connection: sqlite3.Connection, call_id: str) -> CallPayloads:
        read.append(call_id)
        return payloads_of(connection, call_id)

    monkeypatch.setattr(report, "payloads_of", payloads)
    operations = CacheOperations(warmed, settings)
    first = operations.governance()
    assert read
    assert len(read) == len(set(read))
    count = len(read)
    assert operations.governance() == first
    assert len(read) == count
    with closing(sqlite3.connect(warmed)) as connection, connection:
        connection.execute("UPDATE read_model SET generation = generation + 1")
    assert operations.governance() == first
    assert len(read) == 2 * count


def test_restricted_mode_names_nobody_and_looks_into_no_call(warmed: Path, settings: ServerSettings, name: str) -> None:
    operations = CacheOperations(warmed, settings, restricted=True)
    view = operations.governance()
    assert name not in repr(view)
    assert UNSEEN["name"] not in repr(view)
    assert view.unmatched == ("no_ai, customer 1 (line 1)",)
    assert [item.calls for item in view.restricted if item.calls]
    with pytest.raises(StartupRefusal, match="Restricted mode"):
        operations.call_verdict("call_any")


def test_a_cache_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StartupRefusal):
        CacheOperations(tmp_path / "gone.db").governance()


@pytest.mark.parametrize(
    ("words", "restricted"),
    [
        (["tui"], False),
        (["--restricted", "tui"], True),
        (["--restricted", "--allow-sensitive-export", "tui"], False),
        (["--restricted", "tui", "--allow-sensitive-export"], False),
    ],
)
def test_the_preview_learns_of_restricted_mode(
    warmed: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], restricted: bool
) -> None:
    seen: list[tuple[bool, bool]] = []

    def start(app: PreflightApp) -> None:
        operations = app._operations
        assert isinstance(operations, CacheOperations)
        seen.append((app._restricted, operations._restricted))

    monkeypatch.setattr(tui_cmd, "interactive", lambda: True)
    monkeypatch.setattr(PreflightApp, "run", start)
    assert run([*words, "--db", str(warmed)]) == 0
    assert seen == [(restricted, restricted)]
