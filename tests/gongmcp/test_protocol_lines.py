"""Bytes from a client to messages: whole, bounded, and answered when they are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongmcp.protocol.lines import BadLine, Oversized, decode, split_lines


def pieces(data: bytes, sizes: list[int]) -> list[bytes]:
    """Cut *data* into pieces of *sizes*, the rest as one."""
    out = []
    for size in sizes:
        out.append(data[:size])
        data = data[size:]
    return [piece for piece in [*out, data] if piece]


def split(parts: list[bytes], limit: int = 100) -> list[bytes | Oversized]:
    queue = [*parts, b""]
    return list(split_lines(lambda: queue.pop(0), limit))


@given(st.binary(max_size=200).map(lambda data: data.replace(b"b", b"\n")), st.lists(st.integers(1, 20)))
def test_lines_do_not_depend_on_how_they_arrive(data: bytes, sizes: list[int]) -> None:
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    got = split(pieces(data, sizes))
    assert len(got) == len(expected)
    for line, whole in zip(got, expected, strict=True):
        if len(whole) <= 100:
            assert line == whole
        else:
            assert isinstance(line, Oversized)
            assert whole.startswith(line.head)
            assert whole.endswith(line.tail)


def test_a_line_of_exactly_the_limit_is_a_line() -> None:
    assert split([b"x" * 100 + b"\n"]) == [b"x" * 100]
    assert isinstance(split([b"x" * 101 + b"\n"])[0], Oversized)


def test_of_a_long_line_only_the_ends_are_kept() -> None:
    (line,) = split([b"a" * 5000, *[b"x" * 65536] * 40, b"z" * 5000])
    assert line == Oversized(b"a" * 4096, b"z" * 4096)


def fault(line: bytes | Oversized) -> tuple[int, Any]:
    with pytest.raises(BadLine) as caught:
        decode(line)
    reply = json.loads(caught.value.reply())
    assert reply["jsonrpc"] == "2.0"
    assert set(reply) == {"jsonrpc", "id", "error"}
    assert reply["error"]["message"].endswith(".")
    return reply["error"]["code"], reply["id"]


@pytest.mark.parametrize(
    ("line", "code", "answered"),
    [
        (b"{not json", -32700, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping",}', -32700, 7),
        (b'{"method":"x","params":{"id":1, "a": NaN},"jsonrpc":"2.0","id":"q"}', -32700, "q"),
        (b'{"jsonrpc":"2.0","id":8,"method":"m","params":{"a":"\xff"}}', -32700, 8),
        (b'{"jsonrpc":"2.0","id":9,"params":' + b"[" * 100_000 + b"]" * 100_000 + b"}", -32700, 9),
        (b'{"jsonrpc":"2.0","id":10,"params":{"n":' + b"9" * 5000 + b"}}", -32700, 10),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b'"text"', -32600, None),
        (b"1", -32600, None),
        (b"null", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1),
        (b'{"id":"a","method":"ping"}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":2}', -32600, 2),
        (b'{"jsonrpc":"2.0","id":2,"method":5}', -32600, 2),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', -32602, 3),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":"x"}', -32602, 3),
    ],
)
def test_a_line_that_is_no_message_is_answered(line: bytes, code: int, answered: object) -> None:
    assert fault(line) == (code, answered)


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":"', 1),
        (b' { "jsonrpc" : "2.0" , "id" : "x y" , "params":{"a":"', "x y"),
        (b'{"params":{"id":5,"a":"', None),
        (b'{"params":{"a":"{\\"id\\":5,', None),
        (b'{"id":1.5,"params":{"a":"', None),
        (b'{"id":"\xff","params":{"a":"', None),
    ],
)
def test_a_long_line_is_answered_when_its_own_id_is_certain(line: bytes, answered: object) -> None:
    assert fault(Oversized(line, b'xxx"}}')) == (-32600, answered)


@pytest.mark.parametrize(
    ("tail", "answered"),
    [
        (b'xxx"},"jsonrpc":"2.0","id":4}', 4),
        (b'xxx"} , "id" : "four" , "method" : "ping" }\r', "four"),
        (b'xxx","id":4}}', None),
        (b'xxx\\"id\\":4}"}', None),
    ],
)
def test_its_id_may_stand_at_the_end(tail: bytes, answered: object) -> None:
    assert fault(Oversized(b'{"params":{"a":"xxx', tail)) == (-32600, answered)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \r",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":[1]}',
    ],
)
def test_what_must_not_be_answered_is_not(line: bytes) -> None:
    assert decode(line) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}\r', {"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        (b'{"jsonrpc":"2.0","method":"n","params":null}', {"jsonrpc": "2.0", "method": "n", "params": None}),
        (
            '{"jsonrpc":"2.0","id":"東","method":"m","params":{"a":12345678901234567890123}}'.encode(),
            {"jsonrpc": "2.0", "id": "東", "method": "m", "params": {"a": 12345678901234567890123}},
        ),
    ],
)
def test_a_message_comes_through_as_it_is(line: bytes, message: dict[str, Any]) -> None:
    assert decode(line) == message
