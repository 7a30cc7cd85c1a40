"""What the fake Gong holds: records as the real API delivers them, read from files or made up."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SCHEMA_TYPES = ("ACCOUNT", "CONTACT", "DEAL", "LEAD")


@dataclass
class Company:
    """One customer of Gong. *appears* and *transcribed* say from when on a call, or its transcript, is there."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    transcripts: dict[str, dict[str, Any]] = field(default_factory=dict)
    users: list[dict[str, Any]] = field(default_factory=list)
    workspaces: list[dict[str, Any]] = field(default_factory=list)
    trackers: list[dict[str, Any]] = field(default_factory=list)
    scorecards: list[dict[str, Any]] = field(default_factory=list)
    answered: list[dict[str, Any]] = field(default_factory=list)
    integrations: list[dict[str, Any]] = field(default_factory=list)
    crm_schema: dict[str, Any] = field(default_factory=dict)
    appears: dict[str, datetime] = field(default_factory=dict)
    transcribed: dict[str, datetime] = field(default_factory=dict)

    def sort(self) -> None:
        """Put the calls in the order in which the API lists them."""
        self.calls.sort(key=started)


def started(call: dict[str, Any]) -> datetime:
    """Return when *call* began."""
    return datetime.fromisoformat(call["metaData"]["started"])


def call_id(call: dict[str, Any]) -> str:
    """Return the id of *call* as text."""
    return str(call["metaData"]["id"])


def read_company(folder: Path) -> Company:
    """Read a folder of answers of Gong's API, such as the bundled sample."""

    def value(name: str) -> Any:
        return json.loads(b"".join(_bytes(folder, name)))

    def lines(name: str) -> Iterator[dict[str, Any]]:
        for line in b"".join(_bytes(folder, name)).splitlines():
            if line.strip():
                yield json.loads(line)

    company = Company(
        calls=list(lines("calls.extensive.jsonl")),
        transcripts={item["callId"]: item for item in lines("transcripts.jsonl")},
        users=value("users.json")["users"],
        workspaces=value("workspaces.json")["workspaces"],
        trackers=value("settings.trackers.json")["keywordTrackers"],
        scorecards=value("settings.scorecards.json")["scorecards"],
        answered=value("scorecard_activity.json")["answeredScorecards"],
        integrations=value("crm_integrations.json")["integrations"],
        crm_schema=value("crm_schema.json")["objectTypeToSelectedFields"],
    )
    company.sort()
    return company


def _bytes(folder: Path, name: str) -> Iterable[bytes]:
    plain = folder / name
    yield plain.read_bytes() if plain.exists() else gzip.decompress((folder / f"{name}.gz").read_bytes())


def made_up(count: int, *, first: datetime = datetime(2026, 1, 1, tzinfo=UTC), days: float = 365.0) -> Company:
    """Return a company with *count* short calls, spread evenly over *days* from *first*."""
    company = Company()
    for number in range(count):
        identity = str(7_000_000_000_000_000_000 + number * 7_919)
        begun = first + timedelta(days=days) * (number / max(count, 1))
        company.calls.append(made_up_call(identity, begun))
        company.transcripts[identity] = made_up_transcript(identity)
    return company


def made_up_call(identity: str, begun: datetime, **more: Any) -> dict[str, Any]:
    """Return one call in the shape of the API; *more* goes into its metaData."""
    meta = {
        "id": identity,
        "title": f"Call {identity}",
        "started": begun.isoformat().replace("+00:00", "Z"),
        "duration": 1800,
        "primaryUserId": "101",
        "direction": "Conference",
        "scope": "External",
        "isPrivate": False,
        "workspaceId": "1",
    }
    account = {"objectType": "Account", "objectId": "001", "fields": [{"name": "Name", "value": "Acme"}]}
    return {
        "metaData": meta | more,
        "context": [{"system": "Salesforce", "objects": [account]}],
        "parties": [{"id": "1", "speakerId": "11", "affiliation": "Internal", "name": "Dana Example"}],
        "content": {"brief": f"About {identity}", "highlights": [], "trackers": []},
        "interaction": {"speakers": [], "questions": {"companyCount": 1, "nonCompanyCount": 2}},
    }


def made_up_transcript(identity: str, text: str = "We talked about the renewal.") -> dict[str, Any]:
    """Return the transcript of one call in the shape of the API."""
    sentences = [{"start": 0, "end": 1500, "text": text}, {"start": 1600, "end": 2500, "text": f"Number {identity}."}]
    return {"callId": identity, "transcript": [{"speakerId": "11", "topic": None, "sentences": sentences}]}
