"""The observer that a server's settings ask for: the audit log, spans, both or none. What is not asked for is not
imported."""

from __future__ import annotations

import atexit
from pathlib import Path
from typing import TYPE_CHECKING

from gongmcp.audit.line_file import LineFile, Unwritable
from gongmcp.refusals import refused

if TYPE_CHECKING:
    from gongmcp.audit.spans import CallSpans
    from gongmcp.audit.trail import AuditTrail
    from gongmcp.protocol.observe import CallRecord, RefusedRequest
    from gongmcp.settings import AuditSettings


class Observers:
    """The audit log, then the spans: an answer that the log cannot tell of is not given, and has no span."""

    def __init__(self, trail: AuditTrail | None, spans: CallSpans | None) -> None:
        self._trail = trail
        self._observers = [observer for observer in (trail, spans) if observer is not None]

    def know(self, secret: bytes) -> None:
        """Tell the log the *secret* of the cache that is served."""
        if self._trail is not None:
            self._trail.know(secret)

    def on_call(self, record: CallRecord) -> None:
        """Tell each of a request; raises ``ToolFault`` as ``AuditTrail.on_call`` does."""
        for observer in self._observers:
            observer.on_call(record)

    def on_refused(self, refused: RefusedRequest) -> None:
        """Tell each of a request that the HTTP door refused."""
        for observer in self._observers:
            observer.on_refused(refused)


def open_observer(settings: AuditSettings) -> Observers | None:
    """Return the observer that *settings* ask for, its files open; None when they ask for none.

    Raises:
        StartupRefusal: a file cannot be written, the key is none, or the extra for spans is not installed.
    """
    trail: AuditTrail | None = None
    spans: CallSpans | None = None
    if settings.file is not None:
        from gongmcp.audit.trail import AuditTrail

        seal = None
        if settings.arguments_key is not None:
            from gongmcp.audit.sealing import read_key_file

            seal = read_key_file(settings.arguments_key)
        trail = AuditTrail(_opened(settings.file, settings.max_bytes, "audit_unwritable"), seal)
        atexit.register(trail.flush)
    if settings.otel_file is not None:
        try:
            from gongmcp.audit.span_file import file_tracer
        except ImportError:
            raise refused("otel_missing") from None
        from gongmcp.audit.spans import CallSpans

        spans = CallSpans(file_tracer(_opened(settings.otel_file, settings.max_bytes, "otel_unwritable")))
    return Observers(trail, spans) if trail is not None or spans is not None else None


def _opened(path: Path, max_bytes: int, refusal: str) -> LineFile:
    try:
        return LineFile(path, max_bytes)
    except Unwritable as problem:
        raise refused(refusal, file=path.name, reason=str(problem)) from None
