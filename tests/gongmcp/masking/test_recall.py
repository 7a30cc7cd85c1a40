"""Recall of masking on lines written by people who had not seen the detectors.

``labelled.jsonl`` came first, ``fresh.jsonl`` and ``third.jsonl`` later, each by somebody else. Of each kind, form
and language every other line was then used to make the detectors better; what is measured here are the lines in
between, which nobody who works on a detector looks at. A failure names kinds and counts, never a line.

The goal is 0.98 everywhere. Where that is not reached yet, the floor is what was measured, so that it gets no worse;
``docs/exposure.md`` says so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gongmcp.exposure.masking import mask_sentences

FOLDER = Path(__file__).parent
KINDS = ("email", "phone", "card", "iban", "key", "link")
LANGUAGES = ("en", "de", "fr", "es")
FLOORS = {
    ("labelled.jsonl", "written"): 0.99,
    ("labelled.jsonl", "spoken"): 0.99,
    ("labelled.jsonl", "split"): 0.99,
    ("fresh.jsonl", "written"): 0.97,
    ("fresh.jsonl", "spoken"): 1.0,
    ("fresh.jsonl", "split"): 0.92,
    ("third.jsonl", "written"): 1.0,
    ("third.jsonl", "spoken"): 0.91,
    ("third.jsonl", "split"): 0.82,
}
GOAL = 0.98


def lines(name: str) -> list[dict[str, Any]]:
    """Return the records of a file beside this one."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def held_out(name: str) -> list[dict[str, Any]]:
    """Return the lines that no detector was made with: of each kind, form and language every second one."""
    seen: Counter[tuple[str, str, str]] = Counter()
    kept = []
    for line in lines(name):
        stratum = (line["kind"], line["form"], line["language"])
        seen[stratum] += 1
        if seen[stratum] % 2 == 0:
            kept.append(line)
    return kept


def survives(sentences: Sequence[str], secrets: Sequence[Sequence[str]]) -> bool:
    """Tell whether any part of a labelled value is still there after masking the turn as one."""
    masked = [text.value for text in mask_sentences(sentences)]
    return any(part in text for text, parts in zip(masked, secrets, strict=True) for part in parts)


@cache
def measured(name: str) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Return lines and misses of a file by (kind, form)."""
    seen: Counter[tuple[str, str]] = Counter()
    missed: Counter[tuple[str, str]] = Counter()
    for line in held_out(name):
        seen[line["kind"], line["form"]] += 1
        missed[line["kind"], line["form"]] += survives(line["sentences"], line["secret"])
    return seen, missed


@pytest.mark.parametrize(("name", "form"), FLOORS)
def test_recall_of_each_form(name: str, form: str) -> None:
    seen, missed = measured(name)
    total = sum(count for (_, of), count in seen.items() if of == form)
    lost = sum(count for (_, of), count in missed.items() if of == form)
    assert {kind for kind, of in seen if of == form} == set(KINDS)
    # Not pytest's own display of a comparison: it would print the lines.
    if total - lost < FLOORS[name, form] * total:
        by_kind = ", ".join(f"{kind} {seen[kind, form] - missed[kind, form]}/{seen[kind, form]}" for kind in KINDS)
        pytest.fail(f"{name}, {form}: {total - lost} of {total}; {by_kind}", pytrace=False)


def test_every_language_has_its_lines() -> None:
    for name in {name for name, _ in FLOORS}:
        counted = Counter((line["language"], line["form"]) for line in held_out(name))
        assert len(counted) == 3 * len(LANGUAGES)
        assert len(set(counted.values())) == 1


def test_innocent_lines_are_left_alone() -> None:
    wrong: Counter[str] = Counter()
    for line in lines("innocent.jsonl"):
        for text in mask_sentences(line["sentences"]):
            wrong.update(span.kind for span in text.spans if span.kind in KINDS)
    if wrong:
        pytest.fail(f"masked in innocent lines: {dict(wrong)}", pytrace=False)


def test_control_without_masking_every_value_survives() -> None:
    for name in {name for name, _ in FLOORS}:
        for line in lines(name):
            assert any(
                part in text for text, parts in zip(line["sentences"], line["secret"], strict=True) for part in parts
            )
