"""Lines in which a value is told that no word announces, or in parts with remarks on them, and lines that only look so.

Each line is ``kind|text``; sentences are parted by ``//``, and what must go stands in brackets.
"""

# ruff: noqa: E501 - a line is one monologue
from __future__ import annotations

MASKED = """
iban|Our account, it starts with [D E four four]. // Next block is [five zero zero one zero five one seven]. // And the last ones, [five four zero seven three two four nine three one].
iban|Unser Konto beginnt mit [D E vier vier]. // Nächster Block [fünf null null eins, null fünf eins sieben]. // Letzter Block [fünf vier null sieben, drei zwo vier neun, drei eins].
iban|Versez ça sur [FR 14 2004 1010 zéro cent cinq 0001]. // La suite, [3M02 606], merci.
iban|Le leo, [N como en Navarra, L como en Lorenzo, nueve uno, A de Antonio, B de Burgos, N de Navarra, A de Antonio, 0417 1643 00].
iban|Überweisen Sie auf [AT] und dann [61 1904 3002 3457 3201], bitte.
iban|It's [b e] and then [68 5390 0754 7043], sorry, I mean [7034].
iban|En bas il y a [B E 68 5390 0754 7043], non pardon, [7034].
iban|Nein, das ist [NL einundneunzig ABNA], dann [null vier eins sieben], Moment, [sechzehn dreiundvierzig null null].
phone|Rufen Sie mich an unter [null eins zweimal die fünf null vier fünf eins].
key|It's [W, three, nine, K, zero, V, eight], all capitals.
key|Der Lizenzschlüssel wäre [Xaver, vier, Nordpol, null, acht, Theodor].
key|Bitte tippen, [p wie Paula, sechs, q wie Quelle, zwei, zwei, f wie Friedrich], das war's.
key|Vous tapez [G de Gaston, sept, zéro, T de Thérèse, quatre, M de Marcel].
key|Pues [efe, dos, erre, nueve, guion, uno, ce, hache, cero].
key|The token, um, [t k n underscore, seven, big H, two, small m, zero, big B].
key|It goes [nine, foxtrot, foxtrot, two, sierra, zero, kilo, four].
key|C'est [pé cinq, tiret, neuf k, tiret, deux b zéro], voilà.
key|In hex, [b seven, zero zero, c one, f f, two a].
key|La contraseña de la API, [eme mayúscula, dos, zeta, tres, tres, pe minúscula].
key|Das ist [kleines g, neun, großes L, eins, null, Unterstrich, x, vier].
key|Alors, [r, huit, w, deux, deux, majuscule N, quatre].
key|The log shows [pat_eu_Zk38LmQp02Vx] right before it dies.
key|Ich habe [key-live-7F3A-99C2-D01B] im Ticket gefunden.
key|Hay un [secret_mx_0pQ7rTz41Lk] en el repositorio.
key|J'ai collé [sbx_7kLm20PqWz9TvR] dans le canal.
key|Somebody left [cli_4Tz81qWmXv03Lb] in the script.
key|Opens with [R7KX]. // After that [20VT]. // And closes on [M4QZ].
key|Oben steht [tok_9qLm]. // Darunter [K27xPv]. // Ganz unten [03TzQ].
key|D'abord [c41d7e09]. // Ensuite [bb20f6a3].
key|Primero [api_live_Q2m]. // Después [7xTk90]. // Y remata con [Vb3L1].
key|First letters, [x, k, four]. // Then [nine, nine, w]. // And last [t, zero, two].
key|Zuerst [Ludwig, sieben]. // Dann [Quelle, null, drei]. // Am Schluss [Xanthippe, acht].
key|The left half reads [sk_test_T9]. // The right half, hang on, [w4KzP0qL].
link|Kommen Sie in [https://besprechung.example.org/raum/772019], Kennwort [ahorn88].
link|Es [https://sala.example.com/my/445-201-998], contraseña [limon402].
link|We're in [join.example.net/w/20941857?tk=aZ31kq] already.
link|Le lien, c'est [https://visio.example.org/salle/3390127], mot de passe [cerise61].
link|Use [https://live.example.org/e/launch?code=T7R2-QK9] please.
link|Der Link war [https://meet.example.org/rfv-tgbz-hnj], oder?
link|Pasale [https://conf.example.com/j/66102938?pwd=oP8rVn].
link|It's [join dot example dot org slash my slash, two two nine, four oh one, seven six three].
link|Gehen Sie auf [konferenz Punkt example Punkt org Schrägstrich raum Schrägstrich, drei drei acht null], Kennwort [Ahorn, zweiundvierzig].
link|Sur [visio point example point org barre oblique salle barre oblique, quatre un un, zéro sept], mot de passe [cerise, soixante et un].
link|Entra en [sala punto example punto org barra w barra, dos cero nueve, cuatro uno], clave [limón cuarenta y dos].
link|[live dot example dot org slash e slash launch question mark code equals, t seven r, two q].
link|Der Code ist [Anton Berta Cäsar, Bindestrich, Dora Emil Friedrich Gustav, Bindestrich, Heinrich Ida Julius], bei meet Punkt example Punkt org.
link|The room lives on join.example.org, slash. // It's called [wqz-tyup-hjk]. // Passcode is [771 203].
link|Der Link beginnt mit https://conf.example.org/j/. // Dann kommt [40 118 9925]. // Und noch [?pwd=Lm7tQz].
link|Le code commence par [sept sept un]. // Puis [zéro neuf quatre]. // La salle est [visio point example point org slash w slash, deux deux huit neuf].
email|It's [kim, K I M, dot osei at example dot org].
email|Send it to [rosie the number two at example dot com], not rosie on her own.
email|First name [jonas], last name [tielemann], so [jonas hyphen tielemann at example dot net].
email|Ja, [jürgen ohne Umlaut Punkt maas at example Punkt com].
email|Also [Q wie Quelle, U wie Ulrich, I wie Ida, N wie Nordpol, N wie Nordpol, at example Punkt org].
email|[lager drei, alles klein, Klammeraffe nord licht holz, zusammengeschrieben, Punkt test].
email|C'est [frédérique, avec q u e à la fin, point baud arobase example point net].
email|[V de Victor, A de Anatole, L de Louis, et ensuite arobase example point org].
email|[accueil arobase le petit moulin, en un mot, point example].
email|[begoña con eñe punto ruiz arroba example punto es].
email|[taller dos, el número, arroba mecanica del sur, todo pegado, punto test].
email|Well, [o r d e r s at, and now the firm, north dash quay dot example].
email|Starts with [greta dot l]. // Surname's [falk with a k]. // And it's [at example dot org].
email|Before the at it's [ops underscore emea]. // After the at sign, [harbor dash line dot test].
email|Am Anfang [lukas punkt]. // Danach [petersen], mit einem e. // Zum Schluss [at example punkt net].
email|Vorne [buchhaltung], klein. // Nach dem Klammeraffen [mueller strich soehne]. // Endung [punkt test].
email|Le début, c'est [marc tiret]. // Après, [olivier]. // Et derrière [arobase example point org].
email|Avant l'arobase, [service point rh]. // Après l'arobase, [moulin tiret bleu]. // Et pour finir [point test].
email|Arranca con [lucia punto]. // Sigue el apellido, [mendez con z]. // Y al final [arroba example punto org].
email|Antes de la arroba va [cobros guion bajo sur]. // Después de la arroba, [naviera guion azul punto test].
email|The username is [qa.lead], lowercase. // The domain is [@harbor.test].
phone|Country code plus four four. // Then [seven seven double oh]. // [Nine hundred, four six one].
phone|Arranca con [nueve uno]. // Ahora [cinco cinco cinco]. // Y los últimos, [cero uno dos ocho].
phone|Das ist d [null sieben sechs]. // Denn [fünf fünf fünf]. // Und [null neun, einundzwanzig].
phone|Notez [04 65]. // Puis [71 20]. // Et à la fin, [95].
card|Die ersten vier, [4111]. // Dann [1111]. // Dritter Block [1111]. // Vierter [1111].
card|First [5425]. // [2334], next. // [3010], and the last is [9903].
card|Les quatre premiers, [5105]. // Ensuite [1051], puis [0510]. // Et [5100] à la fin.
iban|DE89, for a start. // [3704 0044]. // And [0532 0130 00].
key|So that's [echo, seven, seven, yankee, zero, lima, two], got it?
key|Right, [v as in victor, two, h as in hotel, nine, five, q as in queen].
key|Er heißt [t o k Bindestrich, neun, großes R, zwo, kleines m, fünf].
key|Schreib auf, [c sieben, null d, neun neun, f a, eins b].
key|Notez, [b huit, deux e, zéro zéro, f quatre, sept c].
key|Je lis [tiret du bas, p, trois, K majuscule, six, n, un, z minuscule].
key|Es [de siete, ce nueve, efe cero, dos be, uno a].
key|Va [jota, cuatro, Madrid, dos, Roma, cero, nueve].
key|It's [m as in Mike, capital Z, four, zero, underscore, nine, r].
key|Also [Dora, drei, Emil, neun, neun, Paula, null].
key|Pues, [a de Antonio, cinco, k de kilo, siete, siete, eme de María].
key|Alors [H comme Henri, six, B comme Berthe, zéro, neuf, Y comme Yvonne].
key|Starts [g h p underscore, four K]. // [nine nine L]. // [zero W two].
key|Los primeros, [be, siete, ka]. // Siguen [cero, cero, erre]. // Terminan en [dos, equis].
key|Le premier bloc, [W4NZ]. // Le deuxième, [T80K]. // Le dernier, [Q1RB].
key|Alors [Berthe, quatre]. // [Oscar, neuf, zéro]. // Et [Yvonne, deux] pour finir.
key|Es beginnt mit [AKIA]. // Danach [QR7T90MZ].
key|The first line's [e90b7d21]. // Second line [44fa8c03].
key|El prefijo es [tok_prueba_]. // Luego [4Rk9]. // Y al final [mW0Z].
key|Es empieza con [efe cuatro]. // [nueve be cero]. // [siete ce].
key|He pegado [clave_es_7Xk20PmQr4] en el chat.
key|They mailed me [rk_prod_Tz39LmPq0Vw].
key|Probier mal [VX4K-90TM-2LQB-7RZP].
key|Mon identifiant d'API est [app-9f83c1e07b2d].
email|So, [n dot okafor at, give me a second, example dot com].
email|[billing at two rivers farm dot test], all one word.
email|Uh, [tess, with a double s, dot ryan at example dot net].
email|[support underscore e u, that's lower case, at example dot org].
email|[G wie Gustav, R wie Richard, I wie Ida, T wie Theodor, und dann at example Punkt net].
email|[kasse eins, als Zahl, at example Punkt org].
email|[sören mit ö, also o e, Punkt vogt at example Punkt com].
email|[empfang Klammeraffe hof am see, alles zusammen, Punkt example].
email|[réception arobase hôtel du lac, sans accent, point test].
email|[loïc, l o i c, point martin arobase example point com].
email|[direction, en minuscules, arobase, je vérifie, example point net].
email|[ele ruiz, con zeta, arroba example punto org].
email|[info arroba la casa azul, todo junto, punto example].
email|[compras guion medio norte arroba, un momento, example punto net].
email|First bit is [nina dot]. // Last name [osgood], two o's. // [at example dot com].
email|It begins [j a y d]. // Then [e n dot wu]. // And finishes [at example dot net].
email|Mailbox is [front desk]. // Domain [bayview dash inn dot test].
email|Left of the at sign you want [p dot marsh]. // Right of it, [oakline dot example].
email|Vorne kommt [elif punkt]. // Dann [yildiz], ohne Punkt auf dem i. // Und [at example punkt com].
email|Die Adresse beginnt mit [service unterstrich]. // Weiter mit [sued]. // Klammeraffe [example punkt org].
email|Au début [ines point]. // Le nom, [carvalho], avec v h. // Puis [arobase example point com].
email|Vous mettez [support tiret]. // Ensuite [lille]. // Et après l'arobase [brasserie point test].
email|Primero va [nerea guion]. // Después [soto], con una te. // Por último [arroba example punto com].
email|El correo es [almacen dos]. // Y después de la arroba, [frutas guion lopez punto test].
email|El usuario, [caja_norte]. // El dominio, [@mercado.test].
link|Head over to [video dot example dot org slash room slash, eight eight one, two seven]. Passcode [maple, then forty two].
link|Meeting code's [Romeo Tango Yankee, dash, Golf Hotel Juliet Kilo, dash, Lima Mike November], on meet dot example dot org.
link|Der Link, [video Punkt example Punkt com Schrägstrich w Schrägstrich, sechs null vier, acht zwei eins].
link|[meet Punkt example Punkt net, Schrägstrich, j, Schrägstrich, neun drei null, vier vier eins], und das Kennwort lautet [Tanne, siebzehn].
link|C'est [salle point example point net barre oblique my barre oblique, deux zéro un, sept sept trois], code [pivoine vingt-deux].
link|Abre [videollamada punto example punto net barra sala barra, seis seis uno, cero nueve].
link|Es [envivo punto example punto net barra e barra demo, signo de interrogación code igual, ka dos ele, siete uve].
link|Room's at video.example.net, slash w slash. // Then [5520 118]. // Passcode [heron62].
link|Meeting-Nummer ist [71 204]. // Dann [9983]. // Passwort [Espe19], bei meet.example.org.
link|Los dígitos de la sala, [338 104]. // Luego [7725]. // Y la clave, [roble31].
link|Le lien commence par https://visio.example.org/salle/. // Puis [448 1207]. // Mot de passe, [sapin55].
link|El NIP son [tres uno cuatro]. // Y [cero cero nueve]. // En sala.example.org.
link|Voilà [https://reunion.example.net/salle/90214773?pwd=Vt4Qm], on commence à dix heures.
link|Únete por [conferencia.example.org/unirse/5519-2038], clave [sauce77].
link|Ping me on [https://huddle.example.com/qwe-rtyu-iop].
phone|My cell's [six oh three]. // [Five five five]. // And then [oh one four two].
phone|El lada es [cincuenta y cinco]. // [Cincuenta y cinco, cincuenta y cinco]. // Y [cero uno, veintisiete].
phone|Plus [forty-one, four four]. // [Five five five]. // [Oh one, seventy-eight].
phone|Hamburg, also [null vier null]. // Weiter geht's mit [fünf fünf fünf]. // [Null zwei], und jetzt die letzten beiden, [acht eins].
phone|Um, that would be [713 55]. // Did you get that so far? // [01 64].
phone|Try [+52 55 5550, hang on]. // [0143].
phone|Es un número de allí, [55 55]. // Ahora [cinco cinco]. // Y los últimos cuatro, [cero uno tres seis].
phone|Rufen wir über [555/01 27] an.
phone|Das war [07700.900614].
phone|Mejor use el [011 5555 0139].
card|Ahí va, [cuatro uno uno uno]. // [Uno uno uno uno, uno uno uno uno]. // [Uno uno uno uno].
key|Use [7trqzK2mhd9EWvbZVx4k] as your API key from Monday on.
key|Nehmen Sie [q81mZ40xLt7Rb22w] als Zugangstoken.
key|Mettez [9fK2xT7mQ0zL4bWc] comme clé d'API.
link|Our whereby room is called [amber dash otter hyphen forty-one].
link|Der Whereby-Raum heißt [grauer Bindestrich falke minus sechs drei].
link|La salle Whereby s'appelle [chêne tiret argent tiret soixante].
link|Teams, Besprechungs-ID [341 602 118 45], Kennung [Xw7pQ2].
link|La clave de anfitrión es [t p nueve v k c], no la difunda.
key|The password is [walnut exclamation mark 17].
key|The password is [beacon]. // Then [four oh six asterisk].
key|Sign in with [Thunder, let me see, 6 1 8 hash] as your password.
key|Das Passwort ist [Kastanie, großes K] [drei neun Fragezeichen].
key|Das Passwort ist [fluss unterstrich wiese unterstrich nebel].
key|Le mot de passe, c'est [rivière point orage soixante-douze].
key|Le wifi invités, c'est [Jardin_Brume417].
key|La contraseña es [limonero, la L mayúscula]. // Luego [asterisco doscientos nueve].
key|Entra con [Nube88$] como contraseña.
key|WLAN für Gäste: [herbst-fenster-kiefer-27]
key|Your backup code is [R4KWP 8HQ2M]. // [T6N9B 31ZXD].
key|Et le code de secours ? // C'est [7KQ XB4 29P].
key|I set the portal password to [Saffron five one nine zero exclamation mark] for you.
key|So the temporary password, [Quartz Willow]. // And after that [sixty-three].
key|So my own password, don't laugh, [j d plus big K]. // [Nine small t big R].
key|The password is [six v n asterisk big D] followed by [p hash big W r 3], please change it.
key|Your one time password's [otter eight eight one].
key|Wir haben das Kennwort auf [Igel Kiesel fünf null Raute] gesetzt.
key|Ich buchstabiere das Passwort. // [Gustav Fragezeichen Emil]. // [Otto plus 4 groß Martha].
key|WLAN-Passwort [kiesel sternchen]. // Gefolgt von [lampe sechs eins].
key|Réessayez avec [cerfeuil tiret bas lampion] en mot de passe.
key|En mot de passe vous mettez [Cerise Lampion]. // Oui. // [Huit deux six un].
key|Me pide la contraseña, ¿sigue siendo [Romero guion bajo Farola] sesenta?
key|Te deletreo la contraseña. // [Romero guion medio]. // [Farola guion 70].
key|Aquí todos usan [romero farola ochenta y dos] de contraseña, imagínate.
key|The archive is locked, you can open it with [Kiwi*Basalt73].
key|The PDF is encrypted. Open it with [river-candle-moss].
key|SFTP: user acme, pw [Kiwi_Basalt#73]
key|Probieren Sie mal [Zr5!kkW92bQ], das hat die IT vergeben.
key|Das Archiv öffnen Sie mit [Kiesel!Lampe22].
key|Identifiant acme, mdp [Galet33!]
key|El zip se abre con [Canto*Lampara44].
key|The licence reads [WQZYN] dash. // [79JRK] dash [GBXLH]. // Dash [DAXPK].
key|Le code d'activation, c'est [BWMTX] [HWENW] tiret [D4HND].
key|Put [mQ7fKv2xR8tZ4bWc/1hJ+0sL9dGy3nPa5eUi6oT=] as the signing secret.
link|We're in [acme-standup-3fk] on Whereby.
link|Our Whereby room is [north dash standup].
link|Join us at meet.acme.example/[acme-pipeline-review].
link|Room name is [blue underscore falcon], on the Jitsi server.
link|It's the usual Jitsi, [blue dash falcon dash nine].
link|Type [blue-falcon-99] after whereby.com slash.
link|Just search for the room [blue dash falcon dash nine].
link|Der Raumname ist [nordlicht strich montag].
link|Der Raum heißt [nordlicht-montag-7k], auf meet.example.org.
link|Unser Whereby-Raum heißt [nordlicht bindestrich montag].
link|Geben Sie als Raum [nordlicht minus montag minus zwölf] ein.
link|La salle s'appelle [lundi tiret revue], sur Jitsi.
link|Le nom de la salle est [lundi-revue-22].
link|Rejoignez la salle [lundi tiret revue tiret quatre].
link|On est sur meet.example.org barre oblique [lundi tiret revue].
link|El nombre de la sala es [lunes guion ventas].
link|Entra en la sala [lunes guion ventas guion nueve].
link|La sala se llama [lunes-ventas-k7], en Jitsi.
link|Estamos en meet punto example punto org barra [lunes guion ventas].
link|The meeting ID is [nine three eight, four four one seven, two two oh six] and the passcode is [four four one seven].
link|Wir nutzen Zoom, die ID [938 4417 2206], Kenncode [kTmQ].
link|Bei der Konferenz geben Sie [4021 77] ein, wenn nach der PIN gefragt wird.
link|Pour la conférence, tapez [402177] quand on vous demande le code.
link|Para la reunión, marca [402177] cuando te pida el código.
link|Dial in with [938]. // Yeah, Zoom. // [441, 7220].
link|Go to Google Meet and enter [a b c]. // [d e f g]. // [h i j].
link|En Google Meet escribe [a de Antonio, b de Barcelona, c de Carmen]. // [d e f g]. // [h i j].
link|The PIN for the webinar is [4981].
link|La pin de la conferencia es [4981].
link|Le code PIN pour la visio est [4981].
link|The room's [acme dash demo], then [dash four two].
link|We host it on call dot acme dot example slash [acme dash demo].
link|room code is [tango-lima-42]
link|der link zum raum ist video.example.org slash [alpha minus demo]
phone|Für Notfälle haben Sie [015212345678], da geht immer jemand ran.
phone|Ponme el [55 12345678] para el código.
phone|¿Sigue siendo [655 500773] tu línea?
phone|For the warehouse you want plus [65 8555-0454].
phone|Sie wählen plus [352, 621, 000, 022], dann die Kollegin.
phone|I said plus [6 4 9, 5 5 5, 0 8 0 2].
phone|The code went to [four oh four, five fifty-five, oh one fifty-five], my husband's.
phone|C'est le [4, 3, 8] voilà, [5, 5, 5, 0, 1, 6, 3], sa ligne directe.
card|Here's the new one: [4242424242424242], same name on it.
card|On prend la Mastercard, donc [5400] alors [4049, 9276, 6286].
card|Allez-y, c'est la carte [5184 8937 9465 4879], je corrige, [quatre huit un neuf].
card|The card is [5184 8937 9465 4879], sorry, I mean, [4819].
link|Der Zugangscode für Webex ist [8404 8707 790], ach Quatsch, [siebenundsechzig neunzig].
""".strip().splitlines()

