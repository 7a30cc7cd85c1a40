"""Blocks of ``docs/exposure.md``: field classes, the rule of each column, switches, dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_type_hints

from docgen.markdown import cell, code, codes, table
from gongmcp.catalog.declaration import Tool
from gongmcp.catalog.dimensions import DIMENSION_ALIASES, DIMENSIONS
from gongmcp.catalog.filters import filters_of, withheld_arguments
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import SWITCHES, Expose, Field, Provenance
from gongmcp.exposure.masking import KINDS
from gongmcp.exposure.participants import PERSON
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row, strip
from gongmcp.exposure.text import Span


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a tool's answer, nested ones by path (``crm_objects.object_type``)."""

    path: str
    expose: Expose | None


def tool_columns(tool: Tool) -> Iterator[Column]:
    """Yield every column that *tool*'s rows and notes declare, withheld ones too."""
    if tool.notes is not None:
        yield from _columns(tool.notes, "")
    yield from _columns(tool.row, "results[]." if tool.many else "")


def _columns(model: type[Row], prefix: str) -> Iterator[Column]:
    hints = get_type_hints(model, include_extras=True)
    for name, expose, nested in columns(model):
        if not nested:
            yield Column(prefix + name, expose)
            continue
        hint, _ = strip(hints[name])
        many = hasattr(hint, "__args__")
        inner, _ = strip(hint.__args__[0]) if many else (hint, None)
        yield from _columns(inner, f"{prefix}{name}{'[]' if many else ''}.")


def class_of(expose: Expose | None) -> str:
    """Return the field class of a column as the documents write it."""
    if expose is None:
        return "undeclared"
    return f"class of {code(expose.by)}" if expose.by else code(expose.field.name.lower())


def rule_of(expose: Expose | None) -> str:
    """Return in words when a column leaves."""
    if expose is None or expose.never:
        return "never"
    parts = []
    if expose.opt_in:
        parts.append(f"with {code(expose.opt_in)}")
    if expose.modes is not None:
        modes = [mode.value for mode in Provenance if mode in expose.modes]
        parts.append("in mode " + " or ".join(modes))
    if expose.exact:
        parts.append("not with `--min-cell`")
    return ", ".join(parts) or "shown"


def switches_of(expose: Expose | None) -> list[str]:
    """Return the switches that withhold a column whatever its rule says."""
    if expose is None or expose.never or expose.by:
        return []
    return [name for name, fields in SWITCHES.items() if expose.field in fields]


def column_table(tool: Tool) -> str:
    """Return the table of *tool*'s columns: class, rule, switch."""
    rows = [
        [code(column.path), class_of(column.expose), rule_of(column.expose), codes(switches_of(column.expose))]
        for column in tool_columns(tool)
    ]
    return table(["Column", "Field class", "Leaves", "Switch that withholds it"], rows)


def field_classes() -> str:
    """Return the table of all field classes and how many columns of today's tools have each."""
    used: dict[Field, int] = dict.fromkeys(Field, 0)
    for tool in catalog().values():
        for column in tool_columns(tool):
            if column.expose is not None and column.expose.by is None:
                used[column.expose.field] += 1
    rows = []
    for field in Field:
        switches = [name for name, fields in SWITCHES.items() if field in fields]
        rows.append(
            [
                code(field.name.lower()),
                cell(field.title),
                "yes" if field.untrusted else "no",
                str(field.max_chars) if field.max_chars else "–",
                codes(switches),
                str(used[field]),
            ]
        )
    header = ["Class", "What it holds", "Untrusted text", "Longest, characters", "Switch", "Columns today"]
    return table(header, rows)


def exposure_columns() -> str:
    """Return for each tool its exposure level and its columns."""
    parts = []
    for tool in catalog().values():
        parts += [f"### {code(tool.name)}", f"Level: {tool.level.value}.", column_table(tool)]
    return "\n\n".join(parts)


def switches() -> str:
    """Return the table of policy switches: their classes, and the columns and arguments that go with them."""
    rows = []
    for name, fields in SWITCHES.items():
        policy = Policy(provenance=Provenance.RAW, switches=frozenset({name}))
        shown = [
            code(f"{tool.name}.{column.path.removeprefix('results[].')}")
            for tool in catalog().values()
            for column in tool_columns(tool)
            if name in switches_of(column.expose)
        ]
        asked = [
            code(f"{tool.name}({argument})")
            for tool in catalog().values()
            for argument in withheld_arguments(tool, policy)
        ]
        classes = ", ".join(code(field.name.lower()) for field in Field if field in fields)
        rows.append([code(name), classes, ", ".join(shown) or "–", ", ".join(asked) or "–"])
    return table(["Switch", "Withholds the classes", "Columns withheld", "Arguments refused"], rows)


def filters() -> str:
    """Return the table of what arguments look for, by class."""
    found: dict[Field, dict[str, None]] = {}
    for tool in catalog().values():
        for argument, marks in filters_of(tool.arguments).items():
            for mark in marks:
                needs = f" with {code(mark.needs)}" if mark.needs else ""
                found.setdefault(mark.field, {})[code(argument) + needs] = None
    rows = [[code(field.name.lower()), ", ".join(found[field])] for field in Field if field in found]
    return table(["Class", "Arguments that look for it"], rows)


def dimensions() -> str:
    """Return the table of business dimensions."""
    rows = []
    for dimension in DIMENSIONS.values():
        aliases = [alias for alias, name in DIMENSION_ALIASES.items() if name == dimension.name]
        rows.append([code(dimension.name), code(dimension.field.name.lower()), codes(aliases)])
    return table(["Dimension", "Class of its values", "Other names"], rows)


def masked_kinds() -> str:
    """Return the table of what masking takes out of text."""
    rows = [[code(Span(kind.name, 0, 0).mark), cell(kind.title)] for kind in KINDS]
    rows.append([code(Span(f"{PERSON}-2", 0, 0).mark), "name of a party of the call, with `--mask-participants` only"])
    return table(["Mark", "What is taken out"], rows)
