"""Is a link to the grader's own working folder, by way of /proc.

state: ungradable
says: is a link
"""

def hand_in(folder, name, course):
    (folder / name).mkdir()
    (folder / name / "little.ipynb").symlink_to("/proc/self/cwd/course/class/" + HONEST)
