"""What the parts of the home screen ask of each other."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from textual.screen import Screen

from gongmcp.errors import StartupRefusal
from gongmcp.preview.model import Preview
from tui.bench import Bench
from tui.literal import visible
from tui.looks import Look
from tui.widgets.queue import Queue
from tui.widgets.sees import Sees
from tui.widgets.withheld import Withheld

T = TypeVar("T")


class ReviewingScreen(Screen[None]):
    """The home screen, as its parts see it.

    Attributes:
        behind: how the cache has moved on under what is on show; '' = it has not.
    """

    bench: Bench
    behind: str = ""

    @property
    def queue(self) -> Queue:
        """The list of tools."""
        return self.query_one(Queue)

    @property
    def sees(self) -> Sees:
        """What the agent sees."""
        return self.query_one(Sees)

    @property
    def withheld(self) -> Withheld:
        """What was withheld."""
        return self.query_one(Withheld)

    @property
    @abstractmethod
    def look(self) -> Look | None:
        """What was looked at of the tool under the cursor; None without a tool."""

    @property
    def preview(self) -> Preview | None:
        """What is on show."""
        return self.look.preview if self.look is not None else None

    @abstractmethod
    async def begin(self) -> None:
        """Start the review anew: under another policy, or on another state of the cache."""

    @abstractmethod
    def reach(self, tool: str) -> None:
        """Show *tool*, which the cursor of the queue is on."""

    @abstractmethod
    def show_sample(self, number: int) -> None:
        """Show a sample of the tool."""

    @abstractmethod
    def show_head(self) -> None:
        """Draw what is over the panes."""

    @abstractmethod
    def turn_page(self, page: str) -> None:
        """Show the page ``queue`` or ``work``, where there is no room for both."""

    @abstractmethod
    def action_cancel(self) -> None:
        """Interrupt the running call."""

    def say(self, message: str) -> None:
        """Tell *message*, which may hold text of data, for some seconds."""
        self.notify(visible(message), markup=False, timeout=5)

    async def ask(self, what: Callable[..., T], *given: Any) -> T | None:
        """Run *what*, which blocks, in a thread; say why when it fails, and give None."""
        try:
            return await asyncio.to_thread(what, *given)
        except StartupRefusal as refusal:
            self.say(f"{refusal.message} {refusal.hint}".strip())
        except Exception as error:  # noqa: BLE001 - whatever failed is said, and the review goes on
            self.say(f"{type(error).__name__}: {error}")
        return None
