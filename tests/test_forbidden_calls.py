"""The second look: forbidden calls are seen in the box however they are made, and honest code runs as if nobody looked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from redink import wire
from redink.box.protocol import Reply, pack_calls
from redink.box.shell.forbidden_calls import MOST_CALLS
from redink.grader.sandbox.client import Zygote
from redink.grader.sandbox.sanitise import sane_observation
from redink.records import Cell, ForbiddenCall, Limits, Observation, Request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the box needs Linux")

IMPORTS = "import functools, operator, sys\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\n"
WHEN = "def when(student, X):\n    return student.fit(X)\n"
LSTSQ = "numpy.linalg.lstsq"
SDPA = "torch.nn.functional.scaled_dot_product_attention"
X = [[1.0, 2.0], [3.0, 5.0]]


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote(torch=True) as one:
        yield one


class Seen:
    """What one `when` saw of some cells."""

    def __init__(self, zygote: Zygote, *cells: str, forbids: tuple[str, ...], when: str = WHEN) -> None:
        asked = Request(id="a", when=when, inputs=wire.encode({"X": _array()}), forbids=forbids)
        sources = [Cell(index=n, source=source) for n, source in enumerate((IMPORTS, *cells), start=1)]
        self.whole = zygote.observe(sources, [asked], Limits())
        assert [cell.error for cell in self.whole.cells] == [""] * len(sources)
        self.observation: Observation = self.whole.observations["a"]

    @property
    def calls(self) -> set[tuple[str, tuple[str, ...]]]:
        assert self.observation.status == "returned", self.observation
        return {(one.name, one.within) for one in self.observation.calls}


def _array() -> Any:
    import numpy as np

    return np.array(X)


WAYS = {
    "by its name": "def fit(X):\n    return np.linalg.lstsq(X, X)[0]",
    "under another name": "from numpy.linalg import lstsq as easy\ndef fit(X):\n    return easy(X, X)[0]",
    "from a container": "tools = {'a': [np.linalg.lstsq]}\ndef fit(X):\n    return tools['a'][0](X, X)[0]",
    "by a computed name": "def fit(X):\n    return getattr(np.linalg, 'lst' + 'sq')(X, X)[0]",
    "as a default": "def fit(X, f=np.linalg.lstsq):\n    return f(X, X)[0]",
    "by partial": "f = functools.partial(np.linalg.lstsq, rcond=None)\ndef fit(X):\n    return f(X, X)[0]",
    "by map": "f = [np.linalg.lstsq]\ndef fit(X):\n    return [*map(f[0], [X], [X])][0][0]",
    "by reduce": "f = [np.linalg.lstsq]\ndef fit(X):\n    return functools.reduce(f[0], [X, X])[0]",
    "from a private module": "def fit(X):\n    return sys.modules['numpy.linalg._linalg'].lstsq(X, X)[0]",
    "without its dispatcher": "def fit(X):\n    return vars(np.linalg)['lstsq'].__wrapped__(X, X)[0]",
    "after it was hidden": "f = np.linalg.lstsq\ndel np.linalg.lstsq\ndef fit(X):\n    return f(X, X)[0]",
    "by exec": "here = {}\nexec('import numpy as n; a = n.linalg.lstsq', here)\ndef fit(X):\n    return here['a'](X, X)[0]",
    "inside eval": "def fit(X):\n    return eval('f(X, X)', {'f': np.linalg.lstsq, 'X': X})[0]",
    "inside exec of a text": "def fit(X):\n    here = {'X': X}\n"
    "    exec('import numpy as n; a = n.linalg.lstsq(X, X)', here)\n    return here['a'][0]",
    "in a lambda": "f = (lambda X: getattr(np.linalg, 'lst' 'sq')(X, X))\nfit = lambda X: f(X)[0]",
    "in a comprehension": "f = [np.linalg.lstsq]\ndef fit(X):\n    return [g(X, X) for g in f][0][0]",
    "in a generator": "f = [np.linalg.lstsq]\ndef fit(X):\n    return next(g(X, X) for g in f)[0]",
    "by a method": "class Tool:\n    def run(self, X):\n        return np.linalg.lstsq(X, X)[0]\nfit = Tool().run",
    "by an object": "class Tool:\n    def __call__(self, X):\n        return np.linalg.lstsq(X, X)[0]\nfit = Tool()",
    "inside sorted": "f = [np.linalg.lstsq]\ndef fit(X):\n    return sorted([X], key=lambda x: f[0](x, x)[2])[0]",
    "in a file of its own": "with open('mine.py', 'w') as f:\n    f.write('import numpy\\ndef g(X):\\n    return "
    "numpy.linalg.lstsq(X, X)[0]')\nimport mine\ndef fit(X):\n    return mine.g(X)",
    "as what is asked": "tools = [np.linalg.lstsq]\nf = functools.partial(tools[0], rcond=None)\n"
    "fit = functools.partial(f, b=np.eye(2))",
    "of a helper's name": "def helper(X):\n    return np.linalg.lstsq(X, X)[0]\nfit = helper",
    "in spite of an error": "def fit(X):\n    try:\n        np.linalg.lstsq(X, 'no')\n"
    "    except Exception:\n        return 1",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_call_is_seen_however_it_is_made(zygote, way):
    seen = Seen(zygote, WAYS[way], forbids=(LSTSQ,))
    assert {name for name, _ in seen.calls} == {LSTSQ}
    assert all("fit" in within for _, within in seen.calls)


def test_a_helper_is_named_before_the_function_that_calls_it(zygote):
    cells = "def helper(X):\n    return np.linalg.lstsq(X, X)[0]", "def fit(X):\n    return helper(X)"
    assert Seen(zygote, *cells, forbids=(LSTSQ,)).calls == {(LSTSQ, ("helper", "fit"))}


def test_a_decorator_hides_neither_the_call_nor_the_function(zygote):
    decorator = "def twice(f):\n    def inner(X):\n        f(X)\n        return f(X)\n    return inner"
    (call,) = Seen(zygote, decorator, f"@twice\n{WAYS['from a container'].split(chr(10), 1)[1]}",
                   "tools = {'a': [np.linalg.lstsq]}", forbids=(LSTSQ,)).calls  # fmt: skip
    assert call == (LSTSQ, ("fit",))


def test_a_method_that_an_asked_class_inherits_is_its_own(zygote):
    cells = "class Base:\n    def run(self, X):\n        return np.linalg.lstsq(X, X)[0]", "class Net(Base):\n    pass"
    seen = Seen(zygote, *cells, forbids=(LSTSQ,), when="def when(student, X):\n    return student.Net().run(X)\n")
    assert seen.calls == {(LSTSQ, ("Base", "Net"))}


TORCH = {
    ".backward": "def fit(X):\n    w = torch.ones(2, requires_grad=True)\n    go = operator.methodcaller('back' + 'ward')\n"
    "    go((w * w).sum())\n    return w.grad",
    "torch.autograd": "f = [torch.autograd.grad]\ndef fit(X):\n    w = torch.ones(2, requires_grad=True)\n"
    "    return f[0]((w * w).sum(), w)[0]",
    "torch.distributions": "D = vars(torch)['distributions']\nN = getattr(D, 'Nor' + 'mal')\n"
    "def fit(X):\n    return N(0.0, 1.0).mean",
    SDPA: "f = {'a': F.scaled_dot_product_attention}\ndef fit(X):\n    t = torch.ones(1, 2, 2)\n    return f['a'](t, t, t)",
    "torch.nn.functional.softmax": "f = [F.softmax]\ndef fit(X):\n    return f[0](torch.ones(2), dim=0)",
    "torch.nn.MultiheadAttention": "A = [torch.nn.MultiheadAttention]\ndef fit(X):\n    A[0](2, 1)\n    return 1",
    "torch.linalg": "f = [torch.linalg.inv]\ndef fit(X):\n    return f[0](torch.eye(2))",
    "torch": "t = [torch.from_numpy]\ndef fit(X):\n    return t[0](X).numpy()",
}  # fmt: skip


@pytest.mark.parametrize("name", TORCH)
def test_of_torch_functions_classes_methods_and_modules_are_seen(zygote, name):
    assert Seen(zygote, TORCH[name], forbids=(name,)).calls == {(name, ("fit",))}


def test_a_layer_that_a_cell_has_made_is_seen_when_it_is_used(zygote):
    cells = (
        "layer = torch.nn.MultiheadAttention(2, 1)",
        "def fit(X):\n    t = torch.ones(1, 1, 2)\n    return layer(t, t, t)[0]",
    )
    name = "torch.nn.MultiheadAttention"
    assert Seen(zygote, *cells, forbids=(name,)).calls == {(name, ("fit",))}


def test_a_class_derived_from_a_forbidden_one_is_a_use_of_it(zygote):
    cell = "class Mine(torch.nn.MultiheadAttention):\n    def __init__(self):\n        super().__init__(2, 1)\n"
    name = "torch.nn.MultiheadAttention"
    seen = Seen(zygote, cell, "def fit(X):\n    Mine()\n    return 1", forbids=(name,))
    assert seen.calls == {(name, ("Mine", "fit"))}


def test_a_tensor_made_by_a_type_is_seen_by_its_methods(zygote):
    assert Seen(zygote, "T = torch.Tensor\ndef fit(X):\n    return T(X).exp().numpy()", forbids=("torch",)).calls


def test_a_module_that_a_cell_imports_is_found_after_the_cells(zygote):
    cell = "import statistics as s\nf = [s.fmean]\ndef fit(X):\n    return f[0]([1, 2])"
    for name in ("statistics.fmean", "statistics"):
        assert Seen(zygote, cell, forbids=(name,)).calls == {(name, ("fit",))}
    cell = "import colorsys\nf = [colorsys.rgb_to_hsv]\ndef fit(X):\n    return f[0](1, 1, 1)"
    assert Seen(zygote, cell, forbids=("colorsys",)).calls == {("colorsys", ("fit",))}
    assert Seen(zygote, cell, forbids=("colorsys.rgb_to_hsv",)).calls == {("colorsys.rgb_to_hsv", ("fit",))}


HONEST = {
    "a cell": (LSTSQ, "np.linalg.lstsq(np.eye(2), np.eye(2))\ndef fit(X):\n    return X"),
    "library code": (LSTSQ, "def fit(X):\n    return np.polyfit([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1)"),
    "one's own function of that name": (LSTSQ, "def lstsq(a, b):\n    return a\ndef fit(X):\n    return lstsq(X, X)"),
    "one's own method of that name": (
        ".backward", "class Net:\n    def backward(self):\n        return 1\ndef fit(X):\n    return Net().backward()"),
    "a function where a method is meant": (
        ".fmean", "from statistics import fmean\ndef fit(X):\n    return fmean([1, 2])"),
    "softmax inside a layer": ("torch.nn.functional.softmax",
                               "def fit(X):\n    return torch.nn.Softmax(dim=0)(torch.ones(2))"),
    "attention inside a layer": (
        "torch.nn.MultiheadAttention",
        "def fit(X):\n    torch.nn.TransformerEncoderLayer(2, 1)(torch.ones(1, 1, 2))\n    return 1"),
    "another pooling of the same factory": ("torch.nn.functional.max_pool2d",
                                            "def fit(X):\n    return F.max_pool1d(torch.ones(1, 4), 2)"),
    "autograd inside an optimiser": (
        "torch.autograd", "def fit(X):\n    w = torch.ones(2, requires_grad=True)\n    o = torch.optim.SGD([w], lr=0.1)\n"
        "    (w * w).sum().backward()\n    o.step()\n    with torch.no_grad():\n        return w * 2"),
    "asking what something is": (
        "torch", "def array(x):\n    torch.manual_seed(0)\n    torch.is_grad_enabled()\n"
        "    if torch.is_tensor(x) or isinstance(x, torch.nn.Parameter):\n"
        "        return x.detach().numpy()\n    return np.asarray(x)\ndef fit(X):\n    return array(X)"),
    "one's own function in its place": (
        LSTSQ, "def mine(a, b):\n    return a\nnp.linalg.lstsq = mine\ndef fit(X):\n    return np.linalg.lstsq(X, X)"),
    "what is only handed on": (LSTSQ, "f = np.linalg.lstsq\ndef fit(X):\n    return len([f])"),
    "numpy itself": ("numpy.fft", "def fit(X):\n    return np.linalg.inv(X) @ X + np.mean(X) + X.mean()"),
}  # fmt: skip


@pytest.mark.parametrize("use", HONEST)
def test_honest_use_is_not_noted(zygote, use):
    name, cell = HONEST[use]
    assert Seen(zygote, cell, forbids=(name,)).calls == set()


def test_what_our_when_calls_is_not_the_students(zygote):
    when = "def when(student, X):\n    f = np.linalg.lstsq\n    return student.fit(X), f(X, X)[0], [f(X, X)[0] for _ in X]\n"
    cells = "from numpy.linalg import lstsq", "def fit(X):\n    return X"
    calls = Seen(zygote, *cells, forbids=(LSTSQ,), when=when).calls
    assert calls <= {(LSTSQ, ("lstsq",))}  # under the name that the import gave it, which no question asks for


def test_only_what_a_request_forbids_is_noted_and_nothing_where_it_forbids_nothing(zygote):
    cell = "def fit(X):\n    np.linalg.pinv(X)\n    return np.linalg.lstsq(X, X)[0]"
    sources = [Cell(index=1, source=IMPORTS), Cell(index=2, source=cell)]
    inputs = wire.encode({"X": _array()})
    requests = [Request(id=str(n), when=WHEN, inputs=inputs, forbids=forbids)
                for n, forbids in enumerate([(LSTSQ,), (), ("numpy.linalg.pinv",)])]  # fmt: skip
    seen = zygote.observe(sources, requests, Limits()).observations
    assert [[one.name for one in seen[str(n)].calls] for n in range(3)] == [[LSTSQ], [], ["numpy.linalg.pinv"]]


def test_a_call_before_an_error_or_a_time_out_is_seen_too(zygote):
    for end, status in [("raise ValueError", "raised"), ("while True: pass", "timeout")]:
        cell = f"def fit(X):\n    np.linalg.lstsq(X, X)\n    {end}"
        asked = Request(id="a", when=WHEN, inputs=wire.encode({"X": _array()}), forbids=(LSTSQ,))
        sources = [Cell(index=1, source=IMPORTS), Cell(index=2, source=cell)]
        seen = zygote.observe(sources, [asked], Limits(check_cpu=0.3)).observations["a"]
        assert (seen.status, [one.name for one in seen.calls]) == (status, [LSTSQ])


def test_looking_ends_after_many_calls(zygote):
    cell = "def fit(X):\n    for _ in range({n}):\n        abs(1)\n    return np.linalg.lstsq(X, X)[0]"
    assert Seen(zygote, cell.format(n=MOST_CALLS // 2), forbids=(LSTSQ,)).calls
    assert not Seen(zygote, cell.format(n=2 * MOST_CALLS), forbids=(LSTSQ,)).calls


SAME = {
    LSTSQ: "import inspect, pickle\ndef fit(X):\n    f = np.linalg.lstsq\n    return [str(inspect.signature(f)), "
    "f.__module__, pickle.loads(pickle.dumps(f)) is f, type(f).__name__, repr(f)[:14], f(X, X)[0]]",
    "numpy.polyfit": "import traceback, warnings\ndef fit(X):\n    with warnings.catch_warnings(record=True) as told:\n"
    "        warnings.simplefilter('always')\n        np.polyfit([1.0, 1.0], [1.0, 1.0], 5)\n"
    "    try:\n        np.polyfit(1, 'no', 1)\n    except Exception:\n        lines = traceback.format_exc()\n"
    "    return [lines, [(str(one.message), one.filename, one.lineno) for one in told]]",
    "torch.nn.MultiheadAttention": "def fit(X):\n    A, t = torch.nn.MultiheadAttention, torch.ones(1, 1, 2)\n"
    "    a = A(2, 1)\n    return [isinstance(a, A), type(a).__name__, a(t, t, t)[0], [*a.state_dict()]]",
    SDPA: "def fit(X):\n    t = torch.arange(8.0).reshape(2, 1, 2, 2)\n    f = F.scaled_dot_product_attention\n"
    "    return [f(t, t, t), torch.vmap(f)(t, t, t), type(f).__name__]",
    "torch.nn.functional.softmax": "def fit(X):\n    w = F.softmax(torch.ones(3), dim=0)\n"
    "    return [w, torch.func.grad(lambda w: F.softmax(w, dim=0)[0])(torch.arange(3.0))]",
    ".backward": "def fit(X):\n    w = torch.arange(3.0, requires_grad=True)\n    (w * w).sum().backward()\n"
    "    return w.grad",
    "torch": "def fit(X):\n    layer = torch.jit.script(torch.nn.ReLU())\n    t = torch.from_numpy(X)\n"
    "    return [layer(t), torch.compile(lambda x: x * 2, backend='eager')(t)]",
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_everything_is_the_same_as_when_nobody_looks(zygote, name):
    looked_at, alone = Seen(zygote, SAME[name], forbids=(name,)), Seen(zygote, SAME[name], forbids=())
    assert looked_at.calls == {(name, ("fit",))}
    assert alone.calls == set()
    assert looked_at.observation.value == alone.observation.value


def test_an_error_is_told_with_the_same_words_and_line(zygote):
    cell = "def fit(X):\n    return np.linalg.lstsq(X, 'no')"
    seen = [Seen(zygote, cell, forbids=forbids).observation for forbids in [(LSTSQ,), ()]]
    assert seen[0].error == seen[1].error
    assert seen[0].where == seen[1].where == "cell 2, line 2"


def test_of_a_forged_account_only_what_could_be_true_is_kept():
    request = Request(id="a", when=WHEN, inputs=b"", forbids=(LSTSQ,))
    forged = [ForbiddenCall(name="the secret", within=("fit",)),
              *[ForbiddenCall(name=LSTSQ, within=("fit", "\x1b[31m", "n" * 61, *["g"] * 100))] * 50]  # fmt: skip
    reply = Reply(id="a", status="returned", value=wire.encode(1), calls=pack_calls(forged))
    kept = sane_observation(reply, request, 1000).calls
    assert len(kept) == 8
    assert {(one.name, one.within) for one in kept} == {(LSTSQ, ("fit", *["g"] * 17))}
    unwatched = Request(id="a", when=WHEN, inputs=b"")
    assert sane_observation(reply, unwatched, 1000).calls == ()
