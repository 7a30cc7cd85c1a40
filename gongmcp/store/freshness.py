"""Which state of the cache an answer speaks of: read-model digest, generation, as-of time, freshness."""

from __future__ import annotations

from dataclasses import dataclass

from gongmcp.errors import ToolFault
from gongmcp.store.connection import ReadStore

WARM_HINT = "The operator runs: gongctl cache warm --db DB."


@dataclass(frozen=True, slots=True)
class ModelState:
    """The read model that answers: *generation* changes with every warmed batch; *as_of* is the time of
    the last import it fully holds (UTC); *stale* means that newer data waits to be warmed."""

    generation: int
    as_of: str
    stale: bool
    last_import_at: str
    secret: bytes

    @property
    def freshness(self) -> str:
        """``fresh`` or ``stale``."""
        return "stale" if self.stale else "fresh"


def load_state(store: ReadStore, digest: str) -> ModelState:
    """Return the state of the read model named *digest*.

    Raises ``ToolFault("cache_not_ready")`` when the cache holds no complete model of that digest.
    """
    model = store.one("SELECT digest, generation, data_generation, as_of, complete FROM read_model WHERE id = 1")
    if model is None or model["digest"] != digest or not model["complete"]:
        raise ToolFault("cache_not_ready", "The cache has no complete read model for this policy.", WARM_HINT)
    meta = {row["key"]: row["value"] for row in store.rows("SELECT key, value FROM meta")}
    return ModelState(
        generation=model["generation"],
        as_of=model["as_of"],
        stale=int(meta.get("data_generation", "0")) > model["data_generation"],
        last_import_at=meta.get("last_import_at", ""),
        secret=bytes.fromhex(meta["secret"]),
    )
