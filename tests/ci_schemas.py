"""What readers expect of our files: JUnit as an XML schema, those of Gradescope and Classroom 50 as JSON schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import xmlschema

_JUNIT = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))
_INSTANT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"
_FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
_SEEN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
_POINTS = {"type": "number", "minimum": 0}


def _shape(needed: str, **properties: Any) -> dict[str, Any]:
    """Describe an object that has these properties and no others."""
    return {"type": "object", "required": needed.split(), "additionalProperties": False, "properties": properties}


_STRING, _WHOLE = {"type": "string"}, {"type": "integer", "minimum": 0}
GRADESCOPE = _shape(
    "tests output",  # a score may be missing: then Gradescope shows an error, which is what we want where we failed
    score=_POINTS, execution_time=_POINTS, output=_STRING, output_format=_FORMAT, test_output_format=_FORMAT,
    visibility=_SEEN, stdout_visibility=_SEEN, extra_data={"type": "object"},
    tests={"type": "array", "items": _shape(
        "score max_score name", score=_POINTS, max_score=_POINTS, status={"enum": ["passed", "failed"]}, name=_STRING,
        number={"type": "string", "pattern": r"^\d+(\.\d+)*$"}, output=_STRING, visibility=_SEEN,
    )},
)  # fmt: skip
CLASSROOM = _shape(
    "schema classroom assignment submission commit release review datetime score max-score tests",
    **{
        "schema": {"const": "classroom50/result/v1"}, "score": _WHOLE, "max-score": _WHOLE,
        "datetime": {"type": "string", "pattern": _INSTANT}, "graded_at": {"type": "string", "pattern": _INSTANT},
        **dict.fromkeys(("classroom", "assignment", "submission", "commit", "release", "review"), _STRING),
        "tests": {"type": "array", "items": _shape("test-name passed score max-score", **{
            "test-name": {"type": "string", "minLength": 1}, "passed": {"type": "boolean"}, "score": _WHOLE,
            "max-score": _WHOLE,
        })},
    },
)  # fmt: skip


def check_junit(data: bytes) -> None:
    """Hold a file to the rules of JUnit; its counts must be true."""
    _JUNIT.validate(data.decode())
    top = _JUNIT.to_dict(data.decode())
    for kind in ("tests", "failures", "errors", "skipped"):
        assert top[f"@{kind}"] == sum(suite[f"@{kind}"] for suite in top["testsuite"]), kind


def check_gradescope(told: Any) -> None:
    """Hold a file to what Gradescope reads."""
    jsonschema.validate(told, GRADESCOPE)


def check_classroom(told: Any) -> None:
    """Hold a file to what Classroom 50 reads; no score is larger than what there is to earn."""
    jsonschema.validate(told, CLASSROOM)
    assert all(one["score"] <= one["max-score"] for one in (told, *told["tests"]))
