"""The operator's own editor for a longer text, in the place of the screens for as long as it runs."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported


class NotEdited(Exception):
    """The text could not be edited; the message says why."""


def command() -> list[str]:
    """Return the editor of ``VISUAL`` or ``EDITOR`` as words; empty when there is none, or it cannot be read."""
    try:
        return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    except ValueError:
        return []


def is_at_hand(app: App[Any]) -> bool:
    """Whether *app* is in a terminal that it can leave to an editor, and there is one."""
    return not app.is_headless and not app.is_web and bool(command())


def edited(app: App[Any], text: str, name: str) -> str:
    """Give *text* to the editor, as a file called *name* that nobody else can read, and return it as it is then.

    Raises:
        NotEdited: there is no editor or no room for its file, it failed, or what it wrote is no text.
    """
    words = command()
    if not words:
        raise NotEdited("There is no editor: set EDITOR or VISUAL to its command.")
    with _folder() as folder:
        path = Path(folder) / name
        try:
            path.write_text(text, encoding="utf-8")
        except (OSError, UnicodeEncodeError) as error:
            raise _no_file(error) from None
        try:
            with app.suspend():
                done = subprocess.run([*words, str(path)], check=False)
        except SuspendNotSupported:
            raise NotEdited("The screens cannot make room for an editor here.") from None
        except OSError as error:
            raise NotEdited(f"{words[0]} cannot be run: {error.strerror}.") from None
        if done.returncode != 0:
            raise NotEdited(f"{words[0]} ended with status {done.returncode}: the text stays as it was.")
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise NotEdited("The file of the editor cannot be read as UTF-8: the text stays as it was.") from None


def _folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="gongctl-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _no_file(error) from None


def _no_file(error: OSError | UnicodeEncodeError) -> NotEdited:
    why = error.strerror if isinstance(error, OSError) else "a character in it is none of UTF-8"
    return NotEdited(f"The text cannot be put in a file for the editor: {why}.")
