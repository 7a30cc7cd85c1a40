"""A write tool tried out: its own function runs over the service, and what it would change is told, not written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gongctl.vcon import Vcon
from gongctl.vcon.service import Change, VconService
from gongctl.vcon.store import VconStore
from gongctl.vcon.write_tools import WRITING
from gongmcp.exposure.policy import Policy
from gongmcp.vcon.running import arguments_of
from gongmcp.vcon.scope import Scope


class Rehearsal(VconService):
    """The service as tools know it, which writes only when it is to *apply*, and keeps what was changed in ``done``."""

    def __init__(self, store: VconStore, author: str, *, apply: bool) -> None:
        super().__init__(store, author)
        self._apply = apply
        self.done: Change | None = None

    def delete(
        self, uuid: str, *, confirm: bool, cascade: bool = True, if_updated_at: str = "", dry_run: bool = False
    ) -> Change:
        """Remove a vCon, or tell what that removes."""
        self.done = super().delete(
            uuid,
            confirm=confirm,
            cascade=cascade,
            if_updated_at=if_updated_at,
            dry_run=dry_run or not self._apply,
        )
        return self.done

    def _change(
        self,
        uuid: str,
        change: Callable[[Vcon | None], Vcon],
        if_updated_at: str,
        check: bool,
        dry_run: bool,
        **more: Any,
    ) -> Change:
        self.done = super()._change(uuid, change, if_updated_at, check, dry_run or not self._apply, **more)
        return self.done


def rehearse(path: Path, tool: str, arguments: Mapping[str, Any], *, apply: bool, author: str) -> Change:
    """Run the write tool *tool* over the store at *path* and return its change; written only with *apply*.

    Raises:
        VconFault: the arguments are not those of the tool, or a guard of the service refuses.
        StartupRefusal: the file is no store.
    """
    declared = WRITING[tool]
    valid = arguments_of(declared, dict(arguments), verbatim=True)
    kept: list[Change] = []

    @contextmanager
    def writing() -> Iterator[Rehearsal]:
        with VconStore.open(path) as store:
            service = Rehearsal(store, author, apply=apply)
            yield service
            if service.done is not None:
                kept.append(service.done)

    declared.function(valid, _scope(writing))
    return kept[-1]


def _scope(writing: Any) -> Scope:
    """Return the surroundings of a tool that uses nothing but the service."""
    nothing: Any = None
    return Scope(store=nothing, policy=Policy(), tools=WRITING, secret=b"", generation=0, writing=writing)
