"""The lock file: its model, reading it with a sentence for whatever is wrong, and its text.

It is JSON with sorted keys, made to be committed and reviewed as a difference. It holds names, digests and the
arguments of samples, never a value of an answer.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from gongmcp.approval.shape import Shape
from gongmcp.exposure.fields import SWITCHES
from gongmcp.exposure.policy import MAX_RESPONSE_BYTES, MIN_RESPONSE_BYTES
from gongmcp.refusals import refused
from gongmcp.render.visible import escaped

LOCK_VERSION: Final = 1
DEFAULT_NAME: Final = "gongmcp.lock.json"
MAX_LOCK_BYTES: Final = 16 * 1024 * 1024

Digest = Annotated[str, msgspec.Meta(pattern="^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Version = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One call that was looked at.

    Attributes:
        set_name: why this one: the sample set that it belongs to (``set`` in the file).
        arguments: what it was called with.
        digest: of the three below.
        status: of the answer, or the code of its error.
        shown: paths of the answer's members; an item of a list is ``[]``.
        withheld: what the ledger names: ``action kind rule``.
    """

    arguments: dict[str, Any]
    digest: Digest
    status: str
    shown: list[str]
    withheld: list[str]
    set_name: str = msgspec.field(default="example", name="set")


class ApprovedTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool as it was approved.

    Attributes:
        digest: of its entry in ``tools/list``.
        samples: the calls that were looked at.
        exempt: approved by its definition and the policy alone, no call was looked at.
        approved_by, approved_at: who approved this tool and when (UTC); '' = as the lock says.
    """

    digest: Digest
    samples: list[Sample]
    exempt: bool = False
    approved_by: str = ""
    approved_at: str = ""


class ApprovedPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What decides what an answer holds, in readable parts.

    *rules* is the digest of what decides the read model apart from the restricted list (scope, CRM names, masking);
    *governed* tells whether there was such a list.
    """

    provenance: Literal["redacted", "alias", "raw"]
    switches: list[str]
    ceilings: dict[str, Count]
    max_response_bytes: Annotated[int, msgspec.Meta(ge=MIN_RESPONSE_BYTES, le=MAX_RESPONSE_BYTES)]
    min_cell: Count
    mask_participants: bool
    evidence: dict[Literal["per_answer", "segments", "percent"], Count]
    governed: bool
    rules: str


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was approved, by whom and when (UTC).

    Attributes:
        preset: the preset whose switches belong to the policy, None without one.
        instructions: digest of the server's instructions with their figures and dates left out.
        prompts, resources: digests by name, or by address or template of address.
        shape: the shape of the data.
        corpus: digest of the state of the read model that the samples were run on; None = not known.
    """

    lock_version: Version
    approved_at: str
    approved_by: str
    preset: str | None
    masking_version: Version
    policy: ApprovedPolicy
    instructions: Digest
    prompts: dict[str, Digest]
    resources: dict[str, Digest]
    tools: dict[str, ApprovedTool]
    shape: Shape
    corpus: Digest | None = None


class _Version(msgspec.Struct):
    lock_version: Version


def read_lock(path: Path) -> Lock:
    """Read and check the lock at *path*.

    Raises:
        StartupRefusal: (exit 2) it cannot be read, is no lock, or one of another version.
    """
    data = _bytes(path)
    try:
        version = msgspec.json.decode(data, type=_Version).lock_version
        if version != LOCK_VERSION:
            raise refused("lock_version", file=path.name, found=version, known=LOCK_VERSION)
        lock = msgspec.json.decode(data, type=Lock)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise refused("lock_invalid", file=path.name, reason=_said(str(error))) from None
    except RecursionError:
        raise refused("lock_invalid", file=path.name, reason="it is nested too deeply") from None
    if unknown := set(lock.policy.switches) - SWITCHES.keys():
        reason = f"it names {len(unknown)} policy switches that do not exist"
        raise refused("lock_invalid", file=path.name, reason=reason)
    return lock


def _bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise refused("lock_unreadable", file=path.name, reason="it is no regular file")
        with path.open("rb") as file:
            data = file.read(MAX_LOCK_BYTES + 1)
    except OSError as error:
        raise refused("lock_unreadable", file=path.name, reason=(error.strerror or "").lower()) from None
    except ValueError:  # a NUL in the name
        raise refused("lock_unreadable", file="The lock", reason="its name is no path") from None
    if len(data) > MAX_LOCK_BYTES:
        raise refused("lock_unreadable", file=path.name, reason=f"it is larger than {MAX_LOCK_BYTES} bytes")
    return data


def _said(text: str) -> str:
    """Return what the parser says, which may quote the file, in printable ASCII."""
    shown = re.sub(r"[^ -~]", "?", text).rstrip(".")[:160]
    return shown[:1].lower() + shown[1:]


def lock_text(lock: Lock) -> str:
    """Return the text of the file: sorted keys, one value a line, a newline at the end."""
    return escaped(json.dumps(msgspec.to_builtins(lock), ensure_ascii=False, indent=2, sort_keys=True)) + "\n"
