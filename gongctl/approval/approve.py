"""Approving tools: run their samples, take down what they are and what the data is like, write the lock."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from gongctl.approval.samples import own_samples, run_sample
from gongmcp.approval.digests import (
    instructions_digest,
    policy_parts,
    prompt_digests,
    resource_digests,
    tool_digest,
)
from gongmcp.approval.enforce import UnderLock
from gongmcp.approval.gate import Gate
from gongmcp.approval.lock import LOCK_VERSION, ApprovedTool, Lock, lock_text
from gongmcp.approval.shape import Shape, read_shape
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.kinds import MASKING_VERSION
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.refusals import refused
from gongmcp.settings import ServerSettings
from gongmcp.store.connection import StorePool


def approve(
    settings: ServerSettings,
    db: Path,
    names: Sequence[str],
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    by: str,
    at: str,
) -> Lock:
    """Return the lock of the tools *names* under *settings* over the cache *db*.

    *samples* gives a tool's sets of arguments in place of its own ones.

    Raises:
        StartupRefusal: the cache cannot be served under the settings, or a sample was not answered.
    """
    settings = replace(settings, lock=None)
    every = build_handler(replace(settings, policy=replace(settings.policy, tools=None)), db)
    if not every.has_model():
        raise refused("cache_not_warmed")
    approved = replace(settings.policy, tools=frozenset(names))
    shape = data_shape(db)
    handler = reviewed_handler(every, approved, shape)
    return Lock(
        lock_version=LOCK_VERSION,
        approved_at=at,
        approved_by=by,
        preset=settings.policy.preset,
        masking_version=MASKING_VERSION,
        policy=policy_parts(settings),
        instructions=instructions_digest(handler),
        prompts=prompt_digests(handler),
        resources=resource_digests(handler),
        tools={
            tool.name: ApprovedTool(
                tool_digest(tool),
                [
                    run_sample(handler, tool.name, arguments)
                    for arguments in samples.get(tool.name) or own_samples(every, tool.name)
                ],
            )
            for tool in handler.tools()
        },
        shape=shape,
    )


def data_shape(db: Path) -> Shape:
    """Return the shape of the data that the cache *db* serves."""
    pool = StorePool(db)
    try:
        with pool.store_scope() as store:
            return read_shape(store)
    finally:
        pool.close()


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
