"""Cutting a stream of JSON into records: every shape, any chunking, and where it breaks."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl.ingest.splitter import Broken, Piece, Splitter

CONTAINERS = ("calls", "users")

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=6), values, max_size=4)


def feed(data: bytes, size: int) -> Callable[[int], bytes]:
    """Return a reader that gives *size* bytes at a time, whatever it is asked for."""
    parts = iter([data[at : at + size] for at in range(0, len(data), size)])
    return lambda _: next(parts, b"")


def split(data: bytes, size: int = 1 << 20) -> list[Piece]:
    return list(Splitter(feed(data, size), CONTAINERS).pieces())


def until_broken(data: bytes, size: int = 1 << 20) -> tuple[list[Piece], Broken | None]:
    found: list[Piece] = []
    try:
        for piece in Splitter(feed(data, size), CONTAINERS).pieces():
            found.append(piece)
    except Broken as broken:
        return found, broken
    return found, None


@settings(deadline=None)
@given(
    page=objects,
    items=st.lists(values, max_size=5),
    after=objects,
    indent=st.none() | st.integers(0, 3),
    escaped=st.booleans(),
    size=st.integers(1, 40),
)
def test_a_page_gives_the_items_of_its_container(
    page: dict[str, Any], items: list[Any], after: dict[str, Any], indent: int | None, escaped: bool, size: int
) -> None:
    document = {**{k: v for k, v in page.items() if k not in CONTAINERS}, "calls": items}
    document |= {k: v for k, v in after.items() if k not in document}
    data = json.dumps(document, indent=indent, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    pieces = split(data, size)
    if data.find(b'"calls"') < 4000:
        assert [json.loads(piece.data) for piece in pieces] == items
        assert [piece.item for piece in pieces] == list(range(1, len(items) + 1))
        assert all(piece.container == "calls" for piece in pieces)


@settings(deadline=None)
@given(values=st.lists(objects, max_size=5), between=st.sampled_from([b"", b"\n", b" \r\n\t", b",", b"\xef\xbb\xbf"]))
def test_values_after_one_another_are_pieces(values: list[dict[str, Any]], between: bytes) -> None:
    values = [{k: v for k, v in value.items() if k not in CONTAINERS} for value in values]
    data = between.join(json.dumps(value).encode() for value in values)
    pieces = split(data, 7)
    assert [json.loads(piece.data) for piece in pieces] == values
    assert [piece.page for piece in pieces] == list(range(1, len(values) + 1))


@settings(deadline=None)
@given(items=st.lists(objects, min_size=1, max_size=4), data=st.data())
def test_a_cut_document_gives_what_is_whole_and_says_that_it_breaks(
    items: list[dict[str, Any]], data: st.DataObject
) -> None:
    text = json.dumps({"calls": items}).encode()
    cut = data.draw(st.integers(1, len(text) - 1))
    pieces, broken = until_broken(text[:cut], data.draw(st.integers(1, 30)))
    assert broken is not None
    assert [json.loads(piece.data) for piece in pieces] == items[: len(pieces)]


def test_arrays_of_records_of_pages_and_of_arrays() -> None:
    pieces = split(b'[{"a":1}, {"calls":[{"b":2},{"c":3}]}, [{"d":4}], 5]')
    assert [(p.data, p.container) for p in pieces] == [
        (b'{"a":1}', None),
        (b'{"b":2}', "calls"),
        (b'{"c":3}', "calls"),
        (b'{"d":4}', None),
        (b"5", None),
    ]


def test_brackets_and_quotes_inside_strings_do_not_count() -> None:
    item = json.dumps({"text": 'a "quoted" ] } { [ \\', "x": ["}", {"y": "]"}]}).encode()
    pieces = split(b'{"calls":[' + item + b"," + item + b"]}", 3)
    assert [piece.data for piece in pieces] == [item, item]


def test_a_fault_inside_a_record_is_its_own() -> None:
    pieces = split(b'{"calls":[{"a":1},{"a":NaN},{"a":01,},{"a":2}]}')
    assert [piece.data for piece in pieces] == [b'{"a":1}', b'{"a":NaN}', b'{"a":01,}', b'{"a":2}']
    assert len(split(b'[{"a":1,},{"a":tru},{"a":2}]')) == 3


@pytest.mark.parametrize(
    ("text", "reason", "item"),
    [
        (b'{"calls":[{"a":1},{"a":[}', "closed that was not opened", 2),
        (b'{"calls":[{"a":1}{"a":2}]}', "comma or bracket", 1),
        (b'{"calls":[1,2] "x":1}', "comma or brace", None),
        (b'{"x":1,"calls":[1],"y" 2}', "colon", None),
        (b'{"calls":[1],}', "name in quotation marks", None),
        (b'{"calls":[,1]}', "value is missing", 1),
        (b'{"calls":[{"a":"', "middle of a value", 1),
        (b'{"calls":[{"a":1},', "middle of a value", 2),
        (b"hello", "no JSON object or array", None),
        (b'[{"a":1}] }', "no JSON object or array", None),
    ],
)
def test_where_and_why_a_document_breaks(text: bytes, reason: str, item: int | None) -> None:
    for size in (1, 5, 1 << 20):
        _, broken = until_broken(text, size)
        assert broken is not None
        assert reason in broken.reason
        assert broken.item == item


def test_a_record_beyond_the_bound_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gongctl.ingest.splitter.MAX_RECORD_BYTES", 10_000)
    pieces, broken = until_broken(b'{"calls":[{"a":1},{"a":"' + b"x" * 50_000 + b'"}]}', 10)
    assert len(pieces) == 1
    assert broken is not None
    assert "larger than" in broken.reason


def test_memory_does_not_grow_with_one_huge_array() -> None:
    item = json.dumps({"id": "1", "parties": [{"name": "x" * 200}] * 20}).encode()
    total = 48 << 20

    def produce() -> Iterator[bytes]:
        yield b'{"calls":[' + item
        for _ in range(total // (len(item) * 100)):
            yield (b"," + item) * 100
        yield b"]}"

    parts = produce()
    tracemalloc.start()
    try:
        count = sum(1 for _ in Splitter(lambda _: next(parts, b""), CONTAINERS).pieces())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count > 10_000
    assert peak < total // 8
