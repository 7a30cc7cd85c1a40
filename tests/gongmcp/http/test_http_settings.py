"""What the settings of the HTTP door refuse, before the cache is looked at and before a port is opened."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from gongmcp.command import run
from gongmcp.http_settings import HttpSettings
from gongmcp.refusals import REFUSALS
from gongmcp.settings import ServerSettings
from gongmcp.settings_file import read_settings_file

FILES = {
    "http.toml": "[server]\ntransport = 'http'",
    "newline.token": "\n",
    "weak.token": "short",
    "open.token": "ZGlmZmVyZW50IHNpZ25zIGluIGEgdG9rZW4K",
    "other.json": "{}",
    "text": "no database",
}
"""Every one of mode 0600, but the one that is open to all."""

HTTP = ["--db", "x.db", "--http", "127.0.0.1:0", "--tool-preset", "all", "--dev-allow-no-auth-localhost"]
HTTP_CASES: list[tuple[str, list[str], dict[str, str]]] = [
    ("http_alone", ["--db", "x.db", "--workers", "2"], {}),
    ("http_address", [*HTTP, "--http", "8080"], {}),
    ("http_address", ["--db", "x.db"], {"GONGMCP_HTTP_ADDR": "http://127.0.0.1:8080"}),
    *(
        (name, ["--db", "x.db", "--http", address, "--tool-preset", "all", *more], environ)
        for address in ("0.0.0.0:8080", ":8080", "[::]:8080")
        for name, more, environ in (
            ("http_open_network", [], {}),
            ("http_open_network", [], {"GONGMCP_BEARER_TOKEN": ""}),
            ("http_open_network", ["--bearer-token-file", "newline.token"], {}),
            ("http_needs_origins", ["--allow-open-network", "--bearer-token-file", "newline.token"], {}),
        )
    ),
    ("http_needs_auth", ["--db", "x.db", "--http", "127.0.0.1:0", "--tool-preset", "all"], {}),
    ("http_needs_auth", ["--db", "x.db", "--http", "127.0.0.1:0"], {"GONGMCP_BEARER_TOKEN": " "}),
    (
        "http_no_auth_loopback",
        [*HTTP, "--http", "10.0.0.1:0", "--allow-open-network", "--allowed-origins", "https://mcp.example.com"],
        {},
    ),
    ("http_needs_tools", ["--db", "x.db", "--http", "127.0.0.1:0", "--dev-allow-no-auth-localhost"], {}),
    ("http_origin", [*HTTP, "--allowed-origins", "https://app.example.com/path"], {}),
    ("http_origin", [*HTTP, "--allowed-origins", "*"], {}),
    ("http_host", [*HTTP, "--allowed-hosts", "*.example.com"], {}),
    ("http_proxies", [*HTTP, "--trusted-proxies", "*"], {}),
    ("http_workers", [*HTTP, "--workers", "1000", "--state", "s"], {}),
    ("http_no_address", ["--db", "x.db", "--config", "http.toml"], {}),
    ("workers_need_state", [*HTTP, "--workers", "2"], {}),
    ("state_file", [*HTTP, "--state", "open.token"], {}),
    ("state_file", [*HTTP, "--state", "."], {}),
    ("state_file", [*HTTP, "--state", "text"], {}),
    ("file_name_blank", [*HTTP, "--access-tokens", ""], {}),
    ("token_file", [*HTTP, "--bearer-token-file", "none.token"], {}),
    ("token_file", [*HTTP, "--bearer-token-file", "weak.token"], {}),
    ("token_file", [*HTTP, "--bearer-token-file", "newline.token"], {}),
    ("token_file", [*HTTP, "--bearer-token-file", "open.token"], {}),
    ("token_file", [*HTTP, "--access-tokens", "text"], {}),
    ("token_env", HTTP, {"GONGMCP_BEARER_TOKEN": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}),
    ("two_tokens", [*HTTP, "--bearer-token-file", "t"], {"GONGMCP_BEARER_TOKEN": "t"}),
    ("token_previous_alone", [*HTTP, "--bearer-token-previous-file", "t"], {}),
    ("oidc_incomplete", [*HTTP, "--oidc-issuer", "https://id.example.com"], {}),
    ("oidc_algorithms", [*HTTP, "--oidc-algorithms", "HS256"], {}),
]
"""Name of the refusal, arguments, environment."""

HTTP_STARTED = {"http_cannot_listen"}
"""Decided when everything else is good; see ``test_http_process.py``."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o644 if name == "open.token" else 0o600)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "arguments", "environ"), HTTP_CASES)
def test_what_is_not_safe_to_serve_is_refused_with_exit_2(
    name: str,
    arguments: list[str],
    environ: dict[str, str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def never(*_: object, **__: object) -> None:
        pytest.fail("a port was opened")

    monkeypatch.setattr(socket.socket, "bind", never)
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    literal = max(REFUSALS[name].message.replace("{", "}").split("}")[::2], key=len)
    assert literal in printed.err, printed.err
    assert str(folder) not in printed.err


def resolve(*, file: str | None = None, **environ: str) -> HttpSettings | None:
    settings = read_settings_file(Path(file)) if file is not None else None
    return ServerSettings.resolve({}, {f"GONGMCP_{name}": value for name, value in environ.items()}, settings).http


def test_the_environment_alone_can_start_it_and_the_token_is_never_shown() -> None:
    token = "ZGlmZmVyZW50IHNpZ25zIGluIGEgdG9rZW4K"
    http = resolve(HTTP_ADDR="127.0.0.1:8080", BEARER_TOKEN=token, ALLOWED_ORIGINS="https://a.example.com, ")
    assert http is not None
    assert (http.host, http.port, http.allowed_origins, http.token) == (
        "127.0.0.1",
        8080,
        ("https://a.example.com",),
        token,
    )
    assert token not in repr(http)


def test_without_an_address_the_variables_of_the_door_do_nothing() -> None:
    assert resolve(BEARER_TOKEN="x", WORKERS="3", STATE="s") is None


@pytest.mark.parametrize(
    ("address", "host", "loopback"),
    [
        ("localhost:1", "localhost", True),
        ("127.8.0.1:1", "127.8.0.1", True),
        ("[::1]:1", "::1", True),
        ("0.0.0.0:1", "0.0.0.0", False),
        ("[::]:1", "::", False),
        (":1", "", False),
        ("mcp.example.com:1", "mcp.example.com", False),
        ("localhost.example.com:1", "localhost.example.com", False),
    ],
)
def test_what_counts_as_this_machine_alone(address: str, host: str, loopback: bool) -> None:
    http = resolve(
        HTTP_ADDR=address,
        BEARER_TOKEN="x",
        ALLOW_OPEN_NETWORK="yes",
        ALLOWED_ORIGINS="https://mcp.example.com",
    )
    assert http is not None
    assert (http.host, http.is_loopback) == (host, loopback)


def test_the_settings_file_holds_them_too(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        "[server]\ntransport = 'http'\n[http]\nlisten = '127.0.0.1:9'\nworkers = 2\nstate = 's.db'\n"
        "allowed_origins = ['https://a.example.com']\ndev_allow_no_auth_localhost = true\ntool_timeout = 2.5\n"
    )
    http = resolve(file=str(file))
    assert http is not None
    assert (http.workers, http.state, http.http_tool_timeout) == (2, Path("s.db"), 2.5)
    assert http.allowed_origins == ("https://a.example.com",)
