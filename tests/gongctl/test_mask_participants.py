"""``--mask-participants``: the names of a call's own parties are gone from what was said and written of it."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl import sample
from gongctl.cache.derive import ServingCall, derive
from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths
from gongmcp.exposure.detect.fold import fold
from gongmcp.exposure.masking import mask
from gongmcp.exposure.participants import Participants
from gongmcp.exposure.text import CONTROL, Span, apply_spans, parse_spans, restore
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from gongmcp.store.model import ModelRules

SECRET = bytes(range(32))
IMPORTED = "2026-01-01T00:00:00Z"


def party(name: str, address: str = "", title: str = "") -> dict[str, Any]:
    return {"name": name, "emailAddress": address, "title": title}


PARTIES = [
    party("Zoë Marchetti", "zoe.marchetti@initech.example", "Analyst, Globex Capital"),
    party("Will Grant", "wgrant@initech.example"),
    party("Steven O'Rourke", "s.orourke@example.com"),
    party("Steven Park-Lindqvist", "lindqvist@example.com"),
    party("Dr. Jan van der Kamp", "j.kamp@example.org"),
    party("May Price", "may@example.org"),
    party("Tobias Initech", "sales@initech.example"),
    party("Speaker 12", ""),
]


def masked(text: str, parties: list[dict[str, Any]] | None = None, accounts: tuple[str, ...] = ()) -> str:
    people = Participants.of(PARTIES if parties is None else parties, accounts)
    assert people is not None
    sentences = text.split("\n")
    spans = people.add(sentences, None) or [[] for _ in sentences]
    return "\n".join(apply_spans(one, found).value for one, found in zip(sentences, spans, strict=True))


@pytest.mark.parametrize(
    ("said", "left"),
    [
        # Full, first, last, any case, folded.
        ("This is Zoë Marchetti speaking.", "This is {redacted:person-1} speaking."),
        ("this is zoe marchetti speaking", "this is {redacted:person-1} speaking"),
        ("MARCHETTI, ZOË", "{redacted:person-1}"),
        ("Thanks Zoe.", "Thanks {redacted:person-1}."),
        ("Ask Marchetti about it", "Ask {redacted:person-1} about it"),
        ("Zoe\u0308 agreed", "{redacted:person-1} agreed"),
        # Possessives and other endings.
        ("Zoe's plan and Marchettis plan", "{redacted:person-1}'s plan and {redacted:person-1} plan"),
        ("Marchetti\u2019s plan", "{redacted:person-1}\u2019s plan"),
        ("Zoe'll do it", "{redacted:person-1}'ll do it"),
        # Initials, particles, pieces.
        ("It was Z. Marchetti who wrote", "It was {redacted:person-1} who wrote"),
        ("It was J. Marchetti who wrote", "It was J. {redacted:person-1} who wrote"),
        ("Jan van der Kamp and Kamp, Jan", "{redacted:person-5} and {redacted:person-5}"),
        (
            "Steven O'Rourke and Steve ORourke and o rourke",
            "{redacted:person-3} and {redacted:person-3} and {redacted:person-3}",
        ),
        ("Ms. Park-Lindqvist or Lindqvist", "Ms. {redacted:person-4} or {redacted:person-4}"),
        # A name of two parties has no number.
        ("Steven, please", "{redacted:person}, please"),
        ("Steven Lindqvist, please", "{redacted:person-4}, please"),
        # Local parts.
        ("write to zoe.marchetti there", "write to {redacted:person-1} there"),
        ("the login is wgrant", "the login is {redacted:person-2}"),
        # Over a sentence end.
        ("I am Zoe\nMarchetti from here", "I am {redacted:person-1}\n{redacted:person-1} from here"),
        # Ordinary words.
        ("we will grant that in May at any price", "we will grant that in May at any price"),
        ("Will you? Grant it. May I? Price it.", "Will you? Grant it. May I? Price it."),
        ("thanks to Will and to Price there", "thanks to {redacted:person-2} and to {redacted:person-6} there"),
        ("Will, you wanted to add", "{redacted:person-2}, you wanted to add"),
        ("will grant asked, Will Grant asked", "will grant asked, {redacted:person-2} asked"),
        ("Mr. Grant and mr grant", "Mr. {redacted:person-2} and mr {redacted:person-2}"),
        ("I met May there; it was May 5 and then", "I met {redacted:person-6} there; it was May 5 and then"),
        # Not names at all.
        ("the speaker said sales are up", "the speaker said sales are up"),
        ("the kampong and zoetrope", "the kampong and zoetrope"),
    ],
)
def test_what_is_a_name(said: str, left: str) -> None:
    assert masked(said) == left


@pytest.mark.parametrize(
    ("name", "said", "left"),
    [
        ("Robert Lund", "Bob said so, and Bobby Lund agreed", "{1} said so, and {1} agreed"),
        ("Bob Lund", "Robert Lund is here, thanks Robert", "{1} is here, thanks {1}"),
        ("William Lund", "thanks Bill, the bill is paid", "thanks {1}, the bill is paid"),
        ("William Lund", "bill them. Bill it. Billy, hello", "bill them. Bill it. {1}, hello"),
        ("Robert Lund", "do not rob anybody, they rob us", "do not rob anybody, they rob us"),
        ("Richard Lund", "a rich man, Rich said, is enriched", "a rich man, {1} said, is enriched"),
        ("Patrick Lund", "a pat on the back from Pat", "a pat on the back from {1}"),
        ("Edward Lund", "with Ed and Ted: ed. ted talks", "with {1} and {1}: ed. ted talks"),
        ("Jörg Müller", "Joerg Mueller or Jorg Muller, or joerg", "{1} or {1}, or {1}"),
        ("Anna Mueller", "Frau Müller and Anna Müller, muller", "Frau {1} and {1}, {1}"),
        ("Søren Weiß", "Soeren Weiss and Soren", "{1} and {1}"),
        ("Sue Poe", "su casa, in the po valley", "su casa, in the po valley"),
        ("Susan Lund", "so Sue will sue them", "so {1} will sue them"),
        ("Steve Lund", "so Steven's at Stevens", "so {1}'s at Stevens"),
        ("Nobody Special", "Bob, Rob and Mueller", "Bob, Rob and Mueller"),
    ],
)
def test_short_forms_and_other_spellings(name: str, said: str, left: str) -> None:
    assert masked(said, [party(name)]) == left.replace("{1}", "{redacted:person-1}")


def test_the_table_of_short_forms_is_folded_and_without_doubles() -> None:
    text = (files("gongmcp.data") / "nicknames.toml").read_text(encoding="utf-8")
    names = tomllib.loads(text)["nicknames"]
    assert list(names) == sorted(names)
    for name, short in names.items():
        assert {fold(item) for item in (name, *short)} == {name, *short}
        assert len(set(short)) == len(short)
        assert name not in short


def test_companies_are_not_touched() -> None:
    assert masked("Initech and Globex Capital") == "Initech and Globex Capital"
    assert masked("Tobias Initech of Initech") == "{redacted:person-7} of Initech"
    parties = [party("Ana Fargo"), party("Ben Lund", "", "Analyst, Fargo Wells")]
    assert masked("Fargo of Fargo Wells", parties) == "{redacted:person-1} of Fargo Wells"
    assert masked("Ana Fargo at Fargo Partners", parties, ("Fargo Partners Inc",)) == (
        "{redacted:person-1} at Fargo Partners"
    )


def test_scripts_without_blanks_and_names_that_are_addresses() -> None:
    assert masked("今天王伟说了", [party("王伟")]) == "今天{redacted:person-1}说了"
    assert masked("ask marchetti", [party("z.marchetti@example.com")]) == "ask {redacted:person-1}"
    assert Participants.of([party("Speaker 3"), party("", "info@example.com")]) is None
    assert Participants.of(None) is None


def test_don_is_not_in_dont() -> None:
    parties = [party("Don Example")]
    assert masked("I don't, I don\u2019t, ask Don's team or Don", parties) == (
        "I don't, I don\u2019t, ask {redacted:person-1}'s team or {redacted:person-1}"
    )


# --- spans --------------------------------------------------------------------------------------------


def test_what_is_masked_as_something_else_stays_so_and_unseen_characters_go_with_a_name() -> None:
    raw = "Write to zoe.marchetti@example.com or ask Zo\u200be Marchetti\u200b now"
    people = Participants.of(PARTIES)
    assert people is not None
    text = people.add_to(raw, mask(raw))
    assert text.value == "Write to {redacted:email} or ask {redacted:person-1} now"
    values = [raw[span.start : span.start + span.length] for span in text.spans]
    assert restore(text.value, text.spans, values) == raw


WORDS = st.sampled_from(
    [
        "Zoe",
        "Marchetti",
        "Will",
        "grant",
        "may",
        "Steven",
        "O'Rourke",
        "said",
        "zoe@example.com",
        "z\u200bz",
        "J.",
        "ok.",
    ]
)


@given(st.lists(st.lists(WORDS, max_size=9).map(" ".join), min_size=1, max_size=4))
@settings(max_examples=200)
def test_spans_are_in_order_inside_and_put_back(sentences: list[str]) -> None:
    from gongmcp.exposure.masking import find_spans

    people = Participants.of(PARTIES)
    assert people is not None
    spans = people.add(sentences, find_spans(sentences)) or [[] for _ in sentences]
    assert len(spans) == len(sentences)
    for sentence, found in zip(sentences, spans, strict=True):
        at = 0
        for span in found:
            assert span.start >= at
            assert span.length > 0
            at = span.start + span.length
        assert at <= len(sentence)
        text = apply_spans(sentence, found)
        assert restore(text.value, found, [sentence[s.start : s.start + s.length] for s in found]) == sentence
        assert "marchetti" not in re.sub(r"\{redacted:[^}]*\}", "", text.value).lower()


# --- one call -----------------------------------------------------------------------------------------


def a_call() -> tuple[dict[str, Any], dict[str, Any]]:
    call = {
        "metaData": {"id": "1", "title": "Zoe Marchetti and Will: renewal", "started": "2026-01-05T10:00:00Z"},
        "parties": PARTIES,
        "context": [
            {
                "objects": [
                    {
                        "objectType": "Account",
                        "objectId": "a",
                        "fields": [{"name": "Name", "value": "Marchetti Foods Inc"}],
                    },
                    {
                        "objectType": "Opportunity",
                        "objectId": "o",
                        "fields": [
                            {"name": "NextStep", "value": "call Zoe back"},
                            {"name": "Amount", "value": 12},
                            {"name": "Why", "value": "they will grant it in May"},
                        ],
                    },
                    {
                        "objectType": "Contact",
                        "objectId": "c",
                        "fields": [{"name": "FirstName", "value": "will"}, {"name": "LastName", "value": "Grant"}],
                    },
                ]
            }
        ],
    }
    said = [{"speakerId": "5", "sentences": [{"start": 0, "end": 9, "text": "Zoe, meet O'Rourke of Marchetti Foods."}]}]
    return call, {"callId": "1", "transcript": said}


def texts_of(served: ServingCall) -> list[str]:
    values = [value for item in served.objects for _, value, _ in item.values]
    return [
        str(served.facts["title"]),
        *(row[4] for row in served.segments),
        *(o.name for o in served.objects),
        *values,
    ]


def test_title_transcript_and_values_of_the_call() -> None:
    call, transcript = a_call()
    served = derive(call, transcript, SECRET, IMPORTED, mask_participants=True)
    assert served.facts["title"] == "{redacted:person-1} and {redacted:person-2}: renewal"
    assert served.segments[0][4] == "{redacted:person-1}, meet {redacted:person-3} of Marchetti Foods."
    account, deal, contact = served.objects
    assert account.name == "Marchetti Foods Inc", "a company's name is not touched"
    assert {name: value for name, value, _ in deal.values} == {
        "NextStep": "call {redacted:person-1} back",
        "Amount": "12",
        "Why": "they will grant it in May",
    }
    assert {name: value for name, value, _ in contact.values} == dict.fromkeys(
        ("FirstName", "LastName"), "{redacted:person-2}"
    )
    assert contact.name == "{redacted:person-2}"
    plain = derive(call, transcript, SECRET, IMPORTED)
    assert "Zoe Marchetti" in str(plain.facts["title"]), "control: off by default"
    assert not [text for text in texts_of(plain) if "{redacted:person" in text]
    changed = {"title", "title_spans", "text_chars"}
    for name, value in plain.facts.items():
        assert name in changed or served.facts[name] == value


def test_a_value_that_is_a_list_or_an_object_is_text_too() -> None:
    fields = [
        {"name": "Team__c", "value": ["Zoe Marchetti", "zoe@example.com"]},
        {"name": "More__c", "value": {"who": "Zoe", "\ud800": None}},
        {"name": "Number__c", "value": 2025550187},
    ]
    call = {"metaData": {"id": "1"}, "parties": PARTIES, "context": [{"objectType": "Deal", "fields": fields}]}
    (deal,) = derive(call, None, SECRET, IMPORTED, mask_participants=True).objects
    assert {name: value for name, value, _ in deal.values} == {
        "Team__c": '["{redacted:person-1}","{redacted:email}"]',
        "More__c": '{"who":"{redacted:person-1}","":null}',
        "Number__c": "2025550187",
    }
    (deal,) = derive(call, None, SECRET, IMPORTED).objects
    assert "Zoe Marchetti" in deal.values[0][1], "control"
    assert "zoe@example.com" not in deal.values[0][1]


# --- the sample ---------------------------------------------------------------------------------------

HONORIFICS = frozenset({"mr", "mrs", "ms", "dr", "speaker", "operator"})


def plain(text: str) -> str:
    folded = (part for part in unicodedata.normalize("NFD", text) if not unicodedata.combining(part))
    return "".join(folded)


def names_of(call: dict[str, Any]) -> set[str]:
    """Full, first and last names, and parts of local parts, as a reader would list them."""
    found: set[str] = set()
    for one in call["parties"]:
        words = [word for word in plain(one.get("name") or "").split() if word.lower().strip(".") not in HONORIFICS]
        words = [word for word in words if len(word) > 1 and word.isascii() and not word.isdigit()]
        if words:
            found |= {" ".join(words), words[0], words[-1]}
        local = (one.get("emailAddress") or "").partition("@")[0]
        found |= {part.capitalize() for part in re.split(r"[._-]", local) if len(part) > 2}
    return found


def companies_of(call: dict[str, Any]) -> list[str]:
    """Account names, and the companies in job titles, without the last word that says what kind of company it is."""
    found = [one["title"].rpartition(", ")[2] for one in call["parties"] if ", " in (one.get("title") or "")]
    for context in call.get("context", ()):
        for item in context["objects"]:
            if item["objectType"] in ("Account", "Company"):
                for field in item["fields"]:
                    if field["name"] in ("Name", "name"):
                        found += [
                            field["value"],
                            re.sub(r",? (Inc|Company|Corp|Corporation|Co)\.?$", "", field["value"]),
                        ]
    return [name for name in found if name]


def lines(name: str) -> list[dict[str, Any]]:
    (path,) = [path for path in sample.files() if path.name == name]
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def occurrences(text: str, names: set[str], companies: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield (name, start, end) of each name with its capitals in *text*, but not inside a company's name."""
    read = plain(text)
    if len(read) != len(text):
        return
    taken = [match.span() for name in companies for match in re.finditer(re.escape(name), read)]
    for name in names:
        for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", read):
            if not any(start <= match.start() and match.end() <= end for start, end in taken):
                yield name, *match.span()


