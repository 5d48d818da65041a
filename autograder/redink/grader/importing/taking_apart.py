"""A test taken apart into given, when and then, by reading its syntax tree.

A test is statements that run in the student's kernel. What does not depend on the student's code is *given*. What does is
replayed beside it, and the values that are asserted about are collected: that is the *when*. The assertions themselves,
with the collected values in their places, are the *then*. What cannot be split so raises `NoCheck` with the reason.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from redink.grader.importing.asserting import Asserted, assertion, raising
from redink.grader.importing.chains import ONES, Chains, NoCheck, Node, alone, said
from redink.grader.importing.harmless import refuse_harm

_SEEDS = frozenset({"np.random.seed", "numpy.random.seed", "random.seed", "torch.manual_seed"})
_IN_THE_BOX = frozenset({"np", "torch"})


_OURS = frozenset({"seen", "student", "answers", "close", "kinds_of", "kinds_raised", *ONES})
_RESERVED = frozenset({"rng", "trial", "reference", "expected", "modified"})
UNWRITTEN = "it cannot be written so that Python reads the same again"
_NO_MORE = "assert not list(answers)"
_RETURN = ast.Return(ast.Name("seen", ast.Load()))


class Known(NamedTuple):
    """What the notebook has: the names that it defines, and the imports by the name that they define."""

    defined: frozenset[str]
    imports: Mapping[str, str]


class TakenApart(NamedTuple):
    """The three parts of a check, as lines of source."""

    sentence: str  # of its own docstring; empty if it has none
    inputs: tuple[str, ...]
    given: tuple[str, ...]
    when: tuple[str, ...]
    then: tuple[str, ...]
    when_names: tuple[str, ...]  # the inputs that they use
    then_names: tuple[str, ...]
    imports: tuple[str, ...]  # for given and then
    helpers: frozenset[str]
    uses: frozenset[str]  # of the notebook's names


def take_apart(source: str, known: Known) -> TakenApart:
    """Split a test; `NoCheck` says why it cannot be."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NoCheck("it is not Python alone") from error
    sentence = ""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        sentence = " ".join(str(body[0].value.value).split()) if isinstance(body[0].value.value, str) else ""
        body = body[1:]
    if "AUTOTEST" in source:
        raise NoCheck(
            "AUTOTEST lines are filled in by nbgrader itself; run `nbgrader generate_assignment`, or write them"
        )
    try:
        return _Splitter(known).split(body, sentence)
    except (ValueError, RecursionError) as error:
        raise NoCheck(UNWRITTEN) from error


