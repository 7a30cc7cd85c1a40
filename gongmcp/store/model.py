"""Which read model this program serves: the digest of everything that decides its content.

``gongctl cache warm`` stores it with the rows, the server compares. A model of another digest is not
served, and warm builds it anew.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Final

from gongmcp.exposure.kinds import MASKED_KINDS, MASKING_VERSION
from gongmcp.store.schema import SCHEMA_VERSION

DERIVATION_VERSION: Final = 1
"""Raised whenever the same payloads would give other facts or rows."""


@cache
def serving_digest() -> str:
    """Return the digest (16 hexadecimal digits) of the model for the whole cache without restrictions."""
    content = {
        "schema": SCHEMA_VERSION,
        "derivation": DERIVATION_VERSION,
        "masking": MASKING_VERSION,
        "kinds": list(MASKED_KINDS),
        "scope": None,
        "restricted": None,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
