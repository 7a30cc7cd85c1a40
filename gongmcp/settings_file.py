"""The settings file of ``--config``: what it may hold, and reading it with each value's place.

The file is TOML. It is the weakest layer above the defaults (``gongmcp.settings``). Whatever in it is
unknown, of the wrong type or of a later release is refused with file, line and the nearest valid
key; nothing is passed over in silence. The cache is never named in it.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from gongmcp.errors import StartupRefusal
from gongmcp.exposure.policy import MAX_RESPONSE_BYTES, MIN_RESPONSE_BYTES
from gongmcp.governance.scope import FACTS, check_scope
from gongmcp.http_settings import HTTP_SETTINGS
from gongmcp.refusals import located, refused
from gongmcp.settings import LOCK_MODES, MAX_TOOL_TIMEOUT, MIN_AUDIT_BYTES, SETTINGS
from gongmcp.store.crm_names import LISTS, aliasable

MAX_FILE_BYTES = 1024 * 1024


class Kind(Enum):
    """Type of a value, in the words of a refusal."""

    TEXT = "a string"
    TEXTS = "an array of strings, none of them blank"
    COUNT = "a whole number of at least 1"
    NUMBER = "a number above 0"
    TRUTH = "true or false"
    ALIASES = "a table of arrays of strings, none of them blank"


@dataclass(frozen=True, slots=True)
class FileKey:
    """One key of the file: its dotted name, type and help."""

    name: str
    kind: Kind
    help: str


_KINDS = {
    "tool_preset": Kind.TEXT,
    "tool_allowlist": Kind.TEXTS,
    "toolset": Kind.TEXT,
    "provenance": Kind.TEXT,
    "policy_switches": Kind.TEXTS,
    "tool_timeout": Kind.NUMBER,
    "ai_governance_config": Kind.TEXT,
    "topic_packs": Kind.TEXT,
    "mask_participants": Kind.TRUTH,
    "lock": Kind.TEXT,
    "lock_mode": Kind.TEXT,
    "audit": Kind.TEXT,
    "audit_arguments": Kind.TEXT,
    "otel_file": Kind.TEXT,
    **{setting.name: Kind.TRUTH if setting.truth else Kind.TEXT for setting in HTTP_SETTINGS},
    **dict.fromkeys(("allowed_origins", "allowed_hosts", "oidc_algorithms", "trusted_proxies"), Kind.TEXTS),
    **dict.fromkeys(("http_rate", "http_at_once", "workers"), Kind.COUNT),
    "http_tool_timeout": Kind.NUMBER,
}

TRANSPORT = FileKey("server.transport", Kind.TEXT, "How clients reach the server.")
TRANSPORTS = ("stdio", "http")

_CRM_HELP = {
    "late_stage_values": "Stages that count as late.",
    "stage_proxies": "CRM fields that restate the stage.",
    "matrix_group_fields": "CRM fields by which a population matrix may be grouped.",
    "loss_reason_fields": "CRM fields that hold the reason of a loss.",
    "stage_fields": "CRM fields that hold the stage of an opportunity.",
    "opportunity_type_fields": "CRM fields that hold the type of an opportunity.",
    "account_type_fields": "CRM fields that hold the type of an account.",
    "industry_fields": "CRM fields that hold the industry of an account.",
}
ALIASES = FileKey(
    "crm.field_aliases", Kind.ALIASES, "For an attribute such as opportunity_stage, CRM fields to look for first."
)
CRM_KEYS: tuple[FileKey, ...] = (
    *(FileKey(f"crm.{name}", Kind.TEXTS, f"{_CRM_HELP[name]} In place of the built-in ones.") for name in LISTS),
    ALIASES,
)
"""What describes the tenant's CRM; ``ServerSettings.crm`` holds it, without the prefix."""

