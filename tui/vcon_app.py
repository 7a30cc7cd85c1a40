"""``VconApp``: browsing and editing the vCons of one store."""

from __future__ import annotations

from textual.screen import Screen

from tui.operator_app import OperatorApp
from tui.screens.vcons import VconBrowser
from tui.vcons import Vcons


class VconApp(OperatorApp):
    """Shows *vcons*; *ascii* draws no lines, bars and arrows, but letters in their place."""

    TITLE = "gongctl vcon browse"
    ABOUT = (
        "Enter opens a vCon, and in it reads an element whole. What a tool that writes would",
        "change is shown first, and nothing is written before it is confirmed.",
    )
    SIGNS = False

    def __init__(self, vcons: Vcons, *, ascii: bool = False) -> None:  # noqa: A002
        super().__init__(ascii=ascii)
        self._vcons = vcons

    def get_default_screen(self) -> Screen[None]:
        """Open with the list."""
        return VconBrowser(self._vcons, home=True)
