"""A draft of the settings that would let one withheld thing through, with what else follows. Nothing applies it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from gongmcp.catalog.limits import Cap, LimitPolicy
from gongmcp.catalog.presets import allowed_tools
from gongmcp.catalog.registry import catalog
from gongmcp.effective import effective
from gongmcp.exposure.decisions import possible
from gongmcp.exposure.fields import Provenance
from gongmcp.exposure.policy import MAX_RESPONSE_BYTES, Policy
from gongmcp.preview.model import Preview, Span
from gongmcp.preview.why import column_reasons, walk_columns
from gongmcp.settings import ServerSettings

_SHOWN: Final = 6
"""Columns that are named where more can leave; the others are counted."""
_STEP: Final = 1024
"""Bytes to whose multiple a drafted size of answers is rounded up."""
_STRONGER: Final = {"env": "environment", "flag": "command line"}
_FIXED: Final = {
    "never.": "It is shown by no setting.",
    "undeclared": "It is shown by no setting: the column has no declared exposure.",
    "text.": "No setting widens it: text is cut to its window, or cleaned of what cannot be seen.",
    "mask.": "No setting turns this masking off.",
    "governance.": "Scope and restricted list decide: see gongctl governance scope, and gongctl governance explain.",
    "approval.": "It came after the approval: look at it in gongctl review without the lock, and approve again.",
}


@dataclass(frozen=True, slots=True)
class Exemption:
    """What would let a withheld thing through.

    Attributes:
        about: the withheld thing, in one line.
        settings: values of the settings file by dotted key; empty where no setting does it.
        words: the consequence, one sentence each; without settings, what to do instead.
    """

    about: str
    settings: Mapping[str, Any]
    words: tuple[str, ...]

    def text(self) -> str:
        """Return the draft as a settings file, the words as its comments."""
        lines = ["# A draft: nothing is changed by it.", f"# It is about: {self.about}", "#"]
        lines += [f"# - {words}" for words in self.words]
        tables: dict[str, list[str]] = {}
        for key, value in self.settings.items():
            table, _, name = key.partition(".")
            tables.setdefault(table, []).append(f"{name} = {json.dumps(value)}")
        for table, members in tables.items():
            lines += ["", f"[{table}]", *members]
        return "\n".join(lines) + "\n"


def exemption(preview: Preview, span: Span, policy: Policy, settings: ServerSettings | None = None) -> Exemption:
    """Return what would let *span* of *preview* through, where *policy* is in force.

    *settings* are what the policy was built from: they tell which layer is stronger than a file. None = the defaults.
    """
    about = f"{span.state} {span.kind} at {json.dumps(_path(span))} of {preview.tool}, by {span.rule}"
    argument = _argument(span)
    if argument:
        return Exemption(about, {}, (argument,))
    changed = _changed(preview, span, policy)
    if isinstance(changed, str):
        return Exemption(about, {}, (changed,))
    given, after, words = changed
    words = [*words, *_stronger(given, settings), _leaving(policy, after), *_still(preview, span, after, settings)]
    words.append("What was approved under the present settings drifts, and waits for a new approval.")
    return Exemption(about, given, tuple(word for word in words if word))


def _path(span: Span) -> str:
    return "".join("[]" if isinstance(part, int) else f".{part}" for part in span.place).lstrip(".")


def _argument(span: Span) -> str:
    """Return what the caller can do; '' where the caller has no say."""
    if span.rule.startswith("opt_in."):
        return f"No setting is needed: whoever gives {span.rule.partition('.')[2]}=true as an argument sees it."
    if span.rule.startswith("field_profile."):
        return "No setting is needed: whoever leaves out field_profile=limited sees it."
    return ""


_Change = tuple[dict[str, Any], Policy, list[str]]


def _changed(preview: Preview, span: Span, policy: Policy) -> _Change | str:
    """Return values of the file, the policy under them and words on them; or why there are none."""
    rule = span.rule
    if rule.startswith("switch."):
        return _without_switch(rule.partition(".")[2], policy)
    if rule.startswith("provenance."):
        return _weaker_provenance(preview, span, policy)
    if rule == "min_cell":
        words = [
            f"Counts below {policy.min_cell} are told exactly: a single call or person can be singled out by them.",
            "1 lets every count through. Which larger value would do depends on the count, which is not revealed here.",
        ]
        return {"policy.min_cell": 1}, replace(policy, min_cell=1), words
    if rule == "limit":
        return _higher_ceiling(preview, policy)
    if rule == "bytes.max_response_bytes":
        return _more_bytes(preview, span, policy)
    if rule.startswith("evidence."):
        return _more_evidence(preview, span, policy)
    if rule == "mask.person" and policy.mask_participants:
        named = "Names of the people on a call stand in its quotations. The cache is to be warmed again first."
        return {"policy.mask_participants": False}, replace(policy, mask_participants=False), [named]
    return next((words for start, words in _FIXED.items() if rule.startswith(start)), "No setting lets it through.")


def _without_switch(name: str, policy: Policy) -> _Change:
    left = policy.switches - {name}
    own = policy.preset_switches - {name}
    after = replace(policy, switches=left, preset_switches=own)
    given: dict[str, Any] = {"policy.switches": sorted(left)}
    words = [f"The switch {name} is off, for every tool."]
    if name in policy.preset_switches:
        given = {"tools.allowlist": sorted(policy.tools or ())} | given
        words.append(f"The preset {policy.preset} turns it on, so its tools are named here one by one in its place.")
        after = replace(after, preset=None, preset_switches=frozenset())
    return given, after, words


def _weaker_provenance(preview: Preview, span: Span, policy: Policy) -> _Change | str:
    declared = catalog()[preview.tool]
    head = "results[]." if declared.many else ""
    found = [
        expose
        for path, expose in walk_columns(declared.row)
        if head + path == _path(span) and expose is not None and expose.modes is not None
    ]
    modes = {mode for expose in found for mode in expose.modes or ()} or {Provenance.ALIAS}
    mode = Provenance.ALIAS if Provenance.ALIAS in modes else Provenance.RAW
    words = {
        Provenance.ALIAS: "Quotations carry stable references to call and speaker, so that they can be put together.",
        Provenance.RAW: "Quotations may carry the ids of the tenant: they lead to the call and the person in Gong.",
    }
    if mode not in modes:
        return "No provenance lets it through."
    return {"provenance.mode": mode.value}, replace(policy, provenance=mode), [words[mode]]


def _higher_ceiling(preview: Preview, policy: Policy) -> _Change | str:
    cap = catalog()[preview.tool].cap
    if cap is None:
        return "No setting gives this tool more rows."
    limits = policy.limits.limits(cap)
    asked = preview.arguments.get("limit") or limits.default
    if asked < limits.ceiling:
        return f"No setting is needed: whoever asks for a larger limit gets more rows, up to {limits.ceiling:,}."
    if limits.ceiling >= limits.hard:
        return f"No setting allows more than {limits.hard:,} rows: page on, or narrow the filters."
    # As many as were asked for; one more where no more were, as how many there are in all is not known.
    more = min(asked, limits.hard) if asked > limits.ceiling else limits.ceiling + 1
    ceilings = {other: policy.limits.limits(other).ceiling for other in Cap} | {cap: more}
    sharing = sum(other.cap is cap for other in allowed_tools(policy).values())
    words = [
        f"{sharing} of the tools served may return {more:,} rows, in place of {limits.ceiling:,}, to whoever asks."
    ]
    if asked <= limits.ceiling:
        words.append(f"At least {more:,}, for the next row; how many rows there are in all is not known here.")
    return {f"limits.{cap.setting}": more}, replace(policy, limits=LimitPolicy(ceilings)), words


def _more_bytes(preview: Preview, span: Span, policy: Policy) -> _Change | str:
    now = policy.max_response_bytes
    if now >= MAX_RESPONSE_BYTES:
        return f"No setting allows more than {MAX_RESPONSE_BYTES:,} bytes: ask for fewer rows, or page on."
    listed = (preview.outcome.answer.structured or {}).get(str(span.place[0]) if span.place else "")
    kept = len(listed) if isinstance(listed, list) else 0
    # What was cut has no size any more: by the mean of what is left, and of nothing twice as much.
    needed = -(-preview.outcome.bytes * (kept + span.count) // kept) if kept else 2 * now
    more = min(max(-(-needed // _STEP) * _STEP, now + _STEP), MAX_RESPONSE_BYTES)
    words = [
        f"Every answer of every tool may be {more:,} bytes, in place of {now:,}.",
        f"At least so many are needed by estimate, for {span.count:,} more of the mean size of the {kept:,} in here."
        if kept
        else "How many are needed is not known here: at least more than now.",
    ]
    return {"policy.max_response_bytes": more}, replace(policy, max_response_bytes=more), words


def _more_evidence(preview: Preview, span: Span, policy: Policy) -> _Change | str:
    limits, held = policy.evidence, span.count
    if span.rule == "evidence.per_answer":
        cap = catalog()[preview.tool].cap
        rows = limits.per_answer + held
        if cap is not None:  # an answer holds no more rows than its limit, of one call or of many
            served = policy.limits.limits(cap)
            rows = min(rows, preview.arguments.get("limit") or served.default, served.ceiling)
        more = max(rows, limits.per_answer + 1)
        words = [
            f"One answer may quote {more} segments of a call, in place of {limits.per_answer}.",
            f"At least {limits.per_answer + 1} are needed for the next of the {held:,} rows held back, and {more} for"
            " as many as this answer has room for, at a segment each.",
        ]
        return {"evidence.per_answer": more}, replace(policy, evidence=replace(limits, per_answer=more)), words
    if span.rule != "evidence.session":
        return "No setting lets it through."
    more = limits.segments + held
    words = [
        f"One session may see {more} segments of each call, in place of {limits.segments}: nearer to a transcript.",
        f"At least so many are needed for the {held:,} rows held back, at a segment each; of a long call"
        f" evidence.percent, {limits.percent} now, may be what decides.",
    ]
    return {"evidence.segments": more}, replace(policy, evidence=replace(limits, segments=more)), words


def _stronger(given: Mapping[str, Any], settings: ServerSettings | None) -> list[str]:
    """Say which of the values are given by something that a file does not beat."""
    named = set(given) | ({"tools.preset"} if "tools.allowlist" in given else set())
    return [
        f"{item.key} is given by the {_STRONGER[item.source]} ({item.origin}), which is stronger than a file:"
        " change it there."
        for item in (effective(settings) if settings is not None else ())
        if item.source in _STRONGER and item.key in named
    ]


def _leaving(before: Policy, after: Policy) -> str:
    """Say which columns of the tools served can leave under *after* and not under *before*."""
    more = [
        f"{name} {path}"
        for name, tool in allowed_tools(after).items()
        for path, expose in walk_columns(tool.row)
        if possible(expose, after) and not possible(expose, before)
    ]
    if not more:
        return ""
    tools = len({item.partition(" ")[0] for item in more})
    rest = f", and {len(more) - _SHOWN} more" if len(more) > _SHOWN else ""
    counted = f"{len(more)} column{'' if len(more) == 1 else 's'} of {tools} tool{'' if tools == 1 else 's'}"
    return f"{counted} can then leave that cannot now: {', '.join(more[:_SHOWN])}{rest}."


def _still(preview: Preview, span: Span, after: Policy, settings: ServerSettings | None) -> list[str]:
    """Say what stands against the column then, in this call."""
    columns = column_reasons(preview.tool, after, preview.arguments, settings)
    step = next((column.decided for column in columns if column.path == _path(span)), None)
    return [] if step is None else [f"In this call something else still withholds it, {step.rule}: {step.reason}"]
