"""Running steps for ``gongctl sync``: with which list and credentials, the warm at the end, what is printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gongctl.cli.output import emit_json, note
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.cache.status import CacheStatus
    from gongctl.cache.writer import CacheWriter
    from gongctl.gong.pace import Quota
    from gongctl.sync.calls import PrivateCalls
    from gongctl.sync.config import AnyStep, RunConfig
    from gongctl.sync.run import Ran, Setting
    from gongmcp.governance.restricted import RestrictedList


def setting_of(
    db: Path,
    governance: Path | str | None,
    base_url: str | None,
    quota: Quota,
    *,
    concurrency: int = 3,
    again: bool = False,
) -> Setting:
    """Return with what a run works: the cache *db*, the list in *governance*, the credentials that are found.

    Raises:
        StartupRefusal: the list cannot be read, or there are no credentials.
    """
    from gongctl.cli.cache_cmd import _migrating
    from gongctl.gong.credentials import find_credentials
    from gongctl.sync.run import Setting

    restricted: RestrictedList | None = None
    if governance is not None:
        from gongmcp.governance.restricted import read_restricted_list

        restricted = read_restricted_list(Path(governance))
    return Setting(
        db,
        find_credentials(base_url=base_url),
        quota,
        concurrency=concurrency,
        restricted=restricted,
        again=again,
        migrating=_migrating,
    )


def run_and_print(
    setting: Setting, steps: tuple[AnyStep, ...], private: PrivateCalls, warming: Warming | None, *, as_json: bool
) -> None:
    """Run *steps*, warm with *warming*, and print what was done.

    Raises:
        SystemExit: not everything was done, or it was stopped.
    """
    from gongctl.cache.status import cache_status
    from gongctl.cli.progress import items_progress
    from gongctl.cli.sync_text import print_ran, tell
    from gongctl.sync.config import step_name
    from gongctl.sync.run import Work, run_work
    from gongctl.sync.steps import run_step

    def work(step: AnyStep) -> Work:
        return lambda session, progress: run_step(session, step, private, progress, again=setting.again)

    labelled = [(step_name(step).capitalize(), work(step)) for step in steps]
    ran = run_work(setting, labelled, items_progress, then=warming)
    status = cache_status(setting.db) if warming is None else warming.status(setting.db)
    if as_json:
        emit_json(_as_json(ran, status.db, status.freshness, status.next))
    else:
        print_ran(ran, setting.quota)
    tell(ran)
    if status.next and not ran.interrupted:
        note(f"Next: {status.next[0]}")
    if ran.interrupted:
        note("Interrupted. What was read is in the cache; run the same command again to go on.")
        raise SystemExit(int(Exit.INTERRUPTED))
    if not ran.ok:
        raise SystemExit(int(Exit.FAILED))


def _as_json(ran: Ran, db: str, freshness: str, following: list[str]) -> dict[str, Any]:
    return {
        "db": db,
        "ok": ran.ok,
        "interrupted": ran.interrupted,
        "steps": [step.as_json() for step in ran.steps],
        "restricted_calls_taken_out": ran.swept,
        "requests": sum(step.requests for step in ran.steps),
        "requests_today": ran.used.requests if ran.used else 0,
        "warm": None
        if ran.warm is None
        else {"finished": ran.warm.finished, "redone": ran.warm.redone, "removed": ran.warm.removed},
        "warm_refused": ran.warm_refused,
        "freshness": freshness,
        "next": following,
        "seconds": round(ran.seconds, 3),
    }


class Warming:
    """Warms at the end of a run, by the rules of the server's settings file and with the restricted list."""

    def __init__(self, read: RunConfig) -> None:
        from gongctl.cli.cache_cmd import model_policy

        config = Path(read.server_config) if read.server_config else None
        listed = Path(read.governance_config) if read.governance_config else None
        self._policy = model_policy(config, listed)

    def status(self, db: Path) -> CacheStatus:
        """Return the state of *db* by the same rules."""
        from gongctl.cache.status import cache_status

        return cache_status(db, rules=self._policy.settings.model_rules(), policy_files=self._policy.files)

    def __call__(self, writer: CacheWriter, ran: Ran) -> None:
        from gongctl.cache.warm import warm
        from gongctl.cli.cache_cmd import interruptible
        from gongctl.cli.operator_model import settle_operator_model
        from gongctl.cli.progress import items_progress
        from gongmcp.errors import StartupRefusal

        settings = self._policy.settings
        try:
            with interruptible() as stop, items_progress("Warming") as progress:
                ran.warm = warm(
                    writer,
                    progress=progress,
                    should_stop=stop,
                    rules=settings.model_rules(),
                    restricted=settings.restricted,
                )
                ran.interrupted = not ran.warm.finished
                if ran.warm.finished:
                    settle_operator_model(writer, settings.model_rules(), None, stop)
        except StartupRefusal as refusal:
            ran.warm_refused = f"{refusal.message} {refusal.hint}".strip()
