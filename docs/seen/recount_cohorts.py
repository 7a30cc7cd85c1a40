"""Compare the counts of cohorts with a plain recount, for random filters over a cache.

    python docs/seen/recount_cohorts.py CACHE [FILTERS]

The recount reads the rows of the cache without the program and decides each condition in Python. Exit 1 when one
differs.
"""

from __future__ import annotations

import random
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from gongmcp.store.unicode61 import words

Call = dict[str, Any]


def read(cache: Path) -> list[Call]:
    """Return every served call with the words that it says."""
    with closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        calls = {row["call_no"]: {**dict(row), "said": set()} for row in connection.execute("SELECT * FROM call_facts")}
        for number, text in connection.execute("SELECT segment_no >> 19, text FROM segments"):
            calls[number]["said"].update(words(re.sub(r"\{redacted:[^}]*\}", " ", text)))
    return list(calls.values())


def fulfils(call: Call, chosen: dict[str, Any]) -> bool:
    """Decide whether *call* is one of those that *chosen* describes."""
    quarter = f"{call['call_date'][:4]}-Q{(int(call['call_date'][5:7]) + 2) // 3}"
    checks = {
        "from_date": lambda value: call["call_date"] >= value,
        "to_date": lambda value: call["call_date"] <= value,
        "quarter": lambda value: quarter == value,
        "industry": lambda value: value in call["account_industry"].lower(),
        "opportunity_stage": lambda value: value in call["opportunity_stage"].lower(),
        "transcript_status": lambda value: bool(call["transcript_present"]) == (value == "present"),
        "exclude_lifecycle_buckets": lambda value: call["lifecycle_bucket"] not in value,
        "query": lambda value: value in call["said"],
        "dimension_filters": lambda value: int(value[0]["values"][0]) <= call["duration_seconds"],
    }
    return all(checks[name](value) if name in checks else call[name] == value for name, value in chosen.items())


def drawn(draw: random.Random, calls: list[Call], vocabulary: list[str]) -> dict[str, Any]:
    """Return a filter of one to four conditions with values of some calls."""
    call, other = draw.choice(calls), draw.choice(calls)
    first, last = sorted([call["call_date"], other["call_date"]])
    longer = [{"dimension": "duration_seconds", "operator": "gte", "values": [str(other["duration_seconds"])]}]
    conditions: list[dict[str, Any]] = [
        {"from_date": first, "to_date": last},
        {"quarter": f"{call['call_date'][:4]}-Q{(int(call['call_date'][5:7]) + 2) // 3}"},
        {"scope": call["scope"]},
        {"system": call["system"]} if call["system"] else {"scope": call["scope"]},
        {"industry": call["account_industry"][:6].lower().strip() or "tech"},
        {"opportunity_stage": call["opportunity_stage"][:6].lower().strip() or "closed"},
        {"lifecycle_bucket": call["lifecycle_bucket"]},
        {"exclude_lifecycle_buckets": [other["lifecycle_bucket"]]},
        {"transcript_status": draw.choice(["present", "missing"])},
        {"query": draw.choice(vocabulary)},
        {"dimension_filters": longer},
    ]
    chosen: dict[str, Any] = {}
    for condition in draw.sample(conditions, draw.randint(1, 4)):
        chosen |= condition
    if chosen.get("lifecycle_bucket") in chosen.get("exclude_lifecycle_buckets", ()):
        del chosen["lifecycle_bucket"]
    return chosen


def main(cache: Path, filters: int) -> int:
    """Compare and say how it went."""
    handler = build_handler(ServerSettings.resolve({}, {}), cache)
    calls = read(cache)
    vocabulary = sorted({word for call in calls for word in call["said"] if re.fullmatch("[a-z]{4,12}", word)})
    draw, compared, found, differing = random.Random(9), 0, 0, 0
    while compared < filters:
        chosen = drawn(draw, calls, vocabulary)
        answer = handler.call("list_dimension_counts", {"dimension": "scope", "filter": chosen}).answer
        if answer.structured is None:  # a quarter outside of the dates
            continue
        expected = sum(fulfils(call, chosen) for call in calls)
        counted = answer.structured["matched_call_count"]
        if counted != expected or sum(row["call_count"] for row in answer.structured["results"]) != expected:
            print(f"differs: {chosen}: {counted}, recounted {expected}")
            differing += 1
        compared += 1
        found += expected > 0
    print(f"{compared} filters over {len(calls)} calls, {found} of them with calls: {differing} differ")
    return 1 if differing or not found else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200))
