"""Has NaN millions of times among its outputs, more than anybody repairs.

state: ungradable
says: is not a notebook
"""

document = b'{"cells": [{"cell_type": "code", "source": "", "outputs": [' + b'NaN,' * 2_000_000 + b'0]}]}'
