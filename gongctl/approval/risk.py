"""How much a tool can expose, as a number to sort by and the reasons in words. From declarations and policy alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gongmcp.catalog.declaration import Level, Tool
from gongmcp.exposure.decisions import possible
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import Expose, Field
from gongmcp.exposure.policy import Policy
from gongmcp.exposure.rows import Row, hints
from gongmcp.render.text import nested_model

_LEVELS: Final = {Level.STATUS: 0, Level.AGGREGATE: 10, Level.METADATA: 20, Level.SNIPPET: 40, Level.IDENTIFIED: 60}
_FREE_TEXT: Final = frozenset(
    (
        *(Field.SNIPPET, Field.EXCERPT, Field.CALL_TITLE, Field.CRM_VALUE, Field.SETTING_TEXT),
        *(Field.ANSWER_TEXT, Field.LOSS_REASON),
    )
)
_RAW_IDS: Final = frozenset({Field.CALL_ID, Field.SPEAKER_ID, Field.CRM_OBJECT_ID})
_IDENTITIES: Final = frozenset(
    (
        *(Field.ACCOUNT_NAME, Field.OPPORTUNITY_NAME, Field.CRM_OBJECT_NAME),
        *(Field.PERSON_NAME, Field.PERSON_TITLE, Field.EMAIL),
    )
)
_WEIGHTS: Final = (("free text", _FREE_TEXT, 5), ("raw ids", _RAW_IDS, 8), ("identities", _IDENTITIES, 8))
_BYTES: Final = 8 * 1024
_SHOWN: Final = 3


def risk(tool: Tool, policy: Policy, worst_bytes: int = 0) -> tuple[int, tuple[str, ...]]:
    """Return what exposing *tool* under *policy* risks, and why; *worst_bytes* is its largest sample, 0 = not run."""
    score = _LEVELS[tool.level]
    reasons = [f"exposure: {tool.level.value}"]
    shown = [expose for expose in _columns(tool) if possible(expose, policy)]
    opt_ins = sorted({expose.opt_in for expose in shown if expose.opt_in is not None})
    if opt_ins:
        score += 3 * len(opt_ins)
        reasons.append(f"opt-ins: {', '.join(name.removeprefix('include_') for name in opt_ins)}")
    for words, fields, weight in _WEIGHTS:
        here = sorted({expose.field.title for expose in shown if expose.field in fields})
        if here:
            score += weight * len(here)
            more = f" and {len(here) - _SHOWN} more" if len(here) > _SHOWN else ""
            reasons.append(f"{words}: {', '.join(here[:_SHOWN])}{more}")
    if worst_bytes:
        score += worst_bytes // _BYTES
        reasons.append(f"largest sample: {worst_bytes:,} bytes")
    return score, tuple(reasons)


def _columns(tool: Tool) -> Iterator[Expose]:
    yield from _of(tool.row)
    if tool.notes is not None:
        yield from _of(tool.notes)


def _of(model: type[Row]) -> Iterator[Expose]:
    for name, expose, nested in columns(model):
        if nested:
            yield from _of(nested_model(hints(model)[name]))
        elif expose is not None:
            yield expose
