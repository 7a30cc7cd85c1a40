"""The file of ``sync run``: which steps, over which time, how fast. YAML or TOML, told by its suffix.

Every name is checked, and so is every time and preset, before anything is asked of Gong. Paths in the file are taken
from the file's folder.
"""

from __future__ import annotations

import os
import tomllib
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from gongctl.sync.selection import Selection, selection
from gongctl.sync.times import moment_of, present, seconds_of
from gongmcp.errors import Exit, StartupRefusal
from gongmcp.yaml_text import BadYaml, yaml_value

MAX_BYTES: Final = 64 << 10

_Count = Annotated[int, msgspec.Meta(ge=1)]
_Kind = Literal["trackers", "scorecards"]
_Object = Literal["ACCOUNT", "CONTACT", "DEAL", "LEAD"]
_Part = Literal["context", "parties", "content", "highlights", "interaction", "comments"]
_Private = Literal["skip", "metadata", "all"]


class _Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="sync"):
    """A step; ``sync`` says which."""


class UsersStep(_Step, frozen=True, tag="users"):
    """``sync users``."""

    max_pages: _Count | None = None


class WorkspacesStep(_Step, frozen=True, tag="workspaces"):
    """``sync workspaces``."""


class SettingsStep(_Step, frozen=True, tag="settings"):
    """``sync settings``."""

    kinds: tuple[_Kind, ...] = ("trackers", "scorecards")
    workspace: str = ""


class CrmStep(_Step, frozen=True, tag="crm"):
    """``sync crm``."""

    object_types: tuple[_Object, ...] = ("ACCOUNT", "CONTACT", "DEAL", "LEAD")


class CallsStep(_Step, frozen=True, tag="calls"):
    """``sync calls``."""

    preset: Literal["minimal", "business", "all"]
    include: tuple[_Part, ...] = ()
    from_: str | None = msgspec.field(default=None, name="from")
    to: str = "now"
    look_back: str = "3d"
    window: str = "30d"
    workspace: str = ""
    max_pages: _Count | None = None
    reconcile: bool = False
    max_gone: Annotated[int, msgspec.Meta(ge=0)] | None = None

    def selection(self) -> Selection:
        """Return the parts that are asked for."""
        return selection(self.preset, self.include)


class TranscriptsStep(_Step, frozen=True, tag="transcripts"):
    """``sync transcripts``."""

    limit: _Count | None = None
    max_pages: _Count | None = None


class ScorecardsStep(_Step, frozen=True, tag="scorecards"):
    """``sync scorecards``."""

    from_: str | None = msgspec.field(default=None, name="from")
    to: str = "now"
    look_back: str = "7d"
    review_method: Literal["BOTH", "AUTOMATIC", "MANUAL"] = "BOTH"
    max_pages: _Count | None = None


AnyStep = UsersStep | WorkspacesStep | SettingsStep | CrmStep | CallsStep | TranscriptsStep | ScorecardsStep


class Api(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How Gong is asked: where, how many requests a second and a day, how many at once."""

    base_url: str | None = None
    requests_per_second: Annotated[float, msgspec.Meta(gt=0, le=1_000)] = 3.0
    requests_per_day: _Count = 10_000
    concurrency: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3


class RunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file."""

    version: Literal[1]
    steps: Annotated[tuple[AnyStep, ...], msgspec.Meta(min_length=1)]
    db: str | None = None
    api: Api = Api()
    private_calls: _Private = "metadata"
    governance_config: str | None = None
    server_config: str | None = None
    warm: bool = True

    @property
    def is_sensitive(self) -> bool:
        """Whether a step stores more than metadata: what restricted mode blocks."""
        return any(
            isinstance(step, TranscriptsStep) or (isinstance(step, CallsStep) and step.selection().is_sensitive)
            for step in self.steps
        )


def step_name(step: AnyStep) -> str:
    """Return what *step* is called in the file."""
    return str(type(step).__struct_config__.tag)


def read_run_config(path: Path) -> RunConfig:
    """Read and check the file at *path*; its paths become absolute.

    Raises:
        StartupRefusal: it cannot be read, or something in it is wrong; the message names the place.
    """
    value = _parsed(path, _text(path))
    try:
        config = msgspec.convert(_plain(value), RunConfig)
    except msgspec.ValidationError as error:
        said = str(error).replace(" - at `$", " at `").rstrip("`.")
        raise StartupRefusal(
            f"{path.name}: {said}.", "docs/sync.md lists what the file may hold.", Exit.USAGE
        ) from None
    for number, step in enumerate(config.steps, 1):
        _check_times(step, f"{path.name}: steps[{number}]")

    def located(name: str | None) -> str | None:
        if name is None:
            return None
        try:
            os.fsencode(name)
            if "\0" not in name:
                return str(path.parent.resolve() / Path(name).expanduser())
        except (UnicodeEncodeError, RuntimeError):  # no such user
            pass
        raise StartupRefusal(f"{path.name} names a file that no system can have.", "Correct its name.", Exit.USAGE)

    return msgspec.structs.replace(
        config,
        db=located(config.db),
        governance_config=located(config.governance_config),
        server_config=located(config.server_config),
    )


def _check_times(step: AnyStep, place: str) -> None:
    if isinstance(step, CallsStep | ScorecardsStep):
        now = present()
        if step.from_ is not None:
            moment_of(step.from_, f"{place}.from", now)
        moment_of(step.to, f"{place}.to", now)
        seconds_of(step.look_back, f"{place}.look_back")
    if isinstance(step, CallsStep) and not seconds_of(step.window, f"{place}.window"):
        raise StartupRefusal(f"{place}.window is empty.", "Write 30d.", Exit.USAGE)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise StartupRefusal(f"{path} is larger than {MAX_BYTES >> 10} KiB.", "", Exit.USAGE)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise StartupRefusal(f"{path} cannot be read: {error.strerror}.", "", Exit.USAGE) from None
    except UnicodeDecodeError:
        raise StartupRefusal(f"{path} is no text in UTF-8.", "", Exit.USAGE) from None


def _parsed(path: Path, text: str) -> Any:
    place, kind = path.name, "TOML" if path.suffix.lower() == ".toml" else "YAML"
    try:
        if kind == "TOML":
            return tomllib.loads(text)
        return yaml_value(text, aliases=False)
    except tomllib.TOMLDecodeError as error:
        place += f": {error}"
    except RecursionError:
        pass
    except BadYaml as error:
        place += f":{error.line}" if error.line else ""
    raise StartupRefusal(f"{place} is not {kind}.", "docs/sync.md has an example.", Exit.USAGE)


def _plain(value: Any) -> Any:
    """Return *value* with the days and moments, which YAML and TOML read as such, as text again."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat() if value.tzinfo else f"{value.isoformat()}Z"
    return value.isoformat() if isinstance(value, date) else value
