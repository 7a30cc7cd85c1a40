"""Looking at the MCP clients of this user: which of them start this server, and whether they could."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gongctl.clients.edit import command_of, servers_of
from gongctl.clients.known import CLIENTS, Client, own_config_path
from gongctl.clients.probe import probe
from gongctl.doctor.findings import Finding
from gongmcp.errors import StartupRefusal


def clients(variables: Mapping[str, str], *, start: bool = False) -> Iterator[Finding]:
    """Look at each known client's configuration; *start* starts every server that is found and lists its tools."""
    for client in CLIENTS:
        path = own_config_path(client, variables)
        try:
            if not path.exists():
                yield Finding("clients", client.name, "skip", f"No configuration at {path}.")
                continue
            if not path.is_file():  # a pipe would be waited for
                yield Finding("clients", client.name, "warn", f"{path} is no regular file.")
                continue
            data = path.read_bytes()
            names = [name for name, entry in servers_of(client, data).items() if _is_ours(entry)]
        except StartupRefusal as refusal:
            yield Finding("clients", client.name, "warn", refusal.message, refusal.hint)
            continue
        except OSError as error:
            yield Finding("clients", client.name, "warn", f"{path} cannot be read ({error.strerror}).")
            continue
        if not names:
            yield Finding("clients", client.name, "skip", f"{path} names no gongmcp.")
        for name in names:
            yield from _one(client, path, data, name, start=start)


def _is_ours(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    arguments = entry.get("args")
    words = [entry.get("command"), *(arguments if isinstance(arguments, list) else [])]
    return any(isinstance(word, str) and Path(word).stem == "gongmcp" for word in words[:3])


def _one(client: Client, path: Path, data: bytes, name: str, *, start: bool) -> Iterator[Finding]:
    check = f"{client.name} {name}"
    reinstall = f"gongctl mcp install --client {client.name} --name {name} --db PATH"
    try:
        found = command_of(client, data, name)
    except StartupRefusal as refusal:
        yield Finding("clients", check, "fail", refusal.message, reinstall)
        return
    if found is None:
        return
    line, environment = found
    if shutil.which(line[0]) is None:
        yield Finding("clients", check, "fail", f"It starts {line[0]}, which is not there.", reinstall)
        return
    cache = line[line.index("--db") + 1] if "--db" in line[:-1] else ""
    if not cache or not os.path.isabs(cache):  # noqa: PTH117 - of the text, as the client's folder is another
        yield Finding("clients", check, "fail", "It names no cache by an absolute path (--db).", reinstall)
    elif not Path(cache).is_file():
        yield Finding("clients", check, "fail", f"Its cache {cache} is not there.", reinstall)
    elif start:
        try:
            said = probe(line, environment)
        except StartupRefusal as refusal:
            yield Finding("clients", check, "fail", refusal.message, refusal.hint)
        else:
            yield Finding("clients", check, "ok", f"It starts and offers {len(said.tools)} tools over {cache}.")
    else:
        yield Finding("clients", check, "ok", f"It serves {cache}.")
