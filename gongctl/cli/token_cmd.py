"""``gongctl token``: access tokens for agents that come over HTTP. The work is in ``gongctl.tokens``."""

from __future__ import annotations

import typer

from gongctl.cli.lazy import LazyGroup

app = typer.Typer(
    cls=LazyGroup,
    help="Mint, list and revoke access tokens for agents that come over HTTP.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _group() -> None:
    """Mint, list and revoke access tokens for agents that come over HTTP."""
