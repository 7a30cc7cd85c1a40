"""Which tokens open the server: in files, minted, signed by an issuer; and what a token can do to a policy."""

from __future__ import annotations

import base64
import hmac
import json
import logging
import os
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws, jwt
from joserfc.jwk import ECKey, RSAKey

from gongctl.tokens.book import Wanted, mint, revoke
from gongmcp.catalog.presets import PRESETS
from gongmcp.catalog.registry import catalog
from gongmcp.exposure.fields import SWITCHES, Provenance
from gongmcp.exposure.policy import EvidenceLimits, Policy
from gongmcp.exposure.tightening import tightened
from gongmcp.governance.scope import narrower_scope
from gongmcp.identity.access_tokens import AccessTokens, TokenRecord, read_book
from gongmcp.identity.client import Kind
from gongmcp.identity.jwks import ALGORITHMS, BadKeySet, public_keys
from gongmcp.identity.narrowing import Narrowing
from gongmcp.identity.resolver import Denied, Resolver
from gongmcp.identity.signed_token import Forbidden, Issuer, SignedTokens
from gongmcp.identity.token_file import TokenFiles, token_of
from gongmcp.identity.watched_file import MAX_BYTES, BadFile, read_private, read_public
from gongmcp.vcon.toolset import vcon_tools

GOOD = b"b2ZmaWNpYWwtdGVzdC10b2tlbi0wMTIzNDU2Nzg5"


def private(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"short",
        b"a" * 64,
        b"ab" * 40,
        GOOD[:31],
        GOOD[:16] + b" " + GOOD[16:],
        GOOD + b"\x00",
        "é".encode() * 40,
    ],
)
def test_a_weak_token_is_none(text: bytes) -> None:
    with pytest.raises(BadFile):
        token_of(text)


def test_blanks_around_a_token_in_a_file_do_not_count(tmp_path: Path) -> None:
    files = TokenFiles(private(tmp_path / "t", b" " + GOOD + b"\r\n"))
    assert files.find(GOOD) is not None
    assert files.find(GOOD + b" ") is None


def test_a_token_and_its_predecessor_are_one_client(tmp_path: Path) -> None:
    other = GOOD[::-1]
    files = TokenFiles(private(tmp_path / "t", GOOD), private(tmp_path / "p", other))
    new, old = files.find(GOOD), files.find(other)
    assert new is not None
    assert old is not None
    assert (new.label, old.label) == ("current", "previous")
    assert new.key == old.key, "a changed token has no second evidence budget"


# Minted tokens


def test_a_minted_token_is_known_until_it_expires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Wanted("team", 3600, "operator-smoke", ["get_call"], ["hide_call_titles"], 5)
    record, token = mint(tmp_path / "pats", wanted)
    source = AccessTokens(tmp_path / "pats")
    client = source.find(token.encode())
    assert client is not None
    assert (client.kind, client.label, client.per_minute) == (Kind.ACCESS_TOKEN, "team", 5)
    assert client.narrowing == Narrowing("operator-smoke", frozenset({"get_call"}), frozenset({"hide_call_titles"}))
    for wrong in (token[:-1] + ("A" if token[-1] != "A" else "B"), token.upper(), token + "x", token[9:], ""):
        assert source.find(wrong.encode()) is None
    monkeypatch.setattr(time, "time", lambda: record.created + 3600.0)
    assert source.find(token.encode()) is None


def test_a_file_that_names_what_does_not_exist_opens_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _, token = mint(tmp_path / "pats", Wanted("team", None, "operator-smoke"))
    source = AccessTokens(tmp_path / "pats")
    assert source.find(token.encode()) is not None
    text = (tmp_path / "pats").read_text().replace("operator-smoke", "operator-smokes")
    private(tmp_path / "pats", text)
    with caplog.at_level(logging.ERROR):
        assert source.find(token.encode()) is None
    assert "preset" in caplog.text
    assert token not in caplog.text
    with pytest.raises(BadFile):
        source.check()


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"tokens": 1}', '{"version": 2, "tokens": []}', '{"tokens": [], "more": 1}']
)
def test_what_is_no_file_of_tokens(text: str) -> None:
    with pytest.raises(BadFile):
        read_book(text.encode())


