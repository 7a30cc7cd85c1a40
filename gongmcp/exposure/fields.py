"""Field classes: what kind of thing a column holds, and under which conditions it may leave.

Every column of every row model carries one ``Expose``; a column without one never leaves
(``gongmcp.exposure.engine``). The declaration is static: it depends on policy and arguments alone,
never on a row's value.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Provenance(Enum):
    """Transcript-evidence provenance: what may identify the source of a quotation."""

    REDACTED = "redacted"
    ALIAS = "alias"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class _Class:
    title: str
    untrusted: bool = False  # text that people wrote or said: quoted in formatted text, cleaned of controls
    max_chars: int = 0  # longer text is cut with a mark; 0 = no text, or bounded by construction
    token: bool = False  # an id or time as the data gives it: one word; anything else is treated as untrusted text


class Field(Enum):
    """The class of a value."""

    STATUS = _Class("status word made by the server")
    COUNT = _Class("count of calls, objects, rows or people; coarsened by --min-cell")
    MEASURE = _Class("rate, duration, position, or a number about one row that stands for itself")
    TIME = _Class("date or time", False, 64, True)
    GROUP = _Class("number of a call within one answer")
    CATEGORY = _Class("closed vocabulary made by the server")
    LABEL = _Class("business category from the data: system, industry, stage", True, 200)
    CALL_ID = _Class("Gong call id", False, 64, True)
    CALL_REF = _Class("stable keyed alias of a call")
    CALL_TITLE = _Class("call title", True, 300)
    SPEAKER_ID = _Class("Gong speaker id", True, 64)
    SPEAKER_REF = _Class("stable keyed alias of a speaker in a call")
    SNIPPET = _Class("transcript snippet", True, 400)
    EXCERPT = _Class("excerpt of neighbouring transcript segments", True, 800)
    ACCOUNT_NAME = _Class("account name or website", True, 200)
    OPPORTUNITY_NAME = _Class("opportunity name, close date or probability", True, 200)
    CRM_OBJECT_ID = _Class("CRM object id", True, 64)
    OBJECT_REF = _Class("stable keyed alias of a CRM object")
    CRM_OBJECT_NAME = _Class("CRM object name", True, 200)
    CRM_TYPE = _Class("CRM object type or field name", True, 120)
    CRM_VALUE = _Class("CRM field value", True, 240)
    PERSON_NAME = _Class("name of a person", True, 120)
    PERSON_TITLE = _Class("job title of a person", True, 160)
    EMAIL = _Class("e-mail address", True, 120)
    SETTING_NAME = _Class("name of a tracker, scorecard, workspace or profile", True, 200)
    SETTING_ID = _Class("id of a tracker, scorecard, question or workspace", False, 64, True)
    SETTING_TEXT = _Class("question, guide or description text", True, 500)
    AI_TEXT = _Class("text that Gong's AI wrote about a call", True, 600)
    ANSWER_TEXT = _Class("answer text of a scorecard", True, 240)
    LOSS_REASON = _Class("loss reason", True, 200)
    ECHO = _Class("the caller's own argument", True, 512)

    @property
    def untrusted(self) -> bool:
        """True for text that people wrote or said."""
        return self.value.untrusted

    @property
    def token(self) -> bool:
        """True for an id or time as the data gives it, which is one word unless somebody tampered with it."""
        return self.value.token

    @property
    def max_chars(self) -> int:
        """Longest text of this class on the wire, in characters; 0 = unbounded here."""
        return self.value.max_chars

    @property
    def title(self) -> str:
        """What a value of this class is, in words."""
        return self.value.title


SWITCHES: dict[str, frozenset[Field]] = {
    "hide_call_titles": frozenset({Field.CALL_TITLE}),
    "hide_raw_call_ids": frozenset({Field.CALL_ID}),
    "hide_account_names": frozenset({Field.ACCOUNT_NAME}),
    "hide_opportunity_names": frozenset({Field.OPPORTUNITY_NAME}),
    "hide_speaker_ids": frozenset({Field.SPEAKER_ID}),
    "hide_contact_names": frozenset({Field.PERSON_NAME, Field.PERSON_TITLE}),
    "hide_contact_emails": frozenset({Field.EMAIL}),
    "hide_loss_reasons": frozenset({Field.LOSS_REASON}),
    "hide_crm_value_snippets": frozenset({Field.CRM_VALUE}),
}
"""Policy switches and the classes that each withholds, whatever flags or provenance say."""


@dataclass(frozen=True, slots=True)
class Expose:
    """How one column may leave.

    Attributes:
        field: class of the value.
        opt_in: name of the boolean argument that must be true; None = no opt-in needed.
        modes: provenance modes in which it may leave; None = all.
        never: it leaves under no mode, flag, profile or token.
        by: name of the argument whose value picks the class of a group label (``DIMENSIONS``).
        exact: it would tell a small group apart, so it leaves only while every count does (``min_cell`` is 1).
    """

    field: Field
    opt_in: str | None = None
    modes: frozenset[Provenance] | None = None
    never: bool = False
    by: str | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """Marks an argument whose value is compared with values of class *field*.

    It is accepted where a column of that class would be shown; *needs* names the flag that must be true as well.
    """

    field: Field
    needs: str | None = None


def shown(field: Field) -> Expose:
    """Declare a column that leaves unless a switch withholds its class."""
    return Expose(field)


def opt_in(field: Field, argument: str, *modes: Provenance) -> Expose:
    """Declare a column that leaves only when *argument* is true, and only in *modes* when given."""
    return Expose(field, opt_in=argument, modes=frozenset(modes) or None)


def in_modes(field: Field, *modes: Provenance) -> Expose:
    """Declare a column that leaves only in the given provenance modes (references)."""
    return Expose(field, modes=frozenset(modes))


def never(field: Field) -> Expose:
    """Declare a column that the row carries but that never leaves."""
    return Expose(field, never=True)


def exact(field: Field, *modes: Provenance) -> Expose:
    """Declare a column of an aggregate that tells of single calls: a sum of durations, an average, the latest call."""
    return Expose(field, modes=frozenset(modes) or None, exact=True)


def by(argument: str) -> Expose:
    """Declare a group label whose class follows the dimension named by *argument*."""
    return Expose(Field.LABEL, by=argument)
