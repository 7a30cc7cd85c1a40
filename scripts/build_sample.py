"""Cut the bundled sample out of a full Earnings-21 folder in the shape of Gong's API answers.

    python scripts/build_sample.py SOURCE_DIR [--out gongctl/sample]

``SOURCE_DIR`` holds the calls and transcripts as JSON lines and the settings files named in ``WHOLE`` and
``SCORECARDS``. Records are selected, never edited: lines and settings files are copied byte for byte; of the answered
scorecards those of the chosen calls are kept, and the paging counts say how many they are. The same source gives the
same bytes (no time or name in the gzip header).

Exit code 1, with nothing written, when the source lacks a chosen call or the sample would lose a property that the
demonstration and the tests rely on.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_OUT = Path(__file__).resolve().parent.parent / "gongctl" / "sample"
CALLS = "calls.extensive.jsonl"
TRANSCRIPTS = "transcripts.jsonl"
SCORECARDS = "scorecard_activity.json"
WHOLE = (
    "users.json",
    "workspaces.json",
    "settings.trackers.json",
    "settings.scorecards.json",
    "crm_integrations.json",
    "crm_schema.json",
)
PHRASE = "free cash flow"


@dataclass(frozen=True, slots=True)
class Choice:
    """One call of the sample: its id, whether the source has its transcript, and what it is there to show."""

    call_id: str
    transcript: bool
    why: str


CHOICES = (
    Choice("1737110886633599187", True, "closed won renewal; the phrase; an e-mail address is read out"),
    Choice("4731297218955736526", True, "private; two opportunities, one of them closed lost; outbound"),
    Choice("1511090966103542300", True, "HubSpot's Company and Deal instead of Salesforce's Account and Opportunity"),
    Choice("1939296346918771737", True, "internal; no CRM context; second workspace"),
    Choice("2687173169473791077", False, "no transcript; external, outbound, open opportunity"),
    Choice("1364283748298705806", True, "external without CRM context; inbound; two answered scorecards"),
    Choice("5815783068569111023", True, "open renewal; the phrase; two answered scorecards"),
    Choice("4935947130561589053", False, "no transcript; internal, without CRM context, but scored twice"),
    Choice("7776389874188912120", True, "inbound; open new business"),
    Choice("7097353642898608989", True, "two opportunities: one won, one in negotiation; inbound"),
)


class SampleError(Exception):
    """The source does not give the sample that is described here."""


def select_lines(path: Path, key: tuple[str, ...], wanted: set[str]) -> tuple[bytes, list[dict[str, Any]]]:
    """Return the JSON lines whose id (under ``key``) is wanted, untouched, and the same records parsed."""
    lines: list[bytes] = []
    records: list[dict[str, Any]] = []
    with path.open("rb") as source:
        for line in source:
            record = json.loads(line)
            found: Any = record
            for part in key:
                found = found[part]
            if str(found) in wanted:
                lines.append(line.rstrip(b"\n") + b"\n")
                records.append(record)
    return b"".join(lines), records


def select_scorecards(path: Path, wanted: set[str]) -> tuple[bytes, int]:
    """Return the answered-scorecards response with the wanted calls only, and how many records it has."""
    response = json.loads(path.read_bytes())
    kept = [record for record in response["answeredScorecards"] if str(record["callId"]) in wanted]
    response["answeredScorecards"] = kept
    response["records"] |= {"totalRecords": len(kept), "currentPageSize": len(kept)}
    return json.dumps(response, indent=1, ensure_ascii=False).encode() + b"\n", len(kept)


def compress(content: bytes) -> bytes:
    """Gzip without a time or a file name, so that equal content gives equal bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as archive:
        archive.write(content)
    return buffer.getvalue()


def sentences(transcript: dict[str, Any]) -> list[str]:
    """Return the sentences of one transcript in order."""
    return [sentence["text"] for turn in transcript["transcript"] for sentence in turn["sentences"]]


def build(source: Path) -> tuple[dict[str, bytes], dict[str, int]]:
    """Return the sample's files (name to uncompressed content) and its counts.

    Raises ``SampleError`` when a chosen call or transcript is missing, a call that is to have none has one, or
    fewer than two transcripts contain the phrase that the examples search for.
    """
    wanted = {choice.call_id for choice in CHOICES}
    with_transcript = {choice.call_id for choice in CHOICES if choice.transcript}
    call_lines, calls = select_lines(source / CALLS, ("metaData", "id"), wanted)
    transcript_lines, transcripts = select_lines(source / TRANSCRIPTS, ("callId",), wanted)
    if missing := wanted - {call["metaData"]["id"] for call in calls}:
        raise SampleError(f"{CALLS} lacks {', '.join(sorted(missing))}")
    if differing := with_transcript ^ {transcript["callId"] for transcript in transcripts}:
        raise SampleError(f"{TRANSCRIPTS} should differ in {', '.join(sorted(differing))}")
    hits = [sum(PHRASE in text.lower() for text in sentences(transcript)) for transcript in transcripts]
    if sum(hit > 0 for hit in hits) < 2:
        raise SampleError(f"fewer than two transcripts contain {PHRASE!r}")
    scorecards, answered = select_scorecards(source / SCORECARDS, wanted)
    files = {CALLS: call_lines, TRANSCRIPTS: transcript_lines, SCORECARDS: scorecards}
    files |= {name: (source / name).read_bytes() for name in WHOLE}
    counts = {
        "calls": len(calls),
        "transcripts": len(transcripts),
        "segments": sum(len(sentences(transcript)) for transcript in transcripts),
        "users": len(json.loads(files["users.json"])["users"]),
        "answered scorecards": answered,
        f"sentences with {PHRASE!r}": sum(hits),
    }
    return files, counts


def main(argv: list[str] | None = None) -> int:
    """Write the sample and print its counts and sizes."""
    parser = argparse.ArgumentParser(description="Cut the bundled sample out of a full Earnings-21 folder.")
    parser.add_argument("source", type=Path, metavar="SOURCE_DIR")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    options = parser.parse_args(argv)
    try:
        files, counts = build(options.source)
    except (SampleError, OSError, KeyError, ValueError) as problem:
        print(f"build_sample: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 1
    total = 0
    for name, content in sorted(files.items()):
        packed = compress(content)
        (options.out / f"{name}.gz").write_bytes(packed)
        total += len(packed)
        print(f"{name}.gz: {len(content)} -> {len(packed)} bytes")
    print(f"{total} bytes in {len(files)} files; " + ", ".join(f"{value} {key}" for key, value in counts.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