RECORD = {"id": "a" * 10, "label": "team", "salt": "00" * 16, "digest": "00" * 32, "created": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"id": "A" * 10},
        {"id": "a" * 9},
        {"salt": "zz" * 16},
        {"salt": "00" * 17},
        {"salt": ""},
        {"digest": "é" * 64},
        {"digest": "00"},
        {"label": " "},
        {"label": "\x1b[31m"},
        {"label": "a\u202eb"},
        {"per_minute": 0},
        {"per_minute": -5},
    ],
)
def test_a_record_that_nobody_minted_is_found_when_the_file_is_read(change: dict[str, Any]) -> None:
    read_book(json.dumps({"version": 1, "tokens": [RECORD]}).encode())
    with pytest.raises(BadFile, match="its token 2 cannot be used") as bad:
        read_book(json.dumps({"version": 1, "tokens": [RECORD, {**RECORD, "id": "b" * 10, **change}]}).encode())
    assert str(bad.value).isprintable()


def test_two_records_of_one_id_are_none_for_one_may_be_revoked() -> None:
    with pytest.raises(BadFile, match="the id of another"):
        read_book(json.dumps({"version": 1, "tokens": [{**RECORD, "revoked": 1}, RECORD]}).encode())


def test_a_label_takes_back_the_token_that_still_opens_the_server(tmp_path: Path) -> None:
    mint(tmp_path / "pats", Wanted("team", 3600), clock=lambda: NOW - 7200.0)
    _, token = mint(tmp_path / "pats", Wanted("team", None))
    source = AccessTokens(tmp_path / "pats")
    assert source.find(token.encode()) is not None
    revoke(tmp_path / "pats", "team")
    assert source.find(token.encode()) is None


def test_a_record_tells_how_it_stands() -> None:
    fields = {"id": "a" * 10, "label": "x", "salt": "", "digest": "", "created": 0}
    assert TokenRecord(**fields, expires=10).standing(9.9) == "valid"
    assert TokenRecord(**fields, expires=10).standing(10) == "expired"
    assert TokenRecord(**fields, revoked=1).standing(0) == "revoked"


# Signed tokens

RSA = RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"})
OTHER = RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"})
EC = ECKey.generate_key("P-256", {"kid": "ec", "use": "sig"})
ISSUER = Issuer("https://id.example.com", "https://mcp.example.com/mcp", ("RS256",))
NOW = int(time.time())
CLAIMS: dict[str, Any] = {"iss": ISSUER.issuer, "aud": ISSUER.audience, "exp": NOW + 600, "sub": "dana@example.com"}


def keys(folder: Path, *more: Any) -> Path:
    path = folder / "keys.json"
    path.write_text(json.dumps({"keys": [key.as_dict(private=False) for key in (RSA, EC, *more)]}))
    return path


def signed(claims: dict[str, Any] | None = None, *, key: Any = RSA, alg: str = "RS256", **header: Any) -> bytes:
    return jwt.encode({"alg": alg, "kid": key.kid, **header}, {**CLAIMS, **(claims or {})}, key, [alg]).encode()


def test_a_genuine_token_is_known_by_a_digest_of_its_subject(tmp_path: Path) -> None:
    source = SignedTokens(ISSUER, keys(tmp_path))
    source.check()
    client = source.find(signed())
    assert client is not None
    assert client.kind is Kind.SIGNED_TOKEN
    assert "dana" not in repr(client)
    assert source.find(signed({"aud": ["other", ISSUER.audience]})) == client
    other = source.find(signed({"sub": "lee@example.com"}))
    assert other is not None
    assert other.key != client.key


def unsigned() -> bytes:
    def part(value: Any) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    return part({"alg": "none", "typ": "JWT"}) + b"." + part(CLAIMS) + b"."


def by_the_public_key() -> bytes:
    """A token signed with the public key as if it were a shared secret."""
    head, body, _ = jwt.encode({"alg": "RS256", "kid": "rsa"}, CLAIMS, RSA, ["RS256"]).split(".")
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"rsa"}').rstrip(b"=").decode()
    mark = hmac.digest(RSA.as_pem(private=False), f"{head}.{body}".encode(), "sha256")
    return f"{head}.{body}.".encode() + base64.urlsafe_b64encode(mark).rstrip(b"=")


