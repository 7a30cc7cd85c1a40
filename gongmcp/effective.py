"""The effective settings as a list: each one's value, which layer gave it, and what that layer overrode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gongmcp.catalog.limits import Cap
from gongmcp.exposure.policy import Policy
from gongmcp.http_settings import HTTP_SETTINGS, shown
from gongmcp.settings import SETTINGS, AuditSettings, ServerSettings
from gongmcp.settings_file import ALIASES, CRM_KEYS, REVEAL, REVEALS, SCOPE_KEYS, TRANSPORT, TRANSPORTS, FileKey
from gongmcp.store.crm_names import default_list


@dataclass(frozen=True, slots=True)
class Effective:
    """One setting under its dotted name of the settings file.

    *source* is ``default``, ``file``, ``env`` or ``flag``; *origin* names the place: ``FILE:LINE``, the
    variable or the flag. *overrides* are the weaker places that give it too, strongest first. *note*
    says what the value alone does not.
    """

    key: str
    value: Any
    source: str
    origin: str
    overrides: tuple[str, ...] = ()
    note: str = ""

    @property
    def is_set(self) -> bool:
        """True when something but the built-in default has a say in it."""
        return self.source != "default" or bool(self.overrides) or bool(self.value and self.note)

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        out = {"key": self.key, "value": self.value, "source": self.source, "origin": self.origin}
        return out | {"overrides": list(self.overrides), "note": self.note}


def effective(settings: ServerSettings) -> list[Effective]:
    """Return every setting in the order of the settings file."""
    return [
        _of_file_alone(settings, TRANSPORT.name, TRANSPORTS[0] if settings.http is None else TRANSPORTS[1]),
        *(_of_layers(settings, setting.name, setting.key) for setting in SETTINGS),
        *(_of_file_alone(settings, key.name, _default(key)) for key in (*CRM_KEYS, *SCOPE_KEYS)),
        _of_file_alone(settings, REVEAL.name, REVEALS[0]),
    ]


def _of_layers(settings: ServerSettings, name: str, key: str) -> Effective:
    layers = settings.layers.get(name, ())
    value, note = _value(settings, name)
    if settings.sources[name] == "default":
        # Given, but beaten by the other way to choose tools: everything that gives it counts as overridden.
        if layers:
            note = "A stronger layer chooses the tools in the other way."
        return Effective(key, value, "default", "default", tuple(layer.origin for layer in layers), note)
    return Effective(key, value, layers[0].kind, layers[0].origin, tuple(layer.origin for layer in layers[1:]), note)


def _value(settings: ServerSettings, name: str) -> tuple[Any, str]:
    """Return the value that applies, and a note where it is not the one that was given."""
    policy = settings.policy
    if name == "tool_preset":
        return policy.preset, "" if policy.preset or policy.tools is not None else "Every tool is offered."
    if name == "tool_allowlist":
        return (sorted(policy.tools) if policy.preset is None and policy.tools is not None else None), ""
    if name == "toolset":
        return settings.toolset, ""
    if name == "provenance":
        return policy.provenance.value, ""
    if name == "policy_switches":
        added = ", ".join(sorted(policy.preset_switches))
        return sorted(policy.switches), f"The preset turns on {added}." if added else ""
    if name == "max_response_bytes":
        return policy.max_response_bytes, ""
    if name == "tool_timeout":
        return settings.tool_timeout, ""
    if name == "ai_governance_config":
        # The file's name: where it lies is nobody's business who reads this listing.
        path = settings.restricted_path
        return (None if path is None else path.name), ""
    if name == "topic_packs":
        given = settings.layers.get(name)
        return (Path(str(given[0].value)).name if given else None), ""
    if name == "lock":
        return (None if settings.lock is None else settings.lock.name), ""
    if name == "lock_mode":
        return settings.lock_mode, ""
    if name in _FILES:
        written = _FILES[name](settings.audit)
        return (None if written is None else written.name), ""
    if name == "audit_max_bytes":
        return settings.audit.max_bytes, ""
    if name in _HTTP:
        return shown(settings.http, name), ""
    if name in _POLICY_VALUES:
        return _POLICY_VALUES[name](policy), ""
    (cap,) = (cap for cap in Cap if f"max_{cap.setting}" == name)
    ceiling = policy.limits.limits(cap).ceiling
    asked = settings.layers[name][0].value if name in settings.layers else ceiling
    lowered = int(str(asked)) > ceiling
    return ceiling, f"Lowered from {asked} to the hard cap." if lowered else ""


_HTTP = frozenset(setting.name for setting in HTTP_SETTINGS)

_POLICY_VALUES: dict[str, Callable[[Policy], Any]] = {
    "min_cell": lambda policy: policy.min_cell,
    "mask_participants": lambda policy: policy.mask_participants,
    "evidence_per_answer": lambda policy: policy.evidence.per_answer,
    "evidence_segments": lambda policy: policy.evidence.segments,
    "evidence_percent": lambda policy: policy.evidence.percent,
}


_FILES: dict[str, Callable[[AuditSettings], Path | None]] = {
    "audit": lambda audit: audit.file,
    "audit_arguments": lambda audit: audit.arguments_key,
    "otel_file": lambda audit: audit.otel_file,
}


def _default(key: FileKey) -> Any:
    if key in SCOPE_KEYS:
        return "deny" if key.name == "scope.private_calls" else None
    return {} if key is ALIASES else default_list(key.name.removeprefix("crm."))


def _of_file_alone(settings: ServerSettings, key: str, default: Any) -> Effective:
    file = settings.file
    if file is None or key not in file.lines:
        return Effective(key, _plain(default), "default", "default")
    table, _, name = key.partition(".")
    tables = {"crm": file.crm, "scope": file.scope, "review": {"reveal": file.reveal}}
    value = tables.get(table, {}).get(name, default)
    return Effective(key, _plain(value), "file", file.place(key))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: list(names) for name, names in value.items()}
    return list(value) if isinstance(value, tuple) else value
