"""``gongctl mcp``, ``demo`` and ``tui``: what they print, where, and how they end."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer.main

from gongctl.cache.status import cache_status
from gongctl.cli import mcp_cmd, tui_cmd
from gongctl.cli.call_arguments import apply_settings
from gongctl.cli.demo_cmd import QUERY, TOOL, build_sample
from gongctl.cli.output import literal
from gongctl.cli.root import run
from gongmcp.command import parser as gongmcp_parser
from gongmcp.errors import ERRORS, StartupRefusal, ToolFault
from gongmcp.handler import ToolHandler, build_handler
from gongmcp.render.wire import result_bytes
from gongmcp.settings import POLICY_SETTINGS, ServerSettings

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def json(self, schema: str) -> Any:
        """Return stdout as one JSON value that the published *schema* allows."""
        value = json.loads(self.out)
        validate(value, schema)
        return value


def validate(value: object, schema: str) -> None:
    rules = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(rules)
    jsonschema.Draft202012Validator(rules).validate(value)


Gongctl = Callable[..., Done]


@pytest.fixture
def gongctl(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gongctl:
    """Run one command line in this process, in an empty folder, without settings in the environment."""
    for name in [name for name in os.environ if name.startswith(("GONGMCP_", "GONGCTL_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache that a demo makes."""
    path = tmp_path_factory.mktemp("demo") / "sample.db"
    build_sample(path)
    return path


@pytest.fixture(scope="module")
def handler(cache: Path) -> ToolHandler:
    return build_handler(ServerSettings.resolve({}, {}), cache)


def names_of(handler: ToolHandler) -> list[str]:
    return [tool.name for tool in handler.tools()]


# --- tools, tool-info, presets: no cache


def test_tools_are_the_handlers_wire_form_with_limits(gongctl: Gongctl) -> None:
    listed = gongctl("mcp", "tools").json("mcp-tools")
    expected = build_handler(ServerSettings.resolve({}, {})).tools()
    assert listed == [json.loads(json.dumps(tool.info())) for tool in expected]
    for tool in listed:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(tool["outputSchema"])


def test_the_published_schema_of_a_tool_is_one(gongctl: Gongctl) -> None:
    both = [
        json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")) for name in ("mcp-tools", "mcp-tool-info")
    ]
    assert both[0]["$defs"]["tool"] == both[1]["$defs"]["tool"]


def test_tool_info_prints_an_object_for_one_name_and_an_array_for_more(gongctl: Gongctl) -> None:
    one = gongctl("mcp", "tool-info", TOOL).json("mcp-tool-info")
    assert one["name"] == TOOL
    two = gongctl("mcp", "tool-info", "get_call", TOOL).json("mcp-tool-info")
    assert [tool["name"] for tool in two] == ["get_call", TOOL]
    every = gongctl("mcp", "tool-info", "--all").json("mcp-tool-info")
    assert every == gongctl("mcp", "tools").json("mcp-tools")
    assert two[1] == one


