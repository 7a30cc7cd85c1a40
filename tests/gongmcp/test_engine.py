"""The disclosure engine: rules in order, ledger entries, text that is cleaned and cut with a mark."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from gongmcp.exposure.decisions import decide, possible
from gongmcp.exposure.engine import Disclosure
from gongmcp.exposure.fields import SWITCHES, Expose, Field, Provenance, in_modes, never, opt_in, shown
from gongmcp.exposure.ledger import Ledger
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText, Span, apply_spans, format_spans, parse_spans, restore


class Inner(Row):
    name: Annotated[str, never(Field.CRM_OBJECT_NAME)]
    kind: Annotated[str, shown(Field.CRM_TYPE)]


class Sample(Row):
    ref: Annotated[str, in_modes(Field.CALL_REF, Provenance.ALIAS, Provenance.RAW)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids", Provenance.RAW)]
    title: Annotated[MaskedText, opt_in(Field.CALL_TITLE, "include_call_titles")]
    hidden: Annotated[str, never(Field.CRM_VALUE)]
    group: Annotated[int, shown(Field.GROUP)]
    rate: Annotated[float, shown(Field.MEASURE)]
    note: Annotated[str | None, shown(Field.LABEL)]
    undeclared: str
    inner: list[Inner]


def sample(**changes: Any) -> Sample:
    values: dict[str, Any] = {
        "ref": "call_1",
        "call_id": "77",
        "title": MaskedText("Weekly"),
        "hidden": "secret",
        "group": 900,
        "rate": 1 / 3,
        "note": None,
        "undeclared": "leak",
        "inner": [Inner(name="ACME", kind="Account")],
    }
    return Sample(**{**values, **changes})


def run(policy: Policy, arguments: dict[str, Any], row: Sample) -> tuple[dict[str, Any], Ledger, list[str]]:
    ledger = Ledger()
    disclosure = Disclosure(policy, arguments, ledger)
    (out,) = disclosure.rows(Sample, [row], ("results",))
    return out, ledger, list(disclosure.withheld)


def test_the_default_withholds_identity_and_names_what_it_withheld() -> None:
    out, ledger, withheld = run(Policy(), {}, sample())
    assert out == {"group": 1, "rate": 0.3333, "inner": [{"kind": "Account"}]}
    assert withheld == ["ref", "call_id", "title", "hidden", "undeclared", "inner.name"]
    rules = {entry.place[2:]: entry.rule for entry in ledger.entries}
    assert rules[("ref",)] == "provenance.redacted"
    assert rules[("title",)] == "opt_in.include_call_titles"
    assert rules[("hidden",)] == "never.crm_value"
    assert rules[("undeclared",)] == "undeclared"
    assert rules[("inner", 0, "name")] == "never.crm_object_name"


@pytest.mark.parametrize(
    ("provenance", "flags", "shown_columns"),
    [
        (Provenance.REDACTED, {"include_call_ids": True}, set()),
        (Provenance.ALIAS, {"include_call_ids": True}, {"ref"}),
        (Provenance.RAW, {}, {"ref"}),
        (Provenance.RAW, {"include_call_ids": True}, {"ref", "call_id"}),
        (Provenance.REDACTED, {"include_call_titles": True}, {"title"}),
    ],
)
def test_modes_and_opt_ins(provenance: Provenance, flags: dict[str, bool], shown_columns: set[str]) -> None:
    out, _, _ = run(Policy(provenance=provenance), flags, sample())
    assert {"ref", "call_id", "title"} & out.keys() == shown_columns
    assert "hidden" not in out
    assert "undeclared" not in out


def test_withheld_fields_do_not_depend_on_whether_a_row_had_a_value() -> None:
    with_value = run(Policy(), {}, sample(note="x"))[2]
    assert run(Policy(), {}, sample(note=None))[2] == with_value


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_overrides_modes_and_opt_ins(switch: str) -> None:
    policy = Policy(provenance=Provenance.RAW, switches=frozenset({switch}))
    for field in SWITCHES[switch]:
        assert not decide(opt_in(field, "flag"), policy, {"flag": True}).shown
        assert decide(opt_in(field, "flag"), policy, {"flag": True}).rule == f"switch.{switch}"
        assert not possible(shown(field), policy)


def test_no_mode_flag_or_profile_shows_a_never_column() -> None:
    for provenance in Provenance:
        for field in Field:
            expose = Expose(field, opt_in="flag", never=True)
            assert not decide(expose, Policy(provenance=provenance), {"flag": True, "field_profile": "full"}).shown


def test_masked_spans_and_invisible_characters_reach_the_ledger_without_values() -> None:
    raw = "mail bob@x.io \u202enow"
    spans = [Span("email", 5, 8), Span("control", 14, 1)]
    masked = apply_spans(raw, spans)
    assert masked.value == "mail {redacted:email} now"
    out, ledger, _ = run(Policy(), {"include_call_titles": True}, sample(title=masked))
    assert out["title"] == masked.value
    marks = [(e.action, e.kind, e.start, e.length) for e in ledger.entries if e.action in ("redacted", "removed")]
    assert marks == [("redacted", "email", 5, 8), ("removed", "control", 14, 1)]
    assert "bob" not in str(ledger.as_dict())
    assert restore(masked.value, masked.spans, ["bob@x.io", "\u202e"]) == raw


def test_text_that_was_never_masked_is_still_cleaned() -> None:
    out, ledger, _ = run(Policy(), {}, sample(note="a\x1b[31mb\u200bc"))
    assert out["note"] == "a[31mbc"
    assert sum(entry.count for entry in ledger.entries if entry.action == "removed") == 2


def test_long_text_is_cut_with_a_mark_and_never_inside_a_mark() -> None:
    title = apply_spans("x" * 295 + "bob@example.com" + "y" * 50, [Span("email", 295, 15)])
    out, ledger, _ = run(Policy(), {"include_call_titles": True}, sample(title=title))
    assert out["title"] == "x" * 295 + "… {cut:66}"
    assert not [entry for entry in ledger.entries if entry.action == "redacted"]
    (cut,) = [entry for entry in ledger.entries if entry.action == "cut"]
    assert (cut.rule, cut.length) == ("text.max_chars", 66)


def test_groups_are_numbered_by_first_appearance() -> None:
    disclosure = Disclosure(Policy(), {}, Ledger())
    rows = disclosure.rows(Sample, [sample(group=g) for g in (90, 10, 90)], ("results",))
    assert [row["group"] for row in rows] == [1, 2, 1]


def test_span_columns_round_trip() -> None:
    spans = (Span("email", 3, 9), Span("control", 20, 1))
    assert parse_spans(format_spans(spans)) == spans
    assert format_spans(()) is None
    assert parse_spans(None) == ()
