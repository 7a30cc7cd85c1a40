"""``docs/add-a-tool.md``, followed literally in a copy of the tree: the tool is everywhere and keeps the contract."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "add-a-tool.md"
PARTS = (
    "gongmcp",
    "gongctl",
    "tui",
    "scripts",
    "benchmarks",
    "docs",
    "tests",
    "README.md",
    "pyproject.toml",
    "Makefile",
)
TOOL = "summarize_calls_by_language"
BLOCK = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

FORM = f"""
import json
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler
from tui.schema import read_form

info = ToolHandler(Policy(), None).tool({TOOL!r})
print(json.dumps([[field.name, field.kind.value] for field in read_form(info.input_schema, info.limits)]))
"""

COST = f"""
from benchmarks import corpus
from benchmarks.cases import cases
from gongmcp.exposure.policy import Policy
from gongmcp.handler import ToolHandler

print([case.name for case in cases(ToolHandler(Policy(), None).tool({TOOL!r}), corpus.probe())])
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with what the page says added to it, and nothing else."""
    copy = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__", "__snapshots__"))
        else:
            shutil.copy(source, copy / part)
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    assert len(blocks) == 2, "two files"
    for name, code in blocks:
        assert not (copy / name).exists()
        (copy / name).write_text(code, "utf-8")
    return copy


def run(tree: Path, *command: str) -> str:
    """Run *command* of this Python in *tree*; returns its standard output."""
    env = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=tree, env=env, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_it_is_listed_last_and_in_its_presets(tree: Path) -> None:
    from gongmcp.catalog.registry import catalog

    listed = json.loads(run(tree, "-m", "gongctl", "mcp", "tools"))
    assert [tool["name"] for tool in listed] == [*catalog(), TOOL]
    presets = {preset["name"]: preset["tools"] for preset in json.loads(run(tree, "-m", "gongctl", "mcp", "presets"))}
    holding = {name for name, tools in presets.items() if TOOL in tools}
    assert holding == {
        *("business-pilot", "analyst-core"),
        *("redacted-all-readonly", "broad-public-redacted", "all-readonly"),
    }


def test_the_contract_tests_pass_for_it(tree: Path) -> None:
    tests = [f"tests/gongmcp/test_{name}.py" for name in ("contract", "ledger", "properties")]
    said = run(tree, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", "-k", TOOL, *tests)
    passed = re.search(r"(\d+) passed", said)
    assert passed is not None
    assert int(passed[1]) >= 10, said


def test_the_documents_show_it_and_an_answer_of_it(tree: Path) -> None:
    run(tree, "scripts/build_docs.py")
    _, _, section = (tree / "docs" / "mcp-server.md").read_text("utf-8").partition(f"### `{TOOL}`")
    assert '"language"' in section
    assert f"### `{TOOL}`" in (tree / "docs" / "exposure.md").read_text("utf-8")


def test_the_tui_has_a_form_for_it_and_its_cost_is_measured(tree: Path) -> None:
    assert json.loads(run(tree, "-c", FORM)) == [["cursor", "text"]]
    assert TOOL in run(tree, "-c", COST)


def test_the_files_are_in_the_style_of_the_rest(tree: Path) -> None:
    files = [name for name, _ in BLOCK.findall(PAGE.read_text("utf-8"))]
    run(tree, "-m", "ruff", "check", *files)
    run(tree, "-m", "ruff", "format", "--check", *files)
