"""Connections of slow clients, of clients that do not read, and of too many."""

from __future__ import annotations

import asyncio
from pathlib import Path

import anyio
import httpx2
import pytest
import uvicorn
from uvicorn.server import ServerState

from gongmcp.protocol.http import connection
from tests.gongmcp.http.door import Door, call, door, with_token

HEAD = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n"


async def opened(app: Door) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = app.url.removeprefix("http://").removesuffix("/mcp").split(":")
    return await asyncio.open_connection(host, int(port))


async def ends(reader: asyncio.StreamReader) -> bool:
    """Return whether the server ends a connection."""
    with anyio.fail_after(60):
        try:
            while await reader.read(65536):
                pass
        except ConnectionError:
            pass
    return True


async def test_a_byte_now_and_then_does_not_keep_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEADER_SECONDS", 0.3)
    async with door(with_token(tmp_path)) as app:
        slow = [await opened(app) for _ in range(50)]

        async def dribble() -> None:
            while True:
                for _, writer in slow:
                    if not writer.is_closing():
                        writer.write(b"x")
                await asyncio.sleep(0.02)

        for _, writer in slow:
            writer.write(HEAD)
        dribbling = asyncio.create_task(dribble())
        assert (await app.post(call("search"))).status_code == 200, "others are served meanwhile"
        assert all([await ends(reader) for reader, _ in slow])
        dribbling.cancel()
        for _, writer in slow:
            writer.close()


async def test_the_second_request_of_a_connection_has_its_time_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEADER_SECONDS", 0.3)
    async with door(with_token(tmp_path)) as app:
        reader, writer = await opened(app)
        writer.write(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.5)
        assert not reader.at_eof(), "waiting between requests is no slowness"
        writer.write(HEAD)
        assert await ends(reader)
        writer.close()


async def test_one_connection_too_many_is_closed_and_room_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECTIONS", 3)
    async with door(with_token(tmp_path)) as app:
        kept = [await opened(app) for _ in range(3)]
        await asyncio.sleep(0.05)
        reader, writer = await opened(app)
        assert await ends(reader)
        writer.close()
        for _, one in kept:
            one.close()
        with anyio.fail_after(60):
            while True:
                try:
                    assert (await app.get("/healthz", None)).status_code == 200
                    break
                except httpx2.TransportError:  # until the server has seen them go
                    await asyncio.sleep(0.05)


class Transport(asyncio.Transport):
    """A connection whose client does not read."""

    def __init__(self) -> None:
        super().__init__()
        self.aborted = False

    def abort(self) -> None:
        """Remember it."""
        self.aborted = True

    def close(self) -> None:
        """End; nothing is left to write."""

    def is_closing(self) -> bool:
        """Whether it ended."""
        return self.aborted


@pytest.mark.parametrize("reads", [False, True])
async def test_a_client_that_does_not_read_is_dropped(reads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "UNREAD_SECONDS", 0.05)

    async def nothing(scope: object, receive: object, send: object) -> None:
        """Stand for an application."""

    config = uvicorn.Config(nothing, log_config=None, **connection.uvicorn_options())
    transport = Transport()
    one = connection.Connection(config, ServerState(), {})
    one.connection_made(transport)
    one.pause_writing()
    if reads:
        one.resume_writing()
    await asyncio.sleep(0.2)
    assert transport.aborted is not reads
    one.connection_lost(None if reads else ConnectionResetError())
