"""Putting one member into a JSON text and taking it out, with every other byte as it was.

Clients' files have comments and trailing commas now and then, an order that people know, and an indentation. So
nothing is parsed and printed again: the text is followed far enough to know where members begin and end, and changed
there alone. Whoever edits compares the meaning before and after (``gongctl.clients.edit``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR: Final = re.compile(r"[^\s,:{}\[\]\"/]+")
_MAX_DEPTH: Final = 200
_INDENT: Final = "  "


class NotJson(Exception):
    """The text is no JSON that can be followed; the message says why, with the line."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: its *name*, and where name and value stand in the text."""

    name: str
    start: int
    value_start: int
    end: int


@dataclass(frozen=True, slots=True)
class Object:
    """An object in the text: from its opening to behind its closing brace, and its members in order."""

    start: int
    end: int
    members: tuple[Member, ...]

    def named(self, name: str) -> Member | None:
        """Return the member *name*.

        Raises:
            NotJson: there are two of it: nobody knows which one the client takes.
        """
        found = [member for member in self.members if member.name == name]
        if len(found) > 1:
            raise NotJson("a name stands twice in an object")
        return found[0] if found else None


def object_at(text: str, at: int = 0) -> Object:
    """Return the object that begins at *at*, blanks and comments before it aside.

    Raises:
        NotJson: no object begins there, or it cannot be followed to its end.
    """
    start = _blank(text, at)
    if text[start : start + 1] != "{":
        raise _fault(text, start, "an object was expected")
    return _Follower(text).object(start, 0)


def value_of(text: str) -> Any:
    """Return the meaning of a whole JSON text with comments and trailing commas.

    Raises:
        NotJson: it is none.
    """
    start = _blank(text, 0)
    follower = _Follower(text)
    end = follower.value(start, 0)
    if _blank(text, end) != len(text):
        raise _fault(text, _blank(text, end), "something stands behind the end")
    try:
        return json.loads("".join(_plain(text)), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise NotJson("it is no JSON") from error


def with_member(text: str, holder: Object, name: str, value: Any) -> str:
    """Return *text* with the member *name* of *holder* being *value*: in its place, else behind the others."""
    known = holder.named(name)
    newline = "\r\n" if "\r\n" in text else "\n"
    on_one_line = "\n" not in text[holder.start : holder.end]
    if known is not None and on_one_line:
        return text[: known.value_start] + json.dumps(value, ensure_ascii=False) + text[known.end :]
    if known is not None:
        indent = _indent_of(text, known.start)
        return text[: known.value_start] + _shown(value, indent, _unit(text), newline) + text[known.end :]
    if on_one_line and holder.members:
        end = holder.members[-1].end
        return text[:end] + f", {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" + text[end:]
    outer = _indent_of(text, holder.start)
    inner = _indent_of(text, holder.members[0].start) if holder.members else outer + _unit(text)
    member = f"{newline}{inner}{json.dumps(name)}: {_shown(value, inner, _unit(text), newline)}"
    if not holder.members:
        rest = text[holder.start + 1 : holder.end - 1]
        closing = newline + outer if not rest.strip() else rest
        return text[: holder.start + 1] + member + closing + text[holder.end - 1 :]
    last = holder.members[-1].end
    comma = _blank(text, last)
    if text[comma] == ",":
        return text[: comma + 1] + member + text[comma + 1 :]
    # Behind a comment on the last member's line, which is about that member.
    line_end = text.find("\n", last)
    behind = text[last:line_end] if line_end >= 0 else ""
    if _BLANK.fullmatch(behind) and line_end < holder.end - 1:
        at = line_end - 1 if text[line_end - 1] == "\r" else line_end
        return f"{text[:last]},{text[last:at]}{member}{text[at:]}"
    return f"{text[:last]},{member}{text[last:]}"


def without_member(text: str, holder: Object, name: str) -> str:
    """Return *text* without the member *name* of *holder*, and without the comma that goes with it."""
    member = holder.named(name)
    if member is None:
        return text
    place = holder.members.index(member)
    following = _blank(text, member.end)
    has_comma = text[following] == ","
    if has_comma and place + 1 < len(holder.members):
        return text[: member.start] + text[following + 1 :].lstrip(" \t\r\n")
    end = following + 1 if has_comma else member.end
    if place == 0:
        rest = text[end : holder.end - 1]
        return text[: holder.start + 1] + (rest if rest.strip() else "") + text[holder.end - 1 :]
    comma = _blank(text, holder.members[place - 1].end)
    kept = text[comma + 1 : member.start].rstrip(" \t\r\n")  # a comment on the line of the member before
    return text[: comma + 1 if has_comma else comma] + kept + text[end:]


class _Follower:
    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, at: int, depth: int) -> int:
        """Return where the value that begins at *at* ends."""
        text = self._text
        if depth > _MAX_DEPTH:
            raise _fault(text, at, "it is nested too deeply")
        sign = text[at : at + 1]
        if sign == "{":
            return self.object(at, depth).end
        if sign == "[":
            at = _blank(text, at + 1)
            while text[at : at + 1] != "]":
                at = self._after_item(self.value(at, depth + 1), "]")
            return at + 1
        match = (_STRING if sign == '"' else _SCALAR).match(text, at)
        if match is None:
            raise _fault(text, at, "a value was expected")
        return match.end()

    def object(self, start: int, depth: int) -> Object:
        text = self._text
        members = []
        at = _blank(text, start + 1)
        while text[at : at + 1] != "}":
            match = _STRING.match(text, at)
            if match is None:
                raise _fault(text, at, "a name in quotation marks was expected")
            colon = _blank(text, match.end())
            if text[colon : colon + 1] != ":":
                raise _fault(text, colon, "a colon was expected")
            value_start = _blank(text, colon + 1)
            end = self.value(value_start, depth + 1)
            members.append(Member(_name(match.group(), text, at), at, value_start, end))
            at = self._after_item(end, "}")
        return Object(start, at + 1, tuple(members))

    def _after_item(self, end: int, closing: str) -> int:
        at = _blank(self._text, end)
        if self._text[at : at + 1] == ",":
            return _blank(self._text, at + 1)
        if self._text[at : at + 1] != closing:
            raise _fault(self._text, at, f"a comma or {closing} was expected")
        return at


def _plain(text: str) -> Iterator[str]:
    """Yield *text* as strict JSON: without comments and trailing commas."""
    at = 0
    pending = ""
    while at < len(text):
        blank = _BLANK.match(text, at)
        if blank is not None and blank.end() > at:
            at = blank.end()
            pending += " "
            continue
        match = _STRING.match(text, at)
        piece = match.group() if match is not None else text[at]
        at += len(piece)
        if pending.startswith(",") and piece in "}]":
            pending = pending[1:]
        if piece == ",":
            yield pending
            pending = ","
        else:
            yield pending + piece
            pending = ""
    yield pending


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotJson("a name stands twice in an object")
    return found


def _name(quoted: str, text: str, at: int) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise _fault(text, at, "a name is no JSON string") from None


def _blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match is not None else at


def _fault(text: str, at: int, reason: str) -> NotJson:
    return NotJson(f"line {text.count(chr(10), 0, at) + 1}: {reason}")


def _indent_of(text: str, at: int) -> str:
    """Return the blanks that the line of *at* begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return what one level of indentation is in *text*: what its first indented line begins with."""
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match is not None else _INDENT


def _shown(value: Any, indent: str, unit: str, newline: str) -> str:
    """Return *value* as JSON over several lines; the first stands behind a name that is indented by *indent*."""
    return (newline + indent).join(json.dumps(value, indent=unit, ensure_ascii=False).split("\n"))
