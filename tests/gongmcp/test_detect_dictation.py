"""What is dictated in pieces, with pauses, corrections and answers between them; and what only looks like it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongmcp.exposure.detect.dictation import chains, read
from gongmcp.exposure.detect.fold import View, fold
from gongmcp.exposure.detect.gate import signs_in
from gongmcp.exposure.masking import find_spans, mask_sentences
from gongmcp.exposure.text import restore

DICTATED = """
phone|Can you write this down? [415 555]. // Okay. // [01 32].
phone|My cell, hang on, [six one seven]. // Yep. // [five five five oh one nine eight].
phone|Give me a ring on [oh double seven double oh nine], wait, [double oh one two three].
phone|Call the plant at [312 555], no sorry, [313 555 0177].
phone|The number for Mark is [plus four four, seven seven hundred], hold on, [nine hundred four five six].
phone|So that's [+1 646], [555]. // And [0119], okay?
phone|You can text her: [two one two]. // Go ahead. // [five five five]. // Got it. // [oh one eight three].
phone|Try me on the landline, it's [020 7946], let me check, [0991].
phone|It's [nine one seven five five five], then [oh one four four], extension [twelve].
phone|Ruf mich an, [null eins sieben eins]. // Hab ich. // [drei neun zwo null null eins zwei].
phone|Meine Nummer, Sekunde, [0171], und dann [392], und [0012].
phone|Notieren Sie bitte [null drei null], Pause, [zwei drei eins zwei fünf].
phone|Die Zentrale hat die [089 9999], nein falsch, [089 9999 80], Durchwahl [44].
phone|Unter [plus vierundvierzig], ähm, [zwanzig neunundsiebzig sechsundvierzig null neun fünf acht] bin ich da.
phone|Mon numéro, attendez, [zéro six], [trente-neuf], [quatre-vingt-dix-huit]. // Oui. // [zéro un, douze].
phone|Tu notes ? [06 39]. // C'est bon. // [98 01 12].
phone|Vous pouvez appeler le [01 99 00], pardon, [01 99 00 12 34], poste [22].
phone|Mi teléfono es [seis uno dos], [treinta y cuatro]. // Vale. // [cincuenta y cinco cero uno].
phone|Anota, [91]. // Sí, dime. // [555 01 23].
phone|Llámame al [612 345], perdón, [612 345 001].
phone|Recepción tiene el [612.34.50.01], planta baja.
phone|Mein Büro hat die [030 23125 12 Durchwahl 7].
card|The card is [4111 1111]. // Uh-huh. // [1111 1111].
card|Visa, [four five three two]. // One moment. // [seven one five three three six one seven nine oh two four].
card|Number on the card, [5500 0000], and then [0000 0004].
card|Die Karte, [fünfundfünfzig null null null null null null]. // Ja. // [null null null null null null null vier].
card|Ma carte, c'est le [4970 10], ensuite [00 0000 0003], voilà.
card|La tarjeta empieza con [4539 1488]. // Y termina en [0343 6467].
card|Put it on [6304000000000000000], will you.
iban|Our IBAN, you ready? [DE89 3704]. // Go on. // [0044 0532 0130 00].
iban|Konto, Moment, [B E sechs acht], [fünf drei neun null]. // Weiter. // [null sieben fünf vier sieben null drei vier]
iban|Le RIB commence par [FR14 2004]. // Ensuite [1010 0505 0001 3M02 606].
iban|La cuenta, apunta, [ES91 2100 0418]. // Sigue. // [4502 0005 1332].
iban|The bank account starts with [GB29 NWBK]. // Right. // [6016 1331 9268 19].
key|The secret starts with [ghp_a8K2]. // Next line. // [Zx91LmQp77].
key|API token, it's [x k nine two], pause, [b seven f four q one].
key|Use the password [T r], capital [K nine four x two], please.
key|Das Passwort für die API, warten Sie, [s k Unterstrich live Unterstrich neun] // [vier b c sieben d].
key|La clave de API empieza con [sk_test_9aB]. // Y acaba en [77xYz210].
key|Le jeton, c'est [a b c neuf sept]. // Oui. // [d e f huit trois un].
key|Unser Schlüssel, [Berta Anton neun Dora], [Emil vier sieben Cäsar].
link|The meeting ID is [884], then [2213], then [009]. // Passcode [four four one two].
link|Join zoom dot us slash j slash [nine four]. // And then [seven seven one two three].
link|Passcode, one sec, it's [Xy7Qp2].
link|The Zoom password is [kLmQwe].
link|Das Kennwort fürs Meeting ist, Moment, [Zk4vT].
link|Le code d'accès pour la réunion, c'est [neuf deux sept trois].
link|La contraseña de la reunión, a ver, es [ocho ocho tres uno].
link|The room is [whereby.com/acme]. // Then [-sync-77].
link|It's [g dot co slash meet slash a b c]. // Then [dash d e f g dash h i j].
email|It's [dana]. // Yeah. // [dot smith at example dot com].
email|Write to [jo underscore lee]. // Okay. // [at example dot org].
email|The first part is [k.weber]. // The domain is [example.com].
email|We are all on [example.org]. // And I'm [dana.k] there.
email|It begins with [moreau]. // [.luc@example.com].
email|Schreib an [lena punkt vogt]. // Ja. // [ät example punkt de].
email|Mon adresse, c'est [luc tiret petit]. // D'accord. // [arobase example point fr].
phone|I'm at [five one two five five five], one sec, [oh one eight seven] most mornings.
phone|The best one is [eight oh two], um, [five five five], [oh one two nine], no wait, [oh one three nine].
phone|the desk is [two oh six five five five] sorry [oh one four eight]
phone|It starts [+44 7700]. // Right. // And ends [900 456].
phone|Meine Direktwahl lautet [0 30 / 23125], Moment, [19].
phone|Am besten die [null einhundertzweiundfünfzig], Sekunde, [achtundzwanzig einundachtzig siebzig].
phone|Le début c'est [02 61]. // Et la fin c'est [91 12 34].
phone|Es el [55 1234], digo, [55 1235 0001].
phone|La primera parte es [ochocientos doce]. // Y la otra [trescientos cuarenta y cinco seiscientos].
phone|Estoy en el [612345001] hasta las dos.
card|The digits are [6011 0009]. // Mm-hmm. // [9013 9424].
card|Avec [trente-sept quatre-vingt-deux quatre-vingt-deux vingt-quatre soixante-trois], euh, [dix zéro zéro cinq].
iban|Send it to [NL91], then [ABNA], then [0417 1643 00].
iban|Pague a [B E 68], a ver, [cincuenta y tres noventa cero siete cincuenta y cuatro setenta treinta y cuatro].
iban|Der Einzug geht über [LU867824X3M6A517K743].
key|The token begins [nine f e two]. // Carry on. // [b b seven zero c one].
key|In the header goes [310df5fb-2797-47d4-a748-197a8ed3f4b0], I think.
key|The client sends [gong_26VrI4RReKILISTKWWqyeq16X1GT].
link|Dial in with conference ID [three oh four], um, [two two nine].
link|Then punch in the PIN, hold on, [four four nine two], pound.
link|Der Zugangscode, ich schaue kurz, ist [sieben sieben eins null].
email|Send it over to [pat], // I think it cut out, [at example dot com].
email|Mi correo, apunte, [rosa guion bajo diaz]. // Dígame. // [arroba example punto com].
email|Everyone's at [example dot org]. // And mine is [r dot patel].
email|El correo empieza con [ana punto ruiz]. // Sí. // [arroba example punto es].
""".strip().splitlines()

STAYS = """
Gate B17, boarding 7 h 40, back on train 4410 at 18 h 15. // In all we have 310 dealers.
Phone support is 39 euros, chat comes in 2025. // What is the plan? // Twelve, fifteen, forty.
Retour par le train 4410 à 18 h 15. // On a trois cent dix revendeurs.
The order was for boxes at thirty two ten each. // How many seats? // Ninety now. // And then twenty more.
The access code changed in 2020. // Then 2021.
The best number was 812 units, um, and then 640 units, and then 512 units.
Send it to the team. // I think it went out at ten.
We opened forty stores. // Then fifty five. // Then sixty two, and that was the plan.
The number is 350, and then 420, and then 510.
Call volume was up. // In 2019 it was 812. // In 2020 it was 934.
The key products, hold on, are four, five and six.
The code review took, um, twenty two days, and the next one thirty.
Our card business, sorry, the second one, was up 4.1 percent. // Then 5.2, 6.3 and 7.4.
I mean, 2018, 2019, no, sorry, 2020 was the year.
First half was 1.2 million. // Second half was 1.4 million.
The meeting is at ten. // Then at eleven thirty. // And at fifteen forty.
The account has 12 users. // And then 15. // And then 20.
In the meeting, the number of seats went from 12 to 150.
Zoom is at 141. // Then 150. // The rest is flat.
The domain is important. // Our company is growing.
We are all on the same page. // And I'm happy with that.
I work at Booking.com. // At example.com we have a page.
Die Nummer eins, Moment, ist der Preis. // Dann zwei, drei und vier.
Wir sind alle im Büro. // Und ich bin dort um zehn.
Im Meeting waren 12 Leute, Moment, 14. // Danach 20.
Le code est simple. // Ensuite 2019, 2020 et 2021.
La reunión es a las diez. // Luego a las once. // Después a las doce y media.
Ligne une, 15 000. // Ligne deux, 2 750, ligne trois, 640.
""".strip().splitlines()


def pieces(text: str) -> tuple[list[str], list[str]]:
    """Return the sentences of a line without its brackets, and what stands in them."""
    return text.replace("[", "").replace("]", "").split(" // "), re.findall(r"\[([^\]]*)\]", text)


@pytest.mark.parametrize("line", DICTATED)
def test_what_is_dictated_in_pieces_is_masked_whole(line: str) -> None:
    kind, text = line.split("|", 1)
    sentences, secrets = pieces(text)
    masked = mask_sentences(sentences)
    joined = "\n".join(sentence.value for sentence in masked)
    assert not [secret for secret in secrets if secret in joined]
    assert kind in {span.kind for sentence in masked for span in sentence.spans}
    for raw, sentence in zip(sentences, masked, strict=True):
        values = [raw[span.start : span.start + span.length] for span in sentence.spans]
        assert restore(sentence.value, sentence.spans, values) == raw


@pytest.mark.parametrize("line", STAYS)
def test_amounts_years_and_lists_in_pieces_stay(line: str) -> None:
    sentences = line.split(" // ")
    assert [sentence.value for sentence in mask_sentences(sentences)] == sentences


def test_the_piece_alone_is_no_number() -> None:
    """The control of the first test: only together are they one."""
    assert find_spans(["415 555."]) is None
    assert find_spans(["01 32."]) is None


@pytest.mark.parametrize(
    "text",
    [
        "The number of calls was up and the key token of the card is mail.",
        "Call me later, we will mail the number and the key to your account.",
        "I will call the bank. The password and the meeting were fine.",
    ],
)
def test_words_for_numbers_and_keys_alone_open_no_slow_path(text: str) -> None:
    assert not signs_in(fold(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it is five six, um, seven eight. nine", ["five six, um, seven eight. nine"]),
        ("four in the morning and 22 at night", ["four", "22"]),
        ("a b c and 4 percent", ["a b c"]),
        ("treinta y dos cuarenta", ["treinta y dos cuarenta"]),
        ("B as in bravo nine", ["b as in bravo nine"]),
    ],
)
def test_chains_hold_values_and_what_parts_them(text: str, found: list[str]) -> None:
    view = View(text)
    assert [view.text[chain.start : chain.end] for chain in chains(read(view))] == found


PARTS = st.sampled_from(
    ["four", "22", "555", "um", ", sorry,", ".", "\n", "x", "capital", "q", "minus", "dash", "live", "then", "passcode",
     "the rest is", "my number is", "IBAN", "DE89", "rabo", "at", "example dot com", "dana", "zoom.us/j/9", "y", "dos",
     "treinta", "Berta", "percent", "{redacted:phone}", "é", "\u200b", "…", "+", "-", "_", "@"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=30))
def test_any_order_of_pieces_is_put_back_and_no_mark_is_cut(parts: list[str]) -> None:
    sentences = " ".join(parts).split("\n")
    for raw, masked in zip(sentences, mask_sentences(sentences), strict=True):
        values = [raw[span.start : span.start + span.length] for span in masked.spans]
        assert restore(masked.value, masked.spans, values) == raw
        assert masked.value.count("{redacted:phone}") >= raw.count("{redacted:phone}")
