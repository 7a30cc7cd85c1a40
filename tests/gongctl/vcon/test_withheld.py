"""What figures and lists of vCons must not tell: exact counts under small cells, restricted names in keys and counts.

Each has its control: the same call without small cells, or without the list.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gongctl.cli.root import run
from gongmcp.errors import Exit
from gongmcp.governance.guard import Guard
from gongmcp.governance.restricted import read_restricted_list
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.settings import ServerSettings
from gongmcp.vcon.guarded import guarded
from tests.gongctl.vcon.corpus import uuid_of, vcon

N = 4
COLOURS = ("red",) * 5 + ("zinc",) * 6 + ("blue",) * 2
"""One for each vCon: by exact counts zinc comes before red, by the counts as shown they are equal."""


def _tagged(number: int, colour: str) -> dict[str, Any]:
    made = vcon(number)
    made["created_at"] = f"2026-0{1 if number == 1 else 3}-15T10:00:00Z"
    tags = [f"colour:{colour}", *(["late:yes"] if number in (1, 6, 7) else [])]
    made["attachments"][0]["body"] = json.dumps(tags)
    return made


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("withheld")
    file, db = folder / "vcons.json", folder / "cache.db"
    file.write_text(json.dumps({"vcons": [_tagged(number, colour) for number, colour in enumerate(COLOURS, 1)]}))
    assert run(["vcon", "import", str(file), "--db", str(db), "--cache"]) == Exit.OK
    assert run(["cache", "warm", "--db", str(db)]) == Exit.OK
    return db


def _handler(cache: Path, least: int = 1, **flags: str) -> ToolHandler:
    given = {"tool_preset": "vcon-admin", "min_cell": str(least), **flags}
    return build_handler(ServerSettings.resolve(given, {}), cache)


def _ask(handler: ToolHandler, tool: str, **arguments: Any) -> dict[str, Any]:
    structured = handler.call(tool, arguments).answer.structured
    assert structured is not None
    return {name: value for name, value in structured.items() if name != "as_of"}


def _colours_from(handler: ToolHandler, least: int) -> list[tuple[str, ...]]:
    """Return which colours each tool tells that takes a least number of its own."""
    rollup = _ask(handler, "vcon_aggregate", group_by="tag:colour", having={"min_count": least})["item"]["rows"]
    figures = _ask(handler, "get_tag_analytics", min_usage_count=least)["tag_analytics"]["value_distribution"]
    unique = _ask(handler, "get_unique_tags", min_count=least)["tags_by_key"]
    return [
        tuple(sorted(row["group_value"] for row in rollup)),
        tuple(sorted(row["value"] for row in figures if row["key"] == "colour")),
        tuple(sorted(unique.get("colour", []))),
    ]


def test_a_least_number_tells_no_exact_count(cache: Path) -> None:
    exact, coarse = _handler(cache), _handler(cache, N)
    assert _colours_from(exact, 5) == [("red", "zinc")] * 3
    assert _colours_from(exact, 6) == [("zinc",)] * 3
    for least in (1, 4):
        assert _colours_from(coarse, least) == [("red", "zinc")] * 3
    for least in (5, 6, 8):
        assert _colours_from(coarse, least) == [()] * 3


def test_the_order_of_groups_follows_the_counts_as_shown(cache: Path) -> None:
    exact, coarse = _handler(cache), _handler(cache, N)
    late = {"group_by": "tag:colour", "tags": {"late": "yes"}}

    def order(handler: ToolHandler) -> tuple[list[str], list[str]]:
        rows = _ask(handler, "vcon_aggregate", **late)["item"]["rows"]
        return [row["group_value"] for row in rows], _ask(handler, "get_unique_tags")["tags_by_key"]["colour"]

    assert _ask(coarse, "vcon_aggregate", **late)["item"]["rows"][0]["rate"] == 0
    assert order(coarse) == (["red", "zinc"], ["red", "zinc"])
    assert order(exact) == (["zinc", "red", "blue"], ["zinc", "red", "blue"]), "the control"
    flipped = {"group_by": "tag:colour", "tags": {"late": "yes"}, "limit": 1}
    assert _ask(coarse, "vcon_aggregate", **flipped)["item"]["truncated"] is True


def test_periods_and_projections_are_made_of_the_counts_as_shown(cache: Path) -> None:
    def growth(handler: ToolHandler) -> dict[str, Any]:
        found: dict[str, Any] = _ask(handler, "get_monthly_growth_analytics", months_back=60)[
            "monthly_growth_analytics"
        ]
        return found

    exact, coarse = growth(_handler(cache)), growth(_handler(cache, N))
    assert [row["period"] for row in exact["trends"]["vcon_creation"]] == ["2026-01", "2026-02", "2026-03"]
    assert [row["vcon_count"] for row in exact["trends"]["vcon_creation"]] == [1, 0, 12]
    # January has one vCon: its name alone would tell when the first one was made.
    assert [row["period"] for row in coarse["trends"]["vcon_creation"]] == ["2026-03"]
    shown = coarse["trends"]["vcon_creation"][0]["vcon_count"]
    assert coarse["projections"]["next_3_months"]["projected_vcons"] == 3 * shown


def test_names_of_accounts_leave_no_group_where_they_are_hidden(cache: Path) -> None:
    hidden = _handler(cache, policy_switches="hide_account_names")
    for handler, names in ((_handler(cache), {"Dealer 0", "Dealer 1"}), (hidden, {None})):
        rows = _ask(handler, "vcon_aggregate", group_by="dealer")["item"]["rows"]
        assert {row.get("dealer_name") for row in rows} == names


@pytest.fixture
def guard(tmp_path: Path) -> Guard:
    path = tmp_path / "list.yaml"
    path.write_text("version: 1\nlists:\n  no_ai:\n    customers: [{name: Wunderbar Logistics}]\n")
    return Guard(read_restricted_list(path))


NAME = "Wunderbar Logistics"


def test_the_guard_reads_keys_that_are_tags(guard: Guard) -> None:
    body = {
        "tags_by_key": {"carrier": [NAME, "Other"], NAME: ["yes"]},
        "counts_per_value": {"carrier": {NAME: 3, "Other": 2}, NAME: {"yes": 1}},
        "item": {"tags": {NAME: "yes", "carrier": "Other"}},
    }
    assert NAME in json.dumps(guard.without(body)), "the control: values alone are not enough"
    assert guarded(guard, body, {}) == {
        "tags_by_key": {"carrier": ["Other"]},
        "counts_per_value": {"carrier": {"Other": 2}},
        "item": {"tags": {"carrier": "Other"}},
    }


def test_counts_and_ids_tell_of_no_row_that_the_guard_took(guard: Guard) -> None:
    vcons = [{"uuid": uuid_of(1), "subject": "A parcel"}, {"uuid": uuid_of(2), "subject": f"A parcel of {NAME}"}]
    body = {"count": 2, "vcons": vcons, "vcon_uuids": [uuid_of(1), uuid_of(2)]}
    assert guard.without(body)["count"] == 2, "the control"
    assert guarded(guard, body, {}) == {"count": 1, "vcons": vcons[:1], "vcon_uuids": [uuid_of(1)]}
    paged = {"items": [{"id": uuid_of(2), "subject": NAME}], "page": {"count": 1}}
    assert guarded(guard, paged, {}) == {"items": [], "page": {"count": 0}}


def test_an_argument_is_repeated_whether_it_is_on_the_list_or_not(guard: Guard) -> None:
    for name in (NAME, "Another Carrier"):
        searched = {"count": 0, "tags_searched": {"carrier": name}, "vcon_uuids": []}
        assert guarded(guard, searched, {"tags": {"carrier": name}}) == searched
        rollup = {"item": {"group_by": f"tag:{name}", "rows": []}}
        assert guarded(guard, rollup, {"group_by": f"tag:{name}"}) == rollup
        one = {"key": name, "value": name, "exists": False}
        assert guarded(guard, one, {"key": name, "default_value": name}) == one
