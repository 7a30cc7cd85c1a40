"""Editing: merge strategies, indexes, placeholders, tags, guards; a dry run writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gongctl.vcon.elements import Part
from gongctl.vcon.findings import VconRefused
from gongctl.vcon.merge import updated
from gongctl.vcon.service import Change, VconService
from gongctl.vcon.store import VconStore
from gongctl.vcon.tags import tags_of
from gongctl.vcon.validate import validate
from tests.gongctl.vcon.conversations import OTHER, UUID, plain


@pytest.fixture
def made(service: VconService) -> VconService:
    service.create(plain())
    return service


def refused(code: str) -> Any:
    return pytest.raises(VconRefused, check=lambda error: error.code == code)


# --- creating and deleting -----------------------------------------------------------------------------


def test_a_new_one_gets_what_it_lacks(service: VconService, store: VconStore) -> None:
    done = service.create(
        {"parties": [{"name": "Ann Example"}], "subject": "x"},
        metadata={"tags": {"a": True, "b": 1.5}, "filename": "f"},
    )
    after = store.get(done.uuid)
    assert after == done.after
    assert after is not None
    assert after["vcon"] == "0.4.0"
    assert after["uuid"][14] == "8"
    assert tags_of(after) == {"a": "true", "b": "1.5"}
    assert [item["purpose"] for item in after["attachments"]] == ["tags", "source_file"]
    assert validate(after, "core-02").valid


def test_a_taken_uuid_is_refused_unless_it_is_to_be_replaced(made: VconService, store: VconStore) -> None:
    with refused("VC_CONFLICT"):
        made.create(plain(subject="other"))
    assert store.get(UUID) == plain()
    made.create(plain(subject="other"), replace_existing=True)
    assert (store.get(UUID) or {})["subject"] == "other"


@pytest.mark.parametrize(
    ("vcon", "code"),
    [
        ({"subject": "x"}, "VC_PARTY_REQUIRED"),
        ({"parties": []}, "VC_PARTY_REQUIRED"),
        ({"parties": [{"name": "A"}], "uuid": "x"}, "VC_UUID_FORMAT"),
        ({"parties": [{"name": "A"}], "analysis": [{"type": "summary"}]}, "VC_INVALID"),
        ({"payload": "x", "signatures": []}, "VC_SIGNED"),
    ],
)
def test_an_invalid_one_is_not_created(service: VconService, store: VconStore, vcon: dict[str, Any], code: str) -> None:
    with refused(code):
        service.create(vcon)
    assert list(store.uuids()) == []


def test_validation_can_be_left_out(service: VconService) -> None:
    assert service.create({"parties": [{"name": "A"}], "analysis": [{"type": "x"}]}, validate_first=False).applied


@pytest.mark.parametrize(
    ("template", "parameters", "kind"),
    [
        ("phone_call", {"duration": 5}, "recording"),
        ("chat_conversation", {"body": "hello"}, "text"),
        ("email_thread", {"message_id": "<1@example.com>"}, "text"),
        ("video_meeting", {"application": "meet"}, "recording"),
        ("custom", {}, None),
    ],
)
def test_templates_are_valid(service: VconService, template: str, parameters: dict[str, Any], kind: str | None) -> None:
    people = [{"name": "A"}, {"name": "B"}]
    after = service.create_from_template(template, people, subject="s", parameters=parameters).after
    assert after is not None
    assert validate(after, "core-02").valid
    assert [item["type"] for item in after.get("dialog", [])] == ([kind] if kind else [])


def test_templates_refuse_what_they_do_not_know(service: VconService) -> None:
    with refused("VC_ARGUMENT"):
        service.create_from_template("fax", [{}, {}])
    with refused("VC_PARTY_REQUIRED"):
        service.create_from_template("phone_call", [{"name": "A"}])
    with refused("VC_ARGUMENT"):
        service.create_from_template("phone_call", [{}, {}], parameters={"bogus": 1})


def test_deleting_needs_to_be_confirmed_and_takes_everything(made: VconService, store: VconStore) -> None:
    with refused("VC_CONFIRM"):
        made.delete(UUID, confirm=False)
    with refused("VC_HAS_ELEMENTS"):
        made.delete(UUID, confirm=True, cascade=False)
    made.remove(UUID, "party", 0)
    assert made.delete(UUID, confirm=True).after is None
    tables = ("raw_vcons", "vcons", "vcon_parties", "vcon_dialogs", "vcon_analyses", "vcon_attachments", "vcon_tags",
              "vcon_texts", "vcon_removals", "vcons_fts_docsize", "vcon_texts_fts_docsize",
              "vcon_parties_fts_docsize")  # fmt: skip
    for table in tables:
        assert store.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    with refused("VC_NOT_FOUND"):
        made.delete(UUID, confirm=True)


# --- updating ------------------------------------------------------------------------------------------

BASE = {"subject": "s", "extensions": ["a"], "critical": ["gong"], "acme": {"x": 1}, "note": ""}


@pytest.mark.parametrize(
    ("strategy", "updates", "expected"),
    [
        ("replace", {"subject": "t"}, {"subject": "t", "acme": {"x": 1}, "note": ""}),
        ("replace", {"extensions": ["b"], "acme": {"y": 2}}, {"extensions": ["b"], "acme": {"y": 2}, "note": ""}),
        ("merge", {"subject": "t"}, BASE | {"subject": "t"}),
        ("merge", {"extensions": ["b", "a", "b"]}, BASE | {"extensions": ["a", "b"]}),
        ("merge", {"acme": {"y": 2}}, BASE | {"acme": {"x": 1, "y": 2}}),
        ("merge", {"subject": None}, {k: v for k, v in BASE.items() if k != "subject"}),
        ("append", {"subject": "t"}, BASE),
        ("append", {"note": "n"}, BASE | {"note": "n"}),
        ("append", {"extensions": ["a", "b"]}, BASE | {"extensions": ["a", "a", "b"]}),
        ("append", {"acme": {"x": 9, "y": 2}}, BASE | {"acme": {"x": 1, "y": 2}}),
    ],
)
def test_three_ways_of_bringing_fields_in(strategy: Any, updates: dict[str, Any], expected: dict[str, Any]) -> None:
    assert updated(BASE, updates, strategy) == expected


@pytest.mark.parametrize(
    ("updates", "code"),
    [
        ({}, "VC_ARGUMENT"),
        ({"uuid": OTHER}, "VC_IMMUTABLE"),
        ({"created_at": "2026-01-01T00:00:00Z"}, "VC_IMMUTABLE"),
        ({"vcon": "0.4.0"}, "VC_IMMUTABLE"),
        ({"parties": []}, "VC_IMMUTABLE"),
        ({"amended": {"uuid": OTHER, "url": "http://example.com"}}, "VC_INVALID"),
    ],
)
def test_what_an_update_must_not_change(
    made: VconService, store: VconStore, updates: dict[str, Any], code: str
) -> None:
    with refused(code):
        made.update(UUID, updates)
    assert store.get(UUID) == plain()


def test_an_update_rises_updated_at_and_an_empty_change_does_not(made: VconService) -> None:
    first = made.update(UUID, {"subject": "a"}).after
    second = made.update(UUID, {"subject": "b"}).after
    assert first is not None
    assert second is not None
    assert plain()["created_at"] < first["updated_at"] < second["updated_at"]
    assert made.update(UUID, {"subject": "b"}).after == second


EDITS: dict[str, Callable[[VconService, Any], Change]] = {
    "update": lambda s, how: s.update(UUID, {"subject": "n"}, **how),
    "add": lambda s, how: s.add(UUID, "party", {"name": "C"}, **how),
    "replace": lambda s, how: s.replace(UUID, "party", 0, {"name": "C"}, **how),
    "remove": lambda s, how: s.remove(UUID, "dialog", 0, **how),
    "set_tag": lambda s, how: s.set_tag(UUID, "k", "v", **how),
    "remove_tag": lambda s, how: s.remove_tag(UUID, "department", **how),
    "remove_all_tags": lambda s, how: s.remove_all_tags(UUID, **how),
    "delete": lambda s, how: s.delete(UUID, confirm=True, **how),
}


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_can_be_tried_and_is_guarded_against_lost_updates(
    name: str, made: VconService, store: VconStore
) -> None:
    edit = EDITS[name]
    dump = "\n".join(store.connection.iterdump())
    tried = edit(made, {"dry_run": True})
    assert not tried.applied
    assert tried.after != tried.before == plain()
    with refused("VC_CONFLICT"):
        edit(made, {"if_updated_at": "2026-03-01T10:00:01Z"})
    with refused("VC_ARGUMENT"):
        edit(made, {"if_updated_at": "now"})
    assert "\n".join(store.connection.iterdump()) == dump
    done = edit(made, {"if_updated_at": "2026-03-01T11:00:00+01:00"})  # the same moment, written another way
    assert done.applied
    assert store.get(UUID) == done.after


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_of_a_missing_one_says_so(name: str, service: VconService) -> None:
    with refused("VC_NOT_FOUND"):
        EDITS[name](service, {})


# --- elements ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "element"),
    [
        ("party", {"name": "Cem Example"}),
        ("dialog", {"type": "text", "body": "hello", "parties": [0]}),
        ("analysis", {"type": "sentiment", "vendor": "Example", "body": {"score": 0.5}}),
        ("attachment", {"type": "invoice", "body": "abc", "encoding": "base64url"}),
    ],
)
def test_elements_are_added_behind_the_others(
    made: VconService, store: VconStore, part: Part, element: dict[str, Any]
) -> None:
    array = {"party": "parties", "attachment": "attachments"}.get(part, part)
    done = made.add(UUID, part, element)
    assert done.index == len(plain()[array])
    after = store.get(UUID) or {}
    assert after[array][:-1] == plain()[array]
    assert validate(after, "core-02").valid
    table = {"party": "parties", "dialog": "dialogs", "analysis": "analyses", "attachment": "attachments"}[part]
    held = store.connection.execute(f"SELECT idx FROM vcon_{table} ORDER BY idx").fetchall()
    assert [idx for (idx,) in held] == list(range(len(after[array])))


def test_an_element_that_is_invalid_changes_nothing(made: VconService, store: VconStore) -> None:
    for part, element in (
        ("dialog", {"type": "text", "parties": [5]}),
        ("dialog", {"type": "incomplete"}),
        ("dialog", {"type": "incomplete", "parties": [0]}),
        ("analysis", {"type": "summary"}),
        ("attachment", {"type": "x", "url": "https://example.com/x"}),
    ):
        with refused("VC_INVALID"):
            made.add(UUID, part, element)  # type: ignore[arg-type]
    assert store.get(UUID) == plain()


def test_replacing_clears_what_is_not_given(made: VconService) -> None:
    after = made.replace(UUID, "party", 0, {"name": "New"}).after
    assert after is not None
    assert after["parties"] == [{"name": "New"}, plain()["parties"][1]]


@pytest.mark.parametrize("index", [-1, 2, 99, True, 0.0, "0"])
def test_an_index_that_is_none_is_refused(made: VconService, index: Any) -> None:
    for edit in (
        lambda: made.remove(UUID, "party", index),
        lambda: made.replace(UUID, "dialog", index, {"type": "text"}),
    ):
        with refused("VC_INDEX_RANGE"):
            edit()


def test_parties_and_dialogs_leave_their_slots(made: VconService, store: VconStore) -> None:
    made.remove(UUID, "party", 0, reason="asked for it")
    made.remove(UUID, "party", 1, anonymize=True)
    after = made.remove(UUID, "dialog", 0).after
    assert after is not None
    assert after["parties"] == [{}, {"name": "anonymous"}]
    assert after["dialog"][0] == {"type": "text", "start": "2026-03-01T09:00:00Z"}
    assert after["dialog"][1] == plain()["dialog"][1]
    assert after["analysis"] == plain()["analysis"]  # which points to the slots
    assert validate(after, "core-02").valid
    noted = store.connection.execute("SELECT part, idx, removed_by, reason FROM vcon_removals ORDER BY 1, 2").fetchall()
    assert noted == [("dialog", 0, "tester", ""), ("party", 0, "tester", "asked for it"), ("party", 1, "tester", "")]
    texts = " ".join(row[0] for row in store.connection.execute("SELECT text FROM vcon_texts"))
    assert "parcel never" not in texts
    assert "Ann" not in texts
    made.replace(UUID, "party", 0, {"name": "Back"})
    assert store.connection.execute("SELECT count(*) FROM vcon_removals WHERE part = 'party'").fetchone() == (1,)


def test_analyses_and_attachments_move_up_with_what_points_to_them(made: VconService) -> None:
    for name in ("one", "two", "three"):
        made.add(UUID, "attachment", {"purpose": name})
    made.add(UUID, "analysis", {"type": "report", "vendor": "Example", "attachment": [1, 2, 3]})
    made.add(UUID, "analysis", {"type": "report", "vendor": "Example", "attachment": 2})
    made.add(UUID, "analysis", {"type": "report", "vendor": "Example", "attachment": 3})
    after = made.remove(UUID, "attachment", 2).after
    assert after is not None
    assert [item["purpose"] for item in after["attachments"]] == ["tags", "one", "three"]
    assert [item.get("attachment") for item in after["analysis"][2:]] == [[1, 2], None, 2]
    after = made.remove(UUID, "analysis", 0).after
    assert after is not None
    assert [item["type"] for item in after["analysis"]] == ["transcript", "report", "report", "report"]


# --- tags ----------------------------------------------------------------------------------------------


def test_tags_are_set_found_and_taken_away(made: VconService, store: VconStore) -> None:
    def tags() -> dict[str, str]:
        return dict(store.connection.execute("SELECT tag_key, tag_value FROM vcon_tags"))

    assert tags() == {"department": "support", "link": "https://example.com/a:b"}
    made.set_tag(UUID, " link ", "https://example.org/x:y")
    made.set_tag(UUID, "urgent", True)
    made.set_tag(UUID, "count", 3)
    assert tags() == tags_of(store.get(UUID) or {}) == {
        "department": "support", "link": "https://example.org/x:y", "urgent": "true", "count": "3"
    }  # fmt: skip
    made.remove_tag(UUID, "urgent")
    before = store.get(UUID)
    made.remove_tag(UUID, "urgent")
    assert store.get(UUID) == before
    made.remove_all_tags(UUID)
    assert tags() == {}
    assert len((store.get(UUID) or {})["attachments"]) == 1  # the slot stays


@pytest.mark.parametrize("key", ["", "  ", "a:b", "a\nb", "x" * 257])
def test_a_key_that_would_be_read_back_as_another_is_refused(made: VconService, key: str) -> None:
    with refused("VC_TAG_SYNTAX"):
        made.set_tag(UUID, key, "v")


def test_several_tags_attachments_are_one_set_of_tags(service: VconService, store: VconStore) -> None:
    vcon = plain()
    vcon["attachments"] += [
        dict(vcon["attachments"][0], body='["department:sales"]'),
        {"type": "tags", "encoding": "json", "body": {"flat": "yes"}},
    ]
    with store.transaction() as generation:
        store.put(vcon, generation)
    assert dict(store.connection.execute("SELECT tag_key, tag_value FROM vcon_tags")) == {
        "department": "sales", "link": "https://example.com/a:b", "flat": "yes"
    }  # fmt: skip
    after = service.remove_tag(UUID, "department").after
    assert after is not None
    assert tags_of(after) == {"link": "https://example.com/a:b", "flat": "yes"}
    assert len(after["attachments"]) == 3


def test_errors_that_were_there_neither_stand_in_the_way_nor_hide_new_ones(
    store: VconStore, service: VconService
) -> None:
    slot = {"purpose": "x", "start": "2026-01-01T00:00:00Z", "dialog": 0, "encoding": "none", "body": "x"}
    dialog = {"type": "text", "start": "2026-01-01T00:00:00Z", "parties": [0]}
    uuid = service.create(
        {"parties": [{"name": "a"}], "dialog": [dialog], "attachments": [{**slot, "party": 0}, {**slot, "party": 9}]},
        validate_first=False,
    ).uuid
    service.add(uuid, "party", {"name": "b"})  # the error tells now of two parties
    with pytest.raises(VconRefused, match="/dialog/1/parties/0"):
        service.add(uuid, "dialog", {**dialog, "parties": [9]})
    service.remove(uuid, "attachment", 0)  # the error moves up
    with pytest.raises(VconRefused, match="/attachments/1/party"):
        service.add(uuid, "attachment", {**slot, "party": 9})
