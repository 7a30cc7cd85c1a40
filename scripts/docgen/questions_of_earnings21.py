"""Ten business questions asked of 44 recorded earnings calls, whose industries are the segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docgen.asking import YEAR, Asked, Told, limits_told, pack_told, plain, shares

INTRODUCTION = (
    "# Ten business questions on 44 calls",
    "",
    "Written by `scripts/build_walkthrough.py --data FOLDER`, as [walkthrough.md](walkthrough.md) is of the bundled",
    "sample: real calls of the [facade](facade.md) (preset `business-workbench`, provenance `alias`), at most four for",
    "a question, over a folder `earnings21` that is not part of this repository. It holds the 44 calls of which the",
    "sample has ten; two are private and not served, five of the others have no transcript. Industries are the",
    "companies' own; who won or lost what, and why, is made up, so that the answers show the form and say nothing of",
    "anybody. Every quotation was looked up with `gongctl evidence check` ([how](evidence-check.md)), and in the files",
    "themselves at its time (`docs/seen/quotations_at_their_time.py`). How to repeat a call stands on that page, too.",
    "",
    "The quotations are from Earnings-21 (Miguel Del Rio and others, Rev, 2021,",
    "[arXiv:2104.11348](https://arxiv.org/abs/2104.11348)), licence CC BY-SA 4.0; this page is under the same licence.",
    "",
)

LOST = {"dimension_filters": [{"dimension": "won_lost", "values": ["lost"]}]}
WON = {"dimension_filters": [{"dimension": "won_lost", "values": ["won"]}]}


def status(told: Told) -> None:
    found = told.ask("status.sync")
    told.say(
        f"{found['total_calls']} calls from {found['first_call_date']} to {found['last_call_date']}, "
        f"{found['total_transcripts']} with a transcript. {found['freshness_reason']}"
    )


def industries(told: Told) -> None:
    answer = told.ask("query.dimension_counts", {"dimension": "industry", "filter": YEAR})
    told.say("; ".join(f"{plain(row['value'])}: {row['call_count']}" for row in answer["results"]) + ".")


def healthcare(told: Told) -> None:
    _apart(told, "healthcare")


def materials(told: Told) -> None:
    _apart(told, "basic materials")


def _apart(told: Told, industry: str) -> None:
    pack = told.ask("analyze.discovery_summary", {"filter": {"industry": industry}})
    themes = ", ".join(f"{row['theme']} ({row['call_count']} calls)" for row in pack["themes"][:8])
    told.say(f"Said more often than in other calls: {themes}.")
    told.quote(pack["evidence"])
    limits_told(told, pack)


def supply_chain(told: Told) -> None:
    asked = {"filter": YEAR, "theme_query": "supply chain", "dimension": "industry"}
    answer = told.ask("analyze.themes.compare", asked)
    told.say(f"{answer['theme_call_count']} of {answer['transcript_call_count']} calls with a transcript speak of it:")
    shares(told, answer["results"])
    quotes = told.ask("evidence.quote_pack.build", {"filter": YEAR, "theme_query": "supply chain", "limit": 2})
    told.quote(quotes["results"])


def lost_pricing(told: Told) -> None:
    question = "What do lost deals say about price increases?"
    pack = told.ask("question.answer", {"question": question, "filter": LOST, "limit": 3})
    pack_told(told, pack)
    answer = told.ask("analyze.themes.compare", {"filter": LOST, "theme_query": "pricing", "dimension": "quarter"})
    shares(told, answer["results"])


def lost_and_won(told: Told) -> None:
    pair = told.ask("analyze.cohort.compare", {"filter_a": LOST, "filter_b": WON})
    sides = {row["side"]: row["coverage"]["call_count"] for row in pair["results"]}
    told.say(f"{sides['a']} lost, {sides['b']} won, {sides['both']} in both.")
    answer = told.ask("analyze.themes.compare", {"filter": YEAR, "theme_query": COMPETITORS, "dimension": "won_lost"})
    shares(told, answer["results"])
    told.say("In lost deals:")
    quotes = told.ask("evidence.quote_pack.build", {"filter": LOST, "theme_query": COMPETITORS, "limit": 2})
    told.quote(quotes["results"])


def questions(told: Told) -> None:
    answer = told.ask("extract.buyer_questions", {"filter": {"industry": "technology"}, "limit": 5})
    told.say(f"{answer['asked_count']} questions are asked by people who are not known to be internal.")
    told.quote(answer["results"])


def guidance(told: Told) -> None:
    asked = {"question": "What is said about guidance?", "filter": {"industry": "industrial goods"}, "limit": 3}
    pack = told.ask("question.answer", asked)
    call = pack["evidence"][0]["call_ref"]
    told.say(f"The best evidence comes from {call}; looked into:")
    looked = told.ask("evidence.call_drilldown", {"call_ref": call, "theme_query": "guidance", "limit": 3})
    told.quote(looked["results"])


def cannot_show(told: Told) -> None:
    answer = told.ask("analyze.themes.compare", {"filter": YEAR, "theme_query": "covid", "dimension": "quarter"})
    shares(told, answer["results"])
    limits: Mapping[str, Any] = told.ask("limitations.explain", {"filter": YEAR})
    told.say("What this cannot show: " + "; ".join(row["code"].replace("_", " ") for row in limits["results"]) + ".")


COMPETITORS = "competitor OR competitors OR competitive"

QUESTIONS: Sequence[tuple[str, Asked]] = (
    ("What is cached, and how fresh is it?", status),
    ("Which industries do the calls of this year come from?", industries),
    ("What sets healthcare apart?", healthcare),
    ("What sets basic materials apart?", materials),
    ("Where is the supply chain spoken of more than elsewhere, and in which words?", supply_chain),
    ("What do lost deals say about price increases, and by quarter about pricing?", lost_pricing),
    ("Are competitors spoken of more where deals were lost than where they were won?", lost_and_won),
    ("Which questions do buyers ask technology companies?", questions),
    ("What exactly do industrial companies say about guidance, and what stands around it?", guidance),
    ("Did talk of the pandemic change over the year, and what can that not show?", cannot_show),
)
