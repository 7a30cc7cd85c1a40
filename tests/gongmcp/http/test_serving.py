"""Serving over HTTP: every tool through the SDK's client, each client its own view and budget, and what happens to a
running server when clients leave, the cache is swapped, or the policy is tightened."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from gongctl.tokens.book import Wanted, mint
from gongmcp.errors import StartupRefusal
from gongmcp.http_settings import HttpSettings
from gongmcp.serving import Serving, reloaded
from gongmcp.settings import ServerSettings
from tests.gongmcp.conftest import MakeHandler, build_cache
from tests.gongmcp.examples import EXAMPLES
from tests.gongmcp.fake_handler import SECRET
from tests.gongmcp.http.door import MODERN, Door, answer_of, call, door, with_token
from tests.gongmcp.http.http_process import TOKEN
from tests.gongmcp.long_calls import COMMON, LENGTHS, own_word, write_files
from tests.gongmcp.stdio_process import ENVELOPE

Mode = Literal["legacy", "auto"]
both_eras = pytest.mark.parametrize("mode", ["legacy", "auto"])
GENEROUS = {"evidence_per_answer": "100000", "evidence_segments": "100000", "tool_preset": "all"}


@asynccontextmanager
async def sdk(app: Door, mode: Mode, token: str = TOKEN, **more: Any) -> AsyncIterator[Client]:
    """Connect the SDK's client."""
    http = httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=60)
    async with http, Client(streamable_http_client(app.url, http_client=http), mode=mode, **more) as client:
        yield client


@both_eras
async def test_every_tool_answers_the_sdks_client_as_the_handler_does(
    mode: Mode, tmp_path: Path, sample_cache: Path, make_handler: MakeHandler
) -> None:
    handler = make_handler(**GENEROUS)
    async with door(with_token(tmp_path), cache=sample_cache, flags=GENEROUS) as app, sdk(app, mode) as client:
        assert (client.protocol_version >= "2026") == (mode == "auto")
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(listed) == [info.name for info in handler.tools()]
        for name in listed:
            given = dict(EXAMPLES[name][0])
            answer = handler.call(name, dict(given)).answer
            result = await client.call_tool(name, given)
            assert result.structured_content == answer.structured, name
            assert [block.text for block in result.content if block.type == "text"] == [answer.text]
            if not result.is_error:
                jsonschema.validate(result.structured_content, listed[name].output_schema or {})
        assert (await client.list_resources()).resources
        assert (await client.list_prompts()).prompts
        assert await client.read_resource("gong://status")
    told = {record.name for record in app.witness.calls if record.method == "tools/call"}
    assert told == set(listed)
    assert {record.asker.client.label for record in app.witness.calls} == {"current"}
    assert {record.asker.transport for record in app.witness.calls} == {"http"}
    assert {record.asker.name for record in app.witness.calls} == ({"mcp"} if mode == "auto" else {""})


async def test_a_token_gets_less_and_never_more(tmp_path: Path, sample_cache: Path) -> None:
    pats = tmp_path / "pats"
    tokens = {
        "all": mint(pats, Wanted("all", None))[1],
        "smoke": mint(pats, Wanted("smoke", None, "operator-smoke"))[1],
        "one": mint(pats, Wanted("one", None, allowlist=["get_sync_status", "list_crm_fields"]))[1],
        "hidden": mint(pats, Wanted("hidden", None, switches=["hide_call_titles"]))[1],
    }
    settings = HttpSettings(access_tokens=pats, http_rate=1_000_000)
    flags = {"tool_preset": "analyst-core"}
    async with door(settings, cache=sample_cache, flags=flags) as app:
        listed: dict[str, set[str]] = {}
        titles: dict[str, bool] = {}
        for label, token in tokens.items():
            tools = answer_of(await app.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, token))
            listed[label] = {tool["name"] for tool in tools["result"]["tools"]}
            found = answer_of(await app.post(call("search_calls", include_call_titles=True), token))
            titles[label] = "result" in found and any(
                "title" in row for row in found["result"]["structuredContent"].get("results", [])
            )
        assert listed["smoke"] == listed["all"] & listed["smoke"] < listed["all"]
        assert listed["one"] <= {"get_sync_status", "list_crm_fields"}
        assert listed["hidden"] == listed["all"]
        assert titles["all"] is True
        assert titles["hidden"] is False
        unknown = answer_of(await app.post(call("search_calls"), tokens["one"]))
        never = answer_of(await app.post(call("no_such_tool"), tokens["one"]))
        assert unknown["error"] == never["error"], "not allowed and not there are told alike"
        health = (await app.get("/healthz", tokens["smoke"])).json()
        assert health["tools"] == len(listed["smoke"])


