"""Generated blocks: where they stand in a document, and how they are filled.

A block stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, each on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_BLOCK = re.compile(r"^<!-- generated: (?P<name>[a-z0-9-]+) -->\n(?P<body>.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"^<!-- (?:generated:.*|end) -->$", re.MULTILINE)


class BadMarkers(ValueError):
    """A document's markers do not pair up, or name a block that nobody makes."""


@dataclass(frozen=True, slots=True)
class Block:
    """One generated block as it stands in a document."""

    name: str
    body: str


def find_blocks(document: str) -> Iterator[Block]:
    """Yield the blocks of *document* in order.

    Raises:
        BadMarkers: a marker is left over.
    """
    found = list(_BLOCK.finditer(document))
    for match in found:
        if _MARK.search(match["body"]):
            raise BadMarkers(f"the block {match['name']} holds another marker")
    if len(_MARK.findall(document)) != 2 * len(found):
        raise BadMarkers("a marker has no partner")
    for match in found:
        yield Block(match["name"], match["body"])


def fill(document: str, contents: Mapping[str, str]) -> str:
    """Return *document* with each block's body replaced by what *contents* has under its name.

    Raises:
        BadMarkers: a marker is left over, or *contents* lacks a name.
    """
    for block in find_blocks(document):
        if block.name not in contents:
            raise BadMarkers(f"nobody makes the block {block.name}")

    def filled(match: re.Match[str]) -> str:
        # Blank lines around the body: a table or fence next to an HTML comment is not seen as one.
        return f"<!-- generated: {match['name']} -->\n\n{contents[match['name']].strip()}\n\n<!-- end -->"

    return _BLOCK.sub(filled, document)


def differing(old: str, new: str) -> list[str]:
    """Return the names of the blocks whose bodies differ between two states of one document."""
    return [
        before.name
        for before, after in zip(find_blocks(old), find_blocks(new), strict=True)
        if before.body != after.body
    ]
