"""Rewrite the generated blocks of the documents from the live code.

    python scripts/build_docs.py            rewrite them
    python scripts/build_docs.py --check    change nothing; exit 1 and name the blocks that differ

Examples are real calls on a cache of the bundled sample, built anew with a fixed secret and a fixed time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from docgen import catalogue, cli_help, errors, exposure, restricted_mode, tui_keys
from docgen.blocks import differing, fill
from docgen.sample_cache import sample_cache

from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings

ROOT = Path(__file__).resolve().parent.parent

STATIC: dict[str, Callable[[], str]] = {
    "presets": catalogue.presets,
    "field-classes": exposure.field_classes,
    "exposure-columns": exposure.exposure_columns,
    "switches": exposure.switches,
    "filters": exposure.filters,
    "dimensions": exposure.dimensions,
    "masked-kinds": exposure.masked_kinds,
    "errors": errors.errors,
    "exit-codes": errors.exit_codes,
    "refusals": errors.refusals,
    "cli-help": cli_help.cli_help,
    "settings": cli_help.settings,
    "file-keys": cli_help.file_keys,
    "limits": cli_help.limits,
    "sensitive-commands": restricted_mode.sensitive_commands,
    "tui-keys": tui_keys.tui_keys,
}
"""Blocks made of the code alone."""

ON_SAMPLE: dict[str, Callable[[ToolHandler], str]] = {
    "mcp-table": catalogue.mcp_table,
    "surface": catalogue.surface,
    "envelope": catalogue.envelope,
    "tools": catalogue.tools,
    "text-example": catalogue.text_example,
    "ledger-example": catalogue.ledger_example,
    "instructions-example": catalogue.instructions_example,
}
"""Blocks made of the default policy's handler over the bundled sample."""


def documents() -> list[Path]:
    """Return the documents that may hold generated blocks."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def contents() -> dict[str, str]:
    """Return what each block should hold, by name."""
    made = {name: make() for name, make in STATIC.items()}
    with sample_cache() as db:
        handler = build_handler(ServerSettings.resolve({}, {}), db)
        made |= {name: make(handler) for name, make in ON_SAMPLE.items()}
    return made


def rewritten(document: Path, made: dict[str, str]) -> tuple[str, list[str]]:
    """Return the text that *document* should have, and the names of its blocks that differ now."""
    old = document.read_text(encoding="utf-8")
    new = fill(old, made)
    return new, differing(old, new)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 and name the blocks that differ")
    check = parser.parse_args(arguments).check
    made = contents()
    status = 0
    for document in documents():
        new, stale = rewritten(document, made)
        name = document.relative_to(ROOT)
        for block in stale:
            print(f"{name}: the block {block} " + ("differs from the code" if check else "is rewritten"))
        if stale and check:
            status = 1
        elif stale:
            document.write_text(new, encoding="utf-8")
    if status:
        print("Run: make docs", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
