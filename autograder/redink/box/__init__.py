"""The box: where student code runs, in a process of its own (zygote.py explains how it works)."""
