"""Digests of what a client is offered, and the parts of the policy under which it is."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gongmcp.approval.lock import ApprovedPolicy
from gongmcp.catalog.prompts import PROMPTS
from gongmcp.render.instructions import instructions

if TYPE_CHECKING:
    from gongmcp.handler import ToolHandler, ToolInfo
    from gongmcp.settings import ServerSettings

_NO_FIGURES = {"freshness": "fresh", "as_of": "", "calls": 0, "transcripts": 0, "segments": 0}


def digest(value: Any) -> str:
    """Return ``sha256:`` and the digest of *value* (JSON), whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def tool_digest(info: ToolInfo) -> str:
    """Return the digest of a tool's entry in ``tools/list``."""
    return digest(info.wire())


def instructions_digest(handler: ToolHandler) -> str:
    """Return the digest of the instructions, their figures and dates left out."""
    return digest(instructions(handler.policy, [tool.name for tool in handler.listed()], _NO_FIGURES))


def prompt_digests(handler: ToolHandler) -> dict[str, str]:
    """Return the digest of each prompt that is offered: its list entry, and what its text is made of."""
    declared = {prompt.name: asdict(prompt) for prompt in PROMPTS}
    return {item.name: digest([asdict(item), declared[item.name]]) for item in handler.prompts()}


def resource_digests(handler: ToolHandler) -> dict[str, str]:
    """Return the digest of each resource and template that is offered, by its address."""
    offered = [*handler.resources(), *handler.resource_templates()]
    return {item.uri: digest(asdict(item)) for item in offered}


def policy_parts(settings: ServerSettings) -> ApprovedPolicy:
    """Return the parts of the policy of *settings*, tools left out."""
    policy = settings.policy
    return ApprovedPolicy(
        provenance=policy.provenance.value,
        switches=sorted(policy.switches),
        ceilings={family: bounds["ceiling"] for family, bounds in policy.limits.as_dict().items()},
        max_response_bytes=policy.max_response_bytes,
        min_cell=policy.min_cell,
        mask_participants=policy.mask_participants,
        evidence={
            "per_answer": policy.evidence.per_answer,
            "segments": policy.evidence.segments,
            "percent": policy.evidence.percent,
        },
        governed=settings.restricted is not None,
        rules=settings.model_rules().base,
    )
