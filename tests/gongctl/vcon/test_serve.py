"""``gongctl vcon serve`` as a process, asked by the SDK's client; and its refusals."""

from __future__ import annotations

import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from gongctl.cache.writer import CacheWriter
from gongctl.cli.root import run
from gongctl.vcon.store import VconStore
from gongmcp.errors import Exit
from tests.gongctl.vcon.corpus import FIRST, make_store

_SERVE = "import sys; from gongctl.cli.root import run; sys.exit(run(sys.argv[1:]))"


def _command(db: Path, *flags: str, **environ: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", _SERVE, "vcon", "serve", "--db", str(db), *flags],
        env={"PATH": os.environ["PATH"], **environ},
    )


async def test_a_client_reads_writes_and_deletes_over_stdio(tmp_path: Path) -> None:
    db = make_store(tmp_path / "store.db", 3)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(stdio_client(_command(db, "--profile", "full"))))
        tools = (await client.list_tools()).tools
        cursor = (await client.list_tools()).next_cursor
        while cursor:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
        assert len(tools) == 46
        delete = next(tool for tool in tools if tool.name == "delete_vcon")
        assert delete.annotations is not None
        assert delete.annotations.destructive_hint is True

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(name, arguments)
            assert isinstance(result.structured_content, dict)
            return dict(result.structured_content)

        made = await call("create_vcon", vcon_data={"parties": [{"name": "Agent Adams"}], "subject": "A new one"})
        assert made["success"] is True
        again = await call("create_vcon", vcon_data={"uuid": made["uuid"], "parties": [{"name": "Agent Adams"}]})
        assert (again["success"], again["details"]["reason"]) == (False, "CONFLICT")
        tag = await call("manage_tag", vcon_uuid=made["uuid"], action="set", key="url", value="https://a.example:8")
        assert tag["value"] == "https://a.example:8"
        found = await call("vcon_search", tags={"url": "https://a.example:8"}, include=["core", "tags"])
        assert [item["id"] for item in found["items"]] == [made["uuid"]]
        refused = await call("delete_vcon", uuid=made["uuid"], confirm=False)
        assert refused["success"] is False
        assert (await call("delete_vcon", uuid=made["uuid"], confirm=True))["deleted_uuid"] == made["uuid"]
        gone = await client.call_tool("vcon_fetch", {"id": made["uuid"]})
        assert not gone.is_error
        assert gone.structured_content == {"ok": False, "error": gone.structured_content["error"]}
        body = await client.read_resource(f"vcon://v1/vcons/{FIRST}/summary")
        assert '"count":1' in body.contents[0].text  # type: ignore[union-attr]
        prompt = await client.get_prompt("find_by_keywords", {"keywords": "refund"})
        assert '"refund"' in prompt.messages[0].content.text  # type: ignore[union-attr]
    with VconStore.open(db) as store:
        assert len(list(store.uuids())) == 3


def test_a_cache_of_calls_is_not_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = tmp_path / "cache.db"
    with CacheWriter.open(cache, create=True):
        pass
    assert run(["vcon", "serve", "--db", str(cache)]) == Exit.CACHE
    assert "no vCon store" in capsys.readouterr().err
    assert run(["vcon", "serve", "--db", str(tmp_path / "none.db")]) == Exit.CACHE


@pytest.mark.parametrize(
    "environ", [{"MCP_TOOLS_PROFILE": "ful"}, {"MCP_DISABLED_TOOLS": "delete"}, {"MCP_ENABLED_CATEGORIES": "all"}]
)
def test_a_misspelt_variable_refuses_to_start(
    environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db = make_store(tmp_path / "store.db", 1)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert run(["vcon", "serve", "--db", str(db)]) == Exit.USAGE
    assert "no" in capsys.readouterr().err


def test_restricted_mode_blocks_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = make_store(tmp_path / "store.db", 1)
    assert run(["--restricted", "vcon", "serve", "--db", str(db)]) == Exit.REFUSED
    assert "Restricted mode" in capsys.readouterr().err
