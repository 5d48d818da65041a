"""Hands in a tar whose notebook is a hard link to that of somebody honest.

state: ungradable
says: link
"""

import tarfile

def hand_in(folder, name, course):
    (folder / name).mkdir()
    with tarfile.open(folder / name / "work.tar", "w") as archive:
        member = tarfile.TarInfo("little.ipynb")
        member.type, member.linkname = tarfile.LNKTYPE, str(folder / HONEST)
        archive.addfile(member)
