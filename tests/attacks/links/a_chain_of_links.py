"""Is a link to a link to a link, which ends at the notebook of somebody honest.

state: ungradable
says: is a link
"""

def hand_in(folder, name, course):
    (course / "one").symlink_to(folder / HONEST)
    (course / "two").symlink_to(course / "one")
    (folder / f"{name}.ipynb").symlink_to(course / "two")
