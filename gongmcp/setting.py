"""``Setting``: one thing that the settings file, the environment and a flag can set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name in ``flags`` mappings, environment variable, flag, dotted key in the file, help.

    *server_only* marks one of the serving process: it decides nothing of an answer, and no dry run takes its flag.
    *truth* marks one that is on or off, whose flag needs no value.
    """

    name: str
    env: str
    flag: str
    key: str
    help: str
    server_only: bool = False
    truth: bool = False
