"""What the operator can do from the TUI, on one cache."""

from __future__ import annotations

import shlex
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gongctl.cli.output import counted
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.settings import ServerSettings

if TYPE_CHECKING:
    from gongctl.cache.status import CacheStatus
    from gongctl.governance.explain import CallExplanation
    from gongctl.governance.report import Audit, EntryCount, Standing
    from gongctl.profile.explain import Lens, Moves
    from gongctl.profile.findings import Finding
    from gongctl.profile.model import Profile
    from gongctl.profile.store import StoredProfile
    from gongmcp.cancel import Cancel
    from gongmcp.exposure.ledger import Ledger
    from gongmcp.exposure.policy import Policy
    from gongmcp.governance.restricted import RestrictedList
    from gongmcp.handler import Outcome
    from gongmcp.store.model import ModelRules
    from tui.operations import (
        BucketCount,
        BucketMove,
        CallVerdict,
        GovernanceView,
        MappedConcept,
        ProfileComparison,
        ProfileFinding,
        ProfileView,
        RuleCount,
        UnmappedField,
    )

MAX_BYTES: Final = 4 << 20
"""Of a candidate file, how much is read; what is longer than the format allows is a finding."""

BUILTIN: Final = "the builtin lifecycle"


class CacheOperations:
    """The TUI's ``Operations`` on the cache at *db*, served under *settings* (None = the defaults).

    *config* is the settings file that they came from, for the commands to run next. In *restricted* mode no customer
    is named and no call is looked into.
    """

    def __init__(
        self,
        db: Path,
        settings: ServerSettings | None = None,
        *,
        config: Path | None = None,
        restricted: bool = False,
    ) -> None:
        self._db = db
        self._given = settings or ServerSettings()
        self._rules = self._given.model_rules()
        self._config = config
        self._restricted = restricted
        self._audited: tuple[object, Audit] | None = None
        self._auditing = threading.Lock()

    @property
    def _settings(self) -> ServerSettings:
        """The settings with the restricted list as its file is now, for it may have been tightened meanwhile."""
        if self._given.restricted_path is None:
            return self._given
        from gongmcp.governance.restricted import read_restricted_list

        return replace(self._given, restricted=read_restricted_list(self._given.restricted_path))

    def warm(self, progress: Callable[[int, int], None], should_stop: Callable[[], bool]) -> str:
        """Build or renew the read model; see ``tui.operations.Operations``.

        Raises:
            StartupRefusal: the cache cannot be written.
        """
        from gongctl.cache.operator_model import operator_path, warm_operator_model
        from gongctl.cache.warm import warm
        from gongctl.cache.writer import CacheWriter

        settings = self._settings
        with CacheWriter.open(self._db) as writer:
            report = warm(
                writer,
                progress=progress,
                should_stop=should_stop,
                rules=settings.model_rules(),
                restricted=settings.restricted,
            )
            if report.finished and not self._restricted and operator_path(self._db).exists():
                warm_operator_model(writer, settings.model_rules(), should_stop=should_stop)
        return (
            f"Redone: {report.redone:,} of {counted(report.looked_at, 'call')} looked at, "
            f"{counted(report.segments, 'segment')}."
        )

    def profile(self) -> ProfileView | None:
        """Return the active business profile, judged anew against the CRM as it is warmed now.

        Raises:
            StartupRefusal: the cache cannot be read, or has an older schema.
        """
        from gongctl.cache.connection import reading
        from gongctl.profile.document import read_profile
        from gongctl.profile.inventory import read_inventory
        from gongctl.profile.store import content_of, history, source_of
        from gongctl.profile.validate import validate
        from tui.operations import ProfileView

        status = self._status()
        with reading(self._db) as connection:
            stored = next((item for item in history(connection) if item.is_active), None)
            if stored is None or status.profile is None:
                return None
            content = content_of(connection, stored.profile_no)
            inventory = read_inventory(connection) if _is_built(status) else None
            document = read_profile(source_of(connection, stored.profile_no), stored.source_path)
            return ProfileView(
                profile_id=stored.profile_id,
                name=stored.name,
                imported=stored.imported_at,
                facts=status.profile.freshness,
                reason=status.profile.reason,
                concepts=tuple(_concepts(content)),
                unmapped=_unmapped(connection) if inventory is not None else (),
                findings=_findings(validate(document, inventory)),
                buckets=_buckets(connection, stored, content) if status.profile.freshness != "missing" else (),
            )

    def compare_profile(
        self, path: str, progress: Callable[[int, int], None], should_stop: Callable[[], bool]
    ) -> ProfileComparison:
        """Judge the file *path* and count where it would move the calls; see ``tui.operations.Operations``.

        Raises:
            StartupRefusal: the file or the cache cannot be read, or nothing is warmed yet.
        """
        from gongctl.cache.connection import reading
        from gongctl.profile.canonical import canonical_sha256
        from gongctl.profile.document import read_profile
        from gongctl.profile.explain import Lens, compare
        from gongctl.profile.findings import valid
        from gongctl.profile.inventory import read_inventory
        from gongctl.profile.store import content_of, history
        from gongctl.profile.validate import validate
        from tui.operations import ProfileComparison

        file = _expanded(path)
        data = _read(file)
        status = self._status()
        if not _is_built(status):
            hint = "Warm it first (w)."
            raise StartupRefusal("The cache has no read model, so it is not known what the CRM has.", hint, Exit.CACHE)
        names = self._rules.names
        with reading(self._db) as connection:
            stored = next((item for item in history(connection) if item.is_active), None)
            active = None if stored is None else content_of(connection, stored.profile_no)
            against = BUILTIN if stored is None else f"{stored.name} ({stored.profile_id})"
            document = read_profile(data, path)
            findings = validate(document, read_inventory(connection))
            candidate = document.profile
            if candidate is None or not valid(findings):
                return ProfileComparison(file.name, against, False, False, _findings(findings), (), 0, True)
            before, after = Lens(active, names), Lens(candidate, names)
            found = compare(connection, before, after, names, progress=progress, should_stop=should_stop)
        return ProfileComparison(
            candidate=f"{candidate.name} ({file.name})" if candidate.name else file.name,
            against=against,
            valid=True,
            same_meaning=active is not None and canonical_sha256(active) == canonical_sha256(candidate),
            findings=_findings(findings),
            moves=_moves(found, before, after),
            calls=found.calls,
            finished=found.finished,
        )

    def outside(self) -> int:
        """Return how many calls do not exist for agents, by the verdicts alone.

        Without a model of this policy agents get no call at all, which is said elsewhere: that counts as 0.

        Raises:
            StartupRefusal: the cache cannot be read, or has an older schema.
        """
        from gongctl.governance.report import scope_report

        with self._verdicts() as connection:
            found = scope_report(connection, self._settings.model_rules())
        return 0 if _state(found.standing) == "missing" else found.not_served

    def ungoverned(
        self, tool: str, arguments: dict[str, Any], policy: Policy, outcome: Outcome, cancel: Cancel
    ) -> Ledger:
        """Return what governance took from *outcome*; in restricted mode nothing is looked at."""
        from gongctl.governance.ungoverned import taken_by_governance
        from gongmcp.exposure.ledger import Ledger

        if self._restricted:
            return Ledger()
        taken = taken_by_governance(self._db, self._given, policy, tool, arguments, outcome, cancel)
        return Ledger() if taken is None else taken.ledger()

    def governance(self) -> GovernanceView:
        """Return what scope and restricted list take from agents, by the verdicts of the last warm.

        Raises:
            StartupRefusal: cache or list cannot be read, or the cache has an older schema.
        """
        from gongctl.governance.report import scope_report
        from tui.operations import GovernanceView, RuleCount

        settings = self._settings
        rules, listed = settings.model_rules(), settings.restricted
        with self._verdicts() as connection:
            found = scope_report(connection, rules)
            standing = found.standing
            state = _state(standing)
            counted = state != "missing"
            audited = self._audit(connection, rules, listed) if listed is not None and counted else None
        return GovernanceView(
            list_name="" if settings.restricted_path is None else settings.restricted_path.name,
            customers=0 if listed is None else len(listed.entries),
            state=state,
            reason=standing.reason() or "Every call is judged.",
            next="" if state == "fresh" else self._warm_command(),
            calls=standing.calls,
            served=found.served if counted else 0,
            scope=tuple(RuleCount(*pair) for pair in found.by_rule.items()) if counted else (),
            restricted=() if audited is None else tuple(self._count(item) for item in audited.entries),
            unmatched=tuple(map(self._name, audited.unmatched)) if audited is not None and state == "fresh" else (),
        )

    def call_verdict(self, reference: str) -> CallVerdict | None:
        """Return why a call is served or not, judged now and quoted; see ``tui.operations.Operations``.

        Raises:
            StartupRefusal: restricted mode, or cache or list cannot be read.
        """
        from gongctl.governance.explain import explain_call
        from gongctl.governance.report import standing

        if self._restricted:
            raise StartupRefusal("Restricted mode: no call is looked into.", "", Exit.REFUSED)
        settings = self._settings
        rules = settings.model_rules()
        with self._verdicts() as connection:
            try:
                found = explain_call(connection, reference, rules, settings.restricted)
            except StartupRefusal as refusal:
                if refusal.exit_code is Exit.USAGE:
                    return None
                raise
            return _verdict(found, found.in_model and _state(standing(connection, rules)) != "missing")

    def _audit(self, connection: sqlite3.Connection, rules: ModelRules, listed: RestrictedList) -> Audit:
        """Return the audit of *listed*; it reads every suppressed call, so it is kept while the cache stays as it is.

        What is kept are counts and the entries of the list, no word of a call.
        """
        from gongctl.governance.report import audit

        with self._auditing:
            model = connection.execute("SELECT digest, generation FROM read_model WHERE id = 1").fetchone()
            data = connection.execute("SELECT value FROM meta WHERE key = 'data_generation'").fetchone()
            key = (rules.digest, model, data)
            if self._audited is None or self._audited[0] != key:
                self._audited = key, audit(connection, rules, listed)
            return self._audited[1]

    @contextmanager
    def _verdicts(self) -> Iterator[sqlite3.Connection]:
        from gongctl.cache.connection import reading

        self._status()  # refuses an older schema
        with reading(self._db) as connection:
            yield connection

    def _count(self, item: EntryCount) -> RuleCount:
        from gongctl.governance.judge import SOURCES
        from tui.operations import RuleCount

        where = tuple((source, item.sources[source]) for source in SOURCES if item.sources[source])
        return RuleCount(self._name(item), item.calls, where)

    def _name(self, item: EntryCount) -> str:
        return str(item.entry) if self._restricted else item.entry.name

    def _warm_command(self) -> str:
        given = {"--config": self._config, "--ai-governance-config": self._given.restricted_path}
        flags = "".join(f" {flag} {shlex.quote(str(file))}" for flag, file in given.items() if file is not None)
        masked = self._given.policy.mask_participants and self._given.sources.get("mask_participants") == "flag"
        return f"gongctl cache warm --db {shlex.quote(str(self._db))}{flags}{' --mask-participants yes' * masked}"

    def _status(self) -> CacheStatus:
        from gongctl.cache.status import cache_status

        status = cache_status(self._db, rules=self._rules)
        if status.migration_needed:
            hint = f"Run: gongctl cache init --db {shlex.quote(str(self._db))}"
            raise StartupRefusal(f"The cache {self._db} has an older schema.", hint, Exit.CACHE)
        return status


