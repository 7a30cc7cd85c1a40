"""What vCon tools answer, as row models: each column with its declared exposure, and the JSON Schema of it all.

From a store values leave as they are; from a cache every column passes the disclosure engine.
"""

from __future__ import annotations

import types
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

from gongmcp.exposure.fields import Field, exact, never, shown
from gongmcp.exposure.rows import Row, hints, strip
from gongmcp.exposure.text import MaskedText

Id = Annotated[str, shown(Field.CALL_REF)]
Title = Annotated[str | MaskedText, shown(Field.CALL_TITLE)]
Time = Annotated[str, shown(Field.TIME)]
Label = Annotated[str, shown(Field.LABEL)]
Labels = Annotated[list[str], shown(Field.LABEL)]
Word = Annotated[str, shown(Field.CATEGORY)]
Words = Annotated[list[str], shown(Field.CATEGORY)]
Count = Annotated[int, shown(Field.COUNT)]
Number = Annotated[int, shown(Field.MEASURE)]
Measure = Annotated[float, shown(Field.MEASURE)]
Size = Annotated[str, shown(Field.MEASURE)]
Bytes = Annotated[int, exact(Field.MEASURE)]
Sum = Annotated[float, exact(Field.MEASURE)]
Flag = Annotated[bool, shown(Field.STATUS)]
Snippet = Annotated[str | MaskedText, shown(Field.SNIPPET)]
Excerpt = Annotated[str | MaskedText, shown(Field.EXCERPT)]
TagMap = Annotated[dict[str, str], shown(Field.LABEL)]
Anything = Annotated[Any, shown(Field.CATEGORY)]


# --- a vCon and its parts ----------------------------------------------------------------------------------


class PartyRow(Row, kw_only=True):
    """One party; a store gives it verbatim."""

    index: Number
    placeholder: Flag | None = None
    name: Annotated[str | None, shown(Field.PERSON_NAME)] = None
    mailto: Annotated[str | None, shown(Field.EMAIL)] = None
    tel: Annotated[str | None, never(Field.PERSON_NAME)] = None
    role: Label | None = None
    type: Label | None = None


class DialogRow(Row, kw_only=True):
    """One dialog; of a served one the beginning of its text alone."""

    index: Number
    placeholder: Flag | None = None
    type: Label | None = None
    start: Time | None = None
    duration: Measure | None = None
    parties: Annotated[Any, shown(Field.MEASURE)] = None
    originator: Number | None = None
    disposition: Label | None = None
    mediatype: Label | None = None
    encoding: Label | None = None
    body_bytes: Number | None = None
    excerpt: Excerpt | None = None
    excerpt_withheld: Word | None = None


class AnalysisRow(Row, kw_only=True):
    """One analysis; of a served one the beginning of its text alone."""

    index: Number
    type: Label | None = None
    vendor: Label | None = None
    product: Label | None = None
    schema: Label | None = None
    dialog: Annotated[Any, shown(Field.MEASURE)] = None
    mediatype: Label | None = None
    encoding: Label | None = None
    body_bytes: Number | None = None
    excerpt: Excerpt | None = None
    excerpt_withheld: Word | None = None


class AttachmentRow(Row, kw_only=True):
    """One attachment; of a served one never its content."""

    index: Number
    type: Label | None = None
    purpose: Label | None = None
    start: Time | None = None
    party: Number | None = None
    dialog: Number | None = None
    mediatype: Label | None = None
    encoding: Label | None = None
    body_bytes: Number | None = None


class SummaryRow(Row, kw_only=True):
    """One analysis of type ``summary``; *body* is bounded in a served cache."""

    type: Label
    vendor: Label
    product: Label | None = None
    schema: Label | None = None
    encoding: Label | None = None
    body: Excerpt | None = None
    body_withheld: Word | None = None
    dialog: Annotated[Any, shown(Field.MEASURE)] = None


class Team(Row, kw_only=True):
    """The team of an account."""

    id: Annotated[str | None, shown(Field.ACCOUNT_NAME)] = None
    name: Annotated[str | None, shown(Field.ACCOUNT_NAME)] = None


