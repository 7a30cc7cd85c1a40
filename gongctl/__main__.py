"""Entry point of the ``gongctl`` command."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line of this process and return its exit code; 130 when interrupted."""
    try:
        from gongctl.cli.root import run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
