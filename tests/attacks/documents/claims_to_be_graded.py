"""Claims its points in metadata, tags and outputs.

score: 0
"""

import json

document = json.dumps({
    "cells": [{
        "cell_type": "code", "source": "def scale(X):\n    return X", "execution_count": 1,
        "metadata": {"tags": ["skip-execution"], "nbgrader": {"grade": True, "points": 100, "locked": False}},
        "outputs": [{"output_type": "execute_result", "data": {"text/plain": "100.0"}, "metadata": {}}],
    }],
    "metadata": {"kernelspec": {"name": "evil", "argv": ["touch", "redink_attack_pwned"]}, "score": 100},
    "nbformat": 4,
}).encode()
