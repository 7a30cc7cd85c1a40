"""The shape of the data: which kinds of things a read model holds, as sorted names and never as values.

It is taken at approval. What appears afterwards (a CRM field, a language, a kind of personal data) is withheld
under the lock until it was reviewed (``gongmcp.approval.gate``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from gongmcp.exposure.clean import clean
from gongmcp.exposure.text import CONTROL
from gongmcp.store.connection import ReadStore

_SPANS = (
    ("segments", "spans"),
    ("call_facts", "title_spans"),
    ("highlights", "text_spans"),
    ("crm_objects", "name_spans"),
    ("crm_values", "value_spans"),
    ("settings", "name_spans"),
    ("scorecards", "name_spans"),
    ("scorecard_questions", "text_spans"),
    ("scorecard_questions", "guide_spans"),
    ("crm_integrations", "name_spans"),
)
"""Every column of the read model that holds the spans of a masked text."""


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names, each list sorted.

    Attributes:
        crm: field names by CRM object type, of calls and of the connected CRM's schema.
        crm_labels: labels and types of fields, as that schema gives them.
        settings: kinds of Gong settings.
        ai_content: kinds of AI-made texts about calls: brief, key_point, outline, …
        languages: languages of calls, '' for a call that has none.
        personal_data: kinds of personal data that was masked in served text.
    """

    crm: dict[str, list[str]] = {}
    crm_labels: list[str] = []
    settings: list[str] = []
    ai_content: list[str] = []
    languages: list[str] = []
    personal_data: list[str] = []


def served(name: str) -> str:
    """Return *name* as answers show it: without invisible characters."""
    return clean(name)[0]


def span_kind(kind: str) -> str:
    """Return the kind of a span or mark without the number that tells people apart (``person-2`` → ``person``)."""
    return kind.rstrip("0123456789").rstrip("-")


def read_shape(store: ReadStore) -> Shape:
    """Return the shape of the read model.

    Languages and kinds of AI-made texts cost one walk over all calls and kinds of personal data one over all segments:
    it is meant for the operator, not for a start.
    """
    return msgspec.structs.replace(
        read_names(store),
        languages=sorted({served(row[0]) for row in store.rows("SELECT DISTINCT language FROM call_facts")}),
        ai_content=_names(store, "SELECT DISTINCT kind FROM highlights"),
        personal_data=sorted(_personal_data(store)),
    )


def read_names(store: ReadStore) -> Shape:
    """Return the part of the shape that is kept in counters and small tables: CRM names and kinds of settings."""
    crm: dict[str, set[str]] = {}
    for row in store.rows("SELECT DISTINCT key, '' AS detail FROM counters WHERE counter = 'object_type'"):
        crm.setdefault(served(row["key"]), set())
    for row in store.rows("SELECT object_type FROM crm_schema_objects"):
        crm.setdefault(served(row["object_type"]), set())
    for row in store.rows(
        "SELECT key, detail FROM counters WHERE counter = 'crm_field'"
        " UNION SELECT object_type, field_name FROM crm_schema_fields"
    ):
        crm.setdefault(served(row["key"]), set()).add(served(row["detail"]))
    return Shape(
        crm={name: sorted(fields) for name, fields in sorted(crm.items())},
        crm_labels=_names(
            store, "SELECT field_label FROM crm_schema_fields UNION SELECT field_type FROM crm_schema_fields"
        ),
        settings=_names(store, "SELECT DISTINCT kind FROM settings"),
    )


def _names(store: ReadStore, sql: str) -> list[str]:
    return sorted({served(row[0]) for row in store.rows(sql)} - {""})


def _personal_data(store: ReadStore) -> set[str]:
    found: set[str] = set()
    for table, column in _SPANS:
        for row in store.stream(f"SELECT {column} FROM {table} WHERE {column} <> ''"):
            found.update(span_kind(span.partition(":")[0]) for span in row[0].split(","))
    return found - {CONTROL}


def names_of(shape: Shape) -> dict[str, frozenset[str]]:
    """Return what a shape holds as sets by kind; a CRM field stands as ``Type.Field``."""
    return {
        "crm_object_type": frozenset(shape.crm),
        "crm_field": frozenset(_dotted(shape)),
        "crm_label": frozenset(shape.crm_labels),
        "setting": frozenset(shape.settings),
        "ai_content": frozenset(shape.ai_content),
        "language": frozenset(shape.languages),
        "personal_data": frozenset(shape.personal_data),
    }


def _dotted(shape: Shape) -> Iterable[str]:
    return (f"{of}.{name}" for of, names in shape.crm.items() for name in names)


def appeared(approved: Shape, now: Shape) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) of what *now* has and *approved* does not."""
    before = names_of(approved)
    for kind, names in names_of(now).items():
        yield from ((kind, name) for name in sorted(names - before[kind]))
