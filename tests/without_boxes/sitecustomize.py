"""Python processes that can start workers and judges, but no template, and so no box: nobody's code can run."""

import subprocess
from typing import Any

_start = subprocess.Popen.__init__


def start(self: Any, args: Any, *more: Any, **given: Any) -> None:
    _start(self, ["/bin/false"] if "redink/box" in str(args) else args, *more, **given)


subprocess.Popen.__init__ = start  # type: ignore[method-assign]