_SCOPE_HELP = {
    "workspaces": "ids of workspaces",
    "scopes": "External, Internal or Unknown",
    "languages": "languages as Gong names them",
    "purposes": "purposes of calls",
    "primary_users": "ids of primary users",
    "lifecycle_buckets": "builtin lifecycle buckets",
}
SCOPE_KEYS: tuple[FileKey, ...] = (
    FileKey(
        "scope.private_calls", Kind.TEXT, 'Whether calls marked as private are served: "deny" (default) or "allow".'
    ),
    *(FileKey(f"scope.{name}", Kind.TEXTS, f"Serve these alone: {_SCOPE_HELP[name]}.") for name in FACTS),
    *(FileKey(f"scope.deny_{name}", Kind.TEXTS, f"Never serve these: {_SCOPE_HELP[name]}.") for name in FACTS),
    FileKey("scope.from_date", Kind.TEXT, "First day (UTC) of calls that are served."),
    FileKey("scope.to_date", Kind.TEXT, "Last day (UTC) of calls that are served."),
)
"""Which calls exist for agents; ``ServerSettings.scope`` holds what they say."""

REVEAL = FileKey(
    "review.reveal", Kind.TEXT, 'Whether an operator may look at one withheld value: "confirm" (default) or "never".'
)
REVEALS = ("confirm", "never")

KEYS: dict[str, FileKey] = {
    key.name: key
    for key in (
        TRANSPORT,
        *(FileKey(setting.key, _KINDS.get(setting.name, Kind.COUNT), setting.help) for setting in SETTINGS),
        *CRM_KEYS,
        *SCOPE_KEYS,
        REVEAL,
    )
}
"""Every key that the file may hold, by dotted name."""

TABLES: tuple[str, ...] = tuple(dict.fromkeys(name.partition(".")[0] for name in KEYS))

LATER_TRANSPORTS = frozenset({"sse"})
_NAMES_OF_THE_CACHE = frozenset({"db", "database", "cache"})


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a settings file says.

    Attributes:
        name: its name without the folder, for messages.
        values: by setting name (``gongmcp.settings.SETTINGS``).
        crm: what the ``crm`` table holds, lists as tuples.
        scope: what the ``scope`` table holds, the same.
        lines: the line (from 1) on which each dotted key stands.
        transport: how clients reach the server, '' when it does not say.
        reveal: whether an operator may look at one withheld value, '' when it does not say.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    crm: Mapping[str, Any] = field(default_factory=dict)
    scope: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    transport: str = ""
    reveal: str = ""

    def place(self, key: str) -> str:
        """Return ``FILE:LINE`` of a dotted key that stands in the file."""
        return f"{self.name}:{self.lines[key]}"


