"""A cache of the bundled sample that is the same on every machine, and a handler over it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gongctl import sample

SECRET = "the secret of the documents' cache\n"
"""Fixes the aliases in the documents. A real cache draws its secret at random."""

EPOCH = "1767225600"
"""The time of the import in the documents: 2026-01-01T00:00:00Z."""


def build_cache(folder: Path, data: Path | None = None) -> Path:
    """Build the cache of the bundled sample, or of the files in *data*, in *folder* by the product's own commands and
    return its path.

    Raises:
        RuntimeError: a command failed; the text is what it printed on stderr.
    """
    db = folder / "sample.db"
    secret = folder / "secret"
    secret.touch(mode=0o600)
    secret.write_text(SECRET, encoding="utf-8")
    for words in (
        ["cache", "init", "--db", str(db), "--secret-file", str(secret)],
        ["import", "gong", str(data or sample.directory()), "--db", str(db)],
        ["cache", "warm", "--db", str(db)],
    ):
        _gongctl(words)
    return db


def _gongctl(words: list[str]) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GONGCTL_", "GONGMCP_"))}
    command = [sys.executable, "-m", "gongctl", *words]
    environment = clean | {"SOURCE_DATE_EPOCH": EPOCH}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"gongctl {' '.join(words)} ended with {done.returncode}:\n{done.stderr}")


@contextmanager
def sample_cache() -> Iterator[Path]:
    """Lend a freshly built cache of the bundled sample."""
    with TemporaryDirectory(prefix="gongctl-docs-") as folder:
        yield build_cache(Path(folder))
