"""Values told in the ways that people have for them, by kind and language, and lines that only look so.

Each line is ``kind|text``; sentences are parted by ``//``, and what must go stands in brackets.
"""

# ruff: noqa: E501 - a line is one monologue
from __future__ import annotations

MASKED = r"""
email|Okay the mailbox is just [info]. // At sign. // And then [blue heron dash travel dot test].
email|[kestrel], like the bird. // [underscore forty one], as digits. // [at example dot org].
email|First initial [j]. // Last name [abernathy], that's [a b e r n a t h y]. // All of it [at example dot net].
email|So [support plus], the plus sign. // Then [tickets]. // [At quillworks dot example].
email|The domain first, that's [harrow dot test]. // And I'm [lindsey dot t] on there.
email|You write [p dot], P as in Peter. // [nakamura]. // [At example], and then [dot net].
email|My address, hm. // [r o w e n]. // [dot hale at example dot com].
email|Try [desk two], the numeral. // Yeah. // [At example dot org].
email|Email's a mouthful. [bartholomew]. // [hyphen quist]. // [At example dot com].
email|Left of the at, [n.farrow]. // Right of it, [dunmere.test].
email|[olive dot], like the fruit. // Then [tanner], double n. // Then the usual, [example dot com].
email|Also der Nachname zuerst, [brandl]. // Dann [punkt vroni]. // [at example punkt com].
email|Nur [info]. // Klammeraffe. // Und dann [bergquell minus hotel punkt test].
email|[kranich], wie der Vogel. // [unterstrich einundvierzig], als Ziffern. // [ät example punkt org].
email|Das ist [moritz], und jetzt [bindestrich]. // [haas] mit zwei a. // [at example punkt com].
email|Die Domain zuerst, [fichtel punkt test]. // Und davor [a punkt wendt].
email|Bei uns enden alle auf [at lindenhof punkt example]. // Ich bin [petra punkt k].
email|[rechnung]. // [at]. // [moosbach strich bau punkt example].
email|Sie nehmen [t wie Theodor], Punkt. // Dann [yilmaz], Ypsilon am Anfang. // Dahinter [at example punkt de].
email|Die Mail? Puh, [wolfram zwo], die Zwei als Zahl. // Dann [at example punkt org].
email|[annika], zwei n, ein k. // [punkt roth], mit t h. // Dann das Übliche, [at example punkt com].
email|Schreib [empfang]. // Nein, [empfang minus sued]. // [Klammeraffe example punkt net].
email|Links vom At kommt [d.reiter]. // Rechts [seegasthof.test].
email|Mein Kürzel, [hgm]. // Und dann [at birkenau punkt example].
email|[l e o n i e]. // [punkt abt]. // [at example], und [punkt com].
email|Alors juste [contact]. // Arobase. // Et puis [bois tiret clair point test].
email|[mésange], comme l'oiseau. // [tiret bas quarante et un], en chiffres. // [arobase example point org].
email|L'initiale, [g]. // Le nom, [leclercq], avec c q. // Le tout [arobase example point net].
email|Le domaine d'abord, [hautbois point test]. // Et devant, [m point giraud].
email|Chez nous tout finit en [arobase tilleuls point example]. // Moi c'est [patricia point v].
email|Vous mettez [facturation]. // [at]. // [mas tiret bleu point example].
email|Le mail ? Oh là, [gaëtan deux], le chiffre. // Et [arobase example point org].
email|[hélène], h au début. // [point roy], r o y. // Et après c'est classique, [arobase example point com].
email|Écrivez [accueil]. // Non, [accueil tiret sud]. // [Arobase example point net].
email|À gauche de l'arobase, [d.morin]. // À droite, [rochefer.test].
email|Mes initiales, [jfb]. // Puis [arobase garrigue point example].
email|[l u c i e]. // [point aubry]. // [arobase example], et [point com].
email|Tout collé, [jeanmarc]. // Ensuite [soixante-deux]. // Et on finit par [arobase example point fr].
email|Nomás [contacto]. // Arroba. // Y luego [bosque guion claro punto test].
email|[jilguero], como el pájaro. // [guion bajo cuarenta y uno], en números. // [arroba example punto org].
email|La inicial, [g]. // El apellido, [echeverría], con hache no, con ch. // Todo [arroba example punto net].
email|Es [sole], de Soledad. // [punto urrutia]. // [arroba example punto com].
email|El dominio primero, [olivar punto test]. // Y delante [m punto giralt].
email|Aquí todos somos [arroba encinas punto example]. // Yo soy [patricia punto v].
email|Ponga [facturas]. // [arroba]. // [mar guion azul punto example].
email|¿El correo? Uf, [gonzalo dos], el número. // Y [arroba example punto org].
email|[elena], sin hache. // [punto rey], r e y. // Y lo demás, [arroba example punto com].
email|Escriba [recepcion]. // No, [recepcion guion sur]. // [Arroba example punto net].
email|A la izquierda de la arroba, [d.marin]. // A la derecha, [rocafuerte.test].
email|Mis iniciales, [jfb]. // Y [arroba dehesa punto example].
email|[l u c i a]. // [punto abril]. // [arroba example], y [punto com].
email|J'épelle le début, [P, E, R, R, I, N]. // Après l'arobase, [groupe]. // Et à la fin [point volnay point example].
email|Te deletreo la primera parte, [R O J A S]. // Tras la arroba va [grupo]. // Y al final [punto acme punto example].
email|Vor dem at haben wir [K Punkt S-T-E-I-N-E-R]. // Danach [K-R-A-N-I-C-H Strich Labs Punkt example], ganz normal.
email|Before the at sign, [r dot hale]. // After it comes [q-u-i-l-l-w-o-r-k-s dash labs dot example].
email|Écrivez-moi sur [lucie point garnier]. // Après le petit a, vous mettez [solange-conseil.example].
email|Unser Kollege hat [baumann Punkt // tobias at muenchen. // Dann Punkt brenner Bindestrich technik Punkt example].
email|Write to [jana underscore lorenz at sales. // Then dot quarry dot example].
email|Escriba a [jana guion bajo lorenzo arroba ventas. // Luego punto cantera punto example].
email|Meine Mail ist [petra Punkt]. // Dann [kessler]. // Und das Ganze [at maschinenbau-vogt.example.com].
email|It's on the contract, [k-o-f-i dot brooks at // let me check // yeah lumenworks dot example].
email|Die Einladung ging an [kessler dot heike ät sonnfeld dot example], also [k wie kaufmann e wie emil s wie samuel s wie samuel].
email|Invitez [julien point morin, arobase example point net], ça s'écrit [J comme Joseph, U comme Ursule, L comme Louis].
email|Pues a [rojas punto rocio arroba brisa punto example], se escribe [R de Ramón, O de Oviedo, J como José].
email|Send it to [orla dot finch at example dot org], that's [o for oscar, r for romeo, l for lima].
email|La mandan a [valeriaquiroga ochenta y siete a ver arroba norteverde punto example].
email|Meine Mail ist [thofmann at Moment b e r g w e r k Strich media Punkt example].
email|Avant l'arobase c'est [n point giraud]. // Et après, [c o b a l t tiret labs point example].
email|C'est [claire point morel arobase // attendez // oui garonne point example].
email|The domain is [b-l-u-e-f-i-n dash l-a-b-s dot example]. // And before the at, [h dot stone].
email|It's [dee, D double E, dot parr at example dot com].
email|Just [hq at], hang on, [north ridge dot test].
email|Yeah, [mo at example], not dot com, [dot net].
email|That'd be [t underscore b as in boy underscore one at example dot org].
email|Das ist [Jörg mit oe Punkt Stahl ät example Punkt com].
email|Ja, [Kontakt at, wie heißen die noch, Waldblick Minus Apotheke Punkt test].
email|[max Unterstrich M wie Martha Unterstrich drei at example Punkt net].
email|Das wäre [h Punkt], und dann ausgeschrieben [siebert at example Punkt org].
email|[info ät], alles zusammen, [steinbruch nord Punkt example].
email|Äh, [lisa klein geschrieben neunzehn neunzig at example Punkt com].
email|Also [Vertrieb Schrägstrich], nein, [vertrieb Bindestrich eins Klammeraffe example Punkt de].
email|Meine ist [c h r i s, dann ein Punkt, dann wolf, at example Punkt net].
email|C'est [zoé z o e tiret marin arobase example point com].
email|Alors [j point b point, puis fournier, arobase example point org].
email|[resa arobase], je vous épelle, [l a g r a n g e point test].
email|Ben c'est [clem cinquante-six, en chiffres, arobase example point fr].
email|Es [ene a erre a, nara, guion bajo paz arroba example punto com].
email|Pues [j punto b punto, y luego fuentes, arroba example punto org].
email|[reservas arroba], se lo deletreo, [l a p l a z a punto test].
email|Sería [clem cincuenta y seis, en cifras, arroba example punto mx].
email|Ja, [info at tischlerei haas, mit Doppel-a, Punkt test].
email|[Klara Punkt Voss, Klammeraffe, also dieses a mit Kringel, example Punkt com].
email|Das ist [z Minus demir], z wie Zacharias, [at example Punkt com].
email|Vorname Punkt Nachname, also [petra Punkt klein at example Punkt net].
email|[Müller mit u e Punkt Bernd at example Punkt com].
email|Sie schreiben [ueli Punkt, dann der Nachname, ammann, at example Punkt org].
email|[sandra ät], einen Moment, [nordwind Minus reisen Punkt test].
email|[Sekretariat, groß oder klein ist egal, at gymnasium see Punkt example].
email|E-Mail wäre [v wie Viktor, Punkt, lang at example Punkt com].
email|Isch [beat, b e a t, Punkt], [frei at example Punkt net].
email|Das geht an [personal, Unterstrich, wien, at example Punkt org].
email|[kontakt at kfz Bindestrich müller, mit u e, Punkt test], bitte.
email|Nummer hab ich nicht, aber [timo zwei tausend zwölf at example Punkt com].
email|[annelie mit i e am Ende at example Punkt com].
email|Na, [o Punkt], dann [brien ohne Apostroph, at example Punkt com].
email|[sean, the Irish way, s e a n, dot burke at example dot com].
email|C'est [info arobase menuiserie haas, deux a, point test].
email|[claire point vasseur, arobase, le a avec la boucle, example point com].
email|Prénom point nom, donc [petra point petit arobase example point net].
email|[sandra arobase], un instant, [vent du nord tiret voyages point test].
email|[secrétariat, majuscule ou minuscule peu importe, arobase lycée du lac point example].
email|[personnel, tiret du huit, lyon, arobase example point org].
email|[anne tiret sophie, sans e, enfin si, arobase example point com].
email|Es [info arroba carpinteria haas, con dos aes, punto test].
email|[clara punto vega, arroba, la a con rabito, example punto com].
email|Nombre punto apellido, o sea [petra punto chico arroba example punto net].
email|[sandra arroba], un momentito, [viento norte guion viajes punto test].
email|[secretaria, da igual mayúscula o minúscula, arroba instituto del lago punto example].
email|[personal, guion de abajo, lima, arroba example punto org].
email|[ana sofia, todo junto y con efe, arroba example punto com].
email|Bon alors [h point], comme Hubert. // Puis [delattre], deux t. // Ensuite l'arobase. // [example point com].
email|Mon adresse commence par [lea]. // Sans accent. // Et c'est [arobase example point com].
email|Vous avez [prof], comme professeur. // [tiret du six dubois]. // [arobase example point net].
email|Le nom, [vasseur]. // Le prénom derrière, avec un point, [point agathe]. // [Arobase example point com].
email|Le début [j tiret m], c'est Jean-Michel. // [tiret leroy]. // La fin [arobase example point fr].
email|Alors [k, e, v, i, n]. // [Zéro huit]. // [arobase example point com].
email|It begins [grace]. // A dot. // [holloway]. // [At example dot com].
email|Erst [jana]. // Ein Punkt. // [bergmann]. // [At example punkt com].
email|Primero [chloe]. // Un punto. // [beltran]. // [Arroba example punto com].
link|It's on video.example.net, slash. // Then [standup dash emea], all small. // Password's [lantern], then a [nine].
link|Open conf.example.com/my. // Slash [harriet dot b]. // And the host key is [30 11 87].
link|The room code's [blue]. // Dash [otter]. // Dash [forty two].
link|Go to live dot example dot org. // Slash e slash [spring launch]. // Question mark code equals, [t seven, r two].
link|Link's https://webinar.example.org/w/. // Followed by [kt7Rm2]. // Then [xQ9].
link|Dial-in then. // Conference number's [44 19]. // Hash. // PIN [7 7 0 2], hash.
link|Join on meet.example.com. // Use [harbor], dash, [lamp]. // And the waiting room code, [zero four four one].
link|Meeting's on room.example.test. // Type [q r s]. // Then [four one]. // Then [t u v].
link|Access code's [three three]. // [Double nine]. // [Oh one], then press pound.
link|It starts https://call.example.org/join?room=. // Then [opal77]. // And ampersand key equals [zz19Pq].
link|Teams wants an ID, [234 118]. // [909 55]. // And then a passcode, [Rt6kQv].
link|We're in the usual room, slash [garnet]. // On rooms.example.com. // PIN's [8841].
link|Das liegt auf video.example.net, Schrägstrich. // Dann [jour strich fixe], alles klein. // Kennwort ist [laterne], dann eine [neun].
link|Öffnen Sie conf.example.com/my. // Schrägstrich [sabine Punkt b]. // Und der Host-Key ist [30 11 87].
link|Der Raumcode ist [blau]. // Strich [otter]. // Strich [zweiundvierzig].
link|Gehen Sie auf live Punkt example Punkt org. // Slash e Slash [fruehjahr]. // Fragezeichen code gleich, [t sieben, r zwei].
link|Der Link ist https://webinar.example.org/w/. // Danach [kt7Rm2]. // Dann [xQ9].
link|Zur Einwahl. // Konferenznummer ist [44 19]. // Raute. // PIN [7 7 0 2], Raute.
link|Rein geht's über meet.example.com. // Nehmen Sie [hafen], Strich, [lampe]. // Und der Code vom Warteraum, [null vier vier eins].
link|Teams will eine ID, [234 118]. // [909 55]. // Und dann einen Kenncode, [Rt6kQv].
link|Wir sind im üblichen Raum, Slash [granat]. // Auf rooms.example.com. // PIN ist [8841].
link|Fängt an mit https://call.example.org/join?room=. // Dann [opal77]. // Und kaufmännisches Und, key gleich [zz19Pq].
link|C'est sur video.example.net, slash. // Ensuite [point tiret hebdo], tout en minuscules. // Mot de passe, [lanterne], puis un [neuf].
link|Ouvrez conf.example.com/my. // Barre [solene point b]. // Et la clé d'hôte, c'est [30 11 87].
link|Le code de la salle, c'est [bleu]. // Tiret [loutre]. // Tiret [quarante-deux].
link|Allez sur live point example point org. // Slash e slash [printemps]. // Point d'interrogation code égal, [t sept, r deux].
link|Le lien, c'est https://webinar.example.org/w/. // Suivi de [kt7Rm2]. // Puis [xQ9].
link|Par téléphone alors. // Numéro de conférence, [44 19]. // Dièse. // PIN [7 7 0 2], dièse.
link|Teams demande un ID, [234 118]. // [909 55]. // Et puis un code secret, [Rt6kQv].
link|Ça démarre par https://call.example.org/join?room=. // Puis [opale77]. // Et esperluette key égal [zz19Pq].
link|Está en video.example.net, barra. // Luego [reunion guion semanal], todo en minúsculas. // La contraseña, [linterna], y luego un [nueve].
link|Abra conf.example.com/my. // Barra [sole punto b]. // Y la clave de anfitrión es [30 11 87].
link|El código de la sala es [azul]. // Guion [nutria]. // Guion [cuarenta y dos].
link|Vaya a live punto example punto org. // Barra e barra [primavera]. // Signo de interrogación code igual, [te siete, erre dos].
link|El enlace es https://webinar.example.org/w/. // Seguido de [kt7Rm2]. // Luego [xQ9].
link|Por teléfono entonces. // Número de conferencia, [44 19]. // Almohadilla. // PIN [7 7 0 2], almohadilla.
link|Teams pide un ID, [234 118]. // [909 55]. // Y luego un código, [Rt6kQv].
link|Empieza por https://call.example.org/join?room=. // Luego [opalo77]. // Y ampersand key igual [zz19Pq].
link|The meet code, m as in mike, [k w t]. // Then a dash and [p l o v]. // Dash, [s e n].
link|Der Meet-Code, [m wie Martha, k, w]. // Dann ein Strich und [p l o v]. // Strich, [s e n].
link|Le code Meet, [m comme Marcel, k, w]. // Puis un tiret et [p l o v]. // Tiret, [s e n].
link|El código de Meet, [eme, ka, uve doble]. // Luego un guion y [pe, ele, o, uve]. // Guion, [ese, e, ene].
phone|My number, sorry, the old one's dead. // New one's [oh seven seven], then [double oh]. // [Nine hundred]. // [Four six one].
phone|Call the office, so [two one two]. // Five five five, no, sorry. // [Five five six]. // [Oh one oh nine].
phone|It's [six one seven], [five five five]. // And [twenty-two eleven].
phone|Try [312]. // Then it's [555]. // [0199], extension [44].
phone|His cell, let me scroll. // [415 555]. // [01 and then 27].
phone|The last four are [0173]. // The rest is [206 555].
phone|Zero [four one], that's the mobile prefix. // [Triple five]. // [Oh one two].
phone|Die Nummer, warten Sie. // [Null eins sieben eins]. // Dann [drei neun zwo], nee, [drei neun drei]. // [Null null fünf].
phone|Also Wien, [null eins]. // [fünf fünf fünf]. // Und dann [zwölf vierunddreißig].
phone|Plus [neunundvierzig], dann ohne Null, [eins sieben eins]. // [neununddreißig zwanzig]. // [null sechs sieben].
phone|Die letzten vier sind [0173]. // Davor [030 231].
phone|Ich buchstabiere quasi. // [Null, eins, sieben]. // [Eins, drei, neun]. // [Zwei, null, null, acht].
phone|Alors zéro [six, trente-neuf], non, [trente-huit]. // [Quatre-vingt-dix]. // [Zéro un, vingt-deux].
phone|Le standard, c'est [01 99]. // Attendez. // [00 14], et [07] pour finir.
phone|Plus [trente-trois], sans le zéro, [six]. // [trente-neuf, quatre-vingt-dix-huit]. // [zéro quatre, douze].
phone|Les quatre derniers, c'est [26 51]. // Et avant, [06 39 98].
phone|Le fixe de l'atelier. // [Zéro un]. // [Quatre-vingt-dix-neuf, double zéro]. // [Douze, trente].
phone|Mi número nuevo. // [Seis, doce]. // [Treinta y cuatro, cinco]. // [Cero siete ocho].
phone|Marque [nueve uno uno]. // [Cinco cinco cinco], no, perdón. // [Cero nueve tres].
phone|Más [treinta y cuatro], luego [seis cinco cinco]. // [Quinientos]. // [Uno tres nueve].
phone|Arranca con [cincuenta y cinco]. // [Cincuenta y cinco, cincuenta y cinco]. // [Cero uno, veintisiete].
phone|Es de Bogotá, [trescientos]. // [Cinco cinco cinco]. // [Cero uno cuatro dos].
card|The card, okay. // [Four five three nine], then [one four eight eight]. // [Oh three four three]. // [Six four six seven].
card|Visa ending [1881]. // Starts [4012 8888]. // Middle's [8888].
card|[Fifty-one oh five]. // [Ten fifty-one]. // [Oh five ten]. // [Fifty-one hundred].
card|It's [thirty-seven eighty-two]. // [Eighty-two twenty-four]. // [Sixty-three, one double oh oh five].
card|Die Karte. // [Vierundfünfzig fünfundzwanzig]. // [Dreiundzwanzig vierunddreißig]. // [Dreißig zehn]. // [Neunundneunzig null drei].
card|Hinten [1881]. // Vorne [4012 8888]. // Dazwischen [8888].
card|Auf der Karte steht [vier eins eins eins]. // [eins eins eins eins], zweimal. // Und [eins eins eins eins].
card|La carte. // [Cinquante-quatre vingt-cinq]. // [Vingt-trois trente-quatre]. // [Trente dix]. // [Quatre-vingt-dix-neuf zéro trois].
card|Les derniers, [1881]. // Les premiers, [4012 8888]. // Et au milieu, [8888].
card|[Cinq mille cent cinq], enfin [cinquante et un, zéro cinq]. // [Dix, cinquante et un]. // [Zéro cinq, dix]. // [Cinquante et un, zéro zéro].
card|La tarjeta. // [Cincuenta y cuatro veinticinco]. // [Veintitrés treinta y cuatro]. // [Treinta diez]. // [Noventa y nueve cero tres].
card|Las últimas, [1881]. // Las primeras, [4012 8888]. // Y en medio [8888].
card|Pues [cuarenta doce, ochenta y ocho ochenta y ocho, ochenta y ocho ochenta y ocho, dieciocho ochenta y uno], la Visa.
card|Yeah it's [fifty-four twenty-five, twenty-three thirty-four, thirty ten, ninety-nine oh three].
card|Das ist die [vierundfünfzig fünfundzwanzig, dreiundzwanzig vierunddreißig, dreißig zehn, neunundneunzig null drei].
key|Okay so [s k dash]. // [capital P, four, r, nine]. // [w, w, zero]. // And that's all of it.
key|First five, [Q7X2M]. // Next five, [K90TR]. // Last five, [ZB4WL].
key|The secret, brace yourself. // [x nine k]. // Underscore. // [t four four]. // [m zero].
key|Starts [whsec], underscore. // [4rT9]. // [kLm02P].
key|The line reads [AIza]. // [Sy0B7q]. // [kT4Lw9Z].
key|Die ersten fünf, [Q7X2M]. // Die nächsten, [K90TR]. // Und [ZB4WL].
key|Das Geheimnis, halten Sie sich fest. // [x neun k]. // Unterstrich. // [t vier vier]. // [m null].
key|Also [pk Unterstrich live]. // Dann [4rT9x]. // Und dann noch [kLm02P].
key|Kleines [x], große [Sieben Q]. // [neun neun w]. // [T null drei].
key|Les cinq premiers, [Q7X2M]. // Les suivants, [K90TR]. // Et [ZB4WL].
key|Le secret, accrochez-vous. // [x neuf k]. // Tiret bas. // [t quatre quatre]. // [m zéro].
key|[glpat], tiret. // [4rT9x]. // [kLm02P], fin.
key|Los cinco primeros, [Q7X2M]. // Los siguientes, [K90TR]. // Y [ZB4WL].
key|El secreto, agárrese. // [equis nueve ka]. // Guion bajo. // [te cuatro cuatro]. // [eme cero].
key|[ghp], guion bajo. // [4rT9x]. // [kLm02P], y fin.
key|It's [tango, four, four, x-ray, zulu, nine, zero, bravo].
key|Goes [r as in red, seven, seven, q as in queen, zero, y as in yellow, two].
key|Pues [erre de Roma, siete, cu de queso, cero, i griega, dos, dos].
key|It's [capital k, two, two, lowercase v, plus sign, nine, slash, r, equals].
iban|It's [D E eight nine, thirty-seven oh four, double oh four four, oh five thirty-two, oh one thirty, double oh].
iban|So [G B twenty-nine, N W B K, sixty sixteen, thirteen thirty-one, ninety-two sixty-eight, nineteen].
iban|Alors [F R quatorze, vingt zéro quatre un, zéro un zéro cinq, zéro cinq zéro zéro, zéro un trois M zéro deux, six zéro six].
iban|C'est [B E soixante-huit, cinq trois neuf zéro, zéro sept cinq quatre, sept zéro trois quatre].
iban|Yes, [Italy Tango six zero, X-ray, zero five four two, eight one one one, zero one zero zero, zero zero zero one, two three four five six].
iban|[ES91], that's Spain. // [2100 0418]. // [4502], [0005]. // [1332].
phone|ich hab [0171 3920045] probiert, keiner da
phone|die [0664 5551234] ging gestern nicht
phone|[030 / 231 25 806] bitte
phone|Tel.: [(030) 23125-806]
phone|Sie kriegen mich über [+49 (0)171 3920045], meistens.
phone|Wien ist [01 / 555 12 34].
phone|auf der [0171/3920067] war besetzt
phone|Zürich, [044 555 01 84], Frau Keller
phone|der Kollege hat die [030 23125806] im Display
phone|steht unten in der Signatur, [0049 30 23125 806]
phone|Meine Durchwahl ist [-806], die Zentrale [030 23125-0].
phone|llamé al [55 1234 0171] ayer y nada
phone|es el [612 34 50 78] de siempre
phone|marqué [911 555 093] dos veces
phone|[600 555 093] o por WhatsApp
phone|el de Bogotá es [300 555 0142]
phone|me marcaron del [81 5550 1234]
phone|Tfno. [+34 612-345-078]
phone|su fijo, [91 555 00 93]
phone|en la firma pone [0034 655 500 139]
phone|j'ai essayé le [06.39.98.26.51] hier soir
phone|au [01 99 00 35 82] y a personne
phone|she picked up on [(415) 555-0127] at last
phone|ring [020 7946 0958] or [07700 900 123]
phone|i got a text from [617 555 0132] saying yes
phone|Tel +41 [44 555 01 84]
phone|One-tap: [+1 646 555 0188],,[98286509104]#,,,,*[420285]#
key|The curl line has [-H "x-api-key: 7f8d9a0b1c2d3e4f"] in it
key|set OPENAI_API_KEY=[sk-abcDEF123456ghiJKL7890] and rerun
key|it's in the env file, DB_PASS=[h7!kLm2$Qz]
key|the license is [ABCD-1234-EFGH-5678]
key|connection string postgres://app:[s3cretPw]@db.example.test/app
key|das WLAN-Passwort lautet [Sommer2024!]
key|hier der Webhook https://hooks.example.com/services/[T00AB12CD/B00EF34GH/XyZ12abCDefGHijklMNOpq]
key|la contraseña del wifi es [Verano2024!]
key|rotate [xoxb-123456789012-abcdefGHIJKL] please
key|the client secret, [8Q~aB3dEf5gH7iJ9kL1mN], expires in May
key|SSH key fingerprint no, the key itself: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx]
key|api key [live.4f9a.88b2.cc01.7e3d] works
key|the token reads [4f9a 88b2 cc01 7e3d]
email|Das ist [alfons Punkt, wie der Vorname, dann rieger, at example Punkt com].
email|Äh, [bernd, also b e r n d, minus otto at example Punkt de].
email|Ja, [info at die-backstube Punkt test], mit Bindestrich.
email|Gerne, [u Punkt hofer, H O F E R, ät example Punkt org].
email|Meine E-Mail, klein geschrieben, [janina Komma], nein, [Punkt krug at example Punkt com].
email|[sabrina, mit b r, Unterstrich neun, ät example Punkt net].
email|Das wäre dann [vertrieb at example], Bindestrich, [gruppe Punkt com].
email|[f Punkt], wie Friedrich, [lenz at example Punkt com].
email|[team Klammeraffe], und dann die Firma, [holz und stein Punkt test].
email|Das ist [Ines mit I Punkt Conrad mit C at example Punkt com].
email|[Kai Unterstrich siebenundsiebzig, die Zahlen, at example Punkt org].
email|Schicken Sie's an [meier mit e i, Punkt, xaver, at example Punkt com].
email|C'est [élodie avec accent enlevé, tiret, faure, arobase example point com].
email|[p point, p comme Pierre, lambert arobase example point com].
email|Vous pouvez écrire à [service clients, au pluriel, arobase bois joli point test].
email|Es [maite con i latina guion lago arroba example punto com].
email|[info arroba], y ahora la empresa, [panes y dulces punto test].
email|Mi correo, [h, hache muda, punto ibarra arroba example punto com].
key|It's [capital T, tee, eight], I mean, [seven, lower m, nine, dash, x x, four].
key|Key goes [a k i a], then [four, q, q, seven, n, n, zero, one].
key|Es [te ka, nueve, nueve], perdón, [ocho, erre, eme, cero, uno, zeta].
key|Anota, [erre, erre, siete, guion, hache, dos, guion, cero, pe].
iban|Right, [G for golf, B for bravo, two nine, N W B K, six oh one six, double one three three, one nine two six, eight one nine].
iban|It's an Irish one, [I E two nine, A I B K, nine three one one, five two one two, three four five six, seven eight].
iban|Alors [F comme François, R comme Raoul, soixante-seize, trente mille six, puis zéro zéro zéro un, douze trente-quatre, cinquante-six soixante-dix-huit, neuf zéro un, quatre-vingt-neuf].
iban|Dictée, [F R sept six], groupe suivant [trois zéro zéro zéro], puis [six zéro zéro zéro], [zéro un un deux], [trois quatre cinq six], [sept huit neuf zéro], [un huit neuf].
card|Es la [cuarenta y cinco treinta y nueve, catorce ochenta y ocho, cero tres cuarenta y tres, sesenta y cuatro sesenta y siete].
card|Apunta, [cinco uno cero cinco, uno cero cinco uno], espera, [cero cinco uno cero, cinco uno cero cero].
card|La American, [tres siete ocho dos, ochenta y dos, veinticuatro, sesenta y tres, uno cero cero cero cinco].
link|Geben Sie ein, [zoom Punkt us Schrägstrich my Schrägstrich sabine Punkt keller].
link|Das ist [meet Punkt google Punkt com Slash, dann a b c, Minus, d e f g, Minus, h i j].
link|Also die Meeting-ID ist [acht drei vier], Leerzeichen, [sechs zwei eins], Leerzeichen, [neun null neun], Kenncode [Apfel neun].
link|Der Raum heißt [jour Strich fixe Strich acht], auf video Punkt example Punkt com.
link|Einwahl: +49 69 [5555 0134],,[934567812]#
link|Das Zoom-Passwort ist [hallo2024].
link|Link: [https://example.webex.com/example/j.php?MTID=m4f]
link|Bitte über [teams.microsoft.com/meet/398 112 774 01], Passcode [aB3dEf]
link|Der Zugang: [https://us05web.zoom.us/j/86311122233?pwd=Zm9v.1#success]
email|It's [marlow], [M A R L O W], [at example dot com].
email|Put [marlow], that's [M A R L O W]. // Then [dot reed at example dot org].
email|My address is [j dot kettle], like the thing you boil water in, [at example dot net].
email|Send it to [kim dot pratt]. // Pratt with two Ts. // [At example dot com].
email|It starts with [sales underscore]. // [bath], like the city. // And the domain is [harbour with a u, dot test].
email|the email is [tara dot quick] quick as in fast [at example dot com]
email|yeah so it's [m a r t a] [marta] [dot bell at example dot org]
email|my email [bob] as in bob the builder [dot stone at example dot com]
email|It's [olu] spelled [O L U], [dot ade at mail dot example dot com].
email|You can write to [accounts plus invoices], plus as in the sign, [at example dot org].
email|Use [dev-ops], with a hyphen, [@example.test].
email|Reach me on [first dot last nineteen eighty-four], digits, [at example dot com].
email|Sure. // It's [lowe], [l o w e], no final r. // [Underscore finance at example dot com].
email|My work one is [p.lindqvist@example.com], [L I N D Q V I S T], everybody gets it wrong.
email|[L-I-N-D-Q at example dot com], that's [lindq].
email|Okay, [nadia]. // With an i. // [Dot frost], frost like ice. // [At eu dot example dot net].
email|[Grey], with an e, [dot hound, at example dot com].
email|So [ana], one n. // [Dash], a hyphen really. // [Maria at example dot org].
email|Mine's [tj], letters, [at example dot io].
email|um it's [steven] with a v [dot hale] with an e at the end [at example dot com]
email|The mailbox is [rook7], the chess piece and the number seven. // [At example dot invalid].
email|Email's [ops], O P S, [at north dash star], two words with a dash, [dot example dot com].
email|write to [priya dot nair] that's [n a i r] [at example dot co dot uk]
email|It's [wren], the bird. // Then [dot cole]. // [C O L E]. // [At example dot com].
email|It's [teddy], double d. // [At example], as in for example, [dot com].
email|[jo], just J O, [underscore], low line, [park at example dot net].
email|the address is [kit], K for kilo, [at example dot org]
email|Das ist [marbo], [M A R B O], [at example punkt com].
email|Meine Adresse ist [j punkt kessel], wie der Kochkessel, [ät example punkt de].
email|Schreiben Sie an [tim punkt pfaff]. // Pfaff mit drei f. // [At example Punkt com].
email|Das beginnt mit [vertrieb Unterstrich]. // [essen], wie die Stadt. // Und die Domain ist [möwe mit oe, Punkt test].
email|also die mail ist [lena punkt koch] koch wie der beruf [at example punkt de]
email|Das ist [buchhaltung zweitausend], in Ziffern. // Und wir hosten selbst, also [Klammeraffe example Punkt org].
email|Notieren Sie [stefan], mit f. // [Punkt maier], mit a i. // [At example Punkt de].
email|[meyer], [m e y e r], [at example punkt com] ist meine Adresse.
email|Meine Mail: [k.schroeder@example.de], Schroeder mit oe.
email|ich buchstabiere [w i e s e] wiese [punkt anna at example punkt de]
email|Die lautet [info bindestrich nord], also mit Minuszeichen, [at example punkt de].
email|Am besten an [ruf], wie der Anruf, [bindestrich eins at example punkt net].
email|[Philipp], ein l, zwei p. // [Punkt Haas], doppel a. // [At mail Punkt example Punkt de].
email|Das ist [hahn], wie das Tier. // [At example], genau wie das Beispiel auf Englisch. // [Punkt com].
email|schreiben sie [petra] ganz normal geschrieben [punkt voss] mit zwei s [at example punkt de]
email|Mein Postfach heißt [falke9], der Vogel und die Zahl neun. // [At example Punkt invalid].
email|Nehmen Sie [tk], also T K, [at example punkt io].
email|Die E-Mail ist [soeren], ö als oe, [punkt lund at example punkt com].
email|Es ist [jörg], mit oe geschrieben. // [Unterstrich finanzen at example Punkt org].
email|[anna plus rechnung], das Pluszeichen, [at example punkt com].
email|Schicken Sie's an [kay], K A Y. // [Punkt wolff]. // Wolff mit zwei f. // [Ät example Punkt de].
email|meine adresse wäre [ute] [u t e] [at example punkt net]
email|Das ist [dahl], [D wie Dora, A wie Anton, H wie Heinrich, L wie Ludwig], [at example Punkt com].
email|Der Anfang ist [einkauf]. // Das Wort, kleingeschrieben. // Dann [Punkt sued], mit u e. // [At example Punkt de].
email|C'est [larbo], [L A R B O], [arobase example point com].
email|Mon adresse c'est [j point marmite], comme la marmite, [arobase example point fr].
email|Écrivez à [luc point petit]. // Petit comme petit. // [Arobase example point com].
email|Ça commence par [ventes tiret bas]. // [lille], comme la ville. // Et le domaine c'est [phénix avec un e, point test].
email|alors le mail c'est [lea point boulanger] boulanger comme le métier [arobase example point fr]
email|Le compte, c'est [support_nord]. // Attendez, le domaine. // Voilà, [@marvel.invalid], [M A R V E L].
email|Notez [paie deux mille], en chiffres. // Et c'est chez nous, donc [arobase example point org].
email|C'est [maelo], [M A E L O]. // Un [point], puis [ferrand trente]. // [À commercial example point net].
email|[durand], [d u r a n d], [arobase example point com], c'est tout.
email|Mon mail : [p.lefevre@example.fr], Lefèvre sans accent.
email|j'épelle [n a d i a] nadia [point roux arobase example point fr]
email|C'est [info tiret sud], avec un trait d'union, [arobase example point fr].
email|Le mieux c'est [appel], deux p, un l, [tiret un arobase example point net].
email|[Philippe], un l deux p. // [Point haas], deux a. // [Arobase mail point example point fr].
email|C'est [coq], comme l'animal. // [Arobase example], comme exemple en anglais. // [Point com].
email|envoyez à [karine] avec un k [point voss] avec deux s [arobase example point fr]
email|La boîte s'appelle [merle9], l'oiseau et le chiffre neuf. // [Arobase example point invalid].
email|Prenez [tk], donc T K, [arobase example point io].
email|L'adresse, c'est [helene], sans accents, [point lund arobase example point com].
email|C'est [joel], sans tréma. // [Tiret bas finances arobase example point org].
email|[anna plus factures], le signe plus, [arobase example point com].
email|Envoyez-le à [kay], K A Y. // [Point wolff]. // Wolff avec deux f. // [Arobase example point fr].
email|mon adresse ce serait [ute] [u t e] [arobase example point net]
email|C'est [dahl], [D comme Denise, A comme Anatole, H comme Henri, L comme Louis], [arobase example point com].
email|Le début c'est [achats]. // Le mot, en minuscules. // Ensuite [point sud], S U D. // [Arobase example point fr].
email|Es [larbo], [L A R B O], [arroba example punto com].
email|Mi correo es [j punto olla], como la olla de cocina, [arroba example punto es].
email|Escriba a [luis punto chico]. // Chico como pequeño. // [Arroba example punto com].
email|Empieza con [ventas guion bajo]. // [lugo], como la ciudad. // Y el dominio es [cigüeña sin diéresis, punto test].
email|pues el correo es [lea punto panadero] panadero como el oficio [arroba example punto es]
email|La cuenta es [soporte_norte]. // Espere, el dominio. // Ya, [@marvela.invalid], [M A R V E L A].
email|Apunte [nominas dos mil], en cifras. // Y lo tenemos nosotros, o sea [arroba example punto org].
email|Es [maelo], [M A E L O]. // Un [punto], luego [ferrer treinta]. // [Arroba comercial punto example punto net].
email|[duran], [d u r a n], [arroba example punto com], y ya.
email|Mi mail: [p.ibanez@example.es], Ibáñez con n.
email|le deletreo [n a d i a] nadia [punto rojo arroba example punto es]
email|Es [info guion sur], con guion normal, [arroba example punto es].
email|Mejor a [llamada], con doble ele, [guion uno arroba example punto net].
email|[Filipa], con efe. // [Punto haas], dos aes. // [Arroba mail punto example punto es].
email|Es [gallo], como el animal. // [Arroba example], como ejemplo en inglés. // [Punto com].
email|mandelo a [karina] con ka [punto vos] con be chica [arroba example punto es]
email|El buzón se llama [mirlo9], el pájaro y el número nueve. // [Arroba example punto invalid].
email|Ponga [tk], o sea T K, [arroba example punto io].
email|La dirección es [helena], sin hache, no, con hache, [punto lund arroba example punto com].
email|Es [joel], sin acento. // [Guion bajo finanzas arroba example punto org].
email|[ana más facturas], el signo más, [arroba example punto com].
email|Envíelo a [kay], K A Y. // [Punto wolff]. // Wolff con dos efes. // [Arroba example punto es].
email|mi direccion seria [ute] [u t e] [arroba example punto net]
email|Es [dahl], [D de dedo, A de Ana, H de hotel, L de Luis], [arroba example punto com].
email|Al principio va [compras]. // La palabra, en minúsculas. // Luego [punto sur], S U R. // [Arroba example punto es].
email|Uxía, que es [u, equis, i, a], [punto lama arroba example punto com], sí, es gallego.
email|so you can email me it's [p as in paul dot o'hara at example dot com]
email|It's all one word, [blueridge], no space, [at example dot org].
email|My email's [c dot wu], W U, [at example dot com], and my colleague is [d dot li], L I, [at example dot com].
email|You take my surname, [okafor], O K A F O R. // Then [at example dot com].
email|It's [katie with a k dot brown with an e at example dot com]
email|[orders+eu@example.com], plus as in addition.
email|Write [lou], that's L, O, U. // And then [dot marsh at example dot com].
email|[tom four seven], as numerals, not words, [at example dot com].
email|[rory], R O R Y, dash, [quinn], Q U double N, no, Q U I double N, [at example dot com].
email|[press], as in newspapers. // [at example dot org].
email|Ja, [jessica punkt moor], Moor ohne e, [ät vertrieb punkt example punkt de].
email|[max unterstrich zwölf], eins zwei, [ät example punkt net], genau.
email|Vorname [jan], J A N. // Punkt, [Nachname keller]. // [At example punkt com].
email|[ivan], I wie Ida, V wie Viktor, A, N, [at example punkt com].
email|äh [sam], kurz für samuel, [bindestrich fuchs], wie das tier, [at example punkt de]
email|Schreiben Sie [lutz], also L, U, T, Z. // Und dann [Punkt marsch ät example Punkt de].
email|Können Sie's an [b lopez], B wie Berta, [at example punkt com] schicken?
email|[presse], wie die Zeitung. // [At example Punkt org].
email|Die Adresse: [k.weiss@example.de], Weiss mit Doppel-s.
email|Oui, [jessica point maure], Maure sans majuscule, [arobase ventes point example point fr].
email|[max tiret bas douze], un deux, [arobase example point net], voilà.
email|Prénom [jean], J E A N. // Point, [nom de famille keller]. // [Arobase example point com].
email|[ivan], I comme Irène, V comme Victor, A, N, [arobase example point com].
email|euh [sam], pour samuel, [tiret renard], comme l'animal, [arobase example point fr]
email|Écrivez [loup], donc L, O, U, P. // Et après [point marche arobase example point fr].
email|Vous pouvez l'envoyer à [b lopez], B comme Berthe, [arobase example point com] ?
email|[presse], comme le journal. // [Arobase example point org].
email|pues escríbame a [p de pedro punto ohara arroba example punto es]
email|Todo junto, [cieloazul], sin espacio, [arroba example punto org].
email|El mío es [c punto wu], W U, [arroba example punto com], y mi compañero es [d punto li], L I, [arroba example punto com].
email|Coge mi apellido, [okur], O K U R. // Luego [arroba example punto com].
email|es [katia con k punto bruno arroba example punto es]
email|mi correo sería [nina] n i n a [arroba soporte punto example punto com]
email|[tom cuatro siete], en números, no en letras, [arroba example punto com].
email|vale apunte [f r e y a] freya [punto holm] h o l m [arroba example punto net]
email|Primero [gruber], G R U B E R, tal cual. // Luego [guion dos]. // [Arroba example punto es].
email|write me at [dana.reed AT example DOT com] please
email|ok so its [dana] then a dot then [reed] then the at sign then [example dot com]
email|The first bit's [d.reed], the second is after the at, [mail.example.com].
email|so my email address is [dana dot reed one two at sub dot example dot com] thanks
email|Just my initials, [d r], and [at example dot com].
email|[dana], sorry, [diana], [dot reed at example dot com].
email|[dana.reed@example], that's dot com, not dot net.
email|Meine Adresse: [dana.ried (ät) example (punkt) de].
email|[dana_ried ät example.de], mit Unterstrich dazwischen.
email|Bereit? [D A N A]. // Dann ein [Punkt]. // Dann [R I E D]. // Und [ät example Punkt de].
email|Ich buchstabiere. // [R wie Richard, I wie Ida, E wie Emil, D wie Dora]. // [At example Punkt de].
email|Nein nein, nicht dana, sondern [danna] mit zwei n, [danna ät example punkt de].
email|die heißt [außendienst bindestrich nord] mit eszett [at example punkt de]
email|meine mailadresse lautet [dana punkt ried eins zwei ät sub punkt example punkt de] danke
email|Mon adresse : [dana.reau (arobase) example (point) fr].
email|[dana_reau arobase example.fr], avec un tiret bas au milieu.
email|Prête ? [D A N A]. // Puis un [point]. // Puis [R E A U]. // Et [arobase example point fr].
email|J'épelle. // [R comme Raoul, E comme Eugène, A comme Anatole, U comme Ursule]. // [Arobase example point fr].
email|Non non, pas dana, c'est [danna] avec deux n, [danna arobase example point fr].
email|elle s'appelle [terrain tiret nord] avec deux r [arobase example point fr]
email|mon adresse mail c'est [dana point reau un deux arobase sub point example point fr] merci
email|Envoyez à [quatre w], donc le chiffre quatre et un double v, [arobase example point com].
email|escribe a [dana.rios ARROBA example PUNTO es] por favor
email|vale pues [dana] luego un punto luego [rios] luego la arroba luego [example punto es]
email|La primera parte es [d.rios], la segunda tras la arroba es [mail.example.es].
email|Solo mis iniciales, [d r], y luego [arroba example punto es].
email|[dana], perdón, [diana], [punto rios arroba example punto es].
email|¿Lo tiene? [dana]. // Sí. // [Punto rios]. // Sí. // [Arroba example punto es].
email|Al principio [dana]. // Mayúscula o no, da igual. // Después [guion rios]. // Y al final [arroba example punto es].
email|Take this down, [mira]. // M I R A. // Next a dash and [lund]. // Finally [at example dot net].
email|Vorne steht [mira]. // M I R A. // Dann ein Minus und [lund]. // Und hinten [ät example punkt net].
email|Der Teil vor dem At ist [b punkt sorge]. // Der danach [example punkt de].
email|Also [m punkt lund]. // Alles klein. // Und dann das At. // Und [example punkt org].
email|Ich schicke Ihnen die Adresse. // [einkauf Strich zwei]. // Strich wie Minus. // [Ät example punkt com].
email|Schreiben Sie [mira]. // Ohne Ypsilon. // [Lund]. // Zusammen. // [At example Punkt de].
email|[mlund], m wie Martha. // Kleines m. // [Klammeraffe example Punkt de].
email|Das Postfach ist [rechnungen]. // Plural. // Bei [example punkt de].
email|Die Mail geht an [leitung Unterstrich]. // [sued mit u e]. // [At example Punkt de].
email|Ich hab' die [mira89]. // Neunundachtzig ist mein Jahrgang. // [At example Punkt de].
email|Delante va [mira]. // M I R A. // Luego un guion y [lund]. // Y detrás [arroba example punto net].
email|La parte antes de la arroba es [b punto sorge]. // La de después [example punto es].
email|Pues [m punto lund]. // Todo en minúsculas. // Y luego la arroba. // Y [example punto org].
email|Primero el nombre, [mira]. // Punto. // Luego el apellido, [lund]. // Arroba [example punto es].
email|Le doy la dirección. // [compras guion dos]. // Guion de los normales. // [Arroba example punto com].
email|Escriba [mira]. // Sin hache. // [Lund]. // Junto. // [Arroba example punto es].
email|[mlund], eme de Madrid. // Minúscula. // [Arroba example punto es].
email|El buzón es [facturas]. // En plural. // En [example punto es].
email|El mail va a [direccion guion bajo]. // [sur]. // [Arroba example punto es].
email|Tengo el [mira89]. // Ochenta y nueve por el año. // [Arroba example punto es].
email|Devant c'est [mira]. // M I R A. // Ensuite un tiret et [lund]. // Et derrière [arobase example point net].
email|D'abord le prénom, [mira]. // Point. // Puis le nom, [lund]. // Arobase [example point fr].
email|Écrivez [mira]. // Sans ypsilon. // [Lund]. // Collé. // [Arobase example point fr].
email|La boîte, c'est [factures]. // Au pluriel. // [Arobase example point fr].
""".strip().splitlines()

