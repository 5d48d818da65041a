"""Which part of a class one process grades: I of N, said in the command or, if that is asked for, by a scheduler."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from redink.errors import CourseError

AUTO = "auto"
COUNT_VARIABLE = "REDINK_SHARDS"  # a Kubernetes Job does not tell its pods how many they are
MOST = 100_000
_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_Thing = TypeVar("_Thing")


class Share(NamedTuple):
    """Share `number` of `of`, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def take(self, things: Sequence[_Thing]) -> Sequence[_Thing]:
        """Return every `of`-th thing: neighbours in a list, who may be slow for one reason, go to different shares."""
        return things[self.number - 1 :: self.of]


def read_share(told: str, environment: Mapping[str, str]) -> Share:
    """Read `I/N`, or `auto`: what a scheduler tells in the environment, which nothing else ever looks at."""
    if told == AUTO:
        return _told_by_a_scheduler(environment)
    match = _FORM.fullmatch(told)
    if match is None:
        raise CourseError(f"--shard {told} is no share: write I/N, as in 1/3, or auto in a job of a scheduler")
    return _share(int(match[1]), int(match[2]), f"--shard {told}")


def _told_by_a_scheduler(environment: Mapping[str, str]) -> Share:
    told = [(name, read) for name, read in _SCHEDULERS.items() if name in environment]
    if not told:
        raise CourseError(
            f"--shard auto finds no array of jobs here ({', '.join(_SCHEDULERS)}): say which share it is, as in --shard 1/3"
        )
    if len(told) > 1:
        names = " and ".join(name for name, _ in told)
        raise CourseError(f"--shard auto finds {names}: say which share is meant, as in --shard 1/3")
    return told[0][1](environment)


def _slurm(environment: Mapping[str, str]) -> Share:
    """Read an array job of Slurm: it may begin anywhere and have steps, and no gaps: a part of one is not the whole."""
    number, first, last, count = (
        _number(environment, f"SLURM_ARRAY_TASK_{one}") for one in ("ID", "MIN", "MAX", "COUNT")
    )
    step = _number(environment, "SLURM_ARRAY_TASK_STEP", 1)
    if step < 1 or last - first != (count - 1) * step or (number - first) % step:
        raise CourseError("the array of jobs has gaps: say which share this is, as in --shard 3/10")
    return _share((number - first) // step + 1, count, "the array of Slurm")


def _kubernetes(environment: Mapping[str, str]) -> Share:
    count = _number(environment, COUNT_VARIABLE)
    return _share(_number(environment, "JOB_COMPLETION_INDEX") + 1, count, "the indexed Job")


def _ci(environment: Mapping[str, str]) -> Share:
    return _share(_number(environment, "CI_NODE_INDEX"), _number(environment, "CI_NODE_TOTAL"), "the CI job")


_SCHEDULERS: dict[str, Callable[[Mapping[str, str]], Share]] = {
    "SLURM_ARRAY_TASK_ID": _slurm,
    "JOB_COMPLETION_INDEX": _kubernetes,
    "CI_NODE_INDEX": _ci,  # GitLab and others; a matrix of GitHub writes I/N itself
}


def _number(environment: Mapping[str, str], name: str, default: int | None = None) -> int:
    told = environment.get(name, "" if default is None else str(default))
    if not re.fullmatch("[0-9]{1,9}", told):
        raise CourseError(
            f"--shard auto needs {name}, a number, and it is {told!r}; or say which share, as in --shard 1/3"
        )
    return int(told)


def _share(number: int, of: int, where: str) -> Share:
    if not 1 <= number <= of <= MOST:
        raise CourseError(f"{where} says share {number} of {of}: shares count from 1, and there are {MOST:,} at most")
    return Share(number, of)
