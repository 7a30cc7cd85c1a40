"""The one way to change vCons of a store: every guard lives here, so that no door can leave one out.

Each change is one transaction: it reads the vCon, checks ``if_updated_at``, changes it, validates it and writes it with
all that is read of it. So changes of several processes come one after the other, and none is lost.
``dry_run`` does all of it but the writing, and gives the same answer.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gongctl.cache.clock import utc_now
from gongctl.vcon import SYNTAX, Vcon
from gongctl.vcon.bodies import json_body
from gongctl.vcon.elements import ARRAY, KEEPS_SLOT, Part, added, removed, replaced
from gongctl.vcon.findings import Finding, VconRefused, errors
from gongctl.vcon.forms import form_of, open_form
from gongctl.vcon.merge import Strategy, updated
from gongctl.vcon.store import VconStore
from gongctl.vcon.tags import as_value, checked_key, tags_of, with_tags
from gongctl.vcon.templates import from_template
from gongctl.vcon.times import milliseconds
from gongctl.vcon.uuids import new_uuid
from gongctl.vcon.validate import is_uuid, validate

_CHILDREN: Final = ("parties", "dialog", "analysis", "attachments")
_TAG_METADATA: Final = "tags"
_METADATA: Final = frozenset({"basename", "filename", "tags"})


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit did, or (*applied* False) would do: the vCon *before* (None = there was none) and *after* (None =
    there is none any more); *index* is that of the element; *findings* are warnings of its validation."""

    uuid: str
    before: Vcon | None
    after: Vcon | None
    applied: bool
    index: int | None = None
    findings: tuple[Finding, ...] = ()


