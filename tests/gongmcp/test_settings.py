"""Settings: which layer wins, what is refused, and that refusals say what exists."""

from __future__ import annotations

from typing import Any

import pytest

from gongmcp.catalog.limits import Cap
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.fields import Provenance
from gongmcp.settings import SETTINGS, ServerSettings
from gongmcp.settings_file import SettingsFile


def resolve(flags: dict[str, Any] | None = None, **environ: str) -> ServerSettings:
    return ServerSettings.resolve(flags or {}, environ)


def test_flag_beats_environment_beats_file_beats_default() -> None:
    name, env = "max_search_results", "GONGMCP_MAX_SEARCH_RESULTS"
    ceiling = lambda settings: settings.policy.limits.limits(Cap.SEARCH_RESULTS).ceiling  # noqa: E731
    assert ceiling(resolve()) == 100
    file = SettingsFile("team.toml", {name: 30}, lines={"limits.search_results": 4})
    assert ceiling(ServerSettings.resolve({}, {}, file)) == 30
    assert ceiling(ServerSettings.resolve({}, {env: "40"}, file)) == 40
    both = ServerSettings.resolve({name: 50}, {env: "40"}, file)
    assert ceiling(both) == 50
    assert both.sources[name] == "flag"
    assert [layer.origin for layer in both.layers[name]] == ["--max-search-results", env, "team.toml:4"]
    assert resolve().sources[name] == "default"


def test_the_ceiling_is_lowered_to_the_hard_cap() -> None:
    assert resolve(GONGMCP_MAX_SEARCH_RESULTS="5000").policy.limits.limits(Cap.SEARCH_RESULTS).ceiling == 1000


def test_all_eleven_families_have_a_flag_and_an_environment_variable() -> None:
    by_name = {setting.name: setting for setting in SETTINGS}
    for cap in Cap:
        setting = by_name[f"max_{cap.setting}"]
        limits = resolve(**{setting.env: "3"}).policy.limits.limits(cap)
        assert (limits.ceiling, limits.default) == (3, 3)
    assert len(list(Cap)) == 11


@pytest.mark.parametrize("value", ["0", "-1", "ten", "1.5", "1e3"])
def test_a_bad_limit_refuses_to_start(value: str) -> None:
    with pytest.raises(StartupRefusal) as caught:
        resolve(GONGMCP_MAX_SEARCH_RESULTS=value)
    assert caught.value.exit_code is Exit.USAGE
    assert "GONGMCP_MAX_SEARCH_RESULTS" in caught.value.message


def test_blank_environment_is_not_set() -> None:
    assert resolve(GONGMCP_TOOL_PRESET=" ", GONGMCP_MAX_SEARCH_RESULTS="").policy.tools is None


@pytest.mark.parametrize(
    ("flags", "environ", "says"),
    [
        ({"tool_preset": "operator-smok"}, {}, "Did you mean operator-smoke?"),
        ({"tool_preset": ""}, {}, "Presets:"),
        ({"tool_allowlist": "search_cals"}, {}, "Did you mean search_calls?"),
        ({"tool_allowlist": " , ,"}, {}, "Tools:"),
        ({"tool_preset": "all", "tool_allowlist": "get_call"}, {}, "Give one"),
        ({}, {"GONGMCP_TOOL_PRESET": "all", "GONGMCP_TOOL_ALLOWLIST": "get_call"}, "Give one"),
        ({"provenance": "plain"}, {}, "redacted, alias, raw"),
        ({"policy_switches": "hide_everything"}, {}, "hide_call_titles"),
    ],
)
def test_refusals_list_what_exists(flags: dict[str, Any], environ: dict[str, str], says: str) -> None:
    with pytest.raises(StartupRefusal) as caught:
        ServerSettings.resolve(flags, environ)
    assert says in caught.value.hint
    assert caught.value.exit_code is Exit.USAGE


@pytest.mark.parametrize(
    "flags",
    [{"max_response_bytes": "100"}, {"max_response_bytes": "999999999"}, {"tool_timeout": "0"}, {"tool_timeout": "x"}],
)
def test_other_bad_values_refuse(flags: dict[str, Any]) -> None:
    with pytest.raises(StartupRefusal):
        resolve(flags)


def test_a_flag_of_one_kind_beats_the_environment_of_the_other() -> None:
    settings = ServerSettings.resolve({"tool_allowlist": "get_call"}, {"GONGMCP_TOOL_PRESET": "all"})
    assert settings.policy.tools == frozenset({"get_call"})


def test_presets_by_name_and_alias() -> None:
    settings = resolve({"tool_preset": "Strict-Business-Pilot"})
    assert settings.policy.preset == "business-pilot"
    assert settings.policy.tools == {
        "get_sync_status",
        "summarize_call_facts",
        "summarize_calls_by_lifecycle",
        "rank_transcript_backlog",
    }
    assert resolve({"tool_preset": "operator-smoke"}).policy.tools == {
        "get_sync_status",
        "search_calls",
        "search_transcript_segments",
        "get_call",
        "rank_transcript_backlog",
    }


def test_provenance_and_switches() -> None:
    settings = resolve({"provenance": "ALIAS", "policy_switches": "hide_call_titles, hide_raw_call_ids"})
    assert settings.policy.provenance is Provenance.ALIAS
    assert settings.policy.switches == {"hide_call_titles", "hide_raw_call_ids"}
