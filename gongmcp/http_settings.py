"""How the server is reached over HTTP: where it listens, who may knock, what lets a client in, how much at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from gongmcp.identity.jwks import ALGORITHMS
from gongmcp.refusals import refused
from gongmcp.setting import Setting

if TYPE_CHECKING:
    from gongmcp.settings import Layer

TOKEN_ENV: Final = "GONGMCP_BEARER_TOKEN"
"""Variable that may hold the token itself; there is no flag for it, which every user of the machine could read."""

DEFAULT_RATE: Final = 600
DEFAULT_AT_ONCE: Final = 8
MAX_WORKERS: Final = 64

# Texts, not compiled: a start without HTTP uses none of them.
_ADDRESS: Final = r"(?P<host>\[[0-9A-Fa-f:.]*\]|[^:\[\]\s/]*):(?P<port>[0-9]{1,5})"
_HOST_VALUE: Final = r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?"
_ORIGIN_VALUE: Final = r"(?i:https?)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?"


def _setting(name: str, env: str, flag: str, key: str, help: str, *, truth: bool = False) -> Setting:  # noqa: A002
    return Setting(name, f"GONGMCP_{env}", flag, f"http.{key}", help, server_only=True, truth=truth)


HTTP_SETTINGS: Final[tuple[Setting, ...]] = (
    _setting("http", "HTTP_ADDR", "--http", "listen", "Serve over HTTP on HOST:PORT in place of standard input."),
    _setting(
        "allow_open_network",
        "ALLOW_OPEN_NETWORK",
        "--allow-open-network",
        "allow_open_network",
        "Listen on an address that other machines reach.",
        truth=True,
    ),
    _setting(
        "allowed_origins",
        "ALLOWED_ORIGINS",
        "--allowed-origins",
        "allowed_origins",
        "Comma list of web origins (scheme://host[:port]) whose pages may ask.",
    ),
    _setting(
        "allowed_hosts",
        "ALLOWED_HOSTS",
        "--allowed-hosts",
        "allowed_hosts",
        "Comma list of names (host[:port]) under which clients reach the server.",
    ),
    _setting(
        "bearer_token_file",
        "BEARER_TOKEN_FILE",
        "--bearer-token-file",
        "bearer_token_file",
        "File (mode 0600) with the one token that lets a client in; read again when it changes.",
    ),
    _setting(
        "bearer_token_previous_file",
        "BEARER_TOKEN_PREVIOUS_FILE",
        "--bearer-token-previous-file",
        "bearer_token_previous_file",
        "File with the token that was in use before, while clients change over.",
    ),
    _setting(
        "access_tokens",
        "ACCESS_TOKENS",
        "--access-tokens",
        "access_tokens",
        "File of the tokens that gongctl token minted; read again when it changes.",
    ),
    _setting(
        "oidc_issuer", "OIDC_ISSUER", "--oidc-issuer", "oidc_issuer", "Let in whom this OpenID issuer signed a token."
    ),
    _setting("oidc_audience", "OIDC_AUDIENCE", "--oidc-audience", "oidc_audience", "Audience that such a token names."),
    _setting(
        "oidc_jwks",
        "OIDC_JWKS",
        "--oidc-jwks",
        "oidc_jwks",
        "File of the issuer's public keys (gongctl auth jwks-refresh); read again when it changes.",
    ),
    _setting(
        "oidc_algorithms",
        "OIDC_ALGORITHMS",
        "--oidc-algorithms",
        "oidc_algorithms",
        f"Comma list of signatures that are accepted, of {', '.join(ALGORITHMS)} (default {ALGORITHMS[0]}).",
    ),
    _setting("oidc_scope", "OIDC_SCOPE", "--oidc-scope", "oidc_scope", "Scope that such a token must have."),
    _setting(
        "public_url",
        "PUBLIC_URL",
        "--public-url",
        "public_url",
        "Address of /mcp as clients see it, for the OAuth metadata (default: the audience).",
    ),
    _setting(
        "dev_allow_no_auth_localhost",
        "DEV_ALLOW_NO_AUTH_LOCALHOST",
        "--dev-allow-no-auth-localhost",
        "dev_allow_no_auth_localhost",
        "Let everybody on this machine in without a token (development, loopback only).",
        truth=True,
    ),
    _setting(
        "http_tool_timeout",
        "HTTP_TOOL_TIMEOUT",
        "--http-tool-timeout",
        "tool_timeout",
        "Seconds that one tool call over HTTP may take (default: --tool-timeout).",
    ),
    _setting(
        "http_rate",
        "HTTP_RATE",
        "--http-rate",
        "rate",
        f"Requests that one token may send in a minute (default {DEFAULT_RATE}).",
    ),
    _setting(
        "http_at_once",
        "HTTP_AT_ONCE",
        "--http-at-once",
        "at_once",
        f"Requests of one token that are answered at the same time, in each worker (default {DEFAULT_AT_ONCE}).",
    ),
    _setting("workers", "WORKERS", "--workers", "workers", "Processes that serve; more than one needs --state."),
    _setting(
        "state",
        "STATE",
        "--state",
        "state",
        "File of what each token has seen today and of its rate; without it a restart forgets both.",
    ),
    _setting(
        "wait_for_cache",
        "WAIT_FOR_CACHE",
        "--wait-for-cache",
        "wait_for_cache",
        "Start before the cache is there; tools answer cache_not_ready until it is.",
        truth=True,
    ),
    _setting(
        "trusted_proxies",
        "TRUSTED_PROXIES",
        "--trusted-proxies",
        "trusted_proxies",
        "Comma list of addresses or networks of proxies whose X-Forwarded-For and -Proto are believed.",
    ),
)
"""All of them, in the order in which help lists them."""


class Given(Protocol):
    """What was given of the settings; ``settings`` has it."""

    by: dict[str, Layer]

    def label(self, name: str) -> str:
        """Name a setting as its layer does."""

    def count(self, name: str) -> int:
        """Return a whole number of at least 1."""

    def truth(self, name: str) -> bool:
        """Return whether a setting is on."""

    def seconds(self, name: str, default: float) -> float:
        """Return a number of seconds."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HttpSettings:
    """How the server is reached over HTTP; each field as its setting says.

    *host* is '' for every interface. *token* is what the environment gave; the settings have no text form, so it is
    never shown.
    """

    host: str = "127.0.0.1"
    port: int = 0
    allow_open_network: bool = False
    allowed_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    bearer_token_file: Path | None = None
    bearer_token_previous_file: Path | None = None
    access_tokens: Path | None = None
    oidc_issuer: str | None = None
    oidc_audience: str | None = None
    oidc_jwks: Path | None = None
    oidc_algorithms: tuple[str, ...] = (ALGORITHMS[0],)
    oidc_scope: str | None = None
    public_url: str | None = None
    dev_allow_no_auth_localhost: bool = False
    http_tool_timeout: float | None = None
    http_rate: int = DEFAULT_RATE
    http_at_once: int = DEFAULT_AT_ONCE
    workers: int = 1
    state: Path | None = None
    wait_for_cache: bool = False
    trusted_proxies: tuple[str, ...] = ()
    token: str | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether it listens where this machine alone can reach it."""
        return _is_loopback(self.host)

    @property
    def address(self) -> str:
        """``HOST:PORT``."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def http_settings(given: Given, environ: Mapping[str, str]) -> HttpSettings | None:
    """Return how the server is reached over HTTP, None when it is not.

    Raises:
        StartupRefusal: a value is bad, or what was given together is not safe to serve.
    """
    if "http" not in given.by:
        for name in _NAMES:
            if name in given.by and given.by[name].kind == "flag":
                raise refused("http_alone", setting=given.label(name))
        return None
    host, port = _address(given)
    settings = HttpSettings(
        host,
        port,
        allow_open_network=given.truth("allow_open_network"),
        allowed_origins=_texts(given, "allowed_origins", _ORIGIN_VALUE, "http_origin"),
        allowed_hosts=_texts(given, "allowed_hosts", _HOST_VALUE, "http_host"),
        bearer_token_file=_path(given, "bearer_token_file"),
        bearer_token_previous_file=_path(given, "bearer_token_previous_file"),
        access_tokens=_path(given, "access_tokens"),
        oidc_issuer=_text(given, "oidc_issuer"),
        oidc_audience=_text(given, "oidc_audience"),
        oidc_jwks=_path(given, "oidc_jwks"),
        oidc_algorithms=_algorithms(given),
        oidc_scope=_text(given, "oidc_scope"),
        public_url=_text(given, "public_url"),
        dev_allow_no_auth_localhost=given.truth("dev_allow_no_auth_localhost"),
        http_tool_timeout=given.seconds("http_tool_timeout", 0.0) if "http_tool_timeout" in given.by else None,
        http_rate=given.count("http_rate") if "http_rate" in given.by else DEFAULT_RATE,
        http_at_once=given.count("http_at_once") if "http_at_once" in given.by else DEFAULT_AT_ONCE,
        workers=given.count("workers") if "workers" in given.by else 1,
        state=_path(given, "state"),
        wait_for_cache=given.truth("wait_for_cache"),
        trusted_proxies=_proxies(given),
        token=environ.get(TOKEN_ENV, "").strip() or None,
    )
    _refuse_unsafe(settings, given)
    return settings


