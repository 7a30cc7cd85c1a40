"""The three forms of a vCon: plain, signed (JWS) and encrypted (JWE); opening the first two, refusing the third.

What is beside the payload of a signed vCon is not covered by the signature and is ignored.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from gongctl.ingest.decode import decode
from gongctl.ingest.records import BadRecord
from gongctl.vcon import Vcon
from gongctl.vcon.findings import Finding, VconRefused

Form = Literal["plain", "signed", "encrypted"]

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that are accepted: none that a public key could forge."""

_PLAIN: Final = frozenset({"vcon", "uuid", "parties", "dialog", "analysis", "attachments"})


@dataclass(frozen=True, slots=True)
class Opened:
    """A vCon taken out of its form, with what was found doing so."""

    form: Form
    vcon: Vcon
    findings: tuple[Finding, ...] = ()


def form_of(value: Mapping[str, Any]) -> Form | None:
    """Return the form of *value*, told by its keys; None when it is no vCon."""
    if "ciphertext" in value and ("recipients" in value or "protected" in value):
        return "encrypted"
    if "payload" in value and ("signatures" in value or "signature" in value):
        return "signed"
    if "vcon" in value or ("uuid" in value and not _PLAIN.isdisjoint(value.keys() - {"uuid"})):
        return "plain"
    return None


def open_form(value: Any) -> Opened:
    """Return the vCon in *value*. A signature is not checked here (``verify``).

    Raises:
        VconRefused: it is no vCon, is encrypted, or its payload is none.
    """
    form = form_of(value) if isinstance(value, dict) else None
    if form is None:
        raise VconRefused("VC_NO_VCON", "it is no vCon")
    if form == "encrypted":
        raise VconRefused("VC_ENCRYPTED", "it is encrypted (JWE); decrypt it first, keys are not handled here")
    if form == "plain":
        return Opened("plain", value)
    vcon = _payload(value)
    findings = [Finding("VC_SIGNED", "", "it is signed; the signature was not checked", "warning")]
    if not _PLAIN.isdisjoint(value):
        findings.append(
            Finding(
                "VC_SIGNED_PLAINTEXT", "", "what stands beside the signed payload is not signed: ignored", "warning"
            )
        )
    return Opened("signed", vcon, tuple(findings))


def _payload(value: Mapping[str, Any]) -> Vcon:
    try:
        payload = decode(_base64url(value["payload"]))
    except (BadRecord, ValueError, TypeError, AttributeError) as error:
        raise VconRefused("VC_SIGNED_PAYLOAD", "the payload of the signed form is no JSON") from error
    form = form_of(payload) if isinstance(payload, dict) else None
    if form == "encrypted":
        raise VconRefused("VC_ENCRYPTED", "it is encrypted inside of its signature; decrypt it first")
    if form != "plain":
        raise VconRefused("VC_SIGNED_PAYLOAD", "the payload of the signed form is no vCon")
    vcon: Vcon = payload
    return vcon


def _base64url(text: str) -> bytes:
    return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature of a vCon: whether it is *valid* under the given key, and if not, why."""

    algorithm: str
    valid: bool
    reason: str = ""


def verify(value: Mapping[str, Any], key: Any) -> list[Signature]:
    """Check the signatures of the signed *value* with *key* (of ``load_key``); each is judged by itself.

    A header that names another vCon than the payload makes its signature invalid.

    Raises:
        VconRefused: it is not signed.
    """
    from joserfc import jws
    from joserfc.errors import JoseError

    if form_of(value) != "signed":
        raise VconRefused("VC_NOT_SIGNED", "it is not signed, so there is nothing to verify")
    uuid = str(_payload(value).get("uuid", "")).casefold()
    given = value.get("signatures")
    members = given if isinstance(given, list) else [value]
    registry = jws.JWSRegistry(strict_check_header=False, algorithms=list(ALGORITHMS))
    out = []
    for member in members:
        if not isinstance(member, dict):
            out.append(Signature("", False, "it is no object"))
            continue
        names = ("protected", "header", "signature")
        one: Any = {
            "payload": value["payload"],
            "signatures": [{name: member[name] for name in names if name in member}],
        }
        algorithm, header = _header(member)
        if algorithm not in ALGORITHMS:
            out.append(Signature(algorithm, False, "its algorithm is not accepted"))
            continue
        try:
            jws.deserialize_json(one, key, registry=registry)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            out.append(Signature(algorithm, False, f"it does not match the key ({type(error).__name__})"))
            continue
        named = header.get("uuid")
        if isinstance(named, str) and named.casefold() != uuid:
            out.append(Signature(algorithm, False, "its header names another vCon"))
            continue
        out.append(Signature(algorithm, True))
    return out


def _header(member: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the algorithm, which must be protected, and all of a signature's header."""
    try:
        protected = decode(_base64url(member["protected"]))
    except (BadRecord, ValueError, TypeError, KeyError, AttributeError):
        return "", {}
    if not isinstance(protected, dict):
        return "", {}
    other = member.get("header")
    # What is not printable ASCII is no algorithm's name, and must not reach a terminal.
    algorithm = protected.get("alg")
    name = algorithm if isinstance(algorithm, str) and algorithm.isascii() and algorithm.isprintable() else ""
    return name[:16], {**(other if isinstance(other, dict) else {}), **protected}


def load_key(path: Path) -> Any:
    """Return the public key in *path*: PEM (a key, or a certificate), a JWK or a JWK set.

    Raises:
        VconRefused: it cannot be read, or is none of these.
    """
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet, import_key

    try:
        data = path.read_bytes()
    except OSError as error:
        raise VconRefused("VC_KEY", f"the key cannot be read: {error.strerror}") from error
    try:
        if b"-----BEGIN CERTIFICATE-----" in data:
            data = _of_certificate(data)
        if b"-----BEGIN" in data:
            return import_key(data, "EC") if _is_elliptic(data) else import_key(data, "RSA")
        value = decode(data)
        if isinstance(value, dict) and isinstance(value.get("keys"), list):
            return KeySet.import_key_set({"keys": value["keys"]})
        return import_key(value)
    except (JoseError, ValueError, TypeError, KeyError, BadRecord) as error:
        raise VconRefused("VC_KEY", "the key is no PEM, JWK or JWK set with a public key") from error


def _of_certificate(data: bytes) -> bytes:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    public = x509.load_pem_x509_certificate(data).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _is_elliptic(data: bytes) -> bool:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

    key = load_pem_private_key(data, None) if b"PRIVATE KEY" in data else load_pem_public_key(data)
    return isinstance(key, EllipticCurvePublicKey | EllipticCurvePrivateKey)
