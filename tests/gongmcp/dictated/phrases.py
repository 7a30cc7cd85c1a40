"""What people say around the pieces of a value: ``{}`` is the place of a piece, by language."""

from __future__ import annotations

OPENING: dict[str, dict[str, list[str]]] = {
    "phone": {
        "en": [
            "My number is {}", "You can get me on {}", "The cell is {}", "Her direct line starts with {}",
            "Grab a pen, my mobile, {}", "Reach him on {}", "The phone number begins {}", "For the callback, {}",
            "The best number for me would be {}", "Give reception a call, that one is {}", "Text me at {}",
        ],
        "de": [
            "Meine Nummer ist die {}", "Erreichbar bin ich unter {}", "Die Handynummer beginnt mit {}",
            "Notieren Sie sich bitte die Telefonnummer, {}", "Rufen Sie mich am besten an unter {}",
            "Die Durchwahl vom Kollegen, Moment, {}", "Mobil hat er die {}", "Die Vorwahl wäre {}",
        ],
        "fr": [
            "Mon numéro, c'est le {}", "Vous pouvez me joindre au {}", "Le portable, ça commence par {}",
            "Notez le téléphone du bureau, {}", "Son fixe est le {}", "Rappelez-moi au {}",
            "Pour la ligne directe, vous faites le {}",
        ],
        "es": [
            "Mi número es el {}", "Me puedes localizar en el {}", "El móvil empieza por {}",
            "Apunte el teléfono de la oficina, {}", "Llámeme al {}", "El fijo es el {}",
            "Para la línea directa marque {}",
        ],
    },
    "card": {
        "en": [
            "The card number is {}", "It's a Visa, {}", "Put it on the company card, {}", "My credit card starts {}",
            "Okay, the long number on the front is {}", "Mastercard, first four are {}",
        ],
        "de": [
            "Die Kartennummer lautet {}", "Meine Kreditkarte, Moment, {}", "Auf der Visa steht {}",
            "Bitte belasten Sie die Karte, {}", "Die Karte fängt an mit {}",
        ],
        "fr": [
            "Le numéro de la carte est {}", "Ma carte bleue, c'est {}", "C'est une Visa, {}",
            "Débitez la carte qui commence par {}", "Sur la carte je lis {}",
        ],
        "es": [
            "El número de la tarjeta es {}", "Mi tarjeta empieza por {}", "Es una Visa, {}",
            "Cárguelo a la tarjeta {}", "En el plástico pone {}",
        ],
    },
    "iban": {
        "en": ["The IBAN is {}", "Wire it to {}", "Our bank account starts with {}", "Refund goes to {}", "It's {}"],
        "de": ["Die IBAN lautet {}", "Überweisen Sie auf {}", "Unser Konto ist {}", "Die Bankverbindung, also {}"],
        "fr": ["L'IBAN, c'est {}", "Virez sur {}", "Notre compte commence par {}", "Sur le RIB il y a {}"],
        "es": ["El IBAN es {}", "La cuenta empieza por {}", "Haga la transferencia a {}", "El banco nos dio {}"],
    },
    "key": {
        "en": [
            "The API key is {}", "Here's the token, {}", "The secret starts with {}", "Paste this access token, {}",
            "For the sandbox key you type {}", "The password for the service account is {}",
        ],
        "de": [
            "Der API-Schlüssel ist {}", "Das Token beginnt mit {}", "Das Passwort lautet {}",
            "Für den Key tippen Sie {}", "Das Secret, ich lese vor, {}",
        ],
        "fr": [
            "La clé API, c'est {}", "Le jeton commence par {}", "Le mot de passe est {}", "Pour la clé secrète, {}",
            "Le token de test, alors, {}",
        ],
        "es": [
            "La clave de API es {}", "El token empieza por {}", "La contraseña es {}", "La clave secreta, a ver, {}",
            "Para el token de pruebas pon {}",
        ],
    },
    "email": {
        "en": ["My email is {}", "Send it over to {}", "Drop me a line at {}", "The address is {}", "Copy in {}"],
        "de": ["Meine E-Mail ist {}", "Schicken Sie es an {}", "Die Adresse lautet {}", "Schreiben Sie an {}"],
        "fr": ["Mon mail, c'est {}", "Envoyez-le à {}", "L'adresse est {}", "Écrivez à {}"],
        "es": ["Mi correo es {}", "Mándalo a {}", "La dirección es {}", "Escríbeme a {}"],
    },
    "link": {
        "en": ["The meeting link is {}", "Join us at {}", "Type in {}", "Go to {}", "The room is at {}"],
        "de": ["Der Link zum Meeting ist {}", "Gehen Sie auf {}", "Geben Sie ein {}", "Der Raum liegt unter {}"],
        "fr": ["Le lien de la réunion est {}", "Allez sur {}", "Tapez {}", "La salle est sur {}"],
        "es": ["El enlace de la reunión es {}", "Entren en {}", "Escriba {}", "La sala está en {}"],
    },
    "meeting": {
        "en": ["The meeting ID is {}", "Dial in, then the conference ID, {}", "Zoom ID {}",
               "For Webex the number is {}"],
        "de": ["Die Meeting-ID lautet {}", "Die Konferenznummer, also {}", "Die Zoom-ID ist {}"],
        "fr": ["L'identifiant de la réunion est {}", "Le numéro de conférence, c'est {}", "L'ID Zoom commence par {}"],
        "es": ["El ID de la reunión es {}", "El número de la conferencia es {}", "El ID de Zoom empieza por {}"],
    },
    "passcode": {
        "en": ["The passcode for the meeting is {}", "Zoom then wants a passcode, {}", "Access code, {}",
               "PIN for the call, {}"],
        "de": ["Der Kenncode fürs Meeting ist {}", "Der Zugangscode lautet {}", "Die PIN für Zoom, {}"],
        "fr": ["Le code d'accès à la réunion est {}", "Le code secret pour Zoom, c'est {}",
               "Le PIN de la conférence, {}"],
        "es": ["El código de acceso a la reunión es {}", "La clave de acceso de Zoom es {}",
               "El PIN de la conferencia, {}"],
    },
}  # fmt: skip
"""What announces the first piece."""

