"""Find every quotation of a walkthrough in the files that were imported: in its call, at its time, word for word.

    python docs/seen/quotations_at_their_time.py PAGE DB DATA

PAGE quotes as docs/walkthrough.md does (``> words``, then ``> — who, call_… at m:ss``), DB is the cache that was asked
(``scripts/build_walkthrough.py --keep DB``), DATA the folder of files. Of the cache only the id behind a call's alias
is read; the words are looked for in the files, without the program. Exit 1 when one is not there.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

_TOLD = re.compile(r"^> — .*, (call_[0-9a-f]{16}) at (\d+):(\d\d)$")
_MARK = re.compile(r"\{redacted:[^{}]*\}")


def transcripts(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the sentences of each call, with start and text, as the files have them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("transcripts.jsonl"):
            continue
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in text.decode().splitlines():
            item = json.loads(line)
            found[item["callId"]] = [said for turn in item["transcript"] for said in turn["sentences"]]
    return found


def is_said(quotation: str, sentence: str) -> bool:
    """Tell whether *quotation* is a part of *sentence*; a mark stands for anything, an ellipsis at an end for a cut."""
    words = quotation.replace("«", "").replace("»", "").strip()
    pieces = [re.escape(" ".join(piece.split())) for piece in _MARK.split(words.strip("…").strip())]
    return re.search(r".+?".join(pieces), " ".join(sentence.split())) is not None


def main(page: Path, db: Path, data: Path) -> int:
    """Look up the quotations and say how many were found."""
    said = transcripts(data)
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        ids = dict(connection.execute("SELECT call_ref, call_id FROM call_facts"))
    lines = page.read_text(encoding="utf-8").splitlines()
    found, missing, elsewhere = 0, [], 0
    for quotation, told in pairwise(lines):
        place = _TOLD.match(told)
        if place is None:
            continue
        at = int(place[2]) * 60 + int(place[3])
        sentences = said[ids[place[1]]]
        text = quotation.removeprefix("> ").replace("&lt;", "<")
        if any(is_said(text, one["text"]) for one in sentences if one["start"] // 1000 == at):
            found += 1
        else:
            missing.append(f"{place[1]} at {place[2]}:{place[3]}: {text[:80]}")
        elsewhere += any(is_said(text, one["text"]) for one in sentences if one["start"] // 1000 == at + 60)
    for line in missing:
        print(f"not there: {line}")
    total = found + len(missing)
    print(f"{found} of {total} quotations stand in the files at their time; a minute later (control): {elsewhere}")
    return int(bool(missing) or not found)


if __name__ == "__main__":
    raise SystemExit(main(*map(Path, sys.argv[1:4])))
