"""The model: static vectors of word pieces, whose mean stands for a text.

The weights and the word pieces are files of the package ``wordllama``. They are read from its folder and the package
itself is not imported: it would bring an HTTP client and its own set-up of logs into the server, and its loader
looks for files on the network. So nothing here can reach the network, and what comes out is what the package's own
``embed`` gives (a test compares them).
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gongmcp.store.ranking import MARK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

MODEL: Final = "wordllama-l2_supercat-256/1"
"""What made a vector: model, dimensions, and behind the slash the version of how texts are cut and read here."""

DIMENSIONS: Final = 256
INSTALL: Final = "pip install 'gongctl[semantic]'"

_WEIGHTS: Final = Path("weights", "l2_supercat_256.safetensors")
_PIECES: Final = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_BATCH: Final = 512


class SemanticMissing(Exception):
    """The extra is not installed, or not whole. The text says what to do."""


class Embedder:
    """Makes vectors of texts. Use ``embedder()``, which keeps one."""

    def __init__(self, weights: Matrix, pieces: Any) -> None:
        self._weights = weights
        self._pieces = pieces

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a matrix of one row of length 1 for each of *texts*; a text without any word has zeros.

        Case does not count, and marks of what was masked are passed over: what they stand for has no part in it.
        """
        import numpy as np

        out = np.zeros((len(texts), self._weights.shape[1]), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            plain = [MARK.sub(" ", text).lower() for text in texts[start : start + _BATCH]]
            found = self._pieces.encode_batch(plain, add_special_tokens=False)
            for at, item in enumerate(found, start):
                if plain[at - start].strip():
                    out[at] = self._weights[item.ids].sum(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        unit: Matrix = np.divide(out, lengths, out=np.zeros_like(out), where=lengths > 0)
        return unit


_loading = threading.Lock()


def embedder() -> Embedder:
    """Return the model, loaded once (about half a second).

    Raises:
        SemanticMissing: the extra is not installed.
    """
    with _loading:
        return _load()


@lru_cache(maxsize=1)
def _load() -> Embedder:
    folder = _folder()
    try:
        import numpy as np
        from safetensors import safe_open
        from tokenizers import Tokenizer

        with safe_open(folder / _WEIGHTS, framework="np") as file:
            weights = np.ascontiguousarray(file.get_tensor("embedding.weight").astype(np.float32))
        pieces = Tokenizer.from_file(str(folder / _PIECES))
    except (ImportError, OSError) as error:
        raise SemanticMissing(f"The model of search by meaning cannot be loaded. Run: {INSTALL}.") from error
    pieces.no_padding()
    pieces.no_truncation()
    return Embedder(weights, pieces)


def is_installed() -> bool:
    """Tell whether the model is there, without loading anything."""
    try:
        _folder()
    except SemanticMissing:
        return False
    return importlib.util.find_spec("numpy") is not None


def _folder() -> Path:
    found = importlib.util.find_spec("wordllama")
    if found is None or found.origin is None:
        raise SemanticMissing(f"Search by meaning needs an extra that is not installed. Run: {INSTALL}.")
    folder = Path(found.origin).parent
    if not (folder / _WEIGHTS).is_file() or not (folder / _PIECES).is_file():
        raise SemanticMissing(f"The package of search by meaning lacks its files. Run: {INSTALL}.")
    return folder
