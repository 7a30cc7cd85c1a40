"""E-mail addresses, written and spoken, whole or broken over sentences.

Each sign for ``@`` (written, in brackets, or said) is looked at once: what stands right of it must be a
domain, what stands left of it a mailbox name. That keeps the work linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from gongmcp.exposure.detect.dictation_words import SEQUENCE
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.spoken import (
    AT_PHRASES,
    AT_SIGNS,
    DOTS,
    FILLERS,
    HYPHENS,
    JOINTS,
    SLASHES,
    UNDERSCORES,
    any_of,
    words,
)

# Letters and digits of scripts that put spaces between words. A neighbouring Chinese, Japanese, Korean
# or Thai word is written without a space before the address and does not belong to it.
_W: Final = "0-9a-z\u00aa-\u0dff\u10a0-\u10ff\u1e00-\u1fff"
_SIGNS: Final = "@._%+'~!#$*^\\-"
_MAX_TOKENS: Final = 40  # a spelt-out address of this many letters and signs is followed to its end
_WINDOW: Final = 200  # characters looked at on either side of the sign
_CUE_WINDOW: Final = 80

_said_at: Final = "|".join(sorted(AT_SIGNS))
_said_dot: Final = "|".join(sorted(DOTS))
# One leading class of characters, so that the search skips quickly to where a sign can be.
_AT: Final = re.compile(
    rf"[@%&\s\[({{<.,](?:"
    rf"(?P<sign>(?<=@)|(?<=%)40|(?<=&)(?:\#0*64|commat);)"
    rf"|(?<=[\[({{<])\s?(?P<bracket>at|{_said_at})\s?[\])}}>]\s?"
    rf"|(?<=\s)(?P<at>at)(?:\s+sign)?(?=\s[^@]{{0,80}}?(?:\.[{_W}]|\.\n|[\s(\[](?:{_said_dot}|dotcom)\b))"
    rf"|(?<=[{_W}]{{2}}\s)(?P<near>a|et|ad|bei)(?=\s[{_W}]{{2}}[^@]{{0,80}}?[\s(\[](?:{_said_dot})\b)"
    rf"|(?<![\[({{<@%&])(?P<word>{_said_at})(?=\s))"
)

_joint: Final = "|".join(sorted(re.escape(joint) for joint in JOINTS))
_GAP: Final = r"(?:[^\S\n]|[.,;:]?\n)+"  # blanks, or the end of a sentence that the recogniser saw here
_LABEL: Final = rf"[{_W}](?:[{_W}_-]*[{_W}])?"
_LEFT_ATOM: Final = re.compile(rf"[{_W}{_SIGNS}]+$")
_LEFT_ANY_ATOM: Final = re.compile(rf"[\w{_SIGNS}]+$")
_LEFT_QUOTED: Final = re.compile(r'"[^"\n]{1,64}"$')
_LEFT_GAP: Final = re.compile(rf"{_GAP}$")
_LEFT_JOINT: Final = re.compile(
    rf"(?:(?:{_GAP})(?:{_said_dot}|{_joint})(?:{_GAP})|\s?[\[({{<]\s?(?:{_said_dot}|\.)\s?[\])}}>]\s?)$"
)
_LEFT_WORD: Final = re.compile(rf"(?:^|(?<=\s))(?P<word>[{_W}]+)(?:{_GAP})$")
_LEFT_NAMES: Final = re.compile(
    rf"(?:^|\n|(?:^|[\s,:'])(?:is|it's|its|to|ist|lautet|est|es|an|a|at|on|under|unter"
    rf"|:)\s+)(?P<names>(?:[{_W}]+\s+){{1,2}})$"
)
_LEFT_BROKEN: Final = re.compile(rf"(?:^|(?<=\s))(?P<word>[{_W}]+)\.\n$")

_RIGHT_GAP: Final = re.compile(_GAP)
_RIGHT_LABEL: Final = re.compile(_LABEL)
_RIGHT_JOINT: Final = re.compile(rf"{_GAP}(?:{_joint}){_GAP}(?={_LABEL})")
_RIGHT_LETTER: Final = re.compile(rf"(?:-|[ ,]*[.]?\n?[ ]*)(?P<letter>[{_W}])(?![{_W}'])")
_RIGHT_MORE: Final = re.compile(rf"[^\S\n]+(?P<word>[{_W}-]+)(?=(?:{_GAP}(?:{_said_dot}){_GAP}|{_GAP}dotcom\b))")
_RIGHT_WORDS: Final = re.compile(
    rf"(?:[^\S\n]+(?!(?:{_said_dot})\s)(?P<word>[{_W}]+(?:-[{_W}]+)*)){{1,4}}(?=(?:{_GAP}(?:{_said_dot}){_GAP}|{_GAP}dotcom\b))"
)
_RIGHT_DOT: Final = re.compile(
    rf"(?P<tight>\.)(?=[{_W}])"
    rf"|(?P<loose>(?:[^\S\n]?\.[^\S\n]?|\.\n))(?=[{_W}])(?!(?:{_said_dot})\s)"
    rf"|(?P<said>{_GAP}(?:{_said_dot}){_GAP}|{_GAP}dot(?=com\b)"
    rf"|\s?[\[({{<]\s?(?:{_said_dot}|\.)\s?[\])}}>]\s?)(?=[{_W}])"
)
_WRITTEN_DOMAIN: Final = re.compile(rf"(?:[{_W}][{_W}-]{{0,62}}\.)+[a-z]{{2,24}}")
_ADDRESS: Final = re.compile(r"\[?\d{1,3}(?:\.\d{1,3}){3}\]?")

_CUE: Final = re.compile(
    r"\be-?mails?\b|\bmails?\b|\bmailbox\b|\baddress\b|\breach\b|\bcontact\b|\bwrite\b|\badresse\b|\bcorreo\b"
    r"|\bcourriel\b"
    r"|\bindirizzo\b|\bendereco\b|\bdireccion\b|\badres\b|\bschreib|\becri(?:re|vez)\b|\bescrib|\bscriv|\bescrev"
)
_LEADS_IN: Final = re.compile(rf"\b(?:to|is|it's|its|from|cc|with|under|an|ist|es|est|e|lautet)(?:{_GAP})$")

_TOP_LEVEL: Final = words(
    "com org net edu gov mil int info biz name pro mobi app dev cloud tech online store shop site blog agency global "
    "group company media digital solutions systems software consulting capital finance health energy legal network "
    "email live news studio world example test invalid local corp internal dotcom"
)

# A word that stands before "at DOMAIN" without being a mailbox: "see our website at ...".
NO_MAILBOX: Final = words(
    "use using contact write send sent try ask call text apunta escribeme voila voici note copy thanks hi hello hey "
    "a an the this that these those i me us you it them him her we they he she who what which where when here there "
    "is are was were be been being am do does did done have has had can could will would may might should must "
    "and or but not no yes so if then than as of in on to for from by with up out down over off about only just also "
    "again once more most all any some each both website websites site sites web webpage webpages page pages url "
    "link "
    "links portal platform online homepage home blog forum store shop address section tab internet intranet newsroom "
    "press release releases presentation presentations slide slides deck material materials document documents copy "
    "copies replay webcast broadcast transcript transcripts report reports filing filings information info details "
    "relations look looking looks looked see seen visit visiting visited find found finding go going goes went come "
    "learn read reading check checking click access accessed accessible available availability posted published "
    "listed "
    "located hosted viewed downloaded download register registered sign signed subscribe order buy start started "
    "begin "
    "work working works worked employed team people folks guys friends colleagues employees staff engineers customer "
    "customers client clients analyst analysts manager director president officer meeting call calls live trading "
    "trade traded priced stay join joined arrive arrived es est ist lautet das die der den dem mail email e-mail "
    "correo adresse direccion an en bei unter sous chez con "
    "y und et al el la le mi mon mein meine su votre courriel escribe para sitio pagina seite webseite netz site "
    "internet web disponible "
    "everyone everybody todos "
    "ganze alles thing tout todo verfügbar sounds spricht hort schreibt prononce prononcent ecrit suena"
)
ROLES: Final = words("info team press staff support help contact office jobs sales customer customers order")
_SLASH: Final = re.compile(rf"[\s,]+{any_of(SLASHES)}\b|/")
_SHORT_WORDS: Final = words("in it is to so me be at my no us am as do an of or on we he by pm if al la le et")
NO_DOMAIN: Final = words("a an the this that our your my his her their its one some any www http https")


_COUNTRIES: Final = words("de fr es uk us eu ch be nl io co ca au ie pt pl se dk fi br mx jp cn lu ai ar cl pe at")
_DOTS_OF_SPEECH: Final = DOTS & words("point period punt ponto")  # words that mostly mean something else
PATTERN: Final = (
    rf"@|%40|&#0*64|&commat|\b(?:{any_of(AT_SIGNS | {'dotcom', 'klammeraffen'})}|at[ -](?:sign|symbol|zeichen))\b"
    rf"|[\[({{<]\s?at\s?[\])}}>]"
    rf"|\b{any_of(DOTS - _DOTS_OF_SPEECH)}\b"
    rf"|\b{any_of(_DOTS_OF_SPEECH)}[\s,.]+(?:(?:uh|um|eh"
    rf"|euh)[\s,.]+)?(?:{any_of((_TOP_LEVEL | _COUNTRIES) - {'live', 'group', 'company'})}"
    rf"|[a-z][ ,.\n]{{1,3}}[a-z]|c o ?m|o r g|n e t)\b"
    rf"|\b(?:at|a|et|ad)\s+[{_W}-]+(?:\.[{_W}-]+)*\.[a-z]{{2}}"
    r"|\b(?:left of|links vo[mn]|a gauche de|izquierda de(?: la| el|l)?) (?:the |dem |l')?(?:at|@)\b|\b(?:the|dem) at\b"
    r"|\ble petit a\b"
)
"""What a text with an address holds, for the quick look of ``gongmcp.exposure.masking``."""


# --- preparing -------------------------------------------------------------------------------------

_AT_PHRASE: Final = re.compile(rf"(?<![{_W}]){any_of(AT_PHRASES)}(?![{_W}])")
_UNDERSCORE: Final = re.compile(rf"\b{any_of(phrase for phrase in UNDERSCORES if ' ' in phrase)}\b")
_HYPHEN: Final = re.compile(rf"\b{any_of(phrase for phrase in HYPHENS if ' ' in phrase)}\b")
_SOUND: Final = re.compile(
    rf"(?<![^\s,.]),?\s?\b{any_of(FILLERS - {'like', 'also', 'este', 'em'})}\b[,.…]{{0,3}}(?=\s)"
)
_PAUSE: Final = re.compile(
    r"[,.…]{1,3}\s(?:este|em|wait|one sec(?:ond)?|one moment|hold on|moment|warten sie|warte|sekunde|einen moment"
    r"|attendez|attends|une seconde|un instant|voila|espere|espera"
    r"|(?:un|1)\s+(?:momento|segundo|instante?)|1\s+(?:sec(?:ond)?|moment)|a ver|let me see"
    r"|mal sehen|o sea|digo)[,.…]{1,3}(?=\s)"
)
_HELP: Final = re.compile(
    r",?\s(?:all (?:in )?(?:one word|1\s+word|lower ?case|small letters|together)|one word|1\s+word|no spaces?"
    r"|in lower ?case"
    r"|alles klein(?:geschrieben)?"
    r"|alles zusammen(?:geschrieben)?|zusammengeschrieben|kleingeschrieben|klein geschrieben|ohne leerzeichen"
    r"|tout attache|en minuscules?"
    r"|tout en minuscules?|en un seul mot|in one word|as one word|together|in einem wort|als ein wort|ein wort|zusammen"
    r"|tout colle|attache|pegado|todo pegado|todo seguido|junto|en una(?: sola)? palabra|sans espaces?|sin espacio"
    r"|todo junto|en minusculas?|todo en minusculas?|sin espacios)\b,?(?=\s)"
)
_SURE_WORD: Final = rf"(?:{_said_at})"
_SIGN_WORD: Final = rf"(?:at|{_said_at}|{_said_dot}|{_joint})"
_SPOKEN: Final = re.compile(rf"\b(?:{_said_at})\b|\s(?:{_said_dot})\s+(?:{any_of(_TOP_LEVEL | _COUNTRIES)}|[a-z])\b")
"""What a text with an address that is said holds."""
_HELPED_COMMA: Final = re.compile(rf"(?<![{_W}])[{_W}]\s{{2,}},(?=\s+(?:[{_W}](?![{_W}])|{_SIGN_WORD}(?![{_W}])))")
"""The comma behind a letter whose help ("B comme Bernard,") is blanked."""
_AFTER_SIGN: Final = re.compile(
    rf"(?<=\s)(?P<sign>at|{_said_at}),(?:[^\S\n][a-z']+){{1,8}},(?=\s+(?:[{_W}-]+\s){{1,12}}(?:{_said_dot}|{_joint})\s)"
)
_FIGURE: Final = re.compile(
    r"\s(?:(?:the|die|le|el|la|das)\s)?(?:number|digit|numeral|zahl|ziffer|chiffre|numero|cifra|digito)\s+(?=[0-9])"
)
_THEN: Final = re.compile(
    r"(?:,[^\S\n](?:(?:et|und|and|y|e)[^\S\n])?|[^\S\n](?:et|und|and|y|e)[^\S\n])(?:(?:derriere|dahinter|hinten|dran"
    r"|hinterher|behind|after that|then|dann|danach|puis|ensuite|luego|despues|apres|nachher|followed by|seguido de"
    rf"|suivi de|gefolgt von|the|das|der|l'|la|el|un|une|ein|an?|comes?|kommt|vient|viene|va)\s)+"
    rf"(?={_SURE_WORD}\s|at\s+[{_W}-]+\s+(?:{_said_dot})\s)"
)
"""What leads from a mailbox to its sign: "..., et derrière arobase"."""
_COMMA: Final = re.compile(
    rf"[,;](?=\s+{_SIGN_WORD}(?![{_W}]))|(?<=[{_W}]),(?=\s+[{_W}](?![{_W}]))"
    rf"|(?<=(?<![{_W}])[{_W}])[,.](?=\s+(?:[{_W}]|{_SIGN_WORD})(?![{_W}]))"
)
_COMMA_AFTER: Final = re.compile(rf"(?P<word>(?<![{_W}])(?!period\.){_SIGN_WORD})[,;.](?=\s)")
_AND: Final = re.compile(rf"(?<=\s[a-z]) y (?=(?!{_SIGN_WORD}\b)[a-z]{{2,}})")
"""The word behind a spelt domain that is no letter of it: "punto c o m y nada mas"."""
_SPELT_OUT: Final = re.compile(rf"(?<![{_W}])[{_W}](?:-[{_W}])+(?![{_W}-])")


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _without_remarks(text: str) -> str:
    """Blank what is said within an address about a figure or the sign: "the number", "et derrière"."""
    text = _HELPED_COMMA.sub(lambda found: found.group()[:-1] + " ", text)
    for remark in (_FIGURE, _THEN):
        text = remark.sub(_blank, text)
    return _AFTER_SIGN.sub(lambda found: found["sign"] + " " * (len(found.group()) - len(found["sign"])), text)


def prepared(view: View) -> str:
    """Return the folded text with numbers and signs as the patterns know them, each at its old place."""
    return _prepared(view.written.numbers)


@lru_cache(maxsize=4)
def _prepared(text: str) -> str:
    text = _AT_PHRASE.sub(lambda found: f"{'arroba':<{len(found.group())}}", text)
    text = _UNDERSCORE.sub(lambda found: f"{'_':<{len(found.group())}}", text)
    text = _HYPHEN.sub(lambda found: f"{'-':<{len(found.group())}}", text)
    text = _SOUND.sub(lambda found: " " * len(found.group()), text)
    text = _PAUSE.sub(lambda found: " " * len(found.group()), text)
    text = _HELP.sub(lambda found: " " * len(found.group()), text)
    if _SPOKEN.search(text):
        text = _without_remarks(text)
    text = _COMMA.sub(" ", text)
    text = _AND.sub(" ; ", text)
    text = _COMMA_AFTER.sub(lambda found: found["word"] + " ", text)
    return _SPELT_OUT.sub(lambda found: found.group().replace("-", " "), text)


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each address, in order, without overlaps."""
    text = prepared(view)
    at = 0
    for sign in _AT.finditer(text):
        if sign.start() < at:
            continue
        span = _address(view, text, sign, at)
        if span is not None:
            at = view.written.end(span[1])
            yield span[0], at


