"""Reading YAML that people wrote: one way for every file of settings, so that no text ends in a traceback or a stall.

The parser is pure Python and slow to load: it is imported when a text is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

MAX_OPEN_BRACKETS: Final = 64
"""Brackets that one line may open and leave open.

For each of them the parser looks ahead over the rest of the line: thousands take it minutes.
"""

_OF_THE_PARSER: Final = (
    ValueError,
    LookupError,
    ArithmeticError,
    TypeError,
    AttributeError,
    AssertionError,
    RecursionError,
)
"""What the parser raises of its own over odd escapes, directives and depth: a fault of the text as well."""


class BadYaml(ValueError):
    """A text is no YAML document that is read here; *line* counts from 1, None when it is not known."""

    def __init__(self, line: int | None = None) -> None:
        super().__init__("this is no YAML document")
        self.line = line


def yaml_nodes(text: str) -> Any:
    """Return the parser's tree of nodes, which know their lines; None for an empty text.

    Raises:
        BadYaml: it is no YAML document.
    """
    from ruamel.yaml import YAML

    return _read(text, lambda: YAML(typ="safe", pure=True).compose(text))


def yaml_value(text: str, *, aliases: bool = True) -> Any:
    """Return the value of a YAML document.

    Args:
        aliases: whether a value may stand for another one; with them a small text can grow large as it is walked.

    Raises:
        BadYaml: it is no YAML document, or has an alias where none is taken.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.events import AliasEvent

    def value() -> Any:
        if not aliases and any(isinstance(event, AliasEvent) for event in YAML(typ="safe", pure=True).parse(text)):
            raise ValueError("aliases are not read")
        return YAML(typ="safe", pure=True).load(text)

    return _read(text, value)


def crowded_line(text: str) -> int | None:
    """Return the first line that opens more brackets than ``MAX_OPEN_BRACKETS`` and leaves them open; None: no line."""
    for number, line in enumerate(text.splitlines(), 1):
        opened = line.count("[") + line.count("{") - line.count("]") - line.count("}")
        if opened > MAX_OPEN_BRACKETS:
            return number
    return None


def _read(text: str, read: Callable[[], Any]) -> Any:
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    crowded = crowded_line(text)
    if crowded is not None:
        raise BadYaml(crowded)
    try:
        return read()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadYaml(mark.line + 1 if mark is not None else None) from None
    except (YAMLError, *_OF_THE_PARSER):
        raise BadYaml from None
