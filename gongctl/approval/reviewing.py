"""``CacheReviewing``: what the TUI and ``gongctl review`` can do about approval, on one cache."""

from __future__ import annotations

import difflib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gongctl.approval.approve import (
    Data,
    Looked,
    Renewal,
    corpus_digest,
    data_of,
    renew,
    reviewed_handler,
    taken_down,
    write_lock,
)
from gongctl.approval.coverage import cache_view
from gongctl.approval.draft import Decision, Draft, decided, drift_of, signed, standing_of, who
from gongctl.approval.exports import TARGETS, export, record_name
from gongctl.approval.record import review_record
from gongctl.approval.reveal import withheld_value
from gongctl.approval.risk import risk
from gongctl.approval.running import run_sampled, worst_first
from gongctl.approval.sample_sets import PINNED, Sampled, arguments_for
from gongctl.approval.state import ReviewState
from gongctl.cache.clock import utc_now
from gongctl.cache.operator_model import operator_path
from gongctl.cli.output_file import write_whole
from gongctl.governance.ungoverned import ungoverned_handler
from gongmcp.approval.digests import policy_parts, tool_digest
from gongmcp.approval.drift import data_drift, model_drift, policy_drift
from gongmcp.approval.lock import DEFAULT_NAME, Lock, lock_text, read_lock
from gongmcp.catalog.presets import find_preset, under_preset
from gongmcp.catalog.registry import catalog
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.handler import Outcome, ToolHandler, build_handler
from gongmcp.preview.model import Preview
from gongmcp.refusals import refused
from gongmcp.render.surface import definition_tokens
from gongmcp.settings import ServerSettings
from gongmcp.store.connection import StorePool
from tui.reviewing import (
    CacheView,
    ExportTarget,
    HistoryItem,
    LockChange,
    QueueItem,
    RevealedValue,
    SampleRun,
    Standing,
)

_NOT_ANSWERED: Final = frozenset({"unavailable", "internal_error"})
_DECIDED: Final = (Standing.APPROVED, Standing.EXEMPT)


