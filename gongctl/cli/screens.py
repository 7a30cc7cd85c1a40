"""Options of the commands that open screens."""

from __future__ import annotations

from typing import Annotated

import typer

Ascii = Annotated[
    bool,
    typer.Option("--ascii", help="Draw no lines, bars and arrows, but letters: for terminals that have no others."),
]
"""Whether the screens are drawn with plain signs."""