class Dealer(Row, kw_only=True):
    """The account that an attachment (``strolid_dealer``) names."""

    id: Annotated[str, shown(Field.ACCOUNT_NAME)]
    name: Annotated[str | None, shown(Field.ACCOUNT_NAME)] = None
    outboundPhoneNumber: Annotated[str | None, never(Field.PERSON_NAME)] = None
    team: Team | None = None


class Counts(Row, kw_only=True):
    """How many parts a vCon has; placeholders are slots and count."""

    parties: Number
    dialog: Number
    analysis: Number
    attachments: Number


class Hit(Row, kw_only=True):
    """Where words of the search were found."""

    content_type: Word
    content_index: Number | None = None
    position: Number | None = None
    start_ms: Number | None = None
    end_ms: Number | None = None
    relevance_score: Measure
    snippet: Snippet | None = None
    snippet_withheld: Word | None = None


class Found(Row, kw_only=True):
    """Why a vCon is in an answer: the best hit, and the further ones."""

    mode: Word
    content_type: Word | None = None
    content_index: Number | None = None
    relevance_score: Measure | None = None
    snippet: Snippet | None = None
    matches: Number | None = None
    hits: list[Hit] | None = None


class Item(Row, kw_only=True):
    """A vCon in the contract tools: the include groups that were asked for."""

    id: Id
    vcon_version: Label | None = None
    created_at: Time | None = None
    updated_at: Time | None = None
    started_at: Time | None = None
    duration_seconds: Measure | None = None
    subject: Title | None = None
    extensions: Labels | None = None
    critical: Labels | None = None
    form: Word | None = None
    sealed: Flag | None = None
    redacted: Flag | None = None
    amended: Flag | None = None
    parties: list[PartyRow] | None = None
    summary: list[SummaryRow] | None = None
    tags: TagMap | None = None
    dealer: Dealer | None = None
    counts: Counts | None = None
    dialog: list[DialogRow] | None = None
    analysis: list[AnalysisRow] | None = None
    attachments: list[AttachmentRow] | None = None
    search: Found | None = None


class Document(Row, kw_only=True):
    """A vCon in the older tools; from a store it is the vCon verbatim."""

    vcon: Label | None = None
    uuid: Id
    created_at: Time | None = None
    updated_at: Time | None = None
    subject: Title | None = None
    extensions: Labels | None = None
    critical: Labels | None = None
    parties: list[PartyRow] | None = None
    dialog: list[DialogRow] | None = None
    analysis: list[AnalysisRow] | None = None
    attachments: list[AttachmentRow] | None = None


# --- schema ------------------------------------------------------------------------------------------------

_PLAIN: Final[dict[Any, str]] = {
    str: "string",
    MaskedText: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
}


def schema_of(model: type[Row], *, verbatim: bool) -> dict[str, Any]:
    """Return the JSON Schema of an answer of *model*. *verbatim* = from a store, where a vCon may hold more keys than
    we know."""
    properties = {}
    for column in msgspec.structs.fields(model):
        hint, expose = strip(hints(model)[column.name])
        if verbatim or expose is None or not expose.never:
            properties[column.name] = _schema(hint, verbatim)
    open_ended = verbatim and issubclass(model, _VERBATIM)
    return {"type": "object", "properties": properties, "additionalProperties": open_ended}


_VERBATIM: Final = (PartyRow, DialogRow, AnalysisRow, AttachmentRow, Document)


def _schema(hint: Any, verbatim: bool) -> dict[str, Any]:
    bare, _ = strip(hint)
    if get_origin(bare) in (Union, types.UnionType):
        bare = get_args(bare)[0]
    if bare is Any:
        return {}
    if get_origin(bare) is Literal:
        return {"type": "string", "enum": list(get_args(bare))}
    if get_origin(bare) is list:
        return {"type": "array", "items": _schema(get_args(bare)[0], verbatim)}
    if get_origin(bare) is dict:
        return {"type": "object", "additionalProperties": _schema(get_args(bare)[1], verbatim)}
    if isinstance(bare, type) and issubclass(bare, Row):
        return schema_of(bare, verbatim=verbatim)
    return {"type": _PLAIN[bare]}


def plain(value: Any) -> Any:
    """Return *value* as JSON has it, without the columns that have nothing to say: nothing is withheld."""
    if isinstance(value, Row):
        found = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return {name: plain(item) for name, item in found if item is not None}
    if isinstance(value, MaskedText):
        return value.value
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
