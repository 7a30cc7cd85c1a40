"""``vcon_taxonomy``: the operator's hints, and what is measured of them."""

from __future__ import annotations

from typing import Any, Final

from gongmcp.exposure.rows import Row
from gongmcp.exposure.small_cells import SmallCells
from gongmcp.store import vcon_figures, vcon_shape
from gongmcp.vcon.declaration import READING, vcon_tool
from gongmcp.vcon.periods import most_first
from gongmcp.vcon.scope import Scope
from gongmcp.vcon.shapes import Count, Label, Measure, Word

_MOST_TAGS: Final = 20


class Value(Row, kw_only=True):
    """A value of a tag that answers a question by itself."""

    value: Label
    tag: Label
    description: Word
    recommended_use: Word
    vcon_count: Count


class TagKey(Row, kw_only=True):
    """A tag key and how far it goes."""

    key: Label
    availability: Word
    description: Word | None = None
    vcon_count: Count
    distinct_values: Count


class Source(Row, kw_only=True):
    """Where to look for something."""

    need: Word
    source: Word


class Recipe(Row, kw_only=True):
    """How to answer a kind of question."""

    goal: Word
    recommendation: Word


class Cover(Row, kw_only=True):
    """How many of all vCons have something."""

    availability: Word
    vcon_count: Count
    coverage_pct: Measure


class Coverage(Row, kw_only=True):
    """Measured coverage of the two ways to an account."""

    vcons_total: Count
    account_source: Label
    account_attachment: Cover
    account_tag: Label | None = None
    account_tag_coverage: Cover | None = None


class Kind(Row, kw_only=True):
    """A type of analysis, and how many vCons have it."""

    type: Label
    vcon_count: Count


class TaxonomyItem(Row, kw_only=True):
    """What is known of this corpus."""

    dataset: Word
    portal_values: list[Value]
    common_tags: list[TagKey]
    preferred_sources: list[Source]
    query_recipes: list[Recipe]
    analysis_types: list[Kind]
    coverage: Coverage


class TaxonomyAnswer(Row, kw_only=True):
    """Answer of ``vcon_taxonomy``."""

    item: TaxonomyItem


@vcon_tool(
    "vcon_taxonomy",
    title="Vocabulary of this corpus",
    description=(
        "Dataset-specific guidance: tag values that answer questions by themselves, preferred sources, recipes, and "
        "the measured coverage of tag keys and analysis types."
    ),
    category="read",
    answer=TaxonomyAnswer,
    contract=True,
    into=READING,
)
def vcon_taxonomy(_arguments: dict[str, Any], scope: Scope) -> Row:
    """Tell the operator's hints and what is measured."""
    known, store, least = scope.taxonomy, scope.store, scope.policy.min_cell
    total = vcon_figures.totals(store)["vcons"]
    described = dict(known.tags)
    cells = SmallCells(least)
    keys = most_first(scope, vcon_figures.tag_keys(store), ("tag_key",))
    missing = [key for key in described if all(row["tag_key"] != key for row in keys)]
    tag_keys = [
        TagKey(
            key=row["tag_key"],
            availability=_availability(cells.count(row["vcons"]), cells.count(total)),
            description=described.get(row["tag_key"]),
            vcon_count=row["vcons"],
            distinct_values=row["distinct_values"],
        )
        for row in keys[:_MOST_TAGS]
    ]
    tag_keys += [
        TagKey(key=key, availability="absent", description=described[key], vcon_count=0, distinct_values=0)
        for key in missing
    ]
    kinds = [row for row in vcon_shape.shape_nodes(store, limit=_MOST_TAGS) if row["kind"] == "analysis_type"]
    tag = known.account_tag
    return TaxonomyAnswer(
        item=TaxonomyItem(
            dataset=known.dataset,
            portal_values=[
                Value(
                    value=signal.value,
                    tag=signal.tag,
                    description=signal.description,
                    recommended_use=signal.use,
                    vcon_count=vcon_shape.tag_value_count(store, signal.tag, signal.value),
                )
                for signal in known.signals
            ],
            common_tags=tag_keys,
            preferred_sources=[Source(need=need, source=source) for need, source in known.sources],
            query_recipes=[Recipe(goal=goal, recommendation=how) for goal, how in known.recipes],
            analysis_types=[
                Kind(type=row["label"], vcon_count=row["vcons"]) for row in most_first(scope, kinds, ("label",))
            ],
            coverage=Coverage(
                vcons_total=total,
                account_source=known.account,
                account_attachment=_cover(scope, vcon_shape.coverage(store, account=known.account), total),
                account_tag=tag or None,
                account_tag_coverage=_cover(scope, vcon_shape.coverage(store, tag=tag), total) if tag else None,
            ),
        )
    )


def _availability(found: int, total: int) -> str:
    return "absent" if not found else "preferred" if found * 2 >= total else "sparse"


def _cover(scope: Scope, found: int, total: int) -> Cover:
    cells = SmallCells(scope.policy.min_cell)
    low, of = cells.count(found), cells.count(total)
    return Cover(
        availability=_availability(low, of), vcon_count=low, coverage_pct=round(100 * low / of, 2) if of else 0.0
    )
