"""Planted names are found however they are spelt; other sentences name nobody; the index never misses."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongmcp.governance.names import Matcher, index_words, normalise
from gongmcp.governance.restricted import RestrictedList
from gongmcp.governance.sieve import Sieve
from gongmcp.governance.terms import Unusable
from gongmcp.governance.text import views
from tests.gongmcp.governance.examples import entry, examples, matcher

# No planted name is an ordinary word, nor a word of the sentences around it.
NAMES = (
    "Zebrafish",
    "Zebrafish Rockets Inc.",
    "Quokka & Numbat",
    "Quokka, Numbat and Bilby LLC",
    "Q&Z",
    "Bilby-Potoroo",
    "BilbyWorks GmbH & Co. KG",
    "The Potoroo Company",
    "Kowari 24",
    "3Q",
    "Kowari's",
    "QZX",
    "Société Bilbée S.A.",
    "Möwe AG",
    "go to z",
    "Potoroos Pride",
)
CARRIERS = (
    "{}",
    "We spoke with {} today",
    "({})",
    '"title":"{}"',
    "x\n{}\ny",
    "the {} deal, Q3",
    "{}: renewal",
    "bob at {}.",
)

_LOOK_ALIKES = str.maketrans("aeopcxACEHKMOPTX", "аеорсхАСЕНКМОРТХ")
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_SUFFIX = re.compile(r",? (?:Inc\.|LLC|GmbH & Co\. KG|Company|S\.A\.|AG)$")
CONNECTORS = (" & ", "&", " and ", " und ", " et ", " + ", " y ", " AND ")


def _invisible(text: str, drawn: random.Random) -> str:
    sign = drawn.choice("\u200b\u200c\u00ad\u2060\ufeff\x00")
    return "".join(char + (sign if drawn.random() < 0.3 else "") for char in text)


def _accents(text: str, drawn: random.Random) -> str:
    return "".join(char + ("\u0301" if char.isalpha() and drawn.random() < 0.3 else "") for char in text)


def _escapes(text: str, drawn: random.Random) -> str:
    return "".join(f"\\u{ord(char):04x}" if drawn.random() < 0.3 else char for char in text)


SPELLINGS = {
    "as it is": lambda text, _: text,
    "lower": lambda text, _: text.lower(),
    "upper": lambda text, _: text.upper(),
    "apostrophe": lambda text, drawn: re.sub(r"'?s\b", drawn.choice(["'s", "s", "’s"]), text),
    "possessive": lambda text, drawn: text + drawn.choice(["'s", "’s", " s", "'S"]),
    "no legal form": lambda text, _: _SUFFIX.sub("", text),
    "legal form": lambda text, drawn: _SUFFIX.sub("", text) + drawn.choice([" Inc", ", LLC", " GmbH", " S.A.", " plc"]),
    "connector": lambda text, drawn: re.sub(r" ?& ?(?!Co)| and ", drawn.choice(CONNECTORS), text),
    "wide": lambda text, _: text.translate(_WIDE),
    "invisible": _invisible,
    "accents": _accents,
    "look-alikes": lambda text, _: text.translate(_LOOK_ALIKES),
    "escapes": _escapes,
    "hyphens": lambda text, _: re.sub(r"(?<=\w) (?=\w)", "-", text),
    "underscores": lambda text, _: re.sub(r"(?<=\w)[ -](?=\w)", "_", text),
    "JSON": lambda text, _: json.dumps(text)[1:-1],
}
# Applied in this order where several are drawn: escapes and signs come last, as they do in life.
ORDER = tuple(SPELLINGS)


@pytest.fixture(scope="module")
def planted() -> Matcher:
    return matcher(*NAMES)


def _numbers(judge: Matcher, text: str) -> set[int]:
    return {hit.entry.index for hit in judge.find(text)}


@pytest.mark.parametrize("spelling", ORDER)
def test_each_spelling_is_found_in_each_sentence(planted: Matcher, spelling: str) -> None:
    drawn = random.Random(spelling)
    for number, name in enumerate(NAMES, 1):
        for carrier in CARRIERS:
            spelt = SPELLINGS[spelling](name, drawn)
            text = carrier.format(spelt)
            assert number in _numbers(planted, text), (name, text)


def test_the_carriers_name_nobody(planted: Matcher) -> None:
    for carrier in CARRIERS:
        assert not planted.find(carrier.format("Wombat"))


JUDGES = matcher(*NAMES), matcher(*dict.fromkeys(row.term for row in examples()))


@settings(max_examples=400, deadline=None)
@given(
    name=st.sampled_from(range(len(NAMES))),
    carrier=st.sampled_from(CARRIERS),
    chosen=st.sets(st.sampled_from(ORDER), max_size=3),
    seed=st.integers(0, 10**9),
)
def test_spellings_put_together_are_found(name: int, carrier: str, chosen: set[str], seed: int) -> None:
    judge, drawn = JUDGES[0], random.Random(seed)
    spelt = NAMES[name]
    for spelling in sorted(chosen, key=ORDER.index):
        spelt = SPELLINGS[spelling](spelt, drawn)
    text = carrier.format(spelt)
    assert name + 1 in _numbers(judge, text)
    assert judge.hits(text)
    assert index_words(text) & judge.anchor_words(entry(1, NAMES[name]))


PIECES = st.sampled_from(
    [
        *"atmqz3&+'’.-_@ /\\\n\u200b\u0301éÅ東京",
        "AT",
        "and",
        "T",
        "Mobile",
        "mobile",
        "Acme",
        "acme",
        "Inc",
        "com",
        "dot",
        "example",
        "Data",
        "Dog",
        "data",
        "Johnson",
        "\\u0041",
        "%26",
        "&amp;",
        "IBM",
        "go",
        "to",
        "x",
        "Corp",
        "7",
        "Eleven",
        "0015000000AbCdE",
        "电",
        "力",
        "東京",
        "電力",
        "bob@",
        "А",
        "\x00",
        "Müller",
        "Forever",
        "21",
        "s",
        "n",
        "`",
        "Global",
    ]
)


@settings(max_examples=700, deadline=None)
@given(st.lists(st.tuples(PIECES, st.sampled_from(["", "", " ", " "])), max_size=12))
def test_the_index_never_misses_and_hits_is_find(parts: list[tuple[str, str]]) -> None:
    text = "".join(piece + gap for piece, gap in parts)
    judge = JUDGES[1]
    found = judge.find(text)
    words = index_words(text)
    assert judge.hits(text) is bool(found)
    for hit in found:
        assert words & judge.anchor_words(hit.entry), (hit.entry.name, text)
        assert 0 <= hit.start < hit.end <= len(text)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_the_index_never_misses_a_name_made_of_pieces(data: st.DataObject) -> None:
    """Names and texts of the same short pieces, so that chance meetings are frequent."""
    piece = st.sampled_from(["a", "t", "at", "go", "q", "3", "m", "and", "&", "zeb", "Zeb", "zebras", "s", "x"])
    gaps = st.sampled_from(["", " ", " ", "-", "'"])
    spelt = st.lists(st.tuples(piece, gaps), min_size=1, max_size=6).map(lambda parts: "".join(map("".join, parts)))
    names = data.draw(st.lists(spelt, min_size=1, max_size=4))
    usable = []
    for name in names:
        try:
            usable.append(entry(len(usable) + 1, name))
        except Unusable:
            continue
    judge = Matcher(RestrictedList(tuple(usable)))
    text = data.draw(st.lists(spelt, min_size=1, max_size=4).map(" ".join))
    for sought in (text, *names):
        words = index_words(sought)
        for hit in judge.find(sought):
            assert words & judge.anchor_words(hit.entry), (hit.entry.name, sought)
        assert judge.hits(sought) is bool(judge.find(sought))
    for one in usable:
        assert judge.hits(one.name), one.name


@settings(max_examples=600, deadline=None)
@given(st.text(max_size=60))
def test_any_text_can_be_judged(text: str) -> None:
    for judge in JUDGES:
        assert judge.hits(text) is bool(judge.find(text))
    assert all(isinstance(token, str) and token for token in normalise(text))


@settings(max_examples=600, deadline=None)
@given(st.lists(st.tuples(PIECES, st.sampled_from(["", " "])), max_size=8))
def test_the_sieve_lets_no_anchor_through(parts: list[tuple[str, str]]) -> None:
    sieve, anchors = Sieve(JUDGES[1].words()), JUDGES[1].words()
    for view in views("".join(map("".join, parts))):
        if sieve.empty(view.shaped):
            assert anchors.isdisjoint(view.words())


def _sentences(files: list[Path]) -> list[str]:
    (path,) = [path for path in files if path.name.startswith("transcripts")]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        calls = [json.loads(line) for line in lines]
    return [sentence["text"] for call in calls for turn in call["transcript"] for sentence in turn["sentences"]]


def test_real_sentences_name_nobody_that_is_not_in_them(sample_files: list[Path]) -> None:
    sentences = _sentences(sample_files)
    assert len(sentences) > 3000
    everything = " ".join(sentences).lower()
    names = [
        "Zebrafish Rockets",
        "T-Mobile",
        "AT&T",
        "H&M",
        "GoTo",
        "Quokka Inc",
        "SAP SE",
        "7-Eleven",
        "X Corp",
        "Day Spa",
    ]
    assert not any(
        re.search(rf"\b{word}\b", everything) for word in ("zebrafish", "at&t", "quokka", "sap", "eleven corp")
    )
    judge = matcher(*names)
    assert [(text, hit) for text in sentences for hit in judge.find(text)] == []


def test_real_sentences_with_a_planted_name_are_found(sample_files: list[Path], planted: Matcher) -> None:
    drawn = random.Random(5)
    for sentence in drawn.sample(_sentences(sample_files), 300):
        name = drawn.randrange(len(NAMES))
        spelt = SPELLINGS[drawn.choice(ORDER)](NAMES[name], drawn)
        words = sentence.split(" ")
        words.insert(drawn.randrange(len(words) + 1), spelt)
        text = " ".join(words)
        assert name + 1 in _numbers(planted, text), text


def test_places_are_those_of_the_given_text(planted: Matcher) -> None:
    for text, shown in {
        "We met ＺＥＢＲＡＦＩＳＨ!": "ＺＥＢＲＡＦＩＳＨ",
        "We met \\u005aebrafish!": "\\u005aebrafish",
        "ﬀ Zebra\u0301fish\u0301 x": "Zebra\u0301fish\u0301",
        "a\u200bb Zebra\u200bfish.": "Zebra\u200bfish",
        "Q &amp; Z": "Q &amp; Z",
        "\\\\u005aebrafish": "\\\\u005aebrafish",
    }.items():
        assert shown in {text[hit.start : hit.end] for hit in planted.find(text)}


def test_normalise_gives_the_tokens() -> None:
    assert normalise("AT&T’s Ácme\\nInc. \\u0041") == ("at", "&", "t", "s", "acme", "inc", "a")


@pytest.mark.parametrize(
    "text",
    [
        "a " * 20_000,
        "a" * 40_000,
        "aA" * 20_000,
        "@" * 40_000,
        "\\u0041" * 8_000,
        "&" * 40_000,
        "at & " * 8_000,
        "a.@" * 10_000,
        "%41" * 10_000,
        "\u200b" * 20_000,
        "東" * 20_000,
        "Ж1" * 20_000,
        "example.com" * 4_000,
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_long_monotonous_texts_are_judged(text: str) -> None:
    """Nothing here may grow with the square of the length: it would take minutes."""
    judge = JUDGES[1]
    found = judge.find(text)
    assert judge.hits(text) is bool(found)
    words = index_words(text)
    assert all(words & judge.anchor_words(one) for one in {hit.entry for hit in found})