NOT_GENUINE = {
    "expired": lambda: signed({"exp": NOW - 60}),
    "without an end": lambda: jwt.encode(
        {"alg": "RS256", "kid": "rsa"}, {k: v for k, v in CLAIMS.items() if k != "exp"}, RSA, ["RS256"]
    ).encode(),
    "not yet": lambda: signed({"nbf": NOW + 600}),
    "another issuer": lambda: signed({"iss": "https://id.example.com.evil.test"}),
    "another audience": lambda: signed({"aud": "https://other.example.com"}),
    "no subject": lambda: signed({"sub": None}),
    "another key of that name": lambda: signed(key=OTHER),
    "a key of another name": lambda: signed(kid="nobody"),
    "another algorithm": lambda: signed(key=EC, alg="ES256"),
    "no signature": unsigned,
    "the public key as a secret": by_the_public_key,
    "changed": lambda: signed()[:-8] + b"AAAAAAAA",
    "not a token": lambda: b"a.b.c",
    "not even that": lambda: b"..",
    "binary": lambda: b"\xff.\xfe.\xfd",
}


@pytest.mark.parametrize("name", NOT_GENUINE)
def test_a_token_that_is_not_genuine_opens_nothing(name: str, tmp_path: Path) -> None:
    assert SignedTokens(ISSUER, keys(tmp_path)).find(NOT_GENUINE[name]()) is None


def raw(payload: bytes) -> bytes:
    """A token that is signed well and says what no claims are."""
    return jws.serialize_compact({"alg": "RS256", "kid": "rsa"}, payload, RSA).encode()


@pytest.mark.parametrize(
    "payload",
    [b"[" * 3000, b"[]", b"null", b"1", b"\xff", b"", json.dumps(CLAIMS).encode()[:-1]],
    ids=["deep", "list", "null", "number", "no text", "nothing", "cut"],
)
def test_a_signature_over_no_claims_opens_nothing(payload: bytes, tmp_path: Path) -> None:
    assert SignedTokens(ISSUER, keys(tmp_path)).find(raw(payload)) is None


@pytest.mark.parametrize(
    "exp",
    [float("nan"), float("inf"), True, str(NOW + 600), [NOW + 600], {}, None],
    ids=["nan", "inf", "true", "text", "list", "object", "null"],
)
def test_an_end_that_is_no_time_opens_nothing(exp: Any, tmp_path: Path) -> None:
    assert SignedTokens(ISSUER, keys(tmp_path)).find(raw(json.dumps({**CLAIMS, "exp": exp}).encode())) is None


def test_a_subject_of_any_signs_is_a_client(tmp_path: Path) -> None:
    found = SignedTokens(ISSUER, keys(tmp_path)).find(raw(json.dumps({**CLAIMS, "sub": "\ud800\x1b"}).encode()))
    assert found is not None
    assert found.label.isascii()
    assert found.label.isprintable()


