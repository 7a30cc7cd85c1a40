"""``auth check``: what a key may do, endpoint by endpoint, each asked for next to nothing."""

from __future__ import annotations

from dataclasses import dataclass

from gongctl.gong.client import open_client
from gongctl.gong.credentials import Credentials
from gongctl.gong.endpoints import PROBED
from gongctl.gong.faults import AccessDenied, BadRequest
from gongctl.gong.pace import Pace
from gongctl.gong.retry import Patience


@dataclass(frozen=True, slots=True)
class Checked:
    """One endpoint: whether the key may ask it, and what was said."""

    endpoint: str
    scope: str
    allowed: bool
    request_id: str
    message: str


async def check(credentials: Credentials, pace: Pace, patience: Patience | None = None) -> list[Checked]:
    """Try every endpoint that sync reads.

    Raises:
        GongFault: Gong does not answer, or is not what answers.
    """
    found: list[Checked] = []
    async with open_client(credentials, pace, patience) as client:
        for endpoint in PROBED:
            asked = {"body": dict(endpoint.probe)} if endpoint.method == "POST" else {}
            try:
                answer = await client.ask(endpoint, **asked)
            except (AccessDenied, BadRequest) as fault:
                # A request that is not taken for what it asks was taken for who asks.
                allowed = isinstance(fault, BadRequest)
                found.append(Checked(str(endpoint), endpoint.scope, allowed, fault.request_id, fault.message))
            else:
                found.append(Checked(str(endpoint), endpoint.scope, True, answer.request_id, ""))
    return found
