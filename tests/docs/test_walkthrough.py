"""``docs/walkthrough.md`` is what the facade answers now, and every quotation on it was said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_walkthrough_is_as_the_code_makes_it() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "build_walkthrough.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