@pytest.fixture(scope="module")
def long_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    return build_cache(folder / "long.db", write_files(folder))


async def shown(app: Door, token: str, word: str = COMMON) -> int:
    """Return how many rows a token is shown of a search, all pages together."""
    rows, cursor = 0, {}
    for _ in range(100):
        found = answer_of(await app.post(call("search_transcript_segments", query=word, limit=50, **cursor), token))
        body = found["result"].get("structuredContent")
        if body is None or body["status"] == "unavailable":
            return rows
        rows += body["returned"]
        if "next_cursor" not in body:
            return rows
        cursor = {"cursor": body["next_cursor"]}
    raise AssertionError("the cursor has no end")


async def test_the_evidence_budget_is_of_a_token_and_outlives_the_server(tmp_path: Path, long_cache: Path) -> None:
    pats = tmp_path / "pats"
    first, second = (mint(pats, Wanted(label, None))[1] for label in ("first", "second"))
    settings = HttpSettings(access_tokens=pats, http_rate=1_000_000, state=tmp_path / "state")
    flags = {"tool_preset": "all"}
    async with door(settings, cache=long_cache, flags=flags) as app:
        await shown(app, first)
        assert await shown(app, first, own_word(0, 3)) == 0, "the first call is used up"
        assert await shown(app, second, own_word(0, 3)) == 1, "another token has its own budget"
    async with door(settings, cache=long_cache, flags=flags) as app:
        assert await shown(app, first, own_word(0, 3)) == 0, "a restart gives no second budget"
    records = [record for record in app.witness.calls if record.asker.client.label == "first"]
    assert records[-1].code == "evidence_budget_exhausted"
    assert records[-1].outcome is not None
    assert not records[-1].outcome.shown


async def test_nothing_leaves_that_the_observer_could_not_record(tmp_path: Path, sample_cache: Path) -> None:
    async with door(with_token(tmp_path), cache=sample_cache, flags={"tool_preset": "all"}) as app:
        app.witness.broken = True
        found = answer_of(await app.post(call("get_sync_status")))
        assert found["error"]["code"] == -32603
        assert "disk" not in str(found)
        app.witness.broken = False
        assert "result" in answer_of(await app.post(call("get_sync_status")))


async def test_with_wait_for_cache_tools_answer_as_soon_as_it_is_there(tmp_path: Path, sample_cache: Path) -> None:
    db = tmp_path / "later.db"
    settings = ServerSettings.resolve({"tool_preset": "all"}, {})
    with pytest.raises(StartupRefusal):
        Serving(settings, db, session=None)  # type: ignore[arg-type]
    async with door(with_token(tmp_path), cache=db, flags={"tool_preset": "all"}, wait=True) as app:
        app.serving._clock = lambda: float("inf")  # looked for at each request
        assert (await app.get("/healthz", None)).status_code == 503
        listed = answer_of(await app.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
        assert listed["result"]["tools"], "tools are listed before the cache is there"
        early = answer_of(await app.post(call("search_calls")))["result"]
        assert early["isError"]
        assert early["_meta"]["gongctl/error"]["code"] == "cache_not_ready"
        app.serving._tried = -1.0
        shutil.copy(sample_cache, tmp_path / "copy.db")
        os.replace(tmp_path / "copy.db", db)  # noqa: PTH105
        ready = answer_of(await app.post(call("search_calls")))["result"]
        assert not ready.get("isError")
        assert (await app.get("/healthz", None)).status_code == 200


async def test_a_cache_that_is_swapped_is_followed_and_one_that_is_taken_away_is_not_served(
    tmp_path: Path, sample_cache: Path, long_cache: Path
) -> None:
    db = tmp_path / "cache.db"
    shutil.copy(sample_cache, db)
    async with door(with_token(tmp_path), cache=db, flags={"tool_preset": "all"}) as app:

        async def total() -> Any:
            found = answer_of(await app.post(call("get_sync_status")))["result"]
            return (found.get("structuredContent") or {}).get("total_calls", "error")

        before = await total()
        shutil.copy(long_cache, tmp_path / "new.db")
        os.replace(tmp_path / "new.db", db)  # noqa: PTH105
        after = await total()
        assert before != after == len(LENGTHS)
        db.unlink()
        assert await total() == "error"


async def stays_until_left(app: Door, message: dict[str, Any], **headers: str) -> None:
    """Send a message, and leave as soon as its query runs."""
    with anyio.CancelScope() as scope:

        async def leave() -> None:
            while "query started" not in app.serving.fake.seen:
                await anyio.sleep(0.005)
            scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(leave)
            await app.post(message, **headers)
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])
async def test_a_client_that_leaves_takes_its_query_with_it(modern: bool, tmp_path: Path) -> None:
    message = call("query")
    headers = {}
    if modern:
        message["params"]["_meta"] = ENVELOPE
        headers = {**MODERN, "mcp-method": "tools/call", "mcp-name": "query"}
    async with door(with_token(tmp_path)) as app:
        with anyio.fail_after(60):
            await stays_until_left(app, message, **headers)
            while not any(event.startswith("query ") and event != "query started" for event in app.serving.fake.seen):
                await anyio.sleep(0.005)
        assert "query interrupted" in app.serving.fake.seen


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "modern"])
async def test_a_ping_or_a_list_is_answered_beside_running_calls(modern: bool, tmp_path: Path) -> None:
    method = "tools/list" if modern else "ping"  # the newest version has no ping
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 9, "method": method}
    headers = {}
    if modern:
        message["params"] = {"_meta": ENVELOPE}
        headers = {**MODERN, "mcp-method": method}
    async with door(with_token(tmp_path)) as app, anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(app.post, call("hold"))
        with anyio.fail_after(60):
            while app.serving.fake.running < 4:
                await anyio.sleep(0.005)
            assert "result" in answer_of(await app.post(message, **headers))
        app.serving.fake.gate.set()


