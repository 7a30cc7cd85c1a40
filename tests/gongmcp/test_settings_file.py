"""The settings file: what it may hold, where each value stands, and that nothing in it is passed over."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongmcp.catalog.limits import Cap
from gongmcp.catalog.presets import PRESETS
from gongmcp.effective import effective
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.exposure.fields import Provenance
from gongmcp.settings import SETTINGS, ServerSettings
from gongmcp.settings_file import KEYS, SettingsFile, file_schema, read_settings_file, statement_lines
from gongmcp.store.crm_names import LISTS, CrmNames, aliasable

FULL = """\
# The settings of a team.
[server]
transport = "stdio"

[tools]
allowlist = [
  "get_call",   # by its own name
  "prioritize_transcripts_by_lifecycle",
]

[limits]
search_results = 30
call_fact_groups = 5_000

[provenance]
mode = "alias"

[policy]
switches = ["hide_call_titles"]
max_response_bytes = 20000
tool_timeout = 2.5

[crm]
late_stage_values = ["Closing"]
matrix_group_fields = ["Industry"]
loss_reason_fields = ["Loss_Reason__c"]
account_type_fields = []
field_aliases.opportunity_stage = ["Phase__c", "phase"]
"""


def written(folder: Path, text: str | bytes, name: str = "team.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def resolved(folder: Path, text: str, flags: dict[str, Any] | None = None, **environ: str) -> ServerSettings:
    return ServerSettings.resolve(flags or {}, environ, read_settings_file(written(folder, text)))


def refusal(folder: Path, text: str | bytes) -> StartupRefusal:
    with pytest.raises(StartupRefusal) as caught:
        ServerSettings.resolve({}, {}, read_settings_file(written(folder, text)))
    assert caught.value.exit_code is Exit.USAGE
    assert str(folder) not in caught.value.message + caught.value.hint
    return caught.value


def test_a_full_file_sets_everything(tmp_path: Path) -> None:
    settings = resolved(tmp_path, FULL)
    policy = settings.policy
    assert policy.tools == {"get_call", "rank_transcript_backlog"}
    assert policy.limits.limits(Cap.SEARCH_RESULTS).ceiling == 30
    assert policy.limits.limits(Cap.CALL_FACT_GROUPS).ceiling == 1000
    assert policy.provenance is Provenance.ALIAS
    assert policy.switches == {"hide_call_titles"}
    assert (policy.max_response_bytes, settings.tool_timeout) == (20000, 2.5)
    assert settings.crm == {
        "late_stage_values": ("Closing",),
        "matrix_group_fields": ("Industry",),
        "loss_reason_fields": ("Loss_Reason__c",),
        "account_type_fields": (),
        "field_aliases": {"opportunity_stage": ("Phase__c", "phase")},
    }


def test_every_setting_can_stand_in_the_file(tmp_path: Path) -> None:
    names = {setting.key for setting in SETTINGS}
    assert names <= KEYS.keys()
    for cap in Cap:
        settings = resolved(tmp_path, f"[limits]\n{cap.setting} = 3\n")
        assert settings.policy.limits.limits(cap).ceiling == 3
    for preset in PRESETS:
        assert resolved(tmp_path, f'tools.preset = "{preset.name}"').policy.preset == preset.name


def test_what_the_file_says_of_the_crm_reaches_the_names_in_force(tmp_path: Path) -> None:
    for key in LISTS:
        settings = resolved(tmp_path, f'[crm]\n{key} = ["Only This"]')
        names = CrmNames.load(settings.crm)
        assert names.canonical() != CrmNames.default().canonical() or key == "stage_proxies", key
    assert CrmNames.load(resolved(tmp_path, '[crm]\nstage_proxies = ["X"]').crm).stage_proxies == ("X",)
    for attribute in aliasable():
        names = CrmNames.load(resolved(tmp_path, f'[crm.field_aliases]\n{attribute} = ["First__c"]').crm)
        kind, _, name = attribute.partition("_")
        assert names.fields(kind, name)[0] == "First__c"


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    for text in ("", "\n# nothing\n", "[tools]\n[limits]\n", "\ufeff[tools]\r\n"):
        settings = resolved(tmp_path, text)
        assert settings.policy == ServerSettings.resolve({}, {}).policy or (
            settings.policy.digest() == ServerSettings.resolve({}, {}).policy.digest()
        )


def test_each_value_says_where_it_came_from(tmp_path: Path) -> None:
    settings = resolved(
        tmp_path, FULL, {"max_search_results": "40"}, GONGMCP_MAX_SEARCH_RESULTS="50", GONGMCP_POLICY_SWITCHES=" "
    )
    by_key = {one.key: one for one in effective(settings)}
    assert by_key.keys() == KEYS.keys()
    limit = by_key["limits.search_results"]
    assert (limit.value, limit.source, limit.origin) == (40, "flag", "--max-search-results")
    assert limit.overrides == ("GONGMCP_MAX_SEARCH_RESULTS", "team.toml:12")
    groups = by_key["limits.call_fact_groups"]
    assert (groups.value, groups.origin, groups.note) == (1000, "team.toml:13", "Lowered from 5000 to the hard cap.")
    assert (by_key["limits.crm_fields"].value, by_key["limits.crm_fields"].origin) == (200, "default")
    assert by_key["tools.allowlist"].origin == "team.toml:6"
    assert by_key["tools.preset"].value is None
    assert by_key["policy.switches"].origin == "team.toml:19"
    assert by_key["crm.field_aliases"].value == {"opportunity_stage": ["Phase__c", "phase"]}
    assert by_key["crm.field_aliases"].origin == "team.toml:28"
    assert by_key["crm.stage_fields"].value == list(CrmNames.default().stage_fields)
    assert (by_key["server.transport"].value, by_key["server.transport"].source) == ("stdio", "file")


def test_what_a_stronger_layer_chose_otherwise_is_named(tmp_path: Path) -> None:
    settings = resolved(tmp_path, '[tools]\npreset = "analyst"', GONGMCP_TOOL_ALLOWLIST="get_call")
    assert settings.policy.tools == {"get_call"}
    preset = next(one for one in effective(settings) if one.key == "tools.preset")
    assert (preset.value, preset.source, preset.overrides) == (None, "default", ("team.toml:2",))
    assert preset.is_set
    public = ServerSettings.resolve({"tool_preset": "broad-public-redacted"}, {})
    switches = next(one for one in effective(public) if one.key == "policy.switches")
    assert (switches.value, switches.source) == (["hide_raw_call_ids"], "default")
    assert "hide_raw_call_ids" in switches.note
    assert switches.is_set


@pytest.mark.parametrize(
    ("text", "name", "says", "hint"),
    [
        ("[limits]\n\nserch_results = 5", "file_unknown_key", "3: limits.serch_res", "mean limits.search_results?"),
        ("[limit]\nsearch_results = 5", "file_unknown_key", "1: limit is no setting", "mean limits?"),
        ("[tools]\nmode = 'raw'", "file_unknown_key", "2: tools.mode is no setting", "mean provenance.mode?"),
        ("\npreset = 'all'", "file_unknown_key", "2: preset is no setting", "mean tools.preset?"),
        ("[limits]\nsearch_results = " + "9" * 5000, "file_not_toml", "1: this is no TOML: it holds a number", ""),
        ("[zzz]", "file_unknown_key", "1: zzz is no setting.", "Tables: server, tools, provenance, policy"),
        ("[crm]\nlate_stages = []", "file_unknown_key", "2:", "mean crm.late_stage_values?"),
        ("[tools.preset]\nname = 'all'", "file_wrong_type", "1: tools.preset must be a string.", ""),
        ("tools = 'all'", "file_wrong_type", "1: tools must be a table.", ""),
        ("[[tools]]\npreset = 'all'", "file_wrong_type", "1: tools must be a table.", ""),
        ("[tools]\nallowlist = 'get_call'", "file_wrong_type", "2: tools.allowlist must be an array", ""),
        ("[tools]\nallowlist = ['get_call', ' ']", "file_wrong_type", "2:", ""),
        ("[limits]\nsearch_results = '5'", "file_wrong_type", "2: limits.search_results must be a whole", ""),
        ("[limits]\nsearch_results = 5.0", "file_wrong_type", "2:", ""),
        ("[limits]\nsearch_results = true", "file_wrong_type", "2:", ""),
        ("[limits]\nsearch_results = 0", "file_wrong_type", "2:", ""),
        ("[policy]\ntool_timeout = '5s'", "file_wrong_type", "2: policy.tool_timeout must be a number", ""),
        ("[policy]\ntool_timeout = nan", "file_wrong_type", "2:", ""),
        ("[crm]\nlate_stage_values = [1]", "file_wrong_type", "2: crm.late_stage_values must be an array", ""),
        ("[crm.field_aliases]\nstage = 'StageName'", "file_wrong_type", "1: crm.field_aliases must be a", ""),
        ("[crm.field_aliases]\n\nstage = ['a']", "file_unknown_key", "3: crm.field_aliases.stage", "opportunity_stage"),
        ("[policy]\ntool_timeout = inf", "tool_timeout", "2: policy.tool_timeout must be", ""),
        ("[policy]\n\n\nmax_response_bytes = 5", "response_bytes", "4: policy.max_response_bytes must be from", ""),
        ("[tools]\npreset = 'analist'", "preset_unknown", "2: There is no tool preset", "mean analyst?"),
        ("[tools]\nallowlist = ['get_cal']", "allowlist_unknown", "2: The tool allowlist", "mean get_call?"),
        ("[tools]\nallowlist = []", "allowlist_empty", "2: The tool allowlist names no tool", "Tools:"),
        ("[provenance]\nmode = 'open'", "provenance_unknown", "2: provenance.mode is no", "redacted, alias"),
        ("[policy]\nswitches = ['hide_titles']", "switch_unknown", "2: A policy", "mean hide_call_titles?"),
        ("[tools]\npreset = 'all'\nallowlist = ['get_call']", "two_tool_choices", "1: Both", "Give one"),
        ("db = '/srv/cache.db'", "file_names_the_cache", "1: db would name the cache", "--db PATH"),
        ("[server]\ndb = 'x'", "file_names_the_cache", "2: server.db would", "--db PATH"),
        ("[scope]\nprivate_calls = false", "file_wrong_type", "2: scope.private_calls must be a string", ""),
        ("[scope]\nprivate_calls = 'some'", "file_wrong_type", '2: scope.private_calls must be "allow" or "deny"', ""),
        ("[scope]\nfrom_date = '2026-13-01'", "file_wrong_type", "2: scope.from_date must be a day", ""),
        ("[scope]\nfrom_date = '2026-02-01'\nto_date = '2026-01-01'", "file_wrong_type", "3: scope.to_date must", ""),
        ("[scope]\nscopes = ['Extern']", "file_wrong_type", "2: scope.scopes must be of External", ""),
        ("[scope.workspaces]\nallow = ['1']", "file_wrong_type", "1: scope.workspaces must be an array", ""),
        ("[scope]\nworkspace = ['1']", "file_unknown_key", "2: scope.workspace is no setting", "scope.workspaces?"),
        ("[governance]\nfile = 'x'", "file_unknown_key", "2: governance.file is no setting", "Keys of [governance]"),
        ("[server]\ntransport = 'sse'", "file_later", "2: server.transport = sse is known", ""),
        ("[review]\nreveal = 'always'", "file_reveal", "2: review.reveal is not one of its values", "confirm or never"),
        ("[server]\ntransport = 'pigeon'", "file_transport", "2: server.transport is no transport", "stdio"),
        ("[tools]\npreset = all", "file_not_toml", "2: this is no TOML: invalid value", "config schema"),
        ("[tools]\npreset = 'all'\npreset = 'all'", "file_not_toml", "3: this is no TOML", ""),
        ("[tools]\npreset = '''all", "file_not_toml", "2: this is no TOML: ", ""),
        (b"[tools]\n# \xff\n", "file_not_toml", "2: this is no TOML: it is not UTF-8 text", ""),
        ("a=" + "[" * 5000, "file_not_toml", "1: this is no TOML", ""),
        ("['\\u001b[31m']\n", "file_unknown_key", "1: ?u001b?31m is no setting", ""),
        ('["\\u001b[31m"]\n', "file_unknown_key", "1: ??31m is no setting", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_line(
    text: str | bytes, name: str, says: str, hint: str, tmp_path: Path
) -> None:
    refused = refusal(tmp_path, text)
    assert refused.name == name
    assert refused.message.startswith(f"team.toml:{says}")
    assert hint in refused.hint
    assert refused.message.isprintable()


def test_a_stronger_layer_does_not_excuse_a_bad_file(tmp_path: Path) -> None:
    file = written(tmp_path, "[limits]\nsearch_results = 'many'")
    with pytest.raises(StartupRefusal, match=r"team\.toml:2"):
        read_settings_file(file)


def test_a_file_that_cannot_be_read_is_named_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    big = written(tmp_path, b"#" * (1024 * 1024 + 1), "big.toml")
    for path, says in (
        (tmp_path / "none.toml", "none.toml: the settings file cannot be read: no such file"),
        (tmp_path / "folder.toml", "folder.toml: the settings file cannot be read: is a directory"),
        (big, "big.toml: the settings file cannot be read: it is larger"),
    ):
        with pytest.raises(StartupRefusal) as caught:
            read_settings_file(path)
        assert caught.value.message.startswith(says)
        assert str(tmp_path) not in caught.value.message


def test_lines_are_those_of_the_statements() -> None:
    text = '''# c
a = """
[b]
c = 1
"""
"quoted.key".x = [
  "]", # [no]
  { y = 1 },
]

[[list]]
z = 1
  [ deep . "er" ]   # comment
q.r = {s = 1, t = {u = 2}}\r
# [end]
'''
    assert list(statement_lines(text)) == [
        (("a",), 2),
        (("quoted.key",), 6),
        (("quoted.key", "x"), 6),
        (("list",), 11),
        (("list", "z"), 12),
        (("deep",), 13),
        (("deep", "er"), 13),
        (("deep", "er", "q"), 14),
        (("deep", "er", "q", "r"), 14),
        (("deep", "er", "q", "r", "s"), 14),
        (("deep", "er", "q", "r", "t"), 14),
        (("deep", "er", "q", "r", "t", "u"), 14),
    ]


_VALUES = st.sampled_from(["1", "'x'", '"""\n[t]\n"""', "[\n  1,\n\n  2,\n]", "'''\n'''", "[{a=1},\n{b=[\n]}]", "true"])


@given(st.lists(st.tuples(st.integers(0, 3), _VALUES, st.booleans()), max_size=12))
@settings(max_examples=150, deadline=None)
def test_lines_hold_for_any_layout(parts: list[tuple[int, str, bool]]) -> None:
    lines: list[str] = []
    expected: dict[str, int] = {}
    table = ""
    for number, (blanks, value, header) in enumerate(parts):
        lines += ["# filler [x]"] * blanks
        if header:
            table = f"t{number}"
            expected[table] = len(lines) + 1
            lines.append(f"[{table}]")
        else:
            expected[f"{table}.k{number}" if table else f"k{number}"] = len(lines) + 1
            lines += f"k{number} = {value}".split("\n")
    text = "\n".join(lines)
    tomllib.loads(text)
    found = {".".join(keys): line for keys, line in statement_lines(text)}
    # Inline tables have lines of their own; those are not looked at here.
    assert {name: line for name, line in found.items() if name in expected} == expected


GOOD_AND_BAD = [
    FULL,
    "",
    "[tools]\npreset = 'analyst'",
    "[tools]\npreset = 'nobody'",
    "[tools]\npreset = 'all-tools'",
    "[tools]\npreset = 'all'\nallowlist = ['get_call']",
    "[tools]\nallowlist = []",
    "[tools]\nallowlist = ['nobody']",
    "[server]\ntransport = 'sse'",
    "[limits]\nsearch_results = 0",
    "[limits]\nsearch_results = 100000",
    "[limits]\nnobody = 1",
    "[policy]\nmax_response_bytes = 1",
    "[policy]\nmax_response_bytes = 99999999",
    "[policy]\ntool_timeout = 0",
    "[policy]\ntool_timeout = 3600",
    "[policy]\ntool_timeout = 3601",
    "[policy]\nswitches = ['hide_nothing']",
    "[policy]\nswitches = []",
    "[provenance]\nmode = 'secret'",
    "[crm]\nlate_stage_values = [' ']",
    "[crm.field_aliases]\nstage = ['a']",
    "[crm.field_aliases]\naccount_type = ['a']",
    "[crm.field_aliases]\naccount_type = 'a'",
    "[scope]\n",
    "db = 'x'",
]


@pytest.mark.parametrize("text", GOOD_AND_BAD)
def test_the_published_schema_and_the_server_judge_alike(text: str, tmp_path: Path) -> None:
    schema = file_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    by_schema = jsonschema.Draft202012Validator(schema).is_valid(tomllib.loads(text))
    try:
        resolved(tmp_path, text)
        by_server = True
    except StartupRefusal:
        by_server = False
    assert by_schema is by_server


def test_the_schema_describes_every_key() -> None:
    tables = file_schema()["properties"]
    assert {f"{table}.{key}" for table, body in tables.items() for key in body["properties"]} == KEYS.keys()
    assert all(value["description"] for body in tables.values() for value in body["properties"].values())


def test_reading_without_a_file_costs_no_toml() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from gongmcp.settings import ServerSettings; ServerSettings.resolve({}, {}); "
        "sys.exit('tomllib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_file_object_names_its_places() -> None:
    assert SettingsFile("x.toml", lines={"tools.preset": 3}).place("tools.preset") == "x.toml:3"
