"""A small cache in which restricted customers stand in every kind of place, and the list that names them."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from gongctl.cache.upsert import import_records
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Kind, Place
from gongmcp.governance.restricted import RestrictedList, read_restricted_list
from gongmcp.governance.scope import Scope
from gongmcp.store.model import ModelRules

SECRET = bytes(range(32))

LIST = """\
# the private list
version: 1
lists:
  no_ai:
    description: Customers that opted out
    customers:
      - name: Zebrafish Corporation   # since spring
        aliases: [Zebra Rockets]
        domains: [zebrafish.example]
        reason: clause 12
      # asked twice
      - name: 'Quokka'
  notification_required:
    customers:
      - name: Numbat & Sons
"""
SPELLINGS = (
    *(
        "zebrafish",
        "zebra rockets",
        "zebra-rockets",
        "zebrarockets",
        "zebrafish.example",
        "ＺＥＢＲＡＦＩＳＨ",
        "zebrafish's",
    ),
    *("quokka", "Quokkas", "QUOKKA", "numbat", "numbat and sons", "Numbat & Sons"),
)
"""How the texts below spell the names; compared without case."""

BY_LIST = {"2", "3", "4", "5", "6", "8", "10", "12", "13"}
"""Calls that name a customer of the list."""
PRIVATE = {"7", "8"}
GERMAN = {"9"}
STAYING = {"1", "9", "11"}
"""Calls that are served under the list and the default scope."""


def call(
    number: str, *, title: str = "Weekly call", text: str = "We talked about the price.", **parts: Any
) -> list[tuple[Kind, dict[str, Any]]]:
    """Return a call and its transcript. *parts* are keys of the call; those of ``meta`` go into metaData."""
    meta = {
        "id": number,
        "title": title,
        "started": f"2026-03-{int(number):02d}T10:00:00Z",
        "duration": 600,
        "language": "eng",
        "scope": "External",
        **parts.pop("meta", {}),
    }
    party = {"id": f"p{number}", "name": "Robin Example", "emailAddress": "robin@example.org", "speakerId": "5"}
    said = [{"start": n * 10, "end": n * 10 + 9, "text": part} for n, part in enumerate(text.split("|"))]
    return [
        ("call", {"metaData": meta, "parties": [party], **parts}),
        ("transcript", {"callId": number, "transcript": [{"speakerId": "5", "sentences": said}]}),
    ]


def account(name: str, **fields: str) -> dict[str, Any]:
    """Return the context of a call with one account."""
    values = {"Name": name, **fields}
    listed = [{"name": key, "value": value} for key, value in values.items()]
    return {"system": "Salesforce", "objects": [{"objectType": "Account", "objectId": "1", "fields": listed}]}


SCHEMA: dict[str, Any] = {
    "requestId": "r",
    "integrationId": "i1",
    "objectTypeToSelectedFields": {
        "ACCOUNT": [{"uniqueName": "Tier__c", "label": "Tier"}],
        "DEAL": [{"uniqueName": "Q__c", "label": "Quokka tier"}],
    },
}

RECORDS: list[tuple[Kind, dict[str, Any]]] = [
    *call("1", text="Our account with Globex is fine. | Write to kim@example.com please."),
    *call("2", title="Review with ＺＥＢＲＡＦＩＳＨ"),
    *call(
        "3",
        parties=[{"id": "p", "name": "Lou Example", "emailAddress": "lou@mail.zebrafish.example", "speakerId": "5"}],
    ),
    *call("4", context=[account("Zebra-Rockets Ltd")]),
    *call("5", text="That is the plan of Zebra|Rockets and of nobody else, said Quokka's head of sales, Quokka."),
    *call("6", content={"brief": "The team met QUOKKA. Quokkas and ZebraRockets, all of them."}),
    *call("7", text="A private word about the weather.", meta={"isPrivate": True}),
    *call("8", text="A private word about quokka.", meta={"isPrivate": True}),
    *call("9", text="Wir sprachen mit Initech.", meta={"language": "deu"}),
    *call("10"),
    *call("11", context=[account("Initech", Phone="+1 202 555 0143", Note="call 202-555-0143 or ann@example.com")]),
    *call("12", context=[{"objects": [{"objectType": "Account", "objectId": "2", "fields": {"Numbat & Sons": "x"}}]}]),
    *call("13", customData={"why": "numbat and sons"}),
    (
        "answered_scorecard",
        {
            "answeredScorecardId": "a1",
            "callId": "10",
            "scorecardId": "s1",
            "scorecardName": "Review",
            "answers": [{"questionId": "q", "answerText": "zebrafish's plan"}],
        },
    ),
    ("answered_scorecard", {"answeredScorecardId": "a2", "callId": "1", "scorecardId": "s1", "answers": []}),
    ("answered_scorecard", {"answeredScorecardId": "a3", "callId": "99", "scorecardId": "s1", "answers": []}),
    ("transcript", {"callId": "98", "transcript": [{"sentences": [{"start": 0, "end": 1, "text": "Quokka waits"}]}]}),
    ("user", {"id": "u1", "firstName": "Kim", "lastName": "Example", "emailAddress": "kim@example.com"}),
    ("user", {"id": "u2", "firstName": "Dana", "lastName": "Quokka", "emailAddress": "dana@example.com"}),
    ("user", {"id": "u3", "firstName": "Sam", "lastName": "Example", "emailAddress": "sam@zebrafish.example"}),
    ("workspace", {"id": "w1", "name": "Everything"}),
    ("workspace", {"id": "w2", "name": "Numbat and Sons desk"}),
    ("tracker", {"trackerId": "t1", "trackerName": "Price"}),
    ("tracker", {"trackerId": "t2", "trackerName": "Rivals", "phrases": ["Zebra Rockets"]}),
    ("scorecard", {"scorecardId": "s1", "scorecardName": "Review", "questions": []}),
    ("scorecard", {"scorecardId": "s2", "scorecardName": "Quokka review", "questions": []}),
    ("crm_schema", SCHEMA),
]


def records() -> Iterator[Any]:
    """Yield every record as an import gives it."""
    for kind, value in msgspec.json.decode(msgspec.json.encode(RECORDS)):
        yield from records_of(kind, value, Place("test"))


def write_list(path: Path, text: str = LIST) -> Path:
    """Write the restricted list to *path*."""
    path.write_text(text, encoding="utf-8")
    return path


def listed(tmp_path: Path, text: str = LIST) -> RestrictedList:
    """Return the restricted list of *text*."""
    return read_restricted_list(write_list(tmp_path / "read.yaml", text))


def rules_with(restricted: RestrictedList | None, scope: Scope | None = None) -> ModelRules:
    """Return the rules of a server with that list and scope."""
    rules = ModelRules(restricted="" if restricted is None else restricted.digest)
    return rules if scope is None else replace(rules, scope=scope)


def build(path: Path, restricted: RestrictedList | None = None, scope: Scope | None = None) -> Path:
    """Make the cache at *path* and warm it."""
    with CacheWriter.open(path, create=True, secret=SECRET) as writer:
        import_records(writer, records())
        assert warm(writer, rules=rules_with(restricted, scope), restricted=restricted).finished
    return path


def rewarm(path: Path, restricted: RestrictedList | None, scope: Scope | None = None) -> None:
    """Warm the cache at *path* by that list and scope."""
    with CacheWriter.open(path) as writer:
        assert warm(writer, rules=rules_with(restricted, scope), restricted=restricted).finished


def served(path: Path) -> set[str]:
    """Return the ids of the calls that are served."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return {call_id for (call_id,) in connection.execute("SELECT call_id FROM call_facts")}


def spelt_in(path: Path, spellings: Sequence[str] = SPELLINGS) -> set[str]:
    """Return which of *spellings* stand anywhere in the bytes of a cache file, compressed payloads included."""
    haystack = path.read_bytes().decode("utf-8", "replace").casefold()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                haystack += "\n".join(_text(value) for value in row).casefold()
    return {spelling for spelling in spellings if spelling.casefold() in haystack}


def _text(value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    try:
        return zlib.decompress(value).decode("utf-8", "replace")
    except zlib.error:
        return value.decode("utf-8", "replace")


def count_of(rows: Sequence[Mapping[str, Any]], **wanted: str) -> int:
    """Return the ``calls`` or ``count`` of the one row that has these values."""
    (row,) = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return int(row.get("calls", row.get("count", -1)))