STAYS = """
Vendimos el 33 55508223 de unidades.
Unsere Auftragsnummer ist 015255506898.
Artikel 017604062738 ist wieder da.
Te llamamos para las 11, 90, 120, 24 y 26 licencias.
Prueba con el 10, 20, 30 o 40 por ciento.
We owe plus 352, 621, 000, 022 in accruals.
We looked at it and then 20 more, 35, 40, 410, 500 and 1200 of them.
Das ist die Region d e zwölf, und dann 44 Kunden, 50 Verträge, 17 Partner und 32 Filialen.
Pour le premier, on était à 44, puis 50, puis 17, 32, 49, 31 et 12 sites.
En la zona ES 12 hay 44, 50, 17, 32, 49, 31 y 12 tiendas.
We had 400, sorry, I mean 420 seats.
That's plus 20 percent, 30 percent, 45 percent and 50 percent.
We added plus 352,621,000 in revenue.
Es el 33 de 55508223 pedidos.
We tried five, ten, fifteen and twenty seats.
The meeting room has a follow-up on Tuesday.
We met in room twelve for a check-in about the roll-out.
Unser Raum für das Follow-up ist gebucht.
Im Raum Köln-Bonn haben wir drei Kunden.
La salle de co-working est ouverte le mercredi.
La sala de e-learning tiene veinte plazas.
There's room for a twenty minus five percent discount.
Wir haben im Raum Nord minus acht Prozent gesehen.
Let's meet mid-week, maybe Thursday-ish.
Watch the recording at video.example.com/how-to-guide.
The article is on live.example.com/product-news/getting-started.
We compared Jitsi, Whereby and a self-hosted one.
Nos vemos en la sala de siempre, planta menos dos.
Il y a de la place, la salle fait moins de cent mètres carrés.
The room was half-empty, and well-known people left.
There's no room for error in a B2B go-to-market motion.
Do you meet face-to-face or one-on-one?
The meet-and-greet is at nine.
We meet the state-of-the-art requirements, ISO-9001 and PCI-DSS.
Room for 20-30 people, mid-2024.
We meet the Q3-Q4 target and the FY-2025 plan.
The password is reset every ninety days.
The password is wrong, dash it, try again.
The password is case sensitive and at least twelve characters.
Password is a two factor thing now.
Das Passwort ist abgelaufen, Punkt.
Das Passwort ist Sache der IT.
Le mot de passe est expiré, point.
La contraseña es cosa de sistemas, punto.
Guest wifi is fine, five bars.
Try iPhone15ProMax first, then Office365+Teams.
The zip opens with WinRAR64 or 7-Zip.
Files are encrypted with end-to-end encryption, AES-256-GCM, open standards.
The account is protected with two-factor authentication, open it with SSO.
We pass 100Mbps+ over the VPN, user Q4/FY24 numbers are out.
Our key markets are NASA dash ESA dash and APAC, B2B2C dash SaaS.
The licence business did well in EMEA, dash, APAC, dash, LATAM, up from 2Q24.
The password policy asks for one capital, one digit and one exclamation mark.
The password manager market grew twenty five point three percent.
Our password reset tickets fell from four hundred to two hundred.
The wifi contract is a big question mark for Q4.
Wi-Fi 6 and Wi-Fi 6E are what we sell. // Then Wi-Fi 7.
Is the password fine? // Yes. // Four more questions.
Mike, on password sharing in India, Golf and Echo asked two questions.
We offer password, star, and hash features.
Treat 2024 as the password year.
Das Passwort ist ein großes Thema bei uns.
WLAN ist für uns ein großes Fragezeichen.
Le mot de passe doit avoir douze caractères, une majuscule et un chiffre.
On a eu trois changements de mot de passe.
La clave es crecer un diez por ciento. // Luego, el precio.
Un mercado clave es México, con un 20 por ciento.
El primer mercado clave, Brasil, creció 30 por ciento.
Son tres factores clave. // Uno, precio. // Dos, calidad. // Tres, servicio.
Hubo trescientos reinicios de contraseña.
We came with a plan as the password to growth.
We see q4fy2024growth as the key metric.
Der iphone15promax ist der Schlüssel zum Erfolg.
The windows11-enterprise is our key product.
We use mp3player2000x as our token example.
Wir haben covid19vaccine-2021 als Projekt geführt.
The score was 21 14. // Then 05 minutes passed. // And 3 more.
We opened 12 stores. // Closed 3. // And 08 was the year it began.
Es waren 14 Filialen. // Dann 22. // Und null acht war das Gründungsjahr.
Van 12 de 40. // Quedan 05 por revisar.
The room is called Mercury, and it seats twelve.
Der Raum heißt Alpenblick, zweiter Stock.
Die Kennung des Projekts bleibt geheim.
Q one, Q two, Q three, Q four, all of them were up.
We do B two B and B two C, and a bit of B two B two C.
In Q 4 2020 and Q 1 2021 we grew, then Q 2 and Q 3 were flat.
Vitamins A, B 1, B 2, B 6, B 12, C, D 3 and E.
COVID 19 and 5 G and 4 K and 3 D were the words of the year.
We have options A, B and C, so A 1, B 2, C 3, that is the plan.
The postcode is S W 1 A 1 A A, near the park.
We opened in Madrid two, in Barcelona three, in Sevilla one.
Madrid dos, Barcelona tres, Sevilla cuatro, Toledo uno, Burgos seis.
Hamburg zwei, Berlin drei, Köln fünf, Essen eins, Potsdam vier.
Paul cinq, Marie deux, Louis trois, Pierre un.
Flight B A 2 4 9 leaves from gate C 1 2.
The part number is X 5 K 9 L 2 B.
I drive a BMW X5, she drives an Audi Q7. // Then an A4. // And then a Q5.
First was the XC90. // Then the EX30. // And it ended with the C40.
Fiscal 4Q20 was good. // Then 1Q21. // And then 2Q21.
Upgrade from v2.3.1 to v2.4.0. // Then to v3.0.0.
S and P 500, R and D 20, M and A 7.
See https://example.com/docs/12345 and https://www.example.com/news/2024/05/article-20240501.
Watch https://video.example.com/watch/12345678 if you like.
Our site is example dot com slash pricing, and there are 25 plans.
Look at example.com/pricing, then call Paul at ten.
The day-over-day change and the end-over-end one.
Our API-documentation-2 page and live-streaming-2024 show.
Windows 10, Office 365, and then iOS 14.
Series A, series B, series C, two, three, four.
Diez, veinte, cuarenta, ochenta. // Después fijo en ciento sesenta.
We went ten, twenty, forty, eighty. // Then fixed at one hundred sixty.
The email is important, and the first part of the call was good. // Then we spoke with Paul. // And that's at the top of the list.
La primera parte es fácil. // Luego vamos a la segunda. // Y la web es example punto com.
The first part is done. // Then the second. // Everything is at example.com.
Der erste Teil ist fertig. // Dann kommt der Rest. // Alles auf example.com.
I spoke with Thomas, with a smile, at the office in Berlin.
The domain example.com is ours. // We moved last year.
A one on one, a two by two, and I four wheel.
The code red alert lasted 20 minutes in the conference call.
We run on EC2, S3, K8s and p3dn. // Then R5. // And then M5.
Take a 3 by 5 card. X is 5, Y is 6, Z is 7, so X times Y is 30.
Die Punkte a 1, b 2 und c 3 gehen wir durch.
Tableau A 1, B 2, C 3, D 4, c'est tout.
We're a B2B SaaS with a 3D viewer, 4K video and 5G modems. // Then there's the H2O meter.
The first part of the contract is signed. // Then legal has the second. // And that's at the bottom of the list.
You can write the proposal. // Paul reviews it. // Then it's at example.com for everyone.
Vorne steht der Preis. // Dann kommt der Rabatt. // Alles steht auf example.com.
La primera parte del proyecto va bien. // Luego el equipo descansa. // La web es example punto com.
Le début est difficile. // Ensuite ça va mieux. // Le site est example point com.
Our domain is example.com, and the blog is at blog.example.com.
The domain, as I said, is healthcare. // We left the old one.
El dominio de la empresa es la logística. // Después crecimos.
Behind that is a simple idea. // The mail campaign went well.
Right of that you'll see example.com in the footer. // The mail icon is next to it.
Open the address bar, type example.com. // Then log in. // That's it.
Go to example.com/login and enter your e-mail.
See support.example.com/articles/360012345678 for the how-to.
The ticket is https://help.example.com/tickets/48213 and it's closed.
Join us at example.com/events/spring-launch next week.
Our live demo is at demo.example.com/tour, no login needed.
The video's on video.example.com/watch/intro-2024, about three minutes.
Meet the team at meet-the-team.example.com/about.
The conference call page is example.com/investors/2024/q3.
The room 512 code review took 20 minutes and the code coverage is 85.
Passcode protected rooms are a feature of plan 2.
The password policy asks for twelve characters and one digit.
Is the code green, or code yellow since week 32?
We moved from SAP R3 to S4 HANA in Q2 2021 and to AWS EC2 and S3 after.
Model names: GPT4, T5, BERT, then GPT3.5 and L2.
The A320, the B737 and the A350 are on order. // Then the E195. // Then the B787.
Order number 4 K 7 2 X 9 shipped yesterday.
Invoice INV-2024-0031 and PO-8842-2024 are open.
Ticket ABC-1234, then ABC-1240. // And ABC-1255.
The SKU is 88XJ21. // Then 90KL33.
Serial AB12 is the old model. // The new one is AB13.
The chassis is XC90 T8, then the V60 B4. // And the EX90.
Version 7.2.1b3 is out. // Next is 7.3.0rc1. // The last is 8.0.0a2.
We have L1, L2 and L3 support, P1 and P2 incidents, and S1 to S4.
Row A seat 4, row B seat 7, row C seat 9.
Grade A one, grade B two, and C three.
My kids are Ana, five, Luis, three, and Zoe, zero.
Tenemos Ana, cinco años, Luis, tres, y Zoé, nueve.
Plan A, plan B, plan C, uno, dos, tres.
Die Kollegen Anton, Berta und Emil kommen um drei, vier und fünf.
Wir haben Anton, drei, Berta, vier, Emil, fünf Stunden gegeben.
Paul a deux enfants, Marie en a trois, Henri zéro.
The vote was Adam six, Baker four, Charlie zero.
Lakers 98, Bulls 102. // Then Lakers 110, Bulls 99.
The vitamin K2 and D3 capsules, 5 mg each.
Channels 2, 4 and 7, plus E and Q.
E equals m c squared, and a squared plus b squared is c squared.
U S G A A P and I F R S 9 and I F R S 16 apply.
The year-over-year change and a bring-your-own-key plan.
The one-year-old and the two-year-old contracts, the use-it-now-ish one.
The key-value-store and the token-ring-era network.
Our live-stream-2024 event and the prod-us-east cluster had 3 outages.
The test_user account and the api_version field are documented.
The file is report_final_2024_v3.xlsx in folder 2024-10-12.
The commit touches main_window_2 and utils_test_3.
Die Datei heißt angebot_2024_final und liegt im Ordner Vertrieb_Nord.
El archivo es informe_2024_v2, está en la carpeta ventas_norte.
Half of it is 12. // The other half's 15. // And the rest is 18.
First we hired ten. // Then twenty. // And finally forty.
The last name on the list, Meyer, is our contact.
Our surname list has Smith and Jones.
Country code plus one is the US. // Our growth was seven percent.
We are plus one on the year. // Then 555 units. // Then 610.
Der Umsatz liegt bei plus drei. // Dann bei vier null. // Und am Ende fünf.
Zehn, zwanzig, vierzig, achtzig, so war der Plan. // Danach fest bei hundertsechzig.
Dix, vingt, quarante, quatre-vingts. // Ensuite fixe à cent soixante.
Visit www.example.com, slash pricing. // Then 25 people signed up.
Look at meet.example.com, it's our new site. // We have 4000 users there.
Check the video at example dot com slash video. // It has 5000 views.
We launched the app at five sites, with care, at the end of the year.
Thomas, with his team, at the office, handled it point by point.
I live at the corner, and then at four I met Sam at the cafe.
Write to us, in short, at the address on the site.
El correo llegó tarde. // Luego hablamos con Rosa. // Y al final quedó en la lista.
Der Code ist sauber. // Danach kommt der Rest. // Und hinten das Archiv.
Le mot de passe a changé. // Ensuite on a redémarré. // Et à la fin tout marche.
We were on AES256, SHA1 and MD5. // Now it's SHA256. // And TLS13.
Der ISO27001 Bericht kommt zuerst. // Dann SOC2. // Und am Ende C5.
""".strip().splitlines()
