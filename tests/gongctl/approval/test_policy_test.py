"""``gongctl policy test``: cases that hold, cases that do not, files that are none, and the report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongctl.approval.cases import Case, read_cases
from gongctl.approval.policy_test import Result, junit
from gongmcp.errors import Exit, StartupRefusal
from tests.gongctl.approval.conftest import Gongctl

HOLDS = """\
version: 1
cases:
  - name: a search shows references and no ids
    preset: operator-smoke
    tool: search_calls
    arguments: {limit: 3, include_call_ids: false}
    status: ok
    must_hold: [call_ref, {pointer: /results/0/call_ref}, {pointer: "/results/*/started_at"}, {pointer: ""}]
    must_not_hold: ["@example.com", {pointer: "/results/*/call_id"}, {pointer: /results/3}]
    at_most: {rows: 3, bytes: 20000, tokens: 8000}
  - tool: list_crm_fields
    preset: operator-smoke
    arguments: {object_type: Account}
    status: not_offered
  - tool: search_calls
    policy: {policy_switches: [hide_raw_call_ids, hide_call_titles], max_search_results: 2}
    arguments: {limit: 5}
    at_most: {rows: 2}
  - tool: search_calls
    arguments: {limit: 0}
    status: invalid_argument
    must_hold: [limit]
