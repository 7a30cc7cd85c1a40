"""Messages from the threads of a review to its screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content
from textual.message import Message

from gongmcp.preview.model import Preview
from tui.reviewing import SampleRun


class SamplesTold(Message):
    """Of the samples of round *number* so many are done."""

    def __init__(self, number: int, done: int, total: int) -> None:
        super().__init__()
        self.number = number
        self.done = done
        self.total = total


class SamplesMade(Message):
    """Round *number* ended: with the samples of *tool*, or with what kept them from being made."""

    def __init__(self, number: int, tool: str, runs: Sequence[SampleRun], failure: Content | None) -> None:
        super().__init__()
        self.number = number
        self.tool = tool
        self.runs = runs
        self.failure = failure


class PreviewMade(Message):
    """The operator's own run *number* of *tool* ended: with a preview, or with what went wrong."""

    def __init__(self, number: int, tool: str, preview: Preview | None, failure: str) -> None:
        super().__init__()
        self.number = number
        self.tool = tool
        self.preview = preview
        self.failure = failure


class CacheLooked(Message):
    """While *preview* was on show the cache was looked at: its freshness is *now*."""

    def __init__(self, preview: Preview, now: Mapping[str, Any]) -> None:
        super().__init__()
        self.preview = preview
        self.now = now


class CallWanted(Message):
    """Another screen wants *tool* to be run with *arguments* on the home screen."""

    def __init__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        super().__init__()
        self.tool = tool
        self.arguments = arguments


class FilterGiven(CallWanted):
    """The cohort builder gives its filter to *tool*: run where nothing else is needed, else asked for the rest."""
