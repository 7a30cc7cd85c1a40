"""The words that stand between the pieces of something dictated, and the names that letters are spelt with.

Folded, in English, German, French and Spanish. ``CARRIERS`` say nothing of their own: sounds, joints, corrections,
questions whether the other one follows. ``dictation`` reads on over them.
"""

from __future__ import annotations

from typing import Final

from gongmcp.exposure.detect import numerals
from gongmcp.exposure.detect.spoken import (
    AT_PHRASES,
    AT_SIGNS,
    FILLERS,
    LETTER_NAMES,
    NATO,
    SIGN_WORDS,
    phrases,
    words,
)

PAUSES: Final = (
    FILLERS
    | words(
        "wait sec second moment hold hang sorry oops actually correction scratch warten warte sekunde augenblick "
        "entschuldigung verzeihung pardon falsch quatsch korrektur blödsinn unsinn attendez attends instant "
        "excusez trompe plutot"
        "voilà espere espera perdón perdone disculpe equivoqué digo sea ver dejame dejeme corrijo rectifico momento "
        "pause pausa nochmal again mean segundo seconde"
    )
) - {"also", "like"}
"""Sounds, requests to wait, and words that take back what was just said."""

_JOINTS: Final = words(
    "other otra otro otras andere anderen autre ahead carry proceed listening fire shoot ready understood absolutely "
    "digame dime diga oigo escucho adelante entendido seguimos bien bueno listos mande perfecto venga "
    "los sicher klar natürlich bereit aha schön super danke weiterhin fertig vous tu vas allez allez-y entendu "
    "parfait compris merci vas-y écoute gracias thanks thank "
    "and then so next after rest is was are be it it's its that that's thats this here now the a ok okay yes yep "
    "yeah "
    "yup right sure well let me see no not i last final remaining one goes go going on continues continue with "
    "followed by half part first third fourth fifth bit block group got you there still did do ready good great "
    "please "
    "once more said say break my bad bear check slowly follow far following copy end done correct exactly "
    "perfect mhm just starts start begins "
    "und dann danach also der die das rest ist zweite zweiter dritte dritter erste erster halfte teil weiter mit "
    "geht kommt sie kurz einen bitte ja genau gut nein noch jetzt zeilenumbruch stimmt so ich meine letzte letzter "
    "block haben hast du es soweit hab nee doch richtig ein steht sind verstanden mitgeschrieben notiert nach dem "
    "anschliessend am ende zum schluss lautet und zwar zum halt mal sehen "
    "et puis ensuite après apres alors donc le la les reste fin suite c'est c est voila une pardon moi je me non "
    "enfin oui d'accord ok avez suivez noté ça ca continue deuxième deuxieme troisième première moitié moitie "
    "partie il bon ben retour à a par sur du de vous suis tres bien parfait c'etait exact "
    "ends with space leerzeichen espace espacio endet auf hort finit par se termine termina acaba en "
    "y luego después despues entonces el los resto es segunda segundo tercera primera mitad parte sigue con va por "
    "que mejor dicho o pues si sí vale bueno lo tiene sigue apuntó apunto tengo salto continúa continua "
    "un una eso ahí ahi viene son final último ultimo listo correcto claro anotado su mi al este"
)
_REMARKS: Final = words("ext extension durchwahl nebenstelle apparat poste interno anexo extensión internal klappe")
CARRIERS: Final = PAUSES | _JOINTS | _REMARKS
"""Words over which a dictation is followed."""

ORDER: Final = words(
    "then next finally last lastly first second third fourth middle end ends ending tail rest remaining remainder "
    "remains followed continues continue continuing carries goes after afterwards behind front starts start begins "
    "beginning finish finishes line row top bottom part parts piece pieces bit block chunk group half other sticker "
    "comes closing left add plus and more also secondly thirdly missing "
    "dann danach anschliessend schliesslich zuletzt zuerst erstens zweitens drittens viertens erste ersten erster "
    "erstes zweite zweiten zweiter zweites dritte dritten dritter drittes vierte vierter letzte letzten letzter "
    "letztes nachste nachster nachstes mitte mittlere anfang ende schluss hinten vorne dahinter davor rest restlichen "
    "restliche fehlt folgt folgen weiter zeile obere untere oben unten teil teile stuck block gruppe halfte und noch "
    "anderen andere endet beginnt "
    "puis pis ensuite apres enfin suite suivant suivante suivants milieu fin finit debut reste restants restant "
    "premier premiere deuxieme second seconde troisieme quatrieme dernier derniere derniers deuxiemement "
    "troisiemement"
    "premierement ligne haut bas partie morceau bout bloc groupe moitie derriere devant manque termine terminer finir "
    "continue poursuis encore autre et alors "
    "luego despues entonces finalmente final ultimo ultima ultimos medio mitad resto demas primero primera segundo "
    "segunda tercero tercera tercer siguiente siguientes linea arriba abajo parte trozo pedazo bloque grupo detras "
    "delante principio arranca ahora primeros primeras segundos terceros siguen terminan acaban empieza empiezan "
    "comienza comienzan seguido seguida falta acaba termina sigue continuo continua quedan queda otra "
    "otro y todavia lado"
)
"""Words that say where in a value a piece belongs."""
_BESIDE: Final = words(
    "the a an of in on at to with it its it's is be i we you believe think guess say says said there there's that "
    "that's have has you've got would will should type write put enter digits numbers number figures characters "
    "reads read "
    "domane domaine adds "
    "isch denn uf de der die das den dem des im am an auf es ist sind ware war kommt steht stehen ich glaube "
    "sie schreiben zahlen"
    "ziffern nummer zeichen mit von zum zur direkt "
    "le la les l de du des au aux en sur c'est est sont serait il y a ca je crois avec par pour chiffres numeros "
    "caracteres juste ajoutez mettez tapez ecrivez "
    "el la los las lo del al ya nomas en es son seria hay con por va creo que pone dice viene numeros domain "
    "dominio cifras"
    "digitos justo ponga escriba anada teclee"
)
SEQUENCE: Final = CARRIERS | ORDER | _BESIDE
"""What may stand before a piece in its clause."""

