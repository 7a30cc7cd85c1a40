"""Vectors in one byte a number, and their likeness computed in whole numbers.

A vector is kept as int8 with a scale. The question is made of whole numbers too, so small that every sum of products
is exact in the floating point that multiplies matrices fast: an order does not depend on how a machine adds up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gongmcp.semantic.model import Matrix

_MOST: Final = 127
_EXACT_SINGLE: Final = 1 << 24
"""Whole numbers below it are exact in single precision."""
_FINE: Final = 2047
_CHUNK: Final = 512
"""Vectors that are compared at once: what is made of them then stays in the processor's cache."""
STEPS: Final = 1_000_000
"""A likeness is a whole number of so many parts of one."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Vectors as they are stored: *scales* float32 and *vectors* int8, both little-endian, one behind the other."""

    count: int
    scales: bytes
    vectors: bytes


def pack(matrix: Matrix) -> Packed:
    """Return the rows of *matrix* as they are stored."""
    import numpy as np

    largest = np.abs(matrix).max(axis=1, initial=0.0)
    scales = np.where(largest > 0, largest / _MOST, 1.0).astype("<f4")
    vectors = np.rint(matrix / scales[:, None]).astype(np.int8)
    return Packed(len(matrix), scales.tobytes(), vectors.tobytes())


class Question:
    """One vector that others are compared with."""

    def __init__(self, vector: NDArray[np.float32]) -> None:
        """Take a vector of any length; zeros are like nothing."""
        import numpy as np

        self.dimensions = len(vector)
        levels = min(_FINE, (_EXACT_SINGLE - 1) // (_MOST * self.dimensions))
        # Beyond about a thousand dimensions only double precision has room for exact sums.
        self._type: type[np.floating] = np.float32 if levels >= _MOST else np.float64
        levels = levels if levels >= _MOST else _FINE
        largest = float(np.abs(vector).max(initial=0.0))
        whole = np.rint(vector / (largest or 1.0) * levels)
        length = float(np.sqrt(float((whole.astype(np.float64) ** 2).sum())))
        self._vector = whole.astype(self._type)
        self._factor = 1.0 / length if length else 0.0

    def likeness(self, vectors: bytes, scales: bytes) -> NDArray[np.int64]:
        """Return the cosine between the question and each stored vector, in ``STEPS`` parts of one."""
        import numpy as np

        stored = np.frombuffer(vectors, dtype=np.int8).reshape(-1, self.dimensions)
        sums = np.empty(len(stored), dtype=np.float64)
        for start in range(0, len(stored), _CHUNK):
            sums[start : start + _CHUNK] = stored[start : start + _CHUNK].astype(self._type) @ self._vector
        each = np.frombuffer(scales, dtype="<f4").astype(np.float64)
        found = np.rint(sums * each * (self._factor * STEPS)).astype(np.int64)
        return np.clip(found, -STEPS, STEPS)
