"""Requests of versions with a handshake over HTTP: what goes over the wire, in which pieces, and what is told ahead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from gongmcp.catalog.registry import catalog
from gongmcp.catalog.schema import input_schema
from gongmcp.exposure.policy import Policy
from gongmcp.protocol import telling
from gongmcp.protocol.http import exchange
from tests.gongmcp.http.door import Door, answer_of, call, door, with_token


async def events(app: Door, message: dict[str, Any]) -> list[str]:
    """Return the lines of an answer that is held until its stream has said something."""
    lines = []
    async with app.http.stream("POST", app.url, json=message, headers=app.headers()) as stream:
        assert stream.status_code == 200
        assert "content-length" not in stream.headers
        async for line in stream.aiter_lines():
            lines.append(line)
            if line.startswith((":", "data: ")) and len(lines) > 2:
                app.serving.fake.gate.set()
    return [line for line in lines if line]


async def test_an_answer_that_is_ready_soon_goes_out_in_one_piece(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        found = await app.post(call("search", 7))
        assert found.headers["content-type"] == "text/event-stream"
        assert int(found.headers["content-length"]) == len(found.content)
        event, data = found.text.rstrip("\r\n").split("\r\n")
        assert event == "event: message"
        answer = json.loads(data.removeprefix("data: "))
        assert list(answer) == ["jsonrpc", "id", "result"]
        assert list(answer["result"]) == ["content", "structuredContent", "isError"]


async def test_a_long_answer_begins_and_is_kept_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "BEGIN_SECONDS", 0.01)
    monkeypatch.setattr(exchange, "KEEP_ALIVE_SECONDS", 0.01)
    async with door(with_token(tmp_path)) as app:
        with anyio.fail_after(60):
            *comments, event, data = await events(app, call("hold", "é"))
        assert set(comments) == {": "}
        assert len(comments) > 1
        assert event == "event: message"
        assert json.loads(data.removeprefix("data: "))["id"] == "é"


async def test_an_answer_begins_although_its_first_comment_was_held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "BEGIN_SECONDS", 0.0)
    asked, sent = anyio.Event(), []

    async def send(message: Any) -> None:
        if not asked.is_set():
            asked.set()
            await anyio.sleep_forever()  # a client that has not read its last answer yet
        sent.append(message["type"])

    stream = exchange._Stream(send)
    with anyio.fail_after(60):
        await asked.wait()
        await stream.end(b"{}")
    assert sent == ["http.response.start", "http.response.body"]


async def test_what_is_told_of_a_call_comes_before_its_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "PROGRESS_SECONDS", 0.01)
    message = call("hold")
    message["params"]["_meta"] = {"progressToken": "t"}
    async with door(with_token(tmp_path)) as app:
        with anyio.fail_after(60):
            lines = await events(app, message)
    told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert [item.get("method") for item in told[:-1]] == ["notifications/progress"] * (len(told) - 1)
    assert {item["params"]["progressToken"] for item in told[:-1]} == {"t"}
    assert told[-1]["id"] == 1


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [("no/such", {}, -32601), ("tools/call", {}, -32602), ("tools/call", {"name": "unwritable"}, -32603)],
)
async def test_an_error_answers_its_request(method: str, params: dict[str, Any], code: int, tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        found = await app.post({"jsonrpc": "2.0", "id": "x", "method": method, "params": params})
        assert found.status_code == 200
        answer = answer_of(found)
        assert (answer["id"], answer["error"]["code"]) == ("x", code)


async def test_a_notification_has_no_answer(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        found = await app.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (found.status_code, found.content) == (202, b"")


@pytest.mark.parametrize(
    ("accept", "content_type", "status"),
    [
        ("application/json, text/event-stream", "application/json; charset=utf-8", 200),
        ("*/*", "application/json", 200),
        ("application/*, text/*;q=0.5", "application/json", 200),
        ("application/json", "application/json", 406),
        ("text/event-stream", "application/json", 406),
        ("*/*", "text/plain", 415),
    ],
)
async def test_a_client_takes_both_forms_of_an_answer_and_sends_json(
    accept: str, content_type: str, status: int, tmp_path: Path
) -> None:
    async with door(with_token(tmp_path)) as app:
        found = await app.post(call("search"), accept=accept, content_type=content_type)
        assert found.status_code == status


def test_no_parameter_is_one_that_clients_repeat_in_a_header() -> None:
    # sdk.McpServer tells the SDK so.
    schemas = json.dumps([input_schema(tool, Policy()) for tool in catalog().values()])
    assert "x-mcp-header" not in schemas
