"""Reading a profile: what it says, the line of every fault, and that no text at all can do harm."""

from __future__ import annotations

import hashlib
import io
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gongctl.profile.document import ProfileDocument, read_profile
from gongctl.profile.findings import CODES, MAX_FINDINGS, Finding, finding, ordered, shown, valid
from gongctl.profile.model import All, AnyOf, Condition, Profile
from gongctl.profile.yaml_tree import MAX_BYTES, MAX_DEPTH, MAX_NODES

WHOLE = """\
version: 1
name: "  Example Inc  "
objects:
  Deal: {object_types: [Opportunity, Deal, Opportunity], confidence: 0.9}
  account:
    object_types: [Account]
    evidence: {source: counters, matched_heuristic: exact, sample_size: 5, distinct_value_count: 2, values: [b, a]}
fields:
  Deal-Stage: {object: DEAL, names: [StageName, dealstage], groupable: true}
  deal type: {object: deal, names: [Type]}
lifecycle:
  closed_won:
    label: " Won "
    order: 10
    rules:
      - {field: deal stage, op: Equals, value: Closed Won, values: [closedwon, Closed Won]}
  closed_lost: {order: 20, rules: [{object: Deal, field_name: IsLost, op: is-set}]}
  post_sales:
    order: 30
    rules:
      - all:
          - {field: deal_type, op: in, values: [Renewal]}
          - any: [{call: Direction, op: iprefix, value: out}, {field: deal_stage, op: regex, value: " x "}]
  open: {rules: [{field: deal_stage, op: is set}]}
  unknown: {order: 999}
methodology:
  loss_reason:
    aliases: [lost reason]
    fields: [{object: deal, name: Loss_Reason__c}]
    tracker_ids: [12]
"""


def codes(document: ProfileDocument) -> list[tuple[str, int | None]]:
    return [(item.code, item.line) for item in document.findings]


def told(text: str | bytes) -> list[tuple[str, int | None]]:
    return codes(read_profile(text))


def within(part: str) -> str:
    return f"version: 1\nname: x\n{part}"


def test_a_whole_profile_is_read() -> None:
    document = read_profile(WHOLE, "acme.yaml")
    profile = document.profile
    assert profile is not None
    assert codes(document) == [("value_not_text", 30)]
    assert (profile.version, profile.name, document.source_name) == (1, "Example Inc", "acme.yaml")
    assert [(item.name, item.object_types, item.confidence) for item in profile.objects] == [
        ("deal", ("Opportunity", "Deal"), 0.9),
        ("account", ("Account",), None),
    ]
    evidence = profile.objects[1].evidence
    assert evidence is not None
    assert (evidence.source, evidence.sample_size, evidence.values) == ("counters", 5, ("b", "a"))
    assert [(item.name, item.object, item.names, item.groupable) for item in profile.fields] == [
        ("deal_stage", "deal", ("StageName", "dealstage"), True),
        ("deal_type", "deal", ("Type",), False),
    ]
    assert [(bucket.name, bucket.order) for bucket in profile.ordered_buckets()] == [
        ("closed_won", 10),
        ("closed_lost", 20),
        ("post_sales", 30),
        ("open", 500),
        ("unknown", 999),
    ]
    rules = {bucket.name: bucket.rules for bucket in profile.lifecycle}
    assert profile.lifecycle[0].label == "Won"
    assert rules["closed_won"] == (Condition(op="equals", field="deal_stage", values=("Closed Won", "closedwon")),)
    assert rules["closed_lost"] == (Condition(op="is_set", object="deal", field_name="IsLost"),)
    assert rules["post_sales"] == (
        All(
            rules=(
                Condition(op="in", field="deal_type", values=("Renewal",)),
                AnyOf(
                    rules=(
                        Condition(op="iprefix", call="direction", values=("out",)),
                        Condition(op="regex", field="deal_stage", values=(" x ",)),
                    )
                ),
            )
        ),
    )
    concept = profile.methodology[0]
    assert (concept.aliases, concept.tracker_ids) == (("lost reason",), ("12",))
    assert [(item.object, item.name) for item in concept.fields] == [("deal", "Loss_Reason__c")]


