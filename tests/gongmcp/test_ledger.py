"""The ledger names every withheld thing at its place: put the raw values back and the raw result is there."""

from __future__ import annotations

import copy
import json
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest

from gongmcp.catalog.registry import catalog
from gongmcp.exposure import engine
from gongmcp.exposure.decisions import Decision, field_of
from gongmcp.exposure.ledger import Entry
from tests.gongmcp.canary import write_files
from tests.gongmcp.conftest import MakeHandler, build_cache
from tests.gongmcp.examples import EXAMPLES


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ledger")
    return build_cache(folder / "canary.db", write_files(folder))


def undisclosed(handler: Any, name: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The structured answer with every column shown: what the tool returned before the engine."""
    with monkeypatch.context() as patch:
        patch.setattr(engine, "decide", lambda expose, policy, args: Decision(True, field_of(expose, args)))
        structured = handler.call(name, dict(arguments)).answer.structured
    assert structured is not None
    return dict(structured)


def at(value: Any, place: tuple[str | int, ...]) -> Any:
    for part in place:
        value = value[part]
    return value


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_putting_omitted_fields_back_gives_the_raw_rows(
    name: str, make_handler: MakeHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = make_handler(max_response_bytes="4000000")  # the raw rows are larger: neither may be cut for size
    for arguments in EXAMPLES[name]:
        outcome = handler.call(name, dict(arguments))
        if outcome.answer.structured is None:
            continue
        raw = undisclosed(handler, name, arguments, monkeypatch)
        rebuilt = copy.deepcopy(outcome.answer.structured)
        used: list[Entry] = []
        for entry in outcome.ledger.entries:
            if entry.action == "omitted":
                at(rebuilt, entry.place[:-1])[entry.place[-1]] = at(raw, entry.place)
                used.append(entry)
        assert [entry for entry in outcome.ledger.entries if entry.action == "omitted"] == used
        for envelope in ("withheld_fields", "next_cursor", "suggested_refinements"):
            raw.pop(envelope, None), rebuilt.pop(envelope, None)
            if catalog()[name].facade:
                raw["result"].pop(envelope, None), rebuilt["result"].pop(envelope, None)
        if catalog()[name].facade:  # what a pack suggests next it makes of what is shown
            raw["result"].pop("follow_ups", None), rebuilt["result"].pop("follow_ups", None)
        assert rebuilt == raw


def test_putting_spans_and_cuts_back_gives_the_raw_sentence(cache: Path, make_handler: MakeHandler) -> None:
    handler = make_handler(cache, provenance="raw")
    outcome = handler.call("search_transcript_segments", {"query": "redacted", "include_call_ids": True})
    assert outcome.answer.structured is not None
    rows = outcome.answer.structured["results"]
    assert rows
    sentences = raw_sentences(cache)
    for index, row in enumerate(rows):
        entries = [entry for entry in outcome.ledger.entries if entry.place == ("results", index, "snippet")]
        spans = [entry for entry in entries if entry.action == "redacted"]
        raw = sentences[row["call_id"]][row["segment_index"]]
        text = row["snippet"].replace("«", "").replace("»", "")
        assert text != raw
        assert put_back(text, spans, raw) == raw
        assert len(spans) == text.count("{redacted:") == len(entries)


def raw_sentences(cache: Path) -> dict[str, list[str]]:
    """The sentences of each call as delivered, read from the raw half as only a writer may."""
    connection = sqlite3.connect(cache)
    rows = connection.execute("SELECT call_id, payload FROM raw_transcripts").fetchall()
    connection.close()
    return {
        call_id: [
            sentence["text"]
            for monologue in json.loads(zlib.decompress(payload))["transcript"]
            for sentence in monologue["sentences"]
        ]
        for call_id, payload in rows
    }


def put_back(text: str, spans: list[Entry], raw: str) -> str:
    """Replace each mark of *text* by the piece of *raw* that its entry names."""
    for span in spans:
        text = text.replace(f"{{redacted:{span.kind}}}", raw[span.start : span.start + span.length], 1)
    return text


def test_no_entry_holds_a_value(cache: Path, make_handler: MakeHandler) -> None:
    handler = make_handler(cache)
    for name, arguments in (("search_transcript_segments", {"query": "pricing"}), ("search_calls", {})):
        text = json.dumps(handler.call(name, arguments).ledger.as_dict())
        for value in ("CANARY", "canaryspoken", "555-0199", "91000000", "93000000"):
            assert value not in text
