"""``ServerSettings``: every setting of the server and where it came from.

Order of strength: built-in default < settings file < environment < flag. The same resolution serves
``gongmcp`` and ``gongctl mcp``, so that a script sees the surface that an agent gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gongmcp.catalog.limits import Cap, LimitPolicy
from gongmcp.catalog.presets import find_preset, nearest, parse_allowlist, under_preset
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.fields import SWITCHES, Provenance
from gongmcp.exposure.policy import (
    DEFAULT_RESPONSE_BYTES,
    MAX_RESPONSE_BYTES,
    MIN_RESPONSE_BYTES,
    EvidenceLimits,
    Policy,
)
from gongmcp.governance.scope import Scope
from gongmcp.http_settings import HTTP_SETTINGS, TOKEN_ENV, HttpSettings, http_settings
from gongmcp.refusals import located, refused
from gongmcp.setting import Setting
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.model import ModelRules

if TYPE_CHECKING:
    from gongmcp.analysis.topic_packs import TopicPacks
    from gongmcp.governance.restricted import RestrictedList
    from gongmcp.settings_file import SettingsFile

DEFAULT_TOOL_TIMEOUT = 30.0
"""Seconds that one tool call may take."""

MAX_TOOL_TIMEOUT = 3600.0

LOCK_MODES = ("refuse", "warn")
"""What a policy that differs from the approved one leads to, the default first."""

DEFAULT_AUDIT_BYTES = 64 * 1024 * 1024
MIN_AUDIT_BYTES = 64 * 1024
"""Smallest size of an audit file: the longest record fits."""

VCON_PRESET = "vcon-"
"""Beginning of the presets of vCon tools."""

PREFIX = "GONGMCP_"
"""Beginning of every environment variable that this program reads."""


SETTINGS: tuple[Setting, ...] = (
    Setting("tool_preset", "GONGMCP_TOOL_PRESET", "--tool-preset", "tools.preset", "Named choice of tools."),
    Setting(
        "tool_allowlist", "GONGMCP_TOOL_ALLOWLIST", "--tool-allowlist", "tools.allowlist", "Comma list of tool names."
    ),
    Setting(
        "toolset",
        "GONGMCP_TOOLSET",
        "--toolset",
        "tools.toolset",
        "Families of tools: gong (calls, the default), vcon or all; vCon tools need a choice of tools.",
    ),
    Setting(
        "provenance",
        "GONGMCP_TRANSCRIPT_EVIDENCE_PROVENANCE",
        "--transcript-evidence-provenance",
        "provenance.mode",
        "What may identify the source of a quotation: redacted, alias or raw.",
    ),
    Setting(
        "policy_switches",
        "GONGMCP_POLICY_SWITCHES",
        "--policy-switches",
        "policy.switches",
        f"Comma list of switches that withhold a kind whatever a caller asks: {', '.join(SWITCHES)}.",
    ),
    Setting(
        "max_response_bytes",
        "GONGMCP_MAX_RESPONSE_BYTES",
        "--max-response-bytes",
        "policy.max_response_bytes",
        "Byte budget of one answer, text and structure together.",
    ),
    Setting(
        "tool_timeout",
        "GONGMCP_TOOL_TIMEOUT",
        "--tool-timeout",
        "policy.tool_timeout",
        "Seconds that one tool call may take.",
    ),
    Setting(
        "ai_governance_config",
        "GONGMCP_AI_GOVERNANCE_CONFIG",
        "--ai-governance-config",
        "governance.list",
        "YAML file of restricted customers: calls that name one do not exist for agents.",
    ),
    Setting(
        "topic_packs",
        "GONGMCP_BUSINESS_TOPIC_PACKS_CONFIG",
        "--business-topic-packs-config",
        "analysis.topic_packs",
        "YAML file of topic packs: the words by which business topics and objections are found, beside ours.",
    ),
    Setting(
        "mask_participants",
        "GONGMCP_MASK_PARTICIPANTS",
        "--mask-participants",
        "policy.mask_participants",
        "Mask the names of each call's own parties (yes or no); the cache is warmed with the same setting.",
    ),
    Setting(
        "min_cell",
        "GONGMCP_MIN_CELL",
        "--min-cell",
        "policy.min_cell",
        "Smallest count that is told apart: counts are rounded down to multiples of it, smaller groups merged.",
    ),
    Setting(
        "evidence_per_answer",
        "GONGMCP_EVIDENCE_PER_ANSWER",
        "--evidence-per-answer",
        "evidence.per_answer",
        "Segments of one call that one answer may hold.",
    ),
    Setting(
        "evidence_segments",
        "GONGMCP_EVIDENCE_SEGMENTS",
        "--evidence-segments",
        "evidence.segments",
        "Segments of one call that one client session may see whatever the call's length.",
    ),
    Setting(
        "evidence_percent",
        "GONGMCP_EVIDENCE_PERCENT",
        "--evidence-percent",
        "evidence.percent",
        "Share of a call's segments, in percent, that one client session may see.",
    ),
    Setting(
        "lock",
        "GONGMCP_LOCK",
        "--lock",
        "approval.lock",
        "JSON file of what was approved: whatever is not in it, or has changed, is not served.",
    ),
    Setting(
        "lock_mode",
        "GONGMCP_LOCK_MODE",
        "--lock-mode",
        "approval.mode",
        "What a policy that is not the approved one leads to: refuse, or warn and keep to the approved one.",
    ),
    Setting(
        "audit",
        "GONGMCP_AUDIT",
        "--audit",
        "audit.file",
        "Write what left, to whom and by which tool to this file, a line of JSON for each answer; no values.",
        server_only=True,
    ),
    Setting(
        "audit_max_bytes",
        "GONGMCP_AUDIT_MAX_BYTES",
        "--audit-max-bytes",
        "audit.max_bytes",
        "Size beyond which the audit file is moved aside and a new one begun.",
        server_only=True,
    ),
    Setting(
        "audit_arguments",
        "GONGMCP_AUDIT_ARGUMENTS",
        "--audit-arguments",
        "audit.arguments_key",
        "Also keep the arguments in it, encrypted with the key in this file, for gongctl mcp replay.",
        server_only=True,
    ),
    Setting(
        "otel_file",
        "GONGMCP_OTEL_FILE",
        "--otel-file",
        "audit.otel_file",
        "Write an OpenTelemetry span for each call to this file, as lines of JSON (extra gongctl[otel]).",
        server_only=True,
    ),
    *HTTP_SETTINGS,
    *(
        Setting(
            f"max_{cap.setting}",
            cap.env,
            cap.flag,
            f"limits.{cap.setting}",
            f"Ceiling of rows: {cap.value.key} (hard cap {cap.value.hard}).",
        )
        for cap in Cap
    ),
)
"""All settings that file, environment and flags can set, in the order in which help lists them."""

POLICY_SETTINGS: tuple[Setting, ...] = tuple(setting for setting in SETTINGS if not setting.server_only)
"""Those that decide what an answer holds: what a dry run takes as well."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer that gives a setting: ``file``, ``env`` or ``flag``, and the words for the place."""

    kind: str
    origin: str
    value: Any


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What the server writes about its answers.

    Attributes:
        file: the audit log, None without one.
        max_bytes: size beyond which it is moved aside.
        arguments_key: file of the key that arguments are kept with, None = they are not kept.
        otel_file: where spans go, None = nowhere.
    """

    file: Path | None = None
    max_bytes: int = DEFAULT_AUDIT_BYTES
    arguments_key: Path | None = None
    otel_file: Path | None = None


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Resolved settings.

    Attributes:
        policy: what may leave.
        tool_timeout: seconds that one call may take.
        crm: what the settings file's ``crm`` table says of the tenant's CRM, by key; empty without one.
        scope: which calls exist for agents.
        restricted: the restricted list, None without one.
        restricted_path: the file that it came from.
        lock: the file of what was approved, None without one.
        lock_mode: ``refuse`` or ``warn``.
        audit: what the server writes about its answers.
        http: how it is reached over HTTP, None = over standard input and output.
        sources: for each setting the kind of layer that decided: ``default``, ``file``, ``env``, ``flag``.
        layers: for each setting that was given, all layers that gave it, strongest first.
        file: the settings file, if there is one.
        topic_packs: the operator's topic packs beside those of the program, None without a file.
        toolset: which families of tools are served: ``gong``, ``vcon`` or ``all``.
    """

    policy: Policy = field(default_factory=Policy)
    tool_timeout: float = DEFAULT_TOOL_TIMEOUT
    crm: Mapping[str, Any] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    restricted: RestrictedList | None = None
    restricted_path: Path | None = None
    lock: Path | None = None
    lock_mode: str = LOCK_MODES[0]
    audit: AuditSettings = field(default_factory=AuditSettings)
    http: HttpSettings | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    layers: Mapping[str, tuple[Layer, ...]] = field(default_factory=dict)
    file: SettingsFile | None = None
    toolset: str = "gong"
    topic_packs: TopicPacks | None = None

    @classmethod
    def resolve(
        cls,
        flags: Mapping[str, Any],
        environ: Mapping[str, str],
        file: SettingsFile | None = None,
    ) -> ServerSettings:
        """Merge *file*, *environ* and *flags* (by setting name; None = not given) over the defaults.

        Raises ``StartupRefusal`` (exit 2) with one sentence for the first bad value.
        """
        _refuse_unknown(environ)
        layers = {setting.name: tuple(_layers(setting, flags, environ, file)) for setting in SETTINGS}
        given = _Given({name: found[0] for name, found in layers.items() if found})
        policy = Policy(
            provenance=given.provenance(),
            switches=given.switches(),
            limits=LimitPolicy({cap: given.count(name) for cap in Cap if (name := f"max_{cap.setting}") in given.by}),
            max_response_bytes=given.response_bytes(),
            min_cell=given.count("min_cell") if "min_cell" in given.by else 1,
            mask_participants=given.truth("mask_participants"),
            evidence=given.evidence(),
        )
        path, restricted = given.restricted_list()
        http = http_settings(given, environ)
        if file is not None and file.transport == "http" and http is None:
            raise refused("http_no_address", place=file.place("server.transport"))
        return cls(
            given.tools(policy),
            given.timeout(),
            file.crm if file is not None else {},
            Scope.load(file.scope) if file is not None else Scope(),
            restricted,
            path,
            given.lock(),
            given.lock_mode(),
            given.audit(),
            http,
            {name: given.by[name].kind if name in given.by else "default" for name in layers},
            {name: found for name, found in layers.items() if found},
            file,
            given.toolset(),
            given.topic_packs(),
        )

    def model_rules(self) -> ModelRules:
        """Return what decides the content of the read model that these settings serve."""
        return ModelRules(
            CrmNames.load(self.crm) if self.crm else CrmNames.default(),
            self.scope,
            self.restricted.digest if self.restricted is not None else "",
            self.policy.mask_participants,
        )


