"""Python processes that can start workers, but no template, no zygote and no judge: nobody's code can run."""

import multiprocessing.spawn  # it remembers the interpreter
import sys

assert multiprocessing.spawn.get_executable()
sys.executable = "/bin/false"
