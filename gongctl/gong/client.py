"""``GongClient``: asks one endpoint for one answer, at the company's pace, again where that can help.

One connection pool for a run. An answer is either what was asked for, or nothing (Gong's 404 of an empty result);
everything else is a fault that says what to do. Credentials go into one header and nowhere else.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gongctl.cache.clock import utc_now
from gongctl.gong.credentials import URL, Credentials
from gongctl.gong.endpoints import Endpoint
from gongctl.gong.faults import AccessDenied, BadRequest, GongFault, NoAnswer, NotGong, QuotaExhausted, said
from gongctl.gong.pace import Pace
from gongctl.gong.retry import RETRIED, Patience, retry_after
from gongctl.ingest.decode import decode
from gongctl.ingest.records import BadRecord
from gongmcp import __version__
from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    import httpx2

_NOTHING: Final = re.compile(
    r"\bno\s+(?:\w+\s+)?(?:calls?|transcripts?|scorecards?|results?)\b.*\b(?:found|in|for)\b", re.IGNORECASE
)
"""What Gong says in the 404 of an empty result: "No calls found corresponding to the provided filters"."""

_CONNECTIONS: Final = 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What Gong answered: the decoded object, {} for an empty result; *empty* tells the 404 of one."""

    value: dict[str, Any]
    request_id: str
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request that was made: when (UTC), of which endpoint, the answer's status (0 = none), how long it took."""

    at: str
    endpoint: str
    status: int
    request_id: str
    milliseconds: int


@dataclass(frozen=True, slots=True)
class _Reply:
    """What came back: *value* is the JSON object, None when it was none."""

    status: int
    retry_after: str | None
    value: dict[str, Any] | None
    request_id: str


