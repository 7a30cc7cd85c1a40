"""Which lifecycle answers: the builtin one, or the active profile's with its own buckets.

Both are facts that warm wrote: builtin ones in ``call_facts``, a profile's in ``profile_facts`` under its number.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gongmcp.errors import ToolFault
from gongmcp.store.connection import ReadStore
from gongmcp.store.freshness import WARM_HINT
from gongmcp.store.profile import BusinessProfile, active_profile, has_facts, normal_name


@dataclass(frozen=True, slots=True)
class BucketText:
    """What a bucket is called, what it means, and what puts a call into it."""

    bucket: str
    label: str
    description: str
    signals: tuple[str, ...]


BUILTIN = (
    BucketText(
        "outbound_prospecting",
        "Outbound prospecting",
        "Outbound calls of a dialer without an opportunity.",
        ("call system is a dialer upload", "call direction is outbound"),
    ),
    BucketText(
        "active_sales_pipeline",
        "Active pipeline",
        "Calls with an open opportunity that is in no late stage.",
        ("an opportunity is attached",),
    ),
    BucketText(
        "late_stage_sales",
        "Late stage",
        "Calls whose opportunity is in a late stage: proposal, negotiation, contract.",
        ("opportunity stage is a late one",),
    ),
    BucketText(
        "closed_won_lost_review",
        "Closed",
        "Calls whose opportunity is won or lost.",
        ("opportunity stage is closed",),
    ),
    BucketText("renewal", "Renewal", "Calls about a renewal.", ("opportunity type is a renewal",)),
    BucketText(
        "upsell_expansion",
        "Expansion",
        "Calls about selling more to a customer.",
        ("opportunity type is an expansion", "expansion bookings are filled"),
    ),
    BucketText(
        "customer_success_account",
        "Customer",
        "Calls with a customer and no opportunity.",
        ("account type says customer",),
    ),
    BucketText(
        "partner",
        "Partner",
        "Calls with a partner.",
        ("opportunity type is a partnership", "account type says partner"),
    ),
    BucketText("unknown", "Unknown", "Calls without any lifecycle signal.", ("none of the above",)),
)
"""Builtin buckets in the order in which they are listed; the order in which rules are tried differs."""

BUILTIN_ORDER = tuple(item.bucket for item in BUILTIN)

WARM_PROFILE = f"{WARM_HINT} Until then use lifecycle_source=builtin."


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The lifecycle that answers; *profile* is None for the builtin one."""

    profile: BusinessProfile | None = None

    @property
    def source(self) -> Literal["builtin", "profile"]:
        """``builtin`` or ``profile``."""
        return "builtin" if self.profile is None else "profile"

    @property
    def profile_no(self) -> int | None:
        """Number under which the profile's facts are kept; None for the builtin lifecycle."""
        return None if self.profile is None else self.profile.profile_no

    def texts(self) -> tuple[BucketText, ...]:
        """Return the buckets in the order in which they are listed."""
        if self.profile is None:
            return BUILTIN
        return tuple(
            BucketText(
                item["name"],
                item.get("label") or item["name"],
                item.get("description") or "",
                tuple(item.get("signals", ())),
            )
            for item in self.profile.concepts("lifecycle")
        )

    def order(self) -> tuple[str, ...]:
        """Return the names of the buckets in the order in which they are listed."""
        return BUILTIN_ORDER if self.profile is None else tuple(self.profile.buckets())

    def bucket(self, asked: str | None, argument: str) -> str | None:
        """Return the bucket that *asked* names, None for None; case, ``-`` and blanks are forgiven.

        Raises ``ToolFault("invalid_argument")`` naming the buckets there are.
        """
        if asked is None:
            return None
        name = normal_name(asked)
        if name in self.order():
            return name
        other = "builtin" if self.profile is not None and name in BUILTIN_ORDER else ""
        raise ToolFault(
            "invalid_argument",
            f"{argument} names no bucket of the {self.source} lifecycle.",
            f"Use one of: {', '.join(self.order())}."
            + (f" The {other} lifecycle has it: give lifecycle_source={other}." if other else ""),
        )

    def shown(self, store: ReadStore, rows: Iterable[tuple[int, str]]) -> dict[int, str]:
        """Return the bucket of each call of *rows*: (call number, builtin bucket) pairs."""
        builtin = dict(rows)
        if self.profile is None or not builtin:
            return builtin
        return {number: facts["bucket"] for number, facts in self.facts(store, builtin).items()}

    def facts(self, store: ReadStore, numbers: Iterable[int]) -> dict[int, sqlite3.Row]:
        """Return the profile's facts of the calls *numbers*, by call number."""
        wanted = sorted(set(numbers))
        found: dict[int, sqlite3.Row] = {}
        for at in range(0, len(wanted), 500):  # well below the number of parameters that any build allows
            names = {f"n{n}": number for n, number in enumerate(wanted[at : at + 500])}
            for row in store.rows(
                "SELECT * FROM profile_facts WHERE profile_no = :profile_no"
                f" AND call_no IN ({', '.join(f':{name}' for name in names)})",
                {"profile_no": self.profile_no, **names},
            ):
                found[row["call_no"]] = row
        return found


def lifecycle_named(store: ReadStore, source: str) -> Lifecycle:
    """Return the lifecycle that *source* (auto, builtin, profile) asks for; auto takes the active profile's.

    It is for a tool that tells of buckets and reads no facts: whether there are any is not asked.

    Raises ``ToolFault("profile_missing")`` when a profile is asked for and none is active.
    """
    profile = None if source == "builtin" else active_profile(store)
    if profile is None and source == "profile":
        raise ToolFault("profile_missing", "No business profile is active.")
    return Lifecycle(profile)


def lifecycle_for(store: ReadStore, source: str) -> Lifecycle:
    """Return the same for a tool that reads facts.

    Raises ``ToolFault``: ``profile_missing`` as ``lifecycle_named``, and ``profile_cache_stale`` when the cache holds
    no facts of the active profile.
    """
    lifecycle = lifecycle_named(store, source)
    if lifecycle.profile is not None and not has_facts(store, lifecycle.profile):
        raise ToolFault(
            "profile_cache_stale", "The cache holds no complete facts of the active business profile.", WARM_PROFILE
        )
    return lifecycle


def lifecycle_at_hand(store: ReadStore, source: str) -> Lifecycle:
    """Return the same for a tool that only shows buckets: with auto the builtin one where the facts are missing."""
    try:
        return lifecycle_for(store, source)
    except ToolFault:
        if source == "auto":
            return Lifecycle()
        raise
