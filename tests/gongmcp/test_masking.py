"""Masking: what must go, what must stay, and that nothing of an address is left beside its mark."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gongmcp.exposure.aliases import call_ref, object_ref, speaker_ref, tie_breaker
from gongmcp.exposure.detect.fold import View, fold
from gongmcp.exposure.masking import KINDS, find_spans, mask, mask_sentences
from gongmcp.exposure.text import CONTROL, apply_spans, format_spans, parse_spans, restore

EMAIL, PHONE, LINK = "{redacted:email}", "{redacted:phone}", "{redacted:link}"
ZERO_WIDTH, SOFT_HYPHEN, RIGHT_TO_LEFT = "\u200b", "\u00ad", "\u202e"

MASKED = [
    # disguises of an address
    (f"dana@{ZERO_WIDTH}example.com", EMAIL),
    ("dana＠example.com", EMAIL),
    ("d\u0430na@example.com", EMAIL),
    ("DANA@EXAMPLE.COM", EMAIL),
    ("da\u0301na@exa\u0301mple.com", EMAIL),
    ("𝐝𝐚𝐧𝐚@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦", EMAIL),
    ("dana@exam\u00adple.com\u200b then", f"{EMAIL} then"),
    (f"{RIGHT_TO_LEFT}dana@example.com", EMAIL),
    ("дана@пример.рф", EMAIL),
    ("müller@straße.example", EMAIL),
    # its forms
    ("ask <dana@example.com>, ok", f"ask <{EMAIL}>, ok"),
    ("mailto:dana@example.com?subject=x", f"mailto:{EMAIL}?subject=x"),
    ("dana.o'neil+news@mail.example.co.uk.", f"{EMAIL}."),
    ("foo!bar@example.com", EMAIL),
    ("x@y@example.com", EMAIL),
    ('"dana smith"@example.com', EMAIL),
    ("dana%40example.com", EMAIL),
    ("dana&#64;example.com", EMAIL),
    ("dana(at)example(dot)com", EMAIL),
    ("dana [at] example [dot] com", EMAIL),
    ("dana @ example.com", EMAIL),
    ("dana@10.0.0.1", EMAIL),
    ("ele@ele.com", EMAIL),
    ("two.seven@nine-five.example.com", EMAIL),
    ("my email is dana@example", f"my email is {EMAIL}"),
    ("请联系dana@example.com谢谢", f"请联系{EMAIL}谢谢"),
    ("Mail dana@example.com. In the meantime we wait.", f"Mail {EMAIL}. In the meantime we wait."),
    # as it is said
    ("It is j dot smith at example dot com, thanks", f"It is {EMAIL}, thanks"),
    ("dana underscore smith at acme dash corp dot co dot uk", EMAIL),
    ("mail me at d a n a at example dot com", f"mail me at {EMAIL}"),
    ("dana seven at example dot com", EMAIL),
    ("dana at example dot com", EMAIL),
    ("dana at example dotcom", EMAIL),
    ("her email is dana at example.com", f"her email is {EMAIL}"),
    ("dana punkt müller klammeraffe beispiel punkt de", EMAIL),
    ("dana punto garcía arroba ejemplo punto es", EMAIL),
    ("dana point martin arobase exemple point fr", EMAIL),
    # phone numbers in disguise and in their forms
    (f"(202) 555{SOFT_HYPHEN}-0142", PHONE),
    ("２０２-５５５-０１４２", PHONE),
    ("٢٠٢-٥٥٥-٠١٤٢", PHONE),
    ("202•555•0142", PHONE),
    ("202‑555‑0142", PHONE),
    ("call 202 555 0142.", f"call {PHONE}."),
    ("202.555.0142", PHONE),
    ("(202)555-0142", PHONE),
    ("2 0 2 5 5 5 0 1 4 2", PHONE),
    ("1-877-344-7529, access code 10147", f"{PHONE}, access code {LINK}"),
    ("+1 (202) 555-0142 ext. 55", PHONE),
    ("tel:+12025550142", f"tel:{PHONE}"),
    ("+44 20 7946 0958", PHONE),
    ("fax: +49 (0)30 123456", f"fax: {PHONE}"),
    ("my number is 0049 30 123456", f"my number is {PHONE}"),
    ("01 23 45 67 89", PHONE),
    ("Mein Handy ist 0151 23456789", f"Mein Handy ist {PHONE}"),
    ("call me on 555-0142", f"call me on {PHONE}"),
    ("202 555 0142 in 2020", f"{PHONE} in 2020"),
    # and as they are said
    ("two oh two five five five oh one four two", PHONE),
    ("It is two oh two, five five five, oh one four two. One of them", f"It is {PHONE}. One of them"),
    ("eight hundred five five five oh one four two", PHONE),
    ("my number is double five five, oh one four two", f"my number is {PHONE}"),
    ("that's 202 five five five 0142", f"that's {PHONE}"),
]


@pytest.mark.parametrize(("raw", "masked"), MASKED, ids=[raw for raw, _ in MASKED])
def test_is_masked_as_a_whole(raw: str, masked: str) -> None:
    assert mask_sentences([raw])[0].value == masked


@pytest.mark.parametrize(
    "text",
    [
        "Revenue went from $1,234,567 to 2020's level.",
        "We saw 555 basis points and 2.125 million units.",
        "Between 2019 2020 and 2021 2022 2023 we grew.",
        "In 2019.2020 was the number that year.",
        "The range is 500-1000 and the list 2020, 2021, 2022.",
        "It is 555-1000 units, or 1.234.567 euros.",
        "On 12/31/2020 10:30 and on 2020-12-31 17:45 we closed.",
        "Open stores were 300-3,189 at the end of June.",
        "Order number 2025550142 and id 1234567890123.",
        "Scores were 1 2 3 4 5 6 7 8.",
        "one two three four five six seven eight nine ten",
        "card number 4111 1111",
        "See https://x.example/a/2025550142/b.",
        "The H2@Scale project and a price @ 3.50 each.",
        "Our website @www .example.com, and website @investors .example.com.",
        "All of it is on our website at example.com under investors.",
        "Documents are at the company's website at ir.example.com.",
        "Reach us at example dot com or visit us at example dot com.",
        "We look at the dot com bubble. I work at Booking.com.",
        "At this point dot your i's, and period.",
        "P&L, S&P 500, AT&T; 40% of 100.",
        "@", "dana@", "@@@ @", "at dot com", "a@b",
        "四季報の数字は2020年から2021年です。",
    ],
)  # fmt: skip
def test_stays_as_it_is(text: str) -> None:
    assert mask_sentences([text])[0].value == text


@pytest.mark.parametrize(
    ("sentences", "masked"),
    [
        (["You can reach me at dana", "at example dot com", "Fine."], [f"You can reach me at {EMAIL}", EMAIL, "Fine."]),
        (["It's dana.smith@", "example.com. Thanks"], [f"It's {EMAIL}", f"{EMAIL}. Thanks"]),
        (["dana", "@example.com"], [EMAIL, EMAIL]),
        (["Email dana@example.", "Com is it."], [f"Email {EMAIL}", f"{EMAIL} is it."]),
        (["Mail dana@example.com.", "In the meantime"], [f"Mail {EMAIL}.", "In the meantime"]),
        (["my email is dana.", "smith@example.com"], [f"my email is {EMAIL}", EMAIL]),
        (["j dot", "smith at", "example dot", "com"], [EMAIL] * 4),
        (["My number is 202.", "555 0142."], [f"My number is {PHONE}", f"{PHONE}."]),
        (["two oh two five five five", "oh one four two", "and so"], [PHONE, PHONE, "and so"]),
        (["That number in 2019.", "2020 was better."], ["That number in 2019.", "2020 was better."]),
        (["", "dana@example.com", ""], ["", EMAIL, ""]),
        ([], []),
    ],
)
def test_finds_what_is_split_over_sentences(sentences: list[str], masked: list[str]) -> None:
    assert [text.value for text in mask_sentences(sentences)] == masked


def test_without_the_monologue_a_split_address_would_stay() -> None:
    """The control of the test above: single sentences do not show it."""
    alone = [mask_sentences([sentence])[0].value for sentence in ("You can reach me at dana", "at example dot com")]
    assert alone == ["You can reach me at dana", "at example dot com"]


def test_invisible_characters_are_spans_without_a_mark() -> None:
    raw = f"a{ZERO_WIDTH}{RIGHT_TO_LEFT}b\x1b[31m\tc\nd\x00\ud800"
    masked = mask_sentences([raw])[0]
    assert masked.value == "ab[31m\tc\nd"
    assert [(span.kind, span.start, span.length) for span in masked.spans] == [
        (CONTROL, 1, 2),
        (CONTROL, 4, 1),
        (CONTROL, 13, 2),
    ]
    assert masked.value.encode() == b"ab[31m\tc\nd"


@pytest.mark.parametrize("value", ["4620292027", "2025550142", "188500", "-12.5", "2026-04-10T00:00:00Z", "Customer"])
def test_a_value_that_is_one_number_or_a_date_is_no_phone_number(value: str) -> None:
    assert mask(value).value == value


def test_in_a_phone_field_any_number_is_one() -> None:
    assert mask("4620292027", phone_field=True).value == PHONE
    assert mask("030 1234567", phone_field=True).value == PHONE
    assert mask("none", phone_field=True).value == "none"


LETTERS = st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789")
NAMES = st.text(LETTERS, min_size=2, max_size=10)
UNSEEN = st.sampled_from(["", "", "", ZERO_WIDTH, SOFT_HYPHEN, RIGHT_TO_LEFT, "\ufeff", "\x00", "\U000e0041", "\u0301"])


def wide(text: str) -> str:
    """Return *text* in fullwidth forms."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