STAYS = """
Après, on va sur le site example point fr. // Avant, on parle du budget.
The domain is example dot com. // And before the attack we met.
After it, we had the group. // Before it, we had dot com.
Nach dem Quartal kommt die Gruppe. // Dann Punkt zwei der Liste.
Après la pause, le groupe. // Et à la fin point trois.
Tras la pausa va el grupo. // Y al final, punto tres.
Le petit a un chien. // Après le petit a, on passe au point deux.
We looked at north. // Then dot com took over.
Wir schauen auf den Punkt. // Dann Kessler. // Und das Ganze ist fertig.
Llegamos a este punto. // Luego ventas. // Y todo en orden.
On a ver visit you find the site at example dot com.
The webcast lives at video.example.com. // We grew 12 percent. // Then 350 in the north.
Docs are at docs.example.com/help/getting-started and docs.example.com/blog/2024/05/pricing.
Read example.com/products/analytics-suite-2024 and example.com/en/press-release before Friday.
I tried the 2019 2020 budget twice and nobody picked up on it.
Our Zoom meeting starts at nine, and the password policy is required by security.
The meeting room is booked. // Slide 3 dash 4 shows the plan. // Then we break.
A passcode is needed for the meeting, same as below.
We answered 350 calls. // The tail of the quarter was slow. // It ends in March.
He was at the table, you know, and then dot com happened.
Wir haben im Raum Nord 350 Leute. // Dann 415. // Und am Ende 24.
Das Kennwort für das Meeting ist erforderlich.
La salle est réservée. // Puis on parle du budget. // Et la fin, c'est mars.
La reunión es en la sala. // Luego vemos ventas. // Y al final, marzo.
The company is on the web. // On example dot com. // You will find it.
Last year was 1881. // The first year was 4012 8888 units. // In the middle 350.
Die letzten Zahlen waren 415. // Davor 350. // Am Anfang 24.
The lot is full. // Lot 12 was sold. // Lot 14 as well.
The key is speed. // Then scale. // And live dash boards.
Visit our booth, meet the team, and join us live at the event.
The product is Kiro, K I R O, and you find it at example dot com.
We sell on velino dot com, V E L I N O, like the wine.
Our site is harbour dot test, harbour with a u.
Die Firma heißt Kolibri, K O L I B R I. // Schauen Sie bei example punkt de.
Wir sind in Essen, wie die Stadt. // Auf example punkt de steht alles.
La société s'appelle Marvel, M A R V E L. // Le site c'est example point fr.
Nous sommes à Lille, comme la ville. // Allez sur example point com.
La empresa es Mirlo, M I R L O. // La página es example punto es.
Estamos en Lugo, como la ciudad. // Todo está en example punto com.
We use dot net, N E T, with Java.
It is like the thing for your hair, dot. // We ship in May.
Version two dot one, as in the release, at the end of Q three.
The metric is A R R, arr, and we are at two point five.
C'est le ROI, R O I, qui compte, à trois point deux.
El margen, o sea M, está en dos punto cinco, como el año pasado.
Der Umsatz, also U, lag bei drei Punkt fünf, wie im Vorjahr.
I work at Marlow, M A R L O W. // The office is at example street.
Our page is at example dot com, E X A M P L E.
My email arrived. // The site is kiel dot test, like the city.
The Kiel office, like the city, is at example dot com slash offices.
We rank at number one, with a U, dot.
Margins were flat, like last year, at two point five.
Our page, the new one, is at example dot com.
Unsere Seite, die neue, ist auf example punkt de.
Notre site, le nouveau, est sur example point fr.
Nuestra página, la nueva, está en example punto es.
The team, all of them, works at example.
Das Team, alle zusammen, ist bei Punkt drei der Agenda.
On en est au point trois, comme prévu, avec un retard.
Estamos en el punto tres, como siempre, con retraso.
The stock trades, with a ticker, E X M P, at ten dot five.
Visit us, like everyone, at example dot org.
The SaaS team, S A A S, closed at two point one million.
Wir haben S A P, sap, im Einsatz. // Dann punkt eins der Liste.
C'est le point, comme on dit. // Puis la suite.
Java, J A V A, and dot net run side by side.
The webinar, the one in May, is at example dot com slash webinar.
The company is Marbo, M A R B O. // Have a look at example dot com.
""".strip().splitlines()
