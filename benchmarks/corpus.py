"""A deterministic corpus of any size: the bundled sample's real sentences, told anew as many calls.

Whole monologues of the sample are drawn at random, so that words occur as often, and beside each other,
as people say them. Proper names are replaced by invented ones of the new call: real cultures of calls
bring new names with every call, and an index over four thousand words for ever would be too kind.

Call N is made from N alone. So a smaller corpus is the beginning of a larger one, and the *probe*, one of
the first calls, is in all of them, with a word that is said nowhere else.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gzip
import json
import math
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec

from gongctl import sample
from gongmcp.store.unicode61 import words

CORPUS_VERSION: Final = 1
"""Raised whenever the same size would give other calls; names the folders that are reused."""

MEAN_SEGMENTS: Final = 370
_SPREAD: Final = 0.35  # of the logarithm of a call's length
MISSING_SHARE: Final = 0.15
"""Share of the calls that have no transcript."""

FIRST_DAY: Final = dt.date(2021, 1, 1)
DAYS: Final = 5 * 365
"""Calls are spread over five years: a month is a sixtieth."""

SCORECARD: Final = "4427356522223849518"
"""A scorecard of the sample, which a tenth of the calls were reviewed with."""

_NAMES_A_CALL: Final = 12
_PROBE_SAID: Final = 3  # how often the probe's word is said
_SYLLABLES: Final = [c + v for c in "bdfgklmnprstvzwj" for v in "aeio"]
_SCRAMBLE: Final = 0x9E3779  # odd: multiplying by it permutes the numbers below 2**24

_SYSTEMS: Final = ("Zoom", "Google Meet", "Microsoft Teams", "Webex", "Gong Connect")
_STAGES: Final = (
    "Prospecting", "Qualification", "Needs Analysis", "Demo & Business Case", "Proposal/Price Quote",
    "Negotiation/Review", "Contract Review", "Contract Signing", "Closed Won", "Closed Lost",
)  # fmt: skip
_DEAL_STAGES: Final = (
    "appointmentscheduled", "qualifiedtobuy", "presentationscheduled", "decisionmakerboughtin", "contractsent",
    "closedwon", "closedlost",
)  # fmt: skip
_INDUSTRIES: Final = (
    "Technology", "Healthcare", "Financial", "Industrial Goods", "Consumer Goods", "Services", "Utilities",
    "Basic Materials", "Conglomerate", "Media", "Education", "Logistics", "Public Sector", "Retail",
)  # fmt: skip
_DEAL_TYPES: Final = ("New Business", "Renewal", "Upsell", "Expansion", "Partner")
_JOBS: Final = ("CFO", "VP Operations", "Head of IT", "Procurement Manager", "Analyst", "Chief of Staff", None)
_PURPOSES: Final = ("Discovery", "Demo", "Negotiation", "Review", "Onboarding", None)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the sample: its text as pieces of JSON around the places of names, how long it takes."""

    pieces: tuple[str, ...]
    names: tuple[int, ...]  # one fewer than pieces: which of the call's names stands between
    milliseconds: int

    def json(self, names: Sequence[str]) -> str:
        """Return the text with the *names* of a call, as a JSON string."""
        if not self.names:
            return self.pieces[0]
        parts = [self.pieces[0]]
        for name, piece in zip(self.names, self.pieces[1:], strict=True):
            parts += (names[name], piece)
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Call:
    """One generated call: JSON lines for the call and, unless it is missing, for its transcript."""

    call_id: str
    day: dt.date
    line: str
    transcript: str | None
    segments: int
    answered_scorecard: str | None


@dataclass(frozen=True, slots=True)
class Probe:
    """A call that every corpus holds, for queries about one call, its day and its month."""

    call_id: str
    day: dt.date
    rare: str

    @property
    def month(self) -> tuple[str, str]:
        """First and last day of the month, ISO."""
        first = self.day.replace(day=1)
        last = (first + dt.timedelta(days=31)).replace(day=1) - dt.timedelta(days=1)
        return first.isoformat(), last.isoformat()


# --- words of the sample ---------------------------------------------------------------------------


@cache
def _sample_texts() -> list[list[tuple[str, int]]]:
    """Return (text, milliseconds) of the sentences of each monologue of the sample."""
    monologues = []
    for line in _lines("transcripts.jsonl.gz"):
        for monologue in json.loads(line)["transcript"]:
            monologues.append([(s["text"], s["end"] - s["start"]) for s in monologue["sentences"]])
    return monologues


