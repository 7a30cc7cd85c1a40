"""Running committed cases through the handler that agents are answered by, and the report as JUnit XML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gongctl.approval.cases import Case, Term
from gongmcp.errors import StartupRefusal, UnknownTool
from gongmcp.handler import Outcome, ToolHandler
from gongmcp.render.visible import visible
from gongmcp.render.wire import result_bytes

Open = Callable[[Case], ToolHandler]

NOT_OFFERED = "not_offered"
"""Status of a case whose tool does not exist for an agent under its policy."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a case ended: *failures* are sentences, none of them quotes an answer."""

    case: Case
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True when nothing failed."""
        return not self.failures

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        case = self.case
        return {
            "file": case.file,
            "line": case.line,
            "name": case.name,
            "tool": case.tool,
            "passed": self.passed,
            "failures": list(self.failures),
        }


def run_cases(cases: Sequence[Case], open_case: Open) -> list[Result]:
    """Run *cases* in order; *open_case* gives the handler under a case's policy.

    Raises:
        StartupRefusal: the settings of a case are none, or the cache cannot be served under them; it names the case.
    """
    return [Result(case, tuple(_failures(case, open_case))) for case in cases]


def _failures(case: Case, open_case: Open) -> Iterator[str]:
    try:
        handler = open_case(case)
    except StartupRefusal as refusal:
        message = f"{case.place}: {refusal.message}"
        raise StartupRefusal(message, refusal.hint, refusal.exit_code, refusal.name) from None
    try:
        outcome = handler.call(case.tool, case.arguments)
    except UnknownTool:
        if case.status != NOT_OFFERED:
            yield "the tool is not offered under this policy"
        return
    status = _status(outcome)
    if case.status is None and outcome.answer.is_error:
        yield f"the answer is an error: {status}"
        return
    if case.status is not None and status != case.status:
        yield f"the status is {status}, not {case.status}"
    texts = list(_texts(outcome))
    for term in case.must_hold:
        if not _holds(term, outcome, texts):
            yield f"the answer does not hold {term}"
    for term in case.must_not_hold:
        if _holds(term, outcome, texts):
            yield f"the answer holds {term}"
    sizes = {"rows": outcome.rows, "bytes": outcome.bytes, "tokens": outcome.tokens}
    for name, most in case.at_most.items():
        if sizes[name] > most:
            yield f"the answer has {sizes[name]} {name}, more than {most}"


def _status(outcome: Outcome) -> str:
    answer = outcome.answer
    if answer.error is not None:
        return str(answer.error["code"])
    return str((answer.structured or {}).get("status", ""))


def _texts(outcome: Outcome) -> Iterator[str]:
    """Yield the bytes of the answer as text, and each text in it without the escapes of JSON."""
    yield result_bytes(outcome.answer).decode()
    yield outcome.answer.text
    yield from _strings(outcome.answer.structured)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _holds(term: Term, outcome: Outcome, texts: Sequence[str]) -> bool:
    if term.pointer is None:
        return any(term.text in text for text in texts)
    parts = [part.replace("~1", "/").replace("~0", "~") for part in term.pointer.split("/")[1:]]
    return outcome.answer.structured is not None and _leads(outcome.answer.structured, parts)


def _leads(value: Any, parts: Sequence[str]) -> bool:
    if not parts:
        return True
    first, *rest = parts
    if isinstance(value, Mapping):
        return first in value and _leads(value[first], rest)
    if not isinstance(value, list):
        return False
    if first == "*":
        return any(_leads(item, rest) for item in value)
    return (
        re.fullmatch(r"0|[1-9][0-9]{0,6}", first) is not None
        and int(first) < len(value)
        and _leads(value[int(first)], rest)
    )


def junit(results: Sequence[Result]) -> bytes:
    """Return the report in JUnit's form: a suite for each file; characters that XML has not are drawn."""
    root = ElementTree.Element("testsuites", name="gongctl policy test")
    for file in dict.fromkeys(result.case.file for result in results):
        here = [result for result in results if result.case.file == file]
        failed = sum(not result.passed for result in here)
        counts = {"tests": str(len(here)), "failures": str(failed), "errors": "0", "skipped": "0"}
        suite = ElementTree.SubElement(root, "testsuite", {"name": _drawn(file)} | counts)
        for result in here:
            case = result.case
            names = {"name": _drawn(case.name), "classname": _drawn(case.tool)}
            where = {"file": _drawn(file), "line": str(case.line)}
            node = ElementTree.SubElement(suite, "testcase", names | where)
            if result.failures:
                failure = ElementTree.SubElement(node, "failure", message=_drawn(result.failures[0]))
                failure.text = _drawn("\n".join(result.failures), allowed="\n")
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


_NO_XML = re.compile("[\ufffe\uffff]")
"""Characters that XML has not, beside those that are drawn anyway."""


def _drawn(text: str, *, allowed: str = "") -> str:
    return _NO_XML.sub(lambda found: f"‹U+{ord(found.group()):04X}›", visible(text, allowed=allowed))
