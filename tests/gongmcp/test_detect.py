"""Every kind of personal data, written, spoken and split over sentences, in four languages; and what must stay."""

from __future__ import annotations

import gzip
import json
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongctl import sample
from gongmcp.exposure.detect.fold import fold
from gongmcp.exposure.detect.iban import LENGTHS, valid
from gongmcp.exposure.detect.payment_card import luhn
from gongmcp.exposure.detect.written import Written
from gongmcp.exposure.kinds import MASKED_KINDS
from gongmcp.exposure.masking import KINDS, find_spans, mask, mask_sentences
from gongmcp.exposure.text import CONTROL, restore
from tests.gongmcp.masking_lines import LINES
from tests.gongmcp.spoken_lines import FILLERS, LANGUAGES, in_pairs, one_by_one, pair, parted

Line = tuple[str, str, str, list[str], list[tuple[int, int]]]
"""Kind, form, language, sentences, and the (start, end) of what must go in the sentences joined by line feeds."""


def labelled(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the sentences of a line and the places between its brackets."""
    raw = text.replace(" // ", "\n")
    clean, places, start = "", [], -1
    for part in re.split(r"(\[\[(?!\[)|(?<!\])\]\]|(?<=\])\]\](?!\]))", raw):
        if part == "[[":
            start = len(clean)
        elif part == "]]":
            places.append((start, len(clean)))
        else:
            clean += part
    return clean.split("\n"), places


def lines() -> list[Line]:
    out: list[Line] = []
    for row in LINES.strip().splitlines():
        if row:
            kind, form, language, text = row.split("|", 3)
            out.append((kind, form, language, *labelled(text)))
    return out


def left_over(kind: str, sentences: list[str], places: list[tuple[int, int]]) -> str:
    """Return the letters and digits within *places* that are not masked as *kind*."""
    text, masked, offset = "\n".join(sentences), set(), 0
    for sentence, spans in zip(sentences, find_spans(sentences) or [[] for _ in sentences], strict=True):
        for span in spans:
            if span.kind == kind:
                masked.update(range(offset + span.start, offset + span.start + span.length))
        offset += len(sentence) + 1
    return "".join(
        text[at] for start, end in places for at in range(start, end) if at not in masked and text[at].isalnum()
    )


@pytest.mark.parametrize(
    ("kind", "form", "language", "sentences", "places"), lines(), ids=lambda value: str(value)[:60]
)
def test_is_masked(kind: str, form: str, language: str, sentences: list[str], places: list[tuple[int, int]]) -> None:
    assert places
    assert left_over(kind, sentences, places) == ""


def test_lines_have_every_kind_form_and_language() -> None:
    found = {(kind, form, language) for kind, form, language, _, _ in lines()}
    forms = ("written", "spoken", "split")
    assert found == {(kind, form, language) for kind in MASKED_KINDS for form in forms for language in LANGUAGES}


# --- made by the hundred ---------------------------------------------------------------------------


def with_check_digit(number: str) -> str:
    return next(number + digit for digit in "0123456789" if luhn(number + digit))


def with_check_digits(country: str, account: str) -> str:
    return next(
        f"{country}{check:02}{account}" for check in range(2, 99) if valid(f"{country}{check:02}{account}".lower())
    )


def digits_of(chance: random.Random, length: int) -> str:
    return "".join(chance.choice("0123456789") for _ in range(length))


LEADS = {
    "phone": {"en": "My number is", "de": "Meine Nummer ist", "fr": "Mon numéro est le", "es": "Mi número es"},
    "card": {"en": "The card is", "de": "Die Karte ist", "fr": "La carte est", "es": "La tarjeta es"},
    "iban": {"en": "The account is", "de": "Das Konto ist", "fr": "Le compte est", "es": "La cuenta es"},
    "email": {"en": "My e-mail is", "de": "Meine E-Mail ist", "fr": "Mon mail est", "es": "Mi correo es"},
    "key": {"en": "The API key is", "de": "Der Schlüssel ist", "fr": "La clé est", "es": "La clave es"},
    "link": {"en": "Meeting ID is", "de": "Die Meeting-ID ist", "fr": "L'ID de réunion est", "es": "ID de reunión:"},
}  # fmt: skip
NATIONAL = {"en": "202555", "de": "030231", "fr": "019900", "es": "612345"}
NAMES = ["dana", "smith", "garcia", "dupont", "weber", "sales", "martin", "lopez", "klein", "robert"]


def value(kind: str, language: str, chance: random.Random) -> str:
    """Return a made-up value as it is written, without blanks."""
    match kind:
        case "phone":
            number = NATIONAL[language] + digits_of(chance, 3 if language == "es" else 4)
            return chance.choice(["", "+1" if language == "en" else ""]) + number
        case "card":
            return with_check_digit(chance.choice(["4", "51", "37"]) + digits_of(chance, 12))
        case "iban":
            country = chance.choice(["DE", "ES", "BE", "AT", "FR"])
            return with_check_digits(country, digits_of(chance, LENGTHS[country.lower()] - 4))
        case "email":
            joint = chance.choice("._-")
            return f"{chance.choice(NAMES)}{joint}{chance.choice(NAMES)}@example.{chance.choice(['com', 'org', 'de'])}"
        case "key":
            return "sk_live_" + "".join(chance.choice("abcdefghkmnpqrstuvwxz23456789") for _ in range(14)) + "7"
        case _:
            return digits_of(chance, 10)


def words_of(kind: str, raw: str, language: str, chance: random.Random) -> list[str]:
    """Return the words in which somebody would say *raw*."""
    if kind == "email":
        parts = re.split(r"([@._-])", raw)
        return [word for part in parts for word in ([part] if part.isalpha() else one_by_one(part, language))]
    if kind == "key":
        said = [*one_by_one("sk_", language), "live", *one_by_one(raw[7:], language)]
        return said
    if kind in {"card", "phone"} and not raw.startswith("+") and chance.random() < 0.5:
        return in_pairs(raw, language)
    return one_by_one(raw, language)


def said_lines(kind: str, language: str, form: str) -> list[tuple[list[str], list[tuple[int, int]]]]:
    chance = random.Random(f"{kind} {language} {form}")
    made = []
    for number in range(60):
        raw = value(kind, language, chance)
        lead = LEADS[kind][language]
        words = [raw] if form == "written" else words_of(kind, raw, language, chance)
        if form == "spoken" and number % 3 == 0:
            words.insert(len(words) // 2, FILLERS[language] + ",")
        if form == "split":
            made.append(labelled(f"{lead} [[{' // '.join(parted(words, 2 + number % 3))}]]. // Okay."))
        else:
            made.append(labelled(f"{lead} [[{' '.join(words)}]], okay."))
    return made


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", ["written", "spoken", "split"])
@pytest.mark.parametrize("kind", MASKED_KINDS)
def test_nothing_made_up_is_missed(kind: str, form: str, language: str) -> None:
    missed = [
        (sentences, rest)
        for sentences, places in said_lines(kind, language, form)
        if (rest := re.sub(rf"\b{FILLERS[language]}\b", "", left_over(kind, sentences, places)))
    ]
    assert not missed, missed[:3]


# --- what must stay --------------------------------------------------------------------------------

STAYS = """
We closed at two hundred fifty million dollars in Q3 2020.
Revenue was up fifty five percent, and margin forty two point five percent.
In nineteen ninety nine and in twenty twenty one we were smaller.
Back at the dot com era everybody was at dot com companies.
At that point we had no point of contact.
From twenty nineteen to twenty twenty and twenty twenty one, two, and three.
We have one, two, three, four or five customers there.
The price went from ten to fifteen to twenty to twenty five dollars.
Shares of ACME, ticker A C M E, rose three point two percent.
Key drivers were price and volume, and the key metric is churn.
Our password policy is strict, and every secret stays in the vault.
The token economy is a key topic for the board.
Let us meet on Teams. Or zoom in on the numbers.
The meeting is at 10:30 on 12/31/2020.
Look at slide 12, page 14 and note 16.
The range is two to three hundred thousand units.
Three hundred and sixty five days, twenty four hours, seven days a week.
A two by two by two matrix, and a one to one meeting.
One hundred twenty three million four hundred fifty six thousand.
I think the ratio is 1.5 to 1, 2 to 1, 3 to 1, and 4 to 1.
Between 2015, 2016, 2017, 2018, 2019 and 2020 it doubled.
Invoice 2020-11-30-001 came to 1 234 567 euros.
The code is simple, the PIN is a good idea.
Card spending was up 4.1 percent, 11 points and 1,111 basis points.
Our IBAN list is ready, and so is the DE team.
Der Umsatz lag bei zweihundertfünfzig Millionen Euro, plus fünfundfünfzig Prozent.
Im Jahr zweitausendneunzehn waren es drei, vier oder fünf Kunden.
Der Punkt ist, dass wir an dem Punkt nicht weiterkommen.
Der Schlüssel zum Erfolg ist das Team, das Passwort wird jedes Quartal geändert.
Le chiffre d'affaires est de deux cent cinquante millions d'euros, en hausse de cinquante-cinq pour cent.
En deux mille dix-neuf nous avions trois, quatre ou cinq clients.
Le point à retenir, c'est le point de départ et la clé du succès.
Los ingresos fueron de doscientos cincuenta millones de euros, un cincuenta y cinco por ciento más.
En dos mil diecinueve teníamos tres, cuatro o cinco clientes.
La clave es el equipo, y el punto de partida es uno.
He once had one or two accounts, and once more.
We support S K U level data, A P I access, and B two B sales.
""".strip().splitlines()


@pytest.mark.parametrize("text", STAYS)
def test_ordinary_business_speech_stays(text: str) -> None:
    assert mask_sentences([text])[0].value == text


def test_ordinary_business_speech_stays_as_one_monologue() -> None:
    """Neighbouring sentences are not read together into a number that nobody said."""
    assert [masked.value for masked in mask_sentences(STAYS)] == STAYS


def sample_monologues() -> list[list[str]]:
    monologues = []
    for path in sample.files():
        if path.name.startswith("transcripts"):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    for monologue in json.loads(line)["transcript"]:
                        monologues.append([sentence["text"] for sentence in monologue["sentences"]])
    return monologues


def test_real_speech_of_the_sample_is_not_masked() -> None:
    monologues = sample_monologues()
    assert sum(map(len, monologues)) > 2_000
    hits = [
        sentence[span.start : span.start + span.length]
        for sentences in monologues
        for sentence, spans in zip(sentences, find_spans(sentences) or [[] for _ in sentences], strict=True)
        for span in spans
        if span.kind != CONTROL
    ]
    assert all("@" in hit for hit in hits), hits
    assert len(hits) <= 3


@pytest.mark.parametrize(
    "value", ["8523802291264472972", "4111111111111111", "188500", "2026-04-10T00:00:00Z", "00123"]
)
def test_a_typed_value_is_not_masked(value: str) -> None:
    assert mask(value).value == value


# --- properties ------------------------------------------------------------------------------------

PIECES = st.sampled_from([" ".join(sentences) for _, _, _, sentences, _ in lines()] + STAYS)
MARK = re.compile(r"\{redacted:[a-z]+\}")


@given(st.lists(PIECES, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_masking_is_idempotent_and_puts_back_exactly(pieces: list[str], chance: random.Random) -> None:
    words = " ".join(pieces).split()
    sentences, at = [], 0
    while at < len(words):
        size = chance.randint(1, 12)
        sentences.append(" ".join(words[at : at + size]))
        at += size
    masked = mask_sentences(sentences)
    for raw, text in zip(sentences, masked, strict=True):
        values = [raw[span.start : span.start + span.length] for span in text.spans]
        assert restore(text.value, text.spans, values) == raw
        assert len(MARK.findall(text.value)) == len(text.spans)
        assert "{redacted" not in MARK.sub("", text.value)
        assert "redacted" not in "".join(values)
    for text, again in zip(masked, mask_sentences([text.value for text in masked]), strict=True):
        left = [span for span in again.spans if text.value[span.start : span.start + span.length].startswith("{")]
        assert not left
        for mark in MARK.finditer(text.value):
            assert not any(span.start < mark.end() and mark.start() < span.start + span.length for span in again.spans)


def test_a_long_monologue_is_masked_like_a_short_one() -> None:
    """What stands far into a monologue, or runs over more of it than is looked at first, is found too."""
    quiet = ["We had a good quarter."] * 300
    letters = "s k underscore live " + " ".join("seven a" for _ in range(300))
    masked = [text.value for text in mask_sentences([*quiet, f"the key is {letters}", *quiet, "Mail d@example.com."])]
    assert masked[300] == "the key is {redacted:key}"
    assert masked[-1] == "Mail {redacted:email}."
    assert masked[:300] == quiet


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pair_of_digits_is_read(language: str) -> None:
    zeros = " ".join(one_by_one("00", language))
    for number in range(10, 100):
        said = fold(f"{zeros} {pair(number, language)} {zeros}")
        assert Written(said).numbers.split() == ["0", "0", str(number), "0", "0"]


def test_kinds_are_the_ones_that_are_named() -> None:
    assert [kind.name for kind in KINDS] == list(MASKED_KINDS)
    assert all(kind.title for kind in KINDS)