def _lines(name: str) -> list[str]:
    return gzip.decompress((sample.directory() / name).read_bytes()).decode().splitlines()


@cache
def document_frequencies() -> tuple[Counter[str], int]:
    """Return in how many of the sample's sentences each word occurs, and how many sentences there are."""
    found: Counter[str] = Counter()
    total = 0
    for monologue in _sample_texts():
        for text, _ in monologue:
            total += 1
            found.update(set(words(text)))
    return found, total


def common_word() -> str:
    """Return the word that most sentences hold."""
    return document_frequencies()[0].most_common(1)[0][0]


def median_word() -> str:
    """Return a word that divides what is said in half: every second spoken word is at least as common.

    Short words, which are mostly parts of others ("don't"), are not taken.
    """
    found, _ = document_frequencies()
    spoken = sum(found.values())
    passed = 0
    for word, times in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        passed += times
        if passed * 2 >= spoken and len(word) >= 5 and word.isalpha():
            return word
    raise ValueError("the sample has no such word")


# --- sentences with places for names ---------------------------------------------------------------

_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b")


@cache
def _monologues() -> tuple[tuple[Sentence, ...], ...]:
    found, _ = document_frequencies()
    written = Counter(re.findall(r"\b[a-z]{4,}\b", " ".join(t for m in _sample_texts() for t, _ in m)))

    def is_name(word: str) -> bool:
        return not written[word.lower()] and found[word.lower()] <= 20

    return tuple(
        tuple(_sentence(text, milliseconds, is_name) for text, milliseconds in monologue)
        for monologue in _sample_texts()
        if monologue
    )


def _sentence(text: str, milliseconds: int, is_name: Any) -> Sentence:
    pieces: list[str] = []
    names: list[int] = []
    at = 0
    for match in _NAME.finditer(text):
        if is_name(match.group()):
            pieces.append(text[at : match.start()])
            names.append(zlib.crc32(match.group().encode()) % _NAMES_A_CALL)
            at = match.end()
    pieces.append(text[at:])
    quoted = [json.dumps(piece, ensure_ascii=False)[1:-1] for piece in pieces]
    quoted[0] = '"' + quoted[0]
    quoted[-1] += '"'
    return Sentence(tuple(quoted), tuple(names), milliseconds)


def invented_name(number: int) -> str:
    """Return a name of four syllables; no two numbers below 2**24 have the same."""
    scrambled = (number * _SCRAMBLE) & 0xFFFFFF
    return "".join(_SYLLABLES[(scrambled >> shift) & 63] for shift in (18, 12, 6, 0)).capitalize()


# --- calls -----------------------------------------------------------------------------------------


