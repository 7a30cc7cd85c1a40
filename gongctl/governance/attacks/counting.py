"""Attacks on figures: do counts, totals and times betray calls that are not there?"""

from __future__ import annotations

import statistics
from typing import Any, Final

from gongctl.governance.attacks.arena import Arena, Session, Tried, required_of
from gongctl.governance.attacks.planted import COMMON, DAYS, HIDDEN_IDS, PRIVATE_ID

_COUNTS: Final = frozenset({"calls_in_range", "returned", "total_calls", "calls", "ranked_over", "call_count"})
_TOLD_APART: Final = 0.55
"""Share of right guesses from which times tell restricted names from unknown ones."""


def differences_of_counts(arena: Arena) -> Tried:
    """Ask for figures of days on which only hidden calls took place, and compare totals with what can be paged."""
    tried = Tried()
    with arena.session(tried) as session:
        for tool, schema in session.tools.items():
            if not {"from_date", "to_date"} <= schema["properties"].keys():
                continue
            for call_id in (*HIDDEN_IDS, PRIVATE_ID):
                if tried.tries >= arena.budget:
                    break
                day = {"from_date": DAYS[call_id], "to_date": DAYS[call_id]}
                answer = session.call(tool, **required_of(schema, "Account", COMMON), **day)
                if any(_figures(answer)):
                    tried.win(f"{tool} counts something on a day of hidden calls")
        _totals(session, arena, tried)
    return tried


def _figures(value: Any) -> list[int]:
    if isinstance(value, dict):
        own = [item for name, item in value.items() if name in _COUNTS and isinstance(item, int) and item > 0]
        return own + [figure for item in value.values() for figure in _figures(item)]
    if isinstance(value, list):
        return [figure for item in value for figure in _figures(item)]
    return []


def _totals(session: Session, arena: Arena, tried: Tried) -> None:
    """Compare the total of the status with the rows of a search that is paged to its end."""
    if not {"get_sync_status", "search_calls"} <= session.tools.keys():
        return
    status = session.call("get_sync_status")
    total = next((status[name] for name in ("total_calls", "calls") if isinstance(status.get(name), int)), None)
    rows = 0
    cursor: dict[str, str] = {}
    while tried.tries < arena.budget:
        answer = session.call("search_calls", limit=50, **cursor)
        rows += int(answer.get("returned", 0))
        if "next_cursor" not in answer:
            if total is not None and total != rows:
                tried.win("the status counts other calls than a search lists")
            return
        cursor = {"cursor": answer["next_cursor"]}


def timing(arena: Arena) -> Tried:
    """Guess from the time of an answer whether a name is restricted; the first half of the tries teaches the bound."""
    tried = Tried()
    with arena.session(tried) as session:
        tool = next((name for name, schema in session.tools.items() if "query" in schema["properties"]), None)
        if tool is None:
            return Tried(skipped="no tool of the preset searches")
        given = required_of(session.tools[tool], "Account", COMMON)
        measured: list[tuple[float, bool]] = []
        for number, (name, twin) in enumerate(arena.pairs(arena.budget // 2, "timing")):
            pair = [(name, True), (twin, False)]
            for text, restricted in pair if number % 2 else pair[::-1]:
                measured.append((session.timed(tool, **{**given, "query": text}), restricted))
    half = len(measured) // 2
    right = _right(measured[:half], measured[half:])
    # What a coin reaches one time in forty is no proof.
    bound = _TOLD_APART + 1 / max(len(measured) - half, 1) ** 0.5
    tried.note = f"{100 * right:.1f} % of guesses right"
    if right > bound:
        tried.win("times tell restricted names from unknown ones")
    return tried


def _right(known: list[tuple[float, bool]], asked: list[tuple[float, bool]]) -> float:
    """Return the share of *asked* that the best bound of *known* guesses right."""
    if not known or not asked:
        return 0.5
    slow = statistics.median(seconds for seconds, restricted in known if restricted)
    fast = statistics.median(seconds for seconds, restricted in known if not restricted)
    bound = (slow + fast) / 2
    return sum(((seconds > bound) == (slow > fast)) == restricted for seconds, restricted in asked) / len(asked)