def _layers(
    setting: Setting, flags: Mapping[str, Any], environ: Mapping[str, str], file: SettingsFile | None
) -> Iterator[Layer]:
    if flags.get(setting.name) is not None:
        yield Layer("flag", setting.flag, flags[setting.name])
    if environ.get(setting.env, "").strip():
        yield Layer("env", setting.env, environ[setting.env].strip())
    if file is not None and setting.name in file.values:
        yield Layer("file", file.place(setting.key), file.values[setting.name])


_YES = frozenset({"yes", "true", "1", "on"})
_NO = frozenset({"no", "false", "0", "off"})
_STRENGTH = {"file": 1, "env": 2, "flag": 3}


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    """Refuse a set variable of our prefix that is no setting: a misspelt switch would withhold nothing."""
    known = [*(setting.env for setting in SETTINGS), TOKEN_ENV]
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in known and environ[variable].strip():
            raise refused("environment_unknown", variable=variable, nearest=nearest(variable, known))


class _Given:
    """The strongest layer of each setting that was given, and what its value means."""

    def __init__(self, by: dict[str, Layer]) -> None:
        self.by = by

    def tools(self, policy: Policy) -> Policy:
        """Return *policy* with the tools that were chosen; of a preset and an allowlist the stronger layer's."""
        preset, allowlist = self.by.get("tool_preset"), self.by.get("tool_allowlist")
        if preset is not None and allowlist is not None:
            if preset.kind == allowlist.kind:
                raise refused("two_tool_choices")
            weaker = min("tool_preset", "tool_allowlist", key=lambda name: _STRENGTH[self.by[name].kind])
            del self.by[weaker]
        toolset = self.toolset()
        if toolset != "gong":
            return self._with_vcons(policy, toolset)
        if (layer := self.by.get("tool_preset")) is not None:
            with self._placed("tool_preset"):
                return under_preset(policy, find_preset(str(layer.value)))
        if (layer := self.by.get("tool_allowlist")) is not None:
            with self._placed("tool_allowlist"):
                return replace(policy, tools=parse_allowlist(layer.value))
        return policy

    def toolset(self) -> str:
        """Return which families of tools are served; a preset of vCon tools implies them."""
        if "toolset" not in self.by:
            preset = str(self.by["tool_preset"].value) if "tool_preset" in self.by else ""
            return "vcon" if preset.strip().lower().startswith(VCON_PRESET) else "gong"
        from gongmcp.vcon.toolset import chosen_toolset  # a start without vCons does not pay for it

        with self._placed("toolset"):
            return chosen_toolset(str(self.by["toolset"].value))

    def _with_vcons(self, policy: Policy, toolset: str) -> Policy:
        from gongmcp.vcon.toolset import chosen_tools

        if (layer := self.by.get("tool_preset")) is not None:
            with self._placed("tool_preset"):
                return chosen_tools(policy, toolset, preset=str(layer.value), locked="lock" in self.by)
        with self._placed("tool_allowlist" if "tool_allowlist" in self.by else "toolset"):
            named = self.by["tool_allowlist"].value if "tool_allowlist" in self.by else ""
            return chosen_tools(policy, toolset, allowlist=named, locked="lock" in self.by)

    def provenance(self) -> Provenance:
        """Return the mode of provenance."""
        if "provenance" not in self.by:
            return Provenance.REDACTED
        try:
            return Provenance(str(self.by["provenance"].value).strip().lower())
        except ValueError:
            raise refused("provenance_unknown", setting=self.label("provenance")) from None

    def switches(self) -> frozenset[str]:
        """Return the switches to turn on."""
        value = self.by["policy_switches"].value if "policy_switches" in self.by else ()
        items = value.split(",") if isinstance(value, str) else value
        names = frozenset(str(item).strip().lower() for item in items if str(item).strip())
        with self._placed("policy_switches"):
            for name in sorted(names - SWITCHES.keys()):
                raise refused("switch_unknown", nearest=nearest(name, list(SWITCHES)), names=", ".join(SWITCHES))
        return names

    def count(self, name: str) -> int:
        """Return a whole number of at least 1."""
        value = self.by[name].value
        try:
            number = int(str(value).strip())
        except ValueError:
            number = 0
        if number < 1 or isinstance(value, bool | float):
            raise refused("not_a_count", setting=self.label(name))
        return number

    def truth(self, name: str) -> bool:
        """Return whether a setting is on; False when it is not given."""
        value = str(self.by[name].value).strip().lower() if name in self.by else "no"
        if value in _YES or value in _NO:
            return value in _YES
        raise refused("not_a_truth", setting=self.label(name))

    def evidence(self) -> EvidenceLimits:
        """Return how much of one call's transcript may leave."""
        limits = EvidenceLimits()
        for name, attribute in (
            ("evidence_per_answer", "per_answer"),
            ("evidence_segments", "segments"),
            ("evidence_percent", "percent"),
        ):
            if name in self.by:
                limits = replace(limits, **{attribute: self.count(name)})
        if limits.percent > 100:
            raise refused("evidence_percent", setting=self.label("evidence_percent"))
        return limits

    def restricted_list(self) -> tuple[Path | None, RestrictedList | None]:
        """Return the restricted list and its file, None for both without one."""
        if "ai_governance_config" not in self.by:
            return None, None
        from gongmcp.governance.restricted import read_restricted_list  # a start without a list does not pay for it

        path = Path(str(self.by["ai_governance_config"].value))
        return path, read_restricted_list(path)

    def topic_packs(self) -> TopicPacks | None:
        """Return the topic packs with those of the operator's file, None without one."""
        if "topic_packs" not in self.by:
            return None
        from gongmcp.analysis.topic_packs import BadPack, packs_with  # a start without a file does not pay for it

        path = Path(str(self.by["topic_packs"].value))
        try:
            return packs_with(path)
        except BadPack as error:
            raise refused(
                "topic_packs", place=f"{path.name}:{error.place}".rstrip(":"), problem=error.problem
            ) from None

    def lock(self) -> Path | None:
        """Return the file of what was approved, None without one."""
        return Path(str(self.by["lock"].value)) if "lock" in self.by else None

    def lock_mode(self) -> str:
        """Return what a policy that is not the approved one leads to."""
        if "lock_mode" not in self.by:
            return LOCK_MODES[0]
        mode = str(self.by["lock_mode"].value).strip().lower()
        if mode not in LOCK_MODES:
            raise refused("lock_mode", setting=self.label("lock_mode"), modes=" or ".join(LOCK_MODES))
        if "lock" not in self.by:
            raise refused("lock_mode_alone", setting=self.label("lock_mode"))
        return mode

    def audit(self) -> AuditSettings:
        """Return what the server writes about its answers."""
        file, key, spans = (
            Path(str(self.by[name].value)) if name in self.by else None
            for name in ("audit", "audit_arguments", "otel_file")
        )
        for name in ("audit_arguments", "audit_max_bytes"):
            if name in self.by and file is None:
                raise refused("audit_alone", setting=self.label(name))
        size = self.count("audit_max_bytes") if "audit_max_bytes" in self.by else DEFAULT_AUDIT_BYTES
        if size < MIN_AUDIT_BYTES:
            raise refused("audit_bytes", setting=self.label("audit_max_bytes"), low=MIN_AUDIT_BYTES)
        return AuditSettings(file, size, key, spans)

    def response_bytes(self) -> int:
        """Return the byte budget of one answer."""
        if "max_response_bytes" not in self.by:
            return DEFAULT_RESPONSE_BYTES
        number = self.count("max_response_bytes")
        if not MIN_RESPONSE_BYTES <= number <= MAX_RESPONSE_BYTES:
            label = self.label("max_response_bytes")
            raise refused("response_bytes", setting=label, low=MIN_RESPONSE_BYTES, high=MAX_RESPONSE_BYTES)
        return number

    def timeout(self) -> float:
        """Return the seconds that one call may take."""
        return self.seconds("tool_timeout", DEFAULT_TOOL_TIMEOUT)

    def seconds(self, name: str, default: float) -> float:
        """Return a number of seconds that a call may take, *default* when it is not given."""
        if name not in self.by:
            return default
        try:
            seconds = float(str(self.by[name].value).strip().removesuffix("s"))
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= MAX_TOOL_TIMEOUT:
            raise refused("tool_timeout", setting=self.label(name), high=f"{MAX_TOOL_TIMEOUT:.0f}")
        return seconds

    def label(self, name: str) -> str:
        """Name a setting as its layer does; one of the file with its place."""
        layer = self.by[name]
        return f"{layer.origin}: {_KEYS[name]}" if layer.kind == "file" else layer.origin

    @contextmanager
    def _placed(self, name: str) -> Iterator[None]:
        """Put the place in the file before what a refusal says of a value from there."""
        try:
            yield
        except StartupRefusal as refusal:
            layer = self.by[name]
            raise (located(refusal, layer.origin) if layer.kind == "file" else refusal) from None


_KEYS = {setting.name: setting.key for setting in SETTINGS}
