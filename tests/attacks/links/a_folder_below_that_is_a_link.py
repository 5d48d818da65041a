"""Hands in a folder whose only folder is a link to one in which lies the solved notebook.

state: ungradable
says: link|no notebook
"""

def hand_in(folder, name, course):
    (course / "further").mkdir()
    (course / "further" / "little.ipynb").write_bytes(solved())
    (folder / name).mkdir()
    (folder / name / "work").symlink_to(course / "further")
