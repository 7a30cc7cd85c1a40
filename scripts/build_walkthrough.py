"""Write ``docs/walkthrough.md``: ten business questions asked of the facade, over the bundled sample.

    python scripts/build_walkthrough.py            write it
    python scripts/build_walkthrough.py --check    change nothing; exit 1 when it differs, or a quotation was not said

Answers are real calls under the preset ``business-workbench`` on a cache built anew with a fixed secret and a fixed
time. Every quotation of the page is looked up with ``gongctl evidence check`` before it is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docgen.sample_cache import sample_cache

from gongctl.evidence.check import check_files
from gongmcp.catalog.operations import OPERATIONS, STATUS
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.render.size import ESTIMATOR, estimate_tokens
from gongmcp.settings import ServerSettings

PAGE = Path(__file__).resolve().parent.parent / "docs" / "walkthrough.md"
POLICY = {"tool_preset": "business-workbench", "provenance": "alias"}
YEAR = {"from_date": "2026-01-01", "to_date": "2026-12-31"}
MOST_CALLS = 4
QUOTED = 2
"""Quotations of one answer that the page shows."""


@dataclass
class Told:
    """One question while it is asked: its calls with their sizes, what the page says of the answers."""

    handler: ToolHandler
    calls: list[tuple[str, dict[str, Any], int, int]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def ask(self, operation: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Ask the facade and return the result."""
        facade = OPERATIONS[operation].facade
        given = {} if facade == STATUS else {"operation": operation, "arguments": dict(arguments or {})}
        outcome = self.handler.call(facade, given)
        if outcome.answer.structured is None:
            raise SystemExit(f"{operation}: {outcome.answer.error}")
        asked = estimate_tokens(json.dumps(given, separators=(",", ":")))
        self.calls.append((facade, given, asked, outcome.tokens))
        result: dict[str, Any] = outcome.answer.structured["result"]
        return result

    def say(self, line: str) -> None:
        """Add a line to the page."""
        self.lines.append(line)

    def quote(self, rows: Sequence[Mapping[str, Any]], count: int = QUOTED) -> None:
        """Quote the beginning of *rows*, with call, time and role of the speaker."""
        for row in rows[:count]:
            seconds = row["start_ms"] // 1000
            who = f"{row.get('speaker_role', 'unknown')} speaker, {row.get('account_industry', 'no industry')}"
            at = f"{seconds // 60}:{seconds % 60:02}"
            self.lines += ["", f"> {row['snippet']}", f"> — {who}, {row['call_ref']} at {at}"]
        self.lines.append("")


def _status(told: Told) -> None:
    status = told.ask("status.sync")
    told.say(
        f"{status['total_calls']} calls from {status['first_call_date']} to {status['last_call_date']}, "
        f"{status['total_transcripts']} with a transcript. {status['freshness_reason']}"
    )


def _industries(told: Told) -> None:
    answer = told.ask("query.dimension_counts", {"dimension": "industry", "filter": YEAR})
    told.say("; ".join(f"{_plain(row['value'])}: {row['call_count']}" for row in answer["results"]) + ".")


def _demand(told: Told) -> None:
    pack = told.ask("question.answer", {"question": "What do executives say about demand?", "filter": YEAR})
    _pack(told, pack)


def _by_industry(told: Told) -> None:
    answer = told.ask(
        "analyze.themes.compare", {"filter": YEAR, "theme_query": "supply chain", "dimension": "industry"}
    )
    told.say(f"{answer['theme_call_count']} of {answer['transcript_call_count']} calls with a transcript speak of it:")
    _shares(told, answer["results"])


def _technology(told: Told) -> None:
    pack = told.ask("analyze.discovery_summary", {"filter": {"industry": "tech"}})
    themes = ", ".join(f"{row['theme']} ({row['call_count']} calls)" for row in pack["themes"][:5])
    told.say(f"Said more often than in other calls: {themes}.")
    told.quote(pack["evidence"])
    _limits(told, pack)


def _lost(told: Told) -> None:
    lost = {"dimension_filters": [{"dimension": "won_lost", "values": ["lost"]}]}
    pack = told.ask("question.answer", {"question": "What do lost deals say about costs?", "filter": lost})
    _pack(told, pack)


def _questions(told: Told) -> None:
    answer = told.ask("extract.buyer_questions", {"filter": YEAR, "limit": 5})
    told.say(f"{answer['asked_count']} questions are asked by people who are not known to be internal.")
    told.quote(answer["results"])


def _objections(told: Told) -> None:
    answer = told.ask("extract.objection_signals", {"filter": YEAR, "limit": 5})
    told.say(f"{answer['objection_count']} places hold words of an objection, by topic packs.")
    told.quote(answer["results"])


def _one_call(told: Told) -> None:
    pack = told.ask("question.answer", {"question": "What is said about guidance?", "filter": YEAR, "limit": 3})
    call = pack["evidence"][0]["call_ref"]
    told.say(f"The best evidence comes from {call}; looked into:")
    looked = told.ask("evidence.call_drilldown", {"call_ref": call, "theme_query": "guidance", "limit": 3})
    told.quote(looked["results"])


