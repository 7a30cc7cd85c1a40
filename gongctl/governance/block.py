"""Blocking a customer at once: one more entry in the restricted list, then a read model that is tightened to it.

The file is written first, whole or not at all. Whatever happens afterwards, the list says so, a running server's
last look follows it, and the next warm takes out what is left.
"""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gongctl.cache.connection import reading
from gongctl.cache.lock import ANOTHER_WRITER
from gongctl.cache.warm import warm
from gongctl.cache.writer import CacheWriter
from gongctl.file_lock import alone_with
from gongctl.governance.calls import secret_of
from gongctl.governance.verdicts import VerdictWriter
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.governance.restricted import MAX_TERM_CHARACTERS, RestrictedList, read_restricted_list
from gongmcp.governance.terms import Kind, Term, Unusable
from gongmcp.store.model import ModelRules

LIST: Final = "no_ai"
"""The list that a blocked customer is added to."""
WAIT_SECONDS: Final = 600.0
"""How long another writer of the cache is waited for."""
_POLL_SECONDS: Final = 0.1
_BOM: Final = "\ufeff"
_WIDE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Blocked:
    """A customer to block: its *name*, and what else is looked for; *reason* is for people."""

    name: str
    aliases: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    reason: str = ""

    def terms(self) -> list[Term]:
        """Return what is looked for.

        Raises:
            StartupRefusal: one of it cannot be looked for; the message says which and why.
        """
        given = [(Kind.NAME, "the name", self.name)]
        given += [(Kind.ALIAS, f"alias {number}", text) for number, text in enumerate(self.aliases, 1)]
        given += [(Kind.DOMAIN, f"domain {number}", text) for number, text in enumerate(self.domains, 1)]
        return [_term(kind, what, text) for kind, what, text in given]


def _term(kind: Kind, what: str, text: str) -> Term:
    reason = ""
    if not text.strip():
        reason = "it is blank"
    elif len(text) > MAX_TERM_CHARACTERS:
        reason = f"it has more than {MAX_TERM_CHARACTERS} characters"
    elif not text.isprintable():
        reason = "it holds characters that cannot be seen"
    else:
        try:
            return Term.of(kind, text)
        except Unusable as error:
            reason = str(error)
    raise StartupRefusal(
        f"Nothing was changed: {what} cannot be looked for, because {reason}.",
        "Give the full name; docs/restricted-names.md says what can be looked for.",
    )


@dataclass(frozen=True, slots=True)
class Tightened:
    """What became of the read model: calls *taken_out* of it, calls *judged* and seconds. *finished* is False when it
    was stopped or there is nothing to tighten; then *reason* says why."""

    taken_out: int = 0
    judged: int = 0
    seconds: float = 0.0
    finished: bool = False
    reason: str = ""


@contextmanager
def list_lock(path: Path) -> Iterator[None]:
    """Hold the list at *path* against other processes that block customers; waits for them."""
    with ExitStack() as held:
        try:
            held.enter_context(alone_with(path))
        except OSError as error:
            raise StartupRefusal(
                f"The list cannot be changed: {error.strerror} at {error.filename}.",
                "Check the permissions of the folder.",
            ) from error
        yield


def add_to_list(path: Path, customer: Blocked) -> bool:
    """Add *customer* to the list ``no_ai`` of the file at *path*, unless the file looks for all of it already.

    Comments, order and quotes of the file stay, and so do its mode and owner. Returns whether the file was changed.
    Hold ``list_lock``.

    Raises:
        StartupRefusal: the file is no restricted list, cannot be written, or the customer cannot be looked for.
    """
    wanted = {identity for term in customer.terms() for identity in term.identity()}
    known = _looked_for(read_restricted_list(path))
    if wanted <= known:
        return False
    _replace(path, _with_entry(path.read_bytes().decode("utf-8"), customer), known | wanted)
    return True


