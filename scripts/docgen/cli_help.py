"""Blocks of ``docs/cli.md``: the help of every command as it is printed, and the settings of the server."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import Any

import typer

from docgen.markdown import cell, code, fence, table
from gongctl.cli.root import app, run
from gongmcp.catalog.limits import Cap
from gongmcp.settings import SETTINGS
from gongmcp.settings_file import KEYS

WIDTH = "80"
"""Columns of the terminal that the help is wrapped for."""


def commands() -> Iterator[tuple[str, ...]]:
    """Yield the words of every command, groups before their members, in the order of help."""
    yield from _walk(typer.main.get_command(app), ())


def _walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    for name, child in getattr(command, "commands", {}).items():
        loaded = child.load() if hasattr(child, "load") else child
        yield from _walk(loaded, (*words, name))


def help_of(words: tuple[str, ...]) -> str:
    """Return what ``gongctl WORDS --help`` prints on a terminal of 80 columns.

    Raises:
        RuntimeError: the command has no help page.
    """
    page = io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        with contextlib.redirect_stdout(page):
            status = run([*words, "--help"])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    if status != 0:
        raise RuntimeError(f"gongctl {' '.join(words)} --help ended with {status}")
    return page.getvalue()


def cli_help() -> str:
    """Return the help pages of all commands, one section each."""
    parts = []
    for words in commands():
        parts += [f"### `{' '.join(('gongctl', *words))}`", fence(help_of(words), "text")]
    return "\n\n".join(parts)


def settings() -> str:
    """Return the table of the server's settings: flag, environment variable, key in the file, meaning."""
    ceilings = {f"max_{cap.setting}" for cap in Cap}
    rows = [
        [code(setting.flag), code(setting.env), code(setting.key), cell(setting.help)]
        for setting in SETTINGS
        if setting.name not in ceilings
    ]
    return table(["Flag", "Environment variable", "Key in the settings file", "Meaning"], rows)


def file_keys() -> str:
    """Return the table of the keys that only the settings file has."""
    known = {setting.key for setting in SETTINGS}
    rows = [[code(key.name), cell(key.kind.value), cell(key.help)] for key in KEYS.values() if key.name not in known]
    return table(["Key", "Value", "Meaning"], rows)


def limits() -> str:
    """Return the table of the cap families: how to set each, and its three numbers."""
    keys = {setting.name: setting.key for setting in SETTINGS}
    rows = [
        [
            code(cap.value.key),
            code(cap.flag),
            code(cap.env),
            code(keys[f"max_{cap.setting}"]),
            str(cap.value.default),
            str(cap.value.ceiling),
            str(cap.value.hard),
        ]
        for cap in Cap
    ]
    header = [
        "Family",
        "Flag",
        "Environment variable",
        "Key in the settings file",
        "Rows when `limit` is omitted",
        "Ceiling unless set",
        "Hard cap",
    ]
    return table(header, rows)
