"""Blocking a customer: the file keeps its form, the model is tightened, a running server follows; nothing is half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl.cache.connection import reading
from gongctl.cache.verify import recount
from gongctl.cache.writer import CacheWriter
from gongctl.governance import block as block_module
from gongctl.governance.block import Blocked, add_to_list, check_before, tighten
from gongctl.governance.report import standing
from gongmcp.errors import StartupRefusal
from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import read_restricted_list
from gongmcp.governance.scope import Scope
from tests.gongctl.governance.planted import LIST, STAYING, build, listed, rewarm, rules_with, served, write_list
from tests.gongmcp.stdio_process import ROOT, Server, environment

GLOBEX = Blocked("Globex")
CRLF = LIST.replace("\n", "\r\n")
NO_SPACE = """\
version: 1
lists:
 no_ai:
  customers:
  - {name: Wallaby Works, aliases: [Uno]}   # in one line
  - name: Bilby Works
"""
FLOW = "{version: 1, lists: {no_ai: {customers: [{name: Wallaby Works}]}}}\n"
OTHER_LIST = "version: 1\nlists:\n  notification_required:\n    customers:\n      - name: Numbat\n"
EMPTY_LIST = (
    "version: 1\nlists:\n  no_ai:\n    customers:\n  notification_required:\n    customers:\n      - name: Numbat\n"
)


def added(tmp_path: Path, text: str, customer: Blocked = GLOBEX) -> str:
    """Return the bytes of a list with *customer*, as text."""
    path = tmp_path / "list.yaml"
    path.write_bytes(text.encode("utf-8"))
    assert add_to_list(path, customer)
    return path.read_bytes().decode("utf-8")


def test_comments_order_and_quotes_stay(tmp_path: Path) -> None:
    found = added(tmp_path, LIST, Blocked("Globex", ("Globex 9", "null"), ("globex.example",), "they: #asked"))
    entry = (
        '      - name: "Globex"\n'
        '        aliases: ["Globex 9", "null"]\n'
        '        domains: ["globex.example"]\n'
        '        reason: "they: #asked"\n'
    )
    assert found == LIST.replace("  notification_required:", f"{entry}  notification_required:")


@pytest.mark.parametrize("text", [LIST, CRLF, "\ufeff" + LIST, NO_SPACE, FLOW, OTHER_LIST, EMPTY_LIST])
def test_lists_of_any_form_keep_what_they_hold(tmp_path: Path, text: str) -> None:
    found = added(tmp_path, text)
    now = read_restricted_list(tmp_path / "list.yaml")
    assert [entry.name for entry in now.entries if entry.list == "no_ai"][-1] == "Globex"
    before = listed(tmp_path, text) if not text.startswith("\ufeff") else listed(tmp_path, text[1:])
    assert now.covers(before)
    assert len(now.entries) == len(before.entries) + 1
    for line in text.split("\r\n" if "\r\n" in text else "\n"):
        if "#" in line:
            assert line in found, "a comment is lost or has moved"
    assert ("\r\n" in found) == ("\r\n" in text)
    assert "\n" not in found.replace("\r\n", "") or "\r\n" not in text
    assert found.startswith("\ufeff") == text.startswith("\ufeff")


COMMENTS = """\
version: 1
lists:
  no_ai:
    customers:
      - name: Quokka  # eol
        aliases: [Bilby Works,
                  Wallaby Works]   # behind brackets
      # the end of no_ai

  # the second list
  notification_required:
    customers:
      - name: Numbat
"""
DEEP = """\
version: 1
lists:
    no_ai:
        customers:
        - name: Quokka
          aliases:
            - Bilby Works
            - >-  # not this one
              Wallaby
              Works
        - name: Numbat of
           the north # here
          aliases: &them
            - Echidna # and here

# the end
"""
WITHOUT_END = "version: 1\nlists:\n  no_ai:\n    customers:\n      - name: Quokka"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "last", "column"),
    [
        (LIST, "      - name: 'Quokka'", 6),
        (COMMENTS, "                  Wallaby Works]   # behind brackets", 6),
        (DEEP, "            - Echidna # and here", 8),
        (NO_SPACE, "  - name: Bilby Works", 2),
        (WITHOUT_END, "      - name: Quokka", 6),
    ],
)
def test_nothing_but_the_new_lines_is_new(tmp_path: Path, text: str, last: str, column: int, newline: str) -> None:
    if newline == "\r\n" and text is WITHOUT_END:
        text += "\n"
    found = added(tmp_path, text.replace("\n", newline), Blocked("Globex", ("Globex Nine",)))
    indent = " " * column
    entry = f'{indent}- name: "Globex"\n{indent}  aliases: ["Globex Nine"]'
    expected = text.replace(last, f"{last}\n{entry}")
    assert found == (expected if expected.endswith("\n") else expected + "\n").replace("\n", newline)


LAST_IS_ALIAS = """\
version: 1
lists:
  notification_required:
    customers:
      - &them {name: Numbat}  # kept
  no_ai:
    customers:
      - name: Quokka
      - *them
