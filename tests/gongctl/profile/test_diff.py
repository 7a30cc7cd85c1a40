"""The difference of two profiles, and a profile written as YAML."""

from __future__ import annotations

from gongctl.profile.diff import SectionDiff, diff
from gongctl.profile.document import read_profile
from gongctl.profile.model import Profile
from gongctl.profile.yaml_text import profile_yaml

BASE = """\
version: 1
name: Base
objects:
  deal: {object_types: [Opportunity], confidence: 0.9, evidence: {values: [a]}}
fields:
  stage: {object: deal, names: [StageName]}
lifecycle:
  won: {order: 10, rules: [{field: stage, op: in, values: [Won]}]}
  open: {order: 20, rules: [{any: [{field: stage, op: is_set}, {call: scope, op: regex, value: " x"}]}]}
methodology:
  pain: {aliases: [p], fields: [{object: deal, name: Pain}]}
"""


def profile(text: str) -> Profile:
    found = read_profile(text)
    assert found.profile is not None, found.findings
    return found.profile


def changed(before: str, after: str) -> list[SectionDiff]:
    assert before in BASE
    return diff(profile(BASE), profile(BASE.replace(before, after)))


def test_equal_profiles_do_not_differ() -> None:
    assert diff(profile(BASE), profile(BASE)) == []
    assert changed("values: [a]", "values: [b]") == []


def test_added_and_removed() -> None:
    (section,) = changed("  stage: {object: deal, names: [StageName]}", "  stage2: {object: deal, names: [StageName]}")
    assert (section.section, section.added, section.removed, section.changed) == ("fields", ("stage2",), ("stage",), ())


def test_changed_entries_show_the_keys_that_differ() -> None:
    assert changed("names: [StageName]", "names: [dealstage], groupable: true") == [
        SectionDiff(
            "fields",
            changed=(
                ("stage", {"names": ["StageName"], "groupable": False}, {"names": ["dealstage"], "groupable": True}),
            ),
        )
    ]


def test_the_name_is_in_the_head() -> None:
    (section,) = changed("name: Base", "name: Other")
    assert section.as_json() == {
        "section": "profile",
        "added": [],
        "removed": [],
        "changed": [{"name": "(head)", "before": {"name": "Base"}, "after": {"name": "Other"}}],
    }


def test_a_new_sequence_of_buckets_is_told() -> None:
    (section,) = changed("order: 10", "order: 30")
    assert [name for name, _, _ in section.changed] == ["won", "(sequence)"]
    assert section.changed[1][2] == {"buckets": ["open", "won"]}
    (section,) = changed("order: 10", "order: 11")
    assert [name for name, _, _ in section.changed] == ["won"]


def test_a_profile_written_is_read_back() -> None:
    base = profile(BASE)
    assert profile(profile_yaml(base)) == base


def test_comments_stay_on_their_lines() -> None:
    text = profile_yaml(profile(BASE), {"": ["head\nname: evil"], "fields.stage": ["a\u2028fields: evil", "b\x85c"]})
    assert text.startswith("# head�name: evil\n\nversion: 1\n")
    assert "  # a�fields: evil\n  # b�c\n  stage:\n" in text
    assert profile(text) == profile(BASE)