class VconService:
    """Edits of the vCons in *store*; *author* is who is noted with placeholders."""

    def __init__(self, store: VconStore, author: str = "operator") -> None:
        self._store = store
        self._author = author

    # --- whole vCons ---

    def create(
        self,
        vcon: Mapping[str, Any],
        *,
        metadata: Mapping[str, Any] | None = None,
        validate_first: bool = True,
        replace_existing: bool = False,
        dry_run: bool = False,
    ) -> Change:
        """Store a new vCon. A uuid, ``created_at`` and the version are added where they are missing; ``metadata.tags``
        become tags, other metadata is kept in an attachment.

        Raises:
            VconRefused: it is invalid (``VC_INVALID``) or has no party, its uuid is taken (``VC_CONFLICT``).
        """
        now = _now()
        new: Vcon = dict(vcon)
        if form_of(new) in ("signed", "encrypted"):
            raise VconRefused("VC_SIGNED", "a signed or encrypted vCon is imported, not created")
        new = {
            "vcon": SYNTAX,
            "uuid": new.get("uuid") or new_uuid(),
            "created_at": new.get("created_at") or now,
            **{key: value for key, value in new.items() if key not in ("vcon", "uuid", "created_at")},
        }
        if not new.get("parties"):
            raise VconRefused("VC_PARTY_REQUIRED", "a new vCon has at least one party")
        if not is_uuid(new["uuid"]):
            raise VconRefused("VC_UUID_FORMAT", "uuid is no UUID")
        new["uuid"] = str(new["uuid"]).casefold()
        new = _with_metadata(new, metadata or {}, now)

        def change(before: Vcon | None) -> Vcon:
            if before is not None and not replace_existing:
                raise VconRefused("VC_CONFLICT", "there is a vCon with this uuid already")
            return new

        return self._change(str(new["uuid"]), change, "", validate_first, dry_run, bump=False, may_miss=True)

    def create_from_template(
        self,
        template: str,
        parties: list[Mapping[str, Any]],
        *,
        subject: str = "",
        metadata: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> Change:
        """Store a new vCon of a *template* (``gongctl.vcon.templates.TEMPLATES``) between two *parties* or more.

        Raises:
            VconRefused: there is no such template or parameter, or the parties are too few.
        """
        vcon = from_template(template, parties, subject, parameters or {}, _now())
        return self.create(vcon, metadata=metadata, dry_run=dry_run)

    def update(
        self,
        uuid: str,
        updates: Mapping[str, Any],
        *,
        strategy: Strategy = "merge",
        if_updated_at: str = "",
        validate_after: bool = True,
        dry_run: bool = False,
    ) -> Change:
        """Change top-level fields of a vCon (``gongctl.vcon.merge``).

        Raises:
            VconRefused: as ``gongctl.vcon.merge.updated``, or the vCon is missing, changed since, or then invalid.
        """
        return self._change(
            uuid, lambda vcon: updated(_there(vcon), updates, strategy), if_updated_at, validate_after, dry_run
        )

    def delete(
        self, uuid: str, *, confirm: bool, cascade: bool = True, if_updated_at: str = "", dry_run: bool = False
    ) -> Change:
        """Remove a vCon and all that belongs to it.

        Raises:
            VconRefused: without *confirm* (a dry run needs none); without *cascade* where it has elements; it is
                missing (``VC_NOT_FOUND``) or was changed since (``VC_CONFLICT``).
        """
        if confirm is not True and not dry_run:
            raise VconRefused("VC_CONFIRM", "deleting needs confirm: true")
        with self._store.transaction():
            before = self._current(uuid, if_updated_at)
            plain = open_form(before).vcon if form_of(before) == "signed" else before
            held = {name: len(plain[name]) for name in _CHILDREN if plain.get(name)}
            if not cascade and held:
                raise VconRefused(
                    "VC_HAS_ELEMENTS", "it has parties, dialogs, analyses or attachments; cascade removes"
                )
            if not dry_run:
                self._store.delete(uuid)
        return Change(uuid.casefold(), before, None, not dry_run)

    # --- elements ---

    def add(
        self, uuid: str, part: Part, element: Mapping[str, Any], *, if_updated_at: str = "", dry_run: bool = False
    ) -> Change:
        """Put *element* behind the others of its kind; ``Change.index`` is where it stands.

        Raises:
            VconRefused: it is invalid, or the vCon is missing or was changed since.
        """
        place: list[int] = []

        def change(vcon: Vcon | None) -> Vcon:
            new, index = added(_there(vcon), part, _complete(part, element, _there(vcon)))
            place.append(index)
            return new

        done = self._change(uuid, change, if_updated_at, True, dry_run, part=part)
        return replace(done, index=place[-1])

    def replace(
        self,
        uuid: str,
        part: Part,
        index: int,
        element: Mapping[str, Any],
        *,
        if_updated_at: str = "",
        dry_run: bool = False,
    ) -> Change:
        """Put *element* in the place of the one at *index*; fields that are not given are cleared.

        Raises:
            VconRefused: it is invalid, there is no such index, or the vCon is missing or was changed since.
        """
        done = self._change(
            uuid,
            lambda vcon: replaced(_there(vcon), part, index, _complete(part, element, _there(vcon))),
            if_updated_at,
            True,
            dry_run,
            part=part,
            also=lambda: self._forget_removal(uuid, part, index),
        )
        return replace(done, index=index)

    def remove(
        self,
        uuid: str,
        part: Part,
        index: int,
        *,
        anonymize: bool = False,
        reason: str = "",
        if_updated_at: str = "",
        dry_run: bool = False,
    ) -> Change:
        """Take an element out: a party or dialog leaves a placeholder, others move up (``gongctl.vcon.elements``).

        Raises:
            VconRefused: there is no such index, or the vCon is missing or was changed since.
        """
        done = self._change(
            uuid,
            lambda vcon: removed(_there(vcon), part, index, anonymize=anonymize),
            if_updated_at,
            True,
            dry_run,
            also=(lambda: self._note_removal(uuid, part, index, reason)) if part in KEEPS_SLOT else None,
        )
        return replace(done, index=index)

    # --- tags ---

    def set_tag(
        self, uuid: str, key: str, value: str | int | float | bool, *, if_updated_at: str = "", dry_run: bool = False
    ) -> Change:
        """Give the vCon the tag *key* with *value*, which becomes a text.

        Raises:
            VconRefused: the key can be none, or the vCon is missing or was changed since.
        """
        name = checked_key(key)
        return self._tags(uuid, lambda tags: tags | {name: as_value(value)}, if_updated_at, dry_run)

    def remove_tag(self, uuid: str, key: str, *, if_updated_at: str = "", dry_run: bool = False) -> Change:
        """Take the tag *key* away; one that is not there is no error, and changes nothing.

        Raises:
            VconRefused: the vCon is missing or was changed since.
        """
        name = checked_key(key)
        return self._tags(
            uuid, lambda tags: {key: value for key, value in tags.items() if key != name}, if_updated_at, dry_run
        )

    def remove_all_tags(self, uuid: str, *, if_updated_at: str = "", dry_run: bool = False) -> Change:
        """Take all tags away. The slots of tags attachments stay.

        Raises:
            VconRefused: the vCon is missing or was changed since.
        """
        return self._tags(uuid, lambda tags: {}, if_updated_at, dry_run)

    def _tags(
        self, uuid: str, change: Callable[[dict[str, str]], dict[str, str]], if_updated_at: str, dry_run: bool
    ) -> Change:
        def apply(vcon: Vcon | None) -> Vcon:
            there = _there(vcon)
            before = tags_of(there)
            after = change(before)
            return there if after == before else with_tags(there, after, _now())

        return self._change(uuid, apply, if_updated_at, True, dry_run)

    # --- the one transaction ---

    def _current(self, uuid: str, if_updated_at: str) -> Vcon:
        if not is_uuid(uuid):
            raise VconRefused("VC_UUID_FORMAT", "uuid is no UUID")
        before = self._store.get(uuid)
        if before is None:
            raise VconRefused("VC_NOT_FOUND", "there is no vCon with this uuid")
        if if_updated_at:
            plain = open_form(before).vcon if form_of(before) == "signed" else before
            said = plain.get("updated_at") or plain.get("created_at")
            if milliseconds(if_updated_at) is None:
                raise VconRefused("VC_ARGUMENT", "if_updated_at is no moment of RFC 3339")
            if milliseconds(said) != milliseconds(if_updated_at):
                raise VconRefused("VC_CONFLICT", "the vCon was changed since; read it again")
        return before

    def _change(
        self,
        uuid: str,
        change: Callable[[Vcon | None], Vcon],
        if_updated_at: str,
        check: bool,
        dry_run: bool,
        *,
        bump: bool = True,
        may_miss: bool = False,
        part: Part | None = None,
        also: Callable[[], None] | None = None,
    ) -> Change:
        with self._store.transaction() as generation:
            before = self._store.get(uuid) if may_miss else self._current(uuid, if_updated_at)
            if before is not None and form_of(before) == "signed":
                raise VconRefused("VC_SIGNED", "a signed vCon is not changed: that would break its signature")
            after = change(before)
            changed = after != before
            if changed and bump:
                after = _bumped(after)
            findings = _checked(before, after, check, part)
            if changed and not dry_run:
                self._store_with_vectors(uuid, after, generation)
                if also is not None:
                    also()
        return Change(uuid.casefold(), before, after, not dry_run, None, findings)

    def _store_with_vectors(self, uuid: str, after: Vcon, generation: int) -> None:
        """Store a changed vCon; where the store is searched by meaning, with vectors of what it says now."""
        connection = self._store.connection
        if connection.execute("SELECT 1 FROM vcon_vectors LIMIT 1").fetchone() is None:
            self._store.put(after, generation)
            return
        from gongctl.semantic.build import keeps_vectors, renew_vcon

        renewed = keeps_vectors(connection)
        self._store.put(after, generation)
        if renewed:
            renew_vcon(connection, uuid)

    def _note_removal(self, uuid: str, part: Part, index: int, reason: str) -> None:
        self._store.connection.execute(
            """INSERT OR REPLACE INTO vcon_removals (uuid, part, idx, removed_at, removed_by, reason)
               VALUES (?, ?, ?, ?, ?, ?)""",
            (uuid.casefold(), part, index, utc_now(), self._author, reason),
        )

    def _forget_removal(self, uuid: str, part: Part, index: int) -> None:
        self._store.connection.execute(
            "DELETE FROM vcon_removals WHERE uuid = ? AND part = ? AND idx = ?", (uuid.casefold(), part, index)
        )


def _there(vcon: Vcon | None) -> Vcon:
    assert vcon is not None  # _current saw to it
    return vcon


def _now() -> str:
    """Return the present in milliseconds: two changes in one second are told apart by ``if_updated_at``."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _bumped(vcon: Vcon) -> Vcon:
    """Return *vcon* with a new ``updated_at``, later than the one before even where the clock is not."""
    before = milliseconds(vcon.get("updated_at") or vcon.get("created_at"))
    now = dt.datetime.now(dt.UTC)
    if before is not None and round(now.timestamp() * 1000) <= before:
        now = dt.datetime.fromtimestamp((before + 1) / 1000, dt.UTC)
    return {**vcon, "updated_at": now.isoformat(timespec="milliseconds").replace("+00:00", "Z")}


def _checked(before: Vcon | None, after: Vcon, check: bool, part: Part | None) -> tuple[Finding, ...]:
    """Refuse what the change made invalid, and return the warnings.

    An imported vCon may have had errors before: those are not what this change is judged by.
    """
    if not check:
        return ()
    found = validate(after, "core-03").findings
    # What must not be processed is the reader's matter: the writer may demand it.
    wrong = [finding for finding in errors(found) if finding.code != "VC_CRITICAL_UNSUPPORTED"]
    if wrong and before is not None:
        wrong = _new(errors(validate(before, "core-03").findings), wrong)
    if wrong:
        of_part = [finding for finding in wrong if part and finding.path.startswith(f"/{ARRAY[part]}/")]
        first = (of_part or wrong)[0]
        raise VconRefused("VC_INVALID", f"{first.path or 'the vCon'}: {first.message}", wrong)
    return tuple(finding for finding in found if finding.severity == "warning")


def _new(had: Sequence[Finding], now: Sequence[Finding]) -> list[Finding]:
    """Return those of *now* that are neither where they were, nor moved because an element before them went."""
    places = {(finding.code, finding.path) for finding in had}
    left = [finding for finding in now if (finding.code, finding.path) not in places]
    still = {(finding.code, finding.path) for finding in now}
    moved = Counter(code for code, path in places if (code, path) not in still)
    fresh = []
    for finding in left:
        if moved[finding.code]:
            moved[finding.code] -= 1
        else:
            fresh.append(finding)
    return fresh


def _complete(part: Part, element: Mapping[str, Any], vcon: Vcon) -> dict[str, Any]:
    """Return *element* with what the format demands and callers leave out: when a dialog began, where an attachment
    belongs. An attachment's ``type`` is written as its purpose too.

    Raises:
        VconRefused: it is no object, or nothing but a placeholder.
    """
    if not isinstance(element, Mapping):
        raise VconRefused("VC_ARGUMENT", f"{part} is no object")
    given = dict(element)
    if part == "party" and not given:
        raise VconRefused("VC_ARGUMENT", "an empty party stands for a removed one; remove makes it")
    if part == "dialog":
        given.setdefault("start", _now())
        if given.get("type") == "incomplete" and not given.get("disposition"):
            raise VconRefused("VC_INVALID", "an incomplete dialog says its disposition")  # else it were a placeholder
    elif part == "attachment":
        given.setdefault("start", _now())
        given.setdefault("party", 0)
        given.setdefault("dialog", 0)
        if isinstance(given.get("type"), str):
            given.setdefault("purpose", given["type"])
    body = given.get("body")
    if part != "party" and body is not None and not isinstance(body, str):
        given |= json_body(body)
    elif part != "party" and body:
        given.setdefault("encoding", "none")
    return given


def _with_metadata(vcon: Vcon, metadata: Mapping[str, Any], now: str) -> Vcon:
    unknown = metadata.keys() - _METADATA
    if unknown:
        raise VconRefused("VC_ARGUMENT", f"metadata knows {', '.join(sorted(_METADATA))}")
    tags = metadata.get(_TAG_METADATA) or {}
    if not isinstance(tags, Mapping) or not all(isinstance(v, str | int | float) for v in tags.values()):
        raise VconRefused("VC_ARGUMENT", "metadata.tags is an object of texts, numbers and booleans")
    named = {key: value for key, value in metadata.items() if key != _TAG_METADATA and value}
    if not all(isinstance(value, str) for value in named.values()):
        raise VconRefused("VC_ARGUMENT", "metadata.basename and metadata.filename are texts")
    if tags:
        vcon = with_tags(vcon, tags_of(vcon) | {checked_key(str(k)): as_value(v) for k, v in tags.items()}, now)
    if named:
        source = {"purpose": "source_file", "start": now, "party": 0, "dialog": 0, "mediatype": "application/json"}
        vcon, _ = added(vcon, "attachment", {**source, **json_body(named)})
    return vcon
