"""The statistics by themselves: known values, and what holds for every input."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongmcp.analysis.clarity import asks, clarity
from gongmcp.analysis.intervals import wilson
from gongmcp.analysis.log_likelihood import lift, log_likelihood
from gongmcp.analysis.near_duplicates import SeenTexts, shingles, similarity
from gongmcp.analysis.ngrams import TermCounts, is_content, parts_of, spoken_words, terms
from gongmcp.analysis.stems import LEAST, stem
from gongmcp.analysis.stop_words import stop_words
from gongmcp.analysis.theme_query import theme_query
from gongmcp.analysis.topic_packs import BadPack, builtin_packs, packs_with, read_packs, term_of
from gongmcp.errors import StartupRefusal
from gongmcp.store.unicode61 import words
from tests.gongmcp.conftest import MakeHandler

counts = st.integers(0, 10_000)


# --- log-likelihood ---------------------------------------------------------------------------------


def test_known_values_of_the_log_likelihood() -> None:
    # a = 10 of 100, b = 5 of 200: 2 * (10 ln(10/5) + 5 ln(5/10))
    assert log_likelihood(10, 100, 5, 200) == pytest.approx(2 * (10 * math.log(2) - 5 * math.log(2)))
    assert log_likelihood(0, 100, 10, 100) == pytest.approx(-2 * 10 * math.log(2))


@given(counts, counts, counts, counts)
def test_the_sign_tells_where_a_word_is_more_frequent(a: int, more: int, b: int, rest: int) -> None:
    total, other = a + more + 1, b + rest + 1
    value = log_likelihood(a, total, b, other)
    assert math.isfinite(value)
    assert abs(value + log_likelihood(b, other, a, total)) < 1e-6 or a * other == b * total
    if a * other > b * total:
        assert value >= 0
        assert lift(a, total, b, other) > 0
    if a * other == b * total:
        assert value == pytest.approx(0, abs=1e-6)


@given(st.integers(1, 500), st.integers(2, 50))
def test_more_of_the_same_evidence_is_surer(count: int, times: int) -> None:
    one = log_likelihood(count, 10_000, 0, 10_000)
    assert log_likelihood(times * count, times * 10_000, 0, times * 10_000) == pytest.approx(times * one)


# --- intervals --------------------------------------------------------------------------------------


def test_known_values_of_wilsons_interval() -> None:
    assert wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-4)
    assert wilson(5, 10) == pytest.approx((0.23659, 0.76341), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 5_000), st.data())
def test_an_interval_holds_its_share_and_narrows_with_more_trials(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = wilson(successes, trials)
    assert 0 <= low <= successes / trials <= high <= 1
    wider = wilson(successes, trials)
    narrower = wilson(4 * successes, 4 * trials)
    assert narrower[1] - narrower[0] < wider[1] - wider[0]
    mirrored = wilson(trials - successes, trials)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high))


# --- terms ------------------------------------------------------------------------------------------


def test_terms_begin_and_end_with_content_and_cross_no_sentence_or_mark() -> None:
    said = spoken_words("The cost of capital rose. Margins fell by {redacted:phone} 30 percent.")
    found = list(terms(said, {word for word in said if is_content(word, stop_words("en"))}))
    assert "cost of capital" in found
    assert "margins fell" in found
    assert not [term for term in found if "rose margins" in term or "redacted" in term or "phone" in term]
    assert not {"the", "of", "30", "capital of"} & set(found)


@given(st.lists(st.sampled_from(["cost", "of", "capital", "", "the", "rate", "10"]), max_size=30))
def test_terms_are_counted_as_a_plain_recount_counts_them(said: list[str]) -> None:
    tally = TermCounts()
    tally.add_call([said], {"cost", "capital", "rate"})
    joined = [" ".join(said[at:end]) for at in range(len(said)) for end in range(at + 1, min(at + 4, len(said) + 1))]
    for term, count in tally.occurrences.items():
        assert count == joined.count(term)
        assert tally.calls[term] == 1
        assert {term.split()[0], term.split()[-1]} <= {"cost", "capital", "rate"}


def test_one_call_supports_a_term_once() -> None:
    tally = TermCounts()
    tally.add_call([["margin"], ["margin"]], {"margin"})
    tally.add_call([["margin"]], {"margin"})
    assert (tally.occurrences["margin"], tally.calls["margin"]) == (3, 2)


def test_a_part_of_a_term_is_told_by_words() -> None:
    assert set(parts_of("free cash flow")) == {"free", "cash", "flow", "free cash", "cash flow"}
    assert list(parts_of("cash")) == []


def test_stop_words_of_a_language_that_is_not_there_are_those_of_all() -> None:
    assert stop_words("xx") == stop_words(None) > stop_words("de") != stop_words("en")
    assert {"ich", "nicht"} <= stop_words("deu")
    assert not {"price", "preis", "customer", "revenue", "contract"} & stop_words(None)


# --- near duplicates --------------------------------------------------------------------------------


def test_a_text_that_says_the_same_is_no_new_one() -> None:
    seen = SeenTexts()
    first = list(words("we expect the supply chain to recover in the second half of the year"))
    assert seen.is_new(first)
    assert not seen.is_new([*first, "indeed"])
    assert seen.is_new(["our", "customers", "ask", "for", "lower", "prices"])


texts = st.lists(st.sampled_from("abcdefg"), max_size=12)


@given(texts, texts)
def test_similarity_is_the_same_both_ways_and_whole_for_a_text_itself(a: list[str], b: list[str]) -> None:
    one, other = shingles(a), shingles(b)
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, one) == (1 if a else 0)


@given(st.lists(texts, max_size=10))
def test_of_equal_texts_one_is_kept(said: list[list[str]]) -> None:
    seen = SeenTexts()
    kept = [text for text in said if seen.is_new(text)]
    full = [tuple(text) for text in kept if text]
    assert len(full) == len(set(full))


# --- clarity and questions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "What would the implementation cost us in the first year?",
        "That is fine. But how do you handle single sign on?",
        "Wie lange dauert die Einführung bei euch?",
        "導入にはどのくらいかかりますか？",
        "Πόσο κοστίζει η πρώτη χρονιά;",
    ],
)
def test_a_question_is_told(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "It costs too much.",
        "Right?",
        "Can you hear me now?",
        "Are there any other questions?",
        "See a; b; c d e f.",
        "",
    ],
)
def test_no_question_about_a_subject(text: str) -> None:
    assert not asks(text)


def test_a_whole_sentence_is_clearer_than_a_stammer() -> None:
    whole = "We would need a security review before we can sign the contract."
    stammer = "uh so um yeah yeah we we uh"
    assert clarity(whole, words(whole)) > 0.9 > 0.7 > clarity(stammer, words(stammer))


@given(st.text(max_size=200))
def test_clarity_is_a_share_of_one(text: str) -> None:
    assert 0 <= clarity(text, words(text)) <= 1.0001
    asks(text)


# --- stems, packs, themes ---------------------------------------------------------------------------


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_a_stem_is_a_beginning_of_four_letters_at_least(word: str) -> None:
    assert word.startswith(stem(word))
    assert len(stem(word)) >= min(len(word), LEAST)


def test_forms_of_a_word_have_one_stem() -> None:
    assert {stem(word) for word in ("implement", "implements", "implementing", "implementation")} == {"implement"}


def test_a_theme_stands_for_its_topic_and_the_forms_of_its_words() -> None:
    topics = {"pricing": (term_of("price*"), term_of("too expensive"))}
    made = theme_query("pricing -discount", topics)
    assert made.understood == '(pricing OR price* OR "too expensive") NOT discount'
    assert theme_query("delivery dates", topics).understood == "delivery AND dates"
    assert theme_query("delivery dates", topics, stemmed=True).understood == "deliver* AND date*".replace(
        "deliver*", f"{stem('delivery')}*"
    ).replace("date*", f"{stem('dates')}*")
    assert theme_query("security review", {"security_review": (term_of("audit"),)}).understood == (
        '"security review" OR audit'
    )


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ([], "mapping"),
        ({"Pack": {}}, "name"),
        ({"pack": {"topics": {"a": []}}}, "pack.topics.a"),
        ({"pack": {"topics": {"a": ["x", 1]}}}, "pack.topics.a[1]"),
        ({"pack": {"topics": {"a": ["pri*ce"]}}}, "pack.topics.a[0]"),
        ({"pack": {"topics": {"a": ["ab*"]}}}, "pack.topics.a[0]"),
        ({"pack": {"topics": {"a": ["???"]}}}, "pack.topics.a[0]"),
        ({"pack": {"topics": {"a": ["x"]}, "more": 1}}, "pack"),
        ({"pack": {"description": "x"}}, "pack"),
    ],
)
def test_a_bad_pack_is_refused_with_its_place(content: Any, place: str) -> None:
    with pytest.raises(BadPack) as caught:
        read_packs(content)
    assert place in str(caught.value)


def test_packs_of_a_file_stand_beside_ours(tmp_path: Path) -> None:
    file = tmp_path / "packs.yaml"
    file.write_text("mine:\n  topics:\n    parking: [garage, 'parking lot', park*]\n", "utf-8")
    packs = packs_with(file)
    assert {str(term) for term in packs.topics("topics", ["mine"])["parking"]} == {"garage", '"parking lot"', "park*"}
    assert packs.packs.keys() > builtin_packs().packs.keys()
    file.write_text("generic_b2b:\n  topics:\n    parking: [garage]\n", "utf-8")
    with pytest.raises(BadPack, match="comes with the program"):
        packs_with(file)
    for text in ("a: [", "&a [*a]", "!!python/object:os.system x", ""):
        file.write_text(text, "utf-8")
        with pytest.raises(BadPack):
            packs_with(file)


def test_the_operators_packs_are_a_setting_and_a_bad_file_is_refused(tmp_path: Path, make_handler: MakeHandler) -> None:
    file = tmp_path / "packs.yaml"
    file.write_text("mine:\n  topics:\n    money: [revenue, margin*]\n", "utf-8")
    handler = make_handler(topic_packs=str(file))
    asked = {"filter": {"quarter": "2026-Q1"}, "theme_query": "money", "topic_packs": ["mine"], "limit": 1}
    for served in (handler, handler.with_policy(provenance="alias")):
        answer = served.call("search_transcripts_by_filters", asked).answer.structured
        assert answer is not None
        assert answer["theme_understood"] == "money OR revenue OR margin*"
    assert make_handler().call("search_transcripts_by_filters", asked).answer.is_error
    file.write_text("mine:\n  topics:\n    money: []\n", "utf-8")
    with pytest.raises(StartupRefusal) as caught:
        make_handler(topic_packs=str(file))
    assert "packs.yaml:mine.topics.money" in caught.value.message
