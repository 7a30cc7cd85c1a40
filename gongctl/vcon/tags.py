"""Tags: an attachment whose body is a JSON array of ``key:value`` texts, cut at the first colon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gongctl.vcon import Vcon
from gongctl.vcon.bodies import NoBody, json_body, json_of
from gongctl.vcon.findings import Finding, VconRefused, pointer

TAGS: Final = "tags"
MAX_KEY: Final = 256
_BAD_KEY: Final = re.compile("[:\x00-\x1f\x7f]")


def is_tags(attachment: object) -> bool:
    """Tell whether *attachment* holds tags; ``purpose`` counts, and the older ``type``."""
    return isinstance(attachment, Mapping) and TAGS in (attachment.get("purpose"), attachment.get("type"))


def tags_of(vcon: Vcon, found: list[Finding] | None = None) -> dict[str, str]:
    """Return the tags of *vcon*: of all its tags attachments in order, the last of equal keys.

    *found* takes what cannot be a tag and what stands twice.
    """
    tags: dict[str, str] = {}
    findings = found if found is not None else []
    attachments = vcon.get("attachments")
    for index, attachment in enumerate(attachments if isinstance(attachments, list) else ()):
        if not is_tags(attachment):
            continue
        try:
            body = json_of(attachment)
        except NoBody:
            findings.append(_finding("VC_TAG_SYNTAX", index, "the tags are no JSON"))
            continue
        for key, value in _pairs(body, index, findings):
            if key in tags:
                findings.append(_finding("VC_TAG_DUPLICATE", index, "a tag stands twice; the last one counts"))
            tags[key] = value
    return tags


def _pairs(body: Any, index: int, findings: list[Finding]) -> Iterator[tuple[str, str]]:
    if isinstance(body, Mapping):  # a form of other programs
        yield from ((key, as_value(value)) for key, value in body.items() if isinstance(value, str | int | float))
        return
    if not isinstance(body, list):
        findings.append(_finding("VC_TAG_SYNTAX", index, "the tags are no array"))
        return
    for item in body:
        key, colon, value = item.partition(":") if isinstance(item, str) else ("", "", "")
        if not colon or not key:
            findings.append(_finding("VC_TAG_SYNTAX", index, "an entry is no key:value and is passed over"))
        else:
            yield key, value


def as_value(value: str | int | float | bool) -> str:
    """Return a tag's value as the text that stands for it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value}"


def checked_key(key: str) -> str:
    """Return *key* without blanks around it.

    Raises:
        VconRefused: it is empty, too long, or holds a colon or a control character.
    """
    plain = key.strip()
    if not plain or len(plain) > MAX_KEY or _BAD_KEY.search(plain):
        raise VconRefused(
            "VC_TAG_SYNTAX",
            f"The key of a tag is 1 to {MAX_KEY} characters without a colon and without control characters.",
        )
    return plain


def with_tags(vcon: Vcon, tags: Mapping[str, str], now: str) -> Vcon:
    """Return *vcon* with exactly *tags*: in its first tags attachment, or a new one behind the others.

    Further tags attachments stay, empty: their slots are indexes. *now* is the time of a new attachment.
    """
    attachments = list(vcon.get("attachments") or ())
    body = json_body([f"{key}:{value}" for key, value in tags.items()])
    written = False
    for index, attachment in enumerate(attachments):
        if is_tags(attachment):
            attachments[index] = {**attachment, **(json_body([]) if written else body)}
            written = True
    if not written:
        if not tags:
            return vcon
        attachments.append(tags_attachment(tags, now))
    return {**vcon, "attachments": attachments}


def tags_attachment(tags: Mapping[str, str], start: str) -> dict[str, Any]:
    """Return a new tags attachment; under both names, for readers of either."""
    return {
        "purpose": TAGS,
        "type": TAGS,
        "start": start,
        "party": 0,
        "dialog": 0,
        "mediatype": "application/json",
        **json_body([f"{key}:{value}" for key, value in tags.items()]),
    }


def _finding(code: str, index: int, message: str) -> Finding:
    return Finding(code, pointer("attachments", index, "body"), message, "warning")