def test_recall_on_the_bundled_sample() -> None:
    transcripts = {item["callId"]: item for item in lines("transcripts.jsonl.gz")}
    found, missed = 0, Counter[str]()
    for call in lines("calls.extensive.jsonl.gz"):
        transcript = transcripts.get(call["metaData"]["id"])
        if transcript is None:
            continue
        served = derive(call, transcript, SECRET, IMPORTED, mask_participants=True)
        names, companies = names_of(call), companies_of(call)
        sentences = [s["text"] for monologue in transcript["transcript"] for s in monologue["sentences"]]
        for sentence, row in zip(sentences, served.segments, strict=True):
            spans = parse_spans(row[5])
            for name, start, end in occurrences(sentence, names, companies):
                if covered(spans, start, end):
                    found += 1
                else:
                    missed[name] += 1
    total = found + missed.total()
    assert total > 300, "the oracle looks in the wrong place"
    assert found / total >= 0.97, (found, total, missed.most_common(20))


def test_control_without_the_switch_nothing_of_it_is_masked() -> None:
    transcripts = {item["callId"]: item for item in lines("transcripts.jsonl.gz")}
    for call in lines("calls.extensive.jsonl.gz"):
        served = derive(call, transcripts.get(call["metaData"]["id"]), SECRET, IMPORTED)
        assert not [row for row in served.segments if row[5] and "person" in row[5]]


