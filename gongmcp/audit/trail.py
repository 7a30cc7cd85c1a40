"""``AuditTrail``: writes what the door tells of each request into the audit log, before the answer leaves.

An answer that the log cannot tell of does not leave: its client gets ``audit_unavailable``. So the log may tell of
more than arrived (a client that was gone by then), never of less.
"""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from gongmcp.audit.digests import AuditDigests, canonical
from gongmcp.audit.line_file import LineFile, Unwritable
from gongmcp.audit.record import UNKNOWN, AuditRecord, ShownCall, encode, ranges, said
from gongmcp.catalog.prompts import find_prompt
from gongmcp.catalog.registry import canonical as own_name
from gongmcp.catalog.registry import catalog
from gongmcp.catalog.resources import find_resource
from gongmcp.errors import ToolFault

if TYPE_CHECKING:
    from gongmcp.audit.sealing import ArgumentSeal
    from gongmcp.protocol.observe import CallRecord, RefusedRequest

log = logging.getLogger("gongmcp")

TOGETHER_SECONDS: Final = 1.0
"""Refused requests of one second that are alike make one line, so that nobody fills the disk without a token."""

_ALIAS: Final = re.compile(r"call_[0-9a-f]{16}")


class AuditTrail:
    """An observer (``gongmcp.protocol.observe``) that keeps the log in *file*. Thread-safe.

    *seal* keeps the arguments of tool calls as well; None = they are not kept.
    """

    def __init__(self, file: LineFile, seal: ArgumentSeal | None = None) -> None:
        self._file = file
        self._seal = seal
        self._digests: AuditDigests | None = None
        self._failing = ""
        self._refused: Counter[tuple[str, str]] = Counter()
        self._first_refused = 0.0
        self._lock = threading.Lock()

    def know(self, secret: bytes) -> None:
        """Key the digests of requests that reach no read model with the *secret* of the cache that is served."""
        self._digests = AuditDigests(secret)

    def on_call(self, record: CallRecord) -> None:
        """Write the line of one request.

        Raises:
            ToolFault: ``audit_unavailable`` when it could not be written.
        """
        try:
            self._file.append(encode(self._line(record)))
        except Unwritable as problem:
            self._tell(str(problem))
            raise ToolFault("audit_unavailable", "This answer could not be recorded, so it is not given.") from None
        self._failing = ""

    def on_refused(self, refused: RefusedRequest) -> None:
        """Count a request that the HTTP door refused; what is alike is written together, a second later."""
        with self._lock:
            if not self._refused:
                self._first_refused = refused.at
                timer = threading.Timer(TOGETHER_SECONDS, self.flush)
                timer.daemon = True
                timer.start()
            self._refused[refused.reason, refused.token] += 1

    def flush(self) -> None:
        """Write the refused requests that wait."""
        with self._lock:
            waiting, self._refused = self._refused, Counter()
            at = self._first_refused
        for (reason, token), count in waiting.items():
            line = AuditRecord(time=_stamp(at), transport="http", token=token, outcome=reason, count=count)
            try:
                self._file.append(encode(line))
            except Unwritable as problem:
                self._tell(str(problem))

    def _line(self, record: CallRecord) -> AuditRecord:
        outcome, asker, policy = record.outcome, record.asker, record.policy
        model = outcome.model if outcome is not None else None
        digests = self._digests
        if model is not None:
            self._digests = digests = AuditDigests(model.secret)
        tool = own_word(record.method, record.name)
        arguments = canonical({"uri": record.name} if record.method == "resources/read" else record.arguments)
        digest = digests.arguments(arguments) if digests is not None else ""
        return AuditRecord(
            time=_stamp(record.at),
            transport=asker.transport,
            session=hashlib.blake2b(asker.client.key.encode(), digest_size=4, person=b"gongctl-audit-n").hexdigest(),
            token=asker.client.label,
            client=said(f"{asker.name} {asker.version}".strip()) or ("" if asker.transport == "stdio" else UNKNOWN),
            protocol=said(asker.protocol),
            method=record.method,
            tool=tool,
            arguments=digest,
            outcome=record.code,
            rows=outcome.rows if outcome is not None else len(record.values),
            bytes=outcome.bytes if outcome is not None else 0,
            withheld=outcome.ledger.by_rule() if outcome is not None else {},
            ms=round(record.milliseconds, 1),
            cancelled=record.cancelled,
            policy=policy.digest(),
            preset=policy.preset or "",
            cache=digests.cache if digests is not None else "",
            generation=model.generation if model is not None else 0,
            calls=tuple(_shown(record, digests)) if digests is not None else (),
            sealed=self._sealed(record.method, arguments, tool, digest),
        )

    def _sealed(self, method: str, arguments: bytes, tool: str, digest: str) -> str:
        if self._seal is None or method != "tools/call" or not tool:
            return ""
        return self._seal.seal(arguments, tool, digest)

    def _tell(self, problem: str) -> None:
        if problem != self._failing:  # once, not for each request that is refused meanwhile
            log.error("the audit log cannot be written: %s; nothing is answered until it can", problem)
        self._failing = problem


def _shown(record: CallRecord, digests: AuditDigests) -> Iterator[ShownCall]:
    for call_ref, shown in record.outcome.shown.items() if record.outcome is not None else ():
        yield ShownCall(call=digests.call(call_ref), segments=len(shown), at=ranges(shown))
    for value in record.values:
        if _ALIAS.fullmatch(value):  # a completion that gives aliases names calls as well
            yield ShownCall(call=digests.call(value))


def own_word(method: str, name: str) -> str:
    """Return the name as our own lists have it, '' for any other: it may hold anything."""
    if method == "tools/call":
        name = own_name(name)
        return name if name in catalog() else ""
    if (found := find_resource(name)) is not None:
        return found[0].uri
    prompt = find_prompt(name)
    return prompt.name if prompt is not None else ""


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
