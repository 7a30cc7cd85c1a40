"""Previews of one call side by side: what each shows, withholds and costs."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gongmcp.preview.model import Lens, Preview, Span

NOT_OFFERED = "not offered"
_CURSOR = "Next page: cursor"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the comparison: its *name* (a figure or a member's path), and a cell for each preview."""

    name: str
    cells: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether the cells are not all alike."""
        return len(set(self.cells)) > 1


def figures(previews: Sequence[Preview | None]) -> list[Line]:
    """Return status, sizes and gates of *previews*; None stands for a policy that does not offer the tool."""
    made = [_figures(item) if item is not None else {} for item in previews]
    names = list(dict.fromkeys(name for cells in made for name in cells))
    return [Line(name, tuple(cells.get(name, NOT_OFFERED) for cells in made)) for name in names]


def _figures(preview: Preview) -> dict[str, str]:
    outcome = preview.outcome
    size = preview.sizes[Lens.WIRE]
    failed = [gate.name for gate in preview.gates if not gate.passed]
    return {
        "status": outcome.code,
        "rows": f"{outcome.rows:,}",
        "bytes": f"{size.bytes:,}",
        "est. tokens": f"{size.tokens_low:,}-{size.tokens_high:,}",
        "withheld": f"{sum(span.count for span in preview.spans if span.state != 'kept'):,}",
        "gates": f"fail: {', '.join(failed)}" if failed else "all passed",
    }


def members(previews: Sequence[Preview | None]) -> list[Line]:
    """Return one line for each member of the answers, by path, those that differ first."""
    made = [_members(item.spans) if item is not None else None for item in previews]
    paths = sorted({path for cells in made if cells is not None for path in cells})
    lines = [
        Line(path, tuple(NOT_OFFERED if cells is None else cells.get(path, "absent") for cells in made))
        for path in paths
    ]
    return sorted(lines, key=lambda line: not line.differs)


def _members(spans: Sequence[Span]) -> dict[str, str]:
    states: dict[str, Counter[str]] = {}
    for span in spans:
        path = "".join("[]" if isinstance(part, int) else f".{part}" for part in span.place).lstrip(".") or "(answer)"
        state = "shown" if span.state == "kept" else f"{span.state} {span.rule}"
        states.setdefault(path, Counter())[state] += span.count
    return {path: ", ".join(_times(state, count) for state, count in found.items()) for path, found in states.items()}


def _times(state: str, count: int) -> str:
    return state if count == 1 else f"{state} ×{count:,}"


def text_difference(before: Preview, after: Preview) -> Iterator[str]:
    """Yield the lines in which the text of *after* differs from that of *before*, as a unified difference.

    Cursors are left out: sealed for one policy, they differ under any other and say nothing.
    """
    old, new = (
        [_CURSOR if line.startswith(_CURSOR) else line for line in item.outcome.answer.text.split("\n")]
        for item in (before, after)
    )
    yield from difflib.unified_diff(old, new, lineterm="", n=1)
