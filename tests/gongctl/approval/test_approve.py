"""``gongctl mcp approve`` and ``gongctl mcp drift``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gongctl.approval import approve as module
from gongmcp.approval.lock import read_lock
from gongmcp.catalog.registry import catalog
from gongmcp.errors import Exit
from tests.gongctl.approval.conftest import Gongctl, validate
from tests.gongmcp.approval.later import NEW_FIELD, NEW_KIND, NEW_LANGUAGE, NEW_TYPE

LOCK = Path("gongmcp.lock.json")


def test_a_preset_is_approved_and_nothing_differs(gongctl: Gongctl) -> None:
    done = gongctl("mcp", "approve", "--preset", "operator-smoke", "--by", "a reviewer", "--json")
    assert done.code == 0, done.err
    said = done.json("mcp-approve")
    lock = read_lock(LOCK)
    assert {tool["name"]: tool["digest"] for tool in said["tools"]} == {n: t.digest for n, t in lock.tools.items()}
    assert (lock.approved_by, lock.approved_at, lock.preset) == ("a reviewer", "2026-05-28T20:26:40Z", "operator-smoke")
    assert all(sample.status == "ok" for tool in lock.tools.values() for sample in tool.samples)
    assert LOCK.read_text(encoding="utf-8").endswith("}\n")
    validate(json.loads(LOCK.read_text(encoding="utf-8")), "lock")
    drift = gongctl("mcp", "drift", "--json")
    assert drift.code == 0
    assert drift.json("mcp-drift")["drift"] == []
    assert gongctl("mcp", "drift").out == "Nothing differs from what a reviewer approved on 2026-05-28T20:26:40Z.\n"


def test_every_tool_that_can_be_run_has_a_sample(gongctl: Gongctl) -> None:
    assert gongctl("mcp", "approve", "--preset", "all", "--lock", "all.json").code == 0
    lock = read_lock(Path("all.json"))
    assert lock.tools.keys() == catalog().keys()
    assert all(tool.samples for tool in lock.tools.values())


def test_the_same_approval_is_the_same_text(gongctl: Gongctl) -> None:
    texts = []
    for _ in range(2):
        gongctl("mcp", "approve", "search_calls", "get_sync_status", "--by", "a")
        texts.append(LOCK.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


def test_no_value_of_an_answer_is_in_the_lock(gongctl: Gongctl) -> None:
    Path("s.json").write_text('{"search_calls": [{"include_call_titles": true, "include_call_ids": true}]}')
    answer = json.loads(gongctl("mcp", "call", "search_calls", "--args", '{"include_call_titles": true}').out)
    assert gongctl("mcp", "approve", "search_calls", "--samples", "s.json").code == 0
    text = LOCK.read_text(encoding="utf-8")
    assert "results[].title" in text
    assert answer["results"]
    for row in answer["results"]:
        assert row["title"] not in text
        assert row["call_ref"] not in text


def test_given_samples_take_the_place_of_the_own_ones(gongctl: Gongctl) -> None:
    Path("s.json").write_text('{"search_calls": [{"limit": 2}, {"limit": 0}]}')
    assert gongctl("mcp", "approve", "search_calls", "--samples", "s.json").code == 0
    samples = read_lock(LOCK).tools["search_calls"].samples
    assert [(sample.arguments, sample.status) for sample in samples] == [
        ({"limit": 2}, "ok"),
        ({"limit": 0}, "invalid_argument"),
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"nobody": [{}]}', '{"search_calls": {}}', '{"search_calls": []}', "[" * 100_000]
)
def test_samples_of_another_form_are_refused(text: str, gongctl: Gongctl) -> None:
    Path("s.json").write_text(text)
    done = gongctl("mcp", "approve", "search_calls", "--samples", "s.json")
    assert done.code == Exit.USAGE
    assert done.err.startswith("gongctl: ")
    assert not LOCK.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["search_calls", "--preset", "operator-smoke"],
        ["nobody"],
        ["--preset", "nobody"],
        ["list_scorecards", "--tool-preset", "operator-smoke"],
        ["--preset", "operator-smoke", "--tool-preset", "all"],
        ["search_calls", "--samples", "none.json"],
        ["search_calls", "--lock-mode", "warn"],
        ["search_calls", "--lock", "."],
    ],
)
def test_what_cannot_be_approved_writes_nothing(arguments: list[str], gongctl: Gongctl) -> None:
    done = gongctl("mcp", "approve", *arguments)
    assert done.code == Exit.USAGE, done
    assert done.out == ""
    assert not list(Path().iterdir())


def test_a_lock_that_is_there_is_replaced_and_what_it_loses_is_said(gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "search_calls", "get_call")
    done = gongctl("mcp", "approve", "search_calls")
    assert done.code == 0
    assert "No longer approved: get_call." in done.err
    assert list(read_lock(LOCK).tools) == ["search_calls"]


def test_a_write_that_fails_leaves_the_lock_as_it_was(gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch) -> None:
    gongctl("mcp", "approve", "search_calls")
    before = LOCK.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    done = gongctl("mcp", "approve", "get_call")
    assert done.code == Exit.FAILED
    assert "No space left on device" in done.err
    assert LOCK.read_bytes() == before
    assert [path.name for path in Path().iterdir()] == [LOCK.name]


def test_drift_names_each_difference(gongctl: Gongctl, later_cache: Path) -> None:
    gongctl("mcp", "approve", "--preset", "analyst-core", "--policy-switches", "hide_call_titles")
    done = gongctl(
        *("mcp", "drift", "--json", "--db", later_cache, "--max-search-results", "200"),
        *("--transcript-evidence-provenance", "alias"),
    )
    assert done.code == Exit.DRIFT
    found = {(one["kind"], one["name"]): one["change"] for one in done.json("mcp-drift")["drift"]}
    assert found["policy", "limits.search_results"] == "loosened"
    assert found["policy", "provenance"] == "loosened"
    assert found["policy", "switches.hide_call_titles"] == "loosened"
    assert found["tool", "search_transcript_segments"] == "changed"
    assert found["data.crm_field", f"Account.{NEW_FIELD}"] == "appeared"
    assert found["data.crm_object_type", NEW_TYPE] == "appeared"
    assert found["data.language", NEW_LANGUAGE] == "appeared"
    assert found["data.personal_data", NEW_KIND] == "appeared"
    assert found["sample", "search_transcript_segments 1"] == "changed"
    text = gongctl("mcp", "drift", "--db", later_cache)
    assert text.code == Exit.DRIFT
    assert NEW_FIELD in text.out


def test_a_tightened_policy_is_drift_too(gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "get_sync_status")
    done = gongctl("mcp", "drift", "--json", "--min-cell", "5")
    assert done.code == Exit.DRIFT
    assert {"kind": "policy", "name": "min_cell", "change": "tightened", "detail": "1 → 5"} in done.json("mcp-drift")[
        "drift"
    ]


def test_data_that_cannot_be_looked_at_is_no_agreement(gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "get_sync_status")
    done = gongctl("mcp", "drift", "--json", "--mask-participants", "yes")
    assert done.code == Exit.DRIFT
    said = done.json("mcp-drift")
    assert said["looked_at_data"] is False
    assert ("read_model", "rules") in {(one["kind"], one["name"]) for one in said["drift"]}
    assert "not looked at" in done.err


def test_a_lock_that_was_tampered_with_is_drift(gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "get_sync_status")
    lock = json.loads(LOCK.read_text())
    lock["tools"]["get_sync_status"]["samples"][0]["shown"].append("secret")
    lock["tools"]["get_sync_status"]["samples"][0]["digest"] = "sha256:" + "0" * 64
    LOCK.write_text(json.dumps(lock))
    (one,) = gongctl("mcp", "drift", "--json").json("mcp-drift")["drift"]
    assert (one["kind"], one["detail"]) == ("sample", "shown - secret")


def test_no_lock_and_no_cache_are_refused(gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gongctl("mcp", "drift").code == Exit.USAGE
    LOCK.write_text("{")
    done = gongctl("mcp", "drift")
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert "this is no lock" in done.err
    monkeypatch.delenv("GONGCTL_DB")
    assert gongctl("mcp", "drift").code == Exit.USAGE
    assert gongctl("mcp", "approve", "search_calls").code == Exit.USAGE


def test_a_dry_run_under_the_lock_is_the_servers_answer(gongctl: Gongctl, later_cache: Path) -> None:
    gongctl("mcp", "approve", "list_crm_fields")
    asked = ("mcp", "call", "list_crm_fields", "--set", "object_type=Account", "--db", later_cache)
    assert NEW_FIELD in gongctl(*asked).out
    locked = gongctl(*asked, "--lock", LOCK)
    assert locked.code == 0
    assert NEW_FIELD not in locked.out
    assert json.loads(gongctl("mcp", "tools", "--lock", LOCK).out)[0]["name"] == "list_crm_fields"
    assert gongctl("mcp", "call", "get_sync_status", "--lock", LOCK).code == Exit.USAGE
