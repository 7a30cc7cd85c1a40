"""What the numbered screens share: the handler under the policy on show, what the operator may do, the call in hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gongmcp.cancel import Cancel
from gongmcp.preview.model import Preview
from gongmcp.settings import ServerSettings
from tui.operations import Operations
from tui.ports import Handler
from tui.reviewing import Reviewing
from tui.vcons import Vcons
from tui.widgets.argument_form import Drafts

MakePreview = Callable[[Handler, str, Mapping[str, Any], ServerSettings | None, Cancel | None], Preview]
"""Runs a tool and returns what an agent would receive; blocks. ``gongmcp.preview.make.preview`` is the real one."""


@dataclass(slots=True)
class Bench:
    """One for the whole app; the home screen changes it, the other screens read it.

    Attributes:
        handler: under the policy on show, which may differ from the server's.
        started: the handler that the app was opened with.
        make: the only way to a ``Preview``.
        restricted: whether ``gongctl`` runs in restricted mode: no call is looked into, no id is shown.
        settings: what *started* was built from; None = not known.
        plain: whether the terminal has no other signs than plain ones.
        tool, arguments, preview: the call in hand on the home screen; no tool is ''.
        cohort: the filter that is being built, as it was typed.
        vcons: the vCons of the cache as they are served; None = they are not looked at.
    """

    handler: Handler
    started: Handler
    reviewing: Reviewing
    make: MakePreview
    operations: Operations | None = None
    settings: ServerSettings | None = None
    restricted: bool = False
    plain: bool = False
    clock: Callable[[], float] = time.monotonic
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    preview: Preview | None = None
    cohort: Drafts = field(default_factory=Drafts)
    vcons: Vcons | None = None

    @property
    def preset(self) -> str:
        """Name of the preset on show; '' = the tools of the settings."""
        return self.handler.policy.preset or ""


def make_preview(
    handler: Any, tool: str, arguments: Mapping[str, Any], settings: ServerSettings | None, cancel: Cancel | None
) -> Preview:
    """Make a preview by ``gongmcp.preview.make.preview``, which is loaded when the first one is made."""
    from gongmcp.preview.make import preview

    return preview(handler, tool, arguments, settings, cancel)
