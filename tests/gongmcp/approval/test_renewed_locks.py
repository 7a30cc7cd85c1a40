"""Of a lock that was gone on from, or that holds exempt tools, nothing that has changed is served either."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gongctl.approval.approve import given, renew, write_lock
from gongmcp.approval.lock import read_lock
from gongmcp.catalog.listing import ANNOTATIONS
from gongmcp.catalog.registry import catalog
from gongmcp.errors import Exit, StartupRefusal, UnknownTool
from gongmcp.handler import ToolHandler
from gongmcp.settings import ServerSettings
from tests.gongmcp.approval.conftest import Open
from tests.gongmcp.approval.later import FOREIGN, NEW_FIELD, WORDS

EXEMPT, KEPT, NEW = "search_transcript_segments", "get_sync_status", "list_crm_fields"
SAMPLES = given({KEPT: [{}], NEW: [{"object_type": "Account"}]})
Renewed = Callable[..., Path]


@pytest.fixture
def renewed(sample_cache: Path, tmp_path: Path) -> Renewed:
    """One tool exempt, one approved before and kept, one approved on top of it."""

    def make(db: Path | None = None, **flags: str) -> Path:
        settings = ServerSettings.resolve(flags, {})
        path = tmp_path / "gongmcp.lock.json"

        def go_on(names: list[str], exempt: list[str]) -> None:
            before = read_lock(path) if path.exists() else None
            done = renew(
                *(settings, db or sample_cache, names, SAMPLES),
                by="a",
                at="2026-06-01T00:00:00Z",
                before=before,
                exempt=exempt,
            )
            write_lock(path, done.lock)

        go_on([KEPT], [])
        go_on([], [EXEMPT])
        go_on([NEW], [])
        return path

    return make


def offered(handler: ToolHandler) -> set[str]:
    return {tool.name for tool in handler.tools()}


def refuses(handler: ToolHandler, name: str) -> bool:
    try:
        handler.call(name, {})
    except UnknownTool:
        return True
    return False


def test_unchanged_it_serves_all_three(renewed: Renewed, opened: Open) -> None:
    handler = opened(lock=renewed())
    assert offered(handler) == {EXEMPT, KEPT, NEW}
    assert handler.drift() == []


@pytest.mark.parametrize("tool", [EXEMPT, KEPT, NEW])
@pytest.mark.parametrize("part", ["description", "title", "row"])
def test_1_and_2_a_definition(
    tool: str, part: str, renewed: Renewed, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = renewed()
    other: dict[str, Any] = {"description": "Other words.", "title": "Other", "row": catalog()["list_scorecards"].row}
    monkeypatch.setitem(catalog(), tool, replace(catalog()[tool], **{part: other[part]}))
    handler = opened(lock=lock)
    assert offered(handler) == {EXEMPT, KEPT, NEW} - {tool}
    assert refuses(handler, tool)
    assert not refuses(opened(), tool), "without the lock it is served"


def test_3_an_annotation(renewed: Renewed, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = renewed()
    monkeypatch.setitem(ANNOTATIONS, "readOnlyHint", False)
    with pytest.raises(StartupRefusal) as caught:
        opened(lock=lock)
    assert caught.value.exit_code is Exit.DRIFT


@pytest.mark.parametrize(
    "looser",
    [
        {"max_search_results": "300"},
        {"max_response_bytes": "1000000"},
        {"provenance": "raw"},
        {"mask_participants": "yes"},
    ],
    ids=str,
)
def test_4_to_7_a_policy_or_a_model(looser: dict[str, str], renewed: Renewed, opened: Open) -> None:
    lock = renewed()
    with pytest.raises(StartupRefusal) as caught:
        opened(lock=lock, **looser)
    assert caught.value.exit_code is Exit.DRIFT


def test_8_new_data_is_withheld_from_an_exempt_tool_too(renewed: Renewed, opened: Open, later_cache: Path) -> None:
    lock = renewed()
    asked = {"query": WORDS[FOREIGN]}
    kept = opened(lock=lock, db=later_cache).call(EXEMPT, asked).answer.structured
    bare = opened(db=later_cache).call(EXEMPT, asked).answer.structured
    assert kept is not None
    assert bare is not None
    assert (kept["results"], len(bare["results"])) == ([], 1)
    fields = opened(lock=lock, db=later_cache).call(NEW, {"object_type": "Account"}).answer.text
    assert NEW_FIELD not in fields


def test_going_on_over_new_data_leaves_nothing_that_was_not_looked_at(
    sample_cache: Path, later_cache: Path, renewed: Renewed, opened: Open
) -> None:
    path = renewed()
    settings = ServerSettings.resolve({}, {})
    done = renew(*(settings, later_cache, [NEW], SAMPLES), by="a", at="2026-06-02T00:00:00Z", before=read_lock(path))
    write_lock(path, done.lock)
    assert set(done.lapsed) == {EXEMPT, KEPT}
    assert offered(opened(lock=path, db=later_cache)) == {NEW}
