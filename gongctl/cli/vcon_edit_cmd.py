"""``gongctl vcon create, update, delete, add, …``: edits of a vCon store, each shown first. The guards are in
``gongctl.vcon.service``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from gongctl.cli.call_arguments import read_arguments
from gongctl.cli.lazy import LightCommand
from gongctl.cli.output import emit_json, emit_text, fail, note
from gongctl.cli.restricted import sensitive
from gongmcp.errors import Exit

if TYPE_CHECKING:
    from gongctl.vcon.elements import Part
    from gongctl.vcon.merge import Strategy
    from gongctl.vcon.service import Change, VconService

_OPTIONS: Final[dict[str, Any]] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "add_completion": False,
}
create_app = typer.Typer(**_OPTIONS)
from_template_app = typer.Typer(**_OPTIONS)
update_app = typer.Typer(**_OPTIONS)
delete_app = typer.Typer(**_OPTIONS)
add_app = typer.Typer(**_OPTIONS)
replace_app = typer.Typer(**_OPTIONS)
remove_app = typer.Typer(**_OPTIONS)
tag_app = typer.Typer(**_OPTIONS)
untag_app = typer.Typer(**_OPTIONS)

Db = Annotated[Path, typer.Option("--db", envvar="GONGCTL_VCON_DB", help="The vCon store.")]
Uuid = Annotated[str, typer.Argument(metavar="UUID", help="The vCon.")]
PartName = Annotated[str, typer.Argument(metavar="PART", help="party, dialog, analysis or attachment.")]
Index = Annotated[int, typer.Argument(metavar="INDEX", help="Its place in the array, from 0.")]
Json = Annotated[str, typer.Argument(metavar="JSON", help="The JSON itself, @FILE, or - for standard input.")]
DryRun = Annotated[bool, typer.Option("--dry-run/--apply", help="Only show what would change, or do it.")]
IfUpdated = Annotated[
    str, typer.Option("--if-updated-at", metavar="TIME", help="Only if its updated_at (else created_at) is still this.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_shows = sensitive("what stands in a vCon")


@create_app.command("create", cls=LightCommand)
@_shows
def create(
    vcon: Json,
    db: Db,
    tags: Annotated[list[str] | None, typer.Option("--tag", metavar="KEY=VALUE", help="May be repeated.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of one with the same uuid.")] = False,
    validate: Annotated[bool, typer.Option("--validate/--no-validate", help="Refuse an invalid one.")] = True,
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Store a new vCon; uuid, created_at and version are added where they are missing."""
    value = read_arguments(vcon)
    metadata = {"tags": _pairs(tags or [])} if tags else None
    _edit(
        db,
        lambda service: service.create(
            value, metadata=metadata, validate_first=validate, replace_existing=replace, dry_run=dry_run
        ),
        as_json=as_json,
        create=True,
        dry_run=dry_run,
    )


