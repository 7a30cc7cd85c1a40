"""Whether what a text quotes was said: verbatim, altered or not found, where, and whether the policy shows it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from gongctl.cache.connection import connect, reading
from gongctl.cache.operator_model import OPERATOR_APPLICATION_ID, operator_path
from gongctl.evidence.align import Alike, Change, alike, spliced, verbatim
from gongctl.evidence.documents import read_blocks
from gongctl.evidence.quotations import Quotation, quotations_of
from gongctl.evidence.spoken import Place, Said, Transcripts, Window
from gongctl.evidence.words import Word, words_of

if TYPE_CHECKING:
    from gongmcp.handler import ToolHandler

Verdict = Literal["verbatim", "altered", "not_found", "short"]

SHORTEST: Final = 3
"""Quotations of fewer words are counted and not looked up: they are terms more often than evidence."""

_COMPARED: Final = 8
_WIDE: Final = 20

SPLICED: Final = "put together from two places"
TWO_SPEAKERS: Final = "said by more than one person"


@dataclass(frozen=True, slots=True)
class Finding:
    """One quotation and what became of it.

    *allowed* tells whether an agent could have been shown these words, *why* why not; None where they were not found.
    *how* says more of an altered one; *elsewhere* is the second place of a splice.
    """

    file: str
    quotation: Quotation
    verdict: Verdict
    place: Place | None = None
    allowed: bool | None = None
    why: str = ""
    how: str = ""
    changes: tuple[Change, ...] = ()
    elsewhere: Place | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it for scripts; what does not apply is left out."""
        out: dict[str, Any] = {
            "file": self.file,
            "line": self.quotation.line,
            "quotation": self.quotation.text,
            "verdict": self.verdict,
        }
        more = {
            "not_closed": self.quotation.is_open or None,
            "allowed": self.allowed,
            "why": self.why or None,
            "how": self.how or None,
            "place": self.place.as_json() if self.place else None,
            "elsewhere": self.elsewhere.as_json() if self.elsewhere else None,
            "changes": [change.as_json() for change in self.changes] or None,
        }
        return out | {name: value for name, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """All quotations of the files that were read. *unsearched* counts calls of the cache that were not looked in."""

    findings: tuple[Finding, ...]
    unsearched: int

    def count(self, verdict: Verdict) -> int:
        """Return how many quotations have *verdict*."""
        return sum(finding.verdict == verdict for finding in self.findings)

    @property
    def holds(self) -> bool:
        """Whether nothing was altered and nothing invented."""
        return not self.count("altered") and not self.count("not_found")

    def as_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        counts = {name: self.count(name) for name in ("verbatim", "altered", "not_found", "short")}
        return {
            "quotations": len(self.findings),
            **counts,
            "not_allowed": sum(finding.allowed is False for finding in self.findings),
            "calls_not_searched": self.unsearched,
            "findings": [finding.as_json() for finding in self.findings],
        }


def check_files(files: Sequence[Path], db: Path, handler: ToolHandler, *, shortest: int = SHORTEST) -> EvidenceReport:
    """Return what became of each quotation in *files*, held against the cache *db*.

    *handler* serves the cache under the policy that is asked about. Quotations of fewer than *shortest* words are
    not looked up.

    Raises:
        StartupRefusal: a file or the cache cannot be read.
    """
    quoted = [(path, item) for path in files for item in quotations_of(read_blocks(path), shortest)]
    shows_speech = any(info.level in ("snippet", "identified") for info in handler.tools())
    with _checker(db, shows_speech=shows_speech) as checker:
        findings = tuple(
            checker.finding(str(path), item)
            if len(words_of(item.text)) >= shortest
            else Finding(str(path), item, "short")
            for path, item in quoted
        )
        return EvidenceReport(findings, checker.unsearched())


@contextmanager
def _checker(db: Path, *, shows_speech: bool) -> Iterator[Checker]:
    path = operator_path(db)
    with (
        reading(db) as cache,
        closing(connect(path, "ro", OPERATOR_APPLICATION_ID)) if path.exists() else nullcontext() as model,
    ):
        yield Checker(cache, model, shows_speech=shows_speech)


class Checker:
    """Looks quotations up: in what agents are served in *cache*, then in the operator's *model* of every call."""

    def __init__(
        self, cache: sqlite3.Connection, model: sqlite3.Connection | None = None, *, shows_speech: bool = True
    ) -> None:
        self._cache = cache
        self._served = Transcripts(cache, cache)
        self._every = Transcripts(model, cache) if model is not None else None
        self._shows_speech = shows_speech

    def unsearched(self) -> int:
        """Return how many transcripts of the cache no quotation was looked for in."""
        if self._every is not None:
            return 0
        sql = "SELECT count(*) FROM raw_transcripts WHERE call_id NOT IN (SELECT call_id FROM call_facts)"
        return int(self._cache.execute(sql).fetchone()[0])

    def finding(self, file: str, quotation: Quotation) -> Finding:
        """Return what became of *quotation*; what was said verbatim anywhere is verbatim."""
        parts = [found for part in quotation.parts() if (found := words_of(part))]
        here = self._look(self._served, parts)
        if here.verdict != "verbatim" and self._every is not None:
            outside = self._look(self._every, parts)
            if outside.verdict == "verbatim" or (here.verdict == "not_found" and outside.verdict != "not_found"):
                return outside.told(file, quotation, self._every, "the policy leaves this call out")
        why = "" if self._shows_speech else "no tool of this policy shows speech"
        return here.told(file, quotation, self._served, why)

    def _look(self, transcripts: Transcripts, parts: Sequence[Sequence[Word]]) -> _Looked:
        words = [word for part in parts for word in part]
        windows: list[Window] = []
        mixed: Said | None = None
        for window in transcripts.windows(words, around=_WIDE if len(parts) > 1 else 0):
            windows.append(window)
            said, by_one = verbatim(window, parts)
            if said is not None and by_one:
                return _Looked("verbatim", said)
            mixed = mixed or said
        raw = [found for window in windows if window.is_masked and (found := transcripts.unmasked(window))]
        for window in raw:
            said, by_one = verbatim(window, parts)
            if said is not None and by_one:
                return _Looked("verbatim", said, masked=True)
        if mixed is not None:
            return _Looked("altered", mixed, how=TWO_SPEAKERS)
        return _changed(windows, words)


@dataclass(frozen=True, slots=True)
class _Looked:
    verdict: Verdict
    said: Said | None = None
    masked: bool = False
    how: str = ""
    changes: tuple[Change, ...] = ()
    elsewhere: Said | None = None

    def told(self, file: str, quotation: Quotation, transcripts: Transcripts, why: str) -> Finding:
        if self.said is None:
            return Finding(file, quotation, self.verdict)
        why = why or ("the policy masks some of these words" if self.masked else "")
        return Finding(
            file,
            quotation,
            self.verdict,
            place=transcripts.place(self.said),
            allowed=not why,
            why=why,
            how=self.how,
            changes=self.changes,
            elsewhere=transcripts.place(self.elsewhere) if self.elsewhere is not None else None,
        )


def _changed(windows: Sequence[Window], words: Sequence[Word]) -> _Looked:
    best: Alike | None = None
    for window in windows[:_COMPARED]:
        found = alike(window, words)
        if found is not None and (best is None or (found.is_like, found.ratio) > (best.is_like, best.ratio)):
            best = found
    apart = spliced(windows, words)
    if apart is not None and (best is None or not best.is_like or len(best.changes) > 1):
        return _Looked("altered", apart[0], how=SPLICED, elsewhere=apart[1])
    if best is None or not best.is_like:
        return _Looked("not_found")
    return _Looked("altered", best.said, changes=best.changes)
