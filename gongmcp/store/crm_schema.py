"""Queries over Gong's settings and the connected CRM's schema, as imported."""

from __future__ import annotations

import sqlite3

from gongmcp.store.calls import masked
from gongmcp.store.connection import ReadStore
from gongmcp.store.crm_names import kind_of

__all__ = ["call_types", "integrations", "masked", "schema_fields", "schema_objects", "settings"]

_SETTING_KINDS = {"trackers": "tracker", "scorecards": "scorecard", "workspaces": "workspace"}


def integrations(store: ReadStore) -> list[sqlite3.Row]:
    """Return the CRM integrations, by name."""
    return store.rows("SELECT * FROM crm_integrations ORDER BY name, integration_id")


def schema_objects(store: ReadStore, integration_id: str | None) -> list[sqlite3.Row]:
    """Return the schema's object types (of one integration, if given) with their number of fields."""
    return store.rows(
        "SELECT * FROM crm_schema_objects WHERE :id IS NULL OR integration_id = :id"
        " ORDER BY object_type, integration_id",
        {"id": integration_id},
    )


def schema_fields(store: ReadStore, integration_id: str | None, object_type: str | None) -> list[sqlite3.Row]:
    """Return the schema's fields; *object_type* may be a call's as well (``Opportunity`` finds ``DEAL``)."""
    return store.rows(
        "SELECT * FROM crm_schema_fields WHERE (:id IS NULL OR integration_id = :id)"
        " AND (:type IS NULL OR object_type = :type OR kind = :kind)"
        " ORDER BY object_type, field_name, integration_id",
        {"id": integration_id, "type": object_type, "kind": kind_of(object_type) if object_type else None},
    )


def call_types(store: ReadStore, schema_type: str) -> list[str]:
    """Return the object types of calls that stand for the schema's *schema_type*, by name."""
    kind = kind_of(schema_type)
    types = [row[0] for row in store.rows("SELECT DISTINCT key FROM counters WHERE counter = 'object_type'")]
    return sorted(name for name in types if kind != "other" and kind_of(name) == kind)


def settings(store: ReadStore, kind: str | None) -> list[sqlite3.Row]:
    """Return Gong settings (of one *kind*: trackers, scorecards, workspaces), by kind and name."""
    return store.rows(
        "SELECT * FROM settings WHERE :kind IS NULL OR kind = :kind ORDER BY kind, name, object_id",
        {"kind": _SETTING_KINDS[kind] if kind else None},
    )
