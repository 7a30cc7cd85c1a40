"""What an attack has: sessions with the server, what is secret under its policy, and a budget of tries."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gongctl.governance.attacks.client import StdioClient
from gongctl.governance.attacks.planted import SECRETS, Secret
from gongctl.governance.probes import twin_of, without_words
from gongmcp.governance.names import Matcher
from gongmcp.settings import PREFIX

_ECHOES = frozenset(
    {
        *("searched", "query_understood", "theme_understood", "call_refs_not_found"),
        *("normalized_filter", "normalized_filter_a", "normalized_filter_b"),
    }
)


@dataclass(slots=True)
class Tried:
    """What an attack did. *won* says, without a value, what it learnt; *note* is a figure worth printing."""

    tries: int = 0
    won: list[str] = field(default_factory=list)
    note: str = ""
    skipped: str = ""

    def win(self, what: str) -> None:
        """Note a win once."""
        if what not in self.won:
            self.won.append(what)


class Session:
    """One client session; counts tries, and looks at everything that comes for secrets."""

    def __init__(self, client: StdioClient, arena: Arena, tried: Tried) -> None:
        self.client, self._arena, self._tried = client, arena, tried
        self.tools: dict[str, dict[str, Any]] = {
            tool["name"]: tool["inputSchema"] for tool in client.request("tools/list", {}).get("tools", ())
        }

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; returns its structured answer, or ``{"error": text}``."""
        self._tried.tries += 1
        result = self.client.call(tool, arguments)
        self._arena.look(tool, result, arguments, self._tried)
        if "structuredContent" in result:
            return dict(result["structuredContent"])
        return {"error": " ".join(str(part.get("text", "")) for part in result.get("content", ())) or str(result)}

    def timed(self, tool: str, **arguments: Any) -> float:
        """Call a tool and return the seconds that it took."""
        self._tried.tries += 1
        started = time.perf_counter()
        self.client.call(tool, arguments)
        return time.perf_counter() - started

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send another request."""
        self._tried.tries += 1
        result = self.client.request(method, params)
        self._arena.look(method, result, params, self._tried)
        return result


@dataclass
class Arena:
    """The server under attack. *names* are restricted ones; *budget* is what one attack may try."""

    command: Sequence[str]
    names: Sequence[str]
    matcher: Matcher | None
    budget: int
    secrets: tuple[Secret, ...] = SECRETS

    @contextmanager
    def session(self, tried: Tried) -> Iterator[Session]:
        """Start a server of its own for one client; what it says on standard error is looked at too."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        with StdioClient(self.command, environment) as client:
            session = Session(client, self, tried)
            self._scan("instructions", client.instructions, {}, tried)
            yield session
        self._scan("standard error", client.stderr, {}, tried)

    def settle(self) -> None:
        """Take from the secrets what the policy shows to who asks for it with every include flag."""
        tried, shown = Tried(), []
        with self.session(tried) as session:
            for tool, schema in session.tools.items():
                flags = {name: True for name in schema["properties"] if name.startswith("include_")}
                arguments = {**required_of(schema, "Account", "roadmapping"), **flags}
                shown.append(json.dumps(session.client.call(tool, arguments), ensure_ascii=False))
        text = "\n".join(shown).casefold()
        keeps = ("restricted", "masked", "private")
        self.secrets = tuple(
            secret
            for secret in self.secrets
            if any(word in secret.kind for word in keeps) or secret.value.casefold() not in text
        )

    def look(self, place: str, result: Any, arguments: Mapping[str, Any], tried: Tried) -> None:
        """Look at an answer for secrets; what repeats the caller's own words is passed over."""
        asked = json.dumps(arguments, ensure_ascii=False, default=str)
        if self.matcher is not None and self.matcher.hits(asked) and isinstance(result, dict):
            # The formatted text repeats the question, folded; the structure has the same facts apart from it.
            result = result.get("structuredContent", {})
        for text in texts(result, arguments):
            self._scan(place, text, arguments, tried)

    def _scan(self, place: str, text: str, arguments: Mapping[str, Any], tried: Tried) -> None:
        low = text.casefold()
        asked = json.dumps(arguments, ensure_ascii=False, default=str).casefold()
        for secret in self.secrets:
            if secret.value.casefold() in low and secret.word.casefold() not in asked:
                tried.win(f"{secret.kind} in {place}")
        if self.matcher is not None and not self.matcher.hits(asked) and self.matcher.hits(text):
            tried.win(f"a restricted name in {place}")

    def pairs(self, count: int, seed: str) -> Iterator[tuple[str, str]]:
        """Yield *count* pairs of a restricted name and one of its shape that nobody has."""
        draw = random.Random(seed)
        for number in range(count):
            name = self.names[number % len(self.names)]
            twin = twin_of(name, draw)
            if self.matcher is None or not self.matcher.hits(twin):
                yield name, twin


def required_of(schema: Mapping[str, Any], text: str, query: str) -> dict[str, Any]:
    """Return values for the required arguments of a tool."""
    properties = schema["properties"]
    named = {"query": query, "object_type": "Account", "field_name": "Name", "value_query": "Plainfield"}
    named |= {"bucket_a": "renewal", "bucket_b": "unknown"}
    return {name: named.get(name, properties[name].get("enum", [text])[0]) for name in schema.get("required", ())}


def texts(result: Any, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a result, without fields that repeat the caller's own *arguments*."""
    own = set(_strings(arguments.values()))

    def walk(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            if value not in own:
                yield value
        elif isinstance(value, Mapping):
            for name, item in value.items():
                if name not in _ECHOES and name != "cursor":
                    yield from walk(item)
        elif isinstance(value, list):
            for item in value:
                yield from walk(item)

    yield from walk(result)


def _strings(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _strings(value)
        elif isinstance(value, Mapping):
            yield from _strings(value.values())


def without(answer: Mapping[str, Any], *names: str) -> str:
    """Return an answer as text with a sign in place of the words of the *names* that were asked for."""
    return without_words(json.dumps(answer, ensure_ascii=False, sort_keys=True), names)
