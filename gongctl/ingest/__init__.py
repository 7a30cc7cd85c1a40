"""Files in the shapes of Gong's public API -> records, streaming: memory does not grow with a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gongctl.ingest.documents import records_in
from gongctl.ingest.files import InputFile, Meter, NotJson, Source, Unreadable, find_files
from gongctl.ingest.records import KINDS, Kind, Place, Record, Rejected, Skipped

__all__ = ["KINDS", "InputFile", "Kind", "Place", "Record", "Rejected", "Skipped", "find_files", "read"]


def read(
    files: Iterable[InputFile], *, progress: Callable[[int, int], None] | None = None
) -> Iterator[Record | Rejected | Skipped]:
    """Yield the records in *files* (see ``find_files``), one by one, with what had to be left out.

    Understood are whole answers of Gong's API, pages one after another, arrays and JSON lines, as UTF-8
    (or UTF-16 and UTF-32), plain or gzip'd; what a file is, is told by its content, never by its name.
    *progress* is called with the bytes read and the bytes of all files.
    """
    files = list(files)
    meter = Meter(sum(file.size for file in files), progress)
    for file in files:
        try:
            with meter.reading(file) as raw:
                yield from records_in(Source(raw), file.name)
        except Unreadable as error:
            if isinstance(error, NotJson) and not file.claimed:
                yield Skipped(file.name, str(error))
            else:
                yield Rejected(Place(file.name), str(error))


def read_paths(paths: Iterable[Path]) -> Iterator[Record | Rejected | Skipped]:
    """Yield the records in the files and folders *paths*.

    Raises:
        OSError: a path does not exist, or a folder cannot be listed.
    """
    return read(find_files(paths))
