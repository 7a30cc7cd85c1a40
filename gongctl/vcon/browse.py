"""The vCons of a store, or of a cache as it is served, for the screens: ``tui.vcons.Vcons``.

Of a store everything is told, and the tools that write can be tried and run. Of a cache only what warm left is told:
masked, without names, and nothing can be changed.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gongctl.vcon import Vcon
from gongctl.vcon.bodies import NoBody, json_of
from gongctl.vcon.diff import Difference, differences
from gongctl.vcon.findings import Finding, VconRefused
from gongctl.vcon.forms import form_of, open_form
from gongctl.vcon.rehearsal import rehearse
from gongctl.vcon.service import Change
from gongctl.vcon.store import is_store
from gongctl.vcon.transcripts import TRANSCRIPT
from gongctl.vcon.validate import validate
from gongctl.vcon.write_tools import WRITING
from gongmcp.errors import StartupRefusal
from gongmcp.store import vcon_read, vcon_search
from gongmcp.store.connection import ReadStore, StorePool
from gongmcp.store.schema import APPLICATION_ID
from gongmcp.store.vcon_schema import VCON_APPLICATION_ID
from gongmcp.store.vcon_search import VconFilters
from gongmcp.vcon.declaration import VconTool
from gongmcp.vcon.faults import VconFault
from tui.vcons import (
    ChangeRefused,
    Element,
    VconChange,
    VconDifference,
    VconFinding,
    VconLine,
    VconPage,
    VconView,
)

PAGE: Final = 200
_UUID: Final = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EVERY: Final = 1 << 20
_SHORT: Final = 200
_FACTS: Final = ("started_at", "mediatype", "application", "disposition", "filename", "url")
_AUTHOR: Final = "operator"


@dataclass(frozen=True, slots=True)
class WriteTool:
    """A tool that writes, as the form of its arguments wants it."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    level: str = ""
    limits: None = None

    @classmethod
    def of(cls, tool: VconTool) -> WriteTool:
        """Return *tool* as it is declared."""
        return cls(tool.name, tool.title, tool.text(), tool.input_schema(verbatim=True))

    def wire(self) -> dict[str, Any]:
        """Return MCP's form of it."""
        return {"name": self.name, "description": self.description, "inputSchema": dict(self.input_schema)}


class BrowsedVcons:
    """The vCons of the file at *path*."""

    def __init__(self, path: Path) -> None:
        """Open it for reading.

        Raises:
            StartupRefusal: it is neither a store nor a cache, or of another version.
        """
        self._path = path
        self._is_store = is_store(path)
        self._pool = StorePool(path, application=VCON_APPLICATION_ID if self._is_store else APPLICATION_ID)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self._path.name

    def close(self) -> None:
        """Close it."""
        self._pool.close()

    @contextmanager
    def _reading(self) -> Iterator[ReadStore]:
        with self._pool.store_scope() as store:
            yield store

    # --- looking ---

    def page(self, words: str, after: str) -> VconPage:
        """Return a page of the vCons that *words* find: a uuid, an address, else a part of the subject."""
        words = words.strip()
        key = json.loads(after) if after else None
        with self._reading() as store:
            if _UUID.fullmatch(words):
                row = vcon_read.header(store, words)
                return VconPage((_line(row),) if row is not None else (), int(row is not None), "")
            filters = VconFilters(party_email=words) if "@" in words else VconFilters(subject=words)
            try:
                total = vcon_search.count(store, filters)
            except ValueError:
                return VconPage((), 0, "")
            rows = vcon_search.page(store, filters, limit=PAGE + 1, after=(key[0], key[1]) if key else None)
        kept = rows[:PAGE]
        more = json.dumps([kept[-1]["sort_ms"], kept[-1]["vcon_no"]]) if len(rows) > PAGE else ""
        return VconPage(tuple(_line(row) for row in kept), total, more)

    def vcon(self, uuid: str) -> VconView | None:
        """Return the vCon *uuid*."""
        with self._reading() as store:
            row = vcon_read.header(store, uuid)
            if row is None:
                return None
            document = _document(store, uuid) if self._is_store else {}
            return _Telling(store, row, document, self._is_store).view()

    # --- changing ---

    def tools(self) -> Sequence[WriteTool]:
        """Return the tools that write a store; none for a cache."""
        return [WriteTool.of(tool) for tool in WRITING.values()] if self._is_store else []

    def preview(self, tool: str, arguments: Mapping[str, Any]) -> VconChange:
        """Return what *tool* would change."""
        return self._run(tool, arguments, apply=False)

    def apply(self, tool: str, arguments: Mapping[str, Any], previewed: VconChange) -> VconChange:
        """Change it, if the vCon is as it was when it was *previewed*."""
        given = dict(arguments)
        if previewed.moment and "if_updated_at" in WRITING[tool].properties:
            given.setdefault("if_updated_at", previewed.moment)
        return self._run(tool, given, apply=True)

    def _run(self, tool: str, arguments: Mapping[str, Any], *, apply: bool) -> VconChange:
        try:
            done = rehearse(self._path, tool, arguments, apply=apply, author=_AUTHOR)
        except VconFault as fault:
            found = fault.details.get("findings") or ()
            raise ChangeRefused(fault.code, fault.message, [VconFinding(**finding) for finding in found]) from None
        return _change(tool, done)


