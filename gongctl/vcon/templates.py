"""Templates of new vCons: a dialog of the kind that the template names, with valid fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gongctl.vcon import Vcon
from gongctl.vcon.findings import VconRefused
from gongctl.vcon.times import rfc3339

MIN_PARTIES: Final = 2

_COMMON: Final = frozenset({"start", "duration", "application", "originator"})
_TEXT: Final = _COMMON | {"body", "message_id"}


def _recording(parameters: Mapping[str, Any], default: str) -> dict[str, Any]:
    return {"type": "recording", "mediatype": parameters.get("mediatype", default)}


def _chat(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "text", "mediatype": "text/plain", "encoding": "none", "body": parameters.get("body", "")}


def _email(parameters: Mapping[str, Any]) -> dict[str, Any]:
    dialog = {"type": "text", "mediatype": "message/rfc822", "encoding": "none", "body": parameters.get("body", "")}
    return dialog | ({"message_id": parameters["message_id"]} if "message_id" in parameters else {})


_DIALOGS: Final[Mapping[str, tuple[frozenset[str], Callable[[Mapping[str, Any]], dict[str, Any]]]]] = {
    "phone_call": (_COMMON | {"mediatype"}, lambda parameters: _recording(parameters, "audio/x-wav")),
    "chat_conversation": (_TEXT, _chat),
    "email_thread": (_TEXT, _email),
    "video_meeting": (_COMMON | {"mediatype"}, lambda parameters: _recording(parameters, "video/mp4")),
}

TEMPLATES: Final = (*_DIALOGS, "custom")
"""Names of the templates."""


def from_template(
    template: str, parties: list[Mapping[str, Any]], subject: str, parameters: Mapping[str, Any], now: str
) -> Vcon:
    """Return a vCon of *template* between *parties*, begun at *now* unless the *parameters* say another ``start``.

    Raises:
        VconRefused: there is no such template or parameter, or fewer than two parties.
    """
    if template not in TEMPLATES:
        raise VconRefused("VC_ARGUMENT", f"template_name is one of {', '.join(TEMPLATES)}")
    if len(parties) < MIN_PARTIES:
        raise VconRefused("VC_PARTY_REQUIRED", f"a template is for at least {MIN_PARTIES} parties")
    vcon: Vcon = {"subject": subject} if subject else {}
    vcon["parties"] = [dict(party) for party in parties]
    if template == "custom":
        return {**vcon, **parameters}
    known, make = _DIALOGS[template]
    if unknown := sorted(parameters.keys() - known):
        raise VconRefused(
            "VC_ARGUMENT", f"template_params of {template} are {', '.join(sorted(known))}; not {unknown[0]!r}"
        )
    start = rfc3339(parameters.get("start", now))
    if start is None:
        raise VconRefused("VC_DATE", "template_params.start is no moment of RFC 3339")
    dialog = {**make(parameters), "start": start, "parties": list(range(len(parties)))}
    for key in ("duration", "application", "originator"):
        if key in parameters:
            dialog[key] = parameters[key]
    vcon["dialog"] = [dialog]
    return vcon
