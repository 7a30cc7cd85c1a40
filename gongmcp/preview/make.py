"""``preview``: the one function that makes a ``Preview``. It asks the handler alone and writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gongmcp.approval.digests import digest, tool_digest
from gongmcp.cancel import Cancel
from gongmcp.catalog.arguments import validate
from gongmcp.catalog.registry import catalog
from gongmcp.errors import ToolFault
from gongmcp.exposure.kinds import MASKING_VERSION
from gongmcp.preview.gates import gates
from gongmcp.preview.layers import Layers
from gongmcp.preview.lens import sizes
from gongmcp.preview.model import Preview
from gongmcp.preview.places import text_places, wire_places
from gongmcp.preview.spans import spans
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings

if TYPE_CHECKING:
    from gongmcp.handler import ToolHandler


def preview(
    handler: ToolHandler,
    tool: str,
    arguments: Mapping[str, Any],
    settings: ServerSettings | None = None,
    cancel: Cancel | None = None,
) -> Preview:
    """Run *tool* (a name or an alias) by *handler* and return what an agent would receive, and what not and why.

    *settings* are what the handler was built from, to say which layer set what; None = the defaults. *cancel*
    interrupts the query, which is then answered ``unavailable``.

    Raises:
        UnknownTool: the handler does not offer it.
    """
    info = handler.tool(tool)
    declared = catalog()[info.name]
    try:
        understood = validate(declared, handler.policy, info.input_schema, arguments).plain
    except ToolFault:  # the outcome says so
        understood = {}
    outcome = handler.call(info.name, arguments, cancel)
    freshness = handler.freshness()
    wire = result_bytes(outcome.answer)
    in_text = text_places(declared, outcome.answer)
    layers = Layers(settings or ServerSettings.resolve({}, {}), handler.policy, declared, arguments)
    return Preview(
        tool=info.name,
        arguments=dict(arguments),
        settings=layers.settings(),
        outcome=outcome,
        wire=wire,
        spans=tuple(spans(outcome, wire, wire_places(outcome.answer), in_text, layers.of)),
        sizes=sizes(outcome.answer, wire, outcome.tokens),
        freshness=freshness,
        gates=gates(declared, understood, handler.policy, outcome, wire, in_text, info.output_schema, freshness),
        digest=digest(
            [
                tool_digest(info),
                dict(arguments),
                handler.policy.digest(),
                MASKING_VERSION,
                hashlib.sha256(wire).hexdigest(),
            ]
        ),
    )
