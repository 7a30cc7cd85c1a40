"""Cursors tell nothing and fit one question only."""

from __future__ import annotations

from typing import Any

import pytest

from gongmcp.errors import ToolFault
from gongmcp.exposure.cursor import CursorSealer

BINDING: dict[str, Any] = {"tool": "search_calls", "arguments": {"scope": "External"}, "policy": "p", "generation": 3}


def test_a_cursor_opens_for_its_own_question() -> None:
    sealer = CursorSealer(b"s" * 32)
    cursor = sealer.seal((123456789, 0.5, "x"), BINDING)
    assert sealer.open(cursor, BINDING) == (123456789, 0.5, "x")
    assert "123456789" not in cursor
    assert cursor == sealer.seal((123456789, 0.5, "x"), BINDING)


@pytest.mark.parametrize("change", [{"tool": "get_call"}, {"arguments": {}}, {"policy": "q"}, {"generation": 4}])
def test_it_opens_for_no_other_question(change: dict[str, Any]) -> None:
    sealer = CursorSealer(b"s" * 32)
    with pytest.raises(ToolFault) as caught:
        sealer.open(sealer.seal((1,), BINDING), {**BINDING, **change})
    assert caught.value.code == "invalid_cursor"


def test_a_cursor_of_another_cache_or_a_changed_one_is_refused() -> None:
    cursor = CursorSealer(b"s" * 32).seal((1,), BINDING)
    for sealer, text in (
        (CursorSealer(b"t" * 32), cursor),
        (CursorSealer(b"s" * 32), cursor[:-2] + "AA"),
        (CursorSealer(b"s" * 32), "%%%"),
        (CursorSealer(b"s" * 32), "é"),
        (CursorSealer(b"s" * 32), ""),
    ):
        with pytest.raises(ToolFault):
            sealer.open(text, BINDING)
