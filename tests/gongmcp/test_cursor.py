"""Cursors tell nothing and fit one question only."""

from __future__ import annotations

from typing import Any

import pytest

from gongmcp.errors import ToolFault
from gongmcp.exposure.cursor import MAX_CURSOR, MAX_HELD, CursorSealer, HeldBack, Position

BINDING: dict[str, Any] = {"tool": "search_calls", "arguments": {"scope": "External"}, "policy": "p", "generation": 3}


def test_a_cursor_opens_for_its_own_question() -> None:
    sealer = CursorSealer(b"s" * 32)
    position = Position((123456789, 0.5, "x"), (HeldBack(7, (123456780, 0.5, "y"), 12),))
    cursor = sealer.seal(position, BINDING)
    assert sealer.open(cursor, BINDING) == position
    assert "123456789" not in cursor
    assert cursor == sealer.seal(position, BINDING)


def test_the_longest_cursor_is_accepted() -> None:
    key = (2**63 - 1, 1000, 2**63 - 1)
    longest = Position(key, tuple(HeldBack(2**44 - 1 - n, key, 2**19) for n in range(MAX_HELD)))
    assert len(CursorSealer(b"s" * 32).seal(longest, BINDING)) <= MAX_CURSOR


@pytest.mark.parametrize("change", [{"tool": "get_call"}, {"arguments": {}}, {"policy": "q"}, {"generation": 4}])
def test_it_opens_for_no_other_question(change: dict[str, Any]) -> None:
    sealer = CursorSealer(b"s" * 32)
    with pytest.raises(ToolFault) as caught:
        sealer.open(sealer.seal(Position((1,)), BINDING), {**BINDING, **change})
    assert caught.value.code == "invalid_cursor"


def test_a_cursor_of_another_cache_or_a_changed_one_is_refused() -> None:
    cursor = CursorSealer(b"s" * 32).seal(Position((1,)), BINDING)
    for sealer, text in (
        (CursorSealer(b"t" * 32), cursor),
        (CursorSealer(b"s" * 32), cursor[:-2] + "AA"),
        (CursorSealer(b"s" * 32), "%%%"),
        (CursorSealer(b"s" * 32), "é"),
        (CursorSealer(b"s" * 32), ""),
    ):
        with pytest.raises(ToolFault):
            sealer.open(text, BINDING)
