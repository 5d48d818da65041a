"""An assignment for Gradescope: the zip of an autograder that runs Redink itself, by a sealed key.

The zip is for instructors alone: it holds the sealed key and the identity that opens it. In the container the identity is
taken into memory and its file removed before any code of a student runs; what is left there opens nothing. The key is
made under a secret of its own, so it tells nothing of the inputs that the course itself grades with.
"""

from __future__ import annotations

import sys
from pathlib import Path

from redink.assignment.handout import read_handout, zip_files
from redink.grader.adapters.hiding import own_secret
from redink.grader.answer_key.make import make_answer_key
from redink.grader.assignment.assignment import read_assignment
from redink.grader.author.ci_files import fill_in, holds, what_it_installs
from redink.grader.author.distribute import refuse_stale
from redink.grader.course import Course
from redink.grader.sealing.age import new_pair
from redink.grader.sealing.seal import bound, encrypted
from redink.grader.sealing.sealed import file_hash
from redink.grader.workers.workers import Workers

_TEXTS = Path(__file__).parent / "texts"
_SCRIPTS = {"setup.sh": "gradescope_setup.txt", "run_autograder": "gradescope_run.txt"}


def for_gradescope(course: Course, slug: str, target: Path, workers: Workers, wheel: Path) -> list[Path]:
    """Write the autograder's zip; return it."""
    assignment = read_assignment(course, slug)
    carried = what_it_installs(wheel, assignment.spec.packages)
    refuse_stale(course, slug, workers)
    holds(wheel, slug, read_handout(assignment.folder))  # it need not: a course may have assignments of its own
    identity, recipient = new_pair()
    key = make_answer_key(assignment, own_secret(course, "gradescope"), workers.observe)
    sealed = encrypted([bound(course, key)], [recipient])
    told = {
        "PYTHON": f"{sys.version_info.major}.{sys.version_info.minor}",
        "WHEEL": wheel.name,
        "EXTRA": "[seal,torch]" if assignment.spec.torch else "[seal]",
        "PACKAGES": "".join(f" {package}" for package in assignment.spec.packages),
        "SLUG": slug,
        "SHA256": file_hash(sealed),
    }
    scripts = {name: fill_in((_TEXTS / text).read_text(encoding="utf-8"), told) for name, text in _SCRIPTS.items()}
    archive = target / f"{slug}-gradescope.zip"
    target.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(zip_files({**carried, **scripts, "keys.age": sealed, "identity": f"{identity}\n".encode()}))
    archive.chmod(0o600)
    return [archive]
