"""Recall of masking on lines written by six people who had not seen the detectors.

The first three files and, of each kind, form and language, every other line of the fourth and fifth were then used to
make the detectors better: on those lines the goal is held, 0.98 in each kind, form and language. The other lines, and
all of the sixth file, nobody who works on a detector has looked at. They say how much is found of what was never seen;
their floor is what was measured, so that it gets no worse, and ``docs/exposure.md`` says so. A failure names kinds and
counts, never a line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gongmcp.exposure.masking import mask_sentences

FOLDER = Path(__file__).parent
KINDS = ("email", "phone", "card", "iban", "key", "link")
FORMS = ("written", "spoken", "split")
LANGUAGES = ("en", "de", "fr", "es")
OPENED = ("labelled.jsonl", "fresh.jsonl", "third.jsonl")
HALVED = ("fourth.jsonl", "fifth.jsonl")
HELD_BACK = ("sixth.jsonl",)
GOAL = 0.98
FLOORS = {
    "written": {"email": 1.0, "phone": 0.97, "card": 0.98, "iban": 1.0, "key": 0.9, "link": 0.98},
    "spoken": {"email": 0.91, "phone": 0.92, "card": 0.97, "iban": 0.99, "key": 0.9, "link": 0.85},
    "split": {"email": 0.88, "phone": 0.97, "card": 0.98, "iban": 0.99, "key": 0.78, "link": 0.88},
}
"""Of what was never seen, the share that was measured, rounded down."""

Stratum = tuple[str, str, str]


def lines(name: str) -> list[dict[str, Any]]:
    """Return the records of a file beside this one."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def stratum(line: dict[str, Any]) -> Stratum:
    """Return the kind, form and language of a line."""
    return line["kind"], line["form"], line["language"]


def opened() -> Iterator[dict[str, Any]]:
    """Yield the lines that detectors were made with."""
    for name in OPENED:
        yield from lines(name)
    for name in HALVED:
        yield from half(name, 1)


def unseen() -> Iterator[dict[str, Any]]:
    """Yield the lines that nobody who works on a detector has looked at."""
    for name in HALVED:
        yield from half(name, 0)
    for name in HELD_BACK:
        yield from lines(name)


def half(name: str, odd: int) -> Iterator[dict[str, Any]]:
    """Yield of each kind, form and language every other line: the first, third, ... (*odd* 1) or the second, fourth."""
    seen: Counter[Stratum] = Counter()
    for line in lines(name):
        seen[stratum(line)] += 1
        if seen[stratum(line)] % 2 == odd:
            yield line


def survives(sentences: Sequence[str], secrets: Sequence[Sequence[str]]) -> bool:
    """Tell whether any part of a labelled value is still there after masking the turn as one."""
    masked = [text.value for text in mask_sentences(sentences)]
    return any(part in text for text, parts in zip(masked, secrets, strict=True) for part in parts)


@cache
def measured(which: str) -> tuple[Counter[Stratum], Counter[Stratum]]:
    """Return lines and misses by kind, form and language, of the lines that are ``opened`` or ``unseen``."""
    seen: Counter[Stratum] = Counter()
    missed: Counter[Stratum] = Counter()
    for line in opened() if which == "opened" else unseen():
        seen[stratum(line)] += 1
        missed[stratum(line)] += survives(line["sentences"], line["secret"])
    return seen, missed


def test_the_goal_is_held_in_each_stratum_of_the_opened_lines() -> None:
    seen, missed = measured("opened")
    assert len(seen) == len(KINDS) * len(FORMS) * len(LANGUAGES)
    low = [at for at in seen if seen[at] - missed[at] < GOAL * seen[at]]
    below = [f"{'/'.join(at)} {seen[at] - missed[at]} of {seen[at]}" for at in low]
    if below:  # not pytest's own display of a comparison: it would print the lines
        pytest.fail("; ".join(below), pytrace=False)


@pytest.mark.parametrize("form", FORMS)
def test_recall_of_what_was_never_seen(form: str) -> None:
    seen, missed = measured("unseen")
    for kind in KINDS:
        total = sum(seen[kind, form, language] for language in LANGUAGES)
        found = total - sum(missed[kind, form, language] for language in LANGUAGES)
        if found < FLOORS[form][kind] * total:
            pytest.fail(f"{kind}, {form}: {found} of {total}", pytrace=False)


def test_every_stratum_has_its_lines() -> None:
    for name in (*OPENED, *HALVED, *HELD_BACK):
        counted = Counter(map(stratum, lines(name)))
        assert len(counted) == len(KINDS) * len(FORMS) * len(LANGUAGES)
        assert len(set(counted.values())) == 1


def test_innocent_lines_are_left_alone() -> None:
    wrong: Counter[str] = Counter()
    for line in lines("innocent.jsonl"):
        for text in mask_sentences(line["sentences"]):
            wrong.update(span.kind for span in text.spans if span.kind in KINDS)
    if wrong:
        pytest.fail(f"masked in innocent lines: {dict(wrong)}", pytrace=False)


def test_control_without_masking_every_value_survives() -> None:
    for name in (*OPENED, *HALVED, *HELD_BACK):
        for line in lines(name):
            assert any(
                part in text for text, parts in zip(line["sentences"], line["secret"], strict=True) for part in parts
            )
