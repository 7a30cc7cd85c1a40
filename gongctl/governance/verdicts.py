"""Verdicts in the cache: which calls are served, which rule took the others, and which calls a changed list concerns.

A verdict names nobody: the entry of the list stands as a keyed digest. A list that changes is compared with the
one before by the keyed digests of what it looks for. What is new in it is looked for only in the calls that hold
one of its words, by an index of checksums of words that was made when the calls were judged.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gongmcp.governance.restricted import Entry, RestrictedList

LIST_RULE: Final = "list:"
"""Beginning of the rule of a call that the restricted list suppresses."""

_WORDS_AT_ONCE: Final = 400


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of one call. *rule* '' = it is served; *words* are checksums for the index, '' = not indexed."""

    call_id: str
    rule: str
    source: str
    content: bytes
    words: str = ""

    @property
    def suppressed(self) -> bool:
        """True when the call does not exist for agents."""
        return bool(self.rule)


def entry_rule(secret: bytes, entry: Entry) -> str:
    """Return the rule that stands for *entry* in verdicts: it says which one to who has the list and the cache."""
    identity = "\0".join(sorted(identity for term in entry.terms for identity in term.identity()))
    return LIST_RULE + _keyed(secret, f"{entry.list}\0{identity}")


def term_digests(secret: bytes, restricted: RestrictedList | None) -> frozenset[str]:
    """Return the keyed digests of all that *restricted* looks for; none without a list."""
    if restricted is None:
        return frozenset()
    return frozenset(
        _keyed(secret, identity) for entry in restricted.entries for term in entry.terms for identity in term.identity()
    )


def words_of(words: Iterable[str]) -> str:
    """Return the checksums of *words* as the index takes them."""
    return " ".join(sorted({_checksum(word) for word in words}))


def content_digest(payloads: Iterable[bytes | None]) -> bytes:
    """Return the digest of a call's stored payloads."""
    digest = hashlib.blake2b(digest_size=16)
    for payload in payloads:
        data = payload or b""
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.digest()


def _keyed(secret: bytes, text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=secret, digest_size=12).hexdigest()


def _checksum(word: str) -> str:
    return f"{zlib.crc32(word.encode('utf-8', 'surrogatepass')):08x}"


class VerdictWriter:
    """Keeps the verdicts of a cache. Methods that write want an open transaction."""

    def __init__(self, connection: sqlite3.Connection, secret: bytes, restricted: RestrictedList | None) -> None:
        self._connection = connection
        self._secret = secret
        self._restricted = restricted
        self._digest = restricted.digest if restricted is not None else ""

    def store(self, verdicts: Sequence[Verdict], gone: Iterable[str] = ()) -> None:
        """Store *verdicts*, and forget those of the calls *gone*."""
        execute, many = self._connection.execute, self._connection.executemany
        for call_id in gone:
            execute("DELETE FROM verdicts WHERE call_id = ?", (call_id,))
            execute("DELETE FROM judged_calls WHERE call_id = ?", (call_id,))
        many(
            "INSERT OR REPLACE INTO verdicts (call_id, suppressed, rule, source, content, list)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [(v.call_id, int(v.suppressed), v.rule, v.source, v.content, self._digest) for v in verdicts],
        )
        indexed = [verdict for verdict in verdicts if verdict.words]
        if indexed:
            number = execute("SELECT coalesce(max(rowid), 0) FROM judged_words").fetchone()[0]
            number = max(number, execute("SELECT coalesce(max(doc_no), 0) FROM judged_calls").fetchone()[0])
            rows = [(number + place, verdict) for place, verdict in enumerate(indexed, 1)]
            many(
                "INSERT OR REPLACE INTO judged_calls (doc_no, call_id) VALUES (?, ?)",
                [(doc, verdict.call_id) for doc, verdict in rows],
            )
            many("INSERT INTO judged_words (rowid, words) VALUES (?, ?)", [(doc, v.words) for doc, v in rows])

    def start_over(self) -> None:
        """Forget every verdict and the list, for a model that is built anew."""
        for table in ("verdicts", "list_terms", "rejudge", "judged_calls"):
            self._connection.execute(f"DELETE FROM {table}")
        self._connection.execute("INSERT INTO judged_words (judged_words) VALUES ('delete-all')")
        self.take_over_terms()

    def take_over_terms(self) -> None:
        """Make the list in force the one that verdicts are about."""
        self._connection.execute("DELETE FROM list_terms")
        self._connection.executemany(
            "INSERT INTO list_terms (term) VALUES (?)",
            [(term,) for term in sorted(term_digests(self._secret, self._restricted))],
        )
        self._connection.execute("UPDATE verdicts SET list = ? WHERE list <> ?", (self._digest, self._digest))
        self._connection.execute("DELETE FROM rejudge")
        if self._restricted is None:
            self._connection.execute("DELETE FROM judged_calls")
            self._connection.execute("INSERT INTO judged_words (judged_words) VALUES ('delete-all')")

    def known_terms(self) -> frozenset[str]:
        """Return the keyed digests of what the list before looked for."""
        return frozenset(term for (term,) in self._connection.execute("SELECT term FROM list_terms"))

    def is_stricter(self) -> bool:
        """Tell whether the list in force looks for all that the list before looked for."""
        return self.known_terms() <= term_digests(self._secret, self._restricted)

    def concerned(self) -> Iterator[str]:
        """Yield the ids of calls that hold a word of what is new in the list in force."""
        if self._restricted is None:
            return
        known = self.known_terms()
        anchors = {
            anchor
            for entry in self._restricted.entries
            for term in entry.terms
            if any(_keyed(self._secret, identity) not in known for identity in term.identity())
            for target in term.targets
            for anchor in target.anchors
        }
        checksums = sorted({_checksum(word) for word in anchors})
        for at in range(0, len(checksums), _WORDS_AT_ONCE):
            query = " OR ".join(f'"{word}"' for word in checksums[at : at + _WORDS_AT_ONCE])
            for (call_id,) in self._connection.execute(
                """SELECT j.call_id FROM judged_words AS w JOIN judged_calls AS j ON j.doc_no = w.rowid
                   WHERE w.judged_words MATCH ?""",
                (query,),
            ):
                yield call_id

    def suppressed_by_list(self) -> list[str]:
        """Return the ids of the calls that the restricted list suppresses."""
        rows = self._connection.execute(
            "SELECT call_id FROM verdicts WHERE suppressed = 1 AND rule >= ? AND rule < ?", (LIST_RULE, "list;")
        )
        return [call_id for (call_id,) in rows]


def queue(connection: sqlite3.Connection, table: str, call_ids: Iterable[str]) -> None:
    """Add *call_ids* to a list of work (``dirty_calls`` or ``rejudge``)."""
    connection.execute(
        f"INSERT OR IGNORE INTO {table} (call_id) SELECT value FROM json_each(?)", (json.dumps(list(call_ids)),)
    )
