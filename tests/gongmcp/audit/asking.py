"""Requests through the observed handler, as the door makes them, and what the audit log says of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gongmcp.audit.line_file import LineFile
from gongmcp.audit.sealing import ArgumentSeal
from gongmcp.audit.trail import AuditTrail
from gongmcp.cancel import Cancel
from gongmcp.handler import ToolHandler
from gongmcp.identity.client import ASKER, Asker, Client, Kind
from gongmcp.protocol.observe import Observed, Observer

CLIENT = Client(Kind.ACCESS_TOKEN, "team a", "k" * 16)


@contextmanager
def observed(handler: ToolHandler, observer: Observer) -> Iterator[Observed]:
    """Give the handler as one client has it."""
    token = ASKER.set(Asker(CLIENT, "http", "client", "1.0", "2025-11-25"))
    try:
        yield Observed(handler, observer)
    finally:
        ASKER.reset(token)


def trail_at(path: Path, handler: ToolHandler, seal: ArgumentSeal | None = None) -> AuditTrail:
    """Return a trail over a new log, which knows the cache's secret as a server's does."""
    trail = AuditTrail(LineFile(path), seal)
    trail.know(secret_of(handler))
    return trail


def secret_of(handler: ToolHandler) -> bytes:
    """Return the secret of the cache behind *handler*."""
    model = handler.model()
    assert model is not None
    return model.secret


def ask(door: Observed, tool: str, **arguments: Any) -> Any:
    """Call a tool."""
    return door.answer(tool, arguments, Cancel())


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the log as plain JSON, without our own reader."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