@st.composite
def hidden_addresses(draw: st.DrawFn) -> tuple[str, str]:
    """An address, and the same one as somebody would hide it."""
    address = f"{draw(NAMES)}@{draw(NAMES)}.{draw(st.sampled_from(['com', 'de', 'example', 'co.uk']))}"
    hidden = "".join(
        (wide(char) if draw(st.booleans()) else char.upper() if draw(st.booleans()) else char) + draw(UNSEEN)
        for char in address
    )
    return address, hidden


@given(
    hidden_addresses(), st.sampled_from(["", "Write to ", "その", "x, "]), st.sampled_from(["", " now", ", ok", "。"])
)
def test_a_hidden_address_leaves_nothing_behind(pair: tuple[str, str], before: str, after: str) -> None:
    _, hidden = pair
    assert mask_sentences([before + hidden + after])[0].value == before + EMAIL + after


@given(st.lists(st.text(max_size=60), max_size=4))
def test_spans_tell_where_the_raw_text_was(sentences: list[str]) -> None:
    for raw, masked in zip(sentences, mask_sentences(sentences), strict=True):
        values = [raw[span.start : span.start + span.length] for span in masked.spans]
        assert restore(masked.value, masked.spans, values) == raw
        assert apply_spans(raw, parse_spans(format_spans(masked.spans))).value == masked.value


