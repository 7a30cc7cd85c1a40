"""Work in a process of its own, so that its memory and processor time are its own."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Alone(Generic[T]):
    """A *result* with what it took: seconds by the clock, processor seconds and peak memory (bytes), here and in
    the processes that it started."""

    result: T
    seconds: float
    cpu_seconds: float
    helpers_cpu_seconds: float
    peak_bytes: int
    helpers_peak_bytes: int


def alone(function: Callable[..., T], *arguments: Any) -> Alone[T]:
    """Run *function* (of a module) in a fresh process and return its result with what it took."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_measured, function, arguments).result()


def _measured(function: Callable[..., T], arguments: tuple[Any, ...]) -> Alone[T]:
    before, started = os.times(), time.perf_counter()
    result = function(*arguments)
    seconds, after = time.perf_counter() - started, os.times()
    return Alone(
        result,
        seconds,
        after.user + after.system - before.user - before.system,
        after.children_user + after.children_system - before.children_user - before.children_system,
        _peak(resource.RUSAGE_SELF),
        _peak(resource.RUSAGE_CHILDREN),
    )


def _peak(who: int) -> int:
    peak = resource.getrusage(who).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def peak_of(process_id: int) -> int | None:
    """Return the peak memory of a running process in bytes; None where the system does not tell."""
    status = Path(f"/proc/{process_id}/status")
    if not status.exists():
        return None
    for line in status.read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None


def cpu_seconds_of(process_id: int) -> float:
    """Return the processor seconds of a running process and of the children that it has; 0 where the system does not
    tell."""
    try:
        fields = (
            Path(f"/proc/{process_id}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        )
        children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text(encoding="ascii").split()
    except OSError:
        return 0.0
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_seconds_of(int(child)) for child in children)
