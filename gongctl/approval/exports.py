"""What a review can be taken away as: a settings file, what a client is configured with, the review record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from gongctl.approval.record import review_record
from gongctl.clients.snippets import snippet
from gongmcp.approval.lock import Lock
from gongmcp.effective import effective
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.settings import SETTINGS, ServerSettings
from tui.reviewing import ExportTarget

SETTINGS_FILE, RECORD = "settings", "record"

_CLIENTS: Final[Mapping[str, tuple[str, str]]] = {
    "claude-desktop": ("Claude Desktop", "claude_desktop_config.json"),
    "claude-code": ("Claude Code", "mcp.json"),
    "cursor": ("Cursor", "mcp.json"),
    "vscode": ("VS Code", "mcp.json"),
    "codex": ("Codex", "config.toml"),
}
TARGETS: Final = (
    ExportTarget(SETTINGS_FILE, "Settings file (TOML)"),
    *(ExportTarget(name, f"Configuration of {title}") for name, (title, _) in _CLIENTS.items()),
    ExportTarget(RECORD, "Review record (Markdown)"),
)


def export(
    target: str, settings: ServerSettings, lock: Lock | None, lock_path: Path, command_line: Sequence[str]
) -> tuple[str, str]:
    """Return (suggested file name, content) of *target*; *lock* is what is approved now, None = nothing is.

    Raises:
        StartupRefusal: no such target, or a record of nothing.
    """
    if target == SETTINGS_FILE:
        return "gongmcp.toml", settings_file(settings, lock_path if lock is not None else None)
    if target == RECORD:
        if lock is None:
            raise StartupRefusal("Nothing is approved yet, so there is no record.", "Write the lock first.", Exit.USAGE)
        return record_name(lock_path), review_record(lock)
    if target not in _CLIENTS:
        names = ", ".join(item.name for item in TARGETS)
        raise StartupRefusal("There is no such export.", f"Exports: {names}.", Exit.USAGE)
    return _CLIENTS[target][1], snippet(target, command_line)


def record_name(lock_path: Path) -> str:
    """Return the name of the review record beside a lock."""
    return f"{lock_path.name.removesuffix('.json').removesuffix('.lock')}.review.md"


def settings_file(settings: ServerSettings, lock_path: Path | None) -> str:
    """Return *settings* as a settings file: what differs from the defaults, and the lock."""
    known = {setting.key for setting in SETTINGS} - {"approval.lock"}
    tables: dict[str, list[str]] = {}
    for item in effective(settings):
        if item.key in known and item.source != "default" and item.value is not None:
            table, _, name = item.key.partition(".")
            tables.setdefault(table, []).append(f"{name} = {_toml(item.value)}")
    if lock_path is not None:
        tables.setdefault("approval", []).insert(0, f"lock = {_toml(str(lock_path))}")
    parts = [f"[{table}]\n" + "\n".join(lines) + "\n" for table, lines in tables.items()]
    return "\n".join(parts) or "# Everything is at its default.\n"


def _toml(value: Any) -> str:
    # Strings, numbers, truths and lists of JSON are those of TOML, but for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
