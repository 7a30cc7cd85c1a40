"""vCons (IETF): files in and out, stores of them, and the one service that edits them."""

from __future__ import annotations

from typing import Any

Vcon = dict[str, Any]
"""A vCon as JSON gives it."""

SYNTAX = "0.4.0"
"""The version of the syntax that is written."""