@from_template_app.command("from-template", cls=LightCommand)
@_shows
def from_template(
    template: Annotated[
        str,
        typer.Argument(
            metavar="TEMPLATE", help="phone_call, chat_conversation, email_thread, video_meeting or custom."
        ),
    ],
    parameters: Annotated[
        str, typer.Argument(metavar="JSON", help="parties, and subject, metadata, template_params; or @FILE, or -.")
    ],
    db: Db,
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Store a new vCon of a template, between two parties or more."""
    value = read_arguments(parameters)
    known = {"parties", "subject", "metadata", "template_params"}
    if unknown := sorted(value.keys() - known):
        fail(f"{unknown[0]!r} is none of {', '.join(sorted(known))}.", "", Exit.USAGE)
    _edit(
        db,
        lambda service: service.create_from_template(
            template,
            value.get("parties") or [],
            subject=value.get("subject") or "",
            metadata=value.get("metadata"),
            parameters=value.get("template_params"),
            dry_run=dry_run,
        ),
        as_json=as_json,
        create=True,
        dry_run=dry_run,
    )


@update_app.command("update", cls=LightCommand)
@_shows
def update(
    uuid: Uuid,
    updates: Json,
    db: Db,
    strategy: Annotated[str, typer.Option("--merge-strategy", help="replace, merge or append.")] = "merge",
    if_updated_at: IfUpdated = "",
    validate: Annotated[bool, typer.Option("--validate/--no-validate", help="Refuse what makes it invalid.")] = True,
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Change top-level fields: subject, extensions, critical, and those of extensions."""
    value = read_arguments(updates)
    chosen: Strategy = strategy  # type: ignore[assignment]  # the service refuses another word
    _edit(
        db,
        lambda service: service.update(
            uuid, value, strategy=chosen, if_updated_at=if_updated_at, validate_after=validate, dry_run=dry_run
        ),
        as_json=as_json,
    )


@delete_app.command("delete", cls=LightCommand)
@_shows
def delete(
    uuid: Uuid,
    db: Db,
    cascade: Annotated[bool, typer.Option("--cascade/--no-cascade", help="With its elements, or only if none.")] = True,
    if_updated_at: IfUpdated = "",
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Remove a vCon. --apply confirms it."""
    _edit(
        db,
        lambda service: service.delete(
            uuid, confirm=not dry_run, cascade=cascade, if_updated_at=if_updated_at, dry_run=dry_run
        ),
        as_json=as_json,
    )


@add_app.command("add", cls=LightCommand)
@_shows
def add(
    part: PartName,
    uuid: Uuid,
    element: Json,
    db: Db,
    if_updated_at: IfUpdated = "",
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Add an element behind the others of its kind."""
    value, of = read_arguments(element), _part(part)
    _edit(
        db,
        lambda service: service.add(uuid, of, value, if_updated_at=if_updated_at, dry_run=dry_run),
        as_json=as_json,
    )


@replace_app.command("replace", cls=LightCommand)
@_shows
def replace(
    part: PartName,
    uuid: Uuid,
    index: Index,
    element: Json,
    db: Db,
    if_updated_at: IfUpdated = "",
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Put another element in the place of one; fields that are not given are cleared."""
    value, of = read_arguments(element), _part(part)
    _edit(
        db,
        lambda service: service.replace(uuid, of, index, value, if_updated_at=if_updated_at, dry_run=dry_run),
        as_json=as_json,
    )


@remove_app.command("remove", cls=LightCommand)
@_shows
def remove(
    part: PartName,
    uuid: Uuid,
    index: Index,
    db: Db,
    anonymize: Annotated[bool, typer.Option("--anonymize", help="Leave an anonymous party, not an empty one.")] = False,
    reason: Annotated[str, typer.Option("--reason", help="Kept with the placeholder.")] = "",
    if_updated_at: IfUpdated = "",
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Take an element out. A party or dialog leaves a placeholder; analyses and attachments move up."""
    of = _part(part)
    _edit(
        db,
        lambda service: service.remove(
            uuid, of, index, anonymize=anonymize, reason=reason, if_updated_at=if_updated_at, dry_run=dry_run
        ),
        as_json=as_json,
    )


@tag_app.command("tag", cls=LightCommand)
@_shows
def tag(
    uuid: Uuid,
    pair: Annotated[str, typer.Argument(metavar="KEY=VALUE", help="The tag.")],
    db: Db,
    if_updated_at: IfUpdated = "",
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Set a tag."""
    ((key, value),) = _pairs([pair]).items()
    _edit(
        db,
        lambda service: service.set_tag(uuid, key, value, if_updated_at=if_updated_at, dry_run=dry_run),
        as_json=as_json,
    )


@untag_app.command("untag", cls=LightCommand)
@_shows
def untag(
    uuid: Uuid,
    db: Db,
    key: Annotated[str | None, typer.Option("--key", help="The tag to take away.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All tags.")] = False,
    if_updated_at: IfUpdated = "",
    dry_run: DryRun = True,
    as_json: AsJson = False,
) -> None:
    """Take a tag away, or all."""
    if (key is None) == (not every):
        fail("Say which: --key KEY, or --all.", "", Exit.USAGE)

    def change(service: VconService) -> Change:
        if key is None:
            return service.remove_all_tags(uuid, if_updated_at=if_updated_at, dry_run=dry_run)
        return service.remove_tag(uuid, key, if_updated_at=if_updated_at, dry_run=dry_run)

    _edit(db, change, as_json=as_json)


# --- what the commands share ---


def _edit(
    db: Path, change: Callable[[VconService], Change], *, as_json: bool, create: bool = False, dry_run: bool = False
) -> None:
    """Make one change and show it; *create* makes a store that is missing, unless it is a *dry_run*."""
    from gongctl.cli.vcon_cmd import print_differences
    from gongctl.vcon.diff import differences
    from gongctl.vcon.findings import VconRefused
    from gongctl.vcon.service import VconService
    from gongctl.vcon.store import VconStore, require_store

    require_store(db)
    try:
        with ExitStack() as stack:
            path = db
            if create and dry_run and not db.exists():  # a dry run leaves no file behind
                path = Path(stack.enter_context(TemporaryDirectory())) / "vcon.db"
            store = stack.enter_context(VconStore.open(path, create=create))
            done = change(VconService(store))
    except VconRefused as refused:
        for finding in refused.findings[1:]:
            note(f"{finding.code} {finding.path or '/'}: {finding.message}")
        code = Exit.FAILED if refused.code in ("VC_NOT_FOUND", "VC_CONFLICT") else Exit.USAGE
        fail(f"{refused.code}: {refused.message}.", "", code)
    found = differences(done.before or {}, done.after or {})
    if as_json:
        emit_json(
            {
                "uuid": done.uuid,
                "applied": done.applied,
                "index": done.index,
                "differences": [item.as_dict() for item in found],
                "findings": [finding.as_dict() for finding in done.findings],
            }
        )
        return
    print_differences(found)
    for finding in done.findings:
        note(f"{finding.code} {finding.path or '/'}: {finding.message}")
    if done.applied:
        emit_text(f"Done: {done.uuid}.")
    else:
        note("Nothing was changed. To do it: --apply.")


def _part(text: str) -> Part:
    from gongctl.vcon.elements import PARTS

    for part in PARTS:
        if text.casefold() == part:
            return part
    fail(f"PART is one of {', '.join(PARTS)}.", "", Exit.USAGE)


def _pairs(settings: list[str]) -> dict[str, str]:
    out = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key:
            fail("A tag is given as KEY=VALUE.", "For example: department=sales.", Exit.USAGE)
        out[key] = value
    return out
