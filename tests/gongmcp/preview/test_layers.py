"""Which layer a decision came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongmcp.handler import build_handler
from gongmcp.preview.make import preview
from gongmcp.preview.model import Preview
from gongmcp.settings import ServerSettings
from gongmcp.settings_file import read_settings_file
from tests.gongmcp.preview.conftest import Previews

TOOL = "search_transcript_segments"


def layers(made: Preview, rule: str) -> set[str]:
    return {span.layer for span in made.spans if span.rule.startswith(rule)}


@pytest.mark.parametrize(
    ("flags", "environ", "arguments", "rule", "layer"),
    [
        ({}, {}, {}, "provenance.redacted", "default"),
        ({"provenance": "redacted"}, {}, {}, "provenance.redacted", "flag"),
        ({}, {"GONGMCP_TRANSCRIPT_EVIDENCE_PROVENANCE": "redacted"}, {}, "provenance.redacted", "environment"),
        ({"provenance": "raw"}, {}, {}, "opt_in.include_call_ids", "argument"),
        ({}, {}, {"limit": 2}, "limit", "argument"),
        ({}, {"GONGMCP_MAX_SEARCH_RESULTS": "2"}, {}, "limit", "environment"),
        ({}, {"GONGMCP_MAX_SEARCH_RESULTS": "2"}, {"limit": 2}, "limit", "argument"),
        ({"evidence_per_answer": "1"}, {}, {"limit": 20}, "evidence.per_answer", "flag"),
        ({"policy_switches": "hide_raw_call_ids"}, {}, {}, "switch.hide_raw_call_ids", "flag"),
    ],
)
def test_of_a_rule(
    flags: dict[str, str],
    environ: dict[str, str],
    arguments: dict[str, object],
    rule: str,
    layer: str,
    sample_cache: Path,
) -> None:
    settings = ServerSettings.resolve(flags, environ)
    made = preview(build_handler(settings, sample_cache), TOOL, {"query": "revenue", **arguments}, settings)
    assert layers(made, rule) == {layer}


def test_of_the_file_the_preset_and_the_preview(sample_cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[tools]\npreset = "business-pilot"\n[policy]\nmin_cell = 3\n')
    settings = ServerSettings.resolve({}, {}, read_settings_file(file))
    handler = build_handler(settings, sample_cache)
    made = preview(handler, "rank_transcript_backlog", {}, settings)
    assert layers(made, "switch.hide_call_titles") == {"file"}
    given = {item.name: (item.value, item.layer) for item in made.settings}
    assert given["tools.preset"] == ("business-pilot", "file")
    assert given["policy.switches"] == ("hide_call_titles, hide_raw_call_ids", "file")
    assert given["policy.min_cell"] == ("3", "file")
    assert given["limits.lifecycle_results"] == ("100", "default")
    assert "limits.crm_fields" not in given
    other = preview(handler.with_policy(preset="all", provenance="raw"), "rank_transcript_backlog", {}, settings)
    told = {item.name: (item.value, item.layer) for item in other.settings}
    assert told["tools.preset"] == ("all-readonly", "preview")
    assert told["provenance.mode"] == ("raw", "preview")
    assert layers(other, "opt_in.") == {"argument"}


def test_what_masking_took_out_came_from_the_cache(previews: Previews) -> None:
    assert {layer for made in previews() for layer in layers(made, "mask.")} == {"cache"}
