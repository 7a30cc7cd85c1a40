"""Photograph the TUI: the real app, on a cache of the bundled sample, as SVG and PNG in ``screenshots/``.

    python scripts/screenshots.py            all pictures
    python scripts/screenshots.py NAME…      some of them

The sample's cache is built with a fixed secret and a fixed time, so a picture changes with the app only
(and in the milliseconds that a call took).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cairosvg
from docgen.sample_cache import sample_cache

from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from tui.app import PreflightApp

TARGET = Path(__file__).resolve().parent.parent / "screenshots"
FONT = "DejaVu Sans Mono"
"""A font that the machine has: cairo knows no web fonts and would fall back to a proportional one."""

PIXELS_A_CELL = 12

FORM = ("<slash>", "transcript_segments", "<enter>", "<enter>")
"""Steps to the form of the tool that searches transcripts."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What to photograph: terminal size in cells, steps, theme, whether there is a cache.

    A step in angle brackets is a key, ``<settle>`` waits for the running call, any other is typed.
    """

    size: tuple[int, int]
    steps: tuple[str, ...]
    theme: str = "preflight-dark"
    cache: bool = True


def run(query: str, *then: str) -> tuple[str, ...]:
    """Return the steps that search for *query* and go on with *then*."""
    return (*FORM, query, "<enter>", "<settle>", *then)


PICTURES: dict[str, Picture] = {
    "preflight": Picture((140, 45), run('"relations team" OR "free cash flow"', "<s>", "<end>")),
    "withheld": Picture((120, 40), run('"free cash flow"', "<t>", "<n>", "<n>")),
    "arguments": Picture((120, 40), (*FORM, "guidance", "<tab>", "2026-13-01")),
    "provenance": Picture((100, 30), run("guidance", "<v>", "<down>")),
    "help": Picture((120, 40), ("<question_mark>",)),
    "narrow": Picture((80, 24), run("guidance", "<n>")),
    "light": Picture((120, 40), run("guidance", "<n>"), "preflight-light"),
    "no-cache": Picture((120, 40), run("guidance"), cache=False),
}


async def photograph(picture: Picture, handler: ToolHandler) -> str:
    """Play *picture* and return it as SVG."""
    app = PreflightApp(handler)
    async with app.run_test(size=picture.size) as pilot:
        app.theme = picture.theme
        await pilot.pause()
        for step in picture.steps:
            if step == "<settle>":
                await app.workers.wait_for_complete()
                await pilot.pause()
            elif step.startswith("<"):
                await pilot.press(step[1:-1])
            else:
                await pilot.press(*step)
        await pilot.pause()
        await pilot.pause()
        return app.export_screenshot()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(PICTURES)}")
    names = parser.parse_args(arguments).names or list(PICTURES)
    if unknown := set(names) - set(PICTURES):
        parser.error(f"no such picture: {', '.join(sorted(unknown))}")
    TARGET.mkdir(exist_ok=True)
    with sample_cache() as db:
        for name in names:
            picture = PICTURES[name]
            handler = build_handler(ServerSettings(), db if picture.cache else None)
            svg = asyncio.run(photograph(picture, handler))
            (TARGET / f"{name}.svg").write_text(svg, encoding="utf-8")
            width = picture.size[0] * PIXELS_A_CELL
            drawn = svg.replace("Fira Code", FONT).encode()
            cairosvg.svg2png(bytestring=drawn, write_to=str(TARGET / f"{name}.png"), output_width=width)
            print(f"screenshots/{name}.svg, .png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
