"""Sizes: measured bytes and an estimate of tokens, which is named as one wherever it is shown."""

from __future__ import annotations

import re

ESTIMATOR = "word pieces: letters/6, digits/3, runs of signs/3 (estimate)"
"""Name of the estimator, printed beside every figure that it makes."""

# A run is cut from its beginning, so that it gives as many pieces as its length has parts, the last one begun.
_PIECES = re.compile(r"[A-Za-z]{1,6}|[0-9]{1,3}|[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]{1,3}|[^\x00-\x7f]")


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens *text* costs a language model.

    A word counts one token per six letters begun, a number one per three digits, a run of ASCII signs one
    per three (tokenizers join quotes, colons and braces), any other character one. Tokenizers differ;
    the figure is for budgets, not for bills.
    """
    return len(_PIECES.findall(text))
