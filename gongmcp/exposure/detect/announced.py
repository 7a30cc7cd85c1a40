"""Tells what the chains of ``dictation`` are: by what announces them, by their form, and by what was found in them.

The detectors of the kinds read what stands in one piece. What is dictated with pauses, corrections and remarks
("sorry, the connection dropped") is taken together here: the whole of it goes, the part said wrongly too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from gongmcp.exposure.detect import (
    addressed,
    bare_digits,
    beside,
    broken_email,
    coded_pieces,
    corrected,
    dictation,
    email_address,
    gathered,
    linked,
    meeting_code,
    parted_email,
    payment_card,
    phone_number,
    pieces,
    remarked_email,
    respelt,
    room_pieces,
    secret_key,
    spelt_code,
)
from gongmcp.exposure.detect.dictation import CODE, DIGITS, LETTER, NUMBER, PLAIN_NUMBERS, SIGN, Bit, Chain
from gongmcp.exposure.detect.dictation_words import SPELLING
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.iban import LENGTHS, valid
from gongmcp.exposure.detect.numerals import LONGEST_FIGURE
from gongmcp.exposure.detect.spoken import any_of

Find = tuple[int, int, str]
"""Start and end in the folded text, and the kind."""

_BEFORE: Final = 150
_BEHIND: Final = 70
_CARD: Final = re.compile(
    r"\b(?:[a-z]*karten?(?:nummer)?|cards?|visa|master ?card|amex|maestro|carte|tarjeta|cb|plastico"
    r"|declined|abgelehnt|refusee?|rechaz\w*"
    r"|charge it|debitez|belasten|buchen sie|carguelo|cargue\w*|cobre\w*|prelev\w*|expir\w*|gultig|caduca|valable"
    r"|long number|lange nummer|long numero|numero largo)\b"
)
_BANK: Final = re.compile(
    r"\bibans?\b|\bi b a n\b|\baccount\b|\bbank\b|\bbank\w*|\bwire\b|\b\w*konto\w*|\buberweis\w*|\bcompte\b"
    r"|\bvirement|\brib\b"
    r"|\bcuenta\b|\btransferencia|\bbanc[ao]\w*|\brefund|\berstattung|\bremboursement|\bdevolucion|\bdirect debit"
    r"|\blastschrift|\bprelevement|\bpayment|\bpaiement|\bpago\b|\bzahlung|\bcommission|\bkommission|\bprovision"
)
_PHONE: Final = re.compile(
    rf"{phone_number.STRONG}|\b(?:call|text|ring|reach|ping|try|dial|call it|just)(?: (?:on|at|it))?(?: the)? $"
    rf"|\bextension\b|\bestoy en el\b|\btiene el\b|\bmensaje\b|\bje suis au\b|\bi'm (?:on|at) $|\bessayer le\b"
    rf"|\blandline|\bvoicemail"
    r"|\bdesk phone|\brappel(?:ez|le|er)\b|\bfestnetz|\bvorwahl|\bjoignable|\bappelez"
    r"|\bfaites le\b|\bindicatif|\bprefijo|\bmarque\b"
)
_NUMBER: Final = re.compile(r"\bnumber\b|\bnummer\b|\bnumero\b")
_OTHER: Final = re.compile(phone_number.OTHER)
_KEY: Final = re.compile(rf"(?<![0-9a-z_]){secret_key.CUE_WORDS}(?![0-9a-z])|\b\w*(?:token|schlussel|secret)\b")
_PASS: Final = re.compile(
    r"\b(?:pass ?-?codes?|pass ?-?word(?:'s)?|passwort|kennwort|kenncode|zugangs-?code|zugriffscode|pin"
    r"|\w*zugangscode|code d'acces|code secret|mot de passe|contrasena|clave(?: de acceso)?|codigo(?: de acceso)?"
    r"|code|geheimzahl|access code|enter)\b"
)
_MEETING: Final = re.compile(
    r"\b(?:meeting|webinar|zoom|teams|webex|meet|konferenz|besprechungs?|reunion|conference|sala|videoconferencia"
    r"|conferencia|join|beitreten|treten)\b"
)
_ID: Final = re.compile(r"\bids?\b|\bi d\b|-id\b|\bidentifi\w+|\bnumber\b|\bnummer\b|\bnumero\b|\w+nummer\b")
_TOLD: Final = re.compile(
    r"\b(?:digits|ziffern|chiffres|digitos|pen|pencil|ready|slowly|read (?:it|that|them|out)|reading|first (?:half"
    r"|part|bit|block)|second (?:half"
    r"|part)"
    r"|last (?:half|part)|the rest|starts?|begins?|spell|write|wrote|jot|take (?:it|this) down|i said|pieces"
    r"|long (?:one|number|token|key)|bereit|schreiben|notier\w*|lese|langsam|blocken|erste halfte|erster? teil"
    r"|der rest"
    r"|zweite halfte|fangt|beginnt|vorne|buchstabier\w*|ich sagte|hatte gesagt|noter|notez|ecrivez|lis|doucement"
    r"|lentement"
    r"|blocs|epelle|commence|premiere|debut|le reste|la fin|la suite|je disais|apunt\w*|anot\w*|despacio|bloques"
    r"|deletre\w*|empieza|primera|principio|el resto|leo|escrib\w+|decia|got that|got it|follow|suivez|sigue|lo tiene"
    r"|haben sie das|c'est note|with me so far|look it up|find it|hole (?:sie|ihn|es)|schaue nach|je regarde"
    r"|je la sors|je prends|lo busco|la saco|saco)\b"
)
_SIGN_KEY: Final = re.compile(r"[0-9a-z]{2,8}[_-]")
_WRITTEN_KEY: Final = re.compile(
    r"[0-9a-z]{2,8}[_-][0-9a-z]{16}"
    r"|[0-9a-z]{2,8}_(?:[a-z]{2,8}_)?(?=[a-z]*[0-9]+[a-z]+[0-9])[0-9a-z]{12}"
    r"|[0-9a-z]{2,8}-(?=[a-z]*[0-9]+[a-z]+[0-9]+[a-z]+[0-9])[0-9a-z]{12}"
)
_WORDS: Final = frozenset("aeyouh")
"""Letters that are words of some language."""
_FIGURES: Final = re.compile(
    r"\b(?:revenues?|sales|margins?|units|volumes?|seats|headcount|umsatz\w*|absatz|stuckzahl\w*|chiffre d'affaires"
    r"|ventes|ingresos|ventas|unidades|unites)\b"
)
"""What figures are told of; behind it a number that does not begin as a phone number does is none."""
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_YEARS: Final = re.compile(r"(?:(?:19|20)[0-9]{2}){2,}")
_ENDS: Final = re.compile(r"[.!?]\s|\n")

_GATHERED: Final = frozenset({"gathered", "key", "link", "iban", "card", "phone", "said", "mixed"})
"""Signs of what may go on over any words."""
_URL: Final = re.compile(r"://|[a-z]\.[a-z]{2,10}/")
_COUNTRY_CODE: Final = re.compile(
    r"(?:\b(?P<told>country code|(?:lander|landes)-?(?:code|vorwahl)|indicatif(?: (?:du )?pays)?|lada"
    r"|(?:codigo|prefijo) de(?:l)? pais)(?: is| ist| est| es|,)? )?"
    rf"(?P<code>(?(told)(?:plus |mas |\+)?|(?:plus |mas |\+))(?:{any_of(PLAIN_NUMBERS)}|[0-9]{{1,3}})"
    rf"(?:[ -](?:y )?(?:{any_of(PLAIN_NUMBERS)})){{0,2}})\b"
)
_COUNTRY_REACH: Final = 30
_STRONGER: Final = frozenset({"link", "key", "email", "iban"})
"""Kinds whose finds are sure: the pieces around one are of its kind."""
_MOST_REMARKS: Final = 4
_MARK: Final = "{redacted:"
_LEAST_PIECE: Final = 3
"""A piece before a remark is larger than this."""
LEAST: Final = 7
_MOST_PHONE: Final = 15
_CORRECTED: Final = 12
"""How many digits more than a number has may be said when it is corrected on the way."""
_LONG_KEY: Final = 12
_HEX: Final = 32
_FOUR: Final = 4


@dataclass(slots=True)
class _Union:
    """A chain read as one value."""

    text: str  # letters, digits and signs without blanks
    digits: str
    letters: int
    signs: str
    groups: list[str]
    plus: bool
    mixed: bool  # holds a token of letters and digits as written, or with capitals within
    singles: int
    names: int  # letters said as names: "Berta", "Madrid"
    spelt: int  # letters that are no words of their own


def find(view: View, finds: Sequence[Find], signs: frozenset[str]) -> list[Find]:
    """Return what is dictated in *view*; the *finds* of its detectors grow along their chains.

    *signs*: what the quick look saw in it.
    """
    bits = dictation.read(view)
    found = dictation.chains(bits)
    known = [(start, end) for start, end, kind in finds if kind == "link"]
    out: list[Find] = [(start, end, "link") for start, end in meeting_code.codes(view, bits, known)]
    links = sorted({end for _, end, kind in [*finds, *out] if kind == "link"})
    out += [(start, end, "link") for start, end in meeting_code.tails(view, bits, links)]
    out += [(start, end, "email") for start, end in broken_email.find(view, bits, finds)]
    out += [(start, end, "email") for start, end in addressed.find(view, bits, [*finds, *out])]
    if "email" in signs:
        out += [(start, end, "email") for start, end in remarked_email.find(view, bits)]
        out += [(start, end, "email") for start, end in parted_email.find(view, bits, [*finds, *out])]
        out += [(start, end, "email") for start, end in _without_remarks(view, [*finds, *out])]
    in_pieces = list(pieces.find(view, bits, [*finds, *out]))
    out += in_pieces
    at = 0
    while at < len(found):
        for last in range(_reach(view, bits, found, at), at - 1, -1):
            chain = found[at]
            for more in found[at + 1 : last + 1]:
                chain = dictation.merged(chain, more)
            if _covered(chain, in_pieces):
                at = last
                break
            here = _judge(view, bits, chain, finds, remarks=last > at)
            if here:
                out += [_of_pieces(find, in_pieces) for find in here]
                at = last
                break
        at += 1
    if not signs.isdisjoint(_GATHERED) or in_pieces or _in_fours(bits):
        sentences = gathered.read(bits)
        if "link" in signs:
            out += [(start, end, "link") for start, end in linked.find(view, bits, sentences, [*finds, *out])]
            out += [(start, end, "link") for start, end in room_pieces.find(view, bits, sentences, [*finds, *out])]
        out += gathered.find(view, sentences, [*finds, *out])
        out += bare_digits.find(view, bits, sentences, [*finds, *out])
    elif bare_digits.likely(bits):
        out += bare_digits.find(view, bits, gathered.read(bits), [*finds, *out])
    if not signs.isdisjoint({"coded", "key"}):
        out += coded_pieces.find(view, bits, [*finds, *out])
    if "spelt" in signs:
        out += spelt_code.find(view, bits, [*finds, *out])
    out += [(start, end, "phone") for start, end in _countries(view.text, [*finds, *out])]
    if finds or out:
        out += corrected.find(view, [*finds, *out])
        out += beside.find(view, gathered.read(bits), [*finds, *out])
    return [found for found in out if _MARK not in view.text[found[0] : found[1]]]


def _without_remarks(view: View, finds: Sequence[Find]) -> Iterator[tuple[int, int]]:
    """Yield the addresses that are found when remarks and spellings are left out, and the spellings of any address."""
    known = [(start, end) for start, end, kind in finds if kind == "email"]
    reading = respelt.reading(view)
    if reading is not None:
        bare = reading.view
        bits = dictation.read(bare)
        here: list[Find] = [(start, end, "email") for start, end in email_address.find(bare)]
        for find_more in (broken_email.find, addressed.find, parted_email.find):
            here += [(start, end, "email") for start, end in find_more(bare, bits, here)]
        here += [(start, end, "email") for start, end in remarked_email.find(bare, bits)]
        places = [reading.back(start, end) for start, end, _ in here]
        yield from places
        known += places
    yield from respelt.beside(view.text, known)


def _in_fours(bits: Sequence[Bit]) -> bool:
    """Tell whether digits stand in groups of four, as on a card."""
    fours = sum(bit.sort == DIGITS and len(bit.word) == _FOUR and not _YEAR.fullmatch(bit.word) for bit in bits)
    return fours >= _FOUR - 1


def _countries(text: str, finds: Sequence[Find]) -> Iterator[tuple[int, int]]:
    """Yield each code of a country that stands apart before a phone number: "country code plus one, then ..."."""
    phones = [start for start, _, kind in finds if kind == "phone"]
    for code in _COUNTRY_CODE.finditer(text) if phones else ():
        if any(0 <= start - code.end() < _COUNTRY_REACH for start in phones):
            yield code.span("code")


def _covered(chain: Chain, in_pieces: Sequence[Find]) -> bool:
    """Tell whether all of *chain* was found in pieces, so that the words between them may stay."""
    return all(any(start <= bit.start and bit.end <= end for start, end, _ in in_pieces) for bit in chain.bits)


def _of_pieces(find: Find, in_pieces: Sequence[Find]) -> Find:
    """Return *find*, a part of a value that was given in pieces, with the kind of the whole."""
    start, end, kind = find
    return start, end, next((name for first, stop, name in in_pieces if first < end and start < stop), kind)


def _reach(view: View, bits: Sequence[Bit], found: Sequence[Chain], at: int) -> int:
    """Return the last chain that hangs together with the one at *at* over remarks."""
    last = at
    while (
        last + 1 < len(found)
        and last - at < _MOST_REMARKS
        and found[last].size > _LEAST_PIECE
        and "?" not in view.text[found[last].end : found[last + 1].start]
        and dictation.remark(bits, found[last], found[last + 1])
    ):
        last += 1
    return last


def _judge(view: View, bits: Sequence[Bit], chain: Chain, finds: Sequence[Find], *, remarks: bool) -> list[Find]:
    within = [found for found in finds if found[0] < chain.end and chain.start < found[1]]
    if not within and chain.size < LEAST:
        return []
    if any(start <= chain.start and chain.end <= end for start, end, _ in within):
        return []  # nothing is left over
    if any(name == "email" for _, _, name in within):
        return []  # what belongs to an address is for ``broken_email``
    union, around = _union(view, chain), _Around(view.text, bits, chain)
    kind = _by_finds(union, within, around, chain, remarks) or _kind(union, around, chain)
    if kind is None:
        return []
    kind = next((name for _, _, name in within if name in _STRONGER), kind)
    start = chain.start
    if kind == "iban":
        start = _country_start(bits, chain, start)
    return [(start, chain.end, kind)]


def _union(view: View, chain: Chain) -> _Union:
    text: list[str] = []
    digits: list[str] = []
    groups: list[str] = []
    letters = singles = names = spelt = 0
    signs = ""
    mixed = False
    for index, bit in enumerate(chain.bits):
        if bit.sort in {NUMBER, DIGITS}:
            here = bit.word
            if bit.sort == NUMBER:
                after = chain.bits[index + 1].start if index + 1 < len(chain.bits) else 0
                here = view.written.numbers[bit.start : after or max(bit.end, view.written.end(bit.end))]
            here = "".join(filter(str.isdigit, here))
            text.append(here)
            digits.append(here)
            if here:
                groups.append(here)
                singles += len(here) == 1 or len(set(here)) == 1
        elif bit.sort == LETTER:
            letter = SPELLING.get(bit.word, bit.word)
            text.append(letter)
            letters += len(letter)
            names += len(bit.word) > 1
            spelt += bit.word not in _WORDS
        elif bit.sort == SIGN:
            if index == 0 or chain.bits[index - 1].sign != bit.sign:
                text.append(bit.sign)
                signs += bit.sign
        else:
            text.append(bit.word)
            here = "".join(filter(str.isdigit, bit.word))
            digits.append(here)
            letters += sum(map(str.isalpha, bit.word))
            mixed = mixed or bit.sort == CODE
    plus = chain.bits[0].plus or (chain.bits[0].sort == SIGN and chain.bits[0].sign == "+")
    return _Union("".join(text), "".join(digits), letters, signs, groups, plus, mixed, singles, names, spelt)


class _Around:
    """The words around a chain: in the sentences before it, between its pieces, and behind it."""

    def __init__(self, text: str, bits: Sequence[Bit], chain: Chain) -> None:
        before = text[max(0, chain.start - _BEFORE) : chain.start]
        ends = [end.end() for end in _ENDS.finditer(before)]
        self.before = before[ends[-3] :] if len(ends) > 2 else before
        self.nearest = before[ends[-1] :] if ends else before
        self.within = " ".join(
            text[left.end : right.start] for left, right in pairwise(chain.bits) if right.start - left.end > 2
        )
        behind = text[chain.end : chain.end + _BEHIND]
        stop = _ENDS.search(behind, 1)
        self.behind = behind[: stop.start()] if stop else behind
        self.pure = _pure(bits, chain)

    def has(self, pattern: re.Pattern[str]) -> bool:
        return any(pattern.search(part) for part in (self.before, self.within, self.behind))

    def near(self, pattern: re.Pattern[str]) -> bool:
        """Tell whether it stands in the chain's own sentences, or before a chain that has its sentences to itself."""
        if any(pattern.search(part) for part in (self.nearest, self.within, self.behind)):
            return True
        return self.pure and pattern.search(self.before) is not None

    def led(self, pattern: re.Pattern[str]) -> bool:
        return any(pattern.search(part) for part in (self.before, self.within))

    def last(self, *patterns: re.Pattern[str]) -> int:
        """Return which of *patterns* stands nearest before the chain; -1 for none."""
        places = [max((found.start() for found in pattern.finditer(self.before)), default=-1) for pattern in patterns]
        best = max(places)
        return places.index(best) if best >= 0 else -1


