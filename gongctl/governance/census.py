"""A census of personal data: how much of each kind the raw payloads hold, and how much is left after masking.

Counted are finds of the detectors, by kind, month, language and field; no value is kept. *before* is what the raw
payloads hold of every imported call, served or not; *after* is what the served texts of the read model still hold.
Beside it stand the most frequent capitalised names in the served texts that no party, user or account explains:
who is named although nobody masks them.

The work goes in chunks of calls, in the order of their ids, over all cores. What was counted is kept in a small
state file after some seconds, so that a census which is stopped or killed goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from multiprocessing.connection import Connection, Pipe
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import reading
from gongctl.cache.crm_context import as_text, crm_objects, is_phone_field
from gongctl.cache.derive import parse_time
from gongctl.cache.deriver import decode_payload
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.kinds import MASKED_KINDS, MASKING_VERSION
from gongmcp.exposure.masking import find_spans, mask
from gongmcp.exposure.text import CONTROL
from gongmcp.governance.words import STOP_WORDS
from gongmcp.store.schema import first_segment, last_segment

NAMES_SHOWN: Final = 200
CHUNK_CALLS: Final = 50
SAVE_SECONDS: Final = 10.0
MOST_NAMES: Final = 100_000
"""Names that are counted at once; beyond it the rarest are forgotten."""
MOST_EXPLAINED: Final = 500_000
_END_SECONDS: Final = 5.0
_AHEAD: Final = 2
"""Chunks that a process has before it, so that it never waits for this one."""
_FORM: Final = 1
_CHILD: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from gongctl.governance.census import serve
serve(int(sys.argv[2]))
"""

