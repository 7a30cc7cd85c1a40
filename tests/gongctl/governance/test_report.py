"""What the reports say of a cache: scope by rule, the audit of a list, and why one call is not served."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongctl.cache.connection import reading
from gongctl.cache.secret import cache_secret
from gongctl.cache.upsert import import_records
from gongctl.cache.writer import CacheWriter
from gongctl.governance.explain import explain_call
from gongctl.governance.report import Audit, audit, rules_of, scope_report
from gongctl.ingest.normalise import records_of
from gongctl.ingest.records import Place
from gongmcp.errors import StartupRefusal
from gongmcp.exposure.aliases import call_ref
from gongmcp.governance.scope import Scope
from tests.gongctl.governance.planted import (
    BY_LIST,
    GERMAN,
    LIST,
    PRIVATE,
    SECRET,
    STAYING,
    build,
    call,
    listed,
    rewarm,
    rules_with,
    served,
)

ENGLISH = Scope(allow=(("languages", frozenset({"eng"})),))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return build(tmp_path / "c.db", listed(tmp_path))


def audited(cache: Path, tmp_path: Path, text: str = LIST) -> Audit:
    restricted = listed(tmp_path, text)
    with reading(cache) as connection:
        return audit(connection, rules_with(restricted), restricted)


def test_the_planted_calls_are_judged_as_they_were_planted(cache: Path) -> None:
    assert served(cache) == STAYING


def test_scope_counts_each_rule_and_the_list_before_it(cache: Path, tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    with reading(cache) as connection:
        found = scope_report(connection, rules_with(restricted))
    assert found.by_rule == {"scope.private_calls": len(PRIVATE - BY_LIST)}
    assert found.restricted == len(BY_LIST)
    assert (found.served, found.not_served) == (3, 10)
    assert found.standing.current


def test_scope_names_a_rule_that_took_nothing_and_one_that_took_calls(tmp_path: Path) -> None:
    scope = Scope(
        private_calls=True,
        allow=ENGLISH.allow,
        deny=(("purposes", frozenset({"training"})),),
        from_date="2026-03-02",
        to_date="2026-03-12",
    )
    cache = build(tmp_path / "c.db", None, scope)
    with reading(cache) as connection:
        found = scope_report(connection, rules_with(None, scope))
    assert found.by_rule == {
        "scope.languages": len(GERMAN),
        "scope.deny_purposes": 0,
        "scope.from_date": 1,
        "scope.to_date": 1,
    }
    assert list(rules_of(scope)) == list(found.by_rule)
    assert found.served == 13 - len(GERMAN) - 2
    assert found.served == len(served(cache))


def test_verdicts_of_other_settings_are_told_from_those_of_another_list(cache: Path, tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    with reading(cache) as connection:
        other = scope_report(connection, rules_with(restricted, ENGLISH)).standing
        unlisted = scope_report(connection, rules_with(None)).standing
    assert not other.settings_in_force
    assert "other settings" in other.reason()
    assert not unlisted.list_in_force
    assert unlisted.settings_in_force
    assert "another list" in unlisted.reason()


def test_what_was_imported_since_is_unjudged_and_absent(cache: Path, tmp_path: Path) -> None:
    with CacheWriter.open(cache) as writer:
        import_records(writer, [r for kind, value in call("14") for r in records_of(kind, value, Place("test"))])
    restricted = listed(tmp_path)
    with reading(cache) as connection:
        found = scope_report(connection, rules_with(restricted))
    assert (found.standing.calls, found.standing.unjudged, found.standing.stale) == (14, 1, 1)
    assert not found.standing.current
    assert "1 call is to be judged" in found.standing.reason()
    assert found.served + sum(found.by_rule.values()) + found.restricted + found.standing.unjudged == 14


def test_a_cache_that_was_never_warmed_has_no_verdicts(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "new.db", create=True):
        pass
    with reading(tmp_path / "new.db") as connection:
        found = scope_report(connection, rules_with(None))
    assert found.served == 0
    assert found.standing.reason() == "The calls have not all been judged yet."


def test_an_audit_counts_every_customer_in_every_source(cache: Path, tmp_path: Path) -> None:
    found = audited(cache, tmp_path)
    assert found.suppressed == len(BY_LIST)
    zebrafish, quokka, numbat = found.entries
    # 6 names all of Zebrafish's alias in its brief; 5 names both customers in what was said.
    assert zebrafish.sources == {"title": 1, "party": 1, "crm": 1, "transcript": 1, "ai": 1, "scorecard": 1}
    assert quokka.sources == {"transcript": 2, "ai": 1}
    assert numbat.sources == {"crm": 1, "payload": 1}
    assert [item.calls for item in found.entries] == [6, 3, 2]
    assert found.by_list == {"no_ai": 7, "notification_required": 2}
    assert found.by_source == {
        "title": 1, "party": 1, "crm": 2, "transcript": 2, "ai": 1, "scorecard": 1, "payload": 1
    }  # fmt: skip
    assert found.unmatched == []


def test_a_customer_is_unmatched_when_neither_its_name_nor_an_alias_is_found(cache: Path, tmp_path: Path) -> None:
    more = f"{LIST}      - name: Wombat Works\n        aliases: [Wombatica]\n"
    more += "      - name: Nobody At All\n        aliases: [Quokka]\n"
    restricted = listed(tmp_path, more)
    rewarm(cache, restricted)
    found = audited(cache, tmp_path, more)
    assert found.standing.current
    assert [item.entry.name for item in found.unmatched] == ["Wombat Works"]


def test_an_audit_of_another_list_says_that_it_was_not_judged(cache: Path, tmp_path: Path) -> None:
    found = audited(cache, tmp_path, LIST + "      - name: Globex\n")
    assert not found.standing.list_in_force
    assert found.suppressed == len(BY_LIST), "Globex is named in call 1, which the judged list does not suppress"


def test_a_report_without_names_holds_none(cache: Path, tmp_path: Path) -> None:
    found = audited(cache, tmp_path)
    said = str([entry.as_json(names=False) for entry in found.entries]).casefold()
    assert not any(name in said for name in ("zebrafish", "quokka", "numbat"))
    assert "zebrafish" in str([entry.as_json(names=True) for entry in found.entries]).casefold()


@pytest.mark.parametrize("by_alias", [False, True])
def test_why_a_call_is_suppressed_by_id_and_by_alias(cache: Path, tmp_path: Path, by_alias: bool) -> None:
    restricted = listed(tmp_path)
    reference = call_ref(cache_secret(SECRET), "5") if by_alias else "5"
    with reading(cache) as connection:
        found = explain_call(connection, reference, rules_with(restricted), restricted)
    assert (found.call_id, found.in_model, found.may_be_served) == ("5", False, False)
    assert found.scope is None
    assert found.verdict is not None
    assert found.verdict.startswith("list:")
    zebra, quokka = found.mentions
    assert (zebra.entry.name, zebra.term_kind, zebra.source) == ("Zebrafish Corporation", "aliases", "transcript")
    assert (zebra.before, zebra.text, zebra.after) == (
        "That is the plan of",
        "Zebra Rockets",
        "and of nobody else, said Quokka's",
    )
    assert (quokka.entry.name, quokka.count) == ("Quokka", 2)
    assert "scope" in found.as_json()


def test_a_call_that_scope_and_list_take_has_both_reasons(cache: Path, tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    with reading(cache) as connection:
        found = explain_call(connection, "8", rules_with(restricted), restricted)
    assert found.scope is not None
    assert (found.scope.rule, found.scope.value) == ("scope.private_calls", "1")
    assert [mention.entry.name for mention in found.mentions] == ["Quokka"]
    assert found.as_json()["verdict"] == "restricted_list"


def test_a_served_call_has_no_reason(cache: Path, tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    with reading(cache) as connection:
        found = explain_call(connection, "1", rules_with(restricted), restricted)
    assert (found.in_model, found.may_be_served, found.verdict, found.waiting) == (True, True, "", False)


@pytest.mark.parametrize("reference", ["99", "call_0123456789abcdef", "", "'; --"])
def test_a_call_that_is_not_there(cache: Path, tmp_path: Path, reference: str) -> None:
    restricted = listed(tmp_path)
    with reading(cache) as connection, pytest.raises(StartupRefusal, match="no such call"):
        explain_call(connection, reference, rules_with(restricted), restricted)


@pytest.mark.parametrize(
    ("scope", "number", "rule", "value"),
    [
        (ENGLISH, "9", "scope.languages", "deu"),
        (Scope(deny=(("languages", frozenset({"deu"})),)), "9", "scope.deny_languages", "deu"),
        (Scope(from_date="2026-03-02"), "1", "scope.from_date", "2026-03-01"),
        (Scope(to_date="2026-03-10"), "11", "scope.to_date", "2026-03-11"),
    ],
)
def test_a_scope_reason_tells_rule_and_fact(
    cache: Path, tmp_path: Path, scope: Scope, number: str, rule: str, value: str
) -> None:
    with reading(cache) as connection:
        found = explain_call(connection, number, rules_with(None, scope), None)
    assert found.scope is not None
    assert (found.scope.rule, found.scope.value) == (rule, value)
    assert found.scope.says
