"""Which CRM fields can name a person, a company or a record: their values must not become labels of groups."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from gongmcp.store.crm_names import CrmNames

_WORDS: Final = frozenset(
    {
        *("name", "names", "email", "mail", "phone", "mobile", "fax", "owner", "owners", "id", "ids"),
        *("guid", "uuid", "url", "uri", "link", "website", "domain", "address", "street", "city", "zip"),
        *("postal", "postcode", "description", "notes", "note", "comment", "comments", "text"),
        *("details", "summary", "message", "body", "contact", "person", "people", "user", "users"),
        *("manager", "rep", "salesrep", "executive", "champion", "buyer", "birthdate", "linkedin"),
        *("twitter", "facebook", "steps", "step"),
    }
)
_CATEGORY_ENDS: Final = frozenset(
    {
        *("type", "stage", "status", "category", "segment", "tier", "region", "role", "range", "band"),
        *("source", "reason", "count", "size", "level", "class", "group", "phase"),
    }
)
"""A field that ends so tells a kind of thing, whatever stands before: ``Contact_Type__c``, ``Owner_Role__c``."""
_SQUASHED_ENDS: Final = (
    *("name", "email", "phone", "url", "address", "website", "domain", "description", "notes", "owner", "nextstep"),
    *("ownerid", "accountid", "objectid", "userid", "contactid", "recordid", "dealid", "companyid", "leadid"),
    *("accountnumber", "casenumber", "ordernumber", "contractnumber"),
)
_SAFE_ATTRIBUTES: Final = (
    *(("account", attribute) for attribute in ("industry", "type", "revenue_range")),
    *(("opportunity", attribute) for attribute in ("stage", "type", "forecast_category", "lead_source")),
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(name: str) -> tuple[str, ...]:
    """Return the words of a field's name or label in lower case: ``OwnerId``, ``owner_id`` -> owner, id."""
    spaced = _CAMEL.sub(" ", re.sub(r"__[cr]$", "", name.strip()))
    return tuple(re.findall(r"[^\W_]+", spaced.casefold()))


def squashed(name: str) -> str:
    """Return *name* without case and everything that is no letter or digit, and without Salesforce's ``__c``."""
    return "".join(re.findall(r"[^\W_]+", re.sub(r"__[cr]$", "", name.strip()).casefold()))


def identifying(name: str, label: str = "") -> bool:
    """Tell whether the values of a field can name somebody or something.

    The standard fields of a few categories (stage, type, industry, ...) cannot; of others the words in the name
    and in the label decide, so that a doubtful one counts as identifying.
    """
    if squashed(name) in _safe():
        return False
    return _names_something(name) or _names_something(label)


def _names_something(text: str) -> bool:
    parts = words(text)
    if not parts:
        return False
    last = parts[-1]
    if last == "name" and len(parts) > 1:
        last = parts[-2]  # StageName, Forecast Category Name
    if last in _CATEGORY_ENDS:
        return False
    return not _WORDS.isdisjoint(parts) or squashed(text).endswith(_SQUASHED_ENDS)


@cache
def _safe() -> frozenset[str]:
    names = CrmNames.default()
    fields = [name for kind, attribute in _SAFE_ATTRIBUTES for name in names.fields(kind, attribute)]
    return frozenset(squashed(name) for name in (*fields, *names.matrix_group_fields))
