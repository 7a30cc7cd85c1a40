"""The disclosure engine: raw rows in, the rows that leave out, each decision in the ledger.

A tool never blanks anything itself. ``disclose`` applies the declared exposure of each column
(``decisions``), takes over the masked spans that the read model holds, removes invisible characters,
and shortens over-long text with a mark. Nothing is cut silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from gongmcp.exposure import small_cells
from gongmcp.exposure.clean import clean
from gongmcp.exposure.decisions import Decision, decide
from gongmcp.exposure.fields import Expose, Field
from gongmcp.exposure.ledger import Entry, Ledger, Place
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row, hints, is_container, strip
from gongmcp.exposure.text import CONTROL, MaskedText, Span

CUT_RULE = "text.max_chars"
SNIPPET_RULE = "text.snippet"
MASK_RULE = "mask"
INVISIBLE_RULE = "text.invisible"


@lru_cache(maxsize=256)
def columns(model: type[Row]) -> tuple[tuple[str, Expose | None, bool], ...]:
    """Return (name, exposure, holds nested rows) of each column of *model*, in order."""
    out = []
    for column in msgspec.structs.fields(model):
        hint, expose = strip(hints(model)[column.name])
        out.append((column.name, expose, is_container(hint)))
    return tuple(out)


@lru_cache(maxsize=256)
def echoes(model: type[Row]) -> frozenset[str]:
    """Return the columns of *model* that repeat the caller's own arguments."""
    return frozenset(name for name, expose, _ in columns(model) if expose is not None and expose.field is Field.ECHO)


@dataclass(slots=True)
class Disclosure:
    """One run of the engine over one answer: policy, arguments, ledger and what it withheld by name."""

    policy: Policy
    arguments: Mapping[str, Any]
    ledger: Ledger
    withheld: dict[str, None] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)
    _decided: dict[int, Decision] = field(
        default_factory=dict
    )  # by id of a declaration, which lives as long as its model

    def rows(self, model: type[Row], rows: Sequence[Row], place: Place) -> list[dict[str, Any]]:
        """Disclose *rows* under *place*; also names the columns that are withheld from every row."""
        self.name_withheld(model)
        return [self.row(model, row, (*place, index)) for index, row in enumerate(rows)]

    def name_withheld(self, model: type[Row]) -> None:
        """Name the columns of *model* that are withheld from every row."""
        self._name_withheld(model, "")

    def group(self, number: int) -> int:
        """Return the number, within this answer, of the call *number*."""
        return self.groups.setdefault(number, len(self.groups) + 1)

    def one(self, model: type[Row], row: Row) -> dict[str, Any]:
        """Disclose the single row of an object answer, at the answer's root."""
        self._name_withheld(model, "")
        return self.row(model, row, ())

    def row(self, model: type[Row], row: Row, place: Place) -> dict[str, Any]:
        """Disclose one raw *row* at *place*."""
        out: dict[str, Any] = {}
        for name, expose, nested in columns(model):
            value = getattr(row, name)
            if value is None:
                continue
            if nested:
                out[name] = self._nested(value, (*place, name))
                continue
            decision = self.decide(expose)
            if decision.shown:
                out[name] = self._value(value, decision.field, (*place, name))
            else:
                self.ledger.add(
                    Entry("omitted", decision.field.name.lower(), decision.rule, (*place, name)), decision.reason
                )
        return out

    def echo(self, arguments: Mapping[str, Any], place: Place) -> dict[str, Any]:
        """Return the caller's own *arguments* as an answer repeats them at *place*: without invisible characters."""
        return {name: self._value(value, Field.ECHO, (*place, name)) for name, value in arguments.items()}

    def decide(self, expose: Expose | None) -> Decision:
        """Decide over one column under this run's policy and arguments."""
        found = self._decided.get(id(expose))
        if found is None:
            found = self._decided[id(expose)] = decide(expose, self.policy, self.arguments)
        return found

    def _name_withheld(self, model: type[Row], prefix: str) -> None:
        for name, expose, nested in columns(model):
            if nested:
                inner, _ = strip(hints(model)[name])
                item = strip(inner.__args__[0])[0] if hasattr(inner, "__args__") else inner
                self._name_withheld(item, f"{prefix}{name}.")
            elif not self.decide(expose).shown:
                self.withheld[prefix + name] = None

    def _nested(self, value: Any, place: Place) -> Any:
        if isinstance(value, Row):
            return self.row(type(value), value, place)
        return [self.row(type(item), item, (*place, index)) for index, item in enumerate(value)]

    def _value(self, value: Any, kind: Field, place: Place) -> Any:
        if isinstance(value, bool):
            return value
        if kind is Field.GROUP:
            return self.group(value)
        if kind is Field.COUNT and self.policy.min_cell > 1:
            return self._count(value, place)
        if isinstance(value, float):
            return round(value, 4)
        if isinstance(value, MaskedText):
            return self._masked(value, kind, place)
        if isinstance(value, str):
            return self._text(value, kind, place)
        if isinstance(value, list):
            return [self._value(item, kind, (*place, index)) for index, item in enumerate(value)]
        if isinstance(value, dict):
            return {name: self._value(item, kind, (*place, name)) for name, item in value.items()}
        return value

    def _count(self, number: int, place: Place) -> int:
        """Round a count down that its tool gave as it is."""
        low = number - number % self.policy.min_cell
        if low != number:
            self.ledger.add(Entry("rounded", "count", small_cells.RULE, place), small_cells.REASON)
        return low

    def _masked(self, text: MaskedText, kind: Field, place: Place) -> str:
        places = text.places()
        for _, end, span in places:
            if not kind.max_chars or end <= kind.max_chars:  # behind it the text is cut, and its marks with it
                self._span(span, place)
        if text.cut_before or text.cut_after:
            self.ledger.add(
                Entry("cut", kind.name.lower(), SNIPPET_RULE, place, text.cut_before, text.cut_after),
                "A snippet shows a window around the match, not the whole segment.",
            )
        marks = [(start, end) for start, end, _ in places if end > start]
        return self._text(text.value, kind, place, marks)

    def _span(self, span: Span, place: Place) -> None:
        if span.kind == CONTROL:
            entry = Entry("removed", CONTROL, INVISIBLE_RULE, place, span.start, span.length, span.length)
            self.ledger.add(entry, "Invisible and control characters are removed from text.")
        else:
            kind = span.kind.partition("-")[0]  # without the number of a person
            entry = Entry("redacted", span.kind, f"{MASK_RULE}.{kind}", place, span.start, span.length)
            self.ledger.add(entry, f"Text of kind {kind} is masked before anything is indexed or cut.")

    def _text(self, text: str, kind: Field, place: Place, marks: Sequence[tuple[int, int]] = ()) -> str:
        if kind.untrusted or kind.token:
            text, removed = clean(text)
            if removed:
                self.ledger.add(
                    Entry("removed", CONTROL, INVISIBLE_RULE, place, count=removed),
                    "Invisible and control characters are removed from text.",
                )
        if kind.max_chars and len(text) > kind.max_chars:
            keep = kind.max_chars
            for start, end in marks:
                if start < keep < end:
                    keep = start  # a mark is never cut
            left_out = len(text) - keep
            self.ledger.add(
                Entry("cut", kind.name.lower(), CUT_RULE, place, 0, left_out),
                "Text longer than its class allows is cut, with a mark.",
            )
            return f"{text[:keep]}… {{cut:{left_out}}}"
        return text
