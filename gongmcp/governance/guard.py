"""The last look: does an outgoing text name a restricted customer that everything before it missed?

Texts that come from data are looked at; the caller's own arguments stand in echo fields and are not. A miss is a
withheld row and a line in the log that names the entry by its number, never by its name.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gongmcp.errors import StartupRefusal
from gongmcp.governance.names import Matcher
from gongmcp.governance.restricted import RestrictedList, read_restricted_list

log = logging.getLogger("gongmcp")

_Stamp = tuple[int, int, int, int] | None


class Guard:
    """The restricted list in force. Follows its file while the server runs; it never looks for less than before.

    Thread-safe. *path* is the file that *restricted* was read from; None = it cannot change.
    """

    def __init__(self, restricted: RestrictedList, path: Path | None = None) -> None:
        self._restricted = restricted
        self._matcher = Matcher(restricted)
        self._path = path
        self._stamp = _stamp(path)
        self._lock = threading.Lock()

    def names(self, value: Any) -> bool:
        """Tell whether a text anywhere in *value* (JSON values) names a restricted customer."""
        if isinstance(value, str):
            return bool(value) and self._hit(value)
        if isinstance(value, Mapping):
            return any(self.names(item) for item in value.values())
        return isinstance(value, list | tuple) and any(self.names(item) for item in value)

    def without(self, value: Any) -> Any:
        """Return *value* without what names a restricted customer: items of lists, entries of objects."""
        if isinstance(value, Mapping):
            return {
                key: self.without(item)
                for key, item in value.items()
                if not (isinstance(item, str) and item and self._hit(item))
            }
        if isinstance(value, list):
            return [self.without(item) for item in value if not self.names(item)]
        return value

    def follow(self) -> None:
        """Take a changed file over: at once, and so that nothing is answered by the list before meanwhile.

        What is new in the file is looked for from now on. What is no longer in it goes on being looked for until the
        server starts again, and so does the whole list while the file cannot be read; a changed file is tried again.
        """
        if self._path is None or _stamp(self._path) == self._stamp:
            return
        with self._lock:  # who comes meanwhile waits here for the new list
            stamp = _stamp(self._path)
            if stamp == self._stamp:
                return
            try:
                changed = read_restricted_list(self._path)
            except StartupRefusal as refusal:
                log.warning("the restricted list has changed and is not taken over: %s", refusal.message)
                self._stamp = stamp
                return
            if not changed.covers(self._restricted):
                log.warning("the restricted list has become looser; that takes effect when the server starts again")
                known = {identity for entry in changed.entries for term in entry.terms for identity in term.identity()}
                kept = tuple(
                    entry
                    for entry in self._restricted.entries
                    if not {identity for term in entry.terms for identity in term.identity()} <= known
                )
                changed = RestrictedList((*changed.entries, *kept))
            self._matcher = Matcher(changed)
            self._restricted = changed
            self._stamp = stamp

    def _hit(self, text: str) -> bool:
        matcher = self._matcher
        if not matcher.hits(text):
            return False
        log.warning("a text that names %s was withheld at the last moment", matcher.find(text)[0].entry)
        return True


def _stamp(path: Path | None) -> _Stamp:
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    # The time of the change of its status too: a file that becomes readable again has changed in that alone.
    return None if found is None else (found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns)