def _is_built(status: CacheStatus) -> bool:
    return status.read_model is not None and status.read_model.complete


def _state(standing: Standing) -> str:
    """Return the state of the model of the settings asked about: without one, or one of others, agents get no call."""
    if not (standing.complete and standing.settings_in_force and standing.list_in_force):
        return "missing"
    return "fresh" if standing.current else "stale"


def _verdict(found: CallExplanation, served: bool) -> CallVerdict:
    """Return the first reason of *found*; the list comes before the scope, as when calls are judged."""
    from tui.operations import CallVerdict

    if found.mentions:
        mention = found.mentions[0]
        excerpt = f"{mention.before} [{mention.text}] {mention.after}".strip()
        return CallVerdict(found.call_id, served, mention.entry.name, mention.source, excerpt)
    if found.scope is not None:
        said = f"{found.scope.says}; here it is {found.scope.value}"
        return CallVerdict(found.call_id, served, found.scope.rule, "scope", said)
    return CallVerdict(found.call_id, served, "", "", "")


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise StartupRefusal(f"{path} cannot be read: no such user.", "Give the path in full.", Exit.USAGE) from error


def _read(file: Path) -> bytes:
    """Return the bytes of a regular *file*: reading a pipe or a device could wait for ever."""
    try:
        if file.exists() and not file.is_file():
            what = "a folder" if file.is_dir() else "no regular file"
            raise StartupRefusal(f"{file} is {what}.", "Name a YAML file.", Exit.USAGE)
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no path"
        raise StartupRefusal(f"{file} cannot be read: {reason}.", "Name a YAML file.", Exit.USAGE) from error


