"""What the shell completes: names of tools and presets, as the settings in the environment offer them."""

from __future__ import annotations

import os


def tool_names(incomplete: str) -> list[str]:
    """Return the names of tools that begin with *incomplete* and are offered (all, under settings that are refused)."""
    from gongmcp.catalog.registry import catalog
    from gongmcp.errors import StartupRefusal
    from gongmcp.settings import ServerSettings

    try:
        offered = ServerSettings.resolve({}, os.environ).policy.tools
    except StartupRefusal:
        offered = None
    return [name for name in catalog() if name.startswith(incomplete) and (offered is None or name in offered)]


def preset_names(incomplete: str) -> list[str]:
    """Return the names of presets that begin with *incomplete* and can be served."""
    from gongmcp.catalog.presets import PRESETS

    return [preset.name for preset in PRESETS if preset.name.startswith(incomplete)]
