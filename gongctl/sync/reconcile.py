"""``--reconcile``: calls that Gong does not have any more are taken out of the cache.

A call that the listing did not show is asked for by its id first: a changed start moves a call out of a window.
What Gong does not know by its id either is gone: its rows go, and a tombstone says when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from gongctl.cache.removal import remove_calls
from gongctl.cache.tombstones import bury
from gongctl.cache.upsert import unpack
from gongctl.gong.endpoints import CALLS
from gongctl.gong.faults import GongFault
from gongctl.ingest.records import Record
from gongctl.sync.coverage import Span
from gongctl.sync.session import Cursors, Step

_BATCH: Final = 100
_FEW: Final = 10
_SHARE: Final = 0.05
"""Without --max-gone so many calls, or this share of those in the time, may go; more looks like a lost permission."""


async def take_out_gone(
    step: Step,
    span: Span,
    seen: set[str],
    workspace: str,
    max_gone: int | None,
    store: Callable[[Sequence[Record]], None],
) -> int:
    """Take out the calls of *span* that are neither in *seen* nor known to Gong by id; return how many.

    *store* stores what Gong delivers by id.

    Raises:
        GongFault: more calls are gone than may be; none was taken out.
    """
    writer = step.session.writer
    held = list(_held(step, span, workspace))
    missing = [call_id for call_id in held if call_id not in seen]
    gone: list[str] = []
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        found = await _known(step, batch, store)
        gone += [call_id for call_id in batch if call_id not in found]
    most = max(_FEW, int(len(held) * _SHARE)) if max_gone is None else max_gone
    if len(gone) > most:
        raise GongFault(
            f"{len(gone):,} of {len(held):,} calls of this time are not in Gong any more; none was taken out",
            f"If that is so: --max-gone {len(gone)}. A key that lost its permission looks the same.",
        )
    for start in range(0, len(gone), _BATCH):
        batch = gone[start : start + _BATCH]
        with writer.transaction() as generation:
            remove_calls(writer, generation, batch)
            bury(writer.connection, writer.secret, batch, "gone")
    return len(gone)


async def _known(step: Step, batch: Sequence[str], store: Callable[[Sequence[Record]], None]) -> set[str]:
    found: set[str] = set()
    cursors = Cursors(CALLS)
    body: dict[str, Any] = {"filter": {"callIds": list(batch)}}
    while True:
        answer = await step.ask(CALLS, body=body)
        records = step.records(CALLS, answer, 1)
        step.report.pages += 1
        store(records)
        found.update(record.record_id for record in records)
        cursor = cursors.after(answer)
        if not cursor:
            return found
        body["cursor"] = cursor


def _held(step: Step, span: Span, workspace: str) -> Iterator[str]:
    """Yield the stored calls that began in *span*."""
    connection = step.session.writer.connection
    last = ""
    while rows := connection.execute(
        "SELECT call_id, payload FROM raw_calls WHERE call_id > ? ORDER BY call_id LIMIT 500", (last,)
    ).fetchall():
        for call_id, payload in rows:
            meta = unpack(payload).get("metaData")
            if not isinstance(meta, dict):
                continue
            begun = _begun(meta)
            if begun is None or not span[0] <= begun < span[1]:
                continue
            if not workspace or str(meta.get("workspaceId")) == workspace:
                yield call_id
        last = rows[-1][0]


def _begun(meta: dict[str, Any]) -> float | None:
    for key in ("started", "scheduled"):
        text = meta.get(key)
        if isinstance(text, str) and text:
            try:
                moment = datetime.fromisoformat(text)
            except ValueError:
                continue
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None
