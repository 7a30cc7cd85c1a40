"""Resources, prompts and completions of a handler, over the protocol.

Reading and completing take the same places as tool calls do, and are interrupted with their request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import mcp_types as wire

from gongmcp.cancel import Cancel
from gongmcp.errors import ToolFault, UnknownPrompt, UnknownResource
from gongmcp.protocol.door import Door
from gongmcp.protocol.faults import protocol_error, shielded
from gongmcp.protocol.paging import page_of
from gongmcp.protocol.ports import Handler
from gongmcp.protocol.sdk import MCPError, Server
from gongmcp.render.offers import PromptInfo, ResourceInfo

_UNKNOWN_RESOURCE = "Unknown resource: it does not exist or is not allowed here. resources/list has those that are."
_UNKNOWN_PROMPT = "Unknown prompt: it does not exist or is not allowed here. prompts/list has those that are."

T = TypeVar("T")


def register_resources(server: Server[Any], door: Door, page_rows: int) -> None:
    """Serve ``resources/list``, ``resources/templates/list`` and ``resources/read``."""

    @shielded
    async def list_resources(_ctx: object, params: wire.PaginatedRequestParams) -> wire.ListResourcesResult:
        found = await door.ask(lambda handler: handler.resources())
        page, cursor = page_of(found, params.cursor, lambda item: item.uri, page_rows)
        return wire.ListResourcesResult(resources=list(map(_resource, page)), next_cursor=cursor)

    @shielded
    async def list_templates(_ctx: object, params: wire.PaginatedRequestParams) -> wire.ListResourceTemplatesResult:
        found = await door.ask(lambda handler: handler.resource_templates())
        page, cursor = page_of(found, params.cursor, lambda item: item.uri, page_rows)
        return wire.ListResourceTemplatesResult(resource_templates=list(map(_template, page)), next_cursor=cursor)

    @shielded
    async def read_resource(_ctx: object, params: wire.ReadResourceRequestParams) -> wire.ReadResourceResult:
        body = await _answered(door, lambda handler, cancel: handler.read_resource(params.uri, cancel))
        content = wire.TextResourceContents(uri=body.uri, mime_type=body.mime_type, text=body.text)
        return wire.ReadResourceResult(contents=[content])

    server.add_request_handler("resources/list", wire.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", wire.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", wire.ReadResourceRequestParams, read_resource)


def register_prompts(server: Server[Any], door: Door, page_rows: int) -> None:
    """Serve ``prompts/list`` and ``prompts/get``."""

    @shielded
    async def list_prompts(_ctx: object, params: wire.PaginatedRequestParams) -> wire.ListPromptsResult:
        found = await door.ask(lambda handler: handler.prompts())
        page, cursor = page_of(found, params.cursor, lambda item: item.name, page_rows)
        return wire.ListPromptsResult(prompts=list(map(_prompt, page)), next_cursor=cursor)

    @shielded
    async def get_prompt(_ctx: object, params: wire.GetPromptRequestParams) -> wire.GetPromptResult:
        prompt = await _answered(door, lambda handler, _cancel: handler.get_prompt(params.name, params.arguments))
        message = wire.PromptMessage(role="user", content=wire.TextContent(type="text", text=prompt.text))
        return wire.GetPromptResult(description=prompt.description, messages=[message])

    server.add_request_handler("prompts/list", wire.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", wire.GetPromptRequestParams, get_prompt)


def register_completions(server: Server[Any], door: Door) -> None:
    """Serve ``completion/complete`` of prompts' arguments and templates' variables."""

    @shielded
    async def complete(_ctx: object, params: wire.CompleteRequestParams) -> wire.CompleteResult:
        ref, name, prefix = params.ref, params.argument.name, params.argument.value
        given = params.context.arguments if params.context else None

        def values(handler: Handler, cancel: Cancel) -> Sequence[str]:
            if isinstance(ref, wire.PromptReference):
                return handler.complete_prompt(ref.name, name, prefix, given=given, cancel=cancel)
            return handler.complete_template(ref.uri, name, prefix, cancel=cancel)

        return wire.CompleteResult(completion=wire.Completion(values=list(await _answered(door, values))))

    server.add_request_handler("completion/complete", wire.CompleteRequestParams, complete)


async def _answered(door: Door, work: Callable[[Handler, Cancel], T]) -> T:
    """Return what *work* returns; its refusals become protocol errors."""
    try:
        return await door.call(work)
    except UnknownResource:
        raise MCPError(wire.INVALID_PARAMS, _UNKNOWN_RESOURCE) from None
    except UnknownPrompt:
        raise MCPError(wire.INVALID_PARAMS, _UNKNOWN_PROMPT) from None
    except ToolFault as fault:
        raise protocol_error(fault) from None


def _resource(info: ResourceInfo) -> wire.Resource:
    return wire.Resource(
        uri=info.uri, name=info.name, title=info.title, description=info.description, mime_type=info.mime_type
    )


def _template(info: ResourceInfo) -> wire.ResourceTemplate:
    return wire.ResourceTemplate(
        uri_template=info.uri, name=info.name, title=info.title, description=info.description, mime_type=info.mime_type
    )


def _prompt(info: PromptInfo) -> wire.Prompt:
    arguments = [
        wire.PromptArgument(name=item.name, description=item.description, required=item.required)
        for item in info.arguments
    ]
    return wire.Prompt(name=info.name, title=info.title, description=info.description, arguments=arguments)
