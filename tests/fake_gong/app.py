"""A fake of Gong's public API as an ASGI application: its paging, its errors and its moods.

Faithful in what a sync depends on: pages with a cursor that is bound to the request and expires, the 404 of an empty
result, 429 with Retry-After, calls and transcripts that appear late, ids as integers where Gong has them so. The
moods are settings: a share of 429 and 500 answers and of dropped connections, slow answers.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from tests.fake_gong.data import SCHEMA_TYPES, Company, call_id

KEY, SECRET = "FAKEKEY0", "fake-secret-0"
NO_CALLS = "No calls found corresponding to the provided filters"

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


@dataclass
class Moods:
    """How the API behaves. Shares are of all requests; *cursor_life* is in requests that may come in between."""

    page_size: int = 100
    cursor_life: int | None = None
    share_429: float = 0.0
    share_500: float = 0.0
    share_dropped: float = 0.0
    retry_after: str | None = "0"
    slow: float = 0.0
    rate: int | None = None  # requests that any second may hold; more get a 429
    seed: int = 1
    scopes: frozenset[str] | None = None  # None = all; else the paths that may be asked


@dataclass(frozen=True)
class Seen:
    """One request as the API saw it: when (monotonic), what, and how it was answered (0 = dropped)."""

    at: float
    method: str
    path: str
    query: str
    body: Any
    status: int


class Refused(Exception):
    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.text, self.headers = status, text, dict(headers or {})


@dataclass
class FakeGong:
    """The application. *now* is its clock; *script* are answers to be given first, in order, by (status, headers)."""

    company: Company
    moods: Moods = field(default_factory=Moods)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    script: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    before_answer: Callable[[FakeGong, int], None] | None = None
    """Called with the number of the request (from 1) before it is answered."""

    def __post_init__(self) -> None:
        self._random = random.Random(self.moods.seed)
        self._key = b"fake cursor key"
        self._recent: list[float] = []
        self.requests = 0

    def asked(self, path: str) -> list[Seen]:
        """Return the requests to *path*."""
        return [item for item in self.seen if item.path == path]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} is not served")
        raw = b""
        while True:
            message = await receive()
            raw += message.get("body", b"")
            if not message.get("more_body"):
                break
        arrived = time.monotonic()
        self.requests += 1
        number = self.requests
        if self.before_answer is not None:
            self.before_answer(self, number)
        if self.moods.slow:
            await asyncio.sleep(self.moods.slow)
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        query = scope["query_string"].decode()
        body = json.loads(raw) if raw else None
        status, answer, extra = self._answer(scope["method"], scope["path"], query, headers, body)
        dropped = status == 200 and self._chance(self.moods.share_dropped)
        self.seen.append(Seen(arrived, scope["method"], scope["path"], query, body, 0 if dropped else status))
        await _send(send, status, answer, extra, cut=dropped)

    def _chance(self, share: float) -> bool:
        return bool(share) and self._random.random() < share

    def _answer(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any, dict[str, str]]:
        request_id = f"req{self.requests:06d}"
        try:
            self._moody()
            login = "Basic " + base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
            if headers.get("authorization") not in (login, f"Bearer {SECRET}"):
                raise Refused(401, "Provided login credentials are invalid")
            found = getattr(self, f"_{method.lower()}{path.replace('/', '_').replace('-', '_')}", None)
            if found is None:
                return 404, None, {}  # as a web server without that path does
            if self.moods.scopes is not None and path not in self.moods.scopes:
                raise Refused(403, "The access key lacks the scope for this endpoint")
            return 200, {"requestId": request_id} | found(_query(query), body), {}
        except Refused as refused:
            return refused.status, {"requestId": request_id, "errors": [refused.text]}, refused.headers

    def _moody(self) -> None:
        retry = {} if self.moods.retry_after is None else {"retry-after": self.moods.retry_after}
        if self.script:
            status, headers = self.script.pop(0)
            if status != 200:
                raise Refused(status, "as the test says", headers)
            return
        if self.moods.rate is not None:
            now = time.monotonic()
            self._recent = [at for at in self._recent if at > now - 1.0]
            if len(self._recent) >= self.moods.rate:
                raise Refused(429, "Too many requests", {"retry-after": "1"})
            self._recent.append(now)
        if self._chance(self.moods.share_429):
            raise Refused(429, "Too many requests", retry)
        if self._chance(self.moods.share_500):
            raise Refused(500, "Internal error")

    # --- endpoints

    def _post_v2_calls_extensive(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        if query:
            raise Refused(400, "This endpoint takes no query")
        request = _body(body)
        rule = request["filter"]
        now = self.now()
        found = [call for call in self.company.calls if self._there(call, now) and _meets(call, rule)]
        page, records = self._page(found, request.get("cursor"), {k: v for k, v in request.items() if k != "cursor"})
        return {"records": records, "calls": [_selected(call, request.get("contentSelector") or {}) for call in page]}

    def _post_v2_calls_transcript(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        request = _body(body)
        now = self.now()
        found = []
        for call in self.company.calls:
            identity = call_id(call)
            if identity not in self.company.transcripts or not self._there(call, now):
                continue
            if self.company.transcribed.get(identity, now) <= now and _meets(call, request["filter"]):
                found.append(self.company.transcripts[identity])
        page, records = self._page(found, request.get("cursor"), {k: v for k, v in request.items() if k != "cursor"})
        return {"records": records, "callTranscripts": page}

    def _post_v2_stats_activity_scorecards(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        request = _body(body)
        rule = request["filter"]
        found = [
            item
            for item in self.company.answered
            if rule.get("reviewFromDate", "") <= item["reviewTime"][:10] < rule.get("reviewToDate", "9")
        ]
        page, records = self._page(found, request.get("cursor"), {k: v for k, v in request.items() if k != "cursor"})
        return {"records": records, "answeredScorecards": page}

    def _get_v2_users(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        page, records = self._page(self.company.users, query.get("cursor"), {})
        return {"records": records, "users": page}

    def _get_v2_workspaces(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        return {"workspaces": self.company.workspaces}

    def _get_v2_settings_trackers(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        return {"keywordTrackers": self.company.trackers}

    def _get_v2_settings_scorecards(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        return {"scorecards": self.company.scorecards}

    def _get_v2_crm_integrations(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        return {"integrations": self.company.integrations}

    def _get_v2_crm_entity_schema(self, query: Mapping[str, str], body: Any) -> dict[str, Any]:
        wanted = query.get("objectType", "")
        if wanted not in SCHEMA_TYPES or not query.get("integrationId"):
            raise Refused(400, "integrationId and objectType are required")
        fields = self.company.crm_schema.get(wanted)
        return {"objectTypeToSelectedFields": {} if fields is None else {wanted: fields}}

    # --- paging

    def _there(self, call: dict[str, Any], now: datetime) -> bool:
        return self.company.appears.get(call_id(call), now) <= now

    def _page(
        self, items: list[dict[str, Any]], cursor: str | None, request: Mapping[str, Any]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        offset = 0 if cursor is None else self._opened(cursor, request)
        if not items and request:  # a listing without a filter is never empty in this way
            raise Refused(404, NO_CALLS)
        page = items[offset : offset + self.moods.page_size]
        records: dict[str, Any] = {
            "totalRecords": len(items),
            "currentPageSize": len(page),
            "currentPageNumber": offset // self.moods.page_size,
        }
        if offset + len(page) < len(items):
            records["cursor"] = self._sealed(offset + len(page), request)
        return page, records

    def _sealed(self, offset: int, request: Mapping[str, Any]) -> str:
        payload = {"off": offset, "req": _digest(request), "at": self.requests}
        text = ".".join(_b64(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, payload))
        return f"{text}.{_b64(hmac.digest(self._key, text.encode(), 'sha256'))}"

    def _opened(self, cursor: str, request: Mapping[str, Any]) -> int:
        text, _, signature = cursor.rpartition(".")
        if not hmac.compare_digest(signature, _b64(hmac.digest(self._key, text.encode(), "sha256"))):
            raise Refused(400, "The cursor is invalid")
        payload = json.loads(base64.urlsafe_b64decode(text.partition(".")[2] + "=="))
        if payload["req"] != _digest(request):
            raise Refused(400, "The cursor belongs to another request")
        if self.moods.cursor_life is not None and self.requests - payload["at"] > self.moods.cursor_life:
            raise Refused(400, "The cursor has expired")
        return int(payload["off"])


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _digest(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True, default=sorted).encode()).hexdigest()[:16]


def _query(text: str) -> dict[str, str]:
    from urllib.parse import parse_qsl

    return dict(parse_qsl(text))


def _body(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict) or not isinstance(body.get("filter"), dict):
        raise Refused(400, "filter is required")
    rule = body["filter"]
    return body | {"filter": rule | {"callIds": frozenset(rule["callIds"])}} if "callIds" in rule else body


_moment = lru_cache(maxsize=None)(datetime.fromisoformat)


def _meets(call: dict[str, Any], rule: Mapping[str, Any]) -> bool:
    if "callIds" in rule and call_id(call) not in rule["callIds"]:
        return False
    begun = _moment(call["metaData"]["started"])
    if (text := rule.get("fromDateTime")) and begun < _moment(text):
        return False
    if (text := rule.get("toDateTime")) and begun >= _moment(text):
        return False
    workspace = rule.get("workspaceId")
    return not workspace or call["metaData"].get("workspaceId") == workspace


_CONTENT_PARTS = {"trackers": ("trackers", "trackerOccurrences"), "pointsOfInterest": ("pointsOfInterest",)}


def _selected(call: dict[str, Any], selector: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of *call* that *selector* asks for."""
    answer = {"metaData": call["metaData"]}
    exposed = selector.get("exposedFields") or {}
    if selector.get("context", "None") != "None" and "context" in call:
        answer["context"] = call["context"]
    if exposed.get("parties") and "parties" in call:
        answer["parties"] = call["parties"]
    wanted = exposed.get("content") or {}
    if wanted and "content" in call:
        held = call["content"]
        if isinstance(held, dict):
            held = {key: value for key, value in held.items() if wanted.get(_CONTENT_PARTS.get(key, (key,))[0])}
        answer["content"] = held
    if exposed.get("interaction") and "interaction" in call:
        answer["interaction"] = call["interaction"]
    if (exposed.get("collaboration") or {}).get("publicComments") and "collaboration" in call:
        answer["collaboration"] = call["collaboration"]
    return answer


async def _send(send: Send, status: int, answer: Any, extra: Mapping[str, str], *, cut: bool) -> None:
    if answer is None:
        data, kind = b"<html><body>Not Found</body></html>", b"text/html"
    else:
        data, kind = json.dumps(answer, ensure_ascii=False).encode(), b"application/json"
    headers = [(b"content-type", kind), (b"content-length", str(len(data)).encode())]
    headers += [(name.encode(), value.encode()) for name, value in extra.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if cut:
        await send({"type": "http.response.body", "body": data[: len(data) // 2], "more_body": True})
        raise ConnectionAbortedError("dropped")
    await send({"type": "http.response.body", "body": data})
