"""``gongctl vcon serve``: a vCon store as an MCP server of its own, on standard input or HTTP. The only server that
writes, and it opens no cache of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore, require_store
from gongctl.vcon.write_tools import all_tools
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.vcon.catalogue import Choice, choose
from gongmcp.vcon.handler import VconHandler
from gongmcp.vcon.taxonomy import load_taxonomy

if TYPE_CHECKING:
    from gongmcp.http_settings import HttpSettings
    from gongmcp.identity.narrowing import Narrowing
    from gongmcp.serving import Reloaded, Serving

SERVER_NAME: Final = "gongctl-vcon"

PROFILE_ENV: Final = "MCP_TOOLS_PROFILE"
ENABLED_ENV: Final = "MCP_ENABLED_CATEGORIES"
DISABLED_ENV: Final = "MCP_DISABLED_CATEGORIES"
WITHOUT_ENV: Final = "MCP_DISABLED_TOOLS"


def chosen(profile: str | None, environ: Mapping[str, str]) -> Choice:
    """Return which tools are offered: *profile*, or else what the environment says, or else all.

    Raises:
        StartupRefusal: a profile, category or tool does not exist.
    """
    return choose(
        all_tools(),
        profile=profile if profile is not None else environ.get(PROFILE_ENV, ""),
        enabled=environ.get(ENABLED_ENV, ""),
        disabled=environ.get(DISABLED_ENV, ""),
        without=environ.get(WITHOUT_ENV, ""),
    )


def open_handler(db: Path, choice: Choice, *, taxonomy: Path | None = None) -> VconHandler:
    """Return a handler over the store *db*.

    Raises:
        StartupRefusal: there is no such file, or it is no vCon store.
    """
    if not db.exists():
        raise StartupRefusal(f"{db} does not exist.", "gongctl vcon import PATH --db FILE makes a store.", Exit.CACHE)
    require_store(db)
    with VconStore.open(db):
        pass  # brings an older schema up to date

    @contextmanager
    def writing() -> Iterator[VconService]:
        with VconStore.open(db) as store:
            yield VconService(store, "mcp")

    return VconHandler(
        db,
        all_tools(),
        choice,
        writing=writing,
        taxonomy=load_taxonomy(taxonomy) if taxonomy is not None else None,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the HTTP side asks of the handler of one client; narrowing is the handler's own matter."""

    handler: VconHandler


class VconServing:
    """The handler of a worker process; what ``gongmcp.protocol.http`` asks of a ``Serving``."""

    server_name = SERVER_NAME
    is_ready = True

    def __init__(self, handler: VconHandler) -> None:
        self._handler = handler

    def handler(self) -> VconHandler:
        """Return the handler."""
        return self._handler

    def handler_of(self, _narrowing: Narrowing) -> _Asked:
        """Return the handler for the health page."""
        return _Asked(self._handler)

    def reload(self, _settings: Any) -> Reloaded:
        """Change nothing: what is offered is decided at the start."""
        from gongmcp.serving import Reloaded

        return Reloaded(False, ())

    def close(self) -> None:
        """Close the store; for a process that will not answer."""
        self._handler.close()


def serve(handler: VconHandler) -> int:
    """Serve on standard input and output; returns the exit code."""
    from gongmcp.protocol.stdio import serve_stdio

    return serve_stdio(lambda: handler, name=SERVER_NAME)


def serve_over_http(db: Path, choice: Choice, http: HttpSettings, *, taxonomy: Path | None = None) -> int:
    """Serve over HTTP; returns the exit code. Rates are counted by each worker process.

    Raises:
        StartupRefusal: the store cannot be served, nobody can be let in, or the address is taken.
    """
    from gongmcp.protocol.http.serve import HttpServer, serve_http
    from gongmcp.settings import ServerSettings

    def open_serving(_session: object, _observer: object) -> Serving:
        return cast("Serving", VconServing(open_handler(db, choice, taxonomy=taxonomy)))

    return serve_http(HttpServer(http, open_serving, lambda: None, lambda: ServerSettings.resolve({}, {})))