"""
LAST_IS_FOLDED = """\
version: 1
lists:
  no_ai:
    customers:
      - name: >-
          Quokka of
          the north
"""


@pytest.mark.parametrize("text", [LAST_IS_ALIAS, LAST_IS_FOLDED])
def test_where_a_line_cannot_be_put_the_file_is_written_again(tmp_path: Path, text: str) -> None:
    found = added(tmp_path, text)
    now = read_restricted_list(tmp_path / "list.yaml")
    assert now.covers(listed(tmp_path, text))
    assert [entry.name for entry in now.entries if entry.list == "no_ai"][-1] == "Globex"
    assert all(line in found for line in text.splitlines() if "#" in line)


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(name=NAMES, alias=NAMES)
def test_whatever_was_added_is_found_afterwards(
    tmp_path_factory: pytest.TempPathFactory, name: str, alias: str
) -> None:
    customer = Blocked(f"{name} Globex", (f"{alias} Wombatica",))
    try:
        customer.terms()
    except StartupRefusal:
        return
    folder = tmp_path_factory.mktemp("list")
    added(folder, LIST, customer)
    now = read_restricted_list(folder / "list.yaml")
    assert now.covers(listed(folder))
    (entry,) = [entry for entry in now.entries if entry.index == 3]
    assert entry.name == customer.name
    assert Matcher(now).hits(f"we met {customer.name} today")


def test_what_is_looked_for_already_changes_nothing(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.yaml")
    before = path.stat()
    assert not add_to_list(path, Blocked("zebrafish", ("ZEBRA ROCKETS",)))
    assert path.stat() == before
    assert path.read_text() == LIST


@pytest.mark.parametrize(
    ("customer", "says"),
    [
        (Blocked("a"), "the name cannot be looked for, because"),
        (Blocked("Inc."), "the name cannot be looked for, because"),
        (Blocked("  "), "it is blank"),
        (Blocked("x" * 201), "more than 200 characters"),
        (Blocked("Glo\u200bbex"), "cannot be seen"),
        (Blocked("Globex", ("the",)), "alias 1 cannot be looked for, because"),
        (Blocked("Globex", (), ("co.uk",)), "domain 1 cannot be looked for, because"),
    ],
)
def test_a_name_that_cannot_be_looked_for_is_refused_and_changes_nothing(
    tmp_path: Path, customer: Blocked, says: str
) -> None:
    path = write_list(tmp_path / "list.yaml")
    with pytest.raises(StartupRefusal, match="Nothing was changed") as refused:
        add_to_list(path, customer)
    assert says in refused.value.message
    assert path.read_text() == LIST


def test_mode_and_link_stay_and_nothing_is_left_beside(tmp_path: Path) -> None:
    path = write_list(tmp_path / "real.yaml")
    path.chmod(0o640)
    link = tmp_path / "list.yaml"
    link.symlink_to(path)
    assert add_to_list(link, GLOBEX)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert "Globex" in path.read_text()
    assert {item.name for item in tmp_path.iterdir()} == {"real.yaml", "list.yaml"}


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_list(tmp_path / "list.yaml")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(block_module.os, "fsync", full)
    with pytest.raises(StartupRefusal, match="No space left"):
        add_to_list(path, GLOBEX)
    assert path.read_text() == LIST
    assert {item.name for item in tmp_path.iterdir()} == {"list.yaml"}


def test_the_model_is_tightened_without_a_rebuild(tmp_path: Path) -> None:
    before = listed(tmp_path)
    cache = build(tmp_path / "c.db", before)
    assert "1" in served(cache)
    check_before(cache, rules_with(before), before)
    path = write_list(tmp_path / "list.yaml")
    add_to_list(path, GLOBEX)
    now = read_restricted_list(path)
    done = tighten(cache, rules_with(now), now)
    assert (done.finished, done.taken_out, done.judged) == (True, 1, 1)
    assert served(cache) == STAYING - {"1"}
    with CacheWriter.open(cache) as writer:
        assert recount(writer.connection) == []
    with reading(cache) as connection:
        assert standing(connection, rules_with(now)).current


def test_a_model_of_other_settings_or_of_a_stricter_list_is_not_touched(tmp_path: Path) -> None:
    full = listed(tmp_path)
    cache = build(tmp_path / "c.db", full)
    with pytest.raises(StartupRefusal, match="other settings"):
        check_before(cache, rules_with(full, Scope(private_calls=True)), full)
    fewer = listed(tmp_path, LIST.replace("      - name: 'Quokka'\n", ""))
    with pytest.raises(StartupRefusal, match="looser"):
        check_before(cache, rules_with(fewer), fewer)
    with pytest.raises(StartupRefusal, match="looser"):
        tighten(cache, rules_with(fewer), fewer)
    assert served(cache) == STAYING


def test_a_cache_without_a_model_has_nothing_to_tighten(tmp_path: Path) -> None:
    with CacheWriter.open(tmp_path / "new.db", create=True):
        pass
    restricted = listed(tmp_path)
    done = tighten(tmp_path / "new.db", rules_with(restricted), restricted)
    assert not done.finished
    assert "no read model" in done.reason


def test_another_writer_is_waited_for(tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    cache = build(tmp_path / "c.db", restricted)
    stricter = listed(tmp_path, LIST + "      - name: Globex\n")
    told: list[str] = []
    busy = threading.Event()
    holding = CacheWriter.open(cache)
    holding.__enter__()

    def waiting(why: str) -> None:
        told.append(why)
        busy.set()

    found: list[Any] = []
    thread = threading.Thread(
        target=lambda: found.append(tighten(cache, rules_with(stricter), stricter, waiting=waiting))
    )
    thread.start()
    assert busy.wait(60)
    holding.__exit__(None, None, None)
    thread.join(60)
    assert found[0].taken_out == 1
    assert len(told) == 1
    assert "is writing the cache" in told[0]


def test_another_writer_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    restricted = listed(tmp_path)
    cache = build(tmp_path / "c.db", restricted)
    with CacheWriter.open(cache), pytest.raises(StartupRefusal, match="is writing the cache"):
        tighten(cache, rules_with(restricted), restricted, patience=0)


# --- processes ---------------------------------------------------------------------------------------------


def gongctl(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "gongctl", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=ROOT,
    )


def block(name: str, cache: Path, path: Path) -> subprocess.Popen[str]:
    return gongctl("governance", "block", name, "--db", cache, "--ai-governance-config", path)


def test_two_processes_at_once_both_block(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.yaml")
    cache = build(tmp_path / "c.db", listed(tmp_path))
    both = [block(name, cache, path) for name in ("Globex", "Initech")]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, (out, err)
    assert {entry.name for entry in read_restricted_list(path).entries} > {"Globex", "Initech"}
    assert served(cache) == set()
    restricted = read_restricted_list(path)
    with reading(cache) as connection:
        assert standing(connection, rules_with(restricted)).current


def test_killed_between_file_and_judging_the_next_warm_finishes(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.yaml")
    cache = build(tmp_path / "c.db", listed(tmp_path))
    with CacheWriter.open(cache):  # so that it waits exactly there
        process = block("Globex", cache, path)
        assert process.stderr is not None
        while "Waiting: " not in process.stderr.readline():
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    assert "Globex" in path.read_text()
    assert "1" in served(cache), "the control: it was not judged yet"
    done = gongctl("cache", "warm", "--db", cache, "--ai-governance-config", path)
    done.communicate(timeout=120)
    assert done.returncode == 0
    assert served(cache) == STAYING - {"1"}


def results(server: Server, number: int, query: str) -> list[dict[str, Any]]:
    server.send(server.call(number, "search_transcript_segments", query=query))
    answer: list[dict[str, Any]] = server.answer(number)["result"]["structuredContent"]["results"]
    return answer


def test_a_running_server_follows_a_block_and_no_loosening(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.yaml")
    cache = build(tmp_path / "c.db", listed(tmp_path))
    command = [sys.executable, "-m", "gongmcp", "--db", str(cache), "--ai-governance-config", str(path)]
    command += ["--tool-preset", "analyst"]
    with Server(command=command) as server:
        assert results(server, 1, "globex")
        assert results(server, 2, "initech")
        process = block("Globex", cache, path)
        assert process.wait(120) == 0
        assert results(server, 3, "globex") == []
        assert results(server, 4, "initech"), "the control: the others are still there"
        # Loosened: the cache is warmed by it, and the server that began with the stricter list does not follow.
        loose = write_list(path, LIST.replace("      - name: 'Quokka'\n", ""))
        rewarm(cache, read_restricted_list(loose))
        assert "1" in served(cache)
        server.send(server.call(5, "search_transcript_segments", query="globex"))
        late = server.answer(5)["result"]
        assert late["isError"]
        assert "cache_not_ready" in str(late)
        assert "Globex" not in str(late)
    with Server(command=command) as server:
        assert results(server, 6, "globex"), "after a restart it is served by the looser list"
