"""Asking the facade for a page of the documents: calls with their sizes, and what the page says of the answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gongmcp.catalog.operations import OPERATIONS, STATUS
from gongmcp.handler import ToolHandler
from gongmcp.render.size import ESTIMATOR, estimate_tokens

POLICY: Final = {"tool_preset": "business-workbench", "provenance": "alias"}
YEAR: Final = {"from_date": "2026-01-01", "to_date": "2026-12-31"}
MOST_CALLS: Final = 4
QUOTED: Final = 2
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


Asked = Callable[[Told], None]
"""Asks one question and says what was answered."""


def shares(told: Told, rows: Sequence[Mapping[str, Any]]) -> None:
    told.lines += ["", "| Group | Calls | Speak of it | Share | 95 % interval |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        interval = f"{row['share_low']:.2f} to {row['share_high']:.2f}"
        told.say(
            f"| {plain(row['value'])} | {row['call_count']} | {row['theme_call_count']} "
            f"| {row['share']:.2f} | {interval} |"
        )
    told.say("")


def plain(value: str) -> str:
    return value.replace("<", "&lt;")


def pack_told(told: Told, pack: Mapping[str, Any]) -> None:
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
    limits_told(told, pack)


def limits_told(told: Told, pack: Mapping[str, Any]) -> None:
    codes = [line.partition(":")[0].replace("_", " ") for line in pack["limitations"]]
    told.say(f"Limitations told with it: {', '.join(codes)}.")


def page(handler: ToolHandler, introduction: Sequence[str], questions: Sequence[tuple[str, Asked]]) -> str:
    """Return the page: *introduction*, then each of *questions* with its calls and what was answered."""
    return _tidy(_lines(handler, introduction, questions))


def _lines(handler: ToolHandler, introduction: Sequence[str], questions: Sequence[tuple[str, Asked]]) -> Iterator[str]:
    yield from introduction
    listed = estimate_tokens(json.dumps([info.wire() for info in handler.listed()], separators=(",", ":")))
    yield f"Listing the six tools costs {listed:,} tokens. All figures are estimates ({ESTIMATOR})."
    total = 0
    for number, (question, asked) in enumerate(questions, 1):
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


def _tidy(lines: Iterator[str]) -> str:
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(line)
    return "\n".join(out).rstrip("\n") + "\n"
