"""A client's configuration as text: this server put in, read out, taken out; everything else byte for byte.

Each edit is checked by its meaning: what it makes must say what was there before with the one entry changed, else it
is refused and the file stays as it is.
"""

from __future__ import annotations

import codecs
import copy
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gongctl.clients.jsonc import NotJson, object_at, value_of, with_member, without_member
from gongctl.clients.known import Client
from gongctl.clients.snippets import entry, toml_table
from gongctl.clients.toml_tables import with_table, without_table
from gongmcp.errors import Exit, StartupRefusal

_BOM: Final = codecs.BOM_UTF8


def with_server(client: Client, before: bytes, name: str, command_line: Sequence[str]) -> bytes:
    """Return the configuration *before* (empty = none yet) with this server under *name*.

    Keys of an entry that is there already and that say something else (an environment, a time limit) stay.

    Raises:
        StartupRefusal: the configuration cannot be read, or is written in a way that cannot be changed safely.
    """
    value = entry(client, command_line, name)
    present = server_entry(client, before, name)
    if present is not None:
        kept = {key: item for key, item in present.items() if key not in value}
        value = {**value, **kept}
        if value == present:
            return before
    return _edited(client, before, name, value)


def without_server(client: Client, present: bytes, name: str, former: Mapping[str, Any] | None = None) -> bytes:
    """Return the configuration *present* without the server *name*, or with the *former* entry of that name.

    Raises:
        StartupRefusal: as for ``with_server``.
    """
    return _edited(client, present, name, dict(former) if former is not None else None)


def server_entry(client: Client, data: bytes, name: str) -> dict[str, Any] | None:
    """Return what *client* keeps under *name*; None when it keeps nothing.

    Raises:
        StartupRefusal: the configuration cannot be read.
    """
    found = servers_of(client, data).get(name)
    if found is not None and not isinstance(found, dict):
        raise _refused(client, f'"{name}" is no entry of a server')
    return found


def servers_of(client: Client, data: bytes) -> dict[str, Any]:
    """Return all servers that *client* keeps, by name.

    Raises:
        StartupRefusal: the configuration cannot be read.
    """
    servers = _meaning(client, _text(client, data)).get(client.key)
    if servers is None:
        return {}
    if not isinstance(servers, dict):
        raise _refused(client, f'"{client.key}" is no table of servers')
    return servers


def command_of(client: Client, data: bytes, name: str) -> tuple[list[str], dict[str, str]] | None:
    """Return the command line and the environment that *client* starts under *name*; None when there is no entry.

    Raises:
        StartupRefusal: the configuration cannot be read, or the entry holds no command line.
    """
    found = server_entry(client, data, name)
    if found is None:
        return None
    command, arguments, environment = found.get("command"), found.get("args", []), found.get("env", {})
    texts = [command, *(arguments if isinstance(arguments, list) else [None])]
    if not all(isinstance(text, str) for text in texts) or not isinstance(environment, dict):
        raise _refused(client, f'the entry "{name}" holds no command line')
    return [str(text) for text in texts], {str(key): str(item) for key, item in environment.items()}


def _edited(client: Client, before: bytes, name: str, value: dict[str, Any] | None) -> bytes:
    """Return *before* with *value* under *name*, or (None) with nothing there."""
    text = _text(client, before)
    wanted = copy.deepcopy(_meaning(client, text))
    servers = servers_of(client, before)
    if value is not None:
        wanted[client.key] = {**servers, name: value}
    elif name in servers:
        del wanted[client.key][name]
    try:
        after = _toml(client, text, name, value) if client.toml else _json(client, text, name, value)
    except NotJson as error:
        raise _refused(client, str(error)) from None
    # A table of TOML is there only as long as one of its parts is.
    if _not_empty(client, _meaning(client, after)) != _not_empty(client, wanted):
        raise _refused(client, "it is written in a way that cannot be changed without touching other parts")
    try:
        return (_BOM if before.startswith(_BOM) else b"") + after.encode()
    except UnicodeEncodeError:
        raise _refused(client, "the command line holds a name that is not UTF-8") from None


def _not_empty(client: Client, meaning: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in meaning.items() if key != client.key or item != {}}


def _json(client: Client, text: str, name: str, value: dict[str, Any] | None) -> str:
    if not text.strip():
        text = "{}\n"
    root = object_at(text)
    servers = root.named(client.key)
    if value is None:
        return text if servers is None else without_member(text, object_at(text, servers.value_start), name)
    if servers is None:
        return with_member(text, root, client.key, {name: value})
    return with_member(text, object_at(text, servers.value_start), name, value)


def _toml(client: Client, text: str, name: str, value: dict[str, Any] | None) -> str:
    path = (client.key, name)
    return without_table(text, path) if value is None else with_table(text, path, toml_table(client, value, name))


def _meaning(client: Client, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = tomllib.loads(text) if client.toml else value_of(text)
    except NotJson as error:
        raise _refused(client, str(error)) from None
    except tomllib.TOMLDecodeError as error:
        place = str(error).rpartition("(")[2].rstrip(")")  # without what it quotes
        raise _refused(client, f"it is no TOML ({place})") from None
    except RecursionError:
        raise _refused(client, "it is nested too deeply") from None
    except ValueError:  # a number of thousands of digits
        raise _refused(client, "it holds a number that is too long") from None
    if not isinstance(found, dict):
        raise _refused(client, "it is no object")
    return found


def _text(client: Client, data: bytes) -> str:
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError:
        raise _refused(client, "it is not UTF-8 text") from None


def _refused(client: Client, problem: str) -> StartupRefusal:
    return StartupRefusal(
        f"The configuration of {client.title} was not changed: {problem}.",
        "Correct the file, or put the server in by hand: gongctl mcp install --snippet prints what belongs there.",
        Exit.FAILED,
    )
