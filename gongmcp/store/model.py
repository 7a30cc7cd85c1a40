"""Which read model this program serves: the digest of everything that decides its content.

``gongctl cache warm`` stores it with the rows, the server compares. A model of another digest is not
served, and warm builds it anew, with one exception: a model whose restricted list was only tightened names the
digests that it grew out of, so that a running server goes on with it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Final

from gongmcp.exposure.kinds import MASKED_KINDS, MASKING_VERSION, PARTICIPANTS_VERSION
from gongmcp.governance.scope import Scope
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.schema import SCHEMA_VERSION

DERIVATION_VERSION: Final = 3
"""Raised whenever the same payloads would give other facts or rows."""


@dataclass(frozen=True, slots=True)
class ModelRules:
    """What decides the content of a read model besides the data.

    Attributes:
        names: what CRM systems call things.
        scope: which calls are served at all.
        restricted: digest of the restricted list; '' without one.
        mask_participants: whether the names of a call's own parties are masked.
    """

    names: CrmNames = field(default_factory=CrmNames.default)
    scope: Scope = field(default_factory=Scope)
    restricted: str = ""
    mask_participants: bool = False

    def _content(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA_VERSION,
            "derivation": DERIVATION_VERSION,
            "masking": MASKING_VERSION,
            "kinds": list(MASKED_KINDS),
            "names": self.names.canonical(),
            "scope": self.scope.canonical(),
            "mask_participants": PARTICIPANTS_VERSION if self.mask_participants else False,
        }

    @property
    def base(self) -> str:
        """The digest of all of it but the restricted list."""
        return _digest(self._content())

    @property
    def digest(self) -> str:
        """The digest (16 hexadecimal digits) of the model."""
        return _digest(self._content() | {"restricted": self.restricted})


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
