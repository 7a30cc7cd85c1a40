"""Passwords that are said: "the password is harbor, capital H, three oh five, exclamation mark".

A word by itself tells nothing, so it needs both: what says that a password comes, and what passwords have besides
words (``password_parts``), in the same sentence or in those that go on with it. The nearer the one, the less of the
other is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gongmcp.exposure.detect.dictation_words import ORDER
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.password_parts import MORE, Run, runs
from gongmcp.exposure.detect.spoken import any_of, words

NAMES: Final = (
    r"(?:(?:[a-z]{2,16}-?)?(?:pass ?words?|passwort|kennwort)|pass ?phrases?|mots? de passe|contrasenas?|pwd"
    r"|clave(?: (?:del?|de la) (?:wi-?fi|red|correo|acceso|admin[a-z]*|usuario|entrada))?"
    r"|(?:wi-?fi|wlan|w-lan)(?:-?(?:passwort|schlussel|password|key))?)"
)
_DOUBTFUL: Final = re.compile(r"clave|wi-?fi|w-?lan")
"""Names for other things as well."""
_IS: Final = words(
    "is was are reads be goes ist lautet ware heisst war bleibt est c'est sera etait reste es sera seria era son "
    "to put type enter use write set you "
    "auf geben nehmen tippen setzen schreiben vous mettez tapez entrez ecrivez pones pon pongo escribe "
    "escribes usa teclea"
)
"""Words behind which the password comes."""
_LEAD: Final = _IS | words(
    "just simply "
    "still now always already again it that's it's this here the a so first then temporary new old current default "
    "admin guest wifi initial master root would should begins starts with of for "
    "noch immer einfach jetzt also das der die sie vom zum zip weiterhin immernoch erst zuerst dem "
    "toujours encore maintenant ce le la provisoire temporaire admin alors d'abord du de invites "
    "juste simplement justo sigue siendo ahora el lo temporal provisional primero del de nueva actual nouveau nouvelle"
)
_JOINING: Final = words("and und et y by gefolgt suivi seguido von de after hinten that vorne al final later")
_CUE: Final = re.compile(rf"\b{NAMES}(?:'s)?(?![a-z])")
_AS: Final = re.compile(
    r",? (?:as(?: (?:your|the|a|our|his|her|my))?|als(?: ihr| das| ein)?|comme|en(?: tant que)?|como(?: la| tu| su)?"
    r"|de)"
    rf" {NAMES}(?![a-z])"
)
_FOR: Final = re.compile(
    r" (?:for|of|at|on|here|fur|furs|zum|im|de|del|du|des|pour|para)(?: [a-z'-]+){1,4}?"
    rf"(?=,? {any_of(_IS)}(?![a-z])|:)"
)
_OTHER: Final = re.compile(
    r"\b(?:characters|at least|minimum|mindestens|zeichen|caracteres|au moins|al menos|como minimo|special"
    r"|sonderzeichen|digits?|ziffern?|letters|buchstaben|chiffres|lettres|letras|digitos|policy|richtlinie\w*|requires?|contain\w*)\b"
)
"""Who speaks of what passwords must have tells none."""
_WORD: Final = re.compile(r"[^\s,.;:?!¿¡]+")
_COMES: Final = re.compile(r"[:=,]\s*$|:\s")
_CLOSED: Final = re.compile(r"\s*(?:$|[.,;:!?\n]|(?:and|und|et|y|in|as|als|comme|como|en|de|for|auf|please|bitte)\b)")
_ENOUGH: Final = 3
"""So much besides words has what is only near the word for it."""
_ENOUGH_DOUBTFUL: Final = 5
_MOST_ON: Final = 4
_SILENT: Final = 4
_TAIL: Final = 2
_SHORT: Final = 6
_FAR: Final = 12
_REACH: Final = 240
PATTERN: Final = rf"\b{NAMES}\b[^\x00]{{0,120}}{MORE}|\b(?:as|als|comme|en|como|de) (?:[a-z]{{1,5}} )?{NAMES}\b"
"""What a text with such a password holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield each part of each password, in no order; the words between the parts of one stay."""
    text = view.text
    for cue in _CUE.finditer(text):
        yield from _behind(view, cue)
    for cue in _AS.finditer(text):
        start = max(text.rfind("\n", 0, cue.start()) + 1, cue.start() - _REACH)
        here = [run for run in runs(text, start, cue.start()) if run.end == cue.start()]
        if here and _is_called(text, here[-1], cue.end()):
            yield from _places(text, here[-1])


def _is_called(text: str, run: Run, end: int) -> bool:
    """Tell whether what the word for it follows, up to *end*, is a password."""
    closed = _CLOSED.match(text, end) is not None
    if run.counted:
        return run.weight > 0 and (run.words > 1 or (run.words > 0 and closed))
    return run.weight >= _ENOUGH or (run.words > 0 and (closed or run.coded > 0))


def _behind(view: View, cue: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the parts of the password that is told behind *cue*, the word for it."""
    text, at = view.text, cue.end()
    line = _line_end(text, at)
    end = min(line, at + _REACH)
    wanted = _FOR.match(text, at, end)
    at = wanted.end() if wanted is not None else at
    first = _after_lead(text, at, end)
    found = next((run for run in runs(text, first, end) if _begins(text, at, run, end)), None)
    if found is None and len(_WORD.findall(text, at, end)) > _SHORT:
        return
    told = found is not None and _told(text, at, found.start)
    told = told or (found is not None and cue.group().endswith("'s") and found.start - first < 2)
    if found is None or _only(text, found.end, end):
        found = _going_on(text, found, line)
    if found is None or not found.weight or _OTHER.search(text, at, found.end):
        return
    doubtful = _DOUBTFUL.fullmatch(cue.group()) is not None
    enough = _is_told(view, found, doubtful) if told else _is_near(found, found.start - first < 2, doubtful)
    if enough:
        yield from _places(text, found)