def test_the_profile_survives_its_json() -> None:
    profile = read_profile(WHOLE).profile
    assert profile is not None
    assert Profile.from_json(profile.to_json()) == profile


def test_each_place_has_its_line() -> None:
    lines = read_profile(WHOLE).lines
    assert lines["objects.deal"] == 4
    assert lines["fields.deal_stage.names[1]"] == 9
    assert lines["lifecycle.post_sales.rules[0].all[1].any[0].call"] == 23
    assert lines["methodology.loss_reason.fields[0].name"] == 29


def test_the_hash_is_that_of_the_bytes() -> None:
    assert read_profile(WHOLE).source_sha256 == hashlib.sha256(WHOLE.encode()).hexdigest()
    assert read_profile(WHOLE.encode()).source_sha256 == hashlib.sha256(WHOLE.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the text
        ("", [("profile_nil", 1)]),
        ("# only a comment\n", [("profile_nil", 1)]),
        ("- 1\n", [("profile_nil", 1)]),
        ("just text", [("profile_nil", 1)]),
        (within("fields: [a, b\n"), [("malformed_yaml", 4)]),
        (within("objects:\n\ta: 1\n"), [("malformed_yaml", 4)]),
        (within("objects: \x00\n"), [("malformed_yaml", 3)]),
        (b"version: 1\nname: \xff\n", [("malformed_yaml", 2)]),
        ("version: 1\n---\nversion: 1\n", [("malformed_yaml", 2)]),
        ("%YAML 1.1\n---\nversion: 1\n", [("malformed_yaml", 2)]),
        ("%YAML 1.99\n---\nversion: 1\n", [("malformed_yaml", 1)]),
        ('version: 1\nname: "\\UFFFFFFFF"\n', [("malformed_yaml", 1)]),
        ("version: 1\nname: &a x\n", [("yaml_alias", 2)]),
        ("version: 1\nname: x\nobjects: *a\n", [("yaml_alias", 3)]),
        (within("<<: {objects: {}}\n"), [("yaml_alias", 3)]),
        ("version: 1\nname: !!python/object/apply:os.system [ls]\n", [("yaml_tag", 2)]),
        ('version: 1\nname: "a\\ud800"\n', [("bad_character", 2)]),
        ('version: 1\nname: "a\\0"\n', [("bad_character", 2)]),
        ("a: " + "[" * 40, [("too_deep", 1)]),
        # the shape
        ("name: x\n", [("missing_version", 1)]),
        ("version: 2\nname: x\n", [("unsupported_version", 1)]),
        ("version: '1'\nname: x\n", [("wrong_type", 1)]),
        ("version: 1.0\nname: x\n", [("wrong_type", 1)]),
        ("version: " + "9" * 5000 + "\nname: x\n", [("wrong_type", 1)]),
        ("version: 1\n", [("missing_name", 1)]),
        ("version: 1\nname: ' '\n", [("missing_name", 2)]),
        (within("feilds: {}\n"), [("unknown_key", 3)]),
        (within("Fields: {}\n"), [("unknown_key", 3)]),
        (within("name: y\n"), [("duplicate_key", 3)]),
        (within("? [a]\n: 1\n"), [("wrong_type", 3)]),
        (within("~: 1\n"), [("wrong_type", 3)]),
        (within("objects:\n"), [("wrong_type", 3)]),
        (within("objects: {a: }\n"), [("wrong_type", 3)]),
        (within("objects:\n  deal: {object_types: [A]}\n  Deal: {}\n"), [("colliding_keys", 5)]),
        (within("objects:\n  deal: {object_types: [A]}\n  deal: {}\n"), [("duplicate_key", 5)]),
        (within("objects: {a: {object_types: A}}\n"), [("wrong_type", 3)]),
        (within("objects: {a: {object_types: [[A]]}}\n"), [("wrong_type", 3)]),
        (within("objects: {a: {object_types: [~]}}\n"), [("wrong_type", 3)]),
        (within("objects: {a: {object_types: ['', A]}}\n"), [("blank_value", 3)]),
        (within("objects: {a: {object_types: [A, 7, true]}}\n"), [("value_not_text", 3)] * 2),
        (within("objects: {a: {confidence: 2}}\n"), [("out_of_range", 3)]),
        (within("objects: {a: {confidence: .nan}}\n"), [("out_of_range", 3)]),
        (within("objects: {a: {confidence: high}}\n"), [("wrong_type", 3)]),
        (within("objects: {a: {evidence: {sample_size: -1}}}\n"), [("out_of_range", 3)]),
        (within("objects: {' ': {}}\n"), [("empty_name", 3)]),
        (within("lifecycle: {' ': {}}\n"), [("empty_lifecycle_bucket", 3)]),
        (within(f"objects: {{{'a' * 101}: {{}}}}\n"), [("long_name", 3)]),
        (within("fields: {a: {object: b, groupable: 'yes'}}\n"), [("wrong_type", 3)]),
        (within("lifecycle: {open: {order: 0}}\n"), [("order_zero", 3)]),
        (within("lifecycle: {open: {order: 1.5}}\n"), [("wrong_type", 3)]),
        (within("methodology: {a: {fields: [{object: deal}]}}\n"), [("rule_missing_field", 3)]),
    ],
)
def test_faults_of_a_document(text: str | bytes, expected: list[tuple[str, int]]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("{field: a, op: is_set}", []),
        ("{call: system, op: equals, value: Zoom}", []),
        ("{field: a, op: equals, value: 01}", ["value_not_text"]),
        ("{field: a, op: equals, value: ''}", ["blank_value"]),
        ("{field: a}", ["unsupported_rule_operator"]),
        ("{field: a, op: like}", ["unsupported_rule_operator"]),
        ("{field: a, op: [in]}", ["wrong_type"]),
        ("{op: is_set}", ["rule_missing_field"]),
        ("{object: a, op: is_set}", ["rule_missing_field"]),
        ("{field_name: a, op: is_set}", ["rule_missing_field"]),
        ("{field: ' ', op: is_set}", ["rule_missing_field"]),
        ("{field: a, object: b, field_name: c, op: is_set}", ["rule_ambiguous"]),
        ("{call: weather, op: is_set}", ["unknown_call_field"]),
        ("{all: []}", ["rule_empty_group"]),
        ("{any: {field: a, op: is_set}}", ["wrong_type"]),
        ("{all: [{field: a, op: is_set}], field: a}", ["rule_ambiguous"]),
        ("{all: [{field: a, op: is_set}], any: [{field: a, op: is_set}]}", ["rule_ambiguous"]),
        ("x", ["wrong_type"]),
        ("{all: [" * 5 + "{field: a, op: is_set}" + "]}" * 5, []),
        ("{all: [" * 6 + "{field: a, op: is_set}" + "]}" * 6, ["rule_too_deep"]),
    ],
)
def test_faults_of_a_rule_name_its_line(rule: str, expected: list[str]) -> None:
    assert told(within(f"lifecycle:\n  open:\n    rules:\n      - {rule}\n")) == [(code, 6) for code in expected]


