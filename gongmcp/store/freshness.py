"""Which state of the cache an answer speaks of: read-model digest, generation, as-of time, freshness."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from gongmcp.errors import ToolFault
from gongmcp.store.connection import ReadStore

WARM_COMMAND = "gongctl cache warm --db DB, with the --config and --ai-governance-config of this server if it has them"
"""What repairs a stale or missing model. A server does not tell the names of the files that it was started with."""

WARM_HINT = f"The operator runs: {WARM_COMMAND}."


@dataclass(frozen=True, slots=True)
class ModelState:
    """The read model that answers: *generation* changes with every warmed batch; *as_of* is the time of
    the last import it fully holds (UTC); *stale* means that newer data waits to be warmed; *digest* names it."""

    generation: int
    as_of: str
    stale: bool
    last_import_at: str
    secret: bytes
    digest: str

    @property
    def freshness(self) -> str:
        """``fresh`` or ``stale``."""
        return "stale" if self.stale else "fresh"


def _serves(model: sqlite3.Row, digest: str) -> bool:
    return model["digest"] == digest or digest in json.loads(model["tightened_from"])


def is_governed(store: ReadStore) -> bool:
    """Tell whether the read model was made with a restricted list."""
    model = store.one("SELECT restricted FROM read_model WHERE id = 1")
    return model is not None and bool(model["restricted"])


def load_state(store: ReadStore, digest: str) -> ModelState:
    """Return the state of the read model named *digest*.

    A model that only a stricter restricted list tells from it is followed. Raises
    ``ToolFault("cache_not_ready")`` when the cache holds no complete model of either kind.
    """
    model = store.one("SELECT * FROM read_model WHERE id = 1")
    if model is None or not model["complete"] or not _serves(model, digest):
        raise ToolFault("cache_not_ready", "The cache has no complete read model for this policy.", WARM_HINT)
    meta = {row["key"]: row["value"] for row in store.rows("SELECT key, value FROM meta")}
    return ModelState(
        generation=model["generation"],
        as_of=model["as_of"],
        stale=int(meta.get("data_generation", "0")) > model["data_generation"],
        last_import_at=meta.get("last_import_at", ""),
        secret=bytes.fromhex(meta["secret"]),
        digest=model["digest"],
    )
