"""Is a link to itself.

state: ungradable
says: is a link
"""

def hand_in(folder, name, course):
    (folder / f"{name}.ipynb").symlink_to(f"{name}.ipynb")
