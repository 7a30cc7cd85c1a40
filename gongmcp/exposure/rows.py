"""Row models: the columns of an answer as a query found them, each with its declared exposure."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from gongmcp.exposure.fields import Expose


class Row(msgspec.Struct, kw_only=True):
    """Base of row models: raw values as the query found them, each column with one ``Expose``.

    A column whose value is None has nothing to say and is absent from the answer.
    """


@cache
def hints(model: type[Row]) -> Mapping[str, Any]:
    """Return the evaluated annotations of *model* by column, kept: to evaluate them costs more than a query."""
    return get_type_hints(model, include_extras=True)


def is_container(hint: Any) -> bool:
    """True for a column that holds nested rows: their own columns are declared, not the container."""
    if get_origin(hint) is list:
        hint, _ = strip(get_args(hint)[0])
    return isinstance(hint, type) and issubclass(hint, Row)


def strip(hint: Any) -> tuple[Any, Expose | None]:
    """Return the bare type of a column (without Annotated and None) and its ``Expose``, if declared."""
    expose: Expose | None = None
    while True:
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
            expose = next((mark for mark in marks if isinstance(mark, Expose)), expose)
        elif get_origin(hint) in (Union, types.UnionType):
            arms = [arm for arm in get_args(hint) if arm is not type(None)]
            hint = arms[0]
        else:
            return hint, expose
