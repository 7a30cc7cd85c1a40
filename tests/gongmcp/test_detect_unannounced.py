"""Codes that are spelt, rooms on any host, keys and addresses told part by part: masked without an announcement."""

from __future__ import annotations

import re

import pytest

from gongmcp.exposure.masking import find_spans, mask_sentences
from gongmcp.exposure.text import restore
from tests.gongmcp.unannounced_lines import MASKED, STAYS


@pytest.mark.parametrize("line", MASKED)
def test_what_is_told_goes(line: str) -> None:
    kind, text = line.split("|", 1)
    sentences = text.replace("[", "").replace("]", "").split(" // ")
    masked = mask_sentences(sentences)
    for marked, raw, sentence in zip(text.split(" // "), sentences, masked, strict=True):
        assert not [secret for secret in re.findall(r"\[([^\]]*)\]", marked) if secret in sentence.value]
        values = [raw[span.start : span.start + span.length] for span in sentence.spans]
        assert restore(sentence.value, sentence.spans, values) == raw
    assert kind in {span.kind for sentence in masked for span in sentence.spans}


@pytest.mark.parametrize("line", STAYS)
def test_what_only_looks_so_stays(line: str) -> None:
    sentences = line.split(" // ")
    assert [sentence.value for sentence in mask_sentences(sentences)] == sentences


@pytest.mark.parametrize(
    "sentence", ["Oscar, neuf, zéro.", "Then 20VT.", "Danach petersen, mit einem e.", "x, four.", "Puis 448 1207."]
)
def test_a_part_alone_is_nothing(sentence: str) -> None:
    """The control of the first test: only together, or behind what opens them, are they something."""
    assert find_spans([sentence]) is None
