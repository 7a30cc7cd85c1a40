"""``gongctl evidence check``: true and doctored quotations of the sample told apart, and how the command ends."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gongctl.cli.demo_cmd import build_sample
from gongctl.cli.root import run
from gongctl.evidence import quotations
from gongctl.evidence.check import EvidenceReport, check_files
from gongctl.evidence.documents import blocks_of
from gongctl.evidence.quotations import quotations_of
from gongctl.evidence.words import words_of
from gongmcp.errors import Exit
from gongmcp.handler import build_handler
from gongmcp.settings import ServerSettings
from tests.gongctl.evidence.quoting import Written, doctored_quotes, true_quotes

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "evidence-check.json"
SAID = "Actual results may differ materially from those expressed in these forward-looking statements."


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evidence") / "sample.db"
    build_sample(path)
    return path


def report_on(db: Path, text: str, tmp_path: Path, name: str = "report.md") -> EvidenceReport:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return check_files([path], db, build_handler(ServerSettings(), db))


def wrong(db: Path, written: list[Written], tmp_path: Path, *, true: bool) -> list[tuple[str, str, str]]:
    report = report_on(db, "\n\n".join(item.paragraph for item in written), tmp_path)
    looked_up = [finding for finding in report.findings if finding.verdict != "short"]
    assert len(looked_up) == len(written)
    return [
        (item.what, finding.verdict, item.quote)
        for item, finding in zip(written, looked_up, strict=True)
        if (finding.verdict == "verbatim") is not true
    ]


def test_true_quotations_are_verbatim(db: Path, tmp_path: Path) -> None:
    written = true_quotes(db, seed=11, count=200)
    assert len(Counter(item.what for item in written)) == 5
    assert len(wrong(db, written, tmp_path, true=True)) <= 2, wrong(db, written, tmp_path, true=True)


def test_doctored_quotations_are_not(db: Path, tmp_path: Path) -> None:
    written = doctored_quotes(db, seed=12, count=200)
    assert min(Counter(item.what for item in written).values()) == 40
    assert len(wrong(db, written, tmp_path, true=False)) <= 2, wrong(db, written, tmp_path, true=False)


def test_what_was_changed_is_said(db: Path, tmp_path: Path) -> None:
    report = report_on(db, f"> {SAID.replace('may', 'will not')}", tmp_path)
    (finding,) = report.findings
    assert finding.verdict == "altered"
    assert [(change.said, change.written) for change in finding.changes] == [("may", "will not")]
    assert finding.place is not None
    assert finding.place.at.count(":") == 1
    assert not report.holds


def test_a_splice_names_both_places(db: Path, tmp_path: Path) -> None:
    report = report_on(
        db,
        '"Actual results may differ materially. My name is unk and this afternoon we will open '
        'the call for questions."',
        tmp_path,
    )
    assert report.findings[0].verdict in ("altered", "not_found")
    report = report_on(db, '"Actual results may differ materially we will open the call for questions"', tmp_path)
    (finding,) = report.findings
    assert (finding.verdict, finding.how) == ("altered", "put together from two places")
    assert finding.place is not None
    assert finding.elsewhere is not None
    assert finding.place.start_ms != finding.elsewhere.start_ms


def test_an_invention_is_not_found(db: Path, tmp_path: Path) -> None:
    report = report_on(db, 'They said "zebras juggle our quarterly llama procurement budget".', tmp_path)
    assert [finding.verdict for finding in report.findings] == ["not_found"]
    assert report.findings[0].allowed is None


@pytest.mark.parametrize(
    "unrelated",
    [
        "Sure, happy to do it.",  # said: "We're trying to do it."
        "And we didn't see that.",
        "So that is what I think about the moon.",
        "It is one of the things that you would have to do.",
        "The zebra was in the garden of the hotel, and it was the first of them that I saw.",
    ],
)
def test_stop_words_in_the_same_order_are_no_likeness(db: Path, tmp_path: Path, unrelated: str) -> None:
    (finding,) = report_on(db, f'She said "{unrelated}" there.', tmp_path).findings
    assert finding.verdict == "not_found", finding.changes


class Counting:
    """A pattern that adds up how far it looks."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.looked = 0

    def search(self, text: str, at: int) -> re.Match[str] | None:
        found = self.pattern.search(text, at)
        self.looked += (found.end() if found else len(text)) - at
        return found


