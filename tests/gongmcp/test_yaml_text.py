"""YAML that people wrote: every text ends in a value or in ``BadYaml``, and none of them stalls."""

from __future__ import annotations

import pytest

from gongmcp.yaml_text import MAX_OPEN_BRACKETS, BadYaml, yaml_nodes, yaml_value

DEEP = "key: " + "[" * 50_000
SPREAD = "[\n" * 2_000


def test_a_value_and_its_nodes_are_read() -> None:
    assert yaml_value("a: [1, {b: two}]") == {"a": [1, {"b": "two"}]}
    assert yaml_nodes("a: 1").value[0][0].start_mark.line == 0
    assert yaml_value("") is None


def test_brackets_that_are_closed_again_may_be_many() -> None:
    assert yaml_value("a: [" + "[], " * (MAX_OPEN_BRACKETS * 3) + "]")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (DEEP, 1),
        ("a: 1\nb: " + "{" * 50_000, 2),
        (SPREAD, None),
        ("a: [1", 1),
        ("a: 1\nb: *nobody\n", 2),
        ('a: "\\UFFFFFFFF"', None),
        ("%YAML 9.9.9\n---\na", 1),
        ("- " * 5_000 + "a", None),
    ],
    ids=["brackets", "braces", "spread", "open", "alias of nothing", "beyond Unicode", "directive", "dashes"],
)
def test_what_is_no_document_is_refused_with_its_line_where_known(text: str, line: int | None) -> None:
    with pytest.raises(BadYaml) as refused:
        yaml_value(text)
    assert refused.value.line == line
    with pytest.raises(BadYaml):
        yaml_nodes(text)


def test_aliases_are_taken_or_refused_as_asked() -> None:
    text = "a: &x [1]\nb: *x\n"
    assert yaml_value(text) == {"a": [1], "b": [1]}
    with pytest.raises(BadYaml):
        yaml_value(text, aliases=False)
