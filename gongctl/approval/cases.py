"""Committed cases of a policy: reading them from YAML, with the line of whatever is wrong.

version: 1
cases:
  - name: no call id in a search
    preset: operator-smoke
    policy: {provenance: raw}
    tool: search_calls
    arguments: {limit: 3, include_call_ids: false}
    status: ok
    must_hold: [{pointer: /results/0/call_ref}]
    must_not_hold: ["@example.com", {pointer: "/results/*/call_id"}]
    at_most: {rows: 3, bytes: 20000, tokens: 6000}
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gongctl.profile.yaml_tree import MAX_BYTES, Node, read_tree
from gongmcp.errors import StartupRefusal
from gongmcp.settings import POLICY_SETTINGS

VERSION: Final = 1
TOP_KEYS: Final = ("version", "cases")
CASE_KEYS: Final = (
    *("name", "preset", "policy", "tool", "arguments"),
    *("status", "must_hold", "must_not_hold", "at_most"),
)
MEASURES: Final = ("rows", "bytes", "tokens")
POLICY_KEYS: Final = tuple(
    setting.name
    for setting in POLICY_SETTINGS
    if setting.name not in {"tool_preset", "lock", "lock_mode", "ai_governance_config"}
)
_SAID: Final = {
    "too_large": "the file is too large",
    "too_deep": "lists and maps are nested too deeply",
    "yaml_alias": "anchors and aliases are not allowed: write the value out",
    "yaml_tag": "tags are not allowed",
    "bad_character": "a control character stands here",
}
_GIVEN: Final = {"scalar": "a plain value", "list": "a list", "map": "a map", "broken": "nothing that can be read"}


@dataclass(frozen=True, slots=True)
class Term:
    """What an answer must or must not hold: a *text* in either channel, or a *pointer* to a member.

    A pointer is one of RFC 6901 into the structured answer, where ``*`` stands for each item of a list.
    """

    text: str = ""
    pointer: str | None = None

    def __str__(self) -> str:
        return repr(self.text) if self.pointer is None else f"pointer {self.pointer or 'of the whole answer'}"


@dataclass(frozen=True, slots=True)
class Case:
    """One case; *file* and *line* say where it stands, *policy* holds settings by name."""

    file: str
    line: int
    name: str
    tool: str
    preset: str | None = None
    policy: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    status: str | None = None
    must_hold: tuple[Term, ...] = ()
    must_not_hold: tuple[Term, ...] = ()
    at_most: Mapping[str, int] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """``FILE:LINE``."""
        return f"{self.file}:{self.line}"


def read_cases(path: Path) -> list[Case]:
    """Return the cases of the file at *path*.

    Raises:
        StartupRefusal: (exit 2) it cannot be read or says something else; with file and line.
    """
    try:
        if path.exists() and not path.is_file():
            raise StartupRefusal(f"{path.name} is no regular file.", "Name a YAML file of cases.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise StartupRefusal(f"{path.name} cannot be read: {error.strerror}.", "Name a YAML file of cases.") from None
    reader = _Reader(path.name)
    root, found = read_tree(data)
    if found:
        raise reader.refusal(found[0].line or 1, _SAID.get(found[0].code, "this is not one document of YAML 1.2"))
    if root is None:
        raise reader.refusal(1, "the file is empty")
    return reader.cases(root)


class _Reader:
    """Reads the nodes of one file."""

    def __init__(self, file: str) -> None:
        self._file = file

    def refusal(self, line: int, problem: str, hint: str = "docs/approval.md shows the form.") -> StartupRefusal:
        return StartupRefusal(f"{self._file}:{line}: {problem}.", hint)

    def cases(self, root: Node) -> list[Case]:
        top = self._map(root, "the file", TOP_KEYS)
        if "version" not in top or self._plain(top["version"]) != VERSION:
            node = top.get("version", root)
            raise self.refusal(node.line, f"version must be {VERSION}")
        if "cases" not in top:
            raise self.refusal(root.line, "the key cases is missing")
        found = [self._case(node) for node in self._list(top["cases"], "cases")]
        if not found:
            raise self.refusal(top["cases"].line, "there is no case")
        return found

    def _case(self, node: Node) -> Case:
        keys = self._map(node, "a case", CASE_KEYS)
        if "tool" not in keys:
            raise self.refusal(node.line, "the key tool is missing")
        if not {"status", "must_hold", "must_not_hold", "at_most"} & keys.keys():
            raise self.refusal(node.line, "the case expects nothing: it could not fail")
        tool = self._text(keys["tool"], "tool")
        return Case(
            file=self._file,
            line=node.line,
            name=self._text(keys["name"], "name") if "name" in keys else tool,
            tool=tool,
            preset=self._text(keys["preset"], "preset") if "preset" in keys else None,
            policy=self._policy(keys["policy"]) if "policy" in keys else {},
            arguments=self._arguments(keys["arguments"]) if "arguments" in keys else {},
            status=self._text(keys["status"], "status") if "status" in keys else None,
            must_hold=self._terms(keys, "must_hold"),
            must_not_hold=self._terms(keys, "must_not_hold"),
            at_most=self._at_most(keys["at_most"]) if "at_most" in keys else {},
        )

    def _policy(self, node: Node) -> dict[str, str]:
        found = {}
        for name, value in self._map(node, "policy", POLICY_KEYS).items():
            plain = self._plain(value)
            items = plain if isinstance(plain, list) else [plain]
            if not all(isinstance(item, str | int | float) for item in items):
                raise self.refusal(value.line, f"{name} must be a plain value or a list of them")
            found[name] = ",".join(str(item).lower() if isinstance(item, bool) else str(item) for item in items)
        return found

    def _arguments(self, node: Node) -> dict[str, Any]:
        value = self._plain(node)
        if not isinstance(value, dict):
            raise self.refusal(node.line, f"arguments must be a map, not {_GIVEN[node.kind]}")
        return value

    def _terms(self, keys: Mapping[str, Node], key: str) -> tuple[Term, ...]:
        if key not in keys:
            return ()
        terms = tuple(self._term(node, key) for node in self._list(keys[key], key))
        if not terms:
            raise self.refusal(keys[key].line, f"{key} is empty")
        return terms

    def _term(self, node: Node, key: str) -> Term:
        if node.kind != "map":
            return Term(text=self._text(node, key))
        entries = self._map(node, key, ("pointer",))
        if "pointer" not in entries:
            raise self.refusal(node.line, f"an item of {key} is a text, or a map with the key pointer")
        pointer = self._text(entries["pointer"], "pointer", blank=True)
        if pointer and not pointer.startswith("/"):
            raise self.refusal(entries["pointer"].line, "a pointer begins with /")
        return Term(pointer=pointer)

    def _at_most(self, node: Node) -> dict[str, int]:
        found = {}
        for name, value in self._map(node, "at_most", MEASURES).items():
            number = self._plain(value)
            if not isinstance(number, int) or isinstance(number, bool) or number < 0:
                raise self.refusal(value.line, f"{name} must be a whole number of at least 0")
            found[name] = number
        if not found:
            raise self.refusal(node.line, "at_most is empty")
        return found

    def _map(self, node: Node, what: str, known: Sequence[str]) -> dict[str, Node]:
        if node.kind != "map":
            raise self.refusal(node.line, f"{what} must be a map, not {_GIVEN[node.kind]}")
        found: dict[str, Node] = {}
        for key, value in node.entries:
            if key.kind != "scalar" or key.text not in known:
                near = difflib.get_close_matches(key.text, known, 1, 0.6)
                hint = f"Did you mean {near[0]}?" if near else f"Keys: {', '.join(known)}."
                raise self.refusal(key.line, f"{what} has no such key", hint)
            if key.text in found:
                raise self.refusal(key.line, f"the key {key.text} stands here twice")
            found[key.text] = value
        return found

    def _list(self, node: Node, what: str) -> list[Node]:
        if node.kind != "list":
            raise self.refusal(node.line, f"{what} must be a list, not {_GIVEN[node.kind]}")
        return node.items

    def _text(self, node: Node, what: str, *, blank: bool = False) -> str:
        if node.kind != "scalar" or (not blank and not node.text.strip()):
            raise self.refusal(node.line, f"{what} must be a text")
        return node.text

    def _plain(self, node: Node) -> Any:
        """Return what *node* holds as JSON would."""
        if node.kind == "list":
            return [self._plain(item) for item in node.items]
        if node.kind == "map":
            found: dict[str, Any] = {}
            for key, value in node.entries:
                name = self._text(key, "a key", blank=True)
                if name in found:
                    raise self.refusal(key.line, "a key stands here twice")
                found[name] = self._plain(value)
            return found
        kind = node.scalar
        if kind == "nothing":
            return None
        if kind == "truth":
            return node.text.lower() == "true"
        return self._number(node) if kind == "number" else node.text

    def _number(self, node: Node) -> int | float:
        for read in (int, float):
            try:
                number = read(node.text)
            except ValueError:
                continue
            if math.isfinite(number):
                return number
        raise self.refusal(node.line, "write the number in plain decimal digits, or the text in quotes")
