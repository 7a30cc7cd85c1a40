"""Files that people and agents write, as blocks of prose: Markdown, plain text, Word."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    from docx.document import Document

MAX_BYTES: Final = 16 << 20
"""Largest text that is read; a report is far below."""

_MARKDOWN: Final = frozenset({".md", ".markdown", ".mdx"})
_FENCE: Final = re.compile(r"\s{0,3}(?:>\s?)*\s*(`{3,}|~{3,})")
_OPENS: Final = re.compile(r"\s*(?:[-*+]\s|\d{1,3}[.)]\s|#{1,6}\s|\|)")
_QUOTED: Final = re.compile(r"\s{0,3}>\s?")
_LINK: Final = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_CODE: Final = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, an item of a list or a row of a table. *line* is that of its first line, or of a Word file the
    number of the paragraph; *is_quoted*: all of it stands as a quotation (lines that begin with ``>``)."""

    text: str
    line: int
    is_quoted: bool = False


def read_blocks(path: Path) -> list[Block]:
    """Return the blocks of the file at *path*: ``.docx`` as Word, anything else as text.

    Raises:
        StartupRefusal: it cannot be read, is too large or no text, or is Word and the extra is not installed.
    """
    if path.suffix.lower() == ".docx":
        return list(_word_blocks(path))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise StartupRefusal(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise StartupRefusal(f"{path} is larger than {MAX_BYTES >> 20} MiB.", "Give the report in parts.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StartupRefusal(f"{path} is no text in UTF-8.", "Markdown, plain text and .docx are read.") from error
    return list(blocks_of(text, markdown=path.suffix.lower() in _MARKDOWN))


def blocks_of(text: str, *, markdown: bool) -> Iterator[Block]:
    """Yield the blocks of *text*; of *markdown* without code, and of a link its words alone."""
    held: list[str] = []
    first, quoted, fence = 0, False, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = _FENCE.match(line) if markdown else None
        if fence:
            if found and found[1].startswith(fence):
                fence = ""
            continue
        is_quote = bool(_QUOTED.match(line))
        while _QUOTED.match(line):
            line = _QUOTED.sub("", line, count=1)
        if held and (not line.strip() or found or is_quote != quoted or (_OPENS.match(line) and not is_quote)):
            yield Block(_prose("\n".join(held), markdown=markdown), first, quoted)
            held = []
        if found:
            fence = found[1]
        elif line.strip():
            if not held:
                first, quoted = number, is_quote
            held.append(line)


def _prose(text: str, *, markdown: bool) -> str:
    if not markdown:
        return text
    return html.unescape(_LINK.sub(r"\1", _CODE.sub(lambda found: "\n" * found[0].count("\n"), text)))


def _word_blocks(path: Path) -> Iterator[Block]:
    document = _open_word(path)
    number = 0
    for item in document.iter_inner_content():
        for paragraph in _paragraphs(item):
            number += 1
            if paragraph.text.strip():
                style = paragraph.style.name if paragraph.style is not None else ""
                yield Block(paragraph.text, number, "quote" in (style or "").lower())


def _paragraphs(item: Any) -> Iterator[Any]:
    if not hasattr(item, "rows"):
        yield item
        return
    seen = set()
    for row in item.rows:
        for cell in row.cells:
            if cell._tc not in seen:  # a merged cell is given once for each of its places
                seen.add(cell._tc)
                for inner in cell.iter_inner_content():
                    yield from _paragraphs(inner)


def _open_word(path: Path) -> Document:
    try:
        import docx
        from docx.opc.exceptions import PackageNotFoundError
    except ImportError as error:
        raise StartupRefusal(
            "Reading .docx needs the extra docx.", "Install gongctl[docx], or save the report as text.", Exit.USAGE
        ) from error
    import zipfile

    try:
        return docx.Document(str(path))
    except OSError as error:
        raise StartupRefusal(f"{path} cannot be read: {error.strerror}.") from error
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise StartupRefusal(f"{path} is no Word document.", "Markdown, plain text and .docx are read.") from error
