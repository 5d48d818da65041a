"""The files of an imported assignment, as texts."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence

from redink.errors import AuthorError
from redink.grader.importing.converting import Converted, MadeCheck, MadeQuestion
from redink.grader.importing.draft import Draft, DraftCell, ToDo
from redink.grader.importing.fitting import fitted
from redink.grader.importing.taking_apart import TakenApart
from redink.texts import clean

TO_DO = "# TO DO:"
_CHECK_CELL = re.compile(r'check\("(\w+)"\)')
_LONG = 110

_HELPERS = {
    "kinds_of": '''
def kinds_of(value):
    """Name the classes of a value, its own first."""
    return [kind.__name__ for kind in type(value).__mro__]
''',
    "kinds_raised": '''
def kinds_raised(call):
    """Call, and name the classes of the error that is raised; none, if it returns."""
    try:
        call()
    except Exception as error:
        return [kind.__name__ for kind in type(error).__mro__]
    return []
''',
}


def specification(slug: str, order: int, draft: Draft, made: Converted) -> str:
    """Write assignment.toml."""
    torch = any(re.search(r"^\s*(import|from) torch\b", cell.source, re.MULTILINE) for cell in draft.cells)
    lines = [f"title = {_quoted(draft.title)}", f"slug = {_quoted(slug)}", f"order = {order}", "format = 1"]
    lines += ["torch = true"] if torch else []
    for question in made.questions:
        lines += ["", *_question(question)]
    if not made.questions:
        lines += ["", f"{TO_DO} none of the tests could become a check; write the first question and its check"]
    return "\n".join(lines) + "\n"


def _question(question: MadeQuestion) -> Iterator[str]:
    yield "[[questions]]"
    yield f"id = {_quoted(question.id)}"
    yield f"title = {_quoted(clean(question.title, 80))}"
    yield f"points = {question.points:g}"
    yield f"asks = [{', '.join(map(_quoted, question.asks))}]"
    if question.uses:
        yield f"uses = [{', '.join(map(_quoted, question.uses))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def master(draft: Draft, made: Converted) -> str:
    """Write the master: a text notebook with a `check` cell behind the last test of each question."""
    asked = {question.id for question in made.questions}
    last = {found[1]: place for place, cell in enumerate(draft.cells) if (found := _CHECK_CELL.fullmatch(cell.source))}
    kept = [
        cell
        for place, cell in enumerate(draft.cells)
        if (found := _CHECK_CELL.fullmatch(cell.source)) is None or (found[1] in asked and last[found[1]] == place)
    ]
    start = next((place for place, cell in enumerate(kept) if cell.kind == "code"), len(kept))
    kept.insert(start, DraftCell(kind="code", source="from redink import check"))
    kept += [DraftCell(kind="code", source=f'check("{id}")') for id in sorted(asked - last.keys())]
    return "\n\n".join(_percent(cell) for cell in kept) + "\n"


def _percent(cell: DraftCell) -> str:
    if cell.kind == "markdown":
        prose = (
            f"# {line}".rstrip() if not line.startswith("%%") else f"#  {line}" for line in cell.source.splitlines()
        )
        return "\n".join(["# %% [markdown]", *prose])
    code = re.sub(r"^# %%", "#  %%", fitted(cell.source), flags=re.MULTILINE)
    return "\n".join(["# %%", code.strip("\n")])


def checks_file(slug: str, made: Converted, *, hidden: bool) -> str:
    """Write checks.py, or hidden_checks.py; what a person must finish stands at its end."""
    checks = [one for one in made.checks if one.hidden == hidden]
    blocks = "\n\n\n".join("\n".join(_check(one)) for one in checks)
    imports = [name for name in ("check", "close") if re.search(rf"\b{name}\(", blocks)]
    head = [f'"""The {"hidden" if hidden else "public"} checks of {slug}."""']
    if others := sorted({line for one in checks for line in one.parts.imports}):
        head += ["", *others]
    if imports:
        head += ["", f"from redink.checks import {', '.join(imports)}"]
    helpers = sorted({name for one in checks for name in one.parts.helpers})
    parts = ["\n".join(head), *(_HELPERS[name].strip("\n") for name in helpers), *([blocks] if blocks else [])]
    meant = [ast.dump(node) for part in parts for node in ast.parse(part).body]
    parts += ["\n".join(_to_do(one)) for one in made.to_do if one.public != hidden]
    text = "\n\n\n".join(parts) + "\n"
    if [ast.dump(node) for node in ast.parse(text.replace("\r", "\n")).body] != meant:
        raise AuthorError("the checks cannot be written so that Python reads the same again")
    return text


def _to_do(one: ToDo) -> Iterator[str]:
    yield f"{TO_DO} {clean(one.sentence)}"
    for line in one.quoted.strip("\n").splitlines():
        yield f"#     {line}".rstrip()


def _check(made: MadeCheck) -> Iterator[str]:
    parts = made.parts
    yield f'@check("{made.question}", trials=1, weight={made.weight:g})'
    yield f"def {made.id}():"
    yield '    """' + _sentence(made).replace("\\", "\\\\") + '"""'
    yield from _indented(parts.given)
    yield f"    {_returned(parts)}"
    yield from ("", "")
    yield f"@{made.id}.when"
    yield f"def _({', '.join(('student', *parts.when_names))}):"
    yield from _indented(parts.when)
    yield from ("", "")
    yield f"@{made.id}.then"
    yield f"def _({', '.join(('seen', *parts.then_names))}):"
    yield from _indented(parts.then)


def reads_as_weighed(made: MadeCheck) -> bool:
    """Tell whether a check reads, in its place in the file, as what was weighed: indented, and below a stranger's words."""
    parts = made.parts
    heads = (
        f"@check({made.question!r}, trials=1, weight={made.weight:g})\ndef {made.id}():\n    {_sentence(made)!r}",
        f"@{made.id}.when\ndef _({', '.join(('student', *parts.when_names))}):\n    0",
        f"@{made.id}.then\ndef _({', '.join(('seen', *parts.then_names))}):\n    0",
    )
    bodies = ([*parts.given, _returned(parts)], parts.when, parts.then)
    try:
        found = ast.parse("\n".join(_check(made)))
        meant = ast.parse("\n".join(heads))
        for place, (function, lines) in enumerate(zip(meant.body, bodies, strict=True)):
            assert isinstance(function, ast.FunctionDef)
            function.body[0 if place else 1 :] = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return made.id.isidentifier() and ast.dump(found) == ast.dump(meant)


def _returned(parts: TakenApart) -> str:
    return f"return dict({', '.join(f'{name}={name}' for name in parts.inputs)})"


def _sentence(made: MadeCheck) -> str:
    asked = f"What the test {made.test.name} asks of {', '.join(sorted(made.parts.uses))}."
    text = clean(made.parts.sentence or asked).replace('"', "'")
    return f"{text} (The part that you may see.)" if made.test.hidden and not made.hidden else text


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from (f"    {part}" for part in (_broken(line) if len(line) > _LONG else [line]))


def _broken(line: str) -> Sequence[str]:
    """Write a long list that is returned with a value on each line."""
    if not line.startswith("return ["):
        return [line]
    (node,) = ast.parse(line.removeprefix("return ")).body
    values = node.value.elts if isinstance(node, ast.Expr) and isinstance(node.value, ast.List) else []
    return ["return [", *(f"    {ast.unparse(value)}," for value in values), "]"]
