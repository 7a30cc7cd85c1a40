"""The gates before approval, on a line: each by name and word; what the first failing one found stands under them."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from gongmcp.preview.model import Gate
from tui.literal import literal
from tui.widgets.flow import DOT, Flow


class GateBar(Flow):
    """Draws gates as they were computed; passes no judgement of its own."""

    def show(self, gates: Sequence[Gate], *, short: bool = False) -> None:
        """Draw *gates*; *short* names only those that fail."""
        failing = [gate for gate in gates if not gate.passed]
        if not gates:
            self.flow([])
            return
        items = [Content.styled("gates", "$quiet")]
        if short and not failing:
            items.append(Content.styled(f"all {len(gates)} ok", "$success"))
        for gate in failing if short else gates:
            word = ("ok", "$success") if gate.passed else ("FAILS", "$error bold")
            items.append(Content.assemble(literal(gate.name), " ", word))
        tail = None
        if failing:
            first = failing[0]
            tail = Content.assemble(literal(f"{first.name}: ", "$error bold"), literal(first.detail))
        self.flow(items, DOT, tail)
