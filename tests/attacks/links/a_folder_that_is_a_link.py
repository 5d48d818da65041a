"""Is a link to a folder in which lies the solved notebook.

state: ungradable
says: is a link
"""

def hand_in(folder, name, course):
    (course / "elsewhere").mkdir()
    (course / "elsewhere" / "little.ipynb").write_bytes(solved())
    (folder / name).symlink_to(course / "elsewhere")
