"""The game: somebody guesses from what an answer says, and from its time, whether a name is restricted or unknown.

    python docs/seen/distinguish.py CACHE LIST [TRIES]

In each try a restricted name or one of its shape that nobody has is asked for, by a tool and argument drawn by
chance. The first half of the tries teaches, in the second half is guessed. From contents the guess is by everything
that an answer says, the name itself taken out, and with it the id and the token of a cohort, which are keyed digests
of the filter that was sent: few restricted names are asked for again and again, names that nobody has once, so what
is computed of the name alone would tell them apart by that. From time likewise, by the best bound.
Prints both shares; exit 1 above 52 % (contents) or 55 % (time).
"""

from __future__ import annotations

import random
import re
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from gongctl.governance.attacks.arena import without
from gongctl.governance.probes import text_arguments, twin_of
from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import read_restricted_list
from tests.gongctl.governance.governed import governed_handler

DIGESTS = re.compile(r"\bcohort_[0-9a-f]{16}\b|(?<=cohort_token\": \")[\w=-]+|(?<=cohort_token )[\w=-]+")
"""What an answer holds that is computed of the arguments and the cache's secret alone."""


def main(cache: Path, listed: Path, tries: int) -> int:
    """Play and print."""
    draw = random.Random("distinguish")
    restricted = read_restricted_list(listed)
    matcher = Matcher(restricted)
    handler = governed_handler(cache, listed)
    questions = [(info.name, number) for info in handler.tools() for number, _ in enumerate(text_arguments(info, "x"))]
    infos = {info.name: info for info in handler.tools()}
    seen: list[tuple[str, str, float, bool]] = []
    for _ in range(tries):
        name = draw.choice(restricted.entries).name
        is_restricted = draw.random() < 0.5
        text = name if is_restricted else twin_of(name, draw)
        if matcher.hits(text) != is_restricted:
            is_restricted = True
        tool, number = draw.choice(questions)
        arguments = [*text_arguments(infos[tool], text)][number]
        started = time.perf_counter()
        answer = handler.call(tool, arguments).answer
        seconds = time.perf_counter() - started
        shape = DIGESTS.sub(
            "\0", without({"structured": answer.structured, "text": answer.text, "error": answer.error}, text)
        )
        seen.append((f"{tool} {number}", shape, seconds, is_restricted))
    half = len(seen) // 2
    contents, times = by_contents(seen[:half], seen[half:], draw), by_time(seen[:half], seen[half:])
    print(f"{tries} tries: right from contents {100 * contents:.1f} % (at most 52), from time {100 * times:.1f} % (55)")
    return int(contents > 0.52 or times > 0.55)


def by_contents(known: list, asked: list, draw: random.Random) -> float:
    """Return the share of right guesses of who remembers which answers came with restricted names."""
    votes: Counter[tuple[str, str]] = Counter()
    for question, shape, _, restricted in known:
        votes[question, shape] += 1 if restricted else -1
    # An answer that both kinds of names have says nothing: the guess is a coin.
    both = {key for key in votes if len({r for q, s, _, r in known if (q, s) == key}) == 2}
    right = 0
    for question, shape, _, restricted in asked:
        vote = votes[question, shape]
        guess = draw.random() < 0.5 if vote == 0 or (question, shape) in both else vote > 0
        right += guess == restricted
    return right / len(asked)


def by_time(known: list, asked: list) -> float:
    """Return the share of right guesses of who compares an answer's time with the usual one of its question."""
    usual = {}
    for question in {item[0] for item in known}:
        found = [seconds for q, _, seconds, _ in known if q == question]
        usual[question] = statistics.median(found)
    scored = [(seconds / usual[q], restricted) for q, _, seconds, restricted in known]
    slow = statistics.median(s for s, restricted in scored if restricted)
    fast = statistics.median(s for s, restricted in scored if not restricted)
    bound = (slow + fast) / 2
    right = [
        ((seconds / usual[q] > bound) == (slow > fast)) == restricted
        for q, _, seconds, restricted in asked
        if q in usual
    ]
    return sum(right) / len(right)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2000))