class CacheReviewing:
    """The TUI's ``Reviewing`` over the cache at *db*, served under *settings*.

    *state* keeps history and pins; *config* is the settings file that the settings came from, for what is exported.
    In *restricted* mode nothing is revealed. The queue begins with the tool *first*, if one is named. Thread-safe.
    """

    def __init__(
        self,
        db: Path,
        settings: ServerSettings,
        state: ReviewState,
        *,
        config: Path | None = None,
        restricted: bool = False,
        first: str = "",
    ) -> None:
        self._first = first
        self._db = db
        self._settings = settings
        self._state = state
        self._config = config
        self._restricted = restricted
        self._path = settings.lock or Path(DEFAULT_NAME)
        self._preset = settings.policy.preset or ""
        self._draft = Draft()
        self._data: Data | None = None
        self._worst: dict[tuple[str, str], int] = {}
        self._sets: dict[str, list[Sampled]] = {}
        self._ran: dict[str, Looked] = {}
        self._change: tuple[object, Renewal] | None = None
        self._at_work = threading.RLock()

    @property
    def lock_path(self) -> Path:
        """The file of what is approved."""
        return self._path

    def queue(self, preset: str) -> Sequence[QueueItem]:
        """Return the tools of *preset*, riskiest exposure first; '' = those of the settings.

        Raises:
            StartupRefusal: cache, lock or preset cannot be used.
        """
        with self._at_work:
            self._preset = preset
            settings = self._under(preset)
            handler = build_handler(settings, self._db)
            lock = self._lock()
            shared = [] if lock is None else self._shared_drift(lock, settings, handler)
            drafted = self._draft.of()
            items = []
            for info in handler.tools():
                score, reasons = risk(catalog()[info.name], settings.policy, self._worst.get((preset, info.name), 0))
                approved = None if lock is None else lock.tools.get(info.name)
                drift = () if approved is None else tuple(drift_of(approved, tool_digest(info), shared))
                standing = standing_of(approved, drift, drafted.get(info.name))
                if info.name in drafted:
                    drift = ()
                items.append(QueueItem(info.name, standing, score, reasons, definition_tokens(info), drift))
            return sorted(items, key=lambda item: (item.tool != self._first, -item.risk, item.tool))

    def samples(
        self, preset: str, tool: str, progress: Callable[[int, int], None], should_stop: Callable[[], bool]
    ) -> Sequence[SampleRun]:
        """Run the sample sets of *tool* under *preset*, worst case first; see ``tui.reviewing.Reviewing``.

        Raises:
            StartupRefusal: the cache cannot be served under these settings.
        """
        settings = self._under(preset)
        every, handler = self._handlers(settings)
        asked = list(arguments_for(every, tool, self._known().calls, self._state.pins().get(tool, ())))
        runs: list[SampleRun] = []
        for number, item in enumerate(asked):
            progress(number, len(asked))
            if should_stop():
                break
            runs.append(run_sampled(handler, tool, item, settings, should_stop))
        else:
            progress(len(asked), len(asked))
        made = [run.preview for run in runs if run.preview is not None]
        with self._at_work:
            self._worst[preset, tool] = max((len(item.wire) for item in made), default=0)
            self._sets[tool] = [item for item in asked if item.arguments is not None]
            for run in runs:
                self._take_down(preset, run)
        return sorted(runs, key=worst_first)

    def decide(self, tool: str, standing: Standing, samples: Sequence[Mapping[str, Any]]) -> None:
        """Take a decision into the draft of this review; nothing is written.

        Raises:
            StartupRefusal: it is no decision.
        """
        if standing not in (*_DECIDED, Standing.DROPPED):
            raise StartupRefusal("A tool can be approved, exempted or dropped.", "", Exit.USAGE)
        with self._at_work:
            self._draft.decisions.append(Decision(tool, standing, tuple(dict(item) for item in samples)))

    def undo(self) -> str:
        """Take back the last decision and return its tool; '' when there is none."""
        with self._at_work:
            return self._draft.decisions.pop().tool if self._draft.decisions else ""

    def change(self) -> LockChange:
        """Return what writing the lock would change.

        Raises:
            StartupRefusal: nothing is decided, or what was decided cannot be approved.
        """
        with self._at_work:
            before = self._lock()
            lock = self._renewed().lock
            old = "" if before is None else lock_text(before)
            name = self._path.name
            lines = difflib.unified_diff(old.splitlines(), lock_text(lock).splitlines(), name, name, lineterm="")
            had = set() if before is None else before.tools.keys()
            return LockChange(
                path=str(self._path),
                diff="\n".join(lines),
                added=tuple(sorted(lock.tools.keys() - had)),
                removed=tuple(sorted(had - lock.tools.keys())),
            )

    def write(self, by: str) -> str:
        """Write lock and review record, and return one sentence on what was written.

        Raises:
            StartupRefusal: as ``change``, or a file cannot be written.
        """
        with self._at_work:
            done = self._renewed()
            lock = signed(done, by.strip() or who(), utc_now())
            write_lock(self._path, lock)
            record = self._path.with_name(record_name(self._path))
            write_whole(record, review_record(lock, done.closed).encode())
            for tool, decision in self._draft.of().items():
                self._state.remember(decided(tool, decision, self._preset, lock))
            self._draft = Draft()
            self._change = None
            return f"{len(lock.tools)} tools are approved in {self._path}; the record is {record.name}."

    def approved_run(self, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return what the lock holds of the approved run of these arguments; see ``tui.reviewing.Reviewing``."""
        lock = self._lock()
        approved = None if lock is None else lock.tools.get(tool)
        for sample in () if approved is None else approved.samples:
            if sample.arguments == dict(arguments):
                return {
                    "set": sample.set_name,
                    "status": sample.status,
                    "shown": sample.shown,
                    "withheld": sample.withheld,
                }
        return None

    def reveal(self, preview: Preview, span: int) -> RevealedValue | None:
        """Return the value behind a span for one look, after the line of it is written.

        Raises:
            StartupRefusal: revealing is off, the line cannot be written, or the cache cannot be read.
        """
        self._refuse_reveal()
        wanted = preview.spans[span]
        settings = self._as_previewed(preview)
        _, handler = self._handlers(settings)
        value = withheld_value(handler, self._known().shape, self._db, preview, span)
        if value is None:
            return None
        place = "/" + "/".join(map(str, wanted.place))
        self._state.revealed(
            {"at": utc_now(), "by": who(), "tool": preview.tool, "place": place, "kind": wanted.kind}
            | {"rule": wanted.rule, "digest": preview.digest}
        )
        return RevealedValue(value, wanted.kind)

    def ungoverned(self, tool: str, arguments: Mapping[str, Any]) -> Outcome | None:
        """Run the same call over the operator's model; None when there is none, or in restricted mode.

        Raises:
            StartupRefusal: the model is none of these settings.
        """
        path = operator_path(self._db)
        if self._restricted or not path.exists():
            return None
        settings = self._under(self._preset)
        handler = ungoverned_handler(path, settings, settings.policy)
        return handler.call(tool, arguments) if handler.has_model() else None

    def cache(self) -> CacheView:
        """Return coverage and state of the cache.

        Raises:
            StartupRefusal: the cache cannot be read.
        """
        files = {"--config": self._config, "--ai-governance-config": self._settings.restricted_path}
        return cache_view(self._db, self._settings.model_rules(), files)

    def history(self, limit: int) -> Sequence[HistoryItem]:
        """Return the newest runs and decisions of this operator, newest first."""
        return self._state.history(limit)

    def remember(self, item: HistoryItem) -> None:
        """Keep one run in the history.

        Raises:
            StartupRefusal: it cannot be written.
        """
        with self._at_work:
            self._state.remember(item)

    def pin(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Add these arguments to the pinned samples of *tool*.

        Raises:
            StartupRefusal: too many are pinned, or they cannot be written.
        """
        with self._at_work:
            self._state.pin(tool, arguments)

    def exports(self) -> Sequence[ExportTarget]:
        """Return what can be exported."""
        return TARGETS

    def export(self, target: str) -> tuple[str, str]:
        """Return (suggested file name, content) of an export.

        Raises:
            StartupRefusal: there is no such target, or nothing to export.
        """
        line = ["gongmcp", "--db", str(self._db.resolve())]
        if self._config is not None:
            line += ["--config", str(self._config.resolve())]
        lock = self._lock()
        if lock is not None:
            line += ["--lock", str(self._path.resolve())]
        elif self._preset:
            line += ["--tool-preset", self._preset]
        return export(target, self._under(self._preset), lock, self._path.resolve(), line)

    # --- what it is made of ------------------------------------------------------------------------

    def _under(self, preset: str) -> ServerSettings:
        """Return the settings with *preset* in place of their choice of tools, and without a lock."""
        settings = replace(self._settings, lock=None)
        if not preset or preset == settings.policy.preset:
            return settings
        return replace(settings, policy=under_preset(settings.policy, find_preset(preset)))

    def _as_previewed(self, preview: Preview) -> ServerSettings:
        given = {item.name: item.value for item in preview.settings}
        preset = given.get("tools.preset", "none")
        settings = self._under("" if preset == "none" else preset)
        provenance = type(settings.policy.provenance)(given["provenance.mode"])
        return replace(settings, policy=replace(settings.policy, provenance=provenance))

    def _handlers(self, settings: ServerSettings) -> tuple[ToolHandler, ToolHandler]:
        """Return the handler of every tool, and the one that serves what a server under the new lock would."""
        every = build_handler(replace(settings, policy=replace(settings.policy, tools=None)), self._db)
        if not every.has_model():
            raise refused("cache_not_warmed")
        return every, reviewed_handler(every, settings.policy, self._known().shape)

    def _known(self) -> Data:
        """Return what the data is like; it costs a walk, so it is kept while the read model stays as it is."""
        with self._at_work:
            if self._data is None or self._data.corpus != corpus_of(self._db):
                self._data = data_of(self._db)
            return self._data

    def _lock(self) -> Lock | None:
        return read_lock(self._path) if self._path.is_file() else None

    def _shared_drift(self, lock: Lock, settings: ServerSettings, handler: ToolHandler) -> list[str]:
        """Return what differs from *lock* for each of its tools alike."""
        now = policy_parts(settings)
        found = [*model_drift(lock, now), *policy_drift(lock.policy, now)]
        if handler.has_model():
            found += data_drift(lock.shape, self._known().shape)
        return [one.sentence() for one in found]

    def _renewed(self) -> Renewal:
        """Return the lock that the draft makes, kept until draft, data or the lock before change."""
        drafted = self._draft.of()
        if not drafted:
            raise StartupRefusal("Nothing has been decided yet.", "Approve, exempt or drop a tool.", Exit.USAGE)
        before = self._lock()
        key = (tuple(self._draft.decisions), self._preset, self._known().corpus, before)
        if self._change is None or self._change[0] != key:
            named = {name for name, decision in drafted.items() if decision.standing is Standing.APPROVED}
            asked = {name: self._asked(drafted[name]) for name in named if drafted[name].samples}
            renewed = renew(
                self._under(self._preset),
                self._db,
                named,
                asked,
                by=who(),
                at=utc_now(),
                before=before,
                exempt={name for name, decision in drafted.items() if decision.standing is Standing.EXEMPT},
                drop={name for name, decision in drafted.items() if decision.standing is Standing.DROPPED},
                pinned=self._state.pins(),
                ran=self._looked_at,
            )
            self._change = (key, renewed)
        if not self._change[1].lock.tools:
            raise StartupRefusal(
                "The lock would hold no tool, and no server starts with such a lock.",
                "Approve or exempt one; to serve nothing, stop the server.",
                Exit.USAGE,
            )
        return self._change[1]

    def _take_down(self, preset: str, run: SampleRun) -> None:
        """Keep what a lock would hold of a run, so that approving does not run it again."""
        made = run.preview
        if made is not None and made.outcome.code not in _NOT_ANSWERED:
            self._ran[self._run_key(preset, made.tool, run.set_name, made.arguments)] = taken_down(made, run.set_name)

    def _looked_at(self, tool: str, item: Sampled) -> Looked | None:
        return self._ran.get(self._run_key(self._preset, tool, item.set_name, item.arguments or {}))

    def _run_key(self, preset: str, tool: str, set_name: str, arguments: Mapping[str, Any]) -> str:
        return json.dumps([self._known().corpus, preset, tool, set_name, dict(arguments)], sort_keys=True)

    def _asked(self, decision: Decision) -> list[Sampled]:
        """Return the samples of a decision with the sets that they were run for."""
        known = list(self._sets.get(decision.tool, ()))
        asked: list[Sampled] = []
        for arguments in decision.samples:
            same = next((item for item in known if item.arguments == arguments), None)
            if same is not None:
                known.remove(same)
            asked.append(same or Sampled(PINNED, dict(arguments)))
        return asked

    def _refuse_reveal(self) -> None:
        if self._restricted:
            raise StartupRefusal("Restricted mode: nothing is revealed.", "", Exit.REFUSED)
        file = self._settings.file
        if file is not None and file.reveal == "never":
            hint = "The operator of this machine set it so."
            raise StartupRefusal(f"Revealing is off ({file.place('review.reveal')}).", hint, Exit.REFUSED)


def corpus_of(db: Path) -> str:
    """Return the digest of the state of the read model, without a walk over it."""
    pool = StorePool(db)
    try:
        with pool.store_scope() as store:
            return corpus_digest(store)
    finally:
        pool.close()
