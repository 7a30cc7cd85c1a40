"""The restricted list of ``--ai-governance-config``: which customers' calls no agent may see.

The file is YAML and strict: ``version: 1`` and ``lists``, which holds ``no_ai``, ``notification_required`` or
both; each is a map of ``description``, ``action`` and ``customers``; a customer has a ``name`` and, as wanted,
``aliases``, ``domains``, ``email_fragments``, ``crm_object_ids``, ``reason`` and ``notes``. Both lists have the
same effect. ``docs/restricted-names.md`` says what matches.

What is refused is refused with file and line. A message never quotes the file: whatever stands in it may be
the name of a customer, also by mistake where a key should stand. Entries are named by list and number.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gongmcp.errors import StartupRefusal
from gongmcp.governance.terms import RULES, Kind, Term, Unusable
from gongmcp.refusals import refused
from gongmcp.yaml_text import BadYaml, yaml_nodes

LISTS: Final = ("no_ai", "notification_required")
MAX_FILE_BYTES: Final = 8 * 1024 * 1024
MAX_ENTRIES: Final = 20_000
MAX_TERM_CHARACTERS: Final = 200

_HINT: Final = "docs/restricted-names.md shows what the file holds."
_TOP_KEYS: Final = ("version", "lists")
_LIST_KEYS: Final = ("description", "action", "customers")
_TERMS: Final = (Kind.ALIAS, Kind.DOMAIN, Kind.EMAIL_FRAGMENT, Kind.CRM_OBJECT_ID)
_CUSTOMER_KEYS: Final = (Kind.NAME.value, *(kind.value for kind in _TERMS), "reason", "notes")
_WORD_OF: Final = {
    Kind.NAME: "name",
    Kind.ALIAS: "alias",
    Kind.DOMAIN: "domain",
    Kind.EMAIL_FRAGMENT: "e-mail fragment",
    Kind.CRM_OBJECT_ID: "CRM object id",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One customer of the list. Its ``repr`` and ``str`` hold no name.

    Attributes:
        list: the list that it stands in.
        index: its number in that list, from 1.
        line: the line of the file on which it begins.
        name: its name as written, for the operator alone.
        terms: what is looked for; never empty.
    """

    list: str
    index: int
    line: int
    name: str = field(repr=False)
    terms: tuple[Term, ...] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.list}, customer {self.index} (line {self.line})"


@dataclass(frozen=True, slots=True)
class RestrictedList:
    """What a file says. ``warnings`` tells, without a name, what cannot be looked for or finds very much."""

    entries: tuple[Entry, ...]
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The SHA-256 of what is looked for, in hexadecimal: the same whatever the order, reasons and notes."""
        digest = hashlib.sha256(f"restricted list, rules {RULES}".encode())
        for identity in sorted({_identity(entry) for entry in self.entries}):
            data = identity.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()

    def covers(self, other: RestrictedList) -> bool:
        """Tell whether this list looks for all that *other* looks for: whether it is as strict or stricter."""
        return _looked_for(other) <= _looked_for(self)


def _identity(entry: Entry) -> str:
    found = sorted({identity for term in entry.terms for identity in term.identity()})
    return "\x01".join((entry.list, *found))


def _looked_for(restricted: RestrictedList) -> set[str]:
    return {identity for entry in restricted.entries for term in entry.terms for identity in term.identity()}


def read_restricted_list(path: Path) -> RestrictedList:
    """Read and check the file at *path*.

    A term that cannot be looked for (a single letter, a legal form or a stop word alone) is a warning as
    long as its customer has another one, else a refusal: no customer of the file is passed over.
    Raises ``StartupRefusal`` (exit 2) that names file and line and quotes nothing of the file.
    """
    return _Reader(path.name).read(_tree(path))


def _refusal(place: str, problem: str, hint: str = _HINT) -> StartupRefusal:
    return refused("restricted_list", place=place, problem=problem, hint=hint)


def _tree(path: Path) -> Any:
    """Return the file as a tree of the parser's nodes, which know their lines."""
    try:
        root = yaml_nodes(_text(path))
    except BadYaml as error:
        raise _refusal(f"{path.name}:{error.line or 1}", str(error)) from None
    if root is None:
        raise _refusal(f"{path.name}:1", "the restricted list is empty")
    return root


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise _refusal(
            path.name, f"the restricted list cannot be read: {reason}", "Check path and permissions."
        ) from None
    if len(data) > MAX_FILE_BYTES:
        raise _refusal(path.name, f"the restricted list is larger than {MAX_FILE_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _refusal(f"{path.name}:{line}", "this is not UTF-8 text", "Save the file as UTF-8.") from None
    control = re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text)
    if control:
        line = text.count("\n", 0, control.start()) + 1
        raise _refusal(f"{path.name}:{line}", "a control character stands here", "Remove it.")
    return text


