"""Has outputs of millions of objects, which nobody reads.

score: 0
"""

document = b'{"cells": [{"cell_type": "code", "source": "x = 1", "outputs": [' + b'{},' * 5_000_000 + b'{}]}]}'
