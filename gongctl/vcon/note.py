"""The note that an unredacted export leaves in a vCon, and taking it off when one is read: the way there and back adds
nothing. A signed vCon leaves as it is, without one."""

from __future__ import annotations

from typing import Any, Final

from gongctl.vcon import Vcon
from gongctl.vcon.bodies import NoBody, json_body, json_of
from gongctl.vcon.times import rfc3339

NOTE: Final = "gongctl_export"
"""Purpose of the attachment."""

_NO_ATTACHMENTS: Final = "had_no_attachments"


def with_note(vcon: Vcon) -> Vcon:
    """Return *vcon* with a last attachment that says that nothing was taken out of it."""
    body: dict[str, Any] = {"by": "gongctl", "redaction": "none"}
    if "attachments" not in vcon:
        body[_NO_ATTACHMENTS] = True
    start = rfc3339(vcon.get("created_at")) or "1970-01-01T00:00:00Z"
    note = {"purpose": NOTE, "start": start, "party": 0, "dialog": 0, "mediatype": "application/json"}
    return {**vcon, "attachments": [*(vcon.get("attachments") or ()), {**note, **json_body(body)}]}


def without_note(vcon: Vcon) -> Vcon:
    """Return *vcon* as it was before ``with_note``."""
    attachments = vcon.get("attachments")
    if not isinstance(attachments, list) or not attachments:
        return vcon
    last = attachments[-1]
    if not isinstance(last, dict) or last.get("purpose") != NOTE:
        return vcon
    try:
        said = json_of(last)
    except NoBody:
        return vcon
    if not attachments[:-1] and isinstance(said, dict) and said.get(_NO_ATTACHMENTS) is True:
        return {key: value for key, value in vcon.items() if key != "attachments"}
    return {**vcon, "attachments": attachments[:-1]}
