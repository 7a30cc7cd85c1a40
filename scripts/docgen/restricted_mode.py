"""Block of ``docs/governance.md``: the commands that restricted mode blocks, from their own declarations."""

from __future__ import annotations

import typer

from docgen.markdown import cell, code, table
from gongctl.cli.restricted import declarations
from gongctl.cli.root import app


def sensitive_commands() -> str:
    """Return the table of the commands that give data away: what, and when."""
    rows = [
        [code(" ".join(("gongctl", *words))), cell(found.what), cell(found.case or "always")]
        for words, found in declarations(typer.main.get_command(app))
        if found is not None and found.is_sensitive
    ]
    return table(["Command", "What it gives away", "When"], rows)