def _pure(bits: Sequence[Bit], chain: Chain) -> bool:
    """Tell whether its sentences hold nothing but the chain and carriers."""
    at = chain.first - 1
    while at >= 0 and not (bits[at].stop or bits[at].line):
        if bits[at].sort not in {dictation.CARRIER, dictation.CASE}:
            return False
        at -= 1
    at = chain.last
    while at + 1 < len(bits) and not (bits[at].stop or bits[at].line):
        at += 1
        if bits[at].sort not in {dictation.CARRIER, dictation.CASE}:
            return False
    return True


# --- kinds -----------------------------------------------------------------------------------------


def _by_finds(union: _Union, within: Sequence[Find], around: _Around, chain: Chain, remarks: bool) -> str | None:
    """Return the kind of the longest find in the chain, when the rest of the chain belongs to it."""
    if not within or remarks:
        return None
    kind = max(within, key=lambda found: found[1] - found[0])[2]
    if kind == "key" and union.letters:
        return "key"
    if kind in {"phone", "card"} and (union.letters or len(union.digits) > 19 + _CORRECTED):
        return None
    if kind == "phone" and (len(union.digits) > _MOST_PHONE + _CORRECTED or _prefers(union, around) is not None):
        return _prefers(union, around)
    if not any(gap.pause for gap in chain.gaps) and not around.pure and not _ended(around):
        return None
    return kind


