"""Attacks on handles: guessing ids, bending cursors, reading errors."""

from __future__ import annotations

import base64
import binascii
import json
import random
import re
from typing import Any, Final

from gongctl.governance.attacks.arena import Arena, Session, Tried, required_of, without
from gongctl.governance.attacks.planted import COMMON, HIDDEN_IDS, PRIVATE_ID
from gongctl.governance.probes import NEAR_MISSES

_INSIDE: Final = re.compile(r"Traceback|sqlite|SELECT |/home/|/tmp/|/usr/|\.py\b|site-packages", re.IGNORECASE)
"""What no error may show of the server's inside."""


def ids(arena: Arena) -> Tried:
    """Ask for hidden calls by their ids, for ids beside them, and for aliases drawn by chance."""
    tried = Tried()
    draw = random.Random("ids")
    with arena.session(tried) as session:
        asking = [
            (tool, argument)
            for tool, schema in session.tools.items()
            for argument in ("call_id", "call_ref")
            if argument in schema["properties"]
        ]
        for tool, argument in asking:
            for hidden in (*HIDDEN_IDS, PRIVATE_ID):
                given = required_of(session.tools[tool], "Account", COMMON)
                if argument == "call_id":
                    unknown = str(int(hidden) + draw.randrange(10**6, 10**9))
                    one = session.call(tool, **{**given, argument: hidden})
                    other = session.call(tool, **{**given, argument: unknown})
                    if without(one, hidden, unknown) != without(other, hidden, unknown):
                        tried.win(f"{tool} tells the id of a hidden call from an unknown one")
            while argument == "call_ref" and tried.tries < arena.budget:
                answer = session.call(tool, call_ref=f"call_{draw.getrandbits(64):016x}")
                if answer.get("status") == "ok" and answer.get("drilldown_status") != "call_not_found":
                    tried.win(f"{tool} answers an alias that was guessed")
        for hidden in (*HIDDEN_IDS, PRIVATE_ID):
            for template in session.request("resources/templates/list").get("resourceTemplates", ()):
                uri = re.sub(r"\{[^}]*\}", hidden, template["uriTemplate"])
                if "error" not in session.request("resources/read", uri=uri):
                    tried.win("a resource of a hidden call can be read")
    return tried if asking else Tried(skipped="no tool of the preset takes an id of a call")


def cursors(arena: Arena) -> Tried:
    """Change cursors, use them for other questions, other tools and in another session, and read them."""
    tried = Tried()
    draw = random.Random("cursors")
    with arena.session(tried) as session:
        pages = {tool: page for tool in session.tools if (page := _first_page(session, tool)) is not None}
        for tool, (given, cursor) in pages.items():
            if _readable(cursor):
                tried.win(f"the cursor of {tool} can be read")
            used = {
                "other arguments": {**given, "from_date": "2001-01-01"},
                "another query": {**given, "query": "roadmap*"},
            }
            for what, arguments in used.items():
                if arguments.keys() <= session.tools[tool]["properties"].keys():
                    _refused(session, tool, {**arguments, "cursor": cursor}, f"a cursor for {what}", tried)
            for other, (theirs, _) in pages.items():
                if other != tool:
                    _refused(session, other, {**theirs, "cursor": cursor}, "a cursor of another tool", tried)
        while pages and tried.tries < arena.budget:
            tool = draw.choice([*pages])
            given, cursor = pages[tool]
            place = draw.randrange(len(cursor) - 1)  # the last letter has bits that stand for nothing
            letter = draw.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            bent = cursor[:place] + letter + cursor[place + 1 :]
            if bent != cursor:
                _refused(session, tool, {**given, "cursor": bent}, "a changed cursor", tried)
    return tried if pages else Tried(skipped="no answer had a cursor")


def _first_page(session: Session, tool: str) -> tuple[dict[str, Any], str] | None:
    schema = session.tools[tool]
    if not {"cursor", "limit"} <= schema["properties"].keys():
        return None
    given = {**required_of(schema, "Account", COMMON), "limit": 1}
    answer = session.call(tool, **given)
    return (given, str(answer["next_cursor"])) if "next_cursor" in answer else None


def _refused(session: Session, tool: str, arguments: dict[str, Any], what: str, tried: Tried) -> None:
    if session.call(tool, **arguments).get("status") == "ok":
        tried.win(f"{tool} takes {what}")


def _readable(cursor: str) -> bool:
    """Tell whether a cursor is an encoding of JSON, or digits that could be an id."""
    try:
        plain = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        json.loads(plain)
    except (binascii.Error, ValueError):
        return False
    return True


def errors(arena: Arena) -> Tried:
    """Provoke errors with arguments of every wrong kind; they must show nothing of the inside and no secret."""
    tried = Tried()
    with arena.session(tried) as session:
        for tool, schema in session.tools.items():
            given = required_of(schema, "Account", COMMON)
            for argument in (*schema["properties"], "nonsense"):
                for value in NEAR_MISSES:
                    if tried.tries >= arena.budget:
                        return tried
                    _look_inside(session.call(tool, **{**given, argument: value}), f"an error of {tool}", tried)
        for method in ("tools/call", "resources/read", "prompts/get", "completion/complete", "nonsense/method"):
            for params in ({}, {"name": "nonsense"}, {"name": "x" * 5000, "uri": "gong://../etc/passwd"}):
                _look_inside(session.request(method, **params), f"an error of {method}", tried)
    return tried


def _look_inside(answer: dict[str, Any], place: str, tried: Tried) -> None:
    error = answer.get("error")
    if error is None:
        return
    text = error if isinstance(error, str) else json.dumps(error)
    if _INSIDE.search(text):
        tried.win(f"{place} shows the inside of the server")
    if "internal_error" in text:
        tried.win(f"{place} is an unexpected fault")
