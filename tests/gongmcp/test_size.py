"""The estimate of tokens is that of the pieces that its name tells."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from gongmcp.render.size import estimate_tokens

PIECES = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]{1,3}|[^\x00-\x7f]")


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from('aaabzA09|+{" \né…\x7f\x00ß'), max_size=40))
def test_an_estimate_counts_pieces_of_runs(text: str) -> None:
    assert estimate_tokens(text) == len(PIECES.findall(text))