def _prefers(union: _Union, around: _Around) -> str | None:
    if union.letters:
        return _kind_mixed(union, around)
    if len(union.digits) >= 13 and (around.has(_CARD) or payment_card.luhn(union.digits)):
        return "card"
    return None


def _ended(around: _Around) -> bool:
    return not around.behind or around.behind[0] in ".,;:!?\n" or around.behind.lstrip(" ").startswith("\n")


def _kind(union: _Union, around: _Around, chain: Chain) -> str | None:
    if len(chain.bits) < 2 and not union.mixed and len(union.digits) < LEAST:
        return None
    if union.letters:
        return _kind_mixed(union, around)
    return _kind_of_digits(union, around, chain)


def _kind_mixed(union: _Union, around: _Around) -> str | None:
    if _YEARS.fullmatch(union.digits):
        return None
    alnum = union.letters + len(union.digits)
    if _is_iban(union, around):
        return "iban"
    key = around.near(_KEY)
    if alnum >= 8 and key and (union.digits or union.letters >= 8) and not around.led(_MEETING):
        return "key"
    if alnum >= 10 and _SIGN_KEY.match(union.text) and len(union.digits) >= 1 and union.signs[:1] in {"_", "-"}:
        return "key"
    if union.mixed and union.letters > 2 and _WRITTEN_KEY.match(union.text) and len(union.digits) > 1:
        return "key"
    if alnum >= _HEX and len(union.digits) >= 4 and union.mixed and not _URL.search(union.text):
        return "key"
    if alnum >= 10 and union.names >= 8 and union.digits:
        return "key"
    if alnum >= _LONG_KEY and union.spelt >= 3 and len(union.digits) >= 3 and not union.mixed:
        return None if union.names == union.letters or spelt_code.ordinary(union.text) else "key"
    return None


