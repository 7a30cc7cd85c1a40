"""The file that several processes append to: no line is lost, none is torn, and what cannot be written is said."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gongctl.audit.reading import AuditLog
from gongmcp.audit import line_file
from gongmcp.audit.line_file import LineFile, Unwritable, moved_aside
from tests.gongmcp.stdio_process import environment

APPENDER = Path(__file__).with_name("appender.py")
PLENTY = 10**9


def appending(path: Path, name: str, count: int, max_bytes: int, mode: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(APPENDER), str(path), name, str(count), str(max_bytes), mode]
    return subprocess.Popen(command, env=environment())


def read(path: Path) -> tuple[Counter[str], int]:
    """Return how often each record is in the log, and how many lines are none."""
    log = AuditLog(path)
    found = Counter(f"{record.token} {record.time}" for record in log)
    return found, log.torn


@pytest.mark.parametrize("max_bytes", [PLENTY, 100_000])
def test_two_processes_lose_no_record_and_tear_no_line(tmp_path: Path, max_bytes: int) -> None:
    path = tmp_path / "audit.jsonl"
    processes = [appending(path, name, 1000, max_bytes, "locked") for name in "ab"]
    assert [process.wait(60) for process in processes] == [0, 0]
    found, torn = read(path)
    assert found == Counter(f"{name} {number:06d}" for name in "ab" for number in range(1000))
    assert torn == 0
    files = [path, *(file for _, file in moved_aside(path))]
    assert (len(files) > 3) == (max_bytes < PLENTY)
    assert all(file.stat().st_mode & 0o777 == 0o600 and file.stat().st_size <= max_bytes for file in files)
    assert [number for number, _ in moved_aside(path)] == list(range(1, len(files)))


def test_without_the_lock_lines_are_torn(tmp_path: Path) -> None:
    """The control of the test above."""
    path = tmp_path / "audit.jsonl"
    processes = [appending(path, name, 1000, PLENTY, "unlocked") for name in "ab"]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert read(path)[1] > 0


def test_a_server_killed_in_the_middle_of_a_line_leaves_a_log_that_reads(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    assert appending(path, "a", 5, PLENTY, "killed").wait(60) == -signal.SIGKILL
    assert not path.read_bytes().endswith(b"\n")
    assert read(path) == (Counter(f"a {number:06d}" for number in range(4)), 1)
    assert appending(path, "b", 3, PLENTY, "locked").wait(60) == 0
    found, torn = read(path)
    assert (found.total(), torn) == (7, 1)
    assert appending(path, "c", 1, path.stat().st_size, "killed").wait(60) == -signal.SIGKILL
    assert (len(moved_aside(path)), read(path)) == (1, (found, 2))


def test_a_full_disk_is_told_and_leaves_whole_lines(tmp_path: Path) -> None:
    script = """
import resource, sys
from pathlib import Path
from gongmcp.audit.line_file import LineFile, Unwritable
path = Path(sys.argv[1])
file = LineFile(path)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
written = 0
try:
    while True:
        file.append(b"{" + b"x" * 298)
        written += 1
except Unwritable as problem:
    print(written, problem)
assert path.read_bytes() == (b"{" + b"x" * 298 + b"\\n") * 3
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
file.append(b"{y")
assert path.read_bytes().endswith(b"x\\n{y\\n")
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a")],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "3 file too large\n"), done.stderr


def test_the_folder_may_go_and_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    file = LineFile(folder / "a.jsonl")
    file.append(b"{1}")
    folder.rename(tmp_path / "gone")
    for _ in range(2):
        with pytest.raises(Unwritable, match="no such file"):
            file.append(b"{2}")
    folder.mkdir()
    file.append(b"{3}")
    assert (folder / "a.jsonl").read_bytes() == b"{3}\n"
    assert (tmp_path / "gone" / "a.jsonl").read_bytes() == b"{1}\n"


def test_a_file_that_somebody_moves_away_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    first, second = LineFile(path), LineFile(path)
    first.append(b"{1}")
    path.rename(tmp_path / "old")
    second.append(b"{2}")
    first.append(b"{3}")
    assert path.read_bytes() == b"{2}\n{3}\n"
    assert (tmp_path / "old").read_bytes() == b"{1}\n"


def test_a_child_of_a_fork_does_not_share_the_lock_of_its_parent(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "a.jsonl")
    before = file._handle
    child = os.fork()
    if child == 0:
        file.append(b"{child}")
        os._exit(0 if file._handle != before or os.fstat(before) else 1)
    assert os.waitpid(child, 0)[1] == 0
    file.append(b"{parent}")
    assert (tmp_path / "a.jsonl").read_bytes() == b"{child}\n{parent}\n"


def test_a_writer_waits_for_another_and_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    file = LineFile(path)
    monkeypatch.setattr(line_file, "LOCK_SECONDS", 0.05)
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(Unwritable, match="another process holds it"):
            file.append(b"{1}")
    file.append(b"{2}")
    assert path.read_bytes() == b"{2}\n"


def test_only_a_file_of_ones_own_that_nobody_else_may_open_is_taken(tmp_path: Path) -> None:
    (tmp_path / "open").touch(0o644)
    (tmp_path / "open").chmod(0o640)
    (tmp_path / "link").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "cache").touch(0o600)
    (tmp_path / "cache").write_bytes(b"SQLite format 3\0")
    for name, reason in {
        "open": r"others have access to it \(mode 0640\)",
        "link": "too many levels of symbolic links",
        "pipe": "it is no regular file",
        "cache": "it holds something else",
        "": "is a directory",
    }.items():
        with pytest.raises(Unwritable, match=reason):
            LineFile(tmp_path / name)
    assert not (tmp_path / "target").exists()
    mask = os.umask(0)
    try:
        LineFile(tmp_path / "new")
    finally:
        os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
