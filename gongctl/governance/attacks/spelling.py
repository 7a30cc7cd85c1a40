"""Attacks on text: spelling it letter by letter, confirming it by filters and completions, adding snippets up."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from typing import Any, Final

from gongctl.governance.attacks.arena import Arena, Session, Tried, required_of, without
from gongctl.governance.attacks.planted import COMMON, DAYS, LONG_ID, SECRETS, Secret, long_words
from gongctl.governance.probes import twin_of

_ALPHABET: Final = string.ascii_lowercase + string.digits
_KNOWN: Final = 3
"""Letters of a word that the adversary knows beforehand: what a prefix query needs at least."""
SHARE: Final = 12.0
"""Percent of a call's words that one session may give back."""

_HOMOGLYPHS: Final = str.maketrans("aceopxyACEOPXBHKMT", "асеорхуАСЕОРХВНКМТ")


def prefixes(arena: Arena) -> Tried:
    """Spell words of secrets by queries ``abc*`` from their first three letters on, in every search there is."""
    tried = Tried()
    with arena.session(tried) as session:
        searches = [name for name, schema in session.tools.items() if "query" in schema["properties"]]
        for secret in arena.secrets:
            for tool in searches[:2]:
                spelt = _spell(session, arena, tool, secret.word.casefold(), tried)
                if spelt == secret.word.casefold():
                    tried.win(f"{tool} spells out: {secret.kind}")
        _parts_of_values(session, arena, tried)
    return tried if searches else Tried(skipped="no tool of the preset searches")


def _spell(session: Session, arena: Arena, tool: str, word: str, tried: Tried) -> str:
    given = required_of(session.tools[tool], "Account", COMMON)
    known = word[:_KNOWN]
    while len(known) < len(word) and tried.tries < arena.budget:
        # It tries the letter that is right first, and one that is wrong: what counts is whether they differ.
        wrong = next(letter for letter in _ALPHABET if letter != word[len(known)])
        right, other = (
            session.call(tool, **{**given, "query": f"{known}{letter}*"}).get("returned", 0)
            for letter in (word[len(known)], wrong)
        )
        if not right or right == other:
            return known
        known += word[len(known)]
    return known


def _parts_of_values(session: Session, arena: Arena, tried: Tried) -> None:
    """Ask for parts of secrets where a filter looks for a part of a value."""
    for tool, schema in session.tools.items():
        for argument in ("value_query", "account_query", "opportunity_query"):
            if argument not in schema["properties"]:
                continue
            given = required_of(schema, "Account", COMMON)
            for secret in arena.secrets:
                if tried.tries >= arena.budget:
                    return
                part, nothing = secret.value[:-2], twin_of(secret.value[:-2], random.Random(secret.value))
                found = session.call(tool, **{**given, argument: part}).get("returned", 0)
                if found and found != session.call(tool, **{**given, argument: nothing}).get("returned", 0):
                    tried.win(f"{argument} of {tool} confirms: {secret.kind}")


def filters(arena: Arena) -> Tried:
    """Put restricted names and secrets into every argument that takes text, and compare with values nobody has."""
    tried = Tried()
    draw = random.Random("filters")
    texts = [(name, twin) for name, twin in arena.pairs(len(arena.names[:5]), "filters")]
    for secret in arena.secrets:
        if "id" not in secret.kind.split():  # who knows an id may ask for it
            texts.append((secret.value, twin_of(secret.value, draw)))
    with arena.session(tried) as session:
        for name, twin in texts:
            for tool, argument, given in _text_arguments(session):
                if tried.tries + 2 > arena.budget:
                    return tried
                one = session.call(tool, **given(name))
                if without(one, name, twin) != without(session.call(tool, **given(twin)), name, twin):
                    tried.win(f"{argument} of {tool} answers in another way")
    return tried


def _text_arguments(session: Session) -> Iterator[tuple[str, str, Any]]:
    for tool, schema in session.tools.items():
        required = required_of(schema, "Account", COMMON)
        for argument, rule in schema["properties"].items():
            if rule.get("type") == "string" and "enum" not in rule and "pattern" not in rule and argument != "cursor":
                yield tool, argument, lambda text, name=argument, rest=required: {**rest, name: text}


