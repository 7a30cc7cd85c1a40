"""What was withheld and why: under each cause a row for each action, kind and rule, and the way to each place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from gongmcp.exposure.ledger import Entry, Ledger
from tui.answer import SIGNS, WORDS
from tui.causes import cause_of, rank
from tui.literal import literal, visible
from tui.messages import WithheldPointed
from tui.widgets.option_rows import OptionRows

_BEFORE = (
    "Nothing has been run.\n\nEach field that policy leaves out, each masked word and each cut"
    " is listed here with its rule and its reason."
)
_NOTHING = "Nothing was withheld from this answer.\n\nThe agent sees all that the tool found."
_WORDIEST, _BRIEFEST = 0, 2
_LOW = 6
"""Lines of the pane below which the detail has two."""
_ERROR = "A tool error carries no data, so nothing was withheld from it."


@dataclass(frozen=True, slots=True)
class Group:
    """Entries of one action, kind and rule, by their index in the ledger."""

    action: str
    kind: str
    rule: str
    count: int
    reason: str
    entries: tuple[int, ...]


def group(ledger: Ledger) -> list[Group]:
    """Return the groups of *ledger*, those of one cause together, and of a cause most first."""
    members: dict[tuple[str, str, str], list[int]] = {}
    for index, entry in enumerate(ledger.entries):
        members.setdefault((entry.action, entry.kind, entry.rule), []).append(index)
    groups = [
        Group(
            row["action"], row["kind"], row["rule"], row["count"], row["reason"],
            tuple(members[row["action"], row["kind"], row["rule"]]),
        )
        for row in ledger.summary()
    ]  # fmt: skip
    return sorted(groups, key=lambda item: rank(cause_of(item.rule)))


def _earlier(entries: list[Entry]) -> list[int]:
    """Return for each entry how many of the same kind come before it at the same place."""
    seen: Counter[tuple[str, str, object]] = Counter()
    out = []
    for entry in entries:
        key = (entry.action, entry.kind, entry.place)
        out.append(seen[key])
        seen[key] += 1
    return out


class Withheld(Vertical):
    """The right pane of a result."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.border_title = Content("What was withheld, and why")
        self._ledger = Ledger()
        self._groups: list[Group] = []
        self._lines: list[int | None] = []  # of each line of the list its group, None = the name of a cause
        self._nth: list[int] = []
        self._at: tuple[int, int] | None = None
        self._layers: Mapping[int, str] = {}

    def compose(self) -> ComposeResult:
        """Lay out the totals, the groups and the detail of the one under the cursor."""
        yield Static(Content(_BEFORE), id="withheld-empty")
        yield OptionRows(id="withheld-groups", compact=True, markup=False)
        yield Static(Content(""), id="withheld-detail")

    @property
    def options(self) -> OptionList:
        """The list of groups."""
        return self.query_one(OptionList)

    @property
    def pointed(self) -> int | None:
        """Index in the ledger of the entry that is pointed at."""
        return None if self._at is None else self._groups[self._at[0]].entries[self._at[1]]

    @property
    def row_text(self) -> str:
        """The entry that is pointed at, as a line of columns; '' without one."""
        index = self.pointed
        if index is None:
            return ""
        entry = self._ledger.entries[index]
        place = "/" + "/".join(str(part) for part in entry.place)
        reason = self._ledger.reasons[entry.rule]
        return "\t".join((entry.action, entry.kind, str(entry.count), entry.rule, place, reason))

    def show(self, ledger: Ledger | None, *, is_error: bool = False, layers: Mapping[int, str] | None = None) -> None:
        """Show *ledger*; None before anything was run. *layers* tell of each entry, by its index, where the setting
        behind its rule was given."""
        self._layers = layers or {}
        self._ledger = ledger or Ledger()
        self._groups = group(self._ledger)
        self._nth = _earlier(self._ledger.entries)
        self._at = None
        empty = self.query_one("#withheld-empty", Static)
        empty.update(Content(_BEFORE if ledger is None else _ERROR if is_error else _NOTHING))
        empty.display = not self._groups
        for part in ("#withheld-groups", "#withheld-detail"):
            self.query_one(part).display = bool(self._groups)
        self._fill()
        self.call_after_refresh(self._fill)  # once more when the list has its size
        self._detail()

    def on_resize(self) -> None:
        """Give each group one line or two, as there is room."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        """List causes and groups: a group on one line where that loses nothing, else on two where they fit."""
        if not self.query(OptionList):  # the screen was left before its next refresh
            return
        room = self.options.scrollable_content_region
        rows = self._rows("  ", _WORDIEST)
        totals: Counter[str] = Counter()
        for item in self._groups:
            totals[cause_of(item.rule)] += item.count
        height = 2 * len(rows) + len(totals)
        if room.width and any(row.cell_length > room.width for row in rows):
            joint = "\n    " if height <= room.height else "  "
            for brevity in range(_WORDIEST, _BRIEFEST + 1):  # all rows in one form: as many words as fit in each
                rows = self._rows(joint, brevity)
                if all(line.cell_length <= room.width for row in rows for line in row.split("\n")):
                    break
        options, self._lines = [], []
        for number, (item, row) in enumerate(zip(self._groups, rows, strict=True)):
            cause = cause_of(item.rule)
            if number == 0 or cause_of(self._groups[number - 1].rule) != cause:
                options.append(Option(_heading(cause, totals[cause]), disabled=True))
                self._lines.append(None)
            options.append(Option(row))
            self._lines.append(number)
        with self.prevent(OptionList.OptionHighlighted):
            self.options.clear_options()
            self.options.add_options(options)
            self._highlight()

    def _highlight(self) -> None:
        self.options.highlighted = self._lines.index(self._at[0]) if self._at is not None else None

    def step(self, by: int) -> bool:
        """Point at the next (1) or previous (-1) place; False when nothing was withheld."""
        if not self._groups:
            return False
        flat = [(g, n) for g, item in enumerate(self._groups) for n in range(len(item.entries))]
        if self._at is None:
            self._at = flat[0] if by > 0 else flat[-1]
        else:
            self._at = flat[(flat.index(self._at) + by) % len(flat)]
        with self.prevent(OptionList.OptionHighlighted):
            self._highlight()
        self._point()
        return True

    def select(self, index: int) -> None:
        """Put the cursor on entry number *index* of the ledger and show its detail, without pointing at it."""
        where = (
            (g, n) for g, item in enumerate(self._groups) for n, entry in enumerate(item.entries) if entry == index
        )
        self._at = next(where, self._at)
        with self.prevent(OptionList.OptionHighlighted):
            self._highlight()
        self._detail()

    def _rows(self, joint: str, brevity: int) -> list[Content]:
        rows = []
        for item in self._groups:
            layers = dict.fromkeys(self._layers[entry] for entry in item.entries if entry in self._layers)
            rows.append(_row(item, joint, ", ".join(layers), brevity))
        return rows

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Point at the first place of the group under the cursor."""
        event.stop()
        number = self._lines[event.option_index]
        if number is not None and (self._at is None or self._at[0] != number):
            self._at = (number, 0)
            self._point()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Point at the next place of the group."""
        event.stop()
        number = self._lines[event.option_index]
        if number is None:
            return
        now = self._at[1] if self._at is not None and self._at[0] == number else -1
        self._at = (number, (now + 1) % len(self._groups[number].entries))
        self._point()

    def point_again(self) -> None:
        """Point at the same place once more, after the view has changed."""
        if self._at is not None:
            self._point()

    def _point(self) -> None:
        assert self._at is not None
        self._detail()
        index = self._groups[self._at[0]].entries[self._at[1]]
        self.post_message(WithheldPointed(index, self._nth[index]))

    def _detail(self) -> None:
        detail = self.query_one("#withheld-detail", Static)
        if self._at is None:
            detail.update(Content.styled("n goes to the first place, enter or n to the next.", "$quiet"))
            return
        item = self._groups[self._at[0]]
        entry = self._ledger.entries[item.entries[self._at[1]]]
        place = "/" + "/".join(str(part) for part in entry.place)
        extent = ""
        if entry.action == "redacted":
            extent = f" · {entry.length} characters at {entry.start} of the raw text"
        elif entry.action == "cut":
            extent = f" · {entry.start} characters before, {entry.length} after"
        by, at = f"{WORDS.get(item.action, 'withheld')} by ", f"{self._at[1] + 1} of {len(item.entries)} "
        where = Content.assemble((at, "$quiet"), literal(place), literal(extent, "$quiet"))
        if self.content_size.height < _LOW:
            told = [literal(item.reason), Content.assemble(where, (" · ", "$quiet"), literal(item.rule, "$quiet"))]
        else:
            told = [
                literal(item.reason),
                Content.assemble((by, "$quiet"), literal(item.rule), self._layer_words()),
                where,
            ]
        detail.update(Content("\n").join(told))

    def _layer_words(self) -> Content:
        index = self.pointed
        layer = "" if index is None else self._layers.get(index, "")
        return Content.styled(f" · set by: {layer}" if layer else "", "$quiet")


def _heading(cause: str, count: int) -> Content:
    return Content.assemble((cause, "$secondary bold"), (f"  ×{count:,}", "$warning"))


def _row(item: Group, joint: str, layer: str, brevity: int) -> Content:
    """Return the row; with *brevity* 1 without the layer, with 2 without what the sign says too; the detail has it."""
    return Content.assemble(
        (f"  {visible(SIGNS.get(item.action, '?'))} ", "$warning bold"),
        literal(f"{item.action} " if brevity < _BRIEFEST or item.action not in SIGNS else "", "bold"),
        literal(item.kind.replace("_", " ")),
        (f"  ×{item.count:,}", "$warning"),
        joint,
        literal(item.rule, "$quiet"),
        (f" · {layer}" if layer and brevity == _WORDIEST else "", "$quiet"),
    )
