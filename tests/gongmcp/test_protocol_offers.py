"""Resources, prompts and completions over the protocol, in both eras, through the SDK's own client."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as wire
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from gongmcp.protocol.door import CALLS_AT_ONCE
from gongmcp.render.offers import PromptText, ResourceBody
from tests.gongmcp.conftest import MakeHandler
from tests.gongmcp.fake_handler import SECRET, SENTENCE, FakeHandler
from tests.gongmcp.stdio_process import environment
from tests.gongmcp.test_protocol_server import Mode, both_eras, client, until

PROMPT = wire.PromptReference(type="ref/prompt", name="fake_prompt")
TEMPLATE = wire.ResourceTemplateReference(type="ref/resource", uri="gong://fakes/{id}")


async def refused(call: Awaitable[Any]) -> wire.ErrorData:
    with pytest.raises(MCPError) as caught:
        await call
    return caught.value.error


def text_of(result: wire.ReadResourceResult) -> str:
    (content,) = result.contents
    assert isinstance(content, wire.TextResourceContents)
    assert content.mime_type == "application/json"
    return content.text


def message_of(result: wire.GetPromptResult) -> str:
    (message,) = result.messages
    assert message.role == "user"
    assert isinstance(message.content, wire.TextContent)
    return message.content.text


@both_eras
async def test_everything_is_listed_and_announced(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        offers = c.server_capabilities
        assert offers.resources is not None
        assert offers.prompts is not None
        assert offers.completions is not None
        (resource,) = (await c.list_resources()).resources
        assert (resource.uri, resource.name, resource.title) == ("gong://fake", "fake", "Fake")
        assert resource.mime_type == "application/json"
        (template,) = (await c.list_resource_templates()).resource_templates
        assert (template.uri_template, template.name) == ("gong://fakes/{id}", "fakes")
        (prompt,) = (await c.list_prompts()).prompts
        assert (prompt.name, prompt.title, prompt.description) == ("fake_prompt", "Fake prompt", "A fake.")
        assert [(item.name, item.required) for item in prompt.arguments or ()] == [("topic", True)]


@both_eras
async def test_they_are_read_written_and_completed(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        assert json.loads(text_of(await c.read_resource("gong://fake"))) == {"value": SENTENCE}
        assert message_of(await c.get_prompt("fake_prompt", {"topic": "東京"})) == f"{SENTENCE} 東京"
        asked = {"name": "topic", "value": "pri"}
        done = await c.complete(PROMPT, asked, context_arguments={"industry": "Steel"})
        assert done.completion.values == ["topic", "pri", "industry=Steel"]
        done = await c.complete(TEMPLATE, {"name": "id", "value": "4"})
        assert done.completion.values == ["id", "4"]


@both_eras
async def test_what_is_not_there_is_refused_in_one_and_the_same_way(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        first = await refused(c.read_resource("gong://none"))
        assert first.code == -32602
        assert "none" not in first.message
        assert await refused(c.read_resource("file:///etc/passwd")) == first
        missing = wire.ResourceTemplateReference(type="ref/resource", uri="gong://none/{id}")
        assert await refused(c.complete(missing, {"name": "id", "value": ""})) == first
        second = await refused(c.get_prompt("none"))
        assert second.code == -32602
        nobody = wire.PromptReference(type="ref/prompt", name="nobody")
        assert await refused(c.complete(nobody, {"name": "topic", "value": ""})) == second


@both_eras
async def test_a_refusal_of_the_tool_is_an_error_with_its_code(mode: Mode) -> None:
    async with client(FakeHandler(), mode) as c:
        not_ready = await refused(c.read_resource("gong://refuse"))
        bad = await refused(c.get_prompt("fake_prompt"))
    assert (not_ready.code, not_ready.data["code"]) == (-32603, "cache_not_ready")
    assert not_ready.message.startswith("cache_not_ready: No cache is open. ")
    assert (bad.code, bad.data["code"]) == (-32602, "invalid_argument")


@both_eras
async def test_an_unexpected_exception_leaks_nothing(mode: Mode, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        async with client(FakeHandler(), mode) as c:
            fault = await refused(c.read_resource("gong://fault"))
    assert fault.code == -32603
    assert SECRET not in str(fault)
    assert fault.data["reference"] in caplog.text


@both_eras
@pytest.mark.parametrize(
    "ask", [Client.list_resources, Client.list_resource_templates, Client.list_prompts], ids=lambda ask: ask.__name__
)
async def test_lists_have_one_page(mode: Mode, ask: Callable[..., Awaitable[Any]]) -> None:
    async with client(FakeHandler(), mode) as c:
        assert (await refused(ask(c, cursor="x"))).code == -32602


@both_eras
async def test_reading_takes_a_place_among_the_calls_and_is_interrupted(mode: Mode) -> None:
    handler = FakeHandler()
    async with client(handler, mode) as c, anyio.create_task_group() as tasks:
        await c.list_tools()
        for _ in range(CALLS_AT_ONCE - 1):
            tasks.start_soon(c.read_resource, "gong://hold")
        async with anyio.create_task_group() as cancelled:
            cancelled.start_soon(c.read_resource, "gong://query")
            await until(lambda: handler.running == CALLS_AT_ONCE)
            tasks.start_soon(c.call_tool, "hold", {})
            await c.list_resources()
            assert handler.running == CALLS_AT_ONCE
            cancelled.cancel_scope.cancel()
        await until(lambda: "query interrupted" in handler.seen)
        await until(lambda: handler.running == CALLS_AT_ONCE)
        handler.gate.set()
    assert handler.peak == CALLS_AT_ONCE


def test_what_reaches_the_protocol_has_no_room_for_a_ledger() -> None:
    assert set(ResourceBody.__slots__) == {"uri", "text", "mime_type"}
    assert set(PromptText.__slots__) == {"description", "text"}


@both_eras
async def test_the_real_server_over_stdio(mode: Mode, sample_cache: Path, make_handler: MakeHandler) -> None:
    handler = make_handler()
    command = ["-m", "gongmcp", "--db", str(sample_cache)]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=environment())
    async with Client(parameters, mode=mode) as c:
        listed = (await c.list_resources()).resources
        assert [item.uri for item in listed] == [item.uri for item in handler.resources()]
        for item in listed:
            assert text_of(await c.read_resource(item.uri)) == handler.read_resource(item.uri).text
        templates = (await c.list_resource_templates()).resource_templates
        assert [item.uri_template for item in templates] == [item.uri for item in handler.resource_templates()]
        for template in templates:
            ref = wire.ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
            head, _, variable = template.uri_template.partition("{")
            done = await c.complete(ref, {"name": variable.rstrip("}"), "value": ""})
            uri = head + done.completion.values[0]
            assert text_of(await c.read_resource(uri)) == handler.read_resource(uri).text
            assert (await refused(c.read_resource(head + "0"))).code == -32602
        prompts = (await c.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == [prompt.name for prompt in handler.prompts()]
        given = {"topic": "free cash flow"}
        assert message_of(await c.get_prompt("quote_pack", given)) == handler.get_prompt("quote_pack", given).text
        pack = wire.PromptReference(type="ref/prompt", name="quote_pack")
        industries = await c.complete(pack, {"name": "industry", "value": "t"})
        assert industries.completion.values == ["Technology"]
        refusal = await refused(c.get_prompt("quote_pack"))
        assert (refusal.code, refusal.data["code"]) == (-32602, "invalid_argument")
