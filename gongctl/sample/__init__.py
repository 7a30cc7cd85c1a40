"""The bundled sample: ten recorded calls in the shape of Gong's API answers (real speech, invented surroundings).

Its own licence is CC BY-SA 4.0; ``ATTRIBUTION.md`` beside this module names the source and what was changed.
``scripts/build_sample.py`` makes the files.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def directory() -> Path:
    """Return the folder that holds the sample, as ``gongctl import gong`` takes it."""
    return Path(str(resources.files(__name__)))


def files() -> list[Path]:
    """Return the sample's gzip'd files in the order of their names."""
    return sorted(directory().glob("*.gz"))


def attribution() -> str:
    """Return the notice of source, licence and changes that must travel with the sample (Markdown)."""
    return (directory() / "ATTRIBUTION.md").read_text(encoding="utf-8")
