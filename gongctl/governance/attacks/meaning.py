"""Attacks by meaning: does a search over vectors come near what no word finds?"""

from __future__ import annotations

import random
from typing import Any, Final

from gongctl.governance.attacks.arena import Arena, Session, Tried, required_of
from gongctl.governance.attacks.planted import COMMON, DAYS, HIDDEN_IDS, OPEN_IDS, PRIVATE_ID, said_in
from gongctl.governance.probes import twin_of

_NEEDED: Final = frozenset({"mode", "query", "from_date", "to_date"})
_TWINS: Final = 8


def near_by_meaning(arena: Arena) -> Tried:
    """Ask with the very sentences of hidden calls, and look whether a masked value lies nearer than one nobody has."""
    tried = Tried()
    with arena.session(tried) as session:
        tools = [tool for tool, schema in session.tools.items() if schema["properties"].keys() >= _NEEDED]
        if not tools:
            return Tried(skipped="no tool of the preset searches by meaning")
        for tool in tools:
            refused = _ask(session, tool, COMMON, OPEN_IDS[0]).get("error", "")
            if refused:
                none = "semantic_unavailable" in refused
                tried.skipped = "there are no vectors to search by meaning" if none else f"{tool} refuses to search"
                return tried
            for call_id in (*HIDDEN_IDS, PRIVATE_ID):
                for sentence in said_in(call_id):
                    if tried.tries < arena.budget and _ask(session, tool, sentence, call_id).get("returned"):
                        tried.win(f"{tool} finds something on a day of hidden calls")
        for secret in arena.secrets:
            if secret.kind.startswith("masked") and tried.tries + _TWINS < arena.budget:
                draw = random.Random(secret.value)
                others = [_nearest(session, tools[0], twin_of(secret.value, draw)) for _ in range(_TWINS)]
                if _nearest(session, tools[0], secret.value) > max(others):
                    tried.win(f"{tools[0]} lies nearer to the right value: {secret.kind}")
    return tried


def _ask(session: Session, tool: str, query: str, call_id: str) -> dict[str, Any]:
    """Search by meaning on the day of a call."""
    given = required_of(session.tools[tool], "Account", query)
    asked = {"query": query, "mode": "semantic", "from_date": DAYS[call_id], "to_date": DAYS[call_id]}
    return session.call(tool, **{**given, **asked})


def _nearest(session: Session, tool: str, query: str) -> float:
    """Return the similarity of the row that lies nearest to *query*, 0 when none is near."""
    rows = _ask(session, tool, query, OPEN_IDS[0]).get("results", ())
    return max((float(row.get("similarity", 0)) for row in rows), default=0.0)