def test_colliding_keys_name_both_lines() -> None:
    document = read_profile(
        within("fields:\n  deal-stage: {object: a}\n  other: {object: a}\n  Deal Stage: {object: a}\n")
    )
    (collision,) = document.findings
    assert "line 4" in collision.message
    assert "line 6" in collision.message


def test_an_unknown_key_names_the_nearest() -> None:
    (unknown,) = read_profile(within("objects: {a: {object_type: [A]}}\n")).findings
    assert "object_types" in unknown.message
    assert unknown.path == "objects.a.object_type"
    assert (unknown.line, unknown.column) == (3, 15)


def test_a_faulty_document_makes_no_profile_but_a_draft() -> None:
    document = read_profile(within("objects: {deal: {object_types: [A], colour: red}}\n"))
    assert document.profile is None
    assert document.draft is not None
    assert document.draft.objects[0].object_types == ("A",)


def test_messages_hold_no_control_characters() -> None:
    for item in read_profile(within('"\\e[31m\\u2028x": 1\n"\\u202ey": 2\n')).findings:
        assert item.message.isprintable()
        assert item.path.isprintable()
    assert shown("a\nb\u2028c" + "d" * 500).isprintable()


def test_large_documents_are_refused_before_they_cost() -> None:
    started = time.perf_counter()
    assert [item[0] for item in told("#" * (MAX_BYTES + 1))] == ["too_large"]
    assert [item[0] for item in told("name: [" + "a," * (MAX_NODES + 1) + "]")] == ["too_large"]
    assert [item[0] for item in told("a:\n" + "- " * (MAX_DEPTH + 1))] == ["too_deep"]
    laughs = "a: &a [x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)}]\n" for n in range(20)
    )
    assert {item[0] for item in told(laughs)} == {"yaml_alias", "missing_version", "missing_name", "unknown_key"}
    assert time.perf_counter() - started < 30


