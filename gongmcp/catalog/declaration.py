"""One declaration per tool: everything else about a tool follows from it.

A module of this package declares its tools with ``@tool``; JSON Schemas, validation, caps, exposure,
documentation, the TUI's form and preset membership are derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from gongmcp.catalog.limits import Cap, Limits
from gongmcp.catalog.operations import ROUTED, WORKBENCH
from gongmcp.exposure.clean import clean
from gongmcp.exposure.evidence import Evidence
from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells

if TYPE_CHECKING:
    from gongmcp.analysis.topic_packs import TopicPacks
    from gongmcp.exposure.policy import Policy
    from gongmcp.store.connection import ReadStore
    from gongmcp.store.crm_names import CrmNames
    from gongmcp.store.freshness import ModelState


class Level(Enum):
    """How much of a call a tool can show at most, least first."""

    STATUS = "status"
    AGGREGATE = "aggregate"
    METADATA = "metadata"
    SNIPPET = "snippet"
    IDENTIFIED = "identified"


class Arguments(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of argument models. Each field is annotated with a ``msgspec.Meta`` description."""


R = TypeVar("R", bound=Row)


@dataclass(slots=True)
class Rows(Generic[R]):
    """What a row tool returns: raw rows, and for each the keyset key after which a page continues.

    Attributes:
        rows: at most ``scope.limit`` rows.
        keys: as many keys, of strings and numbers; empty for a tool without a cursor.
        more: True only when more rows exist behind the last one.
        notes: further columns of the envelope, a ``Row`` of the tool's ``notes`` model.
        searched: for an empty answer: the filters as understood.
        evidence: what each row shows of a transcript; empty for a tool that shows none.
    """

    rows: Sequence[R]
    more: bool = False
    keys: Sequence[tuple[Any, ...]] = ()
    notes: Row | None = None
    searched: dict[str, Any] = field(default_factory=dict)
    evidence: Sequence[Evidence] = ()

    @classmethod
    def page(cls, rows: Sequence[R], scope: CallScope, notes: Row | None = None) -> Rows[R]:
        """Return one page of a short list that was computed whole (an inventory, an aggregate).

        Its keys are positions: the cursor is bound to the read model's generation, in which the list
        does not change.
        """
        start = int(scope.after[0]) if scope.after else 0
        end = start + scope.limit if scope.limit else len(rows)
        kept = rows[start:end]
        return cls(kept, end < len(rows), [(start + index + 1,) for index in range(len(kept))], notes)


NO_SUCH_CALL = "No such call is visible here."
"""What is said of a call that is not there, and in the same words of one that agents may not see."""


@dataclass(frozen=True, slots=True)
class NotFound:
    """Looked, found nothing: a normal answer with ``status: not_found`` that echoes no id."""

    message: str


@dataclass(frozen=True, slots=True)
class CallScope:
    """What a tool function may use besides its arguments.

    Attributes:
        store: the read model, inside the call's deadline.
        policy: the active policy (a tool never blanks anything by itself).
        state: which state of the read model answers.
        names: what CRM systems call things, defaults or the operator's.
        limit: effective row limit.
        after: key of the last row of the page before, when a cursor was given.
        topics: the topic packs in force, None = those that come with the program.
        cells: how counts leave; a tool that counts groups gives them to it before it makes rows.
        languages: languages of calls that may be quoted, '' for a call that has none; None = all.
    """

    store: ReadStore
    policy: Policy
    state: ModelState
    names: CrmNames
    limit: int = 0
    after: tuple[Any, ...] | None = None
    cells: SmallCells = field(default_factory=SmallCells)
    topics: TopicPacks | None = None
    languages: frozenset[str] | None = None

    def may_quote(self, language: str) -> bool:
        """Tell whether a call of *language* may be shown; the approval lock withholds those that were not reviewed."""
        return self.languages is None or clean(language)[0] in self.languages


ToolFunction = Callable[[Any, CallScope], Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One declared tool."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    row: type[Row]
    notes: type[Row] | None
    many: bool  # True: rows under "results"; False: one object
    cap: Cap | None
    cap_envelope: bool
    cursor: bool
    level: Level
    presets: frozenset[str]
    refinements: tuple[tuple[str, str], ...]
    function: ToolFunction
    aliases: tuple[str, ...] = ()
    examples: tuple[Mapping[str, Any], ...] = ()
    facade: bool = False  # True: it hands its call on to another tool (gongmcp.facade)

    def limits(self, policy: Policy) -> Limits | None:
        """Return the row limits of this tool under *policy*; None when it takes no ``limit``."""
        return policy.limits.limits(self.cap) if self.cap and "limit" in self.arguments.__struct_fields__ else None


_REGISTRY: dict[str, Tool] = {}

EVERY_TOOL = frozenset({"redacted-all-readonly", "broad-public-redacted", "all-readonly"})
"""Presets that list every tool, so that no declaration names them."""


def tool(
    name: str,
    *,
    title: str,
    description: str,
    arguments: type[Arguments],
    row: type[Row],
    level: Level,
    presets: Sequence[str],
    notes: type[Row] | None = None,
    many: bool = True,
    cap: Cap | None = None,
    cap_envelope: bool = False,
    cursor: bool = False,
    refinements: Sequence[tuple[str, str]] = (),
    aliases: Sequence[str] = (),
    examples: Sequence[Mapping[str, Any]] = (),
    facade: bool = False,
) -> Callable[[ToolFunction], ToolFunction]:
    """Declare a tool.

    *refinements* are (argument, sentence) pairs: the sentences whose arguments the caller left out
    are suggested when the result was capped. *cap_envelope* marks the nine high-volume row tools
    whose cut results say ``capped``; any other cut result says ``truncated``. *presets* names the
    presets that list the tool, besides those that list every tool (``EVERY_TOOL``). *aliases* are
    names under which the tool answers too, without being listed twice. *examples* are arguments that return
    something on the bundled sample: what the documents show, the contract tests call and the benchmarks
    measure, as far as those have no arguments of their own for the tool. A *facade* hands its call on, see
    ``gongmcp.facade``.
    """

    def register(function: ToolFunction) -> ToolFunction:
        if name in _REGISTRY:
            raise ValueError(f"tool {name} is declared twice")
        _REGISTRY[name] = Tool(
            name=name,
            title=title,
            description=description,
            arguments=arguments,
            row=row,
            notes=notes,
            many=many,
            cap=cap,
            cap_envelope=cap_envelope,
            cursor=cursor,
            level=level,
            presets=frozenset(presets) | EVERY_TOOL | ({WORKBENCH} if name in ROUTED else frozenset()),
            refinements=tuple(refinements),
            function=function,
            aliases=tuple(aliases),
            examples=tuple(examples),
            facade=facade,
        )
        return function

    return register


def declared() -> dict[str, Tool]:
    """Return the tools declared so far, by name (``gongmcp.catalog.catalog()`` loads them all)."""
    return _REGISTRY
