"""What every command prints with: data drawn literally, JSON on stdout, notes and refusals on stderr.

Text that came from calls, files or arguments is data. It is never read as markup and never reaches a
terminal with control, bidirectional or invisible characters in it: text mode draws them as visible
glyphs (``literal``), JSON mode escapes them (``emit_json``).
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from gongmcp.errors import ERRORS, Exit, StartupRefusal, ToolFault
from gongmcp.render.visible import escaped, visible

DEBUG_HINT: Final = "run it again with GONGCTL_DEBUG=1 to see where; the details may hold text from the cache."
"""What to do about an unexpected exception, of which no more than a reference was shown."""

_GAP: Final = "  "
"""What stands between two columns of a table."""

_ID: Final = re.compile(r"\d{8,}|[a-z]+(?:[_.-][a-z0-9]+)+")
"""What is copied from a table: Gong's numbers, and words of parts (call_0a1b, a tool, a rule, a preset)."""

_NEVER_CUT: Final = 1_000_000
"""Width of a line, in cells, that no table reaches: the columns' own widths decide."""


def literal(text: str, *, allowed: str = "") -> str:
    """Return *text* with each control or invisible character drawn as a visible glyph.

    ESC becomes ``␛``, a right-to-left override ``‹U+202E›``. Characters in *allowed* (usually a
    newline) are kept. The result is safe to print on a terminal.
    """
    return visible(text, allowed=allowed)


def json_text(obj: object, *, compact: bool = False) -> str:
    """Return *obj* as JSON text: readable UTF-8, but whatever ``literal`` draws is escaped.

    Parsing it gives *obj* back, lone surrogates included. *compact* puts it on one line.

    Raises:
        ValueError: a number is NaN or infinite.
        TypeError: a value has no JSON form.
    """
    layout = {"separators": (",", ":")} if compact else {"indent": 2}
    return escaped(json.dumps(obj, ensure_ascii=False, allow_nan=False, **layout))


