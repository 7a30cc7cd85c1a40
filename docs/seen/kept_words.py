"""Compare the counts of words that warm keeps with a plain recount, then take calls away and compare again.

    python docs/seen/kept_words.py CACHE

Works on a copy: it is warmed once more in a scope that leaves out the second half of the time, and must then hold what
a recount of the calls that are left gives. Exit 1 when one differs.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import sys
import tempfile
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path

from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongmcp.governance.scope import Scope
from gongmcp.store.model import ModelRules

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def recounted(connection: sqlite3.Connection) -> tuple[dict[int, Counter[str]], dict[str, tuple[int, int]]]:
    """Return how often each call says each word, and the sums, from the segments alone."""
    calls: dict[int, Counter[str]] = {}
    for number, text in connection.execute("SELECT segment_no >> 19, text FROM segments"):
        plain = re.sub(r"\{redacted:[^{}\s]+\}", " ", text.lower().replace("’", "'"))
        calls.setdefault(number, Counter()).update(_WORD.findall(plain))
    total, heard = Counter[str](), Counter[str]()
    for counts in calls.values():
        total.update(counts)
        heard.update(counts.keys())
    return calls, {word: (heard[word], count) for word, count in total.items()}


def kept(connection: sqlite3.Connection) -> tuple[dict[int, Counter[str]], dict[str, tuple[int, int]]]:
    """Return the same as warm keeps it, read without the program."""
    calls: dict[int, Counter[str]] = {}
    for number, packed in connection.execute("SELECT call_no, counts FROM call_words"):
        counts = calls.setdefault(number, Counter())
        for line in zlib.decompress(packed).decode().split("\n"):
            times, *words = line.split(" ")
            counts.update(dict.fromkeys(words, int(times)))
    return calls, {word: (heard, count) for word, heard, count in connection.execute("SELECT * FROM cache_words")}


def told(name: str, cache: Path) -> bool:
    """Compare, say how it went, and return whether all is the same."""
    with closing(sqlite3.connect(cache)) as connection:
        calls, sums = kept(connection)
        same = (calls, sums) == recounted(connection)
    print(f"{name}: {len(calls)} calls, {len(sums):,} words, {sum(n for _, n in sums.values()):,} said: same is {same}")
    return same and bool(sums)


def main(cache: Path) -> int:
    """Compare before and after."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(cache, Path(folder) / "copy.db"))
        whole = told("all calls", copy)
        with closing(sqlite3.connect(copy)) as connection:
            days = [day for (day,) in connection.execute("SELECT call_date FROM call_facts ORDER BY call_date")]
        with CacheWriter.open(copy) as writer:
            warm(writer, rules=ModelRules(scope=Scope(to_date=days[len(days) // 2])))
        return int(not (whole and told("half of the time", copy)))


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