_NAMES: Final = tuple(setting.name for setting in HTTP_SETTINGS)


def _refuse_unsafe(settings: HttpSettings, given: Given) -> None:
    if not settings.is_loopback:
        if not settings.allow_open_network:
            raise refused("http_open_network", address=settings.address)
        if not settings.allowed_origins:
            raise refused("http_needs_origins", address=settings.address)
    if settings.token is not None and settings.bearer_token_file is not None:
        raise refused("two_tokens", setting=given.label("bearer_token_file"), variable=TOKEN_ENV)
    if settings.bearer_token_previous_file is not None and settings.bearer_token_file is None:
        raise refused("token_previous_alone", setting=given.label("bearer_token_previous_file"))
    oidc = (settings.oidc_issuer, settings.oidc_audience, settings.oidc_jwks)
    if any(oidc) and not all(oidc):
        raise refused("oidc_incomplete")
    has_auth = settings.token or settings.bearer_token_file or settings.access_tokens or settings.oidc_issuer
    if not has_auth and not settings.dev_allow_no_auth_localhost:
        raise refused("http_needs_auth")
    if not has_auth and not settings.is_loopback:
        raise refused("http_no_auth_loopback", address=settings.address)
    if settings.workers > MAX_WORKERS:
        raise refused("http_workers", setting=given.label("workers"), high=MAX_WORKERS)
    if settings.workers > 1 and settings.state is None:
        raise refused("workers_need_state", setting=given.label("workers"))


