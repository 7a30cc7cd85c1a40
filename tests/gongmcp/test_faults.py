"""What the log says of an exception: its type and places in the code, under a reference, and no value."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

import pytest

from gongmcp.protocol.faults import MAX_ERRORS, internal_error, trail_of

CANARY = "canary-7f3a Ann Example ann@example.com"


def plain() -> None:
    words = CANARY
    raise ValueError(f"cannot read {words}", words)


def raised_from() -> None:
    try:
        plain()
    except ValueError as error:
        raise LookupError(CANARY) from error


def while_handling() -> None:
    try:
        plain()
    except ValueError:
        {}[CANARY]  # type: ignore[index]


def noted() -> None:
    try:
        plain()
    except ValueError as error:
        error.add_note(CANARY)
        raise


def grouped() -> None:
    raise ExceptionGroup(CANARY, [ValueError(CANARY), ExceptionGroup(CANARY, [OSError(2, CANARY, CANARY)])])


class Telling(Exception):
    def __str__(self) -> str:
        return CANARY

    __repr__ = __str__


def telling() -> None:
    raise Telling(CANARY)


@pytest.mark.parametrize("fault", [plain, raised_from, while_handling, noted, grouped, telling])
def test_no_value_of_an_exception_is_logged(fault: Callable[[], None], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(Exception) as raised:
        fault()
    error = raised.value
    with caplog.at_level(logging.DEBUG):
        told = internal_error(error)
    assert told.data is not None
    reference = told.data["reference"]
    assert f"internal error {reference}: {type(error).__qualname__}" in caplog.text
    assert f"test_faults.py:{error.__traceback__.tb_next.tb_lineno}:{fault.__name__}" in caplog.text  # type: ignore[union-attr]
    for part in CANARY.split():
        assert part not in caplog.text
        assert part not in str(told.error)
    assert internal_error(error).data == told.data, "the same fault has the same reference"
    assert CANARY in "".join(traceback.format_exception(error)), "the control: its own text tells it"


def test_what_an_exception_came_from_is_named_and_a_ring_of_them_ends() -> None:
    with pytest.raises(LookupError) as raised:
        raised_from()
    assert "from ValueError" in trail_of(raised.value)
    one, other = ValueError(), ValueError()
    one.__cause__, other.__cause__ = other, one
    assert trail_of(one) == ["ValueError", "from ValueError"]
    assert len(trail_of(ExceptionGroup("", [ValueError() for _ in range(100)]))) == MAX_ERRORS
