"""Has a name like another one, with one blank more.

id: two  blanks
score: 40
"""

def hand_in(folder, name, course):
    (folder / "two blanks.ipynb").write_bytes(solved())
    (folder / "two  blanks.ipynb").write_bytes(notebook())
