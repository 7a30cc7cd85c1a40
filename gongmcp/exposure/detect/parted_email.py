"""E-mail addresses told part by part, a sentence each, with the words that people have for the parts.

"The first part is ...", "before the at sign it's ...", "then the surname, ..., with a V", "after the at sign ...", "and
it ends in dot ...": the domain is the anchor, what opens the telling stands some sentences before it, and in each
sentence between them what is told goes, and the remarks on it stay. Beside an address that was found, what was told of
it before goes too: the letter spelt with a name, the surname.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gongmcp.exposure.detect import addressed, broken_email, email_address, pieces
from gongmcp.exposure.detect.dictation import DIGITS, LETTER, NUMBER, Bit
from gongmcp.exposure.detect.dictation_words import ORDER, PAUSES, SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import AT_SIGNS, DOTS, HYPHENS, UNDERSCORES, any_of, words

_SIGN: Final = (
    rf"(?:l'|the |dem |den |das |la |el |le |der )?(?:{any_of(AT_SIGNS | words('klammeraffen affenschwanzes'))}"
    r"|petit a(?![\w'-])|at(?:[ -](?:sign|symbol|zeichen))?(?![\w-])|@)"
)
_AFTER: Final = re.compile(
    rf"\b(?:after|behind|following|past|hinter|hinterm|nach|nachm|danach|derriere|apres|tras|despues de|despues del"
    rf"|detras de|detras del|right of|rechts vom|a droite de) ?{_SIGN}"
)
_DOMAIN_CUE: Final = re.compile(
    r"\b(?:(?:the )?domains?|domane|domaine|dominio|host(?:name)?|server|servidor|serveur|provider|anbieter|hebergeur"
    r"|fournisseur|proveedor|firma|compan(?:y|y bit|y part)|empresa|societe|boite|right of (?:it|that)|(?:behind"
    r"|after|past) (?:it|that)|rechts davon"
    r"|dahinter|danach|derriere|detras|despues|apres|a droite|a la derecha"
    r"|(?:the )?(?:bit|part|half|rest) (?:after|behind)|(?:der )?teil (?:danach|dahinter))"
    r"(?:'s|,| is| ist| est| es| lautet| kommt| va)?(?=\s)"
)
"""What a domain without its sign is told with."""
_SIGNED: Final = re.compile(
    r"arrob|arobas|klammeraff|affensch|at[ -](?:sign|symbol|zeichen)|em at\b|m at\b|the at\b|l'at\b|el at\b|petit a\b"
)
_AHEAD: Final = re.compile(
    rf"\b(?:before|in front of|ahead of|vor|vorm|davor|avant|devant|antes de|antes del|delante de|delante del|left of"
    rf"|links vom|a gauche de) ?{_SIGN}"
)
_OPENING: Final = re.compile(
    r"\b(?:first|front|left|local|erster?n?|vordere[rn]?|premiere|primera|inicial) (?:part|half|bit|piece|chunk|teil"
    r"|halfte|partie|moitie|parte|mitad)\b|\b(?:starts?|begins?|beginnt|fangt|anfang|commence|debut|empieza|comienza|arranca"
    r"|principio)\b|\bvorne?\b|\bvorderer?\b|\buser ?names?\b|\busuario\b|\butilisateur\b|\bbenutzer\w*|\blogin\b"
    r"|\bmailbox\b|\balias\b|\bpostfach\b|\bbuzon\b|\be?-?mail\w*\b|\badresse?n?\b|\baddress\b|\bcorreo\b|\bcourriel\b"
    r"|\bdireccion\b"
    r"|\bspell\w*|\bbuchstabier\w*|\bepel\w*|\bdeletre\w*|\bwrite\b|\bschreib\w*|\becri\w*|\bescrib\w*|\btype\b|\btippen\b"
    r"|\btapez\b|\bnotez\b|\bnotier\w*|\bapunt\w*|\banot\w*|\bgot a pen\b|\bprimero\b|\bzuerst\b|\bzunachst\b"
    r"|\bd'abord\b|\bmettez\b|\bpon(?:ga|gan|es)?\b|\b(?:partie|parte) locale?\b|\blokale[rn]? teil\b|\bboite\b"
    r"|\blos geht's\b|\bdemarre\b|\barrancamos\b|\bopens? with\b"
)
_ALONE: Final = re.compile(
    rf"(?:^|[\n.!?] ?)(?:(?:and|und|et|y|then|dann|puis|luego|it's|that's|c'est|es|das ist|todo|alles|tout|is"
    rf"|all)[ ,]{{1,2}}){{0,2}}"
    rf"(?:(?:on|at|bei|beim|unter|auf|chez|sur|en|in|con|rechts|right|a droite|a la derecha|the usual"
    rf"|das ubliche|comme d'habitude|lo de siempre"
    rf"|lo demas)[ ,]{{1,2}})?(?P<domain>{addressed.DOMAIN.pattern})(?=[.,!?]*(?:$|\n|[.,!?] ))"
)
"""A domain that has its sentence to itself."""
_ENDING: Final = re.compile(
    rf"(?:^|(?<=[\s,']))(?:{any_of(DOTS)}) (?:(?:[a-z0-9]+[ -]){{0,16}}[a-z0-9]+ (?:{any_of(DOTS)}) )?"
    r"(?:[a-z]{2,12}|[a-z](?: [a-z]){1,3})"
    r"(?=[.,!?]*(?:$|\s(?:[a-z']+[ .,!?]*){0,3}$))"
)
_LEADS: Final = SEQUENCE | ORDER | words(
    "name names surname nachname vorname familienname nom prenom apellido apellidos nombre pila company firma empresa "
    "societe domain domane domaine dominio written spelt said called heisst steht stehen sollte seria serait ware "
    "lautet comes come came goes kommt vient viene va sie vous usted ustedes mal bitte please would should just only "
    "antes avant davor before previo can could reach get drop line send contact konnen erreichen erreichst puede "
    "puedes "
    "peut pouvez joindre contacter mich uns me us at "
    "my mein meine mes mis mon mi initial initials initiale initiales inicial iniciales kurzel buchstabe letter "
    "lettre letra "
    "write try schreib pone ponga vorname prenom juste just nomas nomas prefijo whole all alles tout todo try you take "
    "nur solo so okay ok well pues bon ben mail email e-mail address adresse correo courriel direccion user username "
    "usuario login s'appelle se llama llama word wort mot palabra i je ich yo j'ai we on nous"
)  # fmt: skip
"""What may stand before a part in its sentence."""
_REMARKS: Final = words(
    "ausgeschrieben klein gross kleingeschrieben lowercase uppercase minuscule minuscules minuscula minusculas "
    "majuscule mayuscula mayusculas colle colles seguido attache pegado junto zusammen lower upper small"
)
"""What a remark on a part, and no part, begins with."""
_JOINT: Final = re.compile(rf"\b{any_of(DOTS | HYPHENS | UNDERSCORES)}[ .,\n]|[a-z][._-][a-z]")
_SOMEBODY: Final = words("we you they he she we're you're they're are be being were was visit see find look")
_COPULAS: Final = words("is are ist sind est sont es son that's c'est das")
_TAKES_BACK: Final = words("with mit con avec sans ohne sin without")
_GROUPS: Final = words("group groupe grupo gruppe")
"""Labels of a domain that elsewhere lead to a group of figures."""
_FARTHEST: Final = 6
_FEW: Final = 3
_GOES_ON: Final = words(
    "name names surname nachname familienname nom apellido apellidos no nein non nicht sorry pardon perdon quatsch"
)
_SIGN_ALONE: Final = re.compile(rf"(?:^|[\s,]){_SIGN}[.,!]*(?:\n|$|[.!] )")
_SIGN_ONLY: Final = re.compile(rf"(?:[a-z']+[ ,]{{1,2}}){{0,3}}{_SIGN}[.,!?]*")
_DOTTED: Final = re.compile(rf"\.[a-z]|\b(?:{any_of(DOTS)})\b")
_BROKEN: Final = re.compile(
    rf"(?:^|(?<=[\s,]))(?P<label>(?:{any_of(AT_SIGNS)}|at) [a-z0-9-]+(?: [a-z0-9-]+)?), (?:[a-z']+ ){{0,4}}"
    rf"(?P<top>(?:{any_of(DOTS)}) (?:[a-z]{{2,7}}|c o m|o r g|n e t))(?=[.,!?]*(?:$|\s))"
)
"""A domain in two parts: "at example, and then dot net"."""
_MINE: Final = re.compile(
    r"\b(?:i'm|i am|mine(?:'s| is)|ich bin|meine?r? ist|davor|vorne dran|moi,? c'est|je suis|le mien est|(?:et )?devant"
    r"|yo soy|soy|el mio es|delante|antes va|in front|before it|before that)(?= |,|')"
)
_JOINT_SIGNS: Final = frozenset("._-+")
_MOST_SILENT: Final = 6
_MOST_NAME: Final = 4
_MOST_WORDS, _MOST_TOLD = 12, 18
"""A sentence with a part has no more words, and the one that opens the telling no more than that."""
_MOST_LEAD, _MOST_WITH_SIGN = 6, 8
_NAMED: Final = re.compile(
    r"\b(?:(?:first|last|family|second|middle|sur)[ -]?(?:names?|initials?)|initial(?:e|es)?|surname|nachname|vorname"
    r"|familienname|nom de famille|nom|prenom|apellidos?|nombre)(?:'s|,| is| ist| est| es|:)? (?P<name>[a-z-]+)"
)
_HELPED: Final = re.compile(r"\b(?P<letter>[a-z]),? (?:as in|for|like|wie|comme|como|de) (?P=letter)[a-z]+\b")
_REACH: Final = 90
_MARK: Final = "{redacted:"


@dataclass(frozen=True, slots=True)
class Sentence:
    first: int
    stop: int
    start: int
    end: int


def likely(text: str) -> bool:
    """Tell whether the folded *text* speaks of what stands behind the sign of an address, or holds a domain alone."""
    if _SIGNED.search(text) is not None and (_AFTER.search(text) or _AHEAD.search(text)) is not None:
        return True
    return _JOINT.search(text) is not None and (_ALONE.search(text) or _DOMAIN_CUE.search(text)) is not None


def find(view: View, bits: Sequence[Bit], finds: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int]]:
    """Yield the pieces of each address, in no order; some may overlap each other or *finds*."""
    for start, end, kind in finds:
        if kind == "email":
            yield from _told_before(view.text, start, end)
    sentences = [Sentence(first, stop, bits[first].start, bits[stop - 1].end) for first, stop in pieces.sentences(bits)]
    named = _DOMAIN_CUE.search(view.text)
    opened = any(cue.search(view.text) for cue in (_OPENING, _AHEAD, _HELPED))
    told = opened or _JOINT.search(view.text)
    shown = named or broken_email.likely(view.text) or _SIGN_ALONE.search(view.text)
    if not (likely(view.text) or (told and shown)):
        return
    signed = list(addressed.signed_domains(view))
    for at, sentence in enumerate(sentences):
        domain, sure, bare = _domain(view, bits, sentence, signed)
        domain = domain or _closing(sentences, at, signed, view)
        if not domain:
            domain, bare = _behind_the_sign(view, bits, sentences, at), True
            sure = bool(domain)
        if not domain:
            continue
        alone = at and _SIGN_ONLY.fullmatch(view.text, sentences[at - 1].start, sentences[at - 1].end)
        before = [*sentences[: at - 1 if alone else at], *_head(view, bits, sentence)]
        parts = _parts(view, bits, before, sure=sure, bare=bare) if before else []
        parts = parts or _told_behind(view, bits, sentences[at + 1 : at + 2])
        if parts and not any(_MARK in view.text[start:end] for start, end in parts):
            yield from parts
            yield from domain
            if at + 1 < len(sentences):
                yield from _ending(view, sentences[at + 1])


_BEGUN: Final = re.compile(rf"\b[a-z0-9-]+ (?:{any_of(DOTS | HYPHENS | UNDERSCORES)}),(?=[^,\n]{{0,40}}$)")
"""The beginning of an address that goes on behind some words: "h dot, and then in full ..."."""


def _told_before(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what was told of an address, in the sentence that it stands in, before it was said in one."""
    floor = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    address = text[start:end]
    begun = _BEGUN.search(text[floor:start])
    if begun:
        yield floor + begun.start(), floor + begun.end() - 1
    helped = next(_HELPED.finditer(text, floor, start), None)
    if helped and helped["letter"] == next(filter(str.isalpha, address), ""):
        yield helped.start(), start
    for named in _NAMED.finditer(text, floor, start):
        if named["name"] in re.findall(r"[a-z-]+", address):
            yield named.span("name")


