"""Whose quotation is it: the account, opportunity and speaker that a segment is attributed to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gongmcp.exposure.text import MaskedText, parse_spans
from gongmcp.store.calls import masked
from gongmcp.store.connection import ReadStore
from gongmcp.store.crm_names import CrmNames


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a call's quotations are attributed to: all account values are of one account, all opportunity
    values of one opportunity, the ones that the call's facts are read from. '' and None: not cached."""

    title: MaskedText
    account_name: MaskedText | None
    account_website: MaskedText | None
    account_industry: str
    opportunity_name: MaskedText | None
    opportunity_stage: str
    opportunity_type: str
    opportunity_close_date: MaskedText | None
    opportunity_probability: MaskedText | None
    participant_status: str
    person_title_status: str


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks: *role* is internal, external or unknown; *status* says how that is known."""

    role: str
    status: str


def of_calls(store: ReadStore, numbers: Iterable[int], names: CrmNames) -> dict[int, Attribution]:
    """Return the attribution of each call of *numbers*."""
    out = {}
    for number in numbers:
        row = store.one("SELECT * FROM call_facts WHERE call_no = :number", {"number": number})
        if row is None:
            continue
        parties = store.one(
            "SELECT count(*) AS people, coalesce(sum(job_title <> ''), 0) AS titled FROM parties"
            " WHERE call_no = :number AND matched",
            {"number": number},
        )
        people, titled = (parties["people"], parties["titled"]) if parties else (0, 0)
        account, opportunity = row["account_no"], row["opportunity_no"]
        out[number] = Attribution(
            title=masked(row, "title"),
            account_name=_name(store, account),
            account_website=_value(store, account, names.fields("account", "website")),
            account_industry=row["account_industry"],
            opportunity_name=_name(store, opportunity),
            opportunity_stage=row["opportunity_stage"],
            opportunity_type=row["opportunity_type"],
            opportunity_close_date=_value(store, opportunity, names.fields("opportunity", "close_date")),
            opportunity_probability=_value(store, opportunity, names.fields("opportunity", "probability")),
            participant_status="present" if people else "missing_from_cache",
            person_title_status="available" if titled else "unavailable_missing_from_cache",
        )
    return out


def _name(store: ReadStore, object_no: int) -> MaskedText | None:
    row = store.one("SELECT name, name_spans FROM crm_objects WHERE object_no = :number", {"number": object_no})
    return masked(row, "name") if row is not None and row["name"] else None


def _value(store: ReadStore, object_no: int, fields: tuple[str, ...]) -> MaskedText | None:
    row = store.one(
        "SELECT v.value, v.value_spans FROM crm_values v"
        " JOIN json_each(:fields) n ON lower(n.value) = lower(v.field_name)"
        " WHERE v.object_no = :number AND v.value <> '' ORDER BY n.key LIMIT 1",
        {"number": object_no, "fields": json.dumps(fields)},
    )
    return MaskedText(row["value"], parse_spans(row["value_spans"])) if row is not None else None


def speaker(store: ReadStore, call_no: int, speaker_ref: str | None) -> Speaker:
    """Return who speaks under *speaker_ref* in a call."""
    if not speaker_ref:
        return Speaker("unknown", "speaker_unmatched")
    rows = store.rows(
        "SELECT affiliation, matched FROM parties WHERE call_no = :call_no AND speaker_ref = :ref",
        {"call_no": call_no, "ref": speaker_ref},
    )
    roles = {row["affiliation"] for row in rows if row["matched"]}
    if not roles:
        return Speaker("unknown", "speaker_unmatched")
    if len(roles) > 1:
        return Speaker("unknown", "speaker_ambiguous")
    (role,) = roles
    return Speaker(role, "affiliation_missing" if role == "unknown" else "available")
