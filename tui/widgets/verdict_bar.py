"""How the run went, between the form and its two panes."""

from __future__ import annotations

from textual.content import Content

from tui.literal import literal
from tui.verdict import State, Verdict
from tui.widgets.flow import DOT, Flow

_COLOURS = {
    State.OK: "$success",
    State.EMPTY: "$warning",
    State.WITHHELD: "$warning",
    State.NOT_FOUND: "$warning",
    State.UNAVAILABLE: "$warning",
    State.CANCELLED: "$quiet",
    State.ERROR: "$error",
    State.FAILED: "$error",
}


class VerdictBar(Flow):
    """State and figures first; what happened and the next step under them."""

    def show(self, verdict: Verdict | None, remark: str = "") -> None:
        """Draw *verdict*, or the invitation to run; *remark* is added to the figures."""
        # A next step is not cut off, however low the window is.
        self.set_class(verdict is not None and bool(verdict.next), "-next")
        if verdict is None:
            self.flow([Content.styled("Not run yet", "$quiet"), Content.styled("r runs it", "$quiet")], DOT)
            return
        state = Content.styled(verdict.state.value, f"{_COLOURS[verdict.state]} bold")
        items = [literal(figure) for figure in verdict.figures]
        first = Content.assemble(state, "  ", items[0]) if items else state
        remarks = [literal(remark, "$warning")] if remark else []
        tail = [literal(verdict.message)] if verdict.message else []
        if verdict.next:
            tail.append(Content.assemble(("Next: ", "bold"), literal(verdict.next)))
        self.flow([first, *items[1:], *remarks], DOT, Content("\n").join(tail) if tail else None)

    def show_running(self, seconds: float) -> None:
        """Draw how long the call has been running."""
        state = Content.assemble(("RUNNING", "$primary bold"), f"  {seconds:.1f} s")
        self.flow([state, Content.styled("esc cancels", "$quiet")], DOT)
