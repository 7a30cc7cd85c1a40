"""Client lenses: what of a result a host hands to its model, and whether the lenses tell different facts.

Some hosts forward the formatted text, some the structure, some both. An operator looks through each of them.
"""

from __future__ import annotations

import math
from typing import Final

from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.ledger import Place
from gongmcp.preview.model import Lens, Preview, Size
from gongmcp.preview.places import Places, text_places
from gongmcp.preview.values import values
from gongmcp.render.answer import Answer
from gongmcp.render.size import ESTIMATOR, estimate_tokens
from gongmcp.render.wire import json_bytes, result_bytes

SPREAD: Final = 0.2
"""How far a tokenizer may be from the estimate, either way: the range that is shown. Assumed, as tokenizers differ."""

MEASURED: Final = "one tokenizer of 32,000 pieces counted 0.9 to 1.5 times the estimate"
"""What was measured over answers of the bundled sample (``benchmarks.tokens``): that one is often above the range."""

TOKENS_BY: Final = f"{ESTIMATOR}, ± {SPREAD:.0%} assumed; {MEASURED}"
"""How the ranges of tokens came about, printed beside them."""

_MARK: Final = "{redacted:"


def lens_bytes(answer: Answer, lens: Lens) -> bytes:
    """Return what a host with *lens* hands on: both channels are the text, a line break and the structure."""
    if lens is Lens.WIRE:
        return result_bytes(answer)
    structure = b"" if answer.structured is None else json_bytes(answer.structured)
    if lens is Lens.STRUCTURED and structure:
        return structure
    text = answer.text.encode()
    return text if lens is not Lens.BOTH or not structure else text + b"\n" + structure


def lens_text(answer: Answer, lens: Lens) -> str:
    """Return the same as text. An error has no structure: hosts then show its text."""
    return lens_bytes(answer, lens).decode()


def sizes(answer: Answer, wire: bytes, tokens: int) -> dict[Lens, Size]:
    """Return the sizes through each lens; *tokens* is the estimate for the whole of *wire*."""
    found = {Lens.WIRE: _size(wire, tokens)}
    text = answer.text.encode()
    of_text = estimate_tokens(answer.text)
    found[Lens.CONTENT] = _size(text, of_text)
    if answer.structured is None:
        found[Lens.STRUCTURED] = found[Lens.BOTH] = found[Lens.CONTENT]
        return found
    structure = json_bytes(answer.structured)
    of_structure = estimate_tokens(structure.decode())
    found[Lens.STRUCTURED] = _size(structure, of_structure)
    found[Lens.BOTH] = _size(text + b"\n" + structure, of_text + of_structure)
    return found


def _size(data: bytes, tokens: int) -> Size:
    low, high = math.floor(tokens * (1 - SPREAD)), math.ceil(tokens * (1 + SPREAD))
    return Size(len(data), len(data.decode()), low, high)


def disagreements(preview: Preview) -> tuple[Place, ...]:
    """Return the places whose value one channel tells and the other does not, or tells otherwise."""
    tool = catalog()[preview.tool]
    answer = preview.outcome.answer
    return told_apart(tool, answer, text_places(tool, answer))


def told_apart(tool: Tool, answer: Answer, places: Places) -> tuple[Place, ...]:
    """Return the places of columns that the text, in which *places* were found, does not repeat.

    Where the text shows another number of masks than the structure holds, the place is the root.
    """
    if answer.structured is None:
        return ()
    found: list[Place] = []
    marks = 0
    for place, value, _ in values(tool, answer.structured, {}):
        if place not in places:
            found.append(place)
        if isinstance(value, str):
            marks += value.count(_MARK)
    said = answer.structured["result"] if tool.facade else answer.structured
    marks += sum(str(value).count(_MARK) for value in said.get("searched", {}).values())
    if not found and marks != answer.text.count(_MARK):
        found.append(())
    return tuple(found)
