"""YAML text -> a tree of nodes that know their line, read event by event so that no text can do harm.

Only plain YAML is accepted: maps, lists and scalars of one document. Anchors, aliases and merge keys are
refused: a profile is no place to save typing, and without them a text cannot grow when it is read. So are tags.
Size, number of nodes and depth are bounded, and reading stops at the bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal

from gongctl.profile.findings import Finding, cleaned, finding
from gongmcp.yaml_text import MAX_OPEN_BRACKETS, crowded_line

MAX_BYTES: Final = 1_000_000
MAX_NODES: Final = 20_000
MAX_DEPTH: Final = 32
_UNSTORABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

_OF_THE_PARSER: Final = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    RecursionError,
)
"""Faults of a text that the parser does not report as its own: escapes beyond Unicode, odd directives."""

Scalar = Literal["text", "number", "truth", "nothing"]


@dataclass(slots=True)
class Node:
    """A part of the document. *kind* ``broken``: what stood there was refused and is reported already.

    A scalar has *text* and whether it was *plain* (not quoted); a list has *items*, a map *entries*.
    """

    kind: Literal["scalar", "list", "map", "broken"]
    line: int
    column: int
    text: str = ""
    plain: bool = False
    items: list[Node] = field(default_factory=list)
    entries: list[tuple[Node, Node]] = field(default_factory=list)

    @property
    def scalar(self) -> Scalar:
        """What a scalar is by YAML's core schema: only an unquoted one can be other than a text."""
        return _resolved(self.text) if self.plain else "text"


class _Stop(Exception):
    """Reading ends here; the finding is recorded."""


def read_tree(source: str | bytes) -> tuple[Node | None, list[Finding]]:
    """Return the root of the document in *source* and what was found; no root when it cannot be read or is empty."""
    found: list[Finding] = []
    text = _decoded(source, found)
    if text is None:
        return None, found
    builder = _Builder(found)
    try:
        for event in _events(text, found):
            builder.take(event)
    except _Stop:
        return None, found
    return builder.root, found


def _decoded(source: str | bytes, found: list[Finding]) -> str | None:
    size = len(source) if isinstance(source, bytes) else len(source.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        found.append(finding("too_large", f"The text has {size:,} bytes; at most {MAX_BYTES:,} are read."))
        return None
    if isinstance(source, str):
        return source.removeprefix("\ufeff")
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        found.append(finding("malformed_yaml", "The text is not UTF-8.", "", line))
        return None


def _events(text: str, found: list[Finding]) -> Iterator[Any]:
    """Yield the parser's events; a fault of the text is recorded and ends the reading."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    crowded = crowded_line(text)
    if crowded is not None:
        found.append(
            finding("too_deep", f"More than {MAX_OPEN_BRACKETS} brackets are opened on this line.", "", crowded)
        )
        raise _Stop
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except ReaderError as error:
        before = text[: error.position]
        found.append(
            finding("malformed_yaml", "A control character, which YAML does not allow.", "", before.count("\n") + 1)
        )
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        said = " ".join(part for part in (error.context, error.problem) if part)
        found.append(finding("malformed_yaml", f"This is not YAML: {cleaned(said, 200)}.", "", *place))
    except (YAMLError, *_OF_THE_PARSER):
        found.append(finding("malformed_yaml", "This is not YAML.", "", 1))
    else:
        return
    raise _Stop


@dataclass(slots=True)
class _Builder:
    """Puts events together. *stack* holds the open lists and maps; a map's key waits in *keys* for its value.

    *tagged* is the outermost open list or map that has a tag: it is broken once it is closed.
    """

    found: list[Finding]
    root: Node | None = None
    stack: list[Node] = field(default_factory=list)
    keys: list[Node | None] = field(default_factory=list)
    tagged: Node | None = None
    nodes: int = 0
    documents: int = 0

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if kind == "DocumentStartEvent":
            self._document(event, line, column)
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            node = self.stack.pop()
            self.keys.pop()
            if node is self.tagged:
                node.kind, self.tagged = "broken", None
        elif kind == "AliasEvent":
            self._report("yaml_alias", "An alias is not allowed: write the value out.", line, column)
            self._add(Node("broken", line, column))
        elif kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
            self._node(event, kind, line, column)

    def _document(self, event: Any, line: int, column: int) -> None:
        self.documents += 1
        if self.documents > 1:
            self._stop("malformed_yaml", "A profile is one document: remove this --- and what follows.", line, column)
        if event.version is not None and tuple(event.version) != (1, 2):
            self._stop("malformed_yaml", "A profile is YAML 1.2: remove the %YAML line.", line, column)

    def _node(self, event: Any, kind: str, line: int, column: int) -> None:
        if event.anchor is not None:
            self._report("yaml_alias", "An anchor is not allowed: write the value out where it is used.", line, column)
        if event.tag is not None:
            self._report("yaml_tag", "A tag is not allowed: remove it.", line, column)
        refused = event.tag is not None
        if kind == "ScalarEvent":
            bad = _UNSTORABLE.search(event.value)
            if bad is not None:
                code = f"U+{ord(bad.group()):04X}"
                self._report("bad_character", f"The text holds the character {code}: remove it.", line, column)
            broken = refused or bad is not None
            self._add(Node("broken" if broken else "scalar", line, column, event.value, bool(event.implicit[0])))
            return
        node = Node("list" if kind == "SequenceStartEvent" else "map", line, column)
        self._add(node)
        if refused and self.tagged is None:
            self.tagged = node
        self.stack.append(node)
        self.keys.append(None)
        if len(self.stack) > MAX_DEPTH:
            self._stop("too_deep", f"Lists and maps are nested more than {MAX_DEPTH} deep.", line, column)

    def _add(self, node: Node) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            message = f"The profile has more than {MAX_NODES:,} entries."
            self._stop("too_large", message, node.line, node.column)
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if parent.kind == "list":
            parent.items.append(node)
        elif (key := self.keys[-1]) is None:
            self.keys[-1] = node
        else:
            if node.kind == "scalar" and node.plain and not node.text:
                # Nothing is written: the parser puts it where the next thing begins, maybe on another line.
                node.line, node.column = key.line, key.column
            parent.entries.append((key, node))
            self.keys[-1] = None

    def _report(self, code: str, message: str, line: int, column: int) -> None:
        self.found.append(finding(code, message, "", line, column))

    def _stop(self, code: str, message: str, line: int, column: int) -> None:
        self._report(code, message, line, column)
        raise _Stop


@cache
def _resolver() -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).resolver


def _resolved(text: str) -> Scalar:
    """Return what an unquoted scalar is. Dates and the like are texts: a profile has no use for them."""
    from ruamel.yaml.nodes import ScalarNode

    tag = str(_resolver().resolve(ScalarNode, text, (True, False)))
    name = tag.rpartition(":")[2]
    if name in ("int", "float"):
        return "number"
    return {"bool": "truth", "null": "nothing"}.get(name, "text")  # type: ignore[return-value]
