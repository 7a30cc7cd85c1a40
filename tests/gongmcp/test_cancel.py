"""The switch that stops a running call."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from gongmcp.cancel import Cancel
from tests.gongmcp.fake_handler import ENDLESS


def test_hooks_run_once_in_order() -> None:
    cancel = Cancel()
    ran: list[str] = []
    cancel.on_cancel(lambda: ran.append("first"))
    cancel.on_cancel(lambda: ran.append(f"second {cancel.cancelled}"))
    assert not cancel.cancelled
    cancel.cancel()
    cancel.cancel()
    assert cancel.cancelled
    assert ran == ["first", "second True"]


def test_a_hook_that_is_taken_off_does_not_run() -> None:
    cancel = Cancel()
    ran: list[str] = []
    unhook = cancel.on_cancel(lambda: ran.append("off"))
    cancel.on_cancel(lambda: ran.append("on"))
    unhook()
    unhook()
    cancel.cancel()
    unhook()
    assert ran == ["on"]


def test_a_hook_that_comes_too_late_runs_at_once() -> None:
    cancel = Cancel()
    cancel.cancel()
    ran: list[str] = []
    unhook = cancel.on_cancel(lambda: ran.append("late"))
    unhook()
    assert ran == ["late"]


def test_a_hook_that_fails_does_not_keep_the_others_from_running() -> None:
    cancel = Cancel()
    ran: list[str] = []
    cancel.on_cancel(lambda: ran[1])
    cancel.on_cancel(lambda: ran.append("second"))
    with pytest.raises(IndexError):
        cancel.cancel()
    assert ran == ["second"]


def test_unhooking_waits_for_a_hook_that_runs() -> None:
    cancel = Cancel()
    inside, go_on = threading.Event(), threading.Event()
    order: list[str] = []

    def hook() -> None:
        inside.set()
        go_on.wait(60)
        order.append("hook ended")

    unhook = cancel.on_cancel(hook)

    def take_off() -> None:
        unhook()
        order.append("unhooked")

    canceller = threading.Thread(target=cancel.cancel)
    canceller.start()
    assert inside.wait(60)
    other = threading.Thread(target=take_off)
    other.start()
    other.join(0.05)  # time to overtake, if it could
    go_on.set()
    canceller.join(60)
    other.join(60)
    assert order == ["hook ended", "unhooked"]


def test_it_interrupts_a_statement_from_another_thread() -> None:
    cancel = Cancel()
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    running = threading.Event()

    def watch() -> bool:
        running.set()
        return cancel.cancelled

    connection.set_progress_handler(watch, 1000)
    cancel.on_cancel(connection.interrupt)

    def stop() -> None:
        running.wait(60)
        cancel.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connection.execute(ENDLESS).fetchone()
    thread.join(60)
    connection.close()
