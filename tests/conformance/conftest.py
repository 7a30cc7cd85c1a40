"""The sample's cache."""

from __future__ import annotations

from tests.gongmcp.conftest import sample_cache

__all__ = ["sample_cache"]
