"""A restricted customer leaves nowhere: in no answer, error, cursor or log of any tool; each guard has its control."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from gongctl import sample
from gongmcp.handler import ToolHandler
from gongmcp.render.answer import Answer
from gongmcp.render.wire import result_bytes
from tests.gongctl.governance.governed import (
    copy_cache,
    customers,
    govern,
    governed_handler,
    half_governed_handler,
    leaks,
    logged,
    naming_sets,
    probe,
    served,
    spellings,
    values_of,
    write_list,
)
from tests.gongctl.governance.plain_recount import RawCalls, core, mentions
from tests.gongmcp.conftest import build_cache

SETS = 12
RAW = RawCalls.read(sample.files())
COMPANIES = RAW.companies
SPOKEN = "Illumina"
"""A company that no account names: only title and speech."""


@pytest.fixture(scope="module")
def open_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, warmed without a list."""
    return build_cache(tmp_path_factory.mktemp("governed") / "open.db", sample.files())


def governed_copy(open_cache: Path, tmp_path: Path, company: str) -> tuple[Path, Path]:
    """Return a cache that is governed by a list of *company*, and the list."""
    listed = write_list(tmp_path / "list.yaml", *customers([company]))
    cache = copy_cache(open_cache, tmp_path / "governed.db")
    govern(cache, listed)
    return cache, listed


@pytest.mark.parametrize("company", [*list(COMPANIES)[:: 1 if os.environ.get("EVERY_SAMPLE") else 2], SPOKEN])
def test_a_restricted_company_is_nowhere_and_the_calls_are_those_of_a_plain_recount(
    open_cache: Path, tmp_path: Path, company: str
) -> None:
    cache, listed = governed_copy(open_cache, tmp_path, company)
    assert served(cache) == RAW.texts.keys() - RAW.private - RAW.naming(company)
    assert RAW.naming(company)
    with logged() as lines:
        found = probe(governed_handler(cache, listed, provenance="raw"), company, values_of(open_cache), SETS)
    assert found.found == []
    assert found.share >= 0.3
    assert not [line for line in lines if mentions(company, line)]


SHOWN = "Culp Inc"


def test_control_without_the_list_the_same_questions_find_it(open_cache: Path) -> None:
    handler = governed_handler(open_cache, None, provenance="raw")
    found = probe(handler, SHOWN, values_of(open_cache), SETS)
    assert len({tool for tool, _ in found.found}) >= 4


def test_judging_alone_leaks_nothing(open_cache: Path, tmp_path: Path) -> None:
    cache, listed = governed_copy(open_cache, tmp_path, SHOWN)
    handler = half_governed_handler(cache, listed, None, provenance="raw")
    assert probe(handler, SHOWN, values_of(open_cache), SETS).found == []


def test_the_guard_alone_leaks_no_name_and_says_so_without_it(open_cache: Path, tmp_path: Path) -> None:
    listed = write_list(tmp_path / "list.yaml", *customers([SHOWN]))
    handler = half_governed_handler(open_cache, None, listed, provenance="raw")
    with logged() as lines:
        assert probe(handler, SHOWN, values_of(open_cache), SETS).found == []
    assert any("no_ai, customer 1 (line 1)" in line for line in lines)
    assert not [line for line in lines if mentions(SHOWN, line)]


def test_the_guard_fills_a_page_from_the_rows_behind(open_cache: Path, tmp_path: Path) -> None:
    listed = write_list(tmp_path / "list.yaml", *customers([SHOWN]))
    guarded = half_governed_handler(open_cache, None, listed)
    alone = half_governed_handler(open_cache, None, None)
    asked = {"query": "culp OR quarter", "limit": 5}
    rows = (alone.call("search_transcript_segments", asked).answer.structured or {})["results"]
    assert any(mentions(SHOWN, row["snippet"]) for row in rows), "else nothing is taken out"
    answer = guarded.call("search_transcript_segments", asked).answer.structured or {}
    assert answer["returned"] == 5
    groups = [row["call_group"] for row in answer["results"]]
    assert sorted(set(groups)) == list(range(1, len(set(groups)) + 1)), "numbers of calls have no gap"


def test_arguments_that_name_it_come_back_as_they_were(open_cache: Path, tmp_path: Path) -> None:
    cache, listed = governed_copy(open_cache, tmp_path, SHOWN)
    handler = governed_handler(cache, listed)
    answer = handler.call("search_transcript_segments", {"query": SHOWN}).answer.structured or {}
    assert answer["searched"]["query"] == SHOWN
    for info in handler.tools():
        for arguments in naming_sets(info.name, handler, *spellings(SHOWN)):
            assert not leaks(handler.call(info.name, arguments), SHOWN, arguments)


def test_completions_and_resources_do_not_name_it(open_cache: Path, tmp_path: Path) -> None:
    cache, listed = governed_copy(open_cache, tmp_path, SHOWN)

    def offered(restricted: Path | None, db: Path) -> str:
        handler = governed_handler(db, restricted, provenance="raw")
        values = [
            value
            for info in handler.tools()
            for argument in info.input_schema["properties"]
            for prefix in ("", "c", "culp", "Culp")
            for value in handler.complete(info.name, argument, prefix)
        ]
        bodies = [handler.read_resource(item.uri).text for item in handler.resources()]
        return " | ".join([*values, *bodies, handler.instructions()])

    assert not mentions(SHOWN, offered(listed, cache))


def test_a_call_that_names_it_is_as_unknown_as_one_that_is_not_there(open_cache: Path, tmp_path: Path) -> None:
    cache, listed = governed_copy(open_cache, tmp_path, SHOWN)
    handler = governed_handler(cache, listed, provenance="raw")
    (hidden,) = RAW.naming(SHOWN) - RAW.private
    unknown = str(int(hidden) + 1)
    assert handler.call("get_call", {"call_id": hidden}).answer == handler.call("get_call", {"call_id": unknown}).answer
    alone = half_governed_handler(open_cache, None, listed, provenance="raw")
    titled = alone.call("get_call", {"call_id": hidden, "include_call_titles": True})
    assert titled.answer == alone.call("get_call", {"call_id": unknown, "include_call_titles": True}).answer
    assert not titled.ledger.entries


NOBODY = "Dulq Inc"
"""As long as the restricted name, and nobody's."""


def test_a_restricted_name_reads_like_one_that_nobody_has(open_cache: Path, tmp_path: Path) -> None:
    cache, listed = governed_copy(open_cache, tmp_path, SHOWN)
    handler = governed_handler(cache, listed)
    unguarded = half_governed_handler(open_cache, None, None)

    def told_apart(asked: ToolHandler) -> set[str]:
        return {
            info.name
            for info in asked.tools()
            for arguments, twin in zip(
                naming_sets(info.name, asked, *spellings(SHOWN)),
                naming_sets(info.name, asked, *spellings(NOBODY)),
                strict=True,
            )
            if without_name(asked.call(info.name, arguments).answer, SHOWN)
            != without_name(asked.call(info.name, twin).answer, NOBODY)
        }

    assert told_apart(handler) == set()
    assert told_apart(unguarded), "control: an open cache tells them apart"


def without_name(answer: Answer, company: str) -> str:
    """Return an answer's bytes with a sign in place of the name that was asked for."""
    return re.sub(core(company), "NAME", result_bytes(answer).decode(), flags=re.IGNORECASE)