async def test_an_exception_reaches_no_client_and_no_log_with_its_text_cut_open(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with door(with_token(tmp_path)) as app:
        with caplog.at_level(logging.DEBUG):
            found = await app.post(call("fault"))
    assert SECRET not in found.text
    assert "reference" in found.text
    assert TOKEN not in caplog.text


async def test_a_tightened_policy_is_told_and_a_looser_one_waits(
    tmp_path: Path, sample_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def read(**flags: str) -> ServerSettings:
        return ServerSettings.resolve({"tool_preset": "all", **flags}, {})

    async with door(with_token(tmp_path), cache=sample_cache, flags={"tool_preset": "all"}) as app:

        async def title() -> bool:
            found = answer_of(await app.post(call("search_calls", include_call_titles=True, limit=1)))["result"]
            return "title" in str(found.get("structuredContent", {}).get("results"))

        assert await title()
        heard = anyio.Event()
        async with anyio.create_task_group() as tasks:

            async def listen() -> None:
                async with app.http.stream("GET", app.url, headers=app.headers(accept="text/event-stream")) as stream:
                    async for line in stream.aiter_lines():
                        if "notifications/tools/list_changed" in line:
                            heard.set()
                            return
                        if line.startswith(": open"):
                            tasks.start_soon(tighten)

            async def tighten() -> None:
                done = reloaded(lambda: read(policy_switches="hide_call_titles"), app.serving)
                assert done is not None
                assert done.tighter
                await app.application.tell_changed()

            with anyio.fail_after(60):
                await listen()
        assert heard.is_set()
        assert not await title()
        with caplog.at_level(logging.WARNING):
            looser = reloaded(lambda: read(provenance="raw"), app.serving)
        assert looser is not None
        assert not looser.tighter
        assert set(looser.waiting) == {"fewer switches", "a wider provenance"}
        assert not await title()

        def bad() -> ServerSettings:
            return read(policy_switches="hide_everything")

        assert reloaded(bad, app.serving) is None
        assert not await title()


async def test_a_listener_of_the_newest_version_hears_of_changes(tmp_path: Path, sample_cache: Path) -> None:
    served = door(with_token(tmp_path), cache=sample_cache, flags={"tool_preset": "all"})
    async with served as app, sdk(app, "auto") as client, client.listen(tools_list_changed=True) as events:
        with anyio.fail_after(60):
            await app.application.tell_changed()
            async for event in events:
                assert "Tools" in type(event).__name__
                break


async def test_streams_of_news_are_no_requests_at_once_and_end_with_the_server(tmp_path: Path) -> None:
    async with door(with_token(tmp_path, http_at_once=1)) as app:
        async with app.http.stream("GET", app.url, headers=app.headers(accept="text/event-stream")) as first:
            assert first.status_code == 200
            assert (await app.post(call("search"))).status_code == 200
            app.application.leave()
            with anyio.fail_after(60):
                async for _ in first.aiter_bytes():
                    pass
        leaving = await app.post(call("search"))
        assert (leaving.status_code, leaving.headers["retry-after"]) == (503, "5")
        wrong = await app.get("/mcp", accept="application/json")
        assert wrong.status_code in {406, 503}