def _findings(findings: Iterable[Finding]) -> tuple[ProfileFinding, ...]:
    from tui.operations import ProfileFinding

    return tuple(ProfileFinding(item.severity, item.code, item.message, item.path, item.line) for item in findings)


def _concepts(profile: Profile) -> Iterator[MappedConcept]:
    from tui.operations import MappedConcept

    for alias in profile.objects:
        yield MappedConcept("object", alias.name, ", ".join(alias.object_types), groupable=False)
    for concept in profile.fields:
        names = ", ".join(f"{concept.object}.{name}" for name in concept.names)
        yield MappedConcept("field", concept.name, names, concept.groupable)
    for method in profile.methodology:
        fields = ", ".join(f"{field.object}.{field.name}" for field in method.fields)
        yield MappedConcept("methodology", method.name, fields, groupable=False)


def _unmapped(connection: sqlite3.Connection) -> tuple[UnmappedField, ...]:
    """Return what the tool ``list_unmapped_crm_fields`` lists, with every name."""
    from gongmcp.store.connection import ReadStore
    from gongmcp.store.crm import all_fields
    from gongmcp.store.profile import require_profile
    from tui.operations import UnmappedField

    connection.row_factory = sqlite3.Row
    try:
        store = ReadStore(connection)
        mapped = require_profile(store).mapped_fields()
        return tuple(
            UnmappedField(item.object_type, item.field_name, item.populated / item.objects if item.objects else 0.0)
            for item in all_fields(store)
            if (item.object_type, item.field_name) not in mapped
        )
    finally:
        connection.row_factory = None


def _buckets(connection: sqlite3.Connection, stored: StoredProfile, profile: Profile) -> tuple[BucketCount, ...]:
    from tui.operations import BucketCount

    counts: dict[str, int] = dict(
        connection.execute(
            "SELECT bucket, count(*) FROM profile_facts WHERE profile_no = ? GROUP BY bucket", (stored.profile_no,)
        ).fetchall()
    )
    labels = {bucket.name: bucket.label for bucket in profile.ordered_buckets()}
    return tuple(
        BucketCount(name, labels.get(name, ""), counts.get(name, 0)) for name in dict.fromkeys([*labels, *counts])
    )


def _moves(found: Moves, before: Lens, after: Lens) -> tuple[BucketMove, ...]:
    """Return the moves in the order in which the two lifecycles try their buckets."""
    from tui.operations import BucketMove

    was = {bucket: place for place, bucket in enumerate(before.order())}
    now = {bucket: place for place, bucket in enumerate(after.order())}

    def place(pair: tuple[str, str]) -> tuple[int, str, int, str]:
        return was.get(pair[0], len(was)), pair[0], now.get(pair[1], len(now)), pair[1]

    return tuple(BucketMove(*pair, found.moves[pair]) for pair in sorted(found.moves, key=place))