def _with_entry(text: str, customer: Blocked) -> str:
    """Return *text*, a restricted list, with *customer* behind the last one of ``no_ai``."""
    mark = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    newline = "\r\n" if "\r\n" in body else "\n"
    place = _place_behind_last(body)
    if place is None:
        return mark + _rewritten(body, customer).replace("\n", newline)
    at, column = place
    first, *rest = _entry_lines(customer)
    lines = [f"{' ' * column}- {first}", *(f"{' ' * column}  {line}" for line in rest)]
    return mark + body[:at] + "".join(newline + line for line in lines) + (body[at:] or newline)


def _place_behind_last(text: str) -> tuple[int, int] | None:
    """Return where the line ends on which the last customer of ``no_ai`` does, and the column of the dashes.

    None when the customers are no list with dashes, or when where they end is not plain to see.
    """
    from ruamel.yaml import YAML

    lists = _value(YAML(typ="safe", pure=True).compose(text), "lists")
    customers = _value(_value(lists, LIST), "customers")
    if customers is None or customers.id != "sequence" or customers.flow_style or not customers.value:
        return None
    last = customers.value[-1]
    if any(item.start_mark.index > last.start_mark.index for item in customers.value):
        return None  # the last one is an alias: its marks are those of its anchor
    nodes = [node for node in _below(last) if node.start_mark.index >= last.start_mark.index]
    if any(getattr(node, "style", None) in ("|", ">") for node in nodes):
        return None  # such a text ends where the next thing begins
    end = max(node.end_mark.index for node in nodes)
    at = min((found for sign in "\r\n" if (found := text.find(sign, end)) >= 0), default=len(text))
    return at, int(customers.start_mark.column)


def _value(node: Any, key: str) -> Any:
    """Return the value of *key* in a node of YAML that is a map; None when there is none."""
    if node is None or node.id != "mapping":
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _below(node: Any) -> Iterator[Any]:
    """Yield the scalars, and the lists and maps in brackets, at and below *node*: those that end where they seem to."""
    if node.id == "scalar" or node.flow_style:
        yield node
    elif node.id == "mapping":
        for key, value in node.value:
            yield from _below(key)
            yield from _below(value)
    else:
        for item in node.value:
            yield from _below(item)


def _entry_lines(customer: Blocked) -> list[str]:
    """Return the lines of a customer's entry, without indentation."""
    lines = [f"name: {_quoted(customer.name)}"]
    for key, values in (("aliases", customer.aliases), ("domains", customer.domains)):
        if values:
            lines.append(f"{key}: [{', '.join(map(_quoted, values))}]")
    if customer.reason:
        lines.append(f"reason: {_quoted(customer.reason)}")
    return lines


def _quoted(text: str) -> str:
    """Return *text* as a YAML scalar in double quotes, whatever it holds."""
    drawn = (f"\\{char}" if char in '"\\' else char if char.isprintable() else f"\\U{ord(char):08x}" for char in text)
    return f'"{"".join(drawn)}"'


