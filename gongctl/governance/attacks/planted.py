"""Calls with secrets in them, for an adversary to look for. All names are invented, all domains reserved."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

CUSTOMER: Final = "Quorvex Dynamics"
"""The restricted customer of the planted calls."""
SITE: Final = "quorvex-dynamics.test"

COMMON: Final = "roadmapping"
"""Spoken in every planted call, so that a search finds those that are served."""

HIDDEN_IDS: Final = ("8800000000000000101", "8800000000000000102")
"""Calls that name the customer."""
PRIVATE_ID: Final = "8800000000000000103"
OPEN_IDS: Final = ("8800000000000000201", "8800000000000000202", "8800000000000000203")
LONG_ID: Final = OPEN_IDS[2]
LONG_SEGMENTS: Final = 300
DAYS: Final = {
    HIDDEN_IDS[0]: "2019-02-11",
    HIDDEN_IDS[1]: "2019-02-12",
    PRIVATE_ID: "2019-02-13",
    OPEN_IDS[0]: "2019-02-20",
    OPEN_IDS[1]: "2019-02-21",
    LONG_ID: "2019-02-22",
}
"""The day of each call; no other call is expected on those of hidden ones."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A planted value. *kind* says what should keep it, *word* is the part that a search could spell."""

    kind: str
    value: str
    word: str


SECRETS: Final = (
    Secret("restricted name", CUSTOMER, "quorvex"),
    Secret("restricted domain", SITE, "quorvex"),
    Secret("word of a restricted call", "zibbermost", "zibbermost"),
    Secret("word of a private call", "yolkwarden", "yolkwarden"),
    Secret("masked e-mail address", "veltrop.quandary@example.com", "veltrop"),
    Secret("masked telephone number", "202-555-0147", "0147"),
    Secret("party's e-mail address", "pendrake.hollins@example.org", "pendrake"),
    Secret("party's name", "Pendrake Hollinsworth", "hollinsworth"),
    Secret("id of a restricted call", HIDDEN_IDS[0], HIDDEN_IDS[0]),
    Secret("CRM object id", "001XXPLANTEDOBJ", "001XXPLANTEDOBJ"),
    Secret("job title of a party", "Keeper of Wrenching Ledgers", "wrenching"),
)
"""What no tool shows under the strictest policy. What a policy shows on request is no secret under it."""


def long_words() -> list[list[str]]:
    """Return the words of each segment of the long call."""
    draw = random.Random("long call")
    letters = "bdfgklmnprstv"

    def word() -> str:
        return "".join(draw.choice(letters) + draw.choice("aeiou") for _ in range(draw.randint(2, 4)))

    vocabulary = [word() for _ in range(700)]
    return [[*draw.choices(vocabulary, k=draw.randint(5, 24)), COMMON] for _ in range(LONG_SEGMENTS)]


def documents() -> list[dict[str, Any]]:
    """Return the planted calls and transcripts in the shape of Gong's API answers."""
    calls = [_call(call_id) for call_id in DAYS]
    transcripts = [{"callId": call_id, "transcript": _turns(said_in(call_id))} for call_id in DAYS]
    return [{"calls": calls}, {"callTranscripts": transcripts}]


def customers() -> list[dict[str, Any]]:
    """Return the entries of a restricted list for the planted calls."""
    return [{"name": CUSTOMER, "domains": [SITE]}]


def said_in(call_id: str) -> list[str]:
    """Return the sentences of a planted call."""
    if call_id == LONG_ID:
        return [" ".join(words) + "." for words in long_words()]
    said = [f"Today is about {COMMON} and little else."]
    if call_id in HIDDEN_IDS:
        return [*said, f"At {CUSTOMER} we call it zibbermost.", "It works."]
    if call_id == PRIVATE_ID:
        return [*said, "The yolkwarden file stays between us."]
    return [
        *said,
        "Write to veltrop.quandary@example.com about it.",
        "Or ring (202) 555-0147, the number 202-555-0147 is mine.",
    ]


def _call(call_id: str) -> dict[str, Any]:
    hidden = call_id in HIDDEN_IDS
    account = CUSTOMER if hidden else f"Plainfield Traders {call_id[-1]}"
    industry = f"{CUSTOMER} freight" if hidden else "Logistics"
    return {
        "metaData": {
            "id": call_id,
            "title": f"{account} weekly",
            "started": f"{DAYS[call_id]}T10:00:00Z",
            "duration": 1800,
            "system": "Zoom",
            "direction": "Conference",
            "scope": "External",
            "isPrivate": call_id == PRIVATE_ID,
        },
        "parties": [
            {
                "id": f"71{call_id[-3:]}",
                "speakerId": f"72{call_id[-3:]}",
                "name": "Pendrake Hollinsworth",
                "title": "Keeper of Wrenching Ledgers",
                "emailAddress": f"someone@{SITE}" if hidden else "pendrake.hollins@example.org",
                "affiliation": "External",
            }
        ],
        "context": [
            {
                "system": "Salesforce",
                "objects": [
                    {
                        "objectType": "Account",
                        "objectId": f"001HIDDEN{call_id[-3:]}" if hidden else "001XXPLANTEDOBJ",
                        "fields": [{"name": "Name", "value": account}, {"name": "Industry", "value": industry}],
                    }
                ],
            }
        ],
    }


def _turns(sentences: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "speakerId": "72201",
            "topic": None,
            "sentences": [
                {"start": 2000 * (at + n), "end": 2000 * (at + n) + 1900, "text": text}
                for n, text in enumerate(sentences[at : at + 6])
            ],
        }
        for at in range(0, len(sentences), 6)
    ]
