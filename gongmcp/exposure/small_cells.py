"""Small cells: with ``--min-cell N`` no count tells fewer than N things apart.

Every count (``Field.COUNT``) leaves as a multiple of N, rounded down. Groups below N become one group ``other``;
that is never one group alone: the next smallest joins it until it stands for two groups and N things, and where
nothing can join it is left out. What would tell a small group apart all the same (sums of durations, averages, the
time of the latest call) is declared ``exact`` and withheld. Rates and differences are made of the counts as shown,
and so is the order of rows: a tool gives its counters to ``groups`` before it makes rows of them.

A number about one row that stands for itself (the parties of one call, the fields of one object) is a
``Field.MEASURE`` and stays: whoever must not see single calls gets a preset without the tools that list them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gongmcp.exposure.ledger import Entry, Ledger

OTHER: Final = "other"
"""Label of the group that small ones are merged into."""

RULE: Final = "min_cell"
REASON: Final = "Counts leave in multiples of min_cell; groups below it are merged or left out, exact figures withheld."

Counters = Mapping[str, Any]
"""One group as a query counted it, by column."""


@dataclass(slots=True)
class SmallCells:
    """How the counts of one answer leave: in multiples of *least*; 1 = as they are. It keeps what it did."""

    least: int = 1
    rounded: int = 0
    merged: int = 0
    left_out: int = 0

    @property
    def active(self) -> bool:
        """True when counts are coarsened at all."""
        return self.least > 1

    def count(self, number: int) -> int:
        """Return *number* rounded down to a multiple of ``least``."""
        low = number - number % self.least
        self.rounded += low != number
        return low

    def some(self, number: int | None) -> int | None:
        """Return *number* rounded down, None for nothing: so that none and too few to be told look alike."""
        return self.count(number or 0) or None

    def at_least(self, asked: int) -> int:
        """Return the count from which on a group is told when the caller wants those of *asked* and more.

        It is the next multiple of ``least``: any other number would tell on which side of it a count stands.
        """
        return max(1, -(-asked // self.least)) * self.least

    def groups(
        self,
        rows: Iterable[Counters],
        label: str,
        size: Sequence[str],
        *,
        add: Sequence[str] = (),
        once: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Return the groups of *rows* that may be told apart, biggest first and ``other`` last.

        A group is small when one of its *size* columns is below ``least``. The first of *size* and the columns *add*
        can be added over groups; those of *once* and the further ones of *size* count things that may stand in
        several groups: ``other`` has none. Of its remaining columns *label* is ``OTHER`` and the others are None.
        When counts leave as they are, *rows* come back in their own order.
        """
        found = [dict(row) for row in rows]
        if not self.active:
            return found
        main = size[0]

        def is_small(row: Counters) -> bool:
            return any(row[column] < self.least for column in size)

        small = [row for row in found if is_small(row)]
        if small:
            small += [row for row in found if not is_small(row) and row[label] == OTHER]
        gone = {id(row) for row in small}
        kept = sorted((row for row in found if id(row) not in gone), key=lambda row: (-row[main], str(row[label])))
        while small and kept and (len(small) < 2 or sum(row[main] for row in small) < self.least):
            small.append(kept.pop())
        summed = (main, *add)
        counted = (*summed, *size[1:], *once)
        out = [{**row, **{column: self.count(row[column]) for column in counted}} for row in kept]
        out.sort(key=lambda row: (-row[main], str(row[label])))  # the order among equals tells nothing more
        total = sum(row[main] for row in small)
        if len(small) > 1 and total >= self.least:
            self.merged += len(small)
            sums = {column: self.count(sum(row[column] for row in small)) for column in summed}
            out.append({**dict.fromkeys(small[0]), **sums, label: OTHER})
        else:
            self.left_out += len(small)
        return out

    def enough(self, rows: Iterable[Counters], *size: str) -> list[dict[str, Any]]:
        """Return those of *rows* of which a *size* column reaches ``least``; the others are left out.

        For groups that overlap, of which a sum would say nothing. When counts leave as they are, all rows.
        """
        found = [dict(row) for row in rows]
        if not self.active:
            return found
        kept = [row for row in found if max(row[column] for column in size) >= self.least]
        self.left_out += len(found) - len(kept)
        return kept

    def tell(self, ledger: Ledger) -> None:
        """Record in *ledger* what was coarsened; its values stand in no place of the answer."""
        for action, kind, count in (
            ("rounded", "count", self.rounded),
            ("merged", "row", self.merged),
            ("omitted", "row", self.left_out),
        ):
            if count:
                ledger.add(Entry(action, kind, RULE, (), count=count), REASON)
