"""The trials of a check: their inputs, what the box must run for them, and what the judge needs to know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redink.checks.language import Check
from redink.checks.seeds import PUBLISHED, generator
from redink.checks.shipping import Shipped
from redink.errors import AuthorError
from redink.judging.diagnosing import Asked
from redink.records import Observation, Request, Trial
from redink.wire import Opaque, decode, encode, frozen


def make_trials(slug: str, check: Check, key: bytes, reference: Any = None) -> tuple[Trial, ...]:
    """Make the inputs of all trials of a check from one key: the published one, or a course secret."""
    return tuple(
        Trial(
            check=check.id,
            number=number,
            published=key == PUBLISHED,
            inputs=encode(check.inputs(generator(key, slug, check.id, number), number, reference), tuples=check.tuples),
        )
        for number in range(check.trials)
    )


def make_requests(
    check: Check, trials: Sequence[Trial], asks: tuple[str, ...], forbids: tuple[str, ...] = ()
) -> tuple[Request, ...]:
    """Say what the box must run for each trial; only the inputs that the `when` names are sent.

    Calls of forbidden names are watched in the published trials and in the first secret one: watching takes time.
    """
    shipped: dict[tuple[str, ...], Shipped] = {}  # parsed once for all trials with the same inputs
    made = []
    for trial in trials:
        inputs = decode(trial.inputs)
        if odd := [f"{name}, a {value.type_name}" for name, value in inputs.items() if isinstance(value, Opaque)]:
            seed = (
                "; make a seed an input, and np.random.default_rng(seed) in the when" if "Generator" in odd[0] else ""
            )
            raise AuthorError(
                f"check {check.id}: its given makes {odd[0]}, which is not plain data and cannot cross{seed}"
            )
        when = shipped.setdefault(names := tuple(inputs), shipped.get(names) or check.shipped(asks, inputs))
        if unknown := [name for name in when.names if name not in inputs]:
            raise AuthorError(f"check {check.id}: its when names {', '.join(unknown)}, which given does not make")
        crossing = {name: inputs[name] for name in when.names}
        watched = forbids if trial.published or trial.number == 0 else ()
        made.append(
            Request(
                id=trial.id,
                when=when.source,
                inputs=encode(crossing),
                group=check.id,
                forbids=watched,
                tuples=check.tuples,
            )
        )
    return tuple(made)


def as_asked(check: Check, trials: Sequence[Trial], expected: Sequence[Observation]) -> tuple[Asked, ...]:
    """Pair trials with what the reference returned, decoded once for everybody."""
    return tuple(
        Asked(
            id=trial.id,
            check=check,
            inputs=frozen(decode(trial.inputs)),
            expected=frozen(decode(answer.value)),
            data=answer.value,
            modified=answer.modified,
        )
        for trial, answer in zip(trials, expected, strict=True)
    )