@pytest.mark.parametrize(
    "claim",
    [
        *("gongmcp_preset", "gongmcp_tools", "gongmcp_switches", "gongmcp_scope"),
        *("gongmcp_vcon_profile", "gongmcp_vcon_categories"),
    ],
)
@pytest.mark.parametrize("value", [{"hide_call_titles": True}, True, 1, None, ["no_such_thing"], "no_such_thing"])
def test_a_narrowing_that_is_not_understood_opens_nothing(claim: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(Forbidden):
        SignedTokens(ISSUER, keys(tmp_path)).find(signed({claim: value}))


@pytest.mark.parametrize("kind", [[], {}, None, 1, ["RSA"]])
def test_a_key_of_no_kind_is_passed_over(kind: Any) -> None:
    good = RSA.as_dict(private=False)
    assert len(public_keys(json.dumps({"keys": [{"kty": kind}, good]}).encode())) == 1
    with pytest.raises(BadKeySet):
        public_keys(json.dumps({"keys": [{"kty": kind}]}).encode())


def test_every_algorithm_that_can_be_chosen_works_and_opens_only_when_chosen(tmp_path: Path) -> None:
    from joserfc.jwk import OKPKey

    made = {
        "RS256": RSA,
        "PS256": RSA,
        "ES256": EC,
        "ES384": ECKey.generate_key("P-384", {"kid": "p384", "use": "sig"}),
        "Ed25519": OKPKey.generate_key("Ed25519", {"kid": "ed", "use": "sig"}),
    }
    assert made.keys() == set(ALGORITHMS)
    path = keys(tmp_path, made["ES384"], made["Ed25519"])
    for name, key in made.items():
        for chosen in ALGORITHMS:
            source = SignedTokens(Issuer(ISSUER.issuer, ISSUER.audience, (chosen,)), path)
            assert (source.find(signed(key=key, alg=name)) is not None) == (chosen == name), (name, chosen)


def test_a_scope_and_a_narrowing_that_do_not_fit_are_forbidden_not_wrong(tmp_path: Path) -> None:
    source = SignedTokens(Issuer(ISSUER.issuer, ISSUER.audience, ("RS256",), "gong.read"), keys(tmp_path))
    assert source.find(signed({"scope": "other gong.read"})) is not None
    assert source.find(signed({"scp": ["gong.read"]})) is not None
    for claims in (
        {},
        {"scope": "gong.reader"},
        {"scope": "gong.read", "gongmcp_preset": "nobody"},
        {"scope": "gong.read", "gongmcp_tools": []},
    ):
        with pytest.raises(Forbidden):
            source.find(signed(claims))
    narrowed = source.find(
        signed({"scope": "gong.read", "gongmcp_preset": "operator-smoke", "gongmcp_switches": "hide_call_titles"})
    )
    assert narrowed is not None
    assert narrowed.narrowing == Narrowing("operator-smoke", None, frozenset({"hide_call_titles"}))


def test_a_claim_and_a_record_narrow_the_calls_alike_or_open_nothing(tmp_path: Path) -> None:
    table: dict[str, Any] = {"from_date": "2026-01-01", "languages": ["eng"], "private_calls": "deny"}
    source = SignedTokens(ISSUER, keys(tmp_path))
    signed_by = source.find(signed({"gongmcp_scope": table}))
    _, token = mint(tmp_path / "pats", Wanted("team", None, scope=table))
    minted = AccessTokens(tmp_path / "pats").find(token.encode())
    assert signed_by is not None
    assert minted is not None
    assert signed_by.narrowing == minted.narrowing == Narrowing(scope=narrower_scope(table))
    text = (tmp_path / "pats").read_text()
    for wrong in ('"private_calls": "allow"', '"private_calls": "deny", "others": "all"', '"private_calls": ["deny"]'):
        changed = private(tmp_path / "changed", text.replace('"private_calls": "deny"', wrong))
        assert changed.read_text() != text
        assert AccessTokens(changed).find(token.encode()) is None, wrong
    for claim in (table | {"private_calls": "allow"}, table | {"languages": []}, [table], ""):
        with pytest.raises(Forbidden):
            source.find(signed({"gongmcp_scope": claim}))


def test_new_keys_are_picked_up_and_lost_ones_open_nothing(tmp_path: Path) -> None:
    source = SignedTokens(ISSUER, keys(tmp_path))
    fresh = RSAKey.generate_key(2048, {"kid": "fresh", "use": "sig"})
    token = signed(key=fresh)
    assert source.find(token) is None
    keys(tmp_path, fresh)
    assert source.find(token) is not None
    (tmp_path / "keys.json").write_text("{}")
    assert source.find(token) is None


# The resolver


def test_each_source_is_asked_and_nothing_but_the_header_counts(tmp_path: Path) -> None:
    record, minted = mint(tmp_path / "pats", Wanted("team", None))
    resolver = Resolver(
        [
            TokenFiles(private(tmp_path / "t", GOOD)),
            AccessTokens(tmp_path / "pats"),
            SignedTokens(ISSUER, keys(tmp_path)),
        ]
    )
    resolver.check()
    found = [resolver.resolve([b"Bearer " + token]) for token in (GOOD, minted.encode(), signed())]
    assert [client.kind for client in found] == [Kind.TOKEN_FILE, Kind.ACCESS_TOKEN, Kind.SIGNED_TOKEN]
    assert len({client.key for client in found}) == 3
    for values, reason in (
        ([], "no_token"),
        ([b""], "bad_token"),
        ([b"Bearer"], "bad_token"),
        ([b"Bearer " + GOOD, b"Bearer " + GOOD], "bad_token"),
        ([b"Bearer " + GOOD + b" x"], "bad_token"),
        ([b"Bearer\xff"], "bad_token"),
    ):
        with pytest.raises(Denied) as denied:
            resolver.resolve(values)
        assert denied.value.reason == reason
    assert record.label == "team"


# What a token does to a policy

TOOLS = sorted(catalog())
names = st.none() | st.frozensets(st.sampled_from(TOOLS), min_size=1, max_size=6)
switches = st.frozensets(st.sampled_from(sorted(SWITCHES)), max_size=3)
presets = st.none() | st.sampled_from([preset.name for preset in PRESETS if preset.tools()])
policies = st.builds(
    Policy,
    provenance=st.sampled_from(Provenance),
    switches=switches,
    tools=names,
    max_response_bytes=st.integers(16384, 65536),
    min_cell=st.integers(1, 9),
    evidence=st.builds(EvidenceLimits, st.integers(1, 99), st.integers(1, 99), st.integers(1, 99)),
)


def is_no_wider(policy: Policy, than: Policy) -> bool:
    tools, most = (frozenset(TOOLS) if p.tools is None else p.tools for p in (policy, than))
    order = (Provenance.REDACTED, Provenance.ALIAS, Provenance.RAW)
    return (
        tools <= most
        and policy.switches >= than.switches
        and order.index(policy.provenance) <= order.index(than.provenance)
        and policy.max_response_bytes <= than.max_response_bytes
        and (policy.min_cell == than.min_cell or than.min_cell == 1)
        and policy.evidence.per_answer <= than.evidence.per_answer
        and policy.evidence.segments <= than.evidence.segments
        and policy.evidence.percent <= than.evidence.percent
    )


@given(policies, presets, names, switches)
def test_a_narrowing_never_widens(
    policy: Policy, preset: str | None, allowlist: frozenset[str] | None, more: frozenset[str]
) -> None:
    narrowed = Narrowing(preset, allowlist, more).of(policy)
    assert is_no_wider(narrowed, policy)
    assert more <= narrowed.switches
    if allowlist is not None:
        assert narrowed.tools is not None
        assert narrowed.tools <= allowlist


@given(policies, st.sampled_from([None, "full", "public"]), st.sets(st.sampled_from(["read", "write"])))
def test_a_narrowing_to_vcon_tools_leaves_no_other(policy: Policy, profile: str | None, categories: set[str]) -> None:
    narrowed = Narrowing(profile=profile, categories=frozenset(categories)).of(policy)
    assert is_no_wider(narrowed, policy)
    assert narrowed.tools is not None
    assert narrowed.tools <= vcon_tools()


@given(policies, policies)
def test_a_reload_never_widens_and_says_what_waits(old: Policy, new: Policy) -> None:
    change = tightened(old, new)
    assert is_no_wider(change.policy, old)
    assert tightened(old, old).waiting == ()
    assert tightened(old, old).policy.digest() == old.digest()
    if not change.waiting:
        assert change.policy.digest() == new.digest()


def test_the_control_finds_a_policy_that_is_wider() -> None:
    base = Policy(switches=frozenset({"hide_call_titles"}), tools=frozenset(TOOLS[:2]))
    for wider in (
        Policy(tools=base.tools),
        Policy(switches=base.switches),
        Policy(Provenance.ALIAS, base.switches, tools=base.tools),
    ):
        assert not is_no_wider(wider, base)
    assert not any(Narrowing(preset, tools) for preset, tools in product((None,), (None,)))


@pytest.mark.parametrize("read", [read_private, read_public])
def test_a_pipe_or_folder_in_place_of_a_file_is_refused_at_once(read: Callable[[Path], bytes], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "long").touch(0o600)
    os.truncate(tmp_path / "long", MAX_BYTES + 1)
    for name in ("pipe", ".", "none", "long"):
        with pytest.raises(BadFile):
            read(tmp_path / name)
