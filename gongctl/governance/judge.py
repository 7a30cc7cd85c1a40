"""Judging one call by the restricted list: does anything in it name a restricted customer?

Every text of the payloads is looked at, wherever it stands: title, parties, CRM objects and fields, transcript,
AI content, answered scorecards, and whatever else the payload holds. Keys of the JSON are Gong's words, not data,
but for names of fields that stand as keys. A call that is matched anywhere is suppressed everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from gongctl.cache.derive import derive
from gongmcp.governance.names import Matcher, index_words
from gongmcp.governance.restricted import Entry, RestrictedList

Source = Literal["title", "party", "crm", "transcript", "ai", "scorecard", "payload"]

SOURCES: Final[tuple[Source, ...]] = ("title", "party", "crm", "transcript", "ai", "scorecard", "payload")
"""Where a name can stand, in the order in which it is looked for."""

_OF_KEY: Final[dict[str, Source]] = {
    "title": "title",
    "parties": "party",
    "context": "crm",
    "crmContext": "crm",
    "crm": "crm",
    "extendedContext": "crm",
    "crmObjects": "crm",
    "objects": "crm",
    "content": "ai",
    "highlights": "ai",
    "brief": "ai",
}
_OWN_KEYS: Final = frozenset({"fields", "properties", "customData"})
"""Keys of Gong's whose value, where it is an object, has keys of the customer's own."""
_MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Found:
    """Why a call is suppressed: the first entry of the list that it names, and where."""

    entry: Entry
    source: Source


@dataclass(frozen=True)
class Judge:
    """A restricted list made ready; cheap to send to another process, which makes it ready for itself."""

    restricted: RestrictedList

    @cached_property
    def matcher(self) -> Matcher:
        """The compiled list."""
        return Matcher(self.restricted)

    def __getstate__(self) -> dict[str, Any]:
        return {"restricted": self.restricted}

    def names(self, value: object) -> bool:
        """Tell whether a text anywhere in *value* (JSON values) names a restricted customer."""
        return any(self.matcher.hits(text) for _, text in _walk(value, "payload", 0))

    def words(
        self, call: Mapping[str, Any], transcript: Mapping[str, Any] | None, answered: Sequence[Mapping[str, Any]] = ()
    ) -> set[str]:
        """Return the words by which an index finds this call when the list changes."""
        found: set[str] = set()
        for _, text in texts(call, transcript, answered):
            found |= index_words(text)
        return found

    def find(
        self, call: Mapping[str, Any], transcript: Mapping[str, Any] | None, answered: Sequence[Mapping[str, Any]] = ()
    ) -> Found | None:
        """Return why a call with these payloads is suppressed, None when it is not."""
        return next(self.find_all(call, transcript, answered), None)

    def find_all(
        self, call: Mapping[str, Any], transcript: Mapping[str, Any] | None, answered: Sequence[Mapping[str, Any]] = ()
    ) -> Iterator[Found]:
        """Yield every (entry, source) pair of a call once."""
        seen: set[tuple[str, int, str]] = set()
        for source, text in texts(call, transcript, answered):
            if not self.matcher.hits(text):
                continue
            for hit in self.matcher.find(text):
                key = (hit.entry.list, hit.entry.index, source)
                if key not in seen:
                    seen.add(key)
                    yield Found(hit.entry, source)


def texts(
    call: Mapping[str, Any], transcript: Mapping[str, Any] | None, answered: Sequence[Mapping[str, Any]] = ()
) -> Iterator[tuple[Source, str]]:
    """Yield every text of a call's payloads with the kind of place where it stands.

    The sentences of one speaker's turn come as one text: a name may be split over two of them.
    """
    nested = call.get("metaData")
    if isinstance(nested, Mapping):
        yield from _walk(nested, "payload", 0)
    yield from _walk({key: value for key, value in call.items() if key != "metaData"}, "payload", 0)
    if transcript is not None:
        yield from _transcript(transcript)
    for item in answered:
        yield from (("scorecard", text) for _, text in _walk(item, "scorecard", 0))
    yield from _served(call, answered)


def _served(call: Mapping[str, Any], answered: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Source, str]]:
    """Yield the texts that would be served of a call besides its transcript.

    Names of objects are put together of several fields, and a list or an object is served as one text: a name may be
    whole only there.
    """
    try:
        served = derive(call, None, bytes(32), "", answered)
    except ValueError:  # without an id nothing is served
        return
    for name, value in served.facts.items():
        if isinstance(value, str) and value:
            yield "title" if name == "title" else "payload", value
    for party in served.parties:
        yield "party", party.job_title
    for item in served.objects:
        yield "crm", item.object_type
        yield "crm", item.name
        for field_name, value, _ in item.values:
            yield "crm", field_name
            yield "crm", value


def _walk(node: object, source: Source, depth: int) -> Iterator[tuple[Source, str]]:
    if isinstance(node, str):
        if node:
            yield source, node
    elif depth > _MAX_DEPTH:
        yield source, str(node)
    elif isinstance(node, Mapping):
        for key, value in node.items():
            inner = _OF_KEY.get(key, source) if source == "payload" else source
            if key in _OWN_KEYS and isinstance(value, Mapping):
                yield from ((inner, name) for name in value if name)
            yield from _walk(value, inner, depth + 1)
    elif isinstance(node, list):
        for item in node:
            yield from _walk(item, source, depth + 1)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield source, str(node)


def _transcript(transcript: Mapping[str, Any]) -> Iterator[tuple[Source, str]]:
    for monologue in transcript.get("transcript") or ():
        if not isinstance(monologue, Mapping):
            yield from (("transcript", text) for _, text in _walk(monologue, "transcript", 0))
            continue
        sentences = monologue.get("sentences")
        said = [
            item["text"]
            for item in (sentences if isinstance(sentences, list) else ())
            if isinstance(item, Mapping) and isinstance(item.get("text"), str)
        ]
        if said:
            yield "transcript", " ".join(said)
        rest = {key: value for key, value in monologue.items() if key != "sentences"}
        yield from (("transcript", text) for _, text in _walk(rest, "transcript", 0))
