"""Is it a valid vCon? Findings with a code, a JSON pointer and a severity, at one of three levels.

``lenient`` takes whatever can be stored and read and warns of the rest. ``core-02`` and ``core-03`` are the IETF's
drafts: their JSON schema, and what their text demands and a JSON schema cannot say (indexes in range, a body or a URL,
https, hashes). A placeholder that stands for a removed element is valid everywhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, Literal
from uuid import UUID

from gongctl.vcon import Vcon
from gongctl.vcon.bodies import ENCODINGS, NoBody, bytes_of, encoding_of, hash_matches, hash_tokens, is_hash, json_of
from gongctl.vcon.findings import Finding, Severity, errors, pointer
from gongctl.vcon.legacy import modernised
from gongctl.vcon.placeholders import is_placeholder
from gongctl.vcon.tags import tags_of
from gongctl.vcon.times import is_rfc3339

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Level = Literal["lenient", "core-02", "core-03"]
LEVELS: Final[tuple[Level, ...]] = ("lenient", "core-02", "core-03")

SUPPORTED: Final[frozenset[str]] = frozenset({"gong"})
"""Extensions that this program supports where a vCon calls them critical."""

ARRAYS: Final = ("parties", "dialog", "analysis", "attachments")
_KNOWN: Final = frozenset(
    {"vcon", "uuid", "created_at", "updated_at", "subject", "extensions", "critical", "redacted", "amended", "group"}
    | set(ARRAYS)
)
_IDENTIFIERS: Final = ("tel", "sip", "mailto", "name", "uuid", "did", "stir")
_TYPES: Final = ("recording", "text", "transfer", "incomplete", "recording-set")
_CONTENT: Final = ("body", "url")
_TRANSFER_PARTIES: Final = ("transferee", "transferor", "transfer_target")
_TRANSFER_DIALOGS: Final = ("original", "consultation", "target_dialog")
_MAX_FINDINGS: Final = 500


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of one vCon at *level*."""

    level: Level
    findings: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """True when there is no error among the findings."""
        return not errors(self.findings)


def validate(vcon: Any, level: Level = "lenient") -> Verdict:
    """Return what is wrong with *vcon*, in the plain form, at *level*."""
    if not isinstance(vcon, dict):
        return Verdict(level, (Finding("VC_NO_VCON", "", "it is no JSON object"),))
    new, found = modernised(vcon)
    strict = level != "lenient"
    findings = list(found)
    if strict:
        findings.extend(_schema_findings(vcon, level))
    findings.extend(_Rules(new, strict).findings())
    return Verdict(level, tuple(dict.fromkeys(findings))[:_MAX_FINDINGS])


# --- the IETF's schema ---------------------------------------------------------------------------------


def schema_of(level: Level) -> dict[str, Any]:
    """Return the IETF's JSON schema of a draft, as it is vendored."""
    name = f"{level if level != 'lenient' else 'core-03'}.json"
    text = (resources.files("gongctl.vcon.schemas") / name).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _validator(level: Level) -> Validator:
    from jsonschema import Draft7Validator, FormatChecker

    formats = FormatChecker(("uuid", "email"))
    formats.checks("date-time")(is_rfc3339_or_no_text)
    formats.checks("uri")(is_uri_or_no_text)
    return Draft7Validator(schema_of(level), format_checker=formats)


def is_rfc3339_or_no_text(value: object) -> bool:
    """Format ``date-time``: what is no text is another keyword's matter."""
    return not isinstance(value, str) or is_rfc3339(value)


def is_uri_or_no_text(value: object) -> bool:
    """Format ``uri``: a scheme and something behind it."""
    return not isinstance(value, str) or re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+", value) is not None


def _schema_findings(vcon: Vcon, level: Level) -> Iterator[Finding]:
    for error in _validator(level).iter_errors(vcon):
        if error.validator == "required" and _of_placeholder(error):
            continue  # the drafts' text allows it, their schema forgot it
        yield Finding("VC_SCHEMA", pointer(*error.absolute_path), _in_words(error))


def _of_placeholder(error: Any) -> bool:
    place = list(error.absolute_path)
    return len(place) == 2 and place[0] == "dialog" and is_placeholder("dialog", error.instance)


def _in_words(error: Any) -> str:
    """Say what a schema error is about, without the value."""
    keyword, wanted = error.validator, error.validator_value
    if keyword == "required":
        missing = [name for name in wanted if isinstance(error.instance, Mapping) and name not in error.instance]
        return f"required and missing: {', '.join(missing)}"
    if keyword == "type":
        return f"it is no {wanted if isinstance(wanted, str) else ' or '.join(wanted)}"
    if keyword in ("enum", "const"):
        return f"it is none of {', '.join(map(str, wanted if keyword == 'enum' else [wanted]))}"
    if keyword == "format":
        return f"it has not the form of a {wanted}"
    if keyword == "minimum":
        return f"it is less than {wanted}"
    return "it has none of the forms that the schema allows"


# --- what a schema cannot say --------------------------------------------------------------------------


