"""Approving tools: run their samples, take down what they are and what the data is like, write the lock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from gongctl.approval.sample_sets import PINNED, SampleCalls, Sampled, arguments_for, find_calls
from gongctl.approval.samples import sample_of
from gongmcp.approval.digests import (
    digest,
    instructions_digest,
    policy_parts,
    prompt_digests,
    resource_digests,
    tool_digest,
)
from gongmcp.approval.enforce import UnderLock, locked_settings
from gongmcp.approval.gate import Gate
from gongmcp.approval.lock import LOCK_VERSION, ApprovedPolicy, ApprovedTool, Lock, Sample, lock_text
from gongmcp.approval.shape import Shape, appeared, read_shape
from gongmcp.catalog.registry import catalog
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.kinds import MASKING_VERSION
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.preview.gates import CHANNELS, RESIDUAL, SCHEMA, WIRE, WITHHELD
from gongmcp.preview.make import preview
from gongmcp.preview.model import Preview
from gongmcp.refusals import refused
from gongmcp.settings import ServerSettings
from gongmcp.store.connection import ReadStore, StorePool

LEAKS: Final = frozenset({SCHEMA, CHANNELS, RESIDUAL, WITHHELD, WIRE})
"""Gates that nobody can approve past: something would leave that should not, or was not what was shown."""

Looked = tuple[Sample, tuple[str, ...]]
"""A sample that was run, and the gates that were closed, in words."""

Ran = Callable[[str, Sampled], Looked | None]
"""Gives back what was looked at of a tool's sample; None = it must be run."""

POLICY_CHANGED: Final = "the policy is another one"
DATA_CHANGED: Final = "the data has something new"
DROPPED: Final = "dropped"


@dataclass(frozen=True, slots=True)
class Renewal:
    """A new lock, and how it came about.

    Attributes:
        lock: what is approved now.
        run: tools whose samples were run.
        unchanged: tools that were approved again without a run: no digest says that anything differs.
        kept: tools of the lock before that this approval did not name.
        lapsed: tools of the lock before that are no longer approved, each with the reason.
        closed: gates that were closed, by tool, in words.
    """

    lock: Lock
    run: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    lapsed: Mapping[str, str] = field(default_factory=dict)
    closed: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Data:
    """What the data of a cache is like: its *shape*, a digest of the state of the read model, the *calls* of the
    sample sets."""

    shape: Shape
    corpus: str
    calls: SampleCalls


def approve(
    settings: ServerSettings,
    db: Path,
    names: Sequence[str],
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    by: str,
    at: str,
) -> Lock:
    """Return the lock of the tools *names* under *settings* over the cache *db*, as if there was none before.

    *samples* gives a tool's sets of arguments in place of its sample sets.

    Raises:
        StartupRefusal: as ``renew``.
    """
    return renew(settings, db, names, given(samples), by=by, at=at).lock


def given(samples: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Sampled]]:
    """Return arguments that somebody chose, by tool, as samples."""
    return {name: [Sampled(PINNED, dict(item)) for item in items] for name, items in samples.items()}


def renew(
    settings: ServerSettings,
    db: Path,
    names: Collection[str],
    asked: Mapping[str, Sequence[Sampled]],
    *,
    by: str,
    at: str,
    before: Lock | None = None,
    exempt: Collection[str] = (),
    drop: Collection[str] = (),
    pinned: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ran: Ran | None = None,
) -> Renewal:
    """Approve the tools *names*, and *exempt* without a sample, beside those that the lock *before* holds.

    *asked* gives a tool's samples in place of its sample sets, *pinned* calls that are added to them; *ran* gives back
    samples that were just run on the same data under the same policy. The other tools
    of *before* stay approved unless they are in *drop*, the policy is another one, or something has appeared in the
    data. A tool is not run again where its definition, the policy, the state of the data and its samples are those
    that the lock holds.

    Raises:
        StartupRefusal: the cache cannot be served under the settings; a sample was not answered; or (exit 6)
            something leaves that should not.
    """
    settings = replace(settings, lock=None)
    if before is not None:
        settings = locked_settings(settings, before)
    every = build_handler(replace(settings, policy=replace(settings.policy, tools=None)), db)
    if not every.has_model():
        raise refused("cache_not_warmed")
    data = data_of(db)
    parts = policy_parts(settings)
    chosen = frozenset(names) | frozenset(exempt)
    why = "" if before is None else _why_lapsed(before, settings, parts, data.shape)
    held = {} if before is None else before.tools
    lapsed = {name: DROPPED if name in drop else why for name in held if name in drop or (why and name not in chosen)}
    kept = {name: tool for name, tool in held.items() if name not in chosen and name not in lapsed}
    # What was reviewed once stays reviewed, also where the data no longer has it.
    shape = data.shape if before is None or why else before.shape
    tools = frozenset(kept) | chosen
    handler = reviewed_handler(every, replace(settings.policy, tools=tools & catalog().keys()), shape)
    approved: dict[str, ApprovedTool] = {}
    run: list[str] = []
    unchanged: list[str] = []
    closed: dict[str, list[str]] = {}
    for info in handler.tools():
        name = info.name
        if name in kept:
            approved[name] = kept[name]
            continue
        now = tool_digest(info)
        if name in exempt or catalog()[name].facade:  # what a facade hands on is approved with the tool that answers
            approved[name] = ApprovedTool(now, [], exempt=True, approved_by=by, approved_at=at)
            continue
        wanted = asked.get(name) or arguments_for(every, name, data.calls, (pinned or {}).get(name, ()))
        sampled = [item for item in wanted if item.arguments is not None]
        old = held.get(name) if before is not None and not why and before.corpus == data.corpus else None
        if old is not None and not old.exempt and old.digest == now and _same_samples(old, sampled):
            unchanged.append(name)
            approved[name] = ApprovedTool(now, old.samples, approved_by=by, approved_at=at)
            continue
        run.append(name)
        samples, faults = _run(handler, name, sampled, settings, ran)
        if faults:
            closed[name] = faults
        approved[name] = ApprovedTool(now, samples, approved_by=by, approved_at=at)
    _refuse_leaks(closed)
    approved |= {name: tool for name, tool in kept.items() if name not in approved}
    lock = Lock(
        lock_version=LOCK_VERSION,
        approved_at=at,
        approved_by=by,
        preset=settings.policy.preset,
        masking_version=MASKING_VERSION,
        policy=parts,
        instructions=instructions_digest(handler),
        prompts=prompt_digests(handler),
        resources=resource_digests(handler),
        tools=approved,
        shape=shape,
        corpus=data.corpus,
    )
    return Renewal(lock, tuple(run), tuple(unchanged), tuple(kept), lapsed, closed)


