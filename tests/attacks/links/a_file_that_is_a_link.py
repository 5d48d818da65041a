"""Is a link to the notebook of somebody honest.

state: ungradable
says: is a link
"""

def hand_in(folder, name, course):
    (folder / f"{name}.ipynb").symlink_to(HONEST)