@pytest.mark.parametrize(("ceiling", "maximum"), [("250", 250), ("5000", 1000), ("", 100)])
def test_ceilings_come_from_the_environment_as_for_the_server(
    ceiling: str, maximum: int, gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GONGMCP_MAX_SEARCH_RESULTS", ceiling)
    tool = gongctl("mcp", "tool-info", TOOL).json("mcp-tool-info")
    assert tool["inputSchema"]["properties"]["limit"]["maximum"] == maximum
    assert tool["limits"] == {"default": 20, "ceiling": maximum, "hard": 1000}


def test_a_flag_is_stronger_than_the_environment(gongctl: Gongctl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GONGMCP_MAX_SEARCH_RESULTS", "250")
    tool = gongctl("mcp", "tool-info", TOOL, "--max-search-results", "7").json("mcp-tool-info")
    assert tool["limits"] == {"default": 7, "ceiling": 7, "hard": 1000}


def test_every_policy_flag_of_the_server_is_taken_and_no_other(gongctl: Gongctl) -> None:
    group = typer.main.get_command(mcp_cmd.app)
    tui = typer.main.get_command(tui_cmd.app)
    of_server = {option for action in gongmcp_parser()._actions for option in action.option_strings}
    policy = {setting.flag for setting in POLICY_SETTINGS}
    assert policy < of_server
    commands = {name: group.commands[name] for name in ("tools", "tool-info", "call")} | {"tui": tui}  # type: ignore[attr-defined]
    for name, command in commands.items():
        options = {option for parameter in command.params for option in parameter.opts}
        assert policy <= options, name
        assert command.epilog is not None
        hidden = [p for p in command.params if getattr(p, "hidden", False)]
        assert all(parameter.opts[0] in command.epilog for parameter in hidden), name


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--max-search-results", "0"], "--max-search-results must be a whole number"),
        (["--tool-preset", "nope"], "operator-smoke"),
        (["--tool-allowlist", "serch_calls"], "search_calls"),
        (["--transcript-evidence-provenance", "all"], "redacted, alias, raw"),
        (["--tool-preset", "all", "--tool-allowlist", "get_call"], "Both"),
    ],
)
def test_a_bad_setting_is_refused_as_the_server_refuses_it(flags: list[str], says: str, gongctl: Gongctl) -> None:
    for command in (["tools"], ["tool-info", "--all"], ["call", TOOL, "--db", "x.db"]):
        done = gongctl("mcp", *command, *flags)
        assert (done.code, done.out) == (2, "")
        assert says in done.err


def test_an_unknown_name_prints_nothing_and_names_the_nearest(gongctl: Gongctl) -> None:
    for names in (["serch_calls"], ["get_call", "serch_calls"]):
        done = gongctl("mcp", "tool-info", *names)
        assert (done.code, done.out) == (2, "")
        assert "'serch_calls'" in done.err
        assert "Did you mean search_calls" in done.err
    assert "Traceback" not in done.err


def test_a_tool_that_policy_hides_reads_like_one_that_does_not_exist(gongctl: Gongctl, cache: Path) -> None:
    hidden = gongctl("mcp", "tool-info", TOOL, "--tool-preset", "business-pilot")
    absent = gongctl("mcp", "tool-info", "zzzz", "--tool-preset", "business-pilot")
    assert (hidden.code, hidden.out) == (absent.code, absent.out) == (2, "")
    assert hidden.err.replace(TOOL, "zzzz") == absent.err
    called = gongctl("mcp", "call", TOOL, "--db", cache, "--tool-preset", "business-pilot")
    assert called == hidden


