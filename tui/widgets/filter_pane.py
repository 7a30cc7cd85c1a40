"""The filter of a cohort as a pane: its form, and under it the help of the field that has the focus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.literal import literal
from tui.ports import RowLimits
from tui.schema import hint
from tui.widgets.argument_form import ArgumentForm, Complete, Drafts
from tui.widgets.pane import Pane

_KEYS = "a edits · e JSON · u clears · esc leaves a field"


@dataclass(frozen=True, slots=True)
class FilterSchema:
    """The schema that the form is made from."""

    input_schema: Mapping[str, Any]
    limits: RowLimits | None = None


class FilterPane(Pane):
    """Edits the conditions; every change is told as ``DraftChanged``."""

    NARROWEST = 54

    def compose(self) -> ComposeResult:
        """Lay out the form over the help."""
        form = ArgumentForm(id="cohort-form")
        form.can_focus = True  # so that the pane can be turned to without a letter being typed into a field
        yield form
        yield Static(Content.styled(_KEYS, "$quiet"), classes="pane-detail")

    @property
    def body(self) -> ArgumentForm:
        """The form."""
        return self.query_one(ArgumentForm)

    async def load(self, schema: Mapping[str, Any], drafts: Drafts, complete: Complete) -> None:
        """Show the form of *schema* with *drafts*."""
        await self.body.load(FilterSchema(schema), drafts, complete)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Explain the field that has the focus."""
        self._explain()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Say the keys again."""
        self.call_after_refresh(self._explain)

    def _explain(self) -> None:
        if not self.query(ArgumentForm):  # the pane is gone: a blur came last
            return
        field = self.body.focused_field
        words = Content.styled(_KEYS, "$quiet")
        if field is not None:
            parts = [literal(part) for part in (field.description, hint(field)) if part]
            words = Content.styled(" · ", "$quiet").join(parts) if parts else literal(field.kind.value)
        self.query_one(".pane-detail", Static).update(words)