FRAGMENTS = st.sampled_from(
    ["dana@example.com", "+1 202 555 0142", "at", "dot", "com", "202", "555", "0142", "five", "oh", "@", ".", "\n", " ",
     "…", ZERO_WIDTH, SOFT_HYPHEN, "é", "年", "d a n a", "(", ")", "\x1b", "double", "hundred", "underscore",
     "{redacted:email}", "4111 1111 1111 1111", "iban", "DE89 3704 0044 0532 0130 00", "key", "sk_live_",
     "9f86d081884c", "passcode", "zoom.us/j/", "vier", "zwo", "quatre-vingt-dix", "treinta y", "plus", "dash", "slash",
     "b as in bravo"]
)  # fmt: skip


@example(["five dana@example.com hundred"])  # an address between the words of one number
@example(["treinta y dana@example.com cinco"])
@given(st.lists(st.lists(FRAGMENTS, max_size=12).map(" ".join), max_size=4))
def test_whatever_is_said_masking_is_sound(sentences: list[str]) -> None:
    """Spans are in order, inside their sentence, and no whole written address survives."""
    for raw, masked in zip(sentences, mask_sentences(sentences), strict=True):
        at = 0
        for span in masked.spans:
            assert span.start >= at
            assert span.length > 0
            at = span.start + span.length
        assert at <= len(raw)
        assert "dana@example.com" not in masked.value
        assert "202 555 0142" not in masked.value


@given(st.text(max_size=40))
def test_folding_maps_back_to_where_a_character_came_from(raw: str) -> None:
    view = View(raw)
    for index, char in enumerate(view.text):
        start, end = view.raw_span(index, index + 1)
        assert 0 <= start < end <= len(raw)
        assert char in fold(raw[start])


def test_a_quick_look_never_misses_what_its_detector_finds() -> None:
    """The patterns in front of the detectors only save time: each find is made through them as well."""
    for raw, _ in MASKED:
        view = View(raw)
        direct = {kind.name for kind in KINDS if list(kind.find(view))}
        through = {span.kind for span in mask_sentences([raw])[0].spans} - {CONTROL}
        assert direct, raw
        assert through, raw


def test_ordinary_text_makes_no_spans_at_all() -> None:
    assert find_spans(["Good morning, everyone.", "Sales rose 4 % to €200 million… that's great, José."]) is None


def test_the_fold_knows_every_decimal_digit() -> None:
    digits = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Nd"]
    assert {fold(char) for char in digits} == set("0123456789")


def test_aliases_are_stable_keyed_and_separate() -> None:
    secret, other = bytes(32), bytes([1] * 32)
    assert call_ref(secret, "123") == call_ref(secret, "123")
    assert call_ref(secret, "123") != call_ref(other, "123")
    assert call_ref(secret, "123") != call_ref(secret, "0123")
    prefix, digits = call_ref(secret, "123").split("_")
    assert (prefix, len(digits), int(digits, 16) >= 0) == ("call", 16, True)
    names = [
        call_ref(secret, "1"),
        speaker_ref(secret, "1", ""),
        speaker_ref(secret, "", "1"),
        object_ref(secret, "1", ""),
    ]
    assert len({name.split("_")[1] for name in names}) == len(names)
    assert speaker_ref(secret, "a", "bc") != speaker_ref(secret, "ab", "c")
    assert 0 <= tie_breaker(secret, "123") < 4096
    assert len({tie_breaker(secret, str(number)) for number in range(1000)}) > 700
