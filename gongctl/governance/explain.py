"""Why one call is not served: the rule of the scope, the customers that it names, and where it names them.

For the operator's eyes: it quotes the call and the list. The call is judged here and now, by the list and the
settings given; ``in_model`` and ``verdict`` say what the cache holds, which may be older.
"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from gongctl.cache.derive import derive
from gongctl.governance.calls import CallPayloads, find_call, payloads_of, secret_of
from gongctl.governance.judge import Judge, Source, texts
from gongctl.governance.report import rules_of
from gongctl.governance.verdicts import LIST_RULE
from gongmcp.exposure.aliases import call_ref
from gongmcp.governance.names import Hit
from gongmcp.governance.restricted import Entry, RestrictedList
from gongmcp.governance.scope import FACTS, Scope
from gongmcp.store.crm_names import CrmNames
from gongmcp.store.model import ModelRules

WORDS_AROUND: Final = 6
_REACH: Final = 200
"""Characters on either side in which the words around are looked for."""
_WORD: Final = re.compile(r"\S+")


@dataclass(slots=True)
class Mention:
    """A customer named in a call: by what kind of term, in which source, how often, and the first place in its
    words: *before*, *text* and *after*."""

    entry: Entry
    term_kind: str
    source: Source
    before: str
    text: str
    after: str
    count: int = 1

    def as_json(self) -> dict[str, Any]:
        """Return the form of the report."""
        return {
            "list": self.entry.list,
            "customer": self.entry.index,
            "line": self.entry.line,
            "name": self.entry.name,
            "term": self.term_kind,
            "source": self.source,
            "count": self.count,
            "before": self.before,
            "text": self.text,
            "after": self.after,
        }


@dataclass(frozen=True, slots=True)
class ScopeReason:
    """The rule of the scope that leaves a call out, what it demands, and the call's *value* of that fact."""

    rule: str
    says: str
    value: str

    def as_json(self) -> dict[str, str]:
        """Return the form of the report."""
        return {"rule": self.rule, "says": self.says, "value": self.value}


@dataclass(frozen=True, slots=True)
class CallExplanation:
    """Why a call is served or not. *in_model* tells whether the cache serves it now; *verdict* is the rule that the
    cache holds of it (None = not judged, '' = served), *waiting* whether the next warm looks at it again."""

    call_id: str
    call_ref: str
    in_model: bool
    verdict: str | None
    waiting: bool
    scope: ScopeReason | None
    mentions: tuple[Mention, ...] = ()

    @property
    def may_be_served(self) -> bool:
        """Whether neither scope nor list stands against it."""
        return self.scope is None and not self.mentions

    def as_json(self) -> dict[str, Any]:
        """Return the form of ``gongctl governance explain --json``."""
        return {
            "call_id": self.call_id,
            "call_ref": self.call_ref,
            "served_now": self.in_model,
            "may_be_served": self.may_be_served,
            "verdict": verdict_name(self.verdict),
            "waiting": self.waiting,
            "scope": None if self.scope is None else self.scope.as_json(),
            "mentions": [mention.as_json() for mention in self.mentions],
        }


def verdict_name(rule: str | None) -> str:
    """Return a stored verdict as reports name it; the digest of a customer says nothing to a reader."""
    if rule is None:
        return "not_judged"
    return "restricted_list" if rule.startswith(LIST_RULE) else rule or "served"


def explain_call(
    connection: sqlite3.Connection, reference: str, rules: ModelRules, restricted: RestrictedList | None
) -> CallExplanation:
    """Return why the imported call that *reference* (an id or an alias) names is served or not.

    Without *restricted* the scope alone is looked at.

    Raises:
        StartupRefusal: the cache has no such call.
    """
    call_id = find_call(connection, reference)
    secret = secret_of(connection)
    payloads = payloads_of(connection, call_id)
    verdict = connection.execute("SELECT rule FROM verdicts WHERE call_id = ?", (call_id,)).fetchone()
    return CallExplanation(
        call_id,
        call_ref(secret, call_id),
        _is_in(connection, "call_facts", call_id),
        None if verdict is None else verdict[0],
        _is_in(connection, "dirty_calls", call_id) or _is_in(connection, "rejudge", call_id),
        scope_reason(payloads, secret, rules.scope, rules.names),
        () if restricted is None else tuple(mentions(payloads, restricted)),
    )


def _is_in(connection: sqlite3.Connection, table: str, call_id: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} WHERE call_id = ?", (call_id,)).fetchone() is not None


def scope_reason(payloads: CallPayloads, secret: bytes, scope: Scope, names: CrmNames) -> ScopeReason | None:
    """Return why *scope* leaves a call out, None when it does not. No rule of it looks at the transcript."""
    facts = derive(payloads.call, None, secret, payloads.imported_at, (), names).facts
    rule = scope.excludes(facts)
    if rule is None:
        return None
    key = rule.removeprefix("scope.").removeprefix("deny_")
    column = FACTS.get(key) or ("is_private" if key == "private_calls" else "call_date")
    return ScopeReason(rule, rules_of(scope)[rule], str(facts[column]))


def mentions(payloads: CallPayloads, restricted: RestrictedList) -> list[Mention]:
    """Return who is named in a call, once for each customer, kind of term and source, in the order of the finds."""
    matcher = Judge(restricted).matcher
    found: dict[tuple[str, int, str, str], Mention] = {}
    for source, text in texts(payloads.call, payloads.transcript, payloads.answered):
        if not matcher.hits(text):
            continue
        for hit in matcher.find(text):
            key = (hit.entry.list, hit.entry.index, hit.term_kind.value, source)
            if key in found:
                found[key].count += 1
            else:
                found[key] = Mention(hit.entry, hit.term_kind.value, source, *_in_its_words(text, hit))
    return list(found.values())


def _in_its_words(text: str, hit: Hit) -> tuple[str, str, str]:
    before = _WORD.findall(text[max(0, hit.start - _REACH) : hit.start])[-WORDS_AROUND:]
    after = _WORD.findall(text[hit.end : hit.end + _REACH])[:WORDS_AROUND]
    return " ".join(before), text[hit.start : hit.end], " ".join(after)
