"""Streams of news end with the token that opened them: real servers, real sockets, both protocol eras."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from gongctl.tokens.book import Wanted, mint, revoke
from gongmcp.http_settings import HttpSettings
from gongmcp.protocol.http import gate
from tests.gongmcp.http.door import MODERN, Door, answer_of, door

LISTEN: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "subscriptions/listen",
    "params": {
        "notifications": {"toolsListChanged": True},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
MOST = 10.0
"""Seconds after which a stream counts as one that did not end."""


@asynccontextmanager
async def stream(app: Door, token: str, era: str) -> AsyncIterator[anyio.Event]:
    """Open a stream of news; gives what is set when the server has ended it in order."""
    if era == "get":
        asked = app.http.stream("GET", app.url, headers=app.headers(token, accept="text/event-stream"))
    else:
        headers = app.headers(token, **MODERN, mcp_method="subscriptions/listen")
        asked = app.http.stream("POST", app.url, headers=headers, json=LISTEN)
    began, ended = anyio.Event(), anyio.Event()

    async def read() -> None:
        async with asked as response:
            assert response.status_code == 200, await response.aread()
            async for _ in response.aiter_lines():
                began.set()
        ended.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        with anyio.fail_after(MOST):
            await began.wait()
        yield ended
        tasks.cancel_scope.cancel()


async def ends(ended: anyio.Event, within: float) -> bool:
    """Tell whether a stream ends in that time."""
    with anyio.move_on_after(within):
        await ended.wait()
    return ended.is_set()


@pytest.fixture(autouse=True)
def looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at tokens more often than every two seconds."""
    monkeypatch.setattr(gate, "RECHECK_SECONDS", 0.05)


@pytest.mark.parametrize("era", ["get", "listen"])
async def test_a_stream_ends_when_its_token_is_taken_back(era: str, tmp_path: Path) -> None:
    pats = tmp_path / "pats"
    tokens = {label: mint(pats, Wanted(label, None))[1] for label in ("gone", "kept")}
    async with door(HttpSettings(access_tokens=pats)) as app:
        async with stream(app, tokens["gone"], era) as gone, stream(app, tokens["kept"], era) as kept:
            assert not await ends(gone, 0.2), "while the token is valid it stays open"
            revoke(pats, "gone")
            assert await ends(gone, MOST)
            assert not await ends(kept, 0.2), "the control: the stream of another token goes on"
            assert not app.application.gate.counts.at_once.keys() - {(client(app, "kept"), True)}
        refused = await app.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, tokens["gone"])
        assert refused.status_code == 401
        assert "result" in answer_of(await app.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, tokens["kept"]))


def client(app: Door, label: str) -> str:
    """Return the key of the client of the token *label*."""
    source = app.application.gate._resolver._sources[0]
    return next(f"pat:{record.id}" for record in source._file.current().values() if record.label == label)  # type: ignore[attr-defined]


async def test_a_stream_ends_when_its_token_expires(tmp_path: Path) -> None:
    pats = tmp_path / "pats"
    _, token = mint(pats, Wanted("short", 3600), clock=lambda: time.time() - 3598.9)
    async with door(HttpSettings(access_tokens=pats)) as app, stream(app, token, "get") as news:
        assert await ends(news, MOST)


async def test_a_stream_ends_when_the_file_of_its_token_cannot_be_used_or_the_token_gets_less(tmp_path: Path) -> None:
    pats = tmp_path / "pats"
    token = mint(pats, Wanted("team", None))[1]
    async with door(HttpSettings(access_tokens=pats)) as app:
        async with stream(app, token, "get") as news:
            pats.chmod(0o644)
            assert await ends(news, MOST)
        pats.chmod(0o600)
        async with stream(app, token, "get") as news:
            text = pats.read_text()
            pats.write_text(text.replace('"label"', '"preset": "operator-smoke",\n      "label"'))
            assert await ends(news, MOST), "what it was opened under no longer holds"
