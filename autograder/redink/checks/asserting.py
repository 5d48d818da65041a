"""What a `then` calls when two values should agree."""

from __future__ import annotations

from typing import Any

from redink.checks.comparing import TINY, difference
from redink.checks.language import Fail
from redink.errors import AuthorError


def close(seen: Any, wanted: Any, tol: float = 1e-8, what: str = "") -> None:
    """Raise `Fail` with how `seen` differs from `wanted`, if it does; float32 is judged at its own tolerance."""
    if not TINY <= tol < 1:
        raise AuthorError(
            f"calls close with tol={tol!r}; a tolerance is from {TINY:g}, what rounding leaves, to below 1"
        )
    if found := difference(seen, wanted, tol):
        raise Fail(f"{what}: {found}" if what else found)
