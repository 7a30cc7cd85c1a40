"""Every generated block equals what the code says now."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from gongmcp.catalog.registry import catalog
from gongmcp.exposure.fields import Field

ROOT = Path(__file__).resolve().parents[2]
CALLS = ROOT / "gongctl" / "sample" / "calls.extensive.jsonl.gz"


@pytest.fixture(scope="module")
def made(build_docs: ModuleType) -> dict[str, str]:
    """What each block should hold."""
    contents: dict[str, str] = build_docs.contents()
    return contents


def test_no_document_differs_from_the_code(build_docs: ModuleType, made: dict[str, str]) -> None:
    stale = {
        str(document.relative_to(ROOT)): blocks
        for document in build_docs.documents()
        for _, blocks in [build_docs.rewritten(document, made)]
        if blocks
    }
    assert not stale, "these blocks differ from the code; run: make docs"


def test_every_block_stands_in_a_document(build_docs: ModuleType, made: dict[str, str]) -> None:
    from docgen.blocks import find_blocks

    shown = {block.name for document in build_docs.documents() for block in find_blocks(document.read_text("utf-8"))}
    assert shown == made.keys()


def test_every_example_is_an_answer_with_something_to_show(build_docs: ModuleType, made: dict[str, str]) -> None:
    from docgen.catalogue import read_examples

    assert read_examples().keys() <= catalog().keys(), "an example of a tool that does not exist"
    refused = made["tools"].count("```text\nprofile_missing:")
    assert made["tools"].count('"status": "ok"') + refused == len(catalog())
    assert refused <= 3
    assert '"returned": 0' not in made["tools"]


def test_no_example_shows_an_identity(made: dict[str, str]) -> None:
    examples = "".join(made[name] for name in ("tools", "text-example", "ledger-example"))
    answers = "".join(re.findall(r"```(?:json|text)\n(.*?)```", examples, re.DOTALL))
    calls = [json.loads(line) for line in gzip.decompress(CALLS.read_bytes()).splitlines()]
    objects = [item for call in calls for context in call["context"] for item in context["objects"]]
    known = {call["metaData"]["id"] for call in calls} | {item["objectId"] for item in objects}
    known |= {party["speakerId"] for call in calls for party in call["parties"] if party.get("speakerId")}
    assert len(known) > 30
    assert not [value for value in known if value in answers]


def test_every_tool_and_class_has_its_place(made: dict[str, str]) -> None:
    for name in catalog():
        assert f"### `{name}`" in made["tools"]
        assert f"### `{name}`" in made["exposure-columns"]
        assert f"| `{name}` |" in made["mcp-table"]
    for field in Field:
        assert f"| `{field.name.lower()}` |" in made["field-classes"]


@pytest.mark.parametrize("edit", ["extra", "less"])
def test_check_names_the_block_that_differs(
    build_docs: ModuleType,
    made: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    edit: str,
) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "errors.md"
    true = (ROOT / "docs" / "errors.md").read_text("utf-8")
    (tmp_path / "README.md").write_text("No block.\n", encoding="utf-8")
    page.write_text(
        true.replace("| Exit code | M", "| Exit code and more | M" if edit == "extra" else "| | M"), "utf-8"
    )
    monkeypatch.setattr(build_docs, "ROOT", tmp_path)
    monkeypatch.setattr(build_docs, "contents", lambda: made)
    assert build_docs.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/errors.md: the block exit-codes differs from the code\n"
    assert page.read_text("utf-8") != true, "--check changes nothing"
    assert build_docs.main([]) == 0
    assert page.read_text("utf-8") == true
    assert build_docs.main(["--check"]) == 0


@pytest.mark.parametrize(
    "document",
    [
        "<!-- generated: errors -->\ntext\n",
        "text\n<!-- end -->\n",
        "<!-- generated: errors -->\n<!-- generated: limits -->\n<!-- end -->\n",
        "<!-- generated: nobody -->\n<!-- end -->\n",
    ],
    ids=["open", "closed only", "nested", "unknown"],
)
def test_markers_that_do_not_pair_up_are_refused(build_docs: ModuleType, document: str) -> None:
    from docgen.blocks import BadMarkers, fill

    with pytest.raises(BadMarkers):
        fill(document, {"errors": "a table", "limits": "another"})
