"""The small tables of words that the matching of names knows: legal forms, connectors, words too common to look for.

They are closed sets, lower case and without accents, as ``gongmcp.governance.text`` folds a text. A change of
one of them changes verdicts: raise ``gongmcp.governance.terms.RULES`` with it.
"""

from __future__ import annotations

from typing import Final


def _table(words: str) -> frozenset[str]:
    return frozenset(words.split())


CONNECTORS: Final = frozenset({"and", "und", "et", "y", "och", "og"})
"""Words that stand for ``&`` inside a name of the list."""

SAID_CONNECTORS: Final = CONNECTORS | {"e", "en", "n", "plus", "ampersand"}
"""Words that stand for a connector in a text, where the name has one."""

JOINED_CONNECTORS: Final = ("and", "und", "et", "och", "og", "n")
"""Connectors that may be written together with their neighbours: ``ATandT``."""

LEGAL_FORMS: Final = _table("""
    inc incorporated llc llp lp ltd limited plc corp corporation co company gmbh mbh ag kg kgaa se ug ev
    sa sas sasu sarl srl spa snc cie bv nv vof cv ab as asa oy oyj aps kft zrt nyrt sro doo ou
    pty pte pvt private bhd sdn kk ltda eireli pc pllc na rl group holding holdings
""")
"""Legal forms, and the words for a group of companies that people leave out when they speak."""

LEGAL_IN_CAPITALS: Final = frozenset({"as", "se", "na", "pc", "spa", "lp", "ab", "cv", "ev", "rl", "private"})
"""Legal forms that are also other words: they count as one only in capitals or with dots (``Day Spa`` is no SpA)."""

SAME_FORM: Final = (
    frozenset({"corp", "corporation"}),
    frozenset({"inc", "incorporated"}),
    frozenset({"ltd", "limited"}),
    frozenset({"co", "company"}),
)
"""Spellings of one legal form, for a name that is nothing without it (``X Corp``)."""

TAILS: Final = (
    "s",
    *("inc", "corp", "corporation", "llc", "ltd", "limited", "plc", "gmbh", "company", "group", "holdings"),
)
"""What may be written together with the end of a name: a possessive without its apostrophe, a legal form."""

LEGAL_FORMS_OF_EAST_ASIA: Final = (
    *("股份有限公司", "有限公司", "株式会社", "有限会社", "合同会社"),
    *("(株)", "(有)", "주식회사", "유한회사"),
)
"""Legal forms written without a blank before or after the name."""

STOP_WORDS: Final = _table("""
    a about after again all also am an and any are as at back be because been before being but by can come could
    did do does doing done down each el et even every few first for from get go goes going good got had has have
    he her here hers hi him his how i if in into is it its just know la last le let like los made make many may
    me more most much must my next no nor not now of off oh ok okay on once one only or other our out over own
    people really right said same say see she should so some still such sure take than thank thanks that the
    their them then there these they thing things think this those through time to too two um und up upon us
    very was way we well went were what when where which while who whom why will with would y yeah year yes yet
    you your
""")
"""Words that say nothing: alone, or with nothing but each other, they are no name that can be looked for."""

GENERIC_WORDS: Final = _table("""
    account american bank best business capital care center central city client cloud consulting customer data
    day digital east energy european express finance financial foods general global health home industries
    insurance international internet life management market marketing media mobile national new north office
    online open partner partners plan point power product products project quality sales search security service
    services software solution solutions source south standard state store strategic summit support systems
    target team tech technologies technology trade travel trust united university value west work world
""")
"""Ordinary words of business talk: a name keeps its legal form when nothing but one of these would be left."""