def _address(view: View, text: str, sign: re.Match[str], floor: int) -> tuple[int, int] | None:
    kind = sign.lastgroup
    mailbox = _Mailbox(view, text, sign.start() + (kind in {"at", "near", "word"}), floor)
    if not mailbox.read():
        return None
    heads = kind == "at" and _heads(text, mailbox.start)
    domain = Domain(text, sign.end(), sure=kind == "word" or heads)
    if not domain.read():
        return None
    if kind in {"sign", "word", "at"} and mailbox.gap and not mailbox.certain and mailbox.word in SEQUENCE:
        return None  # "and then @...": what stands before it was said in a sentence before
    if kind in {"at", "near"} and mailbox.word.endswith("'s"):
        return None
    before = text[max(floor, mailbox.start - _CUE_WINDOW) : mailbox.start]
    cue = _CUE.search(before) is not None
    if kind == "sign" and not mailbox.gap and not domain.gap:
        fits = domain.top_level or domain.numeric or (domain.labels > 1 and domain.last.isalpha()) or cue
    elif domain.first in NO_DOMAIN or (kind == "at" and _after_website(text, mailbox, sign.start())):
        fits = False
    elif kind == "near":
        fits = domain.top_level and domain.said and mailbox.certain and domain.words == 1
    elif kind == "bracket":
        fits = domain.top_level
    elif kind != "at":
        fits = domain.top_level and (mailbox.certain or mailbox.word not in NO_MAILBOX or mailbox.word in ROLES)
    else:
        # Plain "at": the domain must have been said with its dot, or something must speak of e-mail.
        plain = mailbox.word not in NO_MAILBOX and (domain.said or cue or _LEADS_IN.search(before) is not None)
        plain = plain or (mailbox.word in ROLES and domain.said)
        fits = domain.top_level and (mailbox.certain or plain)
        fits = fits and (domain.words == 1 or mailbox.certain or cue or heads)
    if kind == "at" and not mailbox.certain and _SLASH.match(text, domain.end):
        return None  # "the video at example dot com slash video"
    if fits:
        if kind in {"at", "word", "near"}:
            mailbox.take_in_names()
        return mailbox.start, domain.end
    # Words that were taken for more of the domain may have hidden a plain one.
    written = _WRITTEN_DOMAIN.match(text, sign.end()) if kind == "sign" and not mailbox.gap else None
    return (mailbox.start, written.end()) if written else None


