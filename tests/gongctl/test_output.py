"""What reaches a terminal or a pipe: literal text, JSON that survives anything, quiet endings."""

from __future__ import annotations

import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import unicodedata
from fcntl import ioctl
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gongctl.cli import output
from gongmcp.errors import Exit, StartupRefusal, ToolFault

HOSTILE = (
    "\x1b]0;title\x07 \x9b31m [bold]x[/] [@click=app.bell]y[/] \u202eabc\u202c \u200b\u2066 \ufeff \U000e0041 :smile:"
)


def run_on_terminal(code: str, *, columns: int, env: dict[str, str] | None = None) -> str:
    """Run Python *code* with its stdout on a pseudo-terminal of that width; return what it wrote there."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    base = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES", "NO_COLOR"}}
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=slave, stderr=subprocess.PIPE, env={**base, "TERM": "xterm", **(env or {})}
    )
    os.close(slave)
    chunks = []
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # Linux says EIO when the last writer is gone
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(master)
    assert child.stderr is not None
    errors = child.stderr.read().decode()
    child.stderr.close()
    assert child.wait() == 0, errors
    return b"".join(chunks).decode().replace("\r\n", "\n")


def test_literal_draws_escape_bidi_and_tags() -> None:
    assert output.literal("a\x1b[0mb") == "a␛[0mb"
    assert output.literal("\u202e") == "‹U+202E›"
    assert output.literal("\U000e0041") == "‹U+E0041›"
    assert output.literal("\x7f\x85\ud800") == "␡‹U+0085›‹U+D800›"


def test_literal_keeps_a_line_break_only_when_allowed() -> None:
    assert output.literal("a\nb\tc") == "a␊b␉c"
    assert output.literal("a\nb\tc", allowed="\n") == "a\nb␉c"


def test_literal_leaves_speech_alone() -> None:
    text = "Größe 価格 naïve — “quoted” {redacted:email} [inaudible] 👍🏽 ❤\ufe0f"
    assert output.literal(text) == text


@given(st.text(alphabet=st.characters(), max_size=200))
def test_literal_leaves_nothing_that_a_terminal_acts_on(text: str) -> None:
    drawn = output.literal(text)
    assert not [c for c in drawn if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}]
    assert drawn == output.literal(drawn)


@pytest.mark.parametrize("category", ["Cc", "Cf", "Cs", "Zl", "Zp"])
def test_every_control_and_format_character_is_drawn(category: str) -> None:
    # Prepended concatenation marks are visible letters' companions in Arabic, Syriac and Kaithi.
    visible = set(map(chr, [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD]))
    hieroglyph_joiners = set(map(chr, range(0x13430, 0x13440)))
    missed = [
        f"U+{code:04X}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) == category
        and output.literal(chr(code)) == chr(code)
        and chr(code) not in visible | hieroglyph_joiners
    ]
    assert missed == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_json_parses_back_to_the_same_object(obj: object) -> None:
    assert json.loads(output.json_text(obj)) == obj
    compact = output.json_text(obj, compact=True)
    assert json.loads(compact) == obj
    assert "\n" not in compact


def test_json_is_readable_and_escapes_what_a_terminal_would_act_on() -> None:
    text = output.json_text({"größe": HOSTILE, "lone": "\ud800"})
    assert "größe" in text
    assert output.literal(text, allowed="\n") == text
    assert json.loads(text) == {"größe": HOSTILE, "lone": "\ud800"}
    text.encode("utf-8")


def test_json_refuses_nan() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        output.json_text({"x": float("nan")})


def test_emit_json_is_utf8_under_an_ascii_locale() -> None:
    code = "from gongctl.cli.output import emit_json; emit_json({'title': 'Größe 価格'})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert done.stdout == '{\n  "title": "Größe 価格"\n}\n'.encode()
    assert done.stderr == b""


def test_emit_json_writes_in_order_with_text(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    stream = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8")
    saved, sys.stdout = sys.stdout, stream
    try:
        sys.stdout.write("first\n")
        output.emit_json([1], compact=True)
        sys.stdout.write("last\n")
        sys.stdout.flush()
    finally:
        sys.stdout = saved
        stream.close()
    assert capfdbinary.readouterr().out == b"first\n[1]\nlast\n"


def test_piped_table_is_whole_and_one_line_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 100
    output.table(["name", "what"], [["a", long.strip()], ["bbbb", "two\nlines"], ["価格", HOSTILE]])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "name  what"
    assert lines[1] == f"a     {long.strip()}"
    assert lines[2] == "bbbb  two␊lines"
    assert lines[3] == f"価格  {output.literal(HOSTILE)}"
    assert len(lines) == 4


def test_table_on_a_terminal_wraps_to_its_width_and_loses_nothing() -> None:
    words = [f"word{n}" for n in range(60)]
    code = (
        f"from gongctl.cli.output import table; table(['name', 'what'], [['a', {' '.join(words)!r}], ['b', 'x' * 200]])"
    )
    for columns in (40, 80, 200):
        shown = run_on_terminal(code, columns=columns, env={"NO_COLOR": "1"})
        assert max(map(len, shown.splitlines())) <= columns
        assert [w for w in shown.split() if w.startswith("word")] == words
        assert shown.count("x") == 200
        assert "\x1b" not in shown


def test_identifiers_stay_whole_while_there_is_room_for_them() -> None:
    rows = [["search_transcript_segments", "Words in a sentence that wraps. " * 5], ["b", "short"]]
    shown = run_on_terminal(f"from gongctl.cli.output import table; table(['tool', 'what'], {rows!r})", columns=50)
    assert shown.count("search_transcript_segments") == 1
    beside = [["call_0123456789abcdef", "8523802291264472972", "opportunity_" * 9, "Supercalifragilistic" * 3]]
    shown = run_on_terminal(
        f"from gongctl.cli.output import table; table(['a', 'b', 'c', 'd'], {beside!r})", columns=80
    )
    assert "call_0123456789abcdef  8523802291264472972  " in shown, "other columns are folded"
    presets = [["business-workbench", "postgres-analyst-business-core", "1"]]
    shown = run_on_terminal(
        f"from gongctl.cli.output import table; table(['preset', 'also called', 'tools'], {presets!r})", columns=60
    )
    assert "business-workbench  postgres-analyst-business-core" in shown
    narrow = run_on_terminal(f"from gongctl.cli.output import table; table(['tool', 'what'], {rows!r})", columns=20)
    assert max(map(len, output.literal(narrow, allowed="\n").splitlines())) <= 20 + len("␛[1m␛[0m")


def test_without_room_for_ids_and_headers_each_row_lists_its_cells() -> None:
    rows = [["search_transcript_quotes_with_attribution", "7", "long " * 9], ["get_call", "", "b"]]
    code = f"from gongctl.cli.output import table; table(['asked for', 'requests', 'withheld'], {rows!r})"
    assert "asked for" in run_on_terminal(code, columns=70).splitlines()[0], "there is room for a table"
    assert run_on_terminal(code, columns=54).splitlines() == [
        "asked for  search_transcript_quotes_with_attribution",
        "requests   7",
        "withheld   long long long long long long long long",
        "           long",
        "",
        "asked for  get_call",
        "withheld   b",
    ]
    empty = "from gongctl.cli.output import table; table(['asked for', 'requests'], [])"
    assert run_on_terminal(empty, columns=9, env={"NO_COLOR": "1"}).startswith("ask")


def test_a_paragraph_breaks_between_words_on_a_terminal_and_never_in_a_pipe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "word " * 40
    output.paragraph(text.strip())
    assert capsys.readouterr().out == text.strip() + "\n"
    shown = run_on_terminal(f"from gongctl.cli.output import paragraph; paragraph({text.strip()!r})", columns=33)
    assert max(map(len, shown.splitlines())) <= 33
    assert shown.split() == text.split()


def test_only_the_heading_is_bold_and_no_color_turns_it_off() -> None:
    code = "from gongctl.cli.output import table; table(['name'], [['\\x1b[31m[bold]a[/]']])"
    assert run_on_terminal(code, columns=80) == "\x1b[1mname\x1b[0m\n␛[31m[bold]a[/]\n"
    assert run_on_terminal(code, columns=80, env={"NO_COLOR": "1"}) == "name\n␛[31m[bold]a[/]\n"
    assert run_on_terminal(code, columns=80, env={"TERM": "dumb"}) == "name\n␛[31m[bold]a[/]\n"


def test_note_goes_to_stderr_and_is_literal(capsys: pytest.CaptureFixture[str]) -> None:
    output.note("working\n\x1b[2J")
    assert capsys.readouterr() == ("", "working\n␛[2J\n")


@pytest.mark.parametrize(
    ("refusal", "code", "lines"),
    [
        ("It broke.", 1, ["gongctl: It broke."]),
        (StartupRefusal("No cache.", "Create one.", Exit.CACHE), 4, ["gongctl: No cache.", "Hint: Create one."]),
        (ToolFault("refused_by_policy", "No.", "Ask."), 3, ["gongctl: No.", "Hint: Ask."]),
        (
            ToolFault("invalid_argument", "Bad \x1b."),
            2,
            ["gongctl: Bad ␛.", "Hint: Correct the named argument and call again."],
        ),
    ],
)
def test_fail_says_one_sentence_a_hint_and_ends(
    refusal: StartupRefusal | ToolFault | str, code: int, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        output.fail(refusal)
    assert ended.value.code == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == lines


def test_fail_takes_a_hint_and_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        output.fail("No terminal.", "Use --text.", Exit.USAGE)
    assert ended.value.code == 2
    assert capsys.readouterr().err == "gongctl: No terminal.\nHint: Use --text.\n"


def test_no_module_of_the_command_line_hands_data_to_rich_markup() -> None:
    folder = Path(output.__file__).parent
    for module in sorted(folder.glob("*.py")):
        source = module.read_text(encoding="utf-8")
        assert "rich.print" not in source, module.name
        assert "from rich import print" not in source, module.name
        if module.name not in {"output.py", "progress.py"}:  # progress bars show words and numbers of our own
            assert "rich.console" not in source, module.name
