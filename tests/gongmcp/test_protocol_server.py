"""The server over a handler, in both eras of the protocol, through the SDK's own client."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

import anyio
import pytest
from mcp import Client, MCPDeprecationWarning
from mcp.shared.exceptions import MCPError

from gongmcp.protocol import door
from gongmcp.protocol.door import CALLS_AT_ONCE
from gongmcp.protocol.server import create_mcp_server
from gongmcp.render.answer import Answer
from tests.gongmcp.fake_handler import SECRET, SENTENCE, FakeHandler

Mode = Literal["legacy", "auto"]
both_eras = pytest.mark.parametrize("mode", ["legacy", "auto"])


def client(handler: FakeHandler, mode: Mode) -> Client:
    return Client(create_mcp_server(lambda: handler), mode=mode)


async def until(true: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not true():
            await anyio.sleep(0.005)


@both_eras
async def test_the_client_meets_the_era_it_asked_for(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        assert (c.protocol_version >= "2026") == (mode == "auto")
        assert c.server_info is not None
        assert c.server_info.name == "gongmcp"
        assert c.server_info.version
        assert c.instructions == f"{len(FakeHandler().tools())} tools of a fake. {SENTENCE}"
        assert c.server_capabilities.tools is not None
        assert c.server_capabilities.logging is not None
        assert c.server_capabilities.tools.list_changed is True


@both_eras
async def test_tools_come_in_the_handlers_order_with_both_schemas(mode: Mode) -> None:
    handler = FakeHandler()
    async with client(handler, mode) as c:
        listed = await c.list_tools()
    assert listed.next_cursor is None
    assert [tool.name for tool in listed.tools] == [tool.name for tool in handler.tools()]
    for shown, tool in zip(listed.tools, handler.tools(), strict=True):
        assert (shown.title, shown.description) == (tool.title, tool.description)
        assert (shown.input_schema, shown.output_schema) == (tool.input_schema, tool.output_schema)
        hints = shown.annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.destructive_hint) == (True, False)
        assert (hints.idempotent_hint, hints.open_world_hint) == (True, False)


@both_eras
async def test_a_cursor_that_nobody_gave_out_is_refused(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        with pytest.raises(MCPError) as caught:
            await c.list_tools(cursor="x")
    assert caught.value.code == -32602


@both_eras
async def test_an_answer_arrives_as_text_and_as_structure(mode: Mode) -> None:
    handler = FakeHandler()
    async with client(handler, mode) as c:
        result = await c.call_tool("search", {"query": "東京"})
        assert result.structured_content == {"status": "ok", "value": [SENTENCE]}
        assert [block.text for block in result.content if block.type == "text"] == [SENTENCE]
        assert result.is_error is False
        values = (await c.call_tool("values", {})).structured_content
    expected = handler.answer("values", None, cancel=None)  # type: ignore[arg-type]
    assert values == expected.structured
    assert expected.structured is not None
    assert list(values["value"]) == list(expected.structured["value"])


@both_eras
async def test_a_tool_error_has_text_and_a_meta_object_but_no_structure(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        result = await c.call_tool("refuse", {})
    assert result.is_error is True
    assert result.structured_content is None
    assert result.meta is not None
    assert result.meta["gongctl/error"] == {
        "code": "refused_by_policy",
        "message": "Not today.",
        "hint": "Ask tomorrow.",
    }
    assert result.content[0].type == "text"
    assert result.content[0].text.startswith("refused_by_policy: ")


@both_eras
async def test_a_name_that_is_not_there_is_a_protocol_error_that_does_not_repeat_it(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        with pytest.raises(MCPError) as one:
            await c.call_tool("no_such_tool", {})
        with pytest.raises(MCPError) as other:
            await c.call_tool("\x1b[31m", {})
    assert one.value.code == -32602
    assert one.value.error == other.value.error
    assert "no_such_tool" not in one.value.message


@both_eras
@pytest.mark.parametrize("tool", ["fault", "unwritable", "malformed"])
async def test_an_unexpected_exception_leaks_nothing_and_is_found_in_the_log(
    mode: Mode, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        async with client(FakeHandler(), mode) as c:
            with pytest.raises(MCPError) as first:
                await c.call_tool(tool, {})
            with pytest.raises(MCPError) as second:
                await c.call_tool(tool, {})
            assert (await c.call_tool("search", {})).is_error is False
    assert first.value.code == -32603
    assert first.value.data == second.value.data
    reference = first.value.data["reference"]
    assert reference in first.value.message
    assert SECRET not in str(first.value.error)
    assert caplog.text.count(f"internal error {reference}") == 2
    assert "\x1b" not in caplog.text
    assert SECRET not in caplog.text


async def test_different_faults_have_different_references() -> None:
    async with client(FakeHandler(), "legacy") as c:
        references = set()
        for tool in ("fault", "unwritable"):
            with pytest.raises(MCPError) as caught:
                await c.call_tool(tool, {})
            references.add(caught.value.data["reference"])
    assert len(references) == 2


@both_eras
async def test_the_handler_is_resolved_when_it_is_first_needed(mode: Mode) -> None:
    ready: list[FakeHandler] = []
    server = create_mcp_server(lambda: ready[0])
    async with Client(server, mode=mode) as c:
        assert c.instructions is None
        with pytest.raises(MCPError) as caught:
            await c.list_tools()
        assert caught.value.code == -32603
        ready.append(FakeHandler())
        assert len((await c.list_tools()).tools) == len(FakeHandler().tools())


@both_eras
async def test_no_more_than_four_calls_run_and_nobody_else_waits_for_them(mode: Mode) -> None:
    handler = FakeHandler()
    results = []

    async def hold(c: Client) -> None:
        results.append(await c.call_tool("hold", {}))

    async with client(handler, mode) as c:
        await c.list_tools()
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(hold, c)
            await until(lambda: handler.running == CALLS_AT_ONCE)
            assert len((await c.list_tools(cache_mode="bypass")).tools) == len(FakeHandler().tools())
            if mode == "legacy":
                with pytest.warns(MCPDeprecationWarning):
                    await c.send_ping()
            assert (handler.running, results) == (CALLS_AT_ONCE, [])
            handler.gate.set()
    assert handler.peak == CALLS_AT_ONCE == 4
    assert len(results) == 6


async def test_a_call_that_has_just_begun_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "BRIEF_SECONDS", 3600.0)  # nobody counts as one that takes long
    handler = FakeHandler()
    async with client(handler, "auto") as c, anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(c.call_tool, "hold", {})
        await until(lambda: handler.running == 1)
        await c.list_tools()
        assert handler.running == 1
        handler.gate.set()
    assert (handler.peak, handler.seen.count("hold started")) == (1, 2)


@both_eras
async def test_a_cancelled_call_interrupts_its_query_and_no_other(mode: Mode) -> None:
    handler = FakeHandler()
    async with client(handler, mode) as c, anyio.create_task_group() as tasks:
        await c.list_tools()
        tasks.start_soon(c.call_tool, "hold", {})
        await until(lambda: handler.running == 1)
        async with anyio.create_task_group() as cancelled:
            cancelled.start_soon(c.call_tool, "query", {})
            await until(lambda: handler.running == 2)
            cancelled.cancel_scope.cancel()
        await until(lambda: "query interrupted" in handler.seen)
        assert "hold ended" not in handler.seen
        handler.gate.set()
    assert handler.seen == ["hold started", "query started", "query interrupted", "hold ended"]


@both_eras
async def test_a_client_that_goes_away_interrupts_its_query(mode: Mode) -> None:
    handler = FakeHandler()
    async with anyio.create_task_group() as tasks, client(handler, mode) as c:
        await c.list_tools()
        tasks.start_soon(c.call_tool, "query", {})
        await until(lambda: handler.running == 1)
        tasks.cancel_scope.cancel()
    await until(lambda: handler.seen == ["query started", "query interrupted"])


def test_an_answer_has_no_room_for_a_ledger() -> None:
    assert set(Answer.__slots__) == {"text", "structured", "is_error", "error"}
