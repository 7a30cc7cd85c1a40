"""Looking for words in the bytes of a cache as a thief of the file would: plain, and inside packed payloads."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path

_ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_STEP = 64


def residue(cache: Path, words: Iterable[str]) -> set[str]:
    """Return those of *words* (lower case) that the files of *cache* hold anywhere, free pages and logs included."""
    wanted = set(words)
    found: set[str] = set()
    for suffix in ("", "-wal", "-journal", "-shm"):
        file = cache.with_name(cache.name + suffix)
        if file.exists():
            data = file.read_bytes()
            found |= _in(data, wanted)
            for match in _ZLIB.finditer(data):
                found |= _in(_unpacked(data, match.start()), wanted)
    return found | _in_indexes(cache, wanted)


def _in(data: bytes, wanted: set[str]) -> set[str]:
    lower = data.lower()
    # An index leaves out what a term has in common with the one before it.
    return {word for word in wanted if word[3:].encode() in lower}


def _unpacked(data: bytes, start: int) -> bytes:
    """Return what can be unpacked from *start* on: a payload that is cut by the page's end gives its beginning."""
    packed = zlib.decompressobj()
    out = b""
    for at in range(start, min(start + (1 << 16), len(data)), _STEP):
        try:
            out += packed.decompress(data[at : at + _STEP])
        except zlib.error:
            break
        if packed.eof:
            break
    return out


def _in_indexes(cache: Path, wanted: set[str]) -> set[str]:
    """Return the words that are terms of a full-text index, also as the checksums of the judged ones."""
    of = {word: word for word in wanted} | {f"{zlib.crc32(word.encode()):08x}": word for word in wanted}
    connection = sqlite3.connect(f"file:{cache}?mode=ro", uri=True)
    try:
        found = set()
        for index in ("segments_fts", "judged_words"):
            connection.execute(f"CREATE VIRTUAL TABLE temp.v_{index} USING fts5vocab(main, {index}, row)")
            found |= {of[term] for (term,) in connection.execute(f"SELECT term FROM temp.v_{index}") if term in of}
        return found
    finally:
        connection.close()