class _Reader:
    """Checks the tree of one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._warnings: list[str] = []

    def read(self, root: Any) -> RestrictedList:
        top = self._map(root, "the file", _TOP_KEYS)
        for key in _TOP_KEYS:
            if key not in top:
                raise self._refused(root, f"the key {key} is missing")
        if _scalar(top["version"]) != ("int", "1"):
            raise self._refused(top["version"], "version must be 1", "Upgrade gongmcp, or write version: 1.")
        lists = self._map(top["lists"], "lists", LISTS)
        if not lists:
            raise self._refused(top["lists"], f"lists holds no list; there are {' and '.join(LISTS)}")
        entries = [entry for name, node in lists.items() for entry in self._entries(name, node)]
        if not entries:
            raise self._refused(top["lists"], "no customer is listed", "List one, or start without the file.")
        return RestrictedList(tuple(entries), tuple(self._warnings))

    def _entries(self, name: str, node: Any) -> Iterator[Entry]:
        keys = self._map(node, name, _LIST_KEYS)
        for key in ("description", "action"):
            if key in keys:
                self._optional_text(keys[key], f"{name}, {key}")
        if "customers" not in keys:
            raise self._refused(node, f"{name}: the key customers is missing")
        customers = self._list(keys["customers"], f"{name}, customers")
        if len(customers) > MAX_ENTRIES:
            raise self._refused(keys["customers"], f"{name} has more than {MAX_ENTRIES} customers")
        for index, customer in enumerate(customers, 1):
            yield self._entry(name, index, customer)

    def _entry(self, name: str, index: int, node: Any) -> Entry:
        what = f"{name}, customer {index}"
        keys = self._map(node, what, _CUSTOMER_KEYS)
        if Kind.NAME.value not in keys:
            raise self._refused(node, f"{what}: the key name is missing")
        for key in ("reason", "notes"):
            if key in keys:
                self._optional_text(keys[key], f"{what}, {key}")
        line = _line(node)
        name_node = keys[Kind.NAME.value]
        written = self._term_text(name_node, f"{what}, name")
        terms: list[Term] = []
        reason = self._add(terms, Kind.NAME, written, f"{what} (line {_line(name_node)}): its name")
        for kind in _TERMS:
            for number, item in enumerate(self._list(keys.get(kind.value), f"{what}, {kind.value}"), 1):
                text = self._term_text(item, f"{what}, {_WORD_OF[kind]} {number}")
                self._add(terms, kind, text, f"{what} (line {_line(item)}): {_WORD_OF[kind]} {number}")
        if not terms:
            hint = "Give its full name, an alias, a domain or a CRM object id."
            raise self._refused(node, f"{what}: nothing of it can be looked for, its name because {reason}", hint)
        return Entry(name, index, line, written, tuple(dict.fromkeys(terms)))

    def _add(self, terms: list[Term], kind: Kind, text: str, what: str) -> str:
        """Add the term to *terms*; or return why it cannot be looked for, which is also a warning."""
        try:
            term = Term.of(kind, text)
        except Unusable as reason:
            self._warnings.append(f"{self._file}: {what} cannot be looked for: {reason}.")
            return str(reason)
        if term.warning:
            self._warnings.append(f"{self._file}: {what} is looked for, but {term.warning}.")
        terms.append(term)
        return ""

    # ------------------------------------------------------------------------------------ the tree

    def _map(self, node: Any, what: str, known: tuple[str, ...]) -> dict[str, Any]:
        if node.id != "mapping" or not _plain(node):
            raise self._refused(node, f"{what} must be a map with the keys {', '.join(known)}")
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = key.value if key.id == "scalar" else ""
            if name not in known:
                raise self._refused(key, f"{what}: this key is not known; known are {', '.join(known)}")
            if name in found:
                raise self._refused(key, f"{what}: the key {name} stands twice")
            if value.id == "scalar" and not value.value:
                value.start_mark = key.start_mark  # the parser puts what is not written on the next line
            found[name] = value
        return found

    def _list(self, node: Any, what: str) -> list[Any]:
        if node is None or _scalar(node)[0] == "null":
            return []
        if node.id != "sequence" or not _plain(node):
            raise self._refused(node, f"{what} must be a list")
        return list(node.value)

    def _optional_text(self, node: Any, what: str) -> None:
        if _scalar(node)[0] not in {"str", "null"}:
            raise self._refused(node, f"{what} must be text", "Put it in quotes.")

    def _term_text(self, node: Any, what: str) -> str:
        kind, text = _scalar(node)
        if kind != "str":
            raise self._refused(node, f"{what} must be text", "Put it in quotes, also if it is a number.")
        if not text.strip():
            raise self._refused(node, f"{what} is blank", "Fill it in or remove it.")
        if len(text) > MAX_TERM_CHARACTERS:
            raise self._refused(node, f"{what} has more than {MAX_TERM_CHARACTERS} characters", "Shorten it.")
        return text

    def _refused(self, node: Any, problem: str, hint: str = _HINT) -> StartupRefusal:
        return _refusal(f"{self._file}:{_line(node)}", problem, hint)


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _plain(node: Any) -> bool:
    """Tell whether a map or list has no tag of its own (``!!set``, ``!python/...``)."""
    return str(node.tag) in {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}


def _scalar(node: Any) -> tuple[str, str]:
    """Return type and text of a scalar; the type is empty for everything else."""
    if node.id != "scalar":
        return "", ""
    tag = str(node.tag)
    return tag.removeprefix("tag:yaml.org,2002:") if tag.startswith("tag:yaml.org,2002:") else "", str(node.value)