def write_bytes(data: bytes) -> None:
    """Write *data* to stdout as it is and flush it."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # a text-only stand-in, such as io.StringIO under redirect_stdout
        sys.stdout.write(data.decode("utf-8"))
    else:
        binary.write(data)
        binary.flush()


def emit_json(obj: object, *, compact: bool = False) -> None:
    """Print *obj* as JSON on stdout with one trailing newline, in UTF-8 whatever the locale says."""
    write_bytes((json_text(obj, compact=compact) + "\n").encode("utf-8"))


def on_terminal() -> bool:
    """Return whether stdout is a terminal (output is laid out for it, never another format)."""
    return sys.stdout.isatty()


def emphasis() -> bool:
    """Return whether stdout takes bold text: a terminal that is not dumb, and no ``NO_COLOR``."""
    return on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def emit_text(text: str, *, allowed: str = "\n") -> None:
    """Print *text* on stdout, drawn literally except for its line breaks and what else is *allowed*."""
    sys.stdout.write(literal(text, allowed=allowed) + "\n")


def paragraph(text: str, *, indent: str = "") -> None:
    """Print prose on stdout, drawn literally; on a terminal its lines break between words."""
    drawn = literal(text)
    if on_terminal():
        import textwrap

        width = max(shutil.get_terminal_size().columns, 20)
        drawn = textwrap.fill(
            drawn,
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    else:
        drawn = indent + drawn
    sys.stdout.write(drawn + "\n")


def heading(text: str) -> None:
    """Print a line that opens a part of a text report; bold where the terminal takes it."""
    drawn = literal(text)
    sys.stdout.write(f"\x1b[1m{drawn}\x1b[0m\n" if emphasis() else f"{drawn}\n")


def counted(count: int, one: str, many: str = "") -> str:
    """Return *count* with its noun: ``1 call``, ``1,200 calls``; *many* is the plural, '' = with an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under headers on stdout in aligned columns; every cell is drawn literally.

    On a terminal cells are wrapped to its width, between words where words fit; ids and headers stay whole, so that
    they can be copied and read. Where there is no room for that, each row is a list of its cells under one another.
    When piped each row is one line, however long, so that nothing is lost to the tools behind the pipe.
    """
    from rich.cells import cell_len

    cells = [[literal(cell) for cell in row] for row in (headers, *rows)]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    if on_terminal():
        words = [max((cell_len(word) for cell in column for word in cell.split()), default=0) for column in columns]
        ids = [max((cell_len(word) for cell in column for word in _ids(cell)), default=1) for column in columns]
        heads = [max(map(cell_len, column[0].split()), default=1) for column in columns]
        whole = [max(both) for both in zip(ids, heads, strict=True)]
        room = shutil.get_terminal_size().columns
        if sum(whole) + len(_GAP) * (len(columns) - 1) > room and rows and len(columns) > 1:
            _list_rows(cells[0], cells[1:], room)
            return
        widths = _fit(widths, words, whole, room - len(_GAP) * (len(columns) - 1))
    for line in _lay_out(cells[:1], widths):
        heading(line)
    sys.stdout.writelines(f"{line}\n" for line in _lay_out(cells[1:], widths))


def _list_rows(headers: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> None:
    """Print each row as its headers with the cells beside them, in *room* cells; empty cells are passed over."""
    from rich.cells import cell_len

    name = max(map(cell_len, headers))
    for number, row in enumerate(rows):
        pairs = [(header, cell) for header, cell in zip(headers, row, strict=True) if cell]
        lines = _lay_out(pairs, [name, max(room - name - len(_GAP), 1)])
        sys.stdout.writelines(f"{line}\n" for line in ([""] if number else []) + lines)


def _ids(cell: str) -> list[str]:
    """Return the words of *cell* that are ids: of calls, speakers, objects, tools, rules, presets."""
    return [word for word in cell.split() if _ID.fullmatch(word)]


def _fit(natural: Sequence[int], words: Sequence[int], ids: Sequence[int], available: int) -> list[int]:
    """Return column widths of *available* cells in all: *natural* if they fit, else as few broken words as possible.

    *words* is the longest word of each column, *ids* the longest id, which is broken only where ids alone are too wide.
    Columns that want little more than their words get it first.
    """
    if sum(natural) <= available:
        return list(natural)
    widths = [max(word, 1) for word in words]
    while sum(widths) > available and max(widths) > 1:
        breakable = [column for column, width in enumerate(widths) if width > ids[column]] or range(len(widths))
        widths[max(breakable, key=lambda column: widths[column])] -= 1
    spare = max(available - sum(widths), 0)
    wanting = sorted(range(len(widths)), key=lambda column: natural[column] - widths[column])
    for place, column in enumerate(wanting):
        share = min(natural[column] - widths[column], spare // (len(wanting) - place))
        widths[column] += max(share, 0)
        spare -= max(share, 0)
    return widths


def _lay_out(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    """Return the lines of *rows* in columns of *widths* cells."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, padding=(0, len(_GAP), 0, 0), show_header=False)
    for width in widths:
        grid.add_column(width=width, overflow="fold")
    for row in rows:
        grid.add_row(*map(Text, row))
    buffer = io.StringIO()
    # Laid out as plain text: colours, links and emoji codes of Rich have no business with data.
    Console(file=buffer, width=_NEVER_CUT, color_system=None, force_terminal=False, emoji=False, markup=False).print(
        grid
    )
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def debugging() -> bool:
    """Return whether ``GONGCTL_DEBUG`` asks for tracebacks."""
    return os.environ.get("GONGCTL_DEBUG", "") not in {"", "0"}


def note(message: str) -> None:
    """Print a remark on stderr: progress, advice, what was chosen by default."""
    sys.stderr.write(literal(message, allowed="\n") + "\n")
    sys.stderr.flush()


def fail(refusal: StartupRefusal | ToolFault | str, hint: str = "", exit_code: Exit | None = None) -> NoReturn:
    """Print one sentence and, when there is one, a hint on stderr, and end with the exit code.

    A ``StartupRefusal`` or ``ToolFault`` brings its own hint and exit code; a plain sentence ends
    with *exit_code*, 1 unless given.

    Raises:
        SystemExit: always.
    """
    if isinstance(refusal, StartupRefusal):
        message, hint, code = refusal.message, hint or refusal.hint, refusal.exit_code
    elif isinstance(refusal, ToolFault):
        message, hint, code = refusal.message, hint or refusal.hint, ERRORS[refusal.code].exit
    else:
        message, code = refusal, Exit.FAILED
    note(f"gongctl: {message}")
    if hint:
        note(f"Hint: {hint}")
    raise SystemExit(int(exit_code if exit_code is not None else code))


def abandon_stdout() -> None:
    """Send what is still buffered for stdout to the null device.

    After a failed write the interpreter's own flush at exit would complain about it once more.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def quiet_broken_pipe() -> NoReturn:
    """End quietly after the reader of stdout went away (``gongctl … | head``).

    Raises:
        SystemExit: always, with 0: a reader that has seen enough is no error.
    """
    abandon_stdout()
    raise SystemExit(int(Exit.OK))
