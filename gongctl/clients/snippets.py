"""What stands for this server in a client's configuration, as text to paste or to put in. Pure: nothing is read.

A command line is what the client starts: the program, then its arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gongctl.clients.known import Client, client_named
from gongmcp.errors import Exit, StartupRefusal

DEFAULT_NAME: Final = "gong"
"""How the server is called in a client's configuration unless the operator says otherwise."""
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")


def snippet(client: str, command_line: Sequence[str], *, name: str = DEFAULT_NAME) -> str:
    """Return the whole configuration of *client* with this server alone in it, ending with a line break.

    Raises:
        StartupRefusal: no such client, a *name* that not every client takes, or an empty command line.
    """
    known = client_named(client)
    if known.toml:
        return toml_table(known, entry(known, command_line, name), name)
    return json.dumps({known.key: {name: entry(known, command_line, name)}}, indent=2, ensure_ascii=False) + "\n"


def entry(client: Client, command_line: Sequence[str], name: str = DEFAULT_NAME) -> dict[str, Any]:
    """Return what *client* keeps under *name* for a server started by *command_line*.

    Raises:
        StartupRefusal: a *name* that not every client takes, or an empty command line.
    """
    check_name(name)
    if not command_line or not command_line[0]:
        raise StartupRefusal("There is no command line to put into the configuration.", "", Exit.USAGE)
    kind = {"type": "stdio"} if client.typed else {}
    return {**kind, "command": command_line[0], "args": list(command_line[1:])}


def toml_table(client: Client, value: Mapping[str, Any], name: str = DEFAULT_NAME) -> str:
    """Return the TOML table of *client* that says *value* of this server, ending with a line break."""
    lines = [f"[{client.key}.{name}]"]
    lines += [f"{_toml_key(key)} = {_toml_value(item)}" for key, item in value.items()]
    return "\n".join(lines) + "\n"


def check_name(name: str) -> None:
    """Refuse a name of the server that not every client takes.

    Raises:
        StartupRefusal: it is empty, too long or holds other characters than letters, digits, - and _.
    """
    if not _NAME.fullmatch(name):
        raise StartupRefusal(
            "The server's name must be 1 to 40 letters, digits, - or _.", "Give another one with --name.", Exit.USAGE
        )


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml_value(item)}" for key, item in value.items()) + "}"
    # A basic string of TOML has the escapes of JSON, and DEL must be escaped as well. So have numbers and truth values;
    # a date, which has no JSON form, becomes a text, and whoever compares the meaning sees it.
    return json.dumps(value, ensure_ascii=False, default=str).replace("\x7f", "\\u007f")


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml_value(key)