def _halves(told: Told) -> None:
    first = {"from_date": "2026-01-01", "to_date": "2026-06-30"}
    second = {"from_date": "2026-07-01", "to_date": "2026-12-31"}
    pair = told.ask("analyze.cohort.compare", {"filter_a": first, "filter_b": second})
    sides = {row["side"]: row["coverage"]["call_count"] for row in pair["results"]}
    told.say(f"{sides['a']} calls in the first half, {sides['b']} in the second, {sides['both']} in both.")
    answer = told.ask("analyze.themes.compare", {"filter": YEAR, "theme_query": "growth", "dimension": "quarter"})
    _shares(told, answer["results"])
    limits = told.ask("limitations.explain", {"filter": YEAR})
    told.say("What this cannot show: " + "; ".join(row["code"].replace("_", " ") for row in limits["results"]) + ".")


def _shares(told: Told, rows: Sequence[Mapping[str, Any]]) -> None:
    told.lines += ["", "| Group | Calls | Speak of it | Share | 95 % interval |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        interval = f"{row['share_low']:.2f} to {row['share_high']:.2f}"
        told.say(
            f"| {_plain(row['value'])} | {row['call_count']} | {row['theme_call_count']} "
            f"| {row['share']:.2f} | {interval} |"
        )
    told.say("")


def _plain(value: str) -> str:
    return value.replace("<", "&lt;")


def _pack(told: Told, pack: Mapping[str, Any]) -> None:
    found = pack.get("found", {})
    told.say(
        f"Searched for `{pack['interpreted']['theme_query']}`. {found.get('theme_call_count', 0)} of "
        f"{found.get('transcript_call_count', 0)} calls with a transcript speak of it, in "
        f"{found.get('hit_count', 0)} places."
    )
    told.quote(pack.get("evidence", ()))
    if pack.get("counter_evidence"):
        told.say("Beside a word of contrast:")
        told.quote(pack["counter_evidence"], 1)
    _limits(told, pack)


def _limits(told: Told, pack: Mapping[str, Any]) -> None:
    codes = [line.partition(":")[0].replace("_", " ") for line in pack["limitations"]]
    told.say(f"Limitations told with it: {', '.join(codes)}.")


QUESTIONS: Sequence[tuple[str, Callable[[Told], None]]] = (
    ("What is cached, and how fresh is it?", _status),
    ("Which industries do the calls of this year come from?", _industries),
    ("What do executives say about demand?", _demand),
    ("Where is the supply chain spoken of more than elsewhere?", _by_industry),
    ("What sets the calls of technology companies apart?", _technology),
    ("What do lost deals say about costs?", _lost),
    ("Which questions do buyers ask?", _questions),
    ("Which objections are raised?", _objections),
    ("What exactly is said about guidance, and what stands around it?", _one_call),
    ("Did talk of growth change over the year, and what can that not show?", _halves),
)


def page(handler: ToolHandler) -> Iterator[str]:
    """Yield the lines of the page."""
    yield from INTRODUCTION
    listed = estimate_tokens(json.dumps([info.wire() for info in handler.listed()], separators=(",", ":")))
    yield f"Listing the six tools costs {listed:,} tokens. All figures are estimates ({ESTIMATOR})."
    total = 0
    for number, (question, asked) in enumerate(QUESTIONS, 1):
        told = Told(handler)
        asked(told)
        if len(told.calls) > MOST_CALLS:
            raise SystemExit(f"{question}: {len(told.calls)} calls, more than {MOST_CALLS}")
        yield from ("", f"## {number}. {question}", "")
        for facade, given, sent, received in told.calls:
            total += sent + received
            arguments = json.dumps(given, ensure_ascii=False)
            yield from (f"`{facade}`, {sent:,} tokens asked, {received:,} answered:", "")
            yield from ("```json", arguments, "```", "")
        yield from told.lines
    yield from ("", f"All ten questions together: {total:,} tokens asked and answered.")


INTRODUCTION = (
    "# Ten business questions",
    "",
    "Written by `scripts/build_walkthrough.py`: real calls of the [facade](facade.md) (preset `business-workbench`,",
    "provenance `alias`) over the bundled sample, at most four for a question. The sample is ten recorded earnings",
    "calls with made-up business data around them: few, so that shares are anecdotes, and the answers say so. Every",
    "quotation on this page was looked up with `gongctl evidence check` ([how](evidence-check.md)).",
    "",
)


def _tidy(lines: Iterator[str]) -> str:
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(line)
    return "\n".join(out).rstrip("\n") + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the page differs")
    check = parser.parse_args(arguments).check
    with sample_cache() as db, TemporaryDirectory() as folder:
        handler = build_handler(ServerSettings.resolve(POLICY, {}), db)
        text = _tidy(page(handler))
        made = Path(folder) / PAGE.name
        made.write_text(text, encoding="utf-8")
        report = check_files([made], db, handler)
    for finding in report.findings:
        if finding.verdict not in ("verbatim", "short") or finding.allowed is False:
            print(f"line {finding.quotation.line}: {finding.verdict}: {finding.quotation.text}")
    said = sum(finding.verdict == "verbatim" for finding in report.findings)
    print(f"{said} quotations are verbatim, of {len(report.findings)}.")
    if not report.holds or not said:
        return 1
    if check:
        differs = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text
        print("docs/walkthrough.md differs from the code" if differs else "docs/walkthrough.md is as the code makes it")
        return int(differs)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