class _Splitter:
    """Goes through the statements of one test in their order."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.imports = dict(known.imports)
        self.chains = Chains(known.defined)
        self.given: list[ast.stmt] = []
        self.collected = 0
        self.late = False  # whether something runs beside the student's code after the first value was collected
        self.loops = False  # whether it has loops at all, and whether this is in one
        self.looping = False
        self.local: set[str] = set()  # names of loops
        self.renamed: dict[str, str] = {}  # an input that is assigned again, and its newest name
        self.inputs: list[str] = []
        self.used: set[str] = set()  # inputs that something was already done with

    def split(self, body: Sequence[ast.stmt], sentence: str) -> TakenApart:
        self.loops = any(isinstance(one, ast.For) for one in body)
        when, then = self._body(body)
        if not self.collected:
            raise NoCheck("it asserts nothing about the student's code")
        late = self.late or self.loops
        returning = [*when, _RETURN] if late else _as_one_list(when)
        first = ast.parse("seen = []").body if late else []
        if not late and self.collected == 1:
            returning[-1], then = _alone(returning[-1], then)
        elif self.loops:
            then = [*ast.parse("answers = iter(seen)").body, *then, *ast.parse(_NO_MORE).body]
        else:
            then = [*ast.parse(f"assert len(seen) == {self.collected}").body, *then]
        given, judging = _written(self.given), _written(then)
        refuse_harm(_read("\n".join([*given, *judging])), self.imports, _OURS)
        names = _names(then) | _names(self.given)
        return TakenApart(
            sentence=sentence,
            inputs=tuple(self.inputs),
            given=given,
            when=_written([*self._imports_for(when), *first, *returning]),
            then=judging,
            when_names=tuple(name for name in self.inputs if name in _names(when)),
            then_names=tuple(name for name in self.inputs if name in _names(then)),
            imports=tuple(text for name, text in self.imports.items() if name in names),
            helpers=frozenset(_names(when) & {"kinds_of", "kinds_raised"}),
            uses=frozenset(self.chains.uses),
        )

    def _body(self, body: Iterable[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
        when: list[ast.stmt] = []
        then: list[ast.stmt] = []
        for statement in body:
            more_when, more_then = self._statement(statement)
            when += more_when
            then += more_then
        return when, then

    def _statement(self, node: ast.stmt) -> tuple[list[ast.stmt], list[ast.stmt]]:
        if (raised := raising(node)) is not None:
            return self._collect(raised)
        if isinstance(node, ast.Import | ast.ImportFrom):
            for one in node.names:
                self.imports[one.asname or one.name.partition(".")[0]] = ast.unparse(alone(node, one))
            return [], []
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            return self._assign(node)
        if isinstance(node, ast.Assert) or (isinstance(node, ast.Expr) and assertion(node) is not None):
            return self._collect(assertion(node))
        if isinstance(node, ast.Expr):
            return self._expression(node)
        if isinstance(node, ast.For) and not node.orelse and not self.chains.depends(node.iter):
            return self._loop(node)
        if isinstance(node, ast.Pass):
            return [], []
        what = type(node).__name__.lower()
        raise NoCheck(f"line {node.lineno} is a statement that is not taken apart ({what}: `{said(node)}`)")

    def _assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> tuple[list[ast.stmt], list[ast.stmt]]:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        plain = all(isinstance(one, ast.Name | ast.Tuple | ast.List | ast.Starred) for one in targets)
        if self.chains.depends(node):
            if isinstance(node, ast.AugAssign) and names[0] in self.inputs:
                raise NoCheck(f"line {node.lineno} mixes an input with the student's answers (`{said(node)}`)")
            self.local.update(names)
            made = self._here(node)
            for name in names:
                self.chains.own(name, tainted=True)
            self.late = self.late or self.collected > 0
            return [made], []
        if self.looping:
            for name in names:
                self.chains.own(name, tainted=False)
            self.local.update(names)
            return [self._here(node)], [self._here(node)]
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read = ast.Name(node.target.id, ast.Load())
            value = ast.BinOp(read, node.op, node.value)
            node = ast.copy_location(ast.Assign([node.target], value), node)
            ast.fix_missing_locations(node)
        if not plain and self.used.intersection(names):
            raise NoCheck(f"line {node.lineno} changes an input after it was used (`{said(node)}`)")
        self.given.append(self._as_input(node, names if plain else []))
        return [], []

    def _as_input(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, names: list[str]) -> ast.stmt:
        """Name what is assigned; a second value of a name gets a name of its own."""
        made = copy.deepcopy(node)
        if made.value is not None:
            made.value = self._here(made.value)
        for name in names:
            new = name
            while new in self.inputs or new in _OURS or new in _RESERVED or hasattr(builtins, new):
                new = f"{new}_2"
            self.renamed[name] = new
            self.inputs.append(new)
            self.chains.own(name, tainted=False)
        return _renamed(made, self.renamed)

    def _expression(self, node: ast.Expr) -> tuple[list[ast.stmt], list[ast.stmt]]:
        call = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        if call in _SEEDS:
            if not self.looping:
                self.given.append(self._here(node))
            return [self._here(node)], []
        if call == "print" or isinstance(node.value, ast.Constant):
            return [], []
        if not self.chains.depends(node):
            if self.looping:
                raise NoCheck(f"line {node.lineno} does something that is not taken apart (`{said(node)}`)")
            self.given.append(self._here(node))
            return [], []
        self.late = self.late or self.collected > 0
        return [self._here(node)], []

    def _loop(self, node: ast.For) -> tuple[list[ast.stmt], list[ast.stmt]]:
        outer, self.looping = self.looping, True
        head = self._here(node.iter)
        for one in ast.walk(node.target):
            if isinstance(one, ast.Name):
                self.chains.own(one.id, tainted=False)
                self.local.add(one.id)
        when, then = self._body(node.body)
        self.looping = outer
        made = [ast.For(node.target, head, body or [ast.Pass()], []) for body in (when, then)]
        return [made[0]], [made[1]]

    def _collect(self, asserted: Asserted | None) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Collect the values that an assertion is about, and assert about what was collected."""
        assert asserted is not None
        values, judged = self.chains.cut(asserted, "next(answers)" if self.loops else f"seen[{self.collected}]")
        self.collected += 1
        one = values[0] if len(values) == 1 else ast.List(values, ast.Load())
        append = ast.Call(ast.Attribute(ast.Name("seen", ast.Load()), "append", ast.Load()), [one], [])
        when = self._here(ast.Expr(append))
        return [when], [self._here(statement) for statement in judged]

    def _here(self, node: Node) -> Node:
        """Write a part of the test with the names that a check has; refuse a name that means nothing there."""
        made = _renamed(self.chains.rewritten(node), self.renamed)
        for name in _names([made]) - _bound(made):
            if name in self.inputs:
                self.used.add(name)
            elif not (
                name in self.chains.tainted | self.local | self.imports.keys()
                or name in _OURS
                or hasattr(builtins, name)
                or name in _IN_THE_BOX
            ):
                raise NoCheck(f"it uses {name}, which neither the notebook nor the test defines")
        return made

    def _imports_for(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        used = _names(statements) & self.imports.keys() - _IN_THE_BOX
        return [ast.parse(self.imports[name]).body[0] for name in self.imports if name in used]


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    result: Node = _Renaming(names).visit(node)
    return result


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}


