"""What is masked and by which rules: names and a version, light enough for the server's start.

The detectors behind the names (``gongmcp.exposure.masking``) are loaded by the writers alone: their
patterns take longer to compile than the server takes to answer its first request.
"""

from __future__ import annotations

from typing import Final

MASKING_VERSION: Final = 8
"""Raised whenever the same text would be masked differently; part of the read model's digest."""

PARTICIPANTS_VERSION: Final = 2
"""The same for the names of a call's own parties; it counts where ``--mask-participants`` is on."""

MASKED_KINDS: Final[dict[str, str]] = {
    "link": "meeting link or its code",
    "key": "API key, access token, private key or password",
    "email": "e-mail address",
    "iban": "bank account number (IBAN)",
    "card": "payment card number",
    "phone": "phone number",
}
"""Name of each masked kind, as it stands in a mark, and what it is in words; the strongest first."""
