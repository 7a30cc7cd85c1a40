"""Resources: JSON of what a tool answers, or of the active policy. Each stands for one tool or for none.

A resource exists only where its tool is allowed. Its body is the structured answer of that tool, run the way
every call runs; what describes the policy names only what the policy allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from gongmcp.catalog.active import Active, describe_exposure, describe_limits, describe_presets, describe_tools
from gongmcp.render.offers import ResourceInfo

SCHEME = "gong://"


@dataclass(frozen=True, slots=True)
class Resource:
    """One declared resource, or template of resources.

    *tool* gives the body, called with *argument* (of a template: the text in place of ``{argument}``), or
    *describe* does, from the active policy.
    """

    uri: str
    title: str
    description: str
    tool: str | None = None
    argument: str | None = None
    describe: Callable[[Active], dict[str, Any]] | None = None

    @property
    def variable(self) -> str | None:
        """Name of the template's variable; None for a plain resource."""
        return self.uri.partition("{")[2].removesuffix("}") or None

    def exists(self, allowed: Collection[str]) -> bool:
        """True where the tools *allowed* include the one that it stands for."""
        return self.tool is None or self.tool in allowed

    def info(self) -> ResourceInfo:
        """Return how it is listed."""
        name = self.uri.removeprefix(SCHEME).partition("/")[0]
        return ResourceInfo(self.uri, name, self.title, self.description)


RESOURCES: tuple[Resource, ...] = (
    Resource(
        "gong://status",
        "Cache status",
        "What the cache holds and how fresh it is, as get_sync_status answers.",
        tool="get_sync_status",
    ),
    Resource("gong://tools", "Tools", "The tools that may be called here.", describe=describe_tools),
    Resource(
        "gong://presets",
        "Presets",
        "The active tool preset, and those that would allow nothing more.",
        describe=describe_presets,
    ),
    Resource("gong://limits", "Limits", "Rows, bytes and seconds of one answer.", describe=describe_limits),
    Resource(
        "gong://lifecycle-buckets",
        "Lifecycle buckets",
        "The lifecycle buckets and what puts a call into each, as list_lifecycle_buckets answers.",
        tool="list_lifecycle_buckets",
    ),
    Resource(
        "gong://exposure",
        "Exposure",
        "What the policy withholds, and what is shown by a flag only, for each tool.",
        describe=describe_exposure,
    ),
    Resource(
        "gong://scorecards/{id}",
        "One scorecard",
        "A scorecard with its questions, as get_scorecard answers.",
        tool="get_scorecard",
        argument="scorecard_id",
    ),
    Resource(
        "gong://calls/{call_ref}",
        "One call",
        "One call as get_call answers: no field value, object name, participant or spoken text.",
        tool="get_call",
        argument="call_ref",
    ),
)
"""All resources in the order in which they are listed; templates are those with a variable."""


def find_resource(uri: str) -> tuple[Resource, dict[str, str]] | None:
    """Return the declared resource at *uri* and the arguments of its tool; None when there is none."""
    for resource in RESOURCES:
        if resource.variable is None:
            if uri == resource.uri:
                return resource, {}
            continue
        head = resource.uri.partition("{")[0]
        rest = uri.removeprefix(head)
        if resource.argument and uri.startswith(head) and rest and not set(rest) & set("/?#"):
            try:
                return resource, {resource.argument: unquote(rest, errors="strict")}
            except UnicodeDecodeError:
                return None
    return None
