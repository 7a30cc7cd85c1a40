"""Finding vCons: by what is known of them (newest first, page by page) and by words in their texts.

``VconFilters`` narrows every search the same way. Pages go on behind a key that the row before gave (``after``): an
insert in between neither repeats nor skips a row.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, Final, Literal

from gongmcp.store.connection import ReadStore
from gongmcp.store.vcon_names import bare_address, bare_number, folded
from gongmcp.store.vcon_schema import PART_BITS

Order = Literal["created", "started"]

UNITS: Final = ("subject", "party", "dialog", "analysis", "attachment")
"""What keyword search looks into."""

RANKED: Final = 20_000
"""Most matching texts, newest vCons first, that are ranked; beyond that an answer says so."""

_TRIGRAM: Final = 3
_FEW: Final = 100
"""How many vCons filters leave up to which words are looked for in each of them."""


@dataclass(frozen=True, slots=True)
class VconFilters:
    """Conditions that all must hold. Texts are parts, whatever the case; *tags* are exact.

    The three about a party hold on one and the same party. *created_…* look at when the record was made, *started_…*
    at when the conversation began: milliseconds since 1970, from inclusive, to exclusive. *account_…* look at the
    attachment *account_source*; an id is exact, a name a part.
    """

    subject: str = ""
    party_name: str = ""
    party_email: str = ""
    party_tel: str = ""
    created_from: int | None = None
    created_to: int | None = None
    started_from: int | None = None
    started_to: int | None = None
    tags: tuple[tuple[str, str], ...] = ()
    account_source: str = "strolid_dealer"
    account_id: str = ""
    account_name: str = ""

    @property
    def any(self) -> bool:
        """Whether it narrows anything."""
        return self != VconFilters(account_source=self.account_source)

    def where(self, vcon: str = "v") -> tuple[str, dict[str, Any]]:
        """Return a condition on the table ``vcons`` under the name *vcon*, and its parameters; ``1`` = all.

        Raises:
            ValueError: a number to look for has no digit, or a text nothing that could be found.
        """
        parts: list[str] = []
        values: dict[str, Any] = {}
        for name, column, sign in (
            ("created_from", "created_ms", ">="),
            ("created_to", "created_ms", "<"),
            ("started_from", "started_ms", ">="),
            ("started_to", "started_ms", "<"),
        ):
            if getattr(self, name) is not None:
                parts.append(f"{vcon}.{column} {sign} :f_{name}")
                values[f"f_{name}"] = getattr(self, name)
        if self.subject:
            key = _key(self.subject)
            parts.append(f"instr({vcon}.subject_key, :f_subject)")
            values["f_subject"] = key
            if len(key) >= _TRIGRAM:
                parts.append(f"{vcon}.vcon_no IN (SELECT rowid FROM vcons_fts WHERE vcons_fts MATCH :f_subject_match)")
                values["f_subject_match"] = _quoted(key)
        keys = self._party_keys()
        if keys:
            same = " AND ".join(f"instr(p.{column}, :f_{column})" for column in keys)
            indexed = {column: key for column, key in keys.items() if len(key) >= _TRIGRAM}
            within = "1"
            if indexed:
                match = " AND ".join(f"{column} : {_quoted(key)}" for column, key in indexed.items())
                within = "p.party_no IN (SELECT rowid FROM vcon_parties_fts WHERE vcon_parties_fts MATCH :f_party)"
                values["f_party"] = match
            parts.append(f"{vcon}.vcon_no IN (SELECT p.vcon_no FROM vcon_parties AS p WHERE {within} AND {same})")
            values |= {f"f_{column}": key for column, key in keys.items()}
        for number, (key, value) in enumerate(self.tags):
            parts.append(
                f"{vcon}.vcon_no IN (SELECT vcon_no FROM vcon_tags"
                f" WHERE tag_key = :f_tag{number} AND tag_value = :f_value{number})"
            )
            values |= {f"f_tag{number}": key, f"f_value{number}": value}
        if self.account_id or self.account_name:
            parts.append(
                f"{vcon}.vcon_no IN (SELECT vcon_no FROM vcon_accounts WHERE source = :f_source"
                " AND (:f_account = '' OR account_id = :f_account)"
                " AND (:f_account_name = '' OR instr(lower(account_name), lower(:f_account_name))))"
            )
            values |= {
                "f_source": self.account_source,
                "f_account": self.account_id,
                "f_account_name": self.account_name,
            }
        return " AND ".join(parts) or "1", values

    def _party_keys(self) -> dict[str, str]:
        keys = {}
        if self.party_name:
            keys["name_key"] = _key(self.party_name)
        if self.party_email:
            keys["mailto_key"] = bare_address(self.party_email)
        if self.party_tel:
            keys["tel_key"] = bare_number(self.party_tel)
        if not all(keys.values()):
            raise ValueError("a party is looked for by nothing that could be found")
        return keys


def _key(text: str) -> str:
    key = folded(text)
    if not key:
        raise ValueError("a text is looked for by nothing that could be found")
    return key


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def count(store: ReadStore, filters: VconFilters) -> int:
    """Return how many vCons pass *filters*."""
    where, values = filters.where()
    row = store.one(f"SELECT count(*) FROM vcons AS v WHERE {where}", values)
    return int(row[0]) if row else 0


def page(
    store: ReadStore,
    filters: VconFilters,
    *,
    limit: int,
    after: tuple[int, int] | None = None,
    offset: int = 0,
    order: Order = "created",
) -> list[sqlite3.Row]:
    """Return up to *limit* rows of ``vcons`` that pass *filters*, the newest first, with the column ``sort_ms``.

    *after* is (``sort_ms``, ``vcon_no``) of the last row of the page before; *offset* skips rows behind it. In the
    order ``started`` a vCon without a dialog stands at the end (``sort_ms`` is then the lowest number).
    """
    where, values = filters.where()
    key = "v.created_ms" if order == "created" else f"coalesce(v.started_ms, {_NEVER})"
    behind = "1" if after is None else f"({key}, v.vcon_no) < (:after_ms, :after_no)"
    values |= {"limit": limit, "offset": offset}
    if after is not None:
        values |= {"after_ms": after[0], "after_no": after[1]}
    return store.rows(
        f"""SELECT v.*, {key} AS sort_ms FROM vcons AS v WHERE {where} AND {behind}
            ORDER BY {key} DESC, v.vcon_no DESC LIMIT :limit OFFSET :offset""",
        values,
    )


_NEVER: Final = -(1 << 62)


@dataclass(frozen=True, slots=True)
class Hit:
    """One vCon that holds the words: its best text, and how many texts match. *score* is higher for better ones."""

    vcon_no: int
    text_no: int
    score: float
    matches: int

    @property
    def key(self) -> tuple[float, int]:
        """By which the next page goes on."""
        return self.score, self.vcon_no


@dataclass(frozen=True, slots=True)
class Hits:
    """A page of hits, the best first. *total* counts vCons; it is exact while no more than ``RANKED`` texts match."""

    hits: tuple[Hit, ...]
    total: int
    total_is_exact: bool


def keyword(
    store: ReadStore,
    fts: str,
    filters: VconFilters,
    *,
    limit: int,
    after: tuple[float, int] | None = None,
    offset: int = 0,
    units: tuple[str, ...] = UNITS,
) -> Hits:
    """Return the vCons in whose texts *fts* (of ``gongmcp.store.search_query.compile_query``) matches, one row each.

    The words must stand in one text: a sentence of a transcript, a body, a subject. A score is
    ``-bm25`` rounded to six digits; equal ones stand newest number first.
    """
    where, values = filters.where()
    every = set(units) >= set(UNITS)
    values |= {"fts": fts, "ranked": RANKED + 1}
    narrowed = "" if not filters.any else f" AND t.vcon_no IN (SELECT v.vcon_no FROM vcons AS v WHERE {where})"
    if not every:
        narrowed += " AND t.unit IN (SELECT value FROM json_each(:units))"
        values["units"] = "[" + ",".join(f'"{unit}"' for unit in units) + "]"
    source = "vcon_texts_fts AS f"
    if filters.any:
        few = store.rows(f"SELECT v.vcon_no FROM vcons AS v WHERE {where} LIMIT {_FEW + 1}", values)
        if len(few) <= _FEW:  # a look into each of them costs less than a walk over all matches
            source = f"""json_each(:few) AS n CROSS JOIN vcon_texts_fts AS f
                ON f.rowid BETWEEN n.value << {PART_BITS} AND ((n.value + 1) << {PART_BITS}) - 1"""
            values["few"] = "[" + ",".join(str(row["vcon_no"]) for row in few) + "]"
    rows = store.rows(
        # bm25 works only beside MATCH, so what it gives is kept before it is grouped.
        f"""WITH found AS MATERIALIZED (
              SELECT t.text_no, t.vcon_no, round(-bm25(vcon_texts_fts), 6) AS score
              FROM {source} JOIN vcon_texts AS t ON t.text_no = f.rowid
              WHERE vcon_texts_fts MATCH :fts{narrowed} ORDER BY f.rowid DESC LIMIT :ranked)
            SELECT vcon_no, text_no, max(score) AS score, count(*) AS matches FROM found GROUP BY vcon_no""",
        values,
    )
    hits = sorted(
        (Hit(row["vcon_no"], row["text_no"], row["score"], row["matches"]) for row in rows),
        key=lambda hit: hit.key,
        reverse=True,
    )
    exact = sum(hit.matches for hit in hits) <= RANKED
    behind = [hit for hit in hits if after is None or hit.key < after]
    return Hits(tuple(behind[offset : offset + limit]), len(hits), exact)


def matching_texts(store: ReadStore, fts: str, vcon_no: int, *, limit: int) -> list[sqlite3.Row]:
    """Return the texts of one vCon in which *fts* matches, the best first: rows of ``vcon_texts`` with ``score``."""
    return store.rows(
        """SELECT t.*, round(-bm25(vcon_texts_fts), 6) AS score
           FROM vcon_texts_fts AS f JOIN vcon_texts AS t ON t.text_no = f.rowid
           WHERE vcon_texts_fts MATCH :fts AND f.rowid BETWEEN :first AND :last
           ORDER BY bm25(vcon_texts_fts), f.rowid LIMIT :limit""",
        {
            "fts": fts,
            "first": vcon_no << PART_BITS,
            "last": ((vcon_no + 1) << PART_BITS) - 1,
            "limit": limit,
        },
    )


def text(store: ReadStore, text_no: int) -> sqlite3.Row | None:
    """Return one row of ``vcon_texts``."""
    return store.one("SELECT * FROM vcon_texts WHERE text_no = :text_no", {"text_no": text_no})
