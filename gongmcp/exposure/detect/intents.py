"""The words that say what somebody is about to dictate: a phone number, a card, an account, a key, a meeting's code.

Folded, in English, German, French and Spanish. A word here is an intent only: whether a value follows, its form tells
(``gathered``).
"""

from __future__ import annotations

import re
from typing import Final

from gongmcp.exposure.detect import phone_number

PHONE_ALONE: Final = re.compile(phone_number.STRONG)
PHONE: Final = re.compile(
    rf"{phone_number.STRONG}|\b(?:number|nummer|numero)\b|\brufen\b|\bcallback\b|\bvorwahl|\bindicati[fv]"
    rf"|\bprefijo|\barea code"
    r"|\blandline|\bvoicemail|\bcountry code|\b(?:get|reach|find|catch|try|call|text|ring|ping) (?:me|us|him|her"
    r"|them)\b|\b(?:my|his|her|our|their|direct|private|second) (?:line|cell|mobile|landline|extension)\b"
    r"|\bfestnetz|\bextension\b|\bzentrale\b|\bstandard\b|\bcentralita\b|\blocali[zs]\w*|\bcontact(?:ar|er)\w*"
    r"|\brappel\w*|\bkontakt|\bdirect line\b|\bligne directe|\blinea directa"
)
CARD: Final = re.compile(
    r"\b(?:[a-z]*karten?(?:nummer|daten)?|cards?|visa|master ?card|amex|american express|maestro|carte|tarjeta|cb"
    r"|plastico|belasten|debitez|cargu?e\w*|abbuchen|long number|lange nummer|long numero|numero largo|charge it)"
    r"(?: (?:number|nummer|numero))?\b"
)
BANK: Final = re.compile(
    r"\bibans?\b|\bi b a n\b|\baccount\b|\bbank\w*|\bwire\b|\b\w*konto\w*|\buberweis\w*|\bcomptes?\b|\bvire[zr]\b"
    r"|\bvirement|\brib\b|\bcuentas?\b|\btransf\w*|\bbanc[ao]\w*|\brefund\w*|\berstatt\w*|\bremb\w*|\bdevolucion\w*"
    r"|\blastschrift|\bprelev\w*|\bpay(?:ment|able|out)?\b|\bpaiement|\bpago\b|\bzahlung"
)
IBAN: Final = re.compile(r"\bibans?\b|\bi b a n\b")
RECOVERY: Final = (
    r"(?:backup|recovery|rescue|activation|wiederherstellungs|aktivierungs|sicherungs|ersatz|notfall)[ -]?codes?"
    r"|codes? de (?:secours|recuperation|activation)|codigos? de (?:recuperacion|respaldo|activacion)"
)
"""Codes that open an account or a licence."""
KEY: Final = re.compile(
    r"\b(?:api|access|secret|private|licen[cs]e|signing|webhook|sandbox|ssh|stripe|github|gitlab|aws|production|test"
    r"|staging|service|zugangs|geheim)[ -](?:keys?|tokens?)\b"
    r"|\b(?:tokens?|secrets?|passwords?|passphrase|credentials?|passwort|kennwort|\w*schlussel|geheimnis|zugriffs\w*"
    r"|mots? de passe|jetons?|cles? (?:api|secrete|d'acces|de test|privee)|contrasenas?|claves? (?:de|secreta|api)"
    r"|llaves? (?:de|secreta|api)|secretos?|bearer|pat|jwt|api|den key|der key|the key"
    r"|\w*-(?:key|token|secret)"
    rf"|{RECOVERY})\b"
)
PASS: Final = re.compile(
    r"\b(?:pass ?-?codes?|pass ?-?words?|passwort|kennwort|kenncodes?|\w*zugangs-?codes?|\w*zugriffs-?codes?|pins?"
    r"|nips?|codes? d[' ]?acces|codes? secrets?|codes? confidentiels?|mots? de passe|contrasenas?"
    r"|claves? de (?:acceso|entrada|zoom)"
    r"|codigos?(?: de acceso| secretos?)?|access[ -]codes?|entry codes?|host keys?|geheimzahl|einwahl-?codes?)\b"
)
MEETING: Final = re.compile(
    r"\b(?:meetings?|meeting-\w+|webinar\w*|zoom|zoom-\w+|teams|webex|meet|konferenz\w*|besprechung\w*|video\w*"
    r"|reunion|conference|conferencia|visio|sala|salle|join|beitreten|einwahl\w*|dial[ -]?in|rejoin\w*|connectez"
    r"|conect\w+|unirse|sesion|session)\b"
)
ROOM_ALONE: Final = re.compile(
    r"\b(?:meeting|zoom|webex|teams|webinar|conference|konferenz|besprechungs?"
    r"|sitzungs)[ -]?(?:meeting[ -])?(?:ids?|number"
    r"|nummer|kennung)\b|\b(?:ids?|identifiant|identificador|numero) (?:de |du |der |de la |del )?(?:zoom"
    r"|webex|teams|reunion"
    r"|conference|conferencia|sala|salle|meeting)\b"
)
ROOM: Final = re.compile(
    r"\bids?\b|-ids?\b|\bi d\b|\bidentifi\w+|\bidentificador\b|\b(?:number|nummer|numero)\b|\w+nummer\b|\bkennung\b"
    r"|\bcode\b|\bcodigo\b"
)
OTHER: Final = re.compile(
    r"\b(?:orders?|invoices?|tickets?|references?|ref|sku|versions?|models?|serial|po|zip|pages?|part no"
    r"|articles?|artikel\w*|bestell\w*|rechnung\w*|charges? (?:no|number)|chargen?\w*|seiten?|commandes?|factures?"
    r"|lots?(?= (?:number|no|nummer|numero|[0-9]))|pedidos?|facturas?|paginas?|lotes?|batch(?:es)?|flights?|flug"
    r"|vol|vuelo|gate|kunden-?nummer"
    r"|sendung\w*|tracking|highway|interstate|form|section|rule|topic)"
    r"(?: (?:number|nummer|numero|no))?\b"
)
"""What other numbers are called; nearer than any of the above, it says that a number is none of ours."""
FIGURES: Final = re.compile(
    r"\b(?:revenues?|sales|margins?|units|volumes?|seats|headcount|stores|sold|growth|grew|guidance|quarter|fiscal"
    r"|umsatz\w*|absatz|stuckzahl\w*|verkauft\w*|chiffre d'affaires|ventes|vendu\w*|ingresos|ventas|vendi\w*"
    r"|unidades|unites|trimestre|quartal)\b"
)
"""What figures are told of."""

