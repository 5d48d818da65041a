"""Is a link to the course secret, whose text an error of reading might tell.

state: ungradable
says: is a link
"""

def hand_in(folder, name, course):
    (folder / f"{name}.ipynb").symlink_to(course / ".redink" / "secret")
