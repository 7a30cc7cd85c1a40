"""What CRM systems call things: the defaults of ``gongmcp/data/crm.toml`` and an operator's overrides.

No tenant is baked into code: object types, field names and stage values are data. The writers derive
facts and counters from them, so they are part of the read model's digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LISTS = {
    "late_stage_values": ("analysis", "late_stage_values"),
    "stage_proxies": ("analysis", "stage_proxies"),
    "matrix_group_fields": ("analysis", "matrix_group_fields"),
    "loss_reason_fields": ("opportunity", "loss_reason"),
    "stage_fields": ("opportunity", "stage"),
    "opportunity_type_fields": ("opportunity", "type"),
    "account_type_fields": ("account", "type"),
    "industry_fields": ("account", "industry"),
}
"""Keys of a settings file's ``[crm]`` table, each a list of texts, and the default list it replaces."""


@cache
def _defaults() -> dict[str, Any]:
    import tomllib  # settings are resolved without it

    return tomllib.loads((files("gongmcp.data") / "crm.toml").read_text(encoding="utf-8"))


@cache
def _kinds() -> dict[str, str]:
    return {name: kind for kind, names in _defaults()["kinds"].items() for name in names}


def aliasable() -> tuple[str, ...]:
    """Return the names of the attributes that ``field_aliases`` may give further field names: ``account_industry``."""
    return tuple(f"{kind}_{attribute}" for kind in ("account", "opportunity") for attribute in _defaults()[kind])


def default_list(key: str) -> tuple[str, ...]:
    """Return the list that applies unless the settings file replaces it; *key* is one of ``LISTS``."""
    table, entry = LISTS[key]
    return tuple(_defaults()[table][entry])


def kind_of(object_type: str) -> str:
    """Return what an object type of a call or of the CRM schema is: account, opportunity, contact, lead,
    user or other. ``ACCOUNT``, ``Account`` and ``Company`` are one kind."""
    return _kinds().get(object_type.strip().casefold(), "other")


@dataclass(frozen=True, eq=False)
class CrmNames:
    """The names in force, told apart by identity.

    *attributes* maps (kind, attribute) to field names in order of preference; *lifecycle* holds the values
    that the builtin lifecycle rules look for.
    """

    attributes: Mapping[tuple[str, str], tuple[str, ...]]
    late_stages: tuple[str, ...]
    stage_proxies: tuple[str, ...]
    matrix_group_fields: tuple[str, ...]
    lifecycle: Mapping[str, tuple[str, ...]]

    @classmethod
    @cache
    def default(cls) -> CrmNames:
        """Return the names without any override."""
        return cls.load()

    @classmethod
    def load(cls, overrides: Mapping[str, Any] | None = None) -> CrmNames:
        """Return the defaults with the lists of *overrides* (keys of ``LISTS``) in their place.

        ``field_aliases`` maps an attribute such as ``opportunity_stage`` to further field names, which are
        looked for first.
        """
        tables = {name: dict(_defaults()[name]) for name in ("account", "opportunity", "analysis")}
        for key, values in (overrides or {}).items():
            if key == "field_aliases":
                for name, fields in values.items():
                    kind, _, attribute = name.replace(".", "_").partition("_")
                    if attribute in tables.get(kind, {}):
                        tables[kind][attribute] = [*fields, *tables[kind][attribute]]
                continue
            table, entry = LISTS[key]
            tables[table][entry] = list(values)
        attributes = {
            (kind, attribute): tuple(names)
            for kind in ("account", "opportunity")
            for attribute, names in tables[kind].items()
        }
        analysis = tables["analysis"]
        return cls(
            attributes,
            tuple(analysis["late_stage_values"]),
            tuple(analysis["stage_proxies"]),
            tuple(analysis["matrix_group_fields"]),
            {name: tuple(values) for name, values in _defaults()["lifecycle"].items()},
        )

    def fields(self, kind: str, attribute: str) -> tuple[str, ...]:
        """Return the field names of an attribute; empty when nothing is known of it."""
        return self.attributes.get((kind, attribute), ())

    @property
    def stage_fields(self) -> tuple[str, ...]:
        """Field names of an opportunity's stage."""
        return self.fields("opportunity", "stage")

    def canonical(self) -> str:
        """Return everything that decides facts and counters as one text, for the read model's digest."""
        attributes = sorted((*key, list(names)) for key, names in self.attributes.items())
        lifecycle = {name: list(values) for name, values in self.lifecycle.items()}
        return json.dumps([attributes, self.late_stages, self.matrix_group_fields, lifecycle], sort_keys=True)