def _is_iban(union: _Union, around: _Around) -> bool:
    text = _country_before(around) + "".join(filter(str.isalnum, union.text))
    for at in range(max(1, len(text) - 14)):
        if text[at : at + 2] not in LENGTHS or not text[at + 2 : at + 4].isdigit():
            continue
        length = LENGTHS[text[at : at + 2]]
        rest = text[at:]
        if len(rest) >= length and valid(rest[:length]):
            return True
        if around.has(_BANK) and length - 4 <= len(rest) <= length + 6:
            return True
        if len(rest) == length and (around.has(_TOLD) or around.pure):
            return True
    return False


def _country_start(bits: Sequence[Bit], chain: Chain, start: int) -> int:
    """Take in the country that stands before a chain of digits: a word of two letters by itself."""
    before = bits[chain.first - 1] if chain.first else None
    if before is not None and before.word in LENGTHS and not (before.stop or before.line):
        return before.start
    return start


def _kind_of_digits(union: _Union, around: _Around, chain: Chain) -> str | None:
    digits = union.digits
    count = len(digits)
    written = not chain.gaps and not any(bit.sort == NUMBER for bit in chain.bits)
    if written and not _country_before(around) and not 13 <= count <= 19:
        return None  # written in one piece: the detectors have seen it
    if count < LEAST or _YEARS.fullmatch(digits):
        return None
    country = _country_before(around)
    if (
        country
        and LENGTHS[country] - 4 <= count + 2 <= LENGTHS[country] + 6
        and (around.has(_BANK) or around.has(_TOLD) or valid(country + digits))
    ):
        return "iban"
    card = 12 <= count <= 19 + _CORRECTED
    told = around.near(_TOLD)
    nearest = around.last(_OTHER, _PHONE, _NUMBER, _CARD, _BANK)
    if card and around.near(_CARD):
        return "card"
    likely = 13 <= count <= 19 and payment_card.begins_like_one(digits) and (payment_card.luhn(digits) or told)
    if likely and (told or around.pure or union.singles > 8 or around.has(_NUMBER)):
        return "card"
    if card and around.led(_BANK) and nearest == 4:
        return "iban"
    if nearest == 0 or (digits[0] != "0" and not union.plus and around.led(_FIGURES)):
        return None
    if count > _MOST_PHONE + _CORRECTED:
        return None
    if chain.parted and any(_YEAR.fullmatch(bit.word) for bit in (chain.bits[0], chain.bits[-1])):
        return None
    if around.near(_PHONE) and (len(union.groups) > 1 or around.led(_PHONE)):
        return "phone"
    if _counted(union.groups):
        return None
    parted = chain.parted or any(gap.pause for gap in chain.gaps)
    if count >= 8 and (told or around.near(_NUMBER)) and (parted or union.singles >= 5):
        return "phone"
    joined = any(gap.words for gap in chain.gaps) and (told or around.has(_NUMBER))
    if joined and digits[0] == "0" and 8 <= count <= _MOST_PHONE:
        return "phone"
    if around.pure and parted and count >= 9:
        return "phone" if count <= _MOST_PHONE + 3 else None
    if parted and 9 <= count <= 12 and _spoken_like(union, chain) and phone_number.valid_somewhere(digits):
        return "phone"
    if union.plus and count >= 8 and parted:
        return "phone"
    return None


def _spoken_like(union: _Union, chain: Chain) -> bool:
    """Tell whether digits are said as a number's are: from nought on, one by one, or with a pause in four groups."""
    paused = any(gap.pause for gap in chain.gaps) and len(union.groups) > 3 and not _counted(union.groups)
    return union.digits[0] == "0" or union.singles > 4 or paused


def _country_before(around: _Around) -> str:
    word = around.nearest.rstrip(" ,").rpartition(" ")[2]
    return word if word in LENGTHS and around.nearest[-1:] in {" ", ","} else ""


def _counted(groups: Sequence[str]) -> bool:
    """Tell whether somebody counts or lists round numbers."""
    if max(map(len, groups), default=0) > LONGEST_FIGURE:
        return False
    numbers = [int(group) for group in groups]
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    if len(numbers) > 2 and len(steps) == 1 and steps != {0}:
        return True
    return len(numbers) > 1 and all(number % 5 == 0 and 9 < number < 1000 for number in numbers)
