"""Spans as lines of JSON in a file, with the OpenTelemetry SDK (the extra ``gongctl[otel]``).

The provider is our own and is registered nowhere. Sampling, limits, resource and meters are given, so that no variable
of the environment names an exporter (``OTEL_SDK_DISABLED`` turns spans off); none but the one here is loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from gongmcp import __version__
from gongmcp.audit.line_file import LineFile, Unwritable

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

log = logging.getLogger("gongmcp")


class SpanFile(SpanExporter):
    """Writes each span as a line. A span that cannot be written is lost, and the log says so once."""

    def __init__(self, file: LineFile) -> None:
        self._file = file
        self._failing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write *spans*."""
        try:
            for span in spans:
                self._file.append(span.to_json(indent=None).encode())
        except Unwritable as problem:
            if not self._failing:
                log.warning("spans cannot be written: %s", problem)
            self._failing = True
            return SpanExportResult.FAILURE
        self._failing = False
        return SpanExportResult.SUCCESS


def file_tracer(file: LineFile) -> Tracer:
    """Return a tracer whose spans go to *file*."""
    meters = NoOpMeterProvider()
    provider = TracerProvider(
        sampler=ALWAYS_ON,
        resource=Resource({"service.name": "gongmcp", "service.version": __version__}),
        span_limits=SpanLimits(
            max_span_attributes=64, max_events=8, max_links=8, max_event_attributes=8, max_link_attributes=8
        ),
        shutdown_on_exit=False,
        meter_provider=meters,
    )
    provider.add_span_processor(SimpleSpanProcessor(SpanFile(file), meter_provider=meters))
    return provider.get_tracer("gongmcp", __version__)
