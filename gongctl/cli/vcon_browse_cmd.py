"""``gongctl vcon browse``: the vCons of a store on screen. The screens are ``tui.vcon_app``'s."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import fail
from gongctl.cli.restricted import sensitive
from gongctl.cli.screens import Ascii, interactive
from gongmcp.errors import Exit

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command("browse", cls=LightCommand)
@sensitive("vCons as they are")
def browse(
    db: Annotated[Path, typer.Option("--db", envvar="GONGCTL_VCON_DB", help="The vCon store.")],
    ascii: Ascii = False,  # noqa: A002
) -> None:
    """Look at the vCons of a store: parties, dialogs, analyses, attachments, tags, findings of the validation.

    A tool that writes is tried first: the difference is shown, and nothing is changed before it is confirmed.
    """
    from gongctl.vcon.browse import open_store

    vcons = open_store(db)  # before the screen: a refusal needs none
    try:
        if not interactive():
            fail(
                "Browsing needs a terminal.",
                "Without one, gongctl vcon show, validate and diff print what stands there.",
                Exit.USAGE,
            )
        from tui.vcon_app import VconApp

        VconApp(vcons, ascii=ascii).run()
    finally:
        vcons.close()
