"""The screens in a browser: who is let in, what the page names, and that it is the real screen that answers."""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import socket
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from gongctl import sample
from gongctl.cli.screens import _without_web
from gongctl.web.serve import COOKIE, MOST, WebTui, _without_text
from tests.gongmcp.conftest import build_cache


@asynccontextmanager
async def serving() -> AsyncIterator[WebTui]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    served = WebTui(["true"], port, lambda address: None)
    runner = web.AppRunner(await served._make_app())
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield served
    finally:
        await runner.cleanup()


async def test_only_the_address_that_was_printed_opens_anything() -> None:
    async with serving() as served, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as browser:
        base = served.public_url
        for path in ("/", "/static/js/textual.js", "/ws", "/download/x", "/enter/", "/enter/wrong"):
            async with browser.get(base + path) as refused:
                assert refused.status in (403, 404), path
                assert served.secret not in await refused.text()
        for wrong in ("", "x", served.secret[:-1]):
            async with browser.get(base, headers={"Cookie": f"{COOKIE}={wrong}"}) as refused:
                assert refused.status == 403
        async with browser.get(base + f"/?{COOKIE}={served.secret}") as refused:
            assert refused.status == 403
        async with browser.get(base, headers={"Authorization": f"Bearer {served.secret}"}) as refused:
            assert refused.status == 403
        async with browser.get(served.address, allow_redirects=False) as entered:
            assert entered.status == 303
            kept = entered.headers["Set-Cookie"]
            assert "HttpOnly" in kept
            assert "SameSite=Strict" in kept
        async with browser.get(base, headers={"Cookie": f"{COOKIE}={served.secret}"}) as page:
            assert page.status == 200


async def test_another_host_or_origin_is_refused_even_with_the_secret() -> None:
    async with serving() as served, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as browser:
        good = {"Cookie": f"{COOKIE}={served.secret}"}
        for headers, status in (
            ({"Host": "rebound.example"}, 421),
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
        ):
            async with browser.get(served.public_url, headers=good | headers) as refused:
                assert refused.status == status
        async with browser.get(served.public_url + "/ws", headers=good) as refused:
            assert refused.status == 403  # a page always says its origin


async def test_the_page_and_what_it_loads_name_no_other_host() -> None:
    async with serving() as served, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as browser:
        good = {"Cookie": f"{COOKIE}={served.secret}"}
        async with browser.get(served.public_url, headers=good) as page:
            text = await page.text()
            policy = page.headers["Content-Security-Policy"]
        assert served.secret not in text
        hosts = set(re.findall(r"(?:https?|wss?):?//([^/\"'\s]+)", text)) | set(
            re.findall(r"[\"'(]//([^/\"')]+)", text)
        )
        assert hosts == {served.public_url.removeprefix("http://")}
        assert "default-src 'self'" in policy
        for path in re.findall(r'(?:src|href)="([^"]+)"', text):
            if not path.startswith("data:"):
                async with browser.get(path, headers=good) as loaded:
                    assert loaded.status == 200
                    assert not re.findall(rb"(?:src|url)\(['\"]?https?:", await loaded.read())


async def test_no_more_terminals_than_the_most() -> None:
    async with serving() as served, aiohttp.ClientSession() as browser:
        headers = {"Cookie": f"{COOKIE}={served.secret}", "Origin": served.public_url}
        served._terminals = MOST
        async with browser.get(served.public_url + "/ws", headers=headers) as refused:
            assert refused.status == 503


async def test_the_terminal_of_a_page_is_the_real_screen(tmp_path: Path) -> None:
    db = build_cache(tmp_path / "sample.db", sample.files())
    command = ["tui", "--db", str(db), "--tool-preset", "operator-smoke", "--web", "--port", "0"]
    running = await asyncio.create_subprocess_exec(sys.executable, "-m", "gongctl", *command, stderr=PIPE)
    try:
        assert running.stderr is not None
        told = (await asyncio.wait_for(running.stderr.readline(), 60)).decode()
        address = re.search(r"http://127\.0\.0\.1:\d+/enter/\S+", told)
        assert address, told
        base = address[0].partition("/enter/")[0]
        drawn = b""
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            async with browser.get(address[0]) as page:
                assert page.status == 200
            async with browser.ws_connect(base + "/ws?width=120&height=40", headers={"Origin": base}) as terminal:
                while b"get_sync_status" not in drawn:
                    message = await terminal.receive(timeout=60)
                    assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT)
                    drawn += message.data if isinstance(message.data, bytes) else b""
        running.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(running.wait(), 30) == 0
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["review", "--web", "--db", "x"], ["review", "--db", "x"]),
        (["tui", "--port", "0", "--web", "--port=5"], ["tui"]),
        (["--restricted", "tui", "--db", "--portable"], ["--restricted", "tui", "--db", "--portable"]),
    ],
)
def test_the_page_runs_the_same_command_without_the_browser(given: list[str], kept: list[str]) -> None:
    assert _without_web(given) == kept


async def test_bytes_that_are_no_text_are_refused_like_any_other(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as served:
        host = served.public_url.removeprefix("http://")
        for line, cookie in ((b"/", b"\xff\xfe"), (b"/enter/%ff", b""), (b"/enter/%ed%a0%80", b"\x80")):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(
                b"GET %b HTTP/1.1\r\nHost: %b\r\nCookie: %b=%b\r\nConnection: close\r\n\r\n"
                % (line, host.encode(), COOKIE.encode(), cookie)
            )
            assert (await reader.read()).startswith(b"HTTP/1.1 403 ")
            writer.close()
    assert not caplog.records


def test_a_failed_request_is_logged_without_its_text() -> None:
    record = logging.LogRecord("aiohttp.server", logging.ERROR, "f", 1, "GET /enter/%s", ("secret",), None)
    assert _without_text(record)
    assert record.getMessage() == "a request failed"
