"""Rooms and codes of a meeting that are told in pieces: words joined by signs, a name behind an open path, a word and
a number behind "password".

What opens the telling is the host of a room or the words for its code; in the short sentences next to it everything
that signs join, and the name behind a slash that ended a sentence, is of the link.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from gongmcp.exposure.detect import parted_email, pieces
from gongmcp.exposure.detect.dictation import CASE, DIGITS, LETTER, NUMBER, Bit
from gongmcp.exposure.detect.dictation_words import PAUSES
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.gathered import Sentence
from gongmcp.exposure.detect.spoken import DOTS, SLASHES, any_of, words

_LABEL: Final = (
    r"(?:meet|meeting|video|conf|conference|konferenz|visio|rooms?|raum|salas?|salles?|webinar|webcast|join|calls?|live|vc|jitsi"
    r"|bbb)"
)
_DOT: Final = rf"(?:\.| (?:{any_of(DOTS)}) )"
_TOP: Final = r"(?:com|org|net|io|de|fr|es|eu|test|example|us|co|info)"
_HOST: Final = re.compile(
    rf"\b(?:{_LABEL}{_DOT}[a-z0-9-]+(?:{_DOT}[a-z0-9-]+)?{_DOT}{_TOP}|zoom{_DOT}us|whereby{_DOT}com"
    rf"|meet{_DOT}jit{_DOT}si)\b"
)
_NAMED_ROOM: Final = re.compile(
    r"\b(?:(?:whereby|jitsi|webex|zoom|meeting|video)[ -]?(?:room|raum)|(?:salle|sala|raum|room)(?: de| d')?"
    r" (?:whereby|jitsi|webex|zoom))(?:'s| is| ist|)?"
    r" (?:named|called|heisst|nennt sich|s'appelle|se llama|se nomme)\b"
)
"""What says the name of a room without its host."""
_CODE: Final = re.compile(
    r"\b(?:(?:room|meeting|meet|zoom|webinar|conference|waiting room)[ -](?:codes?|name|link)(?:'s)?"
    r"|(?:raum|meeting|meet|zoom|webinar|konferenz|besprechungs)-?[ ]?(?:codes?|name|link)"
    r"|(?:code|nom|lien) (?:de (?:la )?|du )?(?:salle|reunion|meet|zoom|webinaire|conference)"
    r"|(?:codigo|nombre|enlace) (?:de (?:la )?|del )?(?:sala|reunion|meet|zoom|webinar|conferencia))\b"
)
_PASS: Final = re.compile(
    r"\b(?:pass ?-?(?:codes?|words?|phrases?)|passwort|\w*kennwort|\w*kenncode|mots? de passe|contrasena|clave"
    r"|code secret"
    r"|codes? d'acces|codigos? de acceso)(?:'s)?\b"
)
_OPEN_END: Final = re.compile(rf"(?:/|[\s,]{any_of(SLASHES)})(?:,[^\n/]{{0,40}})?[.,]?$")
_SIGNS: Final = frozenset("-_/=?&.+")
_NO_NAME: Final = words("link meeting room code number wort word zahl mot nombre palabra numero the a")
_MOST_WORDS: Final = 12
_BEFORE, _BEHIND = 2, 5
_MOST_NAME: Final = 8
_FEW: Final = 5
"""A sentence whose runs are of the link holds no more words beside them, and none that tells no sequence."""


def find(
    view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], finds: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[int, int]]:
    """Yield each piece; some may overlap each other or *finds*."""
    starts = [sentence.start for sentence in sentences]
    opened: dict[int, list[tuple[int, int]]] = {}
    for found in _HOST.finditer(view.text):
        opened.setdefault(max(0, bisect_right(starts, found.start()) - 1), []).append(found.span())
    for found in chain(_CODE.finditer(view.text), _NAMED_ROOM.finditer(view.text)):
        opened.setdefault(max(0, bisect_right(starts, found.start()) - 1), [])
    mail = {max(0, bisect_right(starts, start) - 1) for start, _, kind in finds if kind == "email"}
    near = {index for at in opened for index in range(at - _BEFORE, at + _BEHIND + 1)}
    for index, sentence in enumerate(sentences):
        if index not in near or index in mail:
            continue
        hosts = opened.get(index, [])
        beside = _beside(bits, sentence, hosts)
        length = sum(bits[at].sort != LETTER for at in beside)
        if length > _MOST_WORDS:
            continue
        yield from _joined(view, bits, beside)
        yield from _password(view, bits, sentence)
        if not sentence.figure and not sentence.odd and sentence.words <= _FEW:
            for run in sentence.runs:
                if len(pieces.value_of(view, run)) > 1:
                    yield pieces.place(view, run)
        if index and _OPEN_END.search(view.text[sentences[index - 1].start : sentences[index - 1].end]):
            yield from _named(view, bits, sentence, sentence.start)
        code = _CODE.search(view.text, sentence.start, sentence.end)
        if code and index + 1 < len(sentences) and _begins(bits, sentences[index + 1]):
            yield from _named(view, bits, sentence, code.end())


def _begins(bits: Sequence[Bit], sentence: Sentence) -> bool:
    """Tell whether a sentence begins with a sign, behind words that only lead to it."""
    for bit in bits[sentence.first : sentence.stop]:
        if bit.sign and bit.sign in _SIGNS:
            return True
        if not pieces.follows(bit):
            return False
    return False


def _named(view: View, bits: Sequence[Bit], sentence: Sentence, at: int) -> Iterator[tuple[int, int]]:
    if bits[sentence.first].word in PAUSES or view.text[sentence.end - 1 : sentence.end + 1].endswith("?"):
        return
    here = parted_email.Sentence(sentence.first, sentence.stop, sentence.start, sentence.end)
    for start, end in parted_email.content(view, bits, here, at):
        if view.text[start:end] not in _NO_NAME:
            yield start, end


def _password(view: View, bits: Sequence[Bit], sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Yield a word with a number behind the words for a password: "lantern, then a nine"."""
    cue = _PASS.search(view.text, sentence.start, sentence.end)
    if cue is None:
        return
    here = [bit for bit in bits[sentence.first : sentence.stop] if bit.start >= cue.end()]
    first = next((at for at, bit in enumerate(here) if not pieces.follows(bit)), len(here))
    last = max((at for at, bit in enumerate(here) if _counts(bit)), default=-1)
    if first < last <= _MOST_NAME and here[first].word not in _NO_NAME:
        yield here[first].start, view.written.end(here[last].end)


