"""What is offered beside tools, as plain data: resources, prompts. Like ``Answer``, without room for a ledger."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResourceInfo:
    """A resource, or a template of resources: then *uri* holds a ``{variable}``."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class ResourceBody:
    """The content of a resource: *text* is JSON."""

    uri: str
    text: str
    mime_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """An argument of a prompt; all are texts."""

    name: str
    description: str
    required: bool


@dataclass(frozen=True, slots=True)
class PromptInfo:
    """A prompt as it is listed."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt made ready: what the user's message to the model says."""

    description: str
    text: str