def test_many_findings_are_cut_and_counted() -> None:
    findings = read_profile("version: 1\nname: x\n" + "".join(f"k{n}: 1\n" for n in range(MAX_FINDINGS * 2))).findings
    assert len(findings) == MAX_FINDINGS
    assert findings[-1].code == "more_findings"
    assert "201" in findings[-1].message
    assert not valid(findings)


def test_findings_are_ordered_by_severity_then_line() -> None:
    given_findings = [
        Finding("info", "value_not_text", "c", "a", 1),
        finding("missing_name", "b", "", 9),
        finding("unknown_key", "a", "z", None),
        finding("unknown_key", "a", "z", 5),
        finding("unknown_key", "a", "b", 5),
        finding("unknown_key", "a", "b", 5),
    ]
    assert [(item.severity, item.line, item.path) for item in ordered(given_findings)] == [
        ("error", 5, "b"),
        ("error", 5, "z"),
        ("error", None, "z"),
        ("warn", 9, ""),
        ("info", 1, "a"),
    ]
    assert not valid(given_findings)
    assert valid(given_findings[:2])


def test_every_code_used_is_in_the_table() -> None:
    used = {code for text in (WHOLE, within("x: 1\n")) for code, _ in told(text)}
    assert used <= set(CODES)


# --- no text does harm ---


def never_raises(text: str | bytes) -> None:
    document = read_profile(text)
    assert (document.profile is not None) == valid(document.findings)
    for item in document.findings:
        assert item.severity == CODES[item.code][0] or item.code == "more_findings"
        assert item.line is None or item.line >= 1
        assert item.message.isprintable()
    if document.profile is not None:
        assert Profile.from_json(document.profile.to_json()) == document.profile


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=300), st.binary(max_size=300)))
@example("%YAML 1.1111111111111111111111111\n---\na: 1")
@example("%TAG ! x\n---\n!<a> b")
@example("? ? ? : : :")
@example("'\\ud800'")
@example("\ud800: 1")
def test_any_text_is_read_without_an_exception(text: str | bytes) -> None:
    never_raises(text)


BLOCKS = ("version: 1\n", "name: x\n", "objects:", "lifecycle:", "  open:", "    rules:", "op: in", "all:", "any: ")
SIGNS = ("- ", "{", "}", "[", "]", "&a ", "*a", "!!str ", "\n", " ", "'", '"', "\\", "%", "---\n", "...\n", "|\n", "? ")
ODD = (": ", "<<: ", "#", "0", "true", "~", "\t", "\x85", "é", "1e999", "0x")
PIECES = st.sampled_from((*BLOCKS, *SIGNS, *ODD))


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_mixture_of_yaml_is_read_without_an_exception(text: str) -> None:
    never_raises(text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 12), st.one_of(PIECES, st.text(max_size=4))),
        min_size=1,
        max_size=4,
    )
)
def test_a_changed_profile_is_read_without_an_exception(changes: list[tuple[int, int, str]]) -> None:
    text = WHOLE
    for start, length, piece in changes:
        text = text[:start] + piece + text[start + length :]
    never_raises(text)


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                st.sampled_from(["rules", "all", "any", "op", "field", "names", "open", "evidence"]),
                st.text(max_size=3),
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["objects", "fields", "lifecycle", "methodology", "version", "name"]), VALUES))
def test_any_structure_is_read_without_an_exception(value: Any) -> None:
    stream = io.StringIO()
    YAML(typ="safe", pure=True).dump(value, stream)
    never_raises(stream.getvalue())


def test_the_tests_fixture_is_a_file_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + WHOLE.encode().replace(b"\n", b"\r\n"))
    document = read_profile(path.read_bytes(), path.name)
    assert document.profile == read_profile(WHOLE).profile
    assert document.lines == read_profile(WHOLE).lines
