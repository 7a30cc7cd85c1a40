"""A profile as YAML that an author edits: the parts in order, what is not said left out, comments where given."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gongctl.profile.findings import cleaned
from gongctl.profile.model import DEFAULT_ORDER, All, Bucket, Condition, Evidence, Profile, Rule

WIDTH: Final = 120
_INDENT: Final = 2

Notes = Mapping[str, Sequence[str]]
"""Comment lines by the place (``fields.deal_stage``) before which they stand; '' is the head of the file."""


def profile_yaml(profile: Profile, notes: Notes | None = None) -> str:
    """Return *profile* as YAML with the comments *notes*; ``read_profile`` reads an equal profile from it."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="rt", pure=True)
    yaml.width = WIDTH
    yaml.indent(mapping=_INDENT, sequence=2 * _INDENT, offset=_INDENT)
    stream = io.StringIO()
    yaml.dump(_Writer(notes or {}).profile(profile), stream)
    head = "".join(f"{_comment(line)}\n" for line in (notes or {}).get("", ()))
    return (head + "\n" if head else "") + stream.getvalue()


def _comment(line: str) -> str:
    """Return *line* as one comment line, whatever characters it holds."""
    return f"# {cleaned(line, 2 * WIDTH)}".rstrip()


class _Writer:
    """Makes the tree that ruamel.yaml writes."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def profile(self, profile: Profile) -> Any:
        root = self._map("", {"version": profile.version, "name": profile.name})
        parts: dict[str, dict[str, dict[str, Any]]] = {
            "objects": {
                item.name: {"object_types": _texts(item.object_types), **self._grounds(item.confidence, item.evidence)}
                for item in profile.objects
            },
            "fields": {
                item.name: {
                    "object": item.object,
                    "names": _texts(item.names),
                    **({"groupable": True} if item.groupable else {}),
                    **self._grounds(item.confidence, item.evidence),
                }
                for item in profile.fields
            },
            "lifecycle": {item.name: self._bucket(item) for item in profile.lifecycle},
            "methodology": {
                item.name: _said(
                    description=item.description,
                    aliases=_texts(item.aliases),
                    fields=self._list([_flow_map(object=field.object, name=field.name) for field in item.fields]),
                    tracker_ids=_texts(item.tracker_ids),
                    scorecard_question_ids=_texts(item.scorecard_question_ids),
                )
                for item in profile.methodology
            },
        }
        for section, entries in parts.items():
            root[section] = self._map(
                section, {name: self._map(f"{section}.{name}", body) for name, body in entries.items()}
            )
        self._annotate(root, "", 0)
        return root

    def _bucket(self, bucket: Bucket) -> dict[str, Any]:
        return {
            **_said(label=bucket.label, description=bucket.description),
            **({"order": bucket.order} if bucket.order != DEFAULT_ORDER else {}),
            **_said(rules=self._list([self._rule(rule) for rule in bucket.rules])),
            **self._grounds(bucket.confidence, bucket.evidence),
        }

    def _rule(self, rule: Rule) -> Any:
        if not isinstance(rule, Condition):
            key = "all" if isinstance(rule, All) else "any"
            return self._map("", {key: self._list([self._rule(item) for item in rule.rules])})
        one = len(rule.values) == 1 and rule.op != "in"
        entries: dict[str, Any] = {
            key: value
            for key, value in (
                ("field", rule.field),
                ("object", rule.object),
                ("field_name", rule.field_name),
                ("call", rule.call),
                ("op", rule.op),
            )
            if value is not None
        }
        if rule.values:
            entries |= {"value": rule.values[0]} if one else {"values": _texts(rule.values)}
        return self._map("", entries)

    def _grounds(self, confidence: float | None, evidence: Evidence | None) -> dict[str, Any]:
        said: dict[str, Any] = {} if confidence is None else {"confidence": confidence}
        if evidence is not None:
            said["evidence"] = self._map(
                "",
                {
                    **_said(source=evidence.source, matched_heuristic=evidence.matched_heuristic),
                    "sample_size": evidence.sample_size,
                    "distinct_value_count": evidence.distinct_value_count,
                    **_said(values=_texts(evidence.values)),
                },
            )
        return said

    def _map(self, path: str, entries: Mapping[str, Any]) -> Any:
        from ruamel.yaml.comments import CommentedMap

        made = CommentedMap(entries)
        if path:
            self._annotate(made, path, _INDENT * (path.count(".") + 1))
        return made

    def _annotate(self, made: Any, path: str, indent: int) -> None:
        for key in made:
            lines = self._notes.get(f"{path}.{key}" if path else key)
            if lines:
                text = "\n".join(_comment(line)[2:] for line in lines)
                made.yaml_set_comment_before_after_key(key, before=text, indent=indent)

    @staticmethod
    def _list(items: Sequence[Any]) -> Any:
        from ruamel.yaml.comments import CommentedSeq

        return CommentedSeq(items)


def _said(**entries: Any) -> dict[str, Any]:
    """Return the entries that are not empty."""
    return {key: value for key, value in entries.items() if value}


def _texts(values: Sequence[str]) -> Any:
    from ruamel.yaml.comments import CommentedSeq

    made = CommentedSeq(values)
    made.fa.set_flow_style()
    return made


def _flow_map(**entries: str) -> Any:
    from ruamel.yaml.comments import CommentedMap

    made = CommentedMap(entries)
    made.fa.set_flow_style()
    return made