def call(number: int, at_most: int | None = None, *, edition: int = 0) -> Call:
    """Return call *number*, cut after *at_most* segments; another *edition* of it has another transcript."""
    rng = random.Random(f"call:{number}")
    names = [invented_name(number * _NAMES_A_CALL + name) for name in range(_NAMES_A_CALL)]
    call_id = str(rng.randrange(10**18, 9 * 10**18))
    day = FIRST_DAY + dt.timedelta(days=rng.randrange(DAYS))
    started = dt.datetime.combine(day, dt.time(rng.randrange(7, 19), rng.randrange(60), rng.randrange(60)), dt.UTC)
    speakers = [str(rng.randrange(10**18, 9 * 10**18)) for _ in range(rng.randrange(2, 7))]
    missing = rng.random() < MISSING_SHARE
    length = min(max(int(rng.lognormvariate(math.log(MEAN_SEGMENTS) - _SPREAD**2 / 2, _SPREAD)), 30), 2_000)
    if at_most is not None:
        length = min(length, at_most)
    milliseconds = length * 7_000
    transcript = None
    if not missing:
        transcript, milliseconds = _transcript(call_id, length, speakers, names, random.Random(f"{number}:{edition}"))
    payload = {
        "metaData": _meta(rng, call_id, started, milliseconds // 1000, names),
        "context": _context(rng, number),
        "parties": _parties(rng, speakers, names),
        "content": {"trackers": [], "topics": [{"name": "Pricing", "duration": 60}]},
    }
    scorecard = _answered(rng, call_id, started) if rng.random() < 0.1 else None
    line = msgspec.json.encode(payload).decode()
    return Call(call_id, day, line, transcript, 0 if missing else length, scorecard)


def _transcript(
    call_id: str, length: int, speakers: Sequence[str], names: Sequence[str], rng: random.Random
) -> tuple[str, int]:
    monologues = _monologues()
    parts: list[str] = []
    left, at = length, 500
    while left > 0:
        told = []
        for sentence in monologues[rng.randrange(len(monologues))][:left]:
            end = at + sentence.milliseconds
            told.append(f'{{"start":{at},"end":{end},"text":{sentence.json(names)}}}')
            at = end + 240
        left -= len(told)
        speaker = speakers[rng.randrange(len(speakers))]
        parts.append(f'{{"speakerId":"{speaker}","topic":null,"sentences":[{",".join(told)}]}}')
    return f'{{"callId":"{call_id}","transcript":[{",".join(parts)}]}}', at


def _meta(rng: random.Random, call_id: str, started: dt.datetime, seconds: int, names: Sequence[str]) -> dict[str, Any]:
    outbound = rng.random() < 0.2
    return {
        "id": call_id,
        "url": f"https://app.gong.example/call?id={call_id}",
        "title": f"{names[0]} {rng.choice(('weekly', 'kick-off', 'review', 'pricing', 'demo'))}",
        "scheduled": started.isoformat(),
        "started": started.isoformat(),
        "duration": seconds,
        "primaryUserId": str(10**18 + rng.randrange(40)),
        "direction": "Outbound" if outbound else "Conference",
        "system": "Gong Connect" if outbound else rng.choice(_SYSTEMS[:4]),
        "scope": "Internal" if rng.random() < 0.15 else "External",
        "media": "Video",
        "language": rng.choices(("eng", "deu", "fra"), (90, 6, 4))[0],
        "workspaceId": str(2 * 10**18 + rng.randrange(3)),
        "sdrDisposition": None,
        "clientUniqueId": None,
        "customData": None,
        "purpose": rng.choice(_PURPOSES),
        "meetingUrl": None,
        "isPrivate": False,
        "calendarEventId": f"{call_id}@calendar.example" if rng.random() < 0.7 else None,
    }


def _parties(rng: random.Random, speakers: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "id": str(rng.randrange(10**18, 9 * 10**18)),
            "emailAddress": f"{names[place + 1].lower()}@{'harbourline' if place == 0 else names[0].lower()}.example",
            "name": f"{names[place + 1]} {names[place + 2]}",
            "title": "Account Executive" if place == 0 else rng.choice(_JOBS),
            "userId": str(10**18 + rng.randrange(40)) if place == 0 else None,
            "speakerId": speaker,
            "context": [],
            "affiliation": "Internal" if place == 0 else "External",
            "phoneNumber": None,
            "methods": ["Invitee", "Attendee"],
        }
        for place, speaker in enumerate(speakers)
    ]


