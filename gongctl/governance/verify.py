"""Verify: run every tool of a policy with probing arguments, and report what left that must not.

The tools run through the handler that agents are served by, with the evidence budget raised. What is looked for:
names of the restricted list (``name``), ids, aliases and titles of calls that scope or list suppress
(``suppressed_call``), ids that the policy withholds (``withheld_id``), personal data that masking should have taken
(``personal_data``), restricted names that read in another way than names nobody has (``told_apart``), faults
(``fault``). A report quotes nothing of what it found: it names tool, place and rule.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import reading
from gongctl.cache.deriver import decode_payload
from gongctl.governance.probes import CacheValues, argument_sets, text_arguments, twin_of, without_words
from gongmcp.catalog.declaration import Level
from gongmcp.catalog.registry import catalog
from gongmcp.errors import ToolFault, UnknownResource
from gongmcp.exposure.aliases import call_ref
from gongmcp.exposure.fields import Field, Provenance
from gongmcp.exposure.kinds import MASKED_KINDS
from gongmcp.exposure.masking import mask
from gongmcp.exposure.policy import EvidenceLimits
from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import RestrictedList
from gongmcp.handler import ToolHandler, ToolInfo, build_handler
from gongmcp.render.answer import Answer
from gongmcp.render.wire import result_bytes
from gongmcp.settings import ServerSettings

NAMES_TRIED: Final = 20
"""Entries of the list that are also asked for by name; all of them are looked for in every answer."""

_ECHOES: Final = frozenset(
    {
        *("searched", "query_understood", "theme_understood", "call_refs_not_found"),
        *("normalized_filter", "normalized_filter_a", "normalized_filter_b"),
    }
)
_NOT_TEXT: Final = re.compile(
    r"(_id|_id_[ab]|_ids|_refs?|_at|_date|_time|_ms|as_of|cursor|cohort_token|generation|sha256|hint|url)$"
)
_COHORT_NAMES: Final = re.compile(r"cohort_(?:[0-9a-f]{16}|token[^\w-]+[\w-]+)")
_UNLIMITED: Final = EvidenceLimits(1_000_000, 1_000_000, 100)
_SHORTEST_ID: Final = 6
_CALL_ID: Final = "call id"


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that must not leave, and did. *place* is where in the answer; *what* names no value."""

    kind: str
    tool: str
    place: str
    what: str
    arguments: tuple[str, ...] = ()


@dataclass(slots=True)
class ToolVerdict:
    """What was asked of one tool, and how many of the calls returned rows or an error."""

    tool: str
    calls: int = 0
    with_rows: int = 0
    errors: int = 0
    hits: int = 0


@dataclass(slots=True)
class VerifyReport:
    """What a verification saw. *hits* holds each distinct one once."""

    preset: str
    policy: str
    governed: bool
    calls_served: int
    calls_suppressed: int
    tools: list[ToolVerdict] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """How many calls of tools were made."""
        return sum(tool.calls for tool in self.tools)

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "preset": self.preset,
            "policy": self.policy,
            "governed": self.governed,
            "calls_served": self.calls_served,
            "calls_suppressed": self.calls_suppressed,
            "calls": self.calls,
            "hits": len(self.hits),
            "by_kind": dict(sorted(Counter(hit.kind for hit in self.hits).items())),
            "tools": [asdict(tool) for tool in self.tools],
            "found": [asdict(hit) | {"arguments": list(hit.arguments)} for hit in self.hits],
        }


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """Values that no answer may hold: text to (kind, what it is)."""

    values: Mapping[str, tuple[str, str]]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, values: Mapping[str, tuple[str, str]]) -> _Forbidden:
        known = {text: what for text, what in values.items() if len(text) >= _SHORTEST_ID}
        # The longest first, so that an id is not taken for the beginning of another.
        parts = "|".join(re.escape(text) for text in sorted(known, key=len, reverse=True))
        return cls(known, re.compile(rf"(?<!\w)(?:{parts})(?!\w)") if parts else None)

    def find(self, text: str) -> Iterator[tuple[str, str, str]]:
        if self.pattern is not None:
            for found in self.pattern.finditer(text):
                yield (found.group(), *self.values[found.group()])


