"""What Gong's AI wrote about calls: brief, key points, outline. Its text is a summary, not what was said."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gongmcp.catalog.arguments import CallRef, Cursor, Limit
from gongmcp.catalog.calls import IncludeIds
from gongmcp.catalog.cohort_tools import PRESETS
from gongmcp.catalog.declaration import Arguments, CallScope, Level, Rows, tool
from gongmcp.catalog.limits import Cap
from gongmcp.exposure.fields import Field, Filters, opt_in, shown
from gongmcp.exposure.rows import Row
from gongmcp.exposure.text import MaskedText
from gongmcp.store.calls import find_call, masked
from gongmcp.store.highlights import highlights

MAX_CALLS = 25


class HighlightSearch(Arguments):
    """Arguments of ``list_call_highlights``."""

    call_refs: Annotated[
        list[Annotated[CallRef, Filters(Field.CALL_REF)]],
        msgspec.Meta(min_length=1, max_length=MAX_CALLS, description="call_ref of other answers, at most 25."),
    ]
    kind: Literal["brief", "key_point", "outline", "highlight", "outcome"] | None = None
    include_call_ids: IncludeIds = False
    limit: Limit = None
    cursor: Cursor = None


class HighlightRow(Row):
    """One text that the AI wrote about a call; evidence_class is none for a call of which no text is cached."""

    call_ref: Annotated[str, shown(Field.CALL_REF)]
    call_id: Annotated[str, opt_in(Field.CALL_ID, "include_call_ids")]
    call_date: Annotated[str, shown(Field.TIME)]
    evidence_class: Annotated[str, shown(Field.STATUS)]
    kind: Annotated[str | None, shown(Field.CATEGORY)]
    heading: Annotated[str | None, shown(Field.AI_TEXT)]
    text: Annotated[MaskedText | None, shown(Field.AI_TEXT)]


class HighlightNotes(Row):
    """Which calls are not visible here, and what the texts are not."""

    call_refs_not_found: Annotated[list[str] | None, shown(Field.ECHO)]
    limitations: Annotated[list[str], shown(Field.STATUS)]


@tool(
    "list_call_highlights",
    title="AI highlights",
    description="List what Gong's AI wrote about calls: brief, key points, outline, highlights, outcome. It is a "
    "machine's summary (evidence_class ai_text), no quotation; quote with build_quote_pack or get_call_drilldown.",
    arguments=HighlightSearch,
    row=HighlightRow,
    notes=HighlightNotes,
    level=Level.IDENTIFIED,
    cap=Cap.BUSINESS_ANALYSIS_ROWS,
    cursor=True,
    presets=PRESETS,
    aliases=("list_call_ai_highlights",),
    examples=({"call_refs": ["call_3026b7eea13cc036", "call_0000000000000000"]},),
)
def list_call_highlights(args: HighlightSearch, scope: CallScope) -> Rows[HighlightRow]:
    """Read the cached texts of the calls."""
    asked = list(dict.fromkeys(args.call_refs))
    numbers = {
        ref: int(call["call_no"])
        for ref in asked
        if (call := find_call(scope.store, ref, by_id=False)) is not None and scope.may_quote(call["language"])
    }
    after = (int(scope.after[0]), int(scope.after[1])) if scope.after else None
    fetch = scope.limit + 1 if scope.limit else 0
    found = highlights(scope.store, list(numbers.values()), fetch, after, args.kind)
    page = found[: scope.limit] if scope.limit else found
    rows = [
        HighlightRow(
            call_ref=row["call_ref"],
            call_id=row["call_id"],
            call_date=row["call_date"],
            evidence_class="ai_text" if row["kind"] is not None else "none",
            kind=row["kind"],
            heading=row["heading"] or None,
            text=masked(row, "text") if row["kind"] is not None else None,
        )
        for row in page
    ]
    notes = HighlightNotes(
        call_refs_not_found=[ref for ref in asked if ref not in numbers] or None,
        limitations=["ai_text: written by a machine about the call; it may be wrong and is no quotation."],
    )
    keys = [(row["call_no"], row["position"]) for row in page]
    return Rows(rows, len(found) > len(page), keys, notes)