# --- the domain ------------------------------------------------------------------------------------


def _domain(
    view: View, bits: Sequence[Bit], sentence: Sentence, signed: Sequence[tuple[int, int, bool]]
) -> tuple[list[tuple[int, int]], bool, bool]:
    """Return the place of a domain that its sentence is about, whether it is surely one of an address, and bare.

    Bare is what stands behind its sign with no mailbox: that must have been told before.
    """
    after = _AFTER.search(view.text, sentence.start, sentence.end)
    if after:
        if after.group().endswith("petit a") and not addressed.DOMAIN.search(view.text, after.end(), sentence.end):
            return [], False, False  # a point of a list
        told = list(content(view, bits, sentence, after.end()))
        last = bits[sentence.stop - 1]
        if not told and last.word in _GROUPS:
            told = [(last.start, last.end)]
        return told, True, True
    broken = _BROKEN.search(view.text, sentence.start, sentence.end)
    if broken and _heads(bits, sentence, broken.start()):
        return [broken.span("label"), broken.span("top")], True, True
    for start, end, sure in signed:
        if not sentence.start <= start < sentence.end:
            continue
        lead = [bit for bit in bits[sentence.first : sentence.stop] if bit.end <= start]
        led = all(pieces.follows(bit) or bit.word.removesuffix("'s") in _LEADS for bit in lead)
        plain = view.text.startswith("at ", start)
        if plain and any(bit.word in _SOMEBODY for bit in lead):
            continue  # "and we are at example dot com now"
        said = " " in view.text[start:end].partition(" ")[2].strip()
        after_sign = view.text[start:end].split()[1:2]
        if plain and after_sign and after_sign[0] in email_address.NO_DOMAIN:
            continue  # "back at the dot com companies"
        if len(lead) <= (_MOST_LEAD if led or lead[-1].comma else _MOST_WITH_SIGN if sure else -1):
            return [(start, end)], sure or said, (sure or said) and led
    named = _DOMAIN_CUE.search(view.text, sentence.start, sentence.end)
    if named and sum(bit.sort != LETTER for bit in bits[sentence.first : sentence.stop]) <= _MOST_WORDS:
        bare = addressed.DOMAIN.search(view.text, named.end(), sentence.end)
        if bare:
            here = list(content(view, bits, sentence, named.end()))
            return [(min([bare.start(), *(start for start, _ in here)]), bare.end())], True, False
    alone = _ALONE.match(view.text, max(0, sentence.start - 1), sentence.end + 1)
    if alone is None and sentence.start == 0:
        alone = _ALONE.match(view.text)
    if alone:
        return [alone.span("domain")], False, False
    return [], False, False