CARRIER_PHRASES: Final = phrases(
    "one sec, one second, one moment, just a sec, hold on, hang on, let me see, let me check, bear with me, "
    "un momento, un segundo, une seconde, un instant, une minute, un moment, eine sekunde, ein moment, einen moment, "
    "after the slash, nach dem slash, nach dem schragstrich, apres le slash, apres la barre, despues de la barra, "
    "second half, second part, second one, mal sehen, o sea, a ver, line break, salto de linea, retour a la ligne"
    ", area code"
)
"""Such phrases of more than one word, with words that mean a value elsewhere."""

CASES: Final = words(
    "uppercase lowercase capital cap caps upper lower case small big letter großes grosses großer große "
    "großbuchstabe "
    "kleines kleinbuchstabe klein groß buchstabe majuscule minuscule mayúscula minúscula mayus letra lettre"
)
"""Words for the case of a letter, said before or after it."""

_GERMAN: Final = (
    "anton ärger berta bertha cäsar charlotte dora emil friedrich gustav heinrich ida julius kaufmann konrad ludwig "
    "martha nordpol otto ökonom paula quelle richard siegfried samuel theodor ulrich übermut viktor wilhelm "
    "xanthippe "
    "ypsilon zacharias zeppelin aachen berlin chemnitz cottbus düsseldorf essen frankfurt goslar hamburg ingelheim "
    "jena köln leipzig münchen nürnberg offenbach potsdam quickborn rostock salzwedel tübingen unna völklingen "
    "wuppertal xanten zwickau"
)
_FRENCH: Final = (
    "anatole berthe célestin camille désiré eugène émile françois gaston henri henriette irma isidore joseph jean "
    "jacques kléber louis lucien marcel marie nicolas noémie oscar pierre paul quintal raoul robert suzanne simone "
    "thérèse ursule victor william xavier yvonne zoé zéphirin"
)
_SPANISH: Final = (
    "antonio alicante barcelona burgos carmen cádiz dinamarca dolores enrique españa francia gerona granada historia "
    "huelva inés italia josé jaén kilo lérida lorenzo lugo madrid málaga maría navarra navidad oviedo parís pamplona "
    "querido queso ramón roma sevilla sábado soria tarragona teruel toledo ulises valencia victoria vizcaya wagner "
    "washington xiquena xilófono yegua yolanda zaragoza zamora chocolate"
)
_ENGLISH: Final = (
    "able adam baker boy charles david dog edward easy fox frank george henry john king lincoln mary nora ocean "
    "peter queen robert sam sugar tom thomas union victor young zebra apple"
)
SPELLING: Final[dict[str, str]] = {
    **{word: word[0] for word in words(" ".join((_GERMAN, _FRENCH, _SPANISH, _ENGLISH)))},
    **NATO,
    **{name: letter for name, letter in LETTER_NAMES.items() if " " not in name},
    "schule": "s",
    "ve": "v",
    "ge": "g",
    "pe": "p",
    "cu": "q",
    "ka": "k",
    "x-ray": "x",
    "ray": "",
}
"""Name -> the letter that is spelt with it."""

SIGNS: Final[dict[tuple[str, ...], str]] = {
    **{tuple(said.replace("-", " ").split()): sign for said, sign in SIGN_WORDS.items()},
    **{(word,): "@" for word in AT_SIGNS},
    **{tuple(said.replace("-", " ").split()): "@" for said in AT_PHRASES if "@" not in said},
    ("at",): "@",
    ("under", "score"): "_",
}
"""Words for a sign -> the sign."""

NUMBERS: Final = (
    frozenset(word for language in numerals.LANGUAGES for said in numerals.phrases_of(language) for word in said)
    | frozenset(word for said in numerals.REPEATS for word in said)
    | {"hundred", "cent", "cents", "ciento"}
) - {"y", "e", "et", "und", "en", "on", "fois", "veces", "mal"}
"""Words that say digits, by themselves or together."""

DOUBTFUL: Final = numerals.UNCERTAIN | {"oh", "o", "hum", "hundred", "cent", "cents", "cien"}
"""Words of numbers that mostly mean something else unless another value stands beside them."""

UNITS: Final = words(
    "percent per prozent pour million millions millionen millones billion billions milliarden milliards trillion "
    "thousand thousands tausend mille mil basis bps dollar dollars euro euros pound pounds pesos share shares unit "
    "units people employees customers years year months month weeks week days day hours hour minutes minute stores "
    "jahre monate wochen tage stunden prozentpunkte kunden stück uhr ans mois semaines jours heures points personnes "
    "años meses semanas días horas puntos clientes times x quarters quarter degrees grad degrés grados komma virgule "
    "coma figure figures kunde"
)
"""Words behind which a number is an amount, and no piece of anything."""