NEXT: dict[str, list[str]] = {
    "en": [
        "{}", "Then {}", "And {}", "After that comes {}", "Followed by {}", "The next bit is {}", "Next up, {}",
        "{} comes next", "Carry on with {}", "Then I see {}", "Now {}", "Second group, {}", "{}, right",
        "Moving along, {}", "Then it reads {}", "It carries on {}", "So next you punch in {}",
    ],
    "de": [
        "{}", "Dann {}", "Und {}", "Danach kommt {}", "Gefolgt von {}", "Der nächste Teil ist {}", "Als Nächstes {}",
        "{} kommt danach", "Weiter mit {}", "Dann sehe ich {}", "Jetzt {}", "Zweiter Block, {}", "Weiter geht's, {}",
        "Da steht dann {}", "Sodann {}", "Und nun tippen Sie {}",
    ],
    "fr": [
        "{}", "Puis {}", "Et {}", "Après il y a {}", "Suivi de {}", "La suite, c'est {}", "Ensuite {}",
        "{} vient après", "On continue avec {}", "Là je vois {}", "Maintenant {}", "Deuxième bloc, {}",
        "Je poursuis, {}", "Derrière vous mettez {}", "Vous ajoutez {}",
    ],
    "es": [
        "{}", "Luego {}", "Y {}", "Después viene {}", "Seguido de {}", "Lo siguiente es {}", "A continuación, {}",
        "{} va después", "Seguimos con {}", "Ahora veo {}", "Ahora {}", "Segundo bloque, {}", "Continúo, {}",
        "Detrás pones {}", "Se añade {}",
    ],
}  # fmt: skip
"""What leads to a piece in the middle."""

LAST: dict[str, list[str]] = {
    "en": [
        "And finally {}", "It ends with {}", "The last bit is {}", "And to close, {}", "{} and that's it",
        "The final ones are {}", "And the tail is {}", "Wrapping up with {}", "Last of all, {}", "{}, end of story",
    ],
    "de": [
        "Und zum Schluss {}", "Es endet mit {}", "Der letzte Teil ist {}", "Am Ende {}", "{} und das war's",
        "Und ganz hinten {}", "Zu guter Letzt {}", "Abschließend {}", "{}, fertig",
    ],
    "fr": [
        "Et enfin {}", "Ça finit par {}", "La fin, c'est {}", "Pour terminer {}", "{} et c'est tout",
        "Le dernier morceau, {}", "En dernier {}", "{}, voilà", "Et on termine avec {}",
    ],
    "es": [
        "Y por último {}", "Termina en {}", "El final es {}", "Para acabar {}", "{} y ya está",
        "Lo último es {}", "Y al final {}", "{}, eso es todo", "Cerramos con {}",
    ],
}  # fmt: skip
"""What leads to the last piece."""

