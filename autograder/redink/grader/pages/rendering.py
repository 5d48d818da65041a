"""Facts become pages. Whatever is put into a template is made harmless there: nobody needs to remember it.

HTML is escaped by Jinja, Markdown by `texts.markdown`; both first lose what cannot be printed and what is too long. Only
`Markup` made in this room (charts, code between fences) goes in as it is.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from redink.grader.pages import charts
from redink.grader.pages.facts import ClassFacts, remark
from redink.grader.pages.messages import ToldCheck
from redink.grader.pages.student import StudentPage
from redink.texts import clean, clean_lines, markdown

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_LONGEST_LINE, _LONGEST_TEXT = 2000, 50_000
_TEMPLATES = Path(__file__).with_name("templates")


def class_html(facts: ClassFacts) -> str:
    """Write the class page."""
    return _html().get_template("class.html").render(facts=facts, people=facts.by_id())


def class_markdown(facts: ClassFacts) -> str:
    """Write the class page as Markdown."""
    return _markdown().get_template("class.md").render(facts=facts, people=facts.by_id())


def student_html(page: StudentPage) -> str:
    """Write a feedback page."""
    return _html().get_template("student.html").render(page=page)


def student_markdown(page: StudentPage) -> str:
    """Write a feedback page as Markdown."""
    return _markdown().get_template("student.md").render(page=page)


@functools.cache
def _html() -> Environment:
    made = _environment(finalize=_printable)
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    made.globals.update(style=Markup(style), policy=POLICY, histogram=charts.histogram, bar=charts.bar)  # noqa: S704 - our own file
    return made


@functools.cache
def _markdown() -> Environment:
    made = _environment(finalize=_escaped)
    made.filters["fenced"] = fenced
    made.globals["values"] = _values
    return made


def _environment(**options: Any) -> Environment:
    made = Environment(
        autoescape=True,  # in Markdown too: there all texts are escaped before, and this leaves them alone
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,
    )
    made.filters["number"] = number
    made.globals["remark"] = remark
    return made


def number(value: float | None, digits: int = 2) -> str:
    """Write a number of points: to so many digits after the point, and no zeros for nothing."""
    if value is None:
        return "—"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def fenced(text: str, language: str = "") -> Markup:
    """Write lines as code in Markdown, between fences that are longer than any in the text."""
    lines = clean_lines(text, _LONGEST_TEXT)
    longest = max([2, *map(len, re.findall(r"`+", lines))])
    fence = "`" * (longest + 1)
    return Markup(f"{fence}{language}\n{lines}\n{fence}")  # noqa: S704 - nothing gets out of its fence


def _values(told: ToldCheck) -> str:
    """Write inputs, expected and got as lines."""
    lines = [f"{name} = {value}" for name, value in told.inputs]
    lines += [f"expected: {told.expected}"] if told.expected else []
    lines += [f"got:      {told.got}"] if told.got else []
    return "\n".join(lines)


def _printable(value: Any) -> Any:
    """Return a text without what cannot be printed; it is escaped after this."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return clean_lines(value, _LONGEST_TEXT)


def _escaped(value: Any) -> Any:
    """Return a text that Markdown shows as it is."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return Markup(markdown(clean(value, _LONGEST_LINE)))  # noqa: S704 - escaped for Markdown
