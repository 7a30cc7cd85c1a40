"""A server that is at work goes on answering through a purge, and no longer from what was purged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gongctl.purge.run import purge
from gongctl.purge.select import Criteria
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings

from .calls import USERS, call_id, store, warmed, word


def test_a_handler_follows_a_purge(tmp_path: Path) -> None:
    cache = tmp_path / "gong.db"
    store(cache, range(6), *USERS)
    warmed(cache)
    handler = build_handler(ServerSettings(), cache)

    def found(call: int) -> Any:
        answer = handler.call("search_transcript_segments", {"query": word(call, "spoken")}).answer
        assert not answer.is_error
        structured: Any = answer.structured
        return len(structured["results"])

    def total() -> int:
        structured: Any = handler.call("get_sync_status", {}).answer.structured
        return int(structured["total_calls"])

    assert (total(), found(1) > 0, found(2) > 0) == (6, True, True)
    certificate = purge(cache, Criteria("call", calls=(call_id(1),)))
    assert certificate.clean
    assert (total(), found(1), found(2) > 0) == (5, 0, True)
