"""Reading a store: searches by metadata and by words, pages, tags, groups; and what a cache denies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore, is_store
from gongmcp.errors import StartupRefusal
from gongmcp.store import vcon_figures, vcon_read, vcon_search
from gongmcp.store.connection import ReadStore, StorePool
from gongmcp.store.search_query import compile_query
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID
from gongmcp.store.vcon_search import VconFilters
from tests.gongctl.vcon.conversations import UUID, plain, strange


def uuid_of(number: int) -> str:
    return f"0190b4e3-95aa-8d00-8a59-{number:012x}"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vcons") / "store.db"
    with VconStore.open(path, create=True) as store, store.transaction() as generation:
        store.put(plain(), generation)
        store.put(strange(), generation)
        for number in range(1, 8):
            vcon = plain(
                uuid=uuid_of(number),
                created_at=f"2026-04-0{min(number, 5)}T00:00:00Z",
                subject=f"Café {number}",
                parties=[{"name": f"Zoë Caller{number}", "mailto": f"z{number}@mail.example"}, {"name": "Ann Agent"}],
            )
            dealer = {"id": number % 2, "name": f"Dealer {number % 2}", "team": {"id": "t", "name": "Team"}}
            vcon["attachments"].append({"purpose": "strolid_dealer", "encoding": "json", "body": json.dumps(dealer)})
            vcon["attachments"][0]["body"] = f'["portal:{"bad" if number > 5 else "good"}","n:{number}"]'
            store.put(vcon, generation)
    return path


@pytest.fixture
def read(path: Path) -> Iterator[ReadStore]:
    pool = StorePool(path, application=VCON_APPLICATION_ID)
    try:
        with pool.store_scope() as store:
            yield store
    finally:
        pool.close()


def found(read: ReadStore, filters: VconFilters, **how: Any) -> list[str]:
    return [row["subject"] for row in vcon_search.page(read, filters, limit=100, **how)]


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({}, 9),
        ({"subject": "cafe"}, 7),
        ({"subject": "FÉ 3"}, 1),
        ({"subject": "é"}, 9),  # too short for the index; an accent does not count: "Late" has an e
        ({"subject": "100%"}, 0),
        ({"party_name": "zoe caller3"}, 1),
        ({"party_email": "MAILTO:z4@mail.example"}, 1),
        ({"party_email": "@mail.example"}, 7),
        ({"party_name": "zoe", "party_email": "z4@"}, 1),
        ({"party_name": "ann agent", "party_email": "z4@"}, 0),  # not of the same party
        ({"party_tel": "tel:+1 (555) 0100"}, 1),
        ({"tags": (("portal", "bad"),)}, 2),
        ({"tags": (("portal", "bad"), ("n", "6"))}, 1),
        ({"tags": (("Portal", "bad"),)}, 0),
        ({"tags": (("link", "https://example.com/a:b"),)}, 1),
        ({"account_id": "1"}, 4),
        ({"account_name": "dealer 0"}, 3),
        ({"created_from": 1775001600000}, 7),
        ({"created_from": 1775001600000, "created_to": 1775088000000}, 1),
        ({"started_to": 1775001600000}, 9),
    ],
)
def test_filters_narrow_every_search(read: ReadStore, filters: dict[str, Any], count: int) -> None:
    where = VconFilters(**filters)
    assert vcon_search.count(read, where) == len(found(read, where)) == count
    hits = vcon_search.keyword(read, '"refund"', where, limit=100)
    assert hits.total <= count


@pytest.mark.parametrize("name", ["subject", "party_name", "party_tel", "party_email"])
def test_what_could_never_be_found_is_refused(read: ReadStore, name: str) -> None:
    with pytest.raises(ValueError):
        vcon_search.count(read, VconFilters(**{name: " "}))


@pytest.mark.parametrize("order", ["created", "started"])
@pytest.mark.parametrize("limit", [1, 2, 4])
def test_pages_neither_repeat_nor_skip(read: ReadStore, order: Any, limit: int) -> None:
    seen: list[str] = []
    after = None
    while rows := vcon_search.page(read, VconFilters(), limit=limit, after=after, order=order):
        seen += [row["uuid"] for row in rows]
        after = rows[-1]["sort_ms"], rows[-1]["vcon_no"]
    whole = [row["uuid"] for row in vcon_search.page(read, VconFilters(), limit=100, order=order)]
    assert seen == whole
    assert len(set(seen)) == 9
    assert found(read, VconFilters(), offset=7) == found(read, VconFilters())[7:]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("refund", 9),
        ("refunded invoice", 9),  # by their stems
        ('"refund the invoice"', 9),
        ("refund -invoice", 0),
        ("parcel OR refund", 9),
        ("arriv*", 8),
        ("café", 7),
        ("ann@example.com", 8),
        ("UklGRg", 0),  # base64 is not searched
        ("segments", 0),  # nor are the keys of JSON
        ("123", 1),
    ],
)
def test_words_are_found_once_a_vcon(read: ReadStore, text: str, count: int) -> None:
    fts = compile_query(text).fts
    assert fts is not None
    hits = vcon_search.keyword(read, fts, VconFilters(), limit=100)
    assert (hits.total, len(hits.hits), hits.total_is_exact) == (count, count, True)
    assert len({hit.vcon_no for hit in hits.hits}) == count
    seen: list[int] = []
    after = None
    while page := vcon_search.keyword(read, fts, VconFilters(), limit=3, after=after).hits:
        seen += [hit.vcon_no for hit in page]
        after = page[-1].key
    assert seen == [hit.vcon_no for hit in hits.hits]


def test_a_hit_says_where_it_is(read: ReadStore) -> None:
    (hit,) = vcon_search.keyword(read, '"kindly"', VconFilters(subject="Café 1"), limit=1).hits
    row = vcon_search.text(read, hit.text_no)
    assert row is not None
    assert (row["unit"], row["idx"], row["position"], row["party"]) == ("analysis", 1, 1, 0)
    assert (row["start_ms"], row["end_ms"]) == (3000, 4250)
    assert [r["text"] for r in vcon_search.matching_texts(read, '"kindly"', hit.vcon_no, limit=5)] == [row["text"]]


def test_one_vcon_is_read_with_its_parts(read: ReadStore) -> None:
    header = vcon_read.header(read, UUID.upper())
    assert header is not None
    number = header["vcon_no"]
    assert (header["subject"], header["duration_seconds"], header["started_at"]) == (
        "Late delivery", 360.0, "2026-03-01T09:00:00Z"
    )  # fmt: skip
    assert [row["name"] for row in vcon_read.parties(read, [number])[number]] == ["Ann Example", "Bo Sample"]
    assert [row["dialog_type"] for row in vcon_read.dialogs(read, [number])[number]] == ["text", "recording"]
    assert vcon_read.tags(read, [number])[number] == {"department": "support", "link": "https://example.com/a:b"}
    assert vcon_read.summaries(read, [number])[number][0]["text"] == "A parcel of Wunderbar Logistics is late."
    assert vcon_read.document(read, UUID) == plain()
    assert vcon_read.document(read, uuid_of(99)) is None


def test_a_foreign_one_is_verbatim_and_its_placeholders_are_told(read: ReadStore) -> None:
    header = vcon_read.header(read, strange()["uuid"])
    assert header is not None
    assert header["placeholder_count"] == 2
    assert vcon_read.document(read, strange()["uuid"]) == strange()
    number = header["vcon_no"]
    assert [row["placeholder"] for row in vcon_read.parties(read, [number])[number]] == [0, 1, 0, 0]
    assert [row["placeholder"] for row in vcon_read.dialogs(read, [number])[number]] == [0, 0, 0, 1]


def test_figures_count_each_vcon_once(read: ReadStore) -> None:
    assert vcon_figures.totals(read)["vcons"] == 9
    assert [tuple(row) for row in vcon_figures.tag_values(read, key_filter="PORT")] == [
        ("portal", "good", 5), ("portal", "bad", 2)
    ]  # fmt: skip
    assert vcon_figures.tagged(read) == 8
    groups = vcon_figures.groups(read, "account", tags=(("portal", "bad"),))
    assert [(g["group_key"], g["team_name"], g["filtered_count"], g["baseline_count"]) for g in groups] == [
        ("0", "Team", 1, 3), ("1", "Team", 1, 4)
    ]  # fmt: skip
    (month, _) = vcon_figures.groups(read, "month")
    assert (month["group_key"], month["baseline_count"]) == ("2026-04", 7)
    (tag,) = vcon_figures.groups(read, "tag:portal", filters=VconFilters(subject="Café"), min_count=3)
    assert (tag["group_key"], tag["baseline_count"]) == ("good", 5)
    with pytest.raises(ValueError):
        vcon_figures.groups(read, "nonsense")
    assert [(row["period"], row["vcons"]) for row in vcon_figures.growth(read)] == [("2026-03", 2), ("2026-04", 7)]
    assert [row["period"] for row in vcon_figures.growth(read, period="weekly")] == ["2026-W09", "2026-W14"]


def test_stores_and_caches_are_told_apart(path: Path) -> None:
    assert is_store(path)
    with pytest.raises(StartupRefusal):
        StorePool(path)
    pool = StorePool(path, application=VCON_APPLICATION_ID)
    with pool.store_scope() as store, pytest.raises(sqlite3.DatabaseError):
        store.rows("SELECT * FROM raw_calls")
    pool.close()


def test_an_edit_keeps_the_number_of_a_vcon(store: VconStore, service: VconService) -> None:
    service.create(plain())
    service.create(strange() | {"critical": []})
    before = store.connection.execute("SELECT uuid, vcon_no FROM vcons ORDER BY uuid").fetchall()
    service.update(UUID, {"subject": "x"})
    assert store.connection.execute("SELECT uuid, vcon_no FROM vcons ORDER BY uuid").fetchall() == before
