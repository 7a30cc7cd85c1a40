"""Sizes: measured bytes and an estimate of tokens, which is named as one wherever it is shown."""

from __future__ import annotations

import re

ESTIMATOR = "word pieces: letters/6, digits/3, runs of signs/3 (estimate)"
"""Name of the estimator, printed beside every figure that it makes."""

_PIECES = re.compile(r"[A-Za-z]+|[0-9]+|[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+|[^\x00-\x7f]")


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens *text* costs a language model.

    A word counts one token per six letters begun, a number one per three digits, a run of ASCII signs one
    per three (tokenizers join quotes, colons and braces), any other character one. Tokenizers differ;
    the figure is for budgets, not for bills.
    """
    total = 0
    for match in _PIECES.finditer(text):
        piece = match.group()
        length = len(piece)
        total += -(-length // 6) if piece[0].isascii() and piece[0].isalpha() else -(-length // 3)
    return total
