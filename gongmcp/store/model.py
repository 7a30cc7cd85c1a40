"""Which read model this program serves: the digest of everything that decides its content.

``gongctl cache warm`` stores it with the rows, the server compares. A model of another digest is not
served, and warm builds it anew.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Final

from gongmcp.exposure.kinds import MASKED_KINDS, MASKING_VERSION
from gongmcp.store.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from gongmcp.store.crm_names import CrmNames

DERIVATION_VERSION: Final = 1
"""Raised whenever the same payloads would give other facts or rows."""


@cache
def serving_digest(names: CrmNames | None = None) -> str:
    """Return the digest (16 hexadecimal digits) of the model for the whole cache without restrictions.

    *names* are what CRM systems call things; None = the defaults.
    """
    from gongmcp.store.crm_names import CrmNames

    content = {
        "schema": SCHEMA_VERSION,
        "derivation": DERIVATION_VERSION,
        "masking": MASKING_VERSION,
        "kinds": list(MASKED_KINDS),
        "names": (names or CrmNames.default()).canonical(),
        "scope": None,
        "restricted": None,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