def _document(store: ReadStore, uuid: str) -> Vcon:
    """Return a stored vCon, of a signed one what was signed."""
    value = vcon_read.document(store, uuid) or {}
    try:
        return open_form(value).vcon
    except VconRefused:
        return value


def _line(row: sqlite3.Row) -> VconLine:
    return VconLine(
        row["uuid"],
        row["subject"],
        row["created_at"],
        row["started_at"],
        "sealed" if row["sealed"] else row["form"],
        row["party_count"],
        row["dialog_count"],
        row["analysis_count"],
        row["attachment_count"],
        row["placeholder_count"],
    )


class _Telling:
    """Makes the view of one vCon from its rows and, in a store, from what is verbatim."""

    def __init__(self, store: ReadStore, header: sqlite3.Row, document: Vcon, is_store: bool) -> None:
        number = header["vcon_no"]
        self._header = header
        self._document = document
        self._is_store = is_store
        self._parties = vcon_read.parties(store, [number])[number]
        self._dialogs = vcon_read.dialogs(store, [number])[number]
        self._analyses = vcon_read.analyses(store, [number])[number]
        self._attachments = vcon_read.attachments(store, [number])[number]
        self._tags = vcon_read.tags(store, [number])[number]
        self._texts: dict[tuple[str, int], list[sqlite3.Row]] = {}
        for text in vcon_read.texts(store, number, limit=_EVERY):
            self._texts.setdefault((text["unit"], text["idx"]), []).append(text)
        self._removed = (
            {
                (row["part"], row["idx"]): f"removed {_minute(row['removed_at'])} by {row['removed_by']}"
                + (f": {row['reason']}" if row["reason"] else "")
                for row in vcon_read.removals(store, header["uuid"])
            }
            if is_store
            else {}
        )

    def view(self) -> VconView:
        return VconView(
            _line(self._header),
            self._header["version"],
            self._header["updated_at"],
            tuple(self._party(row) for row in self._parties),
            tuple(self._dialog(row) for row in self._dialogs),
            tuple(self._analysis(row) for row in self._analyses),
            tuple(self._attachment(row) for row in self._attachments),
            tuple(sorted(self._tags.items())),
            self._findings(),
        )

    def _gone(self, part: str, row: sqlite3.Row) -> str:
        return self._removed.get((part, row["idx"]), "a placeholder") if row["placeholder"] else ""

    def _party(self, row: sqlite3.Row) -> Element:
        address = ", ".join(value for value in (row["mailto"], row["tel"], row["sip"]) if value)
        lines = _json_lines(self._given("parties", row["idx"]))
        return Element(row["idx"], (row["name"], address, row["role"]), lines, self._gone("party", row))

    def _dialog(self, row: sqlite3.Row) -> Element:
        texts = self._texts.get(("dialog", row["idx"]), [])
        lasts = "" if row["duration_seconds"] is None else _clock(row["duration_seconds"] * 1000)
        who = ", ".join(self._name(index) for index in _indexes(json.loads(row["parties"])))
        cells = (_minute(row["started_at"]), lasts, row["dialog_type"], who, _shortly(texts))
        facts = [f"{name.replace('_at', '')}: {row[name]}" for name in _FACTS if row[name]]
        return Element(row["idx"], cells, (*facts, *self._said(texts)), self._gone("dialog", row), self._span(row))

    def _span(self, row: sqlite3.Row) -> tuple[float, float] | None:
        first, whole = self._header["started_ms"], self._header["duration_seconds"] * 1000
        if first is None or row["started_ms"] is None or whole <= 0:
            return None
        begins = row["started_ms"] - first
        ends = begins + (row["duration_seconds"] or 0) * 1000
        return max(0.0, min(1.0, begins / whole)), max(0.0, min(1.0, ends / whole))

    def _analysis(self, row: sqlite3.Row) -> Element:
        texts = self._texts.get(("analysis", row["idx"]), [])
        size = f"{row['body_bytes']:,}"
        cells = (row["analysis_type"], row["vendor"], row["product"], size, _shortly(texts))
        if row["analysis_type"] == TRANSCRIPT or not self._is_store:
            return Element(row["idx"], cells, self._said(texts))
        return Element(row["idx"], cells, self._body("analysis", row["idx"], texts))

    def _attachment(self, row: sqlite3.Row) -> Element:
        texts = self._texts.get(("attachment", row["idx"]), [])
        size = f"{row['body_bytes']:,}"
        cells = (row["purpose"] or row["legacy_type"], row["mediatype"], size, _shortly(texts))
        return Element(row["idx"], cells, self._body("attachments", row["idx"], texts))

    def _given(self, array: str, index: int) -> Any:
        """Return an element as it stands in the vCon; None where that is not told."""
        elements = self._document.get(array)
        return elements[index] if isinstance(elements, list) and index < len(elements) else None

    def _body(self, array: str, index: int, texts: Sequence[sqlite3.Row]) -> tuple[str, ...]:
        given = self._given(array, index)
        if isinstance(given, Mapping):
            try:
                return _json_lines(json_of(given))
            except NoBody:
                pass
        return self._said(texts)

    def _said(self, texts: Sequence[sqlite3.Row]) -> tuple[str, ...]:
        lines = []
        for text in texts:
            at = "" if text["start_ms"] is None else f"{_clock(text['start_ms'])}  "
            who = "" if text["party"] is None else f"{self._name(text['party'])}: "
            first, *rest = text["text"].split("\n")
            lines += [f"{at}{who}{first}", *rest]
        return tuple(lines)

    def _name(self, index: int) -> str:
        row = next((row for row in self._parties if row["idx"] == index), None)
        told = "" if row is None else row["name"] or row["mailto"] or row["tel"]
        return told or f"party {index}"

    def _findings(self) -> tuple[VconFinding, ...]:
        if not self._is_store:
            return ()
        return tuple(_finding(finding) for finding in validate(self._document, "core-03").findings)


