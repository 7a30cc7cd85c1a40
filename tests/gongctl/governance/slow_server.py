"""The server with a rule that judges names when a question comes, and takes its time: what the timing attack must win
against."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gongmcp import command, handler
from gongmcp.cancel import Cancel
from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import read_restricted_list

SECONDS = 0.05

if __name__ == "__main__":
    arguments = sys.argv[1:]
    matcher = Matcher(read_restricted_list(Path(arguments[arguments.index("--ai-governance-config") + 1])))
    call = handler.ToolHandler.call

    def judging(
        self: handler.ToolHandler, name: str, given: Mapping[str, Any] | None, cancel: Cancel | None = None
    ) -> handler.Outcome:
        if matcher.hits(str((given or {}).get("query", ""))):
            time.sleep(SECONDS)
        return call(self, name, given, cancel)

    handler.ToolHandler.call = judging  # type: ignore[method-assign,assignment]
    sys.exit(command.run(arguments))
