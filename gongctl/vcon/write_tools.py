"""The 18 tools that write, over ``gongctl.vcon.service``, which holds every guard. The server for agents over a cache
knows none of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from gongctl.vcon.elements import PARTS, Part
from gongctl.vcon.findings import VconRefused
from gongctl.vcon.merge import STRATEGIES
from gongctl.vcon.service import Change, VconService
from gongctl.vcon.tags import as_value, checked_key
from gongctl.vcon.templates import MIN_PARTIES, TEMPLATES
from gongmcp.exposure.fields import Field, shown
from gongmcp.exposure.rows import Row
from gongmcp.vcon.catalogue import reading_tools
from gongmcp.vcon.declaration import VconTool, vcon_tool
from gongmcp.vcon.faults import VconFault
from gongmcp.vcon.parameters import UUID, choice, switch
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Id, Label, Number, Word

WRITING: Final[dict[str, VconTool]] = {}

_OBJECT: Final[dict[str, Any]] = {"type": "object"}
_OBJECTS: Final[dict[str, Any]] = {"type": "array", "items": {"type": "object"}}
_TEXT: Final[dict[str, Any]] = {"type": "string", "maxLength": 1_000_000}
_NAMES: Final[dict[str, Any]] = {"type": "array", "items": {"type": "string", "maxLength": 256}}
_INDEX: Final[dict[str, Any]] = {"type": "integer", "minimum": 0}
_ENCODING: Final[dict[str, Any]] = choice("none", "base64url", "json")
_UNCHANGED: Final[dict[str, Any]] = {
    "type": "string",
    "maxLength": 40,
    "description": "updated_at as you read it; the change is refused when somebody else was faster.",
}
_DIALOG_TYPES: Final = ("recording", "text", "transfer", "incomplete", "recording-set")

ELEMENTS: Final[Mapping[Part, dict[str, Any]]] = {
    "party": {
        "type": "object",
        "properties": dict.fromkeys(("name", "tel", "mailto", "role", "sip", "uuid", "did"), _TEXT),
    },
    "dialog": {
        "type": "object",
        "properties": {
            "type": choice(*_DIALOG_TYPES),
            "start": _TEXT,
            "duration": {"type": "number", "minimum": 0},
            "parties": {"type": "array"},
            "originator": _INDEX,
            "mediatype": _TEXT,
            "filename": _TEXT,
            "body": {**_TEXT, "maxLength": 1_000_000},
            "encoding": _ENCODING,
            "url": _TEXT,
            "session_id": {},
            "application": _TEXT,
            "message_id": _TEXT,
        },
        "required": ["type"],
    },
    "analysis": {
        "type": "object",
        "properties": {
            "type": _TEXT,
            "dialog": {"description": "An index of a dialog, or an array of them."},
            "vendor": {**_TEXT, "minLength": 1},
            "product": _TEXT,
            "schema": _TEXT,
            "body": {"description": "A text; with encoding json a text of JSON."},
            "encoding": _ENCODING,
            "url": _TEXT,
            "mediatype": _TEXT,
        },
        "required": ["type", "vendor"],
    },
    "attachment": {
        "type": "object",
        "properties": {
            "type": _TEXT,
            "purpose": _TEXT,
            "start": _TEXT,
            "party": _INDEX,
            "dialog": _INDEX,
            "mediatype": _TEXT,
            "filename": _TEXT,
            "body": {"description": "A text; with encoding json a text of JSON."},
            "encoding": _ENCODING,
            "url": _TEXT,
        },
    },
}
"""What an element may hold; further keys are kept."""

_VCON: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "vcon": {**_TEXT, "maxLength": 20},
        "uuid": {**UUID},
        "subject": _TEXT,
        "parties": {**_OBJECTS, "minItems": 1},
        "dialog": _OBJECTS,
        "analysis": _OBJECTS,
        "attachments": _OBJECTS,
        "extensions": _NAMES,
        "critical": _NAMES,
    },
    "required": ["parties"],
}
_METADATA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "basename": {**_TEXT, "maxLength": 512},
        "filename": {**_TEXT, "maxLength": 512},
        "tags": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 2048}},
    },
    "additionalProperties": False,
}
Whole = Annotated[Any, shown(Field.CATEGORY)]

_CODES: Final = {"VC_NOT_FOUND": "NOT_FOUND", "VC_CONFLICT": "CONFLICT", "VC_SIGNED": "PERMISSION_DENIED"}


def _changed(scope: Scope, edit: Callable[[VconService], Change]) -> Change:
    """Run *edit* in a store that is open for writing."""
    if scope.writing is None:
        raise VconFault("PERMISSION_DENIED", "This server does not write.")
    try:
        with scope.writing() as service:
            return edit(service)
    except VconRefused as refusal:
        found = [finding.as_dict() for finding in refusal.findings[:20]]
        raise VconFault(
            _CODES.get(refusal.code, "INVALID_ARGUMENT"),
            refusal.message,
            finding=refusal.code,
            **({"findings": found} if found else {}),
        ) from None


# --- whole vCons ---------------------------------------------------------------------------------------------


class Created(Row, kw_only=True):
    """Answer of ``create_vcon`` and ``create_vcon_from_template``."""

    uuid: Id
    message: Word
    vcon: Whole


@vcon_tool(
    "create_vcon",
    title="Create a vCon",
    description="Create a new vCon. A uuid that is taken is refused.",
    category="write",
    answer=Created,
    rate="create",
    properties={"vcon_data": _VCON, "metadata": _METADATA, "validate_before_insert": switch(True)},
    required=("vcon_data",),
    example={"vcon_data": {"vcon": "0.4.0", "subject": "Customer Support Call", "parties": [{"name": "Agent Adams"}]}},
    into=WRITING,
)
def create_vcon(arguments: dict[str, Any], scope: Scope) -> Row:
    """Store a new vCon."""
    done = _changed(
        scope,
        lambda service: service.create(
            arguments["vcon_data"],
            metadata=arguments.get("metadata"),
            validate_first=arguments["validate_before_insert"],
        ),
    )
    return Created(uuid=done.uuid, message="Created.", vcon=done.after)


@vcon_tool(
    "create_vcon_from_template",
    title="Create a vCon from a template",
    description="Create a vCon from a template, with a dialog of its kind.",
    category="write",
    answer=Created,
    rate="create",
    properties={
        "template_name": choice(*TEMPLATES),
        "subject": {**_TEXT, "maxLength": 2048},
        "parties": {**_OBJECTS, "minItems": MIN_PARTIES},
        "metadata": _METADATA,
        "template_params": _OBJECT,
    },
    required=("template_name", "parties"),
    example={
        "template_name": "phone_call",
        "subject": "Sales Call",
        "parties": [{"name": "Sales Rep", "mailto": "rep@example.com"}, {"name": "Prospect"}],
    },
    into=WRITING,
)
def create_vcon_from_template(arguments: dict[str, Any], scope: Scope) -> Row:
    """Store a new vCon of a template."""
    done = _changed(
        scope,
        lambda service: service.create_from_template(
            arguments["template_name"],
            arguments["parties"],
            subject=arguments.get("subject", ""),
            metadata=arguments.get("metadata"),
            parameters=arguments.get("template_params"),
        ),
    )
    return Created(uuid=done.uuid, message="Created.", vcon=done.after)


class Updated(Row, kw_only=True):
    """Answer of ``update_vcon``."""

    message: Word
    updated_vcon: Whole


@vcon_tool(
    "update_vcon",
    title="Update a vCon",
    description=(
        "Change top-level fields. merge keeps what is not given and joins lists; append adds to lists; replace clears "
        "what is not given. uuid, created_at and the arrays are not changed so."
    ),
    category="write",
    answer=Updated,
    destructive=True,
    properties={
        "uuid": UUID,
        "updates": {
            "type": "object",
            "properties": {"subject": _TEXT, "extensions": _NAMES, "critical": _NAMES},
            "minProperties": 1,
        },
        "merge_strategy": choice(*STRATEGIES, default="merge"),
        "validate_after_update": switch(True),
        "if_updated_at": _UNCHANGED,
    },
    required=("uuid", "updates"),
    example={"uuid": "123e4567-e89b-12d3-a456-426614174000", "updates": {"subject": "Resolved"}},
    into=WRITING,
)
def update_vcon(arguments: dict[str, Any], scope: Scope) -> Row:
    """Change top-level fields."""
    done = _changed(
        scope,
        lambda service: service.update(
            arguments["uuid"],
            arguments["updates"],
            strategy=arguments["merge_strategy"],
            if_updated_at=arguments.get("if_updated_at", ""),
            validate_after=arguments["validate_after_update"],
        ),
    )
    return Updated(message="Updated.", updated_vcon=done.after)


class Deleted(Row, kw_only=True):
    """Answer of ``delete_vcon``."""

    message: Word
    deleted_uuid: Id


@vcon_tool(
    "delete_vcon",
    title="Delete a vCon",
    description="Delete a vCon and all related data; confirm must be true. Without cascade_delete only an empty one.",
    category="write",
    answer=Deleted,
    destructive=True,
    properties={
        "uuid": UUID,
        "confirm": {"type": "boolean", "description": "Must be true."},
        "cascade_delete": switch(True),
        "if_updated_at": _UNCHANGED,
    },
    required=("uuid", "confirm"),
    example={"uuid": "123e4567-e89b-12d3-a456-426614174000", "confirm": True},
    into=WRITING,
)
def delete_vcon(arguments: dict[str, Any], scope: Scope) -> Row:
    """Remove a vCon."""
    done = _changed(
        scope,
        lambda service: service.delete(
            arguments["uuid"],
            confirm=arguments["confirm"],
            cascade=arguments["cascade_delete"],
            if_updated_at=arguments.get("if_updated_at", ""),
        ),
    )
    return Deleted(message="Deleted.", deleted_uuid=done.uuid)


# --- elements ------------------------------------------------------------------------------------------------


class AddedParty(Row, kw_only=True):
    """Answer of ``add_party``."""

    message: Word
    party_index: Number
    party: Whole


class AddedDialog(Row, kw_only=True):
    """Answer of ``add_dialog``."""

    message: Word
    dialog_index: Number
    dialog: Whole


class AddedAnalysis(Row, kw_only=True):
    """Answer of ``add_analysis``."""

    message: Word
    analysis_index: Number
    analysis: Whole


class AddedAttachment(Row, kw_only=True):
    """Answer of ``add_attachment``."""

    message: Word
    attachment_index: Number
    attachment: Whole


class Edited(Row, kw_only=True):
    """Answer of the tools that replace or remove an element."""

    message: Word
    index: Number


_ADDED: Final[Mapping[Part, type[Row]]] = {
    "party": AddedParty,
    "dialog": AddedDialog,
    "analysis": AddedAnalysis,
    "attachment": AddedAttachment,
}
_ARRAY: Final[Mapping[Part, str]] = {
    "party": "parties",
    "dialog": "dialog",
    "analysis": "analysis",
    "attachment": "attachments",
}
_REMOVAL: Final[Mapping[Part, str]] = {
    "party": "it leaves an empty placeholder, or with anonymize {name: anonymous}, so that indexes hold.",
    "dialog": "it leaves a placeholder that keeps its type, so that indexes hold.",
    "analysis": "those behind it move up.",
    "attachment": "those behind it move up; removing the tags attachment clears the tags.",
}
_SAMPLES: Final[Mapping[Part, dict[str, Any]]] = {
    "party": {"name": "Caller Clark", "tel": "+15550101"},
    "dialog": {"type": "text", "parties": [0], "originator": 0, "body": "I need help.", "encoding": "none"},
    "analysis": {"type": "sentiment", "vendor": "example", "body": '{"score":0.8}', "encoding": "json", "dialog": [0]},
    "attachment": {"type": "invoice", "mediatype": "text/plain", "body": "One hour.", "encoding": "none"},
}
_AT: Final = {"vcon_uuid": "123e4567-e89b-12d3-a456-426614174000"}


def _declare_elements(part: Part) -> None:
    """Declare the three tools of a kind of element: add, update, remove."""

    @vcon_tool(
        f"add_{part}",
        title=f"Add {'an' if part[0] == 'a' else 'a'} {part}",
        description=f"Append {'an' if part[0] == 'a' else 'a'} {part} to a vCon; returns its index.",
        category="write",
        answer=_ADDED[part],
        properties={"vcon_uuid": UUID, part: ELEMENTS[part], "if_updated_at": _UNCHANGED},
        required=("vcon_uuid", part),
        example={**_AT, part: _SAMPLES[part]},
        into=WRITING,
    )
    def add(arguments: dict[str, Any], scope: Scope) -> Row:
        """Append an element."""
        done = _changed(
            scope,
            lambda service: service.add(
                arguments["vcon_uuid"], part, arguments[part], if_updated_at=arguments.get("if_updated_at", "")
            ),
        )
        assert done.after is not None
        assert done.index is not None
        held = {f"{part}_index": done.index, part: done.after[_ARRAY[part]][done.index]}
        return _ADDED[part](message="Added.", **held)

    @vcon_tool(
        f"update_{part}",
        title=f"Replace {'an' if part[0] == 'a' else 'a'} {part}",
        description=f"Replace the {part} at index; omitted fields are cleared.",
        category="write",
        answer=Edited,
        destructive=True,
        properties={"vcon_uuid": UUID, "index": _INDEX, part: ELEMENTS[part], "if_updated_at": _UNCHANGED},
        required=("vcon_uuid", "index", part),
        example={**_AT, "index": 0, part: _SAMPLES[part]},
        into=WRITING,
    )
    def update(arguments: dict[str, Any], scope: Scope) -> Row:
        """Replace an element."""
        _changed(
            scope,
            lambda service: service.replace(
                arguments["vcon_uuid"],
                part,
                arguments["index"],
                arguments[part],
                if_updated_at=arguments.get("if_updated_at", ""),
            ),
        )
        return Edited(message=f"Replaced the {part}.", index=arguments["index"])

    further: dict[str, Any] = {"anonymize": switch(False)} if part == "party" else {}

    @vcon_tool(
        f"remove_{part}",
        title=f"Remove {'an' if part[0] == 'a' else 'a'} {part}",
        description=f"Remove the {part} at index: {_REMOVAL[part]}",
        category="write",
        answer=Edited,
        destructive=True,
        properties={"vcon_uuid": UUID, "index": _INDEX, **further, "if_updated_at": _UNCHANGED},
        required=("vcon_uuid", "index"),
        example={**_AT, "index": 0},
        into=WRITING,
    )
    def remove(arguments: dict[str, Any], scope: Scope) -> Row:
        """Take an element out."""
        _changed(
            scope,
            lambda service: service.remove(
                arguments["vcon_uuid"],
                part,
                arguments["index"],
                anonymize=arguments.get("anonymize", False),
                if_updated_at=arguments.get("if_updated_at", ""),
            ),
        )
        return Edited(message=f"Removed the {part}.", index=arguments["index"])


for _part in PARTS:
    _declare_elements(_part)


# --- tags ----------------------------------------------------------------------------------------------------


class TagChanged(Row, kw_only=True):
    """Answer of ``manage_tag``."""

    message: Word
    action: Word
    key: Label
    value: Label | None = None


@vcon_tool(
    "manage_tag",
    title="Set or remove a tag",
    description="Set or remove one tag. A key has no colon; a value becomes a text.",
    category="write",
    answer=TagChanged,
    destructive=True,
    properties={
        "vcon_uuid": UUID,
        "action": choice("set", "remove"),
        "key": {"type": "string", "minLength": 1, "maxLength": 256},
        "value": {"description": "A string, number or truth value; needed to set."},
        "if_updated_at": _UNCHANGED,
    },
    required=("vcon_uuid", "action", "key"),
    example={**_AT, "action": "set", "key": "department", "value": "sales"},
    into=WRITING,
)
def manage_tag(arguments: dict[str, Any], scope: Scope) -> Row:
    """Set or remove one tag."""
    action, value = arguments["action"], arguments.get("value")
    unchanged = arguments.get("if_updated_at", "")
    if action == "set" and (value is None or isinstance(value, list | dict)):
        raise VconFault("INVALID_ARGUMENT", "value is a string, number or truth value.", argument="value")
    if action == "remove":
        _changed(
            scope, lambda service: service.remove_tag(arguments["vcon_uuid"], arguments["key"], if_updated_at=unchanged)
        )
        return TagChanged(message="Removed the tag.", action=action, key=arguments["key"])
    assert value is not None
    _changed(
        scope,
        lambda service: service.set_tag(arguments["vcon_uuid"], arguments["key"], value, if_updated_at=unchanged),
    )
    return TagChanged(message="Set the tag.", action=action, key=checked_key(arguments["key"]), value=as_value(value))


class Emptied(Row, kw_only=True):
    """Answer of ``remove_all_tags``."""

    message: Word


@vcon_tool(
    "remove_all_tags",
    title="Remove all tags",
    description="Remove all tags of a vCon.",
    category="write",
    answer=Emptied,
    destructive=True,
    properties={"vcon_uuid": UUID, "if_updated_at": _UNCHANGED},
    required=("vcon_uuid",),
    example=dict(_AT),
    into=WRITING,
)
def remove_all_tags(arguments: dict[str, Any], scope: Scope) -> Row:
    """Take all tags away."""
    _changed(
        scope,
        lambda service: service.remove_all_tags(
            arguments["vcon_uuid"], if_updated_at=arguments.get("if_updated_at", "")
        ),
    )
    return Emptied(message="Removed all tags.")


def all_tools() -> dict[str, VconTool]:
    """Return the 46 tools, those that read first."""
    return {**reading_tools(), **WRITING}
