"""Topic packs: named topics and objections, and the words by which each is found; ours, and an operator's file.

An operator's file is YAML: ``name: {description, topics: {topic: [term, …]}, objections: {topic: [term, …]}}``.
A term is a word, a phrase, or a beginning with ``*``, in the language of every search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from gongmcp.errors import ToolFault
from gongmcp.store.search_query import Term, compile_query
from gongmcp.yaml_text import BadYaml, yaml_value

MAX_FILE_BYTES: Final = 256 * 1024
MAX_PACKS: Final = 16
MAX_TOPICS: Final = 64
MAX_TERMS: Final = 24
MAX_TERM: Final = 80
MAX_DESCRIPTION: Final = 240

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")

Topics = Mapping[str, tuple[Term, ...]]


class BadPack(Exception):
    """A file of packs that cannot be used: *place* (``pack.topics.topic``) and *problem*, neither with a value."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}" if place else problem)
        self.place = place
        self.problem = problem


@dataclass(frozen=True, slots=True)
class TopicPack:
    """One pack: terms by topic, and by objection."""

    name: str
    description: str
    topics: Topics = field(default_factory=dict)
    objections: Topics = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TopicPacks:
    """The packs in force, by name."""

    packs: Mapping[str, TopicPack] = field(default_factory=dict)

    def topics(self, kind: str, among: Iterable[str] | None = None) -> dict[str, tuple[Term, ...]]:
        """Return the terms of each topic (*kind* ``topics`` or ``objections``), those of several packs together.

        Raises ``ToolFault("invalid_argument")`` when *among* names a pack that does not exist.
        """
        chosen = list(self.packs) if among is None else list(among)
        for name in chosen:
            if name not in self.packs:
                raise ToolFault(
                    "invalid_argument", "topic_packs names no pack.", f"Use some of: {', '.join(self.packs)}."
                )
        found: dict[str, tuple[Term, ...]] = {}
        for name in chosen:
            for topic, terms in getattr(self.packs[name], kind).items():
                found[topic] = tuple(dict.fromkeys((*found.get(topic, ()), *terms)))
        return found


def read_packs(content: Any) -> dict[str, TopicPack]:
    """Return the packs of a parsed file; raises ``BadPack`` that names the place."""
    if not isinstance(content, Mapping) or not content:
        raise BadPack("", "a file of topic packs is a mapping from names of packs to packs")
    if len(content) > MAX_PACKS:
        raise BadPack("", f"a file holds at most {MAX_PACKS} packs")
    return {_name(name, ""): _pack(name, pack) for name, pack in content.items()}


def _pack(name: str, content: Any) -> TopicPack:
    if not isinstance(content, Mapping):
        raise BadPack(name, "a pack is a mapping")
    for key in content:
        if key not in ("description", "topics", "objections"):
            raise BadPack(name, "a pack has description, topics and objections, and nothing else")
    description = content.get("description", "")
    if not isinstance(description, str) or len(description) > MAX_DESCRIPTION:
        raise BadPack(f"{name}.description", f"a description is a text of at most {MAX_DESCRIPTION} characters")
    kinds = {kind: _topics(f"{name}.{kind}", content.get(kind, {})) for kind in ("topics", "objections")}
    if not any(kinds.values()):
        raise BadPack(name, "a pack has at least one topic or objection")
    return TopicPack(name, description, **kinds)


def _topics(place: str, content: Any) -> dict[str, tuple[Term, ...]]:
    if not isinstance(content, Mapping) or len(content) > MAX_TOPICS:
        raise BadPack(place, f"it is a mapping from at most {MAX_TOPICS} topics to lists of terms")
    return {_name(topic, place): _terms(f"{place}.{topic}", terms) for topic, terms in content.items()}


def _terms(place: str, content: Any) -> tuple[Term, ...]:
    if not isinstance(content, list) or not 1 <= len(content) <= MAX_TERMS:
        raise BadPack(place, f"a topic is a list of 1 to {MAX_TERMS} terms")
    return tuple(term_of(text, f"{place}[{number}]") for number, text in enumerate(content))


def term_of(text: Any, place: str = "") -> Term:
    """Return the term that *text* is; raises ``BadPack`` when it is none."""
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TERM:
        raise BadPack(place, f"a term is a text of at most {MAX_TERM} characters")
    plain = text.strip()
    beginning = plain.endswith("*")
    phrase = plain.rstrip("*")
    if '"' in plain or "*" in phrase or "\0" in plain:
        raise BadPack(place, "a term holds no quotation mark, and a * at its end only")
    query = compile_query(f'"{phrase}"' + ("*" if beginning else ""))
    if len(query.terms) != 1 or query.excluded or (beginning and not query.terms[0].prefix):
        raise BadPack(place, "a term is a word, a phrase, or a beginning of three letters with *")
    return query.terms[0]


def _name(name: Any, place: str) -> str:
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise BadPack(place, "a name is of small letters, digits and _, at most 64, and begins with a letter")
    return name


@cache
def builtin_packs() -> TopicPacks:
    """Return the packs that come with the program."""
    import tomllib

    return TopicPacks(read_packs(tomllib.loads((files("gongmcp.data") / "topic_packs.toml").read_text("utf-8"))))


def packs_with(path: Path) -> TopicPacks:
    """Return the packs that come with the program and those of the file at *path*.

    Raises ``BadPack`` for a file that cannot be read or used, or that has a pack of a name that is taken.
    """
    try:
        data = path.read_bytes()[: MAX_FILE_BYTES + 1]
    except OSError as error:
        raise BadPack("", f"the file cannot be read: {(error.strerror or '').lower()}") from None
    if len(data) > MAX_FILE_BYTES:
        raise BadPack("", f"the file is larger than {MAX_FILE_BYTES} bytes")
    try:
        own = read_packs(_parsed(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise BadPack("", "the file is not UTF-8 text") from None
    taken = builtin_packs().packs.keys() & own.keys()
    if taken:
        raise BadPack(min(taken), "a pack of that name comes with the program")
    return TopicPacks({**builtin_packs().packs, **own})


def _parsed(text: str) -> Any:
    try:
        return yaml_value(text)
    except BadYaml as error:
        place = f" (line {error.line})" if error.line else ""
        raise BadPack("", f"the file is no YAML document{place}") from None
