"""What an author imports: the language of checks and of specimens."""

from redink.checks.asserting import close
from redink.checks.forms import answers_have_form
from redink.checks.language import Check, Fail, check, concept
from redink.checks.specimens import alternative, misconception
from redink.checks.stand_ins import printed, raised

__all__ = [
    "Check",
    "Fail",
    "alternative",
    "answers_have_form",
    "check",
    "close",
    "concept",
    "misconception",
    "printed",
    "raised",
]
