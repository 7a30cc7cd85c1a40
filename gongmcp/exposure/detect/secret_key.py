"""API keys, access tokens, private keys and passwords, written and spelt.

A key is known by the prefix its issuer gives it, or by a word before it (key, token, secret, password) and
a form that words do not have. A spelt one is read after speech has been written down (``written``): letters,
digits and signs said one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log2
from typing import Final

from gongmcp.exposure.detect import grouped_code, intents, password, phone_number, written_password
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.detect.numerals import number_words
from gongmcp.exposure.detect.spoken import NATO, any_of

_C: Final = r"[0-9a-z_-]"
_NAMED: Final = (
    r"(?:tok|token|jeton|[sprt]k|pat|key|apikey|api|secret|auth|access|refresh|client|bearer|sandbox|live|prod|clave|cle"
    r"|webhook|hook|cred|svc|session|sess|sig|lic|license)"
)
"""What parts of keys are named by those who make them."""
_PREFIXED: Final = (
    rf"sk-(?:proj|ant|svcacct|admin|or|live|test)-{_C}{{4,}}|sk-{_C}{{12,}}"
    rf"|[prs]k_(?:live|test|prod)_{_C}{{4,}}|whsec_{_C}{{6,}}"
    rf"|gh[opsur]_{_C}{{4,}}|github_pat_{_C}{{4,}}|gl(?:pat|ptt|dt|rt|cbt|ft|soat)-{_C}{{4,}}"
    rf"|(?:akia|asia|abia|acca|aida|aroa)(?={_C}*[0-9])[0-9a-z]{{10,}}|akia[0-9a-z]{{4,}}"
    rf"|xox[abceoprs]-{_C}{{4,}}|xapp-{_C}{{8,}}|aiza{_C}{{8,}}|ya29\.{_C}{{12,}}|gocspx-{_C}{{12,}}"
    rf"|npm_{_C}{{16,}}|pypi-{_C}{{16,}}|hf_{_C}{{12,}}|r8_{_C}{{16,}}|gsk_{_C}{{16,}}|nvapi-{_C}{{16,}}"
    rf"|sg\.{_C}{{12,}}\.{_C}{{12,}}|key-[0-9a-f]{{24,}}|xkeysib-{_C}{{16,}}|sq0[a-z]{{3}}-{_C}{{12,}}"
    rf"|eaaa{_C}{{24,}}"
    rf"|shp(?:at|ca|pa|ss)_{_C}{{12,}}|do[op]_v1_{_C}{{16,}}|dapi[0-9a-f]{{24,}}|lin_api_{_C}{{12,}}|ntn_{_C}{{16,}}"
    rf"|atatt3x{_C}{{16,}}|tvly-{_C}{{12,}}|pplx-{_C}{{16,}}|figd_{_C}{{12,}}|pat-(?:na|eu)1-{_C}{{12,}}"
    rf"|hvs\.{_C}{{16,}}"
    rf"|sntry[su]_{_C}{{16,}}|nrak-{_C}{{12,}}|rnd_{_C}{{16,}}|(?:ac|sk)[0-9a-f]{{32}}|age-secret-key-1{_C}{{16,}}"
    rf"|dckr_pat_{_C}{{12,}}|xai-{_C}{{16,}}|phc_{_C}{{16,}}|pk_live_{_C}{{6,}}|amzn\.mws\.{_C}{{12,}}"
    rf"|eyj{_C}{{6,}}(?:\.{_C}*){{0,2}}"
    rf"|{_NAMED}[_-](?:[a-z]{{2,8}}[_-]){{0,2}}(?=[a-z]*[0-9])[0-9a-z]{{10,}}"
    rf"|{_NAMED}[_-](?:[a-z]{{2,8}}[_-]){{0,2}}(?=[0-9a-z]*[0-9])(?:[0-9a-z]{{4}}-){{2,}}[0-9a-z]{{4}}"
)
_KNOWN: Final = re.compile(rf"(?<![0-9a-z_])(?:{_PREFIXED})[=]{{0,2}}")
_GENERIC: Final = re.compile(r"sk-(?!(?:proj|ant|svcacct|admin|live|test)-)")
_PEM: Final = re.compile(
    r"-{3,5}\s?begin [a-z0-9 ]{0,30}private key(?: block)?\s?-{3,5}"
    r"(?:(?:(?!-{3,5}\s?begin)[\s\S]){0,8000}?-{3,5}\s?end [a-z0-9 ]{0,30}private key(?: block)?\s?-{3,5}"
    r"|(?:\s*[0-9a-z+/=]{16,})*(?:\s*(?=[0-9a-z+/]*[0-9+/=])[0-9a-z+/=]{4,})?)"
)
_GROUPED: Final = re.compile(
    r"(?<![\w.@/])(?<![0-9]-)(?=[0-9a-z-]*[0-9])(?=[0-9-]*[a-z])(?:[0-9a-z]{4}-){2,7}[0-9a-z]{4}(?![\w@-])"
    r"|(?<![\w.@/])(?<![0-9]-)(?=[0-9a-z-]*[0-9])(?=[0-9-]*[a-z])(?:[0-9a-z]{5}-){2,7}[0-9a-z]{5}(?![\w@-])"
)
"""A licence key, in groups of capitals and digits."""
_LICENCE: Final = re.compile(
    r"\blicen[cs]\w+|\blizenz\w*|\bactivation|\baktivierung\w*|\bkeys?\b|schlussel\b|\bcles?\b|\bclaves?\b"
)
_OTHER_WINDOW: Final = 40
CUE_WORDS: Final = (
    r"(?:api|access|secret|private|license|licence|signing|encryption|account|security|webhook|integration|client|ssh"
    r"|api-|aws|stripe|openai|slack|github|gitlab|google|product|activation|lizenz|zugangs|geheim|produkt)?[ _-]?"
    r"(?:keys?|tokens?|secrets?|passwords?|passphrase|passwd|pwd|credentials?|passwort|kennwort|schlussel|geheimnis"
    r"|zugriffstoken|apischlussel|mots? de passe|jetons?|cles?|cle api|cle secrete|contrasenas?|claves?|llaves?"
    r"|secretos?"
    rf"|bearer|pat|jwt|authorization|{intents.RECOVERY})"
)
_NAMED_KEY: Final = (
    r"(?:api|access|secret|private|licen[cs]e|signing|webhook|client|account|admin|bearer|zugangs|zugriffs|geheim|lizenz"
    r"|produkt)[ -]?(?:keys?|tokens?|secrets?|passwords?|passwort|schlussel)|pass(?:word|wort|phrase)|kennwort"
    r"|mots? de passe|cles? (?:d[' ]?)?(?:api|acces|secrete|privee|licence)|jeton d[' ]?(?:api|acces)|contrasenas?"
    r"|claves? (?:de )?(?:api|acceso|secreta|privada|licencia)|tokens? (?:de|d[' ]?)(?: ?(?:api|acceso|acces))"
)
_CALLED: Final = re.compile(
    r"(?<![^\s\"'`(])(?P<token>(?=[a-z_/+-]*[0-9])[0-9a-z_/+-]{10,90}={0,2}),?"
    r" (?:as|for|is|was|als|ist|war|comme|c'est|est|como|es|era|sera)"
    r" (?:(?:your|the|my|our|a|an|new|ihr|ihren|der|den|das|mein|unser|neuer|votre|la|le|une?|notre|ma|su|el|una?|mi"
    rf"|nuestra|tu|webhook|shared) ){{0,3}}(?P<named>{_NAMED_KEY}"
    rf"|{CUE_WORDS}|signing secret|secret d[eu]|secreto del)(?![0-9a-z])"
)
"""A token before the word for it: "use ... as your API key"."""
_ALTERNATIONS: Final = 4
_BEARER: Final = re.compile(r"\b(?:bearer|basic)\b[\s:\"'=]{1,3}(?P<token>[0-9a-z._~+/-]{8,}=*)")
_LOGIN_URL: Final = re.compile(r"\b[a-z][a-z0-9+.-]{2,20}://[^\s/@:]{1,64}:(?P<token>[^\s/@]{3,})@[^\s]+")
_ASSIGNED: Final = re.compile(
    r"(?:(?<![0-9a-z])|_)(?:pass|passwd|password|pwd|secret|token|key)\s?=\s?[\"']?(?P<value>[^\s\"']{6,})|"
    r"(?:account|shared ?access|api|secret|access|private)_?-?(?:secret"
    r"|access)?_?-?key\s?[=:]\s?[\"']?(?P<token>[0-9a-z+/_=-]{12,})"
)

_CUE: Final = re.compile(rf"(?<![0-9a-z_]){CUE_WORDS}(?![0-9a-z])")
_PASSWORD: Final = re.compile(r"pass|pwd|kennwort|contrasena|clave$|mots? de")
_OTHER: Final = re.compile(phone_number.OTHER)
_CUE_WINDOW: Final = 70
_NEAR: Final = 45
_TOKEN: Final = re.compile(r"(?<![^\s\"'`=:(<\[{,])[^\s\"'`<>(){}\[\],;…]{6,}")
_TRAILING: Final = ".:!?,;"

_MORE: Final = re.compile(r"(?:[.,]?[ ]?\n|[ ])[ ]?(?P<more>[0-9a-z_+/=.-]{3,})")
_SPELT_KEY: Final = re.compile(
    r"(?<![0-9a-z_-])"
    r"(?P<prefix>s[\s,]*k[\s,]*[_-][\s,]*(?:live|test|proj|prod|ant)(?:[\s,]*[_-])?|s[\s,]*k[\s,]*(?:live|test)"
    r"|s[\s,]*k[\s,]*[_-]"
    r"|[pr][\s,]*k[\s,]*[_-]?[\s,]*(?:live|test)(?:[\s,]*[_-])?|g[\s,]*h[\s,]*[opsur](?:[\s,]*[_-])?"
    r"|github[\s,]*[_-]?[\s,]*(?:pat|p[\s,]*a[\s,]*t)(?:[\s,]*[_-])?|g[\s,]*l[\s,]*[_-]?[\s,]*(?:pat"
    r"|p[\s,]*a[\s,]*t)(?:[\s,]*[_-])?"
    r"|a[\s,]*k[\s,]*i[\s,]*a|x[\s,]*o[\s,]*x[\s,]*[abops](?:[\s,]*[_-])?|a[\s,]*i[\s,]*z[\s,]*a|e[\s,]*y[\s,]*j"
    r"|h[\s,]*f[\s,]*_|n[\s,]*p[\s,]*m[\s,]*_|pypi[\s,]*-|whsec[\s,]*_)"
    r"[\s,:.]*"
)
_SPELT_PART: Final = re.compile(
    r"(?:[\s.,;:=]*(?:[_/+=-]|(?<![0-9a-z])(?:[0-9]+|[a-z])(?![0-9a-z])"
    r"|(?<![a-z])(?=[a-z0-9]*[0-9])[a-z0-9]+(?![a-z])"
    r"|(?<=[_-])[\s,]*[a-z]{2,12}(?=[\s,]*[_-])))+"
)
_LEAD: Final = re.compile(
    r"[\s.,;:=\"'`]*(?:(?:\b(?:is|are|equals|called|was|reads|it's|its|it|here|as|follows|for|the|this|that|to|use"
    r"|set|with"
    r"|ist|lautet|heisst|heissen|der|die|das|ist|hier|wie|folgt|also|mein|est|c'est|voici|le|la|les|ce|de|es"
    r"|son|la|el"
    r"|aqui|esta|seria|sigue|sera|you|can|take|note|down|um|uh|ah|euh|eh|starts?|begins?|production|prod|test"
    r"|live|our|my"
    r"|in|api|key|token|secret|code|app|prod|staging|new|neue|nuevo|nouveau|now|today|ok|okay|please|would|be"
    r"|going|has|zoom|wifi|account)\b|:)[\s.,;:=\"'`]*)*"
)

_ONE: Final = rf"(?:[0-9a-z]|{any_of(number_words())}|{any_of(NATO)})"
PATTERN: Final = (
    r"\b(?:sk-|[prs]k_|whsec_|gh[opsur]_|github_pat|gl[a-z]{2,4}-|akia[0-9a-z]|a(?:sia|bia|cca|ida"
    r"|roa)[0-9a-z]{8}|xox|xapp|aiza|ya29|gocspx|npm_|"
    r"pypi-|hf_|r8_|gsk_|nvapi|sg\.[0-9a-z_-]{12}|key-[0-9a-f]{8}|xkeysib|sq0|eaaa|shp[a-z]{2}_|do[op]_v1"
    r"|dapi[0-9]|lin_api|"
    r"ntn_|atatt3|tvly-|pplx-|figd_|pat-[a-z]{2}1|hvs\.|sntry|nrak-|rnd_|(?:ac|sk)[0-9a-f]{16}|age-secret|dckr_"
    r"|xai-|phc_|amzn\.|"
    r"eyj[0-9a-z]|bearer|"
    r"[0-9a-z]*[0-9][0-9a-z]*-[0-9a-z]{4,5}-[0-9a-z]{4,5}(?:$|[^0-9a-z])|"
    rf"{_NAMED}[_-](?:[a-z]{{2,8}}[_-])?[0-9a-z]*[0-9]|"
    r"(?:[ps] k|g h [opsur]|g l|github|glpat|x o x|a k i a|a i z a|e y j|h f|n p m)\b)"
    rf"|[0-9][0-9a-z_/+=-]*,? (?:as|for|is|was|als|ist|war|comme|c'est|est|como|es|era|sera) (?:[a-z]{{1,8}} ){{0,2}}"
    rf"(?:{_NAMED_KEY}|secreto?)\b"
    r"|_(?:pass|passwd|password|pwd|secret|token|key)=|private key|begin [a-z ]*key|://[^\s/@:]+:[^\s/@]+@"
    rf"|{password.PATTERN}|{written_password.PATTERN}|{grouped_code.PATTERN}"
    rf"|\b{CUE_WORDS}\b[^0-9a-z]{{0,6}}(?:[a-z']{{1,14}}[^0-9a-z]{{1,6}}){{0,9}}"
    rf"(?:[^\s]*[a-z_-][^\s]*[0-9]|[^\s]*[0-9][^\s]*[a-z_]|[^\s]{{15}}|[0-9]{{20}}"
    rf"|{_ONE}[ ,.\n-]{{1,3}}{_ONE}[ ,.\n-]{{1,3}}{_ONE}\b"
    rf"|{any_of(NATO)}[ ,.\n]|(?:{any_of(number_words())}[ ,.\n-]{{1,3}}){{2}})"
)
"""What a text with a key holds, for the quick look of ``gongmcp.exposure.masking``."""


def find(view: View) -> Iterator[tuple[int, int]]:
    """Yield (start, end) in ``view.text`` of each key, in order of their start; some may overlap."""
    finds = [*_written(view), *_announced(view), *_spelt(view)]
    for find_more in (password.find, written_password.find, grouped_code.find):
        finds += find_more(view)
    yield from sorted(finds)


def _written(view: View) -> Iterator[tuple[int, int]]:
    text = view.text
    for found in _KNOWN.finditer(text):
        if _GENERIC.match(found.group()) and _is_word(view, *found.span()):
            continue
        yield found.start(), _continued(view, found.start(), _stripped(text, found.start(), found.end()))
    for found in _GROUPED.finditer(text):
        raw = view.raw[slice(*view.raw_span(*found.span()))]
        coded = sum(not part.isdigit() and not part.isalpha() for part in found.group().split("-"))
        if (
            raw.isupper()
            and (coded > 1 or _LICENCE.search(text, max(0, found.start() - _OTHER_WINDOW), found.start()))
            and not _OTHER.search(text, max(0, found.start() - _OTHER_WINDOW), found.start())
        ):
            yield found.span()
    for found in _PEM.finditer(text):
        yield found.span()
    for pattern in (_BEARER, _LOGIN_URL, _ASSIGNED, _CALLED):
        for found in pattern.finditer(text):
            start, end = found.span("value" if pattern is _ASSIGNED and found["value"] else "token")
            if pattern is _CALLED:
                named = re.fullmatch(_NAMED_KEY, found["named"]) is not None
                if not _alternates(text[start:end], named=named):
                    continue
            if _random(view, start, end) or pattern is _LOGIN_URL:
                yield start, _continued(view, start, _stripped(text, start, end))


def _announced(view: View) -> Iterator[tuple[int, int]]:
    """Find tokens of a random form behind a word for them."""
    text = view.text
    for cue in _CUE.finditer(text):
        lead = _LEAD.match(text, cue.end())
        near = lead.end() if lead else cue.end()
        password = _PASSWORD.search(cue.group()) is not None
        for token in _TOKEN.finditer(text, cue.end(), min(len(text), cue.end() + _CUE_WINDOW + 200)):
            if token.start() > cue.end() + _CUE_WINDOW:
                break
            start, end = token.start(), _stripped(text, token.start(), token.end())
            if "://" in text[start:end]:
                continue
            least = 6 if password and start == near else 10 if start == near else 16
            if end - start >= least and _random(view, start, end):
                yield start, _continued(view, start, end)
                break


def _spelt(view: View) -> Iterator[tuple[int, int]]:
    written = view.written
    text = written.text
    for prefix in _SPELT_KEY.finditer(text):
        part = _SPELT_PART.match(text, prefix.end())
        if part is None or _length(text, prefix.end(), part.end()) < 5:
            continue
        if written.said(*prefix.span()) or written.said(*part.span()) or " " in part.group():
            yield prefix.start(), written.end(_trimmed(text, part.end()))
    for cue in _CUE.finditer(view.text):
        for part in _SPELT_PART.finditer(text, cue.end(), min(len(text), cue.end() + _CUE_WINDOW + 400)):
            at = part.end() - len(part.group().lstrip(" \n.,;:=_/+-"))
            if at > cue.end() + _CUE_WINDOW:
                break
            end = _trimmed(text, part.end())
            letters = sum(char.isalpha() for char in text[at:end])
            digits = sum(char.isdigit() for char in text[at:end])
            password = _PASSWORD.search(cue.group()) is not None
            near = at - cue.end() <= _NEAR and "\n" not in text[cue.end() : at].strip()
            kinds = len({char for char in text[at:end] if char.isalpha()})
            enough = letters + digits >= (6 if near else 8)
            if (
                enough
                and (kinds >= 2 or (password and near and not letters) or digits >= 20)
                and (digits or letters >= 8)
            ):
                yield at, written.end(end)
                break


def _length(text: str, start: int, end: int) -> int:
    return sum(char.isalnum() for char in text[start:end])


def _trimmed(text: str, end: int) -> int:
    while end > 0 and text[end - 1] in " \n.,;:=-":
        end -= 1
    return end


def _stripped(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    return end


def _continued(view: View, start: int, end: int) -> int:
    """Follow a key that the end of a sentence broke: what follows looks like more of it."""
    text = view.text
    while more := _MORE.match(text, end):
        first, last = more.span("more")
        last = _stripped(text, first, last)
        newline = "\n" in text[end:first]
        if last - first < 3 or not _random(view, first, last, least=0, alone=not newline):
            break
        end = last
    return end


def _is_word(view: View, start: int, end: int) -> bool:
    """Tell whether what looks like a prefix and more is ordinary hyphenated words."""
    token = view.text[start:end]
    if view.raw[slice(*view.raw_span(start, end))].isupper():
        return False
    body = token.replace("_", "-").split("-")
    return all(part.isalpha() and len(part) < 12 for part in body if part) and not _mixed(view, start, end)


def _alternates(token: str, *, named: bool) -> bool:
    """Tell whether letters and digits alternate as in no name of a product; oftener where a bare "key" follows."""
    kinds = [char.isdigit() for char in token if char.isalnum()]
    return sum(left != right for left, right in pairwise(kinds)) >= (_ALTERNATIONS if named else 2 * _ALTERNATIONS)


def _mixed(view: View, start: int, end: int) -> bool:
    """Tell whether capitals and small letters alternate as they do in no word."""
    raw = view.raw[slice(*view.raw_span(start, end))]
    turns = sum(left.islower() and right.isupper() for left, right in pairwise(raw))
    return turns >= 2


def _random(view: View, start: int, end: int, *, least: int = 6, alone: bool = False) -> bool:
    """Tell whether a token has a form that words, numbers and dates do not have."""
    token = view.text[start:end]
    letters = sum(char.isalpha() for char in token)
    digits = sum(char.isdigit() for char in token)
    if alone and len(token) < 8:
        return False
    if digits and letters and len(token) >= least:
        return (letters >= 2 and digits >= 2) or _mixed(view, start, end) or len(token) >= 6
    if not digits and letters:
        raw = view.raw[slice(*view.raw_span(start, end))]
        if raw.isupper() and len(raw) >= 4 and least == 0 and not alone:
            return True
        return _mixed(view, start, end) or (len(token) >= 32 and _entropy(token) >= 3.5)
    return digits >= 20 or (least == 0 and not alone and digits >= 4 and not letters)


def _entropy(token: str) -> float:
    counts = Counter(token)
    return -sum(count / len(token) * log2(count / len(token)) for count in counts.values())
