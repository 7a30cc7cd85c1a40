"""The MCP clients that are known: where each keeps its servers, under which key, in which form.

The places are those that the clients' own documentation names for a user's servers (not for one project's).
Claude Desktop has no release for Linux; the builds that exist there use the folder of its kind.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Final, Literal

from gongmcp.errors import Exit, StartupRefusal

System = Literal["linux", "macos", "windows"]
SYSTEMS: Final[tuple[System, ...]] = ("linux", "macos", "windows")


@dataclass(frozen=True, slots=True)
class Client:
    """One client: its *name* here, its *title*, the *key* that holds its servers, and whether the file is TOML.

    *typed* clients want ``type: stdio`` in a server's entry. *restart* says when a change is taken up.
    """

    name: str
    title: str
    key: str
    typed: bool
    toml: bool
    restart: str


CLIENTS: Final[tuple[Client, ...]] = (
    Client("claude-desktop", "Claude Desktop", "mcpServers", False, False, "Quit Claude Desktop and open it again."),
    Client("claude-code", "Claude Code", "mcpServers", True, False, "A new session of Claude Code takes it up."),
    Client("cursor", "Cursor", "mcpServers", False, False, "Cursor takes it up; its settings show the server."),
    Client("vscode", "VS Code", "servers", True, False, "Run 'MCP: List Servers' in VS Code and start it."),
    Client("codex", "Codex", "mcp_servers", False, True, "A new session of Codex takes it up."),
)


def client_named(name: str) -> Client:
    """Return the client called *name*.

    Raises:
        StartupRefusal: there is none.
    """
    for client in CLIENTS:
        if client.name == name:
            return client
    raise StartupRefusal(
        "No such client is known.", f"Known are: {', '.join(client.name for client in CLIENTS)}.", Exit.USAGE
    )


def this_system() -> System:
    """Return the system that this process runs on."""
    if sys.platform == "win32":
        return "windows"
    return "macos" if sys.platform == "darwin" else "linux"


def config_path(client: Client, system: System, home: str, environment: Mapping[str, str]) -> PurePath:
    """Return where *client* keeps its servers on *system* for the user whose folder is *home*.

    Folders that the *environment* names are respected: ``APPDATA``, ``XDG_CONFIG_HOME``, ``CLAUDE_CONFIG_DIR``,
    ``CODEX_HOME``. Nothing is looked up on this machine.
    """
    pure: type[PurePath] = PureWindowsPath if system == "windows" else PurePosixPath
    user = pure(home)
    if client.name == "claude-code":
        return pure(environment.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
    if client.name == "cursor":
        return user / ".cursor" / "mcp.json"
    if client.name == "codex":
        return pure(environment.get("CODEX_HOME") or user / ".codex") / "config.toml"
    settings = _settings_folder(pure, user, system, environment)
    if client.name == "vscode":
        return settings / "Code" / "User" / "mcp.json"
    return settings / "Claude" / "claude_desktop_config.json"


def _settings_folder(pure: type[PurePath], user: PurePath, system: System, environment: Mapping[str, str]) -> PurePath:
    if system == "windows":
        return pure(environment.get("APPDATA") or user / "AppData" / "Roaming")
    if system == "macos":
        return user / "Library" / "Application Support"
    return pure(environment.get("XDG_CONFIG_HOME") or user / ".config")


def own_config_path(client: Client, environment: Mapping[str, str]) -> Path:
    """Return where *client* keeps its servers for the user who runs this process."""
    return Path(config_path(client, this_system(), str(Path.home()), environment))
