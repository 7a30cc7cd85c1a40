"""The thief: how much of a call's transcript do 1,000 of the best queries of one client session give back?

    python -m benchmarks.reconstruct [--queries N] [--db CACHE] [--calls N] [--goal PERCENT] [--set NAME=VALUE]...

There are two, and both know every word beforehand, which no real one does. ``words`` asks the one word next that
stands in the segments with most that it has not seen. ``segments`` aims at one segment after the other by its two
rarest words, the longest first, then at the parts of long ones that no snippet has shown. Everything of the call that
an answer shows is counted, wherever it was meant to come from. The control is the same without an evidence budget.
Ends with 1 when a call is above the goal, or the control is not far above it. Without ``--db`` it builds a cache of
the bundled sample; ``--set`` gives a setting of the server, such as evidence_percent=5.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.table import print_table
from gongmcp.exposure.evidence import EvidenceSession
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings

QUERIES: Final = 1000
GOAL: Final = 12.0
"""Percent of the words of a call."""
CONTROL: Final = 80.0
UNLIMITED: Final = {"evidence_per_answer": "1000000", "evidence_segments": "1000000", "evidence_percent": "100"}
TOOLS: Final = ("search_transcript_segments", "search_transcripts_by_call_facts")
"""One that shows a segment, and one that shows its neighbours too."""

_WORD: Final = re.compile(r"[^\W_]+")
_MARK: Final = re.compile(r"[«»]")


@dataclass
class Transcript:
    """A call's masked segments, and which of their words were seen: one flag for each word."""

    call_ref: str
    day: str
    segments: dict[int, str]
    seen: dict[int, list[bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = {at: [found.span() for found in _WORD.finditer(text)] for at, text in self.segments.items()}
        self.seen = {at: [False] * len(places) for at, places in self.places.items()}

    @property
    def words(self) -> int:
        """How many words the call has."""
        return sum(map(len, self.seen.values()))

    @property
    def share(self) -> float:
        """The words that were seen, in percent."""
        return 100 * sum(map(sum, self.seen.values())) / max(self.words, 1)

    def see(self, index: int, shown: str) -> None:
        """Mark the words of segment *index* that stand in the piece *shown*."""
        text = self.segments.get(index)
        piece = _MARK.sub("", shown).strip("…")
        if text is None or not piece:
            return
        start = text.find(piece)
        if start < 0:
            return
        for number, (first, behind) in enumerate(self.places[index]):
            if start <= first and behind <= start + len(piece):
                self.seen[index][number] = True

    def unseen(self, index: int) -> list[str]:
        """Return the words of segment *index* that were not seen."""
        text = self.segments[index]
        return [
            text[slice(*place)] for place, known in zip(self.places[index], self.seen[index], strict=True) if not known
        ]


def transcripts(db: Path, most: int) -> list[Transcript]:
    """Return the served calls with a transcript, the newest *most*."""
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        calls = connection.execute(
            "SELECT call_no, call_ref, call_date FROM call_facts WHERE segment_count > 0 ORDER BY call_no DESC LIMIT ?",
            (most,),
        ).fetchall()
        return [
            Transcript(
                call_ref,
                day,
                dict(
                    connection.execute(
                        "SELECT segment_no & 524287, text FROM segments WHERE segment_no >> 19 = ?", (call_no,)
                    ).fetchall()
                ),
            )
            for call_no, call_ref, day in calls
        ]


def best_query(words: Sequence[str], known: Counter[str]) -> str:
    """Return the query of the two rarest of *words*: it finds their segment and few others."""
    rare = sorted({word.lower() for word in words if not word.isdigit()}, key=lambda word: (known[word], -len(word)))
    return " ".join(f'"{word}"' for word in rare[:2])


def steal_segments(handler: ToolHandler, call: Transcript, queries: int) -> int:
    """Aim at segment after segment, the longest first; returns how many questions it took."""
    known = Counter(word.lower() for text in call.segments.values() for word in _WORD.findall(text))
    order = sorted(call.segments, key=lambda at: -len(call.places[at]))
    asked = 0
    for tool in TOOLS:
        refused: set[int] = set()
        learning = True
        while learning:
            learning = False
            for at in order:
                words = call.unseen(at)
                if not words or at in refused:
                    continue
                if asked == queries:
                    return asked
                asked += 1
                if _ask(handler, call, tool, best_query(words, known)):
                    learning = True
                else:
                    refused.add(at)
    return asked


def steal_words(handler: ToolHandler, call: Transcript, queries: int) -> int:
    """Ask for one word after the other, the one that promises most; returns how many questions it took."""
    holding: dict[str, list[int]] = {}
    for at, text in call.segments.items():
        for word in {word.lower() for word in _WORD.findall(text)}:
            holding.setdefault(word, []).append(at)
    asked = 0
    while holding and asked < queries:
        open_words = {at: flags.count(False) for at, flags in call.seen.items()}
        word = max(holding, key=lambda word: (sum(sorted(open_words[at] for at in holding[word])[-50:]), word))
        asked += 1
        if not _ask(handler, call, TOOLS[asked % len(TOOLS)], f'"{word}"'):
            del holding[word]
    return asked


THIEVES: Final = {"words": steal_words, "segments": steal_segments}


def _ask(handler: ToolHandler, call: Transcript, tool: str, query: str) -> bool:
    """Ask about the day of the call; tells whether something was learnt."""
    day = {"from_date": call.day, "to_date": call.day}
    answer = handler.call(tool, {"query": query, **day, "limit": 50}).answer
    return _mark(call, answer.structured or {})


def _mark(call: Transcript, structured: dict[str, Any]) -> bool:
    before = sum(map(sum, call.seen.values()))
    for row in structured.get("results", ()):
        if row["call_ref"] != call.call_ref:
            continue
        index = row["segment_index"]
        call.see(index, row["snippet"])
        for part in row.get("context_excerpt", ()):
            for near in (index - 1, index, index + 1):
                call.see(near, part)
    return sum(map(sum, call.seen.values())) > before


def robbed(db: Path, flags: dict[str, str], thief: str, queries: int, calls: int) -> list[tuple[Transcript, int]]:
    """Let a thief loose on each call in a session of its own; returns the calls and how many questions each took."""
    settings = ServerSettings.resolve({"provenance": "alias", **flags}, {})
    out = []
    for call in transcripts(db, calls):
        handler = build_handler(settings, db, session=EvidenceSession())
        out.append((call, THIEVES[thief](handler, call, queries)))
    return out


def build_sample(folder: Path) -> Path:
    """Build a cache of the bundled sample in *folder*."""
    from gongctl import sample
    from gongctl.cache.upsert import import_records
    from gongctl.cache.warm import warm
    from gongctl.cache.writer import CacheWriter
    from gongctl.ingest import read_paths

    with CacheWriter.open(folder / "sample.db", create=True) as writer:
        import_records(writer, read_paths(sample.files()))
        warm(writer)
    return folder / "sample.db"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the share of words that each call lost, with and without a budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--calls", type=int, default=100, help="The newest N calls.")
    parser.add_argument("--goal", type=float, default=GOAL)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    options = parser.parse_args(argv)
    flags = dict(item.split("=", 1) for item in options.settings)
    shares: list[list[float]] = []
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or build_sample(Path(folder))
        runs = [robbed(db, flags, thief, options.queries, options.calls) for thief in THIEVES]
        free = [robbed(db, UNLIMITED, thief, options.queries, options.calls) for thief in THIEVES]
    for number, found in enumerate(zip(*runs, *free, strict=True), 1):
        call = found[0][0]
        shares.append([each.share for each, _ in found])
        cells = [f"{each.share:.1f} ({asked})" for each, asked in found]
        rows.append([str(number), str(len(call.segments)), str(call.words), *cells])
    names = [f"{name} %" for name in THIEVES] + [f"{name}, no budget %" for name in THIEVES]
    print_table(["call", "segments", "words", *(f"{name} (queries)" for name in names)], rows)
    worst = max(max(line[: len(THIEVES)]) for line in shares)
    least = min(min(line[len(THIEVES) :]) for line in shares)
    print(f"most {worst:.1f} % (goal {options.goal:g} %); without a budget at least {least:.1f} %")
    return int(worst > options.goal or least < CONTROL)


if __name__ == "__main__":
    raise SystemExit(main())
