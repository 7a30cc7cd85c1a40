"""Where the credentials of Gong's API come from, and how they are kept from being shown.

Environment, then the file ``.env`` of the working directory (which fills only what the environment leaves unset),
then the system's keyring (``gongctl auth login``). A secret is a ``Secret``: what prints, logs or formats it shows
stars; only the client that sends it calls ``reveal``.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, NoReturn
from urllib.parse import urlsplit

from gongmcp.errors import Exit, StartupRefusal

BASE_URL: Final = "https://api.gong.io"
KEY, KEY_SECRET, TOKEN, URL = "GONG_ACCESS_KEY", "GONG_ACCESS_KEY_SECRET", "GONG_ACCESS_TOKEN", "GONG_BASE_URL"
NAMES: Final = (KEY, KEY_SECRET, TOKEN, URL)
"""The variables that are read, from the environment and from ``.env``."""

SERVICE: Final = "gongctl"
ENTRY: Final = "gong-api"
"""Under which the keyring keeps the credentials."""

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Z_]+)\s*=\s*(.*?)\s*")
_ENV_BYTES: Final = 64 << 10
_HINT: Final = f"Set {KEY} and {KEY_SECRET} (or {TOKEN}), put them in .env, or run: gongctl auth login"

Source = Literal["environment", ".env", "keyring"]


class Secret:
    """A text that is not shown: ``str``, ``repr`` and formats give stars; ``reveal`` gives it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the text itself; for sending and storing it alone."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __format__(self, spec: str) -> str:
        return "***"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled")


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to log in, and where: Basic with *key* and *secret*, Bearer with *secret* alone (*key* is then '')."""

    scheme: Literal["Basic", "Bearer"]
    key: str
    secret: Secret
    base_url: str
    source: Source

    def header(self) -> str:
        """Return the value of the Authorization header."""
        if self.scheme == "Bearer":
            return f"Bearer {self.secret.reveal()}"
        pair = f"{self.key}:{self.secret.reveal()}".encode()
        return f"Basic {base64.b64encode(pair).decode('ascii')}"

    @property
    def account(self) -> str:
        """A digest that is the same for every process of this account on this machine: the pace is shared by it."""
        return blake2b(f"{self.base_url}\0{self.key}".encode(), digest_size=8).hexdigest()

    def __repr__(self) -> str:
        return f"Credentials({self.scheme}, {self.base_url}, from {self.source})"


def find_credentials(
    environ: Mapping[str, str] | None = None, *, folder: Path | None = None, base_url: str | None = None
) -> Credentials:
    """Return the credentials of environment, ``.env`` in *folder* (the working directory) or keyring.

    *base_url*, from a flag or a configuration, is stronger than theirs.

    Raises:
        StartupRefusal: there are none, only half of them, two kinds at once, or the base URL is not to be trusted.
    """
    given = {name: value.strip() for name in NAMES if (value := (environ or os.environ).get(name, "")).strip()}
    filled = {name: value for name, value in read_env_file(folder or Path()).items() if name not in given}
    found = given | filled
    source: Source = "environment" if given.keys() & {KEY, TOKEN} else ".env"
    if not found.keys() & {KEY, KEY_SECRET, TOKEN}:
        return _from_keyring(base_url or found.get(URL))
    return _made(found, base_url or found.get(URL) or BASE_URL, source)


def given_credentials(values: Mapping[str, str], base_url: str) -> Credentials:
    """Return the credentials in *values*, by the names of the variables.

    Raises:
        StartupRefusal: as for ``find_credentials``.
    """
    return _made({name: value for name, value in values.items() if value}, base_url, "keyring")


def _made(found: Mapping[str, str], base_url: str, source: Source) -> Credentials:
    where = checked_base_url(base_url)
    if TOKEN in found:
        if KEY in found or KEY_SECRET in found:
            raise StartupRefusal(f"{TOKEN} and {KEY} are both set.", "Leave one of them out.", Exit.USAGE)
        return Credentials("Bearer", "", Secret(_sendable(found[TOKEN], TOKEN)), where, source)
    for name in (KEY, KEY_SECRET):
        if name not in found:
            raise StartupRefusal(f"{name} is missing.", _HINT, Exit.USAGE)
    key = _sendable(found[KEY], KEY)
    if ":" in key:
        raise StartupRefusal(f"{KEY} holds a colon, which no access key does.", _HINT, Exit.USAGE)
    return Credentials("Basic", key, Secret(_sendable(found[KEY_SECRET], KEY_SECRET)), where, source)


def _sendable(value: str, name: str) -> str:
    if not value.isascii() or not value.isprintable() or " " in value:
        raise StartupRefusal(f"{name} holds blanks or characters that no header takes.", _HINT, Exit.USAGE)
    return value


def checked_base_url(url: str) -> str:
    """Return *url* without a trailing slash.

    Raises:
        StartupRefusal: it is no https address (http is taken on this machine alone), or holds more than a place.
    """
    hint = f"Set {URL} to the address on Gong's API page, such as {BASE_URL}."
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not url.isascii() or not url.strip().isprintable() or " " in url.strip():
        host = None
    if not host or parts.username or parts.password or parts.query or parts.fragment:
        raise StartupRefusal("The base URL of Gong's API is no plain address.", hint, Exit.USAGE)
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise StartupRefusal(
            "The base URL of Gong's API is not https: the key would travel in clear.", hint, Exit.USAGE
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def read_env_file(folder: Path) -> dict[str, str]:
    """Return the variables of ``NAMES`` in the file ``.env`` of *folder*; none without the file.

    Raises:
        StartupRefusal: it cannot be read, or is no text.
    """
    path = folder / ".env"
    try:
        if not path.is_file():
            return {}
        with path.open("rb") as file:
            text = file.read(_ENV_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise StartupRefusal(f"{path} cannot be read as text.", "Correct it, or move it away.", Exit.USAGE) from None
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match and match[1] in NAMES:
            value = match[2]
            if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
                value = value[1:-1]
            elif " #" in value:
                value = value.partition(" #")[0].rstrip()
            if value:
                found[match[1]] = value
    return found


def _from_keyring(base_url: str | None) -> Credentials:
    stored = _keyring_entry()
    if stored is None:
        raise StartupRefusal("There are no credentials for Gong's API.", _HINT, Exit.USAGE)
    return _made(stored, base_url or stored.get(URL) or BASE_URL, "keyring")


def _keyring_entry() -> dict[str, str] | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        text = keyring.get_password(SERVICE, ENTRY)
    except KeyringError:  # no keyring here, or it stays locked: as if nothing were in it
        return None
    if text is None:
        return None
    try:
        stored: Any = json.loads(text)
    except ValueError:
        stored = None
    if not isinstance(stored, dict) or not all(isinstance(value, str) for value in stored.values()):
        raise StartupRefusal(
            "The keyring's entry for gongctl cannot be read.", "Run: gongctl auth login", Exit.USAGE
        ) from None
    return {name: stored[name] for name in NAMES if name in stored}


def keep_in_keyring(credentials: Credentials) -> None:
    """Store *credentials* in the system's keyring.

    Raises:
        StartupRefusal: this system has no keyring that can be used.
    """
    import keyring
    from keyring.errors import KeyringError

    entry = {URL: credentials.base_url}
    if credentials.scheme == "Bearer":
        entry[TOKEN] = credentials.secret.reveal()
    else:
        entry |= {KEY: credentials.key, KEY_SECRET: credentials.secret.reveal()}
    try:
        keyring.set_password(SERVICE, ENTRY, json.dumps(entry))
    except KeyringError:
        raise StartupRefusal(
            "This system has no keyring that can be used.", f"Set {KEY} and {KEY_SECRET}, or use .env.", Exit.FAILED
        ) from None


def forget_in_keyring() -> bool:
    """Remove the credentials from the system's keyring; return whether there were any."""
    import keyring
    from keyring.errors import KeyringError

    try:
        if keyring.get_password(SERVICE, ENTRY) is None:
            return False
        keyring.delete_password(SERVICE, ENTRY)
    except KeyringError:
        return False
    return True
