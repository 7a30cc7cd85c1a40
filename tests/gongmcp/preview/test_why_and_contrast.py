"""Why a column leaves agrees with what the engine decides; contrasts lose no member."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gongmcp.catalog.presets import PRESETS, under_preset
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.decisions import decide
from gongmcp.exposure.engine import columns
from gongmcp.exposure.fields import SWITCHES, Provenance
from gongmcp.exposure.policy import Policy
from gongmcp.preview.why import column_reasons
from gongmcp.settings import ServerSettings

POLICIES = [
    *(under_preset(Policy(), preset) for preset in PRESETS),
    *(replace(Policy(), provenance=mode) for mode in Provenance),
    *(replace(Policy(), switches=frozenset({name})) for name in SWITCHES),
    replace(Policy(), min_cell=5),
]


@pytest.mark.parametrize("tool", sorted(catalog()))
def test_the_reasons_are_those_of_the_engine(tool: str) -> None:
    declared = catalog()[tool]
    prefix = "results[]." if declared.many else ""
    settings = ServerSettings.resolve({}, {})
    for policy in POLICIES:
        for arguments in ({}, {"field_profile": "limited"}, {"include_call_ids": True}):
            by_path = {item.path: item for item in column_reasons(tool, policy, arguments, settings)}
            for name, expose, nested in columns(declared.row):
                if nested:
                    continue
                found, decision = by_path[prefix + name], decide(expose, policy, arguments)
                assert found.shown is decision.shown
                assert (found.decided.rule if found.decided else "") == decision.rule
                if found.decided:
                    assert found.decided.layer


def test_one_step_decides_and_later_ones_say_that_they_would() -> None:
    policy = replace(Policy(), switches=frozenset({"hide_raw_call_ids"}))
    (found,) = [item for item in column_reasons("search_calls", policy, {}) if item.path == "results[].call_id"]
    says = [step.says for step in found.steps]
    assert says.index("withholds") < says.index("would withhold")
    assert says.count("withholds") == 1
