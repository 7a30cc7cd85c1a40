"""One declaration per vCon tool: schemas, documents, profiles and shapes follow from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from gongmcp.exposure.rows import Row

if TYPE_CHECKING:
    from gongmcp.vcon.scope import Scope

Category = Literal["read", "write", "schema", "analytics", "infra"]
CATEGORIES: Final[tuple[Category, ...]] = ("read", "write", "schema", "analytics", "infra")

Rate = Literal["search", "create", "other"]
RATES: Final[Mapping[Rate, int]] = {"search": 100, "create": 50, "other": 200}
"""Requests a minute that one client may send, by kind of tool."""

VconFunction = Callable[[dict[str, Any], "Scope"], Row]


@dataclass(frozen=True, slots=True)
class VconTool:
    """One tool.

    *properties* are the JSON Schemas of its arguments; *answer* is what it returns when all is well: without
    ``ok``/``success``. *contract* tells the newer envelope (``ok``) from the older (``success``). *instead* names the
    contract tool to prefer. *example* holds arguments as a client sends them. *served_properties* replace those of
    *properties* where a cache is served.
    """

    name: str
    title: str
    description: str
    category: Category
    properties: Mapping[str, Mapping[str, Any]]
    answer: type[Row]
    function: VconFunction
    required: tuple[str, ...] = ()
    contract: bool = False
    rate: Rate = "other"
    instead: str = ""
    destructive: bool = False
    example: Mapping[str, Any] = field(default_factory=dict)
    served_properties: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def flag(self) -> str:
        """The key that tells success: ``ok`` or ``success``."""
        return "ok" if self.contract else "success"

    @property
    def writes(self) -> bool:
        """Whether it changes vCons."""
        return self.category == "write"

    def input_schema(self, *, verbatim: bool) -> dict[str, Any]:
        """Return the JSON Schema of its arguments; *verbatim* = over a store, else over a served cache."""
        here = self.properties if verbatim else {**self.properties, **self.served_properties}
        out: dict[str, Any] = {
            "type": "object",
            "properties": {name: dict(schema) for name, schema in here.items()},
            "additionalProperties": False,
        }
        if self.required:
            out["required"] = list(self.required)
        if self.example and (verbatim or not self.served_properties):
            out["examples"] = [dict(self.example)]
        return out

    def text(self) -> str:
        """Return its description, with the tool to prefer at the end."""
        return f"{self.description} Prefer {self.instead} in new clients." if self.instead else self.description

    def annotations(self) -> dict[str, bool]:
        """Return MCP's annotations."""
        return {
            "readOnlyHint": not self.writes,
            "destructiveHint": self.destructive,
            "idempotentHint": not self.writes,
            "openWorldHint": False,
        }


def vcon_tool(
    name: str,
    *,
    title: str,
    description: str,
    category: Category,
    answer: type[Row],
    properties: Mapping[str, Mapping[str, Any]] | None = None,
    required: Sequence[str] = (),
    contract: bool = False,
    rate: Rate = "other",
    instead: str = "",
    destructive: bool = False,
    example: Mapping[str, Any] | None = None,
    served_properties: Mapping[str, Mapping[str, Any]] | None = None,
    into: dict[str, VconTool],
) -> Callable[[VconFunction], VconFunction]:
    """Declare a tool in the catalogue *into*."""

    def register(function: VconFunction) -> VconFunction:
        if name in into:
            raise ValueError(f"tool {name} is declared twice")
        into[name] = VconTool(
            name=name,
            title=title,
            description=description,
            category=category,
            properties=dict(properties or {}),
            answer=answer,
            function=function,
            required=tuple(required),
            contract=contract,
            rate=rate,
            instead=instead,
            destructive=destructive,
            example=dict(example or {}),
            served_properties=dict(served_properties or {}),
        )
        return function

    return register


READING: Final[dict[str, VconTool]] = {}
"""The tools that read, as they are declared; ``gongmcp.vcon.catalogue`` loads and orders them."""
