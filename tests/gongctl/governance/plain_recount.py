"""Which calls name a company: counted over the raw files in the plainest way, without the product's matcher.

A text is its words in lower case, without accents, apostrophes and "and". A company is named where the letters of
some words in a row are those of its name, its legal forms left out; a last "s" may follow.
"""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMS = frozenset(["inc", "corp", "corporation", "company", "ltd", "llc", "plc", "group", "holdings", "limited"])
"""Legal forms at the end of the names that these tests use."""


def words(text: str) -> list[str]:
    """Return the words of *text*."""
    text = unicodedata.normalize("NFKD", text).lower().replace("&", " and ")
    text = "".join(c for c in text if not unicodedata.combining(c) and c not in "'’")
    return [word for word in re.findall(r"[^\W_]+", text) if word != "and"]


def core(name: str) -> str:
    """Return the letters of *name* without its legal forms."""
    parts = words(name)
    while len(parts) > 1 and parts[-1] in FORMS:
        parts.pop()
    return "".join(parts)


def mentions(name: str, text: str) -> bool:
    """Tell whether *text* names the company *name*."""
    return named_in(core(name), words(text))


def named_in(letters: str, found: Sequence[str]) -> bool:
    """Tell whether some of the words *found* in a row are *letters*, also with an s behind them."""
    for start, first in enumerate(found):
        if not letters.startswith(first) and first != letters + "s":
            continue
        joined = ""
        for word in found[start:]:
            joined += word
            if joined == letters or (joined == letters + "s" and len(letters) > 3):
                return True
            if not letters.startswith(joined):
                break
    return False


@dataclass
class RawCalls:
    """The calls of some files with the words of every text: one for each value, and for each turn of a speaker."""

    texts: dict[str, list[list[str]]] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    companies: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, files: Sequence[Path]) -> RawCalls:
        """Read calls, transcripts and answered scorecards from *files*."""
        out = cls()
        for file in files:
            for record in _records(file):
                if "transcript" in record and "callId" in record:
                    out._add(str(record["callId"]), _turns(record))
                elif "answers" in record and "callId" in record:
                    out._add(str(record["callId"]), _values(record))
                elif "metaData" in record:
                    call_id = str(record["metaData"]["id"])
                    out._add(call_id, _values(record))
                    if record["metaData"].get("isPrivate"):
                        out.private.add(call_id)
                    out.companies += _accounts(record)
        out.companies = sorted(set(out.companies))
        return out

    def naming(self, name: str) -> set[str]:
        """Return the ids of the calls that name the company *name* anywhere."""
        letters = core(name)
        return {call_id for call_id, texts in self.texts.items() if any(named_in(letters, text) for text in texts)}

    def _add(self, call_id: str, texts: Iterator[str]) -> None:
        self.texts.setdefault(call_id, []).extend(map(words, texts))


def _records(file: Path) -> Iterator[dict[str, Any]]:
    data = file.read_bytes()
    text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
    documents = map(json.loads, text.splitlines()) if ".jsonl" in file.name else [json.loads(text)]
    for document in documents:
        lists = [value for value in document.values() if isinstance(value, list)] if "requestId" in document else []
        if "metaData" in document or "callId" in document:
            yield document
        for items in lists or [value for value in document.values() if isinstance(value, list)]:
            yield from (item for item in items if isinstance(item, dict) and ("callId" in item or "metaData" in item))


def _values(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from _values(value)
    elif isinstance(node, list):
        for value in node:
            yield from _values(value)


def _turns(record: dict[str, Any]) -> Iterator[str]:
    for turn in record["transcript"]:
        yield " ".join(sentence["text"] for sentence in turn["sentences"])
        yield turn.get("topic") or ""


def _accounts(record: dict[str, Any]) -> list[str]:
    return [
        value["value"]
        for system in record.get("context") or ()
        for item in system.get("objects") or ()
        if item["objectType"] in ("Account", "Company")
        for value in item.get("fields") or ()
        if value["name"].lower() == "name"
    ]


def without_calls(files: Sequence[Path], gone: set[str], folder: Path) -> list[Path]:
    """Write *files* again into *folder* without the calls *gone* and all that is theirs; returns the files."""
    out = []
    for file in files:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
        target = folder / file.name.removesuffix(".gz")
        if ".jsonl" in file.name:
            lines = [line for line in text.splitlines() if not _is_of(json.loads(line), gone)]
            text = "".join(f"{line}\n" for line in lines)
        else:
            document = json.loads(text)
            for key, items in document.items():
                if isinstance(items, list):
                    document[key] = [item for item in items if not _is_of(item, gone)]
            text = json.dumps(document)
        target.write_text(text, encoding="utf-8")
        out.append(target)
    return out


def _is_of(record: Any, gone: set[str]) -> bool:
    if not isinstance(record, dict):
        return False
    meta = record.get("metaData") or {}
    return str(record.get("callId", meta.get("id", ""))) in gone
