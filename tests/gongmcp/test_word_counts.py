"""Counts of words that warm keeps: as a plain recount, without calls that are not served, and themes made of them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl.cache.upsert import import_records
from gongctl.cache.verify import recount
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths
from gongmcp.analysis.log_likelihood import log_likelihood
from gongmcp.analysis.ngrams import spoken_words
from gongmcp.analysis.phrases import mostly_said_as
from gongmcp.analysis.word_counts import WordCounts, counted_words, packed, unpacked
from gongmcp.governance.scope import Scope
from gongmcp.handler import ToolHandler
from gongmcp.store import samples
from gongmcp.store.model import ModelRules
from tests.gongmcp.conftest import SECRET, MakeHandler
from tests.gongmcp.test_themes import SAID, call_of, transcript_of

TEXTS = st.lists(
    st.text(alphabet="abÄß’'- .,;?\n{}redacted:emailς1日", max_size=30)
    | st.sampled_from(["Don't  say {redacted:email}twice.", "A B-c {redacted:", "ΟΔΟΣ. Οδός"]),
    max_size=6,
)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_words_are_those_that_terms_are_made_of(texts: list[str]) -> None:
    plain = Counter(word for text in texts for word in spoken_words(text) if word)
    assert counted_words(texts) == plain
    assert {word: count for count, words in unpacked(packed(plain)) for word in words} == dict(plain)


def test_sums_and_differences() -> None:
    one, two = Counter({"price": 3, "the": 9}), Counter({"price": 1, "hall": 1})
    both = WordCounts.of(map(packed, (one, two)))
    assert (both.words, both.calls["price"], both.occurrences["price"]) == (14, 2, 4)
    rest = both.less(WordCounts.of([packed(one)]))
    assert (rest.words, dict(rest.calls), dict(rest.occurrences)) == (2, {"price": 1, "hall": 1}, dict(two))


def test_a_word_is_said_in_the_longest_phrase_that_holds_half_of_it() -> None:
    said = [["stay", "at", "home", "orders"], ["supply", "chain"]] * 3 + [["home"]] * 2 + [["chain", "saw"]]
    content = {"stay", "home", "orders", "supply", "chain", "saw"}
    found = mostly_said_as(said, {"home", "chain", "saw"}, content)
    assert found == {"home": "stay at home", "chain": "supply chain"}


def build(path: Path, numbers: list[int], rules: ModelRules | None = None) -> Path:
    """Write a cache of calls of ``test_themes``, warmed by *rules*."""
    files = {
        "calls.json": {"calls": [call_of(number) for number in numbers]},
        "transcripts.json": {"callTranscripts": [transcript_of(number) for number in numbers]},
    }
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        import_records(writer, read_paths([folder / name for name in files]))
        warm(writer, rules=rules)
    return path


def kept(cache: Path) -> tuple[list[Any], list[Any]]:
    with closing(sqlite3.connect(cache)) as connection:
        assert recount(connection) == []
        return (
            connection.execute("SELECT * FROM cache_words ORDER BY word").fetchall(),
            connection.execute("SELECT call_no, counts FROM call_words ORDER BY call_no").fetchall(),
        )


def test_kept_counts_are_those_of_the_calls_that_are_served(tmp_path: Path) -> None:
    without = kept(build(tmp_path / "without.db", [1, 2, 3, 4]))
    assert ("rollout", 3, 4) in without[0]
    governed = kept(build(tmp_path / "governed.db", [*SAID], ModelRules(scope=Scope(to_date="2026-04-30"))))
    assert governed == without
    assert "grey" not in {word for word, *_ in governed[0]}  # said in the fifth call alone
    wider = build(tmp_path / "wider.db", [*SAID])
    assert "grey" in {word for word, *_ in kept(wider)[0]}
    with CacheWriter.open(wider) as writer:  # and what was served is served no more
        warm(writer, rules=ModelRules(scope=Scope(to_date="2026-04-30")))
    assert kept(wider) == without


def test_a_changed_transcript_changes_the_counts_of_its_call_alone(tmp_path: Path) -> None:
    cache = build(tmp_path / "cache.db", [1, 2, 3])
    before = dict(kept(cache)[1])
    changed = transcript_of(2)
    changed["transcript"][0]["sentences"][0]["text"] = "Zebras graze."
    (tmp_path / "changed.json").write_text(json.dumps({"callTranscripts": [changed]}), "utf-8")
    with CacheWriter.open(cache) as writer:
        import_records(writer, read_paths([tmp_path / "changed.json"]))
        warm(writer)
    words, calls = kept(cache)
    assert ("zebras", 1, 1) in words
    assert ("rollout", 2, 3) in words
    assert sum(before[number] != counts for number, counts in calls) == 1


def plain_counts(cache: Path, industry: str) -> tuple[list[set[str]], Counter[str], list[set[str]], Counter[str]]:
    """Read the segments without the program: words by call, and how often, of an industry and of the others."""
    here, there = Counter[str](), Counter[str]()
    calls: dict[int, tuple[bool, set[str]]] = {}
    with closing(sqlite3.connect(cache)) as connection:
        for number, of in connection.execute("SELECT call_no, account_industry FROM call_facts"):
            calls[number] = (of == industry, set())
        for number, text in connection.execute("SELECT segment_no >> 19, text FROM segments"):
            said = re.findall("[a-z']+", text.lower())
            inside, words = calls[number]
            words.update(said)
            (here if inside else there).update(said)
    sides = [[words for inside, words in calls.values() if inside == side] for side in (True, False)]
    return sides[0], here, sides[1], there


@pytest.fixture
def few_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few calls are read that a cache of six is a large one."""
    monkeypatch.setattr(samples, "MAX_CALLS", 1)


