"""``CallSpans``: one OpenTelemetry span for each request, through the API alone.

A span says how a request went: tool, outcome code, rows, bytes. It holds no argument and no word of an answer. The
tracer is given and never looked up: a provider that the environment configures could send spans somewhere, and this
server opens no outgoing connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from opentelemetry.trace import SpanKind, Status, StatusCode

from gongmcp.audit.record import ANSWERED, said
from gongmcp.audit.trail import own_word

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from gongmcp.protocol.observe import CallRecord, RefusedRequest

_NANOSECONDS: Final = 1_000_000_000


class CallSpans:
    """An observer (``gongmcp.protocol.observe``) that makes the spans with *tracer*. Thread-safe as the tracer is."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def on_call(self, record: CallRecord) -> None:
        """Make the span of one request, with the times that it took."""
        tool = own_word(record.method, record.name)
        begun = int(record.at * _NANOSECONDS)
        span = self._tracer.start_span(
            f"{record.method} {tool}".rstrip(),
            kind=SpanKind.SERVER,
            start_time=begun,
            attributes={
                "mcp.method.name": record.method,
                "gongmcp.tool": tool,
                "gongmcp.outcome": record.code,
                "gongmcp.rows": record.outcome.rows if record.outcome is not None else len(record.values),
                "gongmcp.bytes": record.outcome.bytes if record.outcome is not None else 0,
                "gongmcp.policy": record.policy.digest(),
                "gongmcp.cancelled": record.cancelled,
                "mcp.protocol.version": said(record.asker.protocol),
                "network.transport": "pipe" if record.asker.transport == "stdio" else "tcp",
            },
        )
        if record.code not in ANSWERED:
            span.set_status(Status(StatusCode.ERROR))
        span.end(begun + int(record.milliseconds * _NANOSECONDS / 1000))

    def on_refused(self, refused: RefusedRequest) -> None:
        """Requests that reach no tool have no span; the audit log counts them."""