def _why_lapsed(before: Lock, settings: ServerSettings, parts: ApprovedPolicy, shape: Shape) -> str:
    if before.preset != settings.policy.preset or before.policy != parts or before.masking_version != MASKING_VERSION:
        return POLICY_CHANGED
    return DATA_CHANGED if any(True for _ in appeared(before.shape, shape)) else ""


def _same_samples(old: ApprovedTool, sampled: Sequence[Sampled]) -> bool:
    return [(item.set_name, item.arguments) for item in old.samples] == [
        (item.set_name, item.arguments) for item in sampled
    ]


def _run(
    handler: ToolHandler, name: str, sampled: Sequence[Sampled], settings: ServerSettings, ran: Ran | None
) -> tuple[list[Sample], list[str]]:
    samples: list[Sample] = []
    faults: dict[str, None] = {}
    for item in sampled:
        known = ran(name, item) if ran is not None else None
        sample, closed = known or taken_down(preview(handler, name, item.arguments or {}, settings), item.set_name)
        samples.append(sample)
        faults |= dict.fromkeys(closed)
    return samples, list(faults)


def taken_down(made: Preview, set_name: str) -> Looked:
    """Return what a lock holds of a preview, and the gates that are closed in words.

    Raises:
        StartupRefusal: (exit 1) it could not be answered, so that nothing was looked at.
    """
    closed = tuple(f"{gate.name}: {gate.detail}" for gate in made.gates if not gate.passed)
    return sample_of(made.tool, made.arguments, made.outcome, set_name), closed


def _refuse_leaks(closed: Mapping[str, Sequence[str]]) -> None:
    leaks = [f"{name}: {fault}" for name, faults in closed.items() for fault in faults if _gate_of(fault) in LEAKS]
    if leaks:
        more = f" (and {len(leaks) - 1} more)" if len(leaks) > 1 else ""
        hint = "Nothing was written. Look at it: gongctl review."
        raise StartupRefusal(f"A gate is closed for {leaks[0].rstrip('.')}{more}.", hint, Exit.LEAK)


def _gate_of(fault: str) -> str:
    return fault.partition(":")[0]


def data_of(db: Path) -> Data:
    """Return what the data of the cache *db* is like."""
    pool = StorePool(db)
    try:
        with pool.store_scope() as store:
            return Data(read_shape(store), corpus_digest(store), find_calls(store))
    finally:
        pool.close()


def corpus_digest(store: ReadStore) -> str:
    """Return the digest of the state of the read model: another one wherever it may hold something else."""
    model = store.one("SELECT digest, generation, as_of FROM read_model WHERE id = 1")
    secret = store.one("SELECT value FROM meta WHERE key = 'secret'")
    return digest([*(model or ()), *(secret or ())])


def data_shape(db: Path) -> Shape:
    """Return the shape of the data that the cache *db* serves."""
    return data_of(db).shape


def reviewed_handler(handler: ToolHandler, policy: Policy, shape: Shape) -> ToolHandler:
    """Return a handler over the same cache that serves the tools of *policy* as a server under a lock would."""
    offering = ToolHandler(policy, None)
    return handler.with_lock(
        UnderLock(
            policy=policy,
            gate=Gate(shape),
            prompts=frozenset(prompt_digests(offering)),
            resources=frozenset(resource_digests(offering)),
            says_instructions=True,
        )
    )


def write_lock(path: Path, lock: Lock) -> None:
    """Write the lock to *path* as a whole or not at all.

    Raises:
        StartupRefusal: it cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            raise StartupRefusal(f"{path.name} is no regular file.", "Name another one: --lock FILE.", Exit.USAGE)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(lock_text(lock))
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)  # noqa: PTH101 - made private by mkstemp, and meant to be committed
            os.replace(name, path)  # noqa: PTH105
        except BaseException:
            with suppress(OSError):
                os.unlink(name)  # noqa: PTH108
            raise
    except OSError as error:
        hint = "Name a file in a folder that you may write."
        raise StartupRefusal(f"The lock {path.name} cannot be written: {error.strerror}.", hint, Exit.FAILED) from None
