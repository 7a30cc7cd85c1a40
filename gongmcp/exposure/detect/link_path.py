"""Where the path and query of a link end, written or dictated with its signs in words (``written``)."""

from __future__ import annotations

import re
from typing import Final

_URL_CHARS: Final = re.compile(r"[^\s<>\"'`{}|\\^]+")
_TRAILING: Final = ".,;:!?)]>'\"}*"
_PATH_SIGN: Final = r"[\s,]*[/?=&#_.:-]+[\s,]*"
_PART: Final = (
    r"(?:(?<![0-9a-z])(?:[0-9]+|[a-z])(?![0-9a-z])(?:[\s,.]+(?:[0-9]+|[a-z])(?![0-9a-z]))*|[0-9a-z%~@!$*+']+)"
)
_STEP: Final = re.compile(rf"(?P<sign>{_PATH_SIGN})(?P<part>{_PART})")
_BARE_STEP: Final = re.compile(r"[\s,.]+(?P<part>[0-9]+(?:[\s,.-]+[0-9]+)*)(?![0-9a-z%])")
_QUERY_STEP: Final = re.compile(r"[\s,.]*\n[\s,.]*(?P<part>[/?=&][^\s]+)")
_LINKING: Final = re.compile(r"\s+(?:and|then|with|und|dann|mit|et|puis|avec|y|luego|con)(?=\s+(?:/|\?|-|[0-9]))")


def stripped(text: str, start: int, end: int) -> int:
    """Return the end of a link without the signs of the sentence behind it."""
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    return end


def tight_end(text: str, at: int) -> int:
    """Return where a written path and query end: at the next blank."""
    tight = _URL_CHARS.match(text, at)
    return stripped(text, at, tight.end()) if tight else at


def end(text: str, at: int) -> int:
    """Return where the path and query behind a host end."""
    start = at
    tight = _URL_CHARS.match(text, at)
    if tight and text[at] in "/?#":
        at = stripped(text, at, tight.end())
        if text[at - 1 : at] == "/" and at - start < 2 and not _STEP.match(text, at - 1):
            return start
    for _ in range(80):
        begin = at - 1 if at > start and text[at - 1] in "/=?&-_" else at
        if more := _QUERY_STEP.match(text, at):
            at = stripped(text, at, more.end())
            continue
        linking = _LINKING.match(text, at)
        if linking:
            begin = linking.end()
        step = _STEP.match(text, begin)
        if step and _goes_on(step, text):
            at = step.end()
            continue
        bare = _BARE_STEP.match(text, at)
        if bare and at > start and text[at - 1].isalnum() and _digits_before(text, start, at):
            at = bare.end()
            continue
        break
    return max(start, at)


def _goes_on(step: re.Match[str], text: str) -> bool:
    """Tell whether a sign and what follows it are more of a link: a full stop before a word is not."""
    sign = step["sign"].strip(" ,\n")
    if "\n" in step["sign"] and sign.endswith(".") and step["part"].isalpha() and len(step["part"]) > 1:
        return False
    if set(sign) <= {"."}:
        return " " not in step["sign"].strip(",") and "\n" not in step["sign"]
    if set(sign) <= {".", ":"}:
        return False
    return not ("." in sign and "\n" in step["sign"] and sign.startswith(".")) or sign.strip(".") != ""


def _digits_before(text: str, start: int, at: int) -> bool:
    last = re.search(r"[0-9a-z]+$", text[start:at])
    return last is not None and (last.group().isdigit() or len(last.group()) == 1)
