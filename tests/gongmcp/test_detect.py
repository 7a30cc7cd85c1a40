"""Every kind of personal data, written, spoken and split over sentences, in four languages; and what must stay."""

from __future__ import annotations

import gzip
import json
import random
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongctl import sample
from gongmcp.exposure.detect.fold import fold
from gongmcp.exposure.detect.gate import first_sign, signs_in
from gongmcp.exposure.detect.iban import LENGTHS, valid
from gongmcp.exposure.detect.payment_card import luhn
from gongmcp.exposure.detect.written import Written
from gongmcp.exposure.kinds import MASKED_KINDS
from gongmcp.exposure.masking import KINDS, find_spans, mask, mask_sentences
from gongmcp.exposure.text import CONTROL, restore
from tests.gongmcp.detect_lines import LINES
from tests.gongmcp.detect_speech import FILLERS, LANGUAGES, in_pairs, one_by_one, pair, parted

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

NUMBERS_STAY = """
We grew from one hundred fifty to two hundred thousand, then three hundred.
Free cash flow of one point two billion, one point three billion, and one point four billion.
We added twenty five, thirty, forty stores in those three quarters.
It was two, three, four, five, six, seven percent.
Two to three, three to four, five to six, seven to eight times.
In Q1 2019 Q2 2019 Q3 2019 and Q4 2019.
Guidance is 3.45 to 3.55, versus 3.20, 3.30 and 3.40 consensus.
Items 1, 2, 3, 4, 5, 6, 7, 8, and 9 are on the next page.
Order number 4500012345 is open, ticket 2025550142 is closed.
Case 00123456 and invoice 2020-0012345 are due.
The SKU is 1234567890123 and the EAN 4006381333931.
We are at 100 percent, 200 percent, 300 percent.
That was on 2020-12-31 at 17:45:30, order 12/31/2020.
Nineteen eighty four, nineteen ninety two, two thousand eight.
ten, twenty, thirty, forty, fifty, sixty, seventy
five fifty, six sixty, seven seventy, and eight eighty dollars a share
one in two, two in five, and three in ten
Our token volumes doubled; key takeaways are as follows: a, b, c and d.
The key is a b testing culture.
The secret is consistency, and the password manager market is growing 25 percent.
access code review is part of our process
We pin our hopes on 2021 and 2022.
The PIN pad business has 1,200 customers.
Let me zoom in on page 12 dot 3.
zoom.us is a good company, and teams.microsoft.com too.
See example.com/pricing and example.com/blog/2020/12/post.
Look at this point dot com stocks fell.
At the end of the day the point is in our favor.
dot dot dot and so on
We met at example, period. In the end it was good.
conference code of conduct and meeting number two
The meeting number went from 3 to 5.
The meeting ID field is empty.
from 12 345 678 to 23 456 789 euros
1 234 567 890 Euro Umsatz
Der Umsatz stieg von eins Komma zwei auf eins Komma drei Milliarden.
Wir hatten zwei, drei, vier, fünf, sechs Prozent Wachstum.
zwanzig, dreißig, vierzig, fünfzig, sechzig Kunden
Der Schlüssel ist die Nähe zum Kunden. Das Geheimnis ist Disziplin.
neunzehnhundertneunundneunzig und zweitausendzwanzig
Nous avons dix, vingt, trente, quarante, cinquante clients.
La clé de la réunion est le prix. Le code est simple.
de un à deux, de deux à trois, de trois à quatre pour cent
Mil novecientos noventa y nueve y dos mil veinte.
diez, veinte, treinta, cuarenta, cincuenta clientes
La clave de la reunión es el precio. El punto es la calidad.
uno o dos, dos o tres, tres o cuatro por ciento
A B C D E F G are the classes of shares.
Class A, class B, and class C shares at 10.
ISIN DE0007164600 and WKN 716460
Patent US 10,123,456 B2, and FDA K 123456.
the ratio 16:9, 4:3, 21:9
Version 10.15.7 build 19H2026
between 10 and 20, 20 and 30, 30 and 40, 40 and 50
four hundred eighty five million five hundred twenty thousand
We have 1,200, 1,300, 1,400, 1,500 and 1,600 stores.
seven days, twenty four seven, three sixty five
one two one two testing
Can you hear me? One two three. One two three.
I was at IBM at that point, and before that at A T and T.
He said at least at one point eight per cent.
EBITDA of 45.2, 46.3, 47.1, 48.9 million
It was a 50 50 split, or 60 40, or 70 30.
from five to ten to fifteen to twenty
two hundred two hundred five two hundred ten
Building 7, floor 12, room 1234, seat 56.
7 8 9 percent
ZIP 94105 1234 San Francisco
Lat 37.7749, long -122.4194
""".strip().splitlines()


@pytest.mark.parametrize("text", STAYS + NUMBERS_STAY)
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


@given(
    st.lists(st.sampled_from(sorted({word for text in [*STAYS, *NUMBERS_STAY] for word in text.split()})), max_size=40)
)
def test_the_quick_look_of_all_patterns_at_once_agrees_with_each(words: list[str]) -> None:
    text = fold(" ".join(words))
    assert (first_sign(text) >= 0) == bool(signs_in(text))


def test_the_quick_look_finds_where_a_long_text_holds_something() -> None:
    quiet = "We had a good quarter. " * 5_000
    assert first_sign(quiet) == -1
    assert len(quiet) <= first_sign(f"{quiet}dana@example.com{quiet}") <= len(quiet) + 5
    assert signs_in(f"{quiet}dana@example.com") == {"email"}


@pytest.mark.parametrize(
    "piece", ["a at b dot ", "1 ", "five oh ", "zoom.us/j/", "key is a b ", "a@b", "passcode is the "]
)
def test_work_grows_with_the_text_and_no_faster(piece: str) -> None:
    """Twice the text takes about twice the time: counted in calls, which no busy machine disturbs."""
    short, long = (_calls(piece * size) for size in (200, 800))
    assert long < 10 * short


def _calls(text: str) -> int:
    count = 0

    def counting(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counting)
    try:
        find_spans([text])
    finally:
        sys.setprofile(None)
    return count


def test_kinds_are_the_ones_that_are_named() -> None:
    assert [kind.name for kind in KINDS] == list(MASKED_KINDS)
    assert all(kind.title for kind in KINDS)
