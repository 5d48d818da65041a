"""Tests of otter-grader as statements that assert: doctests (its "OK format") and test functions (exception-based).

A test file is Python. It is read, never run: what it says must stand in it as literals, as otter writes them.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from redink.errors import CourseError
from redink.grader.importing.draft import DraftTest, told
from redink.records import Record

_NUMPYS = re.compile(r"\bnp\.(?:(True|False)_|\w+\(([^()]*)\))")  # how numpy shows its numbers since version 2


class OtterCase(Record, frozen=True):
    """One test case: statements that assert, or why it cannot be written so."""

    source: str
    hidden: bool
    points: float | None = None
    why_not: str = ""


def of_doctest(code: str) -> tuple[str, str]:
    """Write a doctest as statements that assert; return why that is not possible, too."""
    try:
        examples = doctest.DocTestParser().get_examples(code)
    except ValueError as error:
        return code, f"its doctest cannot be read ({error})"
    lines = []
    for example in examples:
        line, why_not = of_output(example.source, example.want)
        if why_not:
            return code, why_not
        lines.append(line)
    return "\n".join(lines), ""


def of_output(source: str, printed: str) -> tuple[str, str]:
    """Write code and what it must print as an assertion; code that prints nothing stays."""
    text, printed = source.strip("\n"), _NUMPYS.sub(lambda found: found[1] or found[2], printed)
    if not printed.strip():
        return text, ""
    try:
        body = ast.parse(text).body
        wanted = ast.parse(printed.strip(), mode="eval").body
        ast.literal_eval(wanted)
    except (SyntaxError, ValueError):
        return text, f"it must print `{printed.strip()[:40]}`, which is no plain value"
    if not body or not isinstance(body[-1], ast.Expr):
        return text, "what it prints is not the value of its last line"
    value = body[-1].value
    holds = isinstance(wanted, ast.Constant) and wanted.value is True
    test = value if holds else ast.Compare(value, [ast.Eq()], [wanted])
    asserted = ast.fix_missing_locations(ast.Assert(test))
    return "\n".join(ast.unparse(node) for node in [*body[:-1], asserted]), ""


def of_function(node: ast.FunctionDef) -> str:
    """Write a test function as its statements; what it takes from `env` are the notebook's names."""
    body = [_FromEnv().visit(statement) for statement in node.body]
    return "\n".join(ast.unparse(ast.fix_missing_locations(statement)) for statement in body)


class _FromEnv(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.value, ast.Name) and node.value.id == "env" and isinstance(key, str):
            return ast.copy_location(ast.Name(key, node.ctx), node)
        return node


def read_test_file(text: str, path: Path) -> tuple[str, tuple[DraftTest, ...]]:
    """Read one file of tests: the name of its question, and its tests with their points."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CourseError(f"{path} is not Python: {error}") from error
    values: dict[str, Any] = {}
    cases: list[OtterCase] = []
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
        elif isinstance(node, ast.FunctionDef) and node.decorator_list:
            cases.append(_function_case(node))
    if isinstance(values.get("test"), dict):
        values = values["test"]
        cases = [_ok_case(one) for suite in values.get("suites") or () for one in suite.get("cases") or ()]
    if not cases:
        raise CourseError(f"{path} is no test file of otter: it has neither `test = {{…}}` nor a `@test_case` function")
    name = str(values.get("name") or path.stem)
    return name, with_points(name, values.get("points"), bool(values.get("all_or_nothing")), cases)


def _ok_case(case: dict[str, Any]) -> OtterCase:
    source, why_not = of_doctest(str(case.get("code", "")))
    return OtterCase(
        source=source, hidden=bool(case.get("hidden", True)), points=_number(case.get("points")), why_not=why_not
    )


def _function_case(node: ast.FunctionDef) -> OtterCase:
    options: dict[str, Any] = {}
    for decorator in node.decorator_list:
        for option in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if option.arg in ("hidden", "points") and isinstance(option.value, ast.Constant):
                options[option.arg] = option.value.value
    return OtterCase(
        source=of_function(node), hidden=bool(options.get("hidden")), points=_number(options.get("points"))
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def with_points(question: str, total: Any, whole: bool, cases: Sequence[OtterCase]) -> tuple[DraftTest, ...]:
    """Return the cases with their points, shared as otter does; where all must pass together, they are one test."""
    points = _resolved(question, total, cases)
    name = re.sub(r"\W", "_", question)
    tests = tuple(
        DraftTest(
            name=f"{name}_{number}",
            points=float(round(share, 9)),
            where=f"test {number} of {question} ({told(float(share))})",
            whole=case.source,
            shown="" if case.hidden else case.source,
            why_not=case.why_not,
        )
        for number, (case, share) in enumerate(zip(cases, points, strict=True), start=1)
    )
    return (_together(name, question, tests),) if whole else tests


def _resolved(question: str, total: Any, cases: Sequence[OtterCase]) -> list[Fraction]:
    if isinstance(total, dict):
        total = (_number(total.get("each")) or 1.0) * len(cases)
    if isinstance(total, list):
        if len(total) != len(cases):
            raise CourseError(f"question {question} has {len(cases)} tests and points for {len(total)}")
        return [Fraction(_number(one) or 0) for one in total]
    named = [case.points for case in cases]
    known, open_ = sum(Fraction(one) for one in named if one is not None), named.count(None)
    whole = Fraction(_number(total) or 0) if total is not None else Fraction(known or 1)
    rest = whole - known
    if rest < 0:
        raise CourseError(f"question {question} has {float(known):g} points in its tests, and {total:g} in all")
    return [rest / open_ if one is None else Fraction(one) for one in named]


def _together(name: str, question: str, tests: Sequence[DraftTest]) -> DraftTest:
    total = sum(test.points for test in tests)
    return DraftTest(
        name=name,
        points=total,
        where=f"the tests of {question} ({told(total)}, all or nothing)",
        whole="\n".join(test.whole for test in tests),
        shown="\n".join(test.shown for test in tests if test.shown),
        why_not=next((test.why_not for test in tests if test.why_not), ""),
    )
