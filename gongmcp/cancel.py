"""``Cancel``: how the door that started a call tells the query behind it to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancel:
    """A one-way switch, thrown once from any thread, that a running call looks at and hooks into.

    SQLite ignores an interrupt that comes while no statement runs, so a hook alone leaves a gap:
    whoever runs statements also asks ``cancelled`` (before each one, or in a progress handler).
    """

    __slots__ = ("_cancelled", "_hooks", "_lock")

    def __init__(self) -> None:
        # Re-entrant: a hook may ask ``cancelled`` or unhook itself.
        self._lock = threading.RLock()
        self._cancelled = False
        self._hooks: dict[object, Callable[[], object]] = {}

    @property
    def cancelled(self) -> bool:
        """Whether ``cancel`` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Throw the switch and run the hooks, in the order in which they were set; later calls do nothing.

        Runs in the caller's thread, so hooks must be quick and must not block. A hook that raises
        does not keep the others from running; the first exception is raised when all have run.
        """
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            hooks = list(self._hooks.values())
            self._hooks.clear()
            failure: Exception | None = None
            for hook in hooks:
                try:
                    hook()
                except Exception as error:  # noqa: BLE001 - raised below, after the other hooks
                    failure = failure or error
        if failure is not None:
            raise failure

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Have *callback* run when the switch is thrown (at once, if it already is); returns how to unhook it.

        Once unhooking has returned, *callback* neither runs nor will run: the connection that it
        interrupts may be lent to another call.
        """
        key = object()
        with self._lock:
            if self._cancelled:
                callback()
            else:
                self._hooks[key] = callback

        def unhook() -> None:
            with self._lock:
                self._hooks.pop(key, None)

        return unhook
