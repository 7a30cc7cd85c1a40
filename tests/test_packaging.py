"""What is shipped: the bundled sample, the licences, the wheel, and the pins that it was tested with."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from email.parser import HeaderParser
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from gongctl import sample

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
Record = dict[str, Any]


def read_json(name: str) -> Record:
    record: Record = json.loads(gzip.decompress((sample.directory() / name).read_bytes()))
    return record


def read_lines(name: str) -> list[Record]:
    return [json.loads(line) for line in gzip.decompress((sample.directory() / name).read_bytes()).splitlines()]


@pytest.fixture(scope="module")
def calls() -> dict[str, Record]:
    return {call["metaData"]["id"]: call for call in read_lines("calls.extensive.jsonl.gz")}


@pytest.fixture(scope="module")
def transcripts() -> dict[str, list[str]]:
    return {
        transcript["callId"]: [sentence["text"] for turn in transcript["transcript"] for sentence in turn["sentences"]]
        for transcript in read_lines("transcripts.jsonl.gz")
    }


def objects(call: Record, *types: str) -> list[Record]:
    return [found for context in call["context"] for found in context["objects"] if found["objectType"] in types]


def test_the_sample_has_ten_calls_and_two_of_them_no_transcript(
    calls: dict[str, Record], transcripts: dict[str, list[str]]
) -> None:
    assert len(calls) == 10
    assert len(transcripts) == 8
    assert sum(map(len, transcripts.values())) == 3231
    assert calls.keys() - transcripts.keys() == {"2687173169473791077", "4935947130561589053"}
    assert transcripts.keys() < calls.keys()


def test_the_sample_shows_every_kind_of_call_that_the_demonstration_tells_of(calls: dict[str, Record]) -> None:
    meta = [call["metaData"] for call in calls.values()]
    assert Counter(call["scope"] for call in meta) == {"External": 8, "Internal": 2}
    assert Counter(call["isPrivate"] for call in meta) == {False: 9, True: 1}
    assert {call["direction"] for call in meta} == {"Inbound", "Outbound", "Conference"}
    assert len({call["workspaceId"] for call in meta}) == 2
    assert len({call["started"][:7] for call in meta}) >= 6
    assert sum(not call["context"] for call in calls.values()) == 3
    assert sum(len(objects(call, "Opportunity")) == 2 for call in calls.values()) == 2
    assert [len(objects(call, "Deal", "Company")) for call in calls.values() if objects(call, "Deal")] == [2]
    stages = {
        field["value"]
        for call in calls.values()
        for opportunity in objects(call, "Opportunity")
        for field in opportunity["fields"]
        if field["name"] == "StageName"
    }
    assert stages >= {"Closed Won", "Closed Lost", "Negotiation/Review", "Qualification"}


def test_the_phrase_of_the_examples_is_spoken_in_two_calls(transcripts: dict[str, list[str]]) -> None:
    hits = [sum("free cash flow" in text.lower() for text in texts) for texts in transcripts.values()]
    assert sorted(hits)[-3:] == [0, 3, 3]


def test_settings_come_whole_and_answered_scorecards_only_of_the_bundled_calls(calls: dict[str, Record]) -> None:
    assert len(read_json("users.json.gz")["users"]) == 14
    assert len(read_json("workspaces.json.gz")["workspaces"]) == 2
    assert read_json("settings.trackers.json.gz")["keywordTrackers"]
    assert read_json("crm_integrations.json.gz")["integrations"]
    assert read_json("crm_schema.json.gz")["objectTypeToSelectedFields"]
    scorecards = {card["scorecardId"] for card in read_json("settings.scorecards.json.gz")["scorecards"]}
    activity = read_json("scorecard_activity.json.gz")
    answered = activity["answeredScorecards"]
    assert len(answered) == activity["records"]["totalRecords"] == activity["records"]["currentPageSize"] == 10
    assert {str(card["callId"]) for card in answered} <= calls.keys()
    assert {card["scorecardId"] for card in answered} <= scorecards


def test_the_sample_files_carry_neither_time_nor_name(sample_files: list[Path]) -> None:
    assert len(sample_files) == 9
    assert sum(path.stat().st_size for path in sample_files) < 700_000
    for path in sample_files:
        header = path.read_bytes()[:8]
        assert header[3] == 0, f"{path.name}: optional gzip header fields"
        assert header[4:8] == bytes(4), f"{path.name}: a time of compression"


def test_the_attribution_names_source_authors_licence_and_changes() -> None:
    notice = sample.attribution()
    for part in (
        "Earnings-21",
        "Del Rio",
        "https://github.com/revdotcom/speech-datasets",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "## Real",
        "## Made up",
        "## Changes made",
    ):
        assert part in notice


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("LICENSES", "gongmcp", "gongctl", "tui"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--quiet"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(source)], check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shipped = {
        path.relative_to(ROOT).as_posix()
        for package in ("gongmcp", "gongctl", "tui")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    assert {"gongmcp/py.typed", "gongctl/py.typed", "tui/py.typed", "gongctl/sample/transcripts.jsonl.gz"} <= shipped
    assert "gongmcp/data/crm.toml" in shipped
    assert {name for name in names if ".dist-info/" not in name} == shipped


def test_the_wheel_states_its_licences_and_commands(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (home,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        metadata = HeaderParser().parsestr(archive.read(f"{home}/METADATA").decode())
        commands = archive.read(f"{home}/entry_points.txt").decode()
        licence_files = metadata.get_all("License-File", [])
        for name in licence_files:
            assert archive.read(f"{home}/licenses/{name}")
    assert metadata["Name"] == "gongctl"
    assert metadata["License-Expression"] == "MIT AND CC-BY-SA-4.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert sorted(licence_files) == [
        "LICENSE",
        "LICENSES/CC-BY-SA-4.0.txt",
        "gongctl/sample/ATTRIBUTION.md",
        "gongctl/vcon/schemas/NOTICE.md",
    ]
    assert "gongctl = gongctl.__main__:main" in commands
    assert "gongmcp = gongmcp.__main__:main" in commands


@pytest.mark.parametrize("command", ["gongctl", "gongmcp"])
def test_the_installed_commands_exist(command: str) -> None:
    (entry,) = entry_points(group="console_scripts", name=command)
    assert callable(entry.load())


def pins(name: str) -> dict[str, str]:
    """Return the pins of one requirements file and of those that it includes; anything but plain pins fails."""
    found: dict[str, str] = {}
    for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found |= pins(line.removeprefix("-r "))
        elif line and not line.startswith("#"):
            pin = re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.]+)", line)
            assert pin, f"requirements/{name}: not a plain pin: {line}"
            assert canonicalize_name(pin[1]) not in found, f"requirements/{name}: {pin[1]} is pinned twice"
            found[canonicalize_name(pin[1])] = pin[2]
    return found


def strings(group: list[Any]) -> list[str]:
    return [entry for entry in group if isinstance(entry, str)]


@pytest.mark.parametrize(
    ("file", "ranges"),
    [
        ("base.txt", PROJECT["project"]["dependencies"]),
        (
            "extras.txt",
            strings([entry for extra in PROJECT["project"]["optional-dependencies"].values() for entry in extra]),
        ),
        ("build.txt", PROJECT["build-system"]["requires"]),
        ("dev.txt", strings(PROJECT["dependency-groups"]["dev"])),
        ("docs.txt", strings(PROJECT["dependency-groups"]["docs"])),
    ],
)
def test_each_range_has_a_pin_within_it(file: str, ranges: list[str]) -> None:
    pinned = pins(file)
    assert ranges
    for requirement in map(Requirement, ranges):
        version = pinned.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name} has no pin in requirements/{file}"
        assert requirement.specifier.contains(version), f"{requirement} does not admit the pin {version}"


def test_make_says_what_is_missing_when_python_is_too_old(tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" && exit 0\nexit 1\n', encoding="utf-8")
    old.chmod(0o755)
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    tried = subprocess.run(["make", "demo", f"PYTHON={old}"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert tried.returncode != 0
    assert "needs Python 3.11 or newer; found: Python 3.9.2" in tried.stderr
    assert "make demo PYTHON=" in tried.stderr
    assert not (tmp_path / ".venv").exists()
