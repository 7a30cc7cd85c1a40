"""Ten business questions asked of the bundled sample."""

from __future__ import annotations

from collections.abc import Sequence

from docgen.asking import YEAR, Asked, Told, limits_told, pack_told, plain, shares

INTRODUCTION = (
    "# Ten business questions",
    "",
    "Written by `scripts/build_walkthrough.py`: real calls of the [facade](facade.md) (preset `business-workbench`,",
    "provenance `alias`) over the bundled sample, at most four for a question. The sample is ten recorded earnings",
    "calls with made-up business data around them: few, so that shares are anecdotes, and the answers say so. Every",
    "quotation on this page was looked up with `gongctl evidence check` ([how](evidence-check.md)).",
    "",
    "To repeat a call: `gongctl mcp call TOOL --db CACHE --tool-preset business-workbench",
    "--transcript-evidence-provenance alias --args 'JSON' --text`. Aliases of calls are keyed with a cache's secret:",
    "in yours they are others.",
    "",
)


def status(told: Told) -> None:
    status = told.ask("status.sync")
    told.say(
        f"{status['total_calls']} calls from {status['first_call_date']} to {status['last_call_date']}, "
        f"{status['total_transcripts']} with a transcript. {status['freshness_reason']}"
    )


def industries(told: Told) -> None:
    answer = told.ask("query.dimension_counts", {"dimension": "industry", "filter": YEAR})
    told.say("; ".join(f"{plain(row['value'])}: {row['call_count']}" for row in answer["results"]) + ".")


def demand(told: Told) -> None:
    pack = told.ask("question.answer", {"question": "What do executives say about demand?", "filter": YEAR})
    pack_told(told, pack)


def by_industry(told: Told) -> None:
    answer = told.ask(
        "analyze.themes.compare", {"filter": YEAR, "theme_query": "supply chain", "dimension": "industry"}
    )
    told.say(f"{answer['theme_call_count']} of {answer['transcript_call_count']} calls with a transcript speak of it:")
    shares(told, answer["results"])


def technology(told: Told) -> None:
    pack = told.ask("analyze.discovery_summary", {"filter": {"industry": "tech"}})
    themes = ", ".join(f"{row['theme']} ({row['call_count']} calls)" for row in pack["themes"][:5])
    told.say(f"Said more often than in other calls: {themes}.")
    told.quote(pack["evidence"])
    limits_told(told, pack)


def lost(told: Told) -> None:
    lost = {"dimension_filters": [{"dimension": "won_lost", "values": ["lost"]}]}
    pack = told.ask("question.answer", {"question": "What do lost deals say about costs?", "filter": lost})
    pack_told(told, pack)


def questions(told: Told) -> None:
    answer = told.ask("extract.buyer_questions", {"filter": YEAR, "limit": 5})
    told.say(f"{answer['asked_count']} questions are asked by people who are not known to be internal.")
    told.quote(answer["results"])


def objections(told: Told) -> None:
    answer = told.ask("extract.objection_signals", {"filter": YEAR, "limit": 5})
    told.say(f"{answer['objection_count']} places hold words of an objection, by topic packs.")
    told.quote(answer["results"])


def one_call(told: Told) -> None:
    pack = told.ask("question.answer", {"question": "What is said about guidance?", "filter": YEAR, "limit": 3})
    call = pack["evidence"][0]["call_ref"]
    told.say(f"The best evidence comes from {call}; looked into:")
    looked = told.ask("evidence.call_drilldown", {"call_ref": call, "theme_query": "guidance", "limit": 3})
    told.quote(looked["results"])


def halves(told: Told) -> None:
    first = {"from_date": "2026-01-01", "to_date": "2026-06-30"}
    second = {"from_date": "2026-07-01", "to_date": "2026-12-31"}
    pair = told.ask("analyze.cohort.compare", {"filter_a": first, "filter_b": second})
    sides = {row["side"]: row["coverage"]["call_count"] for row in pair["results"]}
    told.say(f"{sides['a']} calls in the first half, {sides['b']} in the second, {sides['both']} in both.")
    answer = told.ask("analyze.themes.compare", {"filter": YEAR, "theme_query": "growth", "dimension": "quarter"})
    shares(told, answer["results"])
    limits = told.ask("limitations.explain", {"filter": YEAR})
    told.say("What this cannot show: " + "; ".join(row["code"].replace("_", " ") for row in limits["results"]) + ".")


QUESTIONS: Sequence[tuple[str, Asked]] = (
    ("What is cached, and how fresh is it?", status),
    ("Which industries do the calls of this year come from?", industries),
    ("What do executives say about demand?", demand),
    ("Where is the supply chain spoken of more than elsewhere?", by_industry),
    ("What sets the calls of technology companies apart?", technology),
    ("What do lost deals say about costs?", lost),
    ("Which questions do buyers ask?", questions),
    ("Which objections are raised?", objections),
    ("What exactly is said about guidance, and what stands around it?", one_call),
    ("Did talk of growth change over the year, and what can that not show?", halves),
)
