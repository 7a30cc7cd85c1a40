"""Values in pieces with words of sequence between them, and figures told in the same way."""

from __future__ import annotations

import re

import pytest

from gongmcp.exposure.masking import mask_sentences

IN_PIECES = """
iban|I'll break it into two bits, [FI58 4887 7585]. // The missing bit is [7090 09].
iban|Up top it says [CH70 1467 6415]. // Underneath it's [7880 0814 2].
iban|Bank details, hang on. // [AT05 6764 8809]. // Did you get it? // [3050 9492] is the tail.
iban|Oberste Zeile [DE66 4584 7965]. // Moment. // Zweite Zeile [6131 5403 53].
iban|La ligne du haut dit [BE02 3716]. // Voilà. // La fin, c'est [2092 6838].
iban|El principio, [NL45 QQZX 2173]. // El resto, [3506 88].
card|The digits at the front are [4111 1104]. // And at the back [0240 0985].
card|It opens with [4000 0065]. // It closes with [4029 4336].
card|I read [2223 0081] here already. // Yep. // The tail is [3751 4717].
card|Zuerst [3530 1140]. // Hast du? // Als Nächstes [9004 2658].
card|Vous prenez [6304 1685]. // Et vous finissez avec [1769 9808 87].
card|Anote [6205 5030]. // Lo que falta es [6284 6652 353].
card|The card starts [four one one one]. // Middle is [one one oh four oh two four oh]. // End [oh nine eight five].
phone|My number, you'll want [415]. // Middle, [555]. // Tail, [0132].
phone|Der Rest fehlt noch, [0176]. // Moment. // Das wäre [0406 9036].
phone|Unsere Zentrale, vorne [030]. // Mitte [2312]. // Hinten [5012].
phone|Le standard, [06.39]. // Puis [98]. // La fin, [73.65].
phone|Centralita, empieza [910]. // Luego [000]. // La última parte [808].
key|Bearer token, starts with [sk_live_9aB8cD7]. // The tail is [x7Yz33kQ].
key|Das Token, erste Zeile [ghp_8dK2mX91]. // Zweite Zeile [Lq7Tz0Wb4].
key|Le jeton est sur deux papiers, [whsec_rT4kQ9]. // Sur l'autre il y a [m3XvB81zLp].
link|Meet code, first chunk [qzx]. // Middle chunk, [rtvb]. // Last chunk, [plk].
link|Le code Meet, d'abord [qdv-vfyj]. // Et à la fin [tmf].
link|Zum Meet-Code, vorne [kpt]. // Der Rest ist [kzjq-jdz].
link|Join with [814]. // Then comes [989 1823].
link|The passcode is odd, it starts [Mw9j]. // It ends [osTC], no blanks.
email|Top line, [kyle60]. // Bottom line, [@harborline.example].
email|Yeah, it's [dana.hill]. // Sorry, you cut out there. // So [@example.org] at the end.
email|Schreiben Sie mal [ulrike]. // Dann [punkt baumgart einundvierzig]. // Und hinten [at feldwerk Punkt test].
email|Das Postfach heißt [jannis]. // Direkt dahinter [.vogt]. // Und die Domain dann [@example.org].
email|La boîte, c'est [luc_petit]. // Pardon, il y a du bruit. // Et puis [@example.com].
email|Lo de antes es [marcos]. // Luego [.quiroga]. // Y por último [@example.net].
email|It's [harper], just as it sounds. // After that [at northfield dot test].
""".strip().splitlines()
"""Kind and a line; sentences are parted by ``//``, what must go stands in brackets, and no other word may."""

FIGURES = """
We sold 1200. // Then 2400. // And finally 3600.
In two weeks, 2023 and 2024. // Then 2025. // And the rest in 2026.
Our revenue in the first part was 3120. // And then 4045. // And at the end 5099.
Passcode changes take 30 days. // Then 45. // And the end is 60.
The project ID is DE45. // Then we have FR12. // And ES19 at the end.
Our secret is speed, B2B. // Then B2C. // Finally SaaS.
We use API v2beta1. // Then v3beta2. // And finally v4beta9.
Take the A320. // Then the B737. // And last the E190.
The zip code was 02139. // Then 02140. // Then 02141.
We have 800 550 and 330. // Then 007. // Finally 019.
Die Mitte ist 100. // Ende ist 200 300. // Der Rest ist 040.
See the first part on our site. // The rest is at example.com.
Page 112. // Then page 0145. // And 0178.
Im ersten Quartal 3200. // Dann 4100. // Zum Schluss 5200.
Los ingresos, 4000. // Luego 5000. // Al final 6000.
We meet on code-red days. // Then long-run targets.
Did you ping Maria? // Yes. // And then @sales at the end.
The middle is 12 percent. // The end is 4111 1104 euros. // The rest is 0240 0985 units.
""".strip().splitlines()
_PIECE = re.compile(r"\[([^\]]+)\]")


@pytest.mark.parametrize("line", IN_PIECES)
def test_every_piece_goes_and_no_other_word(line: str) -> None:
    kind, _, said = line.partition("|")
    masked = mask_sentences([_PIECE.sub(r"\1", sentence) for sentence in said.split(" // ")])
    assert [sentence.value for sentence in masked] == _PIECE.sub(f"{{redacted:{kind}}}", said).split(" // ")


@pytest.mark.parametrize("line", FIGURES)
def test_figures_told_in_sequence_stay(line: str) -> None:
    sentences = line.split(" // ")
    assert [sentence.value for sentence in mask_sentences(sentences)] == sentences


def test_a_piece_without_the_others_stays() -> None:
    assert mask_sentences(["The tail is 0240 0985."])[0].value == "The tail is 0240 0985."


@pytest.mark.parametrize("said", ["passcode 45 dash", "meeting code"])
def test_a_number_of_thousands_of_digits_stops_nothing(said: str) -> None:
    longest = "1" * 4400  # Python makes no number of so many
    assert mask_sentences([f"{said} {longest}", "Mail kim@example.com."])[1].value == "Mail {redacted:email}."
