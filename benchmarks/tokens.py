"""How far a tokenizer is from the estimate of tokens, over the bundled sample: ``python -m benchmarks.tokens DB``.

The tokenizer is the one that comes with the extra ``semantic``: 32,000 pieces, of the vocabulary of Llama 2, each
digit a piece. Tokenizers with larger vocabularies count fewer; none is bundled, so none is measured. Every example of
every tool of the whole catalogue is called on *DB*, a warmed cache of the sample; short answers are left out.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from gongmcp.catalog.registry import catalog
from gongmcp.handler import build_handler
from gongmcp.preview.lens import lens_text
from gongmcp.preview.model import Lens
from gongmcp.render.size import estimate_tokens
from gongmcp.settings import ServerSettings

_LEAST: Final = 100
"""Estimated tokens below which an answer says nothing of the rest."""
_AT: Final = (0.0, 0.05, 0.5, 0.95, 1.0)


def tokenizer() -> Any:
    """Return the bundled tokenizer, which neither cuts nor pads here."""
    from tokenizers import Tokenizer

    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise SystemExit("The tokenizer comes with the extra semantic.")
    found = Tokenizer.from_file(str(Path(spec.origin).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    found.no_truncation()
    found.no_padding()
    return found


def ratios(db: Path) -> dict[str, list[float]]:
    """Return counted by estimated tokens: of the answers through each lens, and of the definitions."""
    counter, handler = tokenizer(), build_handler(ServerSettings.resolve({}, {}), db)

    def ratio(text: str) -> float:
        return len(counter.encode(text, add_special_tokens=False).ids) / estimate_tokens(text)

    found: dict[str, list[float]] = {name: [] for name in (*(lens.value for lens in Lens), "definitions")}
    for tool in handler.tools():
        found["definitions"].append(ratio(json.dumps(tool.wire())))
        for example in catalog()[tool.name].examples or ({},):
            answer = handler.call(tool.name, dict(example)).answer
            texts = {} if answer.is_error else {lens.value: lens_text(answer, lens) for lens in Lens}
            for lens, text in texts.items():
                if estimate_tokens(text) > _LEAST:
                    found[lens].append(ratio(text))
    return found


def main() -> None:
    """Print a line for each kind of content: how many, and the ratio at the least, 5 %, the middle, 95 %, the most."""
    for kind, values in ratios(Path(sys.argv[1])).items():
        values.sort()
        told = "  ".join(f"{values[min(int(len(values) * at), len(values) - 1)]:.2f}" for at in _AT)
        print(f"{kind:<12} {len(values):>3}  {told}")


if __name__ == "__main__":
    main()
