"""Which ``Host`` and ``Origin`` a request may carry, so that no web page reaches the server through a name it made up
(DNS rebinding)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN: Final = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#@\s]+)", re.IGNORECASE)
_PORTS: Final = {"http": "80", "https": "443"}


def host_parts(text: str) -> tuple[str, str | None] | None:
    """Return the name in lower case and the port (None = none given) of a ``Host`` value; None when it is none."""
    match = _HOST.fullmatch(text)
    if match is None:
        return None
    return match["name"].lower().removesuffix("."), match["port"]


def origin_parts(text: str) -> tuple[str, str, str] | None:
    """Return scheme, name and port of an ``Origin`` value, the port filled in; None for ``null`` and the like."""
    match = _ORIGIN.fullmatch(text)
    host = host_parts(match["host"]) if match is not None else None
    if match is None or host is None:
        return None
    scheme = match["scheme"].lower()
    return scheme, host[0], host[1] or _PORTS[scheme]


def is_loopback(name: str) -> bool:
    """Return whether a host's name is this machine's own."""
    if name == "localhost":
        return True
    address = _address(name)
    return address is not None and address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Addresses:
    """What is allowed: *hosts* (name and port, None = any port), *origins* (scheme, name, port); *loopback* = the
    server listens on the loopback interface alone, where its names and pages from there are always allowed."""

    hosts: frozenset[tuple[str, str | None]]
    origins: frozenset[tuple[str, str, str]]
    loopback: bool

    @classmethod
    def of(cls, listen: str, hosts: Iterable[str], origins: Iterable[str], *, loopback: bool) -> Addresses:
        """Return the rules of a server that listens on the host *listen*; *hosts* and *origins* are well-formed."""
        pages = frozenset(parts for text in origins if (parts := origin_parts(text)) is not None)
        names = {named for text in hosts if (named := host_parts(text)) is not None}
        # A page that is allowed may be served from the same name by the same proxy.
        names |= {(name, None) for _, name, _ in pages}
        if (bound := host_parts(listen)) is not None:
            names.add((bound[0], None))
        return cls(frozenset(names), pages, loopback)

    def allows_host(self, values: list[str]) -> bool:
        """Return whether a request with these ``Host`` headers is meant for this server."""
        parts = host_parts(values[0]) if len(values) == 1 else None
        if parts is None:
            return False
        name, port = parts
        if self.loopback and is_loopback(name):
            return True
        if (name, None) in self.hosts or (name, port) in self.hosts:
            return True
        # Rebinding needs a name: an address of the network is one that the client really meant.
        return not self.loopback and _address(name) is not None

    def allows_origin(self, value: str) -> bool:
        """Return whether a page of this origin may ask; a request without ``Origin`` comes from no page."""
        parts = origin_parts(value)
        if parts is None:
            return False
        return parts in self.origins or (self.loopback and is_loopback(parts[1]))
