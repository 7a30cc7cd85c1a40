"""From a question in plain words to what is searched for: the words of its subject."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gongmcp.analysis.stop_words import stop_words

MAX_WORDS: Final = 6
_QUOTED: Final = re.compile('[\u201c\u201e\u00ab"]([^\u201c\u201d\u00bb"]+)[\u201d\u201c\u00bb"]')
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_SUBJECT: Final = re.compile(r"\b(?:about|regarding|concerning|around)\b", re.IGNORECASE)
_BREAKDOWN: Final = re.compile(r"[,;]?\s+(?:by|per|over|across)\s+[^\W_]+\s*\?*\s*$", re.IGNORECASE)
_OF_ASKING: Final = frozenset(
    (
        *("account", "accounts", "answer", "answers", "ask", "asks", "asking", "buyer", "buyers", "call", "calls"),
        *("caller", "callers", "client", "clients", "company", "companies", "concern", "concerns", "conversation"),
        *("conversations", "customer", "customers", "deal", "deals", "discuss", "discussed", "discussing"),
        *("discussion", "evidence", "express", "expressed", "feel", "heard", "hear", "industry", "lost", "mention"),
        *("mentioned", "mentions", "month", "opinion", "opportunity", "people", "percent", "prospect", "prospects"),
        *("quarter", "quote", "quotes", "raise", "raised", "rep", "reps", "sales", "segment", "speak", "speakers"),
        *("stage", "theme", "themes", "topic", "topics", "trend", "trends", "won", "year"),
    )
)
"""Words by which a question names calls and people, and not what they speak of."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is about: *terms* to search for, most telling first as far as that is known, and the words that
    were *left_out*."""

    terms: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def together(self) -> str:
        """The query for all terms near each other."""
        return " ".join(self.terms)

    @property
    def either(self) -> str:
        """The query for any of the terms."""
        return " OR ".join(self.terms)


def subject_of(question: str) -> Subject:
    """Return the subject of *question*: its phrases in quotation marks, else the words after "about", else all that
    say something."""
    quoted = [" ".join(_WORD.findall(phrase)) for phrase in _QUOTED.findall(question)]
    if any(quoted):
        return Subject(tuple(f'"{phrase}"' for phrase in quoted if phrase)[:MAX_WORDS], ())
    asked = _BREAKDOWN.sub("", question)
    behind = _SUBJECT.split(asked)[-1]
    kept = _telling(behind) or _telling(asked)
    left_out = [word for word in _telling(question) if word not in kept]
    return Subject(tuple(kept[:MAX_WORDS]), (*kept[MAX_WORDS:], *left_out))


def _telling(text: str) -> list[str]:
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
    english = stop_words("en")
    stop = english if any(word in english for word in words) else stop_words()
    return list(
        dict.fromkeys(
            word for word in words if len(word) > 2 and word not in stop and word not in _OF_ASKING and "'" not in word
        )
    )
