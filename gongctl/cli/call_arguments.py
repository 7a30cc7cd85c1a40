"""The arguments of a dry run, read from the command line, a file or stdin.

A person types them, so a plain ``--set`` value is understood by the tool's own schema: an id stays
text, a number becomes one. What an argument may be is decided by the handler alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gongmcp.errors import Exit, StartupRefusal


@dataclass(frozen=True, slots=True)
class BatchLine:
    """One line of a batch: its number, the tool and arguments, or what is wrong with the line."""

    number: int
    name: str = ""
    arguments: Any = None
    fault: str = ""


def read_arguments(source: str | None) -> dict[str, Any]:
    """Return the JSON object that ``--args`` names: the text itself, ``@file``, or ``-`` for stdin.

    Raises:
        StartupRefusal: no such file, no JSON, or no object.
    """
    if source is None:
        return {}
    if source == "-":
        text, origin = sys.stdin.read(), "stdin"
    elif source.startswith("@"):
        text, origin = _file(source[1:]), "the file"
    else:
        text, origin = source, "--args"
    value = _json(text, origin)
    if not isinstance(value, dict):
        raise StartupRefusal(f"The arguments from {origin} are not a JSON object.", _EXAMPLE)
    return value


def apply_settings(arguments: dict[str, Any], settings: Sequence[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *arguments* with each ``key=value`` of ``--set`` in place; a later one wins.

    A value is read as JSON where it is a number, boolean, array or object and the tool's input
    *schema* does not say string; else it is text.

    Raises:
        StartupRefusal: a setting has no ``=`` or no name.
    """
    merged = dict(arguments)
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise StartupRefusal("--set takes key=value.", "For example: --set limit=3.")
        rule = schema.get("properties", {}).get(name, {})
        merged[name] = value if rule.get("type") == "string" else _typed(value)
    return merged


def read_batch(source: str) -> Iterator[BatchLine]:
    """Yield the lines of a JSONL file (``-`` for stdin); blank lines are passed over.

    Raises:
        StartupRefusal: the file cannot be read.
    """
    if source == "-":
        yield from _batch(sys.stdin.buffer)
        return
    try:
        with Path(source).open("rb") as lines:
            yield from _batch(lines)
    except OSError as error:
        raise StartupRefusal(f"The batch file cannot be read: {error.strerror}.") from None


_EXAMPLE = """For example: --args '{"query": "pricing", "limit": 3}'."""


def _batch(lines: Any) -> Iterator[BatchLine]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield BatchLine(number, fault="is no JSON")
            continue
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            yield BatchLine(number, fault='is no object with a "name"')
        elif unknown := sorted(set(value) - {"name", "arguments"}):
            yield BatchLine(number, fault=f'has more than "name" and "arguments": {", ".join(unknown)}')
        else:
            yield BatchLine(number, value["name"], value.get("arguments"))


def _file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise StartupRefusal(f"The file of --args cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise StartupRefusal("The file of --args is not UTF-8 text.") from None


def _json(text: str, origin: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise StartupRefusal(f"The arguments from {origin} are no JSON ({where}).", _EXAMPLE) from None
    except (ValueError, RecursionError):
        raise StartupRefusal(f"The arguments from {origin} are no JSON.", _EXAMPLE, Exit.USAGE) from None


def _typed(value: str) -> Any:
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return value if isinstance(parsed, str) or parsed is None else parsed
