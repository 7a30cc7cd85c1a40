"""Values given in pieces, a sentence each, with words of sequence between them and no announcement that is known.

"In three parts, ... The middle is ... And it ends with ...": what tells is the form of all the pieces together, an
account number of its country's length, a card's check digit, noughts before a group. Between two pieces a sentence
or two that say nothing ("Yep. Sorry, you cut out.") are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gongmcp.exposure.detect import payment_card, phone_number, secret_key
from gongmcp.exposure.detect.dictation import AMOUNT, CARRIER, CASE, CODE, DIGITS, LETTER, NUMBER, SIGN, SLUG, WORD, Bit
from gongmcp.exposure.detect.dictation_words import NUMBERS, ORDER, SEQUENCE, SPELLING
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.iban import LENGTHS
from gongmcp.exposure.detect.spoken import FILLERS, words

_WORDS: Final = frozenset("aeiouy")
_ELIDED: Final = re.compile(r"^(?:[cdjlmnst]|qu)'")
_WORDLIKE: Final = frozenset({WORD, CARRIER, CASE})
_MOST_UNITS: Final = 7
_MOST_SILENT: Final = 2
_SILENT: Final = 7
"""A sentence between two pieces has no more words."""
_LEAD: Final = 7
_TAIL: Final = 4
_YEAR: Final = re.compile(r"(?:19|20)[0-9]{2}")
_DOTTED: Final = re.compile(r"0[0-9]{1,3}(?:[.-][0-9]{2,4})+|[0-9]{2}(?:\.[0-9]{2})+")
_CLOSING_LETTER: Final = re.compile(r"[0-9]{1,4}[a-z]|[a-z][0-9]")
_OTHER: Final = re.compile(
    r"\b(?:orders?|invoices?|tickets?|cases?|references?|ref|sku|versions?|models?|serial|po|zip|page|pages|part no"
    r"|articles?|artikel\w*|bestell\w*|rechnung\w*|charge\w*|seite\w*|commandes?|factures?|lots?(?= (?:number|no"
    r"|nummer|numero|[0-9]))|pedidos?|facturas?"
    r"|paginas?|lotes?|batch(?:es)?|flights?|flug|vol|vuelo|gate)\b"
)
_CARD: Final = re.compile(
    r"\b(?:[a-z]*karten?(?:nummer)?|cards?|visa|master ?card|amex|maestro|carte|tarjeta|cb"
    r"|long (?:one|number)|(?:numero|nummer) (?:est |ist |es )?(?:long|lang|largo))\b"
)
_BANK: Final = re.compile(r"\bibans?\b|\baccount\b|\bkonto\b|\buberweis|\bvirez\b|\bcompte\b|\bcuenta\b|\btransf")
_PHONE: Final = re.compile(rf"{phone_number.STRONG}|\bnumber\b|\bnummer\b|\bnumero\b|\bvorwahl\b")
_KEY: Final = re.compile(rf"(?<![0-9a-z_]){secret_key.CUE_WORDS}(?![0-9a-z])|\b\w*(?:token|schlussel|secret|jeton)\b")
_MEETING: Final = re.compile(
    r"\b(?:zoom|meeting\w*|webex|teams|conference|konferenz\w*|reunion|conferencia|join|einwahl\w*|einwahlen|beitreten"
    r"|connect(?:ez|er)?|connectez-vous|entrez? (?:con|avec|a la|dans)|unirse|conect\w+)\b"
)
_MEET: Final = re.compile(
    r"\b(?:codes?|codigos?|google|link|lien|enlace|ids?|sala|salle|raum|room)"
    r"(?: of| de| du| der| von| for| pour| para)?[ -]meet\b"
    r"|\bmeet(?:[ -](?:codes?|link|id|room|raum)\b| (?:dot|punkt|point|punto) google|\.google)"
)
_MEET_PIECE: Final = re.compile(r"(?<![0-9a-z'@._-])(?:[a-z]{3,4}-)*[a-z]{3,4}(?=[.,!?]*(?:\n|\s|$))(?!')")
_MEET_ENDS: Final = frozenset({3, 7, 10})
_MEET_CODE: Final = 10
_LEAST_PHONE, _MOST_PHONE = 7, 15
_ROUND: Final = 2
"""So many round numbers are amounts."""
_LEAST_KEY, _LEAST_ANNOUNCED = 10, 14
_NAMED: Final = re.compile(r"[a-z]+[0-9]{1,2}|(?:[hq][0-9])?fy[0-9]{2,4}|v[0-9]+[a-z]+[0-9]*")
"""Names of products, quarters and versions."""
_LEAST_TOKEN: Final = 5
_LEAST_PASS, _LEAST_PASS_PIECE = 6, 3
_PASS: Final = re.compile(
    r"\b(?:pass ?-?codes?|kenncodes?|kennwort|\w*zugangs-?codes?|zugriffs-?codes?|codes? d'acces|codes? secrets?"
    r"|codigos? de acceso|claves? de acceso|codigos? secretos?|access codes?|host keys?|meeting passwords?)\b"
)

_STARTS: Final = words(
    "starts start begins beginning first front before vorne vorn vorher davor anfang beginnt erste ersten erster debut "
    "premiers premier premiere premieres commence devant avant primeras primeros primera primero empieza delante antes "
    "principio prefix vorwahl prefijo indicatif"
)
_ENDS: Final = words(
    "last ends end ending final hinten letzten letzte letzter ende schluss endet derniers dernier derniere "
    "dernieres fin "
    "finit termine ultimas ultimos ultima ultimo final termina acaba detras"
)
_STRENGTH: Final = ("link", "key", "email", "iban", "card")

Find = tuple[int, int, str]


@dataclass(slots=True)
class Unit:
    """One sentence: its bits from *first* to before *stop*, and the piece in it, if it holds one and nothing else."""

    first: int
    stop: int
    piece: list[Bit] = field(default_factory=list)
    silent: bool = False  # says nothing of value
    led: bool = False  # only words of sequence stand before the piece, in its clause
    ordered: bool = False  # one of them tells its place
    closed: bool = False  # the piece ends its clause


def find(view: View, bits: Sequence[Bit], finds: Sequence[Find]) -> Iterator[Find]:
    """Yield each piece of each value, with the kind of the value; pieces may overlap *finds*."""
    if any(bit.sort == CODE for bit in bits) and (_PASS.search(view.text) or _KEY.search(view.text)):
        tell_odd_words(view, bits)
    if "meet" not in view.text and not _in_two_sentences(bits):
        return
    units = [_read(bits, first, stop) for first, stop in sentences(bits)]
    if "meet" in view.text:
        yield from _meet_codes(view, bits, units)
    at = 0
    while at < len(units):
        row = _row(units, at)
        taken = 0
        for count in range(len(row), 1, -1):
            here = row[:count]
            kind = _kind(view, bits, [units[index] for index in here], finds)
            if kind:
                places = [place(view, units[index].piece) for index in here]
                yield from _of_one_kind(places, kind, finds)
                taken = here[-1]
                break
        at = max(at, taken) + 1


def place(view: View, piece: Sequence[Bit]) -> tuple[int, int]:
    """Return where a row of values begins and ends in the folded text."""
    return piece[0].start, view.written.end(piece[-1].end)


def _of_one_kind(places: Sequence[tuple[int, int]], kind: str, finds: Sequence[Find]) -> Iterator[Find]:
    """Yield *places* with their kind: that of a stronger find among them; nothing when one find holds them all."""
    first, last = places[0][0], places[-1][1]
    within = [found for found in finds if found[0] < last and first < found[1]]
    if any(start <= first and last <= end for start, end, _ in within):
        return
    kind = min((name for _, _, name in within if name != "phone"), key=_STRENGTH.index, default=kind)
    for start, end in places:
        yield start, end, kind


def sentences(bits: Sequence[Bit]) -> Iterator[tuple[int, int]]:
    first = 0
    for index, bit in enumerate(bits):
        if bit.stop or bit.line or index + 1 == len(bits):
            yield first, index + 1
            first = index + 1


def _read(bits: Sequence[Bit], first: int, stop: int) -> Unit:
    unit = Unit(first, stop)
    if all(bit.sort in _WORDLIKE for bit in bits[first:stop]):
        unit.silent = stop - first <= _SILENT
        return unit
    runs = _runs(bits, first, stop)
    if not runs:
        plain = all(bits[index].sort != AMOUNT for index in range(first, stop))
        unit.silent = plain and stop - first <= _SILENT
        return unit
    if len(runs) > 1:
        # "In three, ...": a number by itself tells how many pieces there are.
        kept = [run for run in runs if not (len(run) == 1 and bits[run[0]].sort == NUMBER)]
        runs = kept or runs
    if any(bits[index].sort == AMOUNT and not soft(bits[index]) for index in range(first, stop)):
        return unit
    run = runs[0]
    for more in runs[1:]:
        between = bits[run[-1] + 1 : more[0]]
        if len(between) > 3 or not all(follows(bit) for bit in between):
            return unit
        run = [*run, *more]
    run = without_words(bits, run)
    unit.piece = [bits[index] for index in run]
    lead = bits[first : run[0]]
    comma = max((index for index, bit in enumerate(lead) if bit.comma), default=-1)
    clause = lead[comma + 1 :] or lead
    unit.led = len(clause) <= _LEAD and all(follows(bit) or bit.sort == NUMBER for bit in clause)
    tail = bits[run[-1] + 1 : stop]
    unit.ordered = any(unelided(bit) in ORDER for bit in (*clause, *tail))
    short = len(tail) <= _TAIL and all(follows(bit) for bit in tail)
    unit.closed = not tail or bits[run[-1]].comma or short
    return unit


def without_words(bits: Sequence[Bit], run: list[int]) -> list[int]:
    """Return a run without the letters about its digits that are words: "il y a 5105", "transfiera a NL45"."""
    last = bits[run[-1]]
    if len(run) > 1 and last.word in _WORDS and not (last.comma or last.stop or last.line):
        run = run[:-1]  # "0942 a la fin", "0506, y ..."
    head = next((at for at, index in enumerate(run) if bits[index].word not in _WORDS), len(run))
    if not 0 < head < len(run) or bits[run[head]].sort not in {DIGITS, CODE, NUMBER}:
        return run
    return run if "".join(bits[index].word for index in run[:head]) in LENGTHS else run[head:]


def follows(bit: Bit) -> bool:
    return bit.sort in {CARRIER, CASE} or unelided(bit) in SEQUENCE


def unelided(bit: Bit) -> str:
    """Return a word without the article that clings to it: "initiale" of "l'initiale"."""
    return _ELIDED.sub("", bit.word)


def soft(bit: Bit) -> bool:
    """Tell whether what looks like an amount can be a piece: groups with dots, digits that end in a letter."""
    return _DOTTED.fullmatch(bit.word) is not None or _CLOSING_LETTER.fullmatch(bit.word) is not None


def _in_two_sentences(bits: Sequence[Bit]) -> bool:
    """Tell whether values, or what may be some, stand in more than one sentence."""
    ended = found = False
    for bit in bits:
        if bit.sort not in _WORDLIKE:
            if found and ended:
                return True
            found, ended = True, False
        ended = ended or bit.stop or bit.line
    return False


def tell_odd_words(view: View, bits: Sequence[Bit]) -> None:
    """Read words with capitals within, as few words have, as pieces: ``osTC``."""
    for bit in bits:
        if bit.sort == WORD and len(bit.word) > 3:
            raw = view.raw[slice(*view.raw_span(bit.start, bit.end))]
            if raw.isalpha() and not raw[1:].islower() and not raw.isupper():
                bit.sort = CODE


def _runs(bits: Sequence[Bit], first: int, stop: int) -> list[list[int]]:
    """Return the rows of values within one sentence."""
    runs: list[list[int]] = []
    for index in range(first, stop):
        bit = bits[index]
        sort = bit.sort
        if not (sort in {NUMBER, DIGITS, LETTER, CODE, SLUG} or (sort == AMOUNT and soft(bit)) or sort == SIGN):
            continue
        if sort == SIGN and not (runs and runs[-1][-1] == index - 1) and bit.sign not in {"+", "_", "-"}:
            continue
        if runs and runs[-1][-1] == index - 1 and not _parted(bits[index - 1], bit):
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def _parted(left: Bit, right: Bit) -> bool:
    return left.comma and (left.sort == NUMBER) != (right.sort == NUMBER)


def _row(units: Sequence[Unit], at: int) -> list[int]:
    """Return the sentences with pieces from *at* on that may belong together."""
    if not units[at].piece:
        return []
    row, silent = [at], 0
    for index in range(at + 1, min(len(units), at + 2 * _MOST_UNITS)):
        unit = units[index]
        if unit.piece:
            row.append(index)
            silent = 0
            if len(row) == _MOST_UNITS:
                break
        elif unit.silent and silent < _MOST_SILENT:
            silent += 1
        else:
            break
    return row


# --- what the pieces are together ------------------------------------------------------------------


def _kind(view: View, bits: Sequence[Bit], row: Sequence[Unit], finds: Sequence[Find]) -> str | None:
    row = _in_order(bits, row)
    texts = [value_of(view, unit.piece) for unit in row]
    union = "".join(texts)
    start = min(bits[unit.first].start for unit in row)
    near = view.text[max(0, start - 100) : max(bits[unit.stop - 1].end for unit in row)]
    led = all(unit.led and unit.closed for unit in row[1:])
    ordered = led and any(unit.ordered for unit in row[1:])
    if _is_account(union, texts[0], exact=not (_BANK.search(near) and led)):
        return "iban"
    if union.isdigit():
        kind = _kind_of_digits(view, row, texts, near, led=led, ordered=ordered)
        passes = (
            ordered
            and _PASS.search(near)
            and min(map(len, texts)) > 2
            and 4 <= len(union) <= _MOST_PHONE
            and not _years(texts)
        )
        return kind or ("link" if passes else None)
    if ordered and _PASS.search(near) and len(union) >= _LEAST_PASS and _random(row, _LEAST_PASS_PIECE):
        return "link"
    if not led or not any(map(str.isdigit, union)) or not _random(row):
        return None
    found = any(
        kind == "key" and row[0].piece[0].start < end and start < row[0].piece[-1].end for start, end, kind in finds
    )
    least = _LEAST_KEY if found else _LEAST_ANNOUNCED
    if len(union) >= least and (found or _KEY.search(near)) and not any(_NAMED.fullmatch(text) for text in texts):
        return "key"
    return None


def _in_order(bits: Sequence[Bit], row: Sequence[Unit]) -> Sequence[Unit]:
    """Return the pieces in the order in which they belong, where the end was said before the beginning."""
    ranks = [_rank(bits[unit.first : unit.stop]) for unit in row]
    if ranks[0] < 1 or min(ranks) >= 0:
        return row
    return [unit for _, unit in sorted(zip(ranks, row, strict=True), key=lambda ranked: ranked[0])]


def _rank(sentence: Sequence[Bit]) -> int:
    """Tell whether a sentence speaks of the beginning (-1) or the end (1) of something, or of neither."""
    said = {unelided(bit) for bit in sentence}
    return (not said.isdisjoint(_ENDS)) - (not said.isdisjoint(_STARTS))


def value_of(view: View, piece: Sequence[Bit]) -> str:
    """Return the letters and digits of a piece."""
    out: list[str] = []
    for index, bit in enumerate(piece):
        said = bit.word
        if bit.sort == NUMBER:
            after = piece[index + 1].start if index + 1 < len(piece) else 0
            said = view.written.numbers[bit.start : after or max(bit.end, view.written.end(bit.end))]
            said = "".join(filter(str.isdigit, said))
        elif bit.sort == LETTER:
            said = SPELLING.get(bit.word, bit.word)
        elif bit.sort in {SIGN, CASE} or bit.word in FILLERS:
            continue
        out += filter(str.isalnum, said)
    return "".join(out)


def _is_account(union: str, head: str, *, exact: bool) -> bool:
    if head[:2] not in LENGTHS or not head[2:4].isdigit() or not head[2:3]:
        return False
    length = LENGTHS[head[:2]]
    return len(union) == length if exact else length - 2 <= len(union) <= length + 2


def _years(texts: Sequence[str]) -> bool:
    return any(_YEAR.fullmatch(text) for text in texts)


def _random(row: Sequence[Unit], least: int = _LEAST_TOKEN) -> bool:
    """Tell whether each piece is a token of letters and digits, or is spelt."""
    for unit in row:
        longest = max((len(bit.word) for bit in unit.piece if bit.sort in {CODE, SLUG}), default=0)
        if longest < least and sum(bit.sort in {LETTER, NUMBER} for bit in unit.piece) < least - 1:
            return False
    return True


def _kind_of_digits(
    view: View, row: Sequence[Unit], texts: Sequence[str], near: str, *, led: bool, ordered: bool
) -> str | None:
    union = "".join(texts)
    count = len(union)
    years = _years(texts)
    if 12 <= count <= 19 and payment_card.begins_like_one(union) and min(map(len, texts)) > 2:
        written = any(bit.sort == DIGITS for unit in row for bit in unit.piece)
        checked = count >= 13 and payment_card.luhn(union)
        if checked and (led or written) and not (years and not ordered):
            return "card"
        if led and _CARD.search(near):
            return "card"
    if not _LEAST_PHONE <= count <= _MOST_PHONE or not led or not row[0].closed or _OTHER.search(near):
        return None
    if ordered and 9 <= count <= 11 and min(map(len, texts)) > 2 and _MEETING.search(near) and not years:
        return "link"
    groups = [group for unit in row for group in written_groups(view, unit.piece)]
    nought = any(len(group) > 1 and group[0] == "0" for group in groups)
    plus = row[0].piece[0].plus or row[0].piece[0].sign == "+"
    first = groups[0][:1] == "0" and len(groups[0]) > 1
    if plus or first:
        return "phone"
    told = _PHONE.search(near) is not None
    if nought and not years and (told or (ordered and not are_round(groups))):
        return "phone"
    return None


def are_round(groups: Sequence[str]) -> bool:
    """Tell whether groups of digits are round numbers, as amounts are."""
    return sum(len(group) > 2 and group[0] != "0" and group.endswith("0") for group in groups) >= _ROUND


def written_groups(view: View, piece: Sequence[Bit]) -> list[str]:
    """Return the groups of digits of a piece as they were written; what was said one by one is one group."""
    groups: list[str] = []
    said = ""
    for index, bit in enumerate(piece):
        if bit.sort in {DIGITS, AMOUNT}:
            groups += re.findall(r"\d+", bit.word)
        elif bit.sort == NUMBER:
            said += value_of(view, piece[index : index + 1])
    return [*groups, said] if said else groups


# --- codes of a meeting ----------------------------------------------------------------------------


def _meet_codes(view: View, bits: Sequence[Bit], units: Sequence[Unit]) -> Iterator[Find]:
    """Yield the pieces of each code of three, four and three letters behind the word "meet"."""
    spans = [(bits[unit.first].start, bits[unit.stop - 1].end) for unit in units]
    for at, (start, end) in enumerate(spans):
        cue = _MEET.search(view.text, start, end)
        if cue is None:
            continue
        places = [
            place
            for index in range(at, min(len(units), at + 6))
            for place in _meet_piece(view, units[index], bits, max(cue.end(), spans[index][0]), spans[index][1])
        ]
        for first in range(len(places)):
            row = _meet_row(view, places[first:])
            if row:
                for piece in row:
                    yield (*piece, "link")
                break


def _meet_piece(view: View, unit: Unit, bits: Sequence[Bit], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the last group of letters in a clause, as it is written or spelt."""
    spelt = [bit for bit in unit.piece if bit.sort == LETTER and bit.start >= start]
    if len(spelt) > 2:
        yield spelt[0].start, view.written.end(spelt[-1].end)
        return
    closing = {bit.end for bit in bits[unit.first : unit.stop] if bit.comma or bit.stop or bit.line}
    closing.add(end)
    for found in _MEET_PIECE.finditer(view.text, start, min(len(view.text), end + 2)):
        raw = view.raw[slice(*view.raw_span(*found.span()))]
        word = found.group()
        if found.end() in closing and raw.islower() and word not in SEQUENCE and word not in NUMBERS:
            yield found.span()


def _meet_row(view: View, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    letters = 0
    row: list[tuple[int, int]] = []
    hyphen = False
    for start, end in places:
        said = view.text[start:end]
        written = " " not in said
        letters += sum(map(str.isalpha, view.written.text[start:end]))
        hyphen = hyphen or "-" in said or not written
        if letters > _MEET_CODE or (written and letters not in _MEET_ENDS):
            return []
        row.append((start, end))
        if letters == _MEET_CODE:
            return row if hyphen or len(row) > 2 else []
    return []
