"""A token's scope: its answers are those of a server whose settings have that scope, and nothing of the rest shows."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongctl import sample
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.tokens.book import Wanted, mint
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.policy import Policy
from gongmcp.governance.scope import FACTS, Scope, narrower_scope
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.http_settings import HttpSettings
from gongmcp.identity.narrowing import Narrowing
from gongmcp.settings import ServerSettings
from gongmcp.settings_file import read_settings_file
from gongmcp.store.connection import StorePool
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.narrowed import CLOSED, NEUTRAL, VIEWS
from gongmcp.store.schema import MODEL_DDL, RAW_TABLES
from gongmcp.store.vcon_schema import VCON_DDL, VCON_TABLES
from tests.gongctl.governance.governed import UNLIMITED, argument_sets, values_of
from tests.gongctl.governance.test_differential import told
from tests.gongctl.profile_cache import PROFILE, build, make_calls
from tests.gongmcp.conftest import build_cache
from tests.gongmcp.http.door import answer_of, door

SCOPES: tuple[dict[str, Any], ...] = (
    {"from_date": "2026-02-20", "deny_lifecycle_buckets": ["renewal"]},
    {"lifecycle_buckets": ["renewal", "Upsell_Expansion"], "to_date": "2026-06-01"},
    {"deny_scopes": ["internal"], "languages": ["ENG"], "private_calls": "deny"},
)
OUTBOUND: dict[str, Any] = {"deny_scopes": ["internal"]}
NOT_READ = ("crm_value", "object_id")
"""Counters that only warm reads."""


def warmed_in(cache: Path, table: Mapping[str, Any], target: Path) -> tuple[Path, ServerSettings]:
    """Copy *cache* and warm the copy in the scope *table*; returns it with the settings that have that scope."""
    file = target.with_suffix(".toml")
    file.write_text("[scope]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()))
    settings = ServerSettings.resolve(UNLIMITED, {}, read_settings_file(file))
    shutil.copy(cache, target)
    with CacheWriter.open(target) as writer:
        warm(writer, rules=settings.model_rules(), ungoverned=True)
    return target, settings


def narrowed(cache: Path, table: Mapping[str, Any], **flags: str) -> ToolHandler:
    """Return the handler of a client whose token says *table*."""
    served = build_handler(ServerSettings.resolve({**UNLIMITED, **flags}, {}), cache)
    return served.under(Narrowing(scope=narrower_scope(table)).of(served.policy))


@pytest.fixture(scope="module")
def caches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample, and calls with a profile."""
    folder = tmp_path_factory.mktemp("scopes")
    return {
        "sample": build_cache(folder / "sample.db", sample.files()),
        "profiles": build(folder / "profiles.db", make_calls(60), PROFILE),
    }


def differing(one: ToolHandler, other: ToolHandler, cache: Path, count: int, step: int = 1) -> list[str]:
    """Return the tools, of every *step*-th, that two handlers answer in different ways."""
    values = values_of(cache)
    return [
        info.name
        for info in one.tools()[::step]
        for arguments in argument_sets(info.name, one, values, count)
        if told(one.answer(info.name, dict(arguments))) != told(other.answer(info.name, dict(arguments)))
    ]


def test_the_answers_are_those_of_a_server_of_that_scope(caches: dict[str, Path], tmp_path: Path) -> None:
    cache, settings = warmed_in(caches["sample"], SCOPES[0], tmp_path / "s.db")
    token, server = narrowed(caches["sample"], SCOPES[0]), build_handler(settings, cache)
    assert 0 < token.freshness()["calls"] < 9
    assert token.freshness() == server.freshness()
    assert token.instructions() == server.instructions()
    # Every second tool; docs/seen/token_scope.py asks them all, and more of each.
    assert differing(token, server, caches["sample"], 1, step=2) == []
    opened = build_handler(ServerSettings.resolve(UNLIMITED, {}), caches["sample"])
    control = differing(opened, server, caches["sample"], 1, step=8)
    assert len(set(control)) > 2, "without the scope the answers are others"


