"""What public and hidden checks share: small things that stand in for a student's own, and what a `given` draws for them.

What a call printed or raised is asked for here too. A `when` may use all this as it uses the functions of its own file.
Torch is named inside functions alone: the box has it, the grader need not. No `then` or `view` may use anything from here:
the key under which a verdict is stored does not cover this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

Arrays = dict[str, np.ndarray]

# -- any course --------------------------------------------------------------------------------------------------------


def printed(function: Callable[..., object], *args: object, **kwargs: object) -> list[str]:
    """Call a function and return the lines that it printed, without blanks at their ends and empty lines at the last."""
    import io
    import sys

    out = io.StringIO()
    with Diverted(sys.stdout, out):
        function(*args, **kwargs)
    text = out.getvalue().rstrip()
    return [line.rstrip() for line in text.split("\n")] if text else []


class Diverted:
    """Has a stream write to another one in a block, also for those who took hold of it before: `out=sys.stdout`."""

    def __init__(self, stream: Any, to: Any) -> None:
        self._stream = stream
        self._to = to

    def __enter__(self) -> None:
        self._before = vars(self._stream).get("write")
        self._stream.write = self._to.write

    def __exit__(self, *_: object) -> None:
        del self._stream.write
        if self._before:
            self._stream.write = self._before


def raised(
    kind: type[Exception], function: Callable[..., object], *args: object, **kwargs: object
) -> dict[str, object]:
    """Call a function and say whether it raised an exception of a kind, or what it returned; others are raised on."""
    try:
        made = function(*args, **kwargs)
    except NotImplementedError:  # of the stub that was handed out
        raise
    except kind:
        return {"raises": kind.__name__}
    return {"returns": made}


# -- mlp ---------------------------------------------------------------------------------------------------------------


def bend(name: str) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return an activation that no question asks for: its values and its slopes."""
    known = {
        "double": lambda Z: (2 * Z, 2.0 + 0 * Z),
        "square": lambda Z: (Z * Z, 2 * Z),
        "wave": lambda Z: (np.sin(Z), np.cos(Z)),
        "arctan": lambda Z: (np.arctan(Z), 1 / (1 + Z * Z)),
    }
    return known[name]


def curved(rng: np.random.Generator, shape: tuple[int, ...]) -> Arrays:
    """Draw a smooth function f(x) = c·sin(Ax) + ½ q·x² of an array, and a place."""
    size = int(np.prod(shape))
    rows = size + 2
    return dict(
        A=rng.normal(size=(rows, size)) / np.sqrt(size),
        c=rng.normal(size=rows),
        q=1 + rng.random(size),
        x=(2 * rng.random(shape) - 1).round(3),
    )


