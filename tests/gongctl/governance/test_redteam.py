"""``gongctl redteam``: wins nothing against the server, and nearly everything against one whose guards are off."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gongctl import sample
from gongctl.cache import derive
from gongctl.cli import redteam_cmd
from gongctl.cli.root import run
from gongctl.governance import redteam as subject
from gongctl.governance.attacks.planted import CUSTOMER, SECRETS
from gongctl.governance.redteam import ATTACKS, AttackReport, RedteamReport, redteam, write_list
from gongmcp.errors import Exit
from gongmcp.governance.restricted import read_restricted_list
from gongmcp.settings import ServerSettings
from tests.gongctl.governance.governed import customers
from tests.gongctl.governance.governed import write_list as write_customers
from tests.gongmcp.conftest import build_cache

OPEN = [sys.executable, str(Path(__file__).with_name("open_server.py"))]
SLOW = [sys.executable, str(Path(__file__).with_name("slow_server.py"))]
BUDGET = 500
NOISY = frozenset({"timing"})
"""Attacks whose outcome a busy machine can decide: played, but not counted in the suite."""
STEADY = tuple(attack for attack in ATTACKS if attack.name not in NOISY)


def play(preset: str, db: Path | None = None, **more: Any) -> RedteamReport:
    flags = {"tool_preset": preset, **more.pop("flags", {})}
    return redteam(flags, ServerSettings.resolve(flags, {}), db, budget=BUDGET, attacks=STEADY, **more)


def silent(report: RedteamReport) -> bool:
    text = json.dumps(report.as_json()).casefold()
    return not any(secret.value.casefold() in text for secret in SECRETS)


@pytest.mark.parametrize("preset", ["governance-search", "all-readonly"])
def test_nothing_is_won_against_the_guarded_server(preset: str) -> None:
    report = play(preset)
    assert {attack.attack: attack.won for attack in report.attacks if attack.won} == {}
    assert all(attack.tries or attack.skipped for attack in report.attacks)
    assert report.secrets


def test_nothing_is_won_from_a_copy_of_a_cache_with_a_list_of_its_own(tmp_path: Path) -> None:
    cache = build_cache(tmp_path / "sample.db", sample.files())
    before = cache.read_bytes()
    listed = write_customers(tmp_path / "list.yaml", *customers(["Culp Inc"]))
    report = play("analyst", cache, flags={"ai_governance_config": str(listed)})
    assert {attack.attack: attack.won for attack in report.attacks if attack.won} == {}
    assert report.restricted_names == 2
    assert cache.read_bytes() == before


def test_control_with_the_guards_off_the_attacks_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive, "find_spans", lambda sentences: None)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    report = play("all-readonly", server=OPEN, guarded=False)
    won = {attack.attack for attack in report.attacks if attack.won}
    assert won == {attack.name for attack in STEADY}
    assert silent(report)


def test_control_names_that_take_time_to_judge_are_told_from_unknown_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    flags = {"tool_preset": "governance-search"}
    attack = next(attack for attack in ATTACKS if attack.name == "timing")
    report = redteam(flags, ServerSettings.resolve(flags, {}), budget=40, attacks=[attack], server=SLOW)
    assert [attack.won for attack in report.attacks] == [("times tell restricted names from unknown ones",)]


def test_the_list_of_the_play_holds_the_operators_entries(tmp_path: Path) -> None:
    own = write_customers(
        tmp_path / "own.yaml", {"name": "Zebra Rockets", "aliases": ["ZR Co"], "domains": ["zr.test"]}
    )
    restricted = read_restricted_list(own)
    written = read_restricted_list(write_list(tmp_path / "both.yaml", restricted))
    assert written.covers(restricted)
    assert [entry.name for entry in written.entries] == [CUSTOMER, "Zebra Rockets"]


def test_the_command_ends_by_what_was_won(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert redteam_cmd.app is not None
    lost = AttackReport("ids", 10, ("something",), "a rule", "", "", 0.1)
    clean = AttackReport("ids", 10, (), "a rule", "", "", 0.1)
    for item, code in ((clean, Exit.OK), (lost, Exit.LEAK)):
        report = RedteamReport("analyst", 1, ("kind",), [item])
        monkeypatch.setattr(subject, "redteam", lambda *_, report=report, **__: report)
        assert run(["redteam", "--preset", "analyst"]) == code
        assert json.loads(capsys.readouterr().out)["wins"] == len(item.won)
        assert run(["redteam", "--preset", "analyst", "--text"]) == code
        assert ("Should stop it: a rule." in capsys.readouterr().out) == bool(item.won)
    assert run(["redteam", "--preset", "analyst", "--tool-preset", "analyst"]) == Exit.USAGE
