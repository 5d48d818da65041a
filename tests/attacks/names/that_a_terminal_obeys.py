"""Has a name that clears the screen and writes backwards.

id: \x1b[2J\u202e001
score: 40
"""

def hand_in(folder, name, course):
    (folder / "\x1b[2J\u202e001.ipynb").write_bytes(notebook())