"""


def test_cases_that_hold(gongctl: Gongctl) -> None:
    Path("cases.yaml").write_text(HOLDS)
    done = gongctl("policy", "test", "cases.yaml", "--json")
    said = done.json("policy-test")
    assert said["passed"], said
    assert done.code == 0
    assert [case["line"] for case in said["cases"]] == [3, 11, 15, 19]
    assert gongctl("policy", "test", "cases.yaml").out.endswith("4 of 4 cases hold.\n")


FAILS: dict[str, str] = {
    "tool: search_calls, must_hold: [zebrafish]": "the answer does not hold 'zebrafish'",
    "tool: search_calls, must_not_hold: [call_ref]": "the answer holds 'call_ref'",
    "tool: search_calls, must_hold: [{pointer: /results/0/call_id}]": (
        "the answer does not hold pointer /results/0/call_id"
    ),
    "tool: search_calls, must_hold: [{pointer: /results/99}]": "the answer does not hold pointer /results/99",
    "tool: search_calls, must_not_hold: [{pointer: '/results/*/call_ref'}]": (
        "the answer holds pointer /results/*/call_ref"
    ),
    "tool: search_calls, at_most: {rows: 0}": "the answer has 9 rows, more than 0",
    "tool: search_calls, status: not_found": "the status is ok, not not_found",
    "tool: search_calls, status: not_offered": "the status is ok, not not_offered",
    "tool: nobody, status: ok": "the tool is not offered under this policy",
    "tool: nobody, must_not_hold: [x]": "the tool is not offered under this policy",
    "tool: search_calls, arguments: {limit: 0}, must_not_hold: [call_ref]": (
        "the answer is an error: invalid_argument"
    ),
    "tool: list_scorecards, preset: operator-smoke, must_not_hold: [x]": "the tool is not offered under this policy",
}


@pytest.mark.parametrize("case", FAILS)
def test_cases_that_do_not(case: str, gongctl: Gongctl) -> None:
    Path("cases.yaml").write_text(f"version: 1\ncases:\n  - {{{case}}}\n")
    done = gongctl("policy", "test", "cases.yaml", "--json", "--junit", "out.xml")
    assert done.code == Exit.FAILED
    said = done.json("policy-test")
    assert said["cases"][0]["failures"] == [FAILS[case]]
    assert said["cases"][0]["line"] == 3
    (failure,) = ElementTree.parse("out.xml").getroot().iter("failure")
    assert failure.get("message") == FAILS[case]
    text = gongctl("policy", "test", "cases.yaml")
    assert (text.code, FAILS[case] in text.out) == (Exit.FAILED, True)


def test_a_text_with_quotes_is_found_without_the_escapes_of_json(gongctl: Gongctl) -> None:
    Path("cases.yaml").write_text(
        "version: 1\ncases:\n  - {tool: search_transcript_segments, arguments: {query: '\"free cash flow\"'},"
        " must_hold: ['«free cash flow»']}\n",
        encoding="utf-8",
    )
    done = gongctl("policy", "test", "cases.yaml")
    assert done.code == 0, done.out


BAD: dict[str, tuple[str, int]] = {
    "": ("the file is empty", 1),
    "cases: []": ("version must be 1", 1),
    "version: 2\ncases: [{tool: a, status: ok}]": ("version must be 1", 1),
    "version: 1": ("the key cases is missing", 1),
    "version: 1\ncases: []": ("there is no case", 2),
    "version: 1\ncases: {}": ("cases must be a list, not a map", 2),
    "version: 1\ncases:\n  - 3": ("a case must be a map, not a plain value", 3),
    "version: 1\ncases:\n  - {status: ok}": ("the key tool is missing", 3),
    "version: 1\ncases:\n  - {tool: a}": ("the case expects nothing: it could not fail", 3),
    "version: 1\ncases:\n  - tool: a\n    must_hodl: [b]": ("a case has no such key", 4),
    "version: 1\ncases:\n  - tool: a\n    tool: b": ("the key tool stands here twice", 4),
    "version: 1\ncases:\n  - tool: a\n    must_hold: []": ("must_hold is empty", 4),
    "version: 1\ncases:\n  - tool: a\n    must_hold: [{pointer: a}]": ("a pointer begins with /", 4),
    "version: 1\ncases:\n  - tool: a\n    must_hold: ['']": ("must_hold must be a text", 4),
    "version: 1\ncases:\n  - tool: a\n    must_hold: [{}]": (
        "an item of must_hold is a text, or a map with the key pointer",
        4,
    ),
    "version: 1\ncases:\n  - tool: a\n    at_most: {rows: -1}": ("rows must be a whole number of at least 0", 4),
    "version: 1\ncases:\n  - tool: a\n    at_most: {rows: true}": ("rows must be a whole number of at least 0", 4),
    "version: 1\ncases:\n  - tool: a\n    status: ok\n    arguments: [1]": ("arguments must be a map, not a list", 5),
    "version: 1\ncases:\n  - tool: a\n    status: ok\n    arguments: {a: .inf}": (
        "write the number in plain decimal digits, or the text in quotes",
        5,
    ),
    "version: 1\ncases:\n  - tool: a\n    status: ok\n    policy: {lock: x}": ("policy has no such key", 5),
    "version: 1\ncases: &a\n  - *a": ("anchors and aliases are not allowed: write the value out", 2),
    "version: 1\ncases: !!python/object:os.system\n  - a": ("tags are not allowed", 2),
    "version: 1\ncases: [": ("this is not one document of YAML 1.2", 3),
    "version: 1\n---\ncases: 1": ("this is not one document of YAML 1.2", 2),
}


@pytest.mark.parametrize("text", BAD)
def test_a_file_that_says_something_else_is_refused_with_its_line(text: str, gongctl: Gongctl) -> None:
    Path("cases.yaml").write_text(text + "\n" if text else "")
    done = gongctl("policy", "test", "cases.yaml", "--junit", "out.xml")
    problem, line = BAD[text]
    assert done.code == Exit.USAGE
    assert done.out == ""
    assert done.err.splitlines()[0] == f"gongctl: cases.yaml:{line}: {problem}."
    assert not Path("out.xml").exists()


def test_a_setting_that_is_none_is_refused_with_the_case(gongctl: Gongctl) -> None:
    Path("cases.yaml").write_text(
        "version: 1\ncases:\n  - {tool: search_calls, status: ok, policy: {provenance: open}}\n"
    )
    done = gongctl("policy", "test", "cases.yaml")
    assert done.code == Exit.USAGE
    assert done.err.startswith("gongctl: cases.yaml:3: ")
    assert "provenance mode" in done.err


def test_the_policy_of_a_case_is_stronger_than_the_flags(gongctl: Gongctl) -> None:
    case = "{tool: search_calls, arguments: {limit: 9}, at_most: {rows: 2}, policy: {max_search_results: 2}}"
    Path("cases.yaml").write_text(f"version: 1\ncases:\n  - {case}\n")
    assert gongctl("policy", "test", "cases.yaml", "--max-search-results", "5").code == 0
    Path("cases.yaml").write_text(f"version: 1\ncases:\n  - {case.replace(', policy: {max_search_results: 2}', '')}\n")
    assert gongctl("policy", "test", "cases.yaml", "--max-search-results", "5").code == Exit.FAILED


def test_files_that_cannot_be_read_or_written(gongctl: Gongctl) -> None:
    Path("cases.yaml").write_text(HOLDS)
    for arguments in ([], ["none.yaml"], ["."]):
        assert gongctl("policy", "test", *arguments).code == Exit.USAGE
    done = gongctl("policy", "test", "cases.yaml", "--junit", "none/out.xml")
    assert done.code == Exit.FAILED
    assert "cannot be written" in done.err


def test_the_cases_of_the_page_hold(gongctl: Gongctl) -> None:
    page = Path(__file__).parents[3] / "docs" / "approval.md"
    (cases,) = re.findall(r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    Path("cases.yaml").write_text(cases)
    done = gongctl("policy", "test", "cases.yaml")
    assert (done.code, done.out.splitlines()[-1]) == (0, "3 of 3 cases hold.")


def test_several_files_are_suites_of_one_report(gongctl: Gongctl) -> None:
    for name in ("a.yaml", "b.yaml"):
        Path(name).write_text(HOLDS)
    assert gongctl("policy", "test", "a.yaml", "b.yaml", "--junit", "out.xml").code == 0
    root = ElementTree.parse("out.xml").getroot()
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("a.yaml", "4", "0"),
        ("b.yaml", "4", "0"),
    ]


@given(st.text(), st.text())
def test_any_name_and_failure_is_well_formed_xml(name: str, failure: str) -> None:
    case = Case(file="a.yaml", line=1, name=name, tool=name)
    root = ElementTree.fromstring(junit([Result(case, (failure,)), Result(case, ())]))
    assert len(list(root.iter("testcase"))) == 2
    assert len(list(root.iter("failure"))) == 1


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\x85", "\u2028", "\ud800", "\ufffe", "\uffff"])
def test_what_xml_cannot_hold_is_drawn(sign: str) -> None:
    case = Case(file="a.yaml", line=1, name=f"a{sign}b", tool="t")
    (found,) = ElementTree.fromstring(junit([Result(case, (f"c{sign}d",))])).iter("testcase")
    assert sign not in (found.get("name") or "")
    assert (found.get("name") or "").startswith("a")


def test_markup_in_a_name_is_text() -> None:
    case = Case(file="<f>", line=1, name='"]]><failure/>&', tool="t")
    (found,) = ElementTree.fromstring(junit([Result(case, ("<b>",))])).iter("testcase")
    assert found.get("name") == '"]]><failure/>&'
    assert [node.text for node in found] == ["<b>"]


@given(st.text(max_size=120))
def test_any_text_is_cases_or_refused(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.yaml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(StartupRefusal) as caught:
            read_cases(path)
    assert caught.value.message.startswith("cases.yaml:")
