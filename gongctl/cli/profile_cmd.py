"""``gongctl profile``: map the CRM onto lifecycle buckets and concepts. The work is in ``gongctl.profile``."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gongctl.cli.output import emit_json, emit_text, fail, heading, json_text, note, paragraph, table, write_bytes
from gongctl.cli.restricted import not_sensitive, sensitive
from gongmcp.errors import Exit, StartupRefusal

if TYPE_CHECKING:
    import sqlite3

    from gongctl.profile.document import ProfileDocument
    from gongctl.profile.explain import Explanation, Lens, Moves
    from gongctl.profile.findings import Finding
    from gongctl.profile.model import Profile
    from gongctl.profile.store import StoredProfile
    from gongmcp.store.crm_names import CrmNames

app = typer.Typer(
    help="Map the company's CRM onto lifecycle buckets and concepts.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Db = Annotated[Path, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file.")]
OptionalDb = Annotated[
    Path | None, typer.Option("--db", envvar="GONGCTL_DB", help="Cache file; without one only the file is judged.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="Profile in YAML; - reads standard input.")]
Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="The server's settings file, for its [crm] names.")
]
MAX_BYTES = 4 << 20


def _read_bytes(file: Path) -> bytes:
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read(MAX_BYTES)
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES)
    except OSError as error:
        raise StartupRefusal(f"{file} cannot be read: {error.strerror}.", "Name a file.", Exit.USAGE) from error


def _read(file: Path) -> ProfileDocument:
    from gongctl.profile.document import read_profile

    return read_profile(_read_bytes(file), str(file))


def _print_yaml(text: str) -> None:
    """Print YAML on stdout as it is, in UTF-8 whatever the locale says: it is to be a file."""
    write_bytes((text if text.endswith("\n") else text + "\n").encode("utf-8"))


@contextmanager
def _profiles(db: Path) -> Iterator[sqlite3.Connection]:
    """Open the cache for reading and refuse one of a schema that knows no profiles yet."""
    from gongctl.cache.connection import reading
    from gongctl.cache.migrations import version_of
    from gongmcp.store.schema import SCHEMA_VERSION

    with reading(db) as connection:
        if version_of(connection) < SCHEMA_VERSION:
            raise StartupRefusal(
                f"The cache {db} has an older schema.",
                f"Run: gongctl cache init --db {shlex.quote(str(db))}",
                Exit.CACHE,
            )
        yield connection


@contextmanager
def _served(db: Path) -> Iterator[sqlite3.Connection]:
    """Open the cache for reading and refuse one that was not warmed: its CRM is known from the read model."""
    from gongctl.cache.status import cache_status

    status = cache_status(db)
    if status.migration_needed or status.read_model is None or not status.read_model.complete:
        hint = f"Run: {status.next[0]}" if status.next else ""
        raise StartupRefusal(f"The cache {db} has no read model yet.", hint, Exit.CACHE)
    with _profiles(db) as connection:
        yield connection


def _judged(document: ProfileDocument, db: Path | None) -> tuple[Finding, ...]:
    from gongctl.profile.inventory import read_inventory
    from gongctl.profile.validate import validate

    if db is None:
        return validate(document, None)
    with _served(db) as connection:
        return validate(document, read_inventory(connection))


def _finding_json(item: Finding) -> dict[str, Any]:
    return item.as_json()


def _print_findings(findings: tuple[Finding, ...]) -> None:
    if findings:
        table(
            ("line", "severity", "code", "where", "what"),
            [(str(f.line or ""), f.severity, f.code, f.path or "/", f.message) for f in findings],
        )


@app.command("discover")
@sensitive("sample values of the CRM")
def discover_profile(
    db: Db,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write there instead of standard output.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the profile.")] = "Discovered profile",
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
) -> None:
    """Propose a profile from the cached CRM objects and fields, as commented YAML to be edited.

    The comments hold sample values of the CRM: treat the file as what it is, an excerpt of customer data.
    """
    from gongctl.profile.discover import discover, to_yaml
    from gongctl.profile.inventory import read_inventory

    with _served(db) as connection:
        text = to_yaml(discover(read_inventory(connection), name))
    if out is None or str(out) == "-":
        _print_yaml(text)
        return
    try:
        _write_private(out, text, overwrite=force)
    except FileExistsError:
        fail(f"{out} exists.", "Name another file, or overwrite it with --force.", Exit.USAGE)
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror}.", "Name a file in a folder that you may write.", Exit.FAILED)
    note(f"Wrote {out}.")
    note(f"Next: gongctl profile validate {shlex.quote(str(out))} --db {shlex.quote(str(db))}")


def _write_private(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a file that only its owner may read, for it holds values of the CRM; one that exists keeps its mode."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if overwrite else os.O_EXCL)
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)


@app.command("validate")
@not_sensitive
def validate_profile(
    file: File,
    db: OptionalDb = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on what is missing for production use as well.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge a profile: its form and, with a cache, whether the CRM has what it names. Exits 1 when it is invalid.

    With --strict it also exits 1 when the profile is not ready: no methodology, no loss reason, a bucket that
    nothing fills, a concept that only dates of creation support.
    """
    from gongctl.profile.canonical import canonical_sha256
    from gongctl.profile.findings import valid
    from gongctl.profile.validate import readiness

    document = _read(file)
    findings = _judged(document, db)
    profile = document.profile
    is_valid = valid(findings) and profile is not None
    digest = canonical_sha256(profile) if profile is not None else None
    ready = readiness(profile, findings) if strict and profile is not None else None
    passed = is_valid and (ready is None or not ready.blocking)
    if as_json:
        emit_json(
            {
                "file": str(file),
                "valid": is_valid,
                "passed": passed,
                "checked_against_cache": db is not None,
                "source_sha256": document.source_sha256,
                "canonical_sha256": digest,
                "findings": [_finding_json(item) for item in findings],
                "readiness": None if ready is None else ready.as_json(),
            }
        )
    else:
        _print_findings(findings)
        counts = {name: sum(f.severity == name for f in findings) for name in ("error", "warn", "info")}
        emit_text(
            f"{file} is {'valid' if is_valid else 'invalid'}: {counts['error']} errors, {counts['warn']} warnings, "
            f"{counts['info']} remarks" + ("." if db is not None else "; the CRM was not looked at (no --db).")
        )
        if ready is not None:
            emit_text("Ready for production use." if not ready.blocking else "Not ready for production use:")
            for reason in ready.blocking:
                paragraph(reason, indent="  ")
    if not passed:
        raise SystemExit(int(Exit.FAILED))


