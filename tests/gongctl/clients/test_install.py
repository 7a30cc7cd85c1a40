"""Clients' configurations: put in, run, taken out; every other byte stays; what cannot be changed safely is refused."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gongctl.clients.command_line import FILES, OF_A_SERVER, server_command
from gongctl.clients.edit import command_of, server_entry, with_server, without_server
from gongctl.clients.install import before_path, install, none_before_path, uninstall
from gongctl.clients.jsonc import value_of
from gongctl.clients.known import CLIENTS, Client, client_named
from gongctl.clients.probe import probe
from gongctl.clients.snippets import entry, snippet
from gongmcp.errors import StartupRefusal

LINE = ["/opt/gong/bin/gongmcp", "--db", "/data/gong.db", "--tool-preset", "operator-smoke"]
OTHER_LINE = [*LINE[:-1], "analyst-core"]
JSON_CLIENTS = [client for client in CLIENTS if not client.toml]
CODEX = client_named("codex")

JSON_TEXTS = [
    "",
    "{}",
    "{ }\n",
    "{\n}\n",
    "{ /* nothing yet */ }",
    '{"KEY":{}}',
    '{"a": 1}',
    '{"KEY":{"x":{"command":"y"}},"z":[1,2]}',
    '{\n  "KEY": {\n    "x": {\n      "command": "y"\n    }\n  }\n}\n',
    '{\n    "KEY": {\n        "x": {"command": "y"}, // why\n    },\n    // the end\n    "z": 1.50,\n}\n',
    '{\n\t"other": {"deep": [{"}": "{"}]},\n\t"KEY": {\n\t\t"x": {"command": "y"} // mine\n\t}\n}',
    '\ufeff{\r\n  "z": "\\u00e9\\ud83d\\ude42 // no comment",\r\n  "KEY": {}\r\n}\r\n',
    '// settings\n{\n  "z": 1 // one\n}\n',
    '{\n  "KEY": { // servers\n  }\n}\n',
    '{\n  "KEY": {\n    // none yet\n  }\n}\n',
    '{"z": "KEY", "big": 12345678901234567890, "e": 1e400}',
]
TOML_TEXTS = [
    "",
    "\n",
    'model = "x"',
    'model = "x"\n\n[mcp_servers.other]\ncommand = "y"\nargs = []\n',
    '# top\r\nmodel = "x"\r\n\r\n[mcp_servers.other]\r\ncommand = "y"\r\n',
    'text = """\n[mcp_servers.gong]\n"""\nlist = [\n  [1],\n]\n[a.b]\nc = 1 # [mcp_servers.gong]\n',
    "[mcp_servers]\n[mcp_servers.other.env]\nA = '''\n[x]\n'''\n",
]


def cases() -> list[Any]:
    found = [
        pytest.param(client, text.replace("KEY", client.key).encode(), id=f"{client.name}-{number}")
        for client in JSON_CLIENTS
        for number, text in enumerate(JSON_TEXTS)
    ]
    return found + [pytest.param(CODEX, text.encode(), id=f"codex-{n}") for n, text in enumerate(TOML_TEXTS)]


def meaning(client: Client, data: bytes) -> Any:
    text = data.decode("utf-8-sig")
    if not text.strip():
        return {}
    return tomllib.loads(text) if client.toml else value_of(text)


def servers_aside(client: Client, data: bytes) -> Any:
    whole = meaning(client, data)
    others = {name: item for name, item in whole.pop(client.key, {}).items() if name != "gong"}
    return whole, others


@pytest.mark.parametrize(("client", "before"), cases())
def test_the_server_is_put_in_and_nothing_else_changes(client: Client, before: bytes) -> None:
    after = with_server(client, before, "gong", LINE)
    assert command_of(client, after, "gong") == (LINE, {})
    assert servers_aside(client, after) == servers_aside(client, before)
    rest = iter(after.decode())
    assert all(sign in rest for sign in before.decode() if not sign.isspace()), "all of it is there, in order"
    assert (b"\r\n" in after) == (b"\r\n" in before)
    assert with_server(client, after, "gong", LINE) == after, "a second time changes nothing"
    changed = with_server(client, after, "gong", OTHER_LINE)
    assert command_of(client, changed, "gong") == (OTHER_LINE, {})
    assert servers_aside(client, changed) == servers_aside(client, before)


@pytest.mark.parametrize(("client", "before"), cases())
def test_taken_out_of_a_changed_file_the_rest_stays(client: Client, before: bytes) -> None:
    out = without_server(client, with_server(client, before, "gong", LINE), "gong")
    assert server_entry(client, out, "gong") is None
    assert servers_aside(client, out) == servers_aside(client, before)


@pytest.mark.parametrize(("client", "before"), cases())
def test_uninstalling_gives_back_the_former_bytes(client: Client, before: bytes, tmp_path: Path) -> None:
    path = tmp_path / "configuration"
    path.write_bytes(before)
    path.chmod(0o640)
    assert install(client, path, LINE).change == "added"
    assert path.stat().st_mode & 0o777 == 0o640
    assert before_path(path, "gong").stat().st_mode & 0o777 == 0o640
    assert install(client, path, LINE).change == "unchanged"
    assert install(client, path, OTHER_LINE).change == "replaced"
    assert uninstall(client, path).change == "restored"
    assert path.read_bytes() == before
    assert sorted(item.name for item in tmp_path.iterdir()) == ["configuration"]
    assert uninstall(client, path).change == "absent"


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_file_that_was_not_there_is_gone_again(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "configuration"
    assert install(client, path, LINE, dry_run=True).change == "created"
    assert list(tmp_path.iterdir()) == []
    done = install(client, path, LINE)
    assert (done.change, path.stat().st_mode & 0o777) == ("created", 0o600)
    assert path.read_text() == snippet(client.name, LINE)
    assert none_before_path(path, "gong").exists()
    assert uninstall(client, path, dry_run=True).change == "removed_file"
    assert path.exists()
    assert uninstall(client, path).change == "removed_file"
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_file_that_was_changed_since_keeps_its_changes(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "configuration"
    path.write_text("" if client.toml else '{"a": 1}\n')
    install(client, path, LINE)
    changed = path.read_text()
    changed = changed + "\n[later]\nx = 1\n" if client.toml else changed.replace('"a": 1', '"a": 2')
    path.write_text(changed)
    assert uninstall(client, path).change == "taken_out"
    whole, others = servers_aside(client, path.read_bytes())
    assert (whole, others) == ({"later": {"x": 1}} if client.toml else {"a": 2}, {})
    assert [item.name for item in tmp_path.iterdir()] == ["configuration"]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_an_entry_of_somebody_else_comes_back(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "configuration"
    theirs = {**entry(client, ["their-server"]), "env": {"A": "b c"}, "timeout": 5}
    path.write_bytes(with_server(client, b"", "gong", ["their-server"]))
    text = path.read_text()
    if client.toml:
        path.write_text(text + 'env = { A = "b c" }\ntimeout = 5\n')
    else:
        path.write_text(json.dumps({client.key: {"gong": theirs}}))
    assert server_entry(client, path.read_bytes(), "gong") == theirs
    assert install(client, path, LINE).change == "replaced"
    assert server_entry(client, path.read_bytes(), "gong") == {**theirs, **entry(client, LINE)}
    path.write_text(path.read_text() + "\n")  # somebody touches it
    assert uninstall(client, path).change == "taken_out"
    assert server_entry(client, path.read_bytes(), "gong") == theirs


def test_links_are_followed_and_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}")
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    install(client_named("cursor"), link, LINE)
    assert link.is_symlink()
    assert "gong" in real.read_text()
    uninstall(client_named("cursor"), link)
    assert (link.is_symlink(), real.read_text()) == (True, "{}")


BROKEN = [
    b"{",
    b"[]",
    b"nonsense",
    b'{"KEY": []}',
    b'{"KEY": {"gong": 5}}',
    b'{"KEY": {}, "KEY": {}}',
    b'{"a": 1 "b": 2}',
    b"{'a': 1}",
    b'{"a": 1} {}',
    b"\xff\xfe{\x00}\x00",
    b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"a": "\n',
    b'{"a": 01x}',
]
BROKEN_TOML = [
    b"a = ",
    b"mcp_servers = 5\n",
    b"mcp_servers = {}\n",
    b"mcp_servers.gong.command = 'x'\n",
    b"\xff",
    b"a=1\na=2\n",
]


@pytest.mark.parametrize(
    ("client", "data"),
    [(client, text.replace(b"KEY", client.key.encode())) for client in JSON_CLIENTS for text in BROKEN]
    + [(CODEX, text) for text in BROKEN_TOML],
)
def test_what_cannot_be_changed_safely_stays_as_it_is(client: Client, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "configuration"
    path.write_bytes(data)
    with pytest.raises(StartupRefusal, match="was not changed"):
        install(client, path, LINE)
    assert path.read_bytes() == data
    assert [item.name for item in tmp_path.iterdir()] == ["configuration"]


_scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


@settings(max_examples=50, deadline=None)
@given(
    whole=st.dictionaries(st.text(max_size=6).filter(lambda key: key != "servers"), _values, max_size=4),
    servers=st.none() | st.dictionaries(st.text(max_size=6).filter(lambda key: key != "gong"), _values, max_size=3),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
)
def test_any_json_comes_back(whole: dict[str, Any], servers: dict[str, Any] | None, indent: Any) -> None:
    client = client_named("vscode")
    before = json.dumps({**whole, **({} if servers is None else {"servers": servers})}, indent=indent).encode()
    after = with_server(client, before, "gong", LINE)
    assert json.loads(after) == {**whole, "servers": {**(servers or {}), "gong": entry(client, LINE)}}
    assert json.loads(without_server(client, after, "gong")) == {**whole, "servers": servers or {}}


def test_the_command_line_is_complete_and_the_same_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = server_command(
        Path("gong.db"),
        {"config": "s.toml", "tool_preset": "operator-smoke"},
        {"GONGMCP_TOOL_PRESET": "analyst-core", "GONGMCP_LOCK": "a/lock.json", "GONGMCP_MIN_CELL": "3", "HOME": "/x"},
    )
    assert Path(line[0]).is_absolute()
    assert line[line.index("--db") :] == [
        *("--db", str(tmp_path / "gong.db"), "--config", str(tmp_path / "s.toml")),
        *("--tool-preset", "operator-smoke", "--min-cell", "3", "--lock", str(tmp_path / "a/lock.json")),
    ]


def test_every_setting_that_names_a_file_is_known_as_one() -> None:
    from gongmcp.settings import SETTINGS

    written = [setting for setting in SETTINGS if not setting.server_only or setting.name in OF_A_SERVER]
    named = {setting.name for setting in written if " file" in setting.help.lower()}
    assert named - {"audit_max_bytes"} <= FILES


SERVERS = {
    "writes noise": ("print('hello')", "something else than the protocol"),
    "ends": ("import sys; sys.exit('no cache here')", "ended with code 1: no cache here"),
    "says nothing": ("import sys; sys.stdin.read()", "does not answer initialize within"),
    "refuses": (
        "import sys, json; n = json.loads(sys.stdin.readline())['id']\n"
        "print(json.dumps({'jsonrpc': '2.0', 'id': n, 'error': {'code': 1, 'message': 'not today'}}), flush=True)",
        "refuses initialize: not today",
    ),
}


@pytest.mark.parametrize("kind", SERVERS)
def test_a_server_that_does_not_work_is_told_apart(kind: str) -> None:
    code, said = SERVERS[kind]
    with pytest.raises(StartupRefusal, match=said):
        probe([sys.executable, "-c", code], seconds=10 if kind != "says nothing" else 0.5)


def test_a_command_that_is_not_there_is_said() -> None:
    with pytest.raises(StartupRefusal, match="cannot be started"):
        probe([os.devnull + "/gongmcp"])


ODD = (
    b"\xff",
    b"\x00",
    b"[" * 100_000,
    b"/*",
    b"{}x",
    b'{"KEY":[]}',
    b'{"KEY":null}',
    b'{"a":' + b"9" * 5000 + b"}",
    b"a=" + b"9" * 5000,
    b"a=" + b"[" * 100_000,
    b"KEY=1",
    b"KEY=[]",
    b"[KEY.gong]\nx=1\n[KEY.gong]",
)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
@pytest.mark.parametrize("number", range(len(ODD)))
def test_what_cannot_be_followed_is_refused(client: Client, number: int) -> None:
    present = ODD[number].replace(b"KEY", client.key.encode())
    with pytest.raises(StartupRefusal) as refused:
        with_server(client, present, "gong", LINE)
    assert refused.value.message.isprintable()
    with pytest.raises(StartupRefusal) as refused:
        without_server(client, present, "gong")
    assert refused.value.message.isprintable()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_path_that_is_no_utf_8_is_refused(client: Client) -> None:
    with pytest.raises(StartupRefusal):
        with_server(client, b"", "gong", [*LINE, "/data/caf\udce9.db"])


ENDLESS = """
import json, sys
for line in sys.stdin:
    number = json.loads(line).get("id")
    if number:
        print(json.dumps({"id": number, "result": RESULT}), flush=True)
"""


@pytest.mark.parametrize(
    "code",
    [
        "print('[' * 100_000)",
        "print(b'\\xff')",
        ENDLESS.replace("RESULT", '{"tools": [], "nextCursor": "again"}'),
        ENDLESS.replace("RESULT", "5"),
    ],
)
def test_a_server_that_says_something_else_is_none(code: str) -> None:
    with pytest.raises(StartupRefusal):
        probe([sys.executable, "-c", code], seconds=20)


def test_a_list_of_tools_that_is_none_is_empty() -> None:
    assert probe([sys.executable, "-c", ENDLESS.replace("RESULT", '{"tools": 5}')], seconds=20).tools == ()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_a_folder_that_cannot_be_made_or_emptied_is_told(client: Client, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StartupRefusal):
        install(client, tmp_path / "file" / "config", LINE)
    install(client, tmp_path / "config", LINE)
    mark = none_before_path(tmp_path / "config", "gong")
    mark.unlink()
    mark.mkdir()
    with pytest.raises(StartupRefusal):
        uninstall(client, tmp_path / "config")