BETWEEN: dict[str, list[str]] = {
    "en": [
        "Got that?", "One second, the page is loading.", "Sorry, my dog is barking.", "Are you with me?",
        "Let me scroll down a little.", "Hang on, I dropped my glasses.", "Okay, so far so good.", "Um, right.",
        "Tell me if I'm going too fast.", "I always mix this up.", "Hmm, the print is tiny.", "You there?",
        "Right, ready for more?", "Somebody just walked in, sorry.", "I hate these things.",
    ],
    "de": [
        "Haben Sie das?", "Sekunde, die Seite lädt noch.", "Entschuldigung, hier ist es laut.", "Alles klar so weit?",
        "Ich muss kurz scrollen.", "Moment, meine Brille ist weg.", "Gut.", "Ähm, genau.",
        "Sagen Sie, wenn ich zu schnell bin.", "Das verwechsle ich immer.", "Die Schrift ist winzig.",
        "Sind Sie noch dran?", "Da kommt gerade jemand rein.",
    ],
    "fr": [
        "Vous avez noté ?", "Une seconde, la page charge.", "Pardon, il y a du bruit.", "Ça va jusque-là ?",
        "Je descends un peu.", "Attendez, j'ai perdu mes lunettes.", "Bien.", "Euh, voilà.",
        "Dites-moi si je vais trop vite.", "Je me trompe toujours.", "C'est écrit tout petit.", "Vous êtes là ?",
        "Quelqu'un vient d'entrer.",
    ],
    "es": [
        "¿Lo tiene?", "Un segundo, la página está cargando.", "Perdón, hay mucho ruido.", "¿Hasta aquí bien?",
        "Bajo un poco.", "Espere, se me cayeron las gafas.", "Bien.", "Eh, eso es.",
        "Dígame si voy muy rápido.", "Siempre me confundo.", "La letra es muy pequeña.", "¿Sigue ahí?",
        "Acaba de entrar alguien.",
    ],
}  # fmt: skip
"""A sentence of its own between two pieces."""

WAIT = {
    "en": ["no wait,", "sorry,", "scratch that,"],
    "de": ["nein, Moment,", "Quatsch,", "falsch,"],
    "fr": ["non pardon,", "je me trompe,", "plutôt"],
    "es": ["no, perdón,", "me equivoco,", "digo,"],
}
"""What takes back the piece before it."""

SURE = {"en": ["yes", "ok"], "de": ["ja", "genau"], "fr": ["oui", "c'est ça"], "es": ["sí", "eso"]}
"""What follows a piece that is repeated."""

BACKWARDS: dict[str, list[tuple[str, str]]] = {
    "en": [("It ends in {}", "The start is {}"), ("The last part is {}", "And before that comes {}"),
           ("I only remember the end, {}", "Oh, here, it begins with {}")],
    "de": [("Hinten steht {}", "Und vorne {}"), ("Das Ende ist {}", "Davor steht {}"),
           ("Es hört auf mit {}", "Der Anfang lautet {}")],
    "fr": [("Ça se termine par {}", "Le début, c'est {}"), ("La fin est {}", "Et devant il y a {}"),
           ("Les derniers sont {}", "Et ça commence par {}")],
    "es": [("Acaba en {}", "El principio es {}"), ("La parte final es {}", "Y delante va {}"),
           ("Termina con {}", "Y empieza por {}")],
}  # fmt: skip
"""The end of a value said before its beginning; the announcement stands before the first."""

ABOUT: dict[str, dict[str, list[str]]] = {
    "phone": {
        "en": ["My phone number, right.", "Let me give you my mobile."],
        "de": ["Meine Telefonnummer, gut.", "Ich gebe Ihnen meine Handynummer."],
        "fr": ["Mon numéro de téléphone, alors.", "Je vous donne mon portable."],
        "es": ["Mi número de teléfono, vale.", "Le doy mi móvil."],
    },
    "card": {
        "en": ["The card number, let me see.", "I'll pay by credit card."],
        "de": ["Die Kartennummer, mal schauen.", "Ich zahle mit Kreditkarte."],
        "fr": ["Le numéro de carte, voyons.", "Je paie par carte."],
        "es": ["El número de tarjeta, veamos.", "Pago con tarjeta."],
    },
    "iban": {
        "en": ["Our IBAN then.", "You need the bank details."],
        "de": ["Unsere IBAN also.", "Sie brauchen die Bankverbindung."],
        "fr": ["Notre IBAN alors.", "Il vous faut le RIB."],
        "es": ["Nuestro IBAN entonces.", "Necesita los datos del banco."],
    },
    "key": {
        "en": ["The API key for you.", "I have the access token in front of me."],
        "de": ["Der API-Schlüssel für Sie.", "Ich habe das Token vor mir."],
        "fr": ["La clé API pour vous.", "J'ai le jeton devant moi."],
        "es": ["La clave de API para ustedes.", "Tengo el token delante."],
    },
    "meeting": {
        "en": ["You asked for the meeting ID."], "de": ["Sie wollten die Meeting-ID."],
        "fr": ["Vous vouliez l'identifiant de la réunion."], "es": ["Querían el ID de la reunión."],
    },
}  # fmt: skip
"""A sentence of its own that says what comes."""
