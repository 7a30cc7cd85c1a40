"""Two calls at once see no more of a transcript than one after the other."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gongmcp.exposure.evidence import Evidence, EvidenceSession
from gongmcp.handler import Outcome, build_handler
from gongmcp.settings import ServerSettings
from tests.gongmcp.conftest import build_cache
from tests.gongmcp.long_calls import own_word, write_files


class Meeting(EvidenceSession):
    """A session whose first two calls have both looked before either spends."""

    def __init__(self) -> None:
        super().__init__()
        self._meet = threading.Barrier(2)
        self._looked = 0

    def seen(self, call_ref: str) -> dict[int, int]:
        """Look, and wait for the other."""
        found = super().seen(call_ref)
        with self._lock:
            self._looked += 1
            first = self._looked <= 2
        if first:
            self._meet.wait(60)
        return found


class Trusting(Meeting):
    """The control: what was seen meanwhile does not matter."""

    def spend(self, shown: Sequence[Evidence], basis: Mapping[str, int]) -> bool:
        """Count as if nobody else had been there."""
        return super().spend(shown, {item.call_ref: len(self._seen.get(item.call_ref, ())) for item in shown})


@pytest.mark.parametrize(("session", "segments"), [(Meeting(), 1), (Trusting(), 2)], ids=["budget", "control"])
def test_a_budget_of_one_segment_shows_one(session: Meeting, segments: int, tmp_path: Path) -> None:
    cache = build_cache(tmp_path / "long.db", write_files(tmp_path))
    flags = {"evidence_segments": "1", "evidence_percent": "1"}
    handler = build_handler(ServerSettings.resolve(flags, {}), cache, session=session)
    outcomes: list[Outcome] = []

    def ask(word: str) -> None:
        outcomes.append(handler.call("search_transcript_segments", {"query": word}))

    threads = [threading.Thread(target=ask, args=(own_word(2, at),)) for at in (1, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shown = [positions for outcome in outcomes for positions in outcome.shown.values()]
    assert len(frozenset().union(*shown)) == segments
    if segments == 1:
        assert sorted(outcome.answer.is_error for outcome in outcomes) == [False, True]