@pytest.mark.parametrize("repeated", ['"', "«»", '"a b c d" ', "'a' ", "“a’ ‘b” ", "“a” '"])
def test_a_text_of_marks_is_gone_through_once(repeated: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = {name: Counting(pattern) for name, pattern in quotations._OPENERS.items()}
    monkeypatch.setattr(quotations, "_OPENERS", counting)
    text = repeated * 500
    list(quotations_of(blocks_of(text, markdown=False)))
    assert 0 < max(each.looked for each in counting.values()) <= 3 * len(text)


def test_forms_of_quotations() -> None:
    text = (
        'A "first one" and \u201csecond\ntwo\u201d.\n\n- item with \u00abthird three\u00bb\n- open "fourth never ends\n'
        '\n> fifth block\n> goes on\n> \u2014 Somebody, call 3\n\n```\n"in code"\n```\n\nNot `"in code"` but '
        "\u2018the sixth one\u2019s four words\u2019, the customers' wish isn't quoted; "
        '**"seventh [linked](http://x.test) one"**'
    )
    found = [(item.text, item.line, item.is_open) for item in quotations_of(blocks_of(text, markdown=True))]
    assert [item[0] for item in found] == [
        "first one",
        "second two",
        "third three",
        "fourth never ends",
        "fifth block goes on",
        "the sixth one\u2019s four words",
        "seventh linked one",
    ]
    assert [item[1] for item in found] == [1, 1, 4, 5, 7, 15, 15]
    assert [item[2] for item in found] == [False, False, False, True, False, False, False]


def test_marks_around_what_was_searched_for_are_no_quotations() -> None:
    text = (
        "> We \u00absaw more demand than before\u00bb in May.\n> \u2014 someone\n\n"
        "\u00abSo \u00abdemand\u00bb is strong\u00bb"
    )
    assert [item.text for item in quotations_of(blocks_of(text, markdown=True), 3)] == [
        "We \u00absaw more demand than before\u00bb in May.",
        "So \u00abdemand\u00bb is strong",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("We grew 1,200 units", "we grew 1200 units.", True),
        ("don\u2019t", "don't", True),
        ("year-over-year", "year over year", True),
        ("3.5%", "35%", False),
        ("5%", "5", False),
        ("we lost -5", "we lost 5", False),
        ("{redacted:email} wrote", "somebody wrote", False),
    ],
)
def test_words_that_count(one: str, other: str, same: bool) -> None:
    assert ([word.key for word in words_of(one)] == [word.key for word in words_of(other)]) is same


def test_words_behind_a_mark_are_verbatim_and_not_allowed(db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "masked.db"
    copy.write_bytes(db.read_bytes())
    with closing(sqlite3.connect(copy)) as connection, connection:
        number, text = connection.execute("SELECT segment_no, text FROM segments WHERE text = ?", (SAID,)).fetchone()
        spans = f"person:{text.index('materially')}:10"
        masked = text.replace("materially", "{redacted:person}")
        connection.execute(
            "INSERT INTO segments_fts (segments_fts, rowid, text) VALUES ('delete', ?, ?)", (number, text)
        )
        connection.execute("UPDATE segments SET text = ?, spans = ? WHERE segment_no = ?", (masked, spans, number))
        connection.execute("INSERT INTO segments_fts (rowid, text) VALUES (?, ?)", (number, masked))
        connection.execute("DELETE FROM segments WHERE text = ?", (SAID,))
    report = report_on(copy, f'"{SAID}"\n\n"{masked}"', tmp_path)
    behind, mark = report.findings
    assert (behind.verdict, behind.allowed, behind.why) == ("verbatim", False, "the policy masks some of these words")
    assert (mark.verdict, mark.allowed) == ("verbatim", True)


def test_the_command(db: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.md"
    good.write_text(f'"{SAID}" and "two words".', encoding="utf-8")
    bad.write_text(f'"{SAID.replace("materially", "hardly")}"', encoding="utf-8")
    assert run(["evidence", "check", str(good), "--db", str(db)]) == Exit.OK
    told = json.loads(capfd.readouterr().out)
    jsonschema.validate(told, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert [told[name] for name in ("quotations", "verbatim", "altered", "not_found", "short")] == [2, 1, 0, 0, 1]
    place: dict[str, Any] = told["findings"][0]["place"]
    assert place["call_id"].isdigit()
    assert told["findings"][0]["allowed"] is True
    assert run(["evidence", "check", str(good), str(bad), "--db", str(db), "--text"]) == Exit.LEAK
    out = capfd.readouterr().out
    assert "said: materially" in out
    assert "written: hardly" in out
    assert run(["--restricted", "evidence", "check", str(good), "--db", str(db)]) == Exit.REFUSED
    assert run(["evidence", "check", str(tmp_path / "none.md"), "--db", str(db)]) == Exit.USAGE
    captured = capfd.readouterr()
    assert "Traceback" not in captured.err
    preset = ["--tool-preset", "business-pilot"]
    assert run(["evidence", "check", str(good), "--db", str(db), *preset]) == Exit.OK
    assert json.loads(capfd.readouterr().out)["findings"][0]["why"] == "no tool of this policy shows speech"


def test_word_files(db: Path, tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph(f"They said \u201c{SAID}\u201d in the end.")
    document.add_paragraph(SAID.replace("materially", "wildly"), style="Quote")
    document.add_table(1, 1).cell(0, 0).text = '"three invented words zebra"'
    path = tmp_path / "report.docx"
    document.save(str(path))
    report = check_files([path], db, build_handler(ServerSettings(), db))
    assert [finding.verdict for finding in report.findings] == ["verbatim", "altered", "not_found"]
    path.write_bytes(b"no zip")
    with pytest.raises(Exception, match="no Word document"):
        check_files([path], db, build_handler(ServerSettings(), db))


def test_word_is_loaded_when_it_is_read() -> None:
    code = "import sys, gongctl.cli.evidence_cmd, gongctl.evidence.check; print('docx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