def _head(view: View, bits: Sequence[Bit], sentence: Sentence) -> Iterator[Sentence]:
    """Yield what stands before the words for a domain in their sentence, when a clause ends there."""
    after = _AFTER.search(view.text, sentence.start, sentence.end)
    stop = next((at for at in range(sentence.first, sentence.stop) if after and bits[at].end > after.start()), 0)
    while stop > sentence.first and not bits[stop - 1].comma:
        stop -= 1
    if stop > sentence.first:
        yield Sentence(sentence.first, stop, sentence.start, bits[stop - 1].end)


def _heads(bits: Sequence[Bit], sentence: Sentence, start: int) -> bool:
    """Tell whether only words that lead to a part stand before *start* in its sentence."""
    lead = [bit for bit in bits[sentence.first : sentence.stop] if bit.end <= start]
    return len(lead) <= _MOST_LEAD and all(pieces.follows(bit) or bit.word in _LEADS for bit in lead)


def _behind_the_sign(view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], at: int) -> list[tuple[int, int]]:
    """Return the domain that the sentence at *at* tells when the one before it ends with the sign."""
    before = sentences[at - 1] if at else None
    if before is None or not _SIGN_ALONE.search(view.text[max(0, before.start - 1) : before.end + 1]):
        return []
    here = list(content(view, bits, sentences[at], sentences[at].start))
    after = sentences[at + 1] if at + 1 < len(sentences) else None
    dotted = any(_DOTTED.search(view.text, start, end) for start, end in here)
    return here if dotted or (after and _ending_of(view, after)) else []


