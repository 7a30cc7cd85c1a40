"""One call: a field for its id or alias, and why it is served or not."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.literal import literal
from tui.operations import CallVerdict
from tui.widgets.pane import Pane
from tui.widgets.text_fields import Line

_BEFORE = (
    "c goes to the field: type a call id or an alias (call_…), enter asks. Calls that are not served are found too."
)
_BLOCKED = "blocked"


class CallPane(Pane):
    """Shows one verdict at a time. *blocked*, it has no field and says nothing else."""

    def __init__(self, name: str, *, blocked: bool, id: str) -> None:  # noqa: A002
        super().__init__(name, id=id)
        self._blocked = blocked

    def compose(self) -> ComposeResult:
        """Lay out the field over the verdict."""
        if not self._blocked:
            yield Line(placeholder="call id or call_…", id="call-reference", classes="control")
        with VerticalScroll(classes="pane-text"):
            words = Content.styled(_BLOCKED, "$warning bold") if self._blocked else Content.styled(_BEFORE, "$quiet")
            yield Static(words, id="call-verdict")

    @property
    def body(self) -> VerticalScroll:
        """What scrolls."""
        return self.query_one(VerticalScroll)

    @property
    def field(self) -> Line | None:
        """The field of the reference; None when it is blocked."""
        return None if self._blocked else self.query_one(Line)

    def say(self, words: Content) -> None:
        """Show *words* in place of a verdict."""
        if not self._blocked:
            self.query_one("#call-verdict", Static).update(words)

    def forget(self) -> None:
        """Keep neither what was typed nor what was shown."""
        if self.field is not None:
            self.field.value = ""
            self.say(Content.styled(_BEFORE, "$quiet"))


def verdict_words(reference: str, verdict: CallVerdict | None) -> Content:
    """Return *verdict* on the call *reference* in words; None = the cache has no such call."""
    if verdict is None:
        return Content.assemble(
            ("NO SUCH CALL", "$warning bold"),
            "  ",
            literal(reference),
            "\nThe cache holds no call of this id or alias.",
        )
    state = ("SERVED", "$success bold") if verdict.served else ("NOT SERVED", "$warning bold")
    lines = [Content.assemble(state, "  ", literal(verdict.call_id, "bold"))]
    if verdict.rule:
        if verdict.served:
            lines.append(Content.styled("Until the next warm (w): what follows takes it away then.", "$warning"))
        lines.append(Content.assemble(("rule   ", "$quiet"), literal(verdict.rule, "bold")))
    elif verdict.served:
        lines.append(Content("No rule of the scope and no customer of the list stands against it."))
    else:
        lines.append(Content("Nothing stands against it, but it is not judged yet: w warms the cache."))
    if verdict.source:
        lines.append(Content.assemble(("where  ", "$quiet"), literal(verdict.source)))
    if verdict.excerpt:
        lines.append(Content.assemble(("words  ", "$quiet"), literal(verdict.excerpt)))
    return Content("\n").join(lines)
