"""Workers: bytes in, bytes out, on any executor; whatever is killed costs nobody a grade."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from redink.grader.answer_key.key import AnswerKey, decode_key, encode_key
from redink.grader.digests import digest
from redink.grader.grade import grade_all
from redink.grader.pipeline.collect import collect
from redink.grader.pipeline.job import BoxSettings, Done, Job, pack
from redink.grader.sandbox.template import Template
from redink.grader.store.gradebook import Gradebook
from redink.grader.workers import worker
from redink.grader.workers.dispatch import AHEAD
from redink.grader.workers.worker import run_job
from redink.grader.workers.workers import Workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

CLASS = ("ada_right", "believes_in_rows", "unknown_mistake_1", "missing_function")
PLAIN = BoxSettings(torch=False)
ALONE = """
import sys
from pathlib import Path
from redink.grader.workers.worker import run_job
Path(sys.argv[2]).write_bytes(run_job(Path(sys.argv[1]).read_bytes()))
"""


@pytest.fixture(scope="module")
def key(graded_course: Path) -> AnswerKey:
    (path,) = (graded_course / ".redink" / "keys").iterdir()
    return decode_key(path.read_bytes(), str(path))


@pytest.fixture(scope="module")
def box() -> Iterator[BoxSettings]:
    """Settings of boxes from a template that is shared by all tests here."""
    with Template(torch=False) as template:
        yield BoxSettings(torch=False, template=template.address)


@pytest.fixture
def notebooks(graded_course: Path) -> dict[str, bytes]:
    return {name: (graded_course / "class" / name / "little.ipynb").read_bytes() for name in CLASS}


def job(key: AnswerKey, notebook: bytes, box: BoxSettings = PLAIN) -> Job:
    data = encode_key(key)
    return Job(notebook=notebook, key=digest(data), key_data=data, box=box)


def jobs(notebooks: dict[str, bytes]) -> Iterator[tuple[str, Job]]:
    """Orders as the coordinator writes them: the key and the box are added by `Workers`."""
    for name, notebook in notebooks.items():
        yield name, Job(notebook=notebook, key="", box=PLAIN)


def run(order: Job) -> Done:
    return msgspec.msgpack.decode(run_job(pack(order)), type=Done)


def scores(done: dict[str, Done]) -> dict[str, float]:
    assert all(one.assessment is not None for one in done.values()), done
    return {name: one.assessment.score for name, one in sorted(done.items()) if one.assessment}


def expected(results: dict[str, dict[str, Any]]) -> dict[str, float]:
    return {name: results[name]["score"] for name in sorted(CLASS)}


def timeless(done: Done) -> Done:
    """Leave out what may differ between two runs: times, and the walls of this machine."""
    assert done.execution is not None
    cells = tuple(msgspec.structs.replace(cell, cpu_seconds=0.0) for cell in done.execution.cells)
    still = msgspec.structs.replace(done.execution, cells=cells, cpu_seconds=0.0, wall_seconds=0.0)
    return msgspec.structs.replace(done, execution=still)


# -- on any executor -------------------------------------------------------------------------------------------------


def test_a_job_is_bytes_in_and_bytes_out(key, notebooks, box, results):
    done = {name: run(job(key, notebook, box)) for name, notebook in notebooks.items()}
    assert scores(done) == expected(results)
    assert {one.state for one in done.values()} == {"graded"}


def test_a_thread_does_the_jobs(key, notebooks, box, results):
    with ThreadPoolExecutor(1) as pool, Workers(1, box, executor=pool) as workers:
        done = dict(workers.grade(key, jobs(notebooks)))
        pool.submit(worker._release).result()
    assert scores(done) == expected(results)


def test_processes_that_somebody_else_started_do_the_jobs(key, notebooks, box, results):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, context) as pool, Workers(2, box, executor=pool) as workers:
        assert scores(dict(workers.grade(key, jobs(notebooks)))) == expected(results)


def test_a_job_says_everything_that_its_answer_depends_on(key, notebooks, box, tmp_path):
    order = tmp_path / "order"
    order.write_bytes(pack(job(key, notebooks["believes_in_rows"], box)))
    (tmp_path / "numpy.py").write_text("raise SystemExit('the current folder was imported')")
    odd = {"REDINK_SECRET": "another", "PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "2", "TZ": "Asia/Tokyo", "HOME": "/"}
    answers = []
    for number, (folder, variables) in enumerate(((Path("/"), {}), (tmp_path, odd))):
        target = tmp_path / str(number)
        command = [sys.executable, "-P", "-c", ALONE, str(order), str(target)]
        subprocess.run(command, cwd=folder, env=variables, check=True)
        answers.append(timeless(msgspec.msgpack.decode(target.read_bytes(), type=Done)))
    assert answers[0] == answers[1] == timeless(run(job(key, notebooks["believes_in_rows"], box)))


class _Forgetful(ThreadPoolExecutor):
    """A place where no worker has the key before it was asked for; counts what is submitted."""

    def __init__(self) -> None:
        super().__init__(1)
        self.given: list[bool] = []
        self._seen: set[bytes] = set()

    def submit(self, function: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
        order = msgspec.msgpack.decode(given[0], type=Job)
        if order.notebook not in self._seen:
            self._seen.add(order.notebook)
            order = msgspec.structs.replace(order, key_data=b"")
        self.given.append(bool(order.key_data))
        return super().submit(function, pack(order))


def test_a_worker_without_the_key_says_so_and_gets_it(key, notebooks, box):
    stranger = msgspec.structs.replace(job(key, notebooks["ada_right"], box), key="0" * 64, key_data=b"")
    assert run(stranger).needs_key
    with _Forgetful() as pool, Workers(1, box, executor=pool) as workers:
        ((_, done),) = workers.grade(key, jobs({"ada_right": notebooks["ada_right"]}))
        pool.submit = lambda *call: ThreadPoolExecutor.submit(pool, *call)  # type: ignore[method-assign]
        pool.submit(worker._release).result()
    assert pool.given == [False, True]
    assert done.assessment is not None
    assert done.assessment.score == 100.0


def test_a_damaged_key_is_refused_and_grades_nobody(key, notebooks, box):
    good = job(key, notebooks["ada_right"], box)
    data = bytearray(good.key_data)
    data[len(data) // 2] ^= 1
    done = run(msgspec.structs.replace(good, key=digest(bytes(data)), key_data=bytes(data)))
    assert done.state == "internal_error"
    assert "damaged" in done.refused
    assert run(good).state == "graded"


# -- whatever is killed ----------------------------------------------------------------------------------------------


def test_a_judge_that_is_killed_costs_nothing(key, notebooks, box, results):
    order = job(key, notebooks["believes_in_rows"], box)
    first = run(order)
    judge = worker._held.judge
    assert judge is not None
    os.kill(judge.pid, signal.SIGKILL)
    assert timeless(run(order)) == timeless(first)


def test_a_template_that_is_killed_costs_nothing(key, notebooks, results):
    with Template(torch=False) as template:
        order = job(key, notebooks["believes_in_rows"], BoxSettings(torch=False, template=template.address))
        first = run(order)
        os.kill(template.pid, signal.SIGKILL)
        assert timeless(run(order)) == timeless(first)  # the zygote goes on without it
        zygote = worker._held.zygote
        assert zygote is not None
        os.kill(zygote.pid, signal.SIGKILL)
        assert timeless(run(order)) == timeless(first)  # and another one comes from another template


def test_a_worker_that_is_killed_in_the_midst_of_a_class_costs_nobody_a_grade(key, notebooks, results):
    with Workers(1, PLAIN) as workers:
        done = {}
        for name, one in workers.grade(key, jobs(notebooks)):
            if not done:
                assert workers._pool is not None
                for pid in list(workers._pool._processes):
                    os.kill(pid, signal.SIGKILL)
            assert name not in done
            done[name] = one
    assert scores(done) == expected(results)


# -- what a worker knows ---------------------------------------------------------------------------------------------


class _Overheard(ThreadPoolExecutor):
    """Remembers every byte that goes to workers and comes back."""

    def __init__(self) -> None:
        super().__init__(1)
        self.bytes = b""

    def submit(self, function: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
        future = super().submit(function, *given, **more)
        if given:
            self.bytes += given[0] + future.result()
        return future


def test_a_worker_knows_no_names_of_people(key, notebooks, box, tmp_path):
    for name, content in {"zebulon": notebooks["ada_right"], "wilhelmina": b"Dear professor,\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "little.ipynb").write_bytes(content)
    book = Gradebook(None, key.secret)
    with _Overheard() as pool, book, Workers(1, box, executor=pool) as workers:
        done = list(grade_all(key, collect("little", tmp_path).found, book, workers))
        pool.submit(worker._release).result()
    found = {one.result.submission.id: one.result for one in done}
    assert found["zebulon"].score == 100.0
    assert (found["wilhelmina"].reason or "").startswith("wilhelmina/little.ipynb is not a notebook")
    assert len(pool.bytes) > 10_000
    assert b"zebulon" not in pool.bytes
    assert b"wilhelmina" not in pool.bytes


@pytest.mark.parametrize("count", [1, 2])
def test_no_more_submissions_are_read_than_are_about_to_be_graded(key, box, count):
    taken = received = most = 0

    def endless() -> Iterator[tuple[int, Job]]:
        nonlocal taken, most
        for number in range(40):
            taken += 1
            most = max(most, taken - received)
            yield number, Job(notebook=b"Dear professor,\n", key="", box=box)

    pool: Executor
    with ThreadPoolExecutor(count) as pool, Workers(count, box, executor=pool) as workers:
        for _, done in workers.grade(key, endless()):
            received += 1
            assert done.state == "ungradable"
        all_threads = threading.Barrier(count)

        def release() -> None:
            all_threads.wait(60)  # each thread has a worker: none may take the turn of another
            worker._release()

        for one in [pool.submit(release) for _ in range(count)]:
            one.result()
    assert received == 40
    assert most == AHEAD * count
