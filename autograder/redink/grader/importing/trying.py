"""Imported checks, tried in the box: those that their own solution fails, or that anybody passes, will not do."""

from __future__ import annotations

import re

from redink.errors import AuthorError
from redink.grader.answer_key.keep import answer_key
from redink.grader.assignment.assignment import Assignment, read_assignment
from redink.grader.author.cases import Case, cases
from redink.grader.author.verify import graded
from redink.grader.course import Course
from redink.grader.workers.workers import Workers
from redink.records import QuestionResult

_IDS = re.compile(r"^@check\(.*\)\ndef (\w+)\(", re.MULTILINE)
_RIGHT = ("reference", "rounded")


def refuted_checks(course: Course, slug: str, workers: Workers) -> dict[str, str]:
    """Grade the solution, the untouched notebook and trivial answers; return the checks that will not do, and why."""
    try:
        assignment = read_assignment(course, slug)
        key = answer_key(course, slug, workers.observe)
        results, stumbled = graded(key, cases(assignment, key), workers)
    except AuthorError as error:
        return _blamed(course, slug, str(error).removeprefix(f"{slug}: "))
    found: dict[str, str] = {}
    for case, questions in results:
        for id, why in _odd(case, questions).items():
            found.setdefault(id, why)
    for sentence in stumbled:
        found |= _named(assignment, sentence)
    return found


def _odd(case: Case, questions: tuple[QuestionResult, ...]) -> dict[str, str]:
    checks = [check for question in questions for check in question.checks]
    if case.kind in _RIGHT:
        return {
            check.id: f"{case.who} does not pass it ({' '.join(check.message.splitlines()[1:2])[:160]})"
            for check in checks
            if check.verdict != "passed"
        }
    return {
        check.id: f"{case.who} passes it, so it proves nothing; write a stronger one"
        for check in checks
        if check.verdict == "passed" and check.max_score > 0
    }


def _blamed(course: Course, slug: str, sentence: str) -> dict[str, str]:
    """Find the check that a sentence of Redink's is about; where it is about none, nothing can be tried."""
    sources = [course.assignments / slug / "checks.py", course.solutions / slug / "hidden_checks.py"]
    text = "".join(path.read_text(encoding="utf-8") for path in sources if path.exists())
    found = [id for id in _IDS.findall(text) if re.search(rf"\b{id}\b", sentence)]
    if not found:
        raise AuthorError(sentence)
    return {max(found, key=len): sentence}


def check_at(course: Course, slug: str, trace: str) -> str | None:
    """Find the check in whose file a traceback is, by the line; None where it is in none."""
    for name, line in re.findall(r'File "(?:.*/)?((?:hidden_)?checks\.py)", line (\d+)', trace):
        folder = course.solutions if name.startswith("hidden") else course.assignments
        above = (folder / slug / name).read_text(encoding="utf-8").splitlines(keepends=True)[: int(line)]
        if ids := _IDS.findall("".join(above)):
            return str(ids[-1])
    return None


def _named(assignment: Assignment, sentence: str) -> dict[str, str]:
    return {check.id: sentence for check in assignment.checks if re.search(rf"\b{check.id}\b", sentence)}
