"""Snippets: bounded, around a hit, never into or through the mark of a redacted piece."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongmcp.exposure.snippets import CLOSE, ELLIPSIS, LONG_SEGMENT, OPEN, SNIPPET_CHARS, snippet
from gongmcp.exposure.text import MaskedText, Span, apply_spans, place_spans
from gongmcp.store.ranking import MARK
from gongmcp.store.search_query import compile_query

TALK = (
    "So we think that the free cash flow of this quarter is much better than we had expected, and free lunches "
    "cost cash too, naïve as that may sound to the analysts who dialed in from Zürich today to hear about it."
)


def shown(text: str, query: str, max_chars: int = SNIPPET_CHARS) -> str:
    return snippet(text, (), compile_query(query), max_chars).value


# -- what is shown --------------------------------------------------------------------------------------


def test_a_short_text_is_shown_whole_with_its_hits_marked() -> None:
    found = snippet("The price, the Price!", (), compile_query("price"))
    assert found == MaskedText("The «price», the «Price»!", hits=((5, 10), (18, 23)), marks=())
    assert [found.value[start:end] for start, end in found.hits] == ["price", "Price"]


@pytest.mark.parametrize(
    ("query", "max_chars", "expected"),
    [
        ('"free cash flow"', 60, "So we think that the «free cash flow» of this quarter is…"),
        ("naive", 60, "…lunches cost cash too, «naïve» as that may sound to the…"),
        ("ZURICH", 60, "…who dialed in from «Zürich» today to hear about it."),
        ("zurich OR analyst*", 60, "…to the «analysts» who dialed in from «Zürich» today to…"),
        ("so", 50, "«So» we think that the free cash flow of this…"),
        ("cash -nothing", 40, "…that the free «cash» flow of this…"),
    ],
)
def test_a_long_text_is_cut_between_words_around_the_hit(query: str, max_chars: int, expected: str) -> None:
    assert shown(TALK, query, max_chars) == expected


def test_the_piece_with_most_of_the_query_is_shown() -> None:
    text = "flow " + "and so on " * 20 + "cash " + "and so on " * 20 + "the free flow of cash " + "and so on " * 20
    assert "«free» «flow» of «cash»" in shown(text, "free cash flow", 100)


def test_no_hit_shows_the_beginning() -> None:
    for query in (None, compile_query("zebrafish"), compile_query("???")):
        assert snippet(TALK, (), query, 40) == MaskedText(
            "So we think that the free cash flow of…", cut_after=len(TALK) - 38, marks=()
        )


def test_signs_in_the_text_itself_are_not_taken_for_marked_hits() -> None:
    found = snippet("He said «price» and then «the price».", (), compile_query("price"))
    assert found.value == "He said ««price»» and then «the «price»»."
    assert [found.value[start:end] for start, end in found.hits] == ["price", "price"]


def test_a_phrase_is_one_hit_and_overlapping_hits_are_one() -> None:
    assert shown("our free cash flow now", '"free cash" OR "cash flow" OR cash') == "our «free cash flow» now"
    assert shown("our free cash flow now", "free cash") == "our «free» «cash» flow now"


def test_a_hit_too_long_for_the_piece_shows_its_beginning() -> None:
    word = "東京" * 300
    assert shown(f"a {word} b", word[:256] + "*", 40) == f"…«{word[:36]}»…"
    assert shown(word, "東*", 40) == f"«{word[:37]}»…"


def test_a_cut_leaves_no_accent_without_its_letter() -> None:
    text = "e\u0301" * 300 + " price " + "e\u0301" * 300
    for room in range(40, 120):
        found = snippet(text, (), compile_query("price"), room)
        before, after = found.value.strip(ELLIPSIS).split(f"{OPEN}price{CLOSE}")
        assert not before.startswith("\u0301")
        assert not after.strip() or after.endswith("\u0301")


# -- marks of redacted pieces ---------------------------------------------------------------------------


def test_a_search_for_the_words_of_a_mark_does_not_enter_it() -> None:
    text = "please write to {redacted:email} and we answer"
    assert shown(text, "email") == "please write to «{redacted:email}» and we answer"
    assert shown(text, "redact*") == "please write to «{redacted:email}» and we answer"
    assert shown(f"{text} that email", "email") == f"{text} that «email»"


def test_a_phrase_does_not_run_over_a_mark() -> None:
    assert shown("call {redacted:phone} now, call now", '"call now"') == "call {redacted:phone} now, «call now»"


def test_no_mark_is_cut_where_there_is_no_blank_to_cut_at() -> None:
    text = "x{redacted:payment_card}" * 30 + "-price-" + "{redacted:email}y" * 30
    for max_chars in range(40, LONG_SEGMENT + 1):
        value = shown(text, "price", max_chars)
        assert "«price»" in value
        assert whole_marks_only(value)


def test_a_mark_beside_a_hit_is_placed_behind_its_sign() -> None:
    spans = [Span("email", 0, 3), Span("phone", 8, 5)]
    found = snippet("{redacted:email}price{redacted:phone}", spans, compile_query("price"))
    assert found.value == "{redacted:email}«price»{redacted:phone}"
    assert [found.value[start:end] for start, end, _ in found.places()] == ["{redacted:email}", "{redacted:phone}"]


def test_spans_in_the_piece_are_kept_with_their_places() -> None:
    raw = "a@b.example " + "word " * 60 + "call 555-0142\u200b about the price, or c@d.example " + "word " * 60
    spans = [
        Span("email", 0, 11),
        Span("phone", raw.index("555"), 8),
        Span("control", raw.index("\u200b"), 1),
        Span("email", raw.index("c@d"), 11),
    ]
    masked = apply_spans(raw, spans).value
    found = snippet(masked, spans, compile_query("call price or"), 120)
    assert "«call» {redacted:phone} about the «price», «or» {redacted:email} word" in found.value
    assert found.spans == tuple(spans[1:])
    places = found.places()
    assert [span for _, _, span in places] == spans[1:]
    assert [found.value[start:end] for start, end, _ in places] == ["{redacted:phone}", "", "{redacted:email}"]


def test_a_long_address_behind_much_text_never_shows_through() -> None:
    raw = "x" * 115 + " " + "y" * 114 + " dana.long.name@example.com and (202) 555-0142"
    secrets = ("dana.long.name@example.com", "(202) 555-0142")
    spans = [Span("email", raw.index("dana"), len(secrets[0])), Span("phone", raw.index("(202"), len(secrets[1]))]
    masked = apply_spans(raw, spans).value
    for max_chars in range(1, LONG_SEGMENT + 1):
        for query in ("and", "email", "dana", "xxx*", "redacted"):
            found = snippet(masked, spans, compile_query(query), max_chars)
            assert len(found.value) <= max_chars
            assert not any(secret[at : at + 4] in found.value for secret in secrets for at in range(len(secret) - 3))
            assert whole_marks_only(found.value)


# -- for every text, query and length -------------------------------------------------------------------

pieces = st.one_of(
    st.sampled_from(
        ["price", "Price,", "free cash flow", "naïve", "«price»", "…", "{redacted:", "redacted:email}", "東京駅"]
    ),
    st.sampled_from(["e\u0301", "👍🏽", "👨\u200d👩", "x" * 45, "price" * 9, " ", "  ", "\n"]),
    st.text(max_size=6),
    st.lists(st.sampled_from(["and", "so", "on", "the"]), min_size=1, max_size=25).map(" ".join),
)
kinds = st.sampled_from(["email", "phone", "control", "payment_card"])
parts = st.lists(st.one_of(pieces, st.tuples(kinds, st.text(min_size=1, max_size=30))), max_size=25)
searches = st.sampled_from(
    ["price", "pri*", '"free cash" OR flow', "naive price", "東京*", "email OR price", "redacted", "the and so", "x*"]
)


def assemble(made: list[str | tuple[str, str]], joint: str) -> tuple[str, list[Span]]:
    """Return a raw text and the spans to be taken out of it."""
    raw = ""
    spans: list[Span] = []
    for part in made:
        if isinstance(part, tuple):
            spans.append(Span(part[0], len(raw), len(part[1])))
            raw += part[1]
        else:
            raw += part
        raw += joint
    return raw, spans


def whole_marks_only(value: str) -> bool:
    """True when no part of a mark is left once the whole ones are gone (a text must not hold such a part)."""
    rest = MARK.sub("", value)
    return "{red" not in rest and "acted:" not in rest and rest.count("}") == 0


@settings(deadline=None)
@given(parts, st.sampled_from([" ", ""]), searches, st.integers(1, LONG_SEGMENT))
def test_every_snippet_keeps_the_rules(
    made: list[str | tuple[str, str]], joint: str, text: str, max_chars: int
) -> None:
    raw, spans = assemble(made, joint)
    masked = apply_spans(raw, spans).value
    query = compile_query(text)
    found = snippet(masked, spans, query, max_chars)
    value = found.value

    # Bounded, and a long text is never whole.
    assert len(value) <= max_chars
    assert len(masked) <= LONG_SEGMENT or found.cut_before + found.cut_after > 0

    # Without its signs it is the piece of the text that the cuts leave.
    plain, at = "", len(ELLIPSIS) if found.cut_before else 0
    for start, end in found.hits:
        assert value[start - 1] == OPEN
        assert value[end] == CLOSE
        plain += value[at : start - 1] + value[start:end]
        at = end + 1
    plain += value[at : len(value) - (len(ELLIPSIS) if found.cut_after else 0)]
    assert plain == masked[found.cut_before : len(masked) - found.cut_after]

    # No mark is cut or entered.
    borders = {found.cut_before, len(masked) - found.cut_after}
    position = found.cut_before
    at = len(ELLIPSIS) if found.cut_before else 0
    for start, end in found.hits:
        position += start - 1 - at
        borders |= {position, position + end - start}
        position += end - start
        at = end + 1
    for mark in MARK.finditer(masked):
        assert not any(mark.start() < border < mark.end() for border in borders)

    # The marks of the kept spans stand where the places say, and all that are in the piece are kept.
    assert [value[start:end] for start, end, _ in found.places()] == [span.mark for span in found.spans]
    assert sum(bool(span.mark) for span in found.spans) == sum(
        found.cut_before <= start and end <= len(masked) - found.cut_after and bool(span.mark)
        for start, end, span in place_spans(spans)
    )

    # A hit is inside wherever there is one.
    whole = snippet(masked, spans, query, LONG_SEGMENT)
    if whole.hits and max_chars >= 40:
        assert found.hits


@settings(deadline=None)
@given(parts, searches, st.integers(40, LONG_SEGMENT))
def test_what_was_taken_out_fits_back_into_the_piece(
    made: list[str | tuple[str, str]], text: str, max_chars: int
) -> None:
    raw, spans = assemble(made, " ")
    found = snippet(apply_spans(raw, spans).value, spans, compile_query(text), max_chars)
    changes = [(start, end, raw[span.start : span.start + span.length]) for start, end, span in found.places()]
    changes += [(start - 1, start, "") for start, _ in found.hits] + [(end, end + 1, "") for _, end in found.hits]
    if found.cut_before:
        changes.append((0, 1, ""))
    if found.cut_after:
        changes.append((len(found.value) - 1, len(found.value), ""))
    piece = found.value
    for start, end, value in sorted(changes, reverse=True):
        piece = piece[:start] + value + piece[end:]
    before = [span for _, end, span in place_spans(spans) if end <= found.cut_before and span not in found.spans]
    start = found.cut_before + sum(span.length - len(span.mark) for span in before)
    assert piece == raw[start : start + len(piece)]
    assert len(raw) >= start + len(piece)
