"""``gongctl token`` and ``gongctl auth jwks-refresh``: what is printed, what is kept, what is refused."""

from __future__ import annotations

import http.server
import json
import stat
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from joserfc.jwk import OctKey, RSAKey

from gongctl.cli.root import run
from gongctl.tokens.book import Wanted, mint, period, revoke
from gongmcp.errors import StartupRefusal
from gongmcp.identity.access_tokens import AccessTokens

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def json(self, schema: str) -> Any:
        value = json.loads(self.out)
        rules = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(rules).validate(value)
        return value


Gongctl = Callable[..., Done]


@pytest.fixture
def gongctl(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gongctl:
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Done:
        code = run(list(words))
        printed = capfd.readouterr()
        return Done(code, printed.out, printed.err)

    return call


def test_a_token_is_printed_once_and_kept_as_a_salted_digest(gongctl: Gongctl, tmp_path: Path) -> None:
    made = gongctl("token", "mint", "--file", "pats", "--label", "team-a", "--expires", "12h", "--json").json(
        "token-mint"
    )
    again = gongctl("token", "mint", "--file", "pats", "--label", "team-b", "--json").json("token-mint")
    kept = (tmp_path / "pats").read_text()
    assert stat.S_IMODE((tmp_path / "pats").stat().st_mode) == 0o600
    for token in (made["token"], again["token"]):
        assert token.split("_", 3)[3] not in kept
    book = json.loads(kept)["tokens"]
    assert book[0]["salt"] != book[1]["salt"]
    assert book[0]["expires"] - book[0]["created"] == 12 * 3600
    listed = gongctl("token", "list", "--file", "pats")
    assert made["token"] not in listed.out
    assert [
        row["label"] for row in gongctl("token", "list", "--file", "pats", "--json").json("token-list")["tokens"]
    ] == ["team-a", "team-b"]


def test_a_token_is_narrowed_to_some_calls(gongctl: Gongctl) -> None:
    asked = [
        *("--scope-from-date", "2026-01-01", "--scope-language", "eng", "--scope-language", "deu"),
        *("--scope-deny", "purposes=interview, internal", "--scope-deny", "purposes=x", "--scope-no-private-calls"),
    ]
    made = gongctl("token", "mint", "--file", "pats", "--label", "north", *asked, "--json").json("token-mint")
    scope = {
        "from_date": "2026-01-01",
        "languages": ["eng", "deu"],
        "private_calls": "deny",
        "deny_purposes": ["interview, internal", "x"],
    }
    assert made["scope"] == scope
    assert gongctl("token", "list", "--file", "pats", "--json").json("token-list")["tokens"][0]["scope"] == scope
    assert "languages eng or deu" in " ".join(gongctl("token", "list", "--file", "pats").out.split())
    before = Path("pats").read_text()
    for wrong in (
        ("--scope-from-date", "2026-1-1"),
        ("--scope-call-scope", "Everything"),
        ("--scope-language", " "),
        ("--scope-deny", "languages"),
        ("--scope-deny", "private_calls=allow"),
        ("--scope-from-date", "2026-02-01", "--scope-to-date", "2026-01-01"),
    ):
        refused = gongctl("token", "mint", "--file", "pats", "--label", "other", *wrong)
        assert (refused.code, refused.out) == (2, ""), wrong
        assert "gongctl:" in refused.err
    assert Path("pats").read_text() == before


def test_plain_output_is_the_token_alone(gongctl: Gongctl) -> None:
    done = gongctl("token", "mint", "--file", "pats", "--label", "x", "--expires", "never")
    assert done.out.startswith("gmcp_pat_")
    assert len(done.out.split()) == 1
    assert "only time" in done.err


def test_a_revoked_token_opens_nothing_from_the_next_request_on(gongctl: Gongctl, tmp_path: Path) -> None:
    token = gongctl("token", "mint", "--file", "pats", "--label", "x").out.strip().encode()
    source = AccessTokens(tmp_path / "pats")
    found = source.find(token)
    assert found is not None
    assert found.label == "x"
    assert gongctl("token", "revoke", "x", "--file", "pats", "--json").json("token-revoke")["standing"] == "revoked"
    assert source.find(token) is None
    assert gongctl("token", "revoke", "x", "--file", "pats").code == 2
    assert gongctl("token", "mint", "--file", "pats", "--label", "x").code == 0, "the label is free again"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--label", "two words"], "label"),
        (["--label", "x", "--expires", "soon"], "life"),
        (["--label", "x", "--tool-preset", "nobody"], "preset"),
        (["--label", "x", "--tool-allowlist", "get_call,nobody"], "allowlist"),
        (["--label", "x", "--policy-switches", "hide_everything"], "switch"),
        (["--label", "x", "--rate", "0"], "rate"),
    ],
)
def test_what_does_not_exist_is_refused_and_nothing_is_written(
    gongctl: Gongctl, tmp_path: Path, words: list[str], says: str
) -> None:
    done = gongctl("token", "mint", "--file", "pats", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert not (tmp_path / "pats").exists()


def test_a_file_that_others_may_read_is_refused(gongctl: Gongctl, tmp_path: Path) -> None:
    gongctl("token", "mint", "--file", "pats", "--label", "x")
    (tmp_path / "pats").chmod(0o640)
    for words in (["list"], ["revoke", "x"], ["mint", "--label", "y"]):
        done = gongctl("token", *words, "--file", "pats")
        assert done.code == 2, words
        assert "0600" in done.err


def test_writers_take_turns(tmp_path: Path) -> None:
    threads = [threading.Thread(target=lambda n=n: mint(tmp_path / "pats", Wanted(f"t{n}", None))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(json.loads((tmp_path / "pats").read_text())["tokens"]) == 8
    assert revoke(tmp_path / "pats", "t3").label == "t3"


def test_periods() -> None:
    assert [period(text) for text in ("1h", "2D", "3w", "never")] == [3600, 172800, 1814400, None]
    for text in ("", "0d", "d", "1y", "-1d", "1.5h"):
        with pytest.raises(StartupRefusal):
            period(text)


# The issuer's keys

KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})


class Issuer(http.server.BaseHTTPRequestHandler):
    """An issuer on the loopback interface: what it answers, by path."""

    pages: dict[str, tuple[int, Any]]

    def do_GET(self) -> None:
        status, body = self.pages.get(self.path, (404, "nothing"))
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def issuer() -> Iterator[tuple[str, dict[str, tuple[int, Any]]]]:
    pages: dict[str, tuple[int, Any]] = {}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Pages", (Issuer,), {"pages": pages}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    pages["/.well-known/openid-configuration"] = (200, {"issuer": address, "jwks_uri": f"{address}/keys"})
    yield address, pages
    server.shutdown()
    server.server_close()


def test_keys_are_found_by_discovery_and_private_ones_are_left_out(
    gongctl: Gongctl, tmp_path: Path, issuer: tuple[str, dict[str, tuple[int, Any]]]
) -> None:
    address, pages = issuer
    shared = OctKey.generate_key(256, {"kid": "shared"})
    pages["/keys"] = (200, {"keys": [KEY.as_dict(private=True), shared.as_dict(private=True)]})
    done = gongctl("auth", "jwks-refresh", "--issuer", address, "--to", "keys.json", "--json").json("auth-jwks-refresh")
    assert done["keys"] == ["one"]
    (kept,) = json.loads((tmp_path / "keys.json").read_text())["keys"]
    assert {"kty", "n", "e", "kid"} <= kept.keys()
    assert not {"d", "p", "q", "k"} & kept.keys()


@pytest.mark.parametrize(
    ("path", "answer", "says"),
    [
        ("/keys", (500, {}), "answered 500"),
        ("/keys", (200, b"<html>"), "not JSON"),
        ("/keys", (200, {"keys": []}), "no public key"),
        ("/keys", (302, {}), "answered 302"),
        ("/keys", (200, b"x" * 300_000), "more than"),
        (
            "/.well-known/openid-configuration",
            (200, {"issuer": "https://else.example.com", "jwks_uri": "x"}),
            "another",
        ),
        ("/.well-known/openid-configuration", (200, []), "jwks_uri"),
    ],
)
def test_a_bad_answer_leaves_the_file_as_it_was(
    gongctl: Gongctl, tmp_path: Path, issuer: tuple[str, dict[str, tuple[int, Any]]], path: str, answer: Any, says: str
) -> None:
    address, pages = issuer
    pages["/keys"] = (200, {"keys": [KEY.as_dict(private=False)]})
    pages[path] = answer
    (tmp_path / "keys.json").write_text("before")
    done = gongctl("auth", "jwks-refresh", "--issuer", address, "--to", "keys.json")
    assert done.code == 1
    assert says in done.err
    assert (tmp_path / "keys.json").read_text() == "before"


def test_only_https_is_fetched_from_elsewhere(gongctl: Gongctl) -> None:
    done = gongctl("auth", "jwks-refresh", "--url", "http://id.example.com/keys", "--to", "keys.json")
    assert done.code == 1
    assert "only https" in done.err
