"""Has two lists of cells, of which the first claims to be harmless.

score: 0
"""

document = b'{"cells": [], "cells": [{"cell_type": "markdown", "cell_type": "code", "source": "", "source": "x = 1 / 0"}]}'
