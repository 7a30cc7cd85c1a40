"""What the operator can do from the TUI besides looking. ``gongctl`` passes it in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Operations(Protocol):
    """Operations on the cache. Each blocks and is run in a thread."""

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        """Build the serving read model and return one sentence on what was done.

        *progress* is told (calls done, calls in all); *should_stop* is asked between calls, and what
        was done until then is kept.
        """
        ...