def _closing(
    sentences: Sequence[Sentence], at: int, signed: Sequence[tuple[int, int, bool]], view: View
) -> list[tuple[int, int]]:
    """Return the domain that ends a sentence when the next one says who somebody is on it."""
    sentence = sentences[at]
    after = sentences[at + 1] if at + 1 < len(sentences) else None
    if after is None or not _MINE.search(view.text, after.start, after.end):
        return []
    return [
        (start, end) for start, end, _ in signed if sentence.start <= start and sentence.end - 1 <= end <= sentence.end
    ]


def _told_behind(view: View, bits: Sequence[Bit], after: Sequence[Sentence]) -> list[tuple[int, int]]:
    """Return the mailbox that is told behind its domain: "and I am lena dot vogt there"."""
    for sentence in after:
        cue = next(
            (cue for form in (_AHEAD, _MINE) if (cue := form.search(view.text, sentence.start, sentence.end))), None
        )
        if cue and sentence.stop - sentence.first <= _MOST_WORDS:
            run = _joined(view, bits, sentence)
            return [run[:2]] if run else list(content(view, bits, sentence, cue.end()))
    return []


def _ending(view: View, sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the end of a domain that the sentence behind it tells: "and it ends in dot example"."""
    found = _ending_of(view, sentence)
    if found:
        yield sentence.start + found.start(), sentence.start + found.end()


def _ending_of(view: View, sentence: Sentence) -> re.Match[str] | None:
    return _ENDING.search(view.text[sentence.start : sentence.end])


# --- the parts before it ---------------------------------------------------------------------------


def _parts(
    view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], *, sure: bool, bare: bool
) -> list[tuple[int, int]]:
    """Return what the last of *sentences* tell of a mailbox, from the one that opens the telling on; or nothing."""
    parts: list[tuple[int, int]] = []
    spelt = strong = False
    for back, sentence in enumerate(reversed(sentences[-_FARTHEST:])):
        ahead = _AHEAD.search(view.text, sentence.start, sentence.end)
        cue = ahead or max(
            _OPENING.finditer(view.text, sentence.start, sentence.end), key=re.Match.end, default=None
        )  # fmt: skip
        size = sum(bit.sort != LETTER for bit in bits[sentence.first : sentence.stop])
        if size > (_MOST_TOLD if cue else _MOST_WORDS):
            break
        run = _joined(view, bits, sentence)
        if not cue and not run and _silent(bits, sentence):
            continue
        here = list(content(view, bits, sentence, cue.end() if cue else sentence.start))
        if cue and not here:
            here = list(_before(view, bits, sentence, cue.start()))
        helped = list(_HELPED.finditer(view.text, sentence.start, sentence.end))
        if not cue and len(helped) > 1:
            here = [(helped[0].start(), helped[-1].end())]
            spelt = True
        elif spelt and not cue and not run:
            return parts
        if bare and not cue and not run and _wordy(bits, sentence, here):
            break
        if run:
            here = [run[:2], *here] if cue else [run[:2]]
            strong = True
        parts += here
        if run and not cue and not run[2] and not _goes_on(view, bits, sentences, back):
            return parts
        if cue and parts:
            told = sure or strong or addressed.MAIL.search(view.text, sentence.start, sentence.end)
            return parts if told or bare else []
        if bare and not strong and not cue and here and not _goes_on(view, bits, sentences, back):
            return parts
    return parts if spelt or strong or bare else []


def _wordy(bits: Sequence[Bit], sentence: Sentence, places: Sequence[tuple[int, int]]) -> bool:
    """Tell whether *places* hold more words than a part of an address has."""
    inside = [bit for bit in bits[sentence.first : sentence.stop] if any(s <= bit.start < e for s, e in places)]
    return sum(bit.sort not in {LETTER, NUMBER, DIGITS} for bit in inside) > _MOST_NAME or (
        len({bit.sort for bit in inside}) == 1 and len(inside) > _MOST_NAME and inside[0].sort == NUMBER
    )


def _goes_on(view: View, bits: Sequence[Bit], sentences: Sequence[Sentence], back: int) -> bool:
    """Tell whether the sentence *back* from the last goes on from the one before it."""
    at = len(sentences) - 1 - back
    first = bits[sentences[at].first]
    lead = [bit.word for bit in bits[sentences[at].first : sentences[at].stop][:_FEW]]
    if first.sign or any(word in ORDER or word in _GOES_ON for word in lead):
        return True
    before = bits[sentences[at - 1].first : sentences[at - 1].stop] if at else []
    return any(bit.sign and bit.sign in _JOINT_SIGNS and _parted(bit) for bit in before)


def _silent(bits: Sequence[Bit], sentence: Sentence) -> bool:
    """Tell whether a sentence is but a remark: a sound or an excuse, or a question whether it was heard."""
    here = bits[sentence.first : sentence.stop]
    plain = all(bit.sort not in {LETTER, NUMBER, DIGITS} for bit in here)
    return plain and (
        all(pieces.follows(bit) for bit in here) or (len(here) <= _MOST_SILENT and here[0].word in PAUSES | _TAKES_BACK)
    )


def _joined(view: View, bits: Sequence[Bit], sentence: Sentence) -> tuple[int, int, bool] | None:
    """Return the place of what signs join in a sentence ("lena dot", "dash vogt"), and whether a sign opens it."""
    written = broken_email.TOKEN.search(view.text, sentence.start, sentence.end)
    if written and not email_address.ends_domain(written.group().rpartition(".")[2]):
        return (*written.span(), view.text[written.start()] in _JOINT_SIGNS)
    stop = next(
        (at for at in range(sentence.first + 1, sentence.stop) if bits[at - 1].comma and bits[at].word in _TAKES_BACK),
        sentence.stop,
    )  # "..., ohne Punkt auf dem i"
    signs = [index for index in range(sentence.first, stop) if bits[index].sign and bits[index].sign in _JOINT_SIGNS]
    if not signs:
        return None
    first, last = signs[0], signs[-1]
    if first > sentence.first and not _parted(bits[first - 1]) and (
        bits[first - 1].word not in _LEADS or (len(bits[first - 1].word) == 1 and bits[first - 1].word.isalpha())
    ):  # fmt: skip
        first -= 1
        while first > sentence.first and bits[first].sort == bits[first - 1].sort == LETTER:
            first -= 1
    if last + 1 < stop and not bits[last].stop and bits[last + 1].word not in _COPULAS:
        last += 1
        while last + 1 < stop and bits[last].sort == bits[last + 1].sort == LETTER:
            last += 1
        while last + 1 < stop and bits[last + 1].sort in {NUMBER, DIGITS}:
            last += 1
    if first == last:
        return None
    return bits[first].start, view.written.end(bits[last].end), bool(bits[first].sign)


def _parted(bit: Bit) -> bool:
    return bit.comma or bit.stop or bit.line


def _before(view: View, bits: Sequence[Bit], sentence: Sentence, end: int) -> Iterator[tuple[int, int]]:
    """Yield the part that stands before the words for it: "dana dot lopez, that's the first half"."""
    here = [bit for bit in bits[sentence.first : sentence.stop] if bit.end < end]
    first = _skipped(here, 0)
    last = first
    while last + 1 < len(here) and not (here[last].comma or here[last + 1].word in _COPULAS):
        last += 1
    if last < len(here):
        yield here[first].start, view.written.end(here[last].end)


def content(view: View, bits: Sequence[Bit], sentence: Sentence, at: int) -> Iterator[tuple[int, int]]:
    """Yield what a sentence tells from *at* on: a part, and the letters and digits in the remarks on it."""
    here = bits[sentence.first : sentence.stop]
    index = _skipped(here, bisect_left([bit.start for bit in here], at))
    while index < len(here) and here[index].word in _REMARKS:
        index = next((at + 1 for at in range(index, len(here)) if here[at].comma), len(here))
        index = _skipped(here, index)
    if index == len(here):
        return
    last = index
    while last + 1 < len(here) and not _ends(here, last):
        last += 1
    yield here[index].start, view.written.end(here[last].end)
    rest = here[last + 1 :]
    for first, bit in enumerate(rest):
        spelt = bit.sort == LETTER and first + 1 < len(rest) and rest[first + 1].sort == LETTER
        if bit.sort in {NUMBER, DIGITS} or spelt or (first and bit.sort == rest[first - 1].sort == LETTER):
            yield bit.start, view.written.end(bit.end)


def _skipped(here: Sequence[Bit], index: int) -> int:
    """Return where what is told begins, behind the words that lead to it."""
    while index < len(here) and _leads(here, index):
        index += 1
    return index


def _leads(here: Sequence[Bit], index: int) -> bool:
    bit = here[index]
    if bit.sort in {NUMBER, DIGITS}:
        return False
    after = here[index + 1] if index + 1 < len(here) else None
    if len(bit.word) == 1 and after is not None and (after.sign or len(after.word) == 1):
        return False  # "a dot volkov", "m c k e n"
    return pieces.unelided(bit) in _LEADS or (pieces.follows(bit) and not bit.sign)


def _ends(here: Sequence[Bit], last: int) -> bool:
    """Tell whether a part ends with the bit at *last*: a remark follows."""
    after = here[last + 1]
    if after.word in _TAKES_BACK:
        return True
    return here[last].comma and not (after.sort in {LETTER, NUMBER, DIGITS} or after.sign)
