"""Exports read by another implementation of the format: the package ``vcon`` of PyPI (0.10 or newer, Python 3.12).

    python docs/seen/vcon_independent.py FULL.ndjson [REDACTED.ndjson]

Run by an interpreter that has the package and nothing of ours. Each full export must open, be valid by its validator,
hold no property that it does not know, and say the same: parties, dialogs, analyses, attachments, tags, transcript. Of
redacted ones its complaints must be about the media type of a recording alone, which the policy does not tell. A
vCon broken on purpose must be found, or the validator says nothing. Exit 1 when a point does not hold.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import logging
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

logging.disable(logging.CRITICAL)

with contextlib.redirect_stderr(io.StringIO()):  # a library of its own warns whatever the filters say
    from vcon import Vcon  # type: ignore[import-not-found]

WITHOUT_MEDIA = ("Dialog at index N has an invalid or missing mediatype: missing",)
"""What it says of a recording that is told without its media; indexes are N."""


def complaints(line: str) -> tuple[Any, list[str]]:
    """Open one vCon and return it with what is said against it."""
    opened = Vcon.build_from_json(line)
    _, errors = opened.is_valid()
    return opened, [re.sub(r"index \d+", "index N", error) for error in errors]


def differences(line: str, opened: Any) -> set[str]:
    """Return which keys of a vCon the other implementation read otherwise; it writes ``Z`` as ``+00:00``."""
    given, read = json.loads(line), json.loads(opened.to_json())
    given["created_at"] = given["created_at"].replace("Z", "+00:00")
    keys = {key for key in given.keys() | read.keys() if given.get(key) != read.get(key)}
    for item in read["attachments"]:
        if item.get("type") == item["purpose"] == "tags":
            del item["type"]  # older readers find the tags by it
    strict = Vcon.build_from_json(line, property_handling="strict").to_dict()
    return keys | {f"{key} (unknown properties)" for key in read if strict.get(key) != read[key]}


def wrongly_read(line: str, opened: Any) -> bool:
    """Tell whether its own accessors say something else of tags and transcript than the file does."""
    given = json.loads(line)
    tags = next(json.loads(item["body"]) for item in given["attachments"] if item.get("purpose") == "tags")
    if any(opened.get_tag(key) != value for key, value in (tag.split(":", 1) for tag in tags) if ":" not in value):
        return True
    said = opened.find_analysis_by_type("transcript")
    if said is None:
        return any(item["type"] == "transcript" for item in given["analysis"])
    segments = Vcon.decoded_body(said)["segments"]
    return not segments or any(not segment["text"] for segment in segments)


def look(path: Path, *, redacted: bool) -> bool:
    """Read every vCon of *path* and say what was found."""
    found: Counter[str] = Counter()
    other: Counter[str] = Counter()
    count = valid = misread = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        opened, errors = complaints(line)
        count += 1
        valid += not errors
        found.update(errors)
        other.update(differences(line, opened))
        misread += wrongly_read(line, opened)
    print(f"   {path.stem}: {count} opened, {valid} valid, tags or transcript misread in {misread}")
    for error, number in found.most_common():
        print(f"      says {number} times: {error}")
    for key, number in other.most_common():
        print(f"      read otherwise in {number}: {key}")
    complained = set(found) <= set(WITHOUT_MEDIA) if redacted else valid == count
    return count > 0 and complained and not other and not misread


def control(path: Path) -> bool:
    """Break a vCon in ways that its validator knows, and see whether each is found."""
    first = path.read_text(encoding="utf-8").splitlines()[0]
    missed = []
    breaks: dict[str, Callable[[Any], object]] = {
        "a party that is not there": lambda vcon: vcon["dialog"][0].update(parties=[999]),
        "a dialog that is not there": lambda vcon: vcon["analysis"][0].update(dialog=999),
        "an encoding that does not exist": lambda vcon: vcon["attachments"][0].update(encoding="rot13"),
        "no uuid": lambda vcon: vcon.pop("uuid"),
    }
    for name, broken in breaks.items():
        vcon = json.loads(first)
        broken(vcon)
        if not complaints(json.dumps(vcon))[1]:
            missed.append(name)
    print(f"   broken on purpose: 4, not found: {', '.join(missed) or 'none'}")
    return not missed


def main(arguments: list[str]) -> int:
    """Look at the files of the command line."""
    print(f"   vcon {importlib.metadata.version('vcon')} on Python {sys.version.split()[0]}")
    full, *rest = map(Path, arguments)
    good = look(full, redacted=False)
    for path in rest:
        good &= look(path, redacted=True)
    return 0 if control(full) and good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