@pytest.mark.parametrize(
    "arguments",
    [["tool-info"], ["tool-info", "--all", "get_call"], ["tools", "--text", "--json"], ["presets", "--text", "--json"]],
)
def test_wrong_usage_of_the_lists(arguments: list[str], gongctl: Gongctl) -> None:
    done = gongctl("mcp", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("gongctl: ")


def test_json_may_be_said_where_it_is_the_default(gongctl: Gongctl, cache: Path) -> None:
    for command in (["tools"], ["tool-info", TOOL], ["presets"], ["call", "get_sync_status", "--db", cache]):
        assert gongctl("mcp", *command, "--json") == gongctl("mcp", *command)


def test_presets(gongctl: Gongctl, handler: ToolHandler) -> None:
    presets = gongctl("mcp", "presets").json("mcp-presets")
    offered = [tool["name"] for tool in gongctl("mcp", "tools").json("mcp-tools")]
    by_name = {preset["name"]: preset for preset in presets}
    assert by_name["all-readonly"]["tools"] == offered
    for preset in presets:
        assert preset["tool_count"] == len(preset["tools"])
        assert preset["name"] in handler.presets()
        listed = [tool["name"] for tool in gongctl("mcp", "tools", "--tool-preset", preset["name"]).json("mcp-tools")]
        assert len(listed) == preset["listed_count"]
        # A facade lists less than it allows: the tools behind it are reached through it.
        assert listed == [name for name in preset["tools"] if name in listed]
        assert (len(listed) < preset["tool_count"]) == (preset["name"] == "business-workbench")
    lines = gongctl("mcp", "presets", "--text").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(by_name)


def test_stats_count_what_a_model_is_given_and_name_their_estimator(gongctl: Gongctl) -> None:
    stats = gongctl("mcp", "tools", "--stats").json("mcp-tools-stats")
    tools = {tool["name"]: tool for tool in gongctl("mcp", "tools").json("mcp-tools")}
    assert [tool["name"] for tool in stats["tools"]] == list(tools)
    for counted in stats["tools"]:
        form = {key: tools[counted["name"]][key] for key in ("name", "description", "inputSchema")}
        assert counted["bytes"] == len(json.dumps(form, ensure_ascii=False, separators=(",", ":")).encode())
        assert 0 < counted["tokens_estimate"] < counted["bytes"]
    assert stats["total"] == {
        "tools": len(tools),
        "tokens_estimate": sum(tool["tokens_estimate"] for tool in stats["tools"]),
        "bytes": sum(tool["bytes"] for tool in stats["tools"]),
    }
    fewer = gongctl("mcp", "tools", "--stats", "--tool-preset", "business-pilot").json("mcp-tools-stats")
    assert fewer["total"]["tokens_estimate"] < stats["total"]["tokens_estimate"]
    text = gongctl("mcp", "tools", "--stats", "--text").out
    assert stats["estimator"] in text
    assert f"about {stats['total']['tokens_estimate']:,} tokens" in text


def test_text_of_the_lists_names_what_the_json_holds(gongctl: Gongctl) -> None:
    tools = gongctl("mcp", "tools").json("mcp-tools")
    lines = gongctl("mcp", "tools", "--text").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [tool["name"] for tool in tools]
    for tool in tools:
        text = gongctl("mcp", "tool-info", tool["name"], "--text").out
        for name, schema in tool["inputSchema"]["properties"].items():
            (line,) = re.findall(rf"^{name}(?: \*)? .*$", text, re.MULTILINE)[:1]
            for option in schema.get("enum", ()):
                assert option in line
        assert tool["description"] in text
        for preset in tool["presets"]:
            assert preset in text


# --- call


def test_a_dry_run_prints_the_structured_answer(gongctl: Gongctl, cache: Path, handler: ToolHandler) -> None:
    arguments = {"query": QUERY, "limit": 3}
    done = gongctl("mcp", "call", TOOL, "--db", cache, "--args", json.dumps(arguments))
    assert (done.code, done.err) == (0, "")
    answer = done.json("mcp-call")
    assert answer == handler.call(TOOL, arguments).answer.structured
    assert len(answer["results"]) == 3
    assert answer["capped"] is True
    jsonschema.validate(answer, handler.tool(TOOL).output_schema)


def test_explain_shows_the_same_answer_and_what_was_withheld(
    gongctl: Gongctl, cache: Path, handler: ToolHandler
) -> None:
    arguments = {"query": QUERY, "limit": 3}
    outcome = handler.call(TOOL, arguments)
    explained = gongctl("mcp", "call", TOOL, "--db", cache, "--args", json.dumps(arguments), "--explain").json(
        "mcp-call-explain"
    )
    assert explained["result"] == outcome.answer.structured
    assert explained["text"] == outcome.answer.text
    assert explained["is_error"] is False
    assert explained["disclosure"] == outcome.ledger.as_dict()
    assert explained["size"]["bytes"] == len(result_bytes(outcome.answer))
    withheld = {(row["kind"], row["rule"]) for row in explained["disclosure"]["withheld"]}
    assert {("call_id", "provenance.redacted"), ("speaker_id", "provenance.redacted")} <= withheld
    for row in explained["result"]["results"]:
        assert not {"call_id", "speaker_id", "call_ref", "speaker_ref"} & set(row)


def test_explain_in_text_is_the_panes_in_reading_order(gongctl: Gongctl, cache: Path, handler: ToolHandler) -> None:
    done = gongctl(
        "mcp", "call", TOOL, "--db", cache, "--set", f"query={QUERY}", "--set", "limit=3", "--explain", "--text"
    )
    outcome = handler.call(TOOL, {"query": QUERY, "limit": 3})
    assert (done.code, done.err) == (0, "")
    received, rest = done.out.split("\n\nWhat was withheld and why\n")
    withheld, size = rest.split("\n\nSize\n")
    assert received.startswith("What the agent receives\n")
    assert "free cash flow" in received
    for row in outcome.ledger.summary():
        assert row["reason"] in withheld
        assert row["rule"] in withheld
    assert f"{outcome.bytes:,} bytes" in size
    assert "about" in size
    assert "stimat" in size
    withheld, gates, settings = re.split(r"\n\n(?:Gates|Settings in force)\n", withheld)
    assert re.search(r"provenance\.redacted +default", withheld)
    assert re.search(r"residual +yes", gates)
    assert re.search(r"provenance\.mode +redacted +default", settings)
    assert re.search(r"the structure +[\d,]+ +[\d,]+ +[\d,]+-[\d,]+", size)


def test_text_is_what_the_agent_reads(gongctl: Gongctl, cache: Path, handler: ToolHandler) -> None:
    done = gongctl("mcp", "call", "get_sync_status", "--db", cache, "--text")
    text = handler.call("get_sync_status", {}).answer.text
    assert done == Done(0, literal(text, allowed="\n\t") + "\n", "")


@pytest.mark.parametrize("arguments", [{"query": "margin", "limit": 2}, {"query": "", "limit": 1}, {}])
def test_raw_prints_the_bytes_of_the_result_and_nothing_else(
    arguments: dict[str, Any], gongctl: Gongctl, cache: Path, handler: ToolHandler
) -> None:
    done = gongctl("mcp", "call", TOOL, "--db", cache, "--args", json.dumps(arguments), "--raw")
    assert done.out.encode() == result_bytes(handler.call(TOOL, arguments).answer)


@pytest.mark.parametrize(
    ("tool", "settings", "code", "exit_code"),
    [
        (TOOL, ["query= "], "invalid_argument", 2),
        (TOOL, [], "invalid_argument", 2),
        (TOOL, ["query=x", "limit=0"], "invalid_argument", 2),
        (TOOL, ["qery=x"], "invalid_argument", 2),
        (TOOL, ["query=x", "cursor=nonsense"], "invalid_cursor", 2),
    ],
)
def test_a_tool_error_is_json_on_stdout_a_sentence_on_stderr_and_the_exit_code_of_its_code(
    tool: str, settings: list[str], code: str, exit_code: int, gongctl: Gongctl, cache: Path
) -> None:
    flags = [part for setting in settings for part in ("--set", setting)]
    done = gongctl("mcp", "call", tool, "--db", cache, *flags)
    assert done.code == exit_code
    error = done.json("mcp-call")["error"]
    assert error["code"] == code
    assert done.err == f"gongctl: {code}: {error['message']}\n"
    explained = gongctl("mcp", "call", tool, "--db", cache, *flags, "--explain")
    assert explained.code == exit_code
    value = explained.json("mcp-call-explain")
    assert (value["result"], value["is_error"], value["error"]) == (None, True, error)
    text = gongctl("mcp", "call", tool, "--db", cache, *flags, "--text")
    assert (text.code, text.err) == (exit_code, "")
    assert text.out.startswith(f"{code}: ")


@pytest.mark.parametrize("code", sorted(ERRORS))
def test_every_error_code_has_its_exit_code(
    code: str, gongctl: Gongctl, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ToolFault(code, "So it is.")

    monkeypatch.setattr(ToolHandler, "_run", fail)
    done = gongctl("mcp", "call", "get_sync_status", "--db", cache)
    assert done.code == int(ERRORS[code].exit)
    assert done.json("mcp-call")["error"] == {"code": code, "message": "So it is.", "hint": ERRORS[code].next}


def test_an_internal_error_gives_a_reference_and_no_traceback(
    gongctl: Gongctl, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> None:
        raise RuntimeError("secret value")

    monkeypatch.setattr(ToolHandler, "_run", explode)
    for flags in ([], ["--text"], ["--explain"]):
        done = gongctl("mcp", "call", "get_sync_status", "--db", cache, *flags)
        assert done.code == 1
        assert "internal_error" in done.out
        assert "GONGCTL_DEBUG=1" in done.err
        assert "secret" not in done.out + done.err
        assert "Traceback" not in done.err


def test_not_found_ends_with_0(gongctl: Gongctl, cache: Path) -> None:
    done = gongctl("mcp", "call", "get_call", "--db", cache, "--set", "call_id=7999999999999999999")
    assert (done.code, done.json("mcp-call")["status"]) == (0, "not_found")


def test_arguments_come_from_the_line_a_file_or_stdin_and_settings_win(
    gongctl: Gongctl, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps({"query": "margin", "limit": 2})
    (tmp_path / "args.json").write_text("\ufeff" + text, encoding="utf-8")
    results = []
    for source in (text, "@args.json", "-"):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        results.append(gongctl("mcp", "call", TOOL, "--db", cache, "--args", source).json("mcp-call")["results"])
    assert len(results[0]) == 2
    assert results[0] == results[1] == results[2]
    one = gongctl("mcp", "call", TOOL, "--db", cache, "--args", text, "--set", "limit=1").json("mcp-call")
    assert one["results"] == results[0][:1]


@pytest.mark.parametrize(
    "flags",
    [
        ["--args", "{bad"],
        ["--args", "[1]"],
        ["--args", "[" * 100_000],
        ["--args", "@missing.json"],
        ["--args", "@latin1.json"],
        ["--set", "limit"],
        ["--set", "=3"],
        ["--batch", "missing.jsonl"],
        ["--raw", "--text"],
        ["--raw", "--explain"],
        ["--text", "--json"],
    ],
)
def test_arguments_that_cannot_be_read_are_wrong_usage(
    flags: list[str], gongctl: Gongctl, cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "latin1.json").write_bytes('{"query": "Größe"}'.encode("latin-1"))
    name = [] if "--batch" in flags else [TOOL]
    done = gongctl("mcp", "call", *name, "--db", cache, *flags)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("gongctl: ")
    assert "unexpected" not in done.err


def test_settings_follow_the_schema_of_the_tool() -> None:
    schema = {"properties": {"call_id": {"type": "string"}, "limit": {"type": "integer"}, "terms": {"type": "array"}}}
    settings = ["call_id=123", "limit=3", 'terms=["a", 1]', "other=true", "note=plain words", "e==", "n=null", 's="x"']
    assert apply_settings({"limit": 9, "kept": 1}, settings, schema) == {
        "limit": 3,
        "kept": 1,
        "call_id": "123",
        "terms": ["a", 1],
        "other": True,
        "note": "plain words",
        "e": "=",
        "n": "null",
        "s": '"x"',
    }


def test_a_dry_run_needs_a_tool_and_a_cache(gongctl: Gongctl, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gongctl("mcp", "call", "--db", cache).code == 2
    done = gongctl("mcp", "call", TOOL)
    assert (done.code, done.out) == (2, "")
    assert "GONGCTL_DB" in done.err
    monkeypatch.setenv("GONGCTL_DB", str(cache))
    assert gongctl("mcp", "call", "get_sync_status").code == 0


def test_a_file_that_is_no_cache_ends_with_4(gongctl: Gongctl, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database")
    for db in ("missing.db", "text.db"):
        done = gongctl("mcp", "call", "get_sync_status", "--db", db)
        assert (done.code, done.out) == (4, "")
        assert "Hint: " in done.err
    assert not (tmp_path / "missing.db").exists()


def test_nothing_is_written(gongctl: Gongctl, cache: Path) -> None:
    before = (cache.read_bytes(), sorted(path.name for path in cache.parent.iterdir()))
    gongctl("mcp", "call", TOOL, "--db", cache, "--set", "query=margin", "--explain")
    assert (cache.read_bytes(), sorted(path.name for path in cache.parent.iterdir())) == before


# --- batch


def test_a_batch_prints_for_each_line_what_the_single_call_prints(
    gongctl: Gongctl, cache: Path, tmp_path: Path
) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        (TOOL, {"query": "margin", "limit": 1}),
        ("get_sync_status", {}),
        ("get_call", {"call_id": "7999999999999999999"}),
    ]
    (tmp_path / "calls.jsonl").write_text(
        "\n\n".join(json.dumps({"name": name, "arguments": arguments}) for name, arguments in calls)
    )
    for flags, schema in ([], "mcp-call"), (["--explain"], "mcp-call-explain"):
        done = gongctl("mcp", "call", "--batch", "calls.jsonl", "--db", cache, *flags)
        assert (done.code, done.err) == (0, "")
        lines = done.out.splitlines()
        assert len(lines) == len(calls)
        for line, (name, arguments) in zip(lines, calls, strict=True):
            validate(json.loads(line), schema)
            single = gongctl("mcp", "call", name, "--db", cache, "--args", json.dumps(arguments), *flags)
            assert json.loads(line) == json.loads(single.out)
    raw = gongctl("mcp", "call", "--batch", "calls.jsonl", "--db", cache, "--raw").out.splitlines()
    assert [json.loads(line)["isError"] for line in raw] == [False, False, False]


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["no json"], 2),
        (['{"name": "nope"}', '{"arguments": {}}', "[1]"], 2),
        (['{"name": "get_call", "args": {}}'], 2),
        (['{"name": "search_calls", "arguments": {"limit": 0}}', '{"name": "get_sync_status"}'], 2),
        (['{"name": "get_sync_status"}', '{"name": "get_sync_status", "arguments": null}'], 0),
        ([""], 0),
    ],
)
def test_a_bad_line_of_a_batch_is_named_and_stops_nothing(
    lines: list[str], code: int, gongctl: Gongctl, cache: Path, tmp_path: Path
) -> None:
    good = '{"name": "get_sync_status"}'
    (tmp_path / "calls.jsonl").write_text("\n".join([*lines, good]))
    done = gongctl("mcp", "call", "--batch", "calls.jsonl", "--db", cache)
    assert done.code == code
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert len(answers) == len([line for line in [*lines, good] if line])
    for answer in answers:
        validate(answer, "mcp-call")
    assert answers[-1]["status"] == "ok"


def test_a_batch_whose_lines_fail_for_different_reasons_ends_with_1(
    gongctl: Gongctl, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ToolHandler._run

    def refuse(self: ToolHandler, tool: Any, *rest: Any) -> Any:
        if tool.name == "get_sync_status":
            raise ToolFault("refused_by_policy", "No.")
        return whole(self, tool, *rest)

    monkeypatch.setattr(ToolHandler, "_run", refuse)
    stdin = io.TextIOWrapper(io.BytesIO(b'{"name": "get_sync_status"}\n{"name": "nope"}\n'))
    monkeypatch.setattr("sys.stdin", stdin)
    assert gongctl("mcp", "call", "--batch", "-", "--db", cache).code == 1


def test_a_batch_names_its_own_tools(gongctl: Gongctl, cache: Path) -> None:
    for extra in ([TOOL], ["--args", "{}"], ["--set", "a=1"], ["--text"]):
        done = gongctl("mcp", "call", "--batch", "x.jsonl", "--db", cache, *extra)
        assert (done.code, done.out) == (2, "")
        assert "--batch excludes" in done.err


# --- start-up


def test_tool_info_loads_neither_the_sdk_nor_a_writer_nor_pydantic() -> None:
    code = (
        "import sys\n"
        "from gongctl.cli.root import run\n"
        f"assert run(['mcp', 'tool-info', {TOOL!r}]) == 0\n"
        "print(*{m.partition('.')[0] for m in sys.modules}, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    heavy = {"mcp", "mcp_types", "pydantic", "textual", "rich", "starlette", "httpx", "sqlite_utils", "tui"}
    assert not loaded & (heavy | {"phonenumbers", "cryptography", "asyncio", "anyio", "jsonschema"})


# --- demo and tui


def test_the_demo_tells_the_whole_story_without_a_terminal(gongctl: Gongctl) -> None:
    done = gongctl("demo")
    assert done.code == 0
    parts = [
        "The cache",
        "An agent asks",
        "What the agent receives",
        "What was withheld and why",
        "Size",
        "What to try next",
    ]
    found = [line for line in done.out.splitlines() if line in parts]
    assert found == parts
    received = done.out.split("What the agent receives\n")[1].split("\nWhat was withheld")[0]
    assert received.count("«free cash flow»") == 3
    assert "provenance.redacted" in done.out
    assert re.search(r"3 rows, [\d,]+ bytes on the wire, about [\d,]+ tokens", done.out)
    assert "\x1b" not in done.out


def test_the_demo_leaves_nothing_behind_unless_told_where(
    gongctl: Gongctl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert gongctl("demo", "--text").code == 0
    assert list(scratch.iterdir()) == []
    for _ in range(2):  # again is harmless
        done = gongctl("demo", "--text", "--db", "kept.db")
        assert done.code == 0
    status = cache_status(tmp_path / "kept.db")
    assert (status.raw["calls"], status.raw["transcripts"], status.freshness) == (10, 8, "fresh")
    assert "gongctl tui --db kept.db" in done.out


def test_every_step_that_the_demo_names_can_be_parsed(gongctl: Gongctl) -> None:
    out = gongctl("demo", "--db", "kept.db").out.split("What to try next\n")[1]
    steps = [line.split() for line in out.splitlines() if line.startswith("  gong")]
    assert len(steps) >= 4
    for program, *words in steps:
        if program == "gongmcp":
            gongmcp_parser().parse_args(words)
        elif words[0] in {"mcp", "demo"}:
            assert gongctl(*words).code == 0, words
        else:
            assert gongctl(*(word for word in words[:2] if not word.startswith("-")), "--help").code == 0, words


def test_the_demo_never_mixes_the_sample_into_another_cache(gongctl: Gongctl, cache: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.db"
    mine.write_bytes(cache.read_bytes())
    connection = sqlite3.connect(mine)
    with connection:
        connection.execute("DELETE FROM meta WHERE key = 'sample'")
    connection.close()
    before = mine.read_bytes()
    done = gongctl("demo", "--text", "--db", mine)
    assert (done.code, done.out) == (2, "")
    assert "a cache of your own" in done.err
    assert mine.read_bytes() == before


def test_progress_is_shown_where_stderr_is_a_terminal_and_the_story_stays_clean(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    done = subprocess.run(
        [sys.executable, "-m", "gongctl", "demo", "--db", str(tmp_path / "new.db")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color"},
        check=False,
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(master)
    assert done.returncode == 0, seen
    assert b"Warming" in seen
    assert b"10/10" in seen
    assert b"Warming" not in done.stdout
    assert b"\x1b" not in done.stdout


def test_the_preview_needs_a_terminal_and_a_cache(gongctl: Gongctl, cache: Path) -> None:
    done = gongctl("tui", "--db", cache)
    assert (done.code, done.out) == (2, "")
    assert "gongctl mcp call NAME --db PATH --explain --text" in done.err
    assert gongctl("tui").code == 2


def test_the_preview_warms_through_its_operations(cache: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    sentence = tui_cmd.CacheOperations(cache).warm(lambda done, total: seen.append((done, total)), lambda: False)
    assert re.fullmatch(r"Redone: 0 of 0 calls looked at, 0 segments\.", sentence)
    with pytest.raises(StartupRefusal):
        tui_cmd.CacheOperations(tmp_path / "missing.db").warm(lambda done, total: None, lambda: False)


@contextmanager
def on_a_terminal(command: str, cache: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a command on a terminal of 80 by 24; nothing of it is left afterwards."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-m", "gongctl", command, "--db", str(cache)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield child, master
    finally:
        child.kill()
        child.wait()


def until_open(master: int) -> None:
    """Read what is drawn until the first screen is there."""
    screen = b""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.2)[0]:
            screen += os.read(master, 65536)
            if b"search_" in screen and b"redacted" in screen:
                return
    pytest.fail(screen[-2000:].decode(errors="replace"))


def drain(master: int, child: subprocess.Popen[bytes]) -> int:
    """Read on until *child* has ended; return its exit code."""
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline:
        if select.select([master], [], [], 0.2)[0]:
            try:
                os.read(master, 65536)
            except OSError:
                break
    return child.wait(timeout=60)


@pytest.mark.parametrize("command", ["demo", "tui"])
def test_on_a_terminal_the_preview_opens_and_closes(command: str, cache: Path) -> None:
    with on_a_terminal(command, cache) as (child, master):
        until_open(master)
        os.write(master, b"q")
        assert drain(master, child) == 0
        os.close(master)


def test_the_preview_ends_with_its_terminal(cache: Path) -> None:
    with on_a_terminal("tui", cache) as (child, master):
        until_open(master)
        os.close(master)
        assert child.wait(timeout=60) is not None