def _heads(text: str, start: int) -> bool:
    """Tell whether a mailbox begins its sentence, behind words that lead in to it at most."""
    lead = text[max(0, start - _CUE_WINDOW) : start].rpartition("\n")[2]
    return all(word.strip(".,:;!?") in SEQUENCE for word in lead.split())


def _after_website(text: str, mailbox: _Mailbox, sign: int) -> bool:
    """Tell whether a sentence that ends in a website stands before one that begins with ``at``."""
    name, dot, top = mailbox.word.rpartition(".")
    return bool(name and dot) and ends_domain(top) and "\n" in text[sign - 2 : sign + 1]


class _Mailbox:
    """What stands left of the sign, read from right to left.

    ``certain``: it has a joint, a digit or spelt letters, as words before "at" do not. ``word``: its
    only word. ``gap``: a blank stands between it and the sign.
    """

    def __init__(self, view: View, text: str, end: int, floor: int) -> None:
        self.view = view
        self.text = text
        self.floor = max(floor, end - _WINDOW)
        self.window = text[self.floor : end]
        self.start = end
        self.certain = False
        self.gap = False
        self.word = ""

    def _left(self) -> str:
        return self.window[: self.start - self.floor]

    def read(self) -> bool:
        """Find where it starts; False when there is none."""
        gap = _LEFT_GAP.search(self._left())
        if gap:
            self.gap = "\n" not in gap.group()
            self.start = self.floor + gap.start()
        left = self._left()
        quoted = _LEFT_QUOTED.search(left)
        atom = quoted or _LEFT_ATOM.search(left) or _LEFT_ANY_ATOM.search(left)
        if atom is None or not any(char.isalnum() for char in atom.group()):
            return False
        self.word = atom.group().strip("._'-")
        self.certain = quoted is not None or not self.word.isalpha()
        self.start = self.floor + atom.start()
        for _ in range(_MAX_TOKENS):
            if not self._extend():
                break
        self._over_the_full_stop()
        while self.text[self.start] in "@._'~!#$*^-+":
            self.start += 1
        return True

    def _extend(self) -> bool:
        left = self._left()
        joint = _LEFT_JOINT.search(left)
        if joint:
            atom = _LEFT_ATOM.search(left[: joint.start()])
            if atom and any(char.isalnum() for char in atom.group()):
                self.start = self.floor + atom.start()
                self.word = atom.group()
                self.certain = True
                return True
        word = _LEFT_WORD.search(left)
        if word and self._spelt(word["word"]):
            self.start = self.floor + word.start("word")
            self.word = word["word"]
            self.certain = True
            return True
        return False

    def _spelt(self, left: str) -> bool:
        """Tell whether the word *left* of what was read belongs to it: letters and digits said one by one."""
        if len(self.word) > 1 and self.word in NO_MAILBOX:
            return False
        here_bit = _is_bit(self.word)
        if left in {"a", "i", "o"} and not here_bit:
            return False
        if _is_bit(left):
            return here_bit or left not in {"one", "un", "uno"}
        return (
            here_bit
            and (left not in NO_MAILBOX or left in ROLES)
            and left not in DOTS
            and left not in {"at", "address", "e-mail"}
        )

    def take_in_names(self) -> None:
        """Take in one or two more words, said between ``my e-mail is`` and the like and what was read."""
        more = _LEFT_NAMES.search(self._left())
        if more and not any(word in NO_MAILBOX for word in more["names"].split()):
            self.start = self.floor + more.start("names")

    def _over_the_full_stop(self) -> None:
        """Take in the word before a full stop: a recogniser ends the sentence at ``dana. smith@...``."""
        left = self._left()
        broken = _LEFT_BROKEN.search(left)
        if broken is None or self.gap or broken["word"] in NO_MAILBOX:
            return
        start = self.floor + broken.start("word")
        cue = _CUE.search(self.text[max(0, start - _CUE_WINDOW) : start])
        if cue and self.view.raw_char(start).islower() and self.view.raw_char(self.start).islower():
            self.start = start
            self.certain = True


