"""`pytest --redink NOTEBOOK`: every public check of a notebook is a test, named by its sentence, with its points.

The notebook runs once, in a process of its own, when the first of its tests does; with xdist all of them therefore stay on
one worker. Without the option this plugin does nothing, and imports nothing of Redink.

A check whose `when` asks for a GPU has the marker `gpu`. Without one it has seen the meta device at most, which has shapes
and no numbers: passing there is told as not run, and as a failure where REDINK_REQUIRE_GPU=1 demands a GPU.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from redink.checks.language import Check
    from redink.records import CheckResult, QuestionResult
    from redink.student.terminal import CheckedNotebook


_MARKER = "gpu: asks for a GPU; without one it is not run, and with REDINK_REQUIRE_GPU=1 it fails"


class CheckFailedError(Exception):
    """A public check that does not pass; the message is what a student reads."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("redink")
    group.addoption("--redink", action="append", default=[], metavar="NOTEBOOK",
                    help="Run the public checks of this notebook; may be repeated.")  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Have the notebooks collected: alone, unless other paths were named too."""
    if not (told := config.getoption("redink")):
        return
    for one in told:
        if not Path(one).is_file():
            raise pytest.UsageError(f"--redink {one}: there is no such notebook")
    config.addinivalue_line("markers", _MARKER)
    named = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    config.args = list(dict.fromkeys([*named, *(str(Path(one).resolve()) for one in told)]))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a notebook that was asked for, and no other."""
    asked = {Path(one).resolve() for one in parent.config.getoption("redink")}
    if file_path.resolve() not in asked:
        return None
    collector: pytest.Collector = CheckedFile.from_parent(parent, path=file_path)
    return collector


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a notebook on one worker: it runs once."""
    if not config.getoption("redink"):
        return None
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


class CheckedFile(pytest.File):
    """A notebook; what its checks say is found out once."""

    _checked: CheckedNotebook | str | None = None

    def collect(self) -> Iterator[pytest.Collector]:
        """List its questions."""
        from redink.errors import RedinkError
        from redink.student.homework import Homework

        try:
            homework = Homework.find(self.path.resolve().parent)
        except RedinkError as error:
            raise self.CollectError(str(error)) from error
        for question in homework.spec.questions:
            if checks := homework.checks_of(question.id):
                yield CheckedQuestion.from_parent(self, name=question.id, checks=checks)

    def find(self, question: str, check: str) -> tuple[QuestionResult, CheckResult]:
        """Return what a check says; the first one that asks has the notebook run."""
        from redink.student.points import score_report
        from redink.student.terminal import run_checks

        if self._checked is None:
            self._checked = run_checks(self.path)
        if isinstance(self._checked, str):
            raise CheckFailedError(self._checked)
        report = next(one for one in self._checked.questions if one.question.id == question)
        result = score_report(report)
        return result, next(one for one in result.checks if one.id == check)


class CheckedQuestion(pytest.Collector):
    """A question of a notebook."""

    def __init__(self, *, checks: list[Check], **how: Any) -> None:
        super().__init__(**how)
        self._checks = checks

    def collect(self) -> Iterator[pytest.Item]:
        """List its checks; two with one sentence are told apart by their names."""
        all_of_them = [check.sentence for check in self._checks]
        for check in self._checks:
            alone = all_of_them.count(check.sentence) == 1
            item = CheckItem.from_parent(
                self, name=check.sentence if alone else f"{check.sentence} ({check.id})", check=check.id
            )
            if _asks_for_gpu(check):
                item.add_marker("gpu")
            yield item


class CheckItem(pytest.Item):
    """One public check."""

    def __init__(self, *, check: str, **how: Any) -> None:
        super().__init__(**how)
        self._check = check
        self.extra_keyword_matches.add(check)

    def runtest(self) -> None:
        """Pass, or fail with what a student reads; an extra question that nobody began is skipped."""
        file = self.getparent(CheckedFile)
        assert file is not None
        assert self.parent is not None
        question, check = file.find(self.parent.name, self._check)
        facts = {"score": check.score, "max_score": check.max_score, "question": question.id, "check": check.id}
        self.user_properties += facts.items()
        if check.verdict == "not_run" and question.tier == "extra":
            pytest.skip("an extra question that was not begun")
        if check.verdict != "passed":
            hint = f"\nHint: {question.hint.text}" if question.hint else ""
            raise CheckFailedError(f"{check.message}{hint}")
        if self.get_closest_marker("gpu"):
            _need_gpu()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the message alone, where it is ours."""
        if isinstance(excinfo.value, CheckFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Say which check it is; not as its id ends, in which pytest would take full stops for colons."""
        assert self.parent is not None
        return self.path, None, f"{self.parent.name}: {self.name}"


def _asks_for_gpu(check: Check) -> bool:
    return check.when_function is not None and "torch.cuda" in check.shipped((), {}).source


def _need_gpu() -> None:
    """Return where there is a GPU; without one the check counts as not run, or fails where one is required."""
    import torch

    if torch.cuda.is_available():
        return
    reason = f"no GPU: torch {torch.__version__} finds none on this machine, so only the meta device was tried"
    if os.environ.get("REDINK_REQUIRE_GPU") == "1":
        raise CheckFailedError(f"{reason}, and REDINK_REQUIRE_GPU=1 demands one")
    pytest.skip(reason)
