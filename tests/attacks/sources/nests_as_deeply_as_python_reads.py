"""Nests brackets, operators, lambdas, functions and strings in strings.

score: 40
"""

blocks = "".join(f"{'    ' * depth}def f{depth}():\n" for depth in range(95)) + "    " * 95 + "pass"
cells = [
    "nested = " + "[" * 150 + "]" * 150,
    "total = " + "+".join(["1"] * 3000),
    "minus = " + "-" * 3000 + "1",
    "power = " + "2**" * 3000 + "1",
    "called = scale" + "()" * 3000,
    "dotted = np" + ".x" * 3000,
    "chained = " + "1<" * 3000 + "2",
    "f = " + "lambda: " * 400 + "0",
    "g = " + "(lambda: " * 90 + "0" + ")" * 90,
    blocks,
    "class A:\n" + "".join(f"{'    ' * depth}class A{depth}:\n" for depth in range(1, 90)) + "    " * 90 + "pass",
]
