"""Values that a test dictates: of each kind, made up, in the groups in which somebody would say them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from gongmcp.exposure.detect.iban import LENGTHS

Value = list[str]
"""The groups of a value in their order; joined, they are the value."""

COUNTRIES = {
    "en": ("US", "CA", "GB", "IE", "AU"),
    "de": ("DE", "AT", "CH"),
    "fr": ("FR", "BE", "CH", "CA"),
    "es": ("ES", "MX", "CO", "AR"),
}
_MIXED = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_BANKS = {"GB": "NWBK", "NL": "RABO", "IE": "AIBK"}


def _digits(random: Random, count: int) -> str:
    return "".join(random.choices("0123456789", k=count))


_PHONES: dict[str, Callable[[Random], Value]] = {
    "US": lambda r: [r.choice(("415", "212", "312", "617", "206")), "555", f"01{_digits(r, 2)}"],
    "CA": lambda r: [r.choice(("514", "416", "604")), "555", f"01{_digits(r, 2)}"],
    "GB": lambda r: r.choice((["07700", "900", _digits(r, 3)], ["020", "7946", f"0{_digits(r, 3)}"])),
    "IE": lambda r: ["01", "555", f"0{_digits(r, 3)}"],
    "AU": lambda r: ["02", "5550", _digits(r, 4)],
    "DE": lambda r: r.choice((["0171", "3920", f"0{_digits(r, 2)}"], ["030", "23125", _digits(r, 3)])),
    "AT": lambda r: ["0664", "555", _digits(r, 4)],
    "CH": lambda r: ["044", "555", f"0{_digits(r, 1)}", _digits(r, 2)],
    "FR": lambda r: r.choice((["06", "39", "98", _digits(r, 2), _digits(r, 2)], ["01", "99", "00", "24", "36"])),
    "BE": lambda r: ["0470", _digits(r, 2), _digits(r, 2), _digits(r, 2)],
    "ES": lambda r: ["612", "345", f"0{_digits(r, 2)}"],
    "MX": lambda r: ["55", "1234", f"0{_digits(r, 3)}"],
    "CO": lambda r: ["300", "555", f"0{_digits(r, 3)}"],
    "AR": lambda r: ["011", "5555", f"0{_digits(r, 3)}"],
}
_CODES = {
    "US": "+1", "CA": "+1", "GB": "+44", "IE": "+353", "AU": "+61", "DE": "+49", "AT": "+43", "CH": "+41",
    "FR": "+33", "BE": "+32", "ES": "+34", "MX": "+52", "CO": "+57", "AR": "+54",
}  # fmt: skip


def phone(random: Random, language: str) -> Value:
    country = random.choice(COUNTRIES[language])
    groups = _PHONES[country](random)
    if random.random() < 0.3:
        return [_CODES[country], groups[0].removeprefix("0"), *groups[1:]]
    return groups


def card(random: Random, _: str) -> Value:
    head = random.choice(("4", "51", "55", "2221", "6011", "37", "4539", "4929"))
    size = 15 if head == "37" else 16
    body = head + _digits(random, size - len(head) - 1)
    number = next(body + last for last in "0123456789" if _luhn(body + last))
    if size == 15:
        return [number[:4], number[4:10], number[10:]]
    return [number[at : at + 4] for at in range(0, 16, 4)]


def _luhn(number: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(number)):
        double = int(digit) * (1 + index % 2)
        total += double - 9 * (double > 9)
    return total % 10 == 0


def iban(random: Random, language: str) -> Value:
    nearby = {"en": ("GB", "IE", "NL", "DE"), "de": ("DE", "AT", "CH"), "fr": ("FR", "BE", "LU"), "es": ("ES", "PT")}
    country = random.choice(nearby[language])
    bank = _BANKS.get(country, "")
    body = bank + _digits(random, LENGTHS[country.lower()] - 4 - len(bank))
    rest = int("".join(str(int(char, 36)) for char in f"{body}{country}00")) % 97
    number = f"{country}{98 - rest:02}{body}"
    return [number[at : at + 4] for at in range(0, len(number), 4)]


def key(random: Random, _: str) -> Value:
    prefix = random.choice(("sk_live_", "sk_test_", "ghp_", "sk-proj-", "whsec_", "glpat-", "AKIA", "", "", ""))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" if prefix == "AKIA" else _MIXED
    if not prefix:
        alphabet = random.choice((_MIXED, "0123456789abcdef"))
    groups = [_group(random, alphabet, random.randint(4, 7)) for _ in range(random.randint(2, 4))]
    return [prefix + groups[0], *groups[1:]]


def _group(random: Random, alphabet: str, count: int) -> str:
    while True:
        group = "".join(random.choices(alphabet, k=count))
        if any(map(str.isdigit, group)) and any(map(str.isalpha, group)):
            return group


def email(random: Random, language: str) -> Value:
    names = {
        "en": ("dana", "harper", "kyle", "megan", "smith", "walker", "okafor"),
        "de": ("lena", "jannis", "ulrike", "vogt", "baumgart", "kessler"),
        "fr": ("luc", "elodie", "moreau", "petit", "camille", "garnier"),
        "es": ("rosa", "marcos", "quiroga", "ruiz", "lucia", "ibarra"),
    }[language]
    first, last = random.sample(names, 2)
    mailbox = random.choice(
        (f"{first}.{last}", f"{first[0]}.{last}", f"{first}_{last}", f"{first}{_digits(random, 2)}")
    )
    return [mailbox, "@" + random.choice(("example.com", "example.org", "example.net", "northfield.test"))]


def link(random: Random, _: str) -> Value:
    letters = "".join(random.choices("bcdfghjkmnpqrstvwxz", k=10))
    number = str(random.randint(2, 9)) + _digits(random, 9)
    room = random.choice("bcdfghjkm") + _digits(random, 5)
    return random.choice((
        ["zoom.us/j/", number[:3], number[3:6], number[6:]],
        ["meet.google.com/", f"{letters[:3]}-", f"{letters[3:7]}-", letters[7:]],
        ["teams.microsoft.com/l/", f"meetup-join/{room}", f"/{_digits(random, 4)}"],
        ["example.webex.com/meet/", f"{letters[0]}{_digits(random, 3)}", _digits(random, 3)],
    ))  # fmt: skip


def meeting_id(random: Random, _: str) -> Value:
    number = str(random.randint(2, 9)) + _digits(random, 9)
    return [number[:3], number[3:6], number[6:]]


def passcode(random: Random, _: str) -> Value:
    if random.random() < 0.5:
        number = _digits(random, 6)
        return [number[:3], number[3:]]
    return [_group(random, _MIXED, 3), _group(random, _MIXED, 3)]


MAKERS: dict[str, Callable[[Random, str], Value]] = {
    "phone": phone, "card": card, "iban": iban, "key": key, "email": email, "link": link,
    "meeting": meeting_id, "passcode": passcode,
}  # fmt: skip
"""What is dictated -> how one is made up; a meeting's id and its passcode are masked as ``link``."""
