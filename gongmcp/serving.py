"""``Serving``: the handler of a server process, as each client gets it, whatever happens to cache and policy meanwhile.

A client's token narrows the policy; SIGHUP tightens it; a cache that is not there yet is waited for. All three end in
which ``ToolHandler`` answers a request, and nowhere else.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.tightening import tightened
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.identity.client import ASKER
from gongmcp.identity.narrowing import Narrowing
from gongmcp.protocol.observe import Observed, Observer
from gongmcp.refusals import refused

if TYPE_CHECKING:
    from gongmcp.exposure.evidence import Session
    from gongmcp.settings import ServerSettings

log = logging.getLogger("gongmcp")

KEPT = 64
"""Narrowings whose handler is kept ready."""

RETRY_SECONDS = 1.0
"""How long a cache that is not there is not looked for again."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What became of a reload: whether anything is *tighter* now, and what waits for a restart, in words."""

    tighter: bool
    waiting: tuple[str, ...]


class Serving:
    """Gives the handler of whoever asks. Thread-safe."""

    server_name = "gongmcp"

    def __init__(
        self,
        settings: ServerSettings,
        db: Path,
        *,
        session: Session,
        observer: Observer | None = None,
        wait: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Serve *db* under *settings*; *session* counts evidence. *wait* = answer ``cache_not_ready`` while there is no
        cache that may be served.

        Raises:
            StartupRefusal: the cache cannot be served and is not waited for, or the lock refuses.
        """
        self._settings = settings
        self._db = db
        self._session = session
        self._observer = observer
        self._clock = clock
        self._lock = threading.Lock()
        self._narrowed: OrderedDict[Narrowing, Observed] = OrderedDict()
        self._tried = clock()
        self._ready = True
        try:
            self._base = self._opened()
        except StartupRefusal as refusal:
            if not wait or refusal.exit_code is not Exit.CACHE:
                raise
            self._ready = False
            self._base = build_handler(settings, None, session=session)
        # What a lock takes from the policy is no news at a reload.
        self._known = tightened(self._base.policy, settings.policy).waiting

    @property
    def base(self) -> ToolHandler:
        """The handler of a client whose token narrows nothing."""
        self._look()
        return self._base

    @property
    def is_ready(self) -> bool:
        """Whether there is a cache to answer from."""
        self._look()
        return self._ready and self._base.has_model()

    def handler(self) -> Observed:
        """Return the handler of whoever asks (``ASKER``)."""
        return self.handler_of(ASKER.get().client.narrowing)

    def handler_of(self, narrowing: Narrowing) -> Observed:
        """Return the handler of a client whose token narrows so."""
        self._look()
        with self._lock:
            if narrowing in self._narrowed:
                self._narrowed.move_to_end(narrowing)
                return self._narrowed[narrowing]
            base = self._base
            policy = narrowing.of(base.policy)
            made = Observed(base if not narrowing else base.under(policy), self._observer)
            self._narrowed[narrowing] = made
            while len(self._narrowed) > KEPT:
                _close(self._narrowed.popitem(last=False)[1])
            return made

    def close(self) -> None:
        """Close the cache; for a process that will not answer."""
        self._base.close()

    def reload(self, settings: ServerSettings) -> Reloaded:
        """Apply what is tighter in *settings*; the rest waits for a restart."""
        with self._lock:
            change = tightened(self._base.policy, settings.policy)
            waiting = [words for words in change.waiting if words not in self._known]
            if settings.model_rules().digest != self._settings.model_rules().digest:
                waiting.append("which calls exist for agents (scope, restricted list, masking)")
            if change.policy.digest() != self._base.policy.digest():
                self._base = self._base.under(change.policy)
                self._forget_narrowed()
                return Reloaded(True, tuple(waiting))
        return Reloaded(False, tuple(waiting))

    def _opened(self) -> ToolHandler:
        handler = build_handler(self._settings, self._db, session=self._session)
        if self._settings.restricted is None and handler.is_governed():
            raise refused("cache_governed")
        if not handler.has_model():
            raise refused("cache_not_warmed")
        return handler

    def _forget_narrowed(self) -> None:
        for made in self._narrowed.values():
            _close(made)
        self._narrowed.clear()

    def _look(self) -> None:
        """Open the cache if it was not there and may be now."""
        if self._ready:
            return
        with self._lock:
            now = self._clock()
            if now < self._tried + RETRY_SECONDS:  # also when another thread was faster
                return
            self._tried = now
            try:
                opened = self._opened()
            except StartupRefusal:
                return
            # What was tightened while waiting stays.
            self._base = opened.under(tightened(self._base.policy, opened.policy).policy)
            self._forget_narrowed()
            self._ready = True


def _close(made: Observed) -> None:
    # Without a scope it has the connections of all.
    if made.handler.policy.scope is not None:
        made.handler.close()


def reloaded(reread: Callable[[], ServerSettings], serving: Serving) -> Reloaded | None:
    """Read the settings again and apply what is tighter; None, and a line in the log, when they are bad."""
    try:
        done = serving.reload(reread())
    except StartupRefusal as refusal:
        log.error("the settings were not applied: %s", refusal.message)
        return None
    if done.waiting:
        log.warning("waits for a restart, as it may let more leave: %s", ", ".join(done.waiting))
    log.warning("the policy is tighter now" if done.tighter else "nothing is tighter in the settings than before")
    return done