def rows_of(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    sql = f"SELECT * FROM {table}"
    if table == "counters":
        sql += f" WHERE counter NOT IN {NOT_READ}"
    if table.endswith("_fts"):
        sql = f"SELECT rowid FROM {table} WHERE {table} MATCH 'the OR and OR Renewal OR Technology'"
    return sorted((tuple(row) for row in connection.execute(sql)), key=repr)


@pytest.mark.parametrize(
    ("name", "table"),
    [("sample", SCOPES[0]), ("sample", SCOPES[1]), ("profiles", SCOPES[1]), ("profiles", OUTBOUND)],
    ids=["dates", "buckets", "profile", "profile-denied"],
)
def test_every_table_holds_what_it_holds_in_a_cache_of_that_scope(
    name: str, table: dict[str, Any], caches: dict[str, Path], tmp_path: Path
) -> None:
    cache, _ = warmed_in(caches[name], table, tmp_path / "s.db")
    pool = StorePool(caches[name]).narrowed_to(narrower_scope(table), CrmNames.default())
    with (
        closing(sqlite3.connect(cache)) as plain,
        closing(sqlite3.connect(caches[name])) as whole,
        pool.store_scope() as s,
    ):
        seen = s._connection
        differ = {of for of in VIEWS if rows_of(whole, of) != rows_of(plain, of)}
        for of in VIEWS:
            assert rows_of(seen, of) == rows_of(plain, of), of
    pool.close()
    assert {"call_facts", "segments", "counters"} <= differ, "the control: the scope takes something away"


def test_every_table_is_narrowed_neutral_or_closed(caches: dict[str, Path]) -> None:
    made = set(re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", MODEL_DDL + VCON_DDL))
    vcons = {*VCON_TABLES, "vcons_fts", "vcon_parties_fts", "vcon_texts_fts"}
    assert made <= VIEWS | NEUTRAL | CLOSED | vcons, "a new table: does it say something of calls?"
    pool = StorePool(caches["sample"]).narrowed_to(narrower_scope(SCOPES[0]), CrmNames.default())
    whole = ("main.call_facts", "main.segments", "main.counters", "dbstat", "sqlite_stat1")
    with pool.store_scope() as store:
        for table in (*vcons, *RAW_TABLES, *CLOSED, *whole):
            with pytest.raises(sqlite3.Error, match=r"prohibited|not authorized|no such table|constructor failed"):
                store.rows(f"SELECT * FROM {table}")
            with pytest.raises(sqlite3.Error, match=r"prohibited|not authorized|no such table|constructor failed"):
                store.rows(f"WITH named AS (SELECT *, 1 AS one FROM {table}) SELECT * FROM named")
        with pytest.raises(sqlite3.Error, match="bm25"):
            store.rows("SELECT bm25(segments_fts) FROM segments_fts WHERE segments_fts MATCH 'the'")
        assert store.rows("SELECT call_id FROM call_facts"), "the control: what is asked by its name is answered"
    pool.close()


def test_no_query_asks_for_a_table_behind_the_views() -> None:
    folder = Path(__file__).parents[3] / "gongmcp"
    sources = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.py")}
    asking = {name for name, text in sources.items() if re.search(r"(?:FROM|JOIN) (?:main|temp)\.", text)}
    assert asking == {"store/narrowed.py"}


@pytest.mark.parametrize("key", FACTS)
def test_a_scope_in_sql_takes_what_the_scope_of_the_settings_takes(
    key: str, caches: dict[str, Path], tmp_path: Path
) -> None:
    odd = ["Stra\u00dfe", "strasse", "\u212aelvin", "k'elvin; --", "", "ENG", "\u0130stanbul"]
    shutil.copy(caches["sample"], tmp_path / "odd.db")
    with closing(sqlite3.connect(tmp_path / "odd.db")) as connection:
        numbers = [number for (number,) in connection.execute("SELECT call_no FROM call_facts ORDER BY call_no")]
        for number, value in zip(numbers, odd, strict=False):
            connection.execute(f"UPDATE call_facts SET {FACTS[key]} = ? WHERE call_no = ?", (value, number))
        connection.commit()
        connection.row_factory = sqlite3.Row
        facts = connection.execute("SELECT * FROM call_facts").fetchall()
    for sign in ("", "deny_"):
        for value in (value for value in odd if value):
            scope = Scope(True, **{("deny" if sign else "allow"): ((key, frozenset({value.casefold()})),)})
            kept = {row["call_id"] for row in facts if scope.excludes(dict(row)) is None}
            pool = StorePool(tmp_path / "odd.db").narrowed_to(scope, CrmNames.default())
            with pool.store_scope() as store:
                assert {row[0] for row in store.rows("SELECT call_id FROM call_facts")} == kept, (sign, value)
            pool.close()
            assert len(kept) not in (0, len(facts))


BAD = (
    *({}, [], "eng", None, 1, {"languages": []}, {"languages": "eng"}, {"languages": [1]}, {"languages": [" "]}),
    *({"language": ["eng"]}, {"from_date": "2026-2-1"}, {"from_date": 20260201}, {"scopes": ["Everything"]}),
    *({"private_calls": "allow"}, {"private_calls": True}, {"from_date": "2026-03-01", "to_date": "2026-02-01"}),
    *({"lifecycle_buckets": ["any"]}, {"workspaces": ["a\x00b"]}, {"purposes": ["x" * 201]}, {"to_date": ""}),
)


@pytest.mark.parametrize("table", BAD, ids=repr)
def test_what_is_malformed_or_would_widen_is_no_scope(table: Any) -> None:
    with pytest.raises(StartupRefusal):
        narrower_scope(table)


def test_a_scope_never_gives_back_what_the_server_leaves_out(caches: dict[str, Path], tmp_path: Path) -> None:
    cache, settings = warmed_in(caches["sample"], {"from_date": "2026-04-01"}, tmp_path / "s.db")
    served = build_handler(settings, cache)
    wider = served.under(Narrowing(scope=narrower_scope({"from_date": "2020-01-01"})).of(served.policy))
    assert wider.freshness()["calls"] == served.freshness()["calls"] < 9
    with pytest.raises(ValueError, match="cannot be narrowed"):
        wider.under(Narrowing(scope=narrower_scope({"to_date": "2026-01-01"})).of(Policy()))


def test_a_client_of_a_narrower_scope_follows_the_cache(caches: dict[str, Path], tmp_path: Path) -> None:
    there = shutil.copy(caches["sample"], tmp_path / "served.db")
    handler = narrowed(there, SCOPES[0])
    before = handler.call("get_sync_status", {})
    assert before.code == "ok"
    there.rename(tmp_path / "away.db")
    assert handler.call("get_sync_status", {}).code == "cache_not_ready"
    other, _ = warmed_in(caches["profiles"], {"private_calls": "deny"}, tmp_path / "other.db")
    other.rename(there)
    after = handler.call("get_sync_status", {})
    assert (after.code, after.answer.structured != before.answer.structured) == ("ok", True)
    assert after.answer.structured is not None
    own = narrowed(there, SCOPES[0]).call("get_sync_status", {}).answer.structured
    assert after.answer.structured == own, "the other file is read in the same scope"
    handler.close()


async def test_two_tokens_over_http_see_their_own_calls(caches: dict[str, Path], tmp_path: Path) -> None:
    pats = tmp_path / "pats"
    late = mint(pats, Wanted("late", None, scope={"from_date": "2026-04-01"}))[1]
    early = mint(pats, Wanted("early", None, scope={"to_date": "2026-03-31"}))[1]
    every = mint(pats, Wanted("all", None))[1]
    flags = {**UNLIMITED, "tool_preset": "all", "provenance": "raw"}
    async with door(HttpSettings(access_tokens=pats, http_rate=1_000_000), cache=caches["sample"], flags=flags) as app:

        async def ask(token: str, method: str, **params: Any) -> dict[str, Any]:
            return answer_of(await app.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, token))

        async def run(token: str, tool: str, **arguments: Any) -> dict[str, Any]:
            return dict((await ask(token, "tools/call", name=tool, arguments=arguments))["result"])

        async def calls(token: str) -> set[str]:
            found = await run(token, "search_calls", limit=50, include_call_ids=True)
            return {row["call_ref"] for row in found["structuredContent"]["results"]}

        seen = {token: await calls(token) for token in (late, early, every)}
        assert seen[late] | seen[early] == seen[every]
        assert seen[late]
        assert seen[early]
        assert not seen[late] & seen[early]
        for token in (late, early, every):
            status = json.loads(
                (await ask(token, "resources/read", uri="gong://status"))["result"]["contents"][0]["text"]
            )
            assert status["total_calls"] == len(seen[token])
        hidden = min(seen[early])
        outside = await run(late, "get_call", call_ref=hidden)
        unknown = await run(late, "get_call", call_ref="call_0000000000000000")
        assert outside["structuredContent"] == unknown["structuredContent"]
        assert (await run(every, "get_call", call_ref=hidden))["structuredContent"]["status"] == "ok"
        there = {"type": "ref/resource", "uri": "gong://calls/{call_ref}"}
        completed = {
            token: set(
                (await ask(token, "completion/complete", ref=there, argument={"name": "call_ref", "value": "call_"}))[
                    "result"
                ]["completion"]["values"]
            )
            for token in (late, every)
        }
        assert completed == {late: seen[late], every: seen[every]}
        page = (await run(every, "search_calls", limit=1))["structuredContent"]
        same = await run(every, "search_calls", limit=1, cursor=page["next_cursor"])
        other = await run(late, "search_calls", limit=1, cursor=page["next_cursor"])
        assert "isError" not in same or not same["isError"]
        assert other["_meta"]["gongctl/error"]["code"] == "invalid_cursor"
        digests = {record.asker.client.label: record.policy.digest() for record in app.witness.calls}
        assert len(set(digests.values())) == 3, "the audit log tells the scopes apart"


def test_a_client_of_a_narrower_scope_has_no_vcon_tools(caches: dict[str, Path]) -> None:
    settings = ServerSettings.resolve({**UNLIMITED, "toolset": "all", "tool_preset": "all-readonly"}, {})
    served = build_handler(settings, caches["sample"])
    less = served.under(Narrowing(scope=narrower_scope(SCOPES[0])).of(served.policy))
    own = {info.name for info in served.tools()} - {info.name for info in less.tools()}
    assert any(name.startswith("vcon_") for name in own)
    assert not any("vcon" in info.name for info in less.tools())
    assert "vCons" not in less.instructions()
