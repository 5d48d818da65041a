"""Which code of an imported test may run in the grader: such as only computes.

What is given and what judges runs outside of the box. An imported file may be anybody's, and importing tries it at once.
So whatever such code names is on a list here: builtins, modules, their functions, and the methods of what these return.
Everything else is left to a person, who can read it first. A list of what is dangerous would never be whole: modules have
others as attributes (`torch.builtins`), and some functions take code, or names of attributes, as text.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Mapping

from redink.grader.importing.chains import NoCheck, said

BUILTINS = frozenset(
    "abs all any bool chr complex dict divmod enumerate filter float frozenset int isinstance iter len list map max min "  # noqa: SIM905
    "next ord pow range repr reversed round set slice sorted str sum tuple zip Ellipsis NotImplemented".split()
)
MODULES = frozenset(
    "numpy numpy.linalg numpy.random numpy.fft math cmath random statistics itertools functools collections fractions "  # noqa: SIM905
    "decimal datetime string torch torch.linalg torch.fft torch.random torch.functional torch.nn torch.nn.functional "
    "torch.nn.grad".split()
)
NAMES = frozenset(  # of functions, methods, values and submodules; none reads or writes text that means a name or code
    # arrays and tensors: making, shape, dtype
    "array asarray as_tensor tensor from_numpy zeros ones full eye identity arange linspace logspace diag tril triu "  # noqa: SIM905
    "zeros_like ones_like full_like meshgrid shape size ndim dtype T real imag numel dim reshape ravel flatten "
    "transpose permute squeeze unsqueeze expand_dims concatenate cat stack hstack vstack column_stack split repeat "
    "tile flip roll astype tolist item numpy detach clone float double long bool_ float16 float32 float64 int8 "
    "int16 int32 int64 uint8 complex64 complex128 integer floating number newaxis nan inf pi e tau "
    # … numbers in them
    "sum prod mean std var min max amin amax argmin argmax argsort sort cumsum cumprod any all median quantile "
    "percentile average nansum nanmean diff abs absolute fabs sqrt exp log log2 log10 log1p expm1 sin cos tan "
    "arcsin arccos arctan arctan2 asin acos atan atan2 sinh cosh tanh floor ceil trunc rint sign power square "
    "maximum minimum clip mod fmod isnan isinf isfinite nan_to_num logical_and logical_or logical_not logical_xor "
    "where nonzero unique take searchsorted digitize bincount histogram count_nonzero isin allclose isclose "
    "array_equal array_equiv equal add subtract multiply divide conj conjugate angle polyfit polyval interp "
    "gradient convolve "
    # … linear algebra, networks
    "linalg dot matmul outer inner cross tensordot einsum kron trace norm det inv pinv solve eig eigh eigvals "
    "eigvalsh svd qr cholesky matrix_rank lstsq matrix_power fft ifft nn functional relu sigmoid softmax "
    "log_softmax one_hot cross_entropy mse_loss Linear ReLU Sequential requires_grad backward grad "
    # randomness
    "random seed manual_seed default_rng RandomState Generator rand randn randint randperm normal uniform choice "
    "choices shuffle permutation standard_normal integers sample binomial poisson exponential gauss Random "
    # numbers, counting
    "numerator denominator is_integer bit_length factorial gcd lcm comb perm isqrt hypot fsum dist degrees radians "
    "pow mode stdev pstdev variance pvariance fmean product permutations combinations combinations_with_replacement "
    "chain from_iterable count cycle accumulate islice zip_longest groupby pairwise reduce Fraction Decimal "
    # containers and text
    "append extend insert pop remove index reverse copy keys values items get update union intersection difference "
    "issubset issuperset discard setdefault fromkeys clear Counter defaultdict deque OrderedDict most_common "
    "elements appendleft popleft join strip lstrip rstrip lower upper title capitalize casefold replace startswith "
    "endswith isdigit isalpha isalnum isspace isupper islower find rfind zfill center ljust rjust splitlines "
    "partition rpartition rsplit ascii_lowercase ascii_uppercase ascii_letters digits punctuation whitespace "
    # dates
    "date datetime time timedelta days seconds year month day hour minute second total_seconds isoformat weekday".split()
)
_NOT_LISTED = "is not on the list of what only computes, so it does not run outside of the box"


def refuse_harm(statements: Iterable[ast.AST], imports: Mapping[str, str], ours: Collection[str]) -> None:
    """Raise `NoCheck` where statements may do more than compute; `ours` are names that a check gives a meaning to.

    A name is weighed whatever the test itself binds it to: what is bound in one part of a check is not in another.
    """
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Attribute) and not (node.attr in NAMES and isinstance(node.ctx, ast.Load)):
            raise NoCheck(f"`{said(node)}` {_NOT_LISTED}")
        if isinstance(node, ast.Name):
            if node.id in imports and (node.id in ours or not _computes(imports[node.id])):
                raise NoCheck(f"`{imports[node.id]}` is needed outside of the student's code, where it does not run")
            if node.id.startswith("__") or (hasattr(builtins, node.id) and node.id not in BUILTINS):
                raise NoCheck(f"`{node.id}` {_NOT_LISTED}")


def _computes(line: str) -> bool:
    (node,) = ast.parse(line).body
    if isinstance(node, ast.ImportFrom):
        own = [one.name for one in node.names]
        return not node.level and node.module in MODULES and NAMES.issuperset(own)
    return isinstance(node, ast.Import) and MODULES.issuperset(one.name for one in node.names)