def completions(arena: Arena) -> Tried:
    """Ask for completions of prompts and templates with the beginnings of secrets."""
    tried = Tried()
    beginnings = {
        text[:length]
        for text in (*arena.names[:5], *(secret.word for secret in SECRETS))
        for length in (0, 1, 3, len(text))
    }
    with arena.session(tried) as session:
        references = [
            ({"type": "ref/prompt", "name": prompt["name"]}, argument["name"])
            for prompt in session.request("prompts/list").get("prompts", ())
            for argument in prompt.get("arguments", ())
        ]
        references += [
            (
                {"type": "ref/resource", "uri": template["uriTemplate"]},
                template["uriTemplate"].split("{")[1].rstrip("}"),
            )
            for template in session.request("resources/templates/list").get("resourceTemplates", ())
        ]
        for beginning in sorted(beginnings, key=lambda text: (len(text), text)):
            for reference, argument in references:
                if tried.tries >= arena.budget:
                    return tried
                session.request("completion/complete", ref=reference, argument={"name": argument, "value": beginning})
    return tried if references else Tried(skipped="nothing of the preset is completed")


def unicode_variants(arena: Arena) -> Tried:
    """Write restricted names in ways that look alike, and compare with unknown names written so."""
    tried = Tried()
    with arena.session(tried) as session:
        searches = [name for name, schema in session.tools.items() if "query" in schema["properties"]]
        for name, twin in arena.pairs(max(arena.budget // 12, 1), "unicode"):
            for tool in searches[:1]:
                given = required_of(session.tools[tool], "Account", COMMON)
                for one, other in zip(_variants(name), _variants(twin), strict=True):
                    if tried.tries + 2 > arena.budget:
                        return tried
                    answer = session.call(tool, **{**given, "query": one})
                    twins = session.call(tool, **{**given, "query": other})
                    if (answer.get("returned"), answer.get("status")) != (twins.get("returned"), twins.get("status")):
                        tried.win(f"{tool} knows a variant of a restricted name")
    return tried if searches else Tried(skipped="no tool of the preset searches")


def _variants(name: str) -> tuple[str, ...]:
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name)
    return (
        name.upper(),
        wide,
        name.translate(_HOMOGLYPHS),
        "\u200b".join(name),
        f"{name}'s",
        name.replace(" ", "-"),
    )


def reconstruction(arena: Arena) -> Tried:
    """Add up in one session what single words of one long call bring back; the budget must end it."""
    tried = Tried()
    words = long_words()
    seen: list[set[int]] = [set() for _ in words]
    vocabulary = {word for segment in words for word in segment}
    with arena.session(tried) as session:
        tool = "search_transcript_segments"
        if tool not in session.tools:
            return Tried(skipped="the preset has no search of segments")
        order = sorted(vocabulary, key=lambda word: (-sum(word in segment for segment in words), word))
        day = {"from_date": DAYS[LONG_ID], "to_date": DAYS[LONG_ID], "limit": 50}
        for word in order:
            if tried.tries >= arena.budget:
                break
            for row in session.call(tool, query=word, **day).get("results", ()):
                shown = set(row["snippet"].replace("«", "").replace("»", "").strip("….").split())
                index = row["segment_index"]
                seen[index] |= {place for place, said in enumerate(words[index]) if said in shown}
    share = 100 * sum(map(len, seen)) / sum(map(len, words))
    tried.note = f"{share:.1f} % of the words of one call"
    if share > SHARE:
        tried.win(f"more than {SHARE:g} % of the words of one call")
    return tried


def harvest(arena: Arena) -> Tried:
    """Call every tool with everything that it can be asked to include, read every resource, and look at it all."""
    tried = Tried()
    with arena.session(tried) as session:
        for tool, schema in session.tools.items():
            flags = {name: True for name in schema["properties"] if name.startswith("include_")}
            for query in (COMMON, "redacted", *(_open_word(secret) for secret in arena.secrets)):
                if tried.tries >= arena.budget:
                    return tried
                session.call(tool, **required_of(schema, "Account", query), **flags)
                if "query" not in schema["properties"]:
                    break
        for item in session.request("resources/list").get("resources", ()):
            session.request("resources/read", uri=item["uri"])
    return tried


def _open_word(secret: Secret) -> str:
    """Return a word that stands beside a secret and gives none of it away."""
    return {"masked e-mail address": "Write", "masked telephone number": "ring"}.get(secret.kind, COMMON)