def _rewritten(text: str, customer: Blocked) -> str:
    """Return *text* as ruamel.yaml writes it again, with *customer*: for lists that have no place for a line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = _WIDE  # long lines stay as they are
    tree = yaml.load(text)
    entry = YAML(typ="rt", pure=True).load("\n".join(_entry_lines(customer)))
    if LIST not in tree["lists"]:
        tree["lists"][LIST] = CommentedMap()
    held = tree["lists"][LIST]
    if not held.get("customers"):
        held["customers"] = CommentedSeq()
    if held["customers"].fa.flow_style():
        entry.fa.set_flow_style()
    mapping, offset = _layout(tree)
    yaml.indent(mapping=mapping, sequence=offset + 2, offset=offset)
    held["customers"].append(entry)
    stream = io.StringIO()
    yaml.dump(tree, stream)
    return stream.getvalue()


def _layout(tree: Any) -> tuple[int, int]:
    """Return by how much the file indents maps, and by how much the dashes of its lists."""
    lists = tree["lists"]
    mapping = lists.lc.col or 2
    for held in lists.values():
        customers = held.get("customers")
        if customers and not customers.fa.flow_style():
            return max(mapping, 1), max(customers.lc.col - held.lc.col, 0)
    return max(mapping, 1), 2


def _replace(path: Path, text: str, wanted: set[str]) -> None:
    """Put *text* in the place of the file at *path*: on the disk, looking for all of *wanted*, then moved at once."""
    target = path.resolve()
    stat = target.stat()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fchmod(file.fileno(), stat.st_mode & 0o7777)
            with suppress(OSError):  # only root may give a file to somebody else
                os.fchown(file.fileno(), stat.st_uid, stat.st_gid)
            os.fsync(file.fileno())
        if not wanted <= _looked_for(read_restricted_list(made)):
            raise StartupRefusal(
                f"{path.name} cannot be changed without losing some of it.", "Add the customer by hand.", Exit.FAILED
            )
        made.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise StartupRefusal(
            f"{path} cannot be written: {error.strerror}.", "Nothing was changed.", Exit.FAILED
        ) from error
    finally:
        made.unlink(missing_ok=True)


def _looked_for(restricted: RestrictedList) -> set[str]:
    return {identity for entry in restricted.entries for term in entry.terms for identity in term.identity()}


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_before(db: Path, rules: ModelRules, restricted: RestrictedList) -> None:
    """Refuse before anything is written when the model of *db* could not be tightened from *restricted* on.

    *rules* are those in force with the list as it is.

    Raises:
        StartupRefusal: it was warmed under other settings, or by a list that looks for more.
    """
    with reading(db) as connection:
        row = connection.execute("SELECT base FROM read_model WHERE id = 1").fetchone()
        if row is None:
            return
        if row[0] != rules.base:
            raise StartupRefusal(
                "The cache was warmed under other settings than those given; nothing was changed.",
                "Give the settings file of the server with --config (and --mask-participants as there).",
                Exit.REFUSED,
            )
        if not VerdictWriter(connection, secret_of(connection), restricted).is_stricter():
            raise StartupRefusal(
                "The list is looser than the one that the cache was warmed with; nothing was changed.",
                "Loosening needs a warm and a restart of the server: gongctl cache warm. Or name the list in force.",
                Exit.REFUSED,
            )


def tighten(
    db: Path,
    rules: ModelRules,
    restricted: RestrictedList,
    *,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    waiting: Callable[[str], None] | None = None,
    patience: float = WAIT_SECONDS,
) -> Tightened:
    """Take out of the model of *db* what *restricted* names; *rules* are those of the server with that list.

    Another writer is waited for, *patience* seconds at most; *waiting* is called once with what it is.

    Raises:
        StartupRefusal: the cache cannot be written, or its settings or list are not those that were checked.
    """
    asked = time.perf_counter()
    check_before(db, rules, restricted)
    with _waiting_writer(db, waiting, should_stop, patience) as writer:
        if writer.connection.execute("SELECT 1 FROM read_model WHERE id = 1").fetchone() is None:
            return Tightened(reason="The cache has no read model: nothing of it is served.")
        report = warm(writer, progress=progress, should_stop=should_stop, rules=rules, restricted=restricted)
    seconds = time.perf_counter() - asked
    return Tightened(
        report.removed, report.judged_again, seconds, report.finished, "" if report.finished else "It was stopped."
    )


@contextmanager
def _waiting_writer(
    db: Path, waiting: Callable[[str], None] | None, should_stop: Callable[[], bool] | None, patience: float
) -> Iterator[CacheWriter]:
    deadline = time.monotonic() + patience
    told = False
    with ExitStack() as stack:
        while True:
            try:
                writer = stack.enter_context(CacheWriter.open(db))
                break
            except StartupRefusal as refusal:
                stopped = should_stop is not None and should_stop()
                # Only another writer is waited for: a full disk would be as full the next time.
                if refusal.name != ANOTHER_WRITER or stopped or time.monotonic() > deadline:
                    raise
                if waiting is not None and not told:
                    waiting(refusal.message)
                    told = True
                time.sleep(_POLL_SECONDS)
        yield writer