def _is_bit(word: str) -> bool:
    """Tell whether *word* is a letter or digits said by themselves."""
    return len(word) == 1 or word.isdigit()


class Domain:
    """What stands right of the sign, read from left to right.

    ``top_level``: it ends in a known top-level name or a country code. ``said``: its dots were said.
    ``words``: how many words make its first label. ``gap``: a blank stands between the sign and it.
    """

    def __init__(self, text: str, start: int, *, sure: bool = False) -> None:
        """*sure*: the sign before it means nothing else, so that its first label may be of some words."""
        self.text = text
        self.more = _RIGHT_WORDS if sure else _RIGHT_MORE
        self.end = start
        self.limit = min(len(text), start + _WINDOW)
        self.first = ""
        self.last = ""
        self.labels = 0
        self.words = 1
        self.gap = False
        self.said = False
        self.numeric = False
        self.top_level = False

    def read(self) -> bool:
        """Find where it ends; False when there is none."""
        gap = _RIGHT_GAP.match(self.text, self.end, self.limit)
        if gap:
            self.gap = "\n" not in gap.group()
            self.end = gap.end()
        numeric = _ADDRESS.match(self.text, self.end, self.limit)
        if numeric:
            self.end = numeric.end()
            self.numeric = True
            return True
        if not self._label(first=True):
            return False
        self.first, self.labels = self.last, 1
        end = self.end
        # Read on as far as labels go, and come back to the last one that can end a domain.
        for _ in range(_MAX_TOKENS):
            dot = _RIGHT_DOT.match(self.text, self.end, self.limit)
            if dot is None:
                break
            if dot["loose"] is not None and self.top_level and self.end == end:
                break  # the full stop of the sentence
            loose, said = dot["loose"] is not None, dot["said"] is not None
            self.end = dot.end()
            if not self._label(first=False):
                break
            top = ends_domain(self.last)
            if loose and not self.text.startswith(".", self.end) and (not top or self.last in _SHORT_WORDS):
                break
            if top:
                self.top_level = True
                self.labels += 1
                self.said = self.said or said
                end = self.end
            elif not self.top_level and not said and not loose:
                self.labels += 1
                end = self.end
        self.end = end
        return True

    def _label(self, *, first: bool) -> bool:
        label = _RIGHT_LABEL.match(self.text, self.end, self.limit)
        if label is None:
            return False
        self.last = label.group()
        self.end = label.end()
        self._letters()
        if not first and ends_domain(self.last):
            return True
        while joint := _RIGHT_JOINT.match(self.text, self.end, self.limit):
            label = _RIGHT_LABEL.match(self.text, joint.end(), self.limit)
            if label is None:
                break
            before, self.last = self.last, label.group()
            self.end = label.end()
            self._letters()
            self.last = f"{before}-{self.last}"
        if first:
            more = self.more.match(self.text, self.end, self.limit)
            if more and more["word"] not in DOTS and self.last not in NO_DOMAIN:
                self.words = 2
                self.end = more.end()
        return True

    def _letters(self) -> None:
        """Read on when a label that is one letter is being spelt."""
        if len(self.last) == 1:
            while letter := _RIGHT_LETTER.match(self.text, self.end, self.limit):
                self.last += letter["letter"]
                self.end = letter.end()


def ends_domain(label: str) -> bool:
    """Tell whether *label* is a known top-level name or a country's two letters."""
    return label in _TOP_LEVEL or (len(label) == 2 and label.isalpha())
