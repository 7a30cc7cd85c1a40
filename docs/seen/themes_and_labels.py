"""Hold the themes of each industry against labels and tracker counts that came with the calls, with base rates.

    python docs/seen/themes_and_labels.py DB DATA LABELS

DB is a cache of the folder DATA (Gong's answers as files), LABELS a file of entities by call. The labels are noisy:
numbers and times, plain words and words in capitals are left out. Two things are printed:

* which share of an industry's themes holds a word that is part of a name in its calls, beside the same share of as many
  words of those calls drawn at random (the base rate), and of its themes in the names of other industries' calls;
* of the trackers whose keyword is a theme of an industry: how many were counted more often, for the words said, in its
  calls than in others', beside the share of all trackers and industries of which that is so (the base rate).

Exit 1 when themes do no better than the base rates.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from gongmcp.analysis.stop_words import stop_words
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings

NO_NAMES = {"DATE", "YEAR", "CARDINAL", "ORDINAL", "MONEY", "PERCENT", "QUANTITY", "TIME", "ALPHANUMERIC", "PERSON"}
LEAST_CALLS = 3
"""Calls with a transcript that an industry needs to be looked at."""
DRAWS = 200


def words_of(text: str) -> set[str]:
    """Return the words of *text* that could be a theme."""
    return {word for word in re.findall(r"[^\W\d_]{3,}", text.lower()) if word not in stop_words()}


def names_by_call(labels: Path) -> dict[str, set[str]]:
    """Return the words of names in each call."""
    found: dict[str, set[str]] = {}
    for line in labels.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        texts = [one["text"] for one in item["entities"] if one["type"] not in NO_NAMES]
        found[item["callId"]] = {
            w for text in texts if not text.islower() and not text.isupper() for w in words_of(text)
        }
    return found


def trackers_by_call(data: Path) -> dict[str, Counter[str]]:
    """Return how often each tracker phrase was counted in each call."""
    found: dict[str, Counter[str]] = {}
    for line in (data / "calls.extensive.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        counts = Counter[str]()
        for tracker in (item.get("content") or {}).get("trackers") or ():
            counts.update({one["phrase"].lower(): one["count"] for one in tracker["phrases"]})
        found[item["metaData"]["id"]] = counts
    return found


def share(parts: Iterable[bool]) -> float:
    """Return the share of *parts* that are true."""
    listed = list(parts)
    return sum(listed) / len(listed) if listed else 0.0


def main(db: Path, data: Path, labels: Path) -> int:
    """Compare and say how it went."""
    names, trackers = names_by_call(labels), trackers_by_call(data)
    said: dict[str, Counter[str]] = defaultdict(Counter)
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT call_no, call_id, account_industry FROM call_facts WHERE transcript_present")
        calls = {number: (call, of.title()) for number, call, of in rows}
        for number, text in connection.execute("SELECT segment_no >> 19, text FROM segments"):
            said[calls[number][0]].update(words_of(text))
    members = defaultdict(list)
    for call, industry in calls.values():
        members[industry].append(call)
    handler = build_handler(ServerSettings.resolve({"tool_preset": "analyst"}, {}), db)
    draw, matched, base, elsewhere = random.Random(9), [], [], []
    rises: list[bool] = []
    every_pair: list[bool] = []
    for industry, of in sorted(members.items()):
        if not industry or len(of) < LEAST_CALLS:
            continue
        others = [call for call, _ in calls.values() if call not in of]
        asked: dict[str, Any] = {"filter": {"industry": industry.lower()}, "limit": 50}
        answer = handler.call("discover_themes_in_cohort", asked).answer.structured or {}
        themes = [row["theme"] for row in answer.get("results", ())]
        ours = set().union(*(names.get(call, set()) for call in of))
        theirs = [
            set().union(*(names.get(call, set()) for call in members[other])) for other in members if other != industry
        ]
        support = Counter(word for call in of for word in said[call])
        pool = sorted(word for word, count in support.items() if count >= 2)
        here = share(bool(words_of(theme) & ours) for theme in themes)
        drawn = share(word in ours for _ in range(DRAWS) for word in draw.sample(pool, len(themes)))
        away = share(bool(words_of(theme) & of_other) for of_other in theirs if of_other for theme in themes)
        told = f"{here:4.0%} in its names, {drawn:4.0%} of words drawn, {away:4.0%} in others'"
        print(f"{industry:17} {len(themes):3} themes: {told}")
        matched.append(here)
        base.append(drawn)
        elsewhere.append(away)
        total, rest = (sum(sum(said[call].values()) for call in side) for side in (of, others))
        for phrase in sorted({phrase for counts in trackers.values() for phrase in counts}):
            inside, outside = (sum(trackers[call][phrase] for call in side) for side in (of, others))
            more = inside / total > outside / rest
            if inside + outside:
                every_pair.append(more)
                if any(phrase == theme or words_of(phrase) == words_of(theme) for theme in themes):
                    rises.append(more)
    found, drawn, away = (sum(values) / len(values) for values in (matched, base, elsewhere))
    print(
        f"mean of {len(matched)} industries: {found:.0%} of themes, {drawn:.0%} of words drawn, {away:.0%} in others'"
    )
    told = f"{sum(rises)} of {len(rises)} counted more often there; of all pairs {share(every_pair):.0%}"
    print(f"trackers that are a theme: {told}")
    return int(found <= max(drawn, away) or share(rises) <= share(every_pair))


if __name__ == "__main__":
    raise SystemExit(main(*map(Path, sys.argv[1:4])))
