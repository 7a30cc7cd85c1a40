"""``gongctl vcon serve --http`` as a process, over real sockets: who is let in, how often, and to which tools."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongctl.tokens.book import Wanted, mint, revoke
from gongctl.vcon.store import VconStore
from gongmcp.errors import Exit, StartupRefusal
from tests.gongctl.vcon.corpus import FIRST, make_store
from tests.gongmcp.http.door import ACCEPT, answer_of
from tests.gongmcp.http.http_process import HttpProcess

SERVE = ("-c", "import sys; from gongctl.cli.root import run; sys.exit(run(['vcon', 'serve', *sys.argv[1:]]))")
NARROWED: Mapping[str, Mapping[str, Any]] = {
    "whole": {},
    "reader": {"profile": "readonly"},
    "counter": {"categories": ("analytics", "write")},
    "both": {"profile": "user", "categories": ("write", "infra")},
    "public": {"profile": "public"},
    "of-calls": {"preset": "analyst-core"},
    "switched": {"switches": ("hide_call_titles",), "profile": "full"},
    "quick": {},
}


@dataclass
class Served:
    """A running server: its *process*, its store, and a token for each narrowing."""

    process: HttpProcess
    db: Path
    book: Path
    tokens: dict[str, str]
    http: httpx2.Client

    def post(self, token: str | None, method: str, **params: Any) -> httpx2.Response:
        bearer = {} if token is None else {"authorization": f"Bearer {token}"}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.http.post(self.process.url, json=message, headers={**ACCEPT, **bearer})

    def call(self, who: str, tool: str, **arguments: Any) -> dict[str, Any]:
        return answer_of(self.post(self.tokens[who], "tools/call", name=tool, arguments=arguments))

    def structured(self, who: str, tool: str, **arguments: Any) -> dict[str, Any]:
        found = self.call(who, tool, **arguments)["result"]["structuredContent"]
        assert isinstance(found, dict)
        return found

    def tools(self, who: str) -> dict[str, bool]:
        """Return by name whether a tool reads only."""
        found: dict[str, bool] = {}
        cursor: str | None = None
        while True:
            params = {} if cursor is None else {"cursor": cursor}
            page = answer_of(self.post(self.tokens[who], "tools/list", **params))["result"]
            found |= {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in page["tools"]}
            if (cursor := page.get("nextCursor")) is None:
                return found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("vcon-http")
    db = make_store(folder / "store.db", 3)
    book = folder / "tokens.json"
    tokens = {name: mint(book, Wanted(name, None, **narrowed))[1] for name, narrowed in NARROWED.items()}
    flags = ("--db", str(db), "--access-tokens", str(book))
    env = {"PATH": os.environ["PATH"], "GONGMCP_HTTP_RATE": "1000000"}
    with HttpProcess(*flags, env=env, rate=None, module=SERVE) as process, httpx2.Client(timeout=60) as http:
        yield Served(process, db, book, tokens, http)
    assert "Traceback" not in process.said


def test_nobody_is_let_in_without_a_token(served: Served) -> None:
    for token in (None, "wrong", served.tokens["whole"][:-1] + "_", "gmcp_pat_aaaaaaaaaa_" + "a" * 43):
        refused = served.post(token, "tools/list")
        assert refused.status_code == 401
        assert "vcon" not in refused.text
    assert served.post(served.tokens["whole"], "tools/list").status_code == 200


def test_a_client_writes_reads_and_deletes(served: Served) -> None:
    made = served.structured("whole", "create_vcon", vcon_data={"parties": [{"name": "Agent Adams"}]})
    assert made["success"] is True
    added = served.structured("whole", "add_party", vcon_uuid=made["uuid"], party={"name": "Caller Cole"})
    assert added["party_index"] == 1
    with VconStore.open(served.db) as store:
        assert [party["name"] for party in (store.get(made["uuid"]) or {})["parties"]] == ["Agent Adams", "Caller Cole"]
    assert served.structured("whole", "delete_vcon", uuid=made["uuid"], confirm=False)["success"] is False
    assert served.structured("whole", "delete_vcon", uuid=made["uuid"], confirm=True)["deleted_uuid"] == made["uuid"]
    with VconStore.open(served.db) as store:
        assert store.get(made["uuid"]) is None


def test_a_token_has_less_tools_never_more(served: Served) -> None:
    whole = served.tools("whole")
    assert (len(whole), sum(not reads for reads in whole.values())) == (46, 18)
    reader = served.tools("reader")
    assert reader == dict.fromkeys(reader, True)
    assert "vcon_search" in reader
    assert "get_database_size_info" not in reader
    assert {"get_content_analytics", "delete_vcon"} <= served.tools("counter").keys()
    assert "vcon_search" not in served.tools("counter")
    assert served.tools("both") == {name: False for name, reads in whole.items() if not reads}
    assert "vcon_taxonomy" in reader
    assert "vcon_taxonomy" not in served.tools("public")
    for who in NARROWED:
        assert served.tools(who).items() <= whole.items()


def test_a_tool_that_a_token_has_not_does_not_run(served: Served) -> None:
    outside = served.call("reader", "delete_vcon", uuid=FIRST, confirm=True)
    unknown = served.call("reader", "no_such_tool", uuid=FIRST, confirm=True)
    assert str(outside).replace("delete_vcon", "no_such_tool") == str(unknown)
    with VconStore.open(served.db) as store:
        assert store.get(FIRST) is not None


@pytest.mark.parametrize("who", ["of-calls", "switched"])
def test_what_is_said_of_calls_leaves_nothing_of_vcons(served: Served, who: str) -> None:
    assert served.tools(who) == {}
    resources = answer_of(served.post(served.tokens[who], "resources/list"))["result"]["resources"]
    assert resources == []


def test_rates_are_counted_by_client(served: Served) -> None:
    tags = {"vcon_uuid": "0190a1b2-c3d4-8e5f-8a6b-000000000099"}
    data = {"vcon_data": {"parties": [{"name": "A"}], "no_such": 1}, "wrong": True}
    codes = [served.structured("quick", "create_vcon", **data)["code"] for _ in range(51)]
    assert (codes[49], codes[50]) == ("VALIDATION_ERROR", "RATE_LIMIT_EXCEEDED")
    assert served.structured("quick", "get_tags", **tags)["code"] == "NOT_FOUND"  # another kind of request
    assert served.structured("counter", "create_vcon", **data)["code"] == "VALIDATION_ERROR"  # another client


def test_a_revoked_token_is_out_at_once(served: Served) -> None:
    token = mint(served.book, Wanted("short", None))[1]
    assert served.post(token, "tools/list").status_code == 200
    revoke(served.book, "short")
    assert served.post(token, "tools/list").status_code == 401


def test_a_token_names_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(StartupRefusal, match="no profile of that name"):
        mint(tmp_path / "book", Wanted("a", None, profile="readonli"))
    for categories in (("reads",), (), ("",)):
        with pytest.raises(StartupRefusal, match="no category of that name"):
            mint(tmp_path / "book", Wanted("a", None, categories=categories))


def test_neither_a_cache_nor_an_open_door_is_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = tmp_path / "cache.db"
    with CacheWriter.open(cache, create=True):
        pass
    (tmp_path / "token").write_text("b2ZmaWNpYWwtdGVzdC10b2tlbi0wMTIzNDU2Nzg5Cg")
    (tmp_path / "token").chmod(0o600)
    http = ["--http", "127.0.0.1:0"]
    door = [*http, "--bearer-token-file", str(tmp_path / "token")]
    assert run(["vcon", "serve", "--db", str(cache), *door]) == Exit.CACHE
    assert "no vCon store" in capsys.readouterr().err
    store = make_store(tmp_path / "store.db", 1)
    assert run(["vcon", "serve", "--db", str(store), *http]) == Exit.USAGE
    assert run(["vcon", "serve", "--db", str(store), "--http", "0.0.0.0:0", *door[2:]]) == Exit.USAGE
