"""The search language against a real FTS5 table: words, meaning, and nothing typed as syntax."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gongmcp.errors import ToolFault
from gongmcp.exposure.clean import clean
from gongmcp.store.ranking import Matcher
from gongmcp.store.search_query import MAX_QUERY_CHARS, SearchQuery, Term, compile_query
from gongmcp.store.unicode61 import located_words, words

TOKENIZER = 'tokenize="unicode61 remove_diacritics 2"'


@cache
def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute(f"CREATE VIRTUAL TABLE t USING fts5(text, {TOKENIZER})")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab('t', 'instance')")
    return connection


def words_of_fts5(text: str) -> list[str]:
    """Return the words of *text* as SQLite itself cuts and folds them."""
    connection = database()
    connection.execute("DELETE FROM t")
    connection.execute("INSERT INTO t VALUES (?)", (text,))
    return [row[0] for row in connection.execute("SELECT term FROM v ORDER BY offset")]


def found_by_fts5(query: SearchQuery, texts: Sequence[str]) -> set[int]:
    connection = database()
    connection.execute("DELETE FROM t")
    connection.executemany("INSERT INTO t (rowid, text) VALUES (?, ?)", enumerate(texts))
    return {row[0] for row in connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (query.fts,))}


# -- words ----------------------------------------------------------------------------------------------


def code_points() -> Iterator[range]:
    """Every code point that has a table entry of its own, and some of the rest, in pieces."""
    for start in range(1, 0x20000, 0x2000):
        yield range(start, min(start + 0x2000, 0x20000))
    yield range(0x20000, 0xE0000, 0x101)
    yield range(0xE0000, 0xE0300)
    yield range(0xE0300, 0x110000, 0x101)


@pytest.mark.parametrize("points", code_points(), ids=lambda points: f"{points.start:x}")
def test_every_character_cuts_and_folds_as_in_sqlite(points: range) -> None:
    text = "\n".join(f"q{chr(point)}q" for point in points if not 0xD800 <= point <= 0xDFFF)
    assert words(text) == words_of_fts5(text)


some_text = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("aAéÉe\u0301ßẞİıſΣςй東京ア가ﬁ２0 '’-_.+*\"{}:\u0300\u0323🙂❤\u200d\ufe0f\ufffe\0"),
    )
)


@settings(deadline=None)
@given(some_text)
@example("\u0301a\u0301")
@example("naïve ΧΑΟΣ ﬁne ２０２ İstanbul")
def test_words_equal_those_of_sqlite(text: str) -> None:
    assert words(text) == words_of_fts5(text)


@settings(deadline=None)
@given(some_text)
def test_located_words_are_the_words_at_their_places(text: str) -> None:
    located = located_words(text)
    assert [folded for _, _, folded in located] == words(text)
    assert all(words(text[start:end]) == [folded] for start, end, folded in located)
    assert all(a[1] <= b[0] for a, b in pairwise(located))


def test_a_lone_surrogate_separates_words() -> None:
    assert words("a\ud800b") == ["a", "b"]


# -- the language ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("price increase", "price AND increase"),
        ("price  AND\tincrease", "price AND increase"),
        ('"Free Cash Flow" guidance', '"free cash flow" AND guidance'),
        ("pricing OR discount renew", "(pricing OR discount) AND renew"),
        ("a OR b OR c", "a OR b OR c"),
        ("(a OR b) AND (c OR d)", "(a OR b) AND (c OR d)"),
        ("price -discount", "price NOT discount"),
        ('price -"free trial"', 'price NOT "free trial"'),
        ("price NOT discount", "price NOT discount"),
        ("price AND NOT discount", "price NOT discount"),
        ("-discount price", "price NOT discount"),
        ("a OR b -c", "(a OR b) NOT c"),
        ("price*", "price*"),
        ("e-mai*", '"e mai"*'),
        ('"cash flo"*', '"cash flo"*'),
        ("don't", '"don t"'),
        ("e-mail", '"e mail"'),
        ("C++", "c"),
        ("foo:bar", '"foo bar"'),
        ("50%", "50"),
        ("price?", "price"),
        ("^start", "start"),
        ("{x}", "x"),
        ("NEAR(", "near"),
        ("NEAR(a b, 5)", "near AND a AND b AND 5"),
        ("text:price", '"text price"'),
        ("naïve", "naive"),
        ("nai\u0308ve", "naive"),
        ("мои\u0306", "мой"),
        ("re\u200bnew\u00adal", "renewal"),
        ("“free cash” flow", '"free cash" AND flow'),
        ("to be or not to be", "to AND be AND or AND not"),
        ('"AND"', "and"),
        ("-AND price", "price NOT and"),
        ("--db x", "db AND x"),
        ("price -", "price"),
        ("y y y", "y"),
        ("*price", "price"),
        ("東京*", "東京*"),
        ("東*", "東*"),
        ("가*", "가*"),
        ("🙂 hello", "🙂 AND hello"),
    ],
)
def test_text_is_understood_without_remarks(text: str, understood: str) -> None:
    query = compile_query(text)
    assert query.understood == understood
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "understood", "note"),
    [
        ("AND", "and", "AND without a word"),
        ("a OR", "a AND or", "OR without a word"),
        ("NOT x", "not AND x", "NOT without a word"),
        ("a AND ?", "a AND and", "AND without a word"),
        ("a OR OR b", "a AND (or OR b)", "OR without a word"),
        ("-price", "price", "Only exclusions"),
        ('-price -"free trial"', 'price AND "free trial"', "Only exclusions"),
        ("a OR -b", "a NOT b", "OR beside an exclusion"),
        ("a OR NOT b", "a NOT b", "OR beside an exclusion"),
        ("-b OR a", "a NOT b", "OR beside an exclusion"),
        ("c -b OR a", "c AND a NOT b", "OR beside an exclusion"),
        ('say "hello', "say AND hello", "quotation mark without a partner"),
        ('5" pipe', "5 AND pipe", "quotation mark without a partner"),
        ("pr*", "pr", "pr* is too short"),
        ('"cash fl"*', '"cash fl"', "fl* is too short"),
        ('"price*"', "price", "inside quotation marks"),
        ("(a b) OR c", "a AND (b OR c)", "OR joins only"),
        ("(a AND b) OR c", "a AND (b OR c)", "OR joins only"),
        ("a AND b OR c", "a AND (b OR c)", "OR joins only"),
        ("x -(a b)", "x AND a AND b", "An exclusion takes one word"),
        ("price ❤", "price", "Signs without a letter"),
        ("東京", "東京", "one word"),
        ("カタカナ -price", "カタカナ NOT price", "one word"),
    ],
)
def test_what_is_read_differently_is_said(text: str, understood: str, note: str) -> None:
    query = compile_query(text)
    assert query.understood == understood
    assert len(query.notes) == 1
    assert note in query.notes[0]


@pytest.mark.parametrize("text", ['"', "???", "❤", "* -", '""', "()", "%", "́"])
def test_text_without_anything_searchable_finds_nothing_and_says_so(text: str) -> None:
    query = compile_query(text)
    assert query.fts is None
    assert query.groups == ()
    assert "nothing can match" in query.notes[-1]


@pytest.mark.parametrize("text", ["", " \t\n", "\u3000", "\u200b"])
def test_blank_text_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ToolFault) as caught:
        compile_query(text)
    assert caught.value.code == "invalid_argument"
    assert "blank" in caught.value.message
    assert "pricing OR discount" in caught.value.hint


@pytest.mark.parametrize("text", ["a\0b", "\0", " \0 "])
def test_nul_is_refused(text: str) -> None:
    with pytest.raises(ToolFault, match="NUL") as caught:
        compile_query(text)
    assert caught.value.code == "invalid_argument"


def test_length_is_bounded_in_characters() -> None:
    assert compile_query("é" * MAX_QUERY_CHARS).fts is not None
    for text in ("é" * (MAX_QUERY_CHARS + 1), "y " * 5000):
        with pytest.raises(ToolFault, match=f"{len(text)} characters; at most 512"):
            compile_query(text)


@pytest.mark.parametrize("joint", [" ", " OR ", " -", "*", "(", '" "', " AND NOT ", "- ", ")("])
def test_the_longest_texts_are_no_trouble_for_sqlite(joint: str) -> None:
    numbers = iter(range(1000, 10000))
    text = "a b"
    while len(longer := f"{text}{joint}{next(numbers)}") <= MAX_QUERY_CHARS:
        text = longer
    assert found_by_fts5(compile_query(text), ["a b", "nothing"]) <= {0}


def test_every_word_is_quoted_for_fts5() -> None:
    query = compile_query('a OR "b c" don\'t pri* -d -"e f" -ghi*')
    assert query.fts == '(("a" OR "b c") AND ("don t") AND ("pri" *)) NOT ("d" OR "e f" OR "ghi" *)'


# -- meaning --------------------------------------------------------------------------------------------


def occurs(term: Term, text: Sequence[str]) -> bool:
    size = len(term.tokens)
    for at in range(len(text) - size + 1):
        part = list(text[at : at + size])
        if part[:-1] == list(term.tokens[:-1]) and (
            part[-1].startswith(term.tokens[-1]) if term.prefix else part[-1] == term.tokens[-1]
        ):
            return True
    return False


def means(query: SearchQuery, text: str) -> bool:
    """Whether *text* fits *query* by the words of the language, without FTS5."""
    spoken = words(text)
    return all(any(occurs(term, spoken) for term in group) for group in query.groups) and not any(
        occurs(term, spoken) for term in query.excluded
    )


vocabulary = ["price", "prices", "pricing", "free", "cash", "flow", "naïve", "NAIVE", "don't", "e-mail", "or", "and",
              "not", "near", "東京", "東京駅", "c", "50", "t", "x"]  # fmt: skip
texts = st.lists(st.lists(st.sampled_from(vocabulary), max_size=7).map(" ".join), min_size=1, max_size=6)
typed = st.lists(
    st.one_of(
        st.sampled_from(vocabulary),
        st.sampled_from(
            [
                "AND",
                "OR",
                "NOT",
                "-",
                '"',
                "(",
                ")",
                "*",
                "^",
                ":",
                "{",
                "}",
                "+",
                "NEAR(",
                "'",
                "pri*",
                "東*",
                "-price",
                '-"free cash"',
                "-pri*",
            ]
        ),
        st.text(max_size=3),
    ),
    min_size=1,
    max_size=9,
)
queries = st.builds(lambda parts, joint: joint.join(parts), typed, st.sampled_from([" ", ""])).filter(
    lambda text: "\0" not in text and len(text) <= MAX_QUERY_CHARS
)


def compiled(text: str) -> SearchQuery | None:
    """Compile *text*; None when it is blank, the only reason for which these texts are refused."""
    if not clean(text)[0].strip():
        return None
    return compile_query(text)


@settings(deadline=None)
@given(queries, texts)
@example('text : "a" NEAR(b c, 2) ^d {e} * + -f', ["a b c d e f"])
@example("pri* NOT pricing", ["price", "price pricing", "free"])
@example('"free cash"* OR 東京', ["free cashier", "東京駅", "東京"])
def test_sqlite_finds_what_the_query_means(text: str, candidates: list[str]) -> None:
    query = compiled(text)
    if query is None or query.fts is None:
        return
    expected = {number for number, candidate in enumerate(candidates) if means(query, candidate)}
    assert found_by_fts5(query, candidates) == expected


@settings(deadline=None)
@given(queries, texts)
def test_every_text_that_fits_has_hits(text: str, candidates: list[str]) -> None:
    query = compiled(text)
    if query is None or query.fts is None:
        return
    matcher = Matcher(query)
    for candidate in candidates:
        groups = {group for _, _, group, _ in matcher.hits(words(candidate))}
        fits = groups == set(range(len(query.groups)))
        assert fits == all(any(occurs(term, words(candidate)) for term in group) for group in query.groups)


@settings(deadline=None)
@given(queries)
def test_what_is_understood_is_the_same_query(text: str) -> None:
    query = compiled(text)
    if query is None or query.fts is None or len(query.understood) > MAX_QUERY_CHARS:
        return
    again = compile_query(query.understood)
    assert (again.groups, again.excluded, again.understood) == (query.groups, query.excluded, query.understood)
    assert all(note.startswith(("A run of", "OR joins")) for note in again.notes)


@settings(deadline=None)
@given(queries)
def test_only_words_reach_fts5_and_only_inside_quotes(text: str) -> None:
    query = compiled(text)
    if query is None or query.fts is None:
        return
    outside = query.fts.split('"')[::2]
    assert set("".join(outside)) <= set("()* ANDORT")
    for inside in query.fts.split('"')[1::2]:
        assert words(inside) == inside.split(" ")
