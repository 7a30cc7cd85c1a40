"""What stands beside a piece that was found: the sentences before and behind it that hold little but a value.

A dictation is recognised by some of its pieces, often not by all of them. Where one was found and is not the whole of
a value, the runs of digits, letters and codes in the short sentences next to it are more of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from gongmcp.exposure.detect import forms, pieces
from gongmcp.exposure.detect.dictation import LETTER, Bit
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.gathered import Sentence
from gongmcp.exposure.detect.spoken import HYPHENS, UNDERSCORES, any_of

Find = tuple[int, int, str]

_KINDS: Final = frozenset({"link", "key", "iban", "card", "phone"})
_MOST_WORDS, _MOST_ODD = 8, 3
"""A sentence that is taken in has no more words, and no more words of no sequence, beside its runs."""
_MOST_FOUND: Final = 12
"""A sentence with a piece that was found has no more words beside it."""
_MOST_SILENT, _SILENT = 2, 7
_FARTHEST: Final = 8
_LEAST, _LEAST_LED = 3, 2
"""So many letters and digits has what is taken in, and so many where only words of sequence stand beside it."""
_HEAD: Final = re.compile(
    rf"(?<![\w@.-])(?:(?:akia|asia|aiza|gh[opsu]|glpat|whsec|xox[abps]|xapp|npm|pypi|github|gsk|dapi)(?![\w@])"
    rf"|(?:[sprt]k|s k|p k|r k|pat|tok|token|key|api|live|test|prod)(?= ?(?:[_-]|{any_of(UNDERSCORES | HYPHENS)}\b)))"
    rf"(?:[ ,]*(?:[_-]|{any_of(UNDERSCORES | HYPHENS)}\b)[ ,]*(?:live|test|prod|proj)?(?!\w))*"
    rf"|(?<![\w@.-])[a-z]{{2,12}}[ ,]+{any_of(UNDERSCORES)}[ ,]+(?:live|test|prod|dev|staging|api|key|token|secret)"
    rf"(?:[ ,]+{any_of(UNDERSCORES)}|_)?(?!\w)"
)
"""The prefix of a key, by itself."""
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")


def find(view: View, sentences: Sequence[Sentence], finds: Sequence[Find]) -> Iterator[Find]:
    """Yield each run beside *finds*, with the kind of the find that it stands beside."""
    inside = _by_sentence(sentences, finds)
    kinds = [_kind(view, sentence, here) for sentence, here in zip(sentences, inside, strict=True)]
    for step in (1, -1):
        for at, kind in enumerate(kinds):
            if kind:
                yield from _from(view, sentences, kinds, at, step, inside)


def _by_sentence(sentences: Sequence[Sentence], finds: Sequence[Find]) -> list[list[Find]]:
    """Return the *finds* that touch each sentence."""
    inside: list[list[Find]] = [[] for _ in sentences]
    starts = [sentence.start for sentence in sentences]
    for found in finds:
        at = max(0, bisect_right(starts, found[0]) - 1)
        while at < len(sentences) and sentences[at].start < found[1]:
            if found[0] < sentences[at].end:
                inside[at].append(found)
            at += 1
    return inside


def _kind(view: View, sentence: Sentence, here: Sequence[Find]) -> str:
    """Return the kind of what was found in a short sentence; '' for nothing, or for a whole value."""
    if not here or any(kind not in _KINDS for _, _, kind in here) or sentence.words > _MOST_FOUND:
        return ""
    if len({kind for _, _, kind in here}) == 1 and here[0][2] in {"phone", "card", "iban"} and sentence.runs:
        text = "".join(pieces.value_of(view, run) for run in sentence.runs)
        if forms.is_whole(text, here[0][2]):
            return ""
    return max(here, key=lambda found: found[1] - found[0])[2]


def _from(
    view: View,
    sentences: Sequence[Sentence],
    kinds: Sequence[str],
    at: int,
    step: int,
    inside: Sequence[Sequence[Find]],
) -> Iterator[Find]:
    """Yield what stands beside the sentence *at* in one direction."""
    silent = 0
    index = at + step
    while 0 <= index < len(sentences) and abs(index - at) <= _FARTHEST:
        sentence = sentences[index]
        if inside[index]:
            return  # it goes on from there
        heads = list(_HEAD.finditer(view.text, sentence.start, sentence.end)) if kinds[at] == "key" else []
        if heads and sentence.words <= _MOST_WORDS:
            for head in heads:
                yield *head.span(), "key"
            silent = 0
            for run in sentence.runs:
                yield *pieces.place(view, run), "key"
        elif _more(view, sentence):
            for run in sentence.runs:
                yield *pieces.place(view, run), kinds[at]
            silent = 0
        elif sentence.figure or sentence.runs or sentence.words > _SILENT or silent == _MOST_SILENT:
            return
        else:
            silent += 1
        index += step


def _more(view: View, sentence: Sentence) -> bool:
    """Tell whether a sentence holds runs that may be more of a value, and little else."""
    if sentence.figure or not sentence.runs or sentence.words > _MOST_WORDS or sentence.odd > _MOST_ODD:
        return False
    texts = [pieces.value_of(view, run) for run in sentence.runs]
    if all(_YEAR.fullmatch(text) for text in texts):
        return False
    least = _LEAST if sentence.odd else _LEAST_LED
    spelt = all(_spelt(run) for run in sentence.runs)
    return sum(map(len, texts)) >= least and (spelt or any(any(map(str.isdigit, text)) for text in texts))


def _spelt(run: Sequence[Bit]) -> bool:
    return sum(bit.sort == LETTER for bit in run) > 2