class _Rules:
    def __init__(self, vcon: Vcon, strict: bool) -> None:
        self._vcon = vcon
        self._strict = strict
        self._lengths = {name: len(vcon[name]) if isinstance(vcon.get(name), list) else 0 for name in ARRAYS}

    def findings(self) -> Iterator[Finding]:
        yield from self._top()
        for name in ARRAYS:
            elements = self._vcon.get(name)
            if elements is None:
                continue
            if not isinstance(elements, list):
                yield Finding("VC_SHAPE", pointer(name), "it is no array")
                continue
            for index, element in enumerate(elements):
                if not isinstance(element, dict):
                    yield Finding("VC_SHAPE", pointer(name, index), "it is no object")
                elif name == "parties":
                    yield from self._party(element, index)
                elif name == "dialog":
                    yield from self._dialog(element, index)
                elif name == "analysis":
                    yield from self._analysis(element, index)
                else:
                    yield from self._attachment(element, index)
        tags: list[Finding] = []
        tags_of(self._vcon, tags)
        yield from tags

    def _soft(self, code: str, path: str, message: str) -> Finding:
        """A finding that is an error where a draft is held to, and else a warning."""
        severity: Severity = "error" if self._strict else "warning"
        return Finding(code, path, message, severity)

    def _top(self) -> Iterator[Finding]:
        vcon = self._vcon
        if not is_uuid(vcon.get("uuid")):
            yield Finding("VC_UUID_FORMAT", "/uuid", "it has no uuid, or none that is a UUID")
        if not is_rfc3339(vcon.get("created_at")):
            yield self._soft("VC_DATE", "/created_at", "it is no moment of RFC 3339")
        if "updated_at" in vcon and not is_rfc3339(vcon["updated_at"]):
            yield self._soft("VC_DATE", "/updated_at", "it is no moment of RFC 3339")
        if "subject" in vcon and not isinstance(vcon["subject"], str):
            yield self._soft("VC_SHAPE", "/subject", "it is no text")
        if "redacted" in vcon and "amended" in vcon:
            yield self._soft("VC_REDACTED_AND_AMENDED", "/amended", "redacted and amended exclude each other")
        for name in ("redacted", "amended"):
            holder = vcon.get(name)
            if isinstance(holder, dict) and "url" in holder:
                if not hash_tokens(holder):
                    yield self._soft("VC_CONTENT_PAIR", pointer(name), "url without content_hash")
                yield from self._url(holder, (name,))
        names = vcon.get("extensions")
        critical = vcon.get("critical")
        for key, value in (("extensions", names), ("critical", critical)):
            if value is not None and not (isinstance(value, list) and all(isinstance(n, str) and n for n in value)):
                yield self._soft("VC_SHAPE", pointer(key), "it is no array of names")
        if isinstance(critical, list):
            for index, name in enumerate(critical):
                if isinstance(name, str) and name not in SUPPORTED:
                    message = "the vCon must not be processed without an extension that is not supported here"
                    yield Finding("VC_CRITICAL_UNSUPPORTED", pointer("critical", index), message)
                if not isinstance(names, list) or name not in names:
                    yield Finding(
                        "VC_CRITICAL_UNDECLARED", pointer("critical", index), "it is not among extensions", "warning"
                    )
        declared = isinstance(names, list) and bool(names)
        for key in vcon:
            if key not in _KNOWN and not declared:
                yield Finding("VC_UNKNOWN_KEY", pointer(key), "the core format does not know it; it is kept", "warning")

    def _party(self, party: dict[str, Any], index: int) -> Iterator[Finding]:
        path = ("parties", index)
        if is_placeholder("parties", party):
            yield Finding("VC_PLACEHOLDER", pointer(*path), "a placeholder of a removed party", "warning")
        elif not any(isinstance(party.get(key), str) and party[key] for key in _IDENTIFIERS):
            yield Finding("VC_PARTY_NO_IDENTIFIER", pointer(*path), "nothing says who this party is", "warning")

    def _dialog(self, dialog: dict[str, Any], index: int) -> Iterator[Finding]:
        path = ("dialog", index)
        if is_placeholder("dialog", dialog):
            yield Finding("VC_PLACEHOLDER", pointer(*path), "a placeholder of a removed dialog", "warning")
            return
        kind = dialog.get("type")
        if kind not in _TYPES:
            yield self._soft("VC_DIALOG_TYPE", pointer(*path, "type"), f"it is none of {', '.join(_TYPES)}")
        if not is_rfc3339(dialog.get("start")):
            yield self._soft("VC_DATE", pointer(*path, "start"), "it is no moment of RFC 3339")
        duration = dialog.get("duration")
        if duration is not None and not (_is_number(duration) and duration >= 0):
            yield self._soft("VC_DURATION", pointer(*path, "duration"), "it is no number of seconds")
        for key in ("parties", "originator"):
            yield from self._indexes(dialog, path, key, "parties")
        history = dialog.get("party_history")
        for number, event in enumerate(history if isinstance(history, list) else ()):
            if isinstance(event, dict):
                yield from self._indexes(event, (*path, "party_history", number), "party", "parties")
        if kind in ("transfer", "incomplete"):
            for key in _CONTENT:
                if key in dialog:
                    yield self._soft("VC_CONTENT_FORBIDDEN", pointer(*path, key), f"a dialog of type {kind} has none")
        else:
            yield from self._content(dialog, path)
        if kind == "incomplete" and not dialog.get("disposition"):
            yield self._soft("VC_DISPOSITION", pointer(*path), "an incomplete dialog says its disposition")
        if kind == "transfer":
            for key in _TRANSFER_PARTIES:
                yield from self._indexes(dialog, path, key, "parties")
            for key in _TRANSFER_DIALOGS:
                yield from self._indexes(dialog, path, key, "dialog", least=-1)

    def _analysis(self, analysis: dict[str, Any], index: int) -> Iterator[Finding]:
        path = ("analysis", index)
        for key in ("type", "vendor"):
            if not isinstance(analysis.get(key), str):
                yield self._soft("VC_REQUIRED", pointer(*path), f"required and missing: {key}")
        yield from self._indexes(analysis, path, "dialog", "dialog")
        yield from self._indexes(analysis, path, "attachment", "attachments")
        yield from self._content(analysis, path)

    def _attachment(self, attachment: dict[str, Any], index: int) -> Iterator[Finding]:
        path = ("attachments", index)
        if "start" in attachment and not is_rfc3339(attachment["start"]):
            yield self._soft("VC_DATE", pointer(*path, "start"), "it is no moment of RFC 3339")
        # 0 is what an attachment must say where there is neither party nor dialog to belong to.
        yield from self._indexes(attachment, path, "party", "parties", zero=True)
        yield from self._indexes(attachment, path, "dialog", "dialog", zero=True)
        yield from self._content(attachment, path)

    def _content(self, part: dict[str, Any], path: tuple[Any, ...]) -> Iterator[Finding]:
        body, encoding = part.get("body"), part.get("encoding")
        if body is not None and "url" in part:
            yield self._soft("VC_CONTENT_BOTH", pointer(*path), "a body and a url exclude each other")
        if "url" in part:
            if not hash_tokens(part):
                yield self._soft("VC_CONTENT_PAIR", pointer(*path), "url without content_hash")
            yield from self._url(part, path)
        for token in hash_tokens(part):
            if not is_hash(token):
                yield self._soft("VC_HASH_FORMAT", pointer(*path, "content_hash"), "it is no hash that can be checked")
            elif body is not None:
                yield from self._hash(part, path, token)
        if body is None:
            return
        if body != "" and encoding is None:
            yield self._soft("VC_CONTENT_PAIR", pointer(*path), "body without encoding")
        elif encoding is not None and encoding not in ENCODINGS:
            yield self._soft("VC_ENCODING", pointer(*path, "encoding"), f"it is none of {', '.join(ENCODINGS)}")
        if encoding_of(part) == "json":
            try:
                json_of(part)
            except NoBody:
                yield self._soft("VC_JSON_BODY", pointer(*path, "body"), "it is no JSON, although encoding says so")
        elif not isinstance(body, str):
            yield self._soft("VC_SHAPE", pointer(*path, "body"), "it is no text")
        elif encoding == "base64url":
            try:
                bytes_of(part)
            except NoBody:
                yield self._soft("VC_BASE64", pointer(*path, "body"), "it is no base64url")

    def _hash(self, part: dict[str, Any], path: tuple[Any, ...], token: str) -> Iterator[Finding]:
        try:
            matches = hash_matches(bytes_of(part), token)
        except NoBody:
            return
        if not matches:
            yield self._soft("VC_HASH_MISMATCH", pointer(*path, "content_hash"), "it is not the hash of the body")

    def _url(self, holder: dict[str, Any], path: tuple[Any, ...]) -> Iterator[Finding]:
        url = holder.get("url")
        if not isinstance(url, str) or not url.casefold().startswith("https://"):
            yield self._soft("VC_URL_NOT_HTTPS", pointer(*path, "url"), "it is no https URL")

    def _indexes(
        self, holder: dict[str, Any], path: tuple[Any, ...], key: str, of: str, *, least: int = 0, zero: bool = False
    ) -> Iterator[Finding]:
        if key not in holder:
            return
        count = self._lengths[of]
        for steps, value in _numbers(holder[key], ()):
            if value is None and of == "parties":
                continue  # core-03: a channel of nobody
            fits = isinstance(value, int) and not isinstance(value, bool) and least <= value < count
            if not fits and not (zero and value == 0 and not count):
                where = pointer(*path, key, *steps)
                yield self._soft("VC_INDEX_RANGE", where, f"it is no index of {of}, which has {count}")


def _numbers(value: Any, steps: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    if isinstance(value, list) and len(steps) < 2:
        for index, item in enumerate(value):
            yield from _numbers(item, (*steps, index))
    else:
        yield steps, value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_uuid(value: object) -> bool:
    """Tell whether *value* is a UUID written with hyphens, of whatever version."""
    if not isinstance(value, str) or len(value) != 36:
        return False
    try:
        return str(UUID(value)) == value.casefold()
    except ValueError:
        return False