def _context(rng: random.Random, number: int) -> list[dict[str, Any]]:
    """Return the CRM context: mostly Salesforce, some HubSpot, sometimes none; older accounts have more calls."""
    kind = rng.random()
    account = rng.randrange(number // 6 + 1)
    about = random.Random(f"account:{account}")
    name, industry = invented_name(0xFFFFFF - account), about.choice(_INDUSTRIES)
    revenue = about.randrange(1, 900) * 1_000_000
    customer = about.random() < 0.5
    deals = 0 if rng.random() < 0.2 else 1 + (rng.random() < 0.1)
    if kind < 0.15:
        return []
    if kind < 0.85:
        objects = [
            _crm_object("Account", f"001{account:015d}", {
                "Name": name, "Industry": industry, "AnnualRevenue": revenue,
                "Website": f"https://www.{name.lower()}.example", "Type": "Customer" if customer else "Prospect",
                "BillingCountry": about.choice(("US", "DE", "FR", None)),
            })
        ]  # fmt: skip
        for deal in range(deals):
            stage = rng.choice(_STAGES)
            objects.append(_crm_object("Opportunity", f"006{account:012d}{deal:03d}", {
                "Name": f"{name} {deal + 1}", "StageName": stage, "Amount": rng.randrange(1, 500) * 1_000,
                "CloseDate": f"2026-{rng.randrange(1, 13):02d}-15", "Type": rng.choice(_DEAL_TYPES),
                "ForecastCategoryName": "Closed" if stage.startswith("Closed") else rng.choice(("Pipeline", "Commit")),
                "Probability": rng.randrange(0, 101, 10), "LeadSource": rng.choice(("Web", "Referral", "Event", None)),
            }))  # fmt: skip
        return [{"system": "Salesforce", "objects": objects}]
    objects = [
        _crm_object("Company", str(7 * 10**9 + account), {
            "name": name, "industry": industry, "annualrevenue": str(revenue),
            "lifecyclestage": "customer" if customer else "lead",
        })
    ]  # fmt: skip
    for deal in range(deals):
        objects.append(_crm_object("Deal", str(8 * 10**9 + account * 8 + deal), {
            "dealname": f"{name} {deal + 1}", "dealstage": rng.choice(_DEAL_STAGES),
            "amount": str(rng.randrange(1, 500) * 1_000), "closedate": "2026-06-30T00:00:00Z",
            "dealtype": rng.choice(("newbusiness", "existingbusiness")), "hs_analytics_source": "DIRECT_TRAFFIC",
        }))  # fmt: skip
    return [{"system": "HubSpot", "objects": objects}]


def _crm_object(object_type: str, object_id: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "objectType": object_type,
        "objectId": object_id,
        "fields": [{"name": name, "value": value} for name, value in fields.items()],
        "timing": "Now",
    }


def _answered(rng: random.Random, call_id: str, started: dt.datetime) -> str:
    payload = {
        "answeredScorecardId": rng.randrange(10**18, 9 * 10**18),
        "scorecardId": SCORECARD,
        "scorecardName": "Discovery quality",
        "callId": call_id,
        "callStartTime": started.isoformat(),
        "reviewedUserId": str(10**18 + rng.randrange(40)),
        "reviewerUserId": str(10**18 + rng.randrange(40)),
        "reviewMethod": rng.choice(("MANUAL", "AUTOMATIC")),
        "editorUserId": None,
        "reviewTime": (started + dt.timedelta(days=3)).isoformat(),
        "visibilityType": "PUBLIC",
        "answers": [
            {
                "questionId": "6087399652090734377",
                "questionRevisionId": "1567603653313716357",
                "isOverall": True,
                "score": rng.randrange(1, 6),
                "answerText": None,
                "notApplicable": False,
                "selectedOptions": None,
            }
        ],
    }
    return msgspec.json.encode(payload).decode()


def calls(segments: int) -> Iterator[Call]:
    """Yield calls until they have exactly *segments* segments."""
    left = segments
    for number in count():
        made = call(number, left)
        yield made
        left -= made.segments
        if not left:
            return


@cache
def probe() -> Probe:
    """Return the first call with a name that is said three times in it and therefore nowhere else."""
    for number in count():
        made = call(number)
        said = Counter(words(made.transcript or ""))
        for name in range(_NAMES_A_CALL):
            word = invented_name(number * _NAMES_A_CALL + name).lower()
            if said[word] == _PROBE_SAID:
                return Probe(made.call_id, made.day, word)
    raise AssertionError("unreachable: count() does not end")


# --- files -----------------------------------------------------------------------------------------

_SETTINGS: Final = (
    "users.json.gz",
    "workspaces.json.gz",
    "settings.trackers.json.gz",
    "settings.scorecards.json.gz",
    "crm_integrations.json.gz",
    "crm_schema.json.gz",
)


def write(folder: Path, segments: int) -> Path:
    """Write a corpus of *segments* segments as JSON lines into *folder*, with the sample's settings; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _SETTINGS:
        (folder / name).write_bytes((sample.directory() / name).read_bytes())
    with (
        (folder / "calls.extensive.jsonl").open("w", encoding="utf-8") as call_file,
        (folder / "transcripts.jsonl").open("w", encoding="utf-8") as transcript_file,
        (folder / "scorecard_activity.jsonl").open("w", encoding="utf-8") as scorecard_file,
    ):
        for made in calls(segments):
            call_file.write(made.line + "\n")
            if made.transcript is not None:
                transcript_file.write(made.transcript + "\n")
            if made.answered_scorecard is not None:
                scorecard_file.write(made.answered_scorecard + "\n")
    return folder


def main() -> None:
    """Write a corpus into a folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--segments", type=int, default=1_000_000)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.segments)
    print(f"{arguments.segments:,} segments in {arguments.folder}; words: {common_word()}, {median_word()}, {probe()}")


if __name__ == "__main__":
    main()