def _address(given: Given) -> tuple[str, int]:
    match = re.fullmatch(_ADDRESS, str(given.by["http"].value).strip())
    if match is None or int(match["port"]) > 65535:
        raise refused("http_address", setting=given.label("http"))
    return match["host"].strip("[]"), int(match["port"])


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    import ipaddress  # not for a start without HTTP

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _text(given: Given, name: str) -> str | None:
    return str(given.by[name].value).strip() or None if name in given.by else None


def _path(given: Given, name: str) -> Path | None:
    if name not in given.by:
        return None
    text = str(given.by[name].value)
    if not text.strip():
        raise refused("file_name_blank", setting=given.label(name))
    return Path(text)


def _list(given: Given, name: str) -> tuple[str, ...]:
    value: Any = given.by[name].value if name in given.by else ()
    items = value.split(",") if isinstance(value, str) else value
    return tuple(str(item).strip() for item in items if str(item).strip())


def _texts(given: Given, name: str, form: str, refusal: str) -> tuple[str, ...]:
    items = _list(given, name)
    if not all(re.fullmatch(form, item) for item in items):
        raise refused(refusal, setting=given.label(name))
    return items


def _algorithms(given: Given) -> tuple[str, ...]:
    items = _list(given, "oidc_algorithms")
    if not set(items) <= set(ALGORITHMS):
        raise refused("oidc_algorithms", setting=given.label("oidc_algorithms"), names=", ".join(ALGORITHMS))
    return items or (ALGORITHMS[0],)


def _proxies(given: Given) -> tuple[str, ...]:
    import ipaddress

    items = _list(given, "trusted_proxies")
    for item in items:
        try:
            ipaddress.ip_network(item)
        except ValueError:
            raise refused("http_proxies", setting=given.label("trusted_proxies")) from None
    return items


def shown(settings: HttpSettings | None, name: str) -> Any:
    """Return the value of one of these settings for a listing: of a file its name alone; None when not served so."""
    if settings is None:
        return None
    value = settings.address if name == "http" else getattr(settings, name)
    if isinstance(value, Path):
        return value.name
    return list(value) if isinstance(value, tuple) else value
