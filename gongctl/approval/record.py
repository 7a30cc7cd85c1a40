"""The review record: what was approved, by whom and on which grounds, in Markdown, without content of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from gongmcp.approval.lock import ApprovedTool, Lock
from gongmcp.catalog.registry import catalog
from gongmcp.render.visible import visible

_SHORT = 19
"""Characters of a digest that are shown: ``sha256:`` and twelve digits."""


def review_record(lock: Lock, closed: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the record of *lock*; *closed* are gates that were closed at approval, by tool, in words."""
    return "\n".join(_lines(lock, closed or {})) + "\n"


def _lines(lock: Lock, closed: Mapping[str, Sequence[str]]) -> Iterator[str]:
    policy = lock.policy
    yield "# Review record"
    yield ""
    yield f"Approved by {_cell(lock.approved_by)} at {lock.approved_at} (UTC)."
    yield f"Preset: {lock.preset or 'none'}. Masking: version {lock.masking_version}."
    yield ""
    yield "## Policy"
    yield ""
    yield "| setting | value |"
    yield "|---|---|"
    yield f"| provenance | {policy.provenance} |"
    yield f"| switches | {', '.join(policy.switches) or 'none'} |"
    yield f"| bytes of an answer | {policy.max_response_bytes:,} |"
    yield f"| smallest cell | {policy.min_cell} |"
    yield f"| names of parties masked | {'yes' if policy.mask_participants else 'no'} |"
    yield f"| restricted list | {'yes' if policy.governed else 'no'} |"
    evidence = policy.evidence
    yield f"| evidence | {', '.join(f'{name} {evidence[name]}' for name in evidence)} |"
    yield ""
    yield "## Data"
    yield ""
    shape = lock.shape
    fields = sum(len(names) for names in shape.crm.values())
    yield f"CRM: {len(shape.crm)} object types, {fields} fields. Languages: {_listed(shape.languages)}."
    yield f"Kinds of personal data masked: {_listed(shape.personal_data)}."
    yield f"Kinds of settings: {_listed(shape.settings)}."
    yield ""
    yield "## Tools"
    for name, tool in lock.tools.items():
        yield ""
        yield from _tool(name, tool, lock, closed.get(name, ()))


def _tool(name: str, tool: ApprovedTool, lock: Lock, closed: Sequence[str]) -> Iterator[str]:
    declared = catalog().get(name)
    exposure = declared.level.value if declared is not None else "no longer there"
    yield f"### {name}"
    yield ""
    yield f"Exposure: {exposure}. Definition: `{tool.digest[:_SHORT]}`. "
    yield f"Approved by {_cell(tool.approved_by or lock.approved_by)} at {tool.approved_at or lock.approved_at}."
    if tool.exempt:
        yield ""
        yield "**Exempt**: approved by its definition and the policy alone; no answer was looked at."
        return
    for fault in closed:
        yield ""
        yield f"Gate closed: {_cell(fault)}"
    yield ""
    yield "| set | arguments | status | members shown | withheld |"
    yield "|---|---|---|---|---|"
    for sample in tool.samples:
        arguments = _cell(json.dumps(sample.arguments, ensure_ascii=False, sort_keys=True))
        withheld = ", ".join(sorted({entry.rpartition(" ")[2] for entry in sample.withheld})) or "nothing"
        yield f"| {sample.set_name} | `{arguments}` | {sample.status} | {len(sample.shown)} | {withheld} |"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(_cell(name) or "not told" for name in names) or "none"


def _cell(text: str) -> str:
    """Return *text* for a cell: nothing in it ends the cell, the code or the line."""
    return visible(text).replace("|", "\\|").replace("`", "'")
