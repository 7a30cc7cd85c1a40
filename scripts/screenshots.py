"""Photograph the TUI: the real app, on a cache of the bundled sample, as SVG and PNG in ``screenshots/``.

    python scripts/screenshots.py            all pictures
    python scripts/screenshots.py NAME…      some of them

The sample's cache is built with a fixed secret and a fixed time, so a picture changes with the app only
(and in the milliseconds that a call took).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import cairosvg
from docgen.sample_cache import EPOCH, sample_cache

from gongctl.approval.reviewing import CacheReviewing
from gongctl.approval.state import ReviewState
from gongctl.cli.operations import CacheOperations
from gongctl.vcon.browse import BrowsedVcons, open_store
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from tui.app import PreflightApp
from tui.operator_app import OperatorApp
from tui.vcon_app import VconApp

TARGET = Path(__file__).resolve().parent.parent / "screenshots"
FONT = "DejaVu Sans Mono"
"""A font that the machine has: cairo knows no web fonts and would fall back to a proportional one."""

PIXELS_A_CELL = 12

LATER, SOONER = "order: 30", "order: 5"
"""In the profile that discovery proposes, the place of the post-sales bucket; and the place the candidate gives it."""

LISTED_CALL = "2687173169473791077"
LIST = """\
version: 1
lists:
  no_ai:
    customers:
      - name: Cumulus Media Inc
      - name: Lands End
      - name: Northwind Freight
"""
"""A restricted list, of which the sample names two customers; and a call that names the first."""

FORM = ("<slash>", "transcript_segments", "<enter>", "<enter>")
"""Steps to the form of the tool that searches transcripts."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What to photograph: terminal size in cells, steps, theme, whether there is a cache, and a business profile.

    A step in angle brackets is a key, ``<settle>`` waits for the running call, any other is typed. With a profile
    the working folder holds ``candidate.yaml``, which puts renewals first. Under a list some customers are restricted.
    A review opens with the queue of ``operator-smoke``. With vCons it is a store of the sample's calls.
    """

    size: tuple[int, int]
    steps: tuple[str, ...]
    theme: str = "preflight-dark"
    cache: bool = True
    profile: bool = False
    listed: bool = False
    review: bool = False
    vcons: bool = False


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
    "profile": Picture((140, 45), ("<b>", "<settle>"), profile=True),
    "compare": Picture(
        (120, 40), ("<b>", "<settle>", "<c>", "<settle>", "candidate.yaml", "<enter>", "<settle>"), profile=True
    ),
    "review": Picture((140, 45), ("<settle>", "<s>", "<down>", "<down>"), review=True),
    "review-structured": Picture((120, 40), ("<settle>", "<l>", "<n>", "<n>", "<d>"), review=True),
    "review-samples": Picture((100, 30), ("<settle>", "<x>"), review=True),
    "review-lock": Picture(
        (120, 40), ("<settle>", "<A>", "<settle>", "<A>", "<settle>", "<L>", "<settle>"), review=True
    ),
    "review-slim": Picture((60, 20), ("<settle>", "<enter>", "<n>", "<n>"), review=True),
    "review-contrast": Picture((120, 40), ("<settle>", "<n>"), "preflight-contrast", review=True),
    "side-by-side": Picture((140, 45), ("<settle>", "<2>", "<settle>", "<settle>"), review=True),
    "policy": Picture((140, 45), ("<settle>", "<3>", "<settle>"), review=True),
    "cache": Picture((120, 40), ("<settle>", "<4>", "<settle>"), review=True),
    "history": Picture((120, 40), ("<settle>", "<r>", "<settle>", "<A>", "<settle>", "<5>", "<settle>"), review=True),
    "cost": Picture((120, 40), ("<settle>", "<k>"), review=True),
    "governance": Picture((140, 45), ("<o>", "<settle>", "<c>", LISTED_CALL, "<enter>", "<settle>"), listed=True),
    "vcon": Picture((140, 45), ("<settle>", "<down>", "<enter>", "<settle>", "<down>", "<down>"), vcons=True),
}


async def photograph(
    picture: Picture,
    handler: ToolHandler,
    operations: CacheOperations | None,
    settings: ServerSettings,
    reviewing: CacheReviewing | None = None,
) -> str:
    """Play *picture* and return it as SVG."""
    return await played(PreflightApp(handler, operations, settings=settings, reviewing=reviewing), picture)


async def played(app: OperatorApp, picture: Picture) -> str:
    """Play *picture* on *app* and return it as SVG."""
    async with app.run_test(size=picture.size) as pilot:
        app.theme = picture.theme
        await pilot.pause()
        for step in picture.steps:
            if step == "<settle>":
                await app.workers.wait_for_complete()
                await pilot.pause()
                await app.workers.wait_for_complete()
                await pilot.pause()
            elif step.startswith("<"):
                await pilot.press(step[1:-1])
            else:
                await pilot.press(*step)
        await pilot.pause()
        await pilot.pause()
        return app.export_screenshot()


def gongctl(*words: str) -> None:
    """Run a command of ``gongctl`` at the time of the sample's import."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GONGCTL_", "GONGMCP_"))}
    environment = clean | {"SOURCE_DATE_EPOCH": EPOCH}
    subprocess.run([sys.executable, "-m", "gongctl", *words], env=environment, check=True, capture_output=True)


