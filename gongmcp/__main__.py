"""The ``gongmcp`` command: serve a cache to agents over MCP, read-only."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code (``gongmcp.errors.Exit``)."""
    # Imports build many small long-lived objects; collecting in between costs start-up time only.
    gc.disable()
    try:
        from gongmcp.command import run

        return run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:  # before the server has taken the signals over
        return 130  # Exit.INTERRUPTED, which may not be imported yet


if __name__ == "__main__":
    sys.exit(main())
