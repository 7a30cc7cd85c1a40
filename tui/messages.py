"""Messages between widgets and screens."""

from __future__ import annotations

from textual.message import Message

from gongmcp.exposure.ledger import Ledger
from gongmcp.handler import Outcome
from tui.answer import Spot


class ToolHighlighted(Message):
    """The cursor of the tool list moved to tool *name*."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class ToolChosen(Message):
    """The operator pressed enter on tool *name*."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class DraftChanged(Message):
    """Something was typed or turned in the form."""


class RunRequested(Message):
    """Enter was pressed in a field of the form."""


class WithheldPointed(Message):
    """Entry number *index* of the ledger was pointed at in the list of withheld things."""

    def __init__(self, index: int, nth: int) -> None:
        super().__init__()
        self.index = index
        self.nth = nth


class SpotShown(Message):
    """The view shows *spot*."""

    def __init__(self, spot: Spot | None) -> None:
        super().__init__()
        self.spot = spot


class OutsideCounted(Message):
    """Counting number *number* ended: *calls* of the cache do not exist for agents."""

    def __init__(self, number: int, calls: int) -> None:
        super().__init__()
        self.number = number
        self.calls = calls


class GovernanceCompared(Message):
    """Call *number*, of *tool*, was run without governance too: *ledger* holds what governance took from it."""

    def __init__(self, number: int, tool: str, ledger: Ledger) -> None:
        super().__init__()
        self.number = number
        self.tool = tool
        self.ledger = ledger


class CallEnded(Message):
    """The call with *number* ended: with an outcome, or with the name of what went wrong."""

    def __init__(self, number: int, outcome: Outcome | None, failure: str = "") -> None:
        super().__init__()
        self.number = number
        self.outcome = outcome
        self.failure = failure
