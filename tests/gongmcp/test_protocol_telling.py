"""Pages of lists, log messages at the level that a client asks for, progress of long calls; in both eras."""

from __future__ import annotations

from typing import Any, Literal

import anyio
import mcp_types as wire
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from gongmcp.protocol import telling
from gongmcp.protocol.server import create_mcp_server
from tests.gongmcp.fake_handler import FakeHandler

Mode = Literal["legacy", "auto"]
both_eras = pytest.mark.parametrize("mode", ["legacy", "auto"])


@both_eras
@pytest.mark.parametrize("rows", [1, 4, 11, 12])
async def test_pages_follow_each_other_and_hold_every_tool_once(mode: Mode, rows: int) -> None:
    handler = FakeHandler()
    names: list[str] = []
    async with Client(create_mcp_server(lambda: handler, page_rows=rows), mode=mode) as client:
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            assert 0 < len(page.tools) <= rows
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
    assert names == [tool.name for tool in handler.tools()]


@both_eras
async def test_a_cursor_of_another_list_or_of_a_list_that_changed_is_refused(mode: Mode) -> None:
    handler = FakeHandler()
    async with Client(create_mcp_server(lambda: handler, page_rows=3), mode=mode) as client:
        cursor = (await client.list_tools()).next_cursor
        assert cursor is not None
        with pytest.raises(MCPError) as other:
            await client.list_resources(cursor=cursor)
        del handler._tools["log"]
        with pytest.raises(MCPError) as changed:
            await client.list_tools(cursor=cursor)
    assert {other.value.code, changed.value.code} == {-32602}


@pytest.mark.parametrize("cursor", ["", "x", "WzEsICIiXQ==", "WzAsICJ4Il0=", "bnVsbA==", "W1tbW1s="])
async def test_no_cursor_breaks_a_list(cursor: str) -> None:
    async with Client(create_mcp_server(FakeHandler), mode="legacy") as client:
        with pytest.raises(MCPError) as caught:
            await client.list_tools(cursor=cursor)
    assert caught.value.code == -32602


async def outcomes(level: wire.LoggingLevel | None) -> list[tuple[str, Any]]:
    """Return what a client that asks for *level* is told of three calls."""
    told: list[tuple[str, Any]] = []

    async def note(params: wire.LoggingMessageNotificationParams) -> None:
        told.append((params.level, params.data))

    async with Client(create_mcp_server(FakeHandler), mode="legacy", logging_callback=note) as client:
        if level is not None:
            await client.session.send_request(
                wire.SetLevelRequest(params=wire.SetLevelRequestParams(level=level)), wire.EmptyResult
            )
        for tool in ("search", "refuse"):
            await client.call_tool(tool, {})
        await anyio.sleep(0)
    return told


async def test_a_client_is_told_what_it_asked_for() -> None:
    fine = ("info", {"tool": "search", "outcome": "ok"})
    refused = ("warning", {"tool": "refuse", "outcome": "refused_by_policy"})
    assert await outcomes(None) == []
    assert await outcomes("debug") == [fine, refused]
    assert await outcomes("warning") == [refused]
    assert await outcomes("error") == []


@both_eras
async def test_a_long_call_reports_that_it_goes_on(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "PROGRESS_SECONDS", 0.01)
    handler = FakeHandler()
    seen: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(done)
        assert total is None
        assert message
        if len(seen) == 3:
            handler.gate.set()

    async with Client(create_mcp_server(lambda: handler), mode=mode) as client:
        with anyio.fail_after(60):
            await client.call_tool("hold", {}, progress_callback=progress)
            await client.call_tool("search", {})
    assert len(seen) >= 3
    assert seen == sorted(seen)
