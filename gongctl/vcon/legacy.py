"""Names of older drafts: understood when a vCon is read, never written.

Until 0.0.1 ``mimetype`` and ``alg`` with ``signature``; until 0.0.2 ``transfer-target``; until 0.3.0 ``appended``,
``must_support`` and a text as ``session_id``.
"""

from __future__ import annotations

import copy
from typing import Any, Final

from gongctl.vcon import Vcon
from gongctl.vcon.findings import Finding, pointer

_PARTS: Final = ("parties", "dialog", "analysis", "attachments")
_TOP: Final = {"appended": "amended", "must_support": "critical"}
_PART: Final = {"mimetype": "mediatype", "transfer-target": "transfer_target"}
_HASHES: Final = {"SHA-512": "sha512", "SHA-384": "sha384", "SHA-256": "sha256", "LMOTS_SHA256_N32_W8": ""}


def modernised(vcon: Vcon) -> tuple[Vcon, list[Finding]]:
    """Return *vcon* under today's names, and a finding for each that was renamed; *vcon* itself is left as it is.

    A name of today that is there as well wins, and the old one stays where it was.
    """
    found: list[Finding] = []
    if not _has_old_names(vcon):
        return vcon, found
    new = copy.deepcopy(vcon)
    for old, name in _TOP.items():
        _rename(new, old, name, (), found)
    for part in _PARTS:
        elements = new.get(part)
        for index, element in enumerate(elements if isinstance(elements, list) else ()):
            if not isinstance(element, dict):
                continue
            for old, name in _PART.items():
                _rename(element, old, name, (part, index), found)
            _hash(element, (part, index), found)
            if part == "dialog" and isinstance(element.get("session_id"), str):
                element["session_id"] = {"local": element["session_id"], "remote": element["session_id"]}
                found.append(_finding((part, index, "session_id"), "a text is read as an object"))
    return new, found


def _has_old_names(vcon: Vcon) -> bool:
    if not _TOP.keys().isdisjoint(vcon):
        return True
    for part in _PARTS:
        elements = vcon.get(part)
        for element in elements if isinstance(elements, list) else ():
            if isinstance(element, dict) and (
                not _PART.keys().isdisjoint(element)
                or "alg" in element
                or (part == "dialog" and isinstance(element.get("session_id"), str))
            ):
                return True
    return False


def _rename(holder: dict[str, Any], old: str, name: str, place: tuple[Any, ...], found: list[Finding]) -> None:
    if old not in holder or name in holder:
        return
    items = [(name if key == old else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(items)
    found.append(_finding((*place, old), f'the name of an older draft is read as "{name}"'))


def _hash(element: dict[str, Any], place: tuple[Any, ...], found: list[Finding]) -> None:
    algorithm, signature = element.get("alg"), element.get("signature")
    token = _HASHES.get(algorithm, "") if isinstance(algorithm, str) else ""
    if token and isinstance(signature, str) and "content_hash" not in element:
        del element["alg"], element["signature"]
        element["content_hash"] = f"{token}-{signature.rstrip('=')}"
        found.append(_finding((*place, "alg"), 'alg and signature are read as "content_hash"'))


def _finding(place: tuple[Any, ...], message: str) -> Finding:
    return Finding("VC_LEGACY_FIELD", pointer(*place), message, "warning")