FAMILIES: Final = {
    "other": OTHER, "card": CARD, "iban": BANK, "key": KEY, "pass": PASS, "room": MEETING, "phone": PHONE,
}  # fmt: skip

QUICK: Final = (
    r"(?:\btelephone (?:is|number)|(?:my|his|her|our|the|bureau|le|du) telephone\b|telefo|callback|\b(?:my"
    r"|his|her|our|their|direct|callback|contact|office|home|work|free|card|account"
    r"|meeting|conference|phone|cell|mobile|zoom|best) (?:number|line|cell|mobile|landline)\b|\bnumber (?:is|for)\b"
    r"|nummer\b|\bnumero\b|\bfixe\b|\bfijo\b|\bsms\b|\bmarque\b|\bcomposez|\banruf|\brufen?\b|\brufnummer"
    r"|\bligne\b|\blinea\b"
    r"|\bhandy|\bcelular|\bportable\b|\bdurchwahl|\berreich|\b(?:get|reach|find|catch|try|call|text|ring|ping) (?:me"
    r"|us|him|her|them)\b|\bappel|\bjoindre\b|\bllam|\bmovil|\bmobil\b|\bfax\b|\bcell\b|\bvorwahl"
    r"|\bindicati[fv]o?\b|\bprefijo"
    r"|\bfestnetz|\bextension\b|\blandline|\bvoicemail|\bzentrale\b|\bcentralita\b|\ble standard\b"
    r"|\blocali[zs]ar|\blocali[zs]ame"
    r"|\bcontact[ae]r|\brappel|\bkontakt|\bmobile,|\bwhats ?app|\bdial\b|karte|\bcard\b|\bvisa\b|\breception"
    r"|\bmaster ?card|\bamex\b|\bamerican express|\bmaestro\b|\bcarte\b|\btarjeta|\bcb\b|\bplastico|\bbelasten"
    r"|\bdebitez|\bcargu?elo|\bcargue\b|\bibans?\b|\bi b a n\b|\bbank (?:account|details)|\b(?:our"
    r"|my) account\b|\bwire\b|konto|\buberweis"
    r"|\bcompte|\bvire[zrm]|\brib\b|\bcuenta|\btransferenc|\btransferez|\bwire transfer|\bbanco|\bbankverb"
    r"|\brefund (?:goes|to|it)\b|\berstatt|\bremb|\bdevolucion"
    r"|\btokens?\b|\bsecret\b|\bpass ?-?(?:code|word|wort|phrase)|\bkennwort|schlussel|\bgeheim"
    r"|\bmots? de passe|\bjeton|\bcles?\b|\bcontrasena|\bclaves?\b"
    r"|\bllave|\bbearer\b|\bpat\b|\bapi\b|\b(?:api|access|secret|private|licen[cs]e|sandbox|webhook|service"
    r"|den|der)[ -]keys?\b|\bkey (?:is|ist)\b|\bcredentials? (?:is|are)|\bcode|\bcodigo|\bpin\b|\bnip\b|-id\b"
    r"|\bids?\b|\bidentifiant|\bidentificador)"
)
"""What a text holds in which a value is announced, for the quick look."""
