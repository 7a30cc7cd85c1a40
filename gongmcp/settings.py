"""``ServerSettings``: every setting of the server and where it came from, and every start-up refusal.

Order of strength: built-in default < settings file < environment < flag. The same resolution serves
``gongmcp`` and ``gongctl mcp``, so that a script sees the surface that an agent gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gongmcp.catalog.limits import Cap, LimitPolicy
from gongmcp.catalog.presets import find_preset, parse_allowlist
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.fields import SWITCHES, Provenance
from gongmcp.exposure.policy import DEFAULT_RESPONSE_BYTES, MAX_RESPONSE_BYTES, MIN_RESPONSE_BYTES, Policy

DEFAULT_TOOL_TIMEOUT = 30.0
"""Seconds that one tool call may take."""

MAX_TOOL_TIMEOUT = 3600.0


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name in files and ``flags`` mappings, its environment variable, its flag, its help."""

    name: str
    env: str
    flag: str
    help: str


SETTINGS: tuple[Setting, ...] = (
    Setting("tool_preset", "GONGMCP_TOOL_PRESET", "--tool-preset", "Named choice of tools."),
    Setting("tool_allowlist", "GONGMCP_TOOL_ALLOWLIST", "--tool-allowlist", "Comma list of tool names."),
    Setting(
        "provenance",
        "GONGMCP_TRANSCRIPT_EVIDENCE_PROVENANCE",
        "--transcript-evidence-provenance",
        "What may identify the source of a quotation: redacted, alias or raw.",
    ),
    Setting(
        "policy_switches", "GONGMCP_POLICY_SWITCHES", "--policy-switches", "Comma list of hide_* switches to turn on."
    ),
    Setting(
        "max_response_bytes",
        "GONGMCP_MAX_RESPONSE_BYTES",
        "--max-response-bytes",
        "Byte budget of one answer, text and structure together.",
    ),
    Setting("tool_timeout", "GONGMCP_TOOL_TIMEOUT", "--tool-timeout", "Seconds that one tool call may take."),
    *(
        Setting(
            f"max_{cap.setting}", cap.env, cap.flag, f"Ceiling of rows: {cap.value.key} (hard cap {cap.value.hard})."
        )
        for cap in Cap
    ),
)
"""All settings that flags and environment can set, in the order in which help lists them."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Resolved settings.

    *sources* names for each setting the layer that decided: ``default``, ``file``, ``env`` or ``flag``.
    """

    policy: Policy = field(default_factory=Policy)
    tool_timeout: float = DEFAULT_TOOL_TIMEOUT
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def resolve(
        cls,
        flags: Mapping[str, Any],
        environ: Mapping[str, str],
        file: Mapping[str, Any] | None = None,
    ) -> ServerSettings:
        """Merge *file*, *environ* and *flags* (by setting name; None = not given) over the defaults.

        Raises ``StartupRefusal`` (exit 2) with one sentence for the first bad value.
        """
        values: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for setting in SETTINGS:
            for layer, value in (
                ("flag", flags.get(setting.name)),
                ("env", environ.get(setting.env, "").strip() or None),
                ("file", (file or {}).get(setting.name)),
            ):
                if value is not None:
                    values[setting.name], sources[setting.name] = value, layer
                    break
            else:
                sources[setting.name] = "default"
        tools, preset = _tool_choice(values, sources)
        policy = Policy(
            provenance=_provenance(values.get("provenance"), sources["provenance"]),
            switches=_switches(values.get("policy_switches")),
            limits=LimitPolicy(
                {
                    cap: _whole(name, values[name], sources[name])
                    for cap in Cap
                    if (name := f"max_{cap.setting}") in values
                }
            ),
            max_response_bytes=_response_bytes(values.get("max_response_bytes"), sources["max_response_bytes"]),
            tools=tools,
            preset=preset,
        )
        return cls(policy, _timeout(values.get("tool_timeout"), sources["tool_timeout"]), sources)


def _label(name: str, layer: str) -> str:
    setting = next(setting for setting in SETTINGS if setting.name == name)
    return {"flag": setting.flag, "env": setting.env}.get(layer, name)


def _tool_choice(values: Mapping[str, Any], sources: dict[str, str]) -> tuple[frozenset[str] | None, str | None]:
    rank = {"default": 0, "file": 1, "env": 2, "flag": 3}
    preset, allowlist = values.get("tool_preset"), values.get("tool_allowlist")
    if preset is not None and allowlist is not None:
        if rank[sources["tool_preset"]] == rank[sources["tool_allowlist"]]:
            raise StartupRefusal(
                "Both a tool preset and a tool allowlist are given.",
                "Give one: --tool-preset NAME or --tool-allowlist NAME,NAME.",
            )
        if rank[sources["tool_preset"]] > rank[sources["tool_allowlist"]]:
            allowlist = None
        else:
            preset = None
    if preset is not None:
        if not str(preset).strip():
            find_preset("")
        found = find_preset(str(preset))
        return frozenset(found.tools()), found.name
    if allowlist is not None:
        return parse_allowlist(allowlist), None
    return None, None


def _provenance(value: Any, layer: str) -> Provenance:
    if value is None:
        return Provenance.REDACTED
    try:
        return Provenance(str(value).strip().lower())
    except ValueError:
        raise StartupRefusal(
            f"{_label('provenance', layer)} is not a provenance mode.", "Modes: redacted, alias, raw."
        ) from None


def _switches(value: Any) -> frozenset[str]:
    items = value.split(",") if isinstance(value, str) else list(value or ())
    names = frozenset(str(item).strip().lower() for item in items if str(item).strip())
    if names - SWITCHES.keys():
        raise StartupRefusal("A policy switch of that name does not exist.", f"Switches: {', '.join(SWITCHES)}.")
    return names


def _whole(name: str, value: Any, layer: str) -> int:
    try:
        number = int(str(value).strip())
    except ValueError:
        number = 0
    if number < 1 or isinstance(value, bool | float):
        raise StartupRefusal(f"{_label(name, layer)} must be a whole number of at least 1.")
    return number


def _response_bytes(value: Any, layer: str) -> int:
    if value is None:
        return DEFAULT_RESPONSE_BYTES
    number = _whole("max_response_bytes", value, layer)
    if not MIN_RESPONSE_BYTES <= number <= MAX_RESPONSE_BYTES:
        raise StartupRefusal(
            f"{_label('max_response_bytes', layer)} must be from {MIN_RESPONSE_BYTES} to {MAX_RESPONSE_BYTES} bytes."
        )
    return number


def _timeout(value: Any, layer: str) -> float:
    if value is None:
        return DEFAULT_TOOL_TIMEOUT
    try:
        seconds = float(str(value).strip().removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_TOOL_TIMEOUT:
        raise StartupRefusal(
            f"{_label('tool_timeout', layer)} must be a number of seconds above 0, at most {MAX_TOOL_TIMEOUT:.0f}."
        )
    return seconds