def read_settings_file(path: Path) -> SettingsFile:
    """Read and check the file at *path*.

    Raises ``StartupRefusal`` (exit 2) that names file and line.
    """
    text = _text(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(path.name, text, str(error)) from None
    except RecursionError:
        raise refused("file_not_toml", place=f"{path.name}:1", reason="it is nested too deeply") from None
    except ValueError:
        raise refused("file_not_toml", place=f"{path.name}:1", reason="it holds a number that is too long") from None
    lines: dict[str, int] = {}
    for keys, line in statement_lines(text):
        lines.setdefault(".".join(keys), line)
    return _Reader(path.name, lines).read(document)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise refused("file_unreadable", file=path.name, reason=(error.strerror or "").lower()) from None
    if len(data) > MAX_FILE_BYTES:
        raise refused("file_unreadable", file=path.name, reason=f"it is larger than {MAX_FILE_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise refused("file_not_toml", place=f"{path.name}:{line}", reason="it is not UTF-8 text") from None


def _not_toml(name: str, text: str, said: str) -> StartupRefusal:
    """Return the refusal of text that does not parse; *said* is the parser's message with its place."""
    found = re.fullmatch(r"(.*?) \(at (?:line (\d+), column \d+|end of document)\)", said, re.DOTALL)
    reason, line = (found[1], found[2]) if found else (said, None)
    shown = re.sub(r"[^ -~]", "?", reason.rstrip("."))
    return refused(
        "file_not_toml", place=f"{name}:{line or len(text.splitlines()) or 1}", reason=shown[:1].lower() + shown[1:]
    )


def statement_lines(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield each table and key of a TOML document that parses, with the line on which it begins.

    A statement is the shortest run of whole lines that the parser takes, so that strings and arrays
    over several lines, quoted and dotted keys are read by the parser and not guessed at.
    """
    table: tuple[str, ...] = ()
    statement, first = "", 1
    for number, line in enumerate(text.split("\n"), 1):
        statement += line + "\n"
        try:
            parsed = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if statement.lstrip().startswith("["):
            table = _only_path(parsed)
            yield from ((table[:depth], first) for depth in range(1, len(table) + 1))
        else:
            yield from ((table + keys, first) for keys in _paths(parsed))
        statement, first = "", number + 1


def _only_path(parsed: Any) -> tuple[str, ...]:
    path: tuple[str, ...] = ()
    while parsed:
        if isinstance(parsed, list):
            parsed = parsed[0]
            continue
        ((key, parsed),) = parsed.items()
        path += (key,)
    return path


def _paths(parsed: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in parsed.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from _paths(value, (*above, key))


class _Reader:
    """Checks one parsed document against ``KEYS``."""

    def __init__(self, name: str, lines: Mapping[str, int]) -> None:
        self._name = name
        self._lines = lines

    def read(self, document: Mapping[str, Any]) -> SettingsFile:
        found: dict[str, Any] = {}
        for table, body in document.items():
            self._check_table(table, body)
            for key, value in body.items():
                name = f"{table}.{key}"
                if name not in KEYS:
                    raise self._unknown(name)
                found[name] = self._value(KEYS[name], value)
        if "tools.preset" in found and "tools.allowlist" in found:
            raise located(refused("two_tool_choices"), self._place("tools"))
        scope = {name.removeprefix("scope."): value for name, value in found.items() if name.startswith("scope.")}
        if scope:
            check_scope(scope, lambda key: self._place(f"scope.{key}"))
        by_key = {setting.key: setting.name for setting in SETTINGS}
        return SettingsFile(
            self._name,
            {by_key[name]: value for name, value in found.items() if name in by_key},
            {name.removeprefix("crm."): value for name, value in found.items() if name.startswith("crm.")},
            scope,
            self._lines,
            str(found.get(TRANSPORT.name, "")).strip().lower(),
            str(found.get(REVEAL.name, "")),
        )

    def _check_table(self, table: str, body: Any) -> None:
        if table not in TABLES:
            raise self._unknown(table)
        if not isinstance(body, dict):
            raise refused("file_wrong_type", place=self._place(table), key=table, kind="a table")

    def _value(self, key: FileKey, value: Any) -> Any:
        good = {
            Kind.TEXT: lambda: isinstance(value, str),
            Kind.TEXTS: lambda: _texts(value),
            Kind.COUNT: lambda: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
            Kind.NUMBER: lambda: isinstance(value, int | float) and not isinstance(value, bool) and value > 0,
            Kind.TRUTH: lambda: isinstance(value, bool),
            Kind.ALIASES: lambda: isinstance(value, dict) and all(map(_texts, value.values())),
        }[key.kind]()
        if not good:
            raise refused("file_wrong_type", place=self._place(key.name), key=_shown(key.name), kind=key.kind.value)
        if key is REVEAL and value not in REVEALS:
            raise refused("file_reveal", place=self._place(key.name), values=" or ".join(REVEALS))
        if key is TRANSPORT:
            if value.strip().lower() in LATER_TRANSPORTS:
                raise refused("file_later", place=self._place(key.name), key=f"{key.name} = {value.strip().lower()}")
            if value.strip().lower() not in TRANSPORTS:
                raise refused("file_transport", place=self._place(key.name))
        if key is ALIASES:
            for attribute in value:
                self._check_attribute(attribute)
            return {name: tuple(names) for name, names in value.items()}
        return tuple(value) if isinstance(value, list) else value

    def _check_attribute(self, attribute: str) -> None:
        known = aliasable()
        if attribute not in known:
            name = f"{ALIASES.name}.{attribute}"
            near = difflib.get_close_matches(attribute, known, 1, 0.5)
            raise refused(
                "file_unknown_key",
                place=self._place(name),
                key=_shown(name),
                nearest=f"Did you mean {near[0]}? " if near else "",
                names=f"Attributes: {', '.join(known)}.",
            )

    def _unknown(self, name: str) -> StartupRefusal:
        table, _, key = name.partition(".")
        shown, place = _shown(name), self._place(name)
        if (key or table).lower() in _NAMES_OF_THE_CACHE:
            return refused("file_names_the_cache", place=place, key=shown)
        if key:
            inside = {known.partition(".")[2]: known for known in KEYS if known.startswith(f"{table}.")}
            names = f"Keys of [{table}]: {', '.join(inside)}."
        else:
            inside, names = {known: known for known in TABLES}, f"Tables: {', '.join(TABLES)}."
        near = difflib.get_close_matches(key or table, inside, 1, 0.6)
        if not near:
            inside = {known.partition(".")[2]: known for known in reversed(KEYS)}  # of names alike, the first
            near = difflib.get_close_matches(key or table, inside, 1, 0.6)
        nearest = f"Did you mean {inside[near[0]]}? " if near else ""
        return refused("file_unknown_key", place=place, key=shown, nearest=nearest, names=names)

    def _place(self, name: str) -> str:
        return f"{self._name}:{self._lines[name]}"


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)


def _shown(name: str) -> str:
    return re.sub(r"[^\w.-]", "?", name)[:80]


def file_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file, for editors that know TOML and for checks before a deployment."""
    from gongmcp.catalog.presets import PRESETS
    from gongmcp.catalog.registry import aliases, catalog
    from gongmcp.exposure.fields import SWITCHES, Provenance
    from gongmcp.vcon.toolset import PRESETS as VCON_PRESETS
    from gongmcp.vcon.toolset import TOOLSETS, vcon_tools

    usable = [name for preset in PRESETS for name in (preset.name, *preset.aliases)]
    narrower: dict[str, dict[str, Any]] = {
        TRANSPORT.name: {"enum": list(TRANSPORTS)},
        REVEAL.name: {"enum": list(REVEALS)},
        "tools.preset": {"enum": [*usable, *(preset.name for preset in VCON_PRESETS)]},
        "tools.allowlist": {"items": {"enum": [*catalog(), *aliases(), *sorted(vcon_tools())]}, "minItems": 1},
        "tools.toolset": {"enum": list(TOOLSETS)},
        "provenance.mode": {"enum": [mode.value for mode in Provenance]},
        "policy.switches": {"items": {"enum": list(SWITCHES)}},
        "policy.max_response_bytes": {"minimum": MIN_RESPONSE_BYTES, "maximum": MAX_RESPONSE_BYTES},
        "policy.tool_timeout": {"maximum": MAX_TOOL_TIMEOUT},
        "audit.max_bytes": {"minimum": MIN_AUDIT_BYTES},
        "approval.mode": {"enum": list(LOCK_MODES)},
        "scope.private_calls": {"enum": ["deny", "allow"]},
        ALIASES.name: {"propertyNames": {"enum": list(aliasable())}},
    }
    tables: dict[str, Any] = {}
    for key in KEYS.values():
        table, _, name = key.name.partition(".")
        body = tables.setdefault(table, {"type": "object", "properties": {}, "additionalProperties": False})
        body["properties"][name] = {"description": key.help} | _schema(key.kind) | narrower.get(key.name, {})
    tables["tools"]["not"] = {"required": ["preset", "allowlist"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings file of gongmcp --config",
        "description": "Default < this file < environment < flag. The cache is not named here but by --db.",
        "type": "object",
        "properties": tables,
        "additionalProperties": False,
    }


def _schema(kind: Kind) -> dict[str, Any]:
    texts = {"type": "array", "items": {"type": "string", "pattern": r"\S"}}
    schemas: dict[Kind, dict[str, Any]] = {
        Kind.TEXT: {"type": "string"},
        Kind.TEXTS: texts,
        Kind.COUNT: {"type": "integer", "minimum": 1},
        Kind.NUMBER: {"type": "number", "exclusiveMinimum": 0},
        Kind.TRUTH: {"type": "boolean"},
        Kind.ALIASES: {"type": "object", "additionalProperties": texts},
    }
    return schemas[kind]
