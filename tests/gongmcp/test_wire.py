"""The bytes of a result."""

from __future__ import annotations

import json

import pytest

from gongmcp.render.answer import Answer
from gongmcp.render.wire import in_order, json_bytes, result_bytes, result_object


def test_members_come_in_one_order() -> None:
    answer = Answer("two words", {"z": 1, "a": [True, None, 0.5]})
    assert result_bytes(answer) == (
        b'{"content":[{"type":"text","text":"two words"}],'
        b'"structuredContent":{"z":1,"a":[true,null,0.5]},"isError":false}'
    )


def test_an_error_has_no_structure_and_keeps_its_object_to_itself() -> None:
    answer = Answer("code: text", None, is_error=True, error={"code": "code"})
    assert result_bytes(answer) == b'{"content":[{"type":"text","text":"code: text"}],"isError":true}'


def test_text_is_utf8_on_one_line_for_every_reader_of_lines() -> None:
    answer = Answer("a\r\nb\u2028c\u2029d\x85e\x0bf\x1c", {"Zürich": "東京 🙂"})
    data = result_bytes(answer)
    assert "Zürich".encode() in data
    assert "東京 🙂".encode() in data
    assert len(data.decode().splitlines()) == 1
    assert json.loads(data) == result_object(answer)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), "\ud800"])
def test_what_clients_read_differently_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        json_bytes({"value": value})


def test_a_sorted_result_is_put_back_and_what_the_protocol_added_comes_last() -> None:
    answer = Answer("t", {"b": 1, "a": 2})
    dumped = {
        "_meta": {"k": 1},
        "content": [{"text": "t", "type": "text"}],
        "isError": False,
        "resultType": "complete",
        "structuredContent": {"b": 1, "a": 2},
    }
    data = json_bytes(in_order(dumped))
    assert data.startswith(result_bytes(answer)[:-1] + b",")
    assert json.loads(data) == dumped
