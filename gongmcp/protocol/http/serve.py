"""Serving over HTTP: the socket, one or several processes, and their end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gongmcp.errors import Exit
from gongmcp.http_settings import TOKEN_ENV, HttpSettings
from gongmcp.identity.access_tokens import AccessTokens
from gongmcp.identity.resolver import Resolver, Source
from gongmcp.identity.signed_token import Issuer, SignedTokens
from gongmcp.identity.token_file import GivenToken, TokenFiles
from gongmcp.identity.watched_file import BadFile
from gongmcp.protocol.http.workers import supervise
from gongmcp.protocol.lines import SWITCH_SECONDS
from gongmcp.refusals import refused
from gongmcp.serving import reloaded
from gongmcp.state_file import ClientEvidence, StateFile

if TYPE_CHECKING:
    from gongmcp.protocol.observe import Observer
    from gongmcp.serving import Serving
    from gongmcp.settings import ServerSettings

DRAIN_SECONDS: Final = 20
"""How long requests that run at SIGTERM may still take."""

LISTEN_FDS_START: Final = 3
"""First descriptor of a socket that systemd passes on (sd_listen_fds(3))."""

log = logging.getLogger("gongmcp")


@dataclass(frozen=True, slots=True)
class HttpServer:
    """What it takes to serve over HTTP.

    Attributes:
        settings: how the server is reached.
        open_serving: makes the handler of a worker process, given the evidence of its clients.
        open_observer: makes what is told of each request, in each worker process; None when nobody is.
        reread: reads the settings again, for a reload.
    """

    settings: HttpSettings
    open_serving: Callable[[ClientEvidence, Observer | None], Serving]
    open_observer: Callable[[], Observer | None]
    reread: Callable[[], ServerSettings]


def resolver_of(settings: HttpSettings) -> Resolver:
    """Return what lets clients in.

    Raises:
        StartupRefusal: a token is weak, or its file may be read by others or cannot be read.
    """
    sources: list[Source] = []
    for file, make in _sources(settings):
        try:
            source = make()
            source.check()
        except BadFile as bad:
            if file is None:
                raise refused("token_env", variable=TOKEN_ENV, reason=bad) from None
            raise refused("token_file", file=_bad_name(settings, file), reason=bad) from None
        sources.append(source)
    return Resolver(sources)


def _sources(settings: HttpSettings) -> Iterator[tuple[Path | None, Callable[[], Source]]]:
    token, current = settings.token, settings.bearer_token_file
    if token is not None:
        yield None, lambda: GivenToken(token)
    if current is not None:
        yield current, lambda: TokenFiles(current, settings.bearer_token_previous_file)
    if (minted := settings.access_tokens) is not None:
        yield minted, lambda: AccessTokens(minted)
    if settings.oidc_issuer is not None and (keys := settings.oidc_jwks) is not None:
        issuer = Issuer(
            settings.oidc_issuer, settings.oidc_audience or "", settings.oidc_algorithms, settings.oidc_scope
        )
        yield keys, lambda: SignedTokens(issuer, keys)


def _bad_name(settings: HttpSettings, file: Path) -> str:
    """Name the file that is bad: of a token and its predecessor the one that is."""
    previous = settings.bearer_token_previous_file
    if file == settings.bearer_token_file and previous is not None:
        with contextlib.suppress(BadFile):
            TokenFiles(file).check()
            return previous.name
    return file.name


def serve_http(server: HttpServer) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit code.

    Raises:
        StartupRefusal: nothing can be served, nobody can be let in, or the address is taken.
    """
    settings = server.settings
    resolver = resolver_of(settings)
    state = StateFile(settings.state)
    # Every refusal comes before the address is taken.
    observer = server.open_observer()
    serving = server.open_serving(ClientEvidence(state), observer)
    listener = _listener(settings)
    host, port = listener.getsockname()[:2] if listener.family != socket.AF_UNIX else (settings.host, settings.port)
    shown = f"[{host}]" if ":" in str(host) else host
    if not settings.is_loopback:
        _say("other machines can reach this server: let a proxy with TLS stand before it.")
    if settings.state is None:
        _say("no --state FILE: what clients have seen is forgotten when the server ends.")
    if not serving.is_ready:
        _say("waiting for the cache.")
    _quiet_libraries()

    import gongmcp.protocol.http.app  # noqa: F401

    if settings.workers == 1:
        _say(f"serving http://{shown}:{port}/mcp")
        return _run(server, serving, resolver, state, observer, listener)
    # SQLite connections do not survive a fork: each worker opens its own.
    state.close()
    serving.close()
    gc.freeze()

    def work() -> int:
        own = StateFile(settings.state)
        told = server.open_observer()
        return _run(server, server.open_serving(ClientEvidence(own), told), resolver, own, told, listener)

    _say(f"serving http://{shown}:{port}/mcp with {settings.workers} workers")
    return supervise(settings.workers, work)


