"""Python processes that can start workers and judges, but no template, and so no box: nobody's code can run."""

import sys


def refuse(event: str, given: tuple[object, ...]) -> None:
    if event == "subprocess.Popen" and "redink/box" in str(given[1]):
        raise PermissionError("there are no boxes here")


sys.addaudithook(refuse)