def _bound(node: ast.AST) -> set[str]:
    """Return the names that comprehensions and lambdas in a part of a test give a meaning to."""
    loops = [one.target for one in ast.walk(node) if isinstance(one, ast.comprehension)]
    found = {one.id for target in loops for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}


def _written(nodes: Sequence[ast.stmt]) -> tuple[str, ...]:
    """Write statements as lines; refuse what would be read as anything else."""
    lines = tuple(line for node in nodes for line in ast.unparse(ast.fix_missing_locations(node)).split("\n"))
    meant = ast.dump(ast.Module(list(nodes), []))
    if ast.dump(ast.Module(_read("\n".join(lines)), [])) != meant:
        raise NoCheck(UNWRITTEN)
    return lines


def _read(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, MemoryError) as error:
        raise NoCheck(UNWRITTEN) from error


def _collected(node: ast.stmt) -> ast.expr | None:
    """Return the value that a statement collects."""
    call = node.value if isinstance(node, ast.Expr) else None
    appends = isinstance(call, ast.Call) and ast.unparse(call.func) == "seen.append"
    return call.args[0] if isinstance(call, ast.Call) and appends else None


def _alone(returning: ast.stmt, then: Sequence[ast.stmt]) -> tuple[ast.stmt, list[ast.stmt]]:
    """Return a single value as it is, not in a list."""
    assert isinstance(returning, ast.Return)
    assert isinstance(returning.value, ast.List)
    return ast.Return(returning.value.elts[0]), [_Unpacking().visit(node) for node in then]


class _Unpacking(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        return node.value if ast.unparse(node) == "seen[0]" else node


def _as_one_list(when: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return values that are collected one after the other as one list."""
    values = [value for node in when if (value := _collected(node)) is not None]
    before = [node for node in when if _collected(node) is None]
    return [*before, ast.Return(ast.List(values, ast.Load()))]
