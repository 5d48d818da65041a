"""JUnit XML, as GitHub, GitLab and Jenkins read it: a suite for each notebook, a case for each check.

`failure` is the student's, `error` is ours, `skipped` did not run. Scores are properties. XML has no way at all to write
most control characters, so what cannot be written is left out here, whoever wrote it. A time has three decimals and no
exponent: Jenkins's schema takes no other. tests/junit.xsd has the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from redink.grader.ci.outcome import CiOutcome, is_untouched, told
from redink.records import CheckResult, QuestionResult
from redink.texts import clean, clean_lines

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST = 4000
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def junit(outcomes: Sequence[CiOutcome]) -> bytes:
    """Write outcomes as one file."""
    top = ET.Element("testsuites", name="redink")
    for outcome in outcomes:
        _suite(top, outcome)
    for name in ("tests", "failures", "errors", "skipped"):
        top.set(name, str(sum(int(suite.get(name, "0")) for suite in top)))
    ET.indent(top, " ")
    text: bytes = ET.tostring(top, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def legal(text: str) -> str:
    """Leave out of a text what XML cannot hold."""
    return _ILLEGAL.sub("", text)


def _suite(top: ET.Element, outcome: CiOutcome) -> None:
    result = outcome.result
    suite = ET.SubElement(top, "testsuite", name=legal(outcome.slug), time=f"{result.cpu_seconds:.3f}")
    facts = {
        "state": result.state, "score": f"{result.score:g}", "max_score": f"{result.max_score:g}", "file": outcome.file,
        "version": result.version, "secret": result.secret, "hidden_checks": outcome.only_public or "run",
    }  # fmt: skip
    _properties(suite, facts)
    if result.state == "graded":
        for question in result.questions:
            for check in question.checks:
                _case(suite, outcome, question, check)
    else:
        kind = "failure" if result.state == "ungradable" else "error"
        case = ET.SubElement(suite, "testcase", classname=legal(outcome.slug), name="can be graded", time="0")
        _tell(case, kind, clean(result.reason or ""), "")
    suite.set("tests", str(len(suite.findall("testcase"))))
    for kind, name in _COUNTED.items():
        suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))


def _case(suite: ET.Element, outcome: CiOutcome, question: QuestionResult, check: CheckResult) -> None:
    names = {"classname": f"{outcome.slug}.{question.id}", "name": check.id, "time": "0"}
    case = ET.SubElement(suite, "testcase", {name: legal(value) for name, value in names.items()})
    _properties(
        case,
        {"score": f"{check.score:g}", "max_score": f"{check.max_score:g}", "visibility": check.visibility,
         "verdict": check.verdict, "tier": question.tier},
    )  # fmt: skip
    sentence = clean(check.message.partition("\n")[0])
    if told(check) == "skipped":
        what = "an extra question that was not begun" if is_untouched(question) else sentence
        _tell(case, "skipped", what, "")
    elif told(check) == "failed":
        hint = f"\nHint: {question.hint.text}" if question.hint else ""
        _tell(case, "failure", sentence, f"{check.message}{hint}", check.verdict)


def _tell(case: ET.Element, kind: str, message: str, text: str, verdict: str = "") -> None:
    made = ET.SubElement(case, kind, message=legal(message))
    if verdict:
        made.set("type", verdict)
    if text:
        made.text = legal(clean_lines(text, _LONGEST))


def _properties(parent: ET.Element, facts: dict[str, str]) -> None:
    group = ET.SubElement(parent, "properties")
    for name, value in facts.items():
        ET.SubElement(group, "property", name=name, value=legal(clean(value)))
