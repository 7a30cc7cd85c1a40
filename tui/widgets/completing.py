"""Values that an argument may take, offered while it is typed: the right arrow takes the one on show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.suggester import Suggester

from gongmcp.render.visible import UNSAFE

Values = Callable[[str], list[str]]
"""Values that begin with what was typed; blocks, and is asked in a thread."""


class Completing(Suggester):
    """Offers the first value that goes on from what was typed; never one with characters that cannot be seen."""

    def __init__(self, values: Values) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._values = values

    async def get_suggestion(self, value: str) -> str | None:
        """Return the value to offer, if any."""
        found = await asyncio.to_thread(self._values, value)
        return next((v for v in found if v.startswith(value) and v != value and not UNSAFE.search(v)), None)