@app.command("import")
@not_sensitive
def import_file(
    file: File,
    db: Db,
    activate: Annotated[
        bool, typer.Option("--activate/--no-activate", help="Make it the active profile at once.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Check a profile against the cache and store it; one that is invalid changes nothing.

    Afterwards gongctl cache warm makes its facts. Until then the tools that need them say so. To avoid that gap:
    import with --no-activate, warm with --profile, then activate.
    """
    import getpass

    from gongctl.cache.writer import CacheWriter
    from gongctl.profile.canonical import canonical_sha256
    from gongctl.profile.document import read_profile
    from gongctl.profile.findings import valid
    from gongctl.profile.store import import_profile, source_label

    data = _read_bytes(file)
    document = read_profile(data, str(file))
    findings = _judged(document, db)
    if document.profile is None or not valid(findings):
        if as_json:
            emit_json({"db": str(db), "imported": False, "findings": [_finding_json(item) for item in findings]})
        else:
            _print_findings(findings)
        fail(f"{file} is invalid; nothing was imported.", "Correct the errors above.", Exit.FAILED)
    profile = document.profile
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no name for the user id
        user = ""
    with CacheWriter.open(db) as writer:
        report = import_profile(
            writer,
            profile,
            canonical_sha256=canonical_sha256(profile),
            source=data.decode("utf-8"),
            source_sha256=document.source_sha256,
            source_path=source_label(file),
            findings=[_finding_json(item) for item in findings if item.severity == "warn"],
            imported_by=user,
            activate=activate,
        )
    stored = report.profile
    following = _next_after(db, stored)
    if as_json:
        emit_json(
            {
                "db": str(db),
                "imported": report.imported,
                "activated": report.activated,
                "profile": stored.as_json(),
                "findings": [_finding_json(item) for item in findings],
                "next": following,
            }
        )
        return
    _print_findings(tuple(item for item in findings if item.severity != "info"))
    what = "Imported" if report.imported else "Its meaning was known already; renewed the text of"
    emit_text(
        f"{what} {stored.name} as {stored.profile_id} ({stored.canonical_sha256[:12]})"
        + ("; it is the active profile." if stored.is_active else "; it is not active.")
    )
    for command in following:
        note(f"Next: {command}")


def _next_after(db: Path, stored: StoredProfile) -> list[str]:
    where = f"--db {shlex.quote(str(db))}"
    warm = [] if stored.facts == "complete" else ["gongctl cache warm"]
    if not stored.is_active:
        warm = [f"{command} --profile {stored.profile_id} {where}{_rules_of_model(db)}" for command in warm]
        return [*warm, f"gongctl profile activate {stored.profile_id} {where}"]
    return [f"{command} {where}{_rules_of_model(db)}" for command in warm]


def _rules_of_model(db: Path) -> str:
    """Return the flags that warming needs so that the model stays what it is: FILE is what it was warmed with."""
    from gongmcp.store.model import ModelRules

    with _profiles(db) as connection:
        base, restricted = connection.execute("SELECT base, restricted FROM read_model WHERE id = 1").fetchone()
    with_settings = " --config FILE" if base != ModelRules().base else ""
    return with_settings + (" --ai-governance-config FILE" if restricted else "")


Reference = Annotated[
    str, typer.Argument(metavar="PROFILE", help="active, an id (profile_3), or the beginning of a hash.")
]


def _not_as_text(values: Mapping[str, Any]) -> bool:
    return bool(values["as_json"]) or values["form"] != "text"


@app.command("show")
@sensitive("sample values of the CRM", case="unless --format text", when=_not_as_text)
def show_profile(
    db: Db,
    profile: Reference = "active",
    form: Annotated[
        Literal["text", "yaml", "json"], typer.Option("--format", help="yaml prints the file as it was imported.")
    ] = "text",
    as_json: Json = False,
) -> None:
    """Show a stored profile: the active one unless another is named."""
    from gongctl.profile.store import content_of, find, source_of

    with _profiles(db) as connection:
        stored = find(connection, profile)
        content, source = content_of(connection, stored.profile_no), source_of(connection, stored.profile_no)
    if form == "json" or as_json:
        emit_json({"profile": stored.as_json(), "content": content.plain()})
    elif form == "yaml":
        _print_yaml(source)
    else:
        _print_profile(stored, content)


def _print_profile(stored: StoredProfile, content: Profile) -> None:
    emit_text(
        f"{stored.name} ({stored.profile_id}), {'active' if stored.is_active else 'not active'}, facts {stored.facts}"
    )
    emit_text(
        f"Imported {stored.imported_at} by {stored.imported_by or 'unknown'} from {stored.source_path}; "
        f"meaning {stored.canonical_sha256[:12]}, file {stored.source_sha256[:12]}.\n"
    )
    table(("object", "CRM types"), [(item.name, ", ".join(item.object_types)) for item in content.objects])
    emit_text("")
    table(
        ("field concept", "object", "CRM fields", "groups"),
        [(f.name, f.object, ", ".join(f.names), "yes" if f.groupable else "no") for f in content.fields],
    )
    emit_text("")
    table(
        ("bucket", "order", "rules", "label"),
        [(b.name, str(b.order), str(len(b.rules)), b.label) for b in content.ordered_buckets()],
    )
    if content.methodology:
        emit_text("")
        table(
            ("methodology", "fields", "description"),
            [(m.name, ", ".join(f"{f.object}.{f.name}" for f in m.fields), m.description) for m in content.methodology],
        )


@app.command("history")
@not_sensitive
def profile_history(db: Db, as_json: Json = False) -> None:
    """List every imported profile, the newest import first."""
    from gongctl.profile.store import history

    with _profiles(db) as connection:
        found = history(connection)
    if as_json:
        emit_json({"db": str(db), "profiles": [item.as_json() for item in found]})
        return
    if not found:
        emit_text("No profile was imported.")
        return
    table(
        ("", "profile", "name", "meaning", "imported", "by", "facts", "warnings"),
        [
            (
                *("active" if p.is_active else "", p.profile_id, p.name, p.canonical_sha256[:12], p.imported_at),
                *(p.imported_by, p.facts, str(len(p.findings))),
            )
            for p in found
        ],
    )


@app.command("activate")
@not_sensitive
def activate_profile(db: Db, profile: Reference, as_json: Json = False) -> None:
    """Make a stored profile the active one, at once. The one before keeps its facts: going back needs no warm.

    builtin lets the builtin lifecycle answer again, without any profile.
    """
    from gongctl.cache.writer import CacheWriter
    from gongctl.profile.store import activate, deactivate

    if profile == "builtin":
        with CacheWriter.open(db) as writer:
            deactivate(writer)
        if as_json:
            emit_json({"db": str(db), "profile": None, "next": []})
        else:
            emit_text("No profile is active; the builtin lifecycle answers.")
        return
    with CacheWriter.open(db) as writer:
        stored = activate(writer, profile)
    following = _next_after(db, stored)
    if as_json:
        emit_json({"db": str(db), "profile": stored.as_json(), "next": following})
        return
    emit_text(f"{stored.name} ({stored.profile_id}) is the active profile; its facts are {stored.facts}.")
    for command in following:
        note(f"Next: {command}")


@contextmanager
def _reading(db: Path | None) -> Iterator[sqlite3.Connection | None]:
    if db is None:
        yield None
        return
    with _profiles(db) as connection:
        yield connection


def _named(reference: str, connection: sqlite3.Connection | None) -> Profile:
    """Return the profile that *reference* names: a file, or one in the cache.

    Raises:
        StartupRefusal: a file with errors, or no such profile.
    """
    from gongctl.profile.store import content_of, find

    path = Path(reference)
    if path.suffix in {".yaml", ".yml"} or os.path.isfile(reference):  # noqa: PTH113 (a long name is no error)
        document = _read(path)
        if document.profile is None:
            _print_findings(document.findings)
            raise StartupRefusal(
                f"{path} is invalid.", f"Look at it: gongctl profile validate {shlex.quote(str(path))}", Exit.FAILED
            )
        return document.profile
    if connection is None:
        raise StartupRefusal(f"{reference} is no file.", "Give --db to name a stored profile.", Exit.USAGE)
    return content_of(connection, find(connection, reference).profile_no)


@app.command("diff")
@sensitive("values that the rules of a profile compare with")
def diff_profiles(
    to: Annotated[str, typer.Argument(metavar="TO", help="A YAML file, or a stored profile.")],
    before: Annotated[str, typer.Option("--from", metavar="FROM", help="The same; the active one unless given.")] = (
        "active"
    ),
    db: OptionalDb = None,
    as_json: Json = False,
) -> None:
    """Compare two profiles section by section: what was added, removed and changed in meaning or in words."""
    from gongctl.profile.canonical import canonical_sha256
    from gongctl.profile.diff import diff

    with _reading(db) as connection:
        old, new = _named(before, connection), _named(to, connection)
    sections = diff(old, new)
    same = canonical_sha256(old) == canonical_sha256(new)
    if as_json:
        emit_json(
            {
                "from": canonical_sha256(old),
                "to": canonical_sha256(new),
                "same_meaning": same,
                "sections": [item.as_json() for item in sections],
            }
        )
        return
    emit_text("The two mean the same." if same else "The two differ in meaning.")
    for section in sections:
        emit_text("")
        heading(section.section)
        for sign, names in (("+", section.added), ("-", section.removed)):
            for name in names:
                paragraph(f"{sign} {name}", indent="  ")
        for name, was, now in section.changed:
            paragraph(f"~ {name}", indent="  ")
            paragraph(f"was {json_text(was, compact=True)}", indent="      ")
            paragraph(f"now {json_text(now, compact=True)}", indent="      ")


@app.command("schema")
@not_sensitive
def print_schema() -> None:
    """Print the JSON Schema of a profile's YAML."""
    from gongctl.profile.schema import profile_json_schema

    emit_json(profile_json_schema())


@app.command("explain")
@sensitive("values of the CRM and call ids", case="unless --against", when=lambda values: values["against"] is None)
def explain_profile(
    db: Db,
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            metavar="PROFILE",
            help="A YAML file, a stored profile, or builtin; the active one, builtin without one.",
        ),
    ] = "active",
    call: Annotated[
        str | None, typer.Option("--call", metavar="CALL", help="Explain this call (its id or alias) rule by rule.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", min=1, max=1000, help="Explain the newest N calls.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="PROFILE",
            help="Compare all calls: how many move from the buckets of --profile to those of this one.",
        ),
    ] = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Say which bucket a call falls into, by which rule and value; or how many calls another profile moves.

    Prints values of the CRM as they are: it is for the operator's eyes.
    """
    from gongctl.cli.cache_cmd import model_policy
    from gongctl.cli.progress import items_progress
    from gongctl.profile.explain import SAMPLE_CALLS, compare, explain_call, explain_sample

    names = model_policy(config).settings.model_rules().names
    with _profiles(db) as connection:
        before = _lens(profile, connection, names)
        if against is not None:
            after = _lens(against, connection, names)
            with items_progress("Classifying") as progress:
                moves = compare(connection, before, after, names, progress=progress)
            _emit_moves(moves, before, after, as_json=as_json)
            return
        if call is not None:
            found = [explain_call(connection, call, before, names)]
        else:
            found = explain_sample(connection, sample or SAMPLE_CALLS, before, names)
    if as_json:
        emit_json({"calls": [_explanation_json(item, trace=call is not None) for item in found]})
        return
    table(
        ("call", "started", "bucket", "rule", "read from", "value"),
        [
            (e.call_id, e.started_at[:16], e.bucket, e.rule_path or e.reason, ", ".join(e.evidence_fields), e.value)
            for e in found
        ],
    )
    if call is not None and found[0].trace:
        emit_text("")
        table(
            ("bucket", "rule", "holds", "read"),
            [
                (s.bucket, s.rule_path, "yes" if s.held else "no", "; ".join(f"{w}={v!r}" for v, w in s.read))
                for s in found[0].trace
            ],
        )


def _lens(reference: str, connection: sqlite3.Connection, names: CrmNames) -> Lens:
    from gongctl.profile.explain import Lens
    from gongctl.profile.store import history

    if reference == "active" and not any(item.is_active for item in history(connection)):
        reference = "builtin"  # which answers as long as no profile does
    return Lens(None if reference == "builtin" else _named(reference, connection), names)


def _explanation_json(item: Explanation, *, trace: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "call_id": item.call_id,
        "started_at": item.started_at,
        "bucket": item.bucket,
        "confidence": item.confidence,
        "reason": item.reason,
        "rule": item.rule_path or None,
        "evidence_fields": list(item.evidence_fields),
        "value": item.value,
    }
    if trace:
        found["trace"] = [
            {
                "bucket": step.bucket,
                "rule": step.rule_path,
                "held": step.held,
                "read": [{"field": where, "value": value} for value, where in step.read],
            }
            for step in item.trace
        ]
    return found


def _emit_moves(moves: Moves, before: Lens, after: Lens, *, as_json: bool) -> None:
    was, now = moves.totals(0), moves.totals(1)
    pairs = sorted(moves.moves.items(), key=lambda item: (-item[1], item[0]))
    if as_json:
        emit_json(
            {
                "calls": moves.calls,
                "moved": moves.moved,
                "before": [{"bucket": name, "calls": was[name]} for name in _ordered(before, was)],
                "after": [{"bucket": name, "calls": now[name]} for name in _ordered(after, now)],
                "moves": [{"before": a, "after": b, "calls": count} for (a, b), count in pairs],
            }
        )
        return
    emit_text(f"{moves.moved:,} of {moves.calls:,} calls have another bucket.\n")
    rows = [*_ordered(before, was), *(name for name in _ordered(after, now) if name not in was)]
    table(
        ("bucket", "before", "after"),
        [(name, f"{was.get(name, 0):,}", f"{now.get(name, 0):,}") for name in rows],
    )
    changed = [(a, b, f"{count:,}") for (a, b), count in pairs if a != b]
    if changed:
        emit_text("")
        table(("from", "to", "calls"), changed)


def _ordered(lens: Lens, found: dict[str, int]) -> list[str]:
    order = lens.order()
    known = [name for name in order if name in found]
    return known + sorted(name for name in found if name not in order)
