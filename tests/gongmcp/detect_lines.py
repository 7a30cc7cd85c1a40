# ruff: noqa: E501
"""What must be masked, by kind, form and language: a line per way of writing or saying it.

``[[`` and ``]]`` stand around what must go, `` // `` between the sentences of one monologue.
"""

from __future__ import annotations

LINES = """

email|written|en|You can write to [[dana.smith@example.com]] any time.
email|written|en|Send it to [[DANA.SMITH@EXAMPLE.COM]], please.
email|written|en|my address is [[dana (at) example (dot) com]]
email|written|en|[[dana_smith+sales@mail.example.co.uk]]; thanks
email|written|en|cc [[d.smith-jones99@sub.example.org]]!
email|written|en|Use [[dana at example dot com]] or call.
email|written|en|[[dana[at]example[dot]org]]
email|written|en|it's [[dana @ example . com]]
email|written|en|try "[[support@example.test]]"
email|written|en|her email [[dana.smith AT example.com]] works
email|written|de|Schreiben Sie bitte an [[dana.mueller@example.de]].
email|written|de|Meine E-Mail ist [[dana_müller@beispiel.example.de]], danke
email|written|de|[[info(at)example.de]] oder Telefon
email|written|de|Die Adresse lautet [[d.schmidt-weiß@example.org]]
email|written|de|[[dana.schmidt [ät] example.de]] geht auch
email|written|fr|Mon adresse est [[jean-pierre.dupont@example.fr]], merci
email|written|fr|écrivez à [[contact@exemple.example.com]].
email|written|fr|[[jean (arobase) example (point) fr]]
email|written|es|Mi correo es [[maria.garcia@example.es]], gracias
email|written|es|escríbeme a [[maria_garcia92@correo.example.com.mx]]
email|written|es|[[maria (arroba) example (punto) es]]
email|spoken|en|It's [[j dot smith at example dot com]].
email|spoken|en|[[j underscore smith at example dot co dot uk]] is mine
email|spoken|en|my email is [[dana dot smith at example dot org]], thank you
email|spoken|en|Reach me on [[d a n a at example dot com]] please
email|spoken|en|It is [[j o h n dot d o e at e x a m p l e dot com]]
email|spoken|en|send it to [[dana dash smith forty two at example dash corp dot com]]
email|spoken|en|email [[sales at acme hyphen test dot io]] for it
email|spoken|en|That's [[dana the at sign example dot com]]
email|spoken|en|[[dana dot smith at symbol example dot com]]
email|spoken|en|it's [[dana, dot, smith, at, example, dot, com]]
email|spoken|en|it is um [[dana dot uh smith at um example dot com]]
email|spoken|en|the address would be [[D as in David dot smith at example dot com]]
email|spoken|en|write to capital [[D dana underscore smith seven seven at gmail dot com]]
email|spoken|en|[[first dot last nineteen eighty four at mail dot example dot net]]
email|spoken|en|contact [[info at example dot com]] for details
email|spoken|en|[[dana smith at example dot com]], all lower case
email|spoken|en|Her email address is [[m period jones at example period com]]
email|spoken|en|you'll find me at [[dana plus news at example dot com]]
email|spoken|de|Meine Adresse ist [[dana punkt müller at beispiel punkt de]]
email|spoken|de|[[dana punkt müller ät example punkt com]]
email|spoken|de|Das ist [[max unterstrich mustermann klammeraffe example punkt de]].
email|spoken|de|also [[m punkt mustermann at example minus firma punkt de]]
email|spoken|de|schreiben Sie an [[max bindestrich mustermann zweiundvierzig at example punkt org]]
email|spoken|de|[[m a x at example punkt de]], alles klein
email|spoken|de|äh [[max punkt äh mustermann at ähm example punkt com]]
email|spoken|de|Die Mail lautet [[info at firma bindestrich beispiel punkt com]]
email|spoken|de|[[M wie Martha punkt Schulz at example punkt net]]
email|spoken|de|[[dana punkt schulz at-zeichen example punkt de]]
email|spoken|fr|Mon adresse c'est [[jean point dupont arobase exemple point fr]]
email|spoken|fr|[[jean tiret pierre point dupont arobase example point com]], merci
email|spoken|fr|écrivez-moi à [[marie tiret du bas martin arobase example point fr]]
email|spoken|fr|c'est [[jean underscore dupont at example point com]]
email|spoken|fr|[[j e a n arobase example point fr]]
email|spoken|fr|mon mail est [[jean point dupont quarante-deux arobase example point org]]
email|spoken|fr|[[contact a commercial exemple point fr]]
email|spoken|fr|euh [[jean point euh dupont arobase euh exemple point fr]]
email|spoken|fr|[[marie point leroy à exemple point fr]] voilà
email|spoken|es|Mi correo es [[maria punto garcia arroba ejemplo punto es]]
email|spoken|es|[[maria guion bajo garcia arroba example punto com]], gracias
email|spoken|es|escribe a [[juan guión perez arroba example punto com punto mx]]
email|spoken|es|es [[j u a n arroba example punto es]]
email|spoken|es|[[juan punto perez noventa y dos arroba gmail punto com]]
email|spoken|es|eh [[juan punto eh perez arroba este example punto com]]
email|spoken|es|mi email es [[maria at example punto com]]
email|spoken|es|[[info arroba empresa guion medio ejemplo punto es]]
email|split|en|You can reach me at [[dana // at example dot com]]
email|split|en|It's [[dana.smith@ // example.com]], okay
email|split|en|It is [[j dot smith // at example // dot com]] // Got it?
email|split|en|my email is [[dana dot. // smith at. // example dot com]].
email|split|en|Mail [[d a n a // at e x a m p l e // dot com]]
email|split|en|so it's [[dana underscore // smith at // example dot org]]
email|split|en|The address is [[dana // dot smith // at // example // dot // com]]
email|split|en|Can you write down [[owen]]? // [[Then dot whitfield, and then at example dot org]].
email|split|de|Schreiben Sie [[lena]] auf? // [[Dann Punkt Berger, und dann at example Punkt de]].
email|split|de|Meine Adresse ist [[dana punkt müller // at beispiel punkt de]]
email|split|de|[[max unterstrich // mustermann klammeraffe // example punkt de]]
email|split|de|schreiben Sie an [[max.mustermann // @example.de]]
email|split|de|Das ist [[m punkt // schulz at // example // punkt com]]
email|split|fr|Mon adresse c'est [[jean point dupont // arobase exemple point fr]]
email|split|fr|[[jean tiret // pierre arobase // example point com]]
email|split|fr|c'est [[jean.dupont@ // example.fr]]
email|split|fr|voilà [[marie point // martin // arobase // exemple // point fr]]
email|split|es|Mi correo es [[maria punto garcia // arroba ejemplo punto es]]
email|split|es|[[juan guion bajo // perez arroba // example punto com]]
email|split|es|es [[maria.garcia@ // example.es]]
email|split|es|apunta [[juan // arroba // example // punto es]]
email|spoken|en|[[D. A. N. A. at example dot com]]
email|spoken|en|it's [[dana dot smith at acme corp dot com]]
email|spoken|en|[[dana dot o'neil at example dot com]]
email|spoken|en|[[dana at e x a m p l e dot c o m]]
email|spoken|en|[[smith dot dana at the at sign example dot com]]
email|spoken|en|[[dana underscore smith at example dotcom]]
email|spoken|en|send it to [[mara dot f i n l a y at brightfield dot example]] please
email|spoken|en|so it's [[b r a d y at example dot org]] as i said
email|spoken|de|[[dana punkt müller at g m x punkt de]]
email|spoken|de|meine adresse ist [[m mueller äffchen example punkt de]]
email|spoken|de|[[dana punkt weber bei example punkt de]]
email|spoken|de|[[weber eins zwei drei at web punkt de]]
email|spoken|de|Also [[w Unterstrich Berger, Berger wie man's spricht, at example dot org]].
email|spoken|fr|[[dana point martin arrobase exemple point fr]]
email|spoken|fr|[[dana trait d'union martin arobase exemple point com]]
email|spoken|fr|C'est [[luc point morel, morel comme ça se prononce, arobase example point fr]].
email|spoken|es|[[dana punto lopez aroba ejemplo punto com]]
email|spoken|es|[[dana subrayado lopez arroba ejemplo punto com punto ar]]
email|written|en|[[dana@exаmple.com]]
email|written|en|[[dana @example.com]]
email|written|de|[[dana.weber @ example.de]]

phone|written|en|My number is [[(202) 555-0142]].
phone|written|en|Call [[202.555.0142]] or [[+1 202 555 0142]].
phone|written|en|It's [[1-800-555-0199]], toll free
phone|written|en|Dial [[555-123-4567 ext. 89]] for support
phone|written|en|UK office [[020 7946 0958]]
phone|written|en|[[+44 (0)20 7946 0958]] is London
phone|written|en|my mobile is [[07700 900123]]
phone|written|en|call [[+44 7700 900 123]]
phone|written|en|In Sydney it is [[02 5550 1234]], mobile [[0491 570 006]]
phone|written|en|[[+61 2 5550 1234]]
phone|written|en|[[+353 20 912 3456]] in Ireland
phone|written|en|our Delhi desk is [[+91 98765 43210]]
phone|written|en|the number is [[98765 43210]]
phone|written|en|fax [[+1-202-555-0142]]
phone|written|en|text me at [[2025550142]]
phone|written|en|[[+65 9123 4567]]
phone|written|en|[[+81 3-1234-5678]] in Tokyo
phone|written|en|[[+55 (11) 91234-5678]]
phone|written|en|[[+52 55 1234 5678]]
phone|written|en|[[+86 138 0013 8000]]
phone|written|en|[[+31 20 123 4567]]
phone|written|en|[[+46 8 465 004 12]]
phone|written|en|area code [[202, 555 0142]]
phone|written|de|Meine Nummer ist [[030 23125 123]].
phone|written|de|Sie erreichen mich unter [[0171 3920012]]
phone|written|de|[[+49 30 23125-123]], danke
phone|written|de|[[+49 (0) 171 39 20 012]]
phone|written|de|Tel. [[089/99998-123]]
phone|written|de|Rufnummer [[0049 40 66969 123]]
phone|written|de|Durchwahl: [[0221 4710-123]]
phone|written|de|in Wien [[+43 1 234 5678]]
phone|written|de|Mein Handy: [[0664 1234567]]
phone|written|de|Zürich [[044 123 45 67]]
phone|written|de|[[+41 44 123 45 67]]
phone|written|de|[[(030) 23125123]]
phone|written|fr|Mon numéro est le [[01 99 00 12 34]].
phone|written|fr|[[06 39 98 12 34]], c'est mon portable
phone|written|fr|appelez le [[+33 1 99 00 12 34]]
phone|written|fr|[[+33 (0)6 39 98 12 34]]
phone|written|fr|[[01.99.00.12.34]]
phone|written|fr|[[0033 1 99 00 12 34]]
phone|written|fr|en Belgique [[+32 2 555 12 12]]
phone|written|fr|[[06-39-98-12-34]]
phone|written|fr|le fixe [[0199001234]]
phone|written|es|Mi número es [[612 34 56 78]].
phone|written|es|llámame al [[+34 612 345 678]]
phone|written|es|[[91 123 45 67]] es la oficina
phone|written|es|mi móvil es [[612345678]]
phone|written|es|teléfono [[0034 91 123 45 67]]
phone|written|es|en México [[+52 55 1234 5678]]
phone|written|es|el [[55 1234 5678]] es mi celular
phone|written|es|[[912 345 678]] en Portugal, mi número
phone|written|es|[[+54 9 11 1234-5678]]
phone|spoken|en|My number is [[two oh two five five five oh one four two]].
phone|spoken|en|it's [[two zero two, five five five, zero one four two]]
phone|spoken|en|call [[plus one two oh two five five five oh one four two]]
phone|spoken|en|[[double five triple zero one two three four]] is my number
phone|spoken|en|[[oh seven seven double oh nine hundred one two three]] is my mobile
phone|spoken|en|[[plus forty-four twenty seventy-nine forty-six oh nine fifty-eight]]
phone|spoken|en|dial [[one eight hundred five five five oh one nine nine]]
phone|spoken|en|it's area code [[two oh two five five five oh one four two]]
phone|spoken|en|[[two oh two dash five five five dash oh one four two]]
phone|spoken|en|[[two oh two um five five five uh oh one four two]]
phone|spoken|en|[[five five five oh one four two extension two three]] is my number at work
phone|spoken|en|reach me on [[202 five five five 0142]]
phone|spoken|en|[[oh two oh seven nine four six oh nine five eight]]
phone|spoken|en|my cell is [[five five five, twelve thirty-four]]
phone|spoken|en|[[seven oh three, five five five, fifty-five twelve]]
phone|spoken|en|[[zero zero four nine three zero two three one two five one two three]]
phone|spoken|en|[[nine eight seven six five four three two one oh]] is my Indian number
phone|spoken|en|my phone number is [[eight hundred five five five four thousand]]
phone|spoken|de|Meine Nummer ist [[null drei null zwei drei eins zwei fünf eins zwei drei]].
phone|spoken|de|[[null eins sieben eins drei neun zwo null null eins zwo]]
phone|spoken|de|[[plus neunundvierzig dreißig dreiundzwanzig zwölf fünf hundertdreiundzwanzig]]
phone|spoken|de|Sie erreichen mich unter [[null hundertfünfzig zweiundzwanzig vierundvierzig sechzehn]]
phone|spoken|de|[[null vier null, sechs sechs neun sechs neun, eins zwei drei]]
phone|spoken|de|[[null eins fünf eins fünfundzwanzig vierunddreißig sechsundsiebzig neunzig]]
phone|spoken|de|[[doppel null vier neun dreimal fünf eins zwei drei vier]] ist die Nummer
phone|spoken|de|[[null acht neun äh neun neun neun neun acht ähm eins zwo drei]]
phone|spoken|de|die Vorwahl ist [[null drei null und dann zwei drei eins zwei fünf eins zwei drei]]
phone|spoken|de|[[null drei null Schrägstrich zwei drei eins zwei fünf Strich eins zwei drei]]
phone|spoken|fr|Mon numéro c'est le [[zéro un quatre-vingt-dix-neuf zéro zéro douze trente-quatre]].
phone|spoken|fr|[[zéro six trente-neuf quatre-vingt-dix-huit douze trente-quatre]]
phone|spoken|fr|[[plus trente-trois six trente-neuf quatre-vingt-dix-huit douze trente-quatre]]
phone|spoken|fr|[[zéro six, soixante et onze, vingt et un, quatre-vingts, soixante-dix-sept]]
phone|spoken|fr|appelez le [[zéro un deux trois quatre cinq six sept huit neuf]]
phone|spoken|fr|[[zéro six euh douze euh trente-quatre cinquante-six soixante-dix-huit]]
phone|spoken|fr|[[double zéro trente-trois un quatre-vingt-dix-neuf zéro zéro douze trente-quatre]]
phone|spoken|fr|[[zéro sept septante-deux nonante huitante-trois vingt-deux]]
phone|spoken|es|Mi número es [[seis uno dos tres cuatro cinco seis siete ocho]].
phone|spoken|es|[[seiscientos doce treinta y cuatro cincuenta y seis setenta y ocho]] es mi móvil
phone|spoken|es|[[seis doce treinta y cuatro cincuenta y seis setenta y ocho]]
phone|spoken|es|[[más treinta y cuatro seis doce treinta y cuatro cincuenta y seis setenta y ocho]]
phone|spoken|es|llámame al [[nueve uno doble uno dos tres cuatro cinco seis]]
phone|spoken|es|[[noventa y uno ciento veintitrés cuarenta y cinco sesenta y siete]] es la oficina
phone|spoken|es|[[cincuenta y cinco doce treinta y cuatro cincuenta y seis setenta y ocho]]
phone|spoken|es|[[cero cero treinta y cuatro seis uno dos tres cuatro cinco seis siete ocho]]
phone|spoken|es|[[seis eh uno dos eh tres cuatro cinco este seis siete ocho]]
phone|split|en|My number is [[two oh two // five five five // oh one four two]].
phone|split|en|My number is [[202 // 555 0142]]. Thanks
phone|split|en|It's [[two oh two. // Five five five. // Oh one four two.]]
phone|split|en|call [[+44 20 // 7946 0958]]
phone|split|en|[[oh seven seven double oh // nine hundred // one two three]]
phone|split|en|call me on [[555 // 0142]]
phone|split|en|You can reach me at area code [[two oh two // five five five // forty // one forty two]]
phone|split|de|Meine Nummer ist [[null drei null // zwei drei eins zwei fünf // eins zwei drei]]
phone|split|de|Sie erreichen mich unter [[0171 // 39 20 // 012]]
phone|split|de|[[plus neunundvierzig // hunderteinundsiebzig // neununddreißig zwanzig null zwölf]]
phone|split|de|[[null eins sieben eins. // Drei neun zwo null. // Null eins zwo.]]
phone|split|fr|Mon numéro c'est le [[zéro six // trente-neuf quatre-vingt-dix-huit // douze trente-quatre]]
phone|split|fr|[[01 99 // 00 12 // 34]], c'est mon numéro
phone|split|fr|appelez le [[zéro un quatre-vingt // dix-neuf zéro zéro // douze trente-quatre]]
phone|split|es|Mi número es [[seis uno dos // tres cuatro cinco // seis siete ocho]]
phone|split|es|apunta mi móvil [[612 // 34 56 // 78]]
phone|split|es|[[seis doce // treinta y cuatro // cincuenta y seis // setenta y ocho]] es mi teléfono
phone|spoken|en|[[two zero two five five five zero one four two]], that's my cell
phone|spoken|en|[[one, eight hundred, five five five, oh one nine nine]]
phone|spoken|en|[[one eight eight eight five five five one two three four]]
phone|spoken|en|[[four four, seven seven double zero, nine double zero, one two three]]
phone|spoken|en|it's [[plus four four two zero, then seven nine four six, zero nine five eight]]
phone|spoken|en|my number is [[2 0 2, 5 5 5, 0 1 4 2]]
phone|spoken|en|the number is [[zero one two one, four nine six, zero five three two]]
phone|spoken|de|[[null eins sieben zwei, drei vier fünf, sechs sieben acht neun]]
phone|spoken|de|[[plus vier neun, eins sieben eins, drei neun zwo null null eins zwo]]
phone|spoken|de|unter der [[null achthundert drei drei null eintausend]]
phone|spoken|de|[[null drei null, dreiundzwanzig, eins, zwo fünf, eins zwo drei]]
phone|spoken|fr|[[zéro huit cents, cent vingt-trois, quatre cent cinquante-six]]
phone|spoken|fr|[[plus trente-trois un quarante-deux soixante-huit cinquante-trois zéro zéro]]
phone|spoken|es|[[nueve uno dos, tres cuatro cinco, seis siete ocho]]
phone|spoken|es|[[más cincuenta y dos, cincuenta y cinco, doce treinta y cuatro, cincuenta y seis setenta y ocho]]

card|written|en|The card is [[4111 1111 1111 1111]], expires 12/27.
card|written|en|card number [[4242-4242-4242-4242]]
card|written|en|[[4242424242424242]]
card|written|en|amex [[3782 822463 10005]]
card|written|en|[[5555.5555.5555.4444]]
card|written|en|[[6011 1111 1111 1117]] is my Discover
card|written|en|it's [[30569309025904]], a Diners card
card|written|en|visa [[4222222222222]]
card|written|de|Meine Kreditkarte ist [[5105 1051 0510 5100]]
card|written|de|Kartennummer: [[4000056655665556]]
card|written|fr|Ma carte est la [[4970 1000 0000 0014]]
card|written|fr|numéro de carte : [[5200-8282-8282-8210]]
card|written|es|Mi tarjeta es [[4548 8120 4940 0004]]
card|written|es|la tarjeta de crédito [[371449635398431]]
card|spoken|en|The card number is [[four one one one one one one one one one one one one one one one]].
card|spoken|en|it's [[four two four two, four two four two, four two four two, four two four two]]
card|spoken|en|[[forty-two forty-two forty-two forty-two forty-two forty-two forty-two forty-two]]
card|spoken|en|[[double five double five double five double five double five double five four four four four]]
card|spoken|en|my amex is [[three seven eight two eight two two four six three one triple zero five]]
card|spoken|en|[[five one oh five, one oh five one, oh five one oh, five one double oh]]
card|spoken|en|visa [[forty-one eleven eleven eleven eleven eleven eleven eleven]]
card|spoken|en|[[4111 dash one one one one dash 1111 dash one one one one]]
card|spoken|de|Die Karte ist [[vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei]]
card|spoken|de|Kreditkartennummer [[fünf eins null fünf, eins null fünf eins, null fünf eins null, fünf eins null null]]
card|spoken|de|[[zweiundvierzig zweiundvierzig zweiundvierzig zweiundvierzig zweiundvierzig zweiundvierzig zweiundvierzig zweiundvierzig]]
card|spoken|de|[[vier eins eins eins, äh, eins eins eins eins, eins eins eins eins, eins eins eins eins]]
card|spoken|fr|Ma carte c'est [[quatre deux quatre deux quatre deux quatre deux quatre deux quatre deux quatre deux quatre deux]]
card|spoken|fr|[[quarante-deux quarante-deux quarante-deux quarante-deux quarante-deux quarante-deux quarante-deux quarante-deux]]
card|spoken|fr|numéro de carte [[cinquante et un zéro cinq dix cinquante et un zéro cinq dix cinquante et un zéro zéro]]
card|spoken|es|Mi tarjeta es [[cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos]]
card|spoken|es|[[cuarenta y dos cuarenta y dos cuarenta y dos cuarenta y dos cuarenta y dos cuarenta y dos cuarenta y dos cuarenta y dos]]
card|spoken|es|el número de tarjeta [[cinco uno cero cinco, uno cero cinco uno, cero cinco uno cero, cinco uno cero cero]]
card|split|en|The card is [[4111 1111 // 1111 1111]].
card|split|en|card number [[four one one one // one one one one // one one one one // one one one one]] // thanks
card|split|en|[[4242. // 4242. // 4242. // 4242.]]
card|split|en|[[four two four two. // Four two four two. // Four two four two. // Four two four two.]]
card|split|de|Meine Karte ist [[vier zwei vier zwei // vier zwei vier zwei // vier zwei vier zwei // vier zwei vier zwei]]
card|split|de|Kartennummer [[5105 1051 // 0510 5100]]
card|split|fr|Ma carte c'est [[quatre deux quatre deux // quatre deux quatre deux // quatre deux quatre deux // quatre deux quatre deux]]
card|split|fr|[[4970 1000 // 0000 0014]]
card|split|es|Mi tarjeta es [[cuatro dos cuatro dos // cuatro dos cuatro dos // cuatro dos cuatro dos // cuatro dos cuatro dos]]
card|split|es|tarjeta [[4548 8120 // 4940 0004]]
card|spoken|en|[[four one one one, then one one one one, one one one one, and one one one one]]
card|spoken|en|it's a Mastercard, [[fifty-five fifty-five fifty-five fifty-five fifty-five fifty-five forty-four forty-four]]
card|spoken|en|[[quadruple four, one two three four, five six seven eight, nine oh one two]] is my card
card|spoken|en|[[four thousand, one two three four, five six seven eight, nine oh one zero]] on the card

iban|written|en|The IBAN is [[GB29 NWBK 6016 1331 9268 19]].
iban|written|en|wire to [[GB29NWBK60161331926819]] please
iban|written|en|[[IE29 AIBK 9311 5212 3456 78]] for Ireland
iban|written|en|[[NL91-ABNA-0417-1643-00]]
iban|written|en|account [[gb29nwbk60161331926819]], sort code later
iban|written|en|[[MT84 MALT 0110 0001 2345 MTLC AST0 01S]]
iban|written|de|Meine IBAN lautet [[DE89 3704 0044 0532 0130 00]].
iban|written|de|[[DE89370400440532013000]] ist das Konto
iban|written|de|[[AT61 1904 3002 3457 3201]]
iban|written|de|bitte auf [[CH93 0076 2011 6238 5295 7]] überweisen
iban|written|fr|Mon IBAN est [[FR14 2004 1010 0505 0001 3M02 606]].
iban|written|fr|[[FR1420041010050500013M02606]]
iban|written|fr|le compte [[BE68 5390 0754 7034]]
iban|written|es|Mi IBAN es [[ES91 2100 0418 4502 0005 1332]].
iban|written|es|[[ES9121000418450200051332]] es la cuenta
iban|written|es|[[PT50 0002 0123 1234 5678 9015 4]]
iban|spoken|en|The IBAN is [[g b two nine n w b k six zero one six one three three one nine two six eight one nine]].
iban|spoken|en|[[G B twenty-nine N W B K sixty sixteen thirteen thirty-one ninety-two sixty-eight nineteen]]
iban|spoken|en|[[d e eight nine three seven oh four double oh four four oh five three two oh one three triple oh]]
iban|spoken|en|it's [[GB two nine NWBK six zero one six one three three one nine two six eight one nine]]
iban|spoken|en|[[golf bravo two nine november whiskey bravo kilo six zero one six one three three one nine two six eight one nine]]
iban|spoken|de|Meine IBAN ist [[d e acht neun drei sieben null vier null null vier vier null fünf drei zwei null eins drei null null null]].
iban|spoken|de|[[DE neunundachtzig siebenunddreißig null vier null null vierundvierzig null fünf zweiunddreißig null eins dreißig null null]]
iban|spoken|de|IBAN [[D E acht neun, drei sieben null vier, null null vier vier, null fünf drei zwo, null eins drei null, null null]]
iban|spoken|de|[[D wie Dora E wie Emil acht neun drei sieben null vier null null vier vier null fünf drei zwei null eins drei null null null]]
iban|spoken|fr|Mon IBAN c'est [[f r un quatre deux zéro zéro quatre un zéro un zéro zéro cinq zéro cinq zéro zéro zéro un trois m zéro deux six zéro six]].
iban|spoken|fr|[[FR quatorze vingt zéro quatre dix dix zéro cinq zéro cinq zéro zéro zéro un trois M zéro deux six zéro six]]
iban|spoken|fr|[[b e soixante-huit cinquante-trois quatre-vingt-dix zéro sept cinq quatre sept zéro trois quatre]]
iban|spoken|es|Mi IBAN es [[e s nueve uno dos uno cero cero cero cuatro uno ocho cuatro cinco cero dos cero cero cero cinco uno tres tres dos]].
iban|spoken|es|[[ES noventa y uno veintiuno cero cero cero cuatro dieciocho cuarenta y cinco cero dos cero cero cero cinco trece treinta y dos]]
iban|split|en|The IBAN is [[GB29 NWBK // 6016 1331 // 9268 19]].
iban|split|en|[[g b two nine // n w b k // six zero one six // one three three one // nine two six eight // one nine]]
iban|split|de|Meine IBAN ist [[DE89 3704 0044 // 0532 0130 00]]
iban|split|de|[[d e acht neun // drei sieben null vier // null null vier vier // null fünf drei zwei // null eins drei null // null null]]
iban|split|fr|Mon IBAN est [[FR14 2004 1010 // 0505 0001 // 3M02 606]]
iban|split|fr|[[b e six huit // cinq trois neuf zéro // zéro sept cinq quatre // sept zéro trois quatre]]
iban|split|es|Mi IBAN es [[ES91 2100 0418 // 4502 0005 1332]]
iban|split|es|[[e s nueve uno // dos uno cero cero // cero cuatro uno ocho // cuatro cinco cero dos // cero cero cero cinco // uno tres tres dos]]
iban|spoken|en|[[G as in golf, B as in bravo, two nine, N W B K, six zero one six, one three three one, nine two six eight, one nine]]
iban|spoken|en|[[G-B-2-9, N-W-B-K, 6-0-1-6, 1-3-3-1, 9-2-6-8, 1-9]]

key|written|en|The API key is [[sk-proj-a8Kd93jfLs02mXq7]].
key|written|en|use [[sk_live_51HxYzAbCdEf12345]]
key|written|en|token [[ghp_16C7e42F292c6912E7710c838347Ae178B4a]]
key|written|en|[[github_pat_11ABCDEFG0abcdefghij_1234567890]] is mine
key|written|en|[[AKIAIOSFODNN7EXAMPLE]]
key|written|en|slack is [[xoxb-123456789012-abcdefGHIJKL]]
key|written|en|[[AIzaSyD-1234567890abcdefghijklmnopqrstu]]
key|written|en|[[glpat-abcDEF123456ghiJKL78]]
key|written|en|[[eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc123_DEF-456]]
key|written|en|Authorization: Bearer [[abc123DEF456ghi789]]
key|written|en|the secret is [[9f86d081884c7d659a2feaa0c55ad015]]
key|written|en|password: [[Tr0ub4dor&3xyz]]
key|written|en|[[-----BEGIN RSA PRIVATE KEY----- MIIEpAIBAAKCAQEA7bq81]]
key|written|en|aws secret access key [[wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY]]
key|written|en|the token is [[Zx81kLm0PwQ7vTt2YbN5sRc4]]
key|written|de|Der API-Schlüssel lautet [[sk-ant-api03-Xy12Zk88Pq]].
key|written|de|Das Passwort ist [[Sommer2024!xY]]
key|written|de|unser Token: [[8f14e45fceea167a5a36dedd4bea2543]]
key|written|de|der Zugangsschlüssel ist [[AKIA1234567890ABCDEF]]
key|written|fr|La clé API est [[sk_test_4eC39HqLyjWDarjtT1zdp7dc]].
key|written|fr|Le mot de passe est [[Soleil-2024-xk9]]
key|written|fr|le jeton [[ghp_abcdefghij0123456789ABCDEFGHIJ456789]]
key|written|fr|la clé secrète : [[8f14e45fceea167a5a36dedd4bea2543]]
key|written|es|La clave de API es [[sk_live_9aBcDeFgHiJkLmNoP1]].
key|written|es|La contraseña es [[Verano2024-zk7]]
key|written|es|el token es [[xoxp-1234567890-abcdef]]
key|written|es|clave secreta [[8f14e45fceea167a5a36dedd4bea2543]]
key|spoken|en|The API key is [[s k underscore live underscore five one h x y z a b c]].
key|spoken|en|[[s k dash proj dash a eight k d nine three j f]]
key|spoken|en|the token is [[g h p underscore one six c seven e four two f]]
key|spoken|en|[[a k i a i o s f o d n n seven e x a m p l e]]
key|spoken|en|my password is [[t r zero u b four d o r three]]
key|spoken|en|the secret is [[nine f eight six d zero eight one eight eight four c]]
key|spoken|en|the key is [[alpha bravo seven seven charlie delta nine two echo]]
key|spoken|en|[[x o x b dash one two three four five six dash a b c d e f]]
key|spoken|en|key is capital [[A three lowercase b seven capital Q nine zero x]]
key|spoken|en|[[github underscore pat underscore one one a b c d e f g]]
key|spoken|en|the bearer token is [[e y j h b g c i o i j]]
key|spoken|de|Der Schlüssel ist [[s k unterstrich live unterstrich fünf eins h x y z]].
key|spoken|de|das Token lautet [[g h p unterstrich eins sechs c sieben e vier zwei f]]
key|spoken|de|Das Passwort ist [[t r null u b vier d o r drei]]
key|spoken|de|der API Key ist [[a acht k d neun drei j f zwei null]]
key|spoken|fr|La clé est [[s k tiret bas live tiret bas cinq un h x y z]].
key|spoken|fr|le jeton c'est [[g h p underscore un six c sept e quatre deux f]]
key|spoken|fr|le mot de passe est [[t r zéro u b quatre d o r trois]]
key|spoken|fr|la clé API c'est [[a huit k d neuf trois j f deux zéro]]
key|spoken|es|La clave es [[s k guion bajo live guion bajo cinco uno h x y z]].
key|spoken|es|el token es [[g h p guion bajo uno seis c siete e cuatro dos f]]
key|spoken|es|la contraseña es [[t r cero u b cuatro d o r tres]]
key|spoken|es|la clave API es [[a ocho k d nueve tres j f dos cero]]
key|split|en|The token is [[ghp_16C7e42F292c6912 // E7710c838347Ae178B4a]].
key|split|en|[[AKIAIOSF // ODNN7EXAMPLE]]
key|split|en|The API key is // [[sk-proj-a8Kd93jf // Ls02mXq7]]
key|split|en|the key is [[s k underscore live // underscore five one h x // y z a b c]]
key|split|en|our secret is [[nine f eight six // d zero eight one // eight eight four c]]
key|split|en|the password is // [[Tr0ub4dor3xyz]]
key|split|de|Der Schlüssel ist [[sk_live_51Hx // YzAbCd12345]]
key|split|de|das Token lautet [[g h p unterstrich eins sechs // c sieben e vier zwei f]]
key|split|de|Das Passwort ist // [[Sommer2024xY]]
key|split|fr|La clé est [[sk_live_51Hx // YzAbCd12345]]
key|split|fr|le jeton c'est [[g h p underscore un six // c sept e quatre deux f]]
key|split|es|La clave es [[sk_live_51Hx // YzAbCd12345]]
key|split|es|el token es [[g h p guion bajo uno seis // c siete e cuatro dos f]]
key|spoken|en|the secret key is [[S K underscore test underscore capital A lower case b nine seven X]]
key|spoken|en|token [[ghp underscore a b c one two three d e f]]
key|spoken|en|the api key starts with [[A K I A five six seven J K L M N O P]]
key|spoken|en|[[x o x p dash one two three dash four five six dash a b c]]
key|spoken|en|bearer [[e y J h b G c i O i J I U z I one N i]]
key|written|en|curl -H "Authorization: Bearer [[eyJhbGciOi.eyJzdWIi.SflKxwRJ]]"
key|written|en|OPENAI_API_KEY=[[sk-1234567890abcdef1234567890abcdef]]
key|written|en|[[-----BEGIN OPENSSH PRIVATE KEY-----]]
key|written|en|the client secret: "[[Q~8xYz.AbC_dEf-1234567890abcdefgh]]"
key|written|en|password [[correct-horse-7-battery]]
key|written|en|token=[[0123456789abcdef0123456789abcdef]]

link|written|en|Join [[https://zoom.us/j/98765432101?pwd=aBcD1234]].
link|written|en|[[zoom.us/j/98765432101]]
link|written|en|[[https://us02web.zoom.us/j/98765432101?pwd=QWxhZGRpbjpvcGVu]], ok
link|written|en|[[meet.google.com/abc-defg-hij]]
link|written|en|[[https://teams.microsoft.com/l/meetup-join/19%3ameeting_abc123%40thread.v2/0?context=%7b%22Tid%22%7d]]
link|written|en|[[https://example.webex.com/example/j.php?MTID=m1234567890abcdef]]
link|written|en|[[https://global.gotomeeting.com/join/123456789]]
link|written|en|[[whereby.com/dana-room-42]]
link|written|en|meeting ID [[123 4567 8901]]
link|written|en|passcode: [[482913]]
link|written|en|Meeting ID: [[987 6543 2101]], passcode [[aB3xY9]].
link|written|en|dial in and use PIN [[482913#]]
link|written|en|the access code is [[1234567#]]
link|written|en|the conference code is [[7654321]]
link|written|en|[[https://teams.live.com/meet/9312345678901?p=AbCdEf]]
link|written|de|Hier der Link: [[https://zoom.us/j/98765432101?pwd=aBcD1234]]
link|written|de|Die Meeting-ID ist [[123 4567 8901]], der Kenncode [[482913]]
link|written|de|Einwahl-PIN: [[482913]]
link|written|de|Besprechungs-ID: [[234 567 890 12]]
link|written|de|Zugangscode [[99887766]]
link|written|de|[[https://meet.google.com/abc-defg-hij]] bitte
link|written|fr|Voici le lien [[https://zoom.us/j/98765432101?pwd=aBcD1234]]
link|written|fr|L'ID de réunion est [[123 4567 8901]]
link|written|fr|code d'accès : [[482913]]
link|written|fr|code secret [[4829]]
link|written|fr|[[meet.google.com/abc-defg-hij]], merci
link|written|es|El enlace es [[https://zoom.us/j/98765432101?pwd=aBcD1234]]
link|written|es|El ID de reunión es [[123 4567 8901]]
link|written|es|código de acceso: [[482913]]
link|written|es|[[meet.google.com/abc-defg-hij]], gracias
link|written|es|el PIN es [[4829]]
link|spoken|en|Go to [[zoom dot us slash j slash nine eight seven six five four three two one oh one]].
link|spoken|en|[[meet dot google dot com slash a b c dash d e f g dash h i j]]
link|spoken|en|[[meet dot google dot com slash abc dash defg dash hij]]
link|spoken|en|the meeting ID is [[nine eight seven six five four three two one oh one]]
link|spoken|en|passcode [[four eight two nine one three]]
link|spoken|en|[[zoom dot us slash j slash 98765432101 question mark pwd equals a b c d one two]]
link|spoken|en|[[whereby dot com slash dana dash room]]
link|spoken|en|[[https colon slash slash zoom dot us slash j slash nine eight seven six five four three two one]]
link|spoken|en|the pin is [[four eight two nine]]
link|spoken|en|[[teams dot microsoft dot com slash l slash meetup dash join slash one nine a b c]]
link|spoken|en|[[acme dot webex dot com slash meet slash dana]]
link|spoken|en|[[gotomeeting dot com slash join slash one two three four five six seven eight nine]]
link|spoken|en|the access code is [[one two three four five six seven pound]]
link|spoken|de|Gehen Sie auf [[zoom punkt us schrägstrich j schrägstrich neun acht sieben sechs fünf vier drei zwei eins]].
link|spoken|de|Die Meeting-ID ist [[neun acht sieben sechs fünf vier drei zwei eins null eins]]
link|spoken|de|Kenncode [[vier acht zwei neun eins drei]]
link|spoken|de|[[meet punkt google punkt com slash a b c strich d e f g strich h i j]]
link|spoken|de|die PIN lautet [[achtundvierzig neunundzwanzig]]
link|spoken|fr|Allez sur [[zoom point us slash j slash neuf huit sept six cinq quatre trois deux un]].
link|spoken|fr|L'identifiant de la réunion est [[neuf huit sept six cinq quatre trois deux un zéro un]]
link|spoken|fr|le code d'accès est [[quarante-huit vingt-neuf treize]]
link|spoken|fr|[[meet point google point com barre oblique a b c tiret d e f g tiret h i j]]
link|spoken|es|Entra en [[zoom punto us barra jota barra nueve ocho siete seis cinco cuatro tres dos uno]].
link|spoken|es|El ID de la reunión es [[nueve ocho siete seis cinco cuatro tres dos uno cero uno]]
link|spoken|es|el código de acceso es [[cuarenta y ocho veintinueve trece]]
link|spoken|es|[[meet punto google punto com barra a b c guion d e f g guion h i j]]
link|split|en|Join [[zoom.us/j/ // 98765432101]]
link|split|en|[[zoom dot us // slash j slash // nine eight seven six // five four three two one]]
link|split|en|The meeting ID is [[123 // 4567 // 8901]]
link|split|en|[[meet.google.com/abc- // defg-hij]]
link|split|en|The meeting ID is // [[nine eight seven // six five four // three two one]]
link|split|en|[[https://zoom.us/j/98765432101 // ?pwd=aBcD1234]]
link|split|en|the passcode is // [[4829 // 13]]
link|split|de|Die Meeting-ID ist [[neun acht sieben // sechs fünf vier // drei zwei eins]]
link|split|de|[[zoom punkt us // schrägstrich j schrägstrich // neun acht sieben sechs fünf]]
link|split|de|Kenncode // [[482 // 913]]
link|split|fr|L'ID de réunion est [[123 // 4567 // 8901]]
link|split|fr|[[zoom point us // slash j slash // neuf huit sept six cinq]]
link|split|es|El ID de reunión es [[123 // 4567 // 8901]]
link|split|es|[[zoom punto us // barra jota barra // nueve ocho siete seis cinco]]
link|written|en|[[https://meet.google.com/abc-defg-hij?authuser=0]]
link|written|en|[[https://teams.microsoft.com/l/meetup-join/19:meeting_ABC@thread.v2/0]]
link|written|en|[[https://acme.zoom.us/my/dana.room?pwd=abc123]]
link|written|en|[[https://acme.webex.com/join/dsmith]]
link|written|en|Dial-in +1 202 555 0142, PIN: [[123 456 789#]]
link|written|en|Meeting number: [[2345 678 9012]], password [[Xy7pq9]]
link|written|en|Webex meeting number (access code): [[2345 678 9012]]
link|written|en|[[gotomeet.me/danasmith]]
link|written|en|Your personal meeting ID is [[345-678-9012]]
link|spoken|en|[[meet dot google dot com forward slash abc hyphen defg hyphen hij]]
link|spoken|en|the zoom meeting number is [[eight four five, six seven eight, nine oh one two]]
link|spoken|en|the host key is [[one two three four five six]]
link|spoken|en|pass code is [[four nine two seven]], okay
link|spoken|de|Meeting-Nummer [[acht vier fünf, sechs sieben acht, neun null eins zwei]]
link|spoken|de|der Kenncode lautet [[a b c eins zwei drei]]
link|spoken|fr|numéro de réunion [[huit quatre cinq six sept huit neuf zéro un deux]]
link|spoken|fr|mot de passe de la réunion [[quatre neuf deux sept]]
link|spoken|es|número de reunión [[ocho cuatro cinco seis siete ocho nueve cero uno dos]]
link|split|en|The passcode // is // [[four eight // two nine]]
link|split|en|[[https://zoom.us/j/987 // 65432101?pwd=aBcD1234]]
link|split|en|[[https://meet.google.com/ // abc-defg-hij]]
"""
