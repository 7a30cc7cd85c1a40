"""What this operator's reviews leave behind: history, pinned calls, the lines of what was revealed. No answer is kept.

Files of the user alone (0600) in the state folder of this program. They hold tools, arguments, digests and figures.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import msgspec

from gongctl.cli.output_file import write_whole
from gongctl.file_lock import alone_with
from gongmcp.errors import Exit, StartupRefusal
from tui.reviewing import HistoryItem

STATE_ENV: Final = "GONGCTL_STATE"
"""Environment variable that names another folder."""

MOST_KEPT: Final = 500
"""Runs that the history keeps."""

MOST_PINNED: Final = 20
"""Calls that may be pinned for one tool."""

_MAX_BYTES: Final = 4 * 1024 * 1024


def state_folder() -> Path:
    """Return the folder: ``GONGCTL_STATE``, or this program's folder in the user's state."""
    given = os.environ.get(STATE_ENV, "").strip()
    if given:
        return Path(given)
    import platformdirs

    return Path(platformdirs.user_state_dir("gongctl", appauthor=False))


class ReviewState:
    """History, pins and reveals in *folder*, which is made when something is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._history = folder / "review-history.jsonl"
        self._pins = folder / "review-pins.json"
        self._reveals = folder / "review-reveals.jsonl"

    def history(self, limit: int) -> list[HistoryItem]:
        """Return the newest runs, newest first. A line that is none is passed over."""
        found: list[HistoryItem] = []
        for line in _lines(self._history):
            with suppress(ValueError, msgspec.ValidationError, RecursionError):
                found.append(msgspec.convert(json.loads(line), HistoryItem))
        return found[::-1][:limit]

    def remember(self, item: HistoryItem) -> None:
        """Keep one run; of more than ``MOST_KEPT`` the oldest go."""
        line = json.dumps({**asdict(item), "arguments": dict(item.arguments)})
        with self._alone(self._history):
            lines = [*_lines(self._history), line]
            if len(lines) > MOST_KEPT + MOST_KEPT // 10:
                self._write(self._history, "".join(f"{kept}\n" for kept in lines[-MOST_KEPT:]))
            else:
                self._append(self._history, line)

    def pins(self) -> dict[str, list[dict[str, Any]]]:
        """Return the pinned arguments by tool; empty when there are none, or the file is none."""
        return self._pinned() or {}

    def _pinned(self) -> dict[str, list[dict[str, Any]]] | None:
        """Return the pinned arguments by tool; None when something else is where they are kept."""
        if not os.path.lexists(self._pins):
            return {}
        with suppress(ValueError, msgspec.ValidationError, RecursionError):
            return msgspec.convert(json.loads("\n".join(_lines(self._pins))), dict[str, list[dict[str, Any]]])
        return None

    def pin(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Pin *arguments* of *tool*; the same ones are pinned once.

        Raises:
            StartupRefusal: too many are pinned, the file is none of ours, or it cannot be written.
        """
        with self._alone(self._pins):
            self._pin(tool, arguments)

    def _pin(self, tool: str, arguments: Mapping[str, Any]) -> None:
        pins = self._pinned()
        if pins is None:
            raise StartupRefusal(f"{self._pins} holds something else.", "Move it away.", Exit.FAILED)
        mine = pins.setdefault(tool, [])
        if dict(arguments) in mine:
            return
        if len(mine) >= MOST_PINNED:
            hint = f"Take one out of {self._pins}."
            raise StartupRefusal(f"{MOST_PINNED} calls of {tool} are pinned already.", hint, Exit.FAILED)
        mine.append(dict(arguments))
        self._write(self._pins, json.dumps(pins, indent=1) + "\n")

    def revealed(self, line: Mapping[str, Any]) -> None:
        """Write the line of one look at a withheld value. Without the line there is no look.

        Raises:
            StartupRefusal: it cannot be written.
        """
        self._append(self._reveals, json.dumps(line))

    @contextmanager
    def _alone(self, path: Path) -> Iterator[None]:
        """Hold the file at *path* against other reviews, which read it, add to it and write it too."""
        with ExitStack() as held:
            try:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                held.enter_context(alone_with(path))
            except OSError as error:
                raise _unwritable(path, error) from None
            yield

    def _append(self, path: Path, line: str) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(handle, "a", encoding="utf-8", newline="\n") as file:
                file.write(line + "\n")
        except OSError as error:
            raise _unwritable(path, error) from None

    def _write(self, path: Path, text: str) -> None:
        write_whole(path, text.encode())


def _unwritable(path: Path, error: OSError) -> StartupRefusal:
    hint = f"Name another folder: {STATE_ENV}=FOLDER."
    return StartupRefusal(f"{path} cannot be written: {error.strerror}.", hint, Exit.FAILED)


def _lines(path: Path) -> Sequence[str]:
    return list(_read(path))


def _read(path: Path) -> Iterator[str]:
    """Yield the lines of a file of ours; none when it is not there, too large or no text."""
    try:
        # A pipe would be waited for.
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return
        yield from path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return
