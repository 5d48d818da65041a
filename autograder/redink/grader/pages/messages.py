"""The message of a check, taken apart again: its sentence, what was wrong, inputs, expected and got."""

from __future__ import annotations

import re

from redink.records import Record

_INPUT = re.compile(r"  ([^\W\d]\w*) = (.*)")
_PARTS = {"  expected: ": "expected", "  got:      ": "got", "  replay:   ": "replay"}


class ToldCheck(Record, frozen=True):
    """What a student may read of a check that did not pass."""

    sentence: str
    fault: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    expected: str = ""
    got: str = ""
    replay: str = ""

    def without_values(self, verdict: str) -> ToldCheck:
        """Return what gives no right answer away: how the code ended, but nothing of a comparison."""
        return ToldCheck(sentence=self.sentence, fault="" if verdict == "failed" else self.fault)


def read_message(message: str) -> ToldCheck:
    """Take apart what `Feedback.text` wrote; a line that is nothing else belongs to what was wrong."""
    sentence, *lines = message.split("\n")
    parts: dict[str, str] = {}
    inputs, fault = [], []
    for line in lines:
        name = next((name for start, name in _PARTS.items() if line.startswith(start)), "")
        if name and name not in parts:
            parts[name] = line[12:]
        elif match := _INPUT.fullmatch(line):
            inputs.append((match[1], match[2]))
        else:
            fault.append(line.strip())
    return ToldCheck(sentence=sentence, fault="\n".join(fault), inputs=tuple(inputs), **parts)
