"""Normal forms of what a vCon names people by, shared by what writes them and what looks for them."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """Return *text* for comparing: no case, no accents, compatibility forms as one, blanks as one."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(sign for sign in plain if not unicodedata.combining(sign)).split())


def bare_address(mailto: str) -> str:
    """Return the address of *mailto*, which may be a URL, folded: ``Mailto:A@b.example?x`` is ``a@b.example``."""
    text = mailto.strip()
    if text[:7].casefold() == "mailto:":
        text = text[7:].partition("?")[0]
    return folded(text)


def domain_of(mailto: str) -> str:
    """Return the domain of an address, '' when it has none."""
    return bare_address(mailto).rpartition("@")[2] if "@" in mailto else ""


def bare_number(tel: str) -> str:
    """Return the digits of *tel*, which may be a ``tel:`` URL: ``tel:+1-555-0100;ext=7`` is ``15550100``."""
    text = tel.strip()
    if text[:4].casefold() == "tel:":
        text = text[4:].partition(";")[0]
    return "".join(sign for sign in text if sign.isdecimal())
