"""Hands in a folder, in which the notebook is a link to that of somebody honest.

state: ungradable
says: is a link
"""

def hand_in(folder, name, course):
    (folder / name).mkdir()
    (folder / name / "little.ipynb").symlink_to(f"../{HONEST}")
