"""Is a folder where a notebook should be.

state: ungradable
"""

def hand_in(folder, name, course):
    (folder / f"{name}.ipynb").mkdir()
    (folder / f"{name}.ipynb" / "little.ipynb").write_bytes(solved())
