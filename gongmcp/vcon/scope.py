"""What a vCon tool may use besides its arguments, and how its rows leave: verbatim, or through the policy."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from gongmcp.exposure.evidence import AnswerBudget, Evidence
from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_read
from gongmcp.vcon.shapes import plain
from gongmcp.vcon.taxonomy import Taxonomy, default_taxonomy

if TYPE_CHECKING:
    from gongmcp.exposure.engine import Disclosure
    from gongmcp.exposure.policy import Policy
    from gongmcp.store.connection import ReadStore
    from gongmcp.vcon.declaration import VconTool

SPENT = "evidence_budget_exhausted"
"""What stands in place of a text of which the client has seen enough."""


@dataclass(slots=True)
class Scope:
    """One call's surroundings.

    Attributes:
        store: what is read, inside the call's deadline.
        policy: what may leave; of a store everything does.
        tools: the tools that may be called here, by name: the live registry.
        secret: key of cursors.
        generation: number of the state that answers.
        as_of: time of that state, '' when it has none.
        disclosure: applies the policy to rows; None = the vCons of a store leave verbatim.
        budget: how much of a conversation's text may leave; None likewise.
        taxonomy: names that the operator gave (``taxonomy.yaml``).
        writing: opens the service that edits the store; None where nothing is written.
        examine: explains a free SELECT; None where only the product's own statements are explained.
    """

    store: ReadStore
    policy: Policy
    tools: Mapping[str, VconTool]
    secret: bytes
    generation: int
    as_of: str = ""
    disclosure: Disclosure | None = None
    budget: AnswerBudget | None = None
    taxonomy: Taxonomy = field(default_factory=default_taxonomy)
    writing: Callable[[], AbstractContextManager[Any]] | None = None
    examine: Callable[[str, bool], dict[str, Any]] | None = None
    evidence: list[Evidence] = field(default_factory=list)
    _lengths: dict[int, tuple[str, int, int]] = field(default_factory=dict)

    @property
    def verbatim(self) -> bool:
        """Whether vCons leave as they are stored."""
        return self.disclosure is None

    def shown(self, row: Row, *place: str | int) -> dict[str, Any]:
        """Return *row* as it leaves."""
        if self.disclosure is None:
            out: dict[str, Any] = plain(row)
            return out
        return plain_of(self.disclosure.row(type(row), row, place))

    def leaves(self, vcon: Any) -> Any:
        """Return a vCon of ``items.documents`` as it leaves."""
        return self.shown(vcon) if isinstance(vcon, Row) else plain(vcon)

    def document(self, uuid: str) -> dict[str, Any] | None:
        """Return a stored vCon verbatim, of a signed one what was signed; None when there is none."""
        found = vcon_read.document(self.store, uuid)
        if found is None or "payload" not in found:
            return found
        text = str(found["payload"])
        inner: dict[str, Any] = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return inner

    def may_show(self, header: sqlite3.Row, text_no: int, length: int) -> bool:
        """Tell whether the client may see the text *text_no* of a vCon, and count it if so."""
        if self.budget is None:
            return True
        number = int(header["vcon_no"])
        if number not in self._lengths:
            self._lengths[number] = self._measure(header)
        ref, count, characters = self._lengths[number]
        # Below zero: positions of segments of the same call, which share its budget, are not below.
        item = Evidence(ref, {-1 - (text_no & ((1 << 20) - 1)): length}, count, characters)
        if not self.budget.fits(item) or not self.budget.has_room(item):
            return False
        self.budget.take(item)
        self.evidence.append(item)
        return True

    def _measure(self, header: sqlite3.Row) -> tuple[str, int, int]:
        row = self.store.one(
            """SELECT count(*) AS texts, coalesce(sum(length(text)), 0) AS characters FROM vcon_texts
               WHERE vcon_no = :no""",
            {"no": header["vcon_no"]},
        )
        call = self.store.one("SELECT call_ref FROM call_facts WHERE call_id = :call", {"call": header["call_id"]})
        ref = str(call["call_ref"]) if call is not None else f"vcon:{header['uuid']}"
        assert row is not None
        return ref, int(row["texts"]), int(row["characters"])


def plain_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return a disclosed object with what the engine leaves of values that are no plain JSON."""
    return {name: plain(item) for name, item in value.items()}