# Behind a small letter or a comma, so that the first word of a sentence is none.
_NAME: Final = r"[\p{Ll},;:)] (\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+)*)"
_TAIL: Final = re.compile(r"(?:['’]s)?[-'’]*$")
_I: Final = re.compile(r"I(?:['’]|$)")
_NO_NAMES: Final = frozenset(
    (
        *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
        *("november", "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    )
)
_WORD: Final = re.compile(r"[^\W\d_]+")

Cell = tuple[str, str, str, str, str]
"""``before`` or ``after``, kind, month, language, field."""


@dataclass(slots=True)
class Tally:
    """What was counted: *cells* hold finds, *names* how often each was said, *explained* the words of people and
    accounts that are known; *forgotten* tells whether rare names had to be left out."""

    cells: Counter[Cell] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    explained: set[str] = field(default_factory=set)
    calls: int = 0
    served_calls: int = 0
    segments: int = 0
    served_segments: int = 0
    forgotten: bool = False

    def add(self, other: Tally) -> None:
        """Add what *other* counted, and forget the rarest names when there are too many."""
        self.cells.update(other.cells)
        self.names.update(other.names)
        if len(self.explained) < MOST_EXPLAINED:
            self.explained |= other.explained
        self.calls += other.calls
        self.served_calls += other.served_calls
        self.segments += other.segments
        self.served_segments += other.served_segments
        self.forgotten |= other.forgotten
        if len(self.names) > MOST_NAMES:
            self.names = Counter(dict(self.names.most_common(MOST_NAMES // 2)))
            self.forgotten = True

    def unexplained(self, most: int = NAMES_SHOWN) -> list[tuple[str, int]]:
        """Return the most frequent names with a word that nothing explains, the most frequent first."""
        found = [
            (name, count)
            for name, count in self.names.items()
            if not all(word in self.explained or word in STOP_WORDS for word in words_of(name))
        ]
        return sorted(found, key=lambda item: (-item[1], item[0]))[:most]

    def as_state(self) -> dict[str, Any]:
        """Return the form of the state file."""
        return {
            "cells": [[*cell, count] for cell, count in self.cells.items()],
            "names": dict(self.names),
            "explained": sorted(self.explained),
            "counts": [self.calls, self.served_calls, self.segments, self.served_segments],
            "forgotten": self.forgotten,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Tally:
        """Read what ``as_state`` wrote."""
        calls, served_calls, segments, served_segments = state["counts"]
        return cls(
            Counter({(a, b, c, d, e): count for a, b, c, d, e, count in state["cells"]}),
            Counter(state["names"]),
            set(state["explained"]),
            calls,
            served_calls,
            segments,
            served_segments,
            state["forgotten"],
        )


@dataclass(frozen=True, slots=True)
class Census:
    """A tally of a whole cache, or of the part that was done (*finished* False). *changed* tells that the cache was
    written to meanwhile; *seconds* and *rate* (segments a second) are of this run."""

    tally: Tally
    finished: bool
    changed: bool
    resumed: bool
    seconds: float
    rate: float


def words_of(name: str) -> list[str]:
    """Return the words of a name in small letters, a possessive ``s`` left out."""
    return [word for word in _WORD.findall(re.sub(r"['’]s\b", "", name).casefold()) if len(word) > 1]


_Counted = tuple[tuple[str, ...], list[str]]
"""The sentences of a monologue, and the kinds of what was found in it."""

# ------------------------------------------------------------------------------------------- one chunk


class Counting:
    """Counts chunks of the cache at *path*; keeps it open between them."""

    def __init__(self, path: Path) -> None:
        import re2  # type: ignore[import-untyped]  # here, for no other command needs it

        self._path = path
        self._names = re2.compile(_NAME)

    def chunk(self, after: str, upto: str) -> Tally:
        """Count the calls with ids behind *after* and not behind *upto*."""
        tally = Tally()
        said: list[str] = []
        with reading(self._path) as connection:
            rows = connection.execute(
                """SELECT c.call_id, c.payload, c.imported_at, t.payload, f.call_no, f.title, f.language, f.call_month
                   FROM raw_calls AS c LEFT JOIN raw_transcripts AS t ON t.call_id = c.call_id
                   LEFT JOIN call_facts AS f ON f.call_id = c.call_id
                   WHERE c.call_id > ? AND c.call_id <= ? ORDER BY c.call_id""",
                (after, upto),
            )
            for _, call, imported_at, transcript, number, title, language, month in rows:
                raw = decode_payload(call)
                found = _OneCall(tally, raw, imported_at)
                before = found.raw(raw, None if transcript is None else decode_payload(transcript))
                if number is not None:
                    found.place = (month, language or "unknown")
                    said += found.served(connection, number, title, before)
        tally.names.update(self._named("\n".join(said)))
        return tally

    def _named(self, text: str) -> Iterator[str]:
        for found in self._names.findall(text):
            name = _TAIL.sub("", found)
            if name.casefold() not in _NO_NAMES and not _I.match(name):
                yield name


class _OneCall:
    """Counts one call into *tally*; *place* is its month and language."""

    def __init__(self, tally: Tally, call: Mapping[str, Any], imported_at: str) -> None:
        self._tally = tally
        nested = call.get("metaData")
        meta: Mapping[str, Any] = nested if isinstance(nested, Mapping) else call
        moment = parse_time(meta.get("started")) or parse_time(meta.get("scheduled")) or parse_time(imported_at)
        self.place = (moment.strftime("%Y-%m") if moment else "unknown", as_text(meta.get("language")) or "unknown")
        self._meta = meta

    def raw(self, call: Mapping[str, Any], transcript: Mapping[str, Any] | None) -> list[_Counted]:
        """Count what the raw payloads hold; returns the monologues with what was found in each."""
        tally = self._tally
        tally.calls += 1
        self._count("before", "title", _in_text(as_text(self._meta.get("title"))))
        flat = {**self._meta, **call} if not any(key in call for key in ("parties", "context")) else call
        for item in crm_objects(flat):
            if item.kind in ("account", "contact", "lead", "user"):
                self._explain(item.name)
            for name, value in item.fields.items():
                if name not in item.typed or is_phone_field(name):
                    self._count("before", "crm_value", _in_text(value, phone_field=is_phone_field(name)))
        parties = flat.get("parties")
        for party in parties if isinstance(parties, list) else ():
            if isinstance(party, Mapping):
                self._party(party)
        known = []
        for sentences in _monologues(transcript):
            tally.segments += len(sentences)
            kinds = _in_monologue(sentences)
            known.append((sentences, kinds))
            self._count("before", "transcript", kinds)
        return known

    def served(self, connection: sqlite3.Connection, number: int, title: str, known: Sequence[_Counted]) -> list[str]:
        """Count what is served of the call; returns its texts for the names. *known* is what ``raw`` returned."""
        tally = self._tally
        tally.served_calls += 1
        span = (first_segment(number), last_segment(number))
        texts = [title]
        self._count("after", "title", _in_text(title))
        rows = connection.execute(
            "SELECT speaker_no, text FROM segments WHERE segment_no BETWEEN ? AND ? ORDER BY segment_no", span
        )
        for sentences, raw, kinds in _as_said(rows.fetchall(), known):
            tally.served_segments += len(sentences)
            # A text that masking left as it was holds what it held.
            self._count("after", "transcript", kinds if sentences == raw else _in_monologue(sentences))
            texts += sentences
        for name, value in connection.execute(
            "SELECT field_name, value FROM crm_values WHERE value_no BETWEEN ? AND ?", span
        ):
            if value:
                self._count("after", "crm_value", _in_text(value, phone_field=is_phone_field(name)))
        for (job,) in connection.execute("SELECT job_title FROM parties WHERE call_no = ?", (number,)):
            self._count("after", "party", _in_text(job))
        return texts

    def _party(self, party: Mapping[str, Any]) -> None:
        self._explain(as_text(party.get("name")))
        for key, value in party.items():
            if isinstance(value, str) and value and not key.endswith("Id") and key not in ("id", "affiliation"):
                self._count("before", "party", _in_text(value, phone_field=is_phone_field(key)))

    def _explain(self, name: str) -> None:
        self._tally.explained.update(words_of(name))

    def _count(self, when: str, where: str, kinds: Iterable[str]) -> None:
        for kind in kinds:
            self._tally.cells[when, kind, *self.place, where] += 1


def _in_text(text: str, *, phone_field: bool = False) -> list[str]:
    if not text:
        return []
    return [span.kind for span in mask(text, phone_field=phone_field).spans if span.kind != CONTROL]


def _in_monologue(sentences: Sequence[str]) -> list[str]:
    """Return the kinds of the finds; one that runs over sentences counts once, and so do two of a kind that meet at
    the end of a sentence."""
    spans = find_spans(sentences)
    if spans is None:
        return []
    found = []
    open_kind = ""
    for sentence, here in zip(sentences, spans, strict=True):
        kept = [span for span in here if span.kind != CONTROL]
        for span in kept:
            if not (span.start == 0 and span.kind == open_kind):
                found.append(span.kind)
            open_kind = ""
        reaches_end = kept and kept[-1].start + kept[-1].length == len(sentence)
        open_kind = kept[-1].kind if reaches_end else ""
    return found


def _monologues(transcript: Mapping[str, Any] | None) -> Iterator[tuple[str, ...]]:
    listed = transcript.get("transcript") if transcript is not None else None
    for monologue in listed if isinstance(listed, list) else ():
        sentences = monologue.get("sentences") if isinstance(monologue, Mapping) else None
        if isinstance(sentences, list):
            said = tuple(
                item["text"] for item in sentences if isinstance(item, Mapping) and isinstance(item.get("text"), str)
            )
            if said:
                yield said


def _as_said(
    rows: Sequence[tuple[int, str]], known: Sequence[_Counted]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], list[str]]]:
    """Yield the served sentences by monologue, each with the raw ones and what was found in them."""
    if sum(len(sentences) for sentences, _ in known) == len(rows):
        at = 0
        for sentences, kinds in known:
            yield tuple(text for _, text in rows[at : at + len(sentences)]), sentences, kinds
            at += len(sentences)
        return
    for _, turn in groupby(rows, key=itemgetter(0)):  # the transcript has changed since it was warmed
        yield tuple(text for _, text in turn), (), []


# ------------------------------------------------------------------------------------------- all of it


class _Worker:
    """A process that counts chunks; should it die, they are counted here."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pipe, other = Pipe()
        quiet = subprocess.DEVNULL
        # In a session of its own Ctrl-C does not reach it; when the pipe closes, it ends.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, json.dumps(sys.path), str(other.fileno())],
            pass_fds=(other.fileno(),),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )
        other.close()
        self._send(str(path))

    def _send(self, message: object) -> None:
        with suppress(OSError):  # result() notices
            self._pipe.send(message)

    def submit(self, chunk: tuple[str, str]) -> None:
        self._send(chunk)

    def result(self, chunk: tuple[str, str]) -> Tally:
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError):
            return Counting(self._path).chunk(*chunk)
        if isinstance(answer, Tally):
            return answer
        raise answer

    def close(self) -> None:
        self._pipe.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve(descriptor: int) -> None:
    """Be a worker: answer the chunks that come through the pipe until it closes."""
    pipe = Connection(descriptor)
    with suppress(EOFError, OSError):
        counting = Counting(Path(pipe.recv()))
        while True:
            chunk = pipe.recv()
            try:
                answer: Tally | Exception = counting.chunk(*chunk)
            except (ValueError, StartupRefusal, sqlite3.Error) as error:
                answer = error
            pipe.send(answer)


def census(
    path: Path,
    *,
    state: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    processes: int | None = None,
) -> Census:
    """Count the cache at *path*. *state* is a file that keeps what was counted until the census is finished.

    *processes* is how many count beside this one, the number of cores unless given; with 0 this one counts.

    Raises:
        StartupRefusal: the cache cannot be read, or the state file cannot be written.
    """
    started = time.perf_counter()
    stop = should_stop or (lambda: False)
    mark, total = _mark(path)
    kept = _State(state, mark)
    tally, done = kept.read()
    resumed = bool(done)
    before = tally.segments
    if not resumed:
        _explain_users(path, tally)
    chunks = _chunks(path, done)
    saved = time.monotonic()
    finished = True
    for upto, found in _counted(path, chunks, _processes(processes), stop):
        tally.add(found)
        done = upto
        if progress is not None:
            progress(min(tally.calls, total), total)
        if time.monotonic() - saved > SAVE_SECONDS:
            kept.write(tally, done)
            saved = time.monotonic()
    if stop() and _next_id(path, done, 1) is not None:
        finished = False
        kept.write(tally, done)
    else:
        kept.remove()
    seconds = time.perf_counter() - started
    rate = (tally.segments - before) / seconds if seconds else 0.0
    return Census(tally, finished, _mark(path)[0] != mark, resumed, seconds, rate)


def _processes(wanted: int | None) -> int:
    return (os.cpu_count() or 1) if wanted is None else wanted


def _counted(
    path: Path, chunks: Iterator[tuple[str, str]], processes: int, stop: Callable[[], bool]
) -> Iterator[tuple[str, Tally]]:
    """Yield the last id and the tally of each chunk in order, counted by *processes* others or here."""
    if not processes:
        counting = Counting(path)
        for chunk in chunks:
            if stop():
                return
            yield chunk[1], counting.chunk(*chunk)
        return
    workers = [_Worker(path) for _ in range(processes)]
    try:
        pending: deque[tuple[_Worker, tuple[str, str]]] = deque()
        for worker in workers * _AHEAD:
            _submit(worker, chunks, pending)
        while pending and not stop():
            worker, chunk = pending.popleft()
            tally = worker.result(chunk)
            _submit(worker, chunks, pending)
            yield chunk[1], tally
    finally:
        for worker in workers:
            worker.close()


def _submit(
    worker: _Worker, chunks: Iterator[tuple[str, str]], pending: deque[tuple[_Worker, tuple[str, str]]]
) -> None:
    chunk = next(chunks, None)
    if chunk is not None:
        worker.submit(chunk)
        pending.append((worker, chunk))


def _chunks(path: Path, after: str) -> Iterator[tuple[str, str]]:
    while (upto := _next_id(path, after, CHUNK_CALLS)) is not None:
        yield after, upto
        after = upto


def _next_id(path: Path, after: str, count: int) -> str | None:
    """Return the id that is *count* behind *after*, or the last one; None when there is none behind it."""
    with reading(path) as connection:
        row = connection.execute(
            """SELECT max(call_id) FROM
                 (SELECT call_id FROM raw_calls WHERE call_id > ? ORDER BY call_id LIMIT ?)""",
            (after, count),
        ).fetchone()
    return None if row[0] is None else str(row[0])


def _explain_users(path: Path, tally: Tally) -> None:
    with reading(path) as connection:
        for (payload,) in connection.execute("SELECT payload FROM raw_records WHERE kind = 'user'"):
            user = decode_payload(payload)
            for key in ("firstName", "lastName", "name", "emailAddress"):
                tally.explained.update(words_of(as_text(user.get(key)).partition("@")[0]))


def _mark(path: Path) -> tuple[str, int]:
    """Return what a state belongs to (the cache as it is, and how it is counted), and how many calls there are."""
    with reading(path) as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('secret', 'generation')"))
        row = connection.execute("SELECT digest, generation FROM read_model WHERE id = 1").fetchone()
        calls = int(connection.execute("SELECT count(*) FROM raw_calls").fetchone()[0])
    if row is None:
        raise StartupRefusal("The cache has no read model yet.", "Run: gongctl cache warm", Exit.CACHE)
    said = [_FORM, MASKING_VERSION, list(MASKED_KINDS), CHUNK_CALLS, sorted(meta.items()), list(row)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest(), calls


class _State:
    """The state file at *path*, None = none; what another cache or state of it left there is not taken up."""

    def __init__(self, path: Path | None, mark: str) -> None:
        self._path = path
        self._mark = mark

    def read(self) -> tuple[Tally, str]:
        """Return what was counted, and the last id of it ('' = nothing yet)."""
        if self._path is not None and self._path.exists():
            try:
                held = json.loads(self._path.read_text(encoding="utf-8"))
                if held["mark"] == self._mark:
                    return Tally.of_state(held["tally"]), str(held["done"])
            except (OSError, ValueError, KeyError, TypeError):
                pass  # not whole, or not ours: it is counted anew
        return Tally(), ""

    def write(self, tally: Tally, done: str) -> None:
        """Keep *tally*, of the calls up to *done*; the file is replaced whole, and for its owner alone."""
        if self._path is None:
            return
        made = self._path.with_name(f"{self._path.name}.new")
        body = json.dumps({"mark": self._mark, "done": done, "tally": tally.as_state()})
        try:
            with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                file.write(body)
            made.replace(self._path)
        except OSError as error:
            raise StartupRefusal(
                f"{self._path} cannot be written: {error.strerror}.", "Name another file with --out.", Exit.FAILED
            ) from error

    def remove(self) -> None:
        """Remove the file: the census is finished."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
