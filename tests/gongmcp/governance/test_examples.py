"""What the documented tables of examples say is what happens."""

from __future__ import annotations

import pytest

from gongmcp.governance.names import index_words
from gongmcp.governance.terms import Kind, Term, Unusable
from tests.gongmcp.governance.examples import Example, examples, matcher, term, unusable

ROWS = examples()


def test_the_page_holds_the_tables() -> None:
    assert len(ROWS) >= 160
    assert sum(row.found for row in ROWS) >= 100
    assert sum(not row.found for row in ROWS) >= 40
    assert len(unusable()) >= 15


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ascii(f"{row.term} in {row.text}"))
def test_a_row_is_true(row: Example) -> None:
    judge = matcher(row.term)
    found = judge.find(row.text)
    assert bool(found) is row.found
    assert judge.hits(row.text) is row.found
    if row.found:
        assert index_words(row.text) & judge.words()
    for hit in found:
        assert row.text[hit.start : hit.end].strip()


@pytest.mark.parametrize("written", unusable())
def test_what_cannot_be_looked_for_is_refused(written: str) -> None:
    with pytest.raises(Unusable):
        term(written)


@pytest.mark.parametrize(
    "written", ["domains: zebra", "domains: ze bra.test", "email_fragments: ze", "name: " + "zebra " * 13]
)
def test_a_refusal_does_not_quote_the_term(written: str) -> None:
    with pytest.raises(Unusable) as refusal:
        term(written)
    assert "ze" not in str(refusal.value)


def test_every_row_is_decided_the_same_among_all_terms() -> None:
    """The terms of all rows together find in each text at least what its own term finds."""
    judge = matcher(*dict.fromkeys(row.term for row in ROWS))
    for row in ROWS:
        names = {hit.entry.name for hit in judge.find(row.text)}
        assert (row.term in names) is row.found, row
        assert judge.hits(row.text) is bool(names)


@pytest.mark.parametrize(
    ("written", "warned"),
    [
        ("HP", "very short"),
        ("Target", "ordinary word"),
        ("1010", "number"),
        ("X Corp", "legal form"),
        ("domains: gmail.com", "mailboxes"),
        ("Acme Corp", ""),
        ("domains: example.com", ""),
    ],
)
def test_terms_that_find_much_or_little_are_warned_of(written: str, warned: str) -> None:
    found = term(written).warning
    assert warned in found
    assert bool(found) is bool(warned)


def test_a_term_shows_nothing_of_itself() -> None:
    shown = repr(Term.of(Kind.NAME, "Zebrafish Rockets"))
    assert "name" in shown.lower()
    assert "zebrafish" not in shown.lower()
