"""A process that appends lines: ``appender.py FILE NAME COUNT MAX_BYTES MODE``.

Every write is made in pieces of 37 bytes, so that lines would be torn if nothing kept two writers apart. MODE is
``locked``; ``unlocked``, the control; or ``killed``: the process ends by SIGKILL in the middle of its last line.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from gongmcp.audit import line_file
from gongmcp.audit.record import AuditRecord, encode

write = os.write
UNLOCKED = sys.argv[-1] == "unlocked"


def in_pieces(handle: int, data: memoryview) -> int:
    if UNLOCKED:
        time.sleep(0.0001)  # where the other may write as well
    return write(handle, data[:37])


def last_piece(handle: int, data: memoryview) -> int:
    write(handle, data[: len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


if __name__ == "__main__":
    path, name, count, max_bytes, mode = sys.argv[1:]
    os.write = in_pieces  # type: ignore[assignment]
    if UNLOCKED:
        line_file._try_lock = lambda handle: True
    file = line_file.LineFile(Path(path), int(max_bytes))
    for number in range(int(count)):
        if mode == "killed" and number == int(count) - 1:
            os.write = last_piece  # type: ignore[assignment]
        file.append(encode(AuditRecord(time=f"{number:06d}", transport="stdio", token=name, outcome="ok" * 60)))
