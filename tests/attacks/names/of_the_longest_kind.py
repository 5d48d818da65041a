"""Has a name as long as any disk allows.

score: 40
"""

def hand_in(folder, name, course):
    (folder / f"{name}.ipynb").write_bytes(notebook())
    (folder / ("x" * 249 + ".ipynb")).write_bytes(notebook())
