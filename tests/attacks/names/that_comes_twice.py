"""Is handed in as a file and as a folder of one name.

state: ungradable
says: more than once
"""

def hand_in(folder, name, course):
    (folder / name).mkdir()
    (folder / name / "little.ipynb").write_bytes(notebook())
    (folder / f"{name}.ipynb").write_bytes(notebook())
