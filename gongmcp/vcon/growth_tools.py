"""``get_monthly_growth_analytics``: what came in when, rates and projections."""

from __future__ import annotations

from typing import Annotated, Any, Final

from gongmcp.exposure.fields import Field, exact
from gongmcp.exposure.rows import Row
from gongmcp.store import vcon_health as health
from gongmcp.store import vcon_shape
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.moments import timestamp
from gongmcp.vcon.parameters import choice, switch
from gongmcp.vcon.periods import MONTHS_BACK, periods
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Bytes, Count, Sum, Time, Word, Words


class Creation(Row, kw_only=True):
    """vCons of one period."""

    period: Word
    vcon_count: Count
    unique_vcons: Count


class Growth(Row, kw_only=True):
    """Bytes of one period."""

    period: Word
    dialog_size: Bytes | None = None
    attachment_size: Bytes | None = None
    total_size: Bytes | None = None


class Volume(Row, kw_only=True):
    """Parts of one period."""

    period: Word
    vcon_count: Count
    dialog_count: Count
    analysis_count: Count
    attachment_count: Count
    total_duration: Sum | None = None


class Trends(Row, kw_only=True):
    """Three rows of periods, gaps filled with nothing."""

    vcon_creation: list[Creation]
    size_growth: list[Growth]
    content_volume: list[Volume]


class Rates(Row, kw_only=True):
    """Change from the last but one full period to the last, in percent."""

    vcon_growth_rate: Sum | None = None
    size_growth_rate: Sum | None = None


class Projected(Row, kw_only=True):
    """What the next three periods add up to at the same rate."""

    projected_vcons: Count
    projected_size: Bytes | None = None
    projected_size_pretty: Annotated[str | None, exact(Field.MEASURE)] = None


class Projections(Row, kw_only=True):
    """What the rates lead to."""

    next_3_months: Projected
    growth_rates: Rates


class MonthlyGrowth(Row, kw_only=True):
    """Growth by period."""

    timestamp: Time | None = None
    period: Word
    granularity: Word
    trends: Trends
    growth_rates: Rates
    projections: Projections | None = None
    notes: Words


class GrowthAnswer(Row, kw_only=True):
    """Answer of ``get_monthly_growth_analytics``."""

    monthly_growth_analytics: MonthlyGrowth


def _rates(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return growth in percent of vCons and bytes between the two last full periods; the running one is left out."""
    full = rows[:-1]
    if len(full) < 2:
        return 0.0, 0.0
    before, last = full[-2], full[-1]
    return tuple(  # type: ignore[return-value]
        round(100 * (last[name] - before[name]) / before[name], 2) if before[name] else 0.0
        for name in ("vcons", "size_bytes")
    )


@vcon_tool(
    "get_monthly_growth_analytics",
    title="Growth",
    description="Growth by month, week or day, with rates and projections.",
    category="analytics",
    answer=GrowthAnswer,
    properties={
        "months_back": MONTHS_BACK,
        "include_projections": switch(True),
        "granularity": choice("monthly", "weekly", "daily", default="monthly"),
    },
    instead="vcon_aggregate with group_by month",
    into=READING,
)
def get_monthly_growth_analytics(arguments: dict[str, Any], scope: Scope) -> Row:
    """Count what was made when."""
    months, granularity = arguments["months_back"], arguments["granularity"]
    rows = periods(scope, months, granularity)
    sizes = vcon_shape.month_sizes(scope.store) if granularity == "monthly" else {}
    vcons, size = _rates(rows)
    rates = Rates(vcon_growth_rate=vcons, size_growth_rate=size)
    trends = Trends(
        vcon_creation=[Creation(period=r["period"], vcon_count=r["vcons"], unique_vcons=r["vcons"]) for r in rows],
        size_growth=[
            Growth(
                period=r["period"],
                dialog_size=sizes.get(r["period"], (0, 0))[0] if sizes else None,
                attachment_size=sizes.get(r["period"], (0, 0))[1] if sizes else None,
                total_size=r["size_bytes"],
            )
            for r in rows
        ],
        content_volume=[
            Volume(
                period=r["period"],
                vcon_count=r["vcons"],
                dialog_count=r["dialogs"],
                analysis_count=r["analyses"],
                attachment_count=r["attachments"],
                total_duration=float(r["duration_seconds"]),
            )
            for r in rows
        ],
    )
    notes = ["Periods are of UTC, by when the records were made; the last one is not over and is left out of rates."]
    if granularity != "monthly":
        notes.append("Bytes of dialogs and attachments are kept apart by month alone.")
    return GrowthAnswer(
        monthly_growth_analytics=MonthlyGrowth(
            timestamp=timestamp(scope),
            period=f"{months} months",
            granularity=granularity,
            trends=trends,
            growth_rates=rates,
            projections=_projections(rows, vcons, size, granularity) if arguments["include_projections"] else None,
            notes=notes,
        )
    )


_PER_QUARTER: Final = {"monthly": 3, "weekly": 13, "daily": 91}


def _projections(rows: list[dict[str, Any]], vcon_rate: float, size_rate: float, granularity: str) -> Projections:
    """Carry the last full period on for three months, grown once at its rate."""
    last = (rows[:-1] or rows or [{"vcons": 0, "size_bytes": 0}])[-1]
    periods = _PER_QUARTER[granularity]
    vcons = max(0, round(last["vcons"] * (1 + vcon_rate / 100) * periods))
    size = max(0, round(last["size_bytes"] * (1 + size_rate / 100) * periods))
    return Projections(
        next_3_months=Projected(projected_vcons=vcons, projected_size=size, projected_size_pretty=health.pretty(size)),
        growth_rates=Rates(vcon_growth_rate=vcon_rate, size_growth_rate=size_rate),
    )
