"""Block of ``docs/tui.md``: every key of the TUI, from its registry."""

from __future__ import annotations

from docgen.markdown import cell, code, table
from tui.keys import PREFLIGHT, REGISTRY, REVIEW

_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "escape": "esc",
    "pageup": "page up",
    "pagedown": "page down",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def tui_keys() -> str:
    """Return the table of the keys: where, keys, id, what they do. What pre-flight and review share is listed once."""
    rows = []
    shared = {binding.id for binding in REVIEW} & {binding.id for binding in PREFLIGHT}
    for where, bindings in REGISTRY.items():
        for binding in bindings:
            place = "Pre-flight and review" if where == "Pre-flight" and binding.id in shared else where
            if where == "Panes" and binding in REVIEW:
                place = "Panes, and review"
            keys = " ".join(code(_NAMES.get(key, key)) for key in binding.key.split(","))
            rows.append([cell(place), keys, code(str(binding.id)), cell(binding.tooltip)])
    return table(["where", "keys", "id", "what they do"], rows)