def _shortly(texts: Sequence[sqlite3.Row]) -> str:
    """Return the beginning of what stands in an element, on one line."""
    return " ".join(texts[0]["text"][:_SHORT].split()) if texts else ""


def _finding(finding: Finding) -> VconFinding:
    return VconFinding(finding.severity, finding.code, finding.path, finding.message)


def _indexes(value: Any) -> Iterable[int]:
    if isinstance(value, int):
        return [value]
    if isinstance(value, list):
        return dict.fromkeys(index for item in value for index in _indexes(item))
    return []


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


def _clock(milliseconds: float) -> str:
    minutes, seconds = divmod(int(milliseconds) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _json_lines(value: Any) -> tuple[str, ...]:
    return () if value is None else tuple(json.dumps(value, ensure_ascii=False, indent=2).split("\n"))


def _change(tool: str, done: Change) -> VconChange:
    before = done.before
    plain: Vcon = {}
    if before is not None:
        plain = open_form(before).vcon if form_of(before) == "signed" else before
    return VconChange(
        tool,
        done.uuid,
        done.applied,
        str(plain.get("updated_at") or plain.get("created_at") or ""),
        tuple(_difference(item) for item in differences(done.before or {}, done.after or {})),
        tuple(_finding(finding) for finding in done.findings),
    )


def _difference(item: Difference) -> VconDifference:
    before = () if item.kind == "added" else tuple(json.dumps(item.before, ensure_ascii=False, indent=2).split("\n"))
    after = () if item.kind == "removed" else tuple(json.dumps(item.after, ensure_ascii=False, indent=2).split("\n"))
    return VconDifference(item.kind, item.path, before, after)


def open_store(path: Path) -> BrowsedVcons:
    """Return the vCons of the store at *path*, whose schema is brought up to date.

    Raises:
        StartupRefusal: there is none.
    """
    from gongctl.vcon.store import VconStore, require_store
    from gongmcp.errors import Exit

    if not path.exists():
        raise StartupRefusal(f"{path} does not exist.", "gongctl vcon import PATH --db FILE makes a store.", Exit.CACHE)
    require_store(path)
    with VconStore.open(path):
        pass
    return BrowsedVcons(path)
