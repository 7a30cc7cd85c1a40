"""Arguments kept for replay: sealed, bound to their line, and opened by one key alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gongmcp.audit.sealing import MAX_ARGUMENTS, ArgumentSeal, OtherKey, new_key, read_key_file
from gongmcp.errors import StartupRefusal

SEAL = ArgumentSeal(b"k" * 32)


def test_what_is_sealed_opens_again_and_never_looks_the_same_twice() -> None:
    sealed = [SEAL.seal(b'{"query":"CANARY"}', "search_calls", "00") for _ in range(2)]
    assert [SEAL.open(text, "search_calls", "00") for text in sealed] == [b'{"query":"CANARY"}'] * 2
    assert sealed[0] != sealed[1]
    assert "CANARY" not in sealed[0]


def test_another_key_another_line_and_a_changed_text_are_refused() -> None:
    sealed = SEAL.seal(b"{}", "search_calls", "00")
    name, _, text = sealed.partition(".")
    flipped = text[:-5] + ("A" if text[-5] != "A" else "B") + text[-4:]
    for seal, given, tool, digest in (
        (ArgumentSeal(b"x" * 32), sealed, "search_calls", "00"),
        (SEAL, sealed, "get_call", "00"),
        (SEAL, sealed, "search_calls", "01"),
        (SEAL, f"{name}.{flipped}", "search_calls", "00"),
        (SEAL, f"{name}.", "search_calls", "00"),
        (SEAL, f"{name}.é", "search_calls", "00"),
        (SEAL, "", "search_calls", "00"),
    ):
        with pytest.raises(OtherKey):
            seal.open(given, tool, digest)


def test_arguments_that_no_tool_would_take_are_not_kept() -> None:
    assert SEAL.seal(b"x" * (MAX_ARGUMENTS + 1), "search_calls", "00") == ""


def test_a_key_file_is_read_when_nobody_else_can(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_text(new_key() + "\n")
    seal = read_key_file(path)
    assert read_key_file(path).open(seal.seal(b"{}", "t", "d"), "t", "d") == b"{}"
    path.chmod(0o640)
    with pytest.raises(StartupRefusal, match=r"others have access to it \(mode 0640\)"):
        read_key_file(path)


@pytest.mark.parametrize(
    "text",
    ["", "c2hvcnQ=", "not base64 at all!", 2 * f"{'A' * 43}=", "é" * 44],
    ids=["empty", "short", "other", "two", "wide"],
)
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(StartupRefusal) as caught:
        read_key_file(path)
    assert caught.value.name == "audit_key"
    assert text.strip()[:10] not in caught.value.message or not text


def test_every_key_is_another() -> None:
    assert len({new_key() for _ in range(50)}) == 50
