"""Where clients keep their servers, and what stands there for this one."""

from __future__ import annotations

import json
import tomllib

import pytest

from gongctl.clients.known import CLIENTS, SYSTEMS, System, client_named, config_path
from gongctl.clients.snippets import snippet
from gongmcp.errors import StartupRefusal

LINE = ("/opt/gong/bin/gongmcp", "--db", '/data/a "b" \\ ü 🙂\x7f.db', "--tool-preset", "operator-smoke")

HOMES: dict[System, str] = {"linux": "/home/ada", "macos": "/Users/ada", "windows": r"C:\Users\ada"}
PLACES: dict[tuple[str, System], str] = {
    ("claude-desktop", "linux"): "/home/ada/.config/Claude/claude_desktop_config.json",
    ("claude-desktop", "macos"): "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
    ("claude-desktop", "windows"): r"C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json",
    ("claude-code", "linux"): "/home/ada/.claude.json",
    ("claude-code", "macos"): "/Users/ada/.claude.json",
    ("claude-code", "windows"): r"C:\Users\ada\.claude.json",
    ("cursor", "linux"): "/home/ada/.cursor/mcp.json",
    ("cursor", "macos"): "/Users/ada/.cursor/mcp.json",
    ("cursor", "windows"): r"C:\Users\ada\.cursor\mcp.json",
    ("vscode", "linux"): "/home/ada/.config/Code/User/mcp.json",
    ("vscode", "macos"): "/Users/ada/Library/Application Support/Code/User/mcp.json",
    ("vscode", "windows"): r"C:\Users\ada\AppData\Roaming\Code\User\mcp.json",
    ("codex", "linux"): "/home/ada/.codex/config.toml",
    ("codex", "macos"): "/Users/ada/.codex/config.toml",
    ("codex", "windows"): r"C:\Users\ada\.codex\config.toml",
}
NAMED_FOLDERS: dict[tuple[str, System], tuple[dict[str, str], str]] = {
    ("claude-desktop", "linux"): ({"XDG_CONFIG_HOME": "/x"}, "/x/Claude/claude_desktop_config.json"),
    ("claude-desktop", "windows"): ({"APPDATA": r"D:\r"}, r"D:\r\Claude\claude_desktop_config.json"),
    ("claude-code", "linux"): ({"CLAUDE_CONFIG_DIR": "/c"}, "/c/.claude.json"),
    ("vscode", "linux"): ({"XDG_CONFIG_HOME": "/x"}, "/x/Code/User/mcp.json"),
    ("vscode", "windows"): ({"APPDATA": r"D:\r"}, r"D:\r\Code\User\mcp.json"),
    ("codex", "macos"): ({"CODEX_HOME": "/x"}, "/x/config.toml"),
}


def test_the_table_has_every_client_on_every_system() -> None:
    assert set(PLACES) == {(client.name, system) for client in CLIENTS for system in SYSTEMS}
    assert len(PLACES) == 15


@pytest.mark.parametrize(("name", "system"), PLACES)
def test_each_client_keeps_its_servers_where_its_documentation_says(name: str, system: System) -> None:
    assert str(config_path(client_named(name), system, HOMES[system], {})) == PLACES[name, system]


@pytest.mark.parametrize(("name", "system"), NAMED_FOLDERS)
def test_folders_that_the_environment_names_are_respected(name: str, system: System) -> None:
    environment, place = NAMED_FOLDERS[name, system]
    assert str(config_path(client_named(name), system, HOMES[system], environment)) == place


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_snippet_says_exactly_the_command_line(client) -> None:  # type: ignore[no-untyped-def]
    text = snippet(client.name, LINE)
    parsed = tomllib.loads(text) if client.toml else json.loads(text)
    kind = {"type": "stdio"} if client.typed else {}
    assert parsed == {client.key: {"gong": {**kind, "command": LINE[0], "args": list(LINE[1:])}}}
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", ["", "a b", "a.b", 'a"]', "x" * 41, "ä", "a\n"])
def test_a_name_that_not_every_client_takes_is_refused(name: str) -> None:
    for client in CLIENTS:
        with pytest.raises(StartupRefusal):
            snippet(client.name, LINE, name=name)


def test_an_unknown_client_and_an_empty_command_line_are_refused() -> None:
    with pytest.raises(StartupRefusal, match="No such client"):
        snippet("emacs", LINE)
    with pytest.raises(StartupRefusal, match="no command line"):
        snippet("codex", [])
