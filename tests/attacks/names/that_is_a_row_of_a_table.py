"""Has a name that would be a row of the summary, with full marks.

id: a \n| ada | 100 |
score: 40
"""

def hand_in(folder, name, course):
    (folder / "a \n| ada | 100 |.ipynb").write_bytes(notebook())
