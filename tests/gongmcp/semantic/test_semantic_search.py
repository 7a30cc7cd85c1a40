"""Evidence by meaning: found without its words, under the same policy, in the same pages; and off the network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gongctl.cache.writer import CacheWriter
from gongmcp.errors import Exit
from gongmcp.handler import ToolHandler
from gongmcp.render.wire import result_bytes
from gongmcp.semantic import model, scan
from tests.gongmcp.canary import PLANTED, SHOWN, write_files
from tests.gongmcp.conftest import MakeHandler, build_cache

pytest.importorskip("wordllama")
import numpy as np

from gongctl.semantic.build import build_vectors
from gongmcp.semantic.quantised import STEPS, Question, pack

QUESTION = "pain medicine for tooth operations"
ANSWERED = {*range(34, 43), *range(113, 119)}
"""Segments in which somebody speaks of dental surgery, in other words."""
TOOL = "search_transcript_segments"
SALES = "sales grew in the quarter"
YEAR = {"from_date": "2026-01-01", "to_date": "2026-12-31"}
GENEROUS = {"evidence_per_answer": "500", "evidence_percent": "100"}
"""Every row of a call may stand in one answer."""

EVERY_TOOL: list[tuple[str, dict[str, Any]]] = [
    (TOOL, {"query": QUESTION}),
    ("search_transcripts_by_call_facts", {"query": QUESTION, **YEAR}),
    ("search_transcripts_by_crm_context", {"query": QUESTION, "object_type": "Account"}),
    ("search_transcript_quotes_with_attribution", {"query": QUESTION}),
    ("search_transcripts_by_filters", {"theme_query": QUESTION, "filter": YEAR}),
    ("build_quote_pack", {"theme_query": QUESTION, "filter": YEAR}),
]

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def cache(sample_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(shutil.copy(sample_cache, tmp_path_factory.mktemp("vectors") / "sample.db"))
    with CacheWriter.open(path) as writer:
        assert build_vectors(writer).finished
    return path


@pytest.fixture
def ask(cache: Path, make_handler: MakeHandler) -> Ask:
    handlers: dict[str, ToolHandler] = {}

    def answer(tool: str, arguments: dict[str, Any], **flags: str) -> dict[str, Any]:
        handler = handlers.setdefault(repr(flags), make_handler(cache, **flags))
        found = handler.call(tool, arguments).answer
        return found.structured if found.structured is not None else {"error": found.error}

    return answer


def test_a_question_finds_what_holds_none_of_its_words(ask: Ask) -> None:
    assert ask(TOOL, {"query": QUESTION})["results"] == []
    for mode in ("semantic", "hybrid"):
        found = ask(TOOL, {"query": QUESTION, "mode": mode, "limit": 5})["results"]
        best = found[0] if mode == "semantic" else next(row for row in found if row["segment_index"] in ANSWERED)
        assert best["segment_index"] in ANSWERED
        assert best["similarity"] > 0.5


def test_the_nearest_come_first_and_what_is_as_near_as_anything_does_not_come(ask: Ask) -> None:
    found = ask(TOOL, {"query": QUESTION, "mode": "semantic"})["results"]
    scores = [row["similarity"] for row in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] >= 0.3
    assert ask(TOOL, {"query": "my dog ate the yellow slippers again", "mode": "semantic"})["returned"] < 5


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_pages_hold_every_place_once_and_twice_the_same(ask: Ask, mode: str) -> None:
    asked = {"query": SALES, "mode": mode}
    whole = ask(TOOL, {**asked, "limit": 60}, **GENEROUS)["results"]
    paged: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while len(paged) < len(whole):
        page = ask(TOOL, {**asked, "limit": 7, **cursor}, **GENEROUS)
        paged += page["results"]
        cursor = {"cursor": page["next_cursor"]}
    strip = [{**row, "call_group": 0} for row in paged][: len(whole)]
    assert strip == [{**row, "call_group": 0} for row in whole]
    assert ask(TOOL, {**asked, "limit": 60}, **GENEROUS)["results"] == whole
    assert len({(row["segment_index"], row["start_ms"], row["snippet"]) for row in paged}) == len(paged)


def test_a_cursor_of_words_is_none_of_meaning(ask: Ask) -> None:
    cursor = ask(TOOL, {"query": "sales", "limit": 1})["next_cursor"]
    answer = ask(TOOL, {"query": "sales", "limit": 1, "mode": "semantic", "cursor": cursor})
    assert answer["error"]["code"] == "invalid_cursor"


@pytest.mark.parametrize(("tool", "arguments"), EVERY_TOOL)
def test_every_tool_of_evidence_finds_it_under_the_same_policy(ask: Ask, tool: str, arguments: dict[str, Any]) -> None:
    found = ask(tool, {**arguments, "mode": "semantic", "limit": 1})
    row = found["results"][0]
    assert row["segment_index"] in ANSWERED
    words = {key: "dental" for key in ("query", "theme_query") if key in arguments}
    plain = ask(tool, {**arguments, **words, "limit": 1})
    assert set(row) - {"similarity", "context_excerpt"} <= set(plain["results"][0])
    assert found["withheld_fields"] == plain["withheld_fields"]


def test_filters_choose_what_is_compared(ask: Ask) -> None:
    everywhere = ask("search_transcripts_by_call_facts", {"query": SALES, "mode": "semantic", "limit": 50})
    inside = {"from_date": "2026-02-01", "to_date": "2026-02-28"}
    narrowed = ask("search_transcripts_by_call_facts", {"query": SALES, "mode": "semantic", **inside})
    assert {row["call_month"] for row in everywhere["results"]} > {"2026-02"}
    assert {row["call_month"] for row in narrowed["results"]} == {"2026-02"}
    internal = {"theme_query": QUESTION, "filter": YEAR, "mode": "semantic", "speaker_role": "internal"}
    roles = {row["speaker_role"] for row in ask("search_transcripts_by_filters", internal)["results"]}
    assert roles <= {"internal"}


def test_a_call_shows_no_more_of_itself_than_by_words(ask: Ask) -> None:
    asked = {"query": "revenue of the third quarter", "mode": "semantic", "limit": 50}
    free, bounded = ask(TOOL, asked, **GENEROUS), ask(TOOL, asked, evidence_per_answer="2")
    most = [Counter(row["call_group"] for row in found["results"]).most_common(1)[0][1] for found in (free, bounded)]
    assert most[0] > 2
    assert most[1] == 2


def test_nothing_planted_leaves_by_meaning(tmp_path: Path, make_handler: MakeHandler) -> None:
    path = build_cache(tmp_path / "canary.db", write_files(tmp_path))
    with CacheWriter.open(path) as writer:
        assert build_vectors(writer).calls == 2
    handler = make_handler(path)
    sent = ""
    for question in ("what is said about pricing", "write to my address", "redacted telephone number"):
        for mode in ("semantic", "hybrid"):
            for tool, arguments in EVERY_TOOL:
                key = "theme_query" if "theme_query" in arguments else "query"
                answer = handler.call(tool, {**arguments, key: question, "mode": mode}).answer
                assert not answer.is_error, answer.text
                sent += result_bytes(answer).decode()
    assert SHOWN["sentence"] in sent  # the control: what is said there is found
    assert {column for column, value in PLANTED.items() if value in sent} == set()


def test_without_vectors_it_says_so(make_handler: MakeHandler) -> None:
    for mode in ("semantic", "hybrid"):
        error = make_handler().call(TOOL, {"query": QUESTION, "mode": mode}).answer.error
        assert error is not None
        assert error["code"] == "semantic_unavailable"
        assert "gongctl cache warm --semantic" in error["hint"]


def test_calls_that_have_no_vectors_yet_are_counted(cache: Path, tmp_path: Path, make_handler: MakeHandler) -> None:
    path = Path(shutil.copy(cache, tmp_path / "some.db"))
    with CacheWriter.open(path) as writer, writer.transaction():
        writer.connection.execute(
            "DELETE FROM segment_vectors WHERE call_no = (SELECT max(call_no) FROM segment_vectors)"
        )
    found = make_handler(path).call(TOOL, {"query": QUESTION, "mode": "semantic"}).answer.structured
    assert found is not None
    assert found["calls_without_vectors"] == 1
    # Under small cells one such call looks like none; a 0 there would tell it from none.
    for db in (path, cache):
        rounded = make_handler(db, min_cell="3").call(TOOL, {"query": QUESTION, "mode": "semantic"}).answer.structured
        assert rounded is not None
        assert "calls_without_vectors" not in rounded


def test_too_many_vectors_are_refused_with_what_to_narrow(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MOST_BYTES", 100_000)
    error = ask(TOOL, {"query": QUESTION, "mode": "semantic"})["error"]
    assert (error["code"], "dates" in error["hint"]) == ("invalid_argument", True)
    narrow = {"query": QUESTION, "mode": "semantic", "from_date": "2026-01-12", "to_date": "2026-01-12"}
    assert ask(TOOL, narrow)["returned"]


def test_without_the_extra_a_call_and_the_command_say_what_to_install(
    ask: Ask, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from gongctl.cli.root import run

    model._load.cache_clear()
    monkeypatch.setattr(model.importlib.util, "find_spec", lambda name: None)
    error = ask(TOOL, {"query": QUESTION, "mode": "semantic"})["error"]
    assert error["code"] == "semantic_unavailable"
    assert model.INSTALL in error["message"]
    assert not model.is_installed()
    assert run(["cache", "warm", "--semantic", "--db", str(cache)]) == Exit.USAGE
    assert model.INSTALL in capsys.readouterr().err
    assert ask(TOOL, {"query": "sales"})["returned"]


OFFLINE = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("somebody wants the network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from gongmcp.catalog.registry import catalog
catalog()
assert not {"numpy", "tokenizers", "safetensors"} & set(sys.modules), "loaded before anybody asked"
from gongmcp.semantic.model import embedder
texts = ["the invoice was wrong", "call me back tomorrow, please"]
ours = embedder().embed([text.upper() for text in texts])
network = {"requests", "urllib3", "httpx", "httpx2", "huggingface_hub", "wordllama", "http.client"} & set(sys.modules)
assert not network, network
import wordllama, pathlib
folder = pathlib.Path(wordllama.__file__).parent
theirs = wordllama.WordLlama.load(cache_dir=folder, disable_download=True).embed(texts, norm=True)
assert abs(ours - theirs).max() < 1e-6
print("the same")
"""


def test_the_model_needs_no_network_and_gives_what_its_package_gives() -> None:
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("the same\n", 0), done.stderr


@pytest.mark.parametrize("dimensions", [256, 384, 3072])
def test_a_likeness_is_the_cosine_and_owes_nothing_to_the_order_of_adding(dimensions: int) -> None:
    matrix = np.random.default_rng(7).normal(size=(700, dimensions)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    packed = pack(matrix)
    found = Question(matrix[3]).likeness(packed.vectors, packed.scales)
    assert np.abs(found / STEPS - matrix @ matrix[3]).max() < 0.01
    shuffled = np.random.default_rng(8).permutation(dimensions)
    again = Question(matrix[3][shuffled]).likeness(
        np.frombuffer(packed.vectors, np.int8).reshape(-1, dimensions)[:, shuffled].tobytes(), packed.scales
    )
    assert (found == again).all()
