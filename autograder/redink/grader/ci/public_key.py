"""An answer key of what every student has: public checks on published inputs, nothing hidden.

It is made from a handout, or it is what remains of an answer key before a deadline. Both grade alike: hidden checks that
run on every push would be an oracle, however little is shown of them, so until then they do not run at all.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from redink.assignment.handout import read_handout
from redink.assignment.load import load_checks
from redink.assignment.published import Published
from redink.assignment.spec import Spec, read_spec
from redink.assignment.trials import make_requests
from redink.checks.language import Check
from redink.errors import CourseError
from redink.grader.answer_key.key import AnswerKey, Hinted, Part, WrongAnswers
from redink.grader.digests import box_stamp, digest
from redink.notebook import read_cells, read_parts
from redink.records import Trial

PUBLISHED_NAME = "published"  # stands where the fingerprint of a secret stands otherwise


def handout_key(folder: Path) -> AnswerKey:
    """Make the key of an assignment as it is handed out."""
    files, spec = read_handout(folder), read_spec(folder)
    published = _published(files["published.json"], folder)
    source = files["checks.py"].decode()
    checks = load_checks(spec, source, f"{spec.slug}/checks.py")
    return AnswerKey(
        version=digest(files["assignment.toml"], files["checks.py"], files["published.json"]),
        secret=PUBLISHED_NAME,
        made_from="",
        published_from=published.made_from,
        spec=spec,
        checks=source,
        hidden_checks="",
        explorations=_explorations(files[f"{spec.slug}.ipynb"]),
        data={name: files[name] for name in spec.data},
        misconceptions=tuple(
            Hinted(id=one.id, question=one.question, hint=one.hint) for one in published.misconceptions
        ),
        parts=tuple(_part(spec, check, published) for check in checks),
        reference_from="",
    )


def published_part(key: AnswerKey) -> AnswerKey:
    """Return what a key has of public checks on published inputs."""
    parts = tuple(_published_only(part) for part in key.parts if part.visibility == "public")
    return msgspec.structs.replace(key, secret=PUBLISHED_NAME, hidden_checks="", parts=parts, reference=())


def _published_only(part: Part) -> Part:
    kept = {trial.id for trial in part.trials if trial.published}
    wrong = {
        name: WrongAnswers(
            made_from=one.made_from,
            answers={id: seen for id, seen in one.answers.items() if id in kept},
            differs=tuple(id for id in one.differs if id in kept),
        )
        for name, one in part.wrong.items()
    }
    return msgspec.structs.replace(
        part,
        trials=tuple(trial for trial in part.trials if trial.id in kept),
        requests=tuple(request for request in part.requests if request.id in kept),
        expected=tuple(seen for trial, seen in zip(part.trials, part.expected, strict=True) if trial.id in kept),
        wrong={name: one for name, one in wrong.items() if one.answers},
    )


def _part(spec: Spec, check: Check, published: Published) -> Part:
    trials = tuple(trial for trial in published.trials if trial.check == check.id)
    if len(trials) != check.trials or any(trial.id not in published.expected for trial in trials):
        raise CourseError(f"published.json of {spec.slug} is older than its checks.py; run `redink build {spec.slug}`")
    question = spec.question(check.question)
    return Part(
        check=check.id,
        question=check.question,
        visibility="public",
        weight=check.weight,
        inputs_from="",
        answers_from="",
        judged_by="",
        stamp=box_stamp(spec.packages),
        trials=trials,
        requests=make_requests(check, trials, question.asks, question.forbids),
        expected=tuple(published.expected[trial.id] for trial in trials),
        wrong=_wrong(trials, published),
    )


def _wrong(trials: tuple[Trial, ...], published: Published) -> dict[str, WrongAnswers]:
    found = {}
    for one in published.misconceptions:
        answers = {trial.id: one.gives[trial.id] for trial in trials if trial.id in one.gives}
        if answers:
            found[one.id] = WrongAnswers(made_from="", answers=answers, differs=tuple(answers))
    return found


def _explorations(notebook: bytes) -> frozenset[str]:
    """Return the sources of the cells that the handout marks as plots and long experiments."""
    tagged = {index for index, cell in enumerate(read_parts(notebook)[1], start=1) if "explore" in cell.tags()}
    return frozenset(cell.source for cell in read_cells(notebook) if cell.index in tagged)


def _published(data: bytes, folder: Path) -> Published:
    try:
        return msgspec.json.decode(data, type=Published)
    except msgspec.MsgspecError as error:
        raise CourseError(f"published.json of {folder} is damaged: {error}") from error