def covered(spans: tuple[Span, ...], start: int, end: int) -> bool:
    return any(span.start <= start and end <= span.start + span.length for span in spans if span.kind != CONTROL)


# --- through the whole way ----------------------------------------------------------------------------


def served_sample(folder: Path, *, masked: bool) -> Path:
    path = folder / f"{masked}.db"
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        import_records(writer, read_paths(sample.files()))
        warm(writer, rules=ModelRules(mask_participants=masked))
    return path


def test_what_is_masked_cannot_be_searched_and_is_in_the_ledger(tmp_path: Path) -> None:
    def hits(masked: bool, query: str) -> tuple[list[str], list[Any]]:
        flags = {"mask_participants": "yes"} if masked else {}
        handler = build_handler(ServerSettings.resolve(flags, {}), served_sample_once(masked))
        outcome = handler.call("search_transcript_segments", {"query": query, "limit": 20})
        assert outcome.answer.structured is not None, outcome.answer.text
        return [row["snippet"] for row in outcome.answer.structured["results"]], outcome.ledger.entries

    made: dict[bool, Path] = {}

    def served_sample_once(masked: bool) -> Path:
        if masked not in made:
            made[masked] = served_sample(tmp_path, masked=masked)
        return made[masked]

    for query in ("Humphreys", "Humph*", '"Steve Humphreys"', '"Sandra Wallet"'):
        assert hits(False, query)[0], "control"
        assert hits(True, query)[0] == []
    shown, entries = hits(True, "redacted")
    marks = re.findall(r"\{redacted:(person(?:-\d+)?)\}", " ".join(shown))
    assert marks
    told = [entry for entry in entries if entry.rule == "mask.person"]
    assert Counter(entry.kind for entry in told) == Counter(marks)
    connection = sqlite3.connect(made[True])
    index = connection.execute("SELECT count(*) FROM segments WHERE text LIKE '%Humphreys%'").fetchone()
    connection.close()
    assert index == (0,)