@contextmanager
def profiled(db: Path) -> Iterator[None]:
    """Import the profile that discovery proposes for *db*, and work in a folder with a candidate beside it."""
    with TemporaryDirectory(prefix="gongctl-docs-") as folder, chdir(folder):
        profile, candidate = Path("profile.yaml"), Path("candidate.yaml")
        gongctl("profile", "discover", "--db", str(db), "--name", "Harbour Analytics", "--out", str(profile))
        gongctl("profile", "import", str(profile), "--db", str(db))
        gongctl("cache", "warm", "--db", str(db))
        text = profile.read_text(encoding="utf-8")
        candidate.write_text(text.replace(LATER, SOONER), encoding="utf-8")
        yield


@contextmanager
def restricting(db: Path) -> Iterator[tuple[Path, ServerSettings]]:
    """Copy *db* and warm the copy with a restricted list; give both."""
    with TemporaryDirectory(prefix="gongctl-docs-") as folder, chdir(folder):
        copy, listed = Path("gong.db"), Path("restricted.yaml")
        shutil.copyfile(db, copy)
        listed.write_text(LIST, encoding="utf-8")
        gongctl("cache", "warm", "--db", str(copy), "--ai-governance-config", str(listed))
        yield copy, ServerSettings.resolve({"ai_governance_config": str(listed), "min_cell": "5"}, {})


@contextmanager
def reviewing(db: Path) -> Iterator[tuple[Path, CacheReviewing, ServerSettings]]:
    """Give the review of ``operator-smoke`` on a copy of *db* in the working folder, by a name that is nobody's."""
    with TemporaryDirectory(prefix="gongctl-docs-") as folder, chdir(folder):
        copy = Path(db.name)
        shutil.copyfile(db, copy)
        os.environ |= {"LOGNAME": "operator", "SOURCE_DATE_EPOCH": EPOCH}
        settings = ServerSettings.resolve({"tool_preset": "operator-smoke"}, {})
        yield copy, CacheReviewing(copy, settings, ReviewState(Path(folder) / "state")), settings


@contextmanager
def store_of_calls(db: Path) -> Iterator[BrowsedVcons]:
    """Give a store of the calls of *db* as vCons, each turn a dialog."""
    with TemporaryDirectory(prefix="gongctl-docs-") as folder, chdir(folder):
        gongctl("vcon", "export", "--all", "--unredacted", "--text-dialogs", "--db", str(db), "--out", "calls.ndjson")
        gongctl("vcon", "import", "calls.ndjson", "--db", "vcon.db")
        yield open_store(Path("vcon.db"))


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
            settings = ServerSettings.resolve({}, {})
            handler = build_handler(settings, db if picture.cache else None)
            if picture.profile:
                with profiled(db):
                    svg = asyncio.run(photograph(picture, handler, CacheOperations(db), settings))
            elif picture.review:
                with reviewing(db) as (copy, review, settings):
                    svg = asyncio.run(photograph(picture, build_handler(settings, copy), None, settings, review))
            elif picture.vcons:
                with store_of_calls(db) as vcons:
                    svg = asyncio.run(played(VconApp(vcons), picture))
            elif picture.listed:
                with restricting(db) as (copy, settings):
                    operations = CacheOperations(copy, settings)
                    svg = asyncio.run(photograph(picture, build_handler(settings, copy), operations, settings))
            else:
                svg = asyncio.run(photograph(picture, handler, None, settings))
            (TARGET / f"{name}.svg").write_text(svg, encoding="utf-8")
            width = picture.size[0] * PIXELS_A_CELL
            drawn = svg.replace("Fira Code", FONT).encode()
            cairosvg.svg2png(bytestring=drawn, write_to=str(TARGET / f"{name}.png"), output_width=width)
            print(f"screenshots/{name}.svg, .png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