class GongClient:
    """An open client; use ``open_client``. *requests* counts every attempt; ``drain`` hands over the log of them."""

    def __init__(self, http: httpx2.AsyncClient, base_url: str, pace: Pace, patience: Patience) -> None:
        self._http = http
        self._base = base_url
        self._pace = pace
        self._patience = patience
        self._exchanges: list[Exchange] = []
        self.requests = 0

    async def ask(
        self, endpoint: Endpoint, *, body: Mapping[str, Any] | None = None, query: Mapping[str, str] | None = None
    ) -> Answer:
        """Return the answer of *endpoint*.

        Raises:
            AccessDenied: 401 or 403.
            BadRequest: 400.
            NotGong: what answers is not Gong's API.
            QuotaExhausted: the day's quota is used up, or Gong asks to wait for longer than a run does.
            NoAnswer: every attempt failed.
        """
        last = ""
        for attempt in range(1, self._patience.attempts + 1):
            await self._pace.turn()
            reply = await self._send(endpoint, body, query)
            if isinstance(reply, str):
                last = reply
                wait: float | None = None
            elif reply.status in RETRIED:
                last = f"it answered {reply.status}"
                wait = self._asked_wait(reply)
            else:
                return self._understood(endpoint, reply)
            if attempt < self._patience.attempts:
                await asyncio.sleep(self._patience.back_off(attempt) if wait is None else wait)
        raise NoAnswer(
            f"Gong did not answer {endpoint} in {self._patience.attempts} attempts: {last}",
            "Run the same command again later: it goes on where this run stopped.",
        )

    def drain(self) -> list[Exchange]:
        """Return what was exchanged since the last call of this."""
        taken, self._exchanges = self._exchanges, []
        return taken

    async def _send(
        self, endpoint: Endpoint, body: Mapping[str, Any] | None, query: Mapping[str, str] | None
    ) -> _Reply | str:
        """Return the reply, or in a few words why there is none."""
        import httpx2

        started = time.perf_counter()
        self.requests += 1
        status, request_id = 0, ""
        try:
            response = await self._http.request(
                endpoint.method, self._base + endpoint.path, json=body, params=dict(query) if query else None
            )
            value = _json_object(response.content)
            status, request_id = response.status_code, _request_id(value)
            return _Reply(status, response.headers.get("retry-after"), value, request_id)
        except httpx2.TimeoutException:
            return f"nothing came for {self._patience.timeout:g} seconds"
        except httpx2.ConnectError:
            return "no connection could be made"
        except (httpx2.TransportError, httpx2.DecodingError):
            return "the connection broke"
        finally:
            took = round((time.perf_counter() - started) * 1000)
            self._exchanges.append(Exchange(utc_now(), str(endpoint), status, request_id, took))

    def _asked_wait(self, reply: _Reply) -> float | None:
        """Return the wait that Gong asks for, and make every process of the account keep it."""
        wait = retry_after(reply.retry_after)
        if wait is None:
            return None
        if wait > self._patience.longest_asked:
            raise QuotaExhausted(
                f"Gong asks to wait for {wait:,.0f} seconds: the company's quota is used up",
                "Run the same command again after that time; what was read is kept.",
                status=reply.status,
                request_id=reply.request_id,
            )
        self._pace.hold(wait)
        return wait

    def _understood(self, endpoint: Endpoint, reply: _Reply) -> Answer:
        status, value, request_id = reply.status, reply.value, reply.request_id
        errors = value.get("errors") if value is not None else None
        if 200 <= status < 300:
            if value is None or not value.keys() & {"requestId", "records", endpoint.container}:
                raise self._not_gong(endpoint, f"it answered {status} with something that is no answer of that API")
            return Answer(value, request_id)
        if status in (401, 403):
            raise self._denied(endpoint, status, request_id, errors)
        if status == 404 and endpoint.may_be_404 and _says_nothing_found(errors):
            return Answer({}, request_id, empty=True)
        if value is None or status == 404 or status < 400:
            raise self._not_gong(endpoint, f"it answered {status}{said(errors)}", request_id)
        kind = BadRequest if status == 400 else GongFault
        raise kind(
            f"Gong does not take the request {endpoint}: it answered {status}{said(errors)}",
            "With its request id, Gong's support can look it up." if request_id else "",
            status=status,
            request_id=request_id,
        )

    def _denied(self, endpoint: Endpoint, status: int, request_id: str, errors: object) -> AccessDenied:
        fault = AccessDenied(
            f"Gong refuses {endpoint} ({status}{said(errors)})",
            f"Check the access key, and that it has the scope {endpoint.scope}; then: gongctl auth check",
            status=status,
            request_id=request_id,
        )
        fault.scope = endpoint.scope
        return fault

    def _not_gong(self, endpoint: Endpoint, what: str, request_id: str = "") -> NotGong:
        return NotGong(
            f"Gong's API is not what answers {endpoint}: {what}",
            f"Check the base URL, {self._base}: {URL}, --base-url or [api] base_url.",
            request_id=request_id,
        )


def _says_nothing_found(errors: object) -> bool:
    return isinstance(errors, list) and any(isinstance(text, str) and _NOTHING.search(text) for text in errors)


def _json_object(content: bytes) -> dict[str, Any] | None:
    try:
        value = decode(content)
    except BadRecord:
        return None
    return value if isinstance(value, dict) else None


def _request_id(value: dict[str, Any] | None) -> str:
    found = value.get("requestId") if value else None
    return found[:64] if isinstance(found, str) and found.isprintable() else ""


@asynccontextmanager
async def open_client(
    credentials: Credentials, pace: Pace, patience: Patience | None = None
) -> AsyncIterator[GongClient]:
    """Open a client with *credentials*, and close its connections afterwards."""
    import httpx2

    patience = patience or Patience()
    headers = {
        "Authorization": credentials.header(),
        "Accept": "application/json",
        "User-Agent": f"gongctl/{__version__}",
    }
    limits = httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS)
    # Plain http goes to this machine alone: past any proxy, and without reading certificates, which takes 0.1 s.
    plain = credentials.base_url.startswith("http://")
    verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True
    try:
        made = httpx2.AsyncClient(
            headers=headers, timeout=patience.timeout, limits=limits, verify=verify, trust_env=not plain
        )
    except (OSError, ValueError, httpx2.InvalidURL):
        raise StartupRefusal(
            "What the environment says of a proxy or of certificates cannot be used.",
            "Correct HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR, or unset them.",
            Exit.USAGE,
        ) from None
    async with made as http:
        yield GongClient(http, credentials.base_url, pace, patience)
