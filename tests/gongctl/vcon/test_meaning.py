"""vCons by meaning: the reference's own two questions find their conversation, in a store and in a cache."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gongctl.cli.root import run
from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore
from gongmcp.errors import Exit
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.vcon.corpus import vcon
from tests.gongctl.vcon.test_seed001 import ask, body, code_of, serving

pytest.importorskip("wordllama")

LATE = "The desk I ordered is late again. I am a frustrated customer: nobody can say when the delivery comes."
PRICE = "We discussed pricing for three years. The buyer asked for a discount of ten percent on the list price."
VIOLIN = "My violin has a broken string and the bow of my cello lost its hair; can you repair such instruments? " * 4
SEED_LATE = {
    "query": "customer frustrated about late delivery",
    "threshold": 0.75,
    "tags": {"priority": "high"},
    "limit": 15,
}
SEED_PRICE = {
    "query": "pricing discussion discount",
    "semantic_weight": 0.5,
    "tags": {"department": "sales"},
    "limit": 20,
}
MODEL = "example/minilm-384"


def corpus() -> list[dict[str, Any]]:
    """Return eight conversations about nothing of it, and the two that are looked for."""
    values = [vcon(number) for number in range(1, 11)]
    filler = "We spoke of lunch, of tea and of a book about birds. " * 12 + "And so on, until it was late. "
    for value, said, tag in (
        (values[8], LATE, "priority:high"),
        (values[9], PRICE, "department:sales"),
        (values[7], f"{filler}{VIOLIN}{filler}", "priority:low"),
    ):
        value["dialog"][0]["body"] = said
        value["attachments"][0]["body"] = json.dumps([tag])
    values[0]["attachments"][0]["body"] = json.dumps(["priority:high", "department:sales"])
    return values


def uuids(answer: dict[str, Any]) -> list[str]:
    return [row.get("vcon_id") or row["id"] for row in answer.get("results", answer.get("items", []))]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    with VconStore.open(path, create=True) as opened, opened.transaction() as generation:
        for value in corpus():
            opened.put(value, generation)
    assert run(["vcon", "embed", "--db", str(path)]) == Exit.OK
    return path


def test_the_references_own_questions_find_what_was_planted(store: Path) -> None:
    late, price = corpus()[8]["uuid"], corpus()[9]["uuid"]
    with closing(serving(store)) as server:
        found = body(server, "search_vcons_semantic", SEED_LATE)
        assert uuids(found) == [late]
        assert found["results"][0]["similarity_score"] > 0.75
        assert "late again" in found["results"][0]["matched_content"]["dialog_excerpts"][0]["text"]
        both = body(server, "search_vcons_hybrid", SEED_PRICE)
        assert uuids(both)[0] == price
        assert not both["degraded"]
        assert both["results"][0]["semantic_score"] > 0.7
        # Without tags, and by the contract tool: what is left besides speaks of a parcel or a delivery.
        for question, wanted in ((SEED_LATE["query"], late), (SEED_PRICE["query"], price)):
            answer = body(server, "vcon_search", {"mode": "semantic", "query": question})
            assert uuids(answer)[0] == wanted
            assert answer["items"][0]["search"]["snippet"]
            assert answer["page"]["total"] == len(answer["items"]) < 7
            assert uuids(body(server, "vcon_search", {"mode": "hybrid", "query": question}))[0] == wanted
        found = body(server, "vcon_search", {"mode": "semantic", "query": "repairing a stringed musical instrument"})
        assert uuids(found) == [corpus()[7]["uuid"]]
        assert "violin" in found["items"][0]["search"]["snippet"]  # the passage, far from where the text begins
        nothing = body(server, "vcon_search", {"mode": "semantic", "query": "a lecture about medieval church music"})
        assert (nothing["items"], nothing["page"]["total"]) == ([], 0)
        search = body(server, "vcon_capabilities")["item"]["search"]
        assert search["modes"] == ["metadata", "keyword", "semantic", "hybrid"]
        assert [item["dimensions"] for item in search["stored_vectors"]] == [256]


def test_pages_of_meaning_hold_every_vcon_once(store: Path) -> None:
    asked = {"mode": "hybrid", "query": "where is my parcel, the delivery is late"}
    with closing(serving(store)) as server:
        whole = uuids(body(server, "vcon_search", asked))
        assert len(whole) > 2
        paged: list[str] = []
        cursor: dict[str, str] = {}
        for _ in whole:
            answer = body(server, "vcon_search", {**asked, "limit": 1, **cursor})
            paged += uuids(answer)
            cursor = {"cursor": answer["page"].get("next_cursor", "")}
        assert paged == whole
        assert not cursor["cursor"]


def test_a_changed_vcon_is_found_by_what_it_says_now_and_not_by_what_it_said(store: Path) -> None:
    late, said = corpus()[8]["uuid"], {**corpus()[8]["dialog"][0], "body": "What is the weather like? It rains."}
    question = {"mode": "semantic", "query": SEED_LATE["query"]}
    asked = {"mode": "semantic", "query": "what is the weather like"}
    with closing(serving(store)) as server:
        assert late in uuids(body(server, "vcon_search", question))
        with VconStore.open(store) as opened:
            VconService(opened, "test").replace(late, "dialog", 0, said)
        assert late not in uuids(body(server, "vcon_search", question))
        assert uuids(body(server, "vcon_search", asked)) == [late]
        with VconStore.open(store) as opened:
            VconService(opened, "test").delete(late, confirm=True)
            assert recounted(opened) == 9
        assert uuids(body(server, "vcon_search", asked)) == []


def recounted(store: VconStore) -> int:
    """Return how many vCons have vectors; each of them must be there."""
    orphans = "SELECT count(*) FROM vcon_vectors WHERE vcon_no NOT IN (SELECT vcon_no FROM vcons)"
    assert store.connection.execute(orphans).fetchone() == (0,)
    return int(store.connection.execute("SELECT count(DISTINCT vcon_no) FROM vcon_vectors").fetchone()[0])


def lines_of(path: Path, db: Path) -> list[dict[str, Any]]:
    assert run(["vcon", "embed", "--db", str(db), "--texts", str(path)]) == Exit.OK
    return [json.loads(line) for line in path.read_text().splitlines()]


def vector(at: int) -> list[float]:
    return [1.0 if place == at else 0.001 for place in range(384)]


def test_an_embedding_of_the_caller_needs_vectors_of_its_length(store: Path, tmp_path: Path) -> None:
    with closing(serving(store)) as server:
        refused = ask(server, "search_vcons_semantic", {"embedding": vector(5)})
        assert refused.structured is not None
        assert refused.structured["details"]["reason"] == "PROVIDER_UNAVAILABLE"
        assert [item["dimensions"] for item in refused.structured["details"]["stored_vectors"]] == [256]
        lines = lines_of(tmp_path / "texts.jsonl", store)
        assert {line["unit"] for line in lines} == {"subject", "dialog", "analysis", "attachment"}
        made = [{**line, "embedding": vector(number % 384)} for number, line in enumerate(lines)]
        wrong = [{**made[0], "text": "another"}, {**made[0], "vcon": "x"}, {**made[0], "embedding": [1.0, 2.0]}]
        file = tmp_path / "made.jsonl"
        file.write_text("\n".join(map(json.dumps, [*made, *wrong])) + "\nno json\n")
        command = ["vcon", "embed", "--db", str(store), "--from", str(file), "--model"]
        assert run([*command, MODEL]) == Exit.FAILED  # for some lines were rejected
        found = body(server, "search_vcons_semantic", {"embedding": vector(5), "threshold": 0.9})
        assert uuids(found) == [lines[5]["vcon"]]
        assert uuids(body(server, "vcon_search", {"mode": "semantic", "embedding": vector(9)})) == [lines[9]["vcon"]]
        assert run([*command, "another-384"]) == Exit.USAGE  # whose would a caller's vector be?


def test_vectors_that_no_single_precision_holds_are_taken_and_garbage_takes_none_away(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    lines = lines_of(tmp_path / "texts.jsonl", store)
    file = tmp_path / "vectors.jsonl"
    command = ["vcon", "embed", "--db", str(store), "--from", str(file), "--model", MODEL, "--json"]

    def take(values: list[Any], expected: Exit) -> dict[str, Any]:
        file.write_text("".join(value if isinstance(value, str) else json.dumps(value) + "\n" for value in values))
        capsys.readouterr()
        assert run(command) == expected
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report

    sizes = (1e300, 3e38, 1e-200)
    made = [{**lines[at], "embedding": [size * number for number in vector(at)]} for at, size in enumerate(sizes)]
    assert take(made, Exit.OK)["vectors"] == 3
    assert [str(warning.message) for warning in recwarn if warning.category is RuntimeWarning] == []

    def nearest(at: int) -> list[str]:
        with closing(serving(store)) as server:
            return uuids(body(server, "search_vcons_semantic", {"embedding": vector(at), "threshold": 0.9}))

    assert [nearest(at) for at in range(3)] == [[line["vcon"]] for line in lines[:3]]
    odd = ({"index": 2**63}, {"position": -(2**70)}, {"embedding": [0.0]})
    assert take(["{\n", *({**made[0], **more} for more in odd)], Exit.FAILED)["rejected"] == {
        "not_a_line": 3,
        "not_a_vector": 1,
    }
    assert nearest(0) == [lines[0]["vcon"]]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    file, db = tmp_path / "vcons.json", tmp_path / "cache.db"
    values = corpus()
    values[8]["dialog"][0]["body"] += " Write to me: kim@example.com."
    file.write_text(json.dumps({"vcons": values}))
    assert run(["vcon", "import", str(file), "--db", str(db), "--cache"]) == Exit.OK
    assert run(["cache", "warm", "--semantic", "--db", str(db)]) == Exit.OK
    return db


def test_a_cache_answers_the_same_and_names_nobody(cache: Path) -> None:
    handler = build_handler(ServerSettings.resolve({"tool_preset": "vcon-readonly"}, {}), cache)
    late, price = corpus()[8]["uuid"], corpus()[9]["uuid"]
    for name, arguments, wanted in (
        ("search_vcons_semantic", SEED_LATE, late),
        ("search_vcons_hybrid", SEED_PRICE, price),
        ("vcon_search", {"mode": "semantic", "query": SEED_LATE["query"]}, late),
        ("vcon_search", {"mode": "hybrid", "query": SEED_PRICE["query"]}, price),
    ):
        answer = handler.call(name, arguments).answer
        assert answer.structured is not None
        assert uuids(answer.structured)[0] == wanted
        assert "kim@" not in json.dumps(answer.structured)
    refused = handler.call("vcon_search", {"mode": "semantic", "embedding": vector(1)}).answer
    assert code_of(refused) == "PROVIDER_UNAVAILABLE"


def test_a_cache_takes_no_vector_of_what_it_does_not_serve(cache: Path, tmp_path: Path) -> None:
    lines = lines_of(tmp_path / "texts.jsonl", cache)
    masked = next(line for line in lines if line["text"].startswith(LATE))
    assert "kim@example.com" not in masked["text"]
    raw = {**masked, "text": f"{LATE} Write to me: kim@example.com.", "embedding": vector(3)}
    file = tmp_path / "raw.jsonl"
    file.write_text(json.dumps(raw) + "\n")
    command = ["vcon", "embed", "--db", str(cache), "--from", str(file), "--model", MODEL, "--json"]
    assert run(command) == Exit.FAILED
    file.write_text(json.dumps({**masked, "embedding": vector(3)}) + "\n")
    assert run(command) == Exit.OK  # the control: of what is served it takes one
