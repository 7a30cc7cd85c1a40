"""What came of a call: the answer that an agent gets, and beside it what only the operator's doors may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gongmcp.exposure.ledger import Ledger
from gongmcp.render.answer import Answer
from gongmcp.store.freshness import ModelState


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer with what only the operator's doors may see: the ledger and the sizes.

    *bytes* is the measured size of the wire result; *tokens* an estimate
    (``gongmcp.render.size.ESTIMATOR``); *milliseconds* is wall time. *shown* holds the alias of each call of which
    a row left, with the positions of the segments of its transcript that are in this answer; *model* is the read
    model that answered, None when none did.
    """

    answer: Answer
    ledger: Ledger = field(default_factory=Ledger)
    rows: int = 0
    bytes: int = 0
    tokens: int = 0
    milliseconds: float = 0.0
    shown: Mapping[str, frozenset[int]] = field(default_factory=dict)
    model: ModelState | None = None

    @property
    def code(self) -> str:
        """How it went: ``ok``, ``not_found``, ``unavailable`` or the code of the error."""
        if self.answer.error is not None:
            return str(self.answer.error["code"])
        return str((self.answer.structured or {}).get("status", "ok"))
