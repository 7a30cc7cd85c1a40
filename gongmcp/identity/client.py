"""Who asks: the client that a token (or the pipe) stands for, and what it says of itself."""

from __future__ import annotations

import secrets
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum

from gongmcp.identity.narrowing import Narrowing


class Kind(Enum):
    """How a client proved who it is."""

    PIPE = "pipe"
    TOKEN_FILE = "token-file"
    ACCESS_TOKEN = "access-token"
    SIGNED_TOKEN = "signed-token"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Client:
    """A client that was let in.

    Attributes:
        kind: how it proved who it is.
        label: the operator's name for its token; '' for a pipe.
        key: tells one token from another without giving it away; also keys its rates and evidence. A new token of a
            token file keeps the key of the one that it takes over from.
        narrowing: what it gets less than the server serves.
        per_minute: requests that it may send in a minute, None = the server's own rate.
    """

    kind: Kind
    label: str
    key: str
    narrowing: Narrowing = field(default_factory=Narrowing)
    per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Asker:
    """Who sends a request: the *client*, over *transport* (``stdio`` or ``http``), in version *protocol*.

    *name* and *version* are what the program says of itself: untrusted, and '' where it says nothing (HTTP under a
    protocol version that greets once has no place for it in later requests).
    """

    client: Client
    transport: str = "stdio"
    name: str = ""
    version: str = ""
    protocol: str = ""


def of_the_pipe() -> Client:
    """Return the client of a pipe; each process has its own key."""
    return Client(Kind.PIPE, "", secrets.token_hex(8))


ASKER: ContextVar[Asker] = ContextVar("gongmcp_asker")
"""Who sends the request that is being answered; set by the door around each, never by a handler."""
