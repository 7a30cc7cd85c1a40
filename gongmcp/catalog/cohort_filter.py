"""The cohort language: one filter over calls for every analysis tool, normalised, named and explained.

Every condition is ANDed. A normalised filter is a filter again: what a token holds and what a cohort's name is made of.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import msgspec

from gongmcp.catalog.arguments import IsoDate, SearchText, Text
from gongmcp.catalog.calls import CrmId, CrmType
from gongmcp.catalog.cohort_dimensions import Value, value_of
from gongmcp.catalog.cohort_token import MAX_TOKEN, TokenFor, cohort_id
from gongmcp.catalog.declaration import Arguments, CallScope
from gongmcp.catalog.vocabulary import Bucket, Label, LifecycleSource, Scope, TranscriptStatus
from gongmcp.errors import ToolFault
from gongmcp.exposure.aliases import email_key
from gongmcp.exposure.fields import Field, Filters
from gongmcp.store.buckets import Lifecycle, lifecycle_at_hand, lifecycle_for
from gongmcp.store.cohorts import CohortCalls, Condition, Part, spoken, together
from gongmcp.store.dimension_values import column_value, voicemail
from gongmcp.store.facts import BLANK, BUCKET
from gongmcp.store.search_query import compile_query

MAX_VALUES: Final = 20

Operator = Literal["equals", "in", "not_in", "gte", "lte", "between"]
RANGES: Final = frozenset({"gte", "lte", "between"})

Part160 = Annotated[str, msgspec.Meta(min_length=1, max_length=160)]


class DimensionFilter(Arguments):
    """One condition on a business dimension."""

    dimension: Annotated[
        str,
        msgspec.Meta(
            min_length=1,
            max_length=64,
            description="A dimension of list_dimension_counts, duration_seconds, call_date, account_name, or a "
            "groupable field concept of the active profile.",
        ),
    ]
    values: Annotated[
        list[Part160],
        msgspec.Meta(min_length=1, max_length=MAX_VALUES, description="Whole values, any case; <blank> = none."),
    ]
    operator: Annotated[Operator, msgspec.Meta(description="gte, lte, between: numbers and dates only.")] = "in"


class CohortFilter(Arguments):
    """Which calls: every condition given must hold."""

    from_date: IsoDate | None = None
    to_date: IsoDate | None = None
    quarter: (
        Annotated[
            str, Filters(Field.TIME), msgspec.Meta(max_length=8, description="Calendar quarter, 2026-Q1.", min_length=6)
        ]
        | None
    ) = None
    query: SearchText | None = None
    title_query: (
        Annotated[
            Part160,
            Filters(Field.CALL_TITLE, needs="include_call_titles"),
            msgspec.Meta(description="Part of the call's title; needs include_call_titles."),
        ]
        | None
    ) = None
    lifecycle_bucket: Bucket | None = None
    exclude_lifecycle_buckets: list[Bucket] | None = None
    lifecycle_source: LifecycleSource = "auto"
    exclude_likely_voicemail: bool = False
    scope: Scope | None = None
    system: Label | None = None
    direction: Label | None = None
    transcript_status: TranscriptStatus | None = None
    industry: Annotated[Label, msgspec.Meta(description="Part of the account's industry, any case.")] | None = None
    opportunity_stage: Annotated[Label, msgspec.Meta(description="Part of the stage, any case.")] | None = None
    account_query: (
        Annotated[
            Part160,
            Filters(Field.ACCOUNT_NAME, needs="include_account_names"),
            msgspec.Meta(description="Part of the account's name; needs include_account_names."),
        ]
        | None
    ) = None
    participant_title_query: (
        Annotated[
            Part160,
            Filters(Field.PERSON_TITLE, needs="include_person_titles"),
            msgspec.Meta(description="Part of a participant's job title; needs include_person_titles."),
        ]
        | None
    ) = None
    crm_object_type: CrmType | None = None
    crm_object_id: CrmId | None = None
    dimension_filters: list[DimensionFilter] | None = None


Token = Annotated[
    str,
    msgspec.Meta(min_length=1, max_length=MAX_TOKEN, description="From build_call_cohort, in place of the filter."),
]


GroupConcept = Annotated[
    Text,
    Filters(Field.SETTING_NAME),
    msgspec.Meta(description="With dimension=profile_concept: a groupable field concept of the profile."),
]
"""Which concept of the business profile a dimension stands for."""


class CohortArguments(Arguments):
    """Arguments of every tool that asks about one cohort."""

    filter: Annotated[CohortFilter, msgspec.Meta(description="Which calls; all conditions hold.")] | None = None
    cohort_token: Annotated[Token, Filters(Field.ECHO), TokenFor("filter")] | None = None
    include_account_names: Annotated[bool, msgspec.Meta(description="Filter by account names.")] = False
    include_call_titles: Annotated[bool, msgspec.Meta(description="Filter by call titles.")] = False
    include_person_titles: Annotated[bool, msgspec.Meta(description="Filter by people's job titles.")] = False
    include_participant_emails: Annotated[
        bool, msgspec.Meta(description="Filter by whole e-mail addresses; none is shown.")
    ] = False


SELECTIVE: Final = (
    *("quarter", "query", "title_query", "lifecycle_bucket", "industry", "opportunity_stage", "account_query"),
    *("participant_title_query", "crm_object_id", "dimension_filters"),
)
"""Conditions of which one is enough; both dates together are enough as well."""


@dataclass(frozen=True, slots=True)
class Cohort:
    """A filter that was understood: as a filter again, in words, and as calls."""

    chosen: Mapping[str, Any]
    parts: tuple[Part, ...]
    calls: CohortCalls
    lifecycle: Lifecycle
    name: str

    @property
    def conditions(self) -> list[str]:
        """The conditions in words."""
        return [part.text for part in self.parts]


def cohort_of(args: Any, scope: CallScope, *, filter_name: str = "filter", selective: bool = True) -> Cohort:
    """Return the cohort that the filter argument called *filter_name* of *args* describes.

    Raises:
        ToolFault: ``invalid_argument`` for a condition that cannot hold or, when it must be *selective*, a filter that
            chooses nothing; ``refused_by_policy`` for a dimension whose values would not be shown; the faults of
            ``lifecycle_for``.
    """
    given: CohortFilter = getattr(args, filter_name) or CohortFilter()
    chosen = normalised(given, filter_name)
    if selective:
        _refuse_unselective(chosen, filter_name)
    reads = {"lifecycle_bucket", "exclude_lifecycle_buckets"} & chosen.keys()
    lifecycle = (lifecycle_for if reads else lifecycle_at_hand)(scope.store, given.lifecycle_source)
    parts = tuple(_parts(chosen, args, scope, lifecycle, filter_name))
    return Cohort(chosen, parts, together(parts), lifecycle, cohort_id(scope.state.secret, chosen))


def normalised(given: CohortFilter, path: str = "filter") -> dict[str, Any]:
    """Return *given* as the same filter in its one form: texts in lower case where case does not count, lists sorted
    without repetitions, a quarter as dates.

    Raises ``ToolFault("invalid_argument")`` for conditions that contradict each other.
    """
    plain: dict[str, Any] = {
        name: value
        for name, value in msgspec.to_builtins(given).items()
        if value not in (None, False, "auto", "any", [])
    }
    for name in ("title_query", "industry", "opportunity_stage", "account_query", "participant_title_query"):
        if name in plain:
            plain[name] = " ".join(plain[name].lower().split())
    if "quarter" in plain:
        first, last = _quarter_days(plain.pop("quarter"), f"{path}.quarter")
        plain["from_date"] = max(first, plain.get("from_date", first))
        plain["to_date"] = min(last, plain.get("to_date", last))
        if plain["from_date"] > plain["to_date"]:
            raise ToolFault("invalid_argument", f"{path}.quarter lies outside of the dates.", "Give one or the other.")
    if "exclude_lifecycle_buckets" in plain:
        plain["exclude_lifecycle_buckets"] = sorted(set(plain["exclude_lifecycle_buckets"]))
        if plain.get("lifecycle_bucket") in plain["exclude_lifecycle_buckets"]:
            raise ToolFault("invalid_argument", f"{path} asks for a lifecycle bucket and excludes it.")
    if "dimension_filters" in plain:
        items = [
            {
                **item,
                "dimension": item["dimension"].strip().lower(),
                "values": sorted({v.strip() for v in item["values"]}),
            }
            for item in plain["dimension_filters"]
        ]
        unique = {str(item): item for item in items}
        plain["dimension_filters"] = [unique[key] for key in sorted(unique)]
    return plain


def _quarter_days(text: str, path: str) -> tuple[str, str]:
    found = re.fullmatch(r"(\d{4})[-_ ]?q([1-4])|q([1-4])[-_ ]?(\d{4})", text.strip(), re.IGNORECASE | re.ASCII)
    if found is None or int(found[1] or found[4]) < 1:
        raise ToolFault("invalid_argument", f"{path} must be a quarter YYYY-Qn.", "For example 2026-Q1.")
    year, quarter = int(found[1] or found[4]), int(found[2] or found[3])
    first = dt.date(year, 3 * quarter - 2, 1)
    last = dt.date(year, 12, 31) if quarter == 4 else dt.date(year, 3 * quarter + 1, 1) - dt.timedelta(days=1)
    return first.isoformat(), last.isoformat()


def _refuse_unselective(chosen: Mapping[str, Any], path: str) -> None:
    if {"from_date", "to_date"} <= chosen.keys() or chosen.keys() & set(SELECTIVE):
        return
    raise ToolFault(
        "invalid_argument",
        f"{path} chooses too little: it would take in the whole cache.",
        f'Add a period, for example {{"{path}": {{"quarter": "2026-Q1"}}}}, or one of: {", ".join(SELECTIVE)}.',
    )


def _parts(chosen: Mapping[str, Any], args: Any, scope: CallScope, lifecycle: Lifecycle, path: str) -> list[Part]:
    """Return the conditions in the order in which an empty cohort is explained: the wide ones first."""
    parts = [
        Part(f"{name} {chosen[name]}", {name: chosen[name]})
        for name in (
            *("from_date", "to_date", "scope", "system", "direction", "transcript_status", "industry"),
            *("opportunity_stage", "account_query"),
        )
        if name in chosen
    ]
    if "lifecycle_bucket" in chosen:
        bucket = lifecycle.bucket(chosen["lifecycle_bucket"], f"{path}.lifecycle_bucket")
        parts.append(
            Part(f"lifecycle_bucket {bucket}", {"lifecycle_bucket": bucket, "profile_no": lifecycle.profile_no})
        )
    for at, name in enumerate(chosen.get("exclude_lifecycle_buckets", ())):
        bucket = lifecycle.bucket(name, f"{path}.exclude_lifecycle_buckets")
        expression = column_value(BUCKET, lifecycle)
        parts.append(
            Part(
                f"exclude_lifecycle_buckets {bucket}",
                further=(_with(expression, f"{{0}} <> :excluded_{at}", {f"excluded_{at}": bucket}),),
            )
        )
    if chosen.get("exclude_likely_voicemail"):
        parts.append(Part("exclude_likely_voicemail", further=(_with(voicemail(), "NOT {0}", {}),)))
    if "crm_object_type" in chosen or "crm_object_id" in chosen:
        fields = {name: chosen[name] for name in ("crm_object_type", "crm_object_id") if name in chosen}
        parts.append(Part(", ".join(f"{name} {value}" for name, value in fields.items()), fields))
    if "title_query" in chosen:
        sql = "instr(lower({c}.title), :title_query) > 0"
        parts.append(Part(f"title_query {chosen['title_query']}", further=(_text(sql, chosen, "title_query"),)))
    if "participant_title_query" in chosen:
        sql = (
            "EXISTS (SELECT 1 FROM parties t WHERE t.call_no = {c}.call_no"
            " AND instr(lower(t.job_title), :participant_title_query) > 0)"
        )
        text = f"participant_title_query {chosen['participant_title_query']}"
        parts.append(Part(text, further=(_text(sql, chosen, "participant_title_query"),)))
    for at, item in enumerate(chosen.get("dimension_filters", ())):
        value = value_of(item["dimension"], args, scope, lifecycle, f"{path}.dimension_filters.dimension", at)
        if value.kind == "email":
            parts.append(_addresses(item, scope, at, f"{path}.dimension_filters.operator"))
        else:
            parts.append(_dimension(item, value, at, f"{path}.dimension_filters.values"))
    if "query" in chosen:
        query = compile_query(chosen["query"])
        condition = Condition("0") if query.fts is None else spoken(query.fts, "cohort_query")
        parts.append(Part(f"query {chosen['query']}", further=(condition,)))
    return parts


def _text(sql: str, chosen: Mapping[str, Any], name: str) -> Condition:
    return Condition(sql, {name: chosen[name]})


def _with(expression: Condition, sql: str, parameters: Mapping[str, Any]) -> Condition:
    """Return the condition *sql* in which ``{0}`` is *expression*."""
    return Condition(sql.replace("{0}", expression.sql), {**expression.parameters, **parameters})


def _addresses(item: Mapping[str, Any], scope: CallScope, at: int, path: str) -> Part:
    """Return the condition that somebody with one of the addresses took part, or nobody; by their keyed digests."""
    if item["operator"] in RANGES:
        raise ToolFault("invalid_argument", f"{path} must be equals, in or not_in for addresses.")
    keys = {
        f"address_{at}_{number}": email_key(scope.state.secret, text.strip().lower())
        for number, text in enumerate(item["values"])
    }
    among = ", ".join(f":{name}" for name in keys)
    sql = f"{{c}}.call_no IN (SELECT e.call_no FROM parties e WHERE e.email_key <> '' AND e.email_key IN ({among}))"
    negated = item["operator"] == "not_in"
    text = f"participant_email {'not in' if negated else item['operator']} {', '.join(item['values'])}"
    return Part(text, further=(Condition(f"NOT {sql}" if negated else sql, keys),))


def _dimension(item: Mapping[str, Any], value: Value, at: int, path: str) -> Part:
    operator, values = item["operator"], item["values"]
    if operator in RANGES and value.kind == "text":
        raise ToolFault("invalid_argument", f"{value.name} is no number or date.", "Use operator equals, in or not_in.")
    if operator in ("equals", "gte", "lte") and len(values) != 1:
        raise ToolFault(
            "invalid_argument", f"{path} must hold one value for {operator}.", "Use operator in for several."
        )
    if operator == "between" and len(values) != 2:
        raise ToolFault("invalid_argument", f"{path} must hold two different values for between.")
    bound = [_typed(text, value.kind, path) for text in values]
    if operator == "between":
        bound.sort()
    names = {f"dimension_{at}_{number}": each for number, each in enumerate(bound)}
    holders = [f":{name}" for name in names]
    if operator in RANGES:
        sql = {"gte": "{0} >= " + holders[0], "lte": "{0} <= " + holders[0]}.get(operator) or (
            "{0} BETWEEN " + " AND ".join(holders)
        )
    else:
        folded = [f"lower({holder})" if value.kind == "text" else holder for holder in holders]
        left = "lower({0})" if value.kind == "text" else "{0}"
        sql = f"{left} {'NOT IN' if operator == 'not_in' else 'IN'} ({', '.join(folded)})"
    sign = {"gte": ">=", "lte": "<=", "not_in": "not in"}.get(operator, operator)
    return Part(f"{value.name} {sign} {', '.join(values)}", further=(_with(value.expression, sql, names),))


def _typed(text: str, kind: str, path: str) -> str | int:
    if kind == "text":
        return "" if text.lower() == BLANK else text
    if kind == "number":
        if not re.fullmatch(r"-?[0-9]{1,15}", text):
            raise ToolFault("invalid_argument", f"{path} must hold whole numbers for this dimension.")
        return int(text)
    if kind == "flag":
        if text.lower() not in ("true", "false", "yes", "no", "1", "0"):
            raise ToolFault("invalid_argument", f"{path} must be true or false for this dimension.")
        return int(text.lower() in ("true", "yes", "1"))
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        raise ToolFault("invalid_argument", f"{path} must hold dates YYYY-MM-DD for this dimension.") from None
