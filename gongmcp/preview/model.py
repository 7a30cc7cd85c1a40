"""``Preview``: one call of a tool as an agent would receive it, with what was withheld and what it costs.

Made by ``gongmcp.preview.make.preview`` alone; the TUI and the command line show it and compute nothing of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from gongmcp.exposure.ledger import Place
from gongmcp.handler import Outcome


class Lens(Enum):
    """Which part of a result a host hands to its model: hosts differ."""

    WIRE = "wire"
    CONTENT = "content"
    STRUCTURED = "structured"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Range:
    """A piece of one channel from *start* to before *end*: bytes of the wire, characters of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """One piece of the answer, or of what is not in it.

    Attributes:
        state: ``kept`` or an action of the ledger (``omitted``, ``redacted``, ``removed``, ``cut``, ``capped``,
            ``rounded``, ``merged``).
        place: where in the structured answer.
        kind, rule, reason: of the ledger entry; empty for what is kept.
        layer: which layer the deciding setting came from (``declaration``, ``default``, ``file``, ``environment``,
            ``flag``, ``preview`` = chosen for this preview alone, ``argument``, ``lock``, ``cache``); empty for what
            is kept.
        entry: index in the outcome's ledger, -1 for what is kept.
        wire: where it shows in the bytes of the wire; None where nothing stands for it.
        text: where it shows in the text content; None where nothing stands for it.
        count: how many things it stands for.
        near: where nothing stands for it, the smallest thing around it in the bytes of the wire.
        near_text: the same in the text content.
    """

    state: str
    place: Place
    kind: str = ""
    rule: str = ""
    reason: str = ""
    layer: str = ""
    entry: int = -1
    wire: Range | None = None
    text: Range | None = None
    count: int = 1
    near: Range | None = None
    near_text: Range | None = None


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """One setting that decides the answer, its value as printed, and the layer that it came from."""

    name: str
    value: str
    layer: str


@dataclass(frozen=True, slots=True)
class Size:
    """Measured *bytes* and *characters* of what a lens hands on, and estimated tokens as a range."""

    bytes: int
    characters: int
    tokens_low: int
    tokens_high: int


@dataclass(frozen=True, slots=True)
class Gate:
    """One check before approval: *passed*, and in *detail* what was found and what to change."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Preview:
    """One call as an agent would receive it.

    Attributes:
        tool: canonical name of the tool.
        arguments: as given.
        settings: the effective policy, each setting with its layer.
        outcome: what the handler returned (answer, ledger, figures).
        wire: the bytes of the result on the wire.
        spans: pieces of the answer as they follow on the wire. What is redacted or cut inside a kept value stands
            right behind that value; what is not there behind the thing around it.
        sizes: by lens.
        freshness: as the handler says it: ``{freshness, as_of, calls, …}``.
        gates: in order; approval waits for all.
        digest: of tool definition, arguments, policy and wire bytes (``sha256:…``).
    """

    tool: str
    arguments: Mapping[str, Any]
    settings: tuple[EffectiveSetting, ...]
    outcome: Outcome
    wire: bytes
    spans: tuple[Span, ...]
    sizes: Mapping[Lens, Size]
    freshness: Mapping[str, Any]
    gates: tuple[Gate, ...]
    digest: str

    @property
    def approvable(self) -> bool:
        """Whether every gate is passed."""
        return all(gate.passed for gate in self.gates)
