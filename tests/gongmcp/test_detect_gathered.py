"""Values dictated over several sentences with any words between them: how many go whole, and that figures stay."""

from __future__ import annotations

from collections import Counter

import pytest

from gongmcp.exposure.masking import find_spans, mask_sentences
from tests.gongmcp.dictated.monologues import Line, lines
from tests.gongmcp.dictated.values import MAKERS

LEAST = {"link": 0.78, "iban": 0.85, "key": 0.88}
"""Share that must go whole of what is weaker than the rest."""
LEAST_ELSE = 0.93
SEED, EACH = 11, 4


def kept(line: Line) -> list[str]:
    """Return the pieces of a monologue that are not masked whole."""
    spans = find_spans(line.sentences) or [[] for _ in line.sentences]
    return line.kept([[(span.start, span.start + span.length) for span in here] for here in spans])


@pytest.fixture(scope="module")
def shares() -> dict[tuple[str, str], float]:
    """Return by kind, and language or manner, the share of the monologues of which nothing is left over."""
    asked: Counter[tuple[str, str]] = Counter()
    gone: Counter[tuple[str, str]] = Counter()
    for line in lines(SEED, EACH):
        whole = not kept(line)
        for stratum in (line.language, "all"):
            asked[line.what, stratum] += 1
            gone[line.what, stratum] += whole
    return {stratum: gone[stratum] / asked[stratum] for stratum in asked}


@pytest.mark.parametrize("what", MAKERS)
def test_what_is_dictated_over_any_words_goes_whole(what: str, shares: dict[tuple[str, str], float]) -> None:
    least = LEAST.get(what, LEAST_ELSE)
    assert shares[what, "all"] >= least
    assert min(shares[what, language] for language in ("en", "de", "fr", "es")) >= least - 0.1


STAYS = """
Call us any time. // We have 24 stores in Texas. // And 350 more in the north. // Then 415 in the south.
The number for the quarter is 312. // Last year we had 415. // The year before it was 555.
Our mobile business has 1200 people. // Then we hired 2400. // Now we count 3600.
The credit card business opened 4539 accounts. // In Europe that was 1488. // We plan 343 and 6468 for next year.
My number one priority is growth. // We opened 12 sites. // And closed 15.
Ruf mich an. // Wir haben 24 Filialen. // Und dann kamen 350 dazu. // Später noch 415.
Die Nummer eins ist der Preis. // 2019 waren es 1200. // 2020 dann 2400.
Appelez-moi demain. // Nous avons 24 magasins. // Et 350 clients. // Puis 415 en Espagne.
Llámame mañana. // Tenemos 24 tiendas. // Y 350 clientes. // Luego 415 en Francia.
The key is speed. // We run B2B and B2C. // And SaaS at the end.
The meeting was about 5G and the A320. // Then the B737. // Last the E190.
My address changed. // See example.com for the rest.
Join us at the booth. // It is hall 12. // Then stand 340. // We open at 9.
""".strip().splitlines()


@pytest.mark.parametrize("line", STAYS)
def test_figures_behind_words_that_announce_stay(line: str) -> None:
    sentences = line.split(" // ")
    assert [sentence.value for sentence in mask_sentences(sentences)] == sentences


WHOLE = """
My phone number, right. // It ends in [[0142]]. // Oh, and what you dial first is [[415 555]].
The card number is [[4111 1111]]. // Hang on, somebody is at the door. // Our little friends [[1111 1111]] wrap it up.
Die IBAN lautet [[DE89 3704]]. // Jetzt wird's klein gedruckt, [[0044 0532]]. // Ganz rechts lese ich [[0130 00]].
Le lien est [[zoom.us/j/]]. // Vous y collez [[937 415]]. // Ça finit sur [[2280]].
Mi correo es [[ana.ruiz]]. // Espere, que suena el timbre. // Lo de la derecha es [[arroba example punto com]].
My email is [[j dot smith]]. // The other half would be [[example dot com]].
""".strip().splitlines()


@pytest.mark.parametrize("line", WHOLE)
def test_pieces_go_over_words_that_no_list_holds(line: str) -> None:
    assert not kept(Line("", "", "", False, line))
