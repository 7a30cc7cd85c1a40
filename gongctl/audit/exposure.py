"""What of certain calls left: when, to whom, by which tool, under which policy, and what share of the transcripts.

The log names no call. Here, where the cache and its secret are, the digests of the calls that are asked about are made
again and looked for.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gongctl.audit.report import Reader, name_of
from gongmcp.audit.digests import AuditDigests
from gongmcp.audit.record import AuditRecord, positions
from gongmcp.exposure.aliases import call_ref
from gongmcp.store.schema import first_segment, last_segment


@dataclass(slots=True)
class Left:
    """What left of a call to one reader, or to all: *segments* are positions, each counted once."""

    answers: int = 0
    first: str = ""
    last: str = ""
    segments: set[int] = field(default_factory=set)

    def add(self, record: AuditRecord, shown: Iterable[int]) -> None:
        """Count an answer that *shown* segments left with."""
        self.answers += 1
        self.first = min(self.first or record.time, record.time)
        self.last = max(self.last, record.time)
        self.segments.update(shown)


@dataclass(slots=True)
class Transcript:
    """The transcript of a call as the cache has it now: characters of each segment; *served* = agents may see it.

    Of a call that is not served the number of segments alone is known.
    """

    segments: int = 0
    lengths: Mapping[int, int] = field(default_factory=dict)
    served: bool = False


@dataclass(slots=True)
class CallExposure:
    """What left of one call."""

    call_id: str
    call_ref: str
    transcript: Transcript
    all: Left = field(default_factory=Left)
    readers: dict[Reader, Left] = field(default_factory=dict)
    tools: Counter[str] = field(default_factory=Counter)
    policies: Counter[tuple[str, str]] = field(default_factory=Counter)

    def as_json(self, *, ids: bool) -> dict[str, Any]:
        """Return the form of the report; without *ids* the call is named by its alias alone."""
        return {
            **({"call_id": self.call_id} if ids else {}),
            "call_ref": self.call_ref,
            "served_now": self.transcript.served,
            **self.shares(self.all),
            "readers": [
                reader.as_json() | self.shares(left)
                for reader, left in sorted(self.readers.items(), key=lambda item: (item[1].first, item[0]))
            ],
            "tools": dict(sorted(self.tools.items())),
            "policies": [
                {"policy": policy, "preset": preset, "answers": count}
                for (policy, preset), count in sorted(self.policies.items())
            ],
        }

    def shares(self, left: Left) -> dict[str, Any]:
        """Return the figures of what *left*, with its share of the transcript as the cache has it now."""
        transcript = self.transcript
        now = {position for position in left.segments if position < transcript.segments}
        characters = sum(transcript.lengths.values())
        return {
            "answers": left.answers,
            "first": left.first,
            "last": left.last,
            "segments": len(left.segments),
            "segments_in_all": transcript.segments,
            "percent_of_segments": percent(len(now), transcript.segments),
            "percent_of_text": percent(sum(transcript.lengths.get(position, 0) for position in now), characters)
            if characters
            else None,
        }


@dataclass(slots=True)
class Exposure:
    """What left of the calls that were asked about: *asked* so many, *calls* are those of which something did.

    *other_cache* counts answers whose digests another cache's secret has keyed: they were not looked at.
    """

    asked: int
    calls: list[CallExposure] = field(default_factory=list)
    answers: int = 0
    other_cache: int = 0
    unreadable: int = 0

    def as_json(self, *, ids: bool) -> dict[str, Any]:
        """Return the form of ``gongctl audit exposure --json``."""
        return {
            "calls_asked_about": self.asked,
            "calls_of_which_something_left": len(self.calls),
            "answers": self.answers,
            "segments": sum(len(call.all.segments) for call in self.calls),
            "answers_of_another_cache": self.other_cache,
            "unreadable": self.unreadable,
            "calls": [call.as_json(ids=ids) for call in self.calls],
        }


def exposure(
    records: Iterable[AuditRecord], connection: sqlite3.Connection, secret: bytes, call_ids: Iterable[str]
) -> Exposure:
    """Return what *records* say of *call_ids*, in the order in which something first left."""
    digests = AuditDigests(secret)
    aliases = {call_id: call_ref(secret, call_id) for call_id in call_ids}
    wanted = {digests.call(alias): call_id for call_id, alias in aliases.items()}
    found: dict[str, CallExposure] = {}
    out = Exposure(len(aliases))
    for record in records:
        if record.calls and record.cache != digests.cache:
            out.other_cache += 1
            continue
        concerned = [shown for shown in record.calls if shown.call in wanted]
        out.answers += bool(concerned)
        for shown in concerned:
            call_id = wanted[shown.call]
            if call_id not in found:
                found[call_id] = CallExposure(call_id, aliases[call_id], transcript_of(connection, call_id))
            try:
                left = positions(shown.at)
            except ValueError:
                out.unreadable += 1
                continue
            call = found[call_id]
            call.all.add(record, left)
            call.readers.setdefault(Reader.of(record), Left()).add(record, left)
            call.tools[name_of(record)] += 1
            call.policies[record.policy, record.preset] += 1
    out.calls = sorted(found.values(), key=lambda call: (call.all.first, call.call_ref))
    return out


def transcript_of(connection: sqlite3.Connection, call_id: str) -> Transcript:
    """Return the transcript of a call as the cache has it now; an empty one for a call that it does not have."""
    served = connection.execute("SELECT call_no FROM call_facts WHERE call_id = ?", (call_id,)).fetchone()
    if served is not None:
        (call_no,) = served
        first = first_segment(call_no)
        lengths = {
            segment_no - first: length
            for segment_no, length in connection.execute(
                "SELECT segment_no, length(text) FROM segments WHERE segment_no BETWEEN ? AND ?",
                (first, last_segment(call_no)),
            )
        }
        return Transcript(len(lengths), lengths, True)
    kept = connection.execute("SELECT segment_count FROM raw_transcripts WHERE call_id = ?", (call_id,)).fetchone()
    return Transcript(kept[0] if kept is not None else 0)


def percent(part: int, whole: int) -> float | None:
    """Return *part* of *whole* in percent with one decimal, None of nothing."""
    return round(100 * part / whole, 1) if whole else None
