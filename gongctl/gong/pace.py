"""The company's quota, kept by every process of this machine together: so many requests a second, so many a day.

The state is a small file in the state folder (``GONGCTL_STATE_DIR``, else ``$XDG_STATE_HOME/gongctl``, else
``~/.local/state/gongctl``), one for an account, changed under a lock. It is not in the cache, because two caches of
one company share its quota.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from gongctl.gong.faults import QuotaExhausted
from gongmcp.errors import Exit, StartupRefusal

RATE, DAILY = "GONGCTL_GONG_RATE", "GONGCTL_GONG_DAILY_QUOTA"
STATE_DIR: Final = "GONGCTL_STATE_DIR"
_MARGIN: Final = 1.1
"""Requests leave a little slower than allowed: the network does not keep the distance between two of them."""
_IMPLAUSIBLE: Final = 180.0
"""Seconds ahead that no process can have reserved: then the clock was set back, and the state starts over."""
_BYTES: Final = 4096
_WRITTEN: Final = 128


@dataclass(frozen=True, slots=True)
class Quota:
    """What Gong allows: requests a second and a day (UTC)."""

    rate: float = 3.0
    daily: int = 10_000

    @classmethod
    def of(cls, environ: Mapping[str, str], rate: float = 3.0, daily: int = 10_000) -> Quota:
        """Return the quota of the environment where it says one, else *rate* and *daily*.

        Raises:
            StartupRefusal: a variable holds no number above zero.
        """
        return cls(_number(environ, RATE, rate), int(_number(environ, DAILY, daily)))


@dataclass(frozen=True, slots=True)
class Used:
    """How many requests were made on *day*, a date in UTC."""

    day: str
    requests: int


def state_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of the shared state."""
    variables = environ if environ is not None else os.environ
    if named := variables.get(STATE_DIR):
        return Path(named)
    base = variables.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "gongctl"


class Pace:
    """Gives out turns. *account* tells whose quota it is (``Credentials.account``)."""

    def __init__(self, account: str, quota: Quota, folder: Path | None = None) -> None:
        self._quota = quota
        self._path = (folder or state_folder()) / f"gong-{account}.json"
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.touch(mode=0o600, exist_ok=True)
        except OSError as error:
            raise _unkept(self._path, error) from None

    async def turn(self) -> None:
        """Wait until one more request may be made, and count it.

        Raises:
            QuotaExhausted: today's quota is used up.
        """
        # Who wakes late asks for the moment anew: turns that were given out before would come in a burst.
        while (wait := self._take()) > 0:  # noqa: ASYNC110 - other processes take turns too
            await asyncio.sleep(wait)

    def hold(self, seconds: float) -> None:
        """Let no process ask before *seconds* have passed."""
        with self._state() as state:
            state["next"] = max(state["next"], time.time() + seconds)

    def used(self) -> Used:
        """Return how many requests were made today."""
        with self._state() as state:
            return Used(state["day"], state["used"])

    @property
    def daily(self) -> int:
        """How many requests a day are allowed."""
        return self._quota.daily

    def _take(self) -> float:
        """Take the turn when one is free now, and return 0; else return the seconds until one may be."""
        with self._state() as state:
            now = time.time()
            if state["used"] >= self._quota.daily:
                raise QuotaExhausted(
                    f"Today's quota of {self._quota.daily:,} requests to Gong is used up",
                    f"Run the same command again after {_midnight()} (UTC); what was read is kept.",
                )
            wait: float = state["next"] - now
            if wait > 0:
                return wait
            state["next"] = now + _MARGIN / self._quota.rate
            state["used"] += 1
        return 0.0

    @contextmanager
    def _state(self) -> Iterator[dict[str, Any]]:
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                state = _read(os.pread(handle, _BYTES, 0))
                before = dict(state)
                yield state
                if state != before:
                    # One write of one block, padded: a process that is killed leaves the old state or the new one.
                    os.pwrite(handle, json.dumps(state).encode().ljust(_WRITTEN), 0)
                    # Of something longer that lay here, the rest would make this unreadable as well.
                    os.ftruncate(handle, _WRITTEN)
            finally:
                os.close(handle)
        except OSError as error:
            # Without a count, nobody would keep the company's quota.
            raise _unkept(self._path, error) from None


def _unkept(path: Path, error: OSError) -> StartupRefusal:
    return StartupRefusal(
        f"The state of Gong's quota cannot be kept in {path.parent}: {error.strerror}.",
        f"Name a folder that can be written with {STATE_DIR}.",
        Exit.FAILED,
    )


def _read(data: bytes) -> dict[str, Any]:
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    state: dict[str, Any] = {"next": 0.0, "day": today, "used": 0}
    try:
        held = json.loads(data)
        moment, day, used = float(held["next"]), str(held["day"]), int(held["used"])
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return state
    if moment - time.time() < _IMPLAUSIBLE:
        state["next"] = moment
    if day == today:
        state["used"] = max(used, 0)
    return state


def _number(environ: Mapping[str, str], name: str, otherwise: float) -> float:
    text = environ.get(name, "").strip()
    try:
        value = float(text) if text else float(otherwise)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise StartupRefusal(f"{name} is no number above zero.", "Correct it or unset it.", Exit.USAGE)
    return value


def _midnight() -> str:
    return (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%d 00:00")
