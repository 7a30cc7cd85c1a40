"""What is served beside MCP: health, metrics, and where OAuth clients find the issuer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.types import Receive, Scope, Send

from gongmcp import __version__
from gongmcp.protocol.http.answers import send_bytes, send_json
from gongmcp.protocol.server import CLIENT

if TYPE_CHECKING:
    from gongmcp.identity.client import Client
    from gongmcp.protocol.http.gate import Counts
    from gongmcp.serving import Serving


class Health:
    """``/healthz``: 200 when the server can answer, 503 while it waits for its cache; details for a client alone."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        client: Client | None = scope.get(CLIENT)
        ready, details = await to_thread.run_sync(self._look, client)
        body: dict[str, Any] = {"status": "ok" if ready else "starting", **details}
        await send_json(send, 200 if ready else 503, body)

    def _look(self, client: Client | None) -> tuple[bool, dict[str, Any]]:
        ready = self._serving.is_ready
        if client is None:
            return ready, {}
        handler = self._serving.handler_of(client.narrowing).handler
        fresh = handler.freshness()
        return ready, {
            "version": __version__,
            "preset": handler.policy.preset,
            "policy_digest": handler.policy.digest(),
            "tools": len(handler.listed()),
            "freshness": fresh["freshness"],
            "as_of": fresh["as_of"],
        }


class Metrics:
    """``/metrics``: what happened at the door of this process, in Prometheus' text form; nothing of a call."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        counts = self._counts
        lines = [
            *_family(
                "gongmcp_http_answers_total",
                "counter",
                "Answers by path and status.",
                ((f'path="{path}",status="{status}"', count) for (path, status), count in counts.answered.items()),
            ),
            *_family(
                "gongmcp_http_refused_total",
                "counter",
                "Requests that were refused at the door, by reason.",
                ((f'reason="{reason}"', count) for reason, count in counts.refused.items()),
            ),
            *_family(
                "gongmcp_http_requests_running",
                "gauge",
                "Requests being answered.",
                [("", sum(counts.at_once.values()))],
            ),
        ]
        data = ("\n".join(lines) + "\n").encode()
        await send_bytes(send, 200, data, {"content-type": "text/plain; version=0.0.4; charset=utf-8"})


def _family(name: str, kind: str, help_text: str, samples: Iterable[tuple[str, int]]) -> list[str]:
    rows = [f"{name}{{{labels}}} {value}" if labels else f"{name} {value}" for labels, value in sorted(samples)]
    return [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}", *rows]


class ResourceMetadata:
    """``/.well-known/oauth-protected-resource`` (RFC 9728): who issues tokens for this server."""

    def __init__(self, resource: str, issuer: str, scope: str | None) -> None:
        self._body: dict[str, Any] = {
            "resource": resource,
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
        }
        if scope is not None:
            self._body["scopes_supported"] = [scope]

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        await send_json(send, 200, self._body)


def metadata_url(resource: str) -> str:
    """Return where the metadata of the server at *resource* is, by RFC 9728: the well-known part before the path."""
    match = re.fullmatch(r"(https?://[^/?#]+)(/[^?#]*)?", resource)
    if match is None:
        return ""
    path = (match[2] or "").rstrip("/")
    return f"{match[1]}/.well-known/oauth-protected-resource{path}"
