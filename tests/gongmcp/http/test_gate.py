"""What the gate lets through and what not, in which order, and that no code of the protocol runs before it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.routing import Route

from gongmcp.http_settings import HttpSettings
from gongmcp.identity.resolver import Resolver
from gongmcp.protocol.http import body
from gongmcp.protocol.http.gate import Access
from gongmcp.protocol.observe import REASONS
from tests.gongmcp.fake_handler import SENTENCE
from tests.gongmcp.http.door import Door, answer_of, call, door, token_file, with_token
from tests.gongmcp.http.http_process import TOKEN

WRONG = TOKEN[:-1] + "h"


def routes_of(app: Door) -> dict[str, Any]:
    """Return every path that is mounted behind the gate."""
    inner: Any = app.application.gate.app
    assert all(isinstance(route, Route) for route in inner.routes)
    return {route.path: route for route in inner.routes}


OIDC = {"oidc_issuer": "https://id.example.com", "oidc_audience": "https://mcp.example.com/mcp"}


async def test_every_mounted_route_is_gated_and_the_open_ones_are_these(tmp_path: Path) -> None:
    async with door(with_token(tmp_path, **OIDC)) as app:
        mounted = routes_of(app)
        assert mounted.keys() == app.application.gate.rules.keys()
        rules = app.application.gate.rules
        open_ones = {path for path, rule in rules.items() if rule.access is not Access.TOKEN}
        assert open_ones == {
            "/healthz",
            "/.well-known/oauth-protected-resource",
            "/.well-known/oauth-protected-resource/mcp",
        }
        for path, route in mounted.items():
            assert set(rules[path].methods) <= route.methods
            for method in rules[path].methods:
                for token in (None, WRONG):
                    stranger = await app.get(path, token, method)
                    assert stranger.status_code == (200 if path in open_ones else 401), path
        assert app.serving.fake.seen == []


async def test_both_spellings_answer_without_a_redirect(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        for path in ("/mcp", "/mcp/"):
            found = await app.post(call("search", query="東京"), path=path)
            assert found.status_code == 200
            assert answer_of(found)["result"]["structuredContent"]["value"] == [SENTENCE]


STRANGERS: list[dict[str, str]] = [
    {},
    {"authorization": ""},
    {"authorization": TOKEN},
    {"authorization": f"Basic {TOKEN}"},
    {"authorization": f"Bearer {WRONG}"},
    {"authorization": f"Bearer {TOKEN} more"},
    {"authorization": "Bearer"},
    {"authorization": f"Bearer {'x' * 9000}"},
    {"cookie": f"token={TOKEN}; authorization=Bearer {TOKEN}"},
    {"x-authorization": f"Bearer {TOKEN}", "proxy-authorization": f"Bearer {TOKEN}"},
]


async def test_a_stranger_gets_401_and_learns_how_to_prove_himself(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        for headers in STRANGERS:
            refused = await app.post(call("search"), None, **headers)
            assert refused.status_code == 401, headers
            assert refused.headers["www-authenticate"].startswith("Bearer")
            assert TOKEN not in refused.text
        assert app.serving.fake.seen == []
        assert {item.reason for item in app.witness.refused} == {"no_token", "bad_token"} <= set(REASONS)


async def test_a_fault_while_the_token_is_looked_at_lets_nobody_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise TypeError(f"secret {TOKEN}")

    async with door(with_token(tmp_path)) as app:
        monkeypatch.setattr(Resolver, "resolve", broken)
        for path, method in (("/mcp", "POST"), ("/metrics", "GET"), ("/healthz", "GET")):
            failed = await app.get(path, method=method)
            assert failed.status_code == 500
            assert failed.headers["cache-control"] == "no-store"
            reference = failed.json()["error"]["data"]["reference"]
            assert reference in caplog.text
            assert TOKEN not in failed.text
        assert app.serving.fake.seen == []


async def test_the_scheme_is_a_word_in_any_case_and_two_headers_are_none(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        assert (await app.post(call("search"), None, authorization=f"bEARER {TOKEN}")).status_code == 200
        doubled = [*app.headers(None).items(), *[("authorization", f"Bearer {TOKEN}")] * 2]
        twice = await app.http.post(app.url, json=call("search"), headers=doubled)
        assert twice.status_code == 401


async def test_nothing_is_taken_from_the_address(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        for query, token in product((f"access_token={TOKEN}", "token=x", "x", TOKEN), (None, TOKEN)):
            refused = await app.post(call("search"), token, path=f"/mcp?{query}")
            assert refused.status_code == 400
            assert app.witness.refused[-1].reason == "token_in_query"
        assert app.serving.fake.seen == []


LOOPBACK = HttpSettings(dev_allow_no_auth_localhost=True)
CONFIGURED = HttpSettings(
    dev_allow_no_auth_localhost=True,
    allowed_hosts=("mcp.example.com",),
    allowed_origins=("https://app.example.com",),
)


HEADERS: list[tuple[HttpSettings, dict[str, str], int]] = [
    (LOOPBACK, {"host": "evil.test"}, 421),
    (LOOPBACK, {"host": "localhost.evil.test"}, 421),
    (LOOPBACK, {"host": "127.0.0.1.evil.test:80"}, 421),
    (LOOPBACK, {"host": "10.0.0.1"}, 421),
    (LOOPBACK, {"host": "LOCALHOST:1"}, 200),
    (LOOPBACK, {"host": "[::1]:9"}, 200),
    (LOOPBACK, {"origin": "http://localhost.evil.test"}, 403),
    (LOOPBACK, {"origin": "null"}, 403),
    (LOOPBACK, {"origin": ""}, 403),
    (LOOPBACK, {"origin": "https://localhost/path"}, 403),
    (LOOPBACK, {"origin": "file://localhost"}, 403),
    (LOOPBACK, {"origin": "http://user@localhost"}, 403),
    (LOOPBACK, {"origin": "http://localhost:3000"}, 200),
    (LOOPBACK, {}, 200),
    (CONFIGURED, {"host": "mcp.example.com"}, 200),
    (CONFIGURED, {"host": "MCP.Example.COM:8443"}, 200),
    (CONFIGURED, {"host": "mcp.example.com.evil.test"}, 421),
    (CONFIGURED, {"host": "xmcp.example.com"}, 421),
    (CONFIGURED, {"origin": "https://app.example.com"}, 200),
    (CONFIGURED, {"origin": "HTTPS://APP.example.com:443"}, 200),
    (CONFIGURED, {"origin": "http://app.example.com"}, 403),
    (CONFIGURED, {"origin": "https://app.example.com:8443"}, 403),
    (CONFIGURED, {"origin": "https://app.example.com.evil.test"}, 403),
]


@pytest.mark.parametrize("settings", [LOOPBACK, CONFIGURED], ids=["loopback", "configured"])
async def test_hosts_and_origins(settings: HttpSettings) -> None:
    async with door(settings) as app:
        for headers, status in ((headers, status) for of, headers, status in HEADERS if of is settings):
            found = await app.post(call("search"), None, **headers)
            assert found.status_code == status, headers
            allowed = found.headers.get("access-control-allow-origin")
            assert allowed == (headers.get("origin") if status == 200 else None)
            if status != 200:
                assert "--allowed-" in found.text, "the message names the setting"


PREFLIGHTS = [
    ("https://app.example.com", "POST", "authorization, content-type, Mcp-Session-Id", 204),
    ("https://app.example.com", "POST", "", 204),
    ("https://app.example.com", "DELETE", "", 405),
    ("https://app.example.com", "POST", "x-other", 405),
    ("https://evil.test", "POST", "", 403),
]


async def test_a_browser_asks_first(tmp_path: Path) -> None:
    settings = with_token(tmp_path, allowed_origins=("https://app.example.com",))
    async with door(settings) as app:
        for origin, method, asks, status in PREFLIGHTS:
            headers = {"origin": origin, "access-control-request-method": method}
            if asks:
                headers["access-control-request-headers"] = asks
            found = await app.http.request("OPTIONS", app.url, headers=headers)
            assert found.status_code == status
            if status == 204:
                assert found.headers["access-control-allow-origin"] == origin
                assert "access-control-allow-credentials" not in found.headers, "no cookie is ever wanted"


async def test_another_method_or_path_says_so(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        wrong = await app.get("/mcp", method="DELETE")
        assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST, GET")
        assert (await app.get("/nothing")).status_code == 404
        assert (await app.get("//mcp")).status_code == 404


async def test_a_body_is_bounded_before_it_is_read_and_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with door(with_token(tmp_path)) as app:
        longer = await app.post(b'"' + b"x" * body.LINE_LIMIT + b'"')
        assert longer.status_code == 413

        async def pieces() -> Any:
            for _ in range(80):
                yield b"x" * 65536

        assert (await app.post(pieces())).status_code == 413
        monkeypatch.setattr(body, "BODY_SECONDS", 0.05)

        async def slow() -> Any:
            yield b"{"
            await anyio.sleep(2)

        assert (await app.post(slow())).status_code == 408
        assert [item.reason for item in app.witness.refused] == ["body_too_large", "body_too_large", "too_slow"]
        assert (await app.post(call("search"))).status_code == 200


NO_MESSAGES: list[tuple[bytes, int | None]] = [
    (b"", None),
    (b"{", -32700),
    (b"\xff\xfe{}", -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700),
    (b"[" * 100_000, -32700),
    (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    (b'"text"', -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
]


async def test_what_is_no_message_is_answered_as_an_error(tmp_path: Path) -> None:
    async with door(with_token(tmp_path)) as app:
        for sent, code in NO_MESSAGES:
            found = await app.post(sent)
            if code is None:
                assert found.status_code == 202
            else:
                assert found.status_code == 400, sent[:60]
                assert found.json()["error"]["code"] == code
        assert (await app.post(call("search"))).status_code == 200


async def test_one_token_has_its_rate_and_another_its_own(tmp_path: Path) -> None:
    settings = with_token(tmp_path, http_rate=8)
    async with door(settings) as app:
        statuses = [(await app.post(call("search"))).status_code for _ in range(4)]
        assert statuses == [200, 200, 429, 429]
        refused = await app.post(call("search"))
        assert 1 <= int(refused.headers["retry-after"]) <= 9
        assert app.witness.refused[-1].token == "current"
        assert (await app.get("/metrics")).status_code == 429, "every route of a token counts"
        assert (await app.get("/healthz", None)).status_code == 200


async def test_one_token_has_a_few_requests_at_once(tmp_path: Path) -> None:
    async with door(with_token(tmp_path, http_at_once=2)) as app, anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(app.post, call("hold"))
        with anyio.fail_after(60):
            while app.serving.fake.running < 2:
                await anyio.sleep(0.005)
        refused = await app.post(call("search"))
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert app.witness.refused[-1].reason == "too_many_at_once"
        app.serving.fake.gate.set()
    async with door(with_token(tmp_path, http_at_once=1)) as app:
        for _ in range(3):
            assert (await app.post(call("search"))).status_code == 200, "an answered request makes room"


async def test_health_says_no_more_than_that_to_a_stranger(tmp_path: Path, sample_cache: Path) -> None:
    async with door(with_token(tmp_path), cache=sample_cache, flags={"tool_preset": "operator-smoke"}) as app:
        for token in (None, WRONG):
            assert (await app.get("/healthz", token)).json() == {"status": "ok"}
        head = await app.get("/healthz", None, method="HEAD")
        assert (head.status_code, head.content) == (200, b"")
        details = (await app.get("/healthz")).json()
        assert (details["preset"], details["tools"], details["freshness"]) == ("operator-smoke", 5, "fresh")
        metrics = (await app.get("/metrics")).text
        assert 'gongmcp_http_answers_total{path="/healthz",status="200"} 4' in metrics


async def test_with_an_issuer_clients_are_told_where_tokens_come_from(tmp_path: Path) -> None:
    async with door(with_token(tmp_path, **OIDC, oidc_scope="gong.read")) as app:
        stranger = await app.post(call("search"), None)
        where = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'
        assert where in stranger.headers["www-authenticate"]
        told = (await app.get("/.well-known/oauth-protected-resource/mcp", None)).json()
        assert told == {
            "resource": "https://mcp.example.com/mcp",
            "authorization_servers": ["https://id.example.com"],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["gong.read"],
        }
    async with door(with_token(tmp_path)) as app:
        assert (await app.get("/.well-known/oauth-protected-resource", None)).status_code == 404


async def test_a_token_is_changed_without_a_restart(tmp_path: Path) -> None:
    other, third = (word * 8 for word in ("n3xt", "l4st"))
    other, third = other + "abcdefghijk", third + "lmnopqrstuv"
    settings = with_token(tmp_path, bearer_token_previous_file=token_file(tmp_path, "previous", other))
    async with door(settings) as app:

        async def statuses() -> list[int]:
            return [(await app.post(call("search"), token)).status_code for token in (TOKEN, other, third)]

        assert await statuses() == [200, 200, 401]
        token_file(tmp_path, "previous", TOKEN)
        token_file(tmp_path, "token", third)
        assert await statuses() == [200, 401, 200]
        (tmp_path / "previous").unlink()
        assert await statuses() == [401, 401, 200]
        (tmp_path / "token").chmod(0o644)
        assert await statuses() == [401, 401, 401], "a file that others may read opens nothing"
        (tmp_path / "token").chmod(0o600)
        assert await statuses() == [401, 401, 200]
