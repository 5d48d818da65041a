"""`pytest --redink NOTEBOOK`: every public check of a notebook is a test, named by its sentence, with its points.

The notebook runs once, in a process of its own, when the first of its tests does; with xdist all of them therefore stay on
one worker. Without the option this plugin does nothing, and imports nothing of Redink.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from redink.records import CheckResult, QuestionResult
    from redink.student.terminal import CheckedNotebook


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
            sentences = {check.id: check.sentence for check in homework.checks if check.question == question.id}
            if sentences:
                yield CheckedQuestion.from_parent(self, name=question.id, sentences=sentences)

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

    def __init__(self, *, sentences: dict[str, str], **how: Any) -> None:
        super().__init__(**how)
        self._sentences = sentences

    def collect(self) -> Iterator[pytest.Item]:
        """List its checks; two with one sentence are told apart by their names."""
        all_of_them = list(self._sentences.values())
        for check, sentence in self._sentences.items():
            name = sentence if all_of_them.count(sentence) == 1 else f"{sentence} ({check})"
            yield CheckItem.from_parent(self, name=name, check=check)


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

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the message alone, where it is ours."""
        if isinstance(excinfo.value, CheckFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Say which check it is; not as its id ends, in which pytest would take full stops for colons."""
        assert self.parent is not None
        return self.path, None, f"{self.parent.name}: {self.name}"