CROWD = {"filter": {"industry": "machines"}, "limit": 100}


def themes(handler: ToolHandler, **more: Any) -> dict[str, Any]:
    answer = handler.call("discover_themes_in_cohort", {**CROWD, **more}).answer
    assert answer.structured is not None, answer.text
    return answer.structured


@pytest.mark.usefixtures("few_are_read")
@pytest.mark.parametrize("industry", ["machines", "tourism"])
def test_themes_of_many_calls_are_counted_in_all_of_them(
    tmp_path: Path, make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch, industry: str
) -> None:
    monkeypatch.setattr("gongmcp.catalog.theme_discovery_tools.SURE", -1e9)
    cache = build(tmp_path / "cache.db", [*SAID])
    found = themes(make_handler(cache), filter={"industry": industry})
    assert (found["sampled"], found["counted_from"]) == (False, "kept_counts")
    assert (found["counted_call_count"], found["background_call_count"]) == (3, 3)
    inside, here, outside, there = plain_counts(cache, industry.title())
    assert found["results"]
    for row in found["results"]:
        word = row["theme"]
        assert row["call_count"] == sum(word in said for said in inside)
        assert row["background_call_count"] == sum(word in said for said in outside)
        assert row["occurrence_count"] == here[word]
        expected = log_likelihood(here[word], here.total(), there[word], there.total())
        assert row["log_likelihood"] == pytest.approx(expected, abs=1e-3)


@pytest.mark.usefixtures("few_are_read")
def test_what_cannot_be_taken_from_kept_counts_is_sampled_and_said(tmp_path: Path, make_handler: MakeHandler) -> None:
    cache = build(tmp_path / "cache.db", [*SAID])
    by_role = themes(make_handler(cache), speaker_role="external")
    assert (by_role["sampled"], by_role["counted_from"]) == (True, "texts")
    assert any(line.startswith("sampled") for line in by_role["limitations"])
    with closing(sqlite3.connect(cache)) as connection, connection:
        connection.execute("DELETE FROM call_words WHERE call_no = (SELECT max(call_no) FROM call_words)")
    assert themes(make_handler(cache))["counted_from"] == "texts"
