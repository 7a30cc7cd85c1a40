"""``gongctl mcp approve`` and ``gongctl mcp drift``."""

from __future__ import annotations

import json
from dataclasses import replace
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
    assert "Next: gongmcp --db" in done.err
    assert gongctl("mcp", "drift").out == "Nothing differs from what a reviewer approved on 2026-05-28T20:26:40Z.\n"


def test_every_tool_that_can_be_run_has_a_sample(gongctl: Gongctl) -> None:
    assert gongctl("mcp", "approve", "--preset", "all", "--lock", "all.json").code == 0
    lock = read_lock(Path("all.json"))
    assert lock.tools.keys() == catalog().keys()
    # What a facade hands on is approved with the tool that answers.
    behind = {name for name, tool in lock.tools.items() if tool.exempt}
    assert behind == {name for name, tool in catalog().items() if tool.facade}
    assert all(tool.samples for name, tool in lock.tools.items() if name not in behind)


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


def test_a_lock_that_is_there_keeps_its_other_tools(gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "get_sync_status", "list_scorecards", "--by", "a")
    before = read_lock(LOCK).tools
    done = gongctl("mcp", "approve", "search_calls", "--by", "b", "--json")
    assert done.code == 0, done.err
    how = {tool["name"]: tool["how"] for tool in done.json("mcp-approve")["tools"]}
    assert how == {"get_sync_status": "kept", "list_scorecards": "kept", "search_calls": "run"}
    lock = read_lock(LOCK)
    assert {name: lock.tools[name] for name in before} == before
    assert {name: tool.approved_by for name, tool in lock.tools.items()} == {
        **dict.fromkeys(before, "a"),
        "search_calls": "b",
    }
    assert gongctl("mcp", "drift").code == 0


def test_only_what_the_digests_say_has_changed_is_run_again(
    gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch, later_cache: Path
) -> None:
    gongctl("mcp", "approve", "get_sync_status", "list_scorecards")
    names = ("get_sync_status", "list_scorecards")

    def how(*more: object) -> dict[str, str]:
        done = gongctl("mcp", "approve", *names, "--json", *more)
        assert done.code == 0, done.err
        return {tool["name"]: tool["how"] for tool in done.json("mcp-approve")["tools"]}

    assert how() == dict.fromkeys(names, "unchanged")
    changed = replace(catalog()["list_scorecards"], description="Other words.")
    monkeypatch.setitem(catalog(), "list_scorecards", changed)
    assert how() == {"get_sync_status": "unchanged", "list_scorecards": "run"}
    Path("s.json").write_text('{"get_sync_status": [{}], "list_scorecards": [{"active_only": true}]}')
    assert how("--samples", "s.json") == dict.fromkeys(names, "run")
    assert how("--samples", "s.json") == dict.fromkeys(names, "unchanged")
    assert how("--samples", "s.json", "--db", later_cache) == dict.fromkeys(names, "run")


@pytest.mark.parametrize("flags", [("--min-cell", "5"), ("--transcript-evidence-provenance", "raw")])
def test_under_another_policy_what_is_not_named_lapses(flags: tuple[str, ...], gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "get_sync_status", "list_scorecards")
    done = gongctl("mcp", "approve", "get_sync_status", *flags)
    assert done.code == 0, done.err
    assert "No longer approved (the policy is another one): list_scorecards." in done.err
    assert list(read_lock(LOCK).tools) == ["get_sync_status"]


def test_over_new_data_what_is_not_named_lapses(gongctl: Gongctl, later_cache: Path) -> None:
    gongctl("mcp", "approve", "get_sync_status", "list_crm_fields")
    done = gongctl("mcp", "approve", "get_sync_status", "--db", later_cache)
    assert "No longer approved (the data has something new): list_crm_fields." in done.err
    assert list(read_lock(LOCK).tools) == ["get_sync_status"]


def test_what_was_reviewed_stays_so_where_the_data_lost_it(gongctl: Gongctl, later_cache: Path) -> None:
    gongctl("mcp", "approve", "get_sync_status", "--db", later_cache)
    done = gongctl("mcp", "approve", "list_scorecards")
    assert done.code == 0, done.err
    lock = read_lock(LOCK)
    assert lock.tools.keys() == {"get_sync_status", "list_scorecards"}
    assert NEW_LANGUAGE in lock.shape.languages


def test_a_tool_is_dropped(gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "get_sync_status", "list_scorecards")
    done = gongctl("mcp", "approve", "--drop", "get_sync_status", "--json")
    assert done.code == 0, done.err
    assert done.json("mcp-approve")["dropped"] == ["get_sync_status"]
    assert list(read_lock(LOCK).tools) == ["list_scorecards"]
    assert gongctl("mcp", "approve", "--drop", "get_sync_status").code == Exit.USAGE


def test_an_exempt_tool_has_no_sample_and_says_so(gongctl: Gongctl) -> None:
    done = gongctl("mcp", "approve", "get_sync_status", "--exempt", "search_calls", "--record", "r.md")
    assert done.code == 0, done.err
    tools = read_lock(LOCK).tools
    assert (tools["search_calls"].exempt, tools["search_calls"].samples) == (True, [])
    assert not tools["get_sync_status"].exempt
    assert "has no sample" not in done.err
    assert "**Exempt**" in Path("r.md").read_text().partition("### search_calls")[2]
    assert gongctl("mcp", "drift").code == 0
    whole = gongctl("mcp", "approve", "--preset", "operator-smoke", "--exempt", "get_call", "--json")
    how = {tool["name"]: tool["how"] for tool in whole.json("mcp-approve")["tools"]}
    assert [name for name, word in how.items() if word == "exempt"] == ["get_call"]
    again = gongctl("mcp", "approve", "get_call", "--json")
    assert {tool["name"]: tool["how"] for tool in again.json("mcp-approve")["tools"]}["get_call"] == "run"


def test_the_samples_and_the_record_name_their_sets(gongctl: Gongctl) -> None:
    gongctl("mcp", "approve", "get_call", "--record", "r.md", "--by", "Sam | Example")
    samples = read_lock(LOCK).tools["get_call"].samples
    assert [sample.set_name for sample in samples] == [
        *("latest", "largest", "most_external", "missing_fields", "example", "example")
    ]
    assert all("call_ref" in sample.arguments for sample in samples)
    record = Path("r.md").read_text(encoding="utf-8")
    assert "Sam \\| Example" in record
    assert record.count("| largest |") == 1
    titles = json.loads(gongctl("mcp", "call", "search_calls", "--args", '{"include_call_titles": true}').out)
    assert titles["results"]
    assert not any(row["title"] in record for row in titles["results"])


def test_a_gate_that_is_closed_on_a_leak_writes_nothing(gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gongmcp.preview.gates.residual", lambda text: ["email"] if "revenue" in text else [])
    done = gongctl("mcp", "approve", "search_transcript_segments", "--samples", written({"query": "revenue"}))
    assert done.code == Exit.LEAK
    assert "residual" in done.err
    assert not LOCK.exists()


def written(arguments: dict[str, object]) -> str:
    Path("s.json").write_text(json.dumps({"search_transcript_segments": [arguments]}))
    return "s.json"


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
