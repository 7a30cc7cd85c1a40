"""What a set of tools costs a client: tokens of the definitions that a model has to read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gongmcp.render.size import estimate_tokens

if TYPE_CHECKING:
    from gongmcp.handler import ToolHandler, ToolInfo
    from gongmcp.settings import ServerSettings


def definition_tokens(info: ToolInfo) -> int:
    """Estimate the tokens of one tool's name, description and input schema."""
    shown = {"name": info.name, "description": info.description, "inputSchema": info.input_schema}
    return estimate_tokens(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))


def surface_note(handler: ToolHandler, settings: ServerSettings) -> str:
    """Return a sentence for stderr when no tool choice was made: how much is exposed, what would do."""
    if settings.policy.tools is not None:
        return ""
    infos = handler.listed()
    tokens = sum(definition_tokens(info) for info in infos)
    return (
        f"no tool preset or allowlist is set: all {len(infos)} tools are exposed, about {tokens} tokens of "
        "definitions (estimate). --tool-preset operator-smoke or business-pilot would do for most uses."
    )
