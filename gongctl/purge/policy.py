"""The file of a purge: how old calls may become, which are held for a court, and who approved it.

YAML and strict::

    version: 1
    older_than: 2025-01-01          # or "730 days"; may be left out
    legal_hold:                     # calls that stay whatever is asked for
      calls: ["7782342274025937895"]
      participants: ["dana@example.com"]
      accounts: ["Example Industries"]
    approval:                       # all of it, before anything is removed
      reference: RET-2025-014
      approved_by: R. Officer
      approved_at: 2025-06-30
      data_owner: Revenue Operations
      backup_reference: none kept
      legal_hold_reviewed: true
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from pathlib import Path
from typing import Any, Final

import msgspec

from gongmcp.errors import Exit, StartupRefusal
from gongmcp.yaml_text import BadYaml, yaml_value

MAX_BYTES: Final = 64 << 10
_HINT: Final = "docs/operations.md shows what the file holds."
_DAYS: Final = re.compile(r"\s*([0-9]{1,5})\s+days?\s*")


class LegalHold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Calls that a purge leaves: by id or alias, by a participant's address, by the name of an account."""

    calls: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()


class Approval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who decided the purge and on what grounds. The certificate repeats it."""

    reference: str = ""
    approved_by: str = ""
    approved_at: dt.date | None = None
    data_owner: str = ""
    backup_reference: str = ""
    legal_hold_reviewed: bool = False

    def missing(self, today: dt.date) -> list[str]:
        """Return the names of the fields that are blank, false or in the future on *today*."""
        texts = ("reference", "approved_by", "data_owner", "backup_reference")
        found = [name for name in texts if not getattr(self, name).strip()]
        if self.approved_at is None or self.approved_at > today:
            found.append("approved_at")
        if not self.legal_hold_reviewed:
            found.append("legal_hold_reviewed")
        return found


class PurgePolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says; *sha256* is of its bytes."""

    version: int
    older_than: str | None = None
    legal_hold: LegalHold = LegalHold()
    approval: Approval = Approval()
    sha256: str = ""

    def cutoff(self, today: dt.date) -> dt.date | None:
        """Return the day before whose beginning (UTC) a call must have begun to be purged; None = no age is set."""
        return _days_before(self.older_than, today) if self.older_than is not None else None


def read_policy(path: Path) -> PurgePolicy:
    """Read and check the file at *path*.

    Raises:
        StartupRefusal: it cannot be read or is no such file; the message names the place and quotes nothing.
    """
    data = _bytes(path)
    try:
        policy = msgspec.convert(_yaml(data, path), PurgePolicy)
    except msgspec.ValidationError as error:
        raise _refused(path, _plain(error)) from None
    if policy.version != 1 or policy.sha256:
        raise _refused(path, "version must be 1" if policy.version != 1 else "it holds a key that is not known: sha256")
    if policy.older_than is not None:
        _days_before(policy.older_than, dt.date(2000, 1, 1), path)
    return msgspec.structs.replace(policy, sha256=hashlib.sha256(data).hexdigest())


def parse_date(text: str) -> dt.date:
    """Return the day that ``YYYY-MM-DD`` names.

    Raises:
        StartupRefusal: *text* is no such day.
    """
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            raise ValueError
        return dt.date.fromisoformat(text)
    except ValueError:
        raise StartupRefusal(
            "--older-than is no day of the calendar.", "Write it as YYYY-MM-DD, for example 2025-01-31.", Exit.USAGE
        ) from None


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise _refused(path, "there is no such file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _refused(path, f"it cannot be read ({error.strerror})") from None
    if len(data) > MAX_BYTES:
        raise _refused(path, f"it is larger than {MAX_BYTES} bytes")
    return data


def _yaml(data: bytes, path: Path) -> Any:
    try:
        value = yaml_value(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _refused(path, "it is no YAML document in UTF-8") from None
    except BadYaml as error:
        raise _refused(path, "it is no YAML document" + (f" (line {error.line})" if error.line else "")) from None
    if isinstance(value, dict) and isinstance(value.get("older_than"), dt.date):
        value["older_than"] = value["older_than"].isoformat()  # an unquoted day is a date to YAML
    return value


def _plain(error: msgspec.ValidationError) -> str:
    """Return what is wrong and where; the library names keys and types and quotes no value."""
    said = str(error).replace("`", "")
    return said[:1].lower() + said[1:200]


def _days_before(text: str, today: dt.date, path: Path | None = None) -> dt.date:
    match = _DAYS.fullmatch(text)
    if match is not None:
        return today - dt.timedelta(days=int(match[1]))
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise _refused(path, 'older_than is neither a day (2025-01-31) nor a number of days ("730 days")') from None


def _refused(path: Path | None, problem: str) -> StartupRefusal:
    place = f"{path.name}: " if path is not None else ""
    return StartupRefusal(f"{place}{problem}.", _HINT, Exit.USAGE)