def _is_told(view: View, run: Run, doubtful: bool) -> bool:
    """Tell whether what follows "the password is" is one."""
    if run.first != "word" and run.weight < _ENOUGH:
        return False
    if doubtful and not (run.sure or run.coded):
        return run.counted and run.words > 0 and view.raw_char(run.start).isupper()
    if run.counted:
        return run.words > 0 and _CLOSED.match(view.text, run.end) is not None  # not "is fine, five bars"
    return not run.amount or not doubtful


def _is_near(run: Run, beside: bool, doubtful: bool) -> bool:
    """Tell whether what only stands near the word for it is a password; *beside*: directly behind it."""
    if run.weight < (_ENOUGH_DOUBTFUL if doubtful else _ENOUGH) or len(run.places) < 2:
        return beside and not doubtful and run.first == "word" and run.signs * run.numbers > 0 and not run.amount
    spelt = run.letters >= _ENOUGH and run.numbers > 0
    return run.sure + run.coded > 0 or spelt or (beside and run.signs > 0 and not run.amount)


def _after_lead(text: str, at: int, end: int) -> int:
    """Return where the words end behind *at* that only say that something comes."""
    for word in _WORD.finditer(text, at, end):
        if word.group() not in _LEAD:
            break
        at = word.end()
    return at


def _begins(text: str, at: int, run: Run, end: int) -> bool:
    """Tell whether *run* may be the password, or what is in this sentence of it."""
    before = [word for word in _WORD.findall(text, at, run.start) if word not in _LEAD]
    if len(before) > _FAR:
        return False
    if run.weight >= _ENOUGH and not run.counted:
        return True
    if not before and run.first == "word" and run.weight:
        return True
    if not run.counted and (run.sure or not before) and _only(text, run.end, end):
        return True  # more may come
    return _told(text, at, run.start) and (run.weight > 0 or _only(text, run.end, end))


def _told(text: str, at: int, start: int) -> bool:
    """Tell whether nothing stands before the password but what says that it comes."""
    before = text[at:start]
    said = _WORD.findall(before)
    if _COMES.search(before) and len(said) <= 1:
        return True
    return not set(said) - _LEAD and (not _IS.isdisjoint(said) or _COMES.search(before) is not None)


def _going_on(text: str, run: Run | None, end: int) -> Run | None:
    """Return *run* with what the next sentences hold of it: they hold little else, and one may say something else."""
    silent = False
    for _ in range(_MOST_ON):
        start = end + 1
        if start >= len(text):
            break
        end = _line_end(text, start)
        here = list(runs(text, start, min(end, start + _REACH)))
        piece = here[0] if len(here) == 1 else None
        if piece is not None and (piece.weight or (run is not None and run.last == "sign")):
            led = not set(_WORD.findall(text, start, piece.start)) - _LEAD - ORDER - _JOINING
            if led and _only(text, piece.end, end):
                run = piece if run is None else run.joined(piece)
                continue
        if silent or len(_WORD.findall(text, start, end)) > _SILENT:
            break
        silent = True
    return run


def _only(text: str, at: int, end: int) -> bool:
    """Tell whether hardly anything stands between *at* and the end of the sentence."""
    return len(_WORD.findall(text, at, min(end, at + _REACH))) <= _TAIL


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _places(text: str, run: Run) -> Iterator[tuple[int, int]]:
    """Yield the places of its parts, those that only a blank or a comma parts as one."""
    first, last = run.places[0]
    for start, end in run.places[1:]:
        if text[last:start].strip(" ,"):
            yield first, last
            first = start
        last = end
    yield first, last
