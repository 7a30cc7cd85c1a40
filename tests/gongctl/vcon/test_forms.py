"""Signed and encrypted forms: recognised, verified with a key, refused."""

from __future__ import annotations

import base64
import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import ECKey, KeySet, RSAKey

from gongctl.vcon.findings import VconRefused
from gongctl.vcon.forms import form_of, load_key, open_form, verify
from gongctl.vcon.service import VconService
from gongctl.vcon.store import VconStore
from tests.gongctl.vcon.conversations import OTHER, UUID, plain


@pytest.fixture(scope="module")
def key() -> RSAKey:
    return RSAKey.generate_key(2048)


def signed(vcon: dict[str, Any], key: Any, algorithm: str = "RS256", uuid: str = UUID) -> dict[str, Any]:
    registry = jws.JWSRegistry(strict_check_header=False, algorithms=[algorithm])
    member = {"protected": {"alg": algorithm}, "header": {"uuid": uuid}}
    found = jws.serialize_json([member], json.dumps(vcon).encode(), key, registry=registry)
    return json.loads(json.dumps(found))


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def public(key: RSAKey | ECKey, path: Path) -> Any:
    path.write_bytes(key.as_pem(private=False))
    return load_key(path)


def test_forms_are_told_by_their_keys(key: RSAKey) -> None:
    assert form_of(plain()) == "plain"
    assert form_of({"uuid": UUID, "parties": []}) == "plain"
    assert form_of(signed(plain(), key)) == "signed"
    assert form_of({"ciphertext": "x", "recipients": []}) == "encrypted"
    assert form_of({"hello": 1}) is None


def test_a_good_signature_is_valid_and_a_forged_one_is_not(key: RSAKey, tmp_path: Path) -> None:
    value = signed(plain(), key)
    mine = public(key, tmp_path / "key.pem")
    assert [s.valid for s in verify(value, mine)] == [True]
    assert open_form(value).vcon == plain()
    forged = plain(subject="another")
    assert [s.valid for s in verify(value | {"payload": encoded(json.dumps(forged).encode())}, mine)] == [False]
    other = public(RSAKey.generate_key(2048), tmp_path / "other.pem")
    assert [s.valid for s in verify(value, other)] == [False]


def test_keys_come_as_pem_jwk_or_set(key: RSAKey, tmp_path: Path) -> None:
    value = signed(plain(), key)
    (tmp_path / "jwk").write_text(json.dumps(key.as_dict(private=False)))
    (tmp_path / "set").write_text(json.dumps(KeySet([key]).as_dict(private=False)))
    assert verify(value, load_key(tmp_path / "jwk"))[0].valid
    assert verify(value, load_key(tmp_path / "set"))[0].valid
    elliptic = ECKey.generate_key("P-256")
    assert verify(signed(plain(), elliptic, "ES256"), public(elliptic, tmp_path / "ec.pem"))[0].valid
    (tmp_path / "bad").write_text("no key")
    for name in ("bad", "missing"):
        with pytest.raises(VconRefused, match="key"):
            load_key(tmp_path / name)


def test_a_signature_that_a_public_key_could_forge_is_not_accepted(key: RSAKey, tmp_path: Path) -> None:
    head, body = (encoded(json.dumps(part).encode()) for part in ({"alg": "HS256"}, plain()))
    seal = hmac.digest(key.as_pem(private=False), f"{head}.{body}".encode(), "sha256")
    value = {"payload": body, "signatures": [{"protected": head, "signature": encoded(seal)}]}
    found = verify(value, public(key, tmp_path / "key.pem"))
    assert [(s.algorithm, s.valid) for s in found] == [("HS256", False)]
    value["signatures"][0]["protected"] = encoded(b'{"alg":"none"}')
    assert not verify(value, public(key, tmp_path / "key.pem"))[0].valid


def test_the_header_names_the_vcon_that_is_signed(key: RSAKey, tmp_path: Path) -> None:
    found = verify(signed(plain(), key, uuid=OTHER), public(key, tmp_path / "key.pem"))
    assert [(s.valid, s.reason) for s in found] == [(False, "its header names another vCon")]


def test_what_stands_beside_the_payload_is_ignored_and_said(key: RSAKey) -> None:
    value = signed(plain(), key) | {"parties": [{"name": "Mallory"}], "uuid": OTHER}
    opened = open_form(value)
    assert opened.vcon == plain()
    assert "VC_SIGNED_PLAINTEXT" in {f.code for f in opened.findings}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"ciphertext": "x", "recipients": []}, "VC_ENCRYPTED"),
        ({"payload": "!", "signatures": []}, "VC_SIGNED_PAYLOAD"),
        ({"payload": "e30", "signatures": []}, "VC_SIGNED_PAYLOAD"),
        ({"payload": 7, "signatures": []}, "VC_SIGNED_PAYLOAD"),
        ({"hello": 1}, "VC_NO_VCON"),
        ([], "VC_NO_VCON"),
    ],
)
def test_what_cannot_be_opened_is_refused(value: Any, code: str) -> None:
    with pytest.raises(VconRefused) as refused:
        open_form(value)
    assert refused.value.code == code


def test_plain_ones_have_no_signature(key: RSAKey, tmp_path: Path) -> None:
    with pytest.raises(VconRefused, match="not signed"):
        verify(plain(), public(key, tmp_path / "key.pem"))


def test_a_signed_one_is_kept_and_read_but_not_changed(key: RSAKey, store: VconStore, service: VconService) -> None:
    value = signed(plain(), key)
    with store.transaction() as generation:
        store.put(value, generation)
    assert store.get(UUID) == value
    assert store.connection.execute("SELECT subject, form FROM vcons").fetchone() == ("Late delivery", "signed")
    with pytest.raises(VconRefused) as refused:
        service.update(UUID, {"subject": "x"})
    assert refused.value.code == "VC_SIGNED"
    assert service.delete(UUID, confirm=True).applied
