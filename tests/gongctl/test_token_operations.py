"""What the TUI's screen of tokens does is what ``gongctl token`` does, in the same file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongctl.cli.token_operations import TokenFile, token_file
from gongctl.tokens.book import tokens
from gongmcp.errors import StartupRefusal
from gongmcp.identity.access_tokens import AccessTokens
from gongmcp.settings import ServerSettings
from tui.tokens import TokenWish

SCOPE = {"from_date": "2026-01-01", "languages": "eng, deu", "scopes": "External"}


def test_a_token_is_minted_listed_and_taken_back(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    assert file.kept() == []
    kept, token = file.mint(TokenWish("reports", "12h", "Operator-Smoke", "7", SCOPE))
    assert (tmp_path / "tokens.json").stat().st_mode & 0o777 == 0o600
    (record,) = tokens(tmp_path / "tokens.json")
    assert record.scope == {"from_date": "2026-01-01", "languages": ["eng", "deu"], "scopes": ["External"]}
    assert (record.preset, record.per_minute) == ("operator-smoke", 7)
    assert record.expires == record.created + 12 * 3600
    assert kept.narrowed == "operator-smoke; calls with from_date 2026-01-01, languages eng or deu, scopes External"
    assert file.kept() == [kept]
    source = AccessTokens(tmp_path / "tokens.json")
    assert source.find(token.encode()) is not None
    assert file.revoke(kept.id).standing == "revoked"
    assert source.find(token.encode()) is None
    forever, _ = file.mint(TokenWish("ever", "never"))
    assert (forever.until, forever.narrowed, forever.rate) == ("for ever", "nothing", "")


@pytest.mark.parametrize(
    "wish",
    [
        TokenWish("", "90d"),
        TokenWish("a b", "90d"),
        TokenWish("a", ""),
        TokenWish("a", "soon"),
        TokenWish("a", "90d", "no-such-preset"),
        TokenWish("a", "90d", "", "many"),
        TokenWish("a", "90d", "", "0"),
        TokenWish("a", "90d", "", "", {"from_date": "yesterday"}),
        TokenWish("a", "90d", "", "", {"scopes": "Everything"}),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(wish: TokenWish, tmp_path: Path) -> None:
    with pytest.raises(StartupRefusal):
        TokenFile(tmp_path / "tokens.json").mint(wish)
    assert not (tmp_path / "tokens.json").exists()


def test_the_file_that_is_named_comes_before_the_one_that_is_served(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    flags = {"http": "127.0.0.1:0", "access_tokens": str(path), "tool_preset": "operator-smoke"}
    TokenFile(path).mint(TokenWish("a", "90d"))
    served = ServerSettings.resolve(flags, {})
    named = token_file(tmp_path / "other.json", served)
    found = token_file(None, served)
    assert named is not None
    assert found is not None
    assert (named.file, found.file) == (str(tmp_path / "other.json"), str(path))
    assert token_file(None, ServerSettings.resolve({}, {})) is None
