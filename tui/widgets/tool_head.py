"""What an operator should know of a tool before running it."""

from __future__ import annotations

from textual.content import Content

from tui.literal import literal
from tui.ports import ToolInfo
from tui.widgets.flow import Flow
from tui.widgets.tool_list import LEVELS


class ToolHead(Flow):
    """What the tool is for, then how much it can show and how many rows it gives."""

    def show(self, tool: ToolInfo) -> None:
        """Draw *tool*."""
        exposure = Content.assemble(
            ("exposure ", "$quiet"), literal(tool.level), (f", {LEVELS.get(tool.level, 'unknown level')}", "$quiet")
        )
        parts = [exposure] if tool.level else []
        if tool.limits is not None:
            rows = f"{tool.limits.default}, at most {tool.limits.ceiling}, hard cap {tool.limits.hard}"
            parts.append(Content.assemble(("rows ", "$quiet"), literal(rows)))
        first = Content.assemble(literal(tool.title, "bold"), "  ", literal(tool.description, "$quiet"))
        self.flow(parts, tail=first)