def _listener(settings: HttpSettings) -> socket.socket:
    """Return the socket that systemd passed on, or one that listens on the address."""
    if os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS", "0").isdigit():
        if int(os.environ["LISTEN_FDS"]) != 1 or not stat.S_ISSOCK(os.fstat(LISTEN_FDS_START).st_mode):
            raise refused("http_cannot_listen", address=settings.address, reason="systemd passed on no single socket")
        given = socket.socket(fileno=LISTEN_FDS_START)
        _check_given(settings, given)
        return given
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(512)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = (getattr(error, "strerror", None) or "the name is not known").lower()
        raise refused("http_cannot_listen", address=settings.address, reason=reason) from None
    listener.set_inheritable(True)
    return listener


def _check_given(settings: HttpSettings, given: socket.socket) -> None:
    """Refuse a socket that other machines reach when the settings speak of this machine alone."""
    if given.family == socket.AF_UNIX:
        return
    from gongmcp.protocol.http.origins import is_loopback

    host, port = given.getsockname()[:2]
    if settings.is_loopback and not is_loopback(str(host)):
        raise refused("http_open_network", address=f"{host}:{port}")


def _quiet_libraries() -> None:
    """Keep what libraries log of a request to what failed, without its text, which may hold what a client sent."""

    class WithoutText(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
            record.msg, record.args = f"{record.name}: {kind or 'a request failed'}", ()
            record.exc_info = record.exc_text = record.stack_info = None
            return True

    for name in ("mcp", "uvicorn", "uvicorn.error", "sse_starlette"):
        logging.getLogger(name).setLevel(logging.ERROR)
    root = logging.getLogger()
    quiet = WithoutText()
    for handler in root.handlers:
        handler.addFilter(lambda record: record.name.split(".")[0] not in _LIBRARIES or quiet.filter(record))


_LIBRARIES: Final = frozenset({"mcp", "uvicorn", "sse_starlette", "asyncio", "starlette"})


def _say(words: str) -> None:
    print(f"gongmcp: {words}", file=sys.stderr, flush=True)


def _run(
    server: HttpServer,
    serving: Serving,
    resolver: Resolver,
    state: StateFile,
    observer: Observer | None,
    listener: socket.socket,
) -> int:
    """Serve in this process until a signal comes."""
    import uvicorn

    from gongmcp.protocol.http.app import Application
    from gongmcp.protocol.http.connection import uvicorn_options

    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is loaded stays for good: the collector need not look at it while clients wait
    settings = server.settings
    application = Application(serving, settings, resolver, state, observer=observer)
    config = uvicorn.Config(
        application.gate,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=DRAIN_SECONDS,
        **uvicorn_options(),
    )

    class Process(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            # uvicorn would raise the signal once more at the end; ending when asked to is no failure.
            yield

    process = Process(config)

    async def live() -> None:
        loop = asyncio.get_running_loop()

        def leave() -> None:
            process.force_exit = process.should_exit
            process.should_exit = True
            application.leave()

        def reload() -> None:
            tasks.add(task := loop.create_task(_reload(server, serving, application)))
            task.add_done_callback(tasks.discard)

        tasks: set[asyncio.Task[None]] = set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, leave)
        loop.add_signal_handler(signal.SIGHUP, reload)
        await process.serve(sockets=[listener])

    try:
        asyncio.run(live())
    except SystemExit:  # uvicorn could not start
        return int(Exit.FAILED)
    finally:
        state.close()
    return int(Exit.OK)


async def _reload(server: HttpServer, serving: Serving, application: Any) -> None:
    done = await asyncio.to_thread(reloaded, server.reread, serving)
    if done is not None and done.tighter:
        await application.tell_changed()
