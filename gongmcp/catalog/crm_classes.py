"""Which field classes a CRM field's values belong to, by its name: a switch that hides a class hides them everywhere.

``gongmcp/data/crm.toml`` and the settings file's ``[crm]`` table name the fields; what contacts, leads and users carry
is of persons. A doubtful name counts as one of the class, so that a switch hides rather too much.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gongmcp.errors import ToolFault
from gongmcp.exposure.fields import Field
from gongmcp.store.crm_names import CrmNames, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gongmcp.catalog.declaration import CallScope
    from gongmcp.store.profile import BusinessProfile

PEOPLE: Final = frozenset({"contact", "lead", "user"})
ACCOUNT_FIELDS: Final = frozenset({"account", "accountname", "company", "companyname"})
"""How objects of other types name their account, as ``_squashed`` gives it."""

_ATTRIBUTES: Final = (
    ("account", Field.ACCOUNT_NAME, ("name", "website")),
    ("opportunity", Field.OPPORTUNITY_NAME, ("name", "close_date", "probability")),
)
_LOSS_REASON: Final = re.compile(r"lo(ss|st).*reason|reason.*lo(ss|st)")


def classes_of(object_type: str, field_name: str, names: CrmNames) -> frozenset[Field]:
    """Return the classes of the values of a field."""
    kind, name, plain = kind_of(object_type), field_name.strip().casefold(), _squashed(field_name)
    classes = {Field.CRM_VALUE}
    for of, field, attributes in _ATTRIBUTES:
        if kind == of and any(_among(name, names.fields(of, attribute)) for attribute in attributes):
            classes.add(field)
    if plain in ACCOUNT_FIELDS:
        classes.add(Field.ACCOUNT_NAME)
    if _LOSS_REASON.search(plain) or _among(name, names.fields("opportunity", "loss_reason")):
        classes.add(Field.LOSS_REASON)
    if "mail" in name:
        classes.add(Field.EMAIL)
    elif kind in PEOPLE:
        classes.add(Field.PERSON_TITLE if "title" in name else Field.PERSON_NAME)
    return frozenset(classes)


def group_classes_of(object_type: str, field_name: str, names: CrmNames) -> frozenset[Field]:
    """Return the classes of a field's values where they are labels of groups: business categories, not values."""
    return classes_of(object_type, field_name, names) - {Field.CRM_VALUE}


def concept_classes(profile: BusinessProfile, concept: str, names: CrmNames) -> frozenset[Field]:
    """Return the classes of the values of a field concept of *profile*, as labels of groups."""
    types = {item["name"]: item.get("object_types", ()) for item in profile.concepts("object")}
    return frozenset(
        field
        for item in profile.concepts("field")
        if item["name"] == concept
        for object_type in types.get(item.get("object"), ()) or ("",)
        for name in item.get("field_names", ())
        for field in group_classes_of(object_type, name, names)
    )


def refuse_hidden(scope: CallScope, classes: Iterable[Field], argument: str) -> None:
    """Raise ``ToolFault("refused_by_policy")`` when a switch hides one of *classes*, which *argument* asks for."""
    if scope.policy.hides(classes):
        raise ToolFault(
            "refused_by_policy",
            f"{argument} names a field whose values a policy switch withholds.",
            "Ask about another field.",
        )


def _among(name: str, known: Iterable[str]) -> bool:
    return name in {other.casefold() for other in known}


def _squashed(name: str) -> str:
    return "".join(re.findall(r"[^\W_]+", re.sub(r"__[cr]$", "", name.strip()).casefold()))
