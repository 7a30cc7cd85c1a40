"""How often one client may call: exactly so many requests of a kind in any minute."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from gongmcp.vcon.declaration import RATES, Rate
from gongmcp.vcon.faults import VconFault

_WINDOW = 60.0
_CLIENTS = 10_000


class Rates:
    """Counts requests by client and kind. Thread-safe; of one process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sent: OrderedDict[tuple[str, Rate], deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, client: str, kind: Rate) -> None:
        """Count one request.

        Raises:
            VconFault: ``RATE_LIMIT_EXCEEDED``, with the seconds until the next one may come.
        """
        most = RATES[kind]
        with self._lock:
            now = self._clock()
            sent = self._sent.setdefault((client, kind), deque())
            self._sent.move_to_end((client, kind))
            while len(self._sent) > _CLIENTS:
                self._sent.popitem(last=False)
            while sent and sent[0] <= now - _WINDOW:
                sent.popleft()
            if len(sent) >= most:
                wait = max(0.001, round(sent[0] + _WINDOW - now, 3))
                raise VconFault(
                    "RATE_LIMIT_EXCEEDED",
                    f"At most {most} {kind} requests a minute; wait {wait} seconds.",
                    retry_after_seconds=wait,
                    limit_per_minute=most,
                )
            sent.append(now)
