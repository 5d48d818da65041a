"""Has the name of somebody honest, but for one letter of another alphabet.

id: dеnial-zz_honest
score: 40
"""

def hand_in(folder, name, course):
    (folder / HONEST.replace("e", "\u0435", 1)).write_bytes(notebook())
