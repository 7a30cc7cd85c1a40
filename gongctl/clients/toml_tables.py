"""Putting one table into a TOML text and taking it out, with every other byte as it was.

A table is its header and the lines up to the next header that is not one of its own sub-tables. Whoever edits
compares the meaning before and after (``gongctl.clients.edit``), so that a text in which the table is written in
another way (dotted keys, inline tables) is refused instead of spoiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_HEADER: Final = re.compile(r"[ \t]*\[{1,2}[ \t]*([^\]\n]+?)[ \t]*\]{1,2}[ \t]*(?:#.*)?\r?\n?")
_QUOTES: Final = re.compile(r"\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|#[^\n]*")


def with_table(text: str, path: Sequence[str], table: str) -> str:
    """Return *text* with the table at *path* being *table* (header and all): in its place, else at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    new = table.replace("\n", newline)
    spans = list(_spans(text, path))
    if spans:
        start, end = spans[0]
        rest = "".join(
            text[a:b]
            for a, b in zip((end, *(e for _, e in spans[1:])), (*(s for s, _ in spans[1:]), len(text)), strict=True)
        )
        blank = newline if rest and not rest.startswith(("\n", "\r\n")) else ""
        return text[:start] + new + blank + rest
    if not text.strip():
        return text + new
    ends = text.endswith("\n")
    return text + ("" if ends else newline) + newline + new


def without_table(text: str, path: Sequence[str]) -> str:
    """Return *text* without the table at *path* and its sub-tables; a blank line before it goes with it."""
    for start, end in reversed(list(_spans(text, path))):
        head = text[:start]
        for blank in ("\r\n\r\n", "\n\n"):
            if head.endswith(blank):
                head = head[: -len(blank) // 2]
                break
        text = head + text[end:]
    return text


def _spans(text: str, path: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where the table at *path* and its sub-tables stand, those that follow one another as one."""
    begun = -1
    for start, keys in _headers(text):
        own = keys is not None and keys[: len(path)] == list(path)
        if own and begun < 0:
            begun = start
        elif not own and begun >= 0:
            yield begun, start
            begun = -1
    if begun >= 0:
        yield begun, len(text)


def _headers(text: str) -> Iterator[tuple[int, list[str] | None]]:
    """Yield where each header line begins and its keys; lines inside multi-line texts and arrays are none."""
    open_quote = ""
    depth = 0
    at = 0
    for line in text.splitlines(keepends=True):
        if not open_quote and depth == 0 and (match := _HEADER.fullmatch(line)) is not None:
            yield at, _keys(match[1])
        else:
            open_quote, depth = _after(line, open_quote, depth)
        at += len(line)


def _after(line: str, open_quote: str, depth: int) -> tuple[str, int]:
    """Return which multi-line quotation is open after *line*, and how many brackets are."""
    at = 0
    while at < len(line):
        if open_quote:
            end = line.find(open_quote, at)
            if end < 0:
                return open_quote, depth
            at = end + len(open_quote)
            open_quote = ""
            continue
        match = _QUOTES.match(line, at)
        if match is not None:
            open_quote = match.group() if match.group() in ('"""', "'''") else ""
            at = match.end()
            continue
        depth = max(depth + (line[at] in "[{") - (line[at] in "]}"), 0)
        at += 1
    return open_quote, depth


def _keys(dotted: str) -> list[str] | None:
    parts = re.findall(r"\"[^\"]*\"|'[^']*'|[A-Za-z0-9_-]+", dotted)
    return [part.strip("\"'") for part in parts] if parts else None
