"""The command line that a client starts the server with: complete, and the same from any folder.

A client hands on neither this shell's environment nor its folder. So what a variable sets here is written out as a
flag, and every file by its absolute path.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gongmcp.settings import SETTINGS

FILES: Final = frozenset({"ai_governance_config", "topic_packs", "lock", "audit", "audit_arguments", "otel_file"})
"""Settings whose value is the name of a file."""
OF_A_SERVER: Final = frozenset({"audit", "audit_max_bytes", "audit_arguments", "otel_file"})
"""Settings that no dry run has and a client's server does; those of HTTP belong to another kind of server."""


def server_command(db: Path, flags: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """Return the command line of ``gongmcp`` over *db* under *flags* (by setting name) and this *environment*.

    ``flags["config"]`` is the name of a settings file; a flag is stronger than a variable, as for ``gongmcp``.
    """
    line = [*program(), "--db", _absolute(str(db))]
    if "config" in flags:
        line += ["--config", _absolute(str(flags["config"]))]
    for setting in SETTINGS:
        if setting.server_only and setting.name not in OF_A_SERVER:
            continue
        value = flags.get(setting.name, environment.get(setting.env))
        if value is not None:
            line += [setting.flag, _absolute(str(value)) if setting.name in FILES else str(value)]
    return line


def program() -> list[str]:
    """Return how ``gongmcp`` is started: the command beside this Python, the one on the path, or its module."""
    beside = Path(sys.executable).parent / ("gongmcp.exe" if sys.platform == "win32" else "gongmcp")
    if beside.is_file():
        return [str(beside)]
    found = shutil.which("gongmcp")
    return [str(Path(found).absolute())] if found is not None else [sys.executable, "-m", "gongmcp"]


def _absolute(name: str) -> str:
    return str(Path(name).expanduser().absolute()) if name else name