def verify(settings: ServerSettings, db: Path, *, sets: int = 40) -> VerifyReport:
    """Run every tool that *settings* allow over the cache *db* with *sets* drawn sets of arguments and the examples.

    Raises:
        StartupRefusal: the cache cannot be read.
    """
    policy = replace(settings.policy, evidence=_UNLIMITED)
    handler = build_handler(replace(settings, policy=policy), db)
    with reading(db) as connection:
        values = CacheValues.read(connection)
        forbidden = _Forbidden.of(dict(_forbidden(connection, settings)))
        served, suppressed = connection.execute(
            "SELECT (SELECT count(*) FROM call_facts), (SELECT count(*) FROM verdicts WHERE suppressed = 1)"
        ).fetchone()
    report = VerifyReport(
        settings.policy.preset or "",
        settings.policy.digest(),
        settings.restricted is not None,
        served,
        suppressed,
    )
    run = _Run(handler, settings.restricted, forbidden, report)
    for info in handler.tools():
        run.tool(info, values, sets)
    run.offers()
    return report


def _forbidden(connection: sqlite3.Connection, settings: ServerSettings) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield every text that may not leave as it is, with its kind and what it is."""
    (stored,) = connection.execute("SELECT value FROM meta WHERE key = 'secret'").fetchone()
    secret = bytes.fromhex(stored)
    if settings.policy.provenance is not Provenance.RAW:
        for sql, what in (
            ("SELECT call_id FROM call_facts", _CALL_ID),
            ("SELECT DISTINCT speaker_id FROM parties WHERE speaker_id <> ''", "speaker id"),
        ):
            for (value,) in connection.execute(sql):
                yield value, ("withheld_id", what)
    if settings.policy.provenance is Provenance.REDACTED:
        for (value,) in connection.execute("SELECT DISTINCT speaker_ref FROM parties WHERE speaker_ref <> ''"):
            yield value, ("withheld_id", "speaker alias")
    shown = {title for (title,) in connection.execute("SELECT title FROM call_facts")}
    rows = connection.execute(
        """SELECT v.call_id, v.rule, c.payload FROM verdicts AS v JOIN raw_calls AS c USING (call_id)
           WHERE v.suppressed = 1"""
    )
    for call_id, rule, payload in rows:
        rule = "the restricted list" if rule.startswith("list:") else rule
        yield call_id, ("suppressed_call", f"id of a call that {rule} suppresses")
        yield call_ref(secret, call_id), ("suppressed_call", f"alias of a call that {rule} suppresses")
        call = decode_payload(payload)
        title = (call.get("metaData") or call).get("title")
        if isinstance(title, str) and len(title) > 8 and title not in shown:
            yield title, ("suppressed_call", f"title of a call that {rule} suppresses")


class _Run:
    def __init__(
        self, handler: ToolHandler, restricted: RestrictedList | None, forbidden: _Forbidden, report: VerifyReport
    ) -> None:
        self._handler = handler
        self._restricted = restricted
        self._matcher = None if restricted is None else Matcher(restricted)
        self._forbidden = forbidden
        self._report = report
        self._levels = {info.name: info.level for info in handler.tools()}
        self._known: set[tuple[str, str, str, str]] = set()

    def tool(self, info: ToolInfo, values: CacheValues, sets: int) -> None:
        """Probe one tool."""
        verdict = ToolVerdict(info.name)
        self._report.tools.append(verdict)
        for arguments in (*map(dict, catalog()[info.name].examples), *argument_sets(info, values, sets)):
            answer = self._ask(verdict, arguments)
            self._look(verdict, answer, arguments)
            cursor = (answer.structured or {}).get("next_cursor")
            if cursor:
                again = {**arguments, "cursor": cursor}
                self._look(verdict, self._ask(verdict, again), again)
        self._twins(verdict, info)

    def _twins(self, verdict: ToolVerdict, info: ToolInfo) -> None:
        """Ask for names of the list, and for names of their shape that nobody has."""
        draw = random.Random(info.name)
        for entry in (self._restricted.entries if self._restricted is not None else ())[:NAMES_TRIED]:
            twin = twin_of(entry.name, draw)
            while self._matcher is not None and self._matcher.hits(twin):
                twin = twin_of(entry.name, draw)
            for arguments, other in zip(text_arguments(info, entry.name), text_arguments(info, twin), strict=True):
                answer = self._ask(verdict, arguments)
                self._look(verdict, answer, arguments)
                faulty = answer.error is not None and answer.error["code"] == "internal_error"
                if faulty:
                    continue
                names = (entry.name, twin)
                if _without(answer, names) != _without(self._ask(verdict, other), names):
                    what = f"{entry} reads in another way than a name that nobody has"
                    self._add(verdict, Hit("told_apart", info.name, "answer", what, tuple(arguments)))

    def offers(self) -> None:
        """Look at what leaves beside the tools' answers: instructions, resources, completions."""
        verdict = ToolVerdict("(offers)")
        self._report.tools.append(verdict)
        self._look_at(verdict, "instructions", [("", self._handler.instructions())], (), names_only=True)
        for item in self._handler.resources():
            try:
                body = self._handler.read_resource(item.uri)
            except (UnknownResource, ToolFault):  # nothing is there under this policy
                continue
            verdict.calls += 1
            self._look_at(verdict, item.uri, _places(json.loads(body.text), ""), ())
        for info in self._handler.tools():
            for argument in info.input_schema["properties"]:
                verdict.calls += 1
                offered = self._handler.complete(info.name, argument)
                self._look_at(verdict, f"completion of {info.name}", [(argument, value) for value in offered], ())

    def _ask(self, verdict: ToolVerdict, arguments: Mapping[str, Any]) -> Answer:
        outcome = self._handler.call(verdict.tool, arguments)
        verdict.calls += 1
        verdict.with_rows += outcome.rows > 0
        error = outcome.answer.error
        verdict.errors += error is not None
        if error is not None and error["code"] == "internal_error":
            self._add(verdict, Hit("fault", verdict.tool, "error", "an unexpected fault", tuple(arguments)))
        return outcome.answer

    def _look(self, verdict: ToolVerdict, answer: Answer, arguments: Mapping[str, Any]) -> None:
        of_data = {
            name: value
            for name, value in (answer.structured or {}).items()
            if name not in _ECHOES and value != arguments.get(name, verdict)
        }
        asked = json.dumps(arguments, ensure_ascii=False, default=str)
        if self._matcher is None or not self._matcher.hits(asked):
            # The text repeats the structure, so it is looked at as a whole, and only where no argument names anybody.
            self._look_at(verdict, verdict.tool, [("text", answer.text)], arguments, names_only=True)
        self._look_at(verdict, verdict.tool, _places(of_data, ""), arguments)
        self._look_at(verdict, verdict.tool, _places(answer.error or {}, "error"), arguments)

    def _look_at(
        self,
        verdict: ToolVerdict,
        tool: str,
        places: Iterable[tuple[str, str]],
        arguments: Iterable[str] | Mapping[str, Any],
        *,
        names_only: bool = False,
    ) -> None:
        own = arguments if isinstance(arguments, Mapping) else {}
        said = {str(value) for value in own.values()}
        for place, text in places:
            if self._matcher is not None and text not in said and self._matcher.hits(text):
                entry = self._matcher.find(text)[0].entry
                self._add(verdict, Hit("name", tool, place, str(entry), tuple(own)))
            if names_only:
                continue
            for value, kind, what in self._forbidden.find(text):
                if value not in said and not (what == _CALL_ID and self._asked_for_ids(tool, own)):
                    self._add(verdict, Hit(kind, tool, place, what, tuple(own)))
            if text not in said and not _NOT_TEXT.search(place):
                for span in mask(text).spans:
                    if span.kind in MASKED_KINDS:
                        self._add(verdict, Hit("personal_data", tool, place, MASKED_KINDS[span.kind], tuple(own)))

    def _asked_for_ids(self, tool: str, own: Mapping[str, Any]) -> bool:
        """Tell whether the tool shows call ids to who asks for them: those that quote nobody do, unless hidden."""
        if self._handler.policy.hides([Field.CALL_ID]) or tool not in self._levels:
            return False
        return self._levels[tool] != Level.SNIPPET.value and bool(own.get("include_call_ids"))

    def _add(self, verdict: ToolVerdict, hit: Hit) -> None:
        key = (hit.kind, hit.tool, hit.place, hit.what)
        if key not in self._known:
            self._known.add(key)
            self._report.hits.append(hit)
            verdict.hits += 1


def _places(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield (place, text) of every text of a JSON value; items of a list share their place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name not in _ECHOES:
                yield from _places(item, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _places(item, place)


def _without(answer: Answer, names: Sequence[str]) -> str:
    """Return the bytes of an answer without what was asked for: the words of *names*, and cohorts made of them."""
    text = result_bytes(answer).decode("utf-8", "replace")
    return without_words(_COHORT_NAMES.sub("\0", text), names)
