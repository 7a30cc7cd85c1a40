"""A governed cache answers like one from which the suppressed calls were deleted before import, order included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gongctl import sample
from gongctl.cache.upsert import import_records
from gongctl.cache.writer import CacheWriter
from gongctl.ingest import read_paths
from gongmcp.handler import ToolHandler
from gongmcp.render.answer import Answer
from tests.gongctl.governance.governed import (
    argument_sets,
    customers,
    govern,
    governed_handler,
    naming_sets,
    spellings,
    values_of,
    write_list,
)
from tests.gongctl.governance.plain_recount import RawCalls, without_calls
from tests.gongmcp.conftest import CLOCK, SECRET, build_cache

SETS = 15
RAW = RawCalls.read(sample.files())
RESTRICTED = ("Culp Inc", "Spire Inc", "Illumina")


def told(answer: Answer) -> Any:
    """Return what an answer says, apart from cursor and as-of time."""
    if answer.structured is None:
        return answer.error
    return {name: value for name, value in answer.structured.items() if name not in ("as_of", "next_cursor")}


def differences(governed: ToolHandler, deleted: ToolHandler, cache: Path, count: int) -> list[str]:
    """Return the calls that the two caches answer in different ways."""
    values = values_of(cache)
    out = []
    for info in governed.tools():
        for arguments in [
            *argument_sets(info.name, governed, values, count),
            *naming_sets(info.name, governed, *spellings(RESTRICTED[0])),
        ]:
            one, other = (told(handler.call(info.name, dict(arguments)).answer) for handler in (governed, deleted))
            if one != other:
                keys = [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]
                out.append(f"{info.name} {json.dumps(arguments, default=str)[:200]}: {keys}")
    return out


@pytest.fixture(scope="module")
def caches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample open, governed, and without the calls that governance and scope take; one secret."""
    folder = tmp_path_factory.mktemp("differential")
    listed = write_list(folder / "list.yaml", *customers(RESTRICTED))
    gone = set().union(RAW.private, *map(RAW.naming, RESTRICTED))
    assert 1 < len(gone) < len(RAW.texts) - 3
    found = {
        "list": listed,
        "open": build_cache(folder / "open.db", sample.files()),
        "governed": build_cache(folder / "governed.db", sample.files()),
        "deleted": build_cache(folder / "deleted.db", without_calls(sample.files(), gone, folder)),
    }
    govern(found["governed"], listed)
    return found


@pytest.mark.parametrize("provenance", ["redacted", "raw"])
def test_the_answers_are_those_of_a_cache_without_the_calls(caches: dict[str, Path], provenance: str) -> None:
    governed = governed_handler(caches["governed"], caches["list"], provenance=provenance)
    deleted = governed_handler(caches["deleted"], None, provenance=provenance)
    assert differences(governed, deleted, caches["open"], SETS) == []


def test_control_the_open_cache_answers_in_other_ways(caches: dict[str, Path]) -> None:
    opened = governed_handler(caches["open"], None)
    deleted = governed_handler(caches["deleted"], None)
    found = differences(opened, deleted, caches["open"], 3)
    assert len({line.split()[0] for line in found}) > 10


def test_a_cache_governed_at_its_first_warm_is_the_same(
    caches: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", CLOCK)
    with CacheWriter.open(tmp_path / "first.db", create=True, secret=SECRET) as writer:
        import_records(writer, read_paths(sample.files()))
    govern(tmp_path / "first.db", caches["list"])
    first = governed_handler(tmp_path / "first.db", caches["list"])
    deleted = governed_handler(caches["deleted"], None)
    assert differences(first, deleted, caches["open"], 5) == []
