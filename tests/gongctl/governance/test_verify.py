"""``governance verify``: silent over what is guarded, loud over every guard that is missing, and it quotes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gongctl import sample
from gongctl.cli.root import run
from gongctl.governance import verify as subject
from gongctl.governance.probes import twin_of
from gongctl.governance.verify import VerifyReport, verify
from gongmcp.catalog.operations import OPERATIONS
from gongmcp.errors import Exit
from gongmcp.exposure import engine
from gongmcp.exposure.decisions import Decision, field_of
from gongmcp.handler import ToolInfo
from gongmcp.settings import ServerSettings
from tests.gongctl.governance.governed import copy_cache, customers, govern, half_governed_handler, write_list
from tests.gongctl.governance.plain_recount import mentions
from tests.gongmcp.canary import PLANTED, write_files
from tests.gongmcp.conftest import build_cache

NAMES = ("Culp Inc", "Spire Inc")
SETS = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample: ``open.db``, ``governed.db`` and the list of the latter."""
    folder = tmp_path_factory.mktemp("verify")
    build_cache(folder / "open.db", sample.files())
    write_list(folder / "list.yaml", *customers(NAMES))
    govern(copy_cache(folder / "open.db", folder / "governed.db"), folder / "list.yaml")
    return folder


def settings_of(folder: Path, **flags: str) -> ServerSettings:
    given = {"ai_governance_config": str(folder / "list.yaml"), "tool_preset": "all-readonly"}
    return ServerSettings.resolve({**given, **flags}, {})


def kinds(report: VerifyReport) -> set[str]:
    return {hit.kind for hit in report.hits}


def says_nothing(report: VerifyReport) -> bool:
    text = json.dumps(report.as_json())
    return not any(mentions(name, text) for name in NAMES) and not any(value in text for value in PLANTED.values())


@pytest.mark.parametrize("provenance", ["redacted", "alias", "raw"])
def test_a_governed_cache_has_no_hit(folder: Path, provenance: str) -> None:
    report = verify(settings_of(folder, provenance=provenance), folder / "governed.db", sets=SETS)
    assert report.hits == []
    assert report.governed
    assert (report.calls_served, report.calls_suppressed) == (7, 3)
    assert sum(tool.with_rows for tool in report.tools) > 0.15 * report.calls
    assert {tool.tool for tool in report.tools} >= {"search_calls", "get_call", "(offers)"}


def test_control_an_open_model_without_guard_has_hits_of_names_and_calls(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = half_governed_handler(folder / "open.db", None, None, provenance="raw")
    monkeypatch.setattr(subject, "build_handler", lambda settings, db: opened)
    report = verify(settings_of(folder, provenance="raw"), folder / "governed.db", sets=SETS)
    assert {"name", "suppressed_call", "told_apart"} <= kinds(report)
    assert says_nothing(report)


def test_control_without_the_engine_withheld_ids_are_hits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "decide", lambda expose, policy, args: Decision(True, field_of(expose, args)))
    report = verify(settings_of(folder), folder / "governed.db", sets=SETS)
    assert {hit.what for hit in report.hits if hit.kind == "withheld_id"} >= {"call id", "speaker id"}


def test_control_without_masking_personal_data_are_hits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gongctl.cache import derive

    files = write_files(tmp_path)
    policy = ServerSettings.resolve({"tool_preset": "all-readonly"}, {})
    assert verify(policy, build_cache(tmp_path / "masked.db", files), sets=SETS).hits == []
    monkeypatch.setattr(derive, "find_spans", lambda sentences: None)
    report = verify(policy, build_cache(tmp_path / "unmasked.db", files), sets=SETS)
    assert kinds(report) == {"personal_data"}
    assert says_nothing(report)


def test_a_fault_is_a_hit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: Any) -> None:
        raise ValueError(NAMES[0])

    monkeypatch.setattr("gongmcp.handler.render_answer", breaks)
    report = verify(settings_of(folder), folder / "governed.db", sets=1)
    assert kinds(report) == {"fault"}
    assert says_nothing(report)


def test_the_command_prints_a_report_and_ends_by_what_it_found(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    common = ["governance", "verify", "--preset", "governance-search", "--sets", "3"]
    governed = ["--db", str(folder / "governed.db"), "--ai-governance-config", str(folder / "list.yaml")]
    assert run([*common, *governed]) == Exit.OK
    told = json.loads(capsys.readouterr().out)
    assert (told["hits"], told["governed"], told["preset"]) == (0, True, "governance-search")
    assert run([*common, *governed, "--text"]) == Exit.OK
    assert "Nothing left that must not." in capsys.readouterr().out
    assert run([*common, *governed, "--mask-participants", "yes"]) == Exit.CACHE
    capsys.readouterr()
    opened = half_governed_handler(folder / "open.db", None, None, provenance="raw")
    monkeypatch.setattr(subject, "build_handler", lambda settings, db: opened)
    assert run([*common, *governed, "--text"]) == Exit.LEAK
    printed = capsys.readouterr().out
    assert "no_ai, customer 1" in printed
    assert not any(mentions(name, printed) for name in NAMES)


def test_a_twin_has_the_shape_of_the_name_and_no_letter_order_of_it() -> None:
    import random

    twin = twin_of("AT&T Mobile 24", random.Random(1))
    assert [(c.isalpha(), c.isdigit(), c.isupper()) for c in twin] == [
        (c.isalpha(), c.isdigit(), c.isupper()) for c in "AT&T Mobile 24"
    ]
    assert twin != "AT&T Mobile 24"


def test_a_drawn_name_of_our_own_words_is_no_hit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "twin_of", lambda name, draw: f"{'Zuqixo'[: len(name) - 4]} Add")  # "Add a period"
    assert verify(settings_of(folder), folder / "governed.db", sets=1).hits == []


def test_the_examples_of_operations_are_no_hit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(info: ToolInfo, *_: Any) -> list[dict[str, Any]]:
        if info.name != "gong_discover_capabilities":
            return []
        return [{"operation": operation, "full": True} for operation in OPERATIONS]

    monkeypatch.setattr(subject, "argument_sets", asked)
    monkeypatch.setattr(subject, "NAMES_TRIED", 0)
    assert verify(settings_of(folder), folder / "governed.db", sets=1).hits == []
