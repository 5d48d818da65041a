"""Warming up: everything that a child would otherwise import or initialise itself, once, on one thread."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import os
import tempfile
import warnings
from collections.abc import Iterable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from redink.box.shell import compiler, data_loading, fixed_seeds
from redink.box.shell.cells import CellShell, make_shell

_COMMON = [
    "collections.abc",
    "copy",
    "dataclasses",
    "functools",
    "itertools",
    "json",
    "math",
    "random",
    "statistics",
    "string",
    "subprocess",
    "time",
    "typing",
    "numpy.linalg",
    "numpy.random",
    "numpy.testing",
    "matplotlib.image",
    "matplotlib.cm",
    "IPython.display",
]
_TORCH = [
    "torch.nn",
    "torch.nn.functional",
    "torch.optim",
    "torch.utils.data",
    "torch.func",
    "torch.autograd",
]


def warm_up(folder: str, with_torch: bool, modules: Iterable[str] = ()) -> CellShell:
    """Import and try what notebooks use, and these modules too; return the shell in which cells will run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in _COMMON:
            importlib.import_module(name)
        _warm_numpy()
        _warm_plots()
        if with_torch:
            _warm_torch()
        for name in modules:
            _import_quietly(name)
        shell = make_shell(folder)
        _warm_cells(shell)
    fixed_seeds.fix()
    fixed_seeds.reseed()
    tempfile.tempdir = None
    plt.close("all")
    gc.collect()
    gc.freeze()
    if _threads() != 1:
        raise RuntimeError("warming up left threads behind; children would dead-lock")
    return shell


def _import_quietly(name: str) -> None:
    """Import one module of a package that an assignment needs."""
    importlib.import_module(name)
    if _threads() > 1:
        raise RuntimeError(f"importing {name} starts threads, so it cannot be warmed up for children")


def _threads() -> int:
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - a name count is all that is wanted


def _warm_numpy() -> None:
    rng = np.random.default_rng(0)
    square = rng.normal(size=(8, 8))
    np.linalg.svd(square @ square.T)
    np.linalg.solve(square, np.ones(8))
    np.linalg.eigh(square + square.T)
    np.einsum("ij,jk->ik", square, square)
    repr(square)


def _warm_plots() -> None:
    figure, axes = plt.subplots()
    axes.plot([0, 1], [0, 1], label="line")
    axes.scatter([0, 1], [1, 0])
    axes.set_title("$x^2$")
    axes.legend()
    figure.canvas.draw()
    plt.close(figure)


def _warm_torch() -> None:
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    compiler.load_when_compiling(torch)
    for name in _TORCH:
        importlib.import_module(name)
    model: Any = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(72, 3)
    )
    for kind in (torch.optim.SGD, torch.optim.Adam):
        optimizer = kind(model.parameters(), lr=0.1)
        loss = torch.nn.functional.cross_entropy(model(torch.zeros(2, 1, 8, 8)), torch.tensor([0, 1]))
        loss.backward()
        optimizer.step()
    model.to("meta")(torch.zeros(2, 1, 8, 8, device="meta")).sum().backward()  # loads what tells shapes without values
    torch.func.grad(lambda x: (x @ x).sum())(torch.ones(2, 2))
    repr(torch.zeros(2))
    fixed_seeds.fix_torch(torch)
    data_loading.load_without_workers(torch.utils.data.DataLoader)


def _warm_cells(shell: CellShell) -> None:
    """Run a cell of ours, so that the first cell of a child pays for nothing but itself."""
    before = set(shell.user_ns)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for source in ("%matplotlib inline\nvalue = 1\nvalue", "value +", "1 / 0", "!true"):
            shell.run_cell(source, store_history=False)
    for name in set(shell.user_ns) - before:
        del shell.user_ns[name]
    shell.displayhook.flush()
