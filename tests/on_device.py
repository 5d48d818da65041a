"""A reference whose functions work on another device: what a `when` hands over is moved there, what comes back is fetched.

Tensors and modules are moved on the way into a function and tensors on the way out, so a `when` that knows nothing of
devices runs as it is; what a function makes for itself stays where it made it, so one that is tied to the CPU fails. The
meta device has shapes and no numbers: zeros come back from it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch

from redink.calling import Call, Student


def methods_of(module: torch.nn.Module) -> list[str]:
    """Name what a `when` may call of a module: forward, and what its class has that torch's modules have not."""
    members = [name for name, _ in inspect.getmembers(type(module), inspect.isfunction)]
    return [name for name in members if name == "forward" or not (name[0] == "_" or hasattr(torch.nn.Module, name))]


class OnDevice(Student):
    """The names of a notebook, as attributes, on a device."""

    def __init__(self, names: Mapping[str, Any], device: str) -> None:
        super().__init__(names)
        self._device = torch.device(device)
        self._depth = 0  # calls of the notebook's functions that are under way: inside of them nothing is moved

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if inspect.isclass(value) and issubclass(value, torch.nn.Module):
            return functools.partial(self._made, value)
        return functools.partial(self._called, value) if inspect.isfunction(value) else value

    def answer(self, call: Call) -> Any:
        """Run a `when`, and fetch what it returns, such as the weights of a module."""
        return self._each(call(self), self._back)

    def _called(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        moved = self._each(args, self._there), self._each(kwargs, self._there)
        self._depth += 1
        try:
            found = function(*moved[0], **moved[1])
        finally:
            self._depth -= 1
        return self._each(found, self._back)

    def _made(self, module: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._there(module(*args, **kwargs))

    def _there(self, value: Any) -> Any:
        """Move a tensor, or a module, whose calls from outside are then moved as well."""
        if isinstance(value, torch.nn.Module) and not hasattr(value, "is_moved"):
            value = value.to(self._device)
            value.is_moved = True
            for name in methods_of(value):
                setattr(value, name, functools.partial(self._method, value, getattr(value, name)))
        if inspect.isfunction(value):
            return functools.partial(self._called_back, value)
        return value.to(self._device) if isinstance(value, torch.Tensor) else value

    def _method(self, module: Any, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self._depth:
            return method(*args, **kwargs)
        module.to(self._device)  # a `when` may have given it other weights
        return self._called(method, *args, **kwargs)

    def _called_back(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function of the `when` itself, which knows nothing of devices, from inside of the notebook's."""
        depth, self._depth = self._depth, 0
        try:
            return self._each(function(*self._each(args, self._back)), self._there)
        finally:
            self._depth = depth

    def _back(self, value: Any) -> Any:
        if isinstance(value, torch.nn.Module):
            return self._there(value)
        if not isinstance(value, torch.Tensor):
            return value
        return torch.zeros_like(value, device="cpu") if value.is_meta else value.cpu()

    def _each(self, value: Any, move: Callable[[Any], Any]) -> Any:
        """Apply a move to every tensor and module in lists, tuples and dicts."""
        if isinstance(value, dict):
            return {key: self._each(one, move) for key, one in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._each(one, move) for one in value)
        return move(value)
