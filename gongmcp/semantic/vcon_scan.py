"""vCons that a question is near to in meaning: by vectors of their texts, made here or imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gongmcp.semantic.calibrate import calibrated
from gongmcp.semantic.quantised import Question
from gongmcp.semantic.scan import refuse_too_much
from gongmcp.store.connection import ReadStore
from gongmcp.store.vcon_schema import first_part
from gongmcp.store.vcon_search import VconFilters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BEST: Final = 4
"""Windows of one vCon that are kept."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Vectors that are there: what made them, their length, of how many vCons."""

    model: str
    dimensions: int
    vcons: int


@dataclass(frozen=True, slots=True)
class NearVcon:
    """One vCon: the score of its nearest window, and the nearest windows as (score, first, last text number)."""

    vcon_no: int
    score: float
    windows: tuple[tuple[float, int, int], ...]

    @property
    def key(self) -> tuple[float, int]:
        """By which the next page goes on."""
        return self.score, self.vcon_no


def stored_vectors(store: ReadStore) -> list[Stored]:
    """Return which vectors there are, by the name of what made them."""
    rows = store.rows(
        "SELECT model, dimensions, count(*) AS vcons FROM vcon_vectors GROUP BY model, dimensions ORDER BY model"
    )
    return [Stored(row["model"], row["dimensions"], row["vcons"]) for row in rows]


def near_vcons(
    store: ReadStore, vector: NDArray[np.float32], model: str, filters: VconFilters, least: float
) -> list[NearVcon]:
    """Return the vCons that pass *filters* whose score by *model* is above *least*, best first, then newest number.

    Raises:
        ToolFault: there are more vectors than one question may read (``invalid_argument``).
    """
    where, values = filters.where()
    source = f"FROM vcons AS v CROSS JOIN vcon_vectors AS x ON x.vcon_no = v.vcon_no AND x.model = :model WHERE {where}"
    values |= {"model": model}
    size = store.one(f"SELECT coalesce(sum(x.window_count * x.dimensions), 0) AS size {source}", values)
    refuse_too_much(0 if size is None else int(size["size"]))
    question = Question(vector)
    found = []
    for row in store.stream(f"SELECT x.vcon_no, x.windows, x.scales, x.vectors {source}", values):
        likeness = question.likeness(row["vectors"], row["scales"])
        if not len(likeness) or calibrated(int(likeness.max()), model) <= least:
            continue
        places = memoryview(row["windows"]).cast("I")
        base = first_part(row["vcon_no"])
        best = sorted(range(len(likeness)), key=lambda at: (-int(likeness[at]), at))[:BEST]
        windows = tuple(
            (calibrated(int(likeness[at]), model), base + places[2 * at], base + places[2 * at + 1]) for at in best
        )
        found.append(NearVcon(row["vcon_no"], windows[0][0], windows))
    return sorted(found, key=lambda item: item.key, reverse=True)
