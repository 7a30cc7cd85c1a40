"""The restricted list's file: what it may hold, and that no message quotes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongmcp.errors import Exit, StartupRefusal
from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import LISTS, RestrictedList, read_restricted_list
from gongmcp.governance.terms import Kind

FULL = """\
version: 1
lists:
  no_ai:
    description: Customers that opted out
    action: suppress
    customers:
      - name: Zebrafish Corporation
        aliases: [Zebra Rockets, "ZFC"]
        domains: [zebrafish.example]
        email_fragments: ["@zebra-"]
        crm_object_ids: ["0015000000AbCdE"]
        reason: clause 12
        notes:
      - name: Quokka
  notification_required:
    customers:
      - name: Numbat
        aliases:
"""


def read(tmp_path: Path, text: str | bytes) -> RestrictedList:
    path = tmp_path / "list.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_restricted_list(path)


def refusal(tmp_path: Path, text: str | bytes) -> StartupRefusal:
    with pytest.raises(StartupRefusal) as refused:
        read(tmp_path, text)
    assert refused.value.exit_code is Exit.USAGE
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    return refused.value


def test_everything_that_the_file_may_hold(tmp_path: Path) -> None:
    found = read(tmp_path, FULL)
    assert [(entry.list, entry.index, entry.line, entry.name) for entry in found.entries] == [
        ("no_ai", 1, 7, "Zebrafish Corporation"),
        ("no_ai", 2, 14, "Quokka"),
        ("notification_required", 1, 17, "Numbat"),
    ]
    assert [term.kind for term in found.entries[0].terms] == [
        Kind.NAME,
        Kind.ALIAS,
        Kind.ALIAS,
        Kind.DOMAIN,
        Kind.EMAIL_FRAGMENT,
        Kind.CRM_OBJECT_ID,
    ]
    assert found.warnings == ()
    judge = Matcher(found)
    kinds = {"Zebrafish": Kind.NAME, "zfc": Kind.ALIAS, "zebrafish dot example": Kind.DOMAIN, "Numbat": Kind.NAME}
    for text, kind in kinds.items():
        assert kind in {hit.term_kind for hit in judge.find(text)}, text


def test_nothing_shows_a_name_by_accident(tmp_path: Path) -> None:
    found = read(tmp_path, FULL)
    assert str(found.entries[0]) == "no_ai, customer 1 (line 7)"
    shown = f"{found!r} {found.entries!r} {found.entries[0]} {Matcher(found).find('Quokka')!r}".lower()
    assert "no_ai" in shown
    for secret in ("zebra", "quokka", "numbat", "zfc", "0015"):
        assert secret not in shown


BASE = "version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Quokka\n"

BROKEN = [
    ("", 1, "empty"),
    ("version: 1\n", 1, "lists is missing"),
    ("lists: {}\n", 1, "version is missing"),
    ("version: 2\nlists: {}\n", 1, "version must be 1"),
    ("version: '1'\nlists: {}\n", 1, "version must be 1"),
    ("version: 1.0\nlists: {}\n", 1, "version must be 1"),
    ("version: 1\nlists: {}\n", 2, "no list"),
    ("version: 1\nlists: []\n", 2, "must be a map"),
    ("version: 1\nlists:\n  no_ai:\n    customers: []\n", 3, "no customer"),
    ("version: 1\nlists:\n  no_ai:\n    action: x\n", 4, "customers is missing"),
    ("version: 1\nlists:\n  zebra:\n    customers: []\n", 3, "not known"),
    ("version: 1\nzebra: 1\nlists: {}\n", 2, "not known"),
    ("zebra\n", 1, "must be a map"),
    ("- zebra\n", 1, "must be a map"),
    (BASE + "        zebra: x\n", 6, "no_ai, customer 1: this key is not known"),
    (BASE + "        zebra numbat: x\n", 6, "not known"),
    (BASE + "        [zebra]: x\n", 6, "not known"),
    (BASE + "        name: Zebra\n", 6, "the key name stands twice"),
    (BASE + "      - aliases: [Zebra]\n", 6, "no_ai, customer 2: the key name is missing"),
    (BASE + "      - Zebra\n", 6, "no_ai, customer 2 must be a map"),
    (BASE + "      - name: [Zebra]\n", 6, "no_ai, customer 2, name must be text"),
    (BASE + "      - name: 360\n", 6, "quotes"),
    (BASE + "      - name: true\n", 6, "quotes"),
    (BASE + "      - name:\n", 6, "must be text"),
    (BASE + "      - name: ''\n", 6, "blank"),
    (BASE + "      - name: '  '\n", 6, "blank"),
    (BASE + "      - name: !zebra Zebra\n", 6, "must be text"),
    (BASE + "        aliases: Zebra\n", 6, "no_ai, customer 1, aliases must be a list"),
    (BASE + "        aliases: [Zebra, 7]\n", 6, "alias 2 must be text"),
    (BASE + "        aliases:\n        - Zebra\n        - [Zebra]\n", 8, "alias 2 must be text"),
    (BASE + "        aliases: !!set {Zebra}\n", 6, "must be a list"),
    (BASE + "        crm_object_ids: [00712345]\n", 6, "CRM object id 1 must be text"),
    (BASE + "        reason: [Zebra]\n", 6, "no_ai, customer 1, reason must be text"),
    (BASE + "        reason: 7\n", 6, "quotes"),
    (BASE + f"      - name: {'Zebra ' * 50}\n", 6, "more than 200 characters"),
    (BASE + "      - name: the\n", 6, "no_ai, customer 2: nothing of it can be looked for"),
    (BASE + "      - name: Inc.\n        aliases: [a, at]\n        domains: [zebra]\n", 6, "nothing of it"),
    (BASE + "      - name: *zebra\n", 6, "no YAML"),
    (BASE + "      - name: 'Zebra\n", 7, "no YAML"),
    (BASE + "    \tzebra: [\n", 6, "no YAML"),
    (BASE + "---\nzebra: 1\n", 6, "no YAML"),
    (BASE + '      - name: "\\Uffffffff"\n', 1, "no YAML"),
    (BASE.encode() + b"      - name: Z\xffbra\n", 6, "UTF-8"),
    (BASE + "      - name: Ze\x00bra\n", 6, "control character"),
    ("version: 1\nlists: " + "[" * 3000, 2, "no YAML"),
]


@pytest.mark.parametrize(("text", "line", "said"), BROKEN)
def test_what_is_refused_names_the_line_and_quotes_nothing(
    tmp_path: Path, text: str | bytes, line: int, said: str
) -> None:
    refused = refusal(tmp_path, text)
    assert refused.message.startswith(f"list.yaml:{line}: ")
    assert said in f"{refused.message} {refused.hint}"
    assert refused.hint
    for secret in ("zebra", "quokka", "numbat", "360", "00712345", str(tmp_path)):
        assert secret not in f"{refused.message} {refused.hint}".lower()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.yaml", tmp_path):
        with pytest.raises(StartupRefusal) as refused:
            read_restricted_list(path)
        assert path.name in refused.value.message
        assert str(tmp_path.parent) not in refused.value.message


def test_a_term_that_cannot_be_looked_for_is_a_warning_beside_another(tmp_path: Path) -> None:
    found = read(tmp_path, BASE + "        aliases: [the, Quokka Rockets, Q]\n        domains:\n        - zebra\n")
    assert found.warnings == (
        "list.yaml: no_ai, customer 1 (line 6): alias 1 cannot be looked for: "
        "it is made of words that are in every text.",
        "list.yaml: no_ai, customer 1 (line 6): alias 3 cannot be looked for: it is a single character.",
        "list.yaml: no_ai, customer 1 (line 8): domain 1 cannot be looked for: "
        "it has no dot: a domain is wanted, such as example.com.",
    )
    assert not Matcher(found).hits("the question")
    assert Matcher(found).hits("quokka")


def test_a_term_that_finds_much_is_a_warning(tmp_path: Path) -> None:
    (warning,) = read(tmp_path, BASE + "      - name: Target\n").warnings
    assert warning == (
        "list.yaml: no_ai, customer 2 (line 6): its name is looked for, "
        "but it is an ordinary word: every text that holds it counts."
    )


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbf" + BASE.replace("\n", "\r\n").encode()).digest == read(tmp_path, BASE).digest


SAME = [
    FULL.replace("clause 12", "clause 13").replace("notes:", "notes: later"),
    FULL.replace('[Zebra Rockets, "ZFC"]', "[ZFC, zebra-rockets, ZFC]"),
    FULL.replace("Customers that opted out", "Others"),
    FULL.replace("zebrafish.example]", "https://www.ZEBRAFISH.example/]"),
    "# a comment\n" + FULL,
]
OTHER = [
    FULL.replace("ZFC", "ZFD"),
    FULL.replace("zebrafish.example", "zebrafish.test"),
    FULL.replace("@zebra-", "@zebra"),
    FULL.replace("AbCdE", "abcde"),
    FULL.replace("Quokka", "Quoll"),
    FULL.replace("  notification_required:\n    customers:\n", "").replace("Numbat\n        aliases:", "Numbat"),
]


@pytest.mark.parametrize("text", SAME)
def test_the_digest_stands_for_what_is_looked_for(tmp_path: Path, text: str) -> None:
    assert text != FULL
    assert read(tmp_path, text).digest == read(tmp_path, FULL).digest


@pytest.mark.parametrize("text", OTHER)
def test_the_digest_changes_with_what_is_looked_for(tmp_path: Path, text: str) -> None:
    assert text != FULL
    assert read(tmp_path, text).digest != read(tmp_path, FULL).digest


def test_the_digest_is_blind_to_order(tmp_path: Path) -> None:
    found = read(tmp_path, FULL)
    assert RestrictedList(found.entries[::-1]).digest == found.digest
    assert RestrictedList(found.entries[1:]).digest != found.digest
    assert len(found.digest) == 64


def test_a_stricter_list_covers_the_one_before(tmp_path: Path) -> None:
    full, base = read(tmp_path, FULL), read(tmp_path, BASE)
    assert full.covers(base)
    assert full.covers(full)
    assert not base.covers(full)
    moved = read(tmp_path, BASE.replace("no_ai", "notification_required"))
    assert base.covers(moved)


def test_lists_are_the_two() -> None:
    assert LISTS == ("no_ai", "notification_required")
