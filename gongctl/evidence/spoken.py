"""What was said, for the operator's side: which segments may hold a quotation, and their words in order."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from gongctl.cache.crm_context import as_text
from gongctl.cache.deriver import decode_payload
from gongctl.evidence.words import Word, phrase_of, words_of
from gongmcp.store.schema import INDEX_BITS, MAX_SEGMENTS, first_segment, last_segment

_WINDOWS: Final = 24
"""Places that one quotation is compared with."""

_PROBES: Final = 16
"""Short phrases of a quotation that are looked up."""

_HITS: Final = 40
"""Segments that are taken of each phrase, the newest."""

_FEW: Final = 4
"""Where fewer segments hold a phrase of a quotation, segments that hold its words are looked at too."""

_RARE: Final = 8
"""So many of its words, the longest."""


@dataclass(frozen=True, slots=True)
class Said:
    """One word that was said: its *key*, the *segment* and the party who said it (0 = unknown)."""

    word: Word
    segment: int
    speaker: int

    @property
    def key(self) -> str:
        return self.word.key


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive segments of one call, as words. *is_masked*: something was taken out of one of them."""

    call_no: int
    first: int
    last: int
    words: tuple[Said, ...]
    is_masked: bool

    @property
    def keys(self) -> list[str]:
        """What is compared of each word."""
        return [said.key for said in self.words]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was said, as an operator looks it up. *at* is minutes and seconds into the call; *speaker* the
    name that the call gives, else the side."""

    call_id: str
    call_ref: str
    call_date: str
    at: str
    start_ms: int
    segment_index: int
    speaker: str

    def as_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Transcripts:
    """The transcripts of one read model: the one that agents are served, or the operator's.

    *model* is the connection to it, *cache* the one to the raw payloads.
    """

    def __init__(self, model: sqlite3.Connection, cache: sqlite3.Connection) -> None:
        self._model = model
        self._cache = cache
        self._raw = lru_cache(maxsize=16)(self._read_raw)
        self._said = lru_cache(maxsize=8192)(_said)

    def windows(self, words: Sequence[Word], *, around: int = 0) -> Iterator[Window]:
        """Yield the places that may hold *words*, the likeliest first; *around* widens them, in segments."""
        near = max(around, min(60, 6 + len(words) // 4))
        seen: list[Window] = []
        for segment in self._likely(words):
            if any(window.first + near // 2 <= segment <= window.last - near // 2 for window in seen):
                continue
            window = self._window(segment, near)
            seen.append(window)
            yield window
            if len(seen) == _WINDOWS:
                return

    def unmasked(self, window: Window) -> Window | None:
        """Return *window* as it was said, None when the payload does not tell."""
        sentences = self._raw(self._call_id(window.call_no))
        low = first_segment(window.call_no)
        words: list[Said] = []
        for segment, speaker in dict.fromkeys((said.segment, said.speaker) for said in window.words):
            if segment - low >= len(sentences):
                return None
            words += (Said(word, segment, speaker) for word in words_of(sentences[segment - low]))
        return Window(window.call_no, window.first, window.last, tuple(words), is_masked=False)

    def place(self, said: Said) -> Place:
        """Return where *said* was said."""
        call_no = said.segment >> INDEX_BITS
        row = self._model.execute(
            """SELECT c.call_id, c.call_ref, c.call_date, s.start_ms, p.speaker_id, p.affiliation
               FROM segments AS s JOIN call_facts AS c ON c.call_no = ?
               LEFT JOIN parties AS p ON p.call_no = c.call_no AND p.party_no = s.speaker_no
               WHERE s.segment_no = ?""",
            (call_no, said.segment),
        ).fetchone()
        call_id, call_ref, call_date, start_ms, speaker_id, affiliation = row
        seconds = start_ms // 1000
        return Place(
            call_id=call_id,
            call_ref=call_ref,
            call_date=call_date,
            at=f"{seconds // 60}:{seconds % 60:02}",
            start_ms=start_ms,
            segment_index=said.segment & (MAX_SEGMENTS - 1),
            speaker=self._name(call_id, speaker_id) or affiliation or "unknown",
        )

    def _likely(self, words: Sequence[Word]) -> Iterator[int]:
        whole = self._segments(phrase_of(words))
        yield from whole
        votes: Counter[int] = Counter()
        length = 4 if len(words) > 6 else 3
        starts = range(max(1, len(words) - length + 1))
        for start in starts[:: max(1, -(-len(starts) // _PROBES))]:
            votes.update(self._segments(phrase_of(words[start : start + length])))
        yield from (segment for segment, _ in votes.most_common() if segment not in whole)
        rare = sorted({word.key: word for word in words}.values(), key=lambda word: -len(word.text))[:_RARE]
        asked = " OR ".join(filter(None, (phrase_of([word]) for word in rare)))
        if len(votes) < _FEW:
            yield from (segment for segment in self._segments(asked, by="rank") if segment not in votes)

    def _segments(self, match: str, by: str = "rowid DESC") -> list[int]:
        if not match:
            return []
        found = self._model.execute(
            f"SELECT rowid FROM segments_fts WHERE segments_fts MATCH ? ORDER BY {by} LIMIT {_HITS}", (match,)
        )
        return [row[0] for row in found]

    def _window(self, segment: int, near: int) -> Window:
        call_no = segment >> INDEX_BITS
        first = max(first_segment(call_no), segment - near)
        last = min(last_segment(call_no), segment + near)
        rows = self._model.execute(
            "SELECT segment_no, speaker_no, text, spans FROM segments WHERE segment_no BETWEEN ? AND ?"
            " ORDER BY segment_no",
            (first, last),
        ).fetchall()
        words = tuple(said for row in rows for said in self._said(row[0], row[1], row[2]))
        return Window(call_no, first, last, words, any(row[3] for row in rows))

    def _call_id(self, call_no: int) -> str:
        row = self._model.execute("SELECT call_id FROM call_facts WHERE call_no = ?", (call_no,)).fetchone()
        return str(row[0])

    def _read_raw(self, call_id: str) -> list[str]:
        row = self._cache.execute("SELECT payload FROM raw_transcripts WHERE call_id = ?", (call_id,)).fetchone()
        monologues = decode_payload(row[0]).get("transcript") if row is not None else None
        return [
            sentence["text"]
            for monologue in (monologues if isinstance(monologues, list) else ())
            if isinstance(monologue, Mapping) and isinstance(monologue.get("sentences"), list)
            for sentence in monologue["sentences"]
            if isinstance(sentence, dict) and isinstance(sentence.get("text"), str)
        ]

    def _name(self, call_id: str, speaker_id: str | None) -> str:
        if not speaker_id:
            return ""
        row = self._cache.execute("SELECT payload FROM raw_calls WHERE call_id = ?", (call_id,)).fetchone()
        parties = decode_payload(row[0]).get("parties") if row is not None else None
        for party in parties if isinstance(parties, list) else ():
            if isinstance(party, dict) and str(party.get("speakerId")) == speaker_id:
                return as_text(party.get("name"))
        return ""


def _said(segment: int, speaker: int, text: str) -> tuple[Said, ...]:
    return tuple(Said(word, segment, speaker) for word in words_of(text))
