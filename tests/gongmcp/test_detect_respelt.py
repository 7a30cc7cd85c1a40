"""What is left out of a text before an address is read: remarks, and words that are spelt again."""

from __future__ import annotations

import pytest

from gongmcp.exposure.detect import respelt
from gongmcp.exposure.detect.fold import View
from gongmcp.exposure.masking import mask_sentences


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("it's marlo, M A R L O, at example dot com", "it's marlo, at example dot com"),
        ("m a r t a marta dot bell at example dot org", "marta dot bell at example dot org"),
        ("dot uxue, que es u, equis, u, e, arroba example punto com", "dot uxue, arroba example punto com"),
        ("hahn, wie das Tier.\nAt example Punkt de", "hahn.\nat example punkt de"),
        ("kim dot pratt.\nPratt with two Ts.\nAt example dot com", "kim dot pratt.\nat example dot com"),
        ("voss mit zwei s at example punkt de", "voss at example punkt de"),
        ("notez paie, en chiffres.\nArobase example point org", "notez paie.\narobase example point org"),
    ],
)
def test_remarks_and_spellings_are_left_out(said: str, read: str) -> None:
    reading = respelt.reading(View(said))
    assert reading is not None
    assert reading.view.text == read


def test_a_place_is_told_in_the_whole_text() -> None:
    said = "It's Marlo, M A R L O, at example dot com."
    reading = respelt.reading(View(said))
    assert reading is not None
    start = reading.view.text.index("marlo")
    first, last = reading.back(start, reading.view.text.index("com") + 3)
    assert said[first:last] == "Marlo, M A R L O, at example dot com"


def test_nothing_is_left_out_where_no_address_can_be() -> None:
    assert respelt.reading(View("We grew, like the year before, and R O I, roi, was fine.")) is None


def test_control_without_it_the_name_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = ["It's hahn, wie das Tier.", "At example, genau wie das Beispiel.", "Punkt com."]
    assert "hahn" not in mask_sentences(sentences)[0].value
    monkeypatch.setattr(respelt, "reading", lambda view: None)
    assert "hahn" in mask_sentences(sentences)[0].value
