"""``gongctl keys``: every key of the screens, from the registry that binds them."""

from __future__ import annotations

from typing import Annotated

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, heading, table
from gongctl.cli.restricted import not_sensitive

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("keys", cls=LightCommand)
@not_sensitive
def keys(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the keys of the screens by place, each with the id under which it can be given other keys."""
    from tui.keys import REGISTRY

    if as_json:
        emit_json(
            [
                {"place": place, "id": key.id, "keys": key.key.split(","), "does": key.tooltip}
                for place, bindings in REGISTRY.items()
                for key in bindings
            ]
        )
        return
    for number, (place, bindings) in enumerate(REGISTRY.items()):
        if number:
            emit_text("")
        heading(place)
        table(["keys", "does", "id"], [[key.key.replace(",", ", "), key.tooltip, key.id or ""] for key in bindings])