def curve(A: np.ndarray, c: np.ndarray, q: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return that function."""

    def f(v: np.ndarray) -> float:
        return float(c @ np.sin(A @ np.ravel(v)) + 0.5 * q @ np.ravel(v) ** 2)

    return f


def slope_of(A: np.ndarray, c: np.ndarray, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return its gradient."""
    flat = x.ravel()
    slope: np.ndarray = (c * np.cos(A @ flat)) @ A + q * flat
    return slope.reshape(x.shape)


# -- cnn ---------------------------------------------------------------------------------------------------------------


def numbers(rng: np.random.Generator, trial: int, *shape: int) -> np.ndarray:
    """Draw numbers for a trial: whole ones, none of them 0, in the first."""
    if trial > 0:
        return rng.normal(size=shape)
    whole: np.ndarray = rng.integers(1, 6, size=shape) * rng.choice([-1.0, 1.0], size=shape)
    return whole


def layer(rng: np.random.Generator, trial: int, setting: tuple[Any, ...]) -> dict[str, Any]:
    """Draw the inputs of a convolutional layer; a setting is N, C, H, W, F, (kh, kw), stride, padding."""
    N, C, H, W, F, size, stride, padding = setting
    x, w, b = numbers(rng, trial, N, C, H, W), numbers(rng, trial, F, C, *size), numbers(rng, trial, F)
    return dict(x=x, w=w, b=b, stride=stride, padding=padding)


def batch_of(rng: np.random.Generator, trial: int, shape: tuple[int, int, int, int]) -> Arrays:
    """Draw a batch whose channels differ in mean and spread, with parameters and running estimates."""
    C = shape[1]
    spread, centre = rng.uniform(0.3, 3, size=(C, 1, 1)), rng.uniform(1, 4, size=(C, 1, 1))
    return dict(
        x=(rng.normal(size=shape) * spread + centre).round(1 if trial == 0 else 12),
        gamma=rng.uniform(0.5, 2, size=C).round(2),
        beta=rng.uniform(1, 2, size=C).round(2),
        running_mean=rng.uniform(-3, -1, size=C).round(2),
        running_var=rng.uniform(2, 4, size=C).round(2),
    )


# -- transformer -------------------------------------------------------------------------------------------------------


def attention(scale: float = 1.0, size: float = 1.0) -> Any:
    """Make an attention without weights: `scale` multiplies its queries, `size` what it returns."""

    class Attention(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, memory: Any, mask: Any = None) -> Any:
            scores = scale * x @ memory.transpose(-1, -2)
            scores = scores.masked_fill(~mask, -1e9) if isinstance(mask, torch.Tensor) else scores
            return size * scores.softmax(dim=-1) @ (0.8 * memory.roll(1, -1))

    return Attention()


def block(scale: float = 1.0) -> Any:
    """Make a block without weights: its input, and what self-attention makes of it."""

    class Block(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, mask: Any = None) -> Any:
            return x + attention(scale)(x, x, mask)

    return Block()


def head_weights(rng: np.random.Generator, width: int) -> Arrays:
    """Draw the four matrices of a multi-head attention, large enough for its weights to be far from uniform."""
    size = 1.5 / np.sqrt(width)
    return {f"{name}.weight": size * rng.normal(size=(width, width)) for name in ("query", "key", "value", "out")}


def layer_weights(rng: np.random.Generator, width: int, hidden: int, norms: int) -> Arrays:
    """Draw the weights of a layer: none of them 0 or 1, where they might hide."""
    made = {"rise.weight": rng.normal(size=(hidden, width)), "rise.bias": rng.normal(size=hidden)}
    made |= {"fall.weight": rng.normal(size=(width, hidden)), "fall.bias": rng.normal(size=width)}
    for i in range(1, norms + 1):
        made |= {f"norm{i}.weight": rng.uniform(0.5, 2, size=width), f"norm{i}.bias": rng.normal(size=width)}
    return made


def gpt_weights(rng: np.random.Generator, vocab: int, width: int, length: int) -> Arrays:
    """Draw the weights of a GPT without those of its blocks."""
    return {
        "token.weight": rng.normal(size=(vocab, width)),
        "position.weight": rng.normal(size=(length, width)),
        "norm.weight": rng.uniform(0.5, 2, size=width),
        "norm.bias": rng.normal(size=width),
        "head.weight": rng.normal(size=(vocab, width)),
        "head.bias": rng.normal(size=vocab),
    }


def stack_weights(rng: np.random.Generator, width: int, hidden: int, depth: int) -> Arrays:
    """Draw the weights of `depth` encoder layers that hold their own heads, as a model of such blocks names them."""
    made: Arrays = {}
    for i in range(depth):
        made |= {f"blocks.{i}.attention.{name}": one for name, one in head_weights(rng, width).items()}
        made |= {f"blocks.{i}.{name}": one for name, one in layer_weights(rng, width, hidden, 2).items()}
    return made


def loaded(module: Any, weights: Arrays) -> Any:
    """Put weights into a module, in double precision."""
    module = module.double()
    module.load_state_dict({name: torch.tensor(one) for name, one in weights.items()}, strict=False)
    return module


def ranked(rank: int) -> Callable[[Any], Any]:
    """Make a function that picks from each row of probabilities the one of that rank, 0 being the likeliest."""

    def pick(probabilities: Any) -> Any:
        return probabilities.argsort(dim=-1, descending=True)[:, rank]

    return pick


# -- bert --------------------------------------------------------------------------------------------------------------

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def numbered(rng: np.random.Generator, pieces: Iterable[str]) -> dict[str, int]:
    """Number the special tokens and some pieces in a random order, so that nothing can be read off the ids."""
    tokens = [*SPECIAL, *dict.fromkeys(pieces)]
    return dict(zip(tokens, rng.permutation(len(tokens)).tolist(), strict=True))


def encoder_weights(rng: np.random.Generator, vocab: int, width: int, length: int, depth: int) -> Arrays:
    """Draw the weights of an encoder of torch's own layers, as `Bert` names them; none of them 0 or 1."""
    shapes: dict[str, tuple[int, ...]] = {
        "token.weight": (vocab, width),
        "place.weight": (length, width),
        "segment.weight": (2, width),
    }
    shapes |= {"head.weight": (vocab, width), "head.bias": (vocab,)}
    norms = ["norm"]
    for i in range(depth):
        layer = f"layers.{i}."
        shapes |= {
            f"{layer}self_attn.in_proj_weight": (3 * width, width),
            f"{layer}self_attn.in_proj_bias": (3 * width,),
        }
        shapes |= {f"{layer}self_attn.out_proj.weight": (width, width), f"{layer}self_attn.out_proj.bias": (width,)}
        shapes |= {f"{layer}linear1.weight": (2 * width, width), f"{layer}linear1.bias": (2 * width,)}
        shapes |= {f"{layer}linear2.weight": (width, 2 * width), f"{layer}linear2.bias": (width,)}
        norms += [f"{layer}norm1", f"{layer}norm2"]
    shapes |= {f"{norm}.bias": (width,) for norm in norms}
    made = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return made | {f"{norm}.weight": rng.uniform(0.5, 2, size=width) for norm in norms}


def letters(rng: np.random.Generator, many: int) -> list[str]:
    """Draw different letters."""
    return [chr(ord("a") + int(k)) for k in rng.permutation(26)[:many]]