def _counts(bit: Bit) -> bool:
    return bit.sort in {NUMBER, DIGITS} or bit.word in _SINGLE


_SINGLE: Final = words(
    "one two three four five six seven eight nine eins zwei zwo drei vier funf sechs sieben acht neun un deux "
    "trois quatre "
    "cinq six sept huit neuf uno dos tres cuatro cinco seis siete ocho nueve"
)


def _beside(bits: Sequence[Bit], sentence: Sentence, hosts: Sequence[tuple[int, int]]) -> list[int]:
    """Return the bits of a sentence that are not of its *hosts*, which are in order."""
    ends = [end for _, end in hosts]
    out = []
    for index in range(sentence.first, sentence.stop):
        host = bisect_right(ends, bits[index].start)
        if host == len(hosts) or bits[index].end <= hosts[host][0]:
            out.append(index)
    return out


def _joined(view: View, bits: Sequence[Bit], beside: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what signs join in a sentence, *beside* its hosts."""
    inside = frozenset(beside)
    signs = [index for index in beside if bits[index].sign and bits[index].sign in _SIGNS]
    if not signs:
        return
    first, last = signs[0], signs[-1]
    if first - 1 in inside and (not pieces.follows(bits[first - 1]) or bits[first - 1].sort in {LETTER, NUMBER}):
        first -= 1
        while first - 1 in inside and bits[first - 1].sort in {LETTER, NUMBER, DIGITS}:
            first -= 1
    stop = last
    while last + 1 in inside and last - stop < _MOST_NAME and (
        last == stop or not bits[last].comma or bits[last + 1].sort in {LETTER, NUMBER, DIGITS, CASE}
    ):  # fmt: skip
        last += 1
    told = [bit for bit in bits[first : last + 1] if not bit.sign]
    if any(not pieces.follows(bit) or bit.sort in {LETTER, NUMBER, DIGITS} for bit in told):
        yield bits[first].start, view.written.end(bits[last].end)
