"""The server with its guards switched off: what the adversary must win against, else its attacks are blind."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

from gongmcp import command, handler, settings
from gongmcp.errors import ToolFault
from gongmcp.exposure import engine
from gongmcp.exposure.cursor import CursorSealer, Position
from gongmcp.exposure.decisions import Decision, field_of
from gongmcp.exposure.policy import EvidenceLimits

UNLIMITED = EvidenceLimits(10**6, 10**6, 100)


def seal(self: CursorSealer, position: Position, binding: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(position.plain()).encode()).decode().rstrip("=")


def unseal(self: CursorSealer, cursor: str, binding: dict[str, Any]) -> Position:
    try:
        return Position.of(json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))))
    except (ValueError, TypeError):
        raise ToolFault("invalid_cursor", "No.") from None


def quoting(fault: ToolFault) -> Any:
    return handler.Answer(
        f"Traceback: {fault.message} in /home/gongmcp/handler.py",
        None,
        is_error=True,
        error={
            "code": fault.code,
            "message": fault.message,
            "hint": "",
        },
    )


if __name__ == "__main__":
    engine.decide = lambda expose, policy, args: Decision(True, field_of(expose, args))  # type: ignore[assignment]
    CursorSealer.seal, CursorSealer.open = seal, unseal  # type: ignore[method-assign]
    settings.EvidenceLimits = lambda: UNLIMITED  # type: ignore[misc,assignment]
    handler.error_answer = quoting
    sys.exit(command.run(sys.argv[1:]))
